"""Prepares MediaWiki's markup for pandoc, whose reader gives up on a few things that MediaWiki allows."""

from __future__ import annotations

import re

from kbc.formats import commonmark

_TOKEN = re.compile(
    r"\n(?P<marker>[*#:; ]?)|<!--|-->"
    r"|<(?P<end>/?)(?P<name>nowiki|pre|source|syntaxhighlight|code|tt|math|ref|img)(?P<rest>\b[^<>]*)>",
    re.IGNORECASE,
)
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.IGNORECASE)
_HEADING = re.compile(r"(={1,6})(.+?)\1\s*")


def prepared(text: str) -> str:
    """The same document: each reference that begins in a list on one line, without attributes, which need
    not be well formed; an image in HTML as its alternative text."""
    parts: list[str] = []
    end = 0
    is_list = text[:1] in tuple("*#:; ")
    in_reference = False
    verbatim = ""
    for token in _TOKEN.finditer(text):
        parts.append(text[end : token.start()])
        end = token.end()
        name = (token["name"] or token[0]).lower()
        written = token[0]
        if verbatim:
            verbatim = "" if name == verbatim and token["end"] != "" else verbatim
        elif written == "<!--":
            verbatim = "-->"
        elif token["marker"] is not None:
            if not in_reference:
                is_list = token["marker"] != ""
            elif is_list:
                written = f" {token['marker']}"
        elif name == "img":
            alternative = _ALT.search(token["rest"])
            written = next(filter(None, alternative.groups()), "") if alternative else ""
        elif name == "ref":
            if not token["rest"].endswith("/"):
                in_reference = not token["end"]
                written = f"<{token['end']}ref>"
        elif name != "-->" and not token["end"] and not token["rest"].endswith("/"):
            verbatim = name
        parts.append(written)
    return "".join([*parts, text[end:]])


def as_written(text: str) -> str:
    """A document that pandoc cannot read: its headings, and its other lines as they are written."""
    blocks: list[list[str]] = []
    for block in text.split("\n\n"):
        lines: list[str] = []
        for line in block.split("\n"):
            if heading := _HEADING.fullmatch(line):
                title = commonmark.escaped(heading[2].strip())
                blocks += [commonmark.paragraph("\n".join(lines))]
                blocks += [commonmark.heading(len(heading[1]), title)]
                lines = []
            else:
                lines.append(commonmark.escaped(line))
        blocks.append(commonmark.paragraph("\n".join(lines)))
    return commonmark.document(commonmark.blocks(blocks))
