"""The kinds of collection: which files each reads, where it looks by default, which options it has.

One table, from which validation of kb.toml, discovery, `kbc init` and the documentation derive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, create_model

from kb_runtime.records.case_files import ENDINGS as CASE_FILES
from kbc.limits import MAX_FILE_BYTES
from kbc.project.settings import name_of
from kbc.project.sites.generators import GENERATORS
from kbc.project.validation import (
    LanguageCode,
    Strings,
    Table,
    known_value,
    matching,
    mistake,
    one_of,
    template,
)

COLLECTION_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
RESERVED_COLLECTIONS = frozenset({"all", "everything", "chunks"})
"""`all` and `everything` are scopes, `chunks` is a file name in the catalog."""

LOG_OF_CHANGES = r"change[- ]?logs?|changes|history|news"
ON_RELEASES = rf"{LOG_OF_CHANGES}|releases?(?:[-_]?notes)?|what-?s-?new"
"""What files and folders that tell what changed are called."""


def _not_reserved(name: str) -> str:
    if name in RESERVED_COLLECTIONS:
        raise mistake(
            "reserved-name",
            f"a collection cannot be called {name!r}: the name is reserved",
            "Choose another name.",
        )
    return name


def _not_empty(paths: tuple[str, ...]) -> tuple[str, ...]:
    if not paths:
        raise mistake(
            "toml-bad-value",
            "`paths` is empty: the collection would be empty",
            "Name files, folders or globs below the folder of kb.toml.",
        )
    return paths


def _known_kind(name: str) -> str:
    if not name:
        hint = f"One of: {', '.join(KINDS)}."
        raise mistake("toml-missing-key", "a [[collection]] needs a `kind`", hint)
    return known_value(name, tuple(KINDS), "a kind of collection", "unknown-kind")


class CollectionTable(Table):
    """A `[[collection]]`; kinds with options of their own extend it."""

    name: Annotated[
        str, matching(COLLECTION_NAME, "a lower-case name", name_of), AfterValidator(_not_reserved)
    ] = Field(description="a unique name; also a search scope")
    kind: Annotated[str, AfterValidator(_known_kind)] = Field(
        default="",
        validate_default=True,
        description="required: what it holds; selects the front end",
    )
    paths: Annotated[Strings, AfterValidator(_not_empty)] | None = Field(
        default=None, description="files, folders or globs; default: the kind's conventional place"
    )
    url: Annotated[str, template("path", "stem", "anchor")] = Field(
        default="", description="URL of a record, with {path}, {stem} (without ending) and {anchor}"
    )
    include: Strings = Field(
        default=(), description="patterns of the only files to take, as in .gitignore"
    )
    exclude: Strings = Field(
        default=(), description="patterns of files to leave out, as in .gitignore"
    )
    strip: str = Field(
        default="", description="a folder to strip from the beginning of ids and URLs"
    )
    language: LanguageCode = Field(
        default="", description="language of its pages (`de`); default: that of `[kb]`, or detected"
    )
    generator: Annotated[str, one_of(("", *GENERATORS), "a generator that kbc knows")] = Field(
        default="", description="the documentation generator whose conventions the files follow"
    )
    config: str = Field(
        default="", description="the generator's configuration file: titles, order, URLs, redirects"
    )


class BuiltinsTable(CollectionTable):
    categories: dict[str, list[str]] = Field(
        default={}, description="category -> names of entries that belong to it"
    )


class DocsTable(CollectionTable):
    group: str | None = Field(
        default=None, description="the group under which lists show the pages"
    )


class ExamplesTable(CollectionTable):
    extensions: list[str] = Field(
        default=[".qnt"], description="endings of files that are examples"
    )


class PagesTable(CollectionTable):
    source: str = Field(default="", description="makes all of it one source with this id")


class TestsTable(CollectionTable):
    suite: str | None = Field(default=None, description="what all files are: api or functional")


class WorkshopsTable(CollectionTable):
    diff_context: int = Field(default=3, description="lines around a change in diffs")
    manifest: str = Field(
        default="", description="a file that lists workshops to compile together, one path a line"
    )


@dataclass(frozen=True, slots=True)
class CollectionKind:
    """`suffixes` are the file name endings taken from a folder (empty: every file). `folders` are the
    conventional places, each with the options a collection found there gets. `table` declares its keys
    in kb.toml. Of a source tree, `source_tree` says which files are read, hidden ones included. A file
    larger than `max_file_bytes` is taken for a mistake (a dump, a
    video, a log). With `has_facets` records can be filtered by their values, see `kbc.backends`."""

    name: str
    summary: str
    suffixes: tuple[str, ...]
    folders: Mapping[str, Mapping[str, str]]
    table: type[CollectionTable] = CollectionTable
    is_source_tree: bool = False
    max_file_bytes: int = MAX_FILE_BYTES
    has_facets: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The kind's own keys in kb.toml."""
        shared = CollectionTable.model_fields
        return tuple(name for name in self.table.model_fields if name not in shared)


RUBY = (".md.erb", ".markdown.erb", ".markerb")
"""How pages of Markdown with Ruby end."""

VELOCITY = (".md.vm", ".markdown.vm")
"""How pages of Markdown with Velocity end, which Maven fills in."""

MARKDOWN = (".md", ".mdx", ".markdown", ".qmd", ".rmd", ".livemd", ".cheatmd", *RUBY, *VELOCITY)
LEKTOR = ("contents.lr", "contents+en.lr")
"""How pages of Lektor are called; further languages are translations. Other files end in `.lr`, too."""

CONVERTED = (
    *(".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".ipynb", ".pod"),
    *(".rd", ".rdoc", ".dox", ".mld"),
    *(".texi", ".texinfo", ".txi"),
    *(".topic", ".tutorial", ".dita", ".fml", *LEKTOR, "_quarto.yml", "_quarto.yaml"),
    *("openapi.json", "openapi.yaml", "openapi.yml", "swagger.json", "swagger.yaml", "swagger.yml"),
    *(".docx", ".odt", ".pptx", ".epub", ".org", ".docbook", ".dbk", ".mediawiki", ".wiki", ".pdf"),
    # man pages
    *(f".{section}{end}" for section in range(1, 9) for end in ("", ".in", ".gz", ".scd")),
)
"""The endings of `kbc.formats.FORMATS`, a room above this one; a test compares them."""

KINDS: Mapping[str, CollectionKind] = {
    kind.name: kind
    for kind in (
        CollectionKind(
            "builtins",
            "API entries: one Markdown file with a level-2 heading each, or one file per entry",
            (".md", ".markdown"),
            {"builtins": {}},
            BuiltinsTable,
        ),
        CollectionKind(
            "docs",
            "documentation pages: Markdown, MDX, plain text and the formats of docs/input-formats.md",
            (*MARKDOWN, ".txt", *CONVERTED),
            {
                "docs": {"group": "core"},
                "choreo": {"group": "choreo"},
                "lessons": {"group": "lessons"},
                "guidelines": {"group": "guidelines"},
                "posts": {"group": "posts"},
            },
            DocsTable,
        ),
        CollectionKind(
            "examples",
            "source files; the first folder is the category",
            (),
            {"examples": {}},
            ExamplesTable,
        ),
        CollectionKind(
            "patterns", "patterns in Markdown with front matter", MARKDOWN, {"patterns": {}}
        ),
        CollectionKind(
            "templates",
            "boilerplate files described in templates.toml, templates.json or templates.md",
            (),
            {"templates": {}},
        ),
        CollectionKind(
            "code",
            "source trees; .gitignore and .contextignore are respected",
            (),
            {"code": {}},
            is_source_tree=True,
        ),
        CollectionKind(
            "pages",
            "documentation sets: Markdown, HTML, text, JSON Lines, llms-full.txt; one folder per source",
            (
                *MARKDOWN,
                *(".html", ".htm", ".txt", ".jsonl", ".ndjson", ".xml", ".toml"),
                *CONVERTED,
            ),
            {"sources": {}},
            PagesTable,
        ),
        CollectionKind(
            "tests",
            "test cases: exports of test management tools (JSON, CSV, XLSX), XML of test runners, Gherkin,"
            " Robot Framework, Markdown",
            CASE_FILES,
            {"tests": {}},
            TestsTable,
            max_file_bytes=100 * 1024 * 1024,
            has_facets=True,
        ),
        CollectionKind(
            "workshops",
            "coding workshops: exercises with steps, each a problem and a solution",
            (),
            {"workshops": {}},
            WorkshopsTable,
        ),
        CollectionKind(
            "routing",
            "keyword rules that pick a framework, in TOML",
            (".toml",),
            {"routing.toml": {}},
        ),
    )
}

UnknownKindTable: type[CollectionTable] = create_model(
    "UnknownKindTable",
    __base__=tuple(dict.fromkeys(kind.table for kind in KINDS.values() if kind.options)),
)
"""With an unknown kind, no option of any kind is reported on top of it."""
