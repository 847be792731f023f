"""Bounds on one input file.

Input is other people's files: damaged, generated, or made to harm. What is beyond these bounds is refused
or shortened, with a diagnostic that names the file; files that people write stay far below them.
"""

from __future__ import annotations

import re
from itertools import accumulate

MAX_FILE_BYTES = 16 * 1024 * 1024
"""A knowledge base is text that people read."""

MAX_CONVERTED_BYTES = 64 * 1024 * 1024
"""Of a file of another format, whose pictures do not end up in the knowledge base."""

MAX_LINE_CHARS = 1_000_000
"""Of Markdown and plain text: a longer line is data. HTML and JSON Lines have whole pages on a line."""

MAX_TITLE_CHARS = 1_000
"""A longer heading is a paragraph: its beginning is the title, its text stays what it is. Each chunk below
a heading repeats the title."""

MAX_INLINE_CHARS = 4_000
"""Longer inline Markdown is taken as it is: markdown-it's emphasis and link rules can be quadratic."""

MAX_LINK_LINE_CHARS = 20_000
"""A longer line is data, and not worth a quadratic look for links."""

MAX_HTML_DEPTH = 120
"""Elements that nest deeper keep their text only: a page that a person wrote has up to 60 levels, and the
conversion recurses."""

MAX_COLLECTIONS = 1_000
"""Each is a scope of search with files of its own in the artifact."""

MAX_TOML_DEPTH = 100
MAX_TOML_KEY_PARTS = 100
"""tomllib recurses into values, and takes memory for the square of the parts of a dotted key."""

MAX_INTEGER_DIGITS = 4_300
"""Python's own bound: a conversion takes time for the square of the digits."""

MAX_FRONT_MATTER_CHARS = 256 * 1024
"""A second of PyYAML."""

# A backslash outside of strings is passed with what it is before, or each of many quotes behind one begins a
# string that is looked through to the end of the line.
_STRINGS = re.compile(r'\\.|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_DOTS = re.compile(r"(?<=[\w\"'-])[ \t]*\.[ \t]*(?=[\w\"'-])")
_DIGITS = re.compile(rf"[0-9_]{{{MAX_INTEGER_DIGITS + 1},}}")


def short_title(text: str) -> str:
    """`text` cut to `MAX_TITLE_CHARS`."""
    return text if len(text) <= MAX_TITLE_CHARS else text[: MAX_TITLE_CHARS - 1] + "…"


def toml_excess(text: str) -> tuple[str, int] | None:
    """What about TOML is beyond its bounds, with the 1-based line; None for what may be parsed."""
    depth = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MAX_TOML_KEY_PARTS:
            keys = re.split(r"[=,{}\[\]]", _STRINGS.sub("q", line))
            if any(len(_DOTS.findall(key)) >= MAX_TOML_KEY_PARTS for key in keys):
                return f"a key has more than {MAX_TOML_KEY_PARTS} parts", number
        if len(line) > MAX_INTEGER_DIGITS and _DIGITS.search(_STRINGS.sub("", line)):
            return f"a number has more than {MAX_INTEGER_DIGITS:,} digits", number
        if "[" in line or "{" in line or depth:
            bare = _STRINGS.sub("", line)
            steps = [(char in "[{") - (char in "]}") for char in bare if char in "[]{}"]
            if max(accumulate(steps, initial=depth)) > MAX_TOML_DEPTH:
                return f"values are nested more than {MAX_TOML_DEPTH} deep", number
            depth = max(0, depth + sum(steps))
    return None
