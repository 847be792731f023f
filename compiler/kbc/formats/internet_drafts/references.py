"""What drafts refer to: other documents by their labels, and sections and figures of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kbc.formats import commonmark

_RFC = re.compile(r"RFC[ .-]?0*(\d{1,5})", re.IGNORECASE)
_DRAFT = re.compile(r"I-D\.(?:draft-)?(.+)")
_NUMBERED = re.compile(
    r"(?P<appendix>(?:appendix[ -])?(?=[A-Za-z]\b))?(?P<number>[A-Za-z0-9]+(?:\.\d+)*)"
)
_HAS_SECTIONS = re.compile(r"/rfc/rfc\d+\Z|/doc/html/")
"""Addresses of documents whose sections have their numbers as anchors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """An entry of a list of references: the label that is `shown` for it, its `address` ("": it states none),
    and what the list says of it."""

    shown: str
    address: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Targets:
    """What a draft refers to by name: `own` are its sections, figures and tables with what they are called,
    `references` those that its lists state."""

    own: Mapping[str, str]
    references: Mapping[str, Reference]

    def link(self, name: str, text: str = "", section: str = "", format: str = "of") -> str:
        """A link with its text, else with what its target is called; `section` is one of another document,
        said as `format` (`of`, `comma`, `parens`, `bare`) has it."""
        if name in self.own:
            title = text or self.own[name] or commonmark.escaped(name)
            return commonmark.link(title, f"#{name}")
        known = self.references.get(name)
        address = known.address if known else address_of(name)
        shown = f"[{commonmark.escaped(known.shown if known else name)}]"
        if not section:
            return commonmark.link(text or shown, address) if address else text or shown
        part = _section(section)
        whole = {"bare": part, "comma": f"{shown}, {part}", "parens": f"{shown} ({part})"}
        cited = text or whole.get(format, f"{part} of {shown}")
        return commonmark.link(cited, _address_of_section(address, section)) if address else cited


def address_of(label: str) -> str:
    """Where an RFC or a draft is published, by the label that it is cited with; "" for others."""
    if rfc := _RFC.fullmatch(label):
        return f"https://www.rfc-editor.org/rfc/rfc{rfc[1]}"
    draft = _DRAFT.fullmatch(label)
    return f"https://datatracker.ietf.org/doc/html/draft-{draft[1]}" if draft else ""


def listed(references: Mapping[str, Reference]) -> list[str]:
    """A list of references."""
    items = []
    for each in references.values():
        label = f"**{commonmark.escaped(each.shown)}**"
        text = f": {each.description}" if each.description else ""
        place = f" <{each.address}>" if each.address else ""
        items.append([f"- {label}{text}{place}"])
    return commonmark.listed(items)


def _section(number: str) -> str:
    found = _NUMBERED.fullmatch(number)
    if found is None:
        return commonmark.escaped(number)
    return f"{'Appendix' if found['number'][0].isalpha() else 'Section'} {found['number']}"


def _address_of_section(address: str, number: str) -> str:
    found = _NUMBERED.fullmatch(number)
    if not found or "#" in address or not _HAS_SECTIONS.search(address):
        return address
    kind = "appendix" if found["number"][0].isalpha() else "section"
    return f"{address}#{kind}-{found['number']}"
