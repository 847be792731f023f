"""Tables of test cases: CSV and spreadsheets, with the columns of tools and of people."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

import pytest

from kb_runtime.records.case_files import CaseFileError, parse
from kb_runtime.records.cases import Case, Normalised, Step, normalise, sentences, suite_of
from kb_runtime.records.spreadsheets import sheets

Row = Sequence[str]


def read(name: str, content: bytes) -> Normalised:
    parsed = parse(name, content)
    found = normalise(parsed, suite_of(name, parsed), name)
    assert found is not None
    return found


def written(*rows: Row) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def only(*rows: Row) -> Case:
    (case,) = read("t.csv", written(*rows)).cases
    return case


def spreadsheet(*tables: Sequence[Row], names: Sequence[str] = ()) -> bytes:
    """Cells are shared strings, strings beside their cell, and numbers; empty ones are left out."""
    shared: list[str] = []
    name = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number, rows in enumerate(tables, 1):
            lines = []
            for line, row in enumerate(rows, 1):
                cells = []
                for place, value in enumerate(row):
                    cell = f"{chr(65 + place)}{line}"
                    if value.isdecimal():
                        cells.append(f'<c r="{cell}"><v>{value}.0</v></c>')
                    elif place % 2 and value:
                        inline = f"<is><r><t>{escape(value)}</t></r></is>"
                        cells.append(f'<c r="{cell}" t="inlineStr">{inline}</c>')
                    elif value:
                        cells.append(f'<c r="{cell}" t="s"><v>{len(shared)}</v></c>')
                        shared.append(f"<si><t>{escape(value)}</t><rPh><t>x</t></rPh></si>")
                lines.append(f'<row r="{line}">{"".join(cells)}</row>')
            sheet = f"{name}{''.join(lines)}</sheetData></worksheet>"
            archive.writestr(f"xl/worksheets/sheet{number}.xml", sheet)
        archive.writestr("xl/sharedStrings.xml", f"<sst>{''.join(shared)}</sst>")
        if (
            names
        ):  # listed in another order than their files, as in a workbook whose sheets were moved
            ids = [
                f'<s:sheet xmlns:s="s" xmlns:r="r" name="{n}" r:id="r{k}"/>'
                for k, n in enumerate(names, 1)
            ]
            archive.writestr("xl/workbook.xml", f"<book>{''.join(reversed(ids))}</book>")
            files = [
                f'<Relationship Id="r{k}" Target="worksheets/sheet{k}.xml"/>' for k in range(1, 9)
            ]
            archive.writestr("xl/_rels/workbook.xml.rels", f"<x>{''.join(files)}</x>")
    return file.getvalue()


def test_tables_that_people_write() -> None:
    case = only(
        ["Test Case ID *", "Test Scenario", "Pre-requisites", "Test Steps", "Expected Result (ER)"],
        ["TC_1", "Pump starts", "Tank is full", "1. Press start\n2) Wait\nfor it", "It hums"],
    )
    assert (case.uid, case.title, case.preconditions) == ("TC_1", "Pump starts", ("Tank is full",))
    assert case.steps == (
        Step(1, "Press start"),
        Step(2, "Wait\nfor it", "", ("It hums",)),
    )


def test_without_titles_the_description_begins_with_one() -> None:
    case = only(["ID", "Description"], ["C1", "Pump starts\nWith a full tank."])
    assert (case.title, case.description) == ("Pump starts", "Pump starts\nWith a full tank.")


def test_steps_that_xray_has_in_exports_of_jira() -> None:
    steps = [
        {"index": 1, "fields": {"Action": "Press", "Data": "once", "Expected Result": "hums"}},
        {"index": 2, "fields": {"Action": "Wait", "Data": "", "Expected Result": ""}},
    ]
    header = ["Issue key", "Summary", "Custom field (Manual Test Steps)"]
    case = only(header, ["PUMP-1", "Starts", json.dumps(steps)])
    assert case.steps == (Step(1, "Press", "once", ("hums",)), Step(2, "Wait"))
    assert only(header, ["PUMP-1", "Starts", "[in brackets"]).steps == (Step(1, "[in brackets"),)


def test_csv_of_azure_devops() -> None:
    case = only(
        ["ID", "Title", "Test Step", "Step Action", "Step Expected", "Area Path"],
        ["7", "Starts", "", "", "", "Pump\\Cold"],
        ["", "", "1", "Press", "hums", ""],
        ["", "", "2", "Wait", "", ""],
    )
    assert (case.uid, case.folder) == ("7", "Pump/Cold")
    assert case.steps == (Step(1, "Press", "", ("hums",)), Step(2, "Wait"))


def test_issues_of_xray_that_are_no_tests() -> None:
    rows = [
        [
            *("Issue ID", "Issue Key", "Test Type", "Test Summary", "Action", "Result"),
            *("Precondition", "Issue Type", "Gherkin Definition"),
        ],
        ["1", "", "", "The tank is full", "", "", "", "precondition", ""],
        ["2", "", "", "Winter", "", "", "", "testset", ""],
        ["3", "", "Manual", "Starts", "Press", "hums", "1", "", ""],
        ["3", "", "Manual", "", "Wait", "", "", "", ""],
        ["3", "", "Manual", "", "", "", "", "", ""],
        ["4", "PUMP-4", "Cucumber", "Stops", "", "", "1;9", "Test", "When I pull\nThen it stops\n"],
    ]
    found = read("t.csv", written(*rows))
    starts, stops = found.cases
    assert (starts.uid, starts.title, starts.preconditions) == (
        "3",
        "Starts",
        ("The tank is full",),
    )
    assert starts.steps == (Step(1, "Press", "", ("hums",)), Step(2, "Wait"))
    assert (stops.uid, stops.test_type, stops.preconditions) == ("PUMP-4", "Cucumber", ("1;9",))
    assert stops.steps == (Step(1, "When I pull", "", ("it stops",)),)
    told = sentences(found.findings)
    assert told["not-a-test"] == (
        "2 tests of another issue type, skipped: 1 (precondition), 2 (testset)"
    )
    assert told.keys() == {"not-a-test", "no-tags"}


def test_lines_of_an_action_that_are_not_all_gherkin_are_kept() -> None:
    case = only(["ID", "Title", "Action"], ["1", "Starts", "When it is cold\npress twice"])
    assert case.steps == (Step(1, "When it is cold\npress twice"),)


def test_csv_of_qase() -> None:
    case = only(
        ["v2.id", "title", "steps_actions", "steps_result", "steps_data", "suite"],
        ["7", "Starts", '1. "Press"\n2. "Wait"', '1. "hums"\n2. ""', '1. ""\n2. "5 s"', "Pump"],
    )
    assert (case.uid, case.folder) == ("7", "Pump")
    assert case.steps == (Step(1, "Press", "", ("hums",)), Step(2, "Wait", "5 s"))


def test_what_is_not_read_of_a_table_is_told() -> None:
    rows = [["ID", "Title", "Colour", "Size", "Test Step"], ["C1", "Starts", "red", "", "x", "y"]]
    told = sentences(read("t.csv", written(*rows)).findings)
    assert told["column-not-read"] == "1 column not read: Colour"
    assert (
        told["row-too-long"]
        == "1 row with more cells than the header; the extra cells were not read: C1"
    )
    complete = sentences(read("t.csv", written(["ID", "Title"], ["C1", "Starts", " "])).findings)
    assert complete.keys() == {"no-steps", "no-tags"}


def test_a_quote_that_is_never_closed_is_where_it_opens() -> None:
    rows = 'id,title\n1,"two\nlines"\n2,"open\n3,Stops\n4,Fills\n'
    with pytest.raises(CaseFileError, match="never closed") as caught:
        parse("t.csv", rows.encode())
    assert caught.value.line == 4


def test_spreadsheets() -> None:
    data = spreadsheet(
        [["Read me"], ["Nothing here"]],
        [
            ["Tests of the pump"],
            [],
            ["ID", "Title", "Action", "Expected Result", "Colour"],
            ["7", "Starts & stops", "Press", "hums", "red"],
            ["", "", "Press again", "silence"],
        ],
        [["Issue key", "Summary"], ["PUMP-1", "Fills"]],
    )
    found = read("t.xlsx", data)
    assert [(case.uid, case.title) for case in found.cases] == [
        ("7", "Starts & stops"),
        ("PUMP-1", "Fills"),
    ]
    assert found.cases[0].steps == (
        Step(1, "Press", "", ("hums",)),
        Step(2, "Press again", "", ("silence",)),
    )
    assert sentences(found.findings)["column-not-read"] == "1 column not read: Colour"


HIDDEN = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "b">]><x/>'.encode(
    "utf-16"
)
WIDE = "<x><sheetData>" + '<row><c r="XFD1"/></row>' * 700 + "</sheetData></x>"
LOST = '<x><sheetData><row><c t="s"><v>4</v></c></row></sheetData></x>'


def archive(**parts: str | bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name.replace("__", "/"), text)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"ID,Title\n", "not a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "encrypted"),
        (archive(text="x"), "no sheets"),
        (archive(**{"xl__worksheets__sheet1.xml": "<worksheet"}), "damaged"),
        (archive(**{"xl__worksheets__sheet1.xml": "<!DOCTYPE x><x/>"}), "document type"),
        (archive(**{"xl__worksheets__sheet1.xml": HIDDEN}), "damaged"),
        (archive(**{"xl__worksheets__sheet1.xml": WIDE}), "more than 10,000,000 cells"),
        (archive(**{"xl__worksheets__sheet1.xml": LOST}), "damaged"),
        (spreadsheet([["Colour"], ["red"]]), "no sheet has a header"),
    ],
)
def test_what_is_no_spreadsheet_of_tests(data: bytes, words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        parse("t.xlsx", data)


def test_a_spreadsheet_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb_runtime.records.spreadsheets._MOST_BYTES", 1 << 10)
    with pytest.raises(CaseFileError, match="more than"):
        parse("t.xlsx", archive(**{"xl__worksheets__sheet1.xml": " " * 2048}))


def test_a_sheet_is_read_as_utf_8_whatever_it_declares() -> None:
    rows = "".join(
        f'<row><c t="inlineStr"><is><t>{text}</t></is></c></row>' for text in ("Title", "Größe")
    )
    declared = f'<?xml version="1.0" encoding="ISO-8859-1"?><sheet>{rows}</sheet>'
    ((name, sheet),) = sheets(archive(**{"xl__worksheets__sheet1.xml": declared}))
    assert name == ""
    assert sheet == [["Title"], ["Größe"]]


def test_a_sheet_of_more_rows_than_one_may_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb_runtime.records.spreadsheets._MOST_ROWS", 3)
    assert len(read("a.xlsx", spreadsheet([("Title",), ("One",), ("Two",)])).findings) == 2
    with pytest.raises(CaseFileError, match="a sheet of more than 3 rows"):
        read("a.xlsx", spreadsheet([("Title",), ("One",), ("Two",), ("Three",)]))


def test_columns_of_zephyr_squad() -> None:
    case = only(
        ["issuekey", "Summary", "TestStep", "Test Result"], ["PUMP-1", "S", "Press", "hums"]
    )
    assert (case.jira_key, case.steps) == ("PUMP-1", (Step(1, "Press", "", ("hums",)),))


def test_an_identifier_counts_within_its_sheet() -> None:
    head = ["TC ID", "Title", "Module"]
    pump = [head, ["TC_1", "Starts", ""], ["TC_2", "Stops", "Motor"]]
    tank = [head, ["TC_1", "Fills", ""], ["TC_2", "Stops", ""], ["", "", ""]]
    found = read("t.xlsx", spreadsheet(pump, tank, names=["Pump", "Tank & co".replace("&", "+")]))
    assert [(case.uid, case.folder) for case in found.cases] == [
        ("TC_1", "Pump"),
        ("Tank + co: TC_1", "Tank + co"),
        ("TC_2", "Tank + co"),
    ]
    assert [each.label for each in found.findings if each.code == "duplicate-uid"] == ["TC_2"]


@pytest.mark.parametrize(
    ("header", "row", "told"),
    [
        (["Status"], ["Pass"], "passed"),
        (["Execution Status (P/F)"], ["\u274c FAIL"], "failed"),
        (["Status", "Actual Result"], ["Failed", "No hum"], "failed, No hum"),
        (["Expected Result", "Test Result"], ["hums", "Not Executed"], "skipped"),
        (["Expected Result", "Status"], ["passed", "Blocked"], "blocked"),
        (["Result"], ["Pass"], "passed"),
        (["Status"], ["Draft"], ""),
    ],
)
def test_outcomes_that_people_write_into_tables(
    header: list[str], row: list[str], told: str
) -> None:
    found = read("t.csv", written(["ID", "Title", "Steps", *header], ["7", "Hums", "Press", *row]))
    (case,) = found.cases
    assert case.expected_results.removeprefix("last outcome: ") == told
    assert bool(told) == ("column-not-read" not in sentences(found.findings))
    assert case.steps[0].expected == tuple(row[:1] if header[0] == "Expected Result" else ())


def test_a_test_failed_if_one_of_its_steps_did() -> None:
    rows = [["7", "Hums", "Press", "Pass"], ["", "", "Wait", "Fail"], ["", "", "Look", "Pass"]]
    case = only(["ID", "Title", "Steps", "Status"], *rows)
    assert (len(case.steps), case.expected_results) == (3, "last outcome: failed")


@pytest.mark.parametrize(
    "table",
    [
        "Id,Name,Precondition,Test Step #,Test Step Description,Test Step Expected Result\n"
        "T-1,Starts,Full,1,Press,Hums\n,,,2,Wait,Glows\n",
        "TestCase Name,External id,Test Step,Expected Result,Precondition\n"
        "Starts,T-1,Press,Hums,Full\n,,Wait,Glows,\n",
        "Case ID,Case,Steps (Step),Steps (Expected),Preconditions\n"
        "T-1,Starts,Press,Hums,Full\n,,Wait,Glows,\n",
    ],
)
def test_columns_of_further_tools(table: str) -> None:
    (case,) = read("cases.csv", table.encode()).cases
    assert (case.uid, case.title, case.preconditions) == ("T-1", "Starts", ("Full",))
    assert [(step.action, step.expected) for step in case.steps] == [
        ("Press", ("Hums",)),
        ("Wait", ("Glows",)),
    ]
