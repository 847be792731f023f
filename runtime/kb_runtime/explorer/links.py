"""Which record links to which: the addresses in their texts, and the names in their fields."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urldefrag

import kb_runtime as kr

_LINK = re.compile(
    r"\]\(<?([^)\s>]+)|href=[\"']([^\"']+)[\"']|^\s{0,3}\[[^\]]+\]:\s+(\S+)", re.MULTILINE
)
_NAMING = ("related", "related_patterns", "required_builtins", "docs", "examples")
"""Fields that name other records."""
_ENDINGS = ("", ".md", ".mdx", "/index.md", "/README.md", "/index.mdx")
_LONGEST_TEXT = 1_000_000


@dataclass(frozen=True)
class Links:
    """Addresses of records by their paths, ids and source addresses, and who links to whom. A record of
    documentation to which nothing links is an orphan."""

    titles: Mapping[str, str]
    kinds: Mapping[str, str]
    by_path: Mapping[str, str]
    by_url: Mapping[str, str]
    by_name: Mapping[str, str]
    to: Mapping[str, Sequence[str]]
    of: Mapping[str, Sequence[str]]

    @property
    def orphans(self) -> list[str]:
        return [
            each for each, kind in self.kinds.items() if kind == "docs" and not self.to.get(each)
        ]

    def resolve(self, href: str, path: str) -> str:
        """The address of the record that a link in the file `path` leads to; empty for others."""
        bare = urldefrag(href).url
        if bare.startswith("kb://"):
            return bare if bare in self.titles else ""
        if "://" in bare:
            return self.by_url.get(bare.rstrip("/"), "")
        if not bare or bare.startswith(("mailto:", "#")):
            return ""
        target = unquote(bare)
        base = "" if target.startswith("/") else posixpath.dirname(path)
        place = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
        stem = place.removesuffix(".html").removesuffix(".md").removesuffix(".mdx")
        for known in (place, stem):
            for ending in _ENDINGS:
                if found := self.by_path.get(known + ending):
                    return found
        return ""


def read_links(kb: kr.KnowledgeBase) -> Links:
    """Reads every record once."""
    titles: dict[str, str] = {}
    kinds: dict[str, str] = {}
    by_path: dict[str, str] = {}
    by_url: dict[str, str] = {}
    by_name: dict[str, str] = {}
    paths: dict[str, str] = {}
    mentions: dict[str, list[str]] = {}
    for record in kb.records():
        data: Mapping[str, Any] = record.data
        address = record.address
        titles[address], kinds[address] = record.title, record.kind
        paths[address] = path = str(data.get("path", ""))
        by_path.setdefault(path, address)
        by_path.setdefault(record.id, address)
        by_name.setdefault(record.id, address)
        if url := str(data.get("url", "")).rstrip("/"):
            by_url.setdefault(url, address)
        mentions[address] = list(_mentioned(record.text, data))
    of: dict[str, list[str]] = {}
    to: defaultdict[str, list[str]] = defaultdict(list)
    links = Links(titles, kinds, by_path, by_url, by_name, to, of)
    for address, hrefs in mentions.items():
        found = (by_name.get(each) or links.resolve(each, paths[address]) for each in hrefs)
        of[address] = list(dict.fromkeys(each for each in found if each and each != address))
        for target in of[address]:
            to[target].append(address)
    return links


def _mentioned(text: str, data: Mapping[str, Any]) -> Iterator[str]:
    for found in _LINK.finditer(text[:_LONGEST_TEXT]):
        yield found[1] or found[2] or found[3]
    for fields in (data, data.get("frontmatter") or {}):
        for name in _NAMING:
            values = fields.get(name)
            if isinstance(values, list):
                yield from (each for each in values if isinstance(each, str))
