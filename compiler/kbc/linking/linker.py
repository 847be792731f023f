"""Seals a staging folder and publishes it: all of it or nothing, whenever the process dies.

A build is written below a hidden temporary sibling of the published builds, flushed to disk, opened and
queried, renamed to its build id, and only then named in CURRENT. A lock per knowledge base keeps builds
apart; the kernel releases it when its holder dies, so it is never stale.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.sharding.order import SHARDS
from kb_runtime.store.locks import open_locked
from kb_runtime.store.manifest import BUILD_ID_LENGTH, CURRENT, MANIFEST, is_build_id, load, seal
from kb_runtime.store.proofs import Proof, Proofs, still_holding, write_proofs
from kb_runtime.version import FORMAT_VERSION, UNSHARDED_FORMAT_VERSION
from kbc.linking import retention
from kbc.linking.errors import (
    DamagedShardsError,
    OvertakenError,
    PublishError,
    is_of_output,
    translated,
)
from kbc.linking.flushing import flush, flushing_tree
from kbc.linking.self_check import SelfCheck, examine, is_damaged

MANIFEST_FIELDS = (
    "name", "title", "version", "description", "license", "prefix", "built_at", "collections",
    "scopes", "encoder", "search", "tools", "package", "libraries", "warnings",
)  # fmt: skip
"""What a builder supplies; the linker adds `format`, `build_id`, `files` and the seal."""
RERANKER = "reranker"
"""The field of an artifact with a re-ranker; others do not have it."""


@dataclass(frozen=True, slots=True)
class Published:
    """A build that is live now. `reused`: it was there already, only CURRENT may have changed;
    `was_live`: not even that. `removed` are the build ids that retention removed."""

    path: Path
    build_id: str
    reused: bool
    was_live: bool
    removed: tuple[str, ...]


def build_id(inputs: Any, settings: Any, toolchain: Any) -> str:
    """The id of a build: a hash over everything that decides its bytes, given as JSON values.

    `inputs` are the files with their hashes, `settings` the project file's decisions, `toolchain`
    the versions of what writes the sections.
    """
    canonical = json.dumps(
        {"inputs": inputs, "settings": settings, "toolchain": toolchain, "format": FORMAT_VERSION},
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    )
    return hashlib.sha256(canonical.encode()).hexdigest()[:BUILD_ID_LENGTH]


class Staging:
    """A folder to build in, held under the lock of its knowledge base.

        with Staging(out, "quint", id) as staging:
            ...                                  # back ends write below staging.folder
            published = staging.publish(fields)

    Leaving the block without `publish` removes the folder. Entering raises `PublishError` when the
    folder cannot be made or another build holds the lock for longer than `wait_s` seconds; an
    `OSError` of a write inside the block that means a full disk leaves it as `PublishError` too.
    The shards `refused` are not taken from earlier builds. With `first`, entering raises `OvertakenError`
    where a build is live already.
    """

    def __init__(
        self,
        out: Path,
        name: str,
        build_id: str,
        *,
        wait_s: float = 30.0,
        first: bool = False,
        refused: Collection[str] = (),
    ) -> None:
        if not is_build_id(build_id):
            raise ValueError(f"not a build id: {build_id!r}")
        self.kb_folder = out / name
        self.build_id = build_id
        self._wait_s, self._first = wait_s, first
        self._lock: int | None = None
        self._temporary = retention.temporary(self.kb_folder, build_id)
        self._listed: dict[str, dict[str, Any]] = {}
        self._published = cache(load)  # the manifests of earlier builds
        self._refused = refused
        self._adopted: list[str] = []
        self._proved: dict[str, Proof] = {}  # of files of adopted shards

    @property
    def folder(self) -> Path:
        """Where the sections go. It has the name of the build already, so that it can be opened."""
        return self._temporary / self.build_id

    @property
    def _target(self) -> Path:
        return self.kb_folder / self.build_id

    def __enter__(self) -> Self:
        try:
            self.kb_folder.mkdir(parents=True, exist_ok=True)
            self._acquire()
            if self._first and (self.kb_folder / CURRENT).exists():
                raise OvertakenError(self.kb_folder)
            retention.remove_debris(self.kb_folder)
            self.folder.mkdir(parents=True)
        except OSError as error:
            self._close()
            raise translated(error, self.kb_folder, self._temporary) from error
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        explained = None
        if isinstance(error, Exception) and is_of_output(error, self.kb_folder, self._temporary):
            explained = translated(error, self.kb_folder, self._temporary)
        self._close()
        if explained is not None:
            raise explained from error

    def reuse(self, self_check: SelfCheck | None = None, *, keep: int = 0) -> Published | None:
        """Makes the build of this id live when it is there already and sound; None otherwise.

        Asked before the sections are written, it saves writing them.
        """
        if not self._target.is_dir():
            return None
        defect, checked = examine(self._target, self_check)
        if defect is not None or checked is None:
            return None
        proofs = checked.prove()  # a build that was killed may not have come to it
        was_live = not self._make_current()
        if not was_live:  # for its age: it is the one to go back to from the next build
            with suppress(OSError):
                os.utime(self._target)
        return Published(self._target, self.build_id, True, was_live, self._prune(keep, proofs))

    def publish(
        self, fields: Mapping[str, Any], self_check: SelfCheck | None = None, *, keep: int = 0
    ) -> Published:
        """Seals, verifies and publishes what is in `folder`, and makes it live.

        `fields` are the `MANIFEST_FIELDS`. A sound build of the same id is kept and reused, a
        damaged one replaced. With `keep` above 0 older builds beyond that number are removed.
        Raises `PublishError`, where shards of earlier builds are damaged `DamagedShardsError`.
        """
        optional = {SHARDS, RERANKER}
        missing = sorted(set(MANIFEST_FIELDS).symmetric_difference({*fields} - optional))
        if missing:
            raise ValueError(f"manifest fields missing or unknown: {', '.join(missing)}")
        try:
            reused = self.reuse(self_check, keep=keep)
            if reused is not None:
                return reused
            (self.folder / MANIFEST).write_bytes(seal(self._manifest(fields, self.build_id)))
            with flushing_tree(self.folder):
                defect, checked = examine(self.folder, self_check, self._proved)
            if defect is not None:
                if damaged := [id for id in self._adopted if is_damaged(self.shard(id))]:
                    raise DamagedShardsError(defect, damaged)
                raise _self_check_failed("The build", defect)
            if os.path.lexists(self._target):
                retention.replace_build(self._target, self.folder)
            else:
                self.folder.rename(self._target)
            flush(self.kb_folder)
            self._make_current()
            proofs = checked.prove(str(self._target)) if checked is not None else {}
            return Published(self._target, self.build_id, False, False, self._prune(keep, proofs))
        except OSError as error:
            raise translated(error, self.kb_folder, self._temporary) from error

    def seal_shard(self, id: str, fields: Mapping[str, Any]) -> None:
        """Seals what is in `shard(id)` as an artifact of its own, and checks it. Raises `PublishError`."""
        folder = self.shard(id)
        (folder / MANIFEST).write_bytes(seal(self._manifest(fields, id, f"{SHARDS}/{id}/")))
        defect, _ = examine(folder, None)
        if defect is not None:
            raise _self_check_failed("A shard", defect)

    def adopt_shard(self, id: str) -> dict[str, Any] | None:
        """Takes a shard of a published build, without copying it where the file system has hard links;
        gives what that build's manifest says of it. None when no build has it. Of its files only those are
        hashed that are read before `publish`, which opens the others."""
        if id in self._refused:
            return None
        below = f"{SHARDS}/{id}/"
        # What is proved is proved of the last build: each takes the times of change of those before.
        for build in sorted(
            self.kb_folder.glob(f"*/{SHARDS}/{id}"),
            key=lambda path: retention.published_ns(path.parents[1]),
            reverse=True,
        ):
            try:
                whole, shard = self._published(build.parents[1]), load(build)
                shard.check_sizes()
                whole.check_files(below + path for path in shard.section("columns/"))
                proved = whole.proved(below + path for path in [*shard.files, MANIFEST])
            except ArtifactError:
                continue
            for path in [*shard.files, MANIFEST]:
                target = self.shard(id) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                _link_or_copy(build / path, target)
            self._proved |= still_holding(str(self.folder), proved, linked=True)
            self._listed |= {
                below + path: {"path": below + path, "bytes": size, "sha256": digest}
                for path, (size, digest) in shard.files.items()
            }
            self._adopted.append(id)
            return next(dict(one) for one in whole[SHARDS] if one["build_id"] == id)
        return None

    def shard(self, id: str) -> Path:
        """The folder of a shard."""
        return self.folder / SHARDS / id

    def _prune(self, keep: int, proofs: Proofs) -> tuple[str, ...]:
        """Removes older builds; `proofs` of this one, whose files they share, are noted again as they are
        then. Gives the build ids."""
        if not keep:
            return ()
        kept = still_holding(str(self._target), proofs)
        removed = tuple(retention.prune(self.kb_folder, self.build_id, keep))
        if removed:
            write_proofs(str(self._target), still_holding(str(self._target), kept, linked=True))
        return removed

    def listing(self, below: str = "") -> list[dict[str, Any]]:
        """The files that are in `folder` now, or in a folder `below` it, sorted, with `path`, `bytes` and
        `sha256`, as the manifest lists them. A file is hashed once: what was listed must not change."""
        found = sorted(
            path.relative_to(self.folder).as_posix()
            for path in (self.folder / below).rglob("*")
            if path.is_file()
        )
        for path in found:
            if path not in self._listed:
                self._listed[path] = _listed(self.folder, path)
        return [self._listed[path] for path in found]

    def _manifest(self, fields: Mapping[str, Any], id: str, below: str = "") -> dict[str, Any]:
        """The manifest of what is in `folder`, or in a folder `below` it."""
        version = FORMAT_VERSION if SHARDS in fields else UNSHARDED_FORMAT_VERSION
        manifest: dict[str, Any] = {"format": version}
        for name in MANIFEST_FIELDS:
            if name == "built_at":
                manifest["build_id"] = id
            manifest[name] = fields[name]
        manifest |= {name: fields[name] for name in (RERANKER, SHARDS) if name in fields}
        manifest["files"] = [
            {**file, "path": path}
            for file in self.listing(below)
            if (path := file["path"].removeprefix(below)) != MANIFEST
        ]
        return manifest

    def _make_current(self) -> bool:
        """Replaces CURRENT in one step; a reader sees the old line or the new one. Gives whether it
        was another."""
        current = self.kb_folder / CURRENT
        line = f"{self.build_id}\n".encode()
        with suppress(OSError):
            if current.read_bytes() == line:
                return False
        new = retention.temporary(self.kb_folder, CURRENT)
        try:
            new.write_bytes(line)
            flush(new)
            new.replace(current)
        finally:
            new.unlink(missing_ok=True)
        flush(self.kb_folder)
        return True

    def _acquire(self) -> None:
        self._lock = open_locked(self.kb_folder / retention.LOCK, self._wait_s)
        if self._lock is None:
            raise PublishError(
                "locked",
                f"Another build is writing to {self.kb_folder}; "
                f"it did not finish within {self._wait_s:g} seconds.",
                "Wait for it, or stop it, and build again.",
            )

    def _close(self) -> None:
        """Removes what is unfinished, and older builds whose removal was interrupted; gives up the lock."""
        if self._lock is not None:
            try:
                with suppress(OSError):
                    retention.remove_debris(self.kb_folder)
                    os.utime(self.kb_folder / retention.LOCK)
            finally:
                os.close(self._lock)
                self._lock = None


def _self_check_failed(subject: str, defect: str) -> PublishError:
    return PublishError(
        "self-check",
        f"{subject} failed its self-check: {defect}",
        "What was live still is. Please report this as a bug in kbc.",
    )


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _listed(folder: Path, path: str) -> dict[str, Any]:
    with (folder / path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"path": path, "bytes": os.fstat(file.fileno()).st_size, "sha256": digest}
