"""Facets: what a record can be filtered by, as pairs of a facet's name and a value."""

from __future__ import annotations

from collections.abc import Iterator

from kb_runtime.store.facets import Facet, folder_values, issue_key
from kbc.records import Record, TestRecord


def facets(record: Record) -> list[Facet]:
    """The facets of a record, each once; none for kinds that have no filters."""
    return list(dict.fromkeys(_of_test(record))) if isinstance(record, TestRecord) else []


def _of_test(record: TestRecord) -> Iterator[Facet]:
    yield from (Facet("tag", tag.casefold()) for tag in record.tags)
    yield from (Facet("platform", platform.casefold()) for platform in record.platforms)
    yield from (Facet("folder", folder) for folder in folder_values(record.folder))
    yield from (Facet("issue", issue_key(issue)) for issue in record.related_issues)
    yield Facet("priority", record.priority.casefold())
    yield Facet("testtype", record.test_type.casefold())
    if record.test_path:
        yield Facet("testpath", record.test_path)
    if record.jira_key:
        yield Facet("key", record.jira_key)
    yield Facet("steps", str(len(record.steps)))
