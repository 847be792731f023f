"""The kinds of collection: which files each reads, where it looks by default, which options it has.

One table, from which validation of kb.toml, discovery, `kbc init` and the documentation derive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_FILE_BYTES = 16 * 1024 * 1024
"""A knowledge base is text that people read."""

STRING = "a string"
STRINGS = "a list of strings"
STRING_LISTS = "a table of lists of strings"
INTEGER = "a whole number"


@dataclass(frozen=True, slots=True)
class Kind:
    """`suffixes` are the file name endings taken from a folder (empty: every file). `folders` are the
    conventional places, each with the options a collection found there gets. `options` maps the
    kind's own keys in kb.toml to their types. Of a source tree, `source_tree` says which files are
    read, hidden ones included. A larger file than `max_file_bytes` is taken for a mistake (a dump, a
    video, a log). With `has_facets` records can be filtered by their values, see `kbc.backends`."""

    name: str
    summary: str
    suffixes: tuple[str, ...]
    folders: Mapping[str, Mapping[str, str]]
    options: Mapping[str, str] = field(default_factory=dict)
    is_source_tree: bool = False
    max_file_bytes: int = MAX_FILE_BYTES
    has_facets: bool = False


MARKDOWN = (".md", ".mdx", ".markdown")

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "builtins",
            "API entries: one Markdown file with a level-2 heading each, or one file an entry",
            (".md", ".markdown"),
            {"builtins": {}},
            {"categories": STRING_LISTS},
        ),
        Kind(
            "docs",
            "documentation pages in Markdown, MDX or plain text",
            (*MARKDOWN, ".txt"),
            {
                "docs": {"group": "core"},
                "choreo": {"group": "choreo"},
                "lessons": {"group": "lessons"},
                "guidelines": {"group": "guidelines"},
                "posts": {"group": "posts"},
            },
            {"group": STRING},
        ),
        Kind(
            "examples",
            "source files; the first folder is the category",
            (),
            {"examples": {}},
            {"extensions": STRINGS},
        ),
        Kind(
            "patterns",
            "patterns in Markdown with front matter",
            MARKDOWN,
            {"patterns": {}},
        ),
        Kind(
            "templates",
            "boilerplate files described in templates.toml, templates.json or templates.md",
            (),
            {"templates": {}},
        ),
        Kind(
            "code",
            "source trees; .gitignore and .contextignore are respected",
            (),
            {"code": {}},
            {"exclude": STRINGS},
            is_source_tree=True,
        ),
        Kind(
            "pages",
            "documentation sets: Markdown, HTML, text, JSON Lines, llms-full.txt; a folder a source",
            (*MARKDOWN, ".html", ".htm", ".txt", ".jsonl", ".ndjson", ".xml", ".toml"),
            {"sources": {}},
            {"source": STRING},
        ),
        Kind(
            "tests",
            "test cases in JSON, as test management tools export them",
            (".json",),
            {"tests": {}},
            {"suite": STRING},
            max_file_bytes=100 * 1024 * 1024,
            has_facets=True,
        ),
        Kind(
            "workshops",
            "coding workshops: exercises with steps, each a problem and a solution",
            (),
            {"workshops": {}},
            {"diff_context": INTEGER},
        ),
        Kind(
            "routing",
            "keyword rules that pick a framework, in TOML",
            (".toml",),
            {"routing.toml": {}},
        ),
    )
}
