"""The tools over builtins, pages and their outlines."""

from __future__ import annotations

from typing import Any

import pytest
from tests.acceptance.quint.failures import error
from tests.documents import QUINT_DOCS


@pytest.mark.parametrize("name", ["mapBy", "mapby"])
def test_builtin_by_name_in_any_case(quint: Any, name: str) -> None:
    reply = quint.call("quint_get_builtin", name=name)
    assert reply.structured["name"] == "mapBy"
    assert reply.structured["signature"].startswith("pure def mapBy:")
    headings = [line for line in reply.text.split("\n") if line.startswith("# ")]
    assert headings == ["# mapBy"]
    assert "```quint\n" in reply.text
    assert "[View in documentation](https://example.org/docs/builtin#mapby)" in reply.text


@pytest.mark.parametrize(("alias", "name"), [("==", "eq"), (">=", "igte")])
def test_builtin_by_infix_form(quint: Any, alias: str, name: str) -> None:
    assert quint.call("quint_get_builtin", name=alias).structured["name"] == name


@pytest.mark.parametrize("params", [{}, {"arguments": {}}, {"arguments": {"name": None}}])
def test_builtin_without_a_name(quint: Any, params: dict[str, Any]) -> None:
    reply = quint.call_with("quint_get_builtin", params)
    assert "name" in error(reply, "BAD_INPUT")["message"]


def test_unknown_builtin_is_told_with_similar_names(quint: Any) -> None:
    reply = quint.call("quint_get_builtin", name="mapsBy")
    assert "mapBy" in error(reply, "NOT_FOUND")["suggestions"]
    assert '"mapsBy"' in reply.text
    assert "Suggestions: " in reply.text
    assert "77" in reply.text


def test_every_builtin_is_in_a_category(quint: Any) -> None:
    found = quint.call_with("quint_list_builtins", {}).structured
    assert found["total"] == len(found["builtins"]) == 77
    listed = {each["name"] for entries in found["byCategory"].values() for each in entries}
    assert listed == {each["name"] for each in found["builtins"]}
    assert found["categories"] == sorted(found["byCategory"])
    schema = quint.tools["quint_list_builtins"]["inputSchema"]
    assert schema["properties"]["category"]["enum"] == found["categories"]


@pytest.mark.parametrize("category", ["map", "MAP"])
def test_builtins_of_maps(quint: Any, category: str) -> None:
    found = quint.call("quint_list_builtins", category=category).structured
    names = {each["name"] for each in found["builtins"]}
    assert names >= {"mapBy", "setToMap", "setOfMaps", "keys", "get", "put"}


@pytest.mark.parametrize("category", ["logical", "boolean", "int", "arithmetic"])
def test_category_synonyms(quint: Any, category: str) -> None:
    assert quint.call("quint_list_builtins", category=category).structured["total"] > 3


def test_unknown_category_lists_the_categories(quint: Any) -> None:
    reply = quint.call("quint_list_builtins", category="zzz")
    known = quint.call("quint_list_builtins").structured["categories"]
    assert error(reply, "NOT_FOUND")["details"]["availableCategories"] == known
    assert ", ".join(known) in reply.text


@pytest.mark.parametrize("path", ["../package.json", "docs/../../package.json", "C:\\x", "..\\x"])
def test_path_out_of_the_tree_is_bad_input(quint: Any, path: str) -> None:
    error(quint.call("quint_get_doc", filename=path), "BAD_INPUT")
    error(quint.call("quint_doc_outline", path=path), "BAD_INPUT")


@pytest.mark.parametrize("path", ["/etc/hosts", "/etc/passwd", "NOTES.md"])
def test_path_outside_the_index_is_not_found(quint: Any, path: str) -> None:
    reply = quint.call("quint_get_doc", filename=path)
    found = error(reply, "NOT_FOUND")
    assert path in found["message"]
    assert 1 <= len(found["suggestions"]) <= 10
    assert len(found["details"]["availableDocs"]) == 18


def test_folder_is_not_found_and_lists_its_files(quint: Any) -> None:
    reply = quint.call("quint_get_doc", filename="docs")
    assert len(error(reply, "NOT_FOUND")["suggestions"]) == 7
    assert "docs/lang.md" in reply.text


@pytest.mark.parametrize("name", ["docs/builtin.md", "/docs/builtin.md", "builtin.md"])
def test_page_is_complete(quint: Any, name: str) -> None:
    found = quint.call("quint_get_doc", filename=name, max_chars=50_000).structured
    stored = (QUINT_DOCS / "docs" / "builtin.md").read_text(encoding="utf-8")
    assert found["content"] == stored
    assert found["size"] == len(stored)
    assert (found["path"], found["type"]) == ("docs/builtin.md", "markdown")


def test_mdx_is_cleaned_and_front_matter_taken_out(quint: Any) -> None:
    found = quint.call("quint_get_doc", filename="posts/soup.mdx").structured
    assert found["processed"] is True
    assert found["frontmatter"]["title"].startswith("Message Soup")
    assert "import Image" not in found["content"]
    assert not found["content"].startswith("---")
    raw = quint.call("quint_get_doc", filename="posts/soup.mdx", raw=True).structured
    assert raw["content"] == (QUINT_DOCS / "posts" / "soup.mdx").read_bytes().decode("utf-8")


def test_documents_by_group(quint: Any) -> None:
    found = quint.call("quint_list_docs").structured
    counts = {name: len(entries) for name, entries in found.items() if name != "total"}
    assert counts == {"core": 7, "choreo": 5, "lessons": 0, "guidelines": 2, "posts": 4}
    assert found["total"] == 18
    for group in counts:
        assert found[group] == sorted(found[group], key=lambda entry: entry["filename"])
        for entry in found[group]:
            page = quint.call("quint_get_doc", filename=entry["path"]).structured
            assert page["size"] == entry["size"]


def test_outline_of_a_long_page(quint: Any) -> None:
    reply = quint.call("quint_doc_outline", path="docs/builtin.md")
    sections = reply.structured["sections"]
    assert reply.structured["totalSections"] == len(sections) == 136
    assert sum(section["level"] == 2 for section in sections) == 77
    assert 9_000 <= len(reply.text.encode()) <= 12_000
    lines = (QUINT_DOCS / "docs" / "builtin.md").read_bytes().decode().split("\n")
    for section in sections:
        marks, _, title = lines[section["line"] - 1].partition(" ")
        assert (len(marks), title.strip()) == (section["level"], section["title"])
    assert len({section["anchor"] for section in sections}) == 136


def test_outline_to_a_level(quint: Any) -> None:
    found = quint.call("quint_doc_outline", path="builtin.md", maxLevel=2).structured
    assert [section["level"] for section in found["sections"]] == [2] * 77


def test_outline_of_every_page_has_sections_that_can_be_read(quint: Any) -> None:
    crlf = 0
    for path in sorted(QUINT_DOCS.glob("[cdgp]*s/*.md*")):
        name = path.relative_to(QUINT_DOCS).as_posix()
        if name.startswith("patterns/"):
            continue
        crlf += b"\r\n" in path.read_bytes()
        outline = quint.call("quint_doc_outline", path=name).structured
        assert outline["totalSections"] > 0
        last = outline["sections"][-1]
        part = quint.call("quint_get_doc", filename=outline["path"], section=last["anchor"])
        assert part.structured["startLine"] == last["line"]
        assert last["title"].split()[0] in part.structured["content"]
    assert crlf >= 2
