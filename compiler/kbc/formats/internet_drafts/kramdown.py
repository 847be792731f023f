"""Drafts in the Markdown of kramdown-rfc as CommonMark: its parts, references, captions and attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError, Problems, Read, decode
from kbc.formats.internet_drafts.references import CitedDocument, Targets, address_of, listed
from kbc.languages.anchors import slug
from kbc.languages.front_matter import stated_above
from kbc.languages.includes.fenced import Kept, fenced_stretches, outside_fences
from kbc.languages.includes.files import not_included
from kbc.project.source_file import decode_any, resolved_path
from kbc.project.well_formed import line_at, mapping

_PART = re.compile(
    r"^--- *(?P<name>abstract|middle|back|note_\S+|to_be_removed_note_\S+|fluff)[ \t]*$",
    re.MULTILINE,
)
_PREFIX = re.compile(r"(?:to_be_removed_)?note_")
_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<rest>\S.*)$")
_STATED = re.compile(r"(?<!^)\{[:#][^{}\n]*\}\Z")
_COMMENT = re.compile(r"\{::comment\}.*?\{:/(?:comment)?\}|<!--.*?-->", re.DOTALL)
_UNDERLINED = re.compile(r"^(?=\S)(?P<title>[^\n]+)\n(?P<mark>=+|-+)[ \t]*$", re.MULTILINE)
_ATTRIBUTES = re.compile(r"[ \t]*\{:(?![:/])(?:[^{}\"\n]|\"(?:[^\"\\\n]|\\.)*\")*\}?")
_ALONE = re.compile(rf"^(?>{_ATTRIBUTES.pattern})++[ \t]*$")
_DEFINED = re.compile(r"\{:[\w-]+:[^}\n]*\}")
_ID = re.compile(r"(?:#|\bid=\")(?P<id>[^\s}\"]+)")
_TITLE = re.compile(r"\btitle=(?P<mark>[\"'])(?P<title>(?:\\.|(?!(?P=mark)).)*)(?P=mark)?")
_SECTION = re.compile(r"\bsection=\"\\*\"?(?P<section>[^\"\\]+)")
_ABBREVIATION = re.compile(r"^\*\[[^\]\n]+\]:.*$")
_EXTENSION = re.compile(r"\{::(?P<name>[\w-]+)(?P<rest>[^{}\n]*?)(?P<alone>/?)\}|\{:/[\w-]*\}")
_CITED = re.compile(
    r"\{\{\{(?P<contact>[^{}]+)\}\}\}|\{\{(?P<text>[^{}\n]+(?:\n[^{}\n]+)*)\}\}(?P<attributes>\{:[^{}]*\})?"
)
_BEFORE = re.compile(
    r"(?P<sections>(?:(?:Section|Appendix|Sections|Appendices)\s+)?[\w.]+(?:(?:,|,?\s+and|,?\s+or)\s+(?:(?:Section|Appendix)\s+)?[\w.]+)*)"
    r"\s+of\s+(?P<name>\S+)"
)
_BEHIND = re.compile(r"(?P<name>[^\s,]+),\s+(?P<section>.+)")
_NUMBER = re.compile(
    r"(?P<kind>Section|Appendix|Sections|Appendices)?\s*(?P<number>[A-Z0-9][\w.]*)"
)
_NAME = re.compile(r"[!?&<]*(?P<own>[^\s=]+?)(?:=(?P<meant>\S+))?")
_BOILERPLATE = {
    "bcp14": (
        "MUST, MUST NOT, REQUIRED, SHALL, SHALL NOT, SHOULD, SHOULD NOT, RECOMMENDED, NOT RECOMMENDED, MAY"
        " and OPTIONAL, in capitals, have the meaning that BCP 14 (RFC 2119, RFC 8174) gives them."
    )
}
"""What is said by texts that drafts name: the beginning of such a name -> its content in short."""


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a file; raises `FormatError` where it has none of the parts of a draft."""
    text = decode(data)
    first = _PART.search(text)
    if first is None:
        raise FormatError("no line begins a part of a draft, such as '--- middle'")
    matter, _ = stated_above(f"{text[: first.start()].lstrip()}---\n")
    return _KramdownDraft(matter, path, read).document(text[first.start() :])


class _KramdownDraft:
    """Reads one draft: `matter` is what stands above its first part."""

    def __init__(self, matter: Mapping[str, Any], path: str, read: Read) -> None:
        self._matter, self._path, self._read = matter, path, read
        self._problems = Problems()
        self._anchors: list[str] = []
        self._named: dict[str, int] = {}
        self._lists = {
            name: _references(matter[name])
            for name in ("normative", "informative")
            if isinstance(matter.get(name), Mapping)
        }
        stated = {name: each for found in self._lists.values() for name, each in found.items()}
        self._targets = Targets({}, stated)

    def document(self, text: str) -> Converted:
        text = self._included(text)
        self._targets = Targets(_own_targets(text), self._targets.references)
        title = line_at(self._matter, "title")
        blocks = [self._heading(1, commonmark.escaped(title), "")] if title else []
        for name, part in _parts(text):
            if name == "fluff":
                continue
            heading = _PREFIX.sub("", name).replace("_", " ")
            if name == "abstract" or heading != name:
                shown = commonmark.escaped(heading[:1].upper() + heading[1:])
                blocks.append(self._heading(2, shown, ""))
            if name == "back":
                blocks += self._reference_lists()
            blocks.append(outside_fences(_COMMENT.sub("", part), self._prose))
        name = line_at(self._matter, "docname")
        return Converted(
            text="\n\n".join(each.strip("\n") for each in blocks if each.strip()) + "\n",
            format="kramdown-rfc",
            title=title,
            author=", ".join(_authors(self._matter)),
            created_at=line_at(self._matter, "date"),
            anchors=tuple(self._anchors),
            targets=(*self._targets.own, *self._targets.references),
            index_names=(name,) if name else (),
            problems=tuple(self._problems),
        )

    def _heading(self, level: int, title: str, anchor: str) -> str:
        own = anchor or slug(title)
        count = self._named[own] = self._named.get(own, 0) + 1
        self._anchors.append(own if count == 1 else f"{own}-{count}")
        return commonmark.heading(level, title)[0]

    def _reference_lists(self) -> Iterator[str]:
        for name, found in self._lists.items():
            if found:
                yield self._heading(2, f"{name.capitalize()} References", "")
                yield "\n".join(listed(found))

    def _included(self, text: str, depth: int = 0) -> str:
        """The text with the files that it includes (`{::include FILE}`), also in code."""

        def inserted(match: re.Match[str]) -> str:
            name = match["rest"].strip()
            if not match["name"].startswith("include") or not name:
                return match[0]
            data = self._read(resolved_path(name, self._path) or "") or self._read(name)
            if data is None or depth > 4:
                message = f"the included file {name!r} is not in the tree"
                self._problems.unresolved("{::include}", message)
                return not_included(name)
            inner = decode_any(data).rstrip("\n")
            return self._included(inner, depth + 1) if match["name"] == "include-nested" else inner

        return _EXTENSION.sub(lambda match: inserted(match) if match["name"] else match[0], text)

    def _prose(self, text: str) -> str:
        text = _UNDERLINED.sub(_heading_of, text)
        lines: list[str] = []
        for line in text.split("\n"):
            if heading := _heading_on(line):
                level, title, anchor = heading
                lines.append(self._heading(level + 1, self._inline(title), anchor))
            elif _ALONE.match(line):
                caption = _TITLE.search(line)
                lines += ["", f"*{self._inline(_unescaped(caption['title']))}*"] if caption else []
            elif not _ABBREVIATION.match(line) and not _DEFINED.fullmatch(line.strip()):
                lines.append(line)
        return self._inline("\n".join(lines))

    def _inline(self, text: str) -> str:
        """Prose with its citations as links and without attributes; code in it stays."""
        kept = Kept()
        text = _CITED.sub(self._cited, kept.hide_spans(text))
        text = _EXTENSION.sub(_boilerplate, text)
        return kept.restored(_ATTRIBUTES.sub("", text) if "{:" in text else text)

    def _cited(self, match: re.Match[str]) -> str:
        if match["contact"] is not None:
            return match["contact"]
        text = " ".join(match["text"].split())
        attributes = match["attributes"] or ""
        if before := _BEFORE.fullmatch(text):
            sections = re.sub(r"\b(?:and|or)\b", " ", before["sections"])
            *others, last = [each["number"] for each in _NUMBER.finditer(sections)] or [""]
            whole = self._linked(before["name"], last)
            bare = [self._linked(before["name"], each, "bare") for each in others]
            return ", ".join([*bare, whole])
        if behind := _BEHIND.fullmatch(text):
            number = _NUMBER.fullmatch(behind["section"])
            place = number["number"] if number else behind["section"]
            return self._linked(behind["name"], place, "comma")
        section = _SECTION.search(attributes)
        return self._linked(text, section["section"] if section else "")

    def _linked(self, name: str, section: str = "", format: str = "of") -> str:
        stated = _NAME.fullmatch(name)
        own = stated["own"] if stated else name
        meant = stated["meant"] if stated else ""
        if own.startswith("-") and own[1:] in self._targets.references:
            own = own[1:]
        if meant and own not in self._targets.references:
            cited = CitedDocument(shown=own, address=address_of(meant))
            self._targets = Targets(self._targets.own, {**self._targets.references, own: cited})
        return self._targets.link(own, section=section, format=format)


def _boilerplate(extension: re.Match[str]) -> str:
    kind = extension["rest"].strip() if extension["name"] == "boilerplate" else ""
    return next((text for name, text in _BOILERPLATE.items() if kind.startswith(name)), "")


def _heading_of(underlined: re.Match[str]) -> str:
    return f"{'#' if underlined['mark'][0] == '=' else '##'} {underlined['title']}"


def _parts(text: str) -> Iterator[tuple[str, str]]:
    starts = list(_PART.finditer(text))
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        yield start["name"], text[start.end() : following.start() if following else None]


def _own_targets(text: str) -> dict[str, str]:
    """The sections and figures of a draft by their anchors, with what they are called."""
    found: dict[str, str] = {}
    figures = 0
    for stretch, is_code in fenced_stretches(text):
        if is_code:
            continue
        for line in _UNDERLINED.sub(_heading_of, stretch).split("\n"):
            if heading := _heading_on(line):
                _, title, stated = heading
                found[stated or slug(title)] = title
            elif _ALONE.match(line) and (anchor := _ID.search(line)):
                caption = _TITLE.search(line)
                figures += 1
                called = _unescaped(caption["title"]) if caption else f"Figure {figures}"
                found[anchor["id"]] = commonmark.escaped(called)
    return found


def _heading_on(line: str) -> tuple[int, str, str] | None:
    """The level of the heading on a line, its title, and the id that it states, or ""."""
    match = _HEADING.match(line)
    if match is None:
        return None
    text = match["rest"].rstrip(" \t")
    attributes = _STATED.search(text)
    stated = _ID.search(attributes[0]) if attributes else None
    title = commonmark.unclosed(text[: attributes.start()] if attributes else text)
    return len(match["marks"]), title, stated["id"] if stated else ""


def _references(entries: Mapping[str, Any]) -> dict[str, CitedDocument]:
    """What a list of the front matter states: labels that name an RFC or draft, or describe a document."""
    found: dict[str, CitedDocument] = {}
    for label, entry in entries.items():
        label = label.removeprefix("-").strip() if label != "-" else label
        described = mapping(entry)
        meant = entry if isinstance(entry, str) and entry else line_at(described, "=") or label
        shown = line_at(described, "display") or label
        parts = [line_at(described, "title"), *_authors(described), line_at(described, "date")]
        series = described.get("seriesinfo")
        if isinstance(series, Mapping):
            parts += [f"{name} {value}" for name, value in series.items()]
        elif meant != label:
            parts.append(meant)
        address = line_at(described, "target") or address_of(meant)
        said = commonmark.escaped(", ".join(filter(None, parts)))
        found[label] = CitedDocument(shown=shown, address=address, description=said)
    return found


def _authors(matter: Mapping[str, Any]) -> list[str]:
    stated = matter.get("author") or []
    people = stated if isinstance(stated, list) else [stated]
    keys = ("fullname", "name", "org", "organization")
    named = ([line_at(mapping(each), key) for key in keys] for each in people)
    return [name for name in (next(filter(None, names), "") for names in named) if name]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
