"""Pages of odoc, the markup of OCaml's documentation, as Markdown: headings, lists, code, tables, links."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from textwrap import dedent

from kbc.formats import commonmark
from kbc.formats.document import Converted, Read, decode

MAX_DEPTH = 40
"""Marks in marks; deeper ones are read as text."""

_TOKEN = re.compile(
    r"\\(?P<escaped>[{}\[\]@\\])|\{(?:(?P<delimiter>\w*)@(?P<language>[\w+#.-]+)[^{}\[\]]{0,1000})?(?P<code>\[)"
    r"|\{(?P<verbatim>v)(?=\s)|\{(?P<raw>%)|\{(?P<math>m(?:ath)?)(?=\s)|(?P<span>\[)"
    r"|\{\{(?P<kind>!|:|(?:image|audio|video)[!:])[ \t]*(?P<target>[^{}]*)\}"
    r"|\{(?P<leaf>!|:|(?:image|audio|video)[!:])[ \t]*(?P<to>[^{}]*)\}"
    r"|\{(?P<level>[0-5])(?::(?P<label>[^\s{}]*))?(?=\s)"
    r"|\{(?P<tag>(?:ul|ol|li|table|tr|th|td|[bieCLRt])(?=[\s{}])|[-^_])|(?P<close>\})"
    r"|^[ \t]*(?P<bullet>[-+])[ \t]+|^[ \t]*@(?:children_order|short_title|toc_status|order_category)\b.*$",
    re.MULTILINE,
)
_END_OF_VERBATIM, _END_OF_RAW = re.compile(r"(?<=\s)v\}"), re.compile(r"%\}")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_OF_KIND = re.compile(
    r"\b(?:module-type|class-type|module|val|type|exception|extension|constructor|field|instance-variable|method|class"
    r"|page|section|label)[-:](?=\w)"
)
_BRACKET = re.compile(r"\\.|[\[\]{}]|\n[ \t]*(?=\n)")
_BLOCKS = frozenset({"heading", "ul", "ol", "table", "t", "fence"})


@dataclass(slots=True)
class _Mark:
    """What stands between braces. `argument` is the level of a heading, the target of a link, the language of
    code or the marker of an item."""

    name: str
    argument: str = ""
    label: str = ""
    children: list[str | _Mark] = field(default_factory=list)


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a page."""
    root = _parsed(decode(data))
    marks = (each for each in root.children if isinstance(each, _Mark))
    headings = [each for each in marks if each.name == "heading" and _inline(each).strip()]
    has_title = any(each.argument == "0" for each in headings)
    lines = commonmark.blocks(_blocks(root, 1 if has_title else 0))
    words = (re.findall(r"\w+", _inline(each).lower()) for each in headings)
    anchors = tuple(each.label or "-".join(own) for each, own in zip(headings, words, strict=True))
    return Converted(text=commonmark.document(lines), format="odoc", anchors=anchors)


def _parsed(text: str) -> _Mark:
    root = _Mark("")
    opened = [root]
    brackets = _brackets(text)
    last_end_of_raw = text.rfind("%}")
    position = 0
    while token := _TOKEN.search(text, position):
        inner = opened[-1].children
        inner.append(text[position : token.start()])
        position = token.end()
        if token["escaped"]:
            inner.append(token["escaped"])
        elif token["code"]:
            position = _code(text, token, inner)
        elif token["raw"] and position > last_end_of_raw:
            inner.append(token[0])
        elif token["verbatim"] or token["raw"]:
            close = (_END_OF_VERBATIM if token["verbatim"] else _END_OF_RAW).search(text, position)
            end, after = close.span() if close else (len(text), len(text))
            if token["verbatim"]:
                inner.append(_Mark("fence", "", children=[text[position:end]]))
            position = after
        elif token["span"] or token["math"]:
            if (end := brackets.get(token.start(), 0)) == 0:
                inner.append(token[0])
                continue
            inside = text[position:end]
            code = inside.strip() if token["math"] else re.sub(r"\\([\[\]{}])", r"\1", inside)
            kind = "fence" if token["math"] == "math" else "span"
            inner.append(_Mark(kind, "math", children=[code]))
            position = end + 1
        elif token["leaf"]:
            inner.append(_Mark(token["leaf"], token["to"]))
        elif token["bullet"]:
            inner.append(_Mark("bullet", "- " if token["bullet"] == "-" else "1. "))
        elif token["close"]:
            if len(opened) > 1:
                opened.pop()
            else:
                inner.append("}")
        elif name := token["kind"] or token["tag"] or ("heading" if token["level"] else ""):
            if len(opened) > MAX_DEPTH:
                inner.append(token[0])
                continue
            argument = token["level"] or token["target"] or ""
            mark = _Mark(name, argument, token["label"] or "")
            inner.append(mark)
            opened.append(mark)
    opened[-1].children.append(text[position:])
    return root


def _code(text: str, token: re.Match[str], found: list[str | _Mark]) -> int:
    """Adds a block of code, with the output behind it (`][`), and returns where it ends."""
    start, language = token.end(), token["language"] or "ocaml"
    end = rf"\]{token['delimiter'] or ''}"
    has_output = token["language"] is not None
    while close := re.compile(end + (r"[}\[]" if has_output else r"\}")).search(text, start):
        found.append(_Mark("fence", language, children=[text[start : close.start()]]))
        start, language, end = close.end(), "", r"\]"
        if close[0].endswith("}"):
            return start
    found.append(_Mark("fence", language, children=[text[start:]]))
    return len(text)


def _brackets(text: str) -> dict[int, int]:
    """Where brackets and braces open, and where they close: before the next blank line."""
    found: dict[int, int] = {}
    opened: dict[str, list[int]] = {"[": [], "{": []}
    for each in _BRACKET.finditer(text):
        if each[0] in opened:
            opened[each[0]].append(each.start())
        elif each[0] in "]}":
            if starts := opened["[" if each[0] == "]" else "{"]:
                found[starts.pop()] = each.start()
        elif each[0].startswith("\n"):
            opened = {"[": [], "{": []}
    return found


def _blocks(mark: _Mark, below: int) -> list[list[str]]:
    """The blocks of Markdown that a mark contains; `below` is what is added to the level of a heading."""
    blocks: list[list[str]] = []
    run, marker = _Mark(""), ""

    def flush() -> None:
        nonlocal run, marker
        if lines := commonmark.paragraph(_inline(run).strip()):
            blocks.append(commonmark.indented(lines, marker) if marker else lines)
        run, marker = _Mark(""), ""

    for child in mark.children:
        if isinstance(child, str):
            first, *others = _PARAGRAPHS.split(child)
            run.children.append(first)
            for part in others:
                flush()
                run.children.append(part)
        elif child.name == "bullet":
            flush()
            marker = child.argument
        elif child.name in _BLOCKS:
            flush()
            blocks.append(_block(child, below))
        else:
            run.children.append(child)
    flush()
    return blocks


def _block(mark: _Mark, below: int) -> list[str]:
    if mark.name == "heading":
        title = _inline(mark).strip()
        return commonmark.heading(int(mark.argument) + below, title) if title else []
    if mark.name == "fence":
        code = dedent("".join(map(str, mark.children)))
        return commonmark.fence(code.strip("\n").rstrip(), mark.argument)
    if mark.name == "t":
        return [line.strip() for line in _inline(mark).split("\n") if line.strip()]
    inner = [each for each in mark.children if isinstance(each, _Mark)]
    if mark.name == "table":
        cells = ([each for each in row.children if isinstance(each, _Mark)] for row in inner)
        rows = [[*map(_inline, row)] for row in cells]
        return commonmark.table(rows[0], rows[1:]) if rows else []
    marks = ("- " if mark.name == "ul" else f"{number}. " for number in range(1, len(inner) + 1))
    items = (commonmark.blocks(_blocks(item, below)) for item in inner)
    return commonmark.listed([*map(commonmark.indented, items, marks)])


def _inline(mark: _Mark) -> str:
    return "".join(map(_shown, mark.children))


def _shown(mark: str | _Mark) -> str:
    if isinstance(mark, str):
        return commonmark.escaped(mark)
    match mark.name:
        case "span" | "fence":
            return commonmark.code_span("".join(map(str, mark.children)))
        case "b":
            return commonmark.marked(_inline(mark).lstrip(), "**")
        case "i" | "e":
            return commonmark.marked(_inline(mark).lstrip(), "*")
        case "!":
            named = mark.argument.removeprefix("modules:").split()
            shown = [commonmark.code_span(_OF_KIND.sub("", each).strip('"')) for each in named]
            return _inline(mark).strip() or ", ".join(shown)
        case ":":
            return commonmark.link(_inline(mark).strip() or mark.argument.strip(), mark.argument)
    return _inline(mark).lstrip() if mark.name[:1] not in ("a", "v") else ""
