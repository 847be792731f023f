"""Refuses files with lines that nobody wrote: minified code, data, pictures as text."""

from __future__ import annotations

from kbc.diagnostics import Diagnostics
from kbc.limits import MAX_LINE_CHARS


def has_long_line(text: str, path: str, diagnostics: Diagnostics) -> bool:
    """Whether a line is longer than `MAX_LINE_CHARS`; reports it."""
    if len(text) <= MAX_LINE_CHARS:
        return False
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_LINE_CHARS:
            diagnostics.warning(
                "file-line-too-long",
                f"a line has {len(line):,} characters, more than {MAX_LINE_CHARS:,}; the file was left"
                " out",
                path,
                number,
                hint="Break the line, or exclude the file with `exclude`.",
            )
            return True
    return False
