"""Reads the messages of Cucumber (`message` formatter): features, what is run of them, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kb_runtime.records.gherkin import Line, conditions, issue_key, steps_from
from kb_runtime.records.gherkin_keywords import steps_in_any_language
from kb_runtime.records.outcomes import PASSED, ended
from kb_runtime.records.streams.values import an_object, objects, text

_Message = Mapping[str, Any]


def is_stream(messages: Sequence[_Message]) -> bool:
    """Whether objects are messages of Cucumber: each has one key, which says what it is."""
    return any("pickle" in each for each in messages) and all(len(each) == 1 for each in messages)


def records(messages: Sequence[_Message]) -> Iterator[dict[str, Any]]:
    """A record for each scenario that is run, or row of its examples, named as by its feature file."""
    features = _Features(_of(messages, "gherkinDocument"))
    outcomes = _outcomes(messages)
    for pickle in _of(messages, "pickle"):
        yield features.record(pickle, outcomes.get(text(pickle.get("id")), ""))


def _of(messages: Iterable[_Message], kind: str) -> Iterator[_Message]:
    return (each[kind] for each in messages if isinstance(each.get(kind), Mapping))


class _Features:
    """What the features of a run say, by the ids of their scenarios and steps."""

    def __init__(self, documents: Iterable[_Message]) -> None:
        self._nodes: dict[str, _Message] = {}
        self._place: dict[str, list[str]] = {}
        self._conditions: set[str] = set()
        for document in documents:
            feature = an_object(document.get("feature"))
            self._add(feature, [text(feature.get("name"))])

    def _add(self, parent: _Message, place: list[str]) -> None:
        for child in objects(parent.get("children")):
            for kind, held in child.items():
                if not isinstance(held, Mapping):
                    continue
                if kind == "rule":
                    self._add(held, [*place, text(held.get("name"))])
                    continue
                self._nodes[text(held.get("id"))] = held
                self._place[text(held.get("id"))] = place
                for step in objects(held.get("steps")):
                    self._nodes[text(step.get("id"))] = step
                    if kind == "background":
                        self._conditions.add(text(step.get("id")))

    def record(self, pickle: _Message, expected: str) -> dict[str, Any]:
        ids = _sources(pickle)
        scenario = next((self._nodes[each] for each in ids if each in self._nodes), {})
        place = next((self._place[each] for each in ids if each in self._place), [])
        uri = text(pickle.get("uri")).removeprefix("file:").replace("\\", "/")
        name = text(pickle.get("name"))
        tags = [text(tag.get("name")).removeprefix("@") for tag in objects(pickle.get("tags"))]
        before, own = self._steps(pickle)
        line = an_object(scenario.get("location")).get("line")
        stem = uri.rpartition("/")[2].removesuffix(".md").removesuffix(".feature")
        return {
            "uid": f"{stem}: {name}",
            "title": name,
            "jiraKey": issue_key(reversed(tags)),
            "description": text(scenario.get("description")).strip(),
            "tags": tags,
            "folderStructure": "/".join(each.replace("/", " ") for each in place if each),
            "preconditions": conditions(steps_from(before)),
            "steps": steps_from(own),
            "testPath": f"{uri}:{line}" if isinstance(line, int) else uri,
            "testType": "Automated",
            "expectedResults": expected,
        }

    def _steps(self, pickle: _Message) -> tuple[list[Line], list[Line]]:
        """The steps of the backgrounds, and of the scenario itself."""
        sides: tuple[list[Line], list[Line]] = ([], [])
        for step in objects(pickle.get("steps")):
            ids = _sources(step)
            written = next((self._nodes[each] for each in ids if each in self._nodes), {})
            keyword, said = text(written.get("keyword")).strip(), text(step.get("text"))
            kind = steps_in_any_language().get(keyword, keyword)
            line = Line(kind, f"{keyword} {said}".strip(), said, _data(step.get("argument")))
            sides[self._conditions.isdisjoint(ids)].append(line)
        return sides


def _sources(held: _Message) -> list[str]:
    """The ids of what a pickle, or a step of one, is made of in its feature."""
    ids = held.get("astNodeIds")
    return [each for each in ids if isinstance(each, str)] if isinstance(ids, list) else []


def _data(argument: Any) -> list[str]:
    """The table or text below a step."""
    held = an_object(argument)
    if isinstance(table := held.get("dataTable"), Mapping):
        rows = (objects(row.get("cells")) for row in objects(table.get("rows")))
        return [f"| {' | '.join(text(cell.get('value')) for cell in row)} |" for row in rows]
    return text(an_object(held.get("docString")).get("content")).splitlines()


def _outcomes(messages: Sequence[_Message]) -> dict[str, str]:
    """How each pickle ended, by its id: of several attempts the last."""
    pickle_of = {
        text(case.get("id")): text(case.get("pickleId")) for case in _of(messages, "testCase")
    }
    started = {text(each.get("id")): each for each in _of(messages, "testCaseStarted")}
    results: dict[str, list[_Message]] = {identity: [] for identity in started}
    for each in _of(messages, "testStepFinished"):
        result = each.get("testStepResult")
        if isinstance(result, Mapping):
            results.setdefault(text(each.get("testCaseStartedId")), []).append(result)
    found: dict[str, str] = {}
    for identity, start in started.items():
        ran = results[identity]
        failed = (each for each in ran if text(each.get("status")).lower() != PASSED)
        last = next(failed, {"status": PASSED if ran else None})
        is_retried = isinstance(start.get("attempt"), int) and start["attempt"] > 0
        pickle = pickle_of.get(text(start.get("testCaseId")), "")
        found[pickle] = ended(last.get("status"), [last.get("message")], is_flaky=is_retried)
    return found
