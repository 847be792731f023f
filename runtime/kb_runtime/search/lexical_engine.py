"""Opens the engine behind the lexical index, and translates its failures.

The index is opened through a folder of links, because the engine insists on creating a lock file
next to its data, and an artifact is read-only.
"""

from __future__ import annotations

import json
import math
import os
import struct
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ArtifactError, SingleCodeError, exit_codes
from kb_runtime.errors.panics import is_panic
from kb_runtime.search.analysis import EARLIER, RECIPE
from kb_runtime.search.lexical_schema import META
from kb_runtime.store.integrity import REBUILD, json_of, read_regular
from kb_runtime.store.manifest_schema import is_object
from kb_runtime.store.temporary_folders import make_folder, remove_abandoned, remove_made

if TYPE_CHECKING:
    from collections.abc import Sequence

    import tantivy

# The folder of links through which an index is opened, for some milliseconds.
_PREFIX = "kbc-lexical-"
# The end of a file of the engine: how long its footer is, and a magic number. Before the footer of a store of
# documents: the version, and where the index of its blocks begins.
_END = struct.Struct("<II")
_STORE_END = struct.Struct("<IQ16x")
_LAST_OF_NUMBER = 0x80


class LexicalError(SingleCodeError):
    """The engine failed on a query."""

    code = "lexical-failed"
    exit_code = exit_codes.ARTIFACT


def rarity(documents: int, found: int) -> float:
    """The inverse document frequency that the engine gives a term of `found` of `documents` chunks:
    the one of BM25 plus one, so that it is positive."""
    return math.log1p((documents - found + 0.5) / (found + 0.5))


def failure(error: BaseException) -> BaseException:
    """What a query raises for an error or a panic of the engine."""
    if isinstance(error, Exception) or is_panic(error):
        return LexicalError(f"the lexical index failed: {type(error).__name__}: {error}"[:300])
    return error


def recipe_of(folder: str) -> str:
    """The recipe of the terms, which this version knows. Raises `ArtifactError`."""
    path = os.path.join(folder, META)
    recipe = json_of(read_regular(path, absent="truncated"), path, is_object).get("payload")
    if recipe in (RECIPE, EARLIER):
        return str(recipe)
    raise ArtifactError(
        "newer-format" if str(recipe) > RECIPE else "older-format",
        f"The lexical index in {folder} was made by the term recipe {recipe!r}; this version of"
        f" kbc reads {RECIPE!r} and {EARLIER!r}.",
        "Build the knowledge base again with this version, or install the version that built it.",
    )


def open_index(folder: str, *further: str) -> tantivy.Index:
    """Opens the index through links in a temporary folder, which is gone when this returns. With the
    folders of `further` indexes it is one of the segments of all, in this order. Raises `ArtifactError`."""
    import tantivy

    mirror = _temporary_folder(folder)
    try:
        remove_abandoned(os.path.dirname(mirror), _PREFIX)
        if further:
            _link_segments((folder, *further), mirror)
        else:
            for name in os.listdir(folder):
                _link(os.path.join(os.path.abspath(folder), name), os.path.join(mirror, name))
        for name in os.listdir(mirror):
            if name.endswith(".store"):
                _check_store(os.path.join(mirror, name))
        return tantivy.Index.open(mirror)
    except BaseException as error:
        known = failure(error)
        if known is error:
            raise
        raise ArtifactError(
            "altered",
            f"The lexical index in {folder} cannot be opened: {error}."[:400],
            REBUILD,
        ) from error
    finally:
        # The engine has started a thread that watches the folder and locks it to reload.
        remove_made(mirror)


def _check_store(path: str) -> None:
    """Raises `ValueError` where the engine would abort the process: it reserves memory for as many layers
    as the index of blocks says that it has."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _END.size))
        end = size - _END.size - _END.unpack(file.read(_END.size).rjust(_END.size, b"\0"))[0]
        if end < _STORE_END.size:
            raise ValueError("a store of documents ends too soon")
        file.seek(end - _STORE_END.size)
        _, start = _STORE_END.unpack(file.read(_STORE_END.size))
        if start >= end:
            raise ValueError("the blocks of a store of documents are nowhere")
        file.seek(start)
        layers = 0
        for place, byte in enumerate(file.read(10)):
            layers |= (byte & ~_LAST_OF_NUMBER) << 7 * place
            if byte & _LAST_OF_NUMBER:
                break
        if layers > end - start:
            raise ValueError(f"a store of documents says that it has {layers} layers")


def _link_segments(folders: Sequence[str], mirror: str) -> None:
    """Links the segments of several indexes of one schema, each under a name of its own."""
    import uuid

    joined: dict[str, Any] = {}
    segments: list[dict[str, Any]] = []
    for number, folder in enumerate(folders):
        with open(os.path.join(folder, META), "rb") as file:
            joined = json.load(file)
        for segment in joined["segments"]:
            stem = segment["segment_id"].replace("-", "")
            own = f"{number:04x}{stem[4:]}"
            segments.append({**segment, "segment_id": str(uuid.UUID(own))})
            for name in os.listdir(folder):
                if name.startswith(stem):
                    source = os.path.join(os.path.abspath(folder), name)
                    _link(source, os.path.join(mirror, own + name.removeprefix(stem)))
    with open(os.path.join(mirror, META), "w", encoding="utf-8") as file:
        json.dump({**joined, "segments": segments}, file)


def _link(source: str, target: str) -> None:
    """A symbolic link, else a copy. Windows allows symbolic links to administrators and developers, and has
    hard links on one drive; elsewhere a hard link changes the file's ctime, as an attacker would."""
    for link in (os.symlink, os.link) if os.name == "nt" else (os.symlink,):
        try:
            link(source, target)
            return
        except (OSError, NotImplementedError):
            continue
    import shutil

    shutil.copyfile(source, target)


def _temporary_folder(folder: str) -> str:
    for parent in (None, "/dev/shm"):
        try:
            return make_folder(_PREFIX, parent)
        except OSError:
            continue
    raise ArtifactError(
        "unreadable",
        f"The lexical index in {folder} cannot be opened: no temporary folder can be written.",
        "Set TMPDIR to a folder that this user can write; kbc needs it briefly for a few links.",
    )
