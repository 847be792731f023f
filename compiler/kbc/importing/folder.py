"""Lists a folder of saved pages: a mirror by wget or httrack, a built site, a tree with `llms.txt`.

The address of a file is, first come first served, that which httrack wrote into it, that of the sitemap or
`llms.txt`, that of the folder named after a host which it is in, or its path below the site's address.
"""

from __future__ import annotations

import functools
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from kbc.importing.entries import (
    ImportSourceError,
    Listing,
    SiteEntry,
    http_time,
    https,
    is_web,
    without_index,
)
from kbc.importing.media_types import PAGES, not_a_page
from kbc.languages.addresses import SITEMAP, split_url
from kbc.project.include_tree import IncludeTree
from kbc.recognition import built_site
from kbc.recognition.built_site import LOCATION
from kbc.sources.formats import is_wanted

_HEAD_BYTES = 4_096
_HTTRACK = re.compile(
    rb"<!-- Mirrored from (\S+) by HTTrack[^>]*?(?:, (?P<date>\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT))?\s*-->"
)
_SITEMAP_URL = re.compile(r"<url>(.*?)</url>", re.DOTALL)
_SERVER = re.compile(r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?")
_LASTMOD = re.compile(r"<lastmod>\s*([^\s<]+)")
_LLMS_LINK = re.compile(r"^\s*[-*]\s*\[(?P<title>[^\]]+)\]\((?P<url>[^)\s]+)\)", re.MULTILINE)
_MARKDOWN = (".md", ".mdx", ".markdown")
_HTTRACK_FILES = re.compile(r"hts-(?:cache|log\.txt)|(?:backblue|fade)\.gif|cookies\.txt")
_HTTRACK_INDEX = re.compile(rb"HTTrack Website Copier|by HTTrack", re.IGNORECASE)


def list_folder(root: Path, base: str, sitemap: Path | None) -> Listing:
    """`base` is the address of the folder, "" where the folder tells. Raises `ImportSourceError`."""
    files = list(_files(root))
    stated = _Stated(root, files, sitemap)
    addresses = _Addresses(root, files, base, stated)
    entries = [_entry(root, path, addresses, stated) for path in files]
    if not any(not entry.skip for entry in entries) and any(
        entry.skip == NO_ADDRESS for entry in entries
    ):
        raise ImportSourceError(
            f"nothing in {root.name!r} states the URLs of the pages",
            "Give the URL of the folder: --base https://docs.example.org/",
        )
    places = {unquote(entry.place): entry.url for entry in entries if entry.url}
    return Listing(addresses.what, entries, places)


NO_ADDRESS = "no URL known"
_FOLDER = "https://folder.invalid/"
"""What paths are below, as places: a name that is no host's."""


def _files(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root, onerror=_raise):
        folders.sort()
        place = Path(folder).relative_to(root).as_posix()
        for name in sorted(names):
            yield name if place == "." else f"{place}/{name}"


def _raise(error: OSError) -> None:
    """A folder that cannot be listed is no empty one, whose pages would be removed."""
    raise error


class _Stated:
    """What a sitemap and `llms.txt` say: addresses with dates and titles, in their order."""

    def __init__(self, root: Path, files: list[str], sitemap: Path | None) -> None:
        self.dates: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self.is_llms = False
        sitemaps = [root / path for path in files if SITEMAP.fullmatch(posixpath.basename(path))]
        for each in [sitemap] if sitemap is not None else sitemaps:
            self._read_sitemap(each.read_text("utf-8", "replace"))
        for path in files:
            if posixpath.basename(path) == "llms.txt":
                self._read_llms((root / path).read_text("utf-8", "replace"))

    def _read_sitemap(self, text: str) -> None:
        for found in _SITEMAP_URL.findall(text):
            location, changed = LOCATION.search(found), _LASTMOD.search(found)
            if location is not None:
                url = https(location[1].replace("&amp;", "&"))
                self.dates[url] = changed[1] if changed else ""

    def _read_llms(self, text: str) -> None:
        """Of links to the Markdown of pages, the addresses of the pages: the convention is to append
        `.md`, to the name of an index where there is no name."""
        self.is_llms = True
        for found in _LLMS_LINK.finditer(text):
            if is_web(found["url"]):
                self.titles[https(found["url"])] = found["title"].strip()

    @functools.cached_property
    def by_ending(self) -> Mapping[str, str]:
        """Address by the end of its path: of one with three parts, the last three, two and one of them;
        what several share is nobody's."""
        found: dict[str, str] = {}
        shared: set[str] = set()
        for url in (*self.dates, *self.titles):
            parts = _place(unquote(split_url(url).path)).split("/")
            for start in range(len(parts)):
                ending = "/".join(parts[start:])
                if found.setdefault(ending, url) != url:
                    shared.add(ending)
        return {ending: url for ending, url in found.items() if ending not in shared}


def _place(path: str) -> str:
    """A path without what sites leave out of it: its ending, and the name of an index."""
    path = without_index(path.strip("/")).strip("/")
    for ending in (".html.md", ".html", ".htm", ".mdx", ".md"):
        if path.lower().endswith(ending):
            return without_index(path[: -len(ending)] + ".html").removesuffix(".html").strip("/")
    return path


class _Addresses:
    """The address of each file, as far as the folder tells."""

    def __init__(self, root: Path, files: list[str], base: str, stated: _Stated) -> None:
        self._stated = stated
        self._base = base.rstrip("/")
        tops = {path.partition("/")[0] for path in files if "/" in path}
        self._hosts = set() if base else {name for name in tops if built_site.is_host(name)}
        # `--base` of what was saved from one server is the address that this has for others.
        alone = next(iter(tops)) if base and len(tops) == 1 else ""
        self._server = f"{alone}/" if built_site.is_host(alone) or _SERVER.fullmatch(alone) else ""
        if not base and not self._hosts:
            tree = IncludeTree(root, root)
            self._base = built_site.recognise(tree, "", root.name, ()).base_url.rstrip("/")
        self.what = "tree with llms.txt" if stated.is_llms else "mirror or built site"

    def of(self, path: str, mirrored: str) -> str:
        if mirrored:
            return https(f"https://{mirrored}" if "://" not in mirrored else mirrored)
        top, _, rest = path.partition("/")
        if top in self._hosts:
            return https(without_index(f"https://{top}/{quote(rest, safe='/?=&')}"))
        if found := self._stated.by_ending.get(_place(path)):
            return _page_address(found) if self._stated.is_llms else found
        if not self._base:
            return ""
        path = path.removeprefix(self._server)
        return https(without_index(f"{self._base}/{quote(_page_address(path), safe='/?=&')}"))


def _page_address(url: str) -> str:
    """The address of the page that Markdown at `url` is the text of."""
    lowered = url.lower()
    ending = next((each for each in _MARKDOWN if lowered.endswith(each)), "")
    return without_index(url[: -len(ending)] if ending else url)


def _entry(root: Path, path: str, addresses: _Addresses, stated: _Stated) -> SiteEntry:
    name = posixpath.basename(path)
    plain = name.lower().partition("?")[0]
    skip, mirrored, retrieved, url = "", "", "", ""
    if any(part.startswith(".") for part in path.split("/")):
        skip = "hidden"
    elif (root / path).is_symlink() or not (root / path).is_file():
        skip = "link or special file"
    elif _HTTRACK_FILES.match(path):
        skip = "written by httrack"
    elif reason := not_a_page(plain):
        skip = "" if is_wanted(root / path, PAGES) and "." not in plain else reason
    else:
        head = _head(root / path)
        if found := _HTTRACK.search(head):
            mirrored = found[1].decode("utf-8", "replace")
            retrieved = (found["date"] or b"").decode()
        elif path == "index.html" and _HTTRACK_INDEX.search(head):
            skip = "written by httrack"
        url = "" if skip else addresses.of(path, mirrored)
        if not skip and not url:
            skip = NO_ADDRESS
    return SiteEntry(
        key=path,
        url=url,
        name=plain if "." in plain else f"{plain}.html",
        load=(root / path).read_bytes,
        title=stated.titles.get(url, "") or stated.titles.get(f"{url}.md", ""),
        date=stated.dates.get(url, ""),
        retrieved=http_time(retrieved),
        place=_FOLDER + quote(path),
        skip=skip,
    )


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_HEAD_BYTES)
