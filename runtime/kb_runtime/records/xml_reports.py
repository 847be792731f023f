"""Finds the tests in reports that test runners write as XML.

Each reader takes the root of one runner's report and gives a record for each test, with fields as `cases`
knows them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from kb_runtime.records.gherkin import numbered
from kb_runtime.records.outcomes import (
    PASSED,
    beginning,
    called,
    ended,
    last_outcome,
    of_each_test,
    outcome,
)
from kb_runtime.records.xml_cases import is_of_testlink, testlink, testrail, text_at, zephyr_scale

_NAMESPACE = re.compile(r"\{[^{}]*\}")
_OUTCOMES = frozenset({"failure", "error", "skipped"})
_EARLIER = frozenset({"flakyError", "flakyFailure"})
"""What Maven writes of a test that passed when it ran again."""
_CATEGORIES = frozenset({"category", "tag", "testcategory"})
"""Properties and traits whose values are tags; those of others have their names before them."""

_TOLD = frozenset({"description", "test_id", "test_key"})
"""Properties of NUnit that are fields of their own."""

_SETUP, _TEARDOWN = "setup", "teardown"
_BLOCKS = frozenset({"branch", "for", "group", "if", "iter", "kw", "try", "while"})
"""Elements of Robot Framework that have keywords inside; of a loop, one for each time that it ran."""


def records(root: Element) -> list[dict[str, Any]] | None:
    """The tests of a report; None where `root` begins none of the reports that are known."""
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = _NAMESPACE.sub("", element.tag)
    if root.tag in ("testcases", "testsuite") and is_of_testlink(root):
        return list(testlink(root, []))
    if root.tag == "suite" and root.find(".//cases") is not None:
        return list(testrail(root, []))
    if root.tag == "project" and root.find("testCases/testCase") is not None:
        return zephyr_scale(root)
    read = _READERS.get(root.tag)
    return None if read is None else read(root)


def _method(owner: str, name: str, **fields: Any) -> dict[str, Any]:
    """A test that is the method called `name`, with its arguments, of the class `owner`."""
    title = name.removeprefix(f"{owner}.") if owner else name
    return {
        "uid": "::".join(filter(None, (owner, title))) or None,
        "title": title,
        "testType": "Automated",
        "folderStructure": owner.replace(".", "/"),
    } | fields


def _outcome(status: str | None, messages: Iterable[str | None] = ()) -> str:
    """The field `expectedResults` of a test that ended with `status`, with the beginnings of `messages`."""
    said = [each for each in messages if each and each.strip()]
    return ended(status, said) if status or said else last_outcome([])


def _at(path: str, test: Element) -> str:
    """The file of a test, with the line if the report says it."""
    line = test.get("line", "")
    return f"{path}:{line}" if path and line else path


def _values(pairs: Iterable[tuple[str | None, str | None]]) -> list[str]:
    """What named values say: of categories the value alone."""
    return list(
        dict.fromkeys(
            value if name.lower() in _CATEGORIES else f"{name}: {value}"
            for name, value in ((name or "", (value or "").strip()) for name, value in pairs)
            if value
        )
    )


def _junit(root: Element) -> list[dict[str, Any]]:
    return of_each_test(_told_apart(list(_suite(root, []))))


def _told_apart(tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`tests`, with their suites in the uids that tests of several suites have."""
    suites: dict[str | None, set[str]] = {}
    for test in tests:
        suites.setdefault(test["uid"], set()).add(test["folderStructure"])
    return [
        {**test, "uid": f"{test['folderStructure']}::{test['uid']}"}
        if test["uid"] and len(suites[test["uid"]]) > 1
        else test
        for test in tests
    ]


def _suite(suite: Element, above: list[str]) -> Iterator[dict[str, Any]]:
    name = suite.get("name", "").strip()
    place = [*above, name] if name and suite.tag == "testsuite" else above
    for child in suite:
        if child.tag == "testsuite":
            yield from _suite(child, place)
        elif child.tag == "testcase":
            yield _testcase(child, place)


def _testcase(case: Element, place: list[str]) -> dict[str, Any]:
    name, owner = case.get("name", "").strip(), case.get("classname", "").strip()
    properties = {
        each.get("name", ""): each.get("value") or (each.text or "").strip()
        for each in case.iter("property")
    }
    said = [
        ", ".join(
            filter(None, [called(each.tag), each.get("message") or beginning(each.text or "")])
        )
        for each in case
        if each.tag in _OUTCOMES
    ]
    if not said:
        earlier = [each.get("message") or each.text for each in case if each.tag in _EARLIER]
        said = [outcome(PASSED, earlier[:1], is_flaky=bool(earlier))]
    if owner == name:  # as reporters for Jest write where there is no class
        owner = ""
    above = place[-1] if place else ""  # Maven's suites are classes
    if above and (owner == above or owner.startswith((f"{above}.", f"{above}$"))):
        place = place[:-1]
    within = owner if "/" in owner else owner.replace(".", "/")
    return {
        "uid": properties.get("test_id")
        or ("::".join(filter(None, (owner, name))) if name else None),
        "jiraKey": properties.get("test_key"),
        "title": properties.get("test_summary") or name,
        "description": properties.get("test_description"),
        "tags": re.split(r"[\s,]+", properties.get("tags", "")) if properties.get("tags") else [],
        "testType": "Automated",
        "folderStructure": "/".join(filter(None, [*place, within])),
        "testPath": _at(case.get("file", ""), case),
        "expectedResults": last_outcome(said),
    }


def _nunit(root: Element) -> list[dict[str, Any]]:
    """The tests of NUnit, version 3 and before; categories of a fixture are those of its tests."""

    def below(suite: Element, tags: list[str]) -> Iterator[dict[str, Any]]:
        for child in suite:
            if child.tag == "results":  # of version 2
                yield from below(child, tags)
            elif child.tag == "test-suite":
                yield from below(child, [*tags, *_nunit_tags(child)])
            elif child.tag == "test-case":
                yield _nunit_case(child, [*tags, *_nunit_tags(child)])

    return numbered(below(root, []))


def _nunit_properties(element: Element) -> list[tuple[str | None, str | None]]:
    found = element.findall("properties/property")
    return [(each.get("name"), each.get("value") or each.text) for each in found]


def _nunit_tags(element: Element) -> list[str]:
    if element.get("type") == "Assembly":  # whose properties are those of a process
        return []
    stated = [
        (name, value)
        for name, value in _nunit_properties(element)
        if name and not name.startswith("_") and name.lower() not in _TOLD
    ]
    listed = [("Category", each.get("name")) for each in element.findall("categories/category")]
    return _values([*stated, *listed])


def _nunit_case(case: Element, tags: list[str]) -> dict[str, Any]:
    properties = dict(_nunit_properties(case))
    name = case.get("name", "").strip()
    owner = case.get("classname", "").strip()
    if not owner:  # version 2 has the whole name, with arguments that may have dots as well
        head = re.match(r"[\w.+`]*(?=\.)", name.partition("(")[0])
        owner = head[0] if head else ""
    # Until version 2.4 it is said in two attributes.
    was_run, succeeded = (case.get(name, "").lower() for name in ("executed", "success"))
    stated = {"true": "passed", "false": "failed"}.get(succeeded)
    stated = "failed" if case.find("failure") is not None else stated
    status = case.get("result") or ("skipped" if was_run == "false" else stated)
    reasons = [text_at(case, "failure/message"), text_at(case, "reason/message")]
    return _method(
        owner,
        name,
        jiraKey=properties.get("test_key"),
        description=properties.get("Description") or case.get("description"),
        tags=list(dict.fromkeys(tags)),
        expectedResults=_outcome(status, reasons),
    ) | ({"uid": properties["test_id"]} if properties.get("test_id") else {})


def _xunit(root: Element) -> list[dict[str, Any]]:
    """The tests of xUnit.net, whose traits are tags."""
    return numbered(map(_xunit_test, root.iter("test")))


def _xunit_test(test: Element) -> dict[str, Any]:
    traits = [(each.get("name", ""), each.get("value")) for each in test.iter("trait")]
    said = [
        text_at(test, "failure/message"),
        text_at(test, "reason"),
        text_at(test, "reason/message"),
    ]
    return _method(
        test.get("type", ""),
        test.get("name", ""),
        description=next((value for name, value in traits if name == "Description"), None),
        tags=_values((name, value) for name, value in traits if name != "Description"),
        expectedResults=_outcome(test.get("result"), said),
    )


def _testng(root: Element) -> list[dict[str, Any]]:
    """The tests of TestNG, whose groups are tags, without the methods that prepare them."""
    groups: dict[tuple[str, str], list[str]] = {}
    for group in root.iter("group"):
        for method in group.iter("method"):
            place = method.get("class", ""), method.get("name", "")
            groups.setdefault(place, []).append(group.get("name", ""))
    return numbered(
        _testng_method(owner.get("name", ""), method, groups)
        for owner in root.iter("class")
        for method in owner.iter("test-method")
        if method.get("is-config") != "true"
    )


def _testng_method(
    owner: str, method: Element, groups: Mapping[tuple[str, str], list[str]]
) -> dict[str, Any]:
    name = method.get("name", "")
    values = [text_at(each, "value") for each in method.iter("param")]
    said = [
        text_at(each, "message") or text_at(each, "full-stacktrace").partition("\n")[0]
        for each in method.findall("exception")
    ]
    return _method(
        owner,
        f"{name}({', '.join(values)})" if values else name,
        description=method.get("description"),
        tags=list(dict.fromkeys(filter(None, groups.get((owner, name), ())))),
        expectedResults=_outcome(method.get("status"), said),
    )


def _trx(root: Element) -> list[dict[str, Any]]:
    """The results of `dotnet test` and Visual Studio (`.trx`), with what their definitions say of them."""
    definitions = {each.get("id"): each for each in root.findall("TestDefinitions/*")}
    found = []
    for result in root.findall("Results/*"):
        definition = definitions.get(result.get("testId"))
        definition = Element("UnitTest") if definition is None else definition
        method = definition.find("TestMethod")
        # Older ones have the assembly behind the name of the class.
        owner = "" if method is None else method.get("className", "").partition(",")[0].strip()
        categories = definition.iterfind("TestCategory/TestCategoryItem")
        said = text_at(result, "Output/ErrorInfo/Message")
        found.append(
            _method(
                owner,
                result.get("testName") or definition.get("name") or "",
                description=text_at(definition, "Description"),
                priority=definition.get("priority"),
                tags=_values(("Category", each.get("TestCategory")) for each in categories),
                expectedResults=_outcome(result.get("outcome"), [said]),
            )
        )
    return numbered(found)


def _robot(root: Element) -> list[dict[str, Any]]:
    """The tests of Robot Framework with their keywords as steps; files are named from the folder that ran."""
    origin = next((each.get("source", "") for each in root.iter("suite")), "").replace("\\", "/")

    def below(suite: Element, above: list[str]) -> Iterator[dict[str, Any]]:
        place = [*above, suite.get("name", "").strip()]
        source = suite.get("source", "").replace("\\", "/")
        if origin and source.startswith(origin):
            source = f"{origin.rpartition('/')[2]}{source.removeprefix(origin)}"
        for child in suite:
            if child.tag == "suite":
                yield from below(child, place)
            elif child.tag == "test":
                yield _robot_test(child, list(filter(None, place)), source)

    return numbered(test for suite in root.findall("suite") for test in below(suite, []))


def _robot_test(test: Element, place: list[str], source: str) -> dict[str, Any]:
    name = test.get("name", "").strip()
    status = test.find("status")
    tags = [*test.findall("tag"), *test.findall("tags/tag")]  # the latter until version 3
    prepared = [each for each in test if each.tag == "kw" and _kind(each) == _SETUP]
    return {
        "uid": "::".join(filter(None, (".".join(place), name))) or None,
        "title": name,
        "description": text_at(test, "doc"),
        "tags": [each.text for each in tags if each.text],
        "testType": "Automated",
        "folderStructure": "/".join(each.replace("/", " ") for each in place),
        "preconditions": [
            " ".join(filter(None, (step["action"], step["data"])))
            for step in map(_robot_step, prepared)
        ],
        "steps": list(_robot_steps(test)),
        "testPath": _at(source, test),
        "expectedResults": _outcome(
            None if status is None else status.get("status"),
            [] if status is None else [status.text],
        ),
    }


def _robot_steps(block: Element) -> Iterator[dict[str, Any]]:
    """The keywords of a test in order, without what these call. A loop has those of its first time."""
    has_run = False
    for child in block:
        if child.tag not in _BLOCKS:
            continue
        is_round = child.tag == "iter" or _kind(child) == "foritem"
        if child.tag == "kw" and _kind(child) == "":
            yield _robot_step(child)
        elif _kind(child) not in (_SETUP, _TEARDOWN) and not (is_round and has_run):
            yield from _robot_steps(child)
        has_run |= is_round


def _robot_step(keyword: Element) -> dict[str, Any]:
    given = [*keyword.findall("arg"), *keyword.findall("arguments/arg")]  # the latter until 3
    return {
        "action": keyword.get("name", "").strip(),
        "data": ", ".join(each.text for each in given if each.text),
    }


def _kind(element: Element) -> str:
    """What a keyword is there for; "" for one that is a step."""
    return element.get("type", "").lower().removeprefix("kw") if element.tag == "kw" else ""


_READERS: Mapping[str, Callable[[Element], list[dict[str, Any]]]] = {
    "testsuites": _junit,
    "testsuite": _junit,
    "test-run": _nunit,
    "test-results": _nunit,
    "test-suite": _nunit,
    "assemblies": _xunit,
    "assembly": _xunit,
    "testng-results": _testng,
    "TestRun": _trx,
    "robot": _robot,
}
