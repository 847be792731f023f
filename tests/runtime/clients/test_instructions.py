"""The block in a file of standing instructions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.clients import instructions
from kb_runtime.clients.errors import TextError
from kb_runtime.clients.server import Server

SERVER = Server("quint", "Quint", "All about Quint.", ("/kbc",), ("/a",), "quint_hybrid_search")
LINES = st.lists(
    st.sampled_from(["", "# Rules", "Use tabs.", "<!-- kbc:other begin -->", "é \t"]), max_size=5
)
TEXTS = st.builds(
    lambda lines, newline, end: newline.join(lines) + end,
    LINES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\r\n"]),
)


@given(TEXTS)
def test_a_block_goes_to_the_end_and_comes_out_again(text: str) -> None:
    new = instructions.put(text, "quint", SERVER)
    assert new.startswith(text)
    assert "quint_hybrid_search" in new
    assert instructions.put(new, "quint", SERVER) == new
    assert instructions.remove(new, "quint") == text


@given(TEXTS, TEXTS)
def test_a_block_in_the_middle_is_changed_in_place(before: str, after: str) -> None:
    old = Server("quint", "Old", "", ("/kbc",), ("/a",))
    text = instructions.put(before, "quint", old) + "\n" + after
    new = instructions.put(text, "quint", SERVER)
    assert new.startswith(before)
    assert new.endswith("\n" + after)
    assert "## Old" not in new
    assert "## Quint" in new
    assert "kbc:quint" not in instructions.remove(new, "quint")


def test_two_knowledge_bases_have_blocks_of_their_own() -> None:
    text = instructions.put(instructions.put("# Me\n", "a", SERVER), "b", SERVER)
    assert instructions.remove(instructions.remove(text, "a"), "b") == "# Me\n"


def test_the_text_of_the_block() -> None:
    assert instructions.put("", "quint", SERVER) == (
        "<!-- kbc:quint begin -->\n## Quint\n\n"
        "The MCP server `quint` serves this knowledge base: All about Quint.\n"
        "Ask it before you answer from memory or write code on its subject.\n"
        "Begin with `quint_hybrid_search`; it is offline and answers in milliseconds.\n"
        "<!-- kbc:quint end -->\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<!-- kbc:quint begin -->\n",
        "<!-- kbc:quint end -->\n<!-- kbc:quint begin -->\n",
        "<!-- kbc:quint begin --><!-- kbc:quint end --><!-- kbc:quint end -->",
    ],
)
def test_broken_markers_are_refused(text: str) -> None:
    for edit in (
        lambda: instructions.put(text, "quint", SERVER),
        lambda: instructions.remove(text, "quint"),
    ):
        with pytest.raises(TextError, match="once each, in this order"):
            edit()
