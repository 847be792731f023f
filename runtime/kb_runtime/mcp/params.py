"""Checks the shape of each request's params before anything reads them."""

from __future__ import annotations

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import revisions
from kb_runtime.text.json_types import DESCRIPTIONS, is_of_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kb_runtime.text.json_types import JsonType

    Shape = JsonType | tuple[str, ...]

_LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_PAGED: dict[str, tuple[Shape, bool]] = {"cursor": ("string", False)}
_FIELDS: dict[str, dict[str, tuple[Shape, bool]]] = {
    "initialize": {
        "protocolVersion": ("string", True),
        "capabilities": ("object", True),
        "clientInfo": (("name", "version"), True),
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
    "prompts/get": {"name": ("string", True), "arguments": ("string{}", False)},
    "completion/complete": {
        "ref": ("object", True),
        "argument": (("name", "value"), True),
        "context": ("object", False),
    },
}
"""Per served method: field -> (its type, or the names of the strings in it; whether it is required).
`null` counts as left out where a field is not required."""

HANDSHAKE_METHODS = frozenset(_FIELDS) - {"server/discover"}
SUBSCRIBE = "resources/subscribe"
UNSUBSCRIBE = "resources/unsubscribe"
RESOURCES = "resourceSubscriptions"
"""The field of a stateless client's request with the addresses that it asks about."""
MAX_RESOURCES = 256
"""That one client may subscribe to: all are read again after a swap."""
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
    for name, (shape, required) in _FIELDS[method].items():
        value = checked.get(name)
        if value is None:
            if required:
                raise _invalid(f"{name} is missing")
        elif name == "ref" and not _is_reference(value):
            raise _invalid("ref must be a prompt or resource reference")
        elif isinstance(shape, tuple) and not _has_strings(value, shape):
            raise _invalid(
                f"{name} must be an object with {' and '.join(f'a {one}' for one in shape)}"
            )
        elif isinstance(shape, str) and not is_of_type(value, shape):
            raise _invalid(f"{name} must be {DESCRIPTIONS[shape]}")
    return checked


def _check_meta(params: dict[str, Any], stateless: bool) -> None:
    meta = params.get("_meta")
    if meta is None:
        if stateless:
            raise _invalid("_meta is missing")
        return
    if not is_of_type(meta, "object"):
        raise _invalid("_meta must be an object")
    token = meta.get("progressToken")
    if token is not None and not is_of_type(token, "string|integer"):
        raise _invalid("_meta.progressToken must be a string or an integer")
    if not stateless:
        return
    if not is_of_type(meta.get(revisions.CAPABILITIES_KEY), "object"):
        raise _invalid(f"_meta[{revisions.CAPABILITIES_KEY!r}] must be an object")
    client = meta.get(revisions.CLIENT_INFO_KEY)
    if client is not None and not _has_strings(client, ("name", "version")):
        raise _invalid(f"_meta[{revisions.CLIENT_INFO_KEY!r}] must have a name and a version")
    level = meta.get(revisions.LOG_LEVEL_KEY)
    if level is not None and level not in _LOG_LEVELS:
        raise _invalid(
            f"_meta[{revisions.LOG_LEVEL_KEY!r}] must be one of {', '.join(_LOG_LEVELS)}"
        )


def _invalid(detail: str) -> ProtocolError:
    return ProtocolError(revisions.INVALID_PARAMS, "Invalid request parameters", f"params.{detail}")


def _has_strings(value: Any, names: tuple[str, ...]) -> bool:
    return is_of_type(value, "object") and all(
        is_of_type(value.get(name), "string") for name in names
    )


def _is_reference(value: Any) -> bool:
    if not is_of_type(value, "object"):
        return False
    field = {"ref/prompt": "name", "ref/resource": "uri"}.get(str(value.get("type")))
    return field is not None and is_of_type(value.get(field), "string")


def too_many_resources() -> ProtocolError:
    return ProtocolError(
        revisions.INVALID_REQUEST, f"At most {MAX_RESOURCES} resources can be subscribed to"
    )
