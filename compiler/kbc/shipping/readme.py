"""Writes the README of a wheel, which a package index shows, from the knowledge base."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from kbc.shipping.product import Product


def readme(product: Product) -> str:
    """Markdown: what it is, how it is used, what it holds, which tools it offers."""
    return "\n".join(_lines(product)) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A Markdown table; `|` in cells is escaped."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _lines(product: Product) -> Iterator[str]:
    command = product.distribution
    yield f"# {product.title}"
    yield ""
    yield product.summary
    yield ""
    if product.mcp_name:  # how the MCP registry recognises the owner of a package
        yield f"<!-- mcp-name: {product.mcp_name} -->"
        yield ""
    yield "A knowledge base with its search index and its sentence encoder, served over the Model Context"
    yield "Protocol. It needs no network and no other service, and it writes nothing."
    yield ""
    yield "## Use"
    yield ""
    yield "```console"
    yield f"$ pip install {command}"
    yield f'$ {command} search "how do I begin"     # ask it from the terminal'
    yield f"$ {command} verify                       # check every byte of it"
    yield f"$ {command}                              # serve it to an MCP client, on stdio"
    yield "```"
    yield ""
    yield "The entry of a client that reads `mcpServers`:"
    yield ""
    yield "```json"
    yield json.dumps({"mcpServers": {product.name: {"command": command}}}, indent=2)
    yield "```"
    yield ""
    yield "## What it holds"
    yield ""
    yield from table(
        ("collection", "kind", "records"),
        [(each.name, each.kind, f"{each.records:,}") for each in product.collections],
    )
    yield ""
    built = f", built {product.built_at}" if product.built_at else ""
    yield f"Version {product.version}, build {product.build_id}{built}."
    yield ""
    yield "## Tools"
    yield ""
    yield from table(
        ("tool", "what it gives"),
        [(f"`{each.name}`", each.summary) for each in product.shown_tools],
    )
    if product.further_tools:
        yield ""
        yield product.further_tools
    if product.license:
        yield ""
        yield "## Licence"
        yield ""
        yield f"{product.license}. The package holds the licences of its parts, and a list of all of"
        yield "them (`sboms/`), in its `.dist-info` folder."
