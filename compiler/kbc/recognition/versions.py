"""Folders that hold one documentation in several versions side by side: `docs/v1.1`, `docs/v1.2`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import ON_RELEASES
from kbc.recognition.site import joined
from kbc.recognition.translations import is_copy, is_page_of_site, shown_text

MIN_COMMON_PAGES = 3
"""Pages at the same place in two folders, at least, for these to be versions of each other."""

_COMPARED_PAGES = 8
_MOST_MISSING = 3
"""A version with less than one page for so many of the one before it is being written."""
_MOST_NESTED = 4
"""How deep versions are looked for in folders that are called as such: `docs/v2/2.1`."""

_VERSION = re.compile(
    r"(?:(?:version|release)[-_])?v?"
    r"(?P<numbers>(?:19|20)\d\d-\d\d-\d\d|\d+(?:[._](?:\d+|x))+|\d+x|(?<=v)\d+)"
    r"(?P<rest>\.?-?(?:alpha|beta|cr|rc|pre|dev|snapshot|milestone|m(?=\d))[\w.-]*"
    r"|[.-](?:final|ga|release|sp\d+)|-?docs)?(?:\+[\w.-]+)?",
    re.IGNORECASE,
)
_FINISHED = re.compile(r"-?docs|[.-](?:final|ga|release|sp\d+)", re.IGNORECASE)
"""What may stand behind the number of a release: `5.1.0.Final` in Java."""

_RELEASED = frozenset(["current", "latest", "stable"])
_ON_RELEASES = re.compile(rf"blog|{ON_RELEASES}", re.IGNORECASE)
"""Folders of pages each of which is about one version, and stays true when the next one is out."""

_BEING_WRITTEN = frozenset([
    "canary", "dev", "devel", "develop", "draft", "edge", "main", "master", "next", "nightly", "preview",
    "snapshot", "trunk", "unreleased", "unstable",
])  # fmt: skip

_OF_MAJOR = re.compile(r"\Av?\d+[-_]")
"""`2-edge`: what is being written of one major version."""

_PAGE_OF_PACKAGE = "package-summary.html"
"""What javadoc writes of a package: a program may use the packages `v1` and `v1beta1` together."""


def other_versions(
    files: Iterable[str], tree: IncludeTree, folder: str = "", stated: str = ""
) -> list[tuple[str, str, list[str]]]:
    """Of each folder with versions of the same pages: the folder, the name of the version that is read, and
    those of the others. The one that is read is what the site calls the latest (`stated`, or by its name),
    else the pages beside the folders (its name is "" then) where these have most pages of the highest version
    under the same names and it may be a former one, or those in a folder beside them, else the highest that
    was released, or the one before that if most of its pages are still missing.

    `files` and the folders are paths below `folder` of `tree`, from which some are read. Folders whose
    pages have neither the same names nor much the same text are no versions of one documentation,
    whatever they are called (notes on releases, interfaces of a server), unless most of them are called as
    versions in another folder are, and none is about releases.
    """
    pages = frozenset(filter(is_page_of_site, files))
    found: list[_Choice] = []
    unlike: list[_Choice] = []
    no_versions: set[str] = set()
    for _ in range(_MOST_NESTED):
        below = _below(pages, no_versions)
        judged = {parent for parent, _, _ in (*found, *unlike)} | no_versions
        waiting = sorted(below.keys() - judged)
        for parent in waiting:
            choice, is_alike = _chosen(tree, folder, parent, below[parent], stated, pages)
            if is_alike:
                found.append(choice)
                continue
            no_versions.add(parent)
            if choice[2] and not any(map(_ON_RELEASES.fullmatch, parent.split("/"))):
                unlike.append(choice)
        if not waiting:
            break
    known = {name for _, shown, others in found for name in (shown, *others)}
    found += [
        (parent, shown, others)
        for parent, shown, others in unlike
        if sum(name in known for name in (shown, *others)) * 2 > len(others) + 1
    ]
    return sorted(found)


_Choice = tuple[str, str, list[str]]
"""A folder with versions, the one that is read, and the others."""


def _below(
    pages: AbstractSet[str], no_versions: AbstractSet[str]
) -> dict[str, dict[str, set[str]]]:
    """The pages below folders that are called as versions, by the folder above these and by their names: of
    each page the outermost ones, but for those in the folders `no_versions`."""
    below: dict[str, dict[str, set[str]]] = {}
    for path in pages:
        folders = path.split("/")[:-1]
        for depth, name in enumerate(folders):
            parent = "/".join(folders[:depth])
            if _order(name) is not None and parent not in no_versions:
                own = path.removeprefix(f"{joined(parent, name)}/")
                below.setdefault(parent, {}).setdefault(name, set()).add(own)
                break
    return below


def _chosen(
    tree: IncludeTree,
    folder: str,
    parent: str,
    versions: Mapping[str, set[str]],
    stated: str,
    pages: frozenset[str],
) -> tuple[_Choice, bool]:
    """What is read of the versions in a folder, and whether they are versions of the same pages."""
    names = sorted(versions, key=lambda name: (_order(name) or (0,), name))
    shown = _shown({name: len(versions[name]) for name in names}, stated)
    numbered = [name for name in names if _VERSION.fullmatch(name)]
    is_latest = _is_stated(shown, stated) or shown.lower() in _RELEASED
    if not is_latest and _are_former(numbered):
        highest = numbered[-1]
        if is_copy(joined(parent, highest), parent, pages):
            copies = (name for name in names if is_copy(joined(parent, name), parent, pages))
            return (parent, "", sorted({*numbered, *copies})), True
        if current := _current(tree, folder, parent, versions[highest], highest, pages):
            return (parent, current, names), True
    others = [name for name in names if name != shown]
    at = names.index(shown)
    related = sum(
        _related(tree, joined(folder, parent), in_order, versions)
        for in_order in (names[at::-1], names[at:])
    )
    return (parent, shown, others), bool(others) and related * 2 >= len(others)


def _current(
    tree: IncludeTree,
    folder: str,
    parent: str,
    own: AbstractSet[str],
    highest: str,
    pages: AbstractSet[str],
) -> str:
    """The folder in `parent` beside versions, called as none, with most pages of the `highest` version, whose
    pages are `own`, under their names and with much the same text; "" without one."""
    beside: dict[str, set[str]] = {}
    start = f"{parent}/" if parent else ""
    for path in pages:
        name, slash, below = path.removeprefix(start).partition("/")
        if path.startswith(start) and slash and below in own and _order(name) is None:
            beside.setdefault(name, set()).add(below)
    for name, common in sorted(beside.items()):
        folders = [joined(folder, parent, each) for each in (name, highest)]
        if len(common) * 2 > len(own) and _is_alike(tree, folders, sorted(common)):
            return name
    return ""


def _are_former(numbered: Sequence[str]) -> bool:
    """Whether folders with these names hold what the pages beside them replaced: several, one of a release
    (`0.9`), or the first; a single `v2` may as well be the newer one. They are in order."""
    if len(numbered) != 1:
        return bool(numbered)
    return "." in numbered[0] or (_order(numbered[0]) or (0,))[0] <= 1


def _related(
    tree: IncludeTree, folder: str, names: Sequence[str], versions: Mapping[str, set[str]]
) -> int:
    """How many of the versions resemble the one before them, up to the first that does not."""
    found = 0
    for pair in pairwise(names):
        common = set.intersection(*(versions[name] for name in pair))
        if not _is_alike(tree, [joined(folder, name) for name in pair], sorted(common)):
            break
        found += 1
    return found


def _is_alike(tree: IncludeTree, folders: Sequence[str], common: Sequence[str]) -> bool:
    """Whether two folders have pages in common whose text is mostly the same."""
    if len(common) < MIN_COMMON_PAGES or _PAGE_OF_PACKAGE in common:
        return False
    compared = common[:: -(-len(common) // _COMPARED_PAGES)]
    same = sum(
        _is_same(*(shown_text(name, tree.read(joined(folder, name), "")) for folder in folders))
        for name in compared
    )
    return same * 2 > len(compared)


def _is_same(one: str, other: str) -> bool:
    lines, others = (
        {line.strip() for line in text.splitlines() if line.strip()} for text in (one, other)
    )
    return len(lines & others) * 2 > min(len(lines), len(others))


def _shown(sizes: Mapping[str, int], stated: str) -> str:
    """The version that readers are shown; `sizes` are the numbers of pages by name, in order."""
    for name in sizes:
        if _is_stated(name, stated):
            return name
    names = [*sizes]
    released = [name for name in reversed(names) if _is_released(name)]
    newest, before = next(iter(released), names[-1]), released[1:2]
    is_begun = before and sizes[newest] * _MOST_MISSING < sizes[before[0]]
    return before[0] if is_begun and newest.lower() not in _RELEASED else newest


def _is_stated(name: str, stated: str) -> bool:
    return bool(stated) and name.lower().removeprefix("v") == stated.lower().removeprefix("v")


def _is_released(name: str) -> bool:
    match = _VERSION.fullmatch(name)
    if match is None:
        return name.lower() in _RELEASED
    return match["rest"] is None or _FINISHED.fullmatch(match["rest"]) is not None


def _order(name: str) -> tuple[float, ...] | None:
    """What versions are sorted by; None for a name that is no version's."""
    lowered = name.lower().removeprefix("_")
    if lowered in _RELEASED:
        return (float("inf"), 0)
    if _OF_MAJOR.sub("", lowered) in _BEING_WRITTEN:
        return (float("inf"), 1)
    match = _VERSION.fullmatch(name)
    if match is None:
        return None
    numbers = re.findall(r"\d+|x", match["numbers"].lower())
    return tuple(float("inf") if each == "x" else float(each) for each in numbers)
