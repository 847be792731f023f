"""The values of kb.toml, as the rest of the compiler uses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kbc.project.settings import PackageSettings, SearchSettings, ToolSettings


@dataclass(frozen=True, slots=True)
class Collection:
    """A `[[collection]]` of kb.toml. `line` is its table's line there and `paths_line` that of its paths,
    or else of the table (0: it comes by convention)."""

    name: str
    kind: str
    paths: tuple[str, ...]
    url: str = ""
    group: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    paths_line: int = 0

    def source_url(self, path: str, anchor: str = "") -> str:
        """The public address of a record, or "" when the collection has no `url`.

        `{path}` is the file's path, `{stem}` the same without its ending, `{anchor}` a heading.
        """
        if not self.url:
            return ""
        stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path
        filled = self.url.replace("{path}", quote(path)).replace("{stem}", quote(stem))
        if "{anchor}" not in filled:
            return filled
        return (
            filled.replace("{anchor}", quote(anchor))
            if anchor
            else filled.replace("#{anchor}", "").replace("{anchor}", "")
        )


@dataclass(frozen=True, slots=True)
class Project:
    """A knowledge base; docs/kb-authoring.md says what the fields are for."""

    root: Path
    name: str
    title: str
    version: str
    prefix: str
    description: str
    license: str
    collections: tuple[Collection, ...]
    search: SearchSettings = field(default_factory=SearchSettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    package: PackageSettings = field(default_factory=PackageSettings)

    def settings(self) -> dict[str, Any]:
        """Everything that kb.toml decides about the artifact, for the build id."""
        return {
            "kb": [
                self.name,
                self.title,
                self.version,
                self.prefix,
                self.description,
                self.license,
            ],
            "collections": [
                [each.name, each.kind, list(each.paths), each.url, each.group, dict(each.options)]
                for each in self.collections
            ],
            "search": self.search.model_dump(),
            "tools": self.tools.model_dump(),
            "package": self.package.model_dump(),
        }
