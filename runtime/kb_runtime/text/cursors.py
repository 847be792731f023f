"""Cursors: the position where a listing continues, bound to the build, the tool and the filters of a call.

A cursor is base64url of a small JSON object with the format version `v`, the tool `t`, the build `b`,
the position `p` and a checksum `c` over all of that and the filters. The checksum detects accidents; it
is no signature, and needs none, because a position gives access to nothing new.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kb_runtime.digests import sha256
from kb_runtime.errors import ToolError

VERSION = 1
_CHECKSUM_CHARS = 16
_MAX_CURSOR_CHARS = 1024


def write_cursor(
    build_id: str, tool: str, filters: Mapping[str, Any], position: Sequence[int]
) -> str:
    """A cursor that continues the same call at `position` (what its numbers mean is the tool's)."""
    import base64  # which most servers never need

    places = list(position)
    fields = {
        "v": VERSION,
        "t": tool,
        "b": build_id,
        "p": places,
        "c": _checksum(build_id, tool, filters, places),
    }
    return base64.urlsafe_b64encode(_json(fields)).decode().rstrip("=")


def read_cursor(
    cursor: str, build_id: str, tool: str, filters: Mapping[str, Any], length: int
) -> tuple[int, ...]:
    """The position in `cursor`: `length` numbers, none negative.

    Raises BAD_INPUT for anything that `write_cursor` did not make for this build, tool and filters.
    """
    fields = _fields(cursor)
    if fields.get("v") != VERSION:
        raise bad_cursor("it is not a cursor of this server")
    if fields.get("t") != tool:
        raise bad_cursor("it belongs to another tool")
    if fields.get("b") != build_id:
        raise bad_cursor("the knowledge base was rebuilt since it was made")
    position = fields.get("p")
    if (
        not isinstance(position, list)
        or len(position) != length
        or not all(type(number) is int and number >= 0 for number in position)
        or write_cursor(build_id, tool, filters, position) != cursor
    ):
        raise bad_cursor("it belongs to a request with other arguments")
    return tuple(position)


def bad_cursor(reason: str) -> ToolError:
    """The BAD_INPUT error for a cursor that cannot be used, `reason` being a clause."""
    return ToolError(
        "BAD_INPUT",
        f"the cursor is invalid or belongs to another request: {reason}",
        next_steps=["Repeat the call without `cursor` to start at the beginning."],
    )


def _fields(cursor: str) -> dict[str, Any]:
    import base64

    if len(cursor) > _MAX_CURSOR_CHARS:
        raise bad_cursor("it is too long")
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        fields = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        raise bad_cursor("it cannot be read") from None
    if not isinstance(fields, dict):
        raise bad_cursor("it cannot be read")
    return fields


def _checksum(build_id: str, tool: str, filters: Mapping[str, Any], position: Sequence[int]) -> str:
    covered = _json([VERSION, build_id, tool, dict(filters), list(position)])
    return sha256(covered).hex()[:_CHECKSUM_CHARS]


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
