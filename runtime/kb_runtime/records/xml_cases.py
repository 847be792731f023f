"""Finds the test cases in XML that test management tools export: TestLink, TestRail and Zephyr Scale."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from kb_runtime.records.gherkin import steps_of

_TAG = re.compile(r"<[^<>]+>")
_BREAK = re.compile(r"<(?:br|/p|/li|/div|/tr)\b[^<>]*>", re.IGNORECASE)
_IMPORTANCE = {"1": "Low", "2": "Medium", "3": "High"}
_TYPES = {"1": "Manual", "2": "Automated"}


def is_of_testlink(root: Element) -> bool:
    """Whether the root of a tree of suites or cases is TestLink's, and no report of a run."""
    return root.find(".//testcase/externalid") is not None


def testlink(element: Element, above: list[str]) -> Iterator[dict[str, Any]]:
    """The test cases of TestLink, in the folders of their suites; `above` are those around `element`."""
    name = (element.get("name") or "").strip()
    place = [*above, name] if name and element.tag == "testsuite" else above
    for child in element:
        if child.tag in ("testsuite", "testcases"):
            yield from testlink(child, place)
        elif child.tag == "testcase":
            yield {
                "testCaseId": child.get("fullexternalid") or _plain(child, "externalid"),
                "title": child.get("name"),
                "description": _plain(child, "summary"),
                "preconditions": _plain(child, "preconditions"),
                "testType": _TYPES.get(_plain(child, "execution_type")),
                "priority": _IMPORTANCE.get(_plain(child, "importance")),
                "tags": [each.get("name") for each in child.iterfind("keywords/keyword")],
                "folderStructure": place,
                "steps": [
                    {
                        "index": _plain(step, "step_number"),
                        "action": _plain(step, "actions"),
                        "expected": _plain(step, "expectedresults"),
                    }
                    for step in child.iterfind("steps/step")
                ],
            }


def testrail(element: Element, above: list[str]) -> Iterator[dict[str, Any]]:
    """The cases of a suite of TestRail, in the folders of their sections; `above` are those around it."""
    for case in element.iterfind("cases/case"):
        steps = [
            {
                "index": text_at(step, "index"),
                "action": text_at(step, "content"),
                "data": text_at(step, "additional_info"),
                "expected": text_at(step, "expected"),
            }
            for step in case.iterfind("custom/steps_separated/step")
        ]
        if not steps and (action := text_at(case, "custom/steps")):
            steps = [{"action": action, "expected": text_at(case, "custom/expected")}]
        yield {
            "testCaseId": text_at(case, "id"),
            "title": text_at(case, "title"),
            "testType": text_at(case, "type"),
            "priority": text_at(case, "priority"),
            "preconditions": text_at(case, "custom/preconds"),
            "relatedIssues": re.split(r"[\s,]+", text_at(case, "references")),
            "folderStructure": above,
            "steps": steps,
        }
    for section in element.iterfind("sections/section"):
        yield from testrail(section, [*above, text_at(section, "name")])


def zephyr_scale(root: Element) -> list[dict[str, Any]]:
    """The cases of a project of Zephyr Scale, whose editor writes HTML."""
    return [
        {
            "testCaseId": case.get("key"),
            "title": text_at(case, "name"),
            "description": _plain(case, "objective"),
            "preconditions": _plain(case, "precondition"),
            "priority": text_at(case, "priority"),
            "tags": [each.text for each in case.iterfind("labels/label")],
            "relatedIssues": [text_at(each, "key") for each in case.iterfind("issues/issue")],
            "folderStructure": text_at(case, "folder"),
            "steps": _script(case.find("testScript")),
        }
        for case in root.iterfind("testCases/testCase")
    ]


def _script(script: Element | None) -> list[dict[str, Any]]:
    """The steps of a script of Zephyr Scale: one by one, or of text, which may be Gherkin."""
    if script is None:
        return []
    steps = [
        {
            "action": _plain(step, "description"),
            "data": _plain(step, "testData"),
            "expected": _plain(step, "expectedResult"),
        }
        for step in script.iterfind("steps/step")
    ]
    if steps or not (text := _text("".join(script.itertext()))):
        return steps
    return steps_of(text.splitlines()) or [{"action": text}]


def text_at(element: Element, path: str) -> str:
    """The text of the first element at `path`; "" without one."""
    return (element.findtext(path) or "").strip()


def _plain(element: Element, path: str) -> str:
    """The text of HTML, which editors in these tools write."""
    return _text(text_at(element, path))


def _text(of_html: str) -> str:
    text = _TAG.sub("", _BREAK.sub("\n", of_html))
    return re.sub(r"\s*\n\s*", "\n", html.unescape(text)).strip()
