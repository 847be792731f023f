"""Writes the README of a wheel, which a package index shows, from the knowledge base."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kbc.shipping.product import Product


def readme(product: Product) -> str:
    """Markdown: what it is, how it is used, what it holds, which tools it offers."""
    command = product.distribution
    client = {"mcpServers": {product.name: {"command": command}}}
    held = [(each.name, each.kind, f"{each.records:,}") for each in product.collections]
    built = f", built {product.built_at}" if product.built_at else ""
    parts = [
        f"# {product.title}",
        product.summary,
        # How the MCP registry recognises the owner of a package.
        f"<!-- mcp-name: {product.mcp_name} -->" if product.mcp_name else "",
        "A knowledge base with its search index and its sentence encoder, served over the Model Context\n"
        "Protocol. It needs no network and no other service, and it writes nothing.",
        "## Use",
        "```console\n"
        f"$ pip install {command}\n"
        f'$ {command} search "how do I begin"     # ask it from the terminal\n'
        f"$ {command} verify                       # check every byte of it\n"
        f"$ {command}                              # serve it to an MCP client, on stdio\n"
        "```",
        "The entry of a client that reads `mcpServers`:",
        f"```json\n{json.dumps(client, indent=2)}\n```",
        "## What it holds",
        table(("collection", "kind", "records"), held),
        f"Version {product.version}, build {product.build_id}{built}.",
        "## Tools",
        table(
            ("tool", "what it gives"),
            [(f"`{each.name}`", each.summary) for each in product.shown_tools],
        ),
        product.further_tools,
    ]
    if product.license:
        parts += [
            "## Licence",
            f"{product.license}. The package holds the licences of its parts, and a list of all of\n"
            "them (`sboms/`), in its `.dist-info` folder.",
        ]
    return paragraphs(parts)


def paragraphs(parts: Sequence[str]) -> str:
    """The blocks of a document with blank lines between them; empty ones are left out."""
    return "\n\n".join(filter(None, parts)) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; `|` in cells is escaped."""
    lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in (head, *rows)]
    first, *others = (f"| {line} |" for line in lines)
    return "\n".join([first, f"|{' --- |' * len(head)}", *others])
