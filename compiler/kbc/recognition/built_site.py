"""A built site or a mirror of one: a folder of HTML, with a sitemap, canonical links or host folders; or the
files with all pages of one that are published for language models."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from kbc.languages.addresses import HOST, redirect_target, split_url
from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import first_existing, first_name, read_inventory, read_text
from kbc.recognition.places import PAGES, theme_parts
from kbc.recognition.site import Site, joined
from kbc.sources.formats import is_html_name, is_wanted

GENERATOR = "site"
INVENTORY = "objects.inv"
"""Sphinx's list of what a documentation describes, with its name and version."""

EXCLUDE = (
    "_sources/", "_static/", "_modules/", "search/", "searchindex.js", "robots.txt", "llms.txt",
    "*.txt", "*.toml", "*.md", "*.epub",
)  # fmt: skip
"""What generators write beside pages: their sources and their text once more, assets, indexes."""

LOCATION = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*(https?://[^\s<\]]+)")
_CANONICAL = re.compile(
    r"<link\b[^>]*rel=[\"']?canonical[\"']?[^>]*href=[\"']?(https?://[^\"'\s>]+)"
    r"|<link\b[^>]*href=[\"']?(https?://[^\"'\s>]+)[\"']?[^>]*rel=[\"']?canonical",
    re.IGNORECASE,
)
_GENERATOR = re.compile(
    r"<meta\b[^>]*name=[\"']?generator[\"']?[^>]*content=[\"']?([^\"'>]+)", re.IGNORECASE
)
_MOST_HOPS = 3
"""From the first page to the latest version (`latest/`), which may be an alias of its number."""
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_LOOKED_AT, _START_CHARS = 20, 2_000
LLMS_FULL = re.compile(r"(?:.*[-_.])?llms-full.*\.txt")
_OWN_PAGES = (".md", ".mdx", ".html", ".htm")
_NOT_TITLES = frozenset(
    ["", "all modules", "docs", "documentation", "home", "index", "overview", "welcome"]
)


def rendered(folder: str, files: Sequence[str]) -> list[str]:
    """The HTML below `folder` that is called as another file of the tree with `.html` behind
    (`guide.md.html`, as LDoc has it): what this was rendered to."""
    names = {name.rpartition("/")[2] for name in files}
    start = f"{folder}/"
    return [
        name.removeprefix(start)
        for name in files
        if name.startswith(start)
        and name.endswith(".html")
        and "." in (own := name.rpartition("/")[2].removesuffix(".html"))
        and own in names
    ]


def is_mostly_html(tree: IncludeTree, root: Path, files: Sequence[str]) -> bool:
    """Whether most pages among the paths `files` below `root`, which `tree` reads, are HTML, and no templates
    of it. Sources that Sphinx copies do not count, nor what DocC writes around pages."""
    html: list[str] = []
    other = 0
    parts = frozenset(theme_parts(files))
    for name in files:
        if name in parts:
            continue
        lowered = name.lower().partition("?")[0]
        if is_html_name(name):
            html.append(name)
        elif lowered.endswith(PAGES) or (
            lowered.endswith(".xml") and is_wanted(root / name, PAGES)
        ):
            other += "/_sources/" not in f"/{name}"
    return len(html) > other and not _are_templates(tree, html)


def _are_templates(tree: IncludeTree, html: Sequence[str]) -> bool:
    """Whether most of these files begin with statements of a template language."""
    looked_at = html[:: -(-len(html) // _LOOKED_AT)]
    starts = (read_text(tree, name)[:_START_CHARS] for name in looked_at)
    return sum("{%" in start for start in starts) * 2 > len(looked_at)


def is_output(tree: IncludeTree, root: Path, files: Sequence[str]) -> bool:
    """Whether the folder `root` is what a generator has written: mostly HTML, and a first page that is whole,
    which a page that a generator reads is not."""
    first = read_text(tree, "index.html").lstrip()
    return first[:9].lower() == "<!doctype" and is_mostly_html(tree, root, files)


def recognise(tree: IncludeTree, folder: str, root_name: str, hosts: Sequence[str]) -> Site:
    """The site in `folder`. `root_name` is the name of the folder that a mirror may have named after its
    host, and `hosts` the folders directly below `folder` that are named after hosts."""
    first = first_name(tree, folder, ("index.html", "index.htm"))
    page = read_text(tree, joined(folder, first)) if first else ""
    shown = _led_to(tree, folder, first, page) if first else ""
    sitemap = "sitemap.xml" if tree.exists(joined(folder, "sitemap.xml")) else ""
    base = ""
    if hosts:
        base = "https://"
    elif is_host(root_name):
        base = f"https://{root_name}"
    elif found := _CANONICAL.search(page):
        base = (found[1] or found[2]).removesuffix(first).rstrip("/")
    elif sitemap:
        base = _common(LOCATION.findall(read_text(tree, joined(folder, sitemap))))
    found = _GENERATOR.search(shown)
    inventory = first_existing(tree, folder, (INVENTORY,))
    found_inventory = read_inventory(tree, inventory)
    return Site(
        generator=GENERATOR,
        config="",
        folder=folder,
        name="pages",
        kind="pages",
        title=found_inventory.project if found_inventory else _title(shown),
        version=found_inventory.version if found_inventory else "",
        base_url=base,
        exclude=EXCLUDE,
        built_by=found[1].strip() if found else "Sphinx" if inventory else "",
        files=(inventory,),
    )


def is_host(name: str) -> bool:
    """Whether a folder may be named after a host, as wget and httrack do."""
    return HOST.fullmatch(name) is not None and not name.endswith(
        (".md", ".io.txt", ".html", ".js")
    )


def _common(addresses: Sequence[str]) -> str:
    """The address that all of a sitemap's are below: without a home page among them, the host's."""
    shortest = min(addresses, key=len, default="")
    if shortest and all(each.startswith(shortest) for each in addresses):
        return shortest.rstrip("/")
    parts = urlsplit(shortest)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _led_to(tree: IncludeTree, folder: str, place: str, page: str) -> str:
    """The page that readers of `page`, the one at `place`, are sent to, of a version or a language; "" where
    that is elsewhere."""
    for _ in range(_MOST_HOPS):
        led = redirect_target(page)
        if not led:
            return page
        target = split_url(led)
        if target.netloc:
            break
        place = posixpath.join(posixpath.dirname(place), target.path)
        place = place if place.endswith(".html") else f"{place}/index.html"
        page = read_text(tree, joined(folder, place))
    return ""


def _title(page: str) -> str:
    found = _TITLE.search(page)
    title = " ".join(html.unescape(found[1]).split()) if found else ""
    parts = [part.strip() for part in re.split(r"\s[|–—·•-]\s", title)]
    return next((part for part in reversed(parts) if part.casefold() not in _NOT_TITLES), "")


def bundles(names: Sequence[str]) -> list[Site]:
    """A site whose pages are all in files of the folder, which has the files `names`; none where there are
    pages beside them."""
    full = tuple(f"/{name}" for name in names if LLMS_FULL.fullmatch(name.lower()))
    if not full or sum(name.lower().endswith(_OWN_PAGES) for name in names) > 1:
        return []
    return [
        Site(
            generator="",
            config="",
            folder="",
            name="pages",
            kind="pages",
            include=full,
            is_bundle=True,
        )
    ]
