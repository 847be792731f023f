"""Builds the shell command that adds files of tests to a knowledge base: copies them to where its `kb.toml`
looks for tests, then compiles.
"""

from __future__ import annotations

import os
import posixpath
import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.records.cases import suite_of
from kb_runtime.store.value_globs import is_glob

if TYPE_CHECKING:
    from kb_runtime.records.cases import Suite
    from kb_runtime.tools.session import Session

KB = "KB"
"""Stands for the folder of kb.toml, which an artifact does not know."""
DATA = "DATA"
"""Stands for a data folder that the server knows by an absolute path, which clients do not get to see."""

_KIND = "tests"
_CONVENTIONAL = ("tests",)


class CompileCommand(NamedTuple):
    """`command` for a shell, what its placeholders stand for, and sentences about what it does."""

    command: str
    placeholders: str
    notes: tuple[str, ...]


class _TestCollection(NamedTuple):
    """Where a collection of tests has its files, as paths below the folder of kb.toml. `name` is that of
    the collection, `kb` that of the knowledge base, `files` those that it was compiled from."""

    kb: str
    name: str
    paths: Sequence[str]
    files: frozenset[str]


def compile_command(session: Session, files: Sequence[tuple[Suite, str]]) -> CompileCommand:
    """For files given by what they hold and by their path in the data folder."""
    place = _place(session)
    is_private = os.path.isabs(session.data_folder)
    data = DATA if is_private else posixpath.normpath(session.data_folder.replace(os.sep, "/"))
    names: dict[str, str] = {}
    for suite, relative in files:
        path = posixpath.normpath(posixpath.join(data, relative.replace(os.sep, "/")))
        if path not in names.values():
            name = posixpath.basename(path)
            if name in names or suite_of(name, None) != suite == "api":
                name = f"{suite}-{name}"  # the compiler goes by the name
            names[name] = path
    folder, is_listed = _folder(place.paths, list(names))
    same = [path for name, path in names.items() if posixpath.basename(path) == name]
    copies = [f"cp -- {' '.join(map(shlex.quote, same))} {_inside(folder)}"] if same else []
    copies += [
        f"cp -- {shlex.quote(path)} {_inside(folder, name)}"
        for name, path in names.items()
        if path not in same
    ]
    notes = []
    if not is_listed:
        notes.append(
            f"The collection {place.name} reads only files that kb.toml names: add the new ones to its"
            " `paths` before the build."
        )
    replaced = [name for name in names if posixpath.join(folder, name) in place.files]
    if replaced:
        files_there = ", ".join(_inside(folder, name) for name in replaced)
        notes.append(f"It replaces {files_there} of the knowledge base.")
    placeholders = f"{KB} is the folder of kb.toml"
    if len(session.artifact.served) > 1:
        placeholders += f" of {place.kb}"
    if is_private:
        placeholders += f" and {DATA} the server's data folder"
    return CompileCommand(" && ".join([*copies, f"kbc build {KB}"]), placeholders, tuple(notes))


def _place(session: Session) -> _TestCollection:
    """Of the first collection of tests that is served."""
    for part in session.artifact.served:
        for entry in part.manifest["collections"]:
            if entry["kind"] == _KIND:
                files = frozenset(file["path"] for file in part.manifest.inputs())
                paths = entry.get("paths") or _CONVENTIONAL
                return _TestCollection(part.manifest["name"], entry["name"], paths, files)
    return _TestCollection(session.artifact.manifest["name"], _KIND, _CONVENTIONAL, frozenset())


def _folder(paths: Sequence[str], names: Sequence[str]) -> tuple[str, bool]:
    """The folder for files of these names, and whether the collection, whose `paths` are files,
    folders and globs, reads them there."""
    for path in paths:
        folder, name = posixpath.split(path.rstrip("/"))
        if is_glob(folder):
            if folder.endswith("/**") and not is_glob(folder[:-3]):
                folder = folder[:-3]
            elif folder == "**":
                folder = ""
            else:
                continue
        if is_glob(name):
            if name == "**" or all(fnmatchcase(each, name) for each in names):
                return folder, True
        elif not name.endswith(".json"):
            return posixpath.join(folder, name), True
    folders = (posixpath.dirname(path) for path in paths)
    return next((folder for folder in folders if not is_glob(folder)), ""), False


def _inside(folder: str, name: str = "") -> str:
    below = posixpath.normpath(posixpath.join(KB, folder))
    return shlex.quote(posixpath.join(below, name))
