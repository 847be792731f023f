"""Puts the files that an Org document includes in their places (`#+INCLUDE: "file" src c :lines "1-9"`).

pandoc reads no other files here, and shows nothing for those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kbc.formats.document import Problems, Read
from kbc.formats.pandoc.org import VERBATIM
from kbc.formats.selection import read_target
from kbc.languages.includes.files import MAX_DEPTH, MAX_INCLUDED_CHARS, not_included
from kbc.project.source_file import decode_any

_INCLUDE = re.compile(
    r"[ \t]*#\+include:[ \t]+(?:\"(?P<quoted>[^\"]+)\"|(?P<plain>\S+))(?P<options>.*)",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"\s*(?P<kind>src|example|export|quote|verse)\b[ \t]*(?P<language>[^\s:\"]*)")
_LINES = re.compile(r":lines\s+\"(?P<first>\d*)-(?P<end>\d*)\"")
_LEVEL = re.compile(r":minlevel\s+(\d)")
_CONTENTS = re.compile(r":only-contents\s+(?!nil)\S")
_HEADING = re.compile(r"(?P<stars>\*+)\s+(?P<title>.*)")
_OF_FILE = re.compile(
    r"#\+(?:title|subtitle|author|email|date|options|startup|setupfile|language|export_\w+):.*",
    re.IGNORECASE,
)
"""Keywords that say something of the document that they stand in."""


def with_includes(path: str, text: str, read: Read) -> tuple[str, Problems]:
    """The document at `path` with its includes, and those of what it includes; and what was not there."""
    if "#+include" not in text.lower():
        return text, Problems()
    including = _Including(read)
    lines = list(including.expanded(text.split("\n"), (path,)))
    return "\n".join(lines), including.problems


class _Including:
    def __init__(self, read: Read) -> None:
        self._read = read
        self._chars = 0
        self.problems = Problems()

    def expanded(self, lines: Sequence[str], stack: tuple[str, ...]) -> Iterator[str]:
        end, level = "", 0
        for number, line in enumerate(lines, start=1):
            if end:
                end = "" if line.strip().lower() == end else end
            elif block := VERBATIM.match(line):
                end = f"#+end_{block[1].lower()}"
            elif heading := _HEADING.match(line):
                level = len(heading["stars"])
            elif include := _INCLUDE.match(line):
                yield from self._included(include, level, stack, number)
                continue
            yield line

    def _included(
        self, include: re.Match[str], level: int, stack: tuple[str, ...], number: int
    ) -> Iterator[str]:
        target, options = include["quoted"] or include["plain"], include["options"]
        name, _, heading = target.partition("::")
        found = read_target(stack[-1], name, self._read) if "://" not in name else None
        if found is None or found[0] in stack or len(stack) > MAX_DEPTH:
            self._missed(name, number if len(stack) == 1 else 0)
            yield from ("", not_included(name), "")
            return
        place, data = found
        text = decode_any(data).rstrip("\n")
        self._chars += len(text)
        if self._chars > MAX_INCLUDED_CHARS:
            return
        lines = text.split("\n")
        if stated := _LINES.search(options):
            end = int(stated["end"]) - 1 if stated["end"] else None
            lines = lines[max(int(stated["first"] or 1), 1) - 1 : end]
        if block := _BLOCK.match(options):
            kind = block["kind"].lower()
            yield f"#+begin_{kind} {block['language']}".rstrip()
            for line in lines:
                yield f",{line}" if line.startswith(("*", "#+", ",*", ",#+")) else line
            yield f"#+end_{kind}"
            return
        if heading.startswith("*"):
            lines = _below(lines, heading[1:].strip(), with_heading=not _CONTENTS.search(options))
        lines = [line for line in lines if not _OF_FILE.fullmatch(line)]
        wanted = _LEVEL.search(options)
        lines = _shifted(lines, int(wanted[1]) if wanted else level + 1)
        yield from self.expanded(lines, (*stack, place))

    def _missed(self, name: str, line: int) -> None:
        is_address = "://" in name
        report = self.problems.elsewhere if is_address else self.problems.unresolved
        what = "is a URL" if is_address else "does not exist"
        report("#+INCLUDE", f"{name!r} {what}", line)


def _below(lines: Sequence[str], title: str, *, with_heading: bool) -> list[str]:
    """The heading of that title, with all below it; all lines where there is none."""
    found: list[str] = []
    level = 0
    for line in lines:
        heading = _HEADING.match(line)
        if level and heading and len(heading["stars"]) <= level:
            break
        if level:
            found.append(line)
        elif heading and heading["title"].strip() == title:
            level = len(heading["stars"])
            found += [line] if with_heading else []
    return found if level else list(lines)


def _shifted(lines: Sequence[str], least: int) -> list[str]:
    """The lines with headings of which the highest has `least` stars."""
    levels = [len(heading["stars"]) for line in lines if (heading := _HEADING.match(line))]
    by = least - min(levels, default=least)
    if not by:
        return list(lines)
    return [
        "*" * max(1, len(heading["stars"]) + by) + line[len(heading["stars"]) :]
        if (heading := _HEADING.match(line))
        else line
        for line in lines
    ]
