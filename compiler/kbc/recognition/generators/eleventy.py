"""Eleventy: its configuration is a program, of which the folders that it names as text are read. Sites that a
program of their own makes with the same folders (Liquid in Markdown, `_includes`, data) are read as well."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import IncludeSettings, LinkSettings, SiteSettings, ValueSettings
from kbc.recognition.configuration import READER, first_existing, ignored_paths, read_any, read_text
from kbc.recognition.site import NOT_PAGES, Site, joined, text

GENERATOR = "eleventy"

_FOLDER = re.compile(r"\b(?P<name>input|includes|data)\s*:\s*[\"'](?P<place>[^\"'\n]*)[\"']")
_SET = re.compile(
    r"\.set(?P<name>Input|Includes|Data)Directory\(\s*[\"'](?P<place>[^\"'\n]*)[\"']\s*\)"
)
_DATA_ENDINGS = (".json", ".yaml", ".yml")
_SITE_DATA = tuple(
    f"{stem}{ending}" for stem in ("site", "metadata", "meta") for ending in _DATA_ENDINGS
)
# What pages show of data is short: names, addresses, versions.
_MOST_DATA_FILES = 64
_MOST_DATA_BYTES = 64 * 1024
_INCLUDES = "_includes"
_DATA = ("_data", "data")
_CONTENT = ("content", "pages", "docs")
"""Of a site that has no configuration that can be read."""

_PROGRAMS = (
    *(f"eleventy.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts")),
    ".eleventy.js",
)
CONFIGS = (*_PROGRAMS, *(f"{data}/{name}" for data in _DATA for name in _SITE_DATA))

_MARKDOWN = (".md", ".markdown")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose configuration, or whose folders, are in `folder`; None without them."""
    if not config.endswith(_PROGRAMS):
        return _by_its_folders(tree, folder, config)
    source = read_text(tree, config)
    found = (match for pattern in (_FOLDER, _SET) for match in pattern.finditer(source))
    places = {match["name"].lower(): match["place"] for match in found}
    content = joined(folder, places.get("input", "."))
    if not tree.names(content):
        return None
    includes, data = places.get("includes", _INCLUDES), places.get("data", _DATA[0])
    return _site(
        tree,
        folder,
        config,
        content,
        joined(content, includes),
        joined(content, data),
        exclude=(
            *("node_modules/", "/_site/", f"/{includes}/", f"/{data}/"),
            *ignored_paths(tree, joined(folder, ".eleventyignore")),
        ),
        # Plugins give headings their ids.
        open_anchors="slugify" in source,
    )


def _by_its_folders(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """A site of Markdown in `content`, parts of it in `_includes`, and in `data` what `config` says of it."""
    names = set(tree.names(folder))
    content = next((joined(folder, each) for each in _CONTENT if each in names), "")
    if _INCLUDES not in names or not any(name.endswith(_MARKDOWN) for name in tree.names(content)):
        return None
    includes, data = joined(folder, _INCLUDES), posixpath.dirname(config)
    site = _site(tree, folder, config, content, includes, data, exclude=("node_modules/",))
    return replace(site, is_by_folders=True)


def _site(
    tree: IncludeTree,
    folder: str,
    config: str,
    content: str,
    includes: str,
    data: str,
    *,
    exclude: tuple[str, ...],
    open_anchors: bool = False,
) -> Site:
    named = first_existing(tree, data, _SITE_DATA)
    tables = [
        joined(data, name)
        for name in tree.names(data)
        if name.endswith(_DATA_ENDINGS)
        and len(tree.read(joined(data, name), READER) or b"") <= _MOST_DATA_BYTES
    ][:_MOST_DATA_FILES]
    values = {path: read_any(tree, path) for path in {named, *tables} if path}
    stated = values.get(named, {})
    return Site(
        folder=content,
        title=text(stated, "title", "name"),
        description=text(stated, "description"),
        base_url=text(stated, "url", "baseUrl"),
        exclude=(*NOT_PAGES, *exclude),
        settings=SiteSettings(
            config_folder=folder,
            includes=IncludeSettings(partials=includes),
            values=ValueSettings(
                are_templates=True,
                of_templates={
                    posixpath.splitext(posixpath.basename(path))[0]: values[path] for path in tables
                },
            ),
            links=LinkSettings(has_own_anchors=open_anchors),
        ),
        files=tuple(path for path in tables if path != config),
    )
