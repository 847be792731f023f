"""Recognises man pages, and prepares them for pandoc, which writes the word TABLE for tables whose format it
does not know, and refuses tables and some requests of mdoc (`.Xo`, `.Eo`) that begin a line."""

from __future__ import annotations

import re
import zlib
from textwrap import dedent

from kbc.formats.document import FormatError
from kbc.limits import MAX_CONVERTED_BYTES

START_BYTES = 20_000
_GZIP = b"\x1f\x8b"
_ROFF = re.compile(rb"^[.'](?:TH|SH|Dd|Dt)\b", re.MULTILINE)
_REMARKS = rb"(?:\s*+[.']?[ \t]*+\\[\"#].*+(?:\n|\Z))*+"
_SAME = re.compile(_REMARKS + rb"\s*+[.']so[ \t]++\S++" + _REMARKS + rb"\s*+")
_TABLE = re.compile(r"^([.']TS\b.*\n)((?:(?![.']T[SE]\b).*\n)*)(?=[.']TE\b)", re.MULTILINE)
_COMMENT = re.compile(r"^[.']?[ \t]*\\[\"#].*\n", re.MULTILINE)
_OPTIONS = re.compile(r"\s*[a-zA-Z][^;\n]*(?:\(;\)[^;\n]*)?;[ \t]*\n")
_SEPARATOR = re.compile(r"\btab[ \t]*\((.)\)", re.IGNORECASE)
_FORMAT = re.compile(r"(?:.*\n)*?.*\.[ \t]*\n")
_CHANGE = re.compile(r"^[.']T&.*\n(?:(?![.']T&).*\n)*?.*\.[ \t]*\n", re.MULTILINE)

_MDOC = re.compile(r"^[.']Dd\b", re.MULTILINE)
_WHOLE_TABLE = re.compile(r"^[.']TS\b.*\n((?:(?![.']T[SE]\b).*\n)*)[.']TE\b.*$", re.MULTILINE)
_CONTINUED = re.compile(r"(?<!\\)\\\n")
_NOTHING_OPEN = re.compile(r"(?<=[ \t])Xo[ \t]*\n\.[ \t]*Xc[ \t]*\n\.[ \t]*")
"""A request that goes on behind its line, and an enclosure of nothing before the next request."""

_SYSTEM = re.compile(r"^(\.[ \t]*Os)[ \t]+\S[^\n]*$", re.MULTILINE)
"""The system of a page, which its foot names, and of which pandoc takes a single word."""

_IGNORING = re.compile(
    r"^[.'][ \t]*ig(?:[ \t]+(?P<end>[^\s\\]\S*))?[ \t]*(?:\\[\"#].*)?$", re.MULTILINE
)
"""Where text begins that is ignored, such as a licence: pandoc does not find its end where it is mdoc."""

_REQUEST = re.compile(r"\.[ \t]*(?P<name>\S+?)[ \t]*(?:\\[\"#].*)?")
"""A request without arguments, which may end what is ignored."""

_OPENED = re.compile(r"^\.[ \t]*[XE]o\b", re.MULTILINE)
_ENCLOSURE = re.compile(r"(?<![\w.\\])(?P<start>^\.[ \t]*)?[XE](?P<end>[oc])(?![\w-])[ \t]*")
_FLAG = re.compile(r"(?<= )Fl +")
_MACRO = re.compile(r"[A-Z][a-z]")
_SETTINGS = frozenset([
    "Bd", "Bl", "Dd", "Dt", "Ed", "El", "Os", "TH", "ad", "de", "hy", "ie", "if", "nh",
])  # fmt: skip
_CONTROL = re.compile(r"[.'][ \t]*(\w+|.?)")
_INDENTED = re.compile(r" {2}|\t")
_GOES_ON = re.compile(r"(?:\\e|\\\\|\\\(rs|\\\[rs\])(?:\\f\w)?[ \t]*\Z")
_LITERAL = {"nf": "fi", "EX": "EE", "Bd": "Ed", "TS": "TE", "Vb": "Ve", "de": ".", "ig": "."}
"""Requests behind which lines stay as they are, up to another one."""

_MOST_ABOVE = 50
"""Lines of a command at most above the first one that begins with blanks."""

_STARTS = {"SH": "\n## ", "SS": "\n### ", "IT": "\n- ", "TP": "\n", "IP": "\n- "}


def is_man_page(data: bytes) -> bool:
    """Whether a file or its first bytes begin as a man page: other files, such as libraries, have such
    endings as well."""
    return _ROFF.search(_unpacked(data, START_BYTES)[0], 0, START_BYTES) is not None


def is_other_name(data: bytes) -> bool:
    """Whether a file only says which page `man` shows for its name, one that tells its other names itself."""
    return _SAME.fullmatch(data) is not None


def unpacked(data: bytes) -> bytes:
    """A page that may be compressed with gzip, as systems install it. Raises `FormatError` for a damaged
    or very large one."""
    text, is_whole = _unpacked(data, MAX_CONVERTED_BYTES)
    if not is_whole:
        raise FormatError("the file is damaged or too large: gzip cannot unpack it")
    return text


def _unpacked(data: bytes, size: int) -> tuple[bytes, bool]:
    """At most `size` bytes of the page, none of a damaged one, and whether that is all of it."""
    if not data.startswith(_GZIP):
        return data, True
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)  # gzip's header
    try:
        return stream.decompress(data, size), stream.eof
    except zlib.error:
        return b"", False


def prepared(text: str) -> str:
    """The same document, its tables with nothing but the number of their columns as their format: the
    writer uses neither alignment nor rules, and of spans only the cells."""
    text = _without_ignored(text)
    text = _with_examples(_SYSTEM.sub(r"\1", _TABLE.sub(_plain, text)))
    if _MDOC.search(text):  # of which pandoc's reader knows no tables
        text = _NOTHING_OPEN.sub("", _CONTINUED.sub(" ", _WHOLE_TABLE.sub(_literal, text)))
    return _without_open_enclosures(text) if _OPENED.search(text) else text


def as_written(text: str) -> str:
    """The text of a page that pandoc cannot read, with its headings and items, without other requests."""
    found: list[str] = []
    for line in _without_ignored(text).split("\n"):
        request, _, rest = line[1:].partition(" ") if line[:1] in (".", "'") else ("", "", line)
        rest = _FLAG.sub("-", f" {rest}") if request else rest
        rest = f" -{rest.lstrip()}" if request == "Fl" else rest
        words = re.sub(r"\\f[A-Z]|\\f\(..|\\&|\\(?=-)", "", rest).split()
        words = [word for word in words if not (request and _MACRO.fullmatch(word))]
        if request[:1] == "\\" or request in _SETTINGS:
            continue
        start = _STARTS.get(request.upper(), "")
        found.append(f"{start}{' '.join(words)}" if words else "")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(found)).strip() + "\n"


def _without_ignored(text: str) -> str:
    """The page without text that is ignored; its lines are empty requests, so that those below keep their
    numbers. What has no end is not taken for such."""
    if not _IGNORING.search(text):
        return text
    lines = text.split("\n")
    named = [found["name"] if (found := _REQUEST.fullmatch(line)) else "" for line in lines]
    last = {name: at for at, name in enumerate(named)}
    end = ""
    for at, line in enumerate(lines):
        if end:
            lines[at], end = ".", "" if named[at] == end else end
        elif (begin := _IGNORING.fullmatch(line)) and last.get(begin["end"] or ".", -1) > at:
            lines[at], end = ".", begin["end"] or "."
    return "\n".join(lines)


def _with_examples(text: str) -> str:
    """Lines that begin with blanks, which roff does not join, as literal text: examples. Those before a line
    that goes on where they end are the beginning of a paragraph."""
    found: list[str] = []
    example: list[str] = []
    end = ""
    is_synopsis = is_broken = False
    for line in [*text.split("\n"), ".fi"]:
        control = _CONTROL.match(line)
        request = control[1] if control else ""
        if example and request == "br":  # literal lines break by themselves
            is_broken = True
            continue
        goes_on = bool(example) and not is_broken and _GOES_ON.search(example[-1])
        if not line.strip():
            is_part = bool(example)
        else:
            is_part = bool(goes_on or _INDENTED.match(line) or (example and line[0] == " "))
        if is_part and not (end or control):
            example += [line] if example else [*_taken_above(found, is_synopsis), line]
            is_broken = False
            continue
        if example and (control or is_broken or not example[-1].strip()):
            below = next(at for at, each in enumerate(reversed(example)) if each.strip())
            shown = dedent("\n".join(example[: len(example) - below]))
            shown = re.sub(r"^(?=[.'])", r"\&", shown, flags=re.MULTILINE)
            example = [".nf", shown, ".fi", *example[len(example) - below :]]
        found += [*example, line]
        example = []
        is_broken = False
        is_synopsis = "SYNOPSIS" in line.upper() if request == "SH" else is_synopsis
        end = "" if end and request == end else end or _LITERAL.get(request, "")
    return "\n".join(found[:-1])


def _taken_above(found: list[str], is_synopsis: bool) -> list[str]:
    """Takes the lines at the end of `found` that belong to the command that goes on below them: those with a
    backslash at their end, and in a synopsis all."""
    while found and found[-1] == ".br":
        found.pop()
    taken: list[str] = []
    while len(taken) < _MOST_ABOVE and found and found[-1].strip()[:1] not in ("", ".", "'"):
        if not (is_synopsis or _GOES_ON.search(found[-1])):
            break
        taken.append(found.pop())
    return taken[::-1]


def _without_open_enclosures(text: str) -> str:
    """mdoc without `.Xo` and `.Eo` at the start of a line, and `.Xc` and `.Ec` that belong to them: what is
    between them is read as it is."""
    found: list[str] = []
    is_own: list[bool] = []  # of those that are open, the innermost one last
    for line in text.split("\n"):
        if not line.startswith("."):
            found.append(line)
            continue

        def replaced(macro: re.Match[str]) -> str:
            if macro["end"] == "o":
                is_own.append(macro["start"] is not None)
                return ".No " if is_own[-1] else macro[0]
            if not is_own or not is_own.pop():
                return macro[0]
            return ".No " if macro["start"] is not None else ""

        plain = _ENCLOSURE.sub(replaced, line).rstrip()
        if plain != ".No" or line.rstrip() == ".No":
            found.append(plain)
    return "\n".join(found)


def _literal(table: re.Match[str]) -> str:
    """A table as a display of its rows as they are written."""
    found = _FORMAT.match(table[1])
    rows = table[1][found.end() if found else 0 :].splitlines()
    rows = [row for row in rows if row.strip() not in ("T}", "_", "=")]
    shown = (re.sub(r"^(?=[.'])", r"\&", row) for row in rows)
    return "\n".join([".Bd -literal", *shown, ".Ed"])


def _plain(table: re.Match[str]) -> str:
    body = _COMMENT.sub("", table[2])
    options = _OPTIONS.match(body)
    format = _FORMAT.match(body, options.end() if options else 0)
    if format is None:
        return table[0]
    named = _SEPARATOR.search(options[0]) if options else None
    separator = named[1] if named else "\t"
    data, columns = _rows(_CHANGE.sub("", body[format.end() :]), separator)
    return f"{table[1]}tab({separator});\n{' '.join('l' * columns)}.\n{data}"


def _rows(data: str, separator: str) -> tuple[str, int]:
    """`data` without rules, except the one below the first row, which makes it the header; and how many
    columns it has."""
    kept: list[str] = []
    columns = cells = 1
    rows = 0
    in_block = False
    for line in data.splitlines(keepends=True):
        if not in_block and line.strip() in ("_", "=") and rows != 1:
            continue
        kept.append(line)
        if in_block and not line.startswith("T}"):
            continue
        cells += line.count(separator)
        in_block = line.rstrip().endswith("T{")
        if not in_block:
            columns, cells = max(columns, cells), 1
            rows += 1
    return "".join(kept), columns
