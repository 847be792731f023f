"""The values of kb.toml, as the rest of the compiler uses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from kbc.project.kinds import KINDS
from kbc.project.settings import (
    BuildSettings,
    EncoderSettings,
    PackageSettings,
    SearchSettings,
    ToolSettings,
)
from kbc.project.sites.generators import Generator, generator_of
from kbc.project.sites.settings import NOTHING_STATED, SiteSettings


@dataclass(frozen=True, slots=True)
class Collection:
    """A `[[collection]]` of kb.toml.

    `include` and `exclude` are patterns as in .gitignore. `strip` is taken off the beginning of paths in
    ids and addresses. `generator` names the documentation generator whose conventions the files follow
    ("": none), `config` its configuration file, and `site` is what that file says; see `kbc.recognition`.
    `language` is the code of the language of its words in Latin letters ("": as the knowledge base says, or
    else as the words do). `line` is the line of the table in kb.toml and `paths_line` that of its paths, or
    else of the table (0: it comes by convention).
    """

    name: str
    kind: str
    paths: tuple[str, ...]
    url: str = ""
    group: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    paths_line: int = 0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    strip: str = ""
    generator: str = ""
    config: str = ""
    site: SiteSettings = NOTHING_STATED
    language: str = ""

    @property
    def conventions(self) -> Generator:
        """The traits of its generator."""
        return generator_of(self.generator)

    def is_mdx(self, path: str) -> bool:
        """Whether a page is MDX: by the ending of its file, or as its generator reads Markdown."""
        name = path.lower()
        return name.endswith(".mdx") or (self.site.markdown_is_mdx and name.endswith(".md"))

    def stripped(self, path: str) -> str:
        """`path` without the prefix that ids and addresses of this collection leave out."""
        prefix = f"{self.strip.strip('/')}/" if self.strip.strip("/") else ""
        return path.removeprefix(prefix)

    def source_url(self, path: str, anchor: str = "") -> str:
        """The public address of a record, or "" when the collection has no `url`.

        `{path}` is the file's path, `{stem}` the same without its ending, `{anchor}` a heading.
        """
        if not self.url:
            return ""
        path = self.stripped(path)
        stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path
        filled = self.url.replace("{path}", quote(path)).replace("{stem}", quote(stem))
        if not anchor:
            filled = filled.replace("#{anchor}", "")
        return filled.replace("{anchor}", quote(anchor))

    @property
    def portable_paths(self) -> list[str]:
        """`paths` as an artifact says them: of an absolute path the last part, so that nothing in an
        artifact depends on where its author keeps the files."""
        return [
            PurePath(each).name if PurePath(each).is_absolute() else each for each in self.paths
        ]

    def settings(self) -> list[Any]:
        """Everything that decides about the collection's records besides its files."""
        return [
            self.name,
            self.kind,
            self.portable_paths,
            self.url,
            self.group,
            dict(self.options),
            list(self.include),
            list(self.exclude),
            self.strip,
            self.generator,
            self.site.as_table(),
            self.language,
        ]


CONVENTIONAL = tuple(
    Collection(
        name=folder.removesuffix(".toml"),
        kind=kind.name,
        paths=(folder,),
        group=options.get("group", ""),
    )
    for kind in KINDS.values()
    for folder, options in kind.folders.items()
)
"""What a kb.toml that names no collection stands for, as far as the folders exist."""


@dataclass(frozen=True, slots=True)
class Project:
    """A knowledge base; docs/kb-authoring.md says what the fields are for. `boundary` is the folder that
    files which pages include may lie in, None for the root. One that `is_file` is a single file of `root`,
    and what lies beside it is no part of it."""

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
    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    package: PackageSettings = field(default_factory=PackageSettings)
    boundary: Path | None = None
    is_file: bool = False
    language: str = ""
    build: BuildSettings = field(default_factory=BuildSettings)

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
                self.language,
            ],
            "collections": [each.settings() for each in self.collections],
            "search": self.search.model_dump(),
            "tools": self.tools.model_dump(),
            "encoder": self.encoder.model_dump(),
            "package": self.package.model_dump(),
            "build": self.build.model_dump(),
        }
