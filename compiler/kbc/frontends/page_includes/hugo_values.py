"""What a page of Hugo shows for the names of parameters, and which pages its references lead to."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from kbc.languages.front_matter import stated_above
from kbc.project.include_tree import Read, folders_above, only_ones
from kbc.project.model import Collection
from kbc.project.permalinks import page_path
from kbc.project.sites.settings import SiteSettings
from kbc.project.source_file import SourceFile
from kbc.project.well_formed import is_scalar, mapping


class HugoValues:
    """The parameters of the pages of a site."""

    def __init__(self, site: SiteSettings) -> None:
        self._top = site.folder
        self._of_site = site.values.of_shortcodes
        self._cascades: dict[str, list[Mapping[str, Any]]] = {}

    def of_page(self, text: str, path: str, read: Read) -> Callable[[str], str | None]:
        """The parameters of a page: its own, those that the sections above hand down, the site's."""

        def tables() -> Iterator[Mapping[str, Any]]:
            own, _ = stated_above(text)
            yield from (own, mapping(own.get("params")))
            for folder in folders_above(path, self._top):
                yield from self._handed_down(folder, read)
            yield self._of_site

        return cache(lambda name: _found(tables(), name))

    def _handed_down(self, folder: str, read: Read) -> list[Mapping[str, Any]]:
        """What the `cascade` of a section's page holds."""
        if folder not in self._cascades:
            data = read(f"{folder}/_index.md")
            matter = stated_above(data.decode("utf-8", "replace"))[0] if data else {}
            cascade = matter.get("cascade")
            found: list[Mapping[str, Any]] = []
            for each in map(mapping, cascade if isinstance(cascade, list) else [cascade]):
                found += [each, mapping(each.get("params"))]
            self._cascades[folder] = found
        return self._cascades[folder]


def references(collection: Collection, files: Sequence[SourceFile]) -> dict[str, str]:
    """Paths of pages by what a reference may call them: their path below the content, the name of their file
    and, of the first page of a section, that of the section, where no other is called so."""
    paths = [file.path for file in files]
    below = {page_path(collection, path): path for path in paths}
    first = {
        f"{posixpath.dirname(path)}.md": path
        for path in paths
        if posixpath.basename(path) in ("_index.md", "index.md")
    }
    sections = {name: first[place] for name, place in only_ones(first).items()}
    return {**sections, **only_ones(paths), **below}


def _found(tables: Iterable[Mapping[str, Any]], name: str) -> str | None:
    """The first text or number at a path such as `version.latest`, whose case does not count."""
    for table in tables:
        value: Any = table
        for key in name.lower().split("."):
            lowered = {str(each).lower(): inner for each, inner in mapping(value).items()}
            value = lowered.get(key)
        if is_scalar(value):
            return str(value)
    return None
