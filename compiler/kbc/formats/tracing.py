"""What a conversion asked for besides its own file, so that its result can be checked and used again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from kbc.cache.phases import digest
from kbc.formats.document import Converted, LabelTarget, Read

MAX_READS = 1_000
"""Files that a kept conversion may have read; checking more takes as long as converting again."""


class ProjectLabels(dict[str, LabelTarget]):
    """What the pages of a project may refer to by name. Nobody changes it."""

    @cached_property
    def digest(self) -> bytes:
        return digest(list(self.items()))


class LabelsAsked(NamedTuple):
    """The labels that were looked up, None for what is none, and the digest of all labels where all were
    looked through, else b""."""

    by_name: dict[str, LabelTarget | None]
    all: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """The documents of a file. `reads` are the other files that were asked for, in order, with their
    fingerprints (b"": there is none). `headers` is the digest of what the headers are that it may show, b""
    where neither the file nor what it reads names any."""

    documents: list[Converted]
    reads: dict[str, bytes]
    labels: LabelsAsked
    headers: bytes

    @property
    def is_lasting(self) -> bool:
        """Whether it may be kept: an error may be one of a library or of a busy machine."""
        problems = (each for document in self.documents for each in document.problems)
        return len(self.reads) <= MAX_READS and not any(each.is_error for each in problems)

    def is_current(self, read: Read, labels: ProjectLabels | None, headers: bytes) -> bool:
        """Whether converting again would give the same. Reads the files that it would read."""
        known = labels if labels is not None else ProjectLabels()
        return (
            self.headers in (b"", headers)
            and all(known.get(name) == target for name, target in self.labels.by_name.items())
            and (not self.labels.all or self.labels.all == known.digest)
            and all(fingerprint(read(path)) == found for path, found in self.reads.items())
        )


@dataclass(slots=True)
class Trace:
    """What a conversion that runs asks for. `names_headers`: a file may name some."""

    _read: Read
    names_headers: bool
    reads: dict[str, bytes] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        data = self._read(path)
        if path not in self.reads:
            self.reads[path] = fingerprint(data)
            self.names_headers = self.names_headers or may_name_headers(data or b"")
        return data


class TracedLabels(Mapping[str, LabelTarget]):
    """Labels that note what they are asked for."""

    def __init__(self, labels: ProjectLabels) -> None:
        self._labels = labels
        self._by_name: dict[str, LabelTarget | None] = {}
        self._all = b""

    @property
    def asked(self) -> LabelsAsked:
        return LabelsAsked(self._by_name, self._all)

    def __getitem__(self, name: str) -> LabelTarget:
        self._by_name[name] = found = self._labels.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        self._all = self._labels.digest
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)


def may_name_headers(data: bytes) -> bool:
    """Whether a file may have a directive of Breathe."""
    return b"doxygen" in data


@lru_cache(maxsize=64)
def fingerprint(data: bytes | None) -> bytes:
    """The SHA-256 of a file, of which thousands may ask; b"" for one that is not there."""
    return b"" if data is None else hashlib.sha256(data).digest()
