from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.text.windows import WINDOW_CHARS
from kbc.chunking import drafts
from kbc.records import CompiledChunk, CompiledRecord, DocRecord

LINES = st.lists(st.text("ab{}()\t \u00e9", max_size=40), max_size=400).map("\n".join)


def record(text: str, language: str = "python") -> CompiledRecord:
    return CompiledRecord(
        id="a.py", collection="code", title="a.py", path="a.py", text=text, language=language
    )


def chunks_of(text: str, language: str = "python") -> list[CompiledChunk]:
    return drafts.chunks([record(text, language)])


@given(LINES)
def test_chunks_joined_are_the_text_and_their_lines_follow_each_other(text: str) -> None:
    chunks = chunks_of(text)
    assert "".join(chunk.text for chunk in chunks) == text
    lines = text.split("\n")
    for chunk in chunks:
        shown = "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
        assert chunk.text.removesuffix("\n") in shown
        assert len(chunk.text) <= WINDOW_CHARS


def test_a_window_ends_at_a_blank_line_of_its_second_half() -> None:
    block = "line of code\n" * 120
    body = "  body\n" * 300
    first, second = chunks_of(f"{block}\nfunction next() {{\n{body}")[:2]
    assert first.text == f"{block}\n"
    assert second.text.startswith("function next")
    assert second.start_line == 122


def test_names_behind_keywords_are_identifiers() -> None:
    text = (
        "public static class Registry {}\n"
        "    async def load_all(self): pass\n"
        "export function parseUrl(text) {}\n"
        "  return value\n"
    )
    (chunk,) = chunks_of(text)
    assert chunk.identifiers == ("Registry", "load_all", "parseUrl")


def test_a_page_is_prose_whatever_its_markup_is_called() -> None:
    """Its words tell its language: those of code do not."""
    page = DocRecord(
        id="a.rst",
        collection="docs",
        title="a",
        path="a.rst",
        text="Nœud de chaise\n",
        language="rst",
        group="",
        format="rst",
        content="",
    )
    assert [chunk.type for chunk in drafts.chunks([page])] == ["prose"]


def test_an_empty_text_has_no_chunk() -> None:
    assert chunks_of("") == []
