"""The tools over test cases: search, similar tests, look-up by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from kb_runtime.errors import ToolError
from kb_runtime.records.cases import EXPORT_LISTS, EXPORT_NAMES, exported_step, is_jira_key
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import edit_distance, quoted
from kb_runtime.text.rendering import cut
from kb_runtime.text.tables import count_of
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present, with_warnings
from kb_runtime.tools.budget import WARNING_MARGIN, whole_results
from kb_runtime.tools.cases import ranking as test_ranking
from kb_runtime.tools.cases.family import case_tools
from kb_runtime.tools.cases.filters import FACETS, advice, check_filters, row_filter
from kb_runtime.tools.declaration import Answer, Argument
from kb_runtime.tools.refusal import bad_input, not_found

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.records.entries import TestEntry
    from kb_runtime.search.analysis import Analyzer
    from kb_runtime.search.candidates import Candidates
    from kb_runtime.search.query import Query
    from kb_runtime.tools.cases.answers import (
        FoundTest,
        FoundTests,
        IdField,
        SimilarTest,
        SimilarTests,
        TestDetails,
        TestSummary,
    )
    from kb_runtime.tools.session import Session

MAX_QUERY_CHARS = 1000
MAX_KEY_CHARS = 200
SUMMARY_CHARS = 200
_IF_CUT = "Ask more narrowly, or give a larger max_chars."
SUGGESTED_KEYS = 5
_NEIGHBOURS = 20  # keys on each side of an unknown one that are compared with it

# A step of a hit matches when it holds this share of the query's words; or when it is this close in
# meaning, and closer by the margin than the test itself: the title, embedded with every step, would
# make all of them match otherwise. Where the title has that share of the words, no meaning counts.
MATCHED_WORDS = 0.5
MATCHED_COSINE = 0.5
MATCHED_MARGIN = 0.1

SCOPES = ("docs", "steps", "all")
NO_KEY = "N/A"

_SUMMARY = ("uid", "title", "tags", "priority", "jiraKey")
_BRIEF = ("uid", "title", "priority", "tags", "summary", "jiraKey", "platforms", "testType")


_FILTERS_HELP = (
    "All must hold. "
    + ", ".join(FACETS)
    + "; a list means any of its values. priority: Critical, High, Medium or Low; folderStructure takes"
    " in what is below; testPath is a glob, or a part of the path."
)
_TOP_K = parameter.integer(
    "top_k", "Most results.", 1, test_ranking.MAX_TESTS, out_of_range="clamp above"
)
TOOLS = case_tools()


@TOOLS.tool(
    "Search test cases by what they check or do in their steps, in any words; a Jira"
    " key or uid finds its test first. Filters apply before ranking.",
    parameter.required("query", "What to look for.", MAX_QUERY_CHARS),
    _TOP_K._replace(default=20),
    Argument("filters", "object", _FILTERS_HELP),
)
def search_tests(session: Session, arguments: dict[str, Any]) -> Answer[FoundTests]:
    limit: int = arguments["top_k"]
    filters = check_filters(arguments["filters"])
    rows = row_filter(session, filters)
    warnings: list[str] = []
    structured: FoundTests = {"results": [], "total": 0, "top_k": limit}
    if filters.values:
        structured["filters"] = filters.shown()
    if rows is not None and not rows.mask.any():
        warnings += advice(session, filters)
        return with_warnings(Answer("No tests found matching your query.", structured), warnings)
    ranking = test_ranking.search(session, arguments["query"], limit, rows)
    warnings += ranking.warnings
    assert ranking.candidates is not None
    texts = []
    for number, found in enumerate(ranking.tests, 1):
        record = _record(session, found.info, found.record)
        matched = _matched_steps(session, ranking.candidates, found, record)
        test: Any = _complete(session, record)
        brief: Any = {name: test[name] for name in (*_BRIEF, "folderStructure") if name in test}
        brief |= present(address=lookup.shared_address(session, found.info.name, record["id"]))
        result: FoundTest = {"test": brief, "score": round(found.score, 4)}
        if matched:
            result["matched_steps"] = ",".join(map(str, matched))
            result["matchedSteps"] = matched
        structured["results"].append(result)
        texts.append(_found_text(number, result))
    if not ranking.tests:
        warnings.append(
            "no test that passes the filters matches: leave some of them out, or use other words"
            if filters.values
            else "use other words"
        )
    structured["total"] = ranking.total
    text = (
        _fitting(session, structured, "", texts, warnings) or "No tests found matching your query."
    )
    return with_warnings(Answer(text, structured), warnings)


def _fitting(
    session: Session,
    structured: FoundTests | SimilarTests,
    heading: str,
    texts: Sequence[str],
    warnings: Sequence[str],
) -> str:
    """The texts of the results that have room, with the warnings, below the heading; the structure
    keeps as many."""
    results: list[Any] = structured["results"]
    room = session.max_chars - sum(len(warning) + WARNING_MARGIN for warning in warnings)

    def write() -> str:
        shown = [heading, *texts[: len(results)]]
        if len(results) < len(texts):
            shown.append(f"Only {count_of(len(results), 'test')} could be shown. {_IF_CUT}")
        return "\n\n".join(filter(None, shown))

    return whole_results(structured, [results], write, room, _IF_CUT).text


@TOOLS.tool(
    "Tests like a given one, in what they are about (docs), in their steps, or both.",
    parameter.required(
        "jira_key", "Jira key, uid or case id of the reference test.", MAX_KEY_CHARS
    ),
    _TOP_K._replace(default=10),
    parameter.text("scope", "What is compared.", default="all", choices=SCOPES),
)
def find_similar_tests(session: Session, arguments: dict[str, Any]) -> Answer[SimilarTests]:
    limit: int = arguments["top_k"]
    key: str = arguments["jira_key"]
    info, position, _ = _lookup(session, key, key)
    reference = _summary(session, info, position)
    ranking = test_ranking.similar(session, info, position, limit, arguments["scope"])
    results: list[SimilarTest] = []
    texts = []
    for number, found in enumerate(ranking.tests, 1):
        test = _summary(session, found.info, found.record)
        score = round(found.score, 4)
        results.append({"test": test, "score": score})
        facts = {
            "UID": test["uid"],
            "Address": test.get("address"),
            "Similarity Score": f"{score:.3f}",
            "Tags": _listed(test["tags"]),
        }
        texts.append("\n".join([f"{number}. **{test['title']}**", *_bullets(facts, "   ")]))
    structured: SimilarTests = {
        "results": results,
        "reference": reference,
        "scope": arguments["scope"],
        "top_k": limit,
        "total": ranking.total,
    }
    name = reference.get("jiraKey", reference["uid"])
    heading = f"**Tests similar to {name}:**"
    text = _fitting(session, structured, heading, texts, ranking.warnings)
    answer = Answer(text if texts else "No similar tests found.", structured)
    return with_warnings(answer, ranking.warnings)


@TOOLS.tool(
    "One test case in full, with all its steps, by its Jira key, uid or case id.",
    parameter.required("jira_key", "Key such as PROJ-123, or the UID of a result.", MAX_KEY_CHARS),
)
def get_test_by_jira(session: Session, arguments: dict[str, Any]) -> Answer[TestDetails]:
    given: str = arguments["jira_key"]
    key = given.upper()
    try:
        info, position, others = _lookup(session, key if is_jira_key(key) else given, given)
    except ToolError:
        if is_jira_key(key):
            raise
        raise _malformed(session, given) from None
    test = _complete(session, _record(session, info, position))
    warnings = []
    if test.get("jiraKey", "").upper() != key and parse_address(given) is None:
        field: IdField = "uid" if test["uid"].upper() == key else "testCaseId"
        test["matchedBy"] = field
        what = "no test has the JIRA key" if is_jira_key(key) else "this is not a JIRA key:"
        warnings.append(f"{what} {quoted(given)}; it is the {field} of this test")
    if others:
        test["others"] = others
        warnings.append(
            f"{key} is also the {test.get('matchedBy', 'key')} of other tests: {', '.join(others)}"
        )
    return with_warnings(Answer(_test_text(test), test), warnings)


def _record(session: Session, info: CollectionInfo, position: int) -> TestEntry:
    record: Any = session.artifact.catalog(info.name)[position]
    return cast("TestEntry", record)


def _summary(session: Session, info: CollectionInfo, position: int) -> TestSummary:
    test: Any = _complete(session, _record(session, info, position))
    summary: Any = {name: test[name] for name in _SUMMARY if name in test}
    id = session.artifact.catalog(info.name).id(position)
    summary |= present(address=lookup.shared_address(session, info.name, id))
    return cast("TestSummary", summary)


def _complete(session: Session, entry: TestEntry) -> TestDetails:
    record: Any = entry
    test: Any = {shown: record[name] for name, shown in EXPORT_NAMES.items() if name in record}
    test |= {shown: record.get(name, []) for name, shown in EXPORT_LISTS.items()}
    test.setdefault("ingested_at", session.artifact.built_at(record["collection"]))
    test["steps"] = [exported_step(step) for step in record.get("steps", ())]
    return cast("TestDetails", test)


def _lookup(session: Session, key: str, given: str) -> tuple[CollectionInfo, int, list[str]]:
    """The test that a key, a uid or a case id names: its collection and position, and the others that
    are called the same: their uids, or addresses where other collections have this uid. Raises NOT_FOUND."""
    candidates = []
    known = lookup.collections(session, "tests")
    infos, id = lookup.addressed(session, given, known, lambda info: info.name)
    if id != given:  # an address
        key = given = id
    for info in infos:
        catalog = session.artifact.catalog(info.name)
        for position in catalog.find_all(key):
            record = catalog.head(position)
            fields = (record.get("jira_key", ""), record["uid"])
            rank = next((n for n, field in enumerate(fields) if field.upper() == key.upper()), 2)
            # Of uids that differ only in case the one that was given; keys are in upper case.
            is_other = rank == 1 and record["uid"] != given
            candidates.append((rank, is_other, record["uid"], info, position))
    if not candidates:
        raise not_found(
            f"no test has the key {quoted(given)}",
            "Use search_tests to find a test by what it is about.",
            suggestions=_suggestions(session, key),
        )
    candidates.sort(key=lambda candidate: candidate[:3])
    rank, _, uid, info, position = candidates[0]
    alike = [(other, place) for level, _, other, place, _ in candidates if rank == level]
    if lookup.note_duplicates(session, given, [(place.name, other) for other, place in alike]):
        return info, position, []
    others = [
        session.artifact.address(place.name, other) if other == uid else other
        for other, place in alike[1:]
        if rank != 1 or other == uid
    ]
    return info, position, others


def _suggestions(session: Session, given: str) -> list[str]:
    """Keys like an unknown one; for what can be no key, such as a title, the uids of the tests that a search
    finds."""
    close = _close_keys(session, given.upper())
    if close or is_jira_key(given.upper()):
        return close
    return lookup.searched(session, "tests", given, SUGGESTED_KEYS)


def _close_keys(session: Session, key: str) -> list[str]:
    """Keys near an unknown one in the alphabet, the fewest edits away first."""
    near: set[str] = set()
    for info in lookup.collections(session, "tests"):
        if info.records:
            near.update(session.artifact.facets(info.name).near("key", key, _NEIGHBOURS))
    bound = max(len(key) // 2, 2)
    close = [(distance, one) for one in near if (distance := edit_distance(key, one, bound))]
    return [one for _, one in sorted(close)[:SUGGESTED_KEYS]]


def _malformed(session: Session, given: str) -> ToolError:
    """The error for what is no identifier of a test and cannot be a key."""
    return bad_input(
        f"invalid JIRA key format: {quoted(given)} is neither a key nor a test's uid or case id",
        "Give a key such as PROJ-123, or the UID that search_tests shows.",
        suggestions=_suggestions(session, given),
    )


def _matched_steps(
    session: Session, candidates: Candidates, found: test_ranking.RankedTest, record: TestEntry
) -> list[int]:
    """The indexes of the steps that match the query themselves, ascending."""
    steps = record.get("steps", [])
    if not steps:
        return []
    analyzer, query = session.artifact.lexical.analyzer, candidates.query
    matched = set()
    for step in steps:
        text = "\n".join((step["action"], step.get("data", ""), *step.get("expected", ())))
        if _shares(analyzer, query, text):
            matched.add(step["index"])
    if candidates.vector is not None and not _shares(analyzer, query, record["title"]):
        own, rows = test_ranking.rows_of(session.artifact, found.info, found.record)
        first, *cosines = session.artifact.vectors.cosines(
            candidates.vector, [own.start, *rows]
        ).tolist()
        for row_number, cosine in zip(rows, cosines, strict=True):
            if cosine >= max(MATCHED_COSINE, first + MATCHED_MARGIN):
                anchor: str = session.artifact.chunks[row_number]["anchor"]
                matched.add(int(anchor.rpartition("-")[2]))
    return sorted(matched)


def _shares(analyzer: Analyzer, query: Query, text: str) -> bool:
    """Whether a text holds enough of the query's words."""
    known = {term for term, _ in (*analyzer.prose(text), *analyzer.names(text))}
    held = sum((term.prose or term.names)[0] in known for term in query.terms)
    return held > 0 and held >= MATCHED_WORDS * len(query.terms)


def _found_text(number: int, result: FoundTest) -> str:
    test = result["test"]
    summary = " ".join(test.get("summary", "").split())
    facts = {
        "UID": test["uid"],
        "Address": test.get("address"),
        "Priority": test["priority"],
        "Tags": _listed(test["tags"]),
        "Score": f"{result['score']:.3f}",
        "Matched Steps": result.get("matched_steps"),
        "Summary": f"{summary[: cut(summary, 0, SUMMARY_CHARS)]}...",
    }
    return "\n".join([f"**{number}. {test['title']}**", *_bullets(facts)])


def _bullets(facts: Mapping[str, str | None], indent: str = "") -> list[str]:
    """A line for each fact that is known."""
    return [f"{indent}- {name}: {fact}" for name, fact in facts.items() if fact]


def _test_text(test: TestDetails) -> str:
    facts = {
        "UID": test["uid"],
        "JIRA Key": test.get("jiraKey", NO_KEY),
        "Priority": test["priority"],
        "Tags": _listed(test["tags"]),
        "Platforms": _listed(test["platforms"]),
        "Type": test.get("testType", ""),
        "Folder": test.get("folderStructure", ""),
        "Test Path": test.get("testPath", ""),
        "Related Issues": ", ".join(test["relatedIssues"]),
    }
    lines = [f"**{test['title']}**", "", *_bullets(facts)]
    parts = {
        "Summary": test.get("summary", ""),
        "Description": test.get("description", ""),
        "Preconditions": "\n".join(f"- {each}" for each in test["preconditions"]),
        "Test Data": test.get("testData", ""),
        "Expected Results": test.get("expectedResults", ""),
    }
    for name, part in parts.items():
        lines += ["", f"**{name}:**", part] if part else []
    if test["steps"]:
        lines += ["", f"**Steps ({len(test['steps'])}):**"]
    for step in test["steps"]:
        data = f" (Data: {step['data']})" if "data" in step else ""
        lines.append(f"{step['index']}. {step['action']}{data}")
        if step["expected"]:
            lines.append(f"   Expected: {', '.join(step['expected'])}")
    return "\n".join(lines)


def _listed(values: Sequence[str]) -> str:
    return ", ".join(values) or NO_KEY
