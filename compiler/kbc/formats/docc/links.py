"""Links of DocC in Markdown: `<doc:Name#Heading>`, `[text](doc:Name)`, `[text](#Heading-as-Written)`."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter

from kbc.formats.docc.directives import kept
from kbc.formats.docc.page import DEFINITION, CataloguePage

_KEPT = r"(?P<kept>(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)*?(?<!`)(?P=ticks)(?!`)|<!--.*?-->|\\[<\[])"
_TEXT = r"(?:[^\[\]\n\\`]|\\.|`[^`\n]*`|\[[^\[\]\n]*\]|\n(?![ \t]*\n))*"
_FOUND = re.compile(
    rf"{_KEPT}"
    r"|<doc:(?P<bare>(?:->|[^<>\s]|[ ])+)>"
    rf"|(?<!!)\[(?P<text>{_TEXT})\]"
    r"\((?P<open><)?(?:doc:(?P<target>(?:[^\s()<>]|\([^\s()<>]*\))*)"
    r"|#(?P<anchor>(?:[^\s()<>]|\([^\s()<>]*\))+))(?(open)>)"
    r"(?P<title>[ \t]+\"[^\"\n]*\")?\)"
    rf"|{DEFINITION}",
    re.DOTALL | re.MULTILINE,
)
_USED = re.compile(
    rf"{_KEPT}|(?<![!\]])\[(?P<text>{_TEXT})\](?:\[(?P<used>[^\[\]\n]*)\])?(?![(\[:])", re.DOTALL
)


def linked(text: str, page: CataloguePage) -> str:
    """The text with links that lead to files and anchors; code is left as it is."""
    if "doc:" not in text and "](" not in text and not page.dead_labels:
        return text
    lines = text.split("\n")
    shown: list[str] = []
    for is_kept, group in groupby(zip(kept(lines), lines, strict=True), itemgetter(0)):
        stretch = "\n".join(line for _, line in group)
        if not is_kept and page.dead_labels:
            stretch = _USED.sub(lambda match: _used(match, page), stretch)
        shown.append(stretch if is_kept else _FOUND.sub(lambda match: _shown(match, page), stretch))
    return "\n".join(shown)


def _shown(match: re.Match[str], page: CataloguePage) -> str:
    if match["kept"] is not None:
        return match[0]
    if match["bare"] is not None:
        return page.shown(match["bare"])
    if match["label"] is not None:
        found = page.resolved(match["reference"])
        return f"{match['label']}{found[1]}" if found else ""
    if match["anchor"] is not None:
        return f"[{match['text']}](#{page.anchor(match['anchor'])}{match['title'] or ''})"
    return page.shown(match["target"], match["text"])


def _used(match: re.Match[str], page: CataloguePage) -> str:
    """The text alone of a link to what a page defines as a name that leads nowhere."""
    if match["kept"] is not None:
        return match[0]
    label = match["used"] or match["text"]
    return match["text"] if label.casefold() in page.dead_labels else match[0]
