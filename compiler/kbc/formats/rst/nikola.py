"""Pages of Nikola: metadata in comments above the text (`.. title: Name`), of which the title is shown."""

from __future__ import annotations

import re

from docutils import nodes

_METADATA = re.compile(
    r"(?:\s*\.\.[ \t]+(?!title:)[\w-]+:(?:[ \t].*)?\n)*\s*\.\.[ \t]+title:[ \t]+(\S.*)"
)


def title_of(text: str) -> str:
    """The title in the comments that a page begins with; "" without one."""
    match = _METADATA.match(text)
    return match[1].strip() if match else ""


def give_title(document: nodes.document, title: str) -> None:
    """Puts all of a page below its title, as its site does, where it has text and does not say it itself."""
    first = next(iter(document.findall(nodes.title)), None)
    if first is not None and first.astext() == title:
        return
    if all(isinstance(each, nodes.comment) for each in document):
        return
    section = nodes.section("", nodes.title("", "", nodes.Text(title)), ids=["page-title"])
    section += list(document)
    document[:] = [section]
