"""Paradox, of Akka and other projects in Scala, and Play's pages: `@@snip`, `@@@ note`, `@ref:[text](page)`,
`@[label](File.scala)`.

Code that is shown lies between two lines with the same `#label` in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from kbc.languages.includes.components import options
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import SPAN
from kbc.languages.includes.files import (
    MAX_DEPTH,
    IncludingPage,
    fence,
    indented,
    language_of,
    not_included,
)
from kbc.languages.spans import is_within

TRIGGER = (
    r"@@(?:snip|include|toc|dependency|project-info|fiddle)\b|^[ \t]*@@@"
    r"|@(?:ref|apidoc|scala|java|scaladoc|javadoc|extref|github)(?:\.\w+)?:?\["
    r"|^[ \t]*@\[[\w-]+\]\([^()\s]+\.\w+\)[ \t]*$"
)

_USED = re.compile(TRIGGER, re.MULTILINE)
_GIVEN = r"[ \t]*(?:\{(?P<given>[^{}\n]*)\})?"
_TAB = re.compile(r"^(?P<name>[^\s:#>@|*-][^\n:]{0,60})\n {0,3}:[ \t]+(?=@@snip|@@@)", re.MULTILINE)
_SNIPPET = re.compile(
    rf"^(?P<indent>[ \t]*)(?:@@snip[ \t]*(?:\[[^\]\n]*\])?\((?P<path>[^()\s]+)\){_GIVEN}"
    r"|@\[(?P<label>[\w-]+)\]\((?P<plain>[^()\s]+\.\w+)\))[ \t]*$",
    re.MULTILINE,
)
_INCLUDE = re.compile(
    rf"^(?P<indent>[ \t]*)@@include[ \t]*(?:\[[^\]\n]*\])?\((?P<path>[^()\s]+)\){_GIVEN}[ \t]*$",
    re.MULTILINE,
)
_DEPENDENCY = re.compile(
    r"^[ \t]*@@dependency(?:\[[^\]\n]*\])?[ \t]*\{(?P<given>[^{}]*)\}[ \t]*$", re.MULTILINE
)
_LEAF = re.compile(
    r"^[ \t]*@@(?P<name>[a-z-]+)[ \t]*(?:\[[^\]\n]*\])?[ \t]*\{[^{}]*\}[ \t]*$", re.MULTILINE
)
_BLOCK = re.compile(
    r"^[ \t]*@@@+[ \t]*(?P<name>[A-Za-z][\w-]*)?[ \t]*(?:\{(?P<given>[^{}\n]*)\})?[ \t]*$"
)
_SHOWN = frozenset({"note", "warning", "tip", "attention", "caution", "info", "success"})
_UNSHOWN = frozenset({"index", "comment"})
_INLINE = re.compile(
    r"@(?P<name>ref|extref|apidoc|scaladoc|javadoc|github|apiref|link|scala|java)(?:\.\w+)?:?\["
)
_LANGUAGES = frozenset({"scala", "java"})
_LINKS = frozenset({"ref", "link"})
_AFTER = re.compile(r"\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)(?: ?\{[^{}\n]*\})?")
_PLACEHOLDER = re.compile(r"\A\$[\w.-]+\$/?")
_LABEL = re.compile(r"#([\w-]+)")
_LABEL_LINE = re.compile(r"^\s*(?://+|#|--|<!--|/\*+|;)?\s*#[A-Za-z][\w-]*\b[^\n]*$")
_MOST_INLINE_CHARS = 2_000


def replace(text: str, page: IncludingPage) -> str:
    """Prose with what the directives of Paradox show."""
    if _USED.search(text) is None:
        return text
    text = _TAB.sub(lambda match: f"**{match['name'].strip()}**\n\n", text)
    text = _SNIPPET.sub(lambda match: _snippet(match, page), text)
    text = _INCLUDE.sub(lambda match: _included(match, page), text)
    text = _DEPENDENCY.sub(lambda match: _dependency(match["given"]), text)
    text = _LEAF.sub(lambda match: _leaf(match["name"], page), text)
    if "@@@" in text:
        text = "\n".join(_without_blocks(text.split("\n")))
    return "".join(_inline(text))


def _snippet(match: re.Match[str], page: IncludingPage) -> str:
    target = match["path"] or match["plain"]
    found = _file(target, page)
    if found is None:
        page.missed(target, "@@snip")
        return match["indent"] + not_included(target)
    path, content = found
    given = match["given"] or ""
    labels = [match["label"]] if match["label"] else _LABEL.findall(given)
    code = _labelled(content, labels)
    if code is None:
        page.unresolved["@@snip"] += 1
        code = ""
    return indented(match["indent"], fence(code, options(given).get("type") or language_of(path)))


def _included(match: re.Match[str], page: IncludingPage) -> str:
    found = _file(match["path"], page)
    if found is None:
        page.missed(match["path"], "@@include")
        return match["indent"] + not_included(match["path"])
    path, content = found
    labels = _LABEL.findall(match["given"] or "")
    part = _labelled(content, labels) if labels else content
    return indented(match["indent"], page.expanded(path, part or content).strip("\n"))


def _file(target: str, page: IncludingPage) -> tuple[str, str] | None:
    """A file beside the page, from a folder above it, or where a path of the build begins."""
    plain = _PLACEHOLDER.sub("", target).lstrip("/")
    inner = plain.partition("/")[2]
    return page.find(plain) or (page.find(inner) if target != plain and "/" in inner else None)


def _labelled(text: str, labels: list[str]) -> str | None:
    """What lies between lines with a label, of one label after the other; all without labels. None where one
    is not there."""
    lines = text.rstrip("\n").split("\n")
    shown: list[str] = [] if labels else lines
    for name in labels:
        mark = re.compile(rf"#{re.escape(name)}(?![\w-])")
        is_inside = was_found = False
        for line in lines:
            if mark.search(line):
                is_inside, was_found = not is_inside, True
            elif is_inside:
                shown.append(line)
        if not was_found:
            return None
    return dedent("\n".join(line for line in shown if not _LABEL_LINE.match(line))).strip("\n")


def _dependency(given: str) -> str:
    """Group, artifact and version of each, as builds write them."""
    stated = options(given)
    lines = []
    for number in ("", *map(str, range(1, 20))):
        parts = [stated.get(f"{each}{number}", "") for each in ("group", "artifact", "version")]
        if parts[1]:
            symbol = (
                stated.get(f"value{number or '1'}") if parts[2] == stated.get("symbol1") else None
            )
            lines.append(":".join(filter(None, (*parts[:2], symbol or parts[2]))))
    return fence("\n".join(lines), "") if lines else ""


def _leaf(name: str, page: IncludingPage) -> str:
    if name != "toc":
        page.external[f"@@{name}"] += 1
    return ""


def _without_blocks(lines: list[str]) -> Iterator[str]:
    """The lines with labels in the places of notes; without lists of pages and other marks."""
    unshown = 0
    opened: list[bool] = []
    for line in lines:
        mark = _BLOCK.match(line) if "@@@" in line else None
        if mark is None:
            if not unshown:
                yield line
            continue
        name = mark["name"] or ""
        if not name:
            unshown -= opened.pop() if opened else 0
            continue
        opened.append(name in _UNSHOWN)
        unshown += opened[-1]
        if name in _SHOWN and not unshown:
            yield from ("", label(name, options(mark["given"] or "").get("title", "")), "")


def _inline(text: str, depth: int = 0) -> Iterator[str]:
    """Links to pages as links; names of an API, other links and texts for one language as texts."""
    position = 0
    before = ""
    spans = [span.span() for span in SPAN.finditer(text)] if "`" in text else []
    for match in _INLINE.finditer(text):
        is_code = is_within(spans, match.start())
        if is_code or match.start() < position or depth > MAX_DEPTH:
            continue
        end = _closing(text, match.end())
        if end < 0:
            continue
        between = text[position : match.start()]
        name, shown = match["name"], "".join(_inline(text[match.end() : end], depth + 1))
        position = end + 1
        if name in _LANGUAGES:
            yield between + (" / " if before in _LANGUAGES - {name} and not between else "") + shown
        else:
            after = _AFTER.match(text, position)
            position = after.end() if after else position
            is_link = name in _LINKS and after is not None
            plain = shown if name not in ("apidoc", "scaladoc", "javadoc") else _code(shown)
            yield between + (f"[{shown}]({after['target']})" if is_link and after else plain)
        before = name
    yield text[position:]


def _code(name: str) -> str:
    """`akka.(javadsl|scaladsl).Source` as its last name, in a code span."""
    return name if "`" in name or " " in name else f"`{name.rpartition('.')[2] or name}`"


def _closing(text: str, position: int) -> int:
    """Where the bracket closes that opened before `position`; -1 where it does not within a paragraph."""
    depth = 1
    for place in range(position, min(len(text), position + _MOST_INLINE_CHARS)):
        char = text[place]
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if not depth:
                return place
        elif char == "\n" and text[place + 1 : place + 2] == "\n":
            return -1
    return -1
