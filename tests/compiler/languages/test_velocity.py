"""Velocity in pages of Maven sites."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, titles, write_tree

from kbc.languages.includes.templates.velocity import expand_velocity


def test_text_that_is_left_alone_and_values_are_shown() -> None:
    text = (
        "#set( $h2 = '##' )\n#set($name = \"heron\")\n\n#[[### Eggs]]#\n\n$h2 Nests of ${name}s\n\n"
        "```\n#[[${name}: $h2]]# ${project.version} $price\n```\n"
    )
    assert expand_velocity(text) == (
        "\n\n\n### Eggs\n\n## Nests of herons\n\n```\n${name}: $h2 ${project.version} $price\n```\n"
    )
    assert expand_velocity("# $1\n#[[ never closed\n") == "# $1\n#[[ never closed\n"


@pytest.mark.timeout(60)
def test_many_openings_are_read_in_bounded_time() -> None:
    text = "#[[" * 500_000 + "#set(" * 200_000 + "$a" * 200_000
    assert expand_velocity(text) == text


def test_pages_with_velocity_are_documentation(tmp_path: Path) -> None:
    files = {
        "pom.xml": "<project/>",
        "src/A.java": "class A {}\n",
        "src/site/markdown/use.md.vm": "#[[# Use]]#\n\nFly, see [nests](nests.html).\n",
        "src/site/markdown/nests.md": page("Nests"),
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert titles(inputs.records["docs"]) == {
        "markdown/nests.md": "Nests",
        "markdown/use.md.vm": "Use",
    }
    assert [each.code for each in diagnostics if each.code == "dead-link"] == []
