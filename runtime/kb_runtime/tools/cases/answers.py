"""The structured answers of the tools over test cases."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from kb_runtime.tools.fields import (
    TYPE_ONLY,
    WITH_MEANING,
    WITH_REQUIRED,
    AnswerFields,
    SharedAddress,
)

HealthStatus = Literal["HEALTHY", "DEGRADED", "UNHEALTHY"]
IdField = Literal["uid", "testCaseId"]

_TEST_TYPE = "`Manual`, `Automated`, `API`, `Performance`, `Integration`, `Unit` or another"
_TOTAL = "tests ranked, whatever top_k: those of the best 400 passages or more"


class TestSummary(TypedDict):
    uid: Annotated[str, "its identifier"]
    title: Annotated[str, "its title"]
    priority: Annotated[Literal["Critical", "High", "Medium", "Low"], "its priority"]
    tags: Annotated[list[str], "its tags"]
    jiraKey: NotRequired[Annotated[str, "its Jira key"]]
    address: NotRequired[SharedAddress]


class FoundTestFields(TestSummary):
    summary: NotRequired[Annotated[str, "what it checks, in full"]]
    platforms: Annotated[list[str], "where it runs"]
    testType: NotRequired[Annotated[str, _TEST_TYPE]]
    folderStructure: NotRequired[Annotated[str, "its folder, with slashes"]]


class FoundTest(TypedDict):
    test: Annotated[FoundTestFields, "the test", TYPE_ONLY]
    score: Annotated[float, "0 to 1"]
    matched_steps: NotRequired[
        Annotated[str, "numbers of the steps that match themselves, such as `1,2`"]
    ]
    matchedSteps: NotRequired[Annotated[list[int], "the same as numbers"]]


class FoundTests(AnswerFields):
    results: Annotated[list[FoundTest], "best first"]
    total: Annotated[int, _TOTAL, WITH_MEANING]
    top_k: Annotated[int, "results at most, as applied"]
    filters: NotRequired[Annotated[dict[str, Any], "the filters, as applied"]]


class SimilarTest(TypedDict):
    test: Annotated[TestSummary, "the test", TYPE_ONLY]
    score: Annotated[float, "0 to 1"]


class SimilarTests(AnswerFields):
    results: Annotated[list[SimilarTest], "most similar first, without the reference"]
    reference: Annotated[TestSummary, "the test they are compared with", TYPE_ONLY]
    scope: Annotated[Literal["docs", "steps", "all"], "what was compared"]
    top_k: Annotated[int, "results at most, as applied"]
    total: Annotated[int, _TOTAL, WITH_MEANING]


class TestStep(TypedDict):
    index: Annotated[int, "number of the step"]
    action: Annotated[str, "what to do"]
    data: NotRequired[Annotated[str, "with what"]]
    expected: Annotated[list[str], "what must happen"]


class TestDetails(AnswerFields):
    uid: Annotated[str, "its identifier"]
    title: Annotated[str, "its title"]
    priority: Annotated[Literal["Critical", "High", "Medium", "Low"], "its priority"]
    ingested_at: Annotated[str, "time of ingestion, ISO 8601"]
    tags: Annotated[list[str], "its tags"]
    platforms: Annotated[list[str], "where it runs"]
    preconditions: Annotated[list[str], "what must hold before"]
    relatedIssues: Annotated[list[str], "keys of issues"]
    steps: Annotated[list[TestStep], "all of its steps"]
    jiraKey: NotRequired[Annotated[str, "its Jira key"]]
    summary: NotRequired[Annotated[str, "what it checks"]]
    testCaseId: NotRequired[Annotated[str, "its id as a test case"]]
    testId: NotRequired[Annotated[int, "its internal number"]]
    description: NotRequired[Annotated[str, "its description"]]
    testType: NotRequired[Annotated[str, _TEST_TYPE]]
    folderStructure: NotRequired[Annotated[str, "its folder, with slashes"]]
    expectedResults: NotRequired[Annotated[str, "the expected result of the whole test"]]
    testData: NotRequired[Annotated[str, "data for the whole test"]]
    testPath: NotRequired[Annotated[str, "where its code is"]]
    source: NotRequired[Annotated[str, "the file it was exported to"]]
    matchedBy: NotRequired[Annotated[IdField, "when no test has the key"]]
    others: NotRequired[Annotated[list[str], "uids of other tests with the key"]]


class ServiceIndex(TypedDict):
    status: Annotated[Literal["connected", "disconnected"], ""]
    collections: Annotated[
        dict[str, int], "entries of `test_docs`, `test_steps` and of every collection"
    ]


class Embedder(TypedDict):
    provider: Annotated[str, "the library, or `none`"]
    model: Annotated[str, "the model, or `none`"]


class LocalIndex(TypedDict):
    status: Annotated[Literal["loaded", "damaged"], ""]
    collections: Annotated[
        dict[str, int], "entries of `test_docs`, `test_steps` and of every collection"
    ]


class Health(AnswerFields):
    status: Annotated[HealthStatus, ""]
    qdrant: Annotated[ServiceIndex, "the index, by the names that clients know", TYPE_ONLY]
    embedder: Annotated[Embedder, "what embeds queries", TYPE_ONLY]
    buildId: Annotated[str, "the build that is served"]
    builtAt: Annotated[str, "when it was made, ISO 8601"]
    stale: Annotated[bool, "whether a newer build is published and not opened"]
    tests: Annotated[int, "test cases"]
    steps: Annotated[int, "their steps"]
    index: Annotated[LocalIndex, "the same by neutral names", TYPE_ONLY]
    byPriority: Annotated[dict[str, int], "how many tests have each priority", TYPE_ONLY]
    byTestType: Annotated[dict[str, int], "how many tests have each type", TYPE_ONLY]
    problems: NotRequired[Annotated[list[str], "why it is not healthy"]]


class IngestedCounts(TypedDict):
    docs_ingested: Annotated[int, "tests"]
    steps_ingested: Annotated[int, "their steps"]


class IngestionFacts(TypedDict):
    persisted: Annotated[bool, "whether the tests were stored"]
    next: Annotated[str, "what to do or to run now"]
    buildId: NotRequired[Annotated[str, "when they were stored: the build that has them"]]


class Ingestion(IngestionFacts):
    warnings: Annotated[list[str], "what is doubtful about the files"]
    errors: Annotated[list[str], "what makes records unusable"]
    skipped: Annotated[int, "records that are left out"]
    functional: NotRequired[
        Annotated[IngestedCounts, "of the file of functional tests", WITH_REQUIRED]
    ]
    api: NotRequired[Annotated[IngestedCounts, "of the file of API tests", WITH_REQUIRED]]
