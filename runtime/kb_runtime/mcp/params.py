"""Checks the shape of each request's params before anything reads them."""

from __future__ import annotations

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import revisions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LOG_LEVELS = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
_PAGED = {"cursor": ("string", False)}
_FIELDS: dict[str, dict[str, tuple[str, bool]]] = {
    "initialize": {
        "protocolVersion": ("string", True),
        "capabilities": ("object", True),
        "clientInfo": ("implementation", True),
    },
    "server/discover": {},
    "ping": {},
    "tools/list": _PAGED,
    "tools/call": {"name": ("string", True), "arguments": ("object", False)},
    "resources/list": _PAGED,
    "resources/templates/list": _PAGED,
    "resources/read": {"uri": ("string", True)},
    "resources/subscribe": {"uri": ("string", True)},
    "resources/unsubscribe": {"uri": ("string", True)},
    "prompts/list": _PAGED,
    "prompts/get": {"name": ("string", True), "arguments": ("strings", False)},
    "completion/complete": {
        "ref": ("reference", True),
        "argument": ("argument", True),
        "context": ("object", False),
    },
}
"""Per served method: field -> (kind, required). `null` counts as left out where not required."""

HANDSHAKE_METHODS = frozenset(_FIELDS) - {"server/discover"}
SUBSCRIBE = "resources/subscribe"
UNSUBSCRIBE = "resources/unsubscribe"
RESOURCES = "resourceSubscriptions"
"""The field of a stateless client's request with the addresses that it asks about."""
STATELESS_METHODS = frozenset(_FIELDS) - {"initialize", "ping", SUBSCRIBE, UNSUBSCRIBE}


def check_params(method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
    """`params` of a served method, {} where it has none.

    Raises ProtocolError: METHOD_NOT_FOUND for a method that this revision or server lacks,
    INVALID_PARAMS (whose data names the field) for a wrong shape.
    """
    stateless = revisions.is_stateless(revision)
    if method not in (STATELESS_METHODS if stateless else HANDSHAKE_METHODS):
        raise ProtocolError(revisions.METHOD_NOT_FOUND, "Method not found", method)
    checked = {} if params is None else params
    _check_meta(checked, stateless)
    for name, (kind, required) in _FIELDS[method].items():
        value = checked.get(name)
        if value is None:
            if required:
                raise _invalid(f"{name} is missing")
        elif not _KINDS[kind](value):
            raise _invalid(f"{name} must be {_NAMES[kind]}")
    return checked


def _check_meta(params: dict[str, Any], stateless: bool) -> None:
    meta = params.get("_meta")
    if meta is None:
        if stateless:
            raise _invalid("_meta is missing")
        return
    if not isinstance(meta, dict):
        raise _invalid("_meta must be an object")
    token = meta.get("progressToken")
    if token is not None and not isinstance(token, (str, int)):
        raise _invalid("_meta.progressToken must be a string or an integer")
    if not stateless:
        return
    if not isinstance(meta.get(revisions.CAPABILITIES_KEY), dict):
        raise _invalid(f"_meta[{revisions.CAPABILITIES_KEY!r}] must be an object")
    client = meta.get(revisions.CLIENT_INFO_KEY)
    if client is not None and not _is_implementation(client):
        raise _invalid(f"_meta[{revisions.CLIENT_INFO_KEY!r}] must have a name and a version")
    level = meta.get(revisions.LOG_LEVEL_KEY)
    if level is not None and level not in _LOG_LEVELS:
        raise _invalid(
            f"_meta[{revisions.LOG_LEVEL_KEY!r}] must be one of {', '.join(_LOG_LEVELS)}"
        )


def _invalid(detail: str) -> ProtocolError:
    return ProtocolError(revisions.INVALID_PARAMS, "Invalid request parameters", f"params.{detail}")


def _is_implementation(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), str) for name in ("name", "version")
    )


def _is_reference(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    field = {"ref/prompt": "name", "ref/resource": "uri"}.get(str(value.get("type")))
    return field is not None and isinstance(value.get(field), str)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "strings": lambda value: (
        isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    ),
    "implementation": _is_implementation,
    "reference": _is_reference,
    "argument": lambda value: (
        isinstance(value, dict)
        and all(isinstance(value.get(name), str) for name in ("name", "value"))
    ),
}
_NAMES = {
    "string": "a string",
    "object": "an object",
    "strings": "an object of strings",
    "implementation": "an object with a name and a version",
    "reference": "a prompt or resource reference",
    "argument": "an object with a name and a value",
}
