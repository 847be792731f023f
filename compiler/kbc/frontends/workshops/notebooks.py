"""The text of notebooks in exercises, with the solutions that their cells mark or without."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from kbc.formats import notebook
from kbc.formats.document import FormatError
from kbc.project.source_file import decode_any
from kbc.project.well_formed import json_value, mapping, sequence, texts

_MARK = re.compile(r"\s*+#++[ ]*+(BEGIN|END) SOLUTION\b")
_TAGS = frozenset({"solution", "solutions"})


def notebook_text(path: str, data: bytes, *, is_solved: bool) -> str:
    """A notebook as it is read; without solutions unless it `is_solved`. What is none stays as it is."""
    book = json_value(decode_any(data))
    if not is_solved and isinstance(book, dict):
        cells = [_unsolved(mapping(cell)) for cell in sequence(book.get("cells"))]
        data = json.dumps({**book, "cells": cells}).encode()
    try:
        return notebook.convert(path, data, lambda _: None).text
    except FormatError:
        return decode_any(data)


def _unsolved(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell without what nbgrader takes out of it for learners: marked lines, or else all of a solution."""
    metadata = mapping(cell.get("metadata"))
    source = "".join(texts(cell.get("source")))
    left = _without_marked(source)
    is_solution = mapping(metadata.get("nbgrader")).get("solution") is True
    is_solution |= not _TAGS.isdisjoint(texts(metadata.get("tags")))
    if left == source and not is_solution:
        return dict(cell)
    return {**cell, "source": left if left != source else "", "outputs": []}


def _without_marked(source: str) -> str:
    """The lines of a cell without those between marks; a mark that nothing ends takes nothing out."""
    kept: list[str] = []
    marked: list[str] | None = None
    for line in source.splitlines(keepends=True):
        mark = _MARK.match(line)
        if marked is None and mark and mark[1] == "BEGIN":
            marked = []
        if marked is None:
            kept.append(line)
        else:
            marked.append(line)
        if marked is not None and mark and mark[1] == "END":
            marked = None
    return "".join([*kept, *(marked or ())])
