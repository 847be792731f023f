"""RDoc as Markdown."""

from __future__ import annotations

from tests.compiler.formats.samples import read, samples

from kbc.formats import convert


def test_sample_keeps_headings_lists_code_and_links() -> None:
    path, data = samples()["rdoc"]
    (document,) = convert(path, data, read)
    assert (document.title, document.problems) == ("Heron", ())
    assert document.anchors == ("label-Heron", "label-How+to+-3Cb-3Ecount+them-3C-2Fb-3E")
    assert document.text == (
        "# Heron\n\nCounts **birds** and `eggs`, see `Heron.fly`,\n"
        "[the pond](https://pond.example/) and [other](other.rdoc).\n\n"
        "## How to **count them**\n\n```\nHeron.count do |bird|\n  bird.fly\nend\n```\n\n"
        "- One\n\n- Two, which\n  goes on\n\n  ```\n  deep = true\n  ```\n\n"
        "1. First\n2. Second\n\n- **`:fast`**\n\n  Flies fast.\n\n- **slow**\n\n  Walks, by +foot+.\n\n"
        "Ends with *care*.\n"
    )


def test_files_are_included_and_missing_ones_counted() -> None:
    tree = {"docs/part.rdoc": b"A part.\n"}
    data = b":title: Birds\n= Heron\n\n:include: part.rdoc\n\n:include: gone.rdoc\n"
    (document,) = convert("docs/a.rdoc", data, tree.get)
    assert document.title == "Birds"
    assert document.text == "# Heron\n\nA part.\n\n(not included: gone.rdoc)\n"
    assert [each.name for each in document.problems] == [":include:"]


def test_lists_nest_and_code_in_text_is_no_item() -> None:
    data = b"* a\n  * b\n    1. c\n\nCall Heron::Nest here.\n\nHeron::Nest:: A class.\n"
    (document,) = convert("a.rdoc", data, read)
    assert document.text == (
        "- a\n\n  - b\n\n    1. c\n\nCall Heron::Nest here.\n\n- **Heron::Nest**\n\n  A class.\n"
    )
