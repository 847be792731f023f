"""Scripts of sphinx-gallery: Python whose docstring and marked comments are reStructuredText.

Comments are text below a line `# %%` or one of twenty marks or more; all else is code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from textwrap import dedent

from kbc.formats.document import Converted, DocumentProblem, LabelTarget, Read, decode
from kbc.formats.loading import parse_python
from kbc.formats.rst import reader

_MARK = re.compile(r"#{20,}.*|# ?%%.*")
_SETTING = re.compile(r"\s*#\s*sphinx_gallery_(?P<name>\w+)(?:\s*=.*)?\s*$")
_START, _END = "start_ignore", "end_ignore"
_CODE = ("", ".. code-block:: python", "")

_Line = tuple[int, str]
"""A line of text with the number that it has in the script."""


def convert(
    path: str, data: bytes, read: Read, labels: Mapping[str, LabelTarget] | None = None
) -> list[Converted]:
    """The page of a script; none of one without a docstring, which is no example. Raises `FormatError` for
    what is not Python."""
    source = decode(data)
    body = parse_python(source)
    docstring = body[0].value if body and isinstance(body[0], ast.Expr) else None
    if not isinstance(docstring, ast.Constant) or not isinstance(docstring.value, str):
        return []
    lines = list(_lines(source, docstring))
    text = "\n".join(line for _, line in lines)
    found = reader.convert(path, text.encode("utf-8", "surrogatepass"), read, labels)
    numbers = [0, *(number for number, _ in lines)]

    def placed(problem: DocumentProblem) -> DocumentProblem:
        return replace(problem, line=numbers[min(problem.line, len(lines))])

    return [replace(found, problems=tuple(map(placed, found.problems)))]


def _lines(source: str, docstring: ast.Constant) -> Iterator[_Line]:
    """The lines of the script in reStructuredText."""
    yield from enumerate(str(docstring.value).split("\n"), docstring.lineno)
    for is_text, part in _parts(source.split("\n"), docstring.end_lineno or 0):
        if not any(line.strip() for _, line in part):
            continue
        number = part[0][0]
        yield from ((number, each) for each in (("",) if is_text else _CODE))
        plain = dedent("\n".join(line for _, line in part)).split("\n")
        for (at, _), line in zip(part, plain, strict=True):
            yield at, line if is_text else f"    {line}"
        yield part[-1][0], ""


def _parts(lines: list[str], start: int) -> Iterator[tuple[bool, list[_Line]]]:
    """Whether it is text, and the lines of each part below the first `start` lines, without the settings of
    sphinx-gallery and what they hide."""
    part: list[_Line] = []
    is_text = is_hidden = False
    for number, line in enumerate(lines[start:], start + 1):
        if setting := _SETTING.match(line):
            is_hidden = setting["name"] == _START or (is_hidden and setting["name"] != _END)
        if setting or is_hidden:
            continue
        begins = _MARK.match(line) is not None
        if begins or (is_text and not line.startswith("#")):
            yield is_text, part
            part, is_text = [], begins
        if not begins:
            part.append((number, line[1:] if is_text else line))
    yield is_text, part
