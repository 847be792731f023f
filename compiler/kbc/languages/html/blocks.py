"""Blocks of HTML in pages of Markdown, whose lines may be indented as the elements are: without their tags
these lines would be code."""

from __future__ import annotations

import re
from collections.abc import Collection

from kb_runtime.text.unshown import without
from kbc.languages import markdown
from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes.fenced import FENCE, INDENTED_CODE, after_fence, indentation
from kbc.languages.mdx.syntax import code_spans

_VERBATIM = re.compile(r"<(pre|script|style|textarea)(?=[\s>])")


def flattened(source: str, names: Collection[str]) -> str:
    """A page with the lines of each block of HTML indented no more than the first one. A block begins with a
    tag of one of `names` at the beginning of a line, and ends at an empty line or at code."""
    begins = re.compile(rf"[ \t]*</?(?i:{'|'.join(names)})(?=[\s/>])")
    start = front_matter_end(source)
    first_line = source.count("\n", 0, start) + 1
    code_lines: frozenset[int] | None = None
    lines: list[str] = []
    marks = ending = ""
    width = -1  # of the first line of the block; -1 outside of blocks
    prose = without(source, code_spans(source)) if _VERBATIM.search(source, start) else source
    both = zip(source[start:].split("\n"), prose[start:].split("\n"), strict=True)
    for number, (line, text) in enumerate(both, first_line):
        opening = None if marks or ending else FENCE.match(line)
        was_code = bool(marks or opening)
        marks = after_fence(marks, line, opening) if not ending else ""
        if was_code or ending:
            width = -1
            ending = "" if ending and ending in line else ending
            lines.append(line)
            continue
        if not line.strip():
            width = -1
        elif width < 0 and begins.match(line):
            width = indentation(line)
            if width >= INDENTED_CODE:
                code_lines = markdown.parse(source).code_lines if code_lines is None else code_lines
                width = -1 if number in code_lines else width
        elif 0 <= width < indentation(line):
            line = " " * width + line.lstrip(" \t")
        if (verbatim := _VERBATIM.search(text)) and f"</{verbatim[1]}" not in text:
            ending = f"</{verbatim[1]}"
        lines.append(line)
    return source[:start] + "\n".join(lines)
