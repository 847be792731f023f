"""Lists the pages of a MediaWiki XML dump (also .gz and .bz2), read as a stream."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from lxml import etree

from kbc.importing.entries import ImportSourceError, Listing, SiteEntry, https
from kbc.languages.addresses import split_url

ENDINGS = (".xml", ".xml.gz", ".xml.bz2", ".xml.xz")
_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_TALK = 1  # the namespaces of discussions are the odd ones
_NOT_PAGES = frozenset({2, 6, 8, 10, 14, 828})
"""User, File, MediaWiki (messages), Template, Category and Module: what pages are made of."""


def is_dump(path: Path) -> bool:
    """Whether the file begins as a dump does."""
    if not path.name.lower().endswith(ENDINGS):
        return False
    try:
        with _opened(path) as stream:
            return b"<mediawiki" in stream.read(2_048)
    except (OSError, EOFError, lzma.LZMAError):
        return False


def _opened(path: Path) -> IO[bytes]:
    opener = _OPENERS.get(path.suffix.lower(), open)
    stream: IO[bytes] = opener(path, "rb")
    return stream


def list_dump(path: Path, base: str) -> Listing:
    """The pages with the text of their last revisions. `base` is the address of a page of the wiki, for
    a dump that names none. Raises `ImportSourceError`."""
    entries: list[SiteEntry] = []
    try:
        with _opened(path) as stream:
            entries.extend(_pages(stream, base))
    except (OSError, EOFError, lzma.LZMAError, etree.XMLSyntaxError) as error:
        if not entries:
            raise ImportSourceError(
                f"{path.name!r} cannot be read as a MediaWiki dump: {error}",
                "Make the dump again, for example with `dumpBackup.php --current`.",
            ) from None
        entries.append(
            SiteEntry(key="damage", url="", name="", load=bytes, skip="damaged from here on")
        )
    return Listing("MediaWiki dump", entries)


def _pages(stream: IO[bytes], base: str) -> Iterator[SiteEntry]:
    seen = 0
    # Neither entities nor a DTD: a dump has none, and they can grow without bound.
    parser = etree.iterparse(
        stream, events=("end",), resolve_entities=False, no_network=True, load_dtd=False
    )
    for _, element in parser:
        kind = etree.QName(element).localname
        if kind == "base":
            base = base or element.text or ""
        elif kind == "page":
            seen += 1
            yield _page(element, base, seen)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]


def _page(page: Any, base: str, number: int) -> SiteEntry:
    title = _text(page, "title")
    namespace = int(_text(page, "ns") or 0)
    revisions = page.findall("{*}revision")
    last = max(revisions, key=lambda each: _text(each, "timestamp"), default=None)
    text = "" if last is None else _text(last, "text")
    model = "wikitext" if last is None else _text(last, "model") or "wikitext"
    skip = ""
    if page.find("{*}redirect") is not None:
        skip = "redirect to another page"
    elif namespace < 0 or namespace % 2 == _TALK or namespace in _NOT_PAGES:
        skip = "not a namespace of pages (talk, users, templates ...)"
    elif model != "wikitext":
        skip = f"content model {model}"
    data = b"" if skip else text.encode()
    return SiteEntry(
        key=f"page {number}",
        url=_address(base, title),
        name=f"{title.rpartition('/')[2]}.mediawiki",
        load=lambda: data,
        title=title,
        date="" if last is None else _text(last, "timestamp"),
        skip=skip,
        is_mediawiki=True,
    )


def _text(element: Any, name: str) -> str:
    return str(element.findtext(f"{{*}}{name}") or "").strip()


def _address(base: str, title: str) -> str:
    """Beside the main page, whose address the dump states."""
    place = quote(title.replace(" ", "_"), safe="/:()!,;@'*~")
    if not split_url(base).netloc:
        raise ImportSourceError(
            "the dump does not state the URL of the wiki",
            "Give the URL of a page: --base https://wiki.example.org/wiki/Main_Page",
        )
    folder = base.partition("?")[0].rpartition("/")[0]
    if "title=" in base:
        return https(f"{base.partition('?')[0]}?title={place}")
    return https(f"{folder}/{place}")
