"""Directives and roles of MyST, the Markdown of Sphinx: fences whose info is `{name} argument`.

What holds Markdown keeps it under its label; what Sphinx computes or reads goes to the reader of
reStructuredText, as does `{eval-rst}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kbc.languages.includes.containers import FENCE, after_fence, label
from kbc.languages.includes.files import Page, fence

_OPENING = re.compile(r"\{(?P<name>[\w:.+-]+)\}[ \t]*(?P<argument>.*)")
_ROLE = re.compile(
    r"(?<![\w`\\])\{[a-zA-Z][\w:.+-]*\}(?P<marks>`+)(?!`)(?P<text>.+?)(?<!`)(?P=marks)(?!`)"
)
_TITLED = re.compile(r"(?P<text>.*?)\s*<[^<>]*>\Z", re.DOTALL)
_OPTION = re.compile(r":[\w-]+:")
_HEADING = re.compile(r"(#{1,6}) ")
_MODULE = re.compile(r"^(?:\.\. )?(?:py:)?(?:currentmodule|module)::? ?(\S+)", re.MULTILINE)

_CODE = frozenset(["code", "code-block", "sourcecode", "code-cell", "prompt", "console", "ipython"])
_DATA = frozenset(["math", "mermaid", "graphviz", "uml", "digraph", "productionlist", "doctest"])
_DROPPED = frozenset(
    ["toctree", "contents", "tableofcontents", "index", "highlight", "raw", "meta", "bibliography"]
)
_UNLABELLED = frozenset(
    [
        "figure",
        "image",
        "tab-set",
        "grid",
        "div",
        "container",
        "only",
        "table",
        "glossary",
        "epigraph",
    ]
)
_TITLES = frozenset(
    ["tab-item", "tab", "card", "grid-item-card", "dropdown", "details", "admonition"]
)
_RESTRUCTURED = frozenset(["eval-rst", "literalinclude", "csv-table", "list-table"])


def replace_directives(text: str, page: Page) -> str:
    """Markdown with the text of its directives in their place. Code that only shows MyST stays."""
    if page.restructured is None or "{" not in text:
        return text
    return "\n".join(_Directives(page).lines(text.split("\n")))


class _Directives:
    """The directives of one page, read in order: the module and the section that they stand in count."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._module = ""
        self._level = 0

    def lines(self, lines: Sequence[str]) -> Iterator[str]:
        index = 0
        while index < len(lines):
            line = lines[index]
            index += 1
            opening = FENCE.match(line)
            directive = _OPENING.match(opening["info"].strip()) if opening else None
            if opening is None:
                heading = _HEADING.match(line)
                self._level = len(heading[1]) if heading else self._level
                yield _ROLE.sub(_role, line) if "}`" in line else line
                continue
            end = _end(lines, index, opening["marks"])
            if directive is None:
                yield from lines[index - 1 : end + 1]
            else:
                indent = line[: len(line) - len(line.lstrip(" "))]
                found = self._directive(
                    directive["name"].lower(), directive["argument"].strip(), lines[index:end]
                )
                yield from ("", *(indent + each if each else "" for each in found), "")
            index = end + 1

    def _directive(self, name: str, argument: str, body: Sequence[str]) -> list[str]:
        base = name.rpartition(":")[2]
        options, inner = _split(body)
        if base in ("currentmodule", "module"):
            self._module = argument
            return []
        if base in _DROPPED:
            return []
        if base in _CODE or base in _DATA:
            language = (
                argument.split()[0] if argument and base in _CODE else base if base in _DATA else ""
            )
            return fence("\n".join(inner), language).split("\n")
        if (
            base == "include"
            and (found := self._page.find(argument))
            and "literal" not in " ".join(options)
        ):
            return list(self.lines(found[1].rstrip("\n").split("\n")))
        if (
            base in _RESTRUCTURED
            or base.startswith("auto")
            or ":" in name
            or not "".join(inner).strip()
        ):
            return self._restructured(name, argument, options, inner)
        shown = (
            ""
            if base in _UNLABELLED
            else label("" if base in _TITLES and argument else base, argument)
        )
        return [*([shown, ""] if shown else []), *self.lines(inner)]

    def _restructured(
        self, name: str, argument: str, options: Sequence[str], inner: Sequence[str]
    ) -> list[str]:
        if name == "eval-rst":
            source = "\n".join([*options, *inner])
        else:
            rest = [f"   {each}" if each else "" for each in (*options, "", *inner)]
            source = "\n".join([f".. {name}:: {argument}", *rest])
        before = f".. currentmodule:: {self._module}\n\n" if self._module else ""
        if found := _MODULE.search(source):
            self._module = found[1].strip(":")
        assert self._page.restructured is not None
        text, anchors = self._page.restructured(f"{before}{source}\n")
        return list(self._nested(text.strip("\n").split("\n"), iter(anchors)))

    def _nested(self, lines: Sequence[str], anchors: Iterator[str]) -> Iterator[str]:
        """The headings as sections of the one that they stand in, with their anchors."""
        marks = ""
        for line in lines:
            opening = FENCE.match(line)
            heading = None if marks else _HEADING.match(line)
            marks = after_fence(marks, line, opening)
            if heading:
                level = min(self._level + len(heading[1]), 6)
                anchor = next(anchors, "")
                line = f"{'#' * level} {line[heading.end() :]}" + (
                    f" {{#{anchor}}}" if anchor else ""
                )
            yield line


def _end(lines: Sequence[str], index: int, marks: str) -> int:
    """The index of the line that closes a fence, or of the end."""
    while index < len(lines) and after_fence(marks, lines[index], None):
        index += 1
    return index


def _split(body: Sequence[str]) -> tuple[list[str], list[str]]:
    """The options of a directive, `:name: value` a line, and its content."""
    lines = list(body)
    options: list[str] = []
    if lines and lines[0].strip() == "---" and "---" in [each.strip() for each in lines[1:]]:
        end = [each.strip() for each in lines].index("---", 1)
        options = [
            f":{key.strip()}: {value.strip()}"
            for key, _, value in (e.partition(":") for e in lines[1:end])
        ]
        return options, lines[end + 1 :]
    while lines and _OPTION.match(lines[0].strip()):
        options.append(lines.pop(0).strip())
    return options, lines


def _role(match: re.Match[str]) -> str:
    """The text of a role: a title where it has one, else a name as code."""
    titled = _TITLED.fullmatch(match["text"])
    if titled and titled["text"]:
        return titled["text"]
    return f"{match['marks']}{match['text'].lstrip('~!')}{match['marks']}"
