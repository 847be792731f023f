"""Tags and attribute lists in Markdown, which no parser of XML reads."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[\w.%/-]++)"
ATTRIBUTE_LIST = rf"\{{\s*+(?:(?:[\w:-]++\s*+=\s*+{_VALUE}|#[\w-]++|\.[A-Za-z][\w-]*+)\s*+)++\}}"
"""`{src="a.kt" include-lines="1-3"}`; a text in braces without `=`, `#` or `.` is none."""

LIST_ALONE = re.compile(rf"[ \t>]*(?P<list>{ATTRIBUTE_LIST})[ \t]*")
"""A line with nothing but an attribute list, to be matched as a whole."""

TITLE = re.compile(r"^\[//\]:[ \t]*#[ \t]*\(title:(?P<title>.*)\)[ \t]*$", re.MULTILINE)
"""The comment that states the title of a topic in Markdown, with blanks around it."""

_HEADING = re.compile(r"^(?P<level>#{1,6})[ \t]+(?P<title>\S.*)$", re.MULTILINE)

_STATED = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([\w.%/-]+))|#([\w-]+)")
_CDATA = re.compile(r"<!\[CDATA\[.*?\]\]>", re.DOTALL)


class TopicHeading(NamedTuple):
    """A heading of a topic in Markdown, with what the list of attributes behind it says ("" for none)."""

    level: int
    title: str
    stated: str


def headings(text: str) -> Iterator[TopicHeading]:
    """The headings of a text; lines of its code are taken for some."""
    for heading in _HEADING.finditer(text):
        title = heading["title"].rstrip()
        before, _, stated = title.rpartition("{")
        has_list = bool(before.strip()) and stated.find("}") == len(stated) - 1
        title, stated = (before.rstrip(), stated[:-1]) if has_list else (title, "")
        yield TopicHeading(len(heading["level"]), title, stated)


def attributes(source: str) -> dict[str, str]:
    """Name -> value of what a tag or an attribute list states; `#name` is the attribute `id`."""
    found: dict[str, str] = {}
    for name, double, single, bare, id in _STATED.findall(source):
        found.setdefault(name or "id", html.unescape(double or single or bare or id))
    return found


def close_of(text: str, name: str, start: int) -> tuple[int, int] | None:
    """Where the tag is, from and to, that closes the element `name` whose content begins at `start`; None
    where nothing does."""
    hidden = _CDATA.sub(lambda found: " " * len(found[0]), text[start:])
    depth = 1
    for match in re.finditer(
        rf"<(?P<end>/)?{re.escape(name)}(?=[\s/>])[^<>]*?(?P<empty>/)?>", hidden
    ):
        if match["end"]:
            depth -= 1
        elif not match["empty"]:
            depth += 1
        if not depth:
            return start + match.start(), start + match.end()
    return None
