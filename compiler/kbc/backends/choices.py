"""The values that tool arguments accept in a knowledge base, which their schemas list as enum."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kb_runtime.knowledge.reading.hits import filled_scopes
from kbc.records import BuiltinRecord, CompiledRecord, ExampleRecord, PatternRecord, TemplateRecord


def argument_choices(
    records: Iterable[CompiledRecord], scopes: Mapping[str, Collection[str]]
) -> dict[str, list[str]]:
    """The values by the name that `Argument.choices_from` holds, sorted; scopes in their own order.

    `scopes` maps each to its collections; `filled_scopes` are those that have any.
    """
    values: dict[str, set[str]] = {
        "builtin_categories": set(),
        "example_categories": set(),
        "pattern_categories": set(),
        "template_frameworks": set(),
    }
    for record in records:
        match record:
            case BuiltinRecord():
                values["builtin_categories"].update((record.category, *record.categories))
            case ExampleRecord():
                values["example_categories"].add(record.category)
            case PatternRecord():
                values["pattern_categories"].add(record.category)
            case TemplateRecord():
                values["template_frameworks"].add(record.framework)
    return {
        **{name: sorted(found - {""}) for name, found in values.items()},
        "scopes": list(scopes),
        "filled_scopes": filled_scopes(scopes),
    }
