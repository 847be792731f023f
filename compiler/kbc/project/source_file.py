"""An input file: its bytes, read once, and its text."""

from __future__ import annotations

import codecs
import hashlib
import posixpath
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kb_runtime.errors.shortages import raise_shortage
from kbc.diagnostics import Diagnostics
from kbc.project.include_tree import IncludeTree

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class ReadFile(NamedTuple):
    """What is told of an input file after its content went into records: its size in bytes and SHA-256."""

    path: str
    size: int
    sha256: str


def content_of(path: Path, most: int = -1) -> bytes | None:
    """What a file on disk begins with, up to `most` bytes, -1 for all; None where no file is there that can
    be read. Raises `ShortageError`: the file is not to blame for that."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise_shortage(error, path)
        return None


def decode_any(data: bytes) -> str:
    """UTF-8 text with "\\n" line ends, without a byte order mark; U+FFFD for what is no UTF-8."""
    return as_utf8(data).decode("utf-8-sig", "replace").replace("\r\n", "\n")


def as_utf8(data: bytes) -> bytes:
    """The bytes in UTF-8 where they begin with a mark of UTF-16 and are text in it, as shells and editors of
    Windows save what is printed or exported; else as they are."""
    if not data.startswith(_UTF16_MARKS) or len(data) <= len(_UTF16_MARKS[0]):
        return data
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        return data
    return data if "\0" in text else text.encode()


def resolved_path(target: str, page: str) -> str:
    """The path, below the root of `page`, to which `target` leads from there."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def relative_path(path: str, page: str) -> str:
    """How `path` is written in `page`, both below the same root."""
    return posixpath.relpath(path, posixpath.dirname(page) or ".")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One input file, read once.

    `path` is below the knowledge base's root, with forward slashes; a file outside it (allowed with
    `--allow-outside`) is named by its absolute path. `base` is the folder of the collection it was
    found under ("examples", or "" for a file that was named itself). `tree` is where files that it
    includes are; None: nowhere.
    """

    path: str
    data: bytes = field(repr=False)
    base: str = ""
    tree: IncludeTree | None = field(default=None, repr=False, compare=False)
    _sha256: str = field(default="", init=False, repr=False, compare=False)

    def include(self, path: str) -> bytes | None:
        """The file at `path`, below the knowledge base's root; None when it is missing or out of the tree."""
        return self.tree.read(path, self.path) if self.tree is not None else None

    @property
    def read(self) -> ReadFile:
        """What remains to be told of this file when it was read."""
        return ReadFile(self.path, len(self.data), self.sha256)

    @property
    def sha256(self) -> str:
        if not self._sha256:  # several sections ask for it
            object.__setattr__(self, "_sha256", hashlib.sha256(self.data).hexdigest())
        return self._sha256

    @property
    def relative_path(self) -> str:
        """The path below `base`."""
        return self.path.removeprefix(f"{self.base}/") if self.base else self.path

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space, with or without a byte order mark."""
        return not self.data.strip(b" \t\r\n\xef\xbb\xbf")

    def text(self, diagnostics: Diagnostics) -> str | None:
        """The file as text: UTF-8, or UTF-16 with a byte order mark; newlines as stored, the mark taken off.

        None, with a diagnostic, when the file is empty, binary or in another encoding.
        """
        diagnostics.reading = self.path
        if self.is_blank:
            diagnostics.warning(
                "file-empty",
                "the file is empty and was left out",
                self.path,
                hint="Write its content, or delete it.",
            )
            return None
        data = as_utf8(self.data)
        if b"\0" in data:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            diagnostics.error(
                "file-binary",
                "the file contains NUL bytes: it is binary, or UTF-16 text",
                self.path,
                line,
                hint="Save it as UTF-8 text, or exclude it from the collection's paths.",
            )
            return None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - data.rfind(b"\n", 0, error.start)
            diagnostics.error(
                "file-not-utf8",
                f"byte 0x{data[error.start]:02x} is not UTF-8",
                self.path,
                line,
                column,
                hint="Convert the file to UTF-8, for example with `iconv -t UTF-8`.",
            )
            return None
