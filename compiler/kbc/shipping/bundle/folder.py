"""Writes all bundles of an artifact into one folder, atomically."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.temporary_folders import locked_folder, remove_abandoned
from kbc.shipping.archive import Archive
from kbc.shipping.bundle import llms, mcpb, plugin, registry, skill
from kbc.shipping.errors import ShippingError
from kbc.shipping.product import Product

OWN_NAMES = ("server.json", "skills", "plugin", "llms.txt", "llms-full.txt")
"""What the folder holds beside the `.mcpb` file; with anything else in it, it is not replaced."""


@dataclass(frozen=True, slots=True)
class BundleReport:
    """What was written: sizes in bytes by path below `folder`. `left_out` says what could not be made, and
    why, a sentence each."""

    folder: Path
    files: Mapping[str, int]
    left_out: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "files": dict(self.files),
            "left_out": list(self.left_out),
        }


def write_bundles(artifact: Artifact, product: Product, out: Path, timestamp: int) -> BundleReport:
    """Writes `out`/<distribution>-<version>/; `timestamp` is the time of entries in archives, in seconds
    since 1970. The same arguments give the same bytes.

    A folder of an earlier run is replaced. Raises `ShippingError` when there is anything else in it.
    """
    target = out / f"{product.distribution}-{product.version}"
    _require_ours(target)
    temporary = out / f".{target.name}.{os.getpid()}.tmp"
    left_out: list[str] = []
    out.mkdir(parents=True, exist_ok=True)
    remove_abandoned(str(out), f".{target.name}.")
    try:
        temporary.mkdir()
    except OSError as error:
        error.filename = str(out)  # nobody knows the other one
        raise
    try:
        with locked_folder(str(temporary)):
            with Archive(temporary / f"{product.distribution}.mcpb", timestamp) as archive:
                for path, data in sorted(mcpb.files(artifact, product).items()):
                    archive.add(path, data)
            for path, data in _files(artifact, product, left_out):
                place = temporary / PurePosixPath(path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            _replace(target, temporary)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    written = {
        path.relative_to(target).as_posix(): path.stat().st_size
        for path in sorted(target.rglob("*"))
        if path.is_file()
    }
    return BundleReport(target, written, tuple(left_out))


def _files(
    artifact: Artifact, product: Product, left_out: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Every file outside of the archive."""
    if product.mcp_name:
        yield "server.json", registry.entry(product)
    else:
        left_out.append(
            "server.json: the MCP registry needs a name with its owner; set mcp_name in [package] of"
            " kb.toml, or give --mcp-name"
        )
    yield f"skills/{skill.path(product)}", skill.skill(product)
    for path, data in plugin.files(product).items():
        yield f"plugin/{path}", data
    text = llms.full(artifact)
    if text:
        yield "llms.txt", llms.overview(artifact, product)
        yield "llms-full.txt", text
    else:
        kinds = " or ".join(llms.KINDS)
        left_out.append(
            f"llms.txt, llms-full.txt: there is no page in a collection of kind {kinds}"
        )


def _require_ours(target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise ShippingError(f"{target} is a file, but a folder is needed there", "Move it away.")
    strange = sorted(
        path.name
        for path in target.iterdir()
        if path.name not in OWN_NAMES and path.suffix != ".mcpb"
    )
    if strange:
        raise ShippingError(
            f"{target} holds {strange[0]!r}, which is not part of a bundle; it was not replaced",
            "Choose another folder with --out, or move it away.",
        )


def _replace(target: Path, new: Path) -> None:
    """Puts `new` where `target` is; the old one is set aside first, because a folder with content cannot
    be replaced in one step."""
    old = new.with_name(f"{new.name}.old")
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException:  # also an interruption
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
