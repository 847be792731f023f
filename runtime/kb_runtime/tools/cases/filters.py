"""The filters of `search_tests`: validated, normalised, and turned into a mask over rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb_runtime.records.cases import PRIORITIES
from kb_runtime.store.facets import Facet, RowFilter, folder_values, issue_key
from kb_runtime.store.value_globs import wildcards
from kb_runtime.text.json_types import is_of_type
from kb_runtime.text.names import known_as, quoted, suggest
from kb_runtime.text.tables import some_of
from kb_runtime.tools import lookup
from kb_runtime.tools.refusal import bad_input

if TYPE_CHECKING:
    from kb_runtime.search.ports import FacetIndex
    from kb_runtime.store.facets import Mask
    from kb_runtime.tools.session import Session

FACETS: Mapping[str, str] = {
    "tags": "tag",
    "priority": "priority",
    "platforms": "platform",
    "folderStructure": "folder",
    "testType": "testtype",
    "relatedIssues": "issue",
    "testPath": "testpath",
}
"""Filter -> the facet that it looks into."""

PATTERN = "testPath"
MAX_FILTERS = 20
MAX_VALUES = 50
MAX_VALUE_CHARS = 100
MAX_PATTERN_CHARS = 500
MAX_WILDCARDS = 100
"""Stars and brackets in all values of `testPath`, each of which is looked for in all paths."""

SCALARS = ("priority", "testType", PATTERN)
"""Filters of one value as a rule; they are shown that way."""

# Paths are passed to the lexical index one by one, up to so many times the square root of the number of
# chunks; with more of them it ranks a part of all, and those that match are taken from the ranking. One path
# takes 5 to 8 us and one ranked chunk 0.5 us, so that both take the same at 1,800 of 100,000: 14 ms, where
# 600 paths take 5 ms and their ranking would take 43.
_PATHS_PER_ROOT = 5.7
_SUGGESTIONS = 3
_COMPARED = 2000  # values of a facet that suggestions are taken from


@dataclass(frozen=True, slots=True)
class Filters:
    """Filter -> its values as they apply; filters without values are left out."""

    values: Mapping[str, tuple[str, ...]]

    def shown(self) -> dict[str, Any]:
        """As a caller would write them."""
        return {
            name: values[0] if name in SCALARS and len(values) == 1 else list(values)
            for name, values in self.values.items()
        }


def check_filters(raw: Mapping[str, Any] | None) -> Filters:
    """Raises BAD_INPUT, which names what is wrong and what would be right."""
    given = raw or {}
    unknown = [name for name in given if name not in FACETS]
    if unknown:
        known = list(FACETS)
        raise bad_input(
            f"there is no filter {quoted(unknown[0])}. Valid filters: {', '.join(known)}",
            suggestions=suggest(unknown[0], known) or known,
            details={"allowed": known},
        )
    if len(given) > MAX_FILTERS:
        raise bad_input(f"there may be at most {MAX_FILTERS} filters, not {len(given)}")
    checked = {name: _values(name, value) for name, value in given.items()}
    return Filters({name: values for name, values in checked.items() if values})


def _values(name: str, value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    texts = [text for item in items if (text := _text(name, item))]
    if len(items) > MAX_VALUES:
        raise bad_input(f"filters.{name} has {len(items)} values and may have at most {MAX_VALUES}")
    limit = MAX_PATTERN_CHARS if name == PATTERN else MAX_VALUE_CHARS
    for text in texts:
        if len(text) > limit:
            raise bad_input(
                f"a value of filters.{name} has {len(text)} characters and may have at most"
                f" {limit}: {quoted(text)}"
            )
    if name == PATTERN and sum(map(wildcards, texts)) > MAX_WILDCARDS:
        raise bad_input(
            f"filters.{name} may have at most {MAX_WILDCARDS} `*` and `[...]` in all its values"
        )
    if name == "priority":
        texts = list(map(_priority, texts))
    if name == "relatedIssues":
        texts = list(map(issue_key, texts))
    return tuple(dict.fromkeys(texts))


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not (is_of_type(value, "string") or is_of_type(value, "number")):
        raise bad_input(
            f"filters.{name} must be a string or a list of strings, not {quoted(value)}"
        )
    return str(value).strip()


def _priority(value: str) -> str:
    if (priority := known_as(value, PRIORITIES)) is not None:
        return priority
    raise bad_input(
        f"filters.priority {quoted(value)} is not one of: {', '.join(PRIORITIES)}",
        suggestions=PRIORITIES,
        details={"allowed": list(PRIORITIES)},
    )


def row_filter(session: Session, filters: Filters) -> RowFilter | None:
    """The rows that all filters leave; None without filters."""
    if not filters.values:
        return None
    import numpy as np

    artifact = session.artifact
    chunks = artifact.chunks
    records = np.frombuffer(chunks.column("record"), dtype="<u4")
    mask = np.zeros(len(chunks), dtype=np.bool_)
    terms: dict[str, set[str] | None] = {name: set() for name in filters.values}
    most = int(_PATHS_PER_ROOT * math.sqrt(len(chunks)))
    for info in lookup.collections(session, "tests"):
        if not info.chunks:
            continue
        facets = artifact.facets(info.name)
        allowed = np.ones(info.records, dtype=np.bool_)
        for name, values in filters.values.items():
            found, matched = _records(facets, name, values, info.records, most)
            allowed &= found
            terms[name] = _with_terms(terms[name], name, matched, most)
        rows = slice(info.first_row, info.first_row + info.chunks)
        mask[rows] = allowed[records[rows]]
    groups = (tuple(sorted(found)) for found in terms.values() if found)
    return RowFilter(tuple(groups), mask)


def _records(
    facets: FacetIndex, name: str, values: tuple[str, ...], total: int, most: int
) -> tuple[Mask, Sequence[str] | None]:
    """The records that have one of the values, and the facet's values that these are; None for paths that
    are more than `most`."""
    facet = FACETS[name]
    if name == PATTERN:
        return facets.records_matching(facet, values, total, most)
    folded = [_folded(name, value) for value in values]
    return facets.records((Facet(facet, value) for value in folded), total), folded


def _with_terms(
    known: set[str] | None, name: str, values: Sequence[str] | None, most: int
) -> set[str] | None:
    """`known` and the terms of the lexical index for `values`; None for paths that are more than `most`."""
    if known is None or values is None:
        return None
    if name == PATTERN and len(known) + len(values) > most:
        return None
    return known | {Facet(FACETS[name], value).term for value in values}


def _folded(name: str, value: str) -> str:
    if name == "folderStructure":
        return (folder_values(value) or [""])[-1]
    return value if name == "relatedIssues" else value.casefold()


def advice(session: Session, filters: Filters) -> list[str]:
    """Why the filters leave nothing: those that match no test at all, with values that do."""
    indexes = [
        session.artifact.facets(info.name)
        for info in lookup.collections(session, "tests")
        if info.records
    ]
    reasons = []
    for name, values in filters.values.items():
        matching = [
            value
            for value in values
            if any(_records_count(facets, name, value) for facets in indexes)
        ]
        if not matching:
            known = _known(indexes, FACETS[name])
            near = suggest(values[0], sorted(known), _SUGGESTIONS) or known
            shown = some_of([*map(quoted, near)], _SUGGESTIONS)
            hint = f"; there is {shown}" if near else ""
            reasons.append(f"no test has {name} {' or '.join(map(quoted, values))}{hint}")
    return reasons or ["each filter has tests, but no test passes all of them: leave one out"]


def _records_count(facets: FacetIndex, name: str, value: str) -> int:
    if name == PATTERN:
        return facets.count_matching(FACETS[name], value)
    return facets.count(FACETS[name], _folded(name, value))


def _known(indexes: Sequence[FacetIndex], facet: str) -> list[str]:
    """The values of a facet, those of the most tests first."""
    counts: Counter[str] = Counter()
    for facets in indexes:
        counts.update(dict(facets.values(facet)))
    return [value for value, _ in counts.most_common(_COMPARED)]
