"""Problems in pages with includes are told with the lines of their files."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.recognition.trees import read, write_tree

from kbc.frontends.source_map import SourceMap


def test_lines_of_inserted_text_are_those_of_the_directive() -> None:
    lines = SourceMap("a\n!include\nb\nc\n", "a\nx\ny\nz\nb\nc\n")
    assert [lines.line(line) for line in range(1, 7)] == [1, 2, 2, 2, 3, 4]


def test_lines_that_were_rewritten_keep_their_order() -> None:
    lines = SourceMap("a\n{x}\n{y}\nb\n", "a\n1\n2\nb\n")
    assert [lines.line(line) for line in range(1, 5)] == [1, 2, 3, 4]


def test_text_that_has_nothing_of_the_file_is_of_its_first_line() -> None:
    assert SourceMap("a\n", "b\nc\n").line(2) == 1


def test_a_dead_link_is_told_with_its_line_in_the_file(tmp_path: Path) -> None:
    page = (
        '# A\n\n!!! note\n    Mind.\n\n--8<-- "part.md"\n\n::: tip\nThat.\n:::\n\n'
        "See [gone](gone.md).\n\n```text\nnever closed\n"
    )
    files = {
        "mkdocs.yml": "site_name: S\n",
        "docs/index.md": page,
        "docs/part.md": "One.\n\nTwo.\n\nThree.\n",
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    source = page.split("\n")
    (link,) = (each for each in diagnostics if each.code == "dead-link")
    assert link.line == source.index("See [gone](gone.md).") + 1
    (fence,) = (each for each in diagnostics if "fence" in each.code)
    assert fence.line == source.index("```text") + 1
