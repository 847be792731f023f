"""Routing rules for a knowledge base without a routing table, from what templates and patterns say they
are for.

Each framework of the templates is a label. The words of its templates' `use_for` vote for it, and those of
`when_to_use` of patterns that belong to it: they name the framework, or share one of those uses. A word that
several frameworks use says nothing and does not vote. The framework with the most templates is the default.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kb_runtime.search.analysis import STOP_WORDS
from kb_runtime.tools.reference.routing import singular_words
from kbc.project.model import Collection
from kbc.records import (
    CompiledRecord,
    DocRecord,
    ExampleRecord,
    PatternRecord,
    RoutingRecord,
    TemplateRecord,
)

BASE, STEP, MAX = 0.5, 0.1, 0.9
"""A framework that one word of many votes for is little more likely than the default; a table, whose
keywords an author chose, begins higher."""

MOST_NAMED = 5
"""Pages and examples that an answer names: as many as an agent reads at once."""


def derive(
    collections: Sequence[Collection], records: Mapping[str, Sequence[CompiledRecord]]
) -> tuple[Collection, list[CompiledRecord]] | None:
    """A collection of rules and its records; None with a routing table of its own, and where the
    templates are for fewer than two frameworks."""
    names = {collection.name for collection in collections}
    if any(each.kind == "routing" for each in collections) or "routing" in names:
        return None
    everything = [record for each in collections for record in records[each.name]]
    templates = [record for record in everything if isinstance(record, TemplateRecord)]
    counts = Counter(record.framework for record in templates)
    if len(counts) < 2:
        return None
    default = max(counts, key=counts.__getitem__)  # of equals the first
    patterns = _patterns_by_framework(everything, templates)
    voting = {label: _words_of(label, templates, patterns.get(label, ())) for label in counts}
    shared = Counter(word for found in voting.values() for word in found)
    paths = tuple(dict.fromkeys(record.path for record in templates))
    found = Collection(name="routing", kind="routing", paths=paths)
    rules: list[CompiledRecord] = []
    for label in counts:
        own = [record for record in templates if record.framework == label]
        keywords = tuple(voting[label][word] for word in voting[label] if shared[word] == 1)
        rules.append(
            RoutingRecord(
                id=label,
                collection=found.name,
                title=label,
                path=own[0].path,
                text="\n".join(keywords),
                line=1,
                label=label,
                keywords=keywords,
                base_confidence=BASE,
                step_confidence=STEP,
                max_confidence=MAX,
                default=label == default,
                default_confidence=BASE,
                reasoning=f"Templates for it: {', '.join(record.id for record in own)}."
                " This follows from what templates and patterns are for, not from a routing table.",
                docs=tuple(_pages(label, everything))[:MOST_NAMED],
                examples=tuple(_examples(patterns.get(label, ()), everything))[:MOST_NAMED],
            )
        )
    return found, rules


def _patterns_by_framework(
    records: Iterable[CompiledRecord], templates: Sequence[TemplateRecord]
) -> dict[str, list[PatternRecord]]:
    uses: dict[str, set[str]] = {}
    for each in templates:
        own = (" ".join(singular_words(use)) for use in each.use_for)
        uses.setdefault(each.framework, set()).update(own)
    found: dict[str, list[PatternRecord]] = {}
    for record in records:
        if isinstance(record, PatternRecord):
            texts = (record.id, record.name, *record.when_to_use, *record.tags)
            said = set(singular_words(" ".join(texts)))
            wanted = {" ".join(singular_words(use)) for use in record.when_to_use}
            owners = [label for label in uses if said.issuperset(singular_words(label))]
            owners = owners or [label for label in uses if uses[label] & wanted]
            if len(owners) == 1:
                found.setdefault(owners[0], []).append(record)
    return found


def _words_of(
    label: str, templates: Iterable[TemplateRecord], patterns: Iterable[PatternRecord]
) -> dict[str, str]:
    """The words that vote for a framework, in the singular, in the order in which they are said; each
    with its first spelling, which answers show."""
    texts = [label]
    texts += [use for each in templates if each.framework == label for use in each.use_for]
    texts += [use for each in patterns for use in each.when_to_use]
    found: dict[str, str] = {}
    for spelling in re.findall(r"[^\W_]+", " ".join(texts).casefold()):
        (word,) = singular_words(spelling)
        if len(word) > 2 and spelling not in STOP_WORDS:
            found.setdefault(word, spelling)
    return found


def _pages(label: str, records: Iterable[CompiledRecord]) -> Iterator[str]:
    """Pages whose path or group says the framework's name; the start page of a folder first."""

    def is_inner(id: str) -> bool:
        return posixpath.basename(id).split(".")[0].lower() not in ("index", "readme")

    pages = (record for record in records if isinstance(record, DocRecord))
    found = (each for each in pages if label in (each.group, *each.id.lower().split("/")))
    return iter(sorted((each.id for each in found), key=is_inner))


def _examples(
    patterns: Iterable[PatternRecord], records: Iterable[CompiledRecord]
) -> Iterator[str]:
    """The examples that patterns of the framework name, as far as they exist."""
    known: set[str] = set()
    for record in records:
        if isinstance(record, ExampleRecord):
            parts = record.id.split("/")
            known.update("/".join(parts[:length]) for length in range(1, len(parts) + 1))
    named = dict.fromkeys(name for each in patterns for name in each.examples)
    return (name for name in named if name in known)
