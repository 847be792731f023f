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
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kbc.diagnostics import Diagnostics
from kbc.frontends.markdown_file import line_count, split_lines
from kbc.frontends.metadata import Fields, read_toml
from kbc.project.model import Collection, SourceFile
from kbc.project.toml_lines import Key, key_lines
from kbc.records import Record, RoutingRecord

FIELDS = (
    "name",
    "keywords",
    "base",
    "step",
    "max",
    "default",
    "default_confidence",
    "reasoning",
    "docs",
    "examples",
)


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[Record]:
    """A record for each label of each file."""
    records: list[Record] = []
    for file in files:
        parsed = read_toml(file, diagnostics)
        if parsed is not None:
            records.extend(_labels(collection, file, *parsed, diagnostics))
    return records


def _labels(
    collection: Collection,
    file: SourceFile,
    data: Mapping[str, Any],
    text: str,
    diagnostics: Diagnostics,
) -> list[RoutingRecord]:
    lines = key_lines(text)
    top = Fields(data, file.path, lambda name: lines.get((name,), 1), diagnostics)
    top.warn_unknown(["label"])
    tables = data.get("label")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        diagnostics.error(
            "routing-no-labels",
            "the file has no [[label]] table",
            file.path,
            lines.get(("label",), 1),
            hint='Write `[[label]]` with `name = "..."` and `keywords = [...]`.',
        )
        return []
    starts = [lines.get(("label", index), 1) for index in range(len(tables))]
    source = split_lines(text)
    records: list[RoutingRecord] = []
    for index, table in enumerate(tables):
        end = starts[index + 1] - 1 if index + 1 < len(starts) else len(source)
        part = "".join(source[starts[index] - 1 : end])
        fields = Fields(table, file.path, _line_finder(lines, index, starts[index]), diagnostics)
        record = _label(collection, file, fields, starts[index], part)
        records.extend([record] if record else [])
    _check_labels(records, file.path, diagnostics)
    return records


def _line_finder(lines: Mapping[Key, int], index: int, start: int) -> Callable[[str], int]:
    return lambda name: lines.get(("label", index, name), start)


def _label(
    collection: Collection, file: SourceFile, fields: Fields, line: int, text: str
) -> RoutingRecord | None:
    fields.warn_unknown(FIELDS)
    name = fields.required("name", "Write the label that the tool answers.")
    keywords = tuple(
        dict.fromkeys(" ".join(each.lower().split()) for each in fields.strings("keywords"))
    )
    default = fields.flag("default")
    if not keywords and not default and "keywords" not in fields.data:
        fields.required("keywords", "Write the words that vote for this label.")
    if not name:
        return None
    base = fields.number("base", 0.7, 0, 1)
    return RoutingRecord(
        id=name,
        collection=collection.name,
        title=name,
        path=file.path,
        text=text,
        line=line,
        size=len(text.encode()),
        lines=line_count(text),
        language="toml",
        summary=fields.string("reasoning"),
        url=collection.source_url(file.path),
        label=name,
        keywords=keywords,
        base_confidence=base,
        step_confidence=fields.number("step", 0.0, 0, 1),
        max_confidence=max(base, fields.number("max", 0.99, 0, 1)),
        default=default,
        default_confidence=fields.number("default_confidence", 0.5, 0, 1),
        reasoning=fields.string("reasoning"),
        docs=fields.strings("docs"),
        examples=fields.strings("examples"),
    )


def _check_labels(records: Sequence[RoutingRecord], path: str, diagnostics: Diagnostics) -> None:
    defaults = [record for record in records if record.default]
    if records and not defaults:
        diagnostics.error(
            "routing-no-default",
            "no label is the default, so a description without a keyword has no answer",
            path,
            records[-1].line,
            hint="Write `default = true` in one [[label]].",
        )
    for record in defaults[1:]:
        diagnostics.error(
            "routing-two-defaults",
            f"{record.label!r} is a default, but {defaults[0].label!r} in line"
            f" {defaults[0].line} is one already",
            path,
            record.line,
            hint="Keep `default = true` in one [[label]].",
        )
    owners: dict[str, RoutingRecord] = {}
    for record in records:
        for keyword in record.keywords:
            owner = owners.setdefault(re.sub(r"[\s-]+", "", keyword), record)
            if owner is not record:
                diagnostics.warning(
                    "routing-shared-keyword",
                    f"the keyword {keyword!r} of {record.label!r} also votes for {owner.label!r}",
                    path,
                    record.line,
                    hint="Keep it where it tells the labels apart.",
                )
