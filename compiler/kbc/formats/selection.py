"""The part of an included file that a directive asks for: by lines, by texts, by Python object."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from kbc.formats.document import FormatError, Read
from kbc.formats.loading import parse_python
from kbc.project.include_tree import folders_above
from kbc.project.source_file import resolved_path

MAX_LINES = 1_000_000


def line_numbers(ranges: str, count: int) -> list[int]:
    """The 1-based lines of `1,3-5,8-` (separators `,` and `;`, ranges with `-` or `..`), in order.

    Raises `ValueError` for what is no range.
    """
    found: list[int] = []
    for part in re.split(r"[,;]", ranges.strip().strip('"')):
        match = re.fullmatch(r"\s*(\d*)\s*(?:(-|\.\.)\s*(-?\d*))?\s*", part)
        if match is None or not (match[1] or match[2]):
            raise ValueError(f"{part.strip()!r} is not a range of lines")
        first = last = int(match[1] or 1)
        if match[2]:
            last = count if match[3] in ("", "-1") else int(match[3])
        found.extend(range(max(first, 1), min(last, count) + 1))
        if len(found) > MAX_LINES:
            raise ValueError(f"{ranges!r} names more than {MAX_LINES:,} lines")
    return found


def select(text: str, options: Mapping[str, str]) -> str:
    """The part of `text` that the options of Sphinx's `literalinclude` select.

    Raises `ValueError` where an option matches nothing.
    """
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    if name := options.get("pyobject"):
        lines = _python_object(text, lines, name)
    if "lines" in options:
        lines = [lines[number - 1] for number in line_numbers(options["lines"], len(lines))]
    start, end = 0, len(lines)
    for option, offset in (("start-at", 0), ("start-after", 1)):
        if wanted := options.get(option):
            start = _index(lines, wanted, 0, option) + offset
    for option, offset in (("end-at", 1), ("end-before", 0)):
        if wanted := options.get(option):
            end = _index(lines, wanted, start, option) + offset
    lines = lines[start:end]
    if "dedent" in options:
        lines = dedented(lines, options["dedent"])
    if "prepend" in options:
        lines.insert(0, options["prepend"])
    if "append" in options:
        lines.append(options["append"])
    return "\n".join(lines)


def dedented(lines: list[str], columns: str) -> list[str]:
    """Without `columns` leading blanks; "": without those that all lines share."""
    if columns.strip():
        return [line[int(columns) :] for line in lines]
    return dedent("\n".join(lines)).split("\n") if lines else []


def _index(lines: list[str], wanted: str, start: int, option: str) -> int:
    for index in range(start, len(lines)):
        if wanted in lines[index]:
            return index
    raise ValueError(f"no line has the `{option}` text {wanted!r}")


def _python_object(text: str, lines: list[str], name: str) -> list[str]:
    try:
        body = parse_python(text)
    except FormatError:
        raise ValueError(f"the file of the object {name!r} is not Python source") from None
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next((node for node in body if getattr(node, "name", None) == part), None)
        if found is None:
            raise ValueError(f"the file has no object {name!r}")
        body = getattr(found, "body", [])
    assert found is not None
    decorators = [node.lineno for node in getattr(found, "decorator_list", [])]
    return lines[min([found.lineno, *decorators]) - 1 : found.end_lineno]


def candidates(path: str, target: str) -> Iterator[str]:
    """The paths of the tree that `target`, written in the file `path`, can mean.

    Relative to the file's folder; with a leading slash relative to the documentation's root, which is
    one of the folders above the file.
    """
    if not target.startswith("/"):
        yield resolved_path(target, path)
        return
    inner = posixpath.normpath(target.lstrip("/"))
    yield from (posixpath.join(folder, inner) for folder in folders_above(path))


def read_target(path: str, target: str, read: Read) -> tuple[str, bytes] | None:
    """The path and bytes of the first of `candidates` that there is."""
    found = ((place, read(place)) for place in candidates(path, target))
    return next(((place, data) for place, data in found if data is not None), None)
