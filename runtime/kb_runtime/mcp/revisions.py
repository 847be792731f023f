"""Protocol revisions, and the two eras they fall into.

Up to 2025-11-25 a connection opens with `initialize` and keeps the revision agreed there. From
2026-07-28 there is no handshake: each request carries its revision in `params._meta`.
"""

from __future__ import annotations

from kb_runtime.errors import ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISIONS = ("2026-07-28",)
NEWEST_HANDSHAKE = HANDSHAKE_REVISIONS[-1]
BATCHING_REVISION = "2025-03-26"
"""The one revision whose text obliges a receiver to accept JSON-RPC batches."""

REVISION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
"""Up to 2025-11-25; later revisions say INVALID_PARAMS."""
UNSUPPORTED_REVISION = -32022

SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"

CACHE_TTL_MS = 86_400_000
"""A day: the longest that clients keep. A build is immutable, so longer would be as true."""
LIVE_TTL_MS = 60_000
"""Where a newer build may be served at any time: how long a client may go on with what it has."""


def is_stateless(revision: str) -> bool:
    return revision in STATELESS_REVISIONS


def negotiate(requested: str) -> str:
    """The revision that answers `initialize`: the one asked for, else the newest with a handshake."""
    return requested if requested in HANDSHAKE_REVISIONS else NEWEST_HANDSHAKE


def has_envelope(params: dict[str, Any] | None) -> bool:
    """Whether a request names its revision itself, as only stateless requests do."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, dict) and REVISION_KEY in meta


def envelope_revision(params: dict[str, Any] | None) -> str:
    """The revision of a stateless request. Raises ProtocolError for a missing or foreign one."""
    meta = params.get("_meta") if params else None
    if not isinstance(meta, dict):
        raise ProtocolError(
            INVALID_PARAMS,
            "params._meta must be an object carrying the required"
            f" {REVISION_KEY!r} and {CAPABILITIES_KEY!r} envelope keys",
        )
    missing = [key for key in (REVISION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise ProtocolError(
            INVALID_PARAMS,
            f"params._meta is missing the required envelope key(s): {', '.join(missing)}",
        )
    revision = meta[REVISION_KEY]
    if not isinstance(revision, str):
        raise ProtocolError(INVALID_PARAMS, "the protocol-version envelope value must be a string")
    if revision not in STATELESS_REVISIONS:
        raise ProtocolError(
            UNSUPPORTED_REVISION,
            "Unsupported protocol version",
            {"supported": list(STATELESS_REVISIONS), "requested": revision},
        )
    return revision
