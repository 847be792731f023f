"""Scripts of Julia whose comments are Markdown, of which Literate.jl makes pages: their text and code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbc.formats import commonmark

ENDING = ".jl"
_HEADING = re.compile(r"^# #{1,6} \S", re.MULTILINE)
_FOR_OTHERS = re.compile(r"(?:^\s*#(?:src|nb|jl|!md)\b|.*\s?#\s?(?:src|nb|jl|!md)\s*$)")
"""Lines of the script alone, of notebooks, and of what is not for pages."""

_FOR_PAGES = re.compile(r"^(\s*)#(?:md|!nb|!jl) |(?<!\s)\s*#(?:md|!nb|!jl)\s*$")
_SPLIT = re.compile(r"#[-+]")
"""How a line begins that ends a part, whatever follows."""

_COMMENT = re.compile(r"# ?$|# (?P<text>.*)$")
_COMMENT_IN_CODE = re.compile(r"^(\s*)##(?= |$)")
_OPEN, _CLOSE = "#=", "=#"


def is_literate(source: str) -> bool:
    """Whether a script has a heading in its comments."""
    return _HEADING.search(source) is not None


def page(source: str) -> str:
    """The Markdown of a script, with its code as blocks that are run."""
    blocks: list[str] = []
    for is_code, lines in _chunks(source):
        text = "\n".join(lines).strip("\n")
        if text.strip():
            blocks.append("\n".join(commonmark.fence(text, "@example")) if is_code else text)
    return "\n\n".join(blocks) + "\n"


def _chunks(source: str) -> Iterator[tuple[bool, list[str]]]:
    """(whether it is code, lines) of each part, in order."""
    lines: list[str] = []
    was_code = is_comment = False
    for stated in source.split("\n"):
        if _FOR_OTHERS.match(stated):
            continue
        line = _FOR_PAGES.sub(r"\1", stated)
        is_mark = line.rstrip() == (_CLOSE if is_comment else _OPEN)
        if is_mark or (not is_comment and _SPLIT.match(line)):
            if is_mark:
                is_comment = not is_comment
            yield was_code, lines
            lines = []
            continue
        match = _COMMENT.match(line)
        is_code = not is_comment and match is None and (bool(line.strip()) or was_code)
        if is_code != was_code:
            yield was_code, lines
            lines = []
        was_code = is_code
        if match is not None and not is_comment:
            line = match["text"] or ""
        lines.append(_COMMENT_IN_CODE.sub(r"\1#", line) if is_code else line)
    yield was_code, lines
