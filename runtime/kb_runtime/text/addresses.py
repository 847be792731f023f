"""`kb://<knowledge base>/<collection>/<id>`: the address of one record, as a resource and in hits.

The id is percent-encoded except for its slashes, so that the addresses that agents read and repeat are short.
With encoded slashes, as the template `{id}` expands (RFC 6570, simple expansion), an address means the same.
"""

from __future__ import annotations

SCHEME = "kb://"

_RESOLVED = frozenset({"", ".", ".."})
"""Segments of paths that clients may resolve away."""


def format_address(kb: str, collection: str, record_id: str) -> str:
    from urllib.parse import quote

    safe = "/" if _RESOLVED.isdisjoint(record_id.split("/")) else ""
    encoded = quote(record_id.encode("utf-8", "replace"), safe=safe)
    return f"{SCHEME}{kb}/{collection}/{encoded}"


def address_template(kb: str, collection: str) -> str:
    return f"{SCHEME}{kb}/{collection}/{{id}}"


def parse_address(address: str) -> tuple[str, str, str] | None:
    """Knowledge base, collection and record id of a `kb://` address; None when it is not one."""
    from urllib.parse import unquote

    if not address.startswith(SCHEME):
        return None
    kb, _, rest = address[len(SCHEME) :].partition("/")
    collection, _, encoded = rest.partition("/")
    if not (kb and collection and encoded):
        return None
    return kb, collection, unquote(encoded)
