"""Runs an import: each entry of a source is written as a page, or left out for a reason that is counted."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from kb_runtime.errors.shortages import shortage
from kb_runtime.store.atomic_files import replace_file
from kb_runtime.text.urls import page_key
from kbc.cache import toolchain
from kbc.importing import entries as addresses
from kbc.importing.entries import ImportSourceError, Listing, SiteEntry
from kbc.importing.journal import Journal, JournalLine
from kbc.importing.page import linker, read_page, rendered
from kbc.importing.source import listing
from kbc.pipeline.progress import PhaseClock, Progress
from kbc.project.loading import PROJECT_FILE
from kbc.sources.accounting import Accounting
from kbc.sources.patterns import PathPatterns

STAGED = ".kbc-import.new"
"""The page that is being written: imports into one folder take turns."""

PAGES = "pages"
"""The folder of the output that the pages are in."""

SAME_TEXT = "duplicate: the same text"
SAME_ADDRESS = "duplicate: the same URL"
CANONICAL = "duplicate: its canonical page was imported"
VARIANT = "duplicate: the same page with another query"
OVER_LIMIT = "over --limit"
TOO_DEEP = "deeper than --depth"

_KB_TOML = """\
# Written by `kbc import`, once: change it as you like.
[kb]
name        = {name}
title       = {title}
description = {description}

[[collection]]
name  = "pages"
kind  = "pages"
paths = ["{pages}"]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """`base` is the address of a folder that does not say its own, `sitemap` a sitemap beside the folder.
    `include` and `exclude` are patterns as in .gitignore, on `HOST/PATH`. `depth` is the greatest number
    of folders above a page, `limit` the greatest number of pages (None: any)."""

    base: str = ""
    sitemap: Path | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """`pages` are in `out` now; `kept` of them an earlier run wrote, and `removed` files of earlier runs
    are gone. `hints` are what would help with files that could not be read. `not_replaced` and
    `not_removed` are files below `out` that are not as an import wrote them, and so stayed as they are."""

    what: str
    out: Path
    pages: int
    kept: int
    removed: int
    files: Accounting
    hints: tuple[str, ...] = ()
    not_replaced: tuple[str, ...] = ()
    not_removed: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        return {
            "source": self.what,
            "path": str(self.out),
            "pages": self.pages,
            "kept": self.kept,
            "removed": self.removed,
            "files": self.files.as_dict(),
            "hints": list(self.hints),
            "not_replaced": list(self.not_replaced),
            "not_removed": list(self.not_removed),
        }


def import_site(
    source: Path, out: Path, options: ImportOptions, cache: Path, progress: Progress | None = None
) -> ImportReport:
    """Imports `source` into the folder `out`, where what an earlier import of it did is not done again.

    Raises `ImportSourceError`, `ArchiveError` and `OSError`.
    """
    clock = PhaseClock(progress or Progress())
    with clock.phase("list", unit="entries") as counter:
        found = listing(source, cache, options.base, options.sitemap)
        counter.count = len(found.entries)
    run = _Import(found, out, options)
    with clock.phase("import", len(found.entries), "entries"):
        run.all(progress or Progress())
    return run.report()


@dataclass(slots=True)
class _Seen:
    """What later entries are compared with."""

    texts: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    titles: dict[str, set[str]] = field(default_factory=dict)  # by address without its query
    paths: set[str] = field(default_factory=set)  # case-folded


class _Import:
    def __init__(self, found: Listing, out: Path, options: ImportOptions) -> None:
        if not found.entries:
            raise ImportSourceError("the source is empty", "Name the folder of the pages.")
        self._listing = found
        self._out = out
        self._options = options
        self._patterns = PathPatterns(options.include, options.exclude)
        self._accounting = Accounting()
        self._seen = _Seen()
        self._done: dict[str, JournalLine | None] = {}  # None: under way
        self._hints: dict[str, None] = {}
        self._kept = 0
        self._pages = 0
        self._removed = 0
        self._not_replaced: list[str] = []
        self._not_removed: list[str] = []
        self._first: JournalLine | None = None
        self._places = hashlib.sha256(json.dumps(sorted(found.places.items())).encode()).hexdigest()

    def all(self, progress: Progress) -> None:
        (self._out / PAGES).mkdir(parents=True, exist_ok=True)
        self._journal = Journal(self._out)
        candidates = self._candidates()
        self._by_key = {page_key(entry.url): entry for entry in reversed(candidates)}
        with self._journal.writing():
            for number, entry in enumerate(candidates, start=1):
                self._process(entry)
                progress.advance(number)
            self._remove_obsolete()  # while the journal still names what earlier runs wrote
        self._write_project()

    def report(self) -> ImportReport:
        return ImportReport(
            what=self._listing.what,
            out=self._out,
            pages=self._pages,
            kept=self._kept,
            removed=self._removed,
            files=self._accounting,
            hints=tuple(self._hints),
            not_replaced=tuple(f"{PAGES}/{path}" for path in self._not_replaced),
            not_removed=tuple(f"{PAGES}/{path}" for path in self._not_removed),
        )

    def _candidates(self) -> list[SiteEntry]:
        """The entries that may be pages; of pages that differ in the query the plain one first."""
        candidates = []
        for entry in self._listing.entries:
            reason = entry.skip or self._unwanted(entry.url)
            if reason:
                self._accounting.left_out(entry.key, reason)
            else:
                candidates.append(entry)
        return sorted(candidates, key=_order)

    def _unwanted(self, url: str) -> str:
        if reason := self._patterns.reason(addresses.pattern_path(url)):
            return reason
        most = self._options.depth
        return TOO_DEEP if most is not None and addresses.depth(url) > most else ""

    def _process(self, entry: SiteEntry) -> JournalLine | None:
        """What became of an entry; None while it is under way."""
        if entry.key in self._done:
            return self._done[entry.key]
        self._done[entry.key] = None
        limit = self._options.limit
        if limit is not None and self._pages >= limit:
            self._accounting.left_out(entry.key, OVER_LIMIT)
            return None
        try:
            data = entry.load()
        except OSError as error:
            if short := shortage(error):  # not the file's fault: it is read when the import goes on
                raise short from error
            raise ImportSourceError(
                f"{entry.key} cannot be read: {error.strerror or error}",
                "Remove it, or fix its permissions; the next run continues from here.",
            ) from error
        line = self._line(entry, data)
        self._done[entry.key] = line
        self._journal.add(line)
        if line.path:
            self._pages += 1
            self._first = self._first or line
            self._accounting.read(entry.key)
        elif line.is_defect:
            self._accounting.unreadable(entry.key, line.reason)
        else:
            self._accounting.left_out(entry.key, line.reason)
        return line

    def _line(self, entry: SiteEntry, data: bytes) -> JournalLine:
        digest = hashlib.sha256(data).hexdigest()
        recipe = self._recipe(entry)
        earlier = self._journal.earlier.get(entry.key)
        if earlier is not None and (earlier.digest, earlier.recipe) == (digest, recipe):
            known = self._again(entry, earlier)
            if known is not None:
                return known
        page = read_page(entry, data, linker(entry, self._listing.places))
        line = JournalLine(key=entry.key, digest=digest, recipe=recipe, canonical=page.canonical)
        if page.hint:
            self._hints[page.hint] = None
        if page.reason:
            return _with(line, reason=page.reason, is_defect=page.is_defect)
        line = _with(
            line,
            title=entry.title or page.title,
            text_digest=hashlib.sha256(" ".join(page.text.split()).encode()).hexdigest(),
        )
        if reason := self._duplicate(entry, line):
            return _with(line, reason=reason)
        url = self._address(entry, line)
        path = self._path(url)
        self._remember(entry, line, url, path)
        text = rendered(page, entry, url).encode()
        line = _with(line, url=url, path=path, page_digest=hashlib.sha256(text).hexdigest())
        imported = earlier.page_digest if earlier is not None and earlier.path == path else ""
        if self._write_page(line, text) or line.page_digest == imported:
            return line
        self._not_replaced.append(path)
        return _with(line, digest="", page_digest=imported)  # without a digest it is tried again

    def _again(self, entry: SiteEntry, earlier: JournalLine) -> JournalLine | None:
        """The outcome of an earlier run, if it is still that of this one."""
        if earlier.is_defect:
            return None  # what reads it may be installed by now
        if not earlier.text_digest:
            return earlier
        if reason := self._duplicate(entry, earlier):
            return _with(earlier, reason=reason, path="", url="")
        url = self._address(entry, earlier)
        same = url == earlier.url and earlier.path.casefold() not in self._seen.paths
        if not same or not (self._out / PAGES / earlier.path).is_file():
            return None
        self._remember(entry, earlier, url, earlier.path)
        self._kept += 1
        return earlier

    def _recipe(self, entry: SiteEntry) -> str:
        """A hash over what decides about the page besides its content."""
        made_by = [
            toolchain.source_hash(),
            self._places,
            entry.url,
            entry.name,
            entry.title,
            entry.date,
            entry.retrieved,
            entry.charset,
        ]
        return hashlib.sha256(json.dumps(made_by).encode()).hexdigest()[:32]

    def _duplicate(self, entry: SiteEntry, line: JournalLine) -> str:
        """Why the page is one that is there already; "" where it is not.

        Sites exist that name one canonical page for all of theirs: a page with another title is none of
        its copies.
        """
        target = self._by_key.get(page_key(line.canonical)) if line.canonical else None
        if target is not None and target.key != entry.key:
            other = self._process(target)
            if other is not None and other.path and other.title == line.title:
                return CANONICAL
        if line.text_digest in self._seen.texts:
            return SAME_TEXT
        if page_key(entry.url) in self._seen.keys:
            return SAME_ADDRESS
        plain = page_key(addresses.without_query(entry.url))
        if line.title and line.title in self._seen.titles.get(plain, ()):
            return VARIANT
        return ""

    def _address(self, entry: SiteEntry, line: JournalLine) -> str:
        """The canonical address, unless a page of the source has it."""
        key = page_key(line.canonical)
        is_free = key and key not in self._seen.keys and key not in self._by_key
        return line.canonical if is_free else entry.url

    def _path(self, url: str) -> str:
        path = addresses.file_path(url)
        stem, number = path.removesuffix(".md"), 1
        while path.casefold() in self._seen.paths:
            number += 1
            path = f"{stem}-{number}.md"
        return path

    def _write_page(self, line: JournalLine, text: bytes) -> bool:
        """Writes all of the file or nothing; False where there is one that is not as an import wrote it."""
        place, staged = self._out / PAGES / line.path, self._out / STAGED
        present = _digest(place)
        if present == line.page_digest:
            return True
        if present is not None and not self._journal.owns(line.path, present):
            return False
        self._journal.add_intent(line.key, line.path, line.page_digest)
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            staged.write_bytes(text)  # over what a run that was killed was writing
            staged.replace(place)
        except BaseException:
            staged.unlink(missing_ok=True)
            raise
        return True

    def _remember(self, entry: SiteEntry, line: JournalLine, url: str, path: str) -> None:
        self._seen.texts.add(line.text_digest)
        self._seen.keys.update((page_key(entry.url), page_key(url)))
        plain = page_key(addresses.without_query(entry.url))
        self._seen.titles.setdefault(plain, set()).add(line.title)
        self._seen.paths.add(path.casefold())

    def _remove_obsolete(self) -> None:
        """Removes the pages of earlier runs that this one would not have written."""
        current = {line.path for line in self._done.values() if line is not None}
        for path in self._journal.paths:
            place = self._out / PAGES / path
            present = _digest(place) if path not in current else None
            if present is None:
                continue
            if self._journal.owns(path, present):
                place.unlink()
                self._removed += 1
            else:
                self._not_removed.append(path)

    def _write_project(self) -> None:
        place = self._out / PROJECT_FILE
        if place.exists() or self._first is None:
            return
        host = urlsplit(self._first.url).netloc
        name = re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-")
        values = {
            "name": name if re.match("[a-z]", name) else f"site-{name}",
            "title": self._first.title or host,
            "description": f"Pages of {host}.",
        }
        quoted = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}
        replace_file(place, _KB_TOML.format(**quoted, pages=PAGES).encode())


def _digest(place: Path) -> str | None:
    """The SHA-256 of a file; None where there is nothing, "" for what is not a readable file."""
    try:
        return hashlib.sha256(place.read_bytes()).hexdigest()
    except OSError as error:
        if short := shortage(error):
            raise short from error
        return "" if os.path.lexists(place) else None


def _with(line: JournalLine, **changes: str | bool) -> JournalLine:
    return replace(line, **changes)  # type: ignore[arg-type]


def _order(entry: SiteEntry) -> tuple[str, int, str, str]:
    path, _, query = entry.url.partition("?")
    return path, len(query), query, entry.key
