"""Lists the responses of web archives (WARC), with warcio."""

from __future__ import annotations

import errno
import functools
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kbc.formats.registry import INSTALL_HINT
from kbc.importing.entries import ImportSourceError, Listing, SiteEntry, http_time, https, is_web
from kbc.importing.media_types import name_of, not_a_page
from kbc.importing.page import MAX_PAGE_BYTES

ENDINGS = (".warc", ".warc.gz")
DAMAGED = "damaged from here on"

# What warcio lets through besides its own errors, which are a plain Exception's children.
_DAMAGE = (ValueError, OSError, EOFError, zlib.error, Exception)


def list_warcs(paths: Sequence[Path]) -> Listing:
    """The responses and resources of the files, those of one address once: the last good one.

    Raises `ImportSourceError`.
    """
    entries = [entry for path in paths for entry in _responses(path)]
    latest: dict[str, SiteEntry] = {}
    for entry in entries:
        if not entry.skip:
            latest[entry.url] = entry
    chosen = [
        entry
        if entry.skip or latest[entry.url] is entry
        else replace(entry, skip="saved again later in the archive")
        for entry in entries
    ]
    return Listing(f"web archive ({len(paths)} WARC)", chosen)


def _iterator(stream: Any) -> Any:
    try:
        from warcio.archiveiterator import ArchiveIterator
    except ModuleNotFoundError:
        raise ImportSourceError(
            "'warcio', which reads web archives, is not installed", INSTALL_HINT
        ) from None
    return ArchiveIterator(stream)


def _responses(path: Path) -> Iterator[SiteEntry]:
    """Of a damaged file, such as one whose writing was cut short, what is before the damage."""
    count = 0
    if not _begins(path):
        raise _unreadable(path, "it does not begin with `WARC/`")
    with path.open("rb") as stream:
        records = _iterator(stream)
        try:
            for record in records:
                count += 1
                if record.rec_type in ("response", "resource"):
                    yield _entry(path, record, records.get_record_offset())
        except _DAMAGE as error:
            said = " ".join(str(error).split())[:200]
            if count == 0:
                raise _unreadable(path, said) from None
            yield SiteEntry(key=f"{path.name}@damage", url="", name="", load=bytes, skip=DAMAGED)


def _begins(path: Path) -> bool:
    """Whether the file begins as a web archive: warcio also takes what is none for one of an older kind."""
    try:
        with (gzip.open if path.suffix.lower() == ".gz" else open)(path, "rb") as stream:
            return bytes(stream.read(5)) == b"WARC/"
    except (OSError, EOFError, zlib.error):
        return False


def _unreadable(path: Path, said: str) -> ImportSourceError:
    return ImportSourceError(
        f"{path.name!r} cannot be read as a web archive: {said}",
        "A .warc.gz must be compressed record by record: `warcio recompress IN OUT` does that.",
    )


def _entry(path: Path, record: Any, offset: int) -> SiteEntry:
    headers = record.rec_headers
    url = str(headers.get_header("WARC-Target-URI") or "").strip("<>")
    http = record.http_headers
    kind, _, parameters = str(
        (http.get_header("Content-Type") if http else headers.get_header("Content-Type")) or ""
    ).partition(";")
    status = str(http.get_statuscode()) if http else "200"
    robots = str(http.get_header("X-Robots-Tag") or "").lower() if http else ""
    name = name_of(url, kind).lower()
    skip = not_a_page(name)
    if not is_web(url):
        skip = "not a web page"
    elif status.startswith("3"):
        skip = "redirect to another page"
    elif status != "200":
        skip = f"status {status}"
    elif "noindex" in robots or "none" in robots.split(","):
        skip = "noindex"
    return SiteEntry(
        key=f"{path.name}@{offset}",
        url=https(url) if is_web(url) else url,
        name=name,
        load=functools.partial(_load, path, offset),
        date=http_time(str(http.get_header("Last-Modified") or "")) if http else "",
        retrieved=str(headers.get_header("WARC-Date") or ""),
        charset=_charset(parameters),
        skip=skip,
    )


def _load(path: Path, offset: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(offset)
        try:
            return bytes(next(iter(_iterator(stream))).content_stream().read(MAX_PAGE_BYTES + 1))
        except (*_DAMAGE, StopIteration) as error:
            raise OSError(errno.EIO, f"damaged record: {error}", str(path)) from None


def _charset(parameters: str) -> str:
    for part in parameters.split(";"):
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""
