"""A documentation site as its generator's configuration describes it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from kbc.project.sites.generators import Generator, generator_of
from kbc.project.sites.redirects import Redirects
from kbc.project.sites.settings import NOTHING_STATED, SiteSettings
from kbc.project.well_formed import is_scalar, sequence
from kbc.project.well_formed import mapping as mapping
from kbc.project.well_formed import texts as texts

NOT_PAGES = ("*.txt",)
"""Text that generators of Markdown publish as it is: requirements, robots.txt, examples."""

MAX_NESTING = 20
"""Levels of a navigation, and of folders, that are looked at: one made to harm has no end."""

_UNKNOWN = "/404.*"
"""What web servers show for an address that they do not know."""

_ADDRESS = re.compile(r"[a-z]+://")
_LOCAL = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?=[:/]|\Z)")
"""Where a site is tried, and not where it is published."""

_LINK = re.compile(r"\[([^\]]*(?:\[[^\]]*\][^\]]*)*)\]\(\s*(?:<([^>]*)>|([^)\s]+))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """`config` is the configuration file, and `folder` the folder of the pages, both below the root of
    what was recognised ("" for that root itself). `generator` and `config` may be left to `sites_in`, which
    knows them. `order` are pages in the order of the navigation, without it those of `titles`, which are what
    it calls them ("": nothing); `redirects` maps former paths of addresses to pages or newer paths; pages are
    named below `folder`. `exclude` and `include` are patterns as in .gitignore, matched below `folder`.
    `paths` are the folders and files with its pages, below the root, where these are not all of `folder`.
    `settings` is what front ends need besides. `base_url` is the address of the site; a path alone, as where
    no host is stated, is none, and with `has_no_addresses` nobody knows those of its pages. `files` are
    further files that were read for this ("": none), `translations` folders beside that of the pages in other
    languages. Of a built site `built_by` is what made it, and with `is_bundle` all pages are in a few files.
    With `is_by_folders` the program that makes the site is nobody else's.
    """

    folder: str = ""
    generator: str = ""
    config: str = ""
    name: str = "docs"
    kind: str = "docs"
    title: str = ""
    description: str = ""
    version: str = ""
    base_url: str = ""
    paths: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    redirects: Mapping[str, str] = field(default_factory=dict)
    settings: SiteSettings = NOTHING_STATED
    files: tuple[str, ...] = ()
    translations: tuple[str, ...] = ()
    built_by: str = ""
    is_bundle: bool = False
    is_by_folders: bool = False
    has_no_addresses: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", self.order or tuple(self.titles))
        object.__setattr__(self, "base_url", self.base_url if _ADDRESS.match(self.base_url) else "")

    @property
    def conventions(self) -> Generator:
        """The traits of its generator."""
        return generator_of(self.generator)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The patterns of `exclude`, and the page for unknown addresses unless the navigation has it."""
        is_page = self.kind == "pages" or any(path.startswith("404.") for path in self.order)
        return self.exclude if is_page else (*self.exclude, _UNKNOWN)

    @property
    def places(self) -> tuple[str, ...]:
        """The folders and files with its pages."""
        return self.paths or (self.folder,)

    @property
    def all_settings(self) -> SiteSettings:
        """The settings with what the site itself says, as its collection has them."""
        return replace(
            self.settings,
            files=tuple(each for each in (self.config, *self.files) if each),
            folder=self.folder,
            title=self.title,
            base_url="" if _LOCAL.match(self.base_url) else self.base_url,
            order={path: place for place, path in enumerate(dict.fromkeys(self.order))},
            titles={path: title for path, title in self.titles.items() if title},
            redirects=Redirects(self.redirects),
        )


def in_order(sites: Sequence[Site]) -> list[tuple[int, Site]]:
    """The sites with their numbers: what is only copied into one changes no name of another."""
    return list(enumerate(sorted(sites, key=lambda site: site.kind != "docs")))


def below(folder: str, path: str) -> str:
    """`path` below `folder`, both below the same root."""
    return path.removeprefix(f"{folder}/") if folder else path


def joined(*parts: str) -> str:
    """Folders and names as one path, without empty parts, `.` and `..` resolved."""
    path = posixpath.normpath("/".join(part.strip("/") for part in parts if part.strip("/")) or ".")
    return "" if path == "." else path


def linked_titles(contents: str) -> dict[str, str]:
    """Page -> title, of the links of a table of contents in Markdown, in order; addresses left out."""
    titles: dict[str, str] = {}
    for label, bracketed, plain in _LINK.findall(contents):
        target = bracketed or plain
        path = joined(unquote(target.partition("#")[0]))
        if path and "://" not in target and not target.startswith("mailto:"):
            titles.setdefault(path, re.sub(r"[`*\\]", "", label).strip())
    return titles


def redirects_of_pages(value: Any) -> dict[str, str]:
    """Former paths and newer ones, of a list of objects with `source` and `destination`; those with
    wildcards or parameters, and to other sites, are left out."""
    stated = (
        (text(each, "source"), text(each, "destination")) for each in map(mapping, sequence(value))
    )
    return {
        former.strip("/"): joined(new)
        for former, new in stated
        if former and new and not {":", "*"} & set(former + new)
    }


def text(data: Mapping[str, Any], *names: str) -> str:
    """The first text or number under one of `names`."""
    for name in names:
        value = data.get(name)
        if is_scalar(value):
            return " ".join(str(value).split())
    return ""


def text_values(value: Any) -> dict[str, str]:
    """The entries of a mapping whose values are texts."""
    return {str(key): each for key, each in mapping(value).items() if isinstance(each, str)}
