"""Parses files of test cases, by their ending, into what `cases.normalise` takes.

JSON is taken as it is, also one value a line. Tables have a header that names their columns (`case_tables`).
XML is the report of a test runner, and TAP its lines. A feature has a test for each scenario; specifications
of Gauge and suites of Robot Framework are read as they are written.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from kb_runtime.records.outcomes import COLOUR

ENDINGS = (
    *(".json", ".ndjson", ".csv", ".xlsx", ".xml", ".trx", ".tap"),
    *(".feature", ".robot", ".spec", ".bru", ".md"),
)

MAX_CELL_CHARS = 1 << 20
_TITLE_ROWS = 20
"""Rows of a sheet that may stand above its header: a title, a version, a date."""

_REFERENCE = re.compile(r"&#(x[0-9A-Fa-f]{1,4}|[0-9]{1,4});")
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Programs that run tests write what a test printed, in colours, and XML cannot hold."""
_DOCUMENT_TYPE = re.compile(r"(?:\s|<\?(?>.*?\?>)|<!--(?>.*?-->))*<!DOCTYPE", re.DOTALL)
_XML_ENCODING = re.compile(
    rb"""(?:\xef\xbb\xbf)?<\?xml[^>]{1,99}?\sencoding=["']([\w.-]{1,40})["']"""
)


class CaseFileError(ValueError):
    """The file cannot be parsed; `line` and `column` count from 1, 0 where they are not known. With
    `is_other` it is well-formed, and something else than test cases."""

    def __init__(
        self, message: str, line: int = 0, column: int = 0, *, is_other: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.is_other = is_other


def parse(name: str, data: bytes) -> Any:
    """What the file called `name` holds. Raises `CaseFileError`."""
    ending = name.rpartition(".")[2].lower()
    if ending == "xlsx":
        return _spreadsheet(data)
    text = _text(data)
    if ending == "csv":
        return _csv(text)
    if ending in ("xml", "trx"):
        return {"tests": _report(text)}
    if ending == "tap":
        return {"tests": _lines_of_tap(text, name)}
    if ending in ("feature", "robot", "spec", "bru", "md"):
        return {"tests": _written(text, name, ending)}
    return _json(text)


def _text(data: bytes) -> str:
    """As UTF-8, as what XML states, or as UTF-16, in which shells of Windows write what a program prints."""
    stated = _XML_ENCODING.match(data)
    encoding = stated[1].decode() if stated else "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        return str(data, encoding).removeprefix("\ufeff")
    except (UnicodeError, LookupError) as error:
        named = "UTF-8" if encoding == "utf-8-sig" else encoding
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        raise CaseFileError(
            f"the file is not {named} text",
            data.count(b"\n", 0, start) + 1,
        ) from None


def _json(text: str) -> Any:
    if not text.strip():
        raise CaseFileError("the file is empty")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if (lines := _json_lines(text)) is not None:
            return lines
        raise CaseFileError(f"not valid JSON: {error.msg}", error.lineno, error.colno) from None
    except RecursionError:
        raise CaseFileError("the JSON nests too deeply") from None
    except ValueError:  # Python converts no number of more than some thousand digits
        raise CaseFileError("the JSON holds a number that is too long") from None


def _json_lines(text: str) -> list[Any] | None:
    """The values of JSON Lines, as `go test -json` writes them; None where a line is none."""
    lines = text.split("\n")  # JSON has other line ends in its texts
    try:
        return [json.loads(line) for line in lines if line.strip()] if len(lines) > 1 else None
    except (ValueError, RecursionError):
        return None


def _lines_of_tap(text: str, name: str) -> list[dict[str, Any]]:
    from kb_runtime.records.streams import tap

    found = tap.records(COLOUR.sub("", text), name)
    if found is None:
        message = "there is no line of TAP, such as `1..4` or `ok 1 - starts`"
        raise CaseFileError(message, is_other=True)
    return found


def _written(text: str, name: str, ending: str) -> list[dict[str, Any]]:
    """The tests of a file in which people write them."""
    from kb_runtime.records import bruno, gherkin, markdown_cases, robot_suites
    from kb_runtime.records.written import gauge

    plain = {"bru": bruno.records, "md": markdown_cases.records, "spec": gauge.records}
    if ending in plain:
        return plain[ending](text, name)
    read = gherkin.records if ending == "feature" else robot_suites.records
    try:
        return read(text, name)
    except gherkin.WrittenTestsError as error:
        raise CaseFileError(str(error), error.line) from None


def _csv(text: str) -> dict[str, Any]:
    import csv
    import io

    from kb_runtime.records.case_tables import is_header, tests

    # The separator is the one that the header has most often: titles and steps have all of them.
    head = text.partition("\n")[0]
    separator = max(",;\t|", key=head.count)
    csv.field_size_limit(MAX_CELL_CHARS)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begin = 1

    def counted() -> Iterator[list[str]]:
        nonlocal begin
        for row in rows:
            begin = rows.line_num + 1
            yield row

    try:
        header = next(rows, [])
        if not is_header(header):
            raise CaseFileError(
                f"the header names no column with identifiers or titles: {', '.join(header)[:200]}",
                1,
                is_other=True,
            )
        begin = rows.line_num + 1
        return tests(header, counted())
    except csv.Error as error:
        if "unexpected end" in str(error):  # a quote takes all of the rest into one cell
            raise CaseFileError(
                "not valid CSV: a quote in this row is never closed", begin
            ) from None
        raise CaseFileError(f"not valid CSV: {error}", rows.line_num) from None


def _spreadsheet(data: bytes) -> dict[str, Any]:
    """The tests of all sheets that have a header. Raises `CaseFileError`."""
    from kb_runtime.records.case_tables import is_header, joined, tests
    from kb_runtime.records.spreadsheets import SpreadsheetError, sheets

    tables: list[tuple[str, dict[str, Any]]] = []
    try:
        for name, rows in sheets(data):
            head = next((at for at, row in enumerate(rows[:_TITLE_ROWS]) if is_header(row)), None)
            if head is not None:
                tables.append((name, tests(rows[head], rows[head + 1 :])))
    except SpreadsheetError as error:
        raise CaseFileError(f"the spreadsheet cannot be read: {error}") from None
    if not tables:
        raise CaseFileError(
            f"no sheet has a header with identifiers or titles in its first {_TITLE_ROWS} rows",
            is_other=True,
        )
    return joined(tables)


def _report(text: str) -> list[dict[str, Any]]:
    from xml.etree import ElementTree

    from kb_runtime.records import xml_reports

    text = _NOT_IN_XML.sub("", COLOUR.sub("", _REFERENCE.sub(_character, text)))
    # Declared entities can make a small file very large, and no report has any.
    if _DOCUMENT_TYPE.match(text):
        raise CaseFileError("XML with a document type is not read")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        message = error.msg.partition(": line ")[0]  # of Python, which counts columns from 0
        raise CaseFileError(f"not valid XML: {message}", line, column + 1) from None
    try:
        tests = xml_reports.records(root)
    except RecursionError:
        raise CaseFileError("the XML nests too deeply") from None
    if tests is None:
        raise CaseFileError(f"<{root.tag}> is not the root of a test report", 1, is_other=True)
    return tests


def _character(reference: re.Match[str]) -> str:
    """What a numeric reference stands for where it is a control character, else the reference."""
    digits = reference[1].lower()
    number = int(digits[1:], 16) if digits[0] == "x" else int(digits)
    return chr(number) if number < 32 and chr(number) not in "\t\n\r" else reference[0]
