"""Elastic's docs-builder: docset.yml names pages and substitutions, toc.yml below it the pages of a part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import IncludeSettings, SiteSettings, ValueSettings
from kbc.recognition.configuration import read_yaml
from kbc.recognition.site import MAX_NESTING, NOT_PAGES, Site, below, joined, mapping, text, texts

GENERATOR = "docs-builder"
CONFIGS = ("docset.yml", "_docset.yml")
CONTENTS = "toc.yml"

_READ = ("*.md", "*.json", "*.yaml", "*.yml")
"""Pages, and descriptions of APIs."""

_PARTS = "_snippets/"
"""Folders of what pages include."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The documentation set whose docset.yml is in `folder`; None for one without a `toc`."""
    data = read_yaml(tree, config)
    if not isinstance(data.get("toc"), list):
        return None
    contents = _ContentsReader(tree)
    titles: dict[str, str] = {}
    for path, title in contents.pages(data["toc"], folder):
        titles.setdefault(below(folder, path), title)
    redirections = joined(folder, config.rpartition("/")[2].replace("docset", "redirects"))
    has_redirections = tree.exists(redirections)
    return Site(
        folder=folder,
        title=text(data, "project"),
        description=text(data, "description"),
        titles=titles,
        include=_READ,
        exclude=(*NOT_PAGES, _PARTS, *texts(data.get("exclude"))),
        redirects=dict(_redirects(read_yaml(tree, redirections))) if has_redirections else {},
        settings=SiteSettings(
            config_folder=folder,
            values=ValueSettings(
                substitutions={
                    str(name): str(value)
                    for name, value in mapping(data.get("subs")).items()
                    if isinstance(value, (str, int, float))
                }
            ),
            includes=IncludeSettings(other_repositories=tuple(texts(data.get("cross_links")))),
        ),
        files=(*contents.files, *([redirections] if has_redirections else ())),
    )


class _ContentsReader:
    """Reads tables of contents; `files` are those that others named."""

    def __init__(self, tree: IncludeTree) -> None:
        self._tree = tree
        self.files: dict[str, None] = {}

    def pages(self, items: Any, folder: str, depth: int = 0) -> Iterator[tuple[str, str]]:
        """(path, title or "") of the pages, in order; those of `items` are below `folder`."""
        for item in items if isinstance(items, list) and depth < MAX_NESTING else ():
            entry = mapping(item)
            place = joined(folder, text(entry, "folder"))
            if page := text(entry, "file", "hidden"):
                yield joined(place, page), text(entry, "title")
            if named := text(entry, "toc"):
                yield from self._named(joined(place, named), depth)
            elif entry.get("children"):
                yield from self.pages(entry["children"], place, depth + 1)
            elif text(entry, "folder"):
                yield from ((path, "") for path in self._all(place, entry))

    def _named(self, folder: str, depth: int) -> Iterator[tuple[str, str]]:
        """The pages of the table of contents in a folder."""
        path = joined(folder, CONTENTS)
        if path not in self.files and self._tree.exists(path):
            self.files[path] = None
            yield from self.pages(read_yaml(self._tree, path).get("toc"), folder, depth + 1)

    def _all(self, folder: str, entry: Mapping[str, Any]) -> list[str]:
        """The pages of a folder of which none is named, by their names; the first page leads them."""
        excluded = set(texts(entry.get("exclude")))
        names = [
            name
            for name in self._tree.names(folder)
            if name.endswith(".md") and name not in excluded
        ]
        names.sort(reverse=text(entry, "sort").startswith("desc"))
        names.sort(key=lambda name: name != "index.md")
        return [joined(folder, name) for name in names]


def _redirects(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Former page -> page; what leads to another repository, or to several pages only, is left out."""
    for former, stated in mapping(data.get("redirects")).items():
        target = stated if isinstance(stated, str) else text(mapping(stated), "to")
        target = target.lstrip("!")
        if target and "://" not in target and target != former:
            yield str(former).removesuffix(".md"), target
