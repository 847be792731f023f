"""Writes a Claude Code plugin: the server's entry and the skill in one folder."""

from __future__ import annotations

import json
from typing import Any

from kbc.shipping.bundle import skill
from kbc.shipping.product import Product


def files(product: Product) -> dict[str, bytes]:
    """The plugin's files by path."""
    described: dict[str, Any] = {
        "name": product.distribution,
        "version": product.version,
        "description": product.summary,
        "author": {"name": product.author} if product.author else None,
        "homepage": product.homepage,
        "license": product.license,
    }
    present = {name: value for name, value in described.items() if value}
    servers = {"mcpServers": {product.name: {"command": product.distribution}}}
    return {
        ".claude-plugin/plugin.json": _json(present),
        ".mcp.json": _json(servers),
        f"skills/{skill.path(product)}": skill.skill(product),
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
