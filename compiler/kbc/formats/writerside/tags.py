"""Tags and attribute lists in Markdown, which no parser of XML reads."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
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


class Closings:
    """Where the elements of a text are closed. The text is searched once for each name, in linear time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, tuple[list[int], dict[int, tuple[int, int]]]] = {}

    def of(self, name: str, start: int) -> tuple[int, int] | None:
        """Where the tag is, from and to, that closes the element `name` whose content begins at `start`;
        None where nothing does."""
        if name not in self._found:
            self._found[name] = self._closed(name)
        starts, closed = self._found[name]
        return closed.get(bisect_left(starts, start))

    def _closed(self, name: str) -> tuple[list[int], dict[int, tuple[int, int]]]:
        """The starts of the tags of `name`, and by the number of the first one in the content of an element
        the tag that closes it."""
        starts: list[int] = []
        closed: dict[int, tuple[int, int]] = {}
        waiting: dict[int, list[int]] = defaultdict(list)
        depth = 0
        pattern = rf"<(?P<end>/)?{re.escape(name)}(?=[\s/>])[^<>]*?(?P<empty>/)?>"
        for match in re.finditer(pattern, self._without_literals):
            waiting[depth].append(len(starts))
            starts.append(match.start())
            if match["end"]:
                closed.update(dict.fromkeys(waiting.pop(depth), match.span()))
                depth -= 1
            elif not match["empty"]:
                depth += 1
        return starts, closed

    @cached_property
    def _without_literals(self) -> str:
        """The text with blanks in place of what is no markup."""
        end = self._text.rfind("]]>") + 1
        hidden = _CDATA.sub(lambda found: " " * len(found[0]), self._text[: end + 2] if end else "")
        return hidden + self._text[len(hidden) :]
