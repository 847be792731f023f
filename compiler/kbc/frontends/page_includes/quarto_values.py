"""What the shortcodes `meta` and `var` of Quarto show: metadata of a page and of its project, variables."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kbc.languages.front_matter import stated_above
from kbc.languages.includes.templates.values import first_value
from kbc.project.include_tree import Read, folders_above
from kbc.project.well_formed import yaml_table


def values(text: str, path: str, folder: str, read: Read) -> Callable[[str, str], str | None]:
    """Gives the value of `meta` or `var` with a name such as `tool.name`; None where the tree has none.
    `text` is that of the page at `path`, in the project whose configuration is in `folder`."""

    def value(kind: str, name: str) -> str | None:
        tables = metadata() if kind == "meta" else _files(("_variables.yml",), folder, read)
        return first_value(tables, name)

    def metadata() -> Iterator[Mapping[str, Any]]:
        yield stated_above(text)[0]
        for place in folders_above(path, folder):
            yield from _files(("_metadata.yml", "_metadata.yaml"), place, read)
        yield from _files(("_quarto.yml", "_quarto.yaml"), folder, read)

    return value


def _files(names: tuple[str, ...], folder: str, read: Read) -> Iterator[Mapping[str, Any]]:
    found = (read(posixpath.join(folder, name)) for name in names)
    yield from (yaml_table(data) for data in found if data is not None)
