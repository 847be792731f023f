from __future__ import annotations

from typing import Any

from kb_runtime.tools.compact import shown_hit


def test_hit_is_shown_with_its_address_and_passage(session: Any, make_hit: Any) -> None:
    assert shown_hit(session.artifact, make_hit("docs", 0, 5, title="The manual › Sets")) == {
        "address": "kb://small/docs/docs%2Fmanual.md",
        "title": "The manual › Sets",
        "lines": [5, 9],
        "score": 0.032787,
        "strategy": "fused",
        "snippet": "Builds a map of a set. " * 20,
    }


def test_hit_with_nothing_to_show_is_shown_by_its_summary(session: Any, make_hit: Any) -> None:
    hit = make_hit("posts", 0, 1)
    hit.passages.text = ""
    shown = shown_hit(session.artifact, hit)
    assert (shown["snippet"], shown["lines"]) == ("A page about soup.", [1, 5])
