"""Pages that only send their readers to another one are its other names."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, write_tree

from kbc.frontends.pages.collection import not_a_page
from kbc.project.source_file import SourceFile
from kbc.records import DocRecord

DOCFX = '{"build": {"content": ["**/*.md"], "sitemap": {"baseUrl": "https://dam.example"}}}'


def test_a_page_that_only_redirects_becomes_an_alias_of_its_target(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docfx.json": DOCFX,
            "index.md": "# Dam\n\n[Was](old/walls.md) and [gone](old/nowhere.md)\n",
            "guide/walls.md": page("Walls"),
            "old/walls.md": "---\nredirect_url: ../guide/walls.html#high\n---\n# Walls\n",
            "old/top.md": "---\nredirect_url: /guide/walls\n---\n",
            "old/away.md": "---\nredirect_url: https://elsewhere.example/x\n---\n",
            "old/kept.md": "---\nredirect_url: ../guide/walls.html\n---\n# Kept\n\nIt has text.\n",
        },
    )
    inputs, diagnostics = read(root)
    records = {record.id: record for record in inputs.records["docs"]}
    assert sorted(records) == ["guide/walls.md", "index.md", "old/kept.md"]
    walls = records["guide/walls.md"]
    assert isinstance(walls, DocRecord)
    assert {"old/walls.md", "https://dam.example/old/walls.html", "old/top.md"} <= {*walls.aliases}
    assert inputs.accounting.reasons("left out")["redirect to another page"] == 3
    dead = [each.message for each in diagnostics if each.code == "dead-link"]
    assert len(dead) == 1
    assert "old/nowhere.md" in dead[0]


@pytest.mark.parametrize("key", ["redirect", "redirect_to", "redirectTo"])
def test_a_page_without_text_redirects_as_its_front_matter_says(tmp_path: Path, key: str) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "walls.md": page("Walls"),
            "blog/old.md": f"---\n{key}: /walls\n---\n",
            "blog/away.md": f"---\n{key}: https://elsewhere.example/x\n---\n",
            "blog/kept.md": f"---\n{key}: /walls\n---\n# Kept\n\nIt has text.\n",
        },
    )
    inputs, _ = read(root)
    records = {record.id: record for record in inputs.records["docs"]}
    assert sorted(records) == ["blog/kept.md", "walls.md"]
    walls = records["walls.md"]
    assert isinstance(walls, DocRecord)
    assert "blog/old.md" in walls.aliases


def test_two_pages_that_redirect_to_each_other_leave_nothing_behind(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "c.md": page("C"),
            "a.md": "---\nredirect_to: b.md\n---\n",
            "b.md": "---\nredirect_to:\n  - a.md\n---\n",
        },
    )
    inputs, _ = read(root)
    assert [record.id for record in inputs.records["docs"]] == ["c.md"]


def test_a_page_that_says_that_it_has_moved_is_another_name_of_the_one_that_it_names(
    tmp_path: Path,
) -> None:
    stub = ":orphan:\n\n{}\n=====================\n\nThis {} has moved to :ref:`walls`.\n"
    root = write_tree(
        tmp_path / "tree",
        {
            "conf.py": "project = 'Dam'\n",
            "index.rst": "Dam\n===\n\n.. toctree::\n\n   guide/walls\n",
            "guide/walls.rst": ".. _walls:\n\nHow to build walls\n==================\n\nOf clay.\n",
            "old/walls.rst": stub.format("Walls to build", "page"),
            "old/dikes.rst": stub.format("Dikes", "document"),
            "old/away.rst": "Walls\n=====\n\nIt was moved to `them <https://x.example/y>`_.\n",
            "old/text.rst": "Walls\n=====\n\nThe river has moved.\n\nSee :ref:`walls`.\n",
        },
    )
    inputs, _ = read(root)
    (kept,) = inputs.records.values()
    records = {record.id: record for record in kept}
    assert "old/walls.rst" not in records
    walls = records["guide/walls.rst"]
    assert isinstance(walls, DocRecord)
    assert "old/walls.rst" in walls.aliases
    assert {"old/dikes.rst", "old/away.rst", "old/text.rst"} <= records.keys()
    assert inputs.accounting.reasons("left out")["redirect to another page"] == 1


API = """\
openapi: 3.1.0
info: {title: Kites, description: Flies them.}
paths:
  /kites/{id}:
    get: {operationId: getKite, summary: Get kite by id, responses: {"200": {description: A kite}}}
    delete: {operationId: cut, summary: Cut it, responses: {"204": {description: Gone}}}
"""


def test_a_page_that_only_leads_to_the_file_of_its_name_is_another_name_of_that(
    tmp_path: Path,
) -> None:
    notice = "# Redirect\n\nThis page is now in AsciiDoc.\nPlease read [{0}](./{0}#high).\n"
    files = {
        "docs/walls.adoc": "= Walls\n\nText.\n",
        "docs/walls.md": notice.format("walls.adoc"),
        "docs/slides.md": notice.format("slides.odp"),
        "docs/plan.md": notice.format("walls.adoc"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    records = {record.id: record for record in inputs.records["docs"]}
    assert sorted(records) == ["docs/plan.md", "docs/slides.md", "docs/walls.adoc"]
    walls = records["docs/walls.adoc"]
    assert isinstance(walls, DocRecord)
    assert "docs/walls.md" in walls.aliases
    assert inputs.accounting.reasons("left out")["redirect to another page"] == 1


def test_a_page_that_shows_an_operation_has_its_text(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs.json": '{"name": "Kites", "colors": {}, "navigation": ["a", "one", "gone"]}',
            "a.mdx": "# A\n\nText.\n",
            "openapi.yaml": API,
            "v2/openapi.yaml": API.replace("A kite", "A better kite"),
            "one.mdx": "---\ntitle: Get a kite\nopenapi: get /kites/{id}\n---\n",
            "v2/one.mdx": "---\nopenapi: GET /kites/{id}\n---\n\n",
            "v2/first.mdx": "---\nopenapi: /openapi.yaml DELETE /kites/{id}\n---\n",
            "gone.mdx": "---\ntitle: Gone\nopenapi: PUT /kites/{id}\n---\n",
            "own.mdx": "---\nopenapi: DELETE /kites/{id}\n---\n\nIts own text.\n",
        },
    )
    inputs, diagnostics = read(root)
    records = {record.id: record for record in inputs.records["docs"]}
    one, other = records["one.mdx"], records["v2/one.mdx"]
    assert isinstance(one, DocRecord)
    assert (one.title, one.lines) == ("Get a kite", len(one.text.splitlines()))
    assert one.content.startswith("# Get a kite\n\n`GET /kites/{id}` (operation `getKite`)")
    assert "200 A kite" in one.content
    assert other.title == "Get kite by id"
    assert "200 A better kite" in other.text
    assert "# Cut it" in records["v2/first.mdx"].text
    assert {"openapi.yaml", "v2/openapi.yaml", "v2/openapi.yaml/cut"} <= {*records}
    assert not {"openapi.yaml/getKite", "v2/openapi.yaml/getKite", "openapi.yaml/cut"} & {*records}
    missing = [each.path for each in diagnostics if each.code == "missing-summary"]
    assert missing == ["gone.mdx"]


def test_a_page_that_says_nothing_has_the_description_of_its_front_matter(tmp_path: Path) -> None:
    html = '<p>Lowers the <code>gate</code>.</p>\n\n  <pre><code class="language-js">lower(1);</code></pre>'
    root = write_tree(
        tmp_path / "tree",
        {
            "a.md": "# A\n\nText.\n",
            "lower.md": f"---\ntitle: lower\ndescription: >-\n  {html}\n---\n\n# lower\n",
            "raise.mdx": '---\ndescription: "Raises it.\\n\\nSlowly."\n---\n# raise\n\n<!-- {made} -->\n',
            "gates.md": "---\ndescription: All about gates.\n---\n\n# Gates\n",
            "code.md": "---\ndescription: Use `<code>` for `<a b>`.\n---\n\n# Code\n",
            "own.md": "---\ndescription: What it is.\n---\n\n# Own\n\nIts own text.\n",
        },
    )
    inputs, _ = read(root)
    records = {record.id: record for record in inputs.records["docs"]}
    lower = records["lower.md"]
    assert isinstance(lower, DocRecord)
    assert lower.content == "# lower\n\nLowers the `gate`.\n\n```js\nlower(1);\n```\n"
    assert lower.lines == len(lower.text.splitlines())
    assert records["raise.mdx"].text.endswith("\n\nRaises it.\n\nSlowly.\n")
    assert records["gates.md"].text.count("All about gates.") == 1, "a summary"
    assert records["code.md"].text.endswith("# Code\n"), "a summary that names elements"
    assert records["own.md"].text.count("What it is.") == 1


@pytest.mark.timeout(60)
def test_scripts_that_do_not_end_are_read_in_bounded_time() -> None:
    start = '<meta http-equiv="refresh" content="0; url=guide/">'
    page = SourceFile("a.html", (start + "<script " * 100_000).encode())
    assert not_a_page(page)
