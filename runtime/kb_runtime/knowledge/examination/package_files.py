"""Checks that the files of an installed knowledge base are the ones that were installed.

The wheel lists its files with their hashes in RECORD, which installers keep beside the package
(https://packaging.python.org/en/latest/specifications/recording-installed-packages/).
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.machinery import all_suffixes
from importlib.metadata import Distribution, distributions
from typing import NamedTuple

from kb_runtime.knowledge.examination.verification import Problem, VerificationReport

CHECK = "package"
RECORD = "RECORD"
BY_INSTALLERS = frozenset({RECORD, "INSTALLER", "REQUESTED", "direct_url.json"})
"""What installers write beside the files of the wheel."""
BYTE_CODE = "__pycache__"
_AGAIN = "Install the package again."
_ALGORITHM = "sha256"


class Recorded(NamedTuple):
    """A file of the wheel: its path relative to site-packages, and its hash as RECORD has it."""

    path: str
    digest: str


def with_package(
    report: VerificationReport, package: str, distribution: str, artifact: str
) -> VerificationReport:
    """`report` on the folder `artifact` in the folder `package`, and what is wrong with the files of the
    `distribution` that brought both. Where nothing is recorded of them there is a note instead."""
    site, name = os.path.split(package)
    found = next(iter(distributions(name=distribution, path=[site])), None)
    record = None if found is None else _read(found)
    if record is None:
        note = f"{package} has no {RECORD} with hashes beside it: the files of the package are not checked."
        return replace(report, notes=(*report.notes, note))
    own = [each for each in record if _is_own(each.path, name)]
    problems = [*_differing(site, own), *_unlisted(package, {each.path for each in own}, artifact)]
    return replace(
        report,
        checks=report.checks if problems else (*report.checks, CHECK),
        problems=(*report.problems, *problems),
    )


def _read(distribution: Distribution) -> list[Recorded] | None:
    """What has a hash in RECORD. None where there is no RECORD, or it lists nothing so."""
    try:
        rows = list(csv.reader((distribution.read_text(RECORD) or "").splitlines()))
    except (ValueError, csv.Error):
        return None
    found = []
    for row in rows:
        if len(row) >= 2 and row[1].startswith(f"{_ALGORITHM}="):
            found.append(Recorded(row[0], row[1].removeprefix(f"{_ALGORITHM}=")))
    return found or None


def _is_own(path: str, package: str) -> bool:
    """Whether a path of RECORD is one of the wheel, which are those in its two folders."""
    folder, _, rest = path.partition("/")
    if folder == package:
        return BYTE_CODE not in rest.split("/")
    return folder.endswith(".dist-info") and rest not in BY_INSTALLERS


def _differing(site: str, recorded: list[Recorded]) -> Iterator[Problem]:
    for path, expected in recorded:
        try:
            with open(os.path.join(site, path), "rb") as file:
                digest = hashlib.file_digest(file, _ALGORITHM).digest()
        except FileNotFoundError:
            yield Problem("truncated", path, f"it was installed and is missing. {_AGAIN}")
        except OSError as error:
            yield Problem("unreadable", path, f"it cannot be read: {error.strerror}.")
        else:
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != expected.rstrip("="):
                yield Problem(
                    "altered", path, f"its SHA-256 differs from the one in {RECORD}. {_AGAIN}"
                )


def _unlisted(package: str, listed: set[str], artifact: str) -> Iterator[Problem]:
    """Modules that the wheel did not bring: Python may prefer one of them to one that it did."""
    site, endings = os.path.dirname(package), tuple(all_suffixes())
    for folder, folders, names in os.walk(package):
        folders[:] = [
            each
            for each in sorted(folders)
            if each != BYTE_CODE and os.path.join(folder, each) != artifact
        ]
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), site).replace(os.sep, "/")
            if name.endswith(endings) and path not in listed:
                yield Problem("extra", path, f"it is not in {RECORD}. {_AGAIN}")
