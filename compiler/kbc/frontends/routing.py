"""Front end for routing tables: which framework, or other label, a description asks for.

    [[label]]
    name = "choreo"
    keywords = ["consensus", "view change", "2pc"]
    base = 0.7            # confidence of a match: base + step * (keywords found), at most max
    step = 0.1
    max = 0.99
    reasoning = "The description speaks of a distributed protocol."
    docs = ["choreo/tutorial.mdx"]
    examples = ["cosmos/tendermint"]

    [[label]]
    name = "standard"
    keywords = ["token", "auction"]
    base = 0.8            # without `step` the number of keywords does not matter
    default = true        # the answer when no keyword of any label occurs ...
    default_confidence = 0.5

The order of the labels is their priority: a matching label wins over those after it. Exactly one label
is the default. Keywords are words or phrases in any case; the runtime matches whole words, their
plurals and hyphen variants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from kbc.diagnostics import Diagnostics
from kbc.frontends.markdown_file import split_lines
from kbc.frontends.metadata import Flag, Located, Metadata, Required, Text, Texts, number
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.project.toml_file import TomlFile, read_toml
from kbc.records import CompiledRecord, RoutingRecord


class LabelMetadata(Metadata):
    """A `[[label]]`."""

    name: Annotated[Text, Required("Write the label that the tool answers.")] = Field(
        default="", description="the label that the tool answers"
    )
    keywords: Texts = Field(default=(), description="words and phrases that vote for it")
    base: Annotated[float, number(0, 1)] = Field(
        default=0.7, description="confidence of a match without any further keyword"
    )
    step: Annotated[float, number(0, 1)] = Field(
        default=0.0, description="confidence that each keyword found adds"
    )
    max: Annotated[float, number(0, 1)] = Field(default=0.99, description="confidence at most")
    default: Flag = Field(default=False, description="the answer where no keyword occurs")
    default_confidence: Annotated[float, number(0, 1)] = Field(
        default=0.5, description="confidence of that answer"
    )
    reasoning: Text = Field(default="", description="one sentence, part of the answer")
    docs: Texts = Field(default=(), description="ids of pages to read")
    examples: Texts = Field(default=(), description="ids of examples to read")


class RoutingTables(Metadata):
    """A routing file."""

    label: Any = Field(default=None, description="a `[[label]]` for each label, by priority")


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """A record for each label of each file."""
    records: list[CompiledRecord] = []
    for file in files:
        toml = read_toml(file, diagnostics)
        if toml is not None:
            records.extend(_labels(collection, toml, diagnostics))
    return records


def _labels(
    collection: Collection, toml: TomlFile, diagnostics: Diagnostics
) -> list[RoutingRecord]:
    Located(toml.data, toml.path, toml.line).read(RoutingTables, diagnostics)
    tables = toml.data.get("label")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        message = "the file has no [[label]] table"
        hint = 'Write `[[label]]` with `name = "..."` and `keywords = [...]`.'
        diagnostics.error("routing-no-labels", message, toml.path, toml.line("label"), hint=hint)
        return []
    source = split_lines(toml.text)
    starts = [*(toml.line("label", index) for index in range(len(tables))), len(source) + 1]
    records: list[RoutingRecord] = []
    for index, (table, (start, end)) in enumerate(zip(tables, pairwise(starts), strict=True)):
        text = "".join(source[start - 1 : end - 1])
        located = Located(table, toml.path, partial(toml.line, "label", index))
        record = _label(collection, located, start, text, diagnostics)
        records.extend([record] if record else [])
    _check_labels(records, toml.path, diagnostics)
    return records


def _label(
    collection: Collection, located: Located, line: int, text: str, diagnostics: Diagnostics
) -> RoutingRecord | None:
    fields = located.read(LabelMetadata, diagnostics)
    keywords = tuple(dict.fromkeys(" ".join(each.lower().split()) for each in fields.keywords))
    if not fields.default and located.data.get("keywords") is None:
        message = "`keywords` is missing"
        hint = "Write the words that vote for this label."
        diagnostics.error(
            "metadata-missing-field", message, located.path, located.line_of("keywords"), hint=hint
        )
    if not fields.name:
        return None
    return RoutingRecord(
        id=fields.name,
        collection=collection.name,
        title=fields.name,
        path=located.path,
        text=text,
        line=line,
        language="toml",
        summary=fields.reasoning,
        url=collection.source_url(located.path),
        label=fields.name,
        keywords=keywords,
        base_confidence=fields.base,
        step_confidence=fields.step,
        max_confidence=max(fields.base, fields.max),
        default=fields.default,
        default_confidence=fields.default_confidence,
        reasoning=fields.reasoning,
        docs=fields.docs,
        examples=fields.examples,
    )


def _check_labels(records: Sequence[RoutingRecord], path: str, diagnostics: Diagnostics) -> None:
    defaults = [record for record in records if record.default]
    if records and not defaults:
        message = "no label is the default, so a description without a keyword has no answer"
        hint = "Write `default = true` in one [[label]]."
        diagnostics.error("routing-no-default", message, path, records[-1].line, hint=hint)
    for record in defaults[1:]:
        diagnostics.error(
            "routing-two-defaults",
            f"{record.label!r} is a default, but {defaults[0].label!r} on line"
            f" {defaults[0].line} already is one",
            path,
            record.line,
            hint="Keep `default = true` in one [[label]].",
        )
    owners: dict[str, RoutingRecord] = {}
    for record in records:
        for keyword in record.keywords:
            owner = owners.setdefault(re.sub(r"[\s-]+", "", keyword), record)
            if owner is not record:
                message = (
                    f"the keyword {keyword!r} of {record.label!r} also votes for {owner.label!r}"
                )
                hint = "Keep it only where it distinguishes the labels."
                diagnostics.warning("routing-shared-keyword", message, path, record.line, hint=hint)
