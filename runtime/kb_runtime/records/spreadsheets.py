"""Reads the cells of a spreadsheet (`.xlsx`) as text: Office Open XML, ECMA-376 part 1, chapter 18."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

_MOST_BYTES = 100 << 20
"""Of a part when it is unpacked. A few kilobytes can be packed that fill any memory."""
_MOST_COLUMNS = 1 << 14
"""Of a sheet, by the standard."""
_MOST_ROWS = 1 << 20
"""Of a sheet, by the standard."""
_MOST_CELLS = 10_000_000
"""Of all sheets, with the empty ones before others in their rows: a few bytes can state the last column."""
_SHARED = "xl/sharedStrings.xml"
_BOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class SpreadsheetError(ValueError):
    """The file is no spreadsheet that can be read."""


def sheets(data: bytes) -> Iterator[tuple[str, list[list[str]]]]:
    """The name and the rows of each sheet, in the order of their files; formulas have the value that was
    stored with them, and a sheet that the workbook does not name is called "". Raises `SpreadsheetError`."""
    if data.startswith(_OLE):
        raise SpreadsheetError("it is encrypted, or in the format of Excel before 2007")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            parts = [name for name in names if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)]
            if not parts:
                raise SpreadsheetError("it has no sheets")
            shared = _shared(archive) if _SHARED in names else []
            titles = _titles(archive) if {_BOOK, _RELATIONS} <= {*names} else {}
            cells = 0
            for name in sorted(parts, key=lambda name: (len(name), name)):
                rows = []
                for row in _rows(_content(archive, name), shared):
                    cells += len(row)
                    if cells > _MOST_CELLS:
                        raise SpreadsheetError(f"it has more than {_MOST_CELLS:,} cells")
                    rows.append(row)
                yield titles.get(name, ""), rows
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise SpreadsheetError("it is damaged, or not a spreadsheet") from error
    except (ElementTree.ParseError, ValueError, IndexError) as error:
        if isinstance(error, SpreadsheetError):
            raise
        raise SpreadsheetError(f"it is damaged: {error}") from error


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as part:
        content = part.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise SpreadsheetError(f"{name} has more than {_MOST_BYTES >> 20} MB")
    text = content.decode("utf-8-sig")  # in UTF-16 a document type has other bytes
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise SpreadsheetError(f"{name} has a document type")
    return content


def _titles(archive: zipfile.ZipFile) -> dict[str, str]:
    """The names of sheets by their files: the workbook lists them by relation."""
    files = {
        each.get("Id"): f"xl/{each.get('Target', '').removeprefix('/xl/')}"
        for each in _elements(_content(archive, _RELATIONS), "Relationship")
    }
    found = {}
    for sheet in _elements(_content(archive, _BOOK), "sheet"):
        relation = next((value for name, value in sheet.items() if name.endswith("}id")), None)
        found[files.get(relation, "")] = sheet.get("name", "").strip()
    return found


def _elements(content: bytes, name: str) -> Iterator[ElementTree.Element]:
    """Those of a name, whatever its namespace, one at a time: all take ten times the memory of the text."""
    # Text, as `_content` has checked it: of bytes, the parser would believe the encoding that they declare.
    text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig")
    for _, element in ElementTree.iterparse(text):
        if element.tag.rpartition("}")[2] == name:
            yield element
            element.clear()


def _shared(archive: zipfile.ZipFile) -> list[str]:
    return [_text(item) for item in _elements(_content(archive, _SHARED), "si")]


def _text(item: ElementTree.Element) -> str:
    """A string of runs, without the reading aids that are stored beside those (`rPh`)."""
    runs = [*item.iterfind("{*}t"), *item.iterfind("{*}r/{*}t")]
    return "".join(run.text or "" for run in runs)


def _rows(sheet: bytes, shared: list[str]) -> Iterator[list[str]]:
    for number, row in enumerate(_elements(sheet, "row")):
        if number == _MOST_ROWS:
            raise SpreadsheetError(f"it has a sheet of more than {_MOST_ROWS:,} rows")
        cells: list[str] = []
        for cell in row.iterfind("{*}c"):
            column = _column(cell.get("r", "")) or len(cells)
            cells += [""] * (column - len(cells))
            cells.append(_value(cell, shared))
        yield cells


def _column(reference: str) -> int:
    """The place of `C7` in its row, from 0; 0 without a reference."""
    number = 0
    for letter in re.match(r"[A-Z]{0,3}", reference)[0]:  # type: ignore[index]
        number = number * 26 + ord(letter) - 64
    if number > _MOST_COLUMNS:
        raise SpreadsheetError(f"the cell {reference} is in no column that a sheet can have")
    return max(number - 1, 0)


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    kind = cell.get("t")
    if kind == "inlineStr":
        inline = cell.find("{*}is")
        return _text(inline) if inline is not None else ""
    value = cell.findtext("{*}v") or ""
    if kind == "s":
        return shared[int(value)] if value else ""
    if kind in (None, "n") and re.fullmatch(r"-?[0-9]+\.0+", value):
        return value.partition(".")[0]
    return "" if kind == "e" else value
