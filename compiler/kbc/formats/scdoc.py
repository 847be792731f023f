"""Man pages in the markup of scdoc, as Markdown: headings, lists, terms with what they mean, tables, code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kbc.formats import commonmark
from kbc.formats.document import Converted, Read, decode

MAX_DEPTH = 20
"""Text in indented text; what is indented more deeply is read as text."""

_HEADER = re.compile(r"(?P<title>[\w.+@-]+\(\w+\))(?:[ \t]+\"[^\"]*\"){0,2}[ \t]*")
_HEADING = re.compile(r"(?P<marks>#{1,2})[ \t]+(?P<text>\S.*)")
_ITEM = re.compile(r"(?P<mark>[-.])[ \t]+(?P<text>.*)")
_ROW, _CELL = re.compile(r"[\[|\]][-\[\] ]([ \t]|\Z)"), re.compile(r"[\[|\]:][-\[\] ](?=[ \t]|\Z)")
_FENCE = "```"
_INLINE = re.compile(
    r"\\(?P<escaped>.)|(?P<broken>\+\+(?=\n|\Z))|\*(?P<bold>(?:\\.|[^*\\]){1,2000})\*"
    r"|(?<!\w)_(?P<slanted>(?:\\.|[^_\\]|(?<=\w)_(?=\w)){1,2000})_(?!\w)",
    re.DOTALL,
)
_NAMED = re.compile(r"^# NAME[ \t]*\n+.* - (?P<summary>\S.*)$", re.MULTILINE)


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The page of a file."""
    text = decode(data)
    first, _, rest = text.partition("\n")
    header, about = _HEADER.fullmatch(first), _NAMED.search(text)
    title = header["title"] if header else ""
    start = commonmark.heading(1, commonmark.escaped(title)) if title else []
    body = _blocks((rest if header else text).split("\n"))
    return Converted(
        text=commonmark.document(commonmark.blocks([start, body])),
        format="scdoc",
        title=title,
        summary=re.sub(r"\\(.)", r"\1", about["summary"]) if about else "",
    )


def _blocks(lines: Sequence[str], depth: int = 0) -> list[str]:
    """The Markdown of lines at one level, whose indentation is gone."""
    parts: list[list[str]] = []
    at = 0
    while at < len(lines):
        line, start = lines[at], at
        at += 1
        if not line.strip() or line.startswith("; "):
            continue
        if line.startswith(_FENCE):
            while at < len(lines) and not lines[at].startswith(_FENCE):
                at += 1
            parts.append(commonmark.fence("\n".join(lines[start + 1 : at])))
            at += 1
        elif heading := _HEADING.fullmatch(line):
            parts.append(commonmark.heading(len(heading["marks"]) + 1, _inline(heading["text"])))
        elif _ROW.match(line):
            while at < len(lines) and (_CELL.match(lines[at]) or lines[at].startswith(" ")):
                at += 1
            parts.append(_table(lines[start:at]))
        elif line.startswith("\t") and depth < MAX_DEPTH:
            at = _end_of_indented(lines, at)
            parts.append(_blocks(_unindented(lines[start:at]), depth + 1))
        else:
            while at < len(lines) and lines[at].strip() and not _begins(lines[at]):
                at += 1
            item = _ITEM.fullmatch(line)
            said = "\n".join([item["text"] if item else line, *lines[start + 1 : at]])
            shown = commonmark.paragraph(_inline(said))
            is_term = at < len(lines) and lines[at].startswith("\t") and depth < MAX_DEPTH
            if is_term:
                below = lines[at : (at := _end_of_indented(lines, at))]
                shown = commonmark.blocks([shown, _blocks(_unindented(below), depth + 1)])
            if item or is_term:
                shown = commonmark.indented(shown, "1. " if item and item["mark"] == "." else "- ")
            parts.append(shown)
    return commonmark.blocks(parts)


def _begins(line: str) -> bool:
    """Whether a line below a paragraph belongs to something else."""
    is_marked = _HEADING.fullmatch(line) or _ITEM.fullmatch(line) or _ROW.match(line)
    return line.startswith(("\t", _FENCE, "; ")) or is_marked is not None


def _end_of_indented(lines: Sequence[str], at: int) -> int:
    """Where what is indented from the line `at` ends; blank lines within it belong to it."""
    end = at
    while at < len(lines) and (lines[at].startswith("\t") or not lines[at].strip()):
        at += 1
        end = at if lines[at - 1].strip() else end
    return end


def _unindented(lines: Sequence[str]) -> list[str]:
    return [line.removeprefix("\t") for line in lines]


def _table(lines: Sequence[str]) -> list[str]:
    rows: list[list[list[str]]] = []  # of the lines of each cell
    for line in lines:
        if not _CELL.match(line):
            rows[-1][-1].append(line.strip())
        elif line.startswith(":"):
            rows[-1].append([line[2:].strip()])
        else:
            rows.append([[line[2:].strip()]])
    header, *others = [[_inline(" ".join(cell)) for cell in row] for row in rows]
    return commonmark.table(header, others)


def _inline(text: str) -> str:
    return commonmark.escaped_around(text, _INLINE, _shown)


def _shown(match: re.Match[str]) -> str:
    if match["escaped"] is not None:
        return commonmark.escaped(match["escaped"])
    if match["broken"] is not None:
        return "\\" if match.end() < len(match.string) else ""
    if match["bold"] is not None:
        return commonmark.marked(_inline(match["bold"]), "**")
    return commonmark.marked(_inline(match["slanted"]), "*")
