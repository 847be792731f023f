"""Files of other formats as records of the kinds `docs` and `pages`."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kbc.backends.catalog import lookup_keys
from kbc.cache.phases import PhaseCache, remembering
from kbc.diagnostics import Diagnostics
from kbc.formats import Read, conversion
from kbc.formats.asciidoc.attributes import unknown_names
from kbc.formats.asciidoc.labels import labels_of
from kbc.formats.registry import format_of
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.reading import read_inputs
from kbc.records import DocRecord, PageRecord, catalog_entry

OPENAPI = """\
openapi: 3.1.0
info: {title: Pets, description: Keeps pets.}
paths:
  /pets:
    get: {operationId: listPets, summary: List pets, responses: {"200": {description: All}}}
"""


def inputs(root: Path, files: dict[str, str]) -> tuple[Inputs, Diagnostics]:
    for path, text in {"kb.toml": '[kb]\nname = "x"\n', **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    diagnostics = Diagnostics()
    found = read_inputs(root, diagnostics)
    assert found is not None
    return found, diagnostics


def test_docs_hold_the_converted_text_with_the_anchors_of_the_format(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path,
        {
            "docs/a.rst": "Title\n=====\n\nText.\n\n.. option:: --all\n\n.. literalinclude:: ../src/run.py\n",
            "src/run.py": "print(1)\n",
        },
    )
    assert list(diagnostics) == []
    (record,) = found.records["docs"]
    assert isinstance(record, DocRecord)
    assert (record.id, record.title, record.format) == ("docs/a.rst", "Title", "rst")
    assert (
        record.text
        == record.content
        == "# Title\n\nText.\n\n## `--all`\n\n```python\nprint(1)\n```\n"
    )
    assert [section.anchor for section in record.sections] == ["title", "cmdoption-all"]


def test_pages_of_a_manual_answer_to_the_names_in_its_index(tmp_path: Path) -> None:
    page = "\\name{nests}\n\\alias{build_nest}\n\\title{Build a nest}\n\\description{Builds.}\n"
    found, diagnostics = inputs(tmp_path, {"docs/man/nests.Rd": page})
    assert list(diagnostics) == []
    (record,) = found.records["docs"]
    assert isinstance(record, DocRecord)
    assert record.aliases == ("build_nest", "nests")
    assert {"build_nest", "nests"} <= {*lookup_keys(catalog_entry(record))}


def test_parts_of_a_file_are_records_of_their_own(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path, {"docs/openapi.yaml": OPENAPI, "sources/api/openapi.yaml": OPENAPI}
    )
    assert list(diagnostics) == []
    assert [record.id for record in found.records["docs"]] == [
        "docs/openapi.yaml",
        "docs/openapi.yaml/listPets",
    ]
    pages = [record for record in found.records["sources"] if isinstance(record, PageRecord)]
    assert [(page.id, page.title) for page in pages] == [
        ("api/openapi.yaml", "Pets"),
        ("api/openapi.yaml/listPets", "List pets"),
    ]


def test_directives_without_text_are_one_warning_with_counts(tmp_path: Path) -> None:
    _, diagnostics = inputs(
        tmp_path,
        {"docs/a.rst": "Text.\n\n.. include:: x\n\n.. include:: y\n\n.. autoclass:: Z\n"},
    )
    assert [(each.code, each.path, each.line) for each in diagnostics] == [
        ("unresolved-directive", "docs/a.rst", 3),
        ("content-elsewhere", "docs/a.rst", 7),
    ]
    missing, elsewhere = diagnostics
    assert "include (2)" in missing.message
    assert "autoclass (1)" in elsewhere.message


@pytest.mark.parametrize(("files", "notes"), [(10, 10), (11, 1)])
def test_what_many_files_have_elsewhere_is_one_note(tmp_path: Path, files: int, notes: int) -> None:
    pages = {f"docs/{number}.rst": f"Text {number}.\n\n.. seo:: x\n" for number in range(files)}
    found = list(inputs(tmp_path, pages)[1])
    assert [each.code for each in found] == ["content-elsewhere"] * notes
    assert f"on {files} pages of 'docs'" in found[0].message if notes == 1 else found[0].line == 3
    assert f"seo ({files})" in found[0].message or notes > 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/a.rst", "A\n=\n\n.. autofunction:: fruit.twice\n"),
        ("docs/a.md", "# A\n\n::: fruit.twice\n"),
    ],
)
def test_references_of_python_name_the_extra_that_reads_them_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str
) -> None:
    files = {path: text, "fruit.py": 'def twice():\n    """Doubles pears."""\n'}
    monkeypatch.setitem(sys.modules, "kbc.formats.python.objects", None)
    (note,) = inputs(tmp_path, files)[1]
    assert note.code == "content-elsewhere"
    assert 'pip install "kb-compiler[formats]"' in note.hint
    assert "not in the tree" not in note.message
    monkeypatch.undo()
    pytest.importorskip("griffe")
    assert list(inputs(tmp_path, files)[1]) == []
    (note,) = inputs(tmp_path, {path: text.replace("fruit.", "vegetable.")})[1]
    assert "pip install" not in note.hint


def test_values_that_a_build_sets_are_one_note_for_all_files(tmp_path: Path) -> None:
    _, diagnostics = inputs(
        tmp_path,
        {
            "docs/a.adoc": "= A\n\nOf {version} and {version}.\n",
            "docs/b.adoc": "= B\n\nOf {version} and {name}.\n",
        },
    )
    (note,) = diagnostics
    assert (note.code, note.path) == ("content-elsewhere", "docs/a.adoc")
    assert "on 2 pages of 'docs'" in note.message
    assert "{version} (3), {name} (1)" in note.message


def test_files_around_a_document_are_read_as_its_format_wants(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path,
        {
            ".asciidoctorconfig": ":name: Outer\n:kind: book\n",
            "docs/.asciidoctorconfig": ":name: Heron\n",
            "docs/a.adoc": "= A\n\nThe {kind} of {name}.\n",
        },
    )
    assert not list(diagnostics)
    (page,) = found.records["docs"]
    assert "The book of Heron." in page.text


def test_parts_of_asciidoc_pages_are_no_pages(tmp_path: Path) -> None:
    included = ("parts/start.adoc", "_shared/legal.adoc", "chapter.adoc", "tagged.adoc[tag=a]")
    found, diagnostics = inputs(
        tmp_path,
        {
            "docs/book.adoc": "= Book\n\n"
            + "\n\n".join(
                f"include::{each.removesuffix('[tag=a]')}[{'tag=a' * ('[' in each)}]"
                for each in included
            ),
            "docs/parts/start.adoc": "== Start\n\nHow to start.\n\ninclude::more.adoc[]\n",
            "docs/parts/more.adoc": "More of it.\n\ninclude::start.adoc[]\n",
            "docs/_shared/legal.adoc": "= Legal\n\nWhat is allowed.\n",
            "docs/_shared/alone.adoc": "= Alone\n\nWhat no page includes.\n",
            "docs/chapter.adoc": "= Chapter\n\nA page of its own.\n",
            "docs/tagged.adoc": "== Tagged\n\n// tag::a[]\nOne.\n// end::a[]\n\nTwo.\n",
        },
    )
    assert not diagnostics.errors
    assert {record.id.removeprefix("docs/") for record in found.records["docs"]} == {
        "book.adoc",
        "_shared/alone.adoc",
        "chapter.adoc",
        "tagged.adoc",
    }
    outcomes = {each.path: (each.outcome, each.reason) for each in found.accounting}
    assert outcomes["docs/_shared/legal.adoc"] == ("included", "docs/book.adoc")


def test_files_outside_of_the_root_are_not_included(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "kb"
    found, diagnostics = inputs(root, {"docs/a.rst": "Text.\n\n.. include:: ../../secret.txt\n"})
    (root / "docs" / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert [each.code for each in diagnostics] == ["unresolved-directive"]
    (record,) = found.records["docs"]
    assert record.text == "Text.\n"


def test_a_broken_file_is_one_warning_with_its_line_and_counted(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path, {"docs/a.ipynb": '{\n"cells": [}', "docs/b.md": "# B\n\nText.\n"}
    )
    assert [(each.severity.label, each.code, each.path, each.line) for each in diagnostics] == [
        ("warning", "notebook-invalid", "docs/a.ipynb", 2)
    ]
    assert found.accounting.reasons("not readable") == {"notebook-invalid": 1}
    assert [record.path for record in found.records["docs"]] == ["docs/b.md"]


def test_what_was_converted_is_not_converted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted: list[str] = []

    def counted(convert: Callable[..., Any]) -> Callable[..., Any]:
        def counting(path: str, data: bytes, read: Read, **known: Any) -> Any:
            converted.append(path)
            return convert(path, data, read, **known)

        return counting

    for name in ("a.rst", "a.ipynb", "a.adoc"):
        chosen = format_of(name)
        assert chosen is not None
        converter = importlib.import_module(chosen.module)
        monkeypatch.setattr(converter, "convert", counted(converter.convert))
    files = {
        "docs/alone.rst": "Alone\n=====\n\nText.\n",
        "docs/more.rst": "More\n====\n\n.. literalinclude:: run.py\n",
        "docs/run.py": "print(1)\n",
        "docs/broken.ipynb": "{",
        "docs/refers.rst": "Refers\n======\n\nTo :ref:`winds` and :ref:`gone`.\n",
        "docs/winds.rst": ".. _winds:\n\nWinds\n=====\n\nText.\n",
        "docs/ids.adoc": "= Ids\n:of: x\n\nTo <<tail_x>> and <<gone>>.\n",
        "docs/tail.adoc": "[[tail_{of}]]\n= Tail\n\nText.\n",
    }

    def build(**changes: str) -> list[str]:
        converted.clear()
        files.update(changes)
        with closing(PhaseCache(tmp_path / "cache")) as cache, remembering(cache):
            found, _ = inputs(tmp_path / "kb", files)
        assert ("docs/run.py" in [each.path for each in found.files]) == (
            "run.py" in files["docs/more.rst"]
        )
        texts.update(
            {each.path: each.text for each in found.records["docs"] if isinstance(each, DocRecord)}
        )
        return sorted(set(converted) - {"docs/broken.ipynb"})  # which may be read later

    texts: dict[str, str] = {}
    names = [name for name in files if name.endswith((".rst", ".adoc"))]
    assert build() == sorted(names)
    assert "[Tail](tail.adoc#tail_x)" in texts["docs/ids.adoc"]
    assert build() == []
    assert build(**{"docs/run.py": "print(2)\n"}) == ["docs/more.rst"]
    assert "print(2)" in texts["docs/more.rst"]
    assert build(**{"docs/alone.rst": "Alone\n=====\n\n.. _gone:\n\nOther\n-----\n\nText.\n"}) == [
        "docs/alone.rst",
        "docs/ids.adoc",  # which looked through all labels
        "docs/refers.rst",
    ]
    assert "To Winds and Other" in re.sub(r"[\[\]]|\(.*?\)", "", texts["docs/refers.rst"])
    assert build(**{"docs/more.rst": "More\n====\n\nText.\n"}) == ["docs/more.rst"]
    monkeypatch.setattr(conversion, "converters", lambda formats: {"docutils-of-another-day": "1"})
    assert build() == sorted(names)


def test_entities_of_docbook_are_declared_in_files_around_it(tmp_path: Path) -> None:
    chapter = '<chapter xmlns="http://docbook.org/ns/docbook"><title>&name;</title>%s</chapter>'
    found, diagnostics = inputs(
        tmp_path,
        {
            "docs/one/a.xml": chapter % "<para>&near; &gone;</para>",
            "docs/one/near.ent": "<!ENTITY near 'by'>",
            "docs/entities/names.ent": '<!ENTITY name "Herons"><!ENTITY near "far">',
        },
    )
    assert list(diagnostics) == []
    (record,) = found.records["docs"]
    assert isinstance(record, DocRecord)
    assert record.text == "# Herons\n\nby gone\n"
    assert found.accounting.counts()["included"] == 3  # with kb.toml


def test_references_show_the_title_of_a_label_of_another_page_and_link_it(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path,
        {
            "docs/a.rst": "A\n=\n\n:ref:`Big Gates`, :ref:`shut it <shut>`, :ref:`sizes`, :ref:`gone`.\n",
            "docs/more/b.rst": (
                ".. _shut:\n.. _`big gates`:\n\n.. index:: gate\n   single: big\n\nThe ``big`` gates\n"
                "-----------------\n\nShut.\n\n.. _sizes:\n\n.. table:: Sizes of gates\n\n"
                "   === ===\n   a   b\n   === ===\n\n.. _b:\n\nB\n-\n\nEnd.\n"
            ),
        },
    )
    a, b = found.records["docs"]
    assert isinstance(a, DocRecord)
    assert isinstance(b, DocRecord)
    assert a.text == (
        "# A\n\n[The big gates](more/b.rst#the-big-gates),"
        " [shut it](more/b.rst#the-big-gates), [Sizes of gates](more/b.rst#sizes), gone.\n"
    )
    assert [section.anchor for section in b.sections] == ["the-big-gates", "b"]
    assert [each.code for each in diagnostics] == []


def test_a_book_in_asciidoc_links_its_chapters_which_have_its_attributes(tmp_path: Path) -> None:
    book = (
        "= Kites\n:version: 3\n:leveloffset: 1\ninclude::names.adoc[]\n\n"
        "include::ch/wind.adoc[On wind]\n\ninclude::{chapters}/lines.adoc[leveloffset=+1]\n\n"
        "include::ch/tail.adoc[]\n\n:leveloffset: 0\n\n== Last words\n\ninclude::note.adoc[]\n"
    )
    found, _ = inputs(
        tmp_path,
        {
            "docs/book.adoc": book.replace(":version:", ":chapters: ch\n:version:"),
            "docs/names.adoc": ":kite: Falcon {version}\n",
            "docs/note.adoc": "A note.\n",
            "docs/ch/wind.adoc": "== Wind\n\nThe {kite} flies.\n",
            "docs/ch/lines.adoc": "= Lines [new]\n\nTwo.\n",
            "docs/ch/tail.adoc": "== Tail\n\nLong.\n\ninclude::knot.adoc[leveloffset=+1]\n",
            "docs/ch/knot.adoc": "= Knot\n\nifdef::kite[]\nOf the {kite}.\nendif::[]\n",
            "docs/some.adoc": "= Some\n\ninclude::ch/wind.adoc[]\n\ninclude::ch/tail.adoc[]\n",
        },
    )
    texts = {each.id: each.text for each in found.records["docs"] if isinstance(each, DocRecord)}
    assert texts["docs/book.adoc"] == (
        "# Kites\n\n- [Wind](ch/wind.adoc)\n- [Lines [new]](ch/lines.adoc)\n- [Tail](ch/tail.adoc)\n\n"
        "## Last words\n\nA note.\n"
    )
    assert texts["docs/ch/wind.adoc"].endswith("The Falcon 3 flies.\n")
    assert texts["docs/ch/knot.adoc"].endswith("Of the Falcon 3.\n")
    assert "flies" in texts["docs/some.adoc"]


def test_a_book_in_asciidoc_with_two_entries_has_its_text_once(tmp_path: Path) -> None:
    parts = {name: f"== {name.title()}\n\n{f'All of {name}. ' * 30}\n" for name in "abc"}
    pages = "".join(f"include::p/{name}.adoc[]\n\n" for name in parts)
    hidden = "".join(f"include::q/_{name}.adoc[]\n\n" for name in parts)
    found, _ = inputs(
        tmp_path,
        {
            "docs/pages.adoc": f"= Pages\n\n{pages}",
            "docs/print.adoc": "= Print\n:name: Falcon\n\nTo print.\n\ninclude::pages.adoc[]\n",
            **{f"docs/p/{name}.adoc": f"{text}{{name}}\n" for name, text in parts.items()},
            "docs/hidden/index.adoc": f"= Hidden\n\n{hidden}",
            "docs/hidden/all.adoc": f"= All\n\nOf all.\n\n{hidden}",
            "docs/hidden/other.adoc": f"= Other\n\n{'Own words. ' * 200}\n\n{hidden}",
            **{f"docs/hidden/q/_{name}.adoc": text for name, text in parts.items()},
        },
    )
    texts = {each.id: each.text for each in found.records["docs"] if isinstance(each, DocRecord)}
    links = "- [A](p/a.adoc)\n- [B](p/b.adoc)\n- [C](p/c.adoc)\n"
    assert texts["docs/pages.adoc"] == f"# Pages\n\n{links}"
    assert texts["docs/print.adoc"].startswith("# Print\n\nTo print.\n")
    assert texts["docs/print.adoc"].endswith(links)
    assert texts["docs/p/a.adoc"].endswith("Falcon\n")
    assert "All of a." in texts["docs/hidden/index.adoc"]
    links = "- [A](index.adoc)\n- [B](index.adoc)\n- [C](index.adoc)\n"
    assert texts["docs/hidden/all.adoc"] == f"# All\n\nOf all.\n\n{links}"
    assert "All of a." in texts["docs/hidden/other.adoc"]


def test_references_in_asciidoc_show_the_title_of_an_id_of_another_page(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path,
        {
            "docs/a.adoc": "= A\n\nSee <<gates>>, <<tall-one>>, <<own>>, xref:sizes[], <<gone>>.\n\n"
            "[[own]]\n== My own\n\nText.\n",
            "docs/more/b.adoc": "= B\n\n[[gates]]\n[role=big]\n== The `big` gates\n\n[#tall-one.wide]\n"
            "=== A tall one\n\n[[sizes]]\n.Sizes of gates\n|===\n|a |b\n|===\n\n[[own]]\n== Other\n\nB.\n",
        },
    )
    a = found.records["docs"][0]
    assert isinstance(a, DocRecord)
    assert a.text.split("\n")[2] == (
        "See [The big gates](more/b.adoc#gates), [A tall one](more/b.adoc#tall-one), My own,"
        " [Sizes of gates](more/b.adoc#sizes), gone."
    )
    assert [each.code for each in diagnostics if each.code.startswith("dead")] == []


def test_ids_of_asciidoc_are_found_in_bounded_time() -> None:
    assert not [*labels_of("a.adoc", "[[a]]\n" * 30_000)]
    assert unknown_names("{kite} " + "`a " * 50_000) == ["kite"]


def test_modules_of_a_book_may_lie_behind_links_and_have_attributes_in_their_ids(
    tmp_path: Path,
) -> None:
    (tmp_path / "docs/book").mkdir(parents=True)
    (tmp_path / "docs/book/modules").symlink_to("../modules")
    module = "[id='{0}_{{context}}']\n= The {0}\n\nOf xref:tail_{{context}}[] and {{kite}}.\n"
    found, diagnostics = inputs(
        tmp_path,
        {
            "docs/modules/wind.adoc": module.format("wind"),
            "docs/modules/lines.adoc": module.format("lines"),
            "docs/modules/tail.adoc": module.format("tail"),
            "docs/book/attributes.adoc": ":kite: the Falcon\n",
            "docs/book/book.adoc": ":context: x\ninclude::attributes.adoc[]\n= Kites\n\n"
            "include::modules/wind.adoc[leveloffset=+1]\ninclude::modules/lines.adoc[leveloffset=+1]\n"
            "include::modules/tail.adoc[leveloffset=+1]\n",
            "docs/other.adoc": "= Other\n\nSee xref:tail_{context}[].\n",
        },
    )
    texts = {each.id: each.text for each in found.records["docs"] if isinstance(each, DocRecord)}
    assert {*texts} >= {"docs/book/book.adoc", "docs/modules/wind.adoc"}
    assert "docs/book/modules/wind.adoc" not in texts
    assert texts["docs/book/book.adoc"] == (
        "# Kites\n\n- [The wind](../modules/wind.adoc)\n- [The lines](../modules/lines.adoc)\n"
        "- [The tail](../modules/tail.adoc)\n"
    )
    assert texts["docs/modules/wind.adoc"].endswith(
        "Of [The tail](tail.adoc#tail_x) and the Falcon.\n"
    )
    assert "See [The tail](modules/tail.adoc#tail_{context})." in texts["docs/other.adoc"]
    assert not [each for each in diagnostics if each.code in ("content-elsewhere", "dead-anchor")]
