"""Tests in source trees: which files are tests, by their paths, and what each tests, by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

ASKING = frozenset(
    {"test", "tests", "testing", "tested", "spec", "specs", "fixture", "fixtures", "mock", "mocks"}
    | {"unittest", "unittests"}
)
"""The words by which a query asks for tests."""
_BEFORE = frozenset({"existing", "find", "show", "what", "which"})
_BEHIND = frozenset({"case", "cases", "file", "files", "for", "of", "suite", "suites", "that"})

# `ShedTest.java` and `UnitTests/` are tests; `latest.java` is none, `hitTest.ts` a function, `TypeSpec.java`
# a class that describes types.
_IN_CAMEL_CASE = r"(?-i:(?:.*[._-])?[A-Z]\w*Test|.*[A-Za-z0-9]Test(?:s|Cases?))"
_FOLDER = re.compile(
    r"_?tests?|testing|specs?|__tests__|fixtures?|mocks?|testdata|e2e|.+(?:[_-]tests|\.tests?)"
    r"|(?-i:x?t)"  # of distributions of Perl
    # In the singular `speed-test/` and `spring-boot-test/` are names of programs and packages.
    r"|(?:unit|integration|functional|acceptance|regression|smoke|e2e|ui)[_-]?tests?"
    rf"|{_IN_CAMEL_CASE}",
    re.IGNORECASE,
)
# What a page is called is its subject: `WritingTests.md`.
_FILE = re.compile(
    r"(?!.*\.(?:adoc|asciidoc|markdown|mdx?|rst)$)"
    r"(?:test_.*|tests\..*|.*[_.-](?:test|spec)s?\..*|conftest\.py|(?-i:test\.rs)|.*\.(?:bats|t)"
    rf"|{_IN_CAMEL_CASE}\.\w+)",
    re.IGNORECASE,
)
# Of Maven and Gradle: what is behind `src/main/java/` or `src/commonMain/kotlin/` are packages, also of a
# library for tests, and `src/commonTest/kotlin/` holds tests.
_MAIN_SET = re.compile(r"(?:^|/)src/(?:main|\w+Main)/(?:groovy|java|kotlin|scala)/")
_SOURCE_SET = re.compile(r"src/\w+[Tt]est/(?:groovy|java|kotlin|resources|scala)/")
# Directly in a folder of examples these are specifications that are shown; tests have names as tests do.
_SHOWN_SPECS = re.compile(r"((?:^|/)(?:demos?|examples?|samples?)/)specs?/", re.IGNORECASE)
# As Go's style guides call the helpers of the tests of `shed`: `shedtest/`. Of shorter names it is chance.
_FOLDER_OF = re.compile(r"(\w{3,}?)tests?", re.IGNORECASE)
_AFFIXES = re.compile(
    r"(?i:\Atests?[_-]|[_.-](?:tests?|specs?)\Z)|\ATest(?=[A-Z])"
    r"|(?<=[A-Za-z0-9])(?:Tests?|TestCases?|Specs?|Suites?)\Z"
)


def are_wanted(words: Sequence[str]) -> bool:
    """Whether a query with these lower-case words, in order, wants to see tests (`tests for redirects`,
    `which tests ...`, `where is it tested`). Others speak of testing, or of what is there to test with (`test
    a handler`, `the client for tests`)."""
    if "tested" in words:
        return True
    padded = ["", *words, ""]
    return any(
        word in ASKING
        and word != "testing"  # that is what somebody does
        and (before in _BEFORE or behind in _BEHIND or (len(words) < 3 and not behind))
        for before, word, behind in zip(padded, padded[1:], padded[2:], strict=False)
    )


def is_test(path: str) -> bool:
    """Whether a file of a source tree is a test, or something that only tests use."""
    if main := _MAIN_SET.search(path):
        return any(map(_holds_tests, path[: main.start()].split("/")))
    *folders, name = _SHOWN_SPECS.sub(r"\1", path).split("/")
    return (
        _FILE.fullmatch(name) is not None
        or any(map(_holds_tests, folders))
        or _SOURCE_SET.search(path) is not None
        # At the top of a tree; elsewhere `test.go` may be a command of that name.
        or (not folders and name.lower().startswith("test."))
    )


@lru_cache(maxsize=4096)
def _holds_tests(folder: str) -> bool:
    """Of the name of one folder; a tree has few of them, over and over."""
    return _FOLDER.fullmatch(folder) is not None


def tested_by_folders(path: str) -> list[str]:
    """What folders of a path are for the tests of, if there is such a thing in the tree: `shed` of
    `shedtest/lend.go`, but also `fas` of `fastest/`. In lower case."""
    found = map(_FOLDER_OF.fullmatch, path.lower().split("/")[:-1])
    return [match[1] for match in found if match]


def name_of_tested(stem: str) -> str:
    """What a test is about, by its file's name without the ending: `shed` of `test_shed` and `shed.spec`."""
    return _AFFIXES.sub("", stem)
