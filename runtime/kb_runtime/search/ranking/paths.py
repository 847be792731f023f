"""Classifies records by their paths: tests, examples and other secondary files, and versions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from kb_runtime.text import tests

TEST = "test"
"""The kind of a file that tests others."""
EXAMPLE = "example"
"""The kind of a file that shows how others are used."""
USE = "use"
"""The kind of a test in a tree that has nothing to test: it shows how a language or program is used."""
SHOWS_USE = frozenset({EXAMPLE, USE})
DATA = "data"
"""The kind of a file that holds values and defines nothing."""
RE_EXPORTS = "re-export"
"""The kind of a file that only passes on what others define: its text says so, not its path."""
PAGE = "page"
"""The kind of a page in a source tree whose documentation is elsewhere: a plan, the README of a folder."""

FIXTURE = "fixture"
"""The kind of a page among tests: what they read, or expect to be written."""
TWICE = frozenset({DATA, FIXTURE})
"""Kinds of files that give way beside what else they give way for."""

_PAGE = r"\.(?:adoc|asciidoc|html?|markdown|mdx?|org|rdoc|rst|te?xt)"

_README = (
    "readme overview introduction install installation quickstart getting started usage tutorial guide docs"
    " documentation"
)

# What a path says about its file, if it is no test, with the words by which a query asks for such files.
_PLACES: tuple[tuple[str, re.Pattern[str], frozenset[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE), frozenset(words.split()))
    for name, pattern, words in (
        (
            EXAMPLE,
            r"(?:^|/)(?:_?(?:examples?|samples?|demos?)|jmh|(?:[^/]*[._-])?bench(?:es|marks?)?)/"
            # What pages show, and what shows them; elsewhere such a folder may be a package.
            rf"|^(?:src/)?snippets/|^(?:docs?|documentation|website)/(?!.*(?:{_PAGE}|\.in)$).*\.\w+$"
            r"|[a-z0-9](?:benchmarks?\.(?:cs|java|kt|scala|swift)|[_.-]bench(?:marks?)?\.\w+)$",
            "example examples sample samples demo demos benchmark benchmarks bench",
        ),
        (
            "generated",
            # `src/dist/` is a package of that name. So is a `build/` in a source tree, which is without those
            # that builds write.
            r"(?:^|/)(?:compiled|generated|__generated__)/|^(?:(?!(?:lib|sources?|src)/)[^/]+/)*dist/"
            r"|(?:\.pb\.\w+|_pb2(?:_grpc)?\.pyi?|\.g\.\w+|\.generated\.\w+|\.min\.\w+|\.d\.ts)$",
            "compiled generated generate codegen protobuf declaration declarations typings",
        ),
        (
            "vendored",
            r"(?:^|/)(?:vendor(?:ed)?|third[_-]?party|node_modules|_?compat|legacy|(?:[^/]+[._-])?deprecated)/"
            # What programs in C and C++, which have no packages, bring with them.
            r"|(?:^|/)(?:deps|ext[_-]?libs?|extern(?:als?)?)/.*\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inl|m)$",
            "vendor vendored third party compat compatibility legacy deprecated",
        ),
        (
            "changelog",
            # `ChangeLog-2.0`, `CHANGELOG_V18.md`: that of a version.
            r"(?:^|/)(?:changelog|changes|history|release[_-]?notes|news|what-?s-?new)"
            r"(?:[-_.]?v?\d+(?:\.(?:\d+|x))*)?"
            rf"(?:{_PAGE})?$"
            # That of the whole tree says for each version what is no longer so.
            rf"|^upgrad(?:e|ing)(?:[-_.]?v?\d+(?:\.(?:\d+|x))*)?(?:{_PAGE})?$"
            # A file for each change, or for each release.
            r"|(?:^|/)(?:\.changesets?|\.changes|changelog\.d|newsfragments)/"
            r"|(?:^|/)(?:changelogs?|release[_-]?notes)/(?:[^/]+/)*"
            rf"(?:[^/.]+|[^/]+(?:{_PAGE}|\.ya?ml))$",
            "changelog changelogs breaking release released releases news upgrade upgrades upgrading",
        ),
        (
            # What was new once, beside the pages that say what holds.
            "post",
            rf"(?:^|/)(?:blogs?|news|_posts)/.*{_PAGE}$",
            "blog post posts article articles announced announcement release released releases news",
        ),
        (
            # That of the whole tree, which has a word on everything in it.
            "readme",
            r"^readme(?:[._-][^/]*)?$",
            _README,
        ),
        (
            "agents",
            r"(?:^|/)(?:skill|agents|claude|gemini|copilot-instructions|charter|governance"
            r"|code_of_conduct)\.md$"
            # What a skill refers to, and the folders of agents.
            r"|(?:^|/)skills/(?:[^/]+/)+references/[^/]+\.md$"
            r"|(?:^|/)\.(?:agents?|claude|codex|cursor|gemini|windsurf)/",
            "agent agents skill skills charter governance conduct instructions",
        ),
        (
            DATA,
            r"\.(?:jsonl?|json5|ya?ml|toml|ini|cfg|csv|tsv|xml|lock|snap|svg|resx|nuspec|plist|props|targets"
            r"|(?:cs|fs|vb|vcx)proj)$|(?:^|/)doxyfile[^/]*$",
            "json yaml yml toml ini csv xml svg resx nuspec plist csproj fsproj vbproj vcxproj translation"
            " translations doxyfile doxygen config configuration configure configured"
            " schema data dependency dependencies manifest package workflow"
            " workflows ci"
            " snapshot snapshots",
        ),
    )
)

# Many questions are about what changes, or about a history: these words ask for a log of changes beside a
# number or one of the others.
_OF_CHANGES = frozenset({"change", "changed", "changes", "history", "version"})
_WHICH_CHANGES = frozenset({"last", "latest", "new", "since", "what", "when", "which"})

_PATTERNS: Mapping[str, re.Pattern[str]] = {name: pattern for name, pattern, _ in _PLACES}
_ASKING: Mapping[str, frozenset[str]] = {
    TEST: tests.ASKING,
    **{name: asking for name, _, asking in _PLACES},
    PAGE: frozenset({*_README.split(), "contributing", "licence", "license", "plan", "plans"}),
    RE_EXPORTS: frozenset(
        {"barrel", "export", "exports", "import", "imports", "reexport", "reexports"}
    ),
}


TESTS = "tests"
"""The kind of a collection of test cases."""

# Kinds of collections whose records show how a thing is done, or check that it is, and do not say it, with
# the words by which a query asks for them.
_SHOWING: Mapping[str, frozenset[str]] = {
    "examples": _ASKING[EXAMPLE] | {"code", "program", "programs", "snippet", "snippets"},
    "code": frozenset(
        {"code", "implement", "implementation", "implemented", "implements", "source"}
    ),
    TESTS: frozenset(
        {"case", "cases", "scenario", "scenarios", "test", "tested", "testing", "tests", "verify"}
    ),
}


# `where is the address parsed` asks for source; `where do I ...` and `where should ...` ask what to do.
_DONE = frozenset({"is", "are", "does", "was", "were"})


def showing_kinds(
    words: Collection[str], kinds: Collection[str], written: Sequence[str] = ()
) -> frozenset[str]:
    """Those of the `kinds` of collections that give way to others, for a query with these lower-case words:
    programs and test cases to what explains; where nothing does, test cases to programs. `written` are its
    words in order."""
    showing = {
        kind for kind, asking in _SHOWING.items() if kind in kinds and asking.isdisjoint(words)
    }
    if written[:1] == ["where"] and not _DONE.isdisjoint(written[1:2]):
        showing -= {"code"}
    if showing.issuperset(kinds):
        showing &= {TESTS}
    return frozenset() if showing.issuperset(kinds) else frozenset(showing)


def asks_for_programs(words: Collection[str]) -> bool:
    """Whether a query with these lower-case words asks for programs that show how something is done."""
    return not _SHOWING["examples"].isdisjoint(words)


def place_kinds(path: str) -> frozenset[str]:
    """Which kinds of secondary files `path` belongs to: test, example, generated, vendored, changelog, post,
    readme, agents, data, fixture."""
    kinds = frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(path))
    if not tests.is_test(path):
        return kinds
    return kinds | ({TEST, FIXTURE} if _FIXTURE.search(path) else {TEST})


def is_page(path: str) -> bool:
    """Whether a file of a source tree is a page."""
    return _PROSE.search(path) is not None


def defines(path: str) -> bool:
    """Whether a file may define something that others use."""
    return not (is_use(path) or is_page(path) or _PATTERNS[DATA].search(path))


def is_use(path: str) -> bool:
    """Whether a file uses what others define: a test or an example."""
    return tests.is_test(path) or _PATTERNS[EXAMPLE].search(path) is not None


_FIXTURE = re.compile(rf"(?:^|/)(?!readme)[^/]*{_PAGE}$", re.IGNORECASE)
_PROSE = re.compile(r"\.(?:adoc|asciidoc|markdown|mdx?|org|rdoc|rst)$", re.IGNORECASE)
"""Endings of pages; HTML and plain text in a source tree may be templates and lists."""

# Names of files that stand for their folder.
_FOLDER_FILES = frozenset({"__init__", "__main__", "index", "main", "mod", "lib", "readme"})
_FOLDER_FILES_OF = {"init.lua", "package.scala"}
"""In other languages these are files of their own."""

_ROOTS = frozenset({"lib", "source", "sources", "src"})
"""Folders for the source of what the folder above is called after."""


def name_of(path: str) -> str:
    """What a file is called, without its ending; of a file that stands for its folder the folder's name."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    if stem.lower() not in _FOLDER_FILES and name not in _FOLDER_FILES_OF:
        return name.rpartition(".")[0] or name
    while len(folders) > 1 and folders[-1].lower() in _ROOTS:
        folders.pop()
    return folders[-1] if folders else stem


# Languages as queries call them where the index calls them otherwise.
_LANGUAGES: Mapping[str, str] = {
    "golang": "go",
    "js": "javascript",
    "py": "python",
    "ts": "typescript",
}
# What programs read, write, show or are built with: a query that has these words is about that.
_SUBJECTS = frozenset(
    {"css", "graphql", "html", "ini", "json", "make", "markdown", "proto", "scss", "sql", "toml"}
    | {"xml", "yaml"}
)
# Behind these a word such as `go` is a language and no verb.
_IN = frozenset({"in", "for", "with", "using"})


def language_named(words: Sequence[str], known: Collection[str]) -> str:
    """The programming language of `known` that a query asks for: by its first or last word, or behind a
    preposition. `words` are all of its words in lower case."""
    for at, word in enumerate(words):
        language = _LANGUAGES.get(word, word)
        is_named = language in known and language not in _SUBJECTS
        if is_named and (at in (0, len(words) - 1) or words[at - 1] in _IN):
            return language
    return ""


_VERSION = re.compile(r"(?:^|/)v(\d{1,3})(?=/)")


class Version(NamedTuple):
    """Where a path lies in a folder of versions: `("src", 3, "/a.ts")` for `src/v3/a.ts`."""

    folder: str
    number: int
    rest: str


def version_of(path: str) -> Version | None:
    """The folder that holds versions, which of them `path` is in, and where in it."""
    found = _VERSION.search(path)
    return Version(path[: found.start()], int(found[1]), path[found.end() :]) if found else None


def kinds_asked_for(words: Collection[str], written: Sequence[str] = ()) -> frozenset[str]:
    """The kinds of secondary files that a query with these lower-case words asks for. `written` are its
    words in order: one about testing asks for tests only if it wants to see some."""
    asked = frozenset(name for name, asking in _ASKING.items() if not asking.isdisjoint(words))
    said = {*words, *written}
    if not _OF_CHANGES.isdisjoint(said) and (
        not _WHICH_CHANGES.isdisjoint(said) or any(word[:1].isdigit() for word in said)
    ):
        asked |= {"changelog"}
    if TEST in asked:
        asked = asked | {FIXTURE} if tests.are_wanted(written) else asked - {TEST}
    return asked if asked.isdisjoint({TEST, EXAMPLE}) else asked | {USE}
