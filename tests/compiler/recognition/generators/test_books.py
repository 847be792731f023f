"""mdBook, GitBook and Quarto: summaries, titles, order, addresses and redirects."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.records import DocRecord


def test_mdbook_takes_titles_order_and_redirects(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "book.toml": (
                '[book]\ntitle = "Well"\nsrc = "text"\n'
                '[output.html]\nsite-url = "https://well.example/"\n'
                '[output.html.redirect]\n"/dig.html" = "ch01.html"\n'
            ),
            "text/SUMMARY.md": "# Summary\n\n[Title](README.md)\n\n- [How to `dig`](ch01.md)\n",
            "text/ch01.md": "## Dig\n\nWith a spade.\n",
            "text/README.md": page("Well"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "README.md": "https://well.example/index.html",
        "ch01.md": "https://well.example/ch01.html",
    }
    chapter = inputs.records["docs"][1]
    assert isinstance(chapter, DocRecord)
    assert (chapter.title, chapter.aliases) == ("How to dig", ("https://well.example/dig.html",))


SITE = "https://weir.example/"


def published(root: Path, config: str) -> dict[str, str]:
    """Id -> address, with a kb.toml that names the address of the site, which GitBook's files do not."""
    text = (
        '[kb]\nname = "weir"\n[[collection]]\nname = "docs"\nkind = "docs"\n'
        f'paths = ["."]\ngenerator = "gitbook"\nconfig = "{config}"\nurl = "{SITE}"\n'
    )
    inputs = read_inputs(write_tree(root, {"kb.toml": text}), Diagnostics())
    assert inputs is not None
    return addresses(inputs)


def test_gitbook_takes_the_summary_as_order_and_titles_and_its_redirects(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            ".gitbook.yaml": (
                "root: ./book/\nstructure:\n  readme: start.md\n  summary: nav/contents.md\n"
                "redirects:\n  old/gates: ./gates/README.md\n  was: ./weirs.md\n"
            ),
            "book/start.md": page("Weirs and Gates"),
            "book/nav/contents.md": (
                "# Contents\n\n* [Start](../start.md)\n\n## Parts\n\n"
                "* [All about \\_weirs\\_](../weirs.md)\n  * [Gates](../gates/README.md)\n"
                "* [Elsewhere](https://example.org)\n"
            ),
            "book/weirs.md": "What a weir is.\n",
            "book/gates/README.md": page("Gates"),
        },
    )
    found = recognised(root)
    assert found.what == "GitBook 'Weirs and Gates' (.gitbook.yaml)"
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {
        "start.md": "Weirs and Gates",
        "weirs.md": "All about _weirs_",
        "gates/README.md": "Gates",
    }
    gates = inputs.records["docs"][2]
    assert isinstance(gates, DocRecord)
    assert gates.aliases == ("old/gates",)
    assert inputs.accounting.counts()["included"] == 2  # the configuration and the summary


def test_gitbook_addresses_have_no_ending_and_those_of_old_books_do(tmp_path: Path) -> None:
    pages = {
        "SUMMARY.md": "* [A](a.md)\n* [B](part/README.md)\n",
        "README.md": page("Book"),
        "a.md": page("A"),
        "part/README.md": page("B"),
    }
    new = write_tree(tmp_path / "new", {".gitbook.yaml": "root: ./\n", **pages})
    assert published(new, ".gitbook.yaml") == {
        "a.md": f"{SITE}a",
        "part/README.md": f"{SITE}part",
        "README.md": SITE,
    }
    old = write_tree(tmp_path / "old", {"book.json": '{"title": "Old Book"}', **pages})
    assert recognised(old).what == "GitBook 'Old Book' (book.json)"
    assert published(old, "book.json") == {
        "a.md": f"{SITE}a.html",
        "part/README.md": f"{SITE}part/",
        "README.md": SITE,
    }


BELOW_MKDOCS = {"../mkdocs.yml": "site_name: M\ndocs_dir: other\n", "../setup.py": ""}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"README.md": page("Fords")}, "GitBook 'Fords' (SUMMARY.md)"),
        ({}, "folder of pages"),
        ({"README.md": page("Fords"), **BELOW_MKDOCS}, "folder of pages"),
    ],
)
def test_a_summary_alone_is_a_gitbook_only_with_a_readme_and_without_another_generator(
    tmp_path: Path, more: dict[str, str], expected: str
) -> None:
    summary = "# Summary\n\n* [A](a.md)\n* [B](b.md)\n"
    files = {"SUMMARY.md": summary, "a.md": page("A"), "b.md": page("B"), **more}
    root = write_tree(tmp_path / "tree" / "book", files)
    assert recognised(root).what == expected


def test_variables_of_a_book_are_filled_in_also_in_code(tmp_path: Path) -> None:
    variables = '{"level": "3 m", "keeper": {"name": "Ann"}, "button": "<a class=\\"x\\"></a>"}'
    root = write_tree(
        tmp_path / "book",
        {
            "book.json": f'{{"variables": {variables}}}',
            "README.md": page("Weir"),
            "SUMMARY.md": "- [A](a.md)\n- [B](README.md)\n",
            "a.md": (
                "# A\n\nAt {{book.level}}, {{ book.keeper.name }} opens it.{{book.button}}\n\n"
                "```sh\nopen {{book.level}}\n```\n\n"
                "{% raw %}{{book.level}}{% endraw %} and {{ book.none }}\n"
            ),
        },
    )
    inputs, _ = read(root)
    (text,) = (each.text for each in inputs.records["docs"] if each.id == "a.md")
    assert "At 3 m, Ann opens it.\n" in text
    assert "open 3 m\n" in text
    assert "{{book.level}}" in text.partition("{% raw %}")[2]
    assert "{{ book.none }}" in text


def test_a_project_with_a_gitbook_in_a_folder_keeps_its_code(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "composer.json": "{}",
            ".gitbook.yaml": "root: docs\n",
            "README.md": page("Ford"),
            "docs/README.md": page("Ford"),
            "docs/a.md": page("A"),
            "src/ford.py": "def wade():\n    return 1\n",
        },
    )
    assert [each.name for each in recognised(root).project.collections] == [
        "docs",
        "readme",
        "code",
    ]


def test_quarto_takes_titles_order_addresses_and_included_pages(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "_quarto.yml": (
                "project:\n  type: website\n  output-dir: _site\nwebsite:\n  title: Quay\n"
                "  site-url: https://quay.example\n  sidebar:\n    contents:\n"
                "      - section: guide/index.qmd\n        contents:\n"
                "          - text: Cranes\n            href: guide/cranes.qmd\n"
                "      - guide/tides.Rmd\n"
            ),
            "index.qmd": page("Quay"),
            "guide/index.qmd": page("Guide"),
            "guide/cranes.qmd": (
                "How cranes turn.\n\n{{< include _oil.qmd >}}\n\n::: {.callout-note}\n"
                "Slowly.\n:::\n\n```{python}\n#| echo: false\nturn(1)\n```\n"
            ),
            "guide/_oil.qmd": "Oil **daily**.\n",
            "guide/tides.Rmd": (
                '# Tides\n\n## High & low {.unnumbered}\n\n## Springs {id="spring-tides"}\n\n'
                "[a](#high-low) [b](#spring-tides) [c](cranes.qmd) [d](#none)\n"
            ),
            "_site/index.html": "<h1>Built</h1>",
            "README.md": page("Contributing"),
        },
    )
    assert recognised(root).what == "Quarto project 'Quay' (_quarto.yml)"
    inputs, diagnostics = read(root)
    assert titles(inputs.records["docs"]) == {
        "guide/index.qmd": "Guide",
        "guide/cranes.qmd": "Cranes",
        "guide/tides.Rmd": "Tides",
        "index.qmd": "Quay",
    }
    assert addresses(inputs)["guide/tides.Rmd"] == "https://quay.example/guide/tides.html"
    cranes, tides = inputs.records["docs"][1:3]
    assert isinstance(cranes, DocRecord)
    assert "Oil **daily**." in cranes.content
    assert "**Note**\n\nSlowly." in cranes.content
    assert "\nturn(1)\n" in cranes.content
    assert isinstance(tides, DocRecord)
    assert [(each.title, each.anchor) for each in tides.sections][1:] == [
        ("High & low", "high-low"),
        ("Springs", "spring-tides"),
    ]
    dead = [each.message for each in diagnostics if each.code in ("dead-anchor", "dead-link")]
    assert len(dead) == 1
    assert "'#none'" in dead[0]


def test_helpers_of_a_preprocessor_of_a_book_are_counted_and_no_text(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "book.toml": "[book]\ntitle = 'Dock'\n[preprocessor.own]\n",
            "src/SUMMARY.md": "- [A](a.md)\n",
            "src/a.md": "# A\n\n{{%session outline}}\n\nText.\n",
        },
    )
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert "session" not in record.content
    assert ["{{% }} (1)" in each.message for each in diagnostics] == [True]


TOC = """
introduction:
  title: Introduction
  news: What is new?
gates:
  title: Gates
  locks:
    title: Locks and keys
    keys: Keys
gone: Nowhere
"""


@pytest.mark.parametrize("place", ["src/main/docs/guide", "src/en/guide", ""])
def test_guides_of_grails_have_order_and_titles_of_their_contents(
    tmp_path: Path, place: str
) -> None:
    pages = ["gates", "gates/locks", "gates/locks/keys", "introduction", "introduction/news"]
    files = {
        f"{place}/{name}.adoc".lstrip("/"): f"About {name}.\n" for name in (*pages, "unlisted")
    }
    project = {"settings.gradle": "", "src/main/java/A.java": "class A {}\n"} if place else {}
    root = write_tree(tmp_path / "tree", {f"{place}/toc.yml".lstrip("/"): TOC, **files, **project})
    assert "Grails guide" in recognised(root).what
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {
        "introduction.adoc": "Introduction",
        "introduction/news.adoc": "What is new?",
        "gates.adoc": "Gates",
        "gates/locks.adoc": "Locks and keys",
        "gates/locks/keys.adoc": "Keys",
        "unlisted.adoc": "unlisted",
    }
    assert ("code" in inputs.records) is bool(place)


@pytest.mark.parametrize("toc", ["- name: A\n  href: a.md\n", "a: b\nc: d\ne: f\n", "[", "x: 1"])
def test_other_tables_of_contents_are_no_guide(tmp_path: Path, toc: str) -> None:
    root = write_tree(tmp_path / "tree", {"toc.yml": toc, "a.adoc": "= A\n\nText.\n"})
    assert "Grails" not in recognised(root).what


def test_metadata_and_variables_of_quarto_are_filled_in(tmp_path: Path) -> None:
    files = {
        "_quarto.yml": "website: {title: 'Reed {{< var site.host >}}'}\nedition: 3\ntool: {name: Pipe}\n",
        "_variables.yml": "site: {host: reed.example}\n",
        "guide/_metadata.yml": "season: spring\nedition: 4\n",
        "guide/a.qmd": (
            "---\ntitle: A\ntool: {name: Flute}\n---\n\n{{< meta tool.name >}}, {{< meta season >}},"
            " {{< meta edition >}}, {{< var site.host >}}, `{{< meta edition >}}`\n\n"
            "{{< include _part.qmd >}}\n\n{{< meta gone >}}\n"
        ),
        "guide/_part.qmd": "In {{< meta season >}}.\n",
        "b.qmd": "# B\n\n{{< meta edition >}}: {{< meta tool.name >}}\n",
        "bad/_metadata.yml": "a: [",
        "bad/c.qmd": "# C\n\n{{< meta edition >}}\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert inputs.project.title == "Reed"
    texts = {record.id: record.text for record in inputs.records["docs"]}
    assert (
        "Flute, spring, 4, reed.example, `{{< meta edition >}}`\n\nIn spring.\n"
        in texts["guide/a.qmd"]
    )
    assert texts["b.qmd"] == "# B\n\n3: Pipe\n"
    assert texts["bad/c.qmd"] == "# C\n\n3\n"
    (note,) = [each for each in diagnostics if each.code == "content-elsewhere"]
    assert "{{< meta >}} (1)" in note.message


LISTED = "- [A](a.md)\n- [B](b.md)\n"


@pytest.mark.parametrize(
    ("place", "files", "contents"),
    [
        ("src", {"book.toml": "[book]\n", "src/SUMMARY.md": LISTED}, "src/SUMMARY.md"),
        ("", {".gitbook.yaml": "root: ./\n", "SUMMARY.md": LISTED}, "SUMMARY.md"),
        (
            "",
            {"_quarto.yml": "project: {type: book}\nbook: {chapters: [a.md, b.md]}\n"},
            "_quarto.yml",
        ),
    ],
)
def test_a_book_has_only_the_pages_that_its_contents_list(
    tmp_path: Path, place: str, files: dict[str, str], contents: str
) -> None:
    pages = {f"{place}/{name}.md".lstrip("/"): page(name.upper()) for name in ("a", "b", "old")}
    root = write_tree(tmp_path / "book", {**files, **pages})
    inputs, diagnostics = read(root)
    assert [each.id for each in inputs.records["docs"]] == ["a.md", "b.md"]
    (note,) = (each for each in diagnostics if each.code == "unlisted-page")
    old = f"{place}/old.md".lstrip("/")
    assert f"1 page is left out ({old}): {contents} does not list it" in note.message
    more = {f"{place}/{name}.md".lstrip("/"): page(name) for name in ("more", "most")}
    inputs, _ = read(write_tree(root, more))  # most pages: a program may list them
    assert len(inputs.records["docs"]) == 5
