"""Python Enhancement Proposals: the header of a PEP, in the style of RFC 2822, as its title and fields."""

from __future__ import annotations

import re
from collections.abc import Mapping

from docutils import nodes

_HEADER = re.compile(r"PEP:[ \t]*(\d+)[ \t]*\n(?:.+\n)*?Title:[ \t]*(\S.*)")
_ADDRESS = re.compile(r"\s*<[^<>]*>|,\s*\Z")


def is_pep(text: str) -> bool:
    """Whether a file begins with the header of a PEP."""
    return _HEADER.match(text) is not None


def title_of(text: str) -> str:
    """The title that a PEP's site gives it, as reStructuredText; "" for other files."""
    match = _HEADER.match(text)
    return f"PEP {int(match[1])} – {match[2].strip()}" if match else ""


def give_title(document: nodes.document) -> None:
    """Puts all of a PEP below its title, as its site does. Its header remains a list of fields, without
    what is in the title; the attribute `headers` of the document has their texts by name."""
    header = next((each for each in document if isinstance(each, nodes.field_list)), None)
    if header is None:
        return
    fields = {each[0].astext().strip().lower(): each for each in header.findall(nodes.field)}
    if "title" not in fields:
        return
    number, title = (fields.pop(name)[1] for name in ("pep", "title"))
    words = [child.deepcopy() for each in title.findall(nodes.paragraph) for child in each]
    start = nodes.Text(f"PEP {int(number.astext())} – ")
    section = nodes.section("", nodes.title("", "", start, *words), ids=["pep-content"])
    header[:] = list(fields.values())
    section += list(document)
    document[:] = [section]
    document["headers"] = {name: field[1].astext() for name, field in fields.items()}


def author_and_date(headers: Mapping[str, str]) -> tuple[str, str]:
    """What the header of a PEP says of both, the author without addresses; "" where it says nothing."""
    author = _ADDRESS.sub("", headers.get("author", ""))
    return " ".join(author.split()), headers.get("created", "")
