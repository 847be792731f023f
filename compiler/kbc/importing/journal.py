"""Remembers what became of each entry, so that a second import continues where the first one ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from kb_runtime.store.atomic_files import replace_file
from kb_runtime.store.locks import try_lock
from kbc.errors import OutputError

FILE_NAME = ".kbc-import.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLine:
    """What became of the entry `key`, whose content had the SHA-256 `digest`, when `recipe` read it.
    `path` is the file that it was written to, "" for what was left out with `reason`, and `page_digest`
    the SHA-256 of what was written; the rest is what later entries are compared with."""

    key: str
    digest: str
    recipe: str
    path: str = ""
    page_digest: str = ""
    url: str = ""
    title: str = ""
    text_digest: str = ""
    canonical: str = ""
    reason: str = ""
    is_defect: bool = False


class Journal:
    """The lines of the file in `folder`, by key. Lines that cannot be read, such as a last one whose
    writing was cut short, are as if they were not there."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self.earlier: dict[str, JournalLine] = {}
        self._page_digests: dict[str, set[str]] = {}  # of each path
        for line in self._read():
            self.earlier[line.key] = line
            self._own(line)
        self._stream: IO[str] | None = None

    @property
    def paths(self) -> list[str]:
        """The files that imports wrote, also those whose entry a later line puts elsewhere."""
        return list(self._page_digests)

    def owns(self, path: str, digest: str) -> bool:
        """Whether an import wrote the content with this SHA-256 into the file."""
        return digest in self._page_digests.get(path, ())

    def _own(self, line: JournalLine) -> None:
        if line.path and line.page_digest:
            self._page_digests.setdefault(line.path, set()).add(line.page_digest)

    def _read(self) -> Iterator[JournalLine]:
        try:
            text = self._path.read_text("utf-8", "replace")
        except FileNotFoundError:
            return
        for row in text.split("\n"):
            try:
                yield JournalLine(**json.loads(row))
            except (ValueError, TypeError):
                continue

    @contextmanager
    def writing(self) -> Iterator[None]:
        """While the body runs, lines are appended at once; afterwards only those of this run stay.

        Raises `OutputError` while another process writes here.
        """
        new: dict[str, JournalLine] = {}
        self._new = new
        with self._path.open("a", encoding="utf-8") as stream:
            if not try_lock(stream.fileno()):
                raise OutputError(
                    f"another import writes into {str(self._path.parent)!r}", "Wait until it ends."
                )
            self._stream = stream
            yield
        rows = [json.dumps(asdict(line), ensure_ascii=False) for line in new.values()]
        replace_file(self._path, "".join(f"{row}\n" for row in rows).encode())

    def add(self, line: JournalLine) -> None:
        self._new[line.key] = line
        if self.earlier.get(line.key) != line:
            self._append(line)

    def add_intent(self, key: str, path: str, page_digest: str) -> None:
        """Claims the file before it is written: a run that is killed then leaves none that looks like its
        reader's own. The next run reads the entry again, unless its line follows."""
        if not self.owns(path, page_digest):
            line = JournalLine(key=key, digest="", recipe="", path=path, page_digest=page_digest)
            self._append(line)

    def _append(self, line: JournalLine) -> None:
        assert self._stream is not None
        self._stream.write("\n" + json.dumps(asdict(line), ensure_ascii=False))
        self._stream.flush()
