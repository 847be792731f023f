"""The fields of a page of Lektor as Markdown: its title, and what has several lines."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kbc.formats import commonmark
from kbc.formats.document import Converted, Read, decode

MAX_DEPTH = 8
"""Blocks in fields of blocks; what is deeper is read as text."""

_END = re.compile(r"^---[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"\s*(?P<name>\w[\w-]*):[ \t]*(?P<value>.*)", re.DOTALL)
_BLOCK = re.compile(r"^####[ \t]+[\w-]+[ \t]+####[ \t]*$", re.MULTILINE)
_ESCAPED = re.compile(r"^-(?=-{3,}[ \t]*$)", re.MULTILINE)
"""A line of hyphens in a field has one more than it stands for."""

_TEXT = frozenset({"body", "text"})
"""Fields of text in the models that Lektor begins sites with. It writes a text of one line on the line of the
name."""

_OUTSIDE_OF_TEXT = frozenset({"summary", "description", "author"})


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The page of a file, which is called as its folder where it has no title."""
    fields = dict(_fields(decode(data)))
    title = _plain(fields.get("title", "") or fields.get("name", ""))
    description = fields.get("description", "").strip("\n")
    body = commonmark.blocks(_parts(fields, 0))
    if not body:  # pages of catalogues, which have no other text
        body, description = description.split("\n") if description else [], ""
    heading = commonmark.heading(1, commonmark.escaped(title)) if title else []
    has_heading = any(re.match(r"# \S", line) for line in body[:1])
    return Converted(
        text=commonmark.document(body if has_heading else commonmark.blocks([heading, body])),
        format="lektor",
        title=title or posixpath.basename(posixpath.dirname(path)),
        author=_plain(fields.get("author", "")),
        created_at=_plain(fields.get("pub_date", "") or fields.get("date", "")),
        summary=_plain(fields.get("summary", "") or description),
    )


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """The names and values of fields, in their order."""
    for part in _END.split(text):
        if field := _FIELD.match(part):
            yield field["name"], _ESCAPED.sub("", field["value"])


def _parts(fields: dict[str, str], depth: int) -> Iterator[list[str]]:
    """The blocks of fields that have several lines or hold text, in blocks of a page also their titles."""
    if depth and "title" in fields:
        yield commonmark.paragraph(f"**{commonmark.escaped(_plain(fields['title']))}**")
    for name, value in fields.items():
        is_long = "\n" in value.rstrip() or (name in _TEXT and value.strip())
        if not is_long or name in _OUTSIDE_OF_TEXT:
            continue
        before, *blocks = _BLOCK.split(value)
        if depth >= MAX_DEPTH or not blocks or before.strip():
            yield value.strip("\n").split("\n")
        for block in blocks if depth < MAX_DEPTH and not before.strip() else ():
            yield from _parts(dict(_fields(block)), depth + 1)


def _plain(value: str) -> str:
    return " ".join(value.split())
