"""Tables of functions, operators and macros on pages of documentation.

The head of the first column says what is listed, and its cells name that in code; or there is no such head,
and the cells are declarations (`fill(tank: Tank)`). A cell beside them says in words what it does. Tables of
settings, requests and measurements lack one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import NamedTuple

from kb_runtime.search.ranking.paths import place_kinds
from kbc.frontends.entries.found import NAME, FoundEntry, section_at
from kbc.records import CompiledRecord, DocRecord, PageRecord

_NO_REFERENCE = frozenset({"changelog", "generated", "post", "vendored"})
_FEWEST_ROWS = 3
_MOST = 0.75
"""Such a share of the rows names something in code, and says what it does."""

_KINDS = {
    "builtin": "function", "builtin function": "function", "built-in": "function",
    "built-in function": "function", "function": "function", "function name": "function",
    "intrinsic": "function", "method": "method", "method name": "method", "operator": "operator",
    "macro": "macro", "predicate": "predicate", "procedure": "procedure", "subroutine": "procedure",
}  # fmt: skip
"""What a first column may list, in the singular and lower case."""

_OF_DECLARATIONS = frozenset(
    {"", "api", "call", "declaration", "name", "prototype", "signature", "syntax"}
)
"""Heads of columns that may list anything: it is functions where all cells are declarations."""

_SIGNATURES = frozenset({
    *("arguments", "call", "declaration", "parameters", "prototype", "signature", "syntax", "type", "usage"),
})  # fmt: skip
_PARAMETERS = frozenset({"arguments", "parameters"})
_SAYING = re.compile(
    r"action|description|definition|does|effect|explanation|meaning|purpose|result|returns?|summary"
)
"""Words in the head of a column that tells what is listed."""

_FEWEST_WORDS = 4
"""Of a cell in another column, which may only have properties such as `left to right`."""

_OF_OTHERS = frozenset({
    *("endpoint", "path", "route", "uri", "url"),  # of requests
    *("advantages", "cons", "disadvantages", "drawbacks", "pros"),  # of ways to do something
})  # fmt: skip
"""Heads of columns that no reference has."""

_REQUESTS = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})
_SEVERAL = 2
"""Methods of HTTP that a table of them has at least."""

_RULE = re.compile(r"^[ \t]{0,3}\|?[ \t]*:?-+:?[ \t]*\|[ \t:|-]*$", re.MULTILINE)
_CELL_END = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"(?<!`)`++([^`]+)`+")
_NAMES = re.compile(r"(?:[^`(\[<]|(?<!`)`++[^`]+`+)*")
"""What a cell names, without remarks on it in brackets."""

_BEGINS_WITH_CODE = ("`", "*`", "**`")
"""A link instead leads to where the entry is."""

_MARKUP = re.compile(r"<[^<>\n]{1,200}>|[*_`]{2,}|[*`]|\[|\]\([^()\s]*\)|\]\[[^\[\]]*\]|\]")
_LINE_BREAK = re.compile(r"</li>\s*<li>|<br\s*/?>")
_EMPHASIS = re.compile(r"(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|[*`\\]")
_DECLARATION = re.compile(
    r"([\w.:$!?]{1,80})\((?:[^\W\d][^()\"']{0,200})?\)(?:[ \t]*(?:->|=>|:).{1,200})?"
)
_NAME_OF_CALL = re.compile(r"([^\s(]+)\(.*\)\S*")
_EXPRESSION = re.compile(r"\w\+\w")
"""No name: keys to press (`Ctrl+A`), or a sum."""

_MOST_CHARS = 400
"""Of a declaration."""

_WORD = re.compile(r"[^\W\d_]{2,}")


class _Row(NamedTuple):
    line: int
    text: str
    cells: list[str]


class _Head(NamedTuple):
    """The names of the columns, lower case. `kind` is what they list, "" where only declarations show it."""

    names: list[str]
    kind: str


def entries_of_tables(records: Iterable[CompiledRecord]) -> Iterator[FoundEntry]:
    """The rows of such tables on pages; what a page has several forms of in a row is one entry."""
    for record in records:
        if isinstance(record, DocRecord | PageRecord) and "|" in record.text:
            found = _of_page(record)
            if found and _NO_REFERENCE.isdisjoint(place_kinds(record.path)):
                yield from found


def _of_page(record: DocRecord | PageRecord) -> list[FoundEntry]:
    found: dict[str, list[FoundEntry]] = {}
    line = position = end = 0
    for rule in _RULE.finditer(record.text):
        if rule.start() < end:  # a row of the table before
            continue
        above = record.text.rfind("\n", 0, max(rule.start() - 1, 0)) + 1
        head = _head(record.text[above : rule.start()])
        if head is None:
            continue
        line += record.text.count("\n", position, rule.end())
        position = rule.end()
        rows = list(_rows(record.text, position + 1, line + 2))
        end = position + sum(len(row.text) for row in rows)
        for entry in _of_table(record, head, rows):
            forms = found.setdefault(entry.name, [])
            if not forms or entry.line == forms[-1].line + 1:
                forms.append(entry)
    return list(map(_joined, found.values()))


def _head(line: str) -> _Head | None:
    """What a table lists, by the line above its rule; None where it is nothing of a program."""
    if "|" not in line:
        return None
    names = [_plain(cell).lower() for cell in _cells(line)]
    kind = _KINDS.get(names[0]) or _KINDS.get(names[0].removesuffix("s"), "")
    is_usable = len(names) > 1 and _OF_OTHERS.isdisjoint(names)
    return _Head(names, kind) if is_usable and (kind or names[0] in _OF_DECLARATIONS) else None


def _joined(forms: Sequence[FoundEntry]) -> FoundEntry:
    """One entry of those in rows below each other: of the forms of a function."""
    return replace(
        forms[0],
        description="\n\n".join(each.description for each in forms),
        text="".join(each.text for each in forms),
        aliases=tuple(dict.fromkeys(chain(*(each.aliases for each in forms)))),
    )


def _rows(text: str, start: int, line: int) -> Iterator[_Row]:
    """The rows from `start` on, the first of which is on line `line` of the text."""
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        row = text[start:end]
        if "|" not in row:
            return
        yield _Row(line, f"{row}\n", _cells(row))
        start, line = end + 1, line + 1


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    inner = inner if inner.endswith("\\|") else inner.removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(inner)]


def _plain(cell: str) -> str:
    """The words of a cell, a plural in brackets aside."""
    return " ".join(_MARKUP.sub(" ", _LINE_BREAK.sub(", ", cell.replace("(s)", "s"))).split())


def _of_table(
    record: DocRecord | PageRecord, head: _Head, rows: Sequence[_Row]
) -> list[FoundEntry]:
    if len(rows) < _FEWEST_ROWS:
        return []
    found = [entry for row in rows if (entry := _entry(record, head, row)) is not None]
    is_of_requests = len(_REQUESTS.intersection(each.name for each in found)) >= _SEVERAL
    fits = len(found) >= max(_FEWEST_ROWS, _MOST * len(rows)) and not is_of_requests
    return found if fits else []


def _entry(record: DocRecord | PageRecord, head: _Head, row: _Row) -> FoundEntry | None:
    """The entry of a row; None where it names nothing, or says nothing of it."""
    first, *others = row.cells
    told = list(zip_longest(head.names[1 : len(row.cells)], others, fillvalue=""))
    shown = _shown(first, head)
    said = [(name, cell) for name, cell in told if cell and name not in _SIGNATURES]
    said.sort(key=lambda column: not _SAYING.search(column[0]))
    properties = [cell if _is_clear(name, cell) else f"{name}: {cell}" for name, cell in said[1:]]
    description = "\n\n".join([*(cell for _, cell in said[:1]), *properties])
    if not shown or not any(_says(name, cell) for name, cell in told):
        return None
    named = list(dict.fromkeys(filter(None, map(_name, shown))))
    if not named:
        return None
    section = section_at(record, record.line + row.line - 1)
    address = (
        f"{record.url}#{section.anchor}"
        if section and section.anchor and record.url
        else record.url
    )
    return FoundEntry(
        name=named[0],
        signature=_signature(named[0], shown[0], told),
        description=description,
        text=row.text,
        path=record.path,
        line=record.line + row.line - 1,
        language="markdown",
        groups=(record.title, section.title) if section else (record.title,),
        kind=head.kind or "function",
        aliases=tuple(named[1:]),
        url=address,
    )


def _shown(cell: str, head: _Head) -> list[str]:
    """What the first cell of a row shows of code, the declaration first."""
    if head.kind:
        named = _NAMES.match(cell) if cell.startswith(_BEGINS_WITH_CODE) else None
        return [match[1].strip() for match in _CODE.finditer(named[0])] if named else []
    plain = _EMPHASIS.sub("", cell).strip()
    return [plain] if _DECLARATION.fullmatch(plain) else []


def _says(name: str, cell: str) -> bool:
    """Whether a cell in the column `name` says something in words."""
    words = len(_WORD.findall(_plain(cell)))
    return name not in _SIGNATURES and words >= (2 if _SAYING.search(name) else _FEWEST_WORDS)


def _is_clear(name: str, cell: str) -> bool:
    """Whether a cell says itself what it is about: `right` below `Associativity` does not."""
    return not name or bool(_SAYING.search(name)) or _says(name, cell)


def _signature(name: str, shown: str, told: Iterable[tuple[str, str]]) -> str:
    """What stands in the first cell, or where that is only the name, what another column states."""
    known = (
        (column, _EMPHASIS.sub("", _plain(cell))) for column, cell in told if column in _SIGNATURES
    )
    column, plain = next(known, ("", ""))
    if shown != name or not plain:
        return shown
    if column in _PARAMETERS:
        return f"{name}()" if plain.lower() in ("none", "-", "–", "—") else f"{name}({plain})"
    return plain


def _name(code: str) -> str:
    """What is called in a piece of code: its function, or all of it where it is one word; else ""."""
    if len(code) > _MOST_CHARS:
        return ""
    call = _NAME_OF_CALL.fullmatch(code) or _DECLARATION.fullmatch(code)
    name = call[1] if call else code
    return name if NAME.fullmatch(name) and not _EXPRESSION.search(name) else ""
