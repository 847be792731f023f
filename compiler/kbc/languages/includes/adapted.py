"""Pages that are another page with parts and words of their own, as the same guide for another framework.

The front matter names the page (`ref`) and what to `replace` in it. A part between two lines `[//]: # 'Name'`
takes the place of that of the same name there. Without a title of its own, the page is called as that one.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes.files import MAX_DEPTH
from kbc.project.include_tree import Read
from kbc.project.source_file import decode_any

TRIGGER = re.compile(r"^ref:[ \t]*[\"']?[\w@./-]+\.mdx?\b", re.MULTILINE)
"""What the front matter of such a page has."""
_MARK = re.compile(r"^\[//\]:[ \t]*#[ \t]*['\"(](?P<name>[^'\")\n]+)['\")][ \t]*$\n?", re.MULTILINE)
_SINGLE = re.compile(r"\[(?P<char>[^\]\\])\]|\\(?P<escaped>\W)")
"""One character, as a pattern has it; the rest of one is taken as it is."""

Matter = Callable[[str], Mapping[str, Any]]


def adapted(text: str, path: str, read: Read, matter: Matter, depth: int = 0) -> str:
    """The page at `path` with what it takes from another; `text` itself where it takes nothing, or has text
    outside of its parts. `matter` reads front matter."""
    start = front_matter_end(text)
    if not start or depth > MAX_DEPTH or TRIGGER.search(text, 0, start) is None:
        return text
    stated = matter(text)
    target = stated.get("ref")
    own, rest = _parts(text[start:])
    found = _found(target, path, read) if isinstance(target, str) and not rest.strip() else None
    if found is None:
        return text
    source = adapted(found[1], found[0], read, matter, depth + 1)
    body = source[front_matter_end(source) :]
    words = stated.get("replace")
    for before, after in words.items() if isinstance(words, Mapping) else ():
        plain = _SINGLE.sub(lambda match: match["char"] or match["escaped"], str(before))
        body = body.replace(plain, str(after)) if plain else body
    title = matter(source).get("title")
    head = text[:start]
    if isinstance(title, str) and "title" not in stated:
        head = head.replace("---", f"---\ntitle: {json.dumps(title)}", 1)
    return head + _with_parts(body, own)


def _found(target: str, path: str, read: Read) -> tuple[str, str] | None:
    """Path and text of the page, which is named from the root of a repository that may be above ours."""
    place = posixpath.normpath(target.lstrip("/"))
    while place and not place.startswith(".."):
        data = read(place) if place != path else None
        if data is not None:
            return place, decode_any(data)
        place = place.partition("/")[2]
    return None


def _parts(body: str) -> tuple[dict[str, str], str]:
    """The parts of a page by their names, and what is outside of them."""
    pieces = list(_pieces(body))
    parts = {name: piece for name, piece in pieces if name}
    return parts, "".join(piece for name, piece in pieces if not name)


def _with_parts(body: str, own: Mapping[str, str]) -> str:
    """A page without marks, and with `own` parts in the places of its own; those that have no place there are
    at its end."""
    pieces = list(_pieces(body))
    shown = (own.get(name, _MARK.sub("", piece)) for name, piece in pieces)
    placed = {name for name, _ in pieces}
    return "".join([*shown, *(part for name, part in own.items() if name not in placed)])


def _pieces(body: str) -> Iterator[tuple[str, str]]:
    """A page in order: its parts with their names, and with "" what is outside of them."""
    position = 0
    open_part = ""
    for mark in _MARK.finditer(body):
        if open_part and mark["name"] != open_part:  # of a part within a part
            continue
        yield open_part, body[position : mark.start()]
        open_part = "" if open_part else mark["name"]
        position = mark.end()
    yield "", body[position:]
