"""Files whose ending says little, by what they begin with: API descriptions and DocBook."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, titles, write_tree

from kbc.recognition.detection import recognise
from kbc.sources.formats import format_by_content

API = {
    "spec/water.yaml": (
        "openapi: 3.0.3\ninfo:\n  title: Water\n  version: '1'\n  description:\n    $ref: 'text.yml#/intro'\n"
        "paths:\n  /gates:\n    get:\n      $ref: gates/list.yml\n"
    ),
    "spec/text.yml": "intro: All about sluices.\n",
    "spec/gates/list.yml": (
        "operationId: list_gates\nsummary: List gates\nresponses:\n  '200':\n    description: Gates\n"
        "    content:\n      application/json:\n        schema:\n          $ref: gate.yml\n"
        "x-codeSamples:\n  - lang: Shell\n    source: curl https://water.example/gates\n"
    ),
    "spec/gates/gate.yml": "type: object\nproperties:\n  width: {type: integer}\n",
    "spec/unrelated.yml": "a: 1\n",
}
CHAPTER = (
    '<chapter id="locks">\n<title>Locks</title>\n<para>A lock lifts boats.</para>\n</chapter>\n'
)


@pytest.mark.parametrize(
    ("name", "start", "format"),
    [
        ("api.yaml", "# ours\nopenapi: 3.1.0\n", "openapi"),
        ("api.json", '{"info": "x", "openapi": "3.0.0"}', "openapi"),
        ("api.yml", "spec:\n  openapi: 3.1.0\n", ""),
        ("api.txt", "openapi: 3.1.0\n", ""),
        (
            "book.xml",
            "<?xml version='1.0'?>\n<book xmlns='http://docbook.org/ns/docbook'>",
            "docbook",
        ),
        (
            "book.xml",
            '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x.dtd">',
            "docbook",
        ),
        ("part.xml", CHAPTER, "docbook"),
        ("part.xml", "\ufeff" + CHAPTER.replace("chapter", "section"), "docbook"),
        (
            "entry.xml",
            "<refentry>\n<indexterm><primary>gate</primary></indexterm>\n<!-- a page -->\n<refmeta>",
            "docbook",
        ),
        ("data.xml", "<article><title>no book</title></article>", ""),
        ("sitemap.xml", "<urlset><url><loc>https://x.example</loc></url></urlset>", ""),
    ],
)
def test_a_format_is_told_by_how_a_file_begins(name: str, start: str, format: str) -> None:
    assert format_by_content(name, start.encode()) == format


def test_an_api_in_several_files_is_read_whole(tmp_path: Path) -> None:
    inputs, _ = read(write_tree(tmp_path / "tree", API))
    records = {record.id: record for record in inputs.records["docs"]}
    assert set(records) == {"spec/water.yaml", "spec/water.yaml/list_gates"}
    assert "All about sluices." in records["spec/water.yaml"].content
    text = records["spec/water.yaml/list_gates"].content
    assert "| `width` | integer |" in text
    assert "`application/json`: `gate`" in text
    assert "```shell\ncurl https://water.example/gates\n```" in text
    assert inputs.accounting.counts()["included"] == 3
    assert inputs.accounting.reasons("left out") == {"format not read: .yml": 1}


def test_one_description_of_an_api_is_enough(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", API)
    assert recognise(root / "spec/water.yaml").what == "one file, water.yaml"


def test_a_repository_has_its_api_beside_its_code(tmp_path: Path) -> None:
    files = {"go.mod": "module x\n", "main.go": "package main\n", "README.md": page("X")} | API
    collections = recognised(write_tree(tmp_path / "tree", files)).project.collections
    found = {each.name: each.paths for each in collections}
    assert found == {"readme": ("README.md",), "api": ("spec/water.yaml",), "code": (".",)}
    assert "/spec/water.yaml" in collections[-1].exclude


def test_a_book_in_xml_is_no_built_site_beside_its_stylesheets_in_html(tmp_path: Path) -> None:
    files = {"locks.xml": CHAPTER, "gates.xml": CHAPTER.replace("Lock", "Gate")}
    root = write_tree(tmp_path / "tree", {**files, "preview.html": "<p>Preview</p>"})
    assert recognised(root).what == "folder of pages"
    inputs, _ = read(root)
    titles = {record.id: record.title for record in inputs.records["docs"]}
    assert titles == {"locks.xml": "Locks", "gates.xml": "Gates"}


def test_includes_that_a_build_writes_are_elsewhere_and_others_missing(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "setup.py": "",
            ".gitignore": "doc/talks.txt\ndoc/made.md\n",
            "doc/conf.py": "project = 'Sluice'\nextensions = ['myst_parser']\n",
            "doc/index.rst": "Sluice\n======\n\n.. include:: talks.txt\n",
            "doc/other.md": "# Other\n\n```{include} made.md\n```\n",
            "doc/wrong.rst": "Wrong\n=====\n\n.. include:: nothing.txt\n",
        },
    )
    _, diagnostics = read(root)
    found = {(each.path, each.code) for each in diagnostics}
    assert ("doc/index.rst", "content-elsewhere") in found
    assert ("doc/other.md", "content-elsewhere") in found
    assert ("doc/wrong.rst", "unresolved-directive") in found


def test_a_page_beside_the_site_may_link_to_names_of_its_pages_and_its_inventory(
    tmp_path: Path,
) -> None:
    header = b"# Sphinx inventory version 2\n# Project: S\n# Version: 1\n# compressed using zlib.\n"
    entry = b"made std:label -1 made.html# Made\n"
    root = write_tree(
        tmp_path / "tree",
        {
            "setup.py": "",
            "README.md": "# Sluice\n\n[Gates](#gates), [made](#made) and [no](#nowhere).\n",
            "doc/conf.py": "project = 'Sluice'\nextensions = ['myst_parser']\n",
            "doc/index.md": "# Index\n\n(gates)=\n## All the gates\n\nThey open.\n",
        },
    )
    (root / "doc" / "objects.inv").write_bytes(header + zlib.compress(entry))
    _, diagnostics = read(root)
    dead = [each.message for each in diagnostics if each.code == "dead-anchor"]
    assert len(dead) == 1
    assert "#nowhere" in dead[0]


def test_documentation_in_formats_that_are_not_read_is_named(tmp_path: Path) -> None:
    files = {
        "index.md": page("Heron"),
        "guide.org": "* Guide\n\nText.\n",
        "guide.tex": "made of guide.org",
        "manual.tex": "\\section{Top}",
        "doc/index.dj": "# Heron\n",
        "types/Int.rakudoc": "=begin pod\n=TITLE Int\n=end pod\n",
        "picture.svg": "<svg/>",
    }
    root = write_tree(tmp_path / "heron", files)
    _, diagnostics = read(root)
    (note,) = (each for each in diagnostics if each.code == "format-not-read")
    assert note.path == "doc/index.dj"
    assert note.message.endswith(": 3 (doc/index.dj, manual.tex, types/Int.rakudoc)")
    (root / "doc/index.dj").unlink()
    (root / "manual.tex").unlink()
    (root / "types/Int.rakudoc").unlink()
    assert not [each for each in read(root)[1] if each.code == "format-not-read"]


def test_pages_that_a_site_relates_by_names_of_its_own_are_no_mistakes(tmp_path: Path) -> None:
    post = "---\ntitle: Nests\nrelated: [eggs]\n---\n\nHow to build them.\n"
    site = {
        "_config.yml": "title: Heron\n",
        "_posts/2024-01-01-nests.md": post,
        "index.md": page("A"),
    }
    _, diagnostics = read(write_tree(tmp_path / "site", site))
    assert [each.code for each in diagnostics if each.code == "unknown-related"] == []
    plain = write_tree(tmp_path / "plain", {"nests.md": post, "index.md": page("A")})
    assert "unknown-related" in {each.code for each in read(plain)[1]}


REFERENCE = (
    '<?xml version="1.0"?>\n<refentry id="{0}"><refmeta><refentrytitle>{0}</refentrytitle>'
    "<manvolnum>8</manvolnum></refmeta><refnamediv><refname>{0}</refname><refpurpose>probe</refpurpose></refnamediv></refentry>\n"
)


@pytest.mark.parametrize("folder", ["src/site/xdoc", "webapps/docs", "docs"])
def test_pages_of_xdoc_are_documentation(tmp_path: Path, folder: str) -> None:
    start = "<document><properties><title>{0}</title></properties><body><p>On {0}.</p></body></document>"
    files = {f"{folder}/{name}/{at}.xml": start.format(at) for name in "ab" for at in range(12)}
    files |= {"pom.xml": "<project/>", "src/A.java": "class A {}\n", f"{folder}/data.xml": "<a/>\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert {each.path for each in inputs.records["docs"]} == {
        name for name in files if name.startswith(f"{folder}/") and "data" not in name
    }
    assert inputs.records["docs"][0].title == "0"


def test_man_pages_in_docbook_beside_source_are_read(tmp_path: Path) -> None:
    files = {f"modules/{name}/{name}.8.xml": REFERENCE.format(name) for name in "abc"}
    files |= {
        "modules/a/a.c": "int a;\n",
        "modules/a/a.8": ".TH a 8\n",
        "modules/a/d.8.xml": "<data/>\n",
    }
    root = write_tree(tmp_path / "tree", {"configure.ac": "", **files})
    inputs, _ = read(root)
    expected = {f"modules/{name}/{name}.8.xml": f"{name}(8)" for name in "abc"}
    assert titles(inputs.records["man"]) == expected


@pytest.mark.parametrize(("html", "is_read"), [(("a",), True), (("a", "b", "c", "d"), False)])
def test_a_page_of_html_beside_many_other_texts_makes_no_built_site(
    tmp_path: Path, html: tuple[str, ...], is_read: bool
) -> None:
    files = {f"doc/{name}.txt": f"Text on {name}.\n" for name in "abc"}
    files |= {f"doc/{name}.html": f"<p>{name}</p>\n" for name in html}
    root = write_tree(tmp_path / "tree", {"configure.ac": "", "a.c": "int a;\n", **files})
    kinds = {each.name: each.kind for each in recognised(root).project.collections}
    assert ("docs" in kinds) is is_read


@pytest.mark.parametrize(("other", "expected"), [("a.c", "README"), ("README.md", "README.md")])
def test_a_readme_without_an_ending_is_a_page_where_there_is_no_other(
    tmp_path: Path, other: str, expected: str
) -> None:
    files = {"configure.ac": "", "README": "Herons nest here.\n", other: "# Heron\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [each.path for each in inputs.records["readme"]] == [expected]


def test_a_manual_in_texinfo_beside_source_is_read_with_its_chapters(tmp_path: Path) -> None:
    begin = "\\input texinfo\n@settitle Heron\n@node Top\n@top Heron\n\n@include nests.texi\n@bye\n"
    files = {"src/doc/heron.texi": begin, "src/doc/nests.texi": "@chapter Nests\n\nOf reeds.\n"}
    files |= {"configure.ac": "", "src/heron.c": "int a;\n", "lisp/heron.el": "(a)\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    (manual,) = inputs.records["man"]
    assert (manual.path, manual.title) == ("src/doc/heron.texi", "Heron")
    assert "Of reeds." in manual.text


def test_chapters_at_the_top_of_a_book_are_read_with_their_sections(tmp_path: Path) -> None:
    files = {f"book/nests/s{number}.asc": f"=== Part {number}\n\nText.\n" for number in range(25)}
    files |= {
        "ch2.asc": "== Eggs\n\nWhat eggs are.\n\ninclude::./book/nests/s2.asc[]\n",
        "ch1.asc": "== Nests\n\nWhat nests are.\n\ninclude::book/nests/s0.asc[]\n",
        "notes.asc": "= Notes\n\nFor who writes here.\n",
        "README.asc": "= Herons\n\ninclude::book/nests/s1.asc[]\n",
        "Gemfile": "",
        "build.rb": "puts 1\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    found = {each.path: each.text for each in inputs.records["docs"]}
    assert "What nests are." in found["ch1.asc"]
    assert {each for each in found if "/" not in each} == {"ch1.asc", "ch2.asc"}
