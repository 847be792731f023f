"""Projects of Python around a documentation: a build of it installs them, so that it can describe their
objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbc.project.include_tree import IncludeTree
from kbc.recognition.site import joined
from kbc.sources.accounting import NOT_SEARCHED_FOLDERS

MAX_PROJECTS = 40
MAX_ENTRIES = 500
"""Of a folder that are looked at."""

_CONFIGURATIONS = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
_PACKAGES = ("", "src")
"""Where a project has its packages."""


def package_folders(tree: IncludeTree, folders: Iterable[str]) -> list[str]:
    """Where packages begin in the projects that lie in `folders`, or in a folder there that is no project
    itself (`packages/pond`), in their order."""
    found: dict[str, None] = {}
    for folder in folders:
        for place in _below(tree, folder):
            around = [place] if _is_project(tree, place) else _below(tree, place)
            found |= dict.fromkeys(each for each in around if _is_project(tree, each))
    projects = list(found)[:MAX_PROJECTS]
    return [joined(project, place) for project in projects for place in _PACKAGES]


def _below(tree: IncludeTree, folder: str) -> Iterator[str]:
    for name in tree.names(folder)[:MAX_ENTRIES]:
        if not name.startswith(".") and name not in NOT_SEARCHED_FOLDERS:
            yield joined(folder, name)


def _is_project(tree: IncludeTree, folder: str) -> bool:
    return not _CONFIGURATIONS.isdisjoint(tree.names(folder))
