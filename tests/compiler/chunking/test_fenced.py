"""Fences of documentation sets: each is a passage of its own, with what introduces it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.chunking import TokenBudget, chunk
from kbc.chunking.lines import TextLines
from kbc.records import CompiledChunk, PageRecord

BUDGET = TokenBudget(count=lambda text: len(text.split()), max_tokens=120)


def words(count: int) -> str:
    return " ".join(f"word{number}" for number in range(count)) + "\n"


def chunks_of(text: str) -> list[CompiledChunk]:
    record = PageRecord(
        id="page",
        collection="sources",
        title="Guide",
        path="sources/s/page.md",
        text=text,
        source="s",
        source_name="S",
        format="markdown",
        page_count=1,
    )
    found = chunk(record, BUDGET)
    assert "".join(each.text for each in found) == text
    return found


def kinds(text: str) -> list[tuple[str, str]]:
    return [(each.type, each.language) for each in chunks_of(text)]


def test_a_fence_inside_prose_is_a_passage_of_its_own() -> None:
    text = f"# A\n\n{words(50)}\nRun it:\n\n```go\nfmt.Println(1)\n```\n\n{words(40)}"
    before, fence, after = chunks_of(text)
    assert (before.type, fence.type, fence.language, after.type) == ("prose", "code", "go", "prose")
    assert fence.text.strip() == "```go\nfmt.Println(1)\n```"
    # Its surroundings: the line that introduces it is embedded with it, the passages are neighbours.
    assert fence.embedded_text.startswith("Guide › A\nRun it:\n```go")
    assert [before.index, fence.index, after.index] == [0, 1, 2]


def test_a_short_introduction_goes_with_its_fence() -> None:
    text = (
        "# A\n\nRun it:\n\n```bash\nmake\n```\n\nThen this:\n\n```python\nprint()\n```\n\nDone.\n"
    )
    assert kinds(text) == [("cmd", "bash"), ("code", "python")]
    first, second = chunks_of(text)
    assert first.text.startswith("# A\n\nRun it:")
    assert second.text.strip().startswith("Then this:")
    assert second.text.endswith("Done.\n")


@pytest.mark.parametrize(
    "text",
    [
        "1. First\n\n   ```go\n   x := 1\n   ```\n\n2. Second\n\n   ```yaml\n   a: 1\n   ```\n",
        "> ```go\n> x := 1\n> ```\n\n> ```yaml\n> a: 1\n> ```\n",
    ],
)
def test_fences_in_lists_and_quotations_count(text: str) -> None:
    assert kinds(text) == [("code", "go"), ("config", "yaml")]


def test_a_fence_without_a_language_is_code() -> None:
    assert kinds(f"{words(60)}\n```\noutput\n```\n") == [("prose", ""), ("code", "")]


def test_every_part_of_a_large_fence_has_its_language() -> None:
    code = "\n".join(f"x{number} = {number}" for number in range(120))
    assert set(kinds(f"```python\n{code}\n```\n")) == {("code", "python")}
    assert len(kinds(f"```python\n{code}\n```\n")) > 2


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "# A\n",
                    "\n",
                    "```go\nx\n```\n",
                    "~~~\ny\n~~~\n",
                    "- a\n\n  ```py\n  z\n  ```\n",
                ),
                *("word " * 45 + "\n", "> ```yaml\n> a: 1\n> ```\n", "```bash\nnever closed\n"),
            ]
        ),
        max_size=12,
    )
)
def test_nothing_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    for each in chunks_of(text) if text else []:
        assert each.text


def test_what_follows_a_fence_is_named_after_its_own_heading() -> None:
    text = (
        "# Guide\n\n## Errors\n\nRetry.\n\n```go\nrun()\n```\n\n"
        "## Settings\n\n```yaml\nretries: 3\n```\n"
    )
    before, after = chunks_of(text)
    assert after.text.startswith("\n## Settings")
    assert (before.anchor, after.anchor) == ("errors", "settings")
    assert after.breadcrumb[-1] == "Settings"


def test_the_fences_of_other_passages_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    indexes = TextLines.indexes

    def counted(lines: TextLines, first: int, last: int) -> tuple[int, int]:
        nonlocal looked
        looked += 1
        return indexes(lines, first, last)

    monkeypatch.setattr(TextLines, "indexes", counted)

    def looks(sections: int) -> int:
        nonlocal looked
        looked = 0
        chunks_of("".join(f"## S{at}\n\n{words(60)}\n```go\nx\n```\n\n" for at in range(sections)))
        return looked

    assert looks(80) <= 2 * looks(40)
