"""docs-builder: what its pages have besides MyST's directives, written as those write it.

Headings state their anchors as `## Title [id]` and text as `$$$id$$$`; `{{name | operator}}` is a
substitution; `repository://page.md` is a page of another repository, `/page.md` one below the folder of all
pages; `[](page.md)` says the title of its target; and `{applies_to}` tells what a part holds for.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kbc.languages.anchors import slug
from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes.fenced import CODE, FENCE, fenced_lines, fenced_stretches
from kbc.languages.includes.files import IncludingPage
from kbc.languages.includes.templates.values import DIRECTIVE, replace_values
from kbc.project.source_file import decode_any, relative_path, resolved_path

_SUBSTITUTION = re.compile(r"\{\{(?P<expression>[^{}\n]+)\}\}")
_FILLED_CODE = re.compile(r"\bsubs=true\b")
_APPLIES_TO = re.compile(r"[\w+-]*[ \t]*\{applies_to\}")
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}")
_LITERAL = frozenset(["applies_to", "code", "code-block", "diagram", "math", "mermaid"])
"""Directives whose content is no Markdown."""

_HEADING = re.compile(r"(?P<marks> {0,3}#{1,6})[ \t]+(?P<title>[^\n]*)")
_ANCHOR = re.compile(r"(?<=\S)[ \t]*(?<!\\)\[(?P<id>[^\[\]]+)\]\Z")
_INLINE_ANCHOR = r"\$\$\$(?P<anchor>[^$\n]+)\$\$\$"
_BADGE = r"\{(?P<badge>applies_to|preview)\}`(?P<scope>[^`\n]*)`"
_COMMENT = re.compile(r"^ {0,3}%(?:[ \t].*)?$\n?", re.MULTILINE)
_MARKUP = re.compile(
    rf"\{{subs(?:=true)?\}}(?P<marks>`++)(?P<code>[^\n]*?)(?<!`)(?P=marks)(?!`)|{_BADGE}"
    rf"|(?P<span>{CODE})|{_INLINE_ANCHOR}"
    r"|(?<![!\\])\[(?P<label>(?:[^\[\]\n]|\n(?![ \t]*\n)|\[[^\[\]\n]*\])*)\]"
    r"\((?P<target>[^()\s<>]+)(?P<title>[ \t]+\"[^\"\n]*\")?\)"
)
_ICON = re.compile(r"\{icon\}`[^`]*`[ \t]*")
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Docset:
    """What pages of a documentation set may name: `folder` is that of all pages, below the root;
    `substitutions` are texts by name, and `repositories` what links to others begin with."""

    folder: str
    substitutions: Mapping[str, str]
    repositories: frozenset[str]

    def prepared(self, text: str, page: IncludingPage) -> str:
        """The body of a page, or a file that it includes, as MyST would write it."""
        return self._prepared(text, text, page)

    def _prepared(self, part: str, text: str, page: IncludingPage) -> str:
        """A part of the body `text`, whose headings links name."""
        return "\n".join(
            self._code(stretch, text, page) if is_code else self._prose(stretch, text, page)
            for stretch, is_code in fenced_stretches(part)
        )

    def value(self, expression: str) -> str | None:
        """The text of `name | operator | operator`; None where the name or an operator is not known."""
        name, *operators = (part.strip() for part in expression.split("|"))
        found = self.substitutions.get(name)
        for operator in operators:
            change = _OPERATORS.get(operator)
            found = change(found) if change and found is not None else None
        return found

    def _code(self, stretch: str, text: str, page: IncludingPage) -> str:
        first, _, rest = stretch.partition("\n")
        opening = FENCE.match(first)
        info = opening["info"].strip() if opening else ""
        if opening and _APPLIES_TO.match(info):
            indent = first[: opening.start("marks")]
            return f"\n{indent}{_scope(rest)}\n" if rest else stretch
        if _FILLED_CODE.search(info):
            return self._filled(stretch, page)
        directive = _DIRECTIVE.match(info)
        if directive and directive["name"] not in _LITERAL:
            inner, end, last = rest.rpartition("\n")
            return f"{first}\n{self._prepared(inner, text, page)}{end}{last}"
        return stretch

    def _prose(self, stretch: str, text: str, page: IncludingPage) -> str:
        shown = replace_values(_COMMENT.sub("", stretch), self.value, page)
        shown = "\n".join(each for line in shown.split("\n") for each in _heading(line))
        return _MARKUP.sub(lambda match: self._markup(match, text, page), shown)

    def _markup(self, match: re.Match[str], text: str, page: IncludingPage) -> str:
        if match["span"] is not None:
            return match["span"]
        if match["code"] is not None:
            return f"{match['marks']}{self._filled(match['code'], page)}{match['marks']}"
        if match["badge"] is not None:
            kind = "preview " if match["badge"] == "preview" else ""
            return f"`{kind}{match['scope'].strip()}`"
        if match["anchor"] is not None:
            return f'<a id="{slug(match["anchor"], "docs-builder")}"></a>'
        return self._link(match, text, page)

    def _link(self, match: re.Match[str], text: str, page: IncludingPage) -> str:
        label, target = match["label"], match["target"]
        inner = _MARKUP.sub(lambda found: self._markup(found, text, page), label)
        scheme, separator, rest = target.partition("://")
        if separator and scheme in self.repositories:
            return inner or posixpath.basename(rest.partition("#")[0]).removesuffix(".md")
        path, mark, anchor = target.partition("#")
        if path.startswith("/") and path.endswith(".md"):
            rooted = posixpath.join(self.folder, path.lstrip("/"))
            path = relative_path(rooted, page.path)
        if not label.strip() and (path.endswith(".md") or not path):
            inner = self._title(path, anchor, text, page) or anchor or path
        return f"[{inner}]({path}{mark}{anchor}{match['title'] or ''})"

    def _title(self, path: str, anchor: str, text: str, page: IncludingPage) -> str:
        """What a page, or a section of it, is called; "" where it is not there."""
        if path:
            data = page.read(resolved_path(path, page.path))
            text = decode_any(data) if data else ""
        title = _titles(text).get(anchor, "")
        return _SUBSTITUTION.sub(lambda match: self.value(match["expression"]) or match[0], title)

    def _filled(self, code: str, page: IncludingPage) -> str:
        """Code with its substitutions; those that the tree does not tell stay and are counted."""

        def shown(match: re.Match[str]) -> str:
            found = self.value(match["expression"])
            if found is None:
                page.external[DIRECTIVE] += 1
            return match[0] if found is None else found

        return _SUBSTITUTION.sub(shown, code)


def _heading(line: str) -> Iterator[str]:
    """A heading with the id that it states as an attribute, and what it applies to as a paragraph."""
    found = _HEADING.fullmatch(line)
    if found is None:
        yield line
        return
    title = _ICON.sub("", found["title"]).strip()
    badges = list(re.finditer(_BADGE, title))
    title = re.sub(rf"[ \t]?{_BADGE}", "", title).strip()
    stated = _ANCHOR.search(title)
    if stated:
        title = f"{title[: stated.start()]} {{#{slug(stated['id'], 'docs-builder')}}}"
    yield f"{found['marks']} {title}"
    if badges:
        yield from ("", f"Applies to {', '.join(each[0] for each in badges)}", "")


@lru_cache(maxsize=16)  # a page may have many links to itself or another
def _titles(text: str) -> Mapping[str, str]:
    """The titles of the headings of a page by their ids, that of the first also by ""."""
    found: dict[str, str] = {}
    for title, id in _headings(text[front_matter_end(text) :]):
        found.setdefault("", title)
        found.setdefault(id, title)
    return found


def _headings(text: str) -> Iterator[tuple[str, str]]:
    """(title, id) of the headings of a page."""
    for line, is_code in fenced_lines(text):
        if not is_code and (found := _HEADING.fullmatch(line)):
            title = found["title"].strip()
            stated = _ANCHOR.search(title)
            title = title[: stated.start()] if stated else title
            yield title, slug(stated["id"] if stated else title, "docs-builder")


def _scope(body: str) -> str:
    """What the body of an `{applies_to}` block lists, as a line: nested keys without those above them."""
    scopes = [line.strip() for line in body.split("\n") if re.match(r"[ \t]*[\w-]+:[ \t]*\S", line)]
    return f"Applies to {', '.join(f'`{each}`' for each in scopes)}" if scopes else ""


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text))


def _pascal(text: str) -> str:
    return "".join(word[:1].upper() + word[1:].lower() for word in _words(text))


def _version(form: Callable[[int, int], str]) -> Callable[[str], str | None]:
    """An operator on versions; None where the text is none."""

    def changed(text: str) -> str | None:
        found = _VERSION.fullmatch(text.strip())
        return form(int(found[1]), int(found[2])) if found else None

    return changed


_OPERATORS: Mapping[str, Callable[[str], str | None]] = {
    "lc": str.lower,
    "uc": str.upper,
    "tc": lambda text: re.sub(r"\b\w", lambda match: match[0].upper(), text.lower()),
    "c": lambda text: text[:1].upper() + text[1:],
    "kc": lambda text: "-".join(_words(text)).lower(),
    "sc": lambda text: "_".join(_words(text)).lower(),
    "cc": lambda text: _pascal(text)[:1].lower() + _pascal(text)[1:],
    "pc": _pascal,
    "trim": lambda text: re.sub(r"^\W+|\W+$", "", text),
    "M": _version(lambda major, minor: f"{major}"),
    "M.x": _version(lambda major, minor: f"{major}.x"),
    "M.M": _version(lambda major, minor: f"{major}.{minor}"),
    "M+1": _version(lambda major, minor: f"{major + 1}.0.0"),
    "M.M+1": _version(lambda major, minor: f"{major}.{minor + 1}.0"),
}
