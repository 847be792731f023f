"""What the tools that list records have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb_runtime.store.catalog import Catalog
from kb_runtime.tools.declaration import Answer


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_builtins", {}),
        ("list_templates", {"framework": "standard"}),
        ("list_patterns", {}),
        ("search_patterns", {"query": "actions"}),
        ("list_examples", {}),
    ],
)
def test_texts_of_listed_records_are_not_decoded(
    call: Callable[..., Answer],
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: dict[str, Any],
) -> None:
    expected = call(tool, **arguments)

    def refuse(*_: Any) -> None:
        raise AssertionError("a record was decoded with its text")

    monkeypatch.setattr(Catalog, "__getitem__", refuse)
    assert call(tool, **arguments) == expected
