"""What the catalog stores of each kind of record; the compiler's `kbc.records.catalog_entry` makes it.

A field that may be missing has no value: texts and lists that are empty are left out. Line numbers count
from 1 and are those of the file as stored.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict, final


class CatalogEntry(TypedDict):
    """What all records share. `text` is the part of the file `path` that begins at `line`; `id` is unique
    in `collection`; `size` is in bytes; `spoken` is the language that a page says its words are in."""

    id: str
    collection: str
    title: str
    path: str
    line: int
    lines: int
    size: int
    text: NotRequired[str]
    language: NotRequired[str]
    summary: NotRequired[str]
    tags: NotRequired[list[str]]
    url: NotRequired[str]
    spoken: NotRequired[str]


class SectionEntry(TypedDict):
    """A heading, of `level` 1 to 6, with the lines below it; `chars` are their code points."""

    title: str
    level: int
    line: int
    end_line: int
    anchor: str
    chars: int


class DefinitionEntry(TypedDict):
    """A named definition of a source file; `signature` and `parent` may be empty."""

    name: str
    kind: str
    line: int
    end_line: int
    signature: str
    parent: str


class ImportEntry(TypedDict):
    """`source` is the path after `from`, empty for a module of the same file."""

    module: str
    source: str


@final
class BuiltinEntry(CatalogEntry):
    name: str
    signature: str
    category: str
    description: NotRequired[str]
    examples: NotRequired[list[str]]
    categories: NotRequired[list[str]]
    aliases: NotRequired[list[str]]
    related: NotRequired[list[str]]
    return_type: NotRequired[str]
    param_types: NotRequired[list[str]]


@final
class DocEntry(CatalogEntry):
    """`content` is `text` without front matter, and with MDX cleaned where it was `processed`. `aliases`
    are former addresses, and names under which a manual's index has it. `stored` is the file as stored where
    `text` has what it includes. `targets` are the ids that links may name besides those of headings and those
    in the text."""

    group: str
    format: str
    processed: bool
    content: NotRequired[str]
    frontmatter: NotRequired[dict[str, Any]]
    sections: NotRequired[list[SectionEntry]]
    topics: NotRequired[list[str]]
    aliases: NotRequired[list[str]]
    stored: NotRequired[str]
    targets: NotRequired[list[str]]


@final
class ExampleEntry(CatalogEntry):
    """A source file; `id` is its path below the collection's folder. `copy_of` is the path of the first one
    with the same text."""

    filename: str
    category: NotRequired[str]
    subcategory: NotRequired[str]
    description: NotRequired[str]
    modules: NotRequired[list[str]]
    imports: NotRequired[list[ImportEntry]]
    types: NotRequired[list[str]]
    constants: NotRequired[list[str]]
    functions: NotRequired[list[str]]
    actions: NotRequired[list[str]]
    tests: NotRequired[list[str]]
    keywords: NotRequired[list[str]]
    definitions: NotRequired[list[DefinitionEntry]]
    copy_of: NotRequired[str]


@final
class CodeEntry(CatalogEntry):
    """A source file of the tree `workspace`; `sha256` is that of its bytes on disk."""

    workspace: str
    sha256: str
    definitions: NotRequired[list[DefinitionEntry]]


@final
class PatternEntry(CatalogEntry):
    """Rules have `rule`, `wrong`, `correct`, `explanation`; anti-patterns `dont`, `reason`, `do`."""

    name: str
    category: str
    description: NotRequired[str]
    when_to_use: NotRequired[list[str]]
    template: NotRequired[str]
    key_principles: NotRequired[list[str]]
    required_builtins: NotRequired[list[str]]
    examples: NotRequired[list[str]]
    related_patterns: NotRequired[list[str]]
    anti_patterns: NotRequired[list[dict[str, str]]]
    rules: NotRequired[list[dict[str, str]]]


@final
class TemplateEntry(CatalogEntry):
    name: str
    filename: str
    description: NotRequired[str]
    framework: NotRequired[str]
    use_for: NotRequired[list[str]]
    includes: NotRequired[list[str]]
    instructions: NotRequired[list[str]]
    workflow: NotRequired[list[str]]
    key_patterns: NotRequired[list[str]]


@final
class RoutingEntry(CatalogEntry):
    """A label that keywords vote for, and what it recommends; confidences are 0 to 1."""

    label: str
    base_confidence: float
    step_confidence: float
    max_confidence: float
    default: bool
    default_confidence: float
    keywords: NotRequired[list[str]]
    reasoning: NotRequired[str]
    docs: NotRequired[list[str]]
    examples: NotRequired[list[str]]


class ListedPage(TypedDict):
    """A page as its source lists it."""

    id: str
    url: str
    title: NotRequired[str]
    author: NotRequired[str]
    created_at: NotRequired[str]
    page_count: NotRequired[int]


@final
class SourceEntry(CatalogEntry):
    """A documentation set. Its pages are the entries after it, in the order of `pages`."""

    name: str
    type: str
    description: NotRequired[str]
    content: NotRequired[str]
    pages: NotRequired[list[ListedPage]]


@final
class PageEntry(CatalogEntry):
    """A page of the documentation set `source`; `aliases` are further addresses of it, `question` is its title
    where most pages of the set have questions as titles."""

    source: str
    source_name: str
    format: str
    page_count: int
    sections: NotRequired[list[SectionEntry]]
    breadcrumb: NotRequired[list[str]]
    author: NotRequired[str]
    created_at: NotRequired[str]
    aliases: NotRequired[list[str]]
    question: NotRequired[str]


class ListedVideo(TypedDict):
    """A video of a step; `side` is problem or solution, `embed` its address ("" where it is unknown)."""

    side: str
    embed: str
    status: str
    has_transcript: bool


class ListedStep(TypedDict):
    number: int
    has_diff: bool
    title: NotRequired[str]
    problem_dir: NotRequired[str]
    solution_dir: NotRequired[str]
    videos: NotRequired[list[ListedVideo]]


class ListedExercise(TypedDict):
    number: int
    title: str
    steps: list[ListedStep]


class ListedSection(TypedDict):
    """A section as its workshop lists it; `exercise` and `step` are 0 where it belongs to all."""

    exercise: int
    step: int
    kind: str
    is_diff: bool
    chars: int
    is_test: NotRequired[bool]


@final
class WorkshopEntry(CatalogEntry):
    """A workshop. Its sections are the entries after it, in the order of `sections`."""

    has_diffs: bool
    product: NotRequired[str]
    repository_owner: NotRequired[str]
    repository_name: NotRequired[str]
    content: NotRequired[str]
    exercises: NotRequired[list[ListedExercise]]
    sections: NotRequired[list[ListedSection]]


@final
class WorkshopSectionEntry(CatalogEntry):
    """`exercise` and `step` are 0 where the section belongs to all; `source_path` is below the workshop."""

    workshop: str
    exercise: int
    step: int
    order: int
    kind: str
    label: str
    is_diff: bool
    source_path: NotRequired[str]


class StepEntry(TypedDict):
    """`index` counts from 1; `data` may be empty."""

    index: int
    action: str
    data: str
    expected: list[str]


@final
class TestEntry(CatalogEntry):
    """A test case; `ingested_at` is missing where the input has none: then the build's time is meant."""

    uid: str
    source: str
    test_type: str
    priority: str
    folder: str
    test_id: NotRequired[int]
    jira_key: NotRequired[str]
    test_case_id: NotRequired[str]
    description: NotRequired[str]
    platforms: NotRequired[list[str]]
    preconditions: NotRequired[list[str]]
    related_issues: NotRequired[list[str]]
    steps: NotRequired[list[StepEntry]]
    step_chars: NotRequired[list[int]]
    expected_results: NotRequired[str]
    test_data: NotRequired[str]
    test_path: NotRequired[str]
    ingested_at: NotRequired[str]


AnyEntry = (
    BuiltinEntry
    | DocEntry
    | ExampleEntry
    | CodeEntry
    | PatternEntry
    | TemplateEntry
    | RoutingEntry
    | SourceEntry
    | PageEntry
    | WorkshopEntry
    | WorkshopSectionEntry
    | TestEntry
)
"""An entry of any kind. `in` narrows it for a type checker: `"signature" in entry` leaves `BuiltinEntry`."""
