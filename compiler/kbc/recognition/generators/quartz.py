"""Quartz: quartz.config.ts beside the notes of an Obsidian vault in `content`."""

from __future__ import annotations

import posixpath
import re
from functools import partial

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.recognition.configuration import pages_below, read_script
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, texts

GENERATOR = "quartz"
CONFIGS = ("quartz.config.ts",)

_FOLDERS = ("content", "docs")
"""Where notes are; Quartz itself has its documentation in the second."""

_ENDINGS = (".md", ".markdown")
_CHANGED = ((r"\s", "-"), ("&", "-and-"), ("%", "-percent"), (r"[?#]", ""))
"""What Quartz writes in an address for characters of a name."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose quartz.config is in `folder`; None without notes."""
    settings = mapping(read_script(tree, config).get("configuration"))
    for name in _FOLDERS:
        notes = joined(folder, name)
        if paths := list(pages_below(tree, notes, _is_note, partial(_is_folder, tree, notes))):
            break
    else:
        return None
    host = text(settings, "baseUrl")
    return Site(
        folder=notes,
        title=text(settings, "pageTitle"),
        base_url=f"https://{host.strip('/')}" if host and "://" not in host else host,
        exclude=(*NOT_PAGES, *texts(settings.get("ignorePatterns"))),
        settings=SiteSettings(
            config_folder=folder,
            language=text(settings, "locale")[:2].lower(),
            addresses=AddressSettings(known={path: _address(path) for path in paths}),
        ),
    )


def _is_note(path: str) -> bool:
    return path.endswith(_ENDINGS)


def _is_folder(tree: IncludeTree, notes: str, path: str) -> bool:
    is_hidden = posixpath.basename(path).startswith(".")
    return not is_hidden and not tree.exists(joined(notes, path))


def _address(path: str) -> str:
    """Where the site has a note: `a folder/index.md` at `a-folder/`."""
    place = path.rpartition(".")[0]
    for pattern, shown in _CHANGED:
        place = re.sub(pattern, shown, place)
    if place == "index" or place.endswith("/index"):
        return place.removesuffix("index")
    return place
