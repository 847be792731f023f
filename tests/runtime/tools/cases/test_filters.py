"""Filters of `search_tests` as they are checked before anything is searched."""

from __future__ import annotations

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.tools.cases.filters import MAX_WILDCARDS, check_filters


def test_wildcards_are_bounded_over_all_patterns() -> None:
    half = "*a" * (MAX_WILDCARDS // 2)
    assert check_filters({"testPath": [half, half + "b"]}).values["testPath"] == (half, half + "b")
    with pytest.raises(ToolError, match="at most 100"):
        check_filters({"testPath": [half, half + "[b]"]})
