"""`kb://<knowledge base>/<collection>/<id>`: the address of one record, as a resource and in hits.

The id is percent-encoded as a whole, slashes included, which is what the template `{id}` expands to
(RFC 6570, simple expansion). Addresses with unescaped slashes are accepted.
"""

from __future__ import annotations

SCHEME = "kb://"


def format_address(kb: str, collection: str, record_id: str) -> str:
    from urllib.parse import quote

    encoded = quote(record_id.encode("utf-8", "replace"), safe="")
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
