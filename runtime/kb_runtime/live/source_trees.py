"""Source trees that are served without a knowledge base: which folders they are, and where their index is."""

from __future__ import annotations

import os

from kb_runtime.errors import UsageError
from kb_runtime.user_cache import user_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = "."
"""As `--code`: the project around the current folder."""

VERSION_CONTROL = (".git", ".hg", ".jj", ".svn")
PROJECT_FILES = (
    *("pyproject.toml", "setup.py", "package.json", "go.mod", "Cargo.toml"),
    *("pom.xml", "build.gradle", "build.gradle.kts", "CMakeLists.txt", "Makefile"),
    *("composer.json", "Gemfile", "mix.exs"),
)


def index_folder() -> str:
    """The workspace of all trees that are served by themselves."""
    return os.path.join(user_cache(), "trees")


def tree_of(given: str) -> str:
    """The folder that `--code` means. `.` stands for the project around it: the nearest folder above
    with a version control folder, otherwise the nearest with a project's file, otherwise itself. Any
    other folder stands for itself. Raises UsageError for what is no folder, or no project."""
    if not os.path.isdir(given):
        raise UsageError(f"--code {given!r} is not a folder.")
    here = os.path.realpath(given)
    found = _project(here) if given.rstrip("/\\") == HERE else here
    home = os.path.realpath(os.path.expanduser("~"))
    if found in (home, os.path.dirname(found)):
        what = "your home folder" if found == home else "the root of the file system"
        raise UsageError(f"--code {given!r} is {what}: name the folder of a project.")
    return found


def _project(folder: str) -> str:
    for names in (VERSION_CONTROL, PROJECT_FILES):
        here = folder
        while True:
            if any(os.path.exists(os.path.join(here, name)) for name in names):
                return here
            above = os.path.dirname(here)
            if above == here:
                break
            here = above
    return folder


def _overlap(one: str, other: str) -> bool:
    try:
        return os.path.commonpath((one, other)) in (one, other)
    except ValueError:  # on different drives
        return False


def trees_of(given: Sequence[str]) -> dict[str, str]:
    """Each tree with the prefix of its files' ids: "" for a single one, otherwise the folder's name, as
    far up as it takes to tell them apart. Raises UsageError."""
    trees: list[str] = []
    for each in given:
        tree = tree_of(each)
        for other in trees:
            if _overlap(tree, other):
                how = "is given twice" if tree == other else "overlap"
                both = tree if tree == other else f"{other} and {tree}"
                raise UsageError(f"--code: {both} {how}: give one of them.")
        trees.append(tree)
    if len(trees) < 2:
        return dict.fromkeys(trees, "")
    return dict(zip(trees, _prefixes(trees), strict=True))


def _prefixes(trees: Sequence[str]) -> list[str]:
    parts = [tree.replace(os.sep, "/").strip("/").split("/") for tree in trees]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(each[-depth:]) for each in parts]
        if len(set(names)) == len(names):
            break
    return names
