"""Writes directives as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kbc.formats import commonmark
from kbc.formats.docc.catalogue import title_of
from kbc.formats.docc.directives import Directive, Node
from kbc.formats.docc.links import linked
from kbc.formats.docc.page import CataloguePage
from kbc.languages.includes.files import not_included
from kbc.languages.suffixes import language_of

_RESOURCES = {
    "Documentation": "Documentation", "Downloads": "Downloads", "Forums": "Forums",
    "SampleCode": "Sample Code", "Videos": "Videos",
}  # fmt: skip
"""Directives in the resources of a tutorial -> what their tiles are called."""


def pages(nodes: Sequence[Node], page: CataloguePage) -> str:
    """A Markdown page; what is no directive stays as it is but for its links."""
    writer = _DirectiveWriter(page)
    lines: list[str] = []
    for is_text, part in writer.parts(nodes):
        while not is_text and lines and not lines[-1].strip():
            lines.pop()
        if not is_text and part:
            lines += ["", *part, ""] if lines else [*part, ""]
        elif is_text:
            while lines and part and not part[0].strip():
                part = part[1:]
            lines += [""] if lines and lines[-1].strip() and part else []
            lines += part
    return "\n".join(lines)


def tutorial(nodes: Sequence[Node], page: CataloguePage) -> str:
    """A tutorial, of which all is in directives."""
    directives = [each for each in nodes if not isinstance(each, str)]
    return commonmark.document(_DirectiveWriter(page).blocks(directives))


class _DirectiveWriter:
    """Writes the directives of one page; a directive that has no method is its content."""

    def __init__(self, page: CataloguePage) -> None:
        self._page = page
        self._in_volume = False
        self._written: Mapping[str, Callable[[Directive], list[str]]] = {
            "Assessments": partial(self._headed, "Check Your Understanding"),
            "CallToAction": self._call_to_action,
            "Chapter": lambda chapter: self._titled(chapter, 3 if self._in_volume else 2),
            "Choice": self._choice,
            "Code": self._code,
            "DeprecationSummary": self._deprecation,
            "Image": self._media,
            "Metadata": self._metadata,
            **dict.fromkeys(("Comment", "Options", "Redirected"), lambda directive: []),
            "Resources": partial(self._headed, "Resources"),
            "Section": partial(self._titled, level=2),
            "Snippet": self._snippet,
            "Steps": self._steps,
            "Tab": self._tab,
            "Tutorial": self._tutorial,
            "TutorialReference": self._reference,
            "Video": self._media,
            "Volume": self._volume,
            "XcodeRequirement": self._requirement,
            **dict.fromkeys(_RESOURCES, self._resource),
        }

    def parts(self, nodes: Sequence[Node]) -> list[tuple[bool, list[str]]]:
        """The lines of each stretch of text, which is marked, and of each directive."""
        found: list[tuple[bool, list[str]]] = []
        for each in nodes:
            if not isinstance(each, str):
                write = self._written.get(each.name)
                found.append((False, write(each) if write else self.blocks(each.content)))
            elif found and found[-1][0]:
                found[-1][1].append(each)
            else:
                found.append((True, [each]))
        return [
            (is_text, linked("\n".join(lines), self._page).split("\n") if is_text else lines)
            for is_text, lines in found
        ]

    def blocks(self, nodes: Sequence[Node]) -> list[str]:
        return commonmark.blocks(commonmark.trimmed(lines) for _, lines in self.parts(nodes))

    def _titled(self, directive: Directive, level: int) -> list[str]:
        title = title_of(directive)
        heading = commonmark.heading(level, commonmark.escaped(title)) if title else []
        return commonmark.blocks([heading, self.blocks(directive.content)])

    def _tutorial(self, directive: Directive) -> list[str]:
        """The introduction stands before what a reader needs; its title is that of the page."""
        first = directive.find("Intro")
        others = [each for each in directive.content if each is not first]
        return self.blocks([first, *others] if first else others)

    def _volume(self, directive: Directive) -> list[str]:
        self._in_volume = True
        lines = self._titled(directive, 2)
        self._in_volume = False
        return lines

    def _headed(self, title: str, directive: Directive) -> list[str]:
        return commonmark.blocks([commonmark.heading(2, title), self.blocks(directive.content)])

    def _resource(self, directive: Directive) -> list[str]:
        label = _RESOURCES[directive.name]
        address = directive.values.get("destination", "")
        shown = commonmark.link(label, address) if address else f"**{label}**"
        return commonmark.blocks([[shown], self.blocks(directive.content)])

    def _steps(self, directive: Directive) -> list[str]:
        """Numbered items; what stands between steps does not begin a new list."""
        parts: list[list[str]] = []
        number = 0
        between: list[Node] = []
        for each in directive.content:
            if isinstance(each, str) or each.name != "Step":
                between.append(each)
                continue
            parts.append(self.blocks(between))
            between = []
            number += 1
            content = self.blocks(each.content)
            parts.append(commonmark.indented(content, f"{number}. ") if content else [])
        return commonmark.blocks([*parts, self.blocks(between)])

    def _choice(self, directive: Directive) -> list[str]:
        label = "Correct" if directive.values.get("isCorrect") == "true" else "Incorrect"
        first, *others = self.blocks(directive.content) or [""]
        is_text = first and not commonmark.paragraph(first)[0].startswith(("\\", "```"))
        head = [f"**{label}:** {first}"] if is_text else [f"**{label}:**", "", first]
        return commonmark.indented([*head, *others], "- ")

    def _code(self, directive: Directive) -> list[str]:
        name = directive.values.get("file", "")
        label = title_of(directive)
        found = self._page.code(name, directive.line)
        shown = [f"{commonmark.code_span(label)}:"] if label else []
        if found is None:
            return commonmark.blocks([shown, [not_included(commonmark.code_span(name))]])
        path, code = found
        lines = commonmark.fence(code, language_of(path))
        return commonmark.blocks([shown, lines, self.blocks(directive.content)])

    def _snippet(self, directive: Directive) -> list[str]:
        name = directive.values.get("path", "")
        found = self._page.snippet(name, directive.values.get("slice", ""), directive.line)
        if found is None:
            return [not_included(commonmark.code_span(name))]
        path, code = found
        lines = commonmark.fence(code, language_of(path))
        return commonmark.blocks([lines, self.blocks(directive.content)])

    def _media(self, directive: Directive) -> list[str]:
        """What an image or a video says in words."""
        said = " ".join(directive.values.get("alt", "").split())
        shown = commonmark.paragraph(commonmark.escaped(said))
        return commonmark.blocks([shown, self.blocks(directive.content)])

    def _tab(self, directive: Directive) -> list[str]:
        title = directive.values.get("", "") or title_of(directive)
        label = [f"**{commonmark.escaped(title)}**"] if title.strip() else []
        return commonmark.blocks([label, self.blocks(directive.content)])

    def _deprecation(self, directive: Directive) -> list[str]:
        lines = self.blocks(directive.content)
        return commonmark.quote(commonmark.labelled("Deprecated", lines)) if lines else []

    def _metadata(self, directive: Directive) -> list[str]:
        """Of what is said about a page, it shows where to get what it is about."""
        found = directive.find("CallToAction")
        return self._call_to_action(found) if found else []

    def _call_to_action(self, directive: Directive) -> list[str]:
        address = directive.values.get("url", "")
        is_download = directive.values.get("purpose") == "download"
        label = directive.values.get("label") or ("Download" if is_download else "Visit")
        return [commonmark.link(commonmark.escaped(label), address)] if address else []

    def _requirement(self, directive: Directive) -> list[str]:
        address, title = directive.values.get("destination", ""), title_of(directive)
        return [commonmark.link(commonmark.escaped(title), address)] if title else []

    def _reference(self, directive: Directive) -> list[str]:
        target = directive.values.get("tutorial", "").strip("<>").removeprefix("doc:")
        shown = self._page.shown(target) if target else ""
        return [f"- {shown}"] if shown else []
