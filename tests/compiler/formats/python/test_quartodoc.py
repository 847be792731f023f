"""References that quartodoc makes: pages of objects from the list in `_quarto.yml`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, write_tree

from kbc import check
from kbc.formats import Converted, convert
from kbc.records import DocRecord

QUARTO = """
website:
  title: Heron
  site-url: https://example.org/heron/
quartodoc:
  package: heron
  dir: api
  title: Objects
  sections:
    - title: Pipes
      desc: What carries water.
      contents:
        - name: Pipe
          children: linked
        - Pipe.bend
        - name: Valve
          members: [turn]
        - Valve.close
        - kind: page
          path: more
          contents: [pumps.start, missing]
"""
PACKAGE = {
    "src/heron/__init__.py": "from .pipe import Pipe, Valve\n",
    "src/heron/pipe.py": '''from ._bends import bend


class Pipe:
    """A tube."""

    bend = bend

    def cut(self) -> None:
        """Shortens the pipe."""


class Valve:
    """A tap."""

    def turn(self, by: int) -> None:
        """Opens it a *little*."""

    def close(self) -> None:
        """Stops the water.

        :::{.callout-warning}
        Not [`Pipe`](`heron.Pipe`), nor [](`~heron.Pipe.bend`).
        :::
        """
''',
    "src/heron/_bends.py": 'def bend(pipe, angle: int = 90):\n    """Makes an elbow."""\n',
    "src/heron/pumps.py": '''def start() -> None:
    """Starts all :class:`~heron.pumps.Pump`.

    See :py:meth:`!Pump.run` and :ref:`how they run <pumps>`, :rocket:`now`.
    """
''',
}


@pytest.fixture
def documents(tmp_path: Path) -> dict[str, Converted]:
    root = write_tree(tmp_path, PACKAGE)

    def file_of(path: str) -> bytes | None:
        file = root / path
        return file.read_bytes() if file.is_file() else None

    found = convert("docs/_quarto.yml", QUARTO.encode(), file_of)
    return {each.name: each for each in found}


def test_each_object_has_a_page(documents: dict[str, Converted]) -> None:
    assert list(documents) == ["index", "Pipe", "Pipe.bend", "Valve", "Valve.close", "pumps.start"]
    bend = documents["Pipe.bend"]
    assert bend.text.startswith(
        "# `Pipe.bend` {#Pipe.bend}\n\n```python\nPipe.bend(pipe, angle: int = 90)\n```\n"
    )
    assert "Makes an elbow." in bend.text
    assert bend.index_names == ("Pipe.bend", "heron.Pipe.bend", "bend", "docs/api/Pipe.bend.qmd")


def test_docstrings_are_read_as_quarto_has_it(documents: dict[str, Converted]) -> None:
    _, _, shown = documents["Valve.close"].text.partition("water.")
    assert shown.split() == ["**Warning**", "Not", "`Pipe`,", "nor", "`bend`."]


def test_references_of_sphinx_are_names(documents: dict[str, Converted]) -> None:
    page = documents["pumps.start"]
    assert page.summary == "Starts all `Pump`."
    assert page.text.endswith(
        "Starts all `Pump`.\n\nSee `Pump.run` and how they run, :rocket:`now`.\n"
    )
    assert "- `pumps.start`: Starts all `Pump`.\n" in documents["index"].text


def test_members_are_described_unless_they_have_pages(documents: dict[str, Converted]) -> None:
    assert "A tube." in documents["Pipe"].text
    assert "Shortens" not in documents["Pipe"].text
    assert "Opens it a *little*." in documents["Valve"].text
    assert "Stops" not in documents["Valve"].text


def test_the_list_has_the_text_of_sections_and_a_sentence_of_each_object(
    documents: dict[str, Converted],
) -> None:
    text = documents["index"].text
    assert text.startswith("# Objects\n\n## Pipes\n\nWhat carries water.\n\n- `Pipe`: A tube.\n")
    assert "- `missing`\n" in text
    (problem,) = documents["index"].problems
    assert problem.message == "the source of 'heron.missing' is not in the tree"


def test_pages_have_their_place_in_the_site(tmp_path: Path) -> None:
    files = {
        "docs/_quarto.yml": QUARTO,
        "docs/index.qmd": "# Heron\n\nSee [bends](api/Pipe.bend.qmd) and [more](api/more.qmd).\n",
        "docs/_part.qmd": "x\n",
    }
    root = write_tree(tmp_path, files | PACKAGE | {"pyproject.toml": '[project]\nname = "heron"\n'})
    inputs, _ = read(root)
    pages = [each for each in inputs.records["docs"] if isinstance(each, DocRecord)]
    assert {each.title: each.url for each in pages}["Objects"] == (
        "https://example.org/heron/api/index.html"
    )
    (bend,) = [each for each in pages if "Pipe.bend" in each.aliases]
    assert bend.url == "https://example.org/heron/api/Pipe.bend.html"
    (start,) = [each for each in pages if "heron.pumps.start" in each.aliases]
    assert start.url == "https://example.org/heron/api/more.html"
    assert not any("_part" in each.path for each in pages)
    assert "dead-link" not in [each.code for each in check(str(root))]


def test_a_site_may_have_its_references_in_files_of_their_own(tmp_path: Path) -> None:
    site, _, reference = QUARTO.partition("quartodoc:")
    files = {"docs/_quarto.yml": site, "docs/_quartodoc-core.yml": f"quartodoc:{reference}"}
    root = write_tree(tmp_path, files | PACKAGE | {"docs/index.qmd": "# Heron\n\nText.\n"})
    inputs, _ = read(root)
    found = {each.title: each.url for each in inputs.records["docs"]}
    assert found["Objects"] == "https://example.org/heron/api/index.html"


def test_a_project_without_a_reference_has_no_pages_of_it() -> None:
    assert convert("_quarto.yml", b"website:\n  title: A\n", lambda path: None) == []
