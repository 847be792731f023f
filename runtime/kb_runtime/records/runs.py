"""Finds the tests in reports that test runners write as JSON, and in collections of requests.

Each reader takes the parsed report of one runner and gives a record for each test, with fields as `cases`
knows them. A test that a report has several times, for each browser or row of a table, is told apart by
its number, or has the outcomes of all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from kb_runtime.records.credentials import without_credentials
from kb_runtime.records.gherkin import Line, conditions, numbered, steps_from
from kb_runtime.records.gherkin_keywords import steps_in_any_language
from kb_runtime.records.outcomes import FAILED, FLAKY, PASSED, SKIPPED, ended, last_outcome, outcome
from kb_runtime.records.streams import cucumber_messages, livingdoc, native
from kb_runtime.records.streams.values import an_object, objects, text

_Record = Mapping[str, Any]

_NOT_RUN = {"pending": SKIPPED, "disabled": SKIPPED}
"""Of Jest and Mocha, whose pending tests are those that a suite tells to skip."""
_GO_STATUS = {"run": "not ended", "pass": PASSED, "fail": FAILED, "skip": SKIPPED}
_GO_FRAME = re.compile(r"\s*(?:=== |--- )")
QUOTED = r"""(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|`([^`]+)`)"""
"""A text in JavaScript, in one of three groups."""
_POSTMAN_TEST = re.compile(rf"(?:\bpm\.test\(|\btests\[)\s*{QUOTED}")
"""`pm.test("name", ...)`, and `tests["name"] = ...` of older collections."""


def records(data: Any) -> list[dict[str, Any]] | None:
    """The tests of a report; None where `data` is none of the reports that are known."""
    if isinstance(data, list):
        if any({"elements", "keyword"} <= each.keys() for each in objects(data)):
            return numbered(_cucumber(data))
        if cucumber_messages.is_stream(objects(data)):
            return numbered(cucumber_messages.records(objects(data)))
        if any({"Action", "Package"} <= each.keys() for each in objects(data)):
            return _go(data)
        if native.is_libtest(objects(data)):
            return numbered(native.libtest(objects(data)))
        if any({"testID", "result"} <= each.keys() for each in objects(data)):
            return numbered(_dart(objects(data)))
        return None
    if not isinstance(data, Mapping):
        return None
    if native.is_googletest(data):
        return numbered(native.googletest(data))
    if livingdoc.is_execution(data):
        return numbered(livingdoc.records(data))
    examples = objects(data.get("examples"))
    if examples and all({"full_description", "status"} <= each.keys() for each in examples):
        return numbered(map(_rspec, examples))
    if isinstance(data.get("testResults"), list) and _is_jest(data):
        return numbered(_jest(data["testResults"]))
    if isinstance(data.get("suites"), list) and ("config" in data or "stats" in data):
        return numbered(_playwright(data["suites"], []))
    inner = data.get("collection")
    collection = inner if isinstance(inner, Mapping) else data
    if isinstance(collection.get("info"), Mapping) and isinstance(collection.get("item"), list):
        return numbered(_postman(collection, _newman_outcomes(data.get("run"))))
    if isinstance(data.get("stats"), Mapping) and "suites" in data["stats"]:
        return numbered(_mocha(data))
    results = data.get("results")
    if isinstance(results, Mapping) and {"tool", "tests"} <= results.keys():
        return numbered(map(_ctrf, objects(results["tests"])))
    return None


def _texts(value: Any) -> list[str]:
    return [str(each) for each in value if each] if isinstance(value, list) else []


def _automated(path: str, titles: Sequence[str], **fields: Any) -> dict[str, Any]:
    """A test that is a function of the file at `path`, with the titles of the suites around it and its
    own."""
    return {
        "uid": "::".join(filter(None, (path, *titles))),
        "title": titles[-1],
        "testType": "Automated",
        "folderStructure": "/".join(
            each.replace("/", " ") if at else each
            for at, each in enumerate((path, *titles[:-1]))
            if each
        ),
        "testPath": path,
    } | fields


def _at(path: Any, line: Any) -> str:
    return f"{path}:{line}" if isinstance(line, int) and line > 0 else str(path or "")


def _rspec(example: _Record) -> dict[str, Any]:
    """An example of RSpec, below the descriptions of the groups around it."""
    own, whole = (str(example.get(name) or "") for name in ("description", "full_description"))
    path = str(example.get("file_path") or "").removeprefix("./")
    said = [an_object(example.get("exception")).get("message")]
    status = SKIPPED if example["status"] == "pending" else example["status"]
    above = whole.removesuffix(own).strip()
    return _automated(
        path,
        [each for each in (above, own or whole) if each] or [path],
        testPath=_at(path, example.get("line_number")),
        expectedResults=ended(status, said),
    )


def _go(events: Any) -> list[dict[str, Any]]:
    """The tests among the events of `go test -json`; what a test wrote tells why it failed."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    wrote: dict[tuple[str, str], list[str]] = {}
    for event in objects(events):
        package, name = str(event.get("Package") or ""), str(event.get("Test") or "")
        said = wrote.setdefault((package, name), [])
        if event.get("Action") == "output" and not _GO_FRAME.match(str(event.get("Output"))):
            said.append(str(event.get("Output")))
        if name and (status := _GO_STATUS.get(str(event.get("Action")))):
            found[package, name] = _automated(
                package,
                name.split("/"),
                testPath="",
                expectedResults=ended(status, ["".join(said)] if status == FAILED else []),
            )
    return list(found.values())


def _dart(events: Iterable[_Record]) -> Iterator[dict[str, Any]]:
    """The tests among the events of `dart test` and `flutter test`, which load files as hidden tests."""
    paths: dict[str, str] = {}
    started: dict[str, _Record] = {}
    errors: dict[str, list[Any]] = {}
    for event in events:
        suite, test, number = event.get("suite"), event.get("test"), event.get("testID")
        if isinstance(suite, Mapping):
            paths[text(suite.get("id"))] = text(suite.get("path"))
        elif isinstance(test, Mapping):
            started[text(test.get("id"))] = test
        elif "error" in event:
            errors.setdefault(text(number), []).append(event["error"])
        elif event.get("result") and not event.get("hidden") and text(number) in started:
            test = started[text(number)]
            status = SKIPPED if event.get("skipped") else event["result"]
            path, line = paths.get(text(test.get("suiteID")), ""), test.get("line")
            yield _automated(
                path,
                [text(test.get("name"))],
                testPath=f"{path}:{line}"
                if isinstance(line, int) and not test.get("url")
                else path,
                expectedResults=ended(status, errors.get(text(number), ())),
            )


def _playwright(suites: Any, above: list[str]) -> Iterator[dict[str, Any]]:
    """A test for each spec: what ran it, a project each, is what it runs on."""
    for suite in objects(suites):
        title, file = str(suite.get("title") or ""), str(suite.get("file") or "")
        titles = above if title == file and not above else [*above, title]
        for specs in _by_place(objects(suite.get("specs"))):
            spec = specs[0]
            path = str(spec.get("file") or file)
            runs = [run for each in specs for run in objects(each.get("tests"))]
            notes = {
                str(note.get("type")): note.get("description")
                for run in runs
                for note in objects(run.get("annotations"))
            }
            last = [each[-1] if each else {} for each in (objects(r.get("results")) for r in runs)]
            yield _automated(
                path,
                [*filter(None, titles), str(spec.get("title") or "")],
                jiraKey=notes.get("test_key"),
                relatedIssues=[notes["issue"]] if notes.get("issue") else [],
                tags=[tag.removeprefix("@") for tag in _texts(spec.get("tags"))],
                platforms=_texts([run.get("projectName") for run in runs]),
                testPath=_at(path, spec.get("line")),
                steps=next(filter(None, (_nested(each.get("steps")) for each in last)), []),
                expectedResults=last_outcome(map(_playwright_outcome, runs, last)),
            )
        yield from _playwright(suite.get("suites"), titles)


def _by_place(specs: Sequence[_Record]) -> list[list[_Record]]:
    """Specs that are one test: reports have it once, or once for each project."""
    found: dict[str, list[_Record]] = {}
    for spec in specs:
        place = [spec.get(name) for name in ("file", "line", "column", "title")]
        found.setdefault(str(place), []).append(spec)
    return list(found.values())


def _playwright_outcome(run: _Record, last: _Record) -> str:
    status, project = last.get("status") or run.get("status"), run.get("projectName")
    errors = [each.get("message") for each in objects(last.get("errors"))]
    is_flaky = run.get("status") == FLAKY
    return outcome(status, errors, where=str(project or ""), is_flaky=is_flaky)


def _nested(steps: Any) -> list[str]:
    return [
        title
        for step in objects(steps)
        for title in (str(step.get("title") or ""), *_nested(step.get("steps")))
    ]


def _is_jest(data: _Record) -> bool:
    return "numTotalTests" in data or any(
        "assertionResults" in each for each in objects(data["testResults"])
    )


def _jest(files: Any) -> Iterator[dict[str, Any]]:
    """The tests of Jest and Vitest. Their files have whole paths of the machine that ran them: those
    count from the folder that holds them all."""
    names = [str(each.get("name") or "").replace("\\", "/") for each in objects(files)]
    folders = [name.rpartition("/")[0] for name in names]
    common = ""
    if names and all(re.match(r"/|[A-Za-z]:/", name) for name in names):
        with suppress(ValueError):  # several drives
            common = os.path.commonpath(folders).replace("\\", "/")
    for name, file in zip(names, objects(files), strict=True):
        path = name.removeprefix(common).lstrip("/")
        for test in objects(file.get("assertionResults")):
            line = an_object(test.get("location")).get("line")
            title = test.get("title") or test.get("fullName") or ""
            yield _automated(
                path,
                [*_texts(test.get("ancestorTitles")), str(title)],
                testPath=_at(path, line),
                expectedResults=ended(
                    _NOT_RUN.get(str(test.get("status")), test.get("status")),
                    (_texts(test.get("failureMessages")) or _texts(test.get("retryReasons")))[:1],
                    is_flaky=bool(test.get("retryReasons")),
                ),
            )


def _mocha(data: _Record) -> Iterator[dict[str, Any]]:
    """The tests of Mocha's reporter `json`, and of Mochawesome, which has the suites around them."""
    if isinstance(data.get("results"), list):
        yield from _mochawesome(data["results"], "", [])
        return
    for test in objects(data.get("tests")):
        title = str(test.get("title") or "")
        around = str(test.get("fullTitle") or "").removesuffix(title).strip()
        yield _mocha_test(test, str(test.get("file") or ""), [around, title])


def _mochawesome(suites: Any, file: str, above: list[str]) -> Iterator[dict[str, Any]]:
    for suite in objects(suites):
        path, title = str(suite.get("file") or file).lstrip("/"), str(suite.get("title") or "")
        titles = [*above, title] if title else above
        for test in objects(suite.get("tests")):
            yield _mocha_test(test, path, [*titles, str(test.get("title") or "")])
        yield from _mochawesome(suite.get("suites"), path, titles)


def _mocha_test(test: _Record, path: str, titles: list[str]) -> dict[str, Any]:
    message = an_object(test.get("err")).get("message")
    status = test.get("state") or (FAILED if message else None)
    # The reporter `json` says of no test that it passed: one that did has a speed.
    status = status or (PASSED if "speed" in test else "pending")
    said = ended(_NOT_RUN.get(status, status), [message], is_flaky=bool(test.get("currentRetry")))
    return _automated(path, titles, expectedResults=said)


def _ctrf(test: _Record) -> dict[str, Any]:
    """A test of a report in the Common Test Report Format."""
    suite, path = test.get("suite"), str(test.get("filePath") or "")
    above = _texts(suite) if isinstance(suite, list) else _texts([suite])
    return _automated(
        path,
        [*(each for each in above if each != path), str(test.get("name") or "")],
        tags=_texts(test.get("tags")),
        platforms=_texts([test.get("browser"), test.get("device")]),
        testPath=_at(path, test.get("line")),
        steps=[each["name"] for each in objects(test.get("steps")) if each.get("name")],
        expectedResults=ended(
            test.get("status"), [test.get("message")], is_flaky=test.get("flaky") is True
        ),
    )


def _cucumber(features: Any) -> Iterator[dict[str, Any]]:
    """A test for each scenario, named as by its feature file, whose backgrounds are preconditions."""
    for feature in objects(features):
        uri, title = str(feature.get("uri") or ""), str(feature.get("name") or "")
        stem = uri.replace("\\", "/").rpartition("/")[2].removesuffix(".feature") or title
        background: list[str] = []
        for element in objects(feature.get("elements")):
            run = [step for step in objects(element.get("steps")) if not step.get("hidden")]
            steps = steps_from(map(_cucumber_line, run))
            if element.get("type") == "background":
                background = conditions(steps)
                continue
            name = str(element.get("name") or f"Scenario in line {element.get('line')}")
            yield {
                "uid": f"{stem}: {name}",
                "title": name,
                "description": element.get("description"),
                "tags": [
                    str(tag.get("name")).removeprefix("@")
                    for tag in (*objects(feature.get("tags")), *objects(element.get("tags")))
                ],
                "folderStructure": title,
                "preconditions": background,
                "steps": steps,
                "testPath": _at(uri.removeprefix("file:"), element.get("line")),
                "testType": "Automated",
                "expectedResults": _cucumber_outcome(element),
            }


def _cucumber_line(step: _Record) -> Line:
    held = [*objects(step.get("arguments")), step]
    data = [
        f"| {' | '.join(_texts(row.get('cells')))} |"
        for each in held
        for row in objects(each.get("rows"))
    ]
    quoted = [each.get("doc_string", each) for each in held]
    for each in filter(lambda one: isinstance(one, Mapping), quoted):
        data += str(each.get("content") or each.get("value") or "").splitlines()
    keyword, said = str(step.get("keyword") or "").strip(), str(step.get("name") or "")
    kind = steps_in_any_language().get(keyword, keyword)
    return Line(kind, f"{keyword} {said}", said, data)


def _cucumber_outcome(element: _Record) -> str:
    """The status of the first step or hook that did not pass, with what it says."""
    ran = [
        each["result"]
        for name in ("before", "steps", "after")
        for each in objects(element.get(name))
        if isinstance(each.get("result"), Mapping)
    ]
    failed = (each for each in ran if each.get("status") != PASSED)
    said: _Record = next(failed, {"status": PASSED if ran else None})
    return ended(said.get("status"), [said.get("error_message")])


def _postman(collection: _Record, outcomes: Mapping[Any, str]) -> Iterator[dict[str, Any]]:
    """The requests of a collection; what their scripts test is expected of them."""

    def below(items: Any, folders: list[str]) -> Iterator[dict[str, Any]]:
        for item in objects(items):
            name = str(item.get("name") or "")
            if isinstance(item.get("item"), list):
                yield from below(item["item"], [*folders, name])
            elif item.get("request"):
                yield _request(item, folders, outcomes)

    return below(collection["item"], [str(collection["info"].get("name") or "")])


def _request(item: _Record, folders: list[str], outcomes: Mapping[Any, str]) -> dict[str, Any]:
    stated = item["request"]
    request: _Record = stated if isinstance(stated, Mapping) else {"url": stated}
    url = without_credentials(_url(request.get("url")))
    call = f"{request.get('method') or 'GET'} {url}"
    sent = without_credentials(_body(request.get("body")))
    title = str(item.get("name") or call)
    place = [each.replace("/", " ") for each in folders if each]
    described = request.get("description") or item.get("description")
    if isinstance(described, Mapping):
        described = described.get("content")
    expected = [
        next(filter(None, names))
        for event in objects(item.get("event"))
        if event.get("listen") == "test" and isinstance(event.get("script"), Mapping)
        for names in _POSTMAN_TEST.findall(_script(event["script"].get("exec")))
    ]
    return {
        "uid": "/".join((*place, title)),
        "title": title,
        "description": described,
        "testType": "API",
        "folderStructure": "/".join(place),
        "steps": [{"action": call, "data": sent, "expected": expected}],
        "expectedResults": outcomes.get(item.get("id")),
    }


def _script(lines: Any) -> str:
    return "\n".join(_texts(lines)) if isinstance(lines, list) else str(lines or "")


def _url(url: Any) -> str:
    if not isinstance(url, Mapping):
        return str(url or "")
    if url.get("raw"):
        return str(url["raw"])
    host, path = url.get("host"), url.get("path")
    protocol = f"{url['protocol']}://" if url.get("protocol") else ""
    where = ".".join(_texts(host)) if isinstance(host, list) else str(host or "")
    return protocol + "/".join([where, *(_texts(path) if isinstance(path, list) else [str(path)])])


def _body(body: Any) -> str:
    """What a request sends, without its headers, which may hold secrets."""
    if not isinstance(body, Mapping):
        return ""
    held = body.get(str(body.get("mode")))
    if isinstance(held, Mapping):  # GraphQL
        return str(held.get("query") or "")
    if isinstance(held, list):
        return "\n".join(f"{each.get('key')}={each.get('value', '')}" for each in objects(held))
    return str(held or "")


def _newman_outcomes(run: Any) -> dict[Any, str]:
    """Id of a request -> what its tests said when Newman ran them last."""
    found: dict[Any, str] = {}
    for execution in objects(an_object(run).get("executions")):
        item = execution.get("item")
        checks = objects(execution.get("assertions"))
        errors = [each["error"] for each in checks if isinstance(each.get("error"), Mapping)]
        if isinstance(item, Mapping):
            said = [each.get("message") for each in errors]
            found[item.get("id")] = last_outcome([outcome(FAILED if errors else PASSED, said)])
    return found
