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
_ENTRIES = "entries of `test_docs`, `test_steps` and of every collection"
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
    platforms: Annotated[list[str], "platforms it runs on"]
    testType: NotRequired[Annotated[str, _TEST_TYPE]]
    folderStructure: NotRequired[Annotated[str, "its folder, with slashes"]]


class FoundTest(TypedDict):
    test: Annotated[FoundTestFields, "the test", TYPE_ONLY]
    score: Annotated[float, "0 to 1"]
    matched_steps: NotRequired[Annotated[str, "numbers of matching steps, such as `1,2`"]]
    matchedSteps: NotRequired[Annotated[list[int], "the same as integers"]]


class FoundTests(AnswerFields):
    results: Annotated[list[FoundTest], "best first"]
    total: Annotated[int, _TOTAL, WITH_MEANING]
    top_k: Annotated[int, "maximum number of results, as applied"]
    filters: NotRequired[Annotated[dict[str, Any], "the filters, as applied"]]


class SimilarTest(TypedDict):
    test: Annotated[TestSummary, "the test", TYPE_ONLY]
    score: Annotated[float, "0 to 1"]


class SimilarTests(AnswerFields):
    results: Annotated[list[SimilarTest], "most similar first, without the reference"]
    reference: Annotated[TestSummary, "the test they are compared with", TYPE_ONLY]
    scope: Annotated[Literal["docs", "steps", "all"], "what was compared"]
    top_k: Annotated[int, "maximum number of results, as applied"]
    total: Annotated[int, _TOTAL, WITH_MEANING]


class TestStep(TypedDict):
    index: Annotated[int, "number of the step"]
    action: Annotated[str, "what to do"]
    data: NotRequired[Annotated[str, "test data"]]
    expected: Annotated[list[str], "expected results"]


class TestDetails(AnswerFields):
    uid: Annotated[str, "its identifier"]
    title: Annotated[str, "its title"]
    priority: Annotated[Literal["Critical", "High", "Medium", "Low"], "its priority"]
    ingested_at: Annotated[str, "time of ingestion, ISO 8601"]
    tags: Annotated[list[str], "its tags"]
    platforms: Annotated[list[str], "platforms it runs on"]
    preconditions: Annotated[list[str], "preconditions"]
    relatedIssues: Annotated[list[str], "keys of issues"]
    steps: Annotated[list[TestStep], "all of its steps"]
    jiraKey: NotRequired[Annotated[str, "its Jira key"]]
    summary: NotRequired[Annotated[str, "what it checks"]]
    testCaseId: NotRequired[Annotated[str, "its test case id"]]
    testId: NotRequired[Annotated[int, "its internal number"]]
    description: NotRequired[Annotated[str, "its description"]]
    testType: NotRequired[Annotated[str, _TEST_TYPE]]
    folderStructure: NotRequired[Annotated[str, "its folder, with slashes"]]
    expectedResults: NotRequired[Annotated[str, "the expected result of the whole test"]]
    testData: NotRequired[Annotated[str, "test data of the whole test"]]
    testPath: NotRequired[Annotated[str, "path of its code"]]
    source: NotRequired[Annotated[str, "the file it was read from"]]
    matchedBy: NotRequired[Annotated[IdField, "the matching field, if no test has the key"]]
    others: NotRequired[
        Annotated[list[str], "uids of other tests with the key; addresses, if they have this uid"]
    ]


class ServiceIndex(TypedDict):
    status: Annotated[Literal["connected", "disconnected"], ""]
    collections: Annotated[dict[str, int], _ENTRIES]


class Embedder(TypedDict):
    provider: Annotated[str, "the library, or `none`"]
    model: Annotated[str, "the model, or `none`"]


class LocalIndex(TypedDict):
    status: Annotated[Literal["loaded", "damaged"], ""]
    collections: Annotated[dict[str, int], _ENTRIES]


class Health(AnswerFields):
    status: Annotated[HealthStatus, ""]
    qdrant: Annotated[ServiceIndex, "the index, under names that clients know", TYPE_ONLY]
    embedder: Annotated[Embedder, "the query encoder", TYPE_ONLY]
    buildId: Annotated[str, "id of the served build"]
    builtAt: Annotated[str, "when it was built, ISO 8601"]
    stale: Annotated[bool, "whether a newer build was published but not opened"]
    tests: Annotated[int, "test cases"]
    steps: Annotated[int, "their steps"]
    index: Annotated[LocalIndex, "the same under neutral names", TYPE_ONLY]
    byPriority: Annotated[dict[str, int], "how many tests have each priority", TYPE_ONLY]
    byTestType: Annotated[dict[str, int], "how many tests have each type", TYPE_ONLY]
    problems: NotRequired[Annotated[list[str], "why it is not healthy"]]


class IngestedCounts(TypedDict):
    docs_ingested: Annotated[int, "tests"]
    steps_ingested: Annotated[int, "their steps"]


class IngestionFacts(TypedDict):
    persisted: Annotated[bool, "whether the tests were stored"]
    next: Annotated[str, "what to do or run next"]
    buildId: NotRequired[Annotated[str, "if they were stored: id of the build with them"]]


class Ingestion(IngestionFacts):
    warnings: Annotated[list[str], "warnings about the files"]
    errors: Annotated[list[str], "records that cannot be used, with reasons"]
    skipped: Annotated[int, "records that are left out"]
    functional: NotRequired[Annotated[IngestedCounts, "counts for functional tests", WITH_REQUIRED]]
    api: NotRequired[Annotated[IngestedCounts, "counts for API tests", WITH_REQUIRED]]
