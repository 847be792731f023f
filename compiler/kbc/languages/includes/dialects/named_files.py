"""Directives on a line that show the file which they name: those of VitePress, VuePress, Docsify, Fumadocs,
and of FastAPI's pages (`{* file *}`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from textwrap import dedent

from kbc.languages.includes.components import attributes
from kbc.languages.includes.files import (
    IncludingPage,
    fence,
    indented,
    language_of,
    lines_in,
    not_included,
    ranges,
    region,
)

TRIGGER = r"\{\*|^[ \t>]*<<<|@include|^[ \t]*@\[code|[\"']:include\b|^[ \t]*<include\b[^<>]*>"

_PAGES = (".md", ".mdx", ".markdown")
_STARRED = re.compile(
    r"(?P<indent>[ \t]*)\{\*[ \t]*(?P<target>[^\s*]++)(?P<options>[^\n]*?)\*\}[ \t]*$"
)
_ARROWS = re.compile(
    r"(?P<indent>[ \t]*)<<<[ \t]*(?P<target>[^\s{\[#]+)(?:#(?P<region>[\w.-]+))?[ \t]*+"
    r"(?:\{(?P<info>[^}\n]*)\})?[ \t]*+(?P<title>\[[^\]\n]*\])?[ \t]*$"
)
COMMENT = re.compile(
    r"<!--\s*@include:\s*(?P<target>[^\s{#>]+?)(?:#(?P<region>[\w.-]+))?\s*(?:\{(?P<lines>[\d, ]*)\})?\s*-->"
)
_VUEPRESS = re.compile(
    r"(?P<indent>[ \t]*)@\[code(?P<options>[^\]\n]*)\]\([ \t]*(?P<target>[^)\s]+)[ \t]*\)[ \t]*$"
)
_VUEPRESS_PAGE = re.compile(
    r"(?P<indent>)[ \t]*@include\([ \t]*(?P<target>[^)\s{\"']+)[ \t]*\)[ \t]*$"
)
_DOCSIFY = re.compile(
    r"(?P<indent>[ \t]*)\[[^\]\n]*\]\((?P<target>[^\s()]+)[ \t]+(?P<quote>[\"']):include\b"
    r"(?P<options>(?!.*:type=(?:iframe|video|audio)\b)[^\"'\n]*)(?P=quote)\)[ \t]*$"
)
_FUMADOCS = re.compile(
    r"(?P<indent>[ \t]*)<include\b(?P<attributes>[^<>]*)>[ \t]*+"
    r"(?P<target>[^\s<>#](?:[^<>#\n]*[^\s<>#])?)(?:#(?P<part>[\w.-]+))?[ \t]*+</include>[ \t]*$"
)
_FRAGMENT = re.compile(r":fragment=([\w-]+)")

_Shown = Callable[[re.Match[str], str, str, IncludingPage], str]
"""What a directive shows of a file with this path and text."""


def replace(text: str, page: IncludingPage) -> str:
    """Prose with the files that such directives name in their place."""
    if not any(mark in text for mark, *_ in _DIRECTIVES):
        return text
    return "\n".join(_instead(line, page) for line in text.split("\n"))


def _instead(line: str, page: IncludingPage) -> str:
    for mark, name, pattern, shown in _DIRECTIVES:
        if mark in line and (match := pattern.match(line)):
            found = page.load(match["target"], name)
            text = shown(match, *found, page) if found else not_included(match["target"])
            return indented(match["indent"], text)
    return line


def included_by_comment(match: re.Match[str], page: IncludingPage) -> str:
    """VitePress: `<!--@include: ./part.md{3,10}-->`, which may stand in a line."""
    found = page.load(match["target"], "<!--@include-->")
    if found is None:
        return not_included(match["target"])
    path, text = found
    if match["region"]:
        text = region(text, match["region"]) or text
    if match["lines"]:
        text = lines_in(text, match["lines"].replace(" ", "").replace(",", "-"))
    return page.expanded(path, dedent(text)).strip("\n")


def _starred(match: re.Match[str], path: str, text: str, page: IncludingPage) -> str:
    """`{* file ln[1:3,5] hl[2] title["x"] *}`: the chosen lines, a mark for what lies between them, and
    the highlighted lines counted within them."""
    options = dict(re.findall(r"\b(ln|hl|title)\[([^\]]*)\]", match["options"]))
    lines = text.rstrip("\n").split("\n")
    chosen = [(first, min(last, len(lines))) for first, last in ranges(options.get("ln", ""))]
    shown: list[str] = []
    position: dict[int, int] = {}
    language = language_of(path)
    for first, last in chosen or [(1, len(lines))]:
        if shown:
            shown.append("# ..." if language in ("python", "yaml", "bash", "toml") else "// ...")
        for number in range(first, last + 1):
            shown.append(lines[number - 1])
            position[number] = len(shown)
    highlighted = [
        str(position[number])
        for first, last in ranges(options.get("hl", ""))
        for number in range(first, min(last, len(lines)) + 1)
        if number in position
    ]
    title = options.get("title", "").strip("\"' ")
    info = f'hl_lines="{" ".join(highlighted)}"' if highlighted else ""
    return fence("\n".join(shown), language, info, title=title)


def _arrows(match: re.Match[str], path: str, text: str, page: IncludingPage) -> str:
    """VitePress: `<<< @/file#region{1,3-4 lang} [title]`."""
    text = text.rstrip("\n")
    if match["region"]:  # of one that is not there VitePress shows the file
        text = region(text, match["region"]) or text
    stated = (match["info"] or "").split()
    lines = next((each for each in stated if re.fullmatch(r"[\d,-]+", each)), "")
    language = next((each for each in stated if each != lines), "") or language_of(path)
    info = [f"{{{lines}}}"] if lines else []
    info += [match["title"]] if match["title"] else []
    return fence(text, language.partition(":")[0], " ".join(info))


def _vuepress(match: re.Match[str], path: str, text: str, page: IncludingPage) -> str:
    """`@[code{3-10} js](../file.js)`."""
    text = text.rstrip("\n")
    options = match["options"]
    if stated := re.match(r"\{(?P<lines>\d[\d,-]*)\}", options):
        text = lines_in(text, stated["lines"])
    language = re.sub(r"\{[^}]*\}", "", options).strip().partition(":")[0].split(" ")[0]
    return fence(text, language or language_of(path))


def _vuepress_page(match: re.Match[str], path: str, text: str, page: IncludingPage) -> str:
    """`@include(./part.md)`."""
    return page.expanded(path, text).strip("\n")


def _docsify(match: re.Match[str], path: str, text: str, page: IncludingPage) -> str:
    """`[file](part.md ':include :type=code js :fragment=demo')`."""
    if part := _FRAGMENT.search(match["options"]):
        marks = rf"^.*(?:###|///)[ \t]*\[{re.escape(part[1])}\].*\n?"
        parts = re.split(marks, text, flags=re.MULTILINE)
        text = parts[1] if len(parts) > 1 else text
    kind = re.search(r":type=\w+(?:[ \t]+(?P<language>[\w+#-]+))?", match["options"])
    if kind is None and path.lower().endswith(_PAGES):
        return page.expanded(path, text).strip("\n")
    return fence(text.rstrip("\n"), (kind and kind["language"]) or language_of(path))


def _fumadocs(match: re.Match[str], path: str, text: str, page: IncludingPage) -> str:
    """`<include lang="ts">part.ts#region</include>`, and `part.mdx#section`, which is what `<section
    id="section">` of that page holds; all of the file where it has no such part."""
    stated, part = attributes(match["attributes"]), match["part"]
    if "lang" not in stated and path.lower().endswith(_PAGES):
        mark = rf"<section\b[^<>]*\bid=[\"']{re.escape(part or '')}[\"'][^<>]*>\n?(.*?)</section>"
        found = re.search(mark, text, re.DOTALL) if part else None
        return page.expanded(path, found[1] if found else text).strip("\n")
    text = (region(text, part) if part else None) or text
    code = fence(text.rstrip("\n"), stated.get("lang") or language_of(path))
    title = re.search(r"\btitle=\\?\"([^\"\\]+)", match["attributes"])
    return f"**{title[1]}**\n\n{code}" if title else code


_DIRECTIVES: Sequence[tuple[str, str, re.Pattern[str], _Shown]] = (
    ("{*", "{* *}", _STARRED, _starred),
    ("<<<", "<<<", _ARROWS, _arrows),
    ("@[code", "@[code]", _VUEPRESS, _vuepress),
    ("@include(", "@include", _VUEPRESS_PAGE, _vuepress_page),
    (":include", ":include", _DOCSIFY, _docsify),
    ("<include", "<include>", _FUMADOCS, _fumadocs),
)
"""By what lines with them hold: the name by which those are counted whose file is missing, the pattern, which
has the groups `indent` and `target`, and what is shown of the file."""
