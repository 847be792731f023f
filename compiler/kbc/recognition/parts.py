"""The collections that something without a kb.toml is made of."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from kb_runtime.records.case_files import ENDINGS, CaseFileError, parse
from kb_runtime.records.cases import Case, normalise, suite_of
from kb_runtime.text.unshown import unshown
from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import COLLECTION_NAME, KINDS, RESERVED_COLLECTIONS
from kbc.project.model import Collection
from kbc.recognition.apis import without
from kbc.recognition.places import FEW_PAGES, MANY_PAGES, is_of_others, is_page, within
from kbc.sources.courses.detection import course_at
from kbc.sources.listing import least_deep
from kbc.sources.workshop_tree import EXERCISES, is_numbered

ONLY_TESTS = (".csv", ".xlsx", ".trx", ".tap", ".feature", ".robot", ".bru")
"""Endings of files that nothing but the kind `tests` reads."""
_TABLES = (".csv", ".xlsx")
_NOT_OWN = re.compile(r"node_modules|vendor|examples?|testdata|fixtures?|(?:.*[-_])?templates?")
"""Folders of what is no part of a project's own tests."""
_OF_CASES = re.compile(
    r"(?i)test|(?:\A|[/_ -])tc[-_ ]?[0-9]|prueba|prova|тест|测试|測試|用例|テスト|試験|테스트"
)
"""In the paths of test cases in Markdown."""
_FEATURES = "features"
_WRITTEN = {".feature": _FEATURES, ".robot": "suites", ".spec": "specs", ".bru": "requests"}
"""Ending of files in which people write tests -> what a collection of them is called."""
_COURSE_STEPS = ".github/steps"
_WEIGHT_OF_COPY = 0.3
"""As of what shows instead of explaining (`kb_runtime.search.ranking.steps.SHOWING`)."""
_MOST_NAMED = 3
"""Folders that a sentence names."""
_MOST_TRIED = 100
"""Files that are looked at to tell whether a folder holds test cases."""


class RecognisedWorkshop(NamedTuple):
    """The collection of a workshop, None where there is none, and the folders and files that are nothing
    else: none of one whose pages are documentation as well."""

    own: Collection | None
    folders: tuple[str, ...]

    @property
    def weights(self) -> dict[str, float]:
        """By collection: what pages show as well comes first as part of its page."""
        return {self.own.name: _WEIGHT_OF_COPY} if self.own and not self.folders else {}

    def files_beside(self, root: Path, most: int) -> list[str]:
        """As `least_deep`, without the exercises."""
        own, inside = {*self.folders}, tuple(f"{folder}/" for folder in self.folders)
        found = least_deep(root, most, own)
        return [name for name in found if name not in own and not name.startswith(inside)]

    def with_others(self, collections: Sequence[Collection]) -> list[Collection]:
        own = [self.own] if self.own else []
        return [*own, *collections] if self.folders else [*collections, *own]


NO_WORKSHOP = RecognisedWorkshop(None, ())


def collection(name: str, kind: str, paths: tuple[str, ...], source: str = "") -> Collection:
    options = {"source": source} if kind == "pages" and source else {}
    return Collection(
        name=name, kind=kind, paths=paths, group=name if kind == "docs" else "", options=options
    )


def as_one(parts: Sequence[Collection]) -> Collection:
    """One collection of the paths of several, at least one, without what any of them leaves out."""
    if len(parts) == 1:
        return parts[0]
    exclude = dict.fromkeys(pattern for part in parts for pattern in part.exclude)
    paths = tuple(path for part in parts for path in part.paths)
    return replace(parts[0], paths=paths, strip="", exclude=tuple(exclude))


def distinct(collections: Sequence[Collection]) -> list[Collection]:
    """The collections with a number behind names that others have."""
    found: dict[str, Collection] = {}
    for each in collections:
        name, number = each.name, 2
        while name in found:
            name, number = f"{each.name}-{number}", number + 1
        found[name] = each if name == each.name else replace(each, name=name)
    return list(found.values())


def steps_of_course(tree: IncludeTree) -> list[Collection]:
    """The lessons of a course of GitHub Skills, which its workflows show one after another."""
    if not any(name.endswith(".md") for name in tree.names(_COURSE_STEPS)):
        return []
    return [replace(collection("steps", "docs", (_COURSE_STEPS,)), include=("*.md",))]


def workshop_at(tree: IncludeTree, name: str) -> RecognisedWorkshop:
    """The workshop that the root of `tree` is, called `name`: exercises in numbered folders, whose steps are
    a problem and its solution, or a course in another known layout."""
    is_usable = COLLECTION_NAME.fullmatch(name) and name not in RESERVED_COLLECTIONS
    own = Collection(name=name if is_usable else "workshop", kind="workshops", paths=(".",))
    if is_numbered(tree):
        return RecognisedWorkshop(own, (EXERCISES,))
    course = course_at(tree)
    return NO_WORKSHOP if course is None else RecognisedWorkshop(own, course.folders)


def is_for_tests(path: Path) -> bool:
    """Whether a single file is an export of test cases."""
    return path.suffix.lower() in ONLY_TESTS or _holds_tests(path)


def tests_in(root: Path, files: Sequence[str]) -> list[Collection]:
    """A collection of the exports of test cases among `files`, if there are any."""
    exports = [name for name in files if name.lower().endswith(ENDINGS)]
    if not any(_holds_tests(root / name) for name in exports[:_MOST_TRIED]):
        return []
    return [replace(collection("tests", "tests", (".",)), include=tuple(f"*{e}" for e in ENDINGS))]


def with_tests(
    root: Path, files: Sequence[str], collections: Sequence[Collection]
) -> tuple[list[Collection], set[str]]:
    """`collections` with those of the tests that stand beside pages or code, and the files of tests that are
    written like code or pages: features of Gherkin, suites of Robot Framework, test cases in Markdown. Tables
    that tests of a program or dependencies hold are data. A page that says more than its test cases stays one
    of its collection, too, and so does a page that only repeats test cases of tables."""
    written, own = _written_tests(root, files)
    tables = [name for name in files if name.lower().endswith(_TABLES) and not is_of_others(name)]
    listed = {name: cases for name in tables[:_MOST_TRIED] if (cases := _cases_in(root / name))}
    known = {*map(_known_as, chain(*listed.values()))}
    written_down = _pages_of_cases(root, files, collections)
    held = {
        name: cases
        for name, cases in written_down.items()
        if not known.issuperset(map(_known_as, cases))
    }
    repeating = [name for name in written_down if name not in held]
    pages = [name for name, cases in held.items() if _says_little_else(root / name, cases)]
    found = tuple(listed)
    beside = [without(each, pages) if _is_plain(each) else each for each in collections]
    if pages:
        folder = posixpath.commonpath(map(posixpath.dirname, held))
        places = {folder} if folder else _outermost(posixpath.dirname(each) or "." for each in held)
        whole = collection("cases", "tests", tuple(sorted(places)))
        written.append(without(replace(whole, include=("*.md",)), repeating))
        left = [*{name for name in files if is_page(name)}.difference(pages)]
        beside = [
            each
            for each in beside
            if not _is_plain(each) or ("." in each.paths and left) or within(left, each.paths)
        ]
    tabular = [collection("tests", "tests", found)] if found else []
    return [*beside, *written, *tabular], own.union(pages)


def _is_plain(held: Collection) -> bool:
    return held.kind == "docs" and not held.generator


def _known_as(case: Case) -> tuple[str, str]:
    """What two tests have in common that are one."""
    return case.uid.casefold(), case.title.casefold()


def _pages_of_cases(
    root: Path, files: Sequence[str], collections: Sequence[Collection]
) -> Mapping[str, Sequence[Case]]:
    """Pages that hold test cases, with these, where several cases are in files whose paths say so, and most
    pages in the folder of these are such."""
    plain = [path for each in collections if _is_plain(each) for path in each.paths]
    pages = [
        name
        for name in (files if "." in plain else within(files, plain))
        if name.lower().endswith(".md")
        and _OF_CASES.search(name)
        and not any(map(_NOT_OWN.fullmatch, name.split("/")[:-1]))
    ]
    first, others = pages[:_MOST_TRIED], pages[_MOST_TRIED:]
    found = {name: cases for name in first if (cases := _cases_in(root / name))}
    if found:
        found |= {name: cases for name in others if (cases := _cases_in(root / name))}
    if sum(map(len, found.values())) < FEW_PAGES:
        return {}
    place = posixpath.commonpath([posixpath.dirname(name) for name in found])
    beside = within(pages, (place,)) if place else pages
    return found if len(found) * 2 >= len(beside) else {}


def _says_little_else(page: Path, cases: Iterable[Case]) -> bool:
    """Whether half of the text of a page or more, without its headings and front matter, is in its test
    cases."""
    told = sum(
        _length(said)
        for case in cases
        for said in (
            *(case.title, case.description, case.expected_results, case.test_data),
            *case.preconditions,
            *(said for step in case.steps for said in (step.action, step.data, *step.expected)),
        )
    )
    text = page.read_text("utf-8", "replace")
    lines = text[unshown(text) :].splitlines()
    return told * 2 >= sum(_length(line) for line in lines if not line.startswith("#"))


def _length(text: str) -> int:
    """The letters and digits of a text, without what lays out tables and lists."""
    return sum(map(str.isalnum, text))


def _written_tests(root: Path, files: Sequence[str]) -> tuple[list[Collection], set[str]]:
    """A collection each of features of Gherkin, suites of Robot Framework and requests of Bruno, where a
    folder called `features` has several of those or one at the top several with tests; and their files."""
    collections = []
    read: set[str] = set()
    for ending, title in _WRITTEN.items():
        places: dict[str, list[str]] = {}
        for name in files:
            *folders, file = name.split("/")
            is_within = title == _FEATURES and _FEATURES in folders
            above = folders[: folders.index(_FEATURES)] if is_within else folders
            if any(map(_NOT_OWN.fullmatch, above)) or not file.endswith(ending):
                continue
            if is_within or _holds_tests(root / name):
                place = (*above, _FEATURES) if is_within else folders[:1]
                places.setdefault("/".join(place), []).append(name)
        found = {place: names for place, names in places.items() if len(names) >= FEW_PAGES}
        read.update(*found.values())
        folders_of = _outermost(
            posixpath.commonpath(each) for place, each in found.items() if place
        )
        if paths := tuple(sorted({*folders_of, *found.get("", ())})):
            own = collection(title, "tests", paths)
            collections.append(replace(own, include=(f"*{ending}",)))
    return collections, read


def _outermost(folders: Iterable[str]) -> set[str]:
    """`folders` without those inside of others."""
    every = set(folders)
    return {each for each in every if every.isdisjoint(map(str, PurePosixPath(each).parents))}


def _holds_tests(path: Path) -> bool:
    """Whether a file has a test that says what is done or what came of it; many tables have only names."""
    return bool(_cases_in(path))


def _cases_in(path: Path) -> Sequence[Case]:
    """The tests of a file that say what is done or what came of it."""
    try:
        if (
            not path.name.lower().endswith(ENDINGS)
            or path.stat().st_size > KINDS["tests"].max_file_bytes
        ):
            return ()
        parsed = parse(path.name, path.read_bytes())
        found = normalise(parsed, suite_of(path.name, parsed), path.name)
    except (OSError, CaseFileError):
        return ()
    cases = found.cases if found is not None else ()
    return [each for each in cases if each.steps or each.expected_results]


def overlooked(files: Sequence[str], collections: Sequence[Collection], told: Sequence[str]) -> str:
    """A sentence where there are more pages outside of the collections than in them; "" else. Of the folders
    `told` another sentence says that they are left out."""
    read = [path for each in collections for path in each.paths]
    if "." in read:
        return ""
    pages = [name for name in files if is_page(name) and not is_of_others(name)]
    known = frozenset(within(pages, (*read, *told)))
    left = Counter(
        name.split("/")[0] if "/" in name else "the root" for name in pages if name not in known
    )
    if left.total() <= max(len(within(pages, read)), MANY_PAGES):
        return ""
    places = ", ".join(f"{number} in {place}" for place, number in left.most_common(_MOST_NAMED))
    return f"more pages are left out than read: {places}; a kb.toml can name what to compile"
