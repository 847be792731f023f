"""The fields of the lexical index, which the compiler fills and the runtime searches."""

from __future__ import annotations

from collections.abc import Mapping

META = "meta.json"

# Fields that hold prose terms, and fields that hold name terms (see `analysis`).
PROSE_FIELDS = ("title", "breadcrumb", "body", "tags")
NAME_FIELDS = ("identifiers", "signature", "path")
# Fields with positions, where a quoted phrase is looked for.
PHRASE_FIELDS = ("title", "breadcrumb", "body")
OPERATORS = "operators"  # punctuation that stands for itself
WORDS = "words"  # the vocabulary: unstemmed words, once for each chunk, for typos and completions
FILTERS = "filters"  # `scope:<ordinal>`, `type:<type>`, `language:<language>`, and facets
ROW = "row"  # fast field: the row of the chunk in every section

TITLE_SEPARATOR = " › "
"""Between the parts of a chunk's title: `<document> › <section>`."""

# The body has the words of the headings above it as well, so that title and breadcrumb are what a word in
# a heading counts more than one in the text. A name says what a chunk is about.
DEFAULT_BOOSTS: Mapping[str, float] = {
    "title": 0.5,
    "breadcrumb": 0.2,
    "identifiers": 2.0,
    "signature": 0.5,
    "body": 2.0,
    "path": 0.4,
    "tags": 0.5,
    "operators": 1.0,
}


def filter_term(kind: str, value: str | int) -> str:
    """The term of the filter field: kind is `scope` (an ordinal), `type` or `language` (folded)."""
    return f"{kind}:{str(value).casefold()}"
