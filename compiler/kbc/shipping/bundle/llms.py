"""Writes `llms.txt` and `llms-full.txt`: the pages of a knowledge base for readers without tools.

The first lists the pages by collection, the second contains their text, both in the order of the
artifact. `kbc` reads the second back as a documentation set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.text.addresses import format_address
from kb_runtime.text.unshown import unshown
from kbc.shipping.product import Product

KINDS = ("docs", "pages")
"""Kinds of collections whose records are pages."""

_HEADING = re.compile(r"\s*# [^\n]*\n?")


def overview(artifact: Artifact, product: Product) -> bytes:
    """`llms.txt`."""
    return ("\n".join(_overview(artifact, product)) + "\n").encode()


def full(artifact: Artifact) -> bytes:
    """`llms-full.txt`, empty without pages."""
    return "\n\n".join(
        f"# {_title(record)}\n\nSource: {address}\n\n{_body(record)}\n"
        for _, record, address in _pages(artifact)
    ).encode()


def _overview(artifact: Artifact, product: Product) -> Iterator[str]:
    yield f"# {product.title}"
    yield ""
    yield f"> {product.summary}"
    yield ""
    yield f"Version {product.version}, build {product.build_id}. `pip install {product.distribution}` gives"
    yield "a server that searches all of it."
    section = ""
    for info, record, address in _pages(artifact):
        if info.name != section:
            section = info.name
            yield f"\n## {section}\n"
        title = _title(record).replace("[", "\\[").replace("]", "\\]")
        summary = " ".join(record.get("summary", "").split())
        yield f"- [{title}]({address})" + (f": {summary}" if summary else "")


def _pages(artifact: Artifact) -> Iterator[tuple[CollectionInfo, Mapping[str, Any], str]]:
    """Every page with its collection and its address: on the web where it has one."""
    for info in artifact.collections:
        if info.kind in KINDS:
            catalog = artifact.catalog(info.name)
            for ordinal in range(len(catalog)):
                record = catalog[ordinal]
                own = format_address(artifact.manifest["name"], info.name, record["id"])
                if _body(record):  # a documentation set is a record, too, without text
                    yield info, record, record.get("url") or own


def _body(record: Mapping[str, Any]) -> str:
    """The text without what a site does not show of its beginning and without a first heading; MDX as it is
    served, cleaned."""
    text: str = record.get("content" if record.get("processed") else "text", "")
    text = text[unshown(text) :]
    return (text[match.end() :] if (match := _HEADING.match(text)) else text).strip()


def _title(record: Mapping[str, Any]) -> str:
    return " ".join((record.get("title") or record["id"]).split())
