"""Reports in JUnit's XML, and features: names that occur twice, and what belongs to a step."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_exports import only, read

from kb_runtime.records.case_files import CaseFileError, parse
from kb_runtime.records.cases import Step


def test_tests_of_several_suites_of_junit_are_told_apart() -> None:
    suite = '<testsuite name="{}"><testcase classname="cold" name="starts"/></testsuite>'
    text = f"<testsuites>{suite.format('pump')}{suite.format('tank')}</testsuites>"
    found = read("report.xml", text).cases
    assert [case.uid for case in found] == [
        "pump/cold::cold::starts",
        "tank/cold::cold::starts",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
def test_a_report_is_read_as_it_is_encoded(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><testsuite><testcase name="Größe"/></testsuite>'
    (test,) = parse("report.xml", text.encode(encoding))["tests"]
    assert test["title"] == "Größe"
    data = '[{"title": "Größe"}]'.encode("utf-16")
    assert parse("report.json", data) == [{"title": "Größe"}]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "the file is not klingon text"),
        (b'<?xml version="1.0"?><a>\xff</a>', "the file is not UTF-8 text"),
        (b"\xff\xfe<", "the file is not utf-16 text"),
    ],
)
def test_a_report_in_an_unknown_encoding_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(CaseFileError, match=message):
        parse("report.xml", data)


def test_what_xml_cannot_hold_is_left_out_of_a_report() -> None:
    text = (
        '<testsuite><testcase name="a"><failure message="\x1b[31mno hum\x1b[0m &lt;1&#10;2"/></testcase>'
        '<testcase name="b"><failure>\n&#27;[31mstill on&#x1B;[0m\x01\n at pump\n</failure></testcase>'
        "</testsuite>"
    )
    first, second = read("report.xml", text).cases
    assert first.expected_results == "last outcome: failed, no hum <1\n2"
    assert second.expected_results == "last outcome: failed, still on at pump"


def test_a_suite_of_maven_is_the_class_of_its_tests() -> None:
    text = (
        '<testsuite name="pump.StartTest"><testcase classname="pump.StartTest" name="hums"/>'
        "</testsuite>"
    )
    assert only("report.xml", text).folder == "pump/StartTest"


def test_a_suite_that_its_classes_begin_with_is_one_folder_with_theirs() -> None:
    text = (
        '<testsuites><testsuite name="pump"><testcase classname="pump.Start" name="hums"/></testsuite>'
        '<testsuite name="pum"><testcase classname="pump.Stop" name="stops"/></testsuite></testsuites>'
    )
    assert [case.folder for case in read("report.xml", text).cases] == [
        "pump/Start",
        "pum/pump/Stop",
    ]


def test_outcomes_of_junit_are_called_as_those_of_other_runners() -> None:
    outcomes = ('<failure message="no hum"/>', "<error/>", '<skipped message="cold"/>', "")
    cases = "".join(f'<testcase name="{n}">{said}</testcase>' for n, said in enumerate(outcomes))
    told = [
        case.expected_results for case in read("a.xml", f"<testsuite>{cases}</testsuite>").cases
    ]
    assert [each.removeprefix("last outcome: ") for each in told] == [
        "failed, no hum", "failed", "skipped, cold", "passed",
    ]  # fmt: skip


def test_data_belongs_to_the_step_of_gherkin_above_it() -> None:
    text = """Feature: Pump
  Background:
    Given a tank
      | size | 2 |
  Scenario: Starts
    When I press
      | times | 3 |
    Then it says
      \"\"\"
      hum
      \"\"\"
"""
    case = only("pump.feature", text)
    assert case.preconditions == ("Given a tank\n| size | 2 |",)
    assert case.steps == (Step(1, "When I press", "| times | 3 |", ("it says\nhum",)),)


def test_scenarios_of_one_name_are_numbered() -> None:
    text = (
        "Feature: Pump\n  Scenario: Starts\n    When I press\n  Scenario: Starts\n    When I pull\n"
    )
    assert [case.uid for case in read("pump.feature", text).cases] == [
        "pump: Starts",
        "pump: Starts #2",
    ]


def test_a_document_type_is_refused_however_it_is_spelt() -> None:
    entity = '<!DOC\x01TYPE a [<!ENT\x01ITY b "c">]><testsuite><testcase name="&b;"/></testsuite>'
    for before in ("", "<!-- a report --> ", '<?xml version="1.0"?>\n<?a ?>\n<!-- a -->\n'):
        with pytest.raises(CaseFileError, match="document type"):
            parse("report.xml", f"{before}{entity}".encode())
    page = "<testsuite><testcase name='x'><system-out><![CDATA[<!DOCTYPE html>]]></system-out>"
    (test,) = parse("report.xml", f"{page}</testcase></testsuite>".encode())["tests"]
    assert test["title"] == "x"


def test_suites_within_suites_without_end_are_refused() -> None:
    deep = "<testsuite name='a'>" * 3000 + "<testcase name='x'/>" + "</testsuite>" * 3000
    with pytest.raises(CaseFileError, match="the XML nests too deeply"):
        parse("report.xml", deep.encode())


def test_other_line_ends_stay_in_texts_of_json_lines() -> None:
    line = '{"Action": "pass", "Test": "A\u2028B\u0085C"}\n'
    assert [each["Test"] for each in parse("a.json", (line * 2).encode())] == [
        "A\u2028B\u0085C"
    ] * 2
