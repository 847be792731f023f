from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.errors import ToolError
from kb_runtime.text.graphemes import is_boundary
from kb_runtime.text.rendering import code_span, cut, excerpt, fence, find_folded, shorten
from kb_runtime.text.written_json import json_text
from kb_runtime.tools.answers import error_structure, error_text, json_answer, with_warnings
from kb_runtime.tools.declaration import Answer

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
FLAGS = "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"


@given(st.text(alphabet="`~ab\n", max_size=60))
def test_fence_is_longer_than_any_backtick_run_inside(text: str) -> None:
    first, *_, last = fence(text, "quint").split("\n")
    marks = first.removesuffix("quint")
    assert marks == last
    assert set(marks) == {"`"}
    assert len(marks) >= 3
    assert marks not in text


def test_code_span_survives_backticks_and_newlines() -> None:
    assert code_span("a\n b") == "`a b`"
    assert code_span("a `` b") == "``` a `` b ```"


def _parts(text: str, limit: int) -> list[str]:
    parts, start = [], 0
    while start < len(text):
        end = cut(text, start, limit)
        assert end > start
        parts.append(text[start:end])
        start = end
    return parts


@given(
    st.text(alphabet=st.sampled_from("ab \n\r\u0301\u200d\ufe0f\U0001f1e9\U0001f469\U0001f3fd")),
    st.integers(1, 12),
)
def test_parts_lose_nothing_and_tear_nothing(text: str, limit: int) -> None:
    parts = _parts(text, limit)
    assert "".join(parts) == text
    places = [*itertools.accumulate(map(len, parts))]
    assert all(is_boundary(text, place) for place in places)


def test_cut_is_at_the_limit_without_a_reason_to_move() -> None:
    assert cut("abcdef", 0, 5) == 5
    assert cut("abcdef", 2, 100) == 6


def test_cut_prefers_a_line_break_near_the_end() -> None:
    assert cut("a" * 90 + "\n" + "b" * 50, 0, 100) == 91
    assert cut("a" * 50 + "\n" + "b" * 90, 0, 100) == 100


def test_cut_keeps_emoji_families_and_flags_whole() -> None:
    assert cut("ab" + FAMILY + "c", 0, 4) == 2
    assert cut(FAMILY + "c", 0, 2) == len(FAMILY)
    assert cut(FLAGS, 0, 3) == 2


def test_shorten_puts_text_on_one_line_and_marks_the_cut() -> None:
    assert shorten("a\n  b", 10) == "a b"
    assert shorten("some words here", 12) == "some words…"


@given(st.text(max_size=300), st.text(min_size=1, max_size=10), st.integers(20, 120))
def test_excerpt_stays_within_its_limit(text: str, term: str, limit: int) -> None:
    assert len(excerpt(text, [term], limit)) <= limit


def test_excerpt_shows_the_term() -> None:
    text = "filler words " * 40 + "the Needle is here " + "filler words " * 40
    found = excerpt(text, ["needle"], 80)
    assert "Needle" in found
    assert found.startswith("…")
    assert found.endswith("…")


@pytest.mark.parametrize(
    ("text", "wanted", "place"),
    [("abc", "C", 2), ("abc", "d", -1), ("ßßx", "X", 2), ("aß", "SS", 1), ("ßa", "sa", 0)],
)
def test_a_place_in_folded_text_is_one_in_the_text(text: str, wanted: str, place: int) -> None:
    assert find_folded(text, wanted.casefold()) == place


def test_warnings_are_in_the_structure_and_in_json_text() -> None:
    answer = with_warnings(json_answer({"total": 1, "warnings": ["a"]}), ["b"])
    assert answer.structured == {"total": 1, "warnings": ["a", "b"]}
    assert json.loads(answer.text) == answer.structured


def test_warnings_are_in_json_text_that_holds_less_than_the_structure() -> None:
    answer = with_warnings(Answer('{"results":[]}', {"results": [], "again": []}), ["b"])
    assert json.loads(answer.text) == {"results": [], "warnings": ["b"]}
    assert answer.structured == {"results": [], "again": [], "warnings": ["b"]}


def test_warnings_are_added_to_markdown_and_plain_text() -> None:
    assert with_warnings(Answer("# x", {"name": "x"}), ["b"]).text == "# x\n\nNote: b"
    assert with_warnings(Answer("text", None), ["b"]) == Answer("text\n\nNote: b", None)
    deep = '{"a":' * 100_000  # a template of a project may begin so
    assert with_warnings(Answer(deep, {"a": 1}), ["b"]).text == f"{deep}\n\nNote: b"


def test_answer_without_warnings_stays_as_it_is() -> None:
    answer = json_answer({"total": 0})
    assert with_warnings(answer, []) is answer


def test_json_text_keeps_characters_readable() -> None:
    assert json_text({"title": "Sets › Maps"}) == '{"title":"Sets › Maps"}'


def test_error_reads_from_the_failure_to_the_next_step() -> None:
    error = ToolError(
        "NOT_FOUND",
        'no builtin is called "mapp"',
        suggestions=["map", "mapBy"],
        next_steps=["Call list."],
        details={"total": 77},
    )
    assert error_text(error) == (
        'Error: no builtin is called "mapp"\nSuggestions: map, mapBy\nNext:\n- Call list.'
    )
    assert error_structure(error) == {
        "error": {
            "kind": "NOT_FOUND",
            "message": 'no builtin is called "mapp"',
            "details": {"total": 77},
            "suggestions": ["map", "mapBy"],
            "next": ["Call list."],
        }
    }


@pytest.mark.parametrize("kind", ["BAD_INPUT", "INTERNAL"])
def test_error_without_more_to_say_is_one_line(kind: str) -> None:
    assert error_text(ToolError(kind, "it failed")) == "Error: it failed"
    assert error_structure(ToolError(kind, "it failed")) == {
        "error": {"kind": kind, "message": "it failed"}
    }
