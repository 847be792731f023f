"""The intermediate form: what front ends produce, and chunking and back ends consume.

A record is one thing a reader can ask for by name (a builtin, a page, an example); a chunk is a
contiguous part of a record's text, small enough for the encoder. `catalog_entry` turns a record into
the map that the catalog stores; field names there are the field names here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

from kb_runtime.records.cases import Step

SUMMARY_KEYS = ("summary", "description", "excerpt")
"""Where the front matter of a page states what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what follows it, up to the next heading of any level.

    `line` is the heading's line and `end_line` the last line before the next heading of the same or
    a higher level, both 1-based in the file as stored. `level` is 1 to 6. `anchor` is that of the
    page's generator, or numbered like GitHub's. `chars` counts the code points of those lines.
    """

    title: str
    level: int
    line: int
    end_line: int
    anchor: str
    chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRecord:
    """What all records share.

    `id` is unique within the collection. `path` is the file's path below the knowledge base's root
    (forward slashes). `text` is that file's text as stored, or the part of it that belongs to this
    record, whose first line is line `line` of the file. `chunked` text is `text`, always: a chunk's
    lines are `line`-based lines of the file. `spoken` is the language that a page says its words
    are in, one of `kb_runtime.text.languages`.
    """

    id: str
    collection: str
    title: str
    path: str
    text: str
    line: int = 1
    size: int = -1  # bytes of the file, where not stated those of `text` in UTF-8
    lines: int = -1  # where not stated those of `text`; a last one without a line end counts
    language: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    url: str = ""
    spoken: str = ""

    def __post_init__(self) -> None:
        text = self.text
        if self.size < 0:
            object.__setattr__(self, "size", len(text.encode()))
        if self.lines < 0:
            lines = text.count("\n") + (not text.endswith("\n") and text != "")
            object.__setattr__(self, "lines", lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinRecord(CompiledRecord):
    name: str
    signature: str
    description: str
    examples: tuple[str, ...] = ()
    category: str = "utility"
    categories: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    return_type: str = ""
    param_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocRecord(CompiledRecord):
    """A documentation page. `text` is the page with what it includes, and line numbers refer to it; `stored`
    is the file as stored where that is another text. `content` is what `get_doc` answers (front matter
    taken out, MDX cleaned). `aliases` are former addresses. `targets` are the ids that links may name besides
    those of headings and those in the text."""

    group: str
    format: str  # markdown | mdx | text
    content: str
    processed: bool = False  # True when MDX was cleaned
    frontmatter: Mapping[str, Any] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    topics: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    stored: str = ""
    targets: tuple[str, ...] = ()

    @property
    def has_title(self) -> bool:
        """Whether the page itself states a title, in its front matter or as a heading."""
        return "title" in self.frontmatter or any(each.level == 1 for each in self.sections)

    @property
    def stated_summary(self) -> str:
        """The summary, where the front matter states it; "" where it is the first paragraph."""
        stated = map(self.frontmatter.get, SUMMARY_KEYS)
        return self.summary if any(stated) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleImport:
    module: str
    source: str  # the path after `from`, or "" for an import of a module in the same file


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A named definition of a source file with its 1-based line range."""

    name: str
    kind: str
    line: int
    end_line: int
    signature: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleRecord(CompiledRecord):
    """A source file of the examples. Its `id` is its path relative to the collection's folder. `copy_of` is
    the path of the first one that has the same text, where that is another."""

    filename: str
    category: str
    subcategory: str = ""
    description: str = ""
    modules: tuple[str, ...] = ()
    imports: tuple[ModuleImport, ...] = ()
    types: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    definitions: tuple[Definition, ...] = ()
    copy_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRecord(CompiledRecord):
    """A file of a source tree. Its `id` and `path` are its path in `workspace`, the folder as kb.toml
    names it. `sha256` is that of the bytes on disk, so that a reader of the tree can tell whether the
    file is still what was indexed."""

    workspace: str
    sha256: str
    definitions: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord(CompiledRecord):
    """A documentation set. Its pages are the records that follow it in the collection, in the order of
    `pages`, whose maps have `id`, `url`, `title` and where known `author`, `created_at`, `page_count`.
    It has no text of its own to search; `content` is a list of its pages for who reads it."""

    name: str
    type: str  # web | file | git | dir
    description: str = ""
    content: str = ""
    pages: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord(CompiledRecord):
    """A page of a documentation set. `text` is all of it: as stored, of HTML the main content as
    Markdown. `aliases` are its address and its `kb_runtime.text.urls.page_key`."""

    source: str
    source_name: str
    format: str  # markdown | mdx | html | text
    sections: tuple[Section, ...] = ()
    breadcrumb: tuple[str, ...] = ()
    author: str = ""
    created_at: str = ""
    page_count: int = 0
    aliases: tuple[str, ...] = ()
    question: str = ""  # its title, where most pages of its source have questions as titles


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkshopRecord(CompiledRecord):
    """A workshop. Its sections are the records that follow it in the collection, in the order of
    `sections`, whose maps have `exercise` and `step` (0: of all), `kind`, `is_diff` and `chars`.
    `exercises` are maps with `number`, `title` and `steps`: `number`, `has_diff` and where known `title`,
    `problem_dir`, `solution_dir`. It has no text to search; `content` is an outline for who reads it."""

    product: str = ""
    repository_owner: str = ""
    repository_name: str = ""
    content: str = ""
    exercises: tuple[Mapping[str, Any], ...] = ()
    sections: tuple[Mapping[str, Any], ...] = ()
    has_diffs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkshopSection(CompiledRecord):
    """A section of a workshop: instructions, a transcript, the code of one side, a diff. `exercise` and
    `step` are 0 where it belongs to all of them. `source_path` is below the workshop's folder, and ""
    for what is stored in no file of its own. The lines of `text` count within the section."""

    workshop: str
    exercise: int
    step: int
    order: int
    kind: str
    label: str
    source_path: str = ""
    is_diff: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRecord(CompiledRecord):
    name: str
    category: str
    description: str
    when_to_use: tuple[str, ...] = ()
    template: str = ""
    key_principles: tuple[str, ...] = ()
    required_builtins: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    related_patterns: tuple[str, ...] = ()
    anti_patterns: tuple[Mapping[str, str], ...] = ()  # {dont, reason, do}
    rules: tuple[Mapping[str, str], ...] = ()  # {rule, wrong, correct, explanation}


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRecord(CompiledRecord):
    name: str
    description: str
    framework: str
    filename: str
    use_for: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    workflow: tuple[str, ...] = ()
    key_patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRecord(CompiledRecord):
    """A test case; its `id` is its uid. `text` is the case as Markdown: what it is about, then its steps,
    of `step_chars` code points each. `ingested_at` is empty where the input has none: then the build's
    time is meant."""

    __test__: ClassVar[bool] = False  # for test runners that go by names

    uid: str
    source: str
    test_type: str
    priority: str
    folder: str
    test_id: int | None = None
    jira_key: str = ""
    test_case_id: str = ""
    description: str = ""
    platforms: tuple[str, ...] = ()
    preconditions: tuple[str, ...] = ()
    related_issues: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    step_chars: tuple[int, ...] = ()
    expected_results: str = ""
    test_data: str = ""
    test_path: str = ""
    ingested_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingRecord(CompiledRecord):
    """One label of a routing table: the keywords that vote for it and what it recommends."""

    label: str
    keywords: tuple[str, ...]
    base_confidence: float
    step_confidence: float = 0.0
    max_confidence: float = 0.99
    default: bool = False
    default_confidence: float = 0.5
    reasoning: str = ""
    docs: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledChunk:
    """The unit of retrieval: lines `start_line` to `end_line` (1-based, in the file as stored).

    The `text`s of a record's chunks, concatenated, are the record's `text`, exactly: no loss and no
    overlap. What is embedded is `embedded_text`, and `embedded_summary` where there is one; each fits into
    the encoder's token budget.
    """

    collection: str
    record_id: str
    index: int  # 0-based within the record
    text: str
    start_line: int
    end_line: int
    type: str = "prose"  # prose | code | api | config | cmd
    language: str = ""
    title: str = ""  # "<document> › <section>", as a hit shows it
    breadcrumb: tuple[str, ...] = ()  # document title, then the headings down to this chunk
    anchor: str = ""  # of the section that holds the chunk
    section_line: int = 0  # line of that section's heading, 0 before the first heading
    section_level: int = 0
    symbol: str = ""  # of the definition that holds the chunk, for source code
    symbol_kind: str = ""
    signature: str = ""
    identifiers: tuple[
        str, ...
    ] = ()  # names defined here, and the names and aliases a user may type
    members: tuple[str, ...] = ()  # `pkg.Cache.get`: what the sections that begin here document
    exports: tuple[str, ...] = ()  # names that are defined elsewhere and passed on here
    passes_on: bool = False  # whether its file does little else (`languages.barrels`)
    tags: tuple[str, ...] = ()
    comments: tuple[tuple[int, int], ...] = ()  # of `text`: neither indexed nor shown in hits
    answer: int = (
        0  # which of the answers of its page it is of, from 1; 0: of none (`languages.answers`)
    )
    embedded_text: str = ""
    embedded_summary: str = ""  # what it is for or answers, in prose (`encoding.views`)


def catalog_entry(record: CompiledRecord) -> dict[str, Any]:
    """The record as plain maps, lists, strings and numbers; empty optional fields are left out."""
    entry = _plain(record)
    assert isinstance(entry, dict)
    return {name: value for name, value in entry.items() if value not in ("", [], {}, None)}


def _plain(value: Any) -> Any:
    if isinstance(value, (str, int)):
        return value
    if names := _names(value.__class__):
        # Most values are texts and numbers: a call for each of them is what this would take its time for.
        return {
            name: own if (own := getattr(value, name)).__class__ in _SCALARS else _plain(own)
            for name in names
        }
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


_SCALARS = frozenset({str, int, bool})


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a dataclass; none of another type."""
    if not dataclasses.is_dataclass(kind):
        return ()
    return tuple(each.name for each in dataclasses.fields(kind))
