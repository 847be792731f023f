"""Pages of Lektor as Markdown."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.formats.samples import read, samples
from tests.compiler.recognition.trees import read as read_tree
from tests.compiler.recognition.trees import titles, write_tree

from kbc.formats import convert
from kbc.formats.document import Converted


def one(source: str) -> Converted:
    (document,) = convert("content/contents.lr", source.encode(), read)
    return document


def test_the_title_and_fields_of_several_lines_are_kept() -> None:
    path, data = samples()["lektor"]
    (document,) = convert(path, data, read)
    assert (document.title, document.author, document.created_at) == (
        "Weirs & locks",
        "A. Heron",
        "2026-04-01",
    )
    assert document.summary == "How water is held."
    assert document.text == (
        "# Weirs & locks\n\nA *weir* holds water:\n\n```\n---\n```\n\n## Locks\n\nThey lift boats.\n\n"
        "**Gates**\n\nTwo of them.\n\nOne is open.\n"
    )


def test_a_heading_of_the_text_is_the_title() -> None:
    assert one("title: A\n---\nbody:\n\n# B\n\nText.\n").text == "# B\n\nText.\n"
    assert one("_model: page\n---\nsort_key: 3\n").text == ""
    (document,) = convert("content/weirs/contents.lr", b"body:\n\nThey hold\nwater.\n", read)
    assert (document.title, document.text) == ("weirs", "They hold\nwater.\n")


def test_a_description_is_the_text_of_a_page_without_another() -> None:
    nest = one(
        "name: Nest\n---\nurl: https://nest.example\n---\ndescription:\n\nHas *eggs*.\n\nTwo.\n"
    )
    assert (nest.title, nest.text, nest.summary) == ("Nest", "# Nest\n\nHas *eggs*.\n\nTwo.\n", "")
    assert one("name: Nest\n---\ndescription: Has eggs.\n").text == "# Nest\n\nHas eggs.\n"
    page = one("title: Nest\n---\ndescription: Has eggs.\n---\nbody:\n\nOf\ntwigs.\n")
    assert (page.text, page.summary) == ("# Nest\n\nOf\ntwigs.\n", "Has eggs.")
    assert one("_model: list\n---\nsummary: All nests\n").text == ""


def test_blocks_in_blocks_end_somewhere() -> None:
    nested = "body:\n\ntext\nof it\n"
    for depth in range(1, 30):
        marks = "-" * (depth + 3)
        nested = f"flow:\n\n#### a ####\ntitle: x\n{marks}\n{nested}"
    assert "text\nof it" in one(f"title: A\n---\n{nested}").text


def test_a_site_of_lektor_is_read_without_a_configuration(tmp_path: Path) -> None:
    files = {
        f"content/{name}/contents.lr": f"title: {name}\n---\nbody:\n\nOn\n{name}.\n"
        for name in "abc"
    }
    files |= {"Nests.lektorproject": "[project]\nname = Nests\n", "models/page.ini": "[model]\n"}
    inputs, _ = read_tree(write_tree(tmp_path / "tree", files))
    assert [*titles(inputs.records["docs"]).values()] == ["a", "b", "c"]


def test_a_text_on_the_line_of_its_name_is_kept() -> None:
    blocks = "flow:\n\n#### text ####\ntext: It opens.\n----\nclass: wide\n"
    found = one(f"title: A\n---\nbody: They hold water.\n---\n_template: page.html\n---\n{blocks}")
    assert found.text == "# A\n\nThey hold water.\n\nIt opens.\n"
    assert one("title: A\n---\nbody:\n").text == "# A\n"


def test_other_files_with_this_ending_are_no_pages(tmp_path: Path) -> None:
    files = {f"src/{name}.lr": f"S -> {name} S\n" for name in "abc"}
    files |= {f"src/{name}.c": f"int {name}(void) {{ return 0; }}\n" for name in "abc"}
    files |= {f"docs/{name}.md": f"# {name}\n\nText.\n" for name in "abc"}
    files |= {"Makefile": "all:\n", "README.md": "# Nests\n\nText.\n", "docs/a.lr": "S -> a\n"}
    inputs, _ = read_tree(write_tree(tmp_path / "tree", files))
    assert [*titles(inputs.records["docs"]).values()] == ["a", "b", "c"]
