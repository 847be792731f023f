"""The runtime reads only fields that the compiler's records have."""

from __future__ import annotations

import dataclasses
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest

from kb_runtime.records import entries
from kb_runtime.records.cases import Step
from kbc import records

PAIRS = [
    (records.Section, entries.SectionEntry),
    (records.ModuleImport, entries.ImportEntry),
    (Step, entries.StepEntry),
    (records.BuiltinRecord, entries.BuiltinEntry),
    (records.DocRecord, entries.DocEntry),
    (records.ExampleRecord, entries.ExampleEntry),
    (records.CodeRecord, entries.CodeEntry),
    (records.PatternRecord, entries.PatternEntry),
    (records.TemplateRecord, entries.TemplateEntry),
    (records.RoutingRecord, entries.RoutingEntry),
    (records.SourceRecord, entries.SourceEntry),
    (records.PageRecord, entries.PageEntry),
    (records.WorkshopRecord, entries.WorkshopEntry),
    (records.WorkshopSection, entries.WorkshopSectionEntry),
    (records.TestRecord, entries.TestEntry),
]


@pytest.mark.parametrize(("record", "entry"), PAIRS, ids=lambda each: each.__name__)
def test_an_entry_has_fields_of_the_record(record: type[Any], entry: type[Any]) -> None:
    hints = get_type_hints(entry, include_extras=True)
    assert hints.keys() <= {field.name for field in dataclasses.fields(record)}


@pytest.mark.parametrize(("record", "entry"), PAIRS[3:], ids=lambda each: each.__name__)
def test_a_field_that_is_always_stored_has_no_empty_default(
    record: type[Any], entry: type[Any]
) -> None:
    hints = get_type_hints(entry, include_extras=True)
    defaults = {field.name: field.default for field in dataclasses.fields(record)}
    always = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
    assert [name for name in always if defaults[name] in ("", (), None)] == []
