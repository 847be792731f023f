"""The members that a page documents, by its headings and definitions: what a reader looks up by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb_runtime.text.members import MemberPath, typed
from kbc.chunking import signatures

_MARKS = re.compile(r"\A\s*#{1,6}\s+|(?<!\s)\s+#+\s*\Z")
_SIGNATURE_LINE = re.compile(r"(`++)(?P<code>.+?)\1\\?")
_HTML_HEADING = re.compile(
    r"^ {0,3}<h[1-6]\b[^<>\n]*>(?P<source>[^\n]*?)</h[1-6]>[ \t]*$", re.MULTILINE | re.IGNORECASE
)
# As `formats.texinfo` writes them: a heading with the name alone as code, and within a list the whole
# signature behind a bold kind.
_TEXINFO_DEFINITION = re.compile(
    r"^(?:#{1,6} [^:`\n]+: [^`\n]*(`+)(?P<name>[^`\n]+)\1[^`\n]*"
    r"|[^\w\n]*\*\*[^*\n]+:\*\* (`++)(?P<code>[^\n]+?)\3\\?)$",
    re.MULTILINE,
)


class Heading(NamedTuple):
    """A heading as the page writes it, of `level` 1 to 6 (0: the text before the first one), with the first
    lines `below` it that say something."""

    level: int
    source: str
    anchor: str
    below: Sequence[str] = ()


class SectionMembers(NamedTuple):
    """The members that a section documents, and the one that those within it belong to."""

    own: tuple[MemberPath, ...]
    owner: MemberPath


def of_sections(headings: Sequence[Heading]) -> list[SectionMembers]:
    """The members of each section. The nearest heading above that names one says whose member it is; further
    signatures stand below the heading, each a line."""
    found: list[SectionMembers] = []
    owners: list[tuple[int, MemberPath]] = []  # of the headings around, outermost first
    for heading in headings:
        while owners and owners[-1][0] >= heading.level:
            owners.pop()
        owner = owners[-1][1] if owners else ()
        own = _named(heading) if heading.level else ()
        anchor = heading.anchor if len(own) == 1 else ""
        names = [name for path in own for name in signatures.qualified(path, owner, anchor)]
        if names:
            owner = names[-1]
            owners.append((heading.level, owner))
            names += _further(heading.below, own, names[0])
        found.append(SectionMembers(tuple(dict.fromkeys(names)), owner))
    return found


def _named(heading: Heading) -> tuple[MemberPath, ...]:
    """The members in a heading. One that is a single word counts if the code below declares it."""
    text = _MARKS.sub("", heading.source).strip()
    own = signatures.of_heading(text)
    if own or not heading.below or not heading.below[0].startswith("`"):
        return own
    word = typed(text)
    is_declared = len(word) == 1 and re.search(
        rf"(?<![\w.]){re.escape(word[0])}\s*\(", " ".join(heading.below)
    )
    return (word,) if is_declared else ()


def _further(
    below: Sequence[str], own: Sequence[MemberPath], named: MemberPath
) -> Iterator[MemberPath]:
    """The names in the signatures below a heading, qualified as the one in the heading is."""
    around = named[: len(named) - len(own[0])]
    for line in below:
        match = _SIGNATURE_LINE.fullmatch(line)
        if match is None:
            break
        if path := signatures.of_signature(match["code"]):
            yield (*around, *path)


def defined_in(text: str, owner: MemberPath, *, is_texinfo: bool) -> list[MemberPath]:
    """The members that a part of a section defines in a heading of HTML, or as Texinfo does."""
    found: list[MemberPath] = []
    if "</h" in text.lower():
        for match in _HTML_HEADING.finditer(text):
            for path in signatures.of_heading(match["source"]):
                found += signatures.qualified(path, owner)
    if is_texinfo:
        for match in _TEXINFO_DEFINITION.finditer(text):
            code = match["name"] or match["code"]
            if path := signatures.of_signature(code) or typed(code.split()[0]):
                found.append(path)
    return found
