"""Reports that test runners other than JUnit's write as XML."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_exports import only, read

from kb_runtime.records.case_files import CaseFileError, parse
from kb_runtime.records.cases import Case, Step


def outcomes(cases: tuple[Case, ...]) -> dict[str, str]:
    return {case.title: case.expected_results.removeprefix("last outcome: ") for case in cases}


NUNIT_3 = """<test-run id="2">
  <test-suite type="Assembly" name="Heron.dll">
    <properties><property name="_PID" value="77"/></properties>
    <test-suite type="TestFixture" name="PumpTests">
      <properties><property name="Category" value="slow"/></properties>
      <test-case name="Starts(1.5,True)" fullname="Heron.PumpTests.Starts(1.5,True)"
          methodname="Starts" classname="Heron.PumpTests" result="Passed">
        <properties>
          <property name="Description" value="It starts at once."/>
          <property name="Category" value="smoke"/>
          <property name="Author" value="Ada"/>
          <property name="test_key" value="HER-12"/>
        </properties>
      </test-case>
      <test-case name="Hums" classname="Heron.PumpTests" result="Failed">
        <failure><message><![CDATA[  Expected: True
  But was:  False]]></message><stack-trace>at Hums()</stack-trace></failure>
      </test-case>
      <test-case name="Leaks" classname="Heron.PumpTests" result="Skipped">
        <properties><property name="_SKIPREASON" value="later"/></properties>
        <reason><message>later</message></reason>
      </test-case>
    </test-suite>
  </test-suite>
</test-run>"""


def test_nunit_has_descriptions_and_the_categories_of_fixtures() -> None:
    found = read("result.xml", NUNIT_3).cases
    first = found[0]
    assert (first.uid, first.title) == ("Heron.PumpTests::Starts(1.5,True)", "Starts(1.5,True)")
    assert (first.folder, first.test_type) == ("Heron/PumpTests", "Automated")
    assert first.description == "It starts at once."
    assert first.tags == ("slow", "smoke", "Author: Ada")
    assert first.jira_key == "HER-12"
    assert outcomes(found) == {
        "Starts(1.5,True)": "passed",
        "Hums": "failed, Expected: True But was: False",
        "Leaks": "skipped, later",
    }
    assert found[2].tags == ("slow",)


def test_nunit_2_has_whole_names_and_its_outcome_in_two_attributes() -> None:
    text = """<test-results><test-suite type="Namespace" name="Heron"><results>
      <test-suite type="TestFixture" name="PumpTests">
        <categories><category name="slow"/></categories>
        <results>
          <test-case name="Heron.PumpTests.Starts(&quot;a.b&quot;)" executed="True" success="True"/>
          <test-case name="Heron.PumpTests.Hums" executed="True" success="False">
            <failure><message>no hum</message></failure>
          </test-case>
          <test-case name="Heron.PumpTests.Leaks" executed="False" result="Ignored"/>
        </results>
      </test-suite></results></test-suite></test-results>"""
    found = read("TestResult.xml", text).cases
    assert [case.uid for case in found] == [
        'Heron.PumpTests::Starts("a.b")',
        "Heron.PumpTests::Hums",
        "Heron.PumpTests::Leaks",
    ]
    assert {case.tags for case in found} == {("slow",)}
    assert [*outcomes(found).values()] == ["passed", "failed, no hum", "skipped"]


def test_traits_of_xunit_are_tags() -> None:
    text = """<assemblies><assembly name="Heron.dll"><collection name="c">
      <test name="Heron.PumpTests.Starts(speed: 2)" type="Heron.PumpTests" method="Starts" result="Pass">
        <traits><trait name="Category" value="smoke"/><trait name="Area" value="pump"/>
          <trait name="Description" value="It starts."/></traits>
      </test>
      <test name="It leaks" type="Heron.PumpTests" method="Leaks" result="Skip"><reason>later</reason></test>
      <test name="Heron.PumpTests.Hums" type="Heron.PumpTests" method="Hums" result="Fail">
        <failure exception-type="E"><message>no hum</message></failure>
      </test>
    </collection></assembly></assemblies>"""
    found = read("xunit.xml", text).cases
    assert found[0].uid == "Heron.PumpTests::Starts(speed: 2)"
    assert found[0].tags == ("smoke", "Area: pump")
    assert found[0].description == "It starts."
    assert outcomes(found) == {
        "Starts(speed: 2)": "passed",
        "It leaks": "skipped, later",
        "Hums": "failed, no hum",
    }


def test_results_of_visual_studio_have_what_their_definitions_say() -> None:
    text = """<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
      <TestDefinitions>
        <UnitTest name="Starts" id="1" priority="1">
          <Description>It starts.</Description>
          <TestCategory><TestCategoryItem TestCategory="smoke"/></TestCategory>
          <TestMethod className="Heron.PumpTests, Heron, Version=1.0" name="Starts"/>
        </UnitTest>
        <UnitTest name="Heron.TankTests.Fills" id="2">
          <TestMethod className="Heron.TankTests" name="Fills"/>
        </UnitTest>
      </TestDefinitions>
      <Results>
        <UnitTestResult testId="1" testName="Starts" outcome="Passed"/>
        <UnitTestResult testId="1" testName="Starts" outcome="NotExecuted"/>
        <UnitTestResult testId="2" testName="Heron.TankTests.Fills" outcome="Failed">
          <Output><ErrorInfo><Message>it is empty</Message></ErrorInfo></Output>
        </UnitTestResult>
        <UnitTestResult testId="3" testName="Floats" outcome="Passed"/>
      </Results></TestRun>"""
    found = read("run.trx", text).cases
    assert [case.uid for case in found] == [
        "Heron.PumpTests::Starts",
        "Heron.PumpTests::Starts #2",
        "Heron.TankTests::Fills",
        "Floats",
    ]
    first = found[0]
    assert (first.description, first.priority, first.tags) == ("It starts.", "Critical", ("smoke",))
    assert found[2].expected_results == "last outcome: failed, it is empty"


def test_groups_of_testng_are_tags_and_what_prepares_is_no_test() -> None:
    text = """<testng-results><suite name="s">
      <groups><group name="smoke">
        <method class="heron.PumpTest" name="starts" signature="starts()"/></group></groups>
      <test name="t"><class name="heron.PumpTest">
        <test-method name="open" is-config="true" status="PASS"/>
        <test-method name="starts" status="PASS" description="It starts.">
          <params><param index="0"><value><![CDATA[ fast ]]></value></param>
            <param index="1"><value>2</value></param></params>
        </test-method>
        <test-method name="hums" status="FAIL">
          <exception class="E"><full-stacktrace>E: no hum
  at heron</full-stacktrace></exception>
        </test-method>
      </class></test></suite></testng-results>"""
    found = read("testng-results.xml", text).cases
    assert [case.uid for case in found] == [
        "heron.PumpTest::starts(fast, 2)",
        "heron.PumpTest::hums",
    ]
    assert (found[0].tags, found[0].description) == (("smoke",), "It starts.")
    assert found[1].expected_results == "last outcome: failed, E: no hum"


ROBOT = """<robot generator="Robot 7"><suite name="Tests" source="/home/ada/heron/tests">
  <suite name="Pump" source="/home/ada/heron/tests/pump.robot">
    <kw name="Connect" type="SETUP"/>
    <test id="s1-s1-t1" name="Starts" line="7">
      <kw name="Fill" type="SETUP"><arg>tank</arg><arg>full</arg></kw>
      <kw name="Press" owner="Panel"><kw name="Move Hand"/><arg>start</arg><arg>times=2</arg></kw>
      <for flavor="IN"><iter><kw name="Wait"/></iter><iter><kw name="Wait"/></iter></for>
      <if><branch type="IF"><kw name="Look"/></branch></if>
      <kw name="Drain" type="TEARDOWN"/>
      <doc>It starts.</doc><tag>smoke</tag>
      <status status="PASS"/>
    </test>
    <test id="s1-s1-t2" name="Hums"><status status="FAIL">no hum</status></test>
  </suite></suite></robot>"""


def test_keywords_of_robot_framework_are_steps() -> None:
    first, second = read("output.xml", ROBOT).cases
    assert (first.uid, first.folder) == ("Tests.Pump::Starts", "Tests/Pump")
    assert (first.description, first.tags) == ("It starts.", ("smoke",))
    assert first.preconditions == ("Fill tank, full",)
    assert first.steps == (
        Step(1, "Press", "start, times=2"),
        Step(2, "Wait"),
        Step(3, "Look"),
    )
    assert first.test_path == "tests/pump.robot:7"
    assert second.expected_results == "last outcome: failed, no hum"


def test_robot_framework_until_version_3_said_it_in_other_elements() -> None:
    text = """<robot><suite name="Pump"><test name="Starts">
      <kw type="setup" name="Fill"><arguments><arg>tank</arg></arguments></kw>
      <kw type="kw" name="Press"/>
      <kw type="for" name="in"><kw type="foritem"><kw type="kw" name="Wait"/></kw>
        <kw type="foritem"><kw type="kw" name="Wait"/></kw></kw>
      <tags><tag>smoke</tag></tags><status status="PASS"/></test></suite></robot>"""
    test = only("output.xml", text)
    assert [step.action for step in test.steps] == ["Press", "Wait"]
    assert (test.preconditions, test.tags) == (("Fill tank",), ("smoke",))


def test_xml_that_is_no_report_is_said_to_be_something_else() -> None:
    with pytest.raises(CaseFileError, match="<project> is not the root of a test report") as caught:
        parse("pom.xml", b'<project xmlns="http://maven.apache.org/POM/4.0.0"/>')
    assert caught.value.is_other
