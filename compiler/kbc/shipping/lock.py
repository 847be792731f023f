"""Reads locked requirements in pip's format: the archives that each library may come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.utils import canonicalize_name

from kbc.shipping.errors import ShippingError

Lock = Mapping[tuple[str, str], tuple[str, ...]]
"""Normalised name and version of a library to the SHA-256 of its archives in hexadecimal, sorted."""

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})(?![0-9a-f])")


def read_lock(paths: Iterable[Path]) -> Lock:
    """The archives that files of requirements lock. Raises `ShippingError` when a file locks none, and
    OSError."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in paths:
        before = len(found)
        text = path.read_text("utf-8", errors="replace").replace("\\\n", " ")
        for line in text.splitlines():
            pinned = _REQUIREMENT.match(line)
            hashes = _HASH.findall(line)
            if pinned and hashes:
                key = (canonicalize_name(pinned[1]), pinned[2])
                found.setdefault(key, set()).update(hashes)
        if len(found) == before:
            raise ShippingError(
                f"{path} contains no locked requirement",
                "Give requirements with `name==version` and --hash=sha256:..., as pip-compile writes them.",
            )
    return {key: tuple(sorted(hashes)) for key, hashes in found.items()}
