"""The API of a library of C or C++ as its public headers declare and explain it.

A header is public in a folder that compilers are told to look in (`include`), and where examples or pages
include it. Most of its functions have a comment, above or behind them: otherwise it is source like any other.
Where functions have pages of their own, these are the reference.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from kb_runtime.search.ranking.paths import EXAMPLE, TEST, place_kinds
from kbc.frontends.entries.found import FoundEntry, stem_of
from kbc.records import CodeRecord, CompiledRecord, Definition, DocRecord, PageRecord

_ENDINGS = (".h", ".hh", ".hpp", ".hxx")
_PUBLIC = frozenset({"inc", "include", "includes", "public"})
_MOST_ABOVE = 2
"""Folders above such a one: further down are copies of other projects."""

_SOURCE = re.compile(r"(?:src|source)[-_\w]*")
"""Folders whose `include` is for the source in them."""

_INTERNAL = re.compile(
    r"(?i)(?:^|[/_.-])(?:detail|details|impl|internal|internals|priv|private)(?=[/_.-])"
)
_INCLUDE = re.compile(r"#[ \t]*include[ \t]*([<\"][\w./+-]{1,200})[>\"]")
_STANDARD = frozenset({
    "<assert.h", "<complex.h", "<ctype.h", "<errno.h", "<fenv.h", "<float.h", "<inttypes.h",
    "<iso646.h", "<limits.h", "<locale.h", "<math.h", "<memory.h", "<pthread.h", "<setjmp.h",
    "<signal.h", "<stdarg.h", "<stdatomic.h", "<stdbool.h", "<stddef.h", "<stdint.h", "<stdio.h",
    "<stdlib.h", "<string.h", "<strings.h", "<tgmath.h", "<threads.h", "<time.h", "<uchar.h",
    "<unistd.h", "<wchar.h", "<wctype.h",
})  # fmt: skip
"""Headers of every system, whatever a project calls so."""

_DOCUMENTED = 0.75
"""Such a share of the functions of a header has a comment where it is a reference."""

_CALLED = frozenset({"function", "macro"})
_KINDS = frozenset({*_CALLED, "class", "constant", "enum", "struct", "type", "union"})

_NAME = re.compile(r"[^\W\d_]\w*")
_MOST_COMMENT_LINES = 200
_MOST_LINES = 60
"""Lines of a definition that an entry shows: a body is source."""

_MOST_CHARS = 1_000
"""In a line; a longer one is data or made by a program."""

_MARKS = re.compile(r"^\s*(?:/\*+!?<?|\*+(?!/)|//[/!]*<?)[ \t]?")
_RULE = re.compile(r"[\W_]*")
_PLACED = re.compile(
    r"[@\\](?:function|fn|struct|enum|union|class|def|define|macro|typedef|var|property|name|file|related"
    r"|relates(?:also)?|sa|see|memberof|category|ingroup|addtogroup|defgroup|weakgroup|end|[{}])(?:\b|(?<=[{}])).*"
)
"""Commands that say where something belongs, and not what it does."""

_LONE_COMMAND = re.compile(r"[@\\][a-z]+")
_GROUP = re.compile(r"[@\\](?:category|ingroup)[ \t]+(\w+)")
_BRIEF = re.compile(r"[@\\](?:brief|short|details|remarks?|li|arg)\b[ \t]*")
_RETURNS = re.compile(r"[@\\](?:returns?|result)\b[ \t]*")
_REMARK = re.compile(
    r"(?<!\w)[@\\](attention|deprecated|exception|invariant|note|post|pre|since|throws?|version|warning)\b"
    r"[ \t]*:?[ \t]*"
)
_ADMONITION = re.compile(r"^[ \t]*\.\.[ ](\w+)::[ \t]*(?:\n\s*)?", re.MULTILINE)
_ROLE = re.compile(r":(?:\w+:)?\w+:(?=`[^`\n]+`)")
"""reStructuredText, which Sphinx reads in comments."""

_PARAMETER = re.compile(r"[@\\]t?param(?:\[[^\]\n]*\])?[ \t]+(\w+)[ \t]*")
_WORD = re.compile(r"[@\\](?:c|p|a|b|e|em|ref)[ \t]+")
_HEADING = re.compile(r"[A-Z]\w+:[ \t]*\w+(?:\(\))?")
"""`Function: tank_fill`, as the first line of a comment of Natural Docs."""

_LICENCE = re.compile(r"(?i)copyright|licen[cs]e\b")
_HIDDEN = re.compile(r"[@\\](?:private|internal|hidden|cond)\b")
_STATIC = re.compile(r"static\b")
_INLINE = re.compile(r"(?i)inline")
_DATA = re.compile(r"static\b[^=(]*\[")
_LINE_COMMENT = re.compile(r"(?:[^\"/]|\"(?:[^\"\\]|\\.)*+\"|(?<=[:\w])//|/(?!/))*+(//.*)")
"""... with what stands before it, where `//` may be in texts."""


def entries_of_headers(records: Sequence[CompiledRecord]) -> Iterator[FoundEntry]:
    """The documented functions, macros, types and constants of the public headers among `records`, whose
    programs and pages show which headers are public."""
    headers = [
        each
        for each in records
        if isinstance(each, CodeRecord)
        and each.path.lower().endswith(_ENDINGS)
        and _is_own(each.path)
    ]
    shown = _shown(records) if headers else frozenset()
    public = [header for header in headers if _is_public(header.path, shown)]
    if public and not _have_pages(public, records):
        for header in public:
            yield from _entries(header)


def _is_own(path: str) -> bool:
    others = place_kinds(path) & {EXAMPLE, TEST, "generated", "vendored"}
    return not others and _INTERNAL.search(path) is None


def _shown(records: Iterable[CompiledRecord]) -> frozenset[str]:
    """The headers that examples and pages include, by their names without folders."""
    found: set[str] = set()
    for record in records:
        shows = not isinstance(record, CodeRecord) or EXAMPLE in place_kinds(record.path)
        if shows and "include" in record.text:
            found.update(match[1] for match in _INCLUDE.finditer(record.text))
    return frozenset(name[1:].rpartition("/")[2] for name in found - _STANDARD)


def _is_public(path: str, shown: Collection[str]) -> bool:
    *folders, _ = path.lower().split("/")
    if path.rpartition("/")[2] in shown:
        return True
    place = next((at for at, each in enumerate(folders) if each in _PUBLIC), len(folders))
    return place < min(len(folders), _MOST_ABOVE + 1) and not any(
        map(_SOURCE.fullmatch, folders[:place])
    )


def _have_pages(headers: Iterable[CodeRecord], records: Iterable[CompiledRecord]) -> bool:
    """Whether half of the functions of `headers` or more have a page of their own, which then is the
    reference."""
    paths = (each.path for each in records if isinstance(each, DocRecord | PageRecord))
    pages = {path.rpartition("/")[2].partition(".")[0] for path in paths}
    functions = {
        each.name for header in headers for each in header.definitions if each.kind == "function"
    }
    return len(functions & pages) * 2 >= max(len(functions), 1)


def _entries(header: CodeRecord) -> list[FoundEntry]:
    lines = header.text.split("\n")
    found: dict[str, FoundEntry] = {}
    called: dict[str, bool] = {}
    for definition in _stated(header.definitions):
        entry = _entry(header, lines, definition)
        if definition.kind in _CALLED:
            called[definition.name] = called.get(definition.name, False) or entry is not None
        if entry is not None:
            found.setdefault(definition.name, entry)
    documented = sum(called.values())
    return list(found.values()) if documented and documented >= _DOCUMENTED * len(called) else []


def _stated(definitions: Iterable[Definition]) -> list[Definition]:
    """Those that a reference would list: at the top, no data, and where some functions are for others, none
    that is only for the file."""
    found = [
        each
        for each in definitions
        if not each.parent
        and each.kind in _KINDS
        and _NAME.fullmatch(each.name)
        and not _DATA.match(each.signature)
    ]
    functions = [each for each in found if each.kind == "function"]
    if all(map(_STATIC.match, (each.signature for each in functions))):
        return found
    return [each for each in found if not _is_inside(each)]


def _is_only_name(description: str, name: str) -> bool:
    """Whether a comment says nothing, or no more than `Function: tank_fill`."""
    said = description.partition(":")[2] or description
    return said.strip(": ").removesuffix("()") in ("", name)


def _is_inside(definition: Definition) -> bool:
    stated = definition.signature
    is_static = definition.kind == "function" and _STATIC.match(stated)
    return bool(is_static) and _INLINE.search(stated) is None


def _entry(header: CodeRecord, lines: Sequence[str], definition: Definition) -> FoundEntry | None:
    """The entry of a definition; None without a comment that says something."""
    first, last = definition.line - 1, min(definition.end_line, definition.line - 1 + _MOST_LINES)
    start, ending = _above(lines, first), lines[definition.end_line - 1 : definition.end_line]
    if any(len(line) > _MOST_CHARS for line in (*lines[start:last], *ending)):
        return None
    comment = list(map(_behind, ending))
    if not (description := _told(comment)):
        comment = list(lines[start:first])
        description, first = _told(comment), start
    if _is_only_name(description, definition.name) or _HIDDEN.search("\n".join(comment)):
        return None
    group = _GROUP.search("\n".join(comment))
    name = group[1] if group else stem_of(header.path)
    return FoundEntry(
        name=definition.name,
        signature=_signature(definition, lines),
        description=description,
        text="\n".join(lines[first:last]) + "\n",
        path=header.path,
        line=header.line + first,
        language=header.language or "c",
        groups=(name,),
        kind=definition.kind,
    )


def _signature(definition: Definition, lines: Sequence[str]) -> str:
    """The declaration on one line, without a body and what stands behind it."""
    stated = _declared(definition.signature)
    if stated.count("(") > stated.count(")"):
        declared = lines[
            definition.line - 1 : min(definition.end_line, definition.line + _MOST_LINES)
        ]
        stated = " ".join(" ".join(map(_declared, declared)).split())
        stated = re.split(r"[;{]", stated, maxsplit=1)[0]
    stated = stated.rstrip(" \t\\;")
    return stated if definition.name in stated else f"{stated} {definition.name}".lstrip()


def _behind(line: str) -> str:
    """The comment that a line ends with; "" without one."""
    text = line.rstrip()
    start = text.rfind("/*") if text.endswith("*/") else -1
    found = None if start >= 0 else _LINE_COMMENT.match(text)
    return text[start:] if start >= 0 else found[1] if found else ""


def _declared(line: str) -> str:
    """A line without the comment that it ends with."""
    return line.rstrip().removesuffix(_behind(line))


def _above(lines: Sequence[str], first: int) -> int:
    """The index of the line on which the comment right above line `first` begins; `first` without one."""
    least = max(first - _MOST_COMMENT_LINES, 0)
    start = first
    if start > least and lines[start - 1].rstrip().endswith("*/"):
        start -= 1
        while start > least and "/*" not in lines[start]:
            start -= 1
        return start if lines[start].lstrip().startswith("/*") else first
    while start > least and lines[start - 1].lstrip().startswith("//"):
        start -= 1
    return start


def _told(comment: Sequence[str]) -> str:
    """What a comment says of what it is about, in Markdown; "" where that is nothing."""
    told = []
    for line in comment:
        text = _PLACED.sub("", _MARKS.sub("", line.rstrip().removesuffix("*/"))).rstrip()
        text = _RETURNS.sub("Returns: ", _PARAMETER.sub(r"- `\1`: ", _BRIEF.sub("", text)))
        text = _REMARK.sub(lambda match: f"{match[1].capitalize()}: ", text)
        is_empty = _RULE.fullmatch(text) or _LONE_COMMAND.fullmatch(text.strip())
        told.append("" if is_empty else _WORD.sub("", text))
    said = re.sub(r"\n{3,}", "\n\n", "\n".join(told)).strip()
    said = _ADMONITION.sub(lambda match: f"{match[1].capitalize()}: ", _ROLE.sub("", said))
    first, _, rest = said.partition("\n")
    said = rest.strip() if _HEADING.fullmatch(first) and rest.strip() else said
    return "" if _LICENCE.search(said) else said
