"""Antora, DocFX and doc-builder: contents, titles, addresses and exclusions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.project.model import Project
from kbc.project.permalinks import address
from kbc.records import DocRecord


def test_antora_takes_components_navigation_and_the_playbook(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "antora-playbook.yml": "site: {title: Reed, url: https://reed.example}\n",
            "antora.yml": "name: reed\ntitle: Reed\nversion: '2'\nnav: [modules/ROOT/nav.adoc]\n",
            "modules/ROOT/nav.adoc": "* xref:zoo.adoc[Zoo]\n* xref:cut:how.adoc#x[How]\n",
        },
    )
    project = recognised_project(root)
    (collection,) = project.collections
    assert collection.include == ("/modules/*/pages/**",)
    assert collection.site.order == {
        "modules/ROOT/pages/zoo.adoc": 0,
        "modules/cut/pages/how.adoc": 1,
    }

    assert [address(collection, path, {}) for path in collection.site.order] == [
        "https://reed.example/reed/2/zoo.html",
        "https://reed.example/reed/2/cut/how.html",
    ]


def test_components_are_found_at_any_depth_the_largest_first(tmp_path: Path) -> None:
    files = {
        "build.gradle": "",
        "a/lake/src/docs/antora/antora.yml": "name: lake\n",
        "a/lake/src/docs/antora/modules/ROOT/pages/x.adoc": "= X\n\nText.\n",
        "b/reed/src/docs/antora/antora.yml": "name: reed\n",
        "b/reed/src/docs/antora/modules/ROOT/pages/y.adoc": "= Y\n\nText.\n",
        "b/reed/src/docs/antora/modules/ROOT/pages/z.adoc": "= Z\n\nText.\n",
        "b/reed/src/test/docs/antora/antora.yml": "name: no\n",
    }
    found = recognised(write_tree(tmp_path / "tree", files))
    place = "b/reed/src/docs/antora"
    assert (
        found.what == f"repository with an Antora component 'reed' ({place}/antora.yml) and 1 more"
    )


@pytest.mark.parametrize(
    ("urls", "component", "found"),
    [
        ("html_extension_style: indexify", "", ["2/zoo/", "2/", "2/cut/"]),
        ("html_extension_style: drop", "", ["2/zoo", "2/", "2/cut/"]),
        (
            "latest_version_segment: now",
            "",
            ["now/zoo.html", "now/index.html", "now/cut/index.html"],
        ),
        (
            "latest_version_segment: now, latest_version_segment_strategy: 'redirect:from'",
            "",
            ["2/zoo.html", "2/index.html", "2/cut/index.html"],
        ),
        (
            "latest_version_segment: now, html_extension_style: drop",
            "prerelease: -beta\n",
            ["2/zoo", "2/", "2/cut/"],
        ),
    ],
)
def test_antora_has_the_addresses_that_the_playbook_chooses(
    tmp_path: Path, urls: str, component: str, found: list[str]
) -> None:
    files = {
        "antora-playbook.yml": f"site: {{url: https://reed.example}}\nurls: {{{urls}}}\n",
        "antora.yml": f"name: reed\nversion: '2'\n{component}",
    }
    project = recognised_project(write_tree(tmp_path / "tree", files))
    (collection,) = project.collections
    pages = ("ROOT/pages/zoo.adoc", "ROOT/pages/index.adoc", "cut/pages/index.adoc")
    assert [address(collection, f"modules/{path}", {}) for path in pages] == [
        f"https://reed.example/reed/{path}" for path in found
    ]


def test_a_component_at_the_root_is_not_part_of_addresses(tmp_path: Path) -> None:
    extensions = "[plain, {require: x}, {require: y, root_component_name: reed}]"
    files = {
        "antora-playbook.yml": (
            f"site: {{url: https://reed.example/docs/}}\nantora: {{extensions: {extensions}}}\n"
        ),
        "antora.yml": "name: reed\nversion: ~\n",
    }
    (collection,) = recognised_project(write_tree(tmp_path / "tree", files)).collections
    found = address(collection, "modules/ROOT/pages/cut/zoo.adoc", {})
    assert found == "https://reed.example/docs/cut/zoo.html"


@pytest.mark.parametrize("name", ["antora-playbook.yml", "docs/publish.yml"])
def test_attributes_of_the_playbook_are_those_of_pages(tmp_path: Path, name: str) -> None:
    page = "= Zoo\n\nSee link:{base}/{isle}[there], {soft}, {firm}, {unknown}.\n"
    files = {
        name: "site: {title: Reed, url: https://reed.example}\ncontent: {sources: [{url: .}]}\n"
        "asciidoc:\n  attributes: {base: https://b.example, isle: mull@, soft: kept@, firm: rock}\n",
        "docs/antora.yml": "name: reed\ntitle: Reed\nversion: ~\nnav: [modules/ROOT/nav.adoc]\n"
        "asciidoc:\n  attributes: {isle: skye, firm: sand}\n",
        "docs/preview.yml": "site: no playbook\n",
        "docs/modules/ROOT/nav.adoc": "* xref:zoo.adoc[Zoo]\n",
        "docs/modules/ROOT/pages/zoo.adoc": page,
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    (zoo,) = inputs.records["docs"]
    assert "[there](https://b.example/skye), kept, rock, {unknown}." in zoo.text


def recognised_project(root: Path) -> Project:
    (root / "modules/ROOT/pages").mkdir(parents=True, exist_ok=True)
    return recognised(root).project


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


def test_pages_about_a_project_that_docfx_leaves_out_are_read_beside_its_pages(
    tmp_path: Path,
) -> None:
    content = [{"files": "**/*.md"}, {"src": "../", "files": "CHANGELOG.md"}]
    files = {
        "docs/docfx.json": json.dumps({"build": {"content": content}}),
        "src/Nest.cs": "class Nest {}\n",
        "Nest.sln": "",
    }
    files |= {name: page(name) for name in ("docs/a.md", "CHANGELOG.md", "README.md", "NOTES.md")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    paths = {name: {each.path for each in records} for name, records in inputs.records.items()}
    assert paths["docs"] == {"docs/a.md", "CHANGELOG.md"}
    assert paths["readme"] == {"README.md"}


def test_links_of_docfx_may_start_at_its_configuration(tmp_path: Path) -> None:
    files = {
        "docs/docfx.json": '{"build": {"content": [{"files": "**/*.md"}]}}',
        "docs/index.md": page("Start"),
        "docs/deep/a.md": "# A\n\n[B](~/index.md#start) [C](~/gone.md) [D](~/index.md#gone)\n",
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files) / "docs")
    found = {each.code: each.message for each in diagnostics if each.code.startswith("dead-")}
    assert sorted(found) == ["dead-anchor", "dead-link"]
    assert "leads to gone.md, which" in found["dead-link"]


def test_references_of_docfx_lead_to_the_page_with_the_uid(tmp_path: Path) -> None:
    files = {
        "docfx.json": '{"build": {"content": [{"files": ["**/*.md"]}]}}',
        "index.md": "# Start\n\nFirst <xref:nests>, then [eggs](xref:eggs).\n",
        "short.md": '# Short\n\nSee (@nests), @"eggs" or @Birds.Nest.Build. Thank @ada or a@Birds.Org.\n',
        "birds/nests.md": "---\nuid: nests\n---\n\n# Big nests\n\nText.\n",
        "birds/eggs.md": "---\nuid: eggs\ntitle: Eggs\n---\n\nText.\n",
        "404.md": "# Not found\n\nThere is no such page.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    records = {each.path: each for each in inputs.records["docs"]}
    assert set(records) == {"index.md", "short.md", "birds/nests.md", "birds/eggs.md"}
    assert (
        "See ([Big nests](birds/nests.md)), [Eggs](birds/eggs.md) or `Birds.Nest.Build`. Thank @ada or "
        "a@Birds.Org." in records["short.md"].text
    )
    assert (
        "First [Big nests](birds/nests.md), then [eggs](birds/eggs.md)." in records["index.md"].text
    )


def test_docfx_finds_files_in_any_case_of_their_letters(tmp_path: Path) -> None:
    files = {
        "docfx.json": '{"build": {"content": [{"files": ["**/*.md"]}]}}',
        "index.md": "# Start\n\n[Nests](birds\\big-nests.md)\n\n[!code-cs[](snippets/cs/egg.cs)]\n",
        "birds/Big-Nests.md": page("Nests"),
        "Snippets/CS/Egg.cs": "class Egg { int weight; }\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (start,) = (each for each in inputs.records["docs"] if each.path == "index.md")
    assert "class Egg { int weight; }" in start.text
    assert not [each for each in diagnostics if each.code in ("dead-link", "include-unresolved")]


def test_docfx_has_the_pages_of_commands_that_microsoft_learn_makes_yaml_of(tmp_path: Path) -> None:
    config = (
        '{"build": {"content": [{"files": ["**/*.yml"], "src": "nests-ps", "dest": "module"}],'
        ' "sitemap": {"baseUrl": "https://c.example"}}}'
    )
    publishing = (
        '{"dependent_packages": [{"id": "Microsoft.DocAsCode.MAML2Yaml"}],'
        ' "redirection_files": ["moved/first.json"]}'
    )
    files = {
        ".openpublishing.publish.config.json": publishing,
        "moved/first.json": (
            '{"redirections": [{"source_path": "../docs/nests-ps/Get-Eggs.md",'
            ' "redirect_url": "/module/Nests/Get-Egg"}]}'
        ),
        "docs/docfx.json": config,
        "docs/nests-ps/Nests/Get-Egg.md": page("Get-Egg"),
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root)
    assert addresses(inputs) == {"Nests/Get-Egg.md": "https://c.example/module/Nests/Get-Egg.html"}
    (found,) = inputs.records["docs"]
    assert isinstance(found, DocRecord)
    assert found.aliases == ("https://c.example/Get-Eggs",)
