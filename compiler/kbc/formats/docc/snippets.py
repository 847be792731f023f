"""Snippets of Swift packages: files of code with comments that name parts, and hide others."""

from __future__ import annotations

import re
from textwrap import dedent

_MARK = re.compile(r"\s*//\s*snippet\.(?P<name>[\w.-]+)\s*$")
_DESCRIPTION = re.compile(r"\s*//!")


def part(text: str, slice: str) -> str:
    """The part that begins at `// snippet.` with the name of the `slice`; all of the code without one.
    What is hidden and the marks are left out. Raises `ValueError` where there is no such part."""
    lines: list[str] = []
    is_hidden = is_found = False
    is_inside = not slice
    for line in text.rstrip("\n").split("\n"):
        mark = _MARK.match(line)
        if mark is None:
            if is_inside and not is_hidden and not _DESCRIPTION.match(line):
                lines.append(line)
        elif mark["name"] in ("hide", "show"):
            is_hidden = mark["name"] == "hide"
        elif slice:
            is_inside = mark["name"] == slice
            is_found = is_found or is_inside
    if slice and not is_found:
        raise ValueError(f"the file has no part {slice!r}")
    while lines and not lines[0].strip():
        del lines[0]
    return dedent("\n".join(lines)).rstrip()
