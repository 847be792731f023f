"""GitBook, doc-builder and DocFX: their navigation, titles, addresses and former names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.records import CompiledRecord, DocRecord

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


def titles(records: Sequence[CompiledRecord]) -> dict[str, str]:
    return {record.id: record.title for record in records}


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
            "book/alone.md": page("Alone"),
        },
    )
    found = recognised(root)
    assert found.what == "GitBook 'Weirs and Gates' (.gitbook.yaml)"
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {
        "start.md": "Weirs and Gates",
        "weirs.md": "All about _weirs_",
        "gates/README.md": "Gates",
        "alone.md": "Alone",
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


def test_doc_builder_takes_titles_order_redirects_and_objects_of_its_package(
    tmp_path: Path,
) -> None:
    pytest.importorskip("griffe")
    root = write_tree(
        tmp_path / "tree",
        {
            "pyproject.toml": '[project]\nname = "ferry"\n',
            "docs/source/en/_toctree.yml": (
                "- sections:\n  - local: index\n    title: Ferry\n"
                "  - sections:\n    - local: guides/ropes\n      title: Ropes and Knots\n"
                "    title: Guides\n  title: First\n"
            ),
            "docs/source/en/_redirects.yml": "guides/knots: guides/ropes\n",
            "docs/source/en/index.md": "# Ferry\n\n## Get on board!\n\n[[autodoc]] Boat\n    - row\n",
            "docs/source/en/guides/ropes.mdx": "How ropes are tied.\n\n[Board](../index#get-on-board)\n",
            "docs/source/de/_toctree.yml": "- local: index\n  title: Faehre\n",
            "docs/source/de/index.md": page("Faehre"),
            "src/ferry/__init__.py": "from ferry.boats import Boat\n",
            "src/ferry/boats.py": (
                'class Boat:\n    """Floats on water."""\n\n    def row(self, times: int) -> None:\n'
                '        """Moves it."""\n\n    def sink(self) -> None:\n        """Ends it."""\n'
            ),
        },
    )
    found = recognised(root)
    assert found.what.startswith("Python project ferry with a doc-builder documentation")
    inputs, diagnostics = read(root)
    assert titles(inputs.records["docs"]) == {
        "index.md": "Ferry",
        "guides/ropes.mdx": "Ropes and Knots",
    }
    index, ropes = inputs.records["docs"]
    assert isinstance(index, DocRecord)
    assert isinstance(ropes, DocRecord)
    assert "Floats on water." in index.content
    assert "Moves it." in index.content
    assert "Ends it." not in index.content  # only `row` was asked for
    assert "get-on-board" in [section.anchor for section in index.sections]
    assert ropes.aliases == ("guides/knots",)
    assert "dead-anchor" not in [each.code for each in diagnostics]
    assert "content-elsewhere" not in [each.code for each in diagnostics]


DOCFX = """{
  // what the site is made of
  "build": {
    "content": [
      {"files": ["**.{md,yml}"], "exclude": ["drafts/**"]},
      {"src": "../notes", "files": "**/*.md", "dest": "articles/notes"},
    ],
    "resource": ["media/*.pdf"],
    "globalMetadata": {"_appTitle": "Culvert", "_appFooter": "// no comment, \\"no\\""},
    "sitemap": {"baseUrl": "https://culvert.example/docs"},
  }
}
"""


def test_docfx_takes_contents_titles_mapped_addresses_and_exclusions(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/docfx.json": "\ufeff" + DOCFX,
            "docs/toc.yml": (
                "- name: Guides\n  href: guides/\n- name: Home\n  href: index.md\n"
                "- name: Notes\n  href: ../notes/toc.yml\n- name: API\n  href: api/\n"
            ),
            "docs/index.md": page("Culvert"),
            "docs/guides/TOC.yml": (
                "items:\n- name: Pipes of all sizes\n  href: pipes.md#start\n"
                "  items:\n  - name: Bends\n    href: bends.md\n- href: https://example.org\n"
            ),
            "docs/guides/bends.md": page("Bends"),
            "docs/guides/pipes.md": "How wide a pipe is.\n",
            "docs/drafts/later.md": page("Later"),
            "notes/toc.yml": "- name: First\n  href: first.md\n",
            "notes/first.md": page("First"),
            "other/unlisted.md": page("Unlisted"),
        },
    )
    found = recognised(root / "docs")
    assert found.what == "DocFX site 'Culvert' (docs/docfx.json)"
    inputs, _ = read(root / "docs")
    assert addresses(inputs) == {
        "docs/guides/pipes.md": "https://culvert.example/docs/guides/pipes.html",
        "docs/guides/bends.md": "https://culvert.example/docs/guides/bends.html",
        "docs/index.md": "https://culvert.example/docs/index.html",
        "notes/first.md": "https://culvert.example/docs/articles/notes/first.html",
    }
    assert inputs.records["docs"][0].title == "Pipes of all sizes"
    reasons = inputs.accounting.reasons("left out")
    assert reasons["excluded by '/docs/drafts/**'"] == 1
    assert reasons["not in `include`"] == 1


def test_docfx_in_one_folder_has_the_addresses_of_its_files(tmp_path: Path) -> None:
    config = '{"build": {"content": ["*.md"], "sitemap": {"baseUrl": "https://c.example"}}}'
    root = write_tree(
        tmp_path / "tree",
        {
            "docfx.json": config,
            "toc.md": "# [Second](b.md)\n## [First](a.md)\n",
            "a.md": page("A"),
            "b.md": page("B"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "b.md": "https://c.example/b.html",
        "a.md": "https://c.example/a.html",
    }


def test_vuepress_takes_titles_order_addresses_and_leaves_other_languages_out(
    tmp_path: Path,
) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/.vuepress/config.js": (
                "module.exports = {locales: {'/': {title: 'Lock'}, '/de/': {title: 'Schleuse'}},\n"
                "  theme: defaultTheme({sidebar: {'/guide/': [{text: 'Gates', link: '/guide/gates.md'},\n"
                "    {text: 'More', children: ['/guide/', '/guide/keepers.md']}]}})}\n"
            ),
            "docs/README.md": page("Lock"),
            "docs/guide/README.md": page("Guide"),
            "docs/guide/keepers.md": "---\nkeeper: Ada\n---\n\n# Keepers\n\n"
            "{{ $frontmatter.keeper }} and {{ count + 1 }}, `{{ kept }}`,"
            " <span v-pre>{{ too }}</span>.\n\n```\n{{ code }}\n```\n",
            "docs/guide/gates.md": "How gates open.\n",
            "docs/de/README.md": page("Schleuse"),
        },
    )
    assert recognised(root).what == "VuePress site 'Lock' (docs/.vuepress/config.js)"
    inputs, diagnostics = read(root)
    assert titles(inputs.records["docs"]) == {
        "guide/gates.md": "Gates",
        "guide/README.md": "Guide",
        "guide/keepers.md": "Keepers",
        "README.md": "Lock",
    }
    keepers = inputs.records["docs"][2]
    assert isinstance(keepers, DocRecord)
    assert "Ada and `count + 1`, `{{ kept }}`, <span v-pre>{{ too }}</span>." in keepers.content
    assert "\n{{ code }}\n" in keepers.content
    elsewhere = [each.message for each in diagnostics if each.code == "content-elsewhere"]
    assert len(elsewhere) == 1
    assert "{{ }} (1)" in elsewhere[0]


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


def test_eleventy_takes_its_folders_and_shows_what_its_templates_hold(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "package.json": "{}",
            "eleventy.config.js": (
                "export default function (config) {\n  config.addShortcode('x', () => '');\n"
                "  return {dir: {input: 'site', includes: '_parts'}};\n}\n"
            ),
            ".eleventyignore": "# no\nsite/notes/\nnotes/\n",
            "site/_data/site.json": '{"title": "Quay", "url": "https://quay.example"}',
            "site/_parts/tide.md": "The tide **turns**.\n",
            "site/_parts/shell.njk": "<b>{{ content }}</b>\n",
            "site/index.md": "---\ntideTitle: Tides\nharbour: Leith\n---\n"
            '{# a remark #}At {{ harbour }}. {% include "tide.md" %}\n\n'
            "{% set codeContent %}\n<i>{{ x }}</i>\n{% endset %}\n"
            '{% include "shell.njk" %}\n\n{% raw %}{{ shown }}{% endraw %} and `{% kept %}`.\n',
            "site/guide/2024-05-01-boats.md": page("Boats"),
            "site/notes/x.md": page("X"),
        },
    )
    assert recognised(root).what == "Eleventy site 'Quay' (eleventy.config.js)"
    inputs, diagnostics = read(root)
    assert addresses(inputs) == {
        "guide/2024-05-01-boats.md": "https://quay.example/guide/boats/",
        "index.md": "https://quay.example/",
    }
    index = inputs.records["docs"][1]
    assert isinstance(index, DocRecord)
    assert index.title == "Tides"
    assert "At Leith. The tide **turns**." in index.content
    assert "```\n<i>{{ x }}</i>\n```" in index.content
    assert "{{ shown }} and `{% kept %}`." in index.content
    assert "remark" not in index.content
    assert "content-elsewhere" in [each.code for each in diagnostics]


def test_macros_of_mkdocs_have_the_values_of_the_configuration(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "mkdocs.yml": (
                "site_name: Buoy\nplugins: [macros]\nextra:\n  release: '4.2'\n  sea: {name: Baltic}\n"
            ),
            "docs/index.md": "# Buoy\n\n{{ config.site_name }} {{ release }} in the {{ sea.name }};"
            " {{ weather() }}.\n\n{% if x %}Always.{% endif %}\n\n```\n{{ release }}\n```\n",
        },
    )
    inputs, _ = read(root)
    (index,) = inputs.records["docs"]
    assert isinstance(index, DocRecord)
    assert "Buoy 4.2 in the Baltic; `weather()`.\n\nAlways." in index.content
    assert "```\n{{ release }}\n```" in index.content


def test_substitutions_of_myst_have_the_values_of_conf_py_and_of_the_page(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "conf.py": (
                "project = 'Pier'\nextensions = ['myst_parser']\n"
                "myst_enable_extensions = ['substitution']\nmyst_substitutions = {'depth': '4 m'}\n"
            ),
            "index.md": "---\nmyst:\n  substitutions:\n    keeper: Ada\n---\n\n# Pier\n\n"
            "{{ keeper }} measured {{ depth }}.\n",
        },
    )
    inputs, _ = read(root)
    (index,) = inputs.records["docs"]
    assert isinstance(index, DocRecord)
    assert "Ada measured 4 m." in index.content


def test_hugo_reads_the_folders_that_its_module_mounts_as_content(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.yaml": (
                "title: Reef\nbaseURL: https://reef.example/\nmodule:\n  mounts:\n"
                "  - {source: content, target: content}\n"
                "  - {source: books/coral, target: content/coral}\n"
                "  - {source: books/german, target: content/coral, lang: de}\n"
                "  - {source: assets, target: assets}\n"
            ),
            "content/a.md": page("A"),
            "books/coral/b.md": page("B"),
            "books/german/b.md": page("B auf Deutsch"),
            "assets/c.md": page("C"),
        },
    )
    inputs, _ = read(root)
    found = addresses(inputs) | addresses(inputs, "docs-2")
    assert found == {
        "a.md": "https://reef.example/a/",
        "books/coral/b.md": "https://reef.example/coral/b/",
    }


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


def test_an_address_on_this_machine_is_not_where_the_site_is(tmp_path: Path) -> None:
    config = "site_name: S\nsite_url: !ENV [URL, 'http://localhost:8000/']\n"
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": config, "docs/a.md": page("A")})
    inputs, _ = read(root)
    assert addresses(inputs) == {"a.md": ""}


def test_macros_leave_files_to_the_plugin_that_includes_them(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "mkdocs.yml": "site_name: B\nplugins: [macros, include-markdown]\nextra: {sea: Baltic}\n",
            "docs/index.md": '# B\n\n{{ sea }}\n\n{% include-markdown "../NEWS.md" %}\n',
            "NEWS.md": "It is cold.\n",
            "setup.py": "",
        },
    )
    inputs, _ = read(root)
    index = inputs.records["docs"][0]
    assert isinstance(index, DocRecord)
    assert "Baltic\n\nIt is cold." in index.content


def test_values_that_hooks_of_mkdocs_fill_in_are_no_braces(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "mkdocs.yml": "site_name: B\nhooks: [main.py]\n",
            "docs/index.md": "# B\n\nThis is {{ version }}.\n",
        },
    )
    inputs, diagnostics = read(root)
    (index,) = inputs.records["docs"]
    assert isinstance(index, DocRecord)
    assert "This is `version`." in index.content
    assert "content-elsewhere" in [each.code for each in diagnostics]


def test_of_sites_beside_each_other_the_one_with_the_most_pages_gives_the_title(
    tmp_path: Path,
) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "setup.py": "",
            "doc/drafts/conf.py": "project = 'Drafts'\n",
            "doc/drafts/index.rst": "Drafts\n======\n\nFew.\n",
            "doc/source/conf.py": "project = 'Jetty'\n",
            "doc/source/index.rst": "Jetty\n=====\n\n.. toctree::\n\n   a\n   b\n",
            "doc/source/a.rst": "A\n=\n\nText.\n",
            "doc/source/b.rst": "B\n=\n\nText.\n",
        },
    )
    found = recognised(root)
    assert "Sphinx project 'Jetty'" in found.what
    assert [each.paths for each in found.project.collections][:2] == [
        ("doc/source",),
        ("doc/drafts",),
    ]


@pytest.mark.parametrize(
    "contents",
    [
        "&a\n- sections: *a\n- local: index\n",
        "\n".join(
            [
                "a: &a0 [index]",
                *(f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)),
            ]
        ),
        "- " * 300 + "local: index\n",
    ],
    ids=["endless", "repeated", "deep"],
)
def test_contents_that_never_end_are_none(tmp_path: Path, contents: str) -> None:
    files = {"_toctree.yml": contents, "index.md": page("Index"), "mkdocs.yml": contents}
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).project.collections


def test_braces_of_a_pattern_do_not_multiply_without_end(tmp_path: Path) -> None:
    config = '{"build": {"content": ["%s.md", "a.md"]}}' % ("{a,b}" * 40)
    root = write_tree(tmp_path / "tree", {"docfx.json": config, "a.md": page("A")})
    inputs, _ = read(root)
    assert [record.id for record in inputs.records["docs"]] == ["a.md"]
