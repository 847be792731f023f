"""XML of test management tools, with content of our own."""

from __future__ import annotations

from kb_runtime.records.case_files import parse
from kb_runtime.records.cases import Case, Step, normalise

TESTLINK = """<?xml version="1.0"?>
<testsuite name="Pump"><details/><testsuite name="Cold">
<testcase internalid="4" name="Starts"><externalid><![CDATA[7]]></externalid>
<summary><![CDATA[<p>Starts &amp; runs.</p>]]></summary>
<preconditions><![CDATA[<p>Full<br/>tank</p>]]></preconditions>
<execution_type>2</execution_type><importance>3</importance>
<steps><step><step_number>1</step_number><actions><![CDATA[<p>Press</p>]]></actions>
<expectedresults><![CDATA[<p>hums</p>]]></expectedresults></step></steps>
<keywords><keyword name="smoke"/></keywords></testcase></testsuite></testsuite>
"""
TESTRAIL = """<suite><id>S1</id><name>Master</name><sections><section><name>Pump</name>
<cases><case><id>C7</id><title>Starts</title><priority>High</priority><references>PUMP-1, PUMP-2</references>
<custom><preconds>Full tank</preconds><steps_separated><step><index>1</index><content>Press</content>
<expected>hums</expected><additional_info>once</additional_info></step></steps_separated></custom></case></cases>
<sections><section><name>Cold</name><cases><case><id>C8</id><title>Stops</title>
<custom><steps>Pull</steps><expected>silence</expected></custom></case></cases></section></sections>
</section></sections></suite>
"""

SCALE = """<?xml version="1.0" encoding="UTF-8"?>
<project><projectKey>PUMP</projectKey><folders><folder fullPath="Pump/Cold" index="0"/></folders><testCases>
<testCase id="9" key="PUMP-T9"><folder><![CDATA[Pump/Cold]]></folder><name><![CDATA[Starts]]></name>
<objective><![CDATA[It <strong>runs</strong>.]]></objective>
<precondition><![CDATA[Full<br />tank]]></precondition>
<priority><![CDATA[High]]></priority><labels><label><![CDATA[smoke]]></label></labels>
<issues><issue><key>PUMP-1</key><summary>Noise</summary></issue></issues>
<testScript type="steps"><steps><step index="0"><description><![CDATA[Press &amp; hold]]></description>
<testData><![CDATA[once]]></testData><expectedResult><![CDATA[hums]]></expectedResult></step></steps></testScript>
</testCase><testCase key="PUMP-T10"><name>Stops</name>
<testScript type="plain"><details><![CDATA[Pull.<br>Wait.]]></details></testScript></testCase>
<testCase key="PUMP-T11"><name>Idles</name><testScript type="bdd"><details>Given water
When none flows
Then it idles</details></testScript></testCase></testCases></project>
"""


def read(text: str) -> tuple[Case, ...]:
    found = normalise(parse("t.xml", text.encode()), "functional", "t.xml")
    assert found is not None
    return found.cases


def test_xml_of_testlink() -> None:
    (case,) = read(TESTLINK)
    assert (case.uid, case.title, case.description) == ("7", "Starts", "Starts & runs.")
    assert (case.folder, case.preconditions) == ("Pump/Cold", ("Full\ntank",))
    assert (case.priority, case.test_type, case.tags) == ("High", "Automated", ("smoke",))
    assert case.steps == (Step(1, "Press", "", ("hums",)),)
    (alone,) = read(
        "<testcases>"
        + TESTLINK[TESTLINK.index("<testcase ") :].partition("</testsuite>")[0]
        + "</testcases>"
    )
    assert (alone.uid, alone.steps) == ("7", case.steps)


def test_xml_of_testrail() -> None:
    starts, stops = read(TESTRAIL)
    assert (starts.uid, starts.folder, starts.priority) == ("C7", "Pump", "High")
    assert (starts.preconditions, starts.related_issues) == (("Full tank",), ("PUMP-1", "PUMP-2"))
    assert starts.steps == (Step(1, "Press", "once", ("hums",)),)
    assert (stops.folder, stops.steps) == ("Pump/Cold", (Step(1, "Pull", "", ("silence",)),))


def test_xml_of_zephyr_scale() -> None:
    starts, stops, idles = read(SCALE)
    assert (starts.uid, starts.title, starts.description) == ("PUMP-T9", "Starts", "It runs.")
    assert (starts.folder, starts.preconditions) == ("Pump/Cold", ("Full\ntank",))
    assert (starts.priority, starts.tags, starts.related_issues) == (
        "High",
        ("smoke",),
        ("PUMP-1",),
    )
    assert starts.steps == (Step(1, "Press & hold", "once", ("hums",)),)
    assert [step.action for step in stops.steps] == ["Pull.\nWait."]
    assert len(idles.steps) > 1
