"""Doxygen's commands in Markdown: references as their text, code, notices and sections as Markdown.

Documenter of Julia shares `[text](@ref name)`, which is no link to CommonMark, and has ids of headings and
blocks of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent

from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import SPAN, Kept, without_marks
from kbc.languages.includes.files import IncludingPage, fence, indented, language_of, not_included

INCLUDE = re.compile(
    r"^(?P<indent>[ \t]*)[@\\](?P<name>(?:verb)?include|snippet|(?:include|snippet)(?:lineno|doc))\b"
    r"(?:\{[^}\n]*\})?[ \t]+\"?(?P<file>[\w./+-]+)\"?[ \t]*(?P<part>[^\n]*?)[ \t]*$",
    re.MULTILINE,
)
"""A command that shows a file, or the part of it between two comments with its name."""

EXAMPLES = ("", "examples", "snippets", "example")
"""Where such files usually are: the setting that says it (EXAMPLE_PATH) is often filled in by the build."""

_REFERENCE = r"(?<![\w`@\\(])[@\\](?:ref|subpage)\s+(?P<name>[A-Za-z_][\w:~]*(?:\(\))?)"
_SHOWN_FORMULA = r"[@\\]f\$[^$\n]+[@\\]f\$|^[ \t]*[@\\]f(?:\[|\{\w+\*?\}\{?)[ \t]*$"
_OWN = rf"{_REFERENCE}|^[ \t]*[@\\](?:anchor|page|mainpage|tableofcontents)\b(?![ \t]*[{{:])|{_SHOWN_FORMULA}"
_LINK = r"\]\([@\\]ref(?:\s+[^)\n]*)?\)"
_BLOCKS = r"^`{3,}(?:@[a-z]|jldoctest\b)"
TRIGGER = rf"{_OWN.replace('?P<name>', '?:')}|{_LINK}|\]\(@id\b|{_BLOCKS}"
"""A pattern that pages with such commands match."""

_EVIDENCE = re.compile(_OWN, re.MULTILINE)
_LINKED = re.compile(rf"{SPAN.pattern}|\[(?P<text>[^\[\]]*){_LINK}")
"""A link with its text, or code, which may show one."""
_IDENTIFIED = re.compile(
    r"^(?P<mark>#{1,6}[ \t]+)\[(?P<title>[^\n]+)\]\(@id(?:[ \t]+(?P<id>[^()\s]+))?\)[ \t]*$",
    re.MULTILINE,
)
_BLOCK = re.compile(r"(?P<marks>`{3,})(?:@(?P<name>[a-z]+)|jldoctest)\b[^\n]*")
_WITHOUT_TEXT = frozenset(["contents", "index", "meta", "setup"])
_CODE = re.compile(
    r"^(?P<indent>[ \t]*)[@\\](?P<name>code|verbatim)(?:\{\.?(?P<language>[\w+-]*)\})?[ \t]*\n"
    r"(?P<inner>(?:(?![ \t]*[@\\](?:end)?(?:code|verbatim)\b)[^\n]*\n)*)[ \t]*[@\\]end(?P=name)\b[ \t]*$",
    re.MULTILINE,
)
_INSIDE = r"(?:[^@\\]++|[@\\](?!f[$()\[\]{}]))*+"
"""What is in a formula, up to the next mark of one."""

_FORMULA = re.compile(
    rf"{SPAN.pattern}|(?P<indent>^[ \t]*)?[@\\](?P<formula>f)(?:\$(?P<inline>{_INSIDE})[@\\]f\$"
    rf"|\((?P<round>{_INSIDE})[@\\]f\)|\[(?P<block>{_INSIDE})[@\\]f\]"
    rf"|\{{(?P<name>\w+\*?)\}}\{{?(?P<inside>{_INSIDE})[@\\]f\}})",
    re.MULTILINE,
)
_DROPPED = re.compile(
    r"^[ \t]*[@\\](?:anchor|tableofcontents|ingroup|addtogroup|internal)\b(?!\w)[^\n]*(?:\n|\Z)"
    r"|^[ \t]*[@\\](?:brief|details|short)[ \t]+",
    re.MULTILINE,
)
_SECTION = re.compile(
    r"^[@\\](?P<name>mainpage|page|section|subsection|subsubsection)\b[ \t]*(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_LEVELS = {"mainpage": 1, "page": 1, "section": 2, "subsection": 3, "subsubsection": 4}
_NOTICE = re.compile(
    r"^(?P<indent>[ \t]*)[@\\]"
    r"(?P<name>note|warning|attention|important|remarks?|deprecated|since|todo|see|sa)\b[ \t]*",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"^[ \t]*[@\\]par[ \t]+(?P<title>\S[^\n]*)$", re.MULTILINE)
_REFERRED = re.compile(rf"{_REFERENCE}(?:[ \t]+\"(?P<text>[^\"\n]*)\")?")
_WORD = re.compile(r"(?<![\w`@\\])[@\\](?P<name>b|c|e|em|p)[ \t]+(?P<word>[^\s`*]*[\w)])")
_MARKS = {"b": "**", "c": "`", "e": "*", "em": "*", "p": "`"}


def has_commands(text: str) -> bool:
    """Whether prose has what only pages of Doxygen have."""
    return _EVIDENCE.search(text) is not None


def shown_block(block: str) -> str:
    """A fenced block of Documenter as its site shows it: code of Julia, or nothing, where it sets something
    or lists pages; other blocks stay."""
    match = _BLOCK.match(block)
    if match is None or match["name"] in _WITHOUT_TEXT:
        return "" if match else block
    is_code = match["name"] in (None, "example", "repl", "eval")
    return f"{match['marks']}julia{block[match.end() :]}" if is_code else block


def with_examples(text: str, page: IncludingPage) -> str:
    """Prose with the files that its commands show as code; Markdown is left to what inserts it as text."""

    def shown(match: re.Match[str]) -> str:
        name, part = match["file"], match["part"]
        language = language_of(name)
        if language == "markdown":
            return match[0]
        found = page.find(name, [f"{folder}/".lstrip("/") for folder in EXAMPLES])
        code = found[1].replace("\r\n", "\n") if found else None
        if code is not None and part and match["name"].startswith("snippet"):
            code = snippet(code, part)
        if code is None:
            page.missed(name, f"@{match['name']}")
            return match["indent"] + not_included(f"{name} {part}".strip())
        return indented(match["indent"], fence(code.rstrip("\n"), language))

    return INCLUDE.sub(shown, text)


def snippet(code: str, name: str) -> str | None:
    """The lines between the two comments that hold `[name]`; None without such."""
    pieces = re.split(rf"^[^\n]*\[{re.escape(name)}\][^\n]*(?:\n|\Z)", code, flags=re.MULTILINE)
    return dedent(pieces[1]) if len(pieces) > 1 else None


def with_formulas(text: str, keep: Callable[[str], str]) -> str:
    """The text with formulas as code, each through `keep`."""

    def shown(match: re.Match[str]) -> str:
        if match["formula"] is None:
            return match[0]
        indent = match["indent"] or ""
        inline = match["inline"] if match["inline"] is not None else match["round"]
        if inline is not None:
            formula = " ".join(inline.split())
            return indent + (keep(f"`{formula}`") if formula else "")
        inside = dedent(match["block"] if match["name"] is None else match["inside"]).strip()
        if match["name"]:
            inside = f"\\begin{{{match['name']}}}\n{inside}\n\\end{{{match['name']}}}"
        before = "" if match["indent"] is not None else "\n\n"
        after = "" if match.string.startswith("\n", match.end()) else "\n"
        return f"{before}{keep(indented(indent, fence(inside, 'math')))}{after}"

    return _FORMULA.sub(shown, text)


def replace_commands(text: str, is_own: bool) -> str:
    """Prose with links of `@ref` as their text and, in a page of Doxygen (`is_own`), commands as what they
    show; code between backticks stays."""
    kept = Kept()
    text = without_marks(text)
    if is_own:
        text = with_formulas(_CODE.sub(lambda match: kept.keep(_code(match)), text), kept.keep)
    text = _LINKED.sub(lambda match: match[0] if match["text"] is None else match["text"], text)
    text = _IDENTIFIED.sub(_identified, text)
    text = SPAN.sub(lambda match: kept.keep(match[0]), text)
    if is_own:
        text = _SECTION.sub(_section, _DROPPED.sub("", text))
        text = _NOTICE.sub(lambda match: f"{match['indent']}{_label(match['name'])} ", text)
        text = _PARAGRAPH.sub(lambda match: label("", match["title"]), text)
        text = _REFERRED.sub(lambda match: match["text"] or kept.keep(f"`{match['name']}`"), text)
        text = _WORD.sub(_marked, text)
    return kept.restored(text)


def _code(match: re.Match[str]) -> str:
    lines = match["inner"].removesuffix("\n").split("\n")
    block = fence(
        "\n".join(line.removeprefix(match["indent"]) for line in lines), match["language"] or ""
    )
    return "\n".join(f"{match['indent']}{line}" for line in block.split("\n"))


def _identified(match: re.Match[str]) -> str:
    stated = f" {{#{match['id']}}}" if match["id"] else ""
    return f"{match['mark']}{match['title']}{stated}"


def _label(name: str) -> str:
    return label({"sa": "see"}.get(name, name))


def _section(match: re.Match[str]) -> str:
    name, rest = match["name"], match["rest"].strip()
    stated, _, title = ("", "", rest) if name == "mainpage" else rest.partition(" ")
    shown = title.strip() or stated
    anchor = f" {{#{stated}}}" if title and stated else ""
    return f"{'#' * _LEVELS[name]} {shown}{anchor}" if shown else ""


def _marked(match: re.Match[str]) -> str:
    mark = _MARKS[match["name"]]
    return f"{mark}{match['word']}{mark}"
