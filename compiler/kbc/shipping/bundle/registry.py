"""Writes `server.json`, the entry of the MCP registry, which points to the wheel."""

from __future__ import annotations

import json
import re
from typing import Any

from kb_runtime.text.rendering import shorten
from kbc.shipping.product import Product

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

MAX_CHARS = 100
"""Of title and description, by the schema."""

_WEBSITE = re.compile(r"https://[\w.~:/?#\[\]@!$&'()*+,;=%-]+", re.ASCII)
"""The registry takes no other scheme; the characters are those of a URI (RFC 3986)."""


def entry(product: Product) -> bytes:
    """The file. The product must have an `mcp_name`; the same name is in the wheel's description, by
    which the registry sees that both have one owner. A home page that the registry refuses is left out."""
    fields: dict[str, Any] = {
        "$schema": SCHEMA,
        "name": product.mcp_name,
        "title": shorten(product.title, MAX_CHARS),
        "description": shorten(product.summary, MAX_CHARS),
        "version": product.version,
        "websiteUrl": product.homepage if _WEBSITE.fullmatch(product.homepage) else "",
        "packages": [
            {
                "registryType": "pypi",
                "identifier": product.distribution,
                "version": product.version,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
            }
        ],
    }
    present = {name: value for name, value in fields.items() if value}
    return (json.dumps(present, ensure_ascii=False, indent=2) + "\n").encode()
