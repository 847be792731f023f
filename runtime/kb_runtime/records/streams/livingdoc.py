"""Reads how scenarios of SpecFlow and Reqnroll ended (`TestExecution.json` of LivingDoc)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kb_runtime.records.outcomes import FAILED, last_outcome, outcome
from kb_runtime.records.streams.values import objects, text, text_at

_STATUSES = {"testerror": FAILED, "bindingerror": FAILED, "stepdefinitionpending": "pending"}


def is_execution(data: Mapping[str, Any]) -> bool:
    return any("ScenarioTitle" in each for each in objects(data.get("ExecutionResults")))


def records(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A record for each scenario, with the outcomes of all rows of its examples, under its title in the
    feature; its steps are in the feature file."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for each in objects(data.get("ExecutionResults")):
        title = text_at(each, "ScenarioTitle")
        if title:
            place = text_at(each, "FeatureFolderPath"), text_at(each, "FeatureTitle"), title
            rows.setdefault(place, []).append(_outcome(each))
    for (folder, feature, title), ended in rows.items():
        yield {
            "uid": f"{feature}: {title}",
            "title": title,
            "testType": "Automated",
            "folderStructure": "/".join(filter(None, (folder, feature.replace("/", " ")))),
            "expectedResults": last_outcome(ended),
        }


def _outcome(result: Mapping[str, Any]) -> str:
    steps = objects(result.get("StepResults"))
    errors = [text(each["Error"]) for each in steps if each.get("Error")]
    arguments = result.get("ScenarioArguments")
    given = ", ".join(map(text, arguments)) if isinstance(arguments, list) else ""
    status = text_at(result, "Status")
    return outcome(_STATUSES.get(status.lower(), status), errors[:1], where=given)
