"""What answers about tests, documentation sets and workshops name."""

from __future__ import annotations

from collections.abc import Iterator

from tests.end_to_end.serving.following.leads import (
    Facts,
    Finder,
    both,
    has,
    includes,
    says,
)
from tests.end_to_end.serving.following.walk import Check, Lead, Reply, Server


def _with_test(uid: str) -> Check:
    return includes("results", uid, lambda one: one["test"]["uid"])


def _tests(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    reference = [{"test": facts["reference"]}] if "reference" in facts else []
    for each in [*facts["results"], *reference]:
        test = each["test"]
        name = test.get("address", test["uid"])
        check = has(**{key: test[key] for key in ("uid", "title", "priority", "tags")})
        yield Lead("results[].test.uid", "get_test_by_jira", {"jira_key": name}, check)
        own = has(reference={key: test[key] for key in test if key in _REFERENCE})
        yield Lead("results[].test.uid", "find_similar_tests", {"jira_key": name, "top_k": 3}, own)
        if "filters" in arguments:
            continue
        if "jiraKey" in test:
            own = lambda reply, test=test: (  # noqa: E731
                reply.facts["uid"] == test["uid"]
                or test["uid"] in reply.facts.get("others", ())
                or test.get("address", "no address") in str(reply.facts.get("warnings"))
            )
            by = {"jira_key": test["jiraKey"]}
            yield Lead("results[].test.jiraKey", "get_test_by_jira", by, own)
        for key in _FILTERS if "query" in arguments else ():
            if test.get(key):
                by = {"query": arguments["query"], "filters": {key: test[key]}, "top_k": 100}
                yield Lead(f"results[].test.{key}", "search_tests", by, _with_test(test["uid"]))
        if "matchedSteps" in each:
            numbers = each["matchedSteps"]
            check = lambda reply, numbers=numbers: (  # noqa: E731
                set(numbers) <= {step["index"] for step in reply.facts["steps"]}
            )
            yield Lead("results[].matchedSteps", "get_test_by_jira", {"jira_key": name}, check)


_FILTERS = ("tags", "priority", "platforms", "folderStructure", "testType")
_REFERENCE = ("uid", "title", "priority", "tags", "jiraKey", "address")


def _test(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts.get("others", ()):
        yield Lead("others", "get_test_by_jira", {"jira_key": each}, _same_key(facts, each))
    for name in ("relatedIssues", "testPath"):
        if facts.get(name):
            by = {"query": facts["title"], "filters": {name: facts[name]}}
            yield Lead(name, "search_tests", by, _with_test(facts["uid"]))
    if "testCaseId" in facts:
        by = {"jira_key": facts["testCaseId"]}
        yield Lead("testCaseId", "get_test_by_jira", by, has(uid=facts["uid"]))


def _same_key(facts: Facts, other: str) -> Check:
    key = facts.get("jiraKey")
    return lambda reply: other.endswith(reply.facts["uid"]) and reply.facts.get("jiraKey") == key


def _sources(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["sources"]:
        by = {"source_id": each.get("address", each["id"])}
        yield Lead("sources[].id", "qurio_list_pages", by, has(total=each["pageCount"]))
        found = lambda reply, each=each: (  # noqa: E731
            {one["sourceId"] for one in reply.facts["results"]} <= {each["id"]}
        )
        yield Lead("sources[].id", "qurio_search", {"query": each["name"], **by}, found)


def _pages(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    source = {"source_id": arguments["source_id"]}
    for each in facts["pages"]:
        check = has(title=each["title"], url=each["url"])
        for name in ("id", "url"):
            field, named = f"pages[].{name}", each.get("address", each[name])
            yield Lead(field, "qurio_read_page", {"url": named}, check)
            yield Lead(field, "qurio_read_page", {"url": each[name], **source}, check)
        listed = includes("pages", each["url"], lambda one: one["url"])
        by = {**source, "filter": each["title"]}
        yield Lead("pages[].title", "qurio_list_pages", by, listed)


def _page(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    if "section" in arguments or "#" in arguments["url"]:
        return
    by: Facts = {"url": facts["url"], "source_id": facts["sourceId"]}
    yield Lead("url", "qurio_read_page", by, has(title=facts["title"]))
    listed = includes("pages", facts["url"], lambda one: one["url"])
    yield Lead("sourceId", "qurio_list_pages", {"source_id": facts["sourceId"]}, listed)
    by = {name: arguments[name] for name in ("url", "source_id") if name in arguments}
    whole = server.call("qurio_read_page", **by, max_chars=1_000_000)
    lines = whole.facts["content"].split("\n")
    for each in whole.facts["sections"]:
        check = lambda reply, each=each: (  # noqa: E731
            reply.facts["section"] == each["title"]
            and reply.shown.split("\n")[0] == lines[each["line"] - 1]
        )
        one = {**by, "section": each["anchor"]}
        yield Lead("sections[].anchor", "qurio_read_page", one, check)
        one = {**by, "url": f"{facts['url']}#{each['anchor']}"}
        yield Lead("sections[].anchor", "qurio_read_page", one, check)
        titled = has(section=each["title"])
        one = {**by, "section": each["title"]}
        yield Lead("sections[].title", "qurio_read_page", one, titled)


def _page_hits(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["results"]:
        check = both(
            has(title=each["title"]), lambda reply, each=each: each["content"] in reply.shown
        )
        by = {"url": each.get("address", each["url"]), "max_chars": 1_000_000}
        yield Lead("results[].url", "qurio_read_page", by, check)
        by = {**by, "source_id": each["sourceId"]}
        yield Lead("results[].sourceId", "qurio_read_page", by, check)
        for name in ("type", "language", "sourceId", "sourceName", "title", "url", "author"):
            if name in each:
                one = {"query": facts["query"], "limit": 50, "filters": {name: each[name]}}
                listed = includes("results", each["url"], lambda one: one["url"])
                yield Lead(f"results[].{name}", "qurio_search", one, listed)
        if "section" in each:
            one = {**by, "section": each["section"]}
            yield Lead("results[].section", "qurio_read_page", one, has(section=each["section"]))


def _workshops(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["workshops"]:
        slug = each.get("address", each["workshop"])
        check = both(
            has(title=each["title"]),
            lambda reply, each=each: len(reply.facts["exercises"]) == each["exerciseCount"],
        )
        yield Lead("workshops[].workshop", "list_exercises", {"workshop": slug}, check)
        listed = includes("workshops", each["title"], lambda one: one["title"])
        filters = {name: each[name] for name in ("product", "hasDiffs") if name in each}
        yield Lead("workshops[].product", "list_workshops", filters, listed)


def _exercises(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    slug = arguments["workshop"]
    for exercise in facts["exercises"]:
        own: Facts = {"workshop": slug, "exerciseNumber": exercise["number"]}
        check = has(workshop=facts["workshop"], exerciseNumber=exercise["number"])
        yield Lead("exercises[].number", "retrieve_learning_context", own, check)
        listed = lambda reply, one=exercise: reply.facts["exercises"] == [one]  # noqa: E731
        yield Lead("exercises[].number", "list_exercises", own, listed)
        for step in exercise["steps"]:
            one = {**own, "stepNumber": step["number"]}
            field = "exercises[].steps[].number"
            folders = [step[name] for name in ("problemDir", "solutionDir") if name in step]
            of_step = both(check, has(stepNumber=step["number"]), _from_folders(folders))
            yield Lead(field, "retrieve_learning_context", one, of_step)
            if step["hasDiff"]:
                yield Lead(field, "retrieve_diff_context", one, has(stepNumber=step["number"]))


def _from_folders(folders: list[str]) -> Check:
    def check(reply: Reply) -> bool:
        paths = [one.get("sourcePath", "") for one in reply.facts["sections"]]
        return all(any(path.startswith(folder) for path in paths) for folder in folders)

    return check


def _context(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    slug = arguments.get("workshop", facts.get("address", facts["workshop"]))
    for field in ("sections", "diffSections"):
        for each in facts.get(field, ()):
            numbers = {
                name: each[name] for name in ("exerciseNumber", "stepNumber") if name in each
            }
            scope = {"workshop": slug, "exerciseNumber": facts["exerciseNumber"], **numbers}
            check = includes("sections", each["content"], lambda one: one["content"])
            yield Lead(f"{field}[].label", "retrieve_learning_context", scope, check)
            if field == "diffSections" and "sourcePath" in each:
                one = {**scope, "focus": each["sourcePath"]}
                check = includes(field, each["content"], lambda one: one["content"])
                yield Lead(f"{field}[].sourcePath", "retrieve_diff_context", one, check)


def _topics(server: Server, prefix: str, arguments: Facts, facts: Facts) -> Iterator[Lead]:
    for each in facts["matches"]:
        numbers = {name: each[name] for name in ("exerciseNumber", "stepNumber") if name in each}
        slug = each.get("address", each["workshop"])
        check = lambda reply, each=each: any(  # noqa: E731
            one["label"] == each["sectionLabel"] and each["chunk"].strip() in one["content"]
            for one in reply.facts["sections"]
        )
        if numbers:
            scope = {"workshop": slug, **numbers}
            yield Lead("matches[].workshop", "retrieve_learning_context", scope, check)
        scope = {"workshop": slug, **numbers, "query": facts["query"], "limit": 20}
        listed = includes("matches", each["chunk"], lambda one: one["chunk"])
        yield Lead("matches[].workshop", "search_topic_context", scope, listed)
        own: Facts = {"kb": each["address"].split("/")[2]} if "address" in each else {}
        name = {"name": each["vectorId"], **own}
        yield Lead("matches[].vectorId", f"{prefix}_get", name, says(each["chunk"]))


RECORDS: dict[str, Finder] = {
    "search_tests": _tests,
    "find_similar_tests": _tests,
    "get_test_by_jira": _test,
    "qurio_list_sources": _sources,
    "qurio_list_pages": _pages,
    "qurio_read_page": _page,
    "qurio_search": _page_hits,
    "list_workshops": _workshops,
    "list_exercises": _exercises,
    "retrieve_learning_context": _context,
    "retrieve_diff_context": _context,
    "search_topic_context": _topics,
}
"""By the tool's name."""
