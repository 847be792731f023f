from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.runtime.tools.asking import Call, refusal, structured

from kb_runtime.errors import ToolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.reading.lookup import get
from kb_runtime.tools.arguments import check
from kb_runtime.tools.reference.docs import TOOLS, doc_outline, get_doc, list_docs
from kb_runtime.tools.search.substring import TOOLS as SUBSTRING_TOOLS
from kb_runtime.tools.session import Session
from kbc.linking.linker import Published

(GET_DOC,) = (tool for tool in TOOLS if tool.run is get_doc)


@pytest.mark.parametrize(
    "name",
    [
        "docs/manual.md",
        "/docs/manual.md",
        "docs\\manual.md",
        "DOCS/Manual.md",
        "manual.md",
        "manual",
        "The Manual",
        "doc:docs/manual.md",
        "kb://small/docs/docs%2Fmanual.md",
        "kb://small/docs/docs/manual.md",
    ],
)
def test_page_is_found_by_path_name_title_and_address(call: Call, name: str) -> None:
    for tool, argument in (("get_doc", "filename"), ("doc_outline", "path")):
        assert structured(call(tool, **{argument: name}))["path"] == "docs/manual.md"


def test_page_is_found_by_the_title_that_its_front_matter_states(call: Call) -> None:
    for tool, argument in (("get_doc", "filename"), ("doc_outline", "path")):
        found = structured(call(tool, **{argument: "SOUP"}))
        assert (found["path"], found["title"]) == ("posts/soup.mdx", "Message soup")
    # A first heading counts before it.
    assert structured(call("get_doc", filename="The Manual"))["path"] == "docs/manual.md"


def test_whole_page(call: Call) -> None:
    found = structured(call("get_doc", filename="posts/soup.mdx"))
    assert found == {
        "filename": "soup.mdx",
        "path": "posts/soup.mdx",
        "title": "Message soup",
        "type": "mdx",
        "content": "# Message soup\n",
        "size": 15,
        "processed": True,
        "frontmatter": {"title": "Soup"},
    }


def test_raw_page_is_the_file_as_stored(call: Call) -> None:
    found = structured(call("get_doc", filename="soup.mdx", raw=True))
    assert found["content"].startswith("---\ntitle: Soup\n---\n")
    assert found["processed"] is False


@pytest.mark.parametrize(
    "raw",
    [
        {"filename": "docs/manual.md", "section": "Sets"},
        {"filename": "docs/manual.md", "section": "sets"},
        {"filename": "docs/manual.md", "section": "#sets"},
        {"filename": "docs/manual.md", "section": "sets:5"},
        {"filename": "docs/manual.md#sets"},
        {"filename": "doc:docs/manual.md#sets:5"},
    ],
)
def test_section_is_its_lines_as_stored(call: Call, raw: dict[str, Any]) -> None:
    found = structured(call("get_doc", **raw))
    assert (
        found["content"] == "## Sets\r\n\r\nSets hold values.\r\n### Examples\r\nSet(1, 2)\r\n\r\n"
    )
    assert (found["startLine"], found["endLine"], found["totalLines"]) == (5, 10, 13)
    assert found["section"]["anchor"] == "sets"
    assert found["size"] == len(found["content"])


@pytest.mark.parametrize("wanted", ["Message.soup", "#message.soup"])
def test_anchor_in_mixed_case_is_found(call: Call, wanted: str) -> None:
    found = structured(call("get_doc", filename="soup.mdx", section=wanted))
    assert found["section"]["anchor"] == "Message.soup"


def test_line_range_ends_with_the_file(call: Call) -> None:
    found = structured(call("get_doc", filename="manual.md", startLine=13, endLine=99))
    assert found["content"] == "Maps hold pairs.\r\n"
    assert (found["startLine"], found["endLine"]) == (13, 13)


def test_one_end_of_a_line_range_is_enough(call: Call) -> None:
    first = structured(call("get_doc", filename="manual.md", endLine=1))
    assert first["content"] == "# The manual\r\n"
    assert structured(call("get_doc", filename="manual.md", startLine=1))["endLine"] == 13


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("manual.md:5-6", (5, 6)),
        ("docs/manual.md#L5-L6", (5, 6)),
        ("manual.md, lines 5 to 6 of 5-10", (5, 6)),
        ("manual.md:5", (5, 13)),
    ],
)
def test_lines_behind_a_name_are_those_of_the_page(
    call: Call, name: str, lines: tuple[int, int]
) -> None:
    found = structured(call("get_doc", filename=name))
    expected = call("get_doc", filename="manual.md", startLine=lines[0], endLine=lines[1])
    assert found == structured(expected)
    one = structured(call("get_doc", filename=name, startLine=2, endLine=2))
    assert (one["startLine"], one["endLine"]) == (2, 2)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"startLine": 14}, "startLine 14 is after the last line, 13"),
        ({"startLine": 5, "endLine": 4}, "startLine 5 is after endLine 4"),
        ({"section": "sets", "startLine": 1}, "section and startLine or endLine"),
    ],
)
def test_impossible_part_is_bad_input(call: Call, raw: dict[str, Any], message: str) -> None:
    error = refusal(call, "get_doc", filename="manual.md", **raw)
    assert error.kind == "BAD_INPUT"
    assert message in error.message


def test_unknown_section_lists_the_sections(call: Call) -> None:
    error = refusal(call, "get_doc", filename="manual.md", section="Mapps")
    assert error.kind == "NOT_FOUND"
    assert error.message == 'docs/manual.md has no section "Mapps"'
    assert error.suggestions == ("maps",)
    assert error.details["availableSections"] == ["the-manual", "sets", "examples", "maps"]


@pytest.mark.parametrize("tool", ["get_doc", "doc_outline"])
@pytest.mark.parametrize("path", ["../package.json", "docs/../../package.json", "C:\\x", "..\\x"])
def test_path_out_of_the_knowledge_base_is_bad_input(call: Call, tool: str, path: str) -> None:
    argument = "filename" if tool == "get_doc" else "path"
    assert refusal(call, tool, **{argument: path}).kind == "BAD_INPUT"


def test_encoded_path_out_of_the_knowledge_base_is_bad_input(call: Call) -> None:
    error = refusal(call, "get_doc", filename="kb://small/docs/..%2F..%2Fsecret")
    assert error.kind == "BAD_INPUT"


@pytest.mark.parametrize("path", ["/etc/hosts", "//etc/hosts", "file:///etc/hosts", "nothing", "d"])
def test_unknown_page_lists_what_exists(call: Call, path: str) -> None:
    error = refusal(call, "get_doc", filename=path)
    assert error.kind == "NOT_FOUND"
    assert path in error.message
    assert "docs/manual.md" in error.message
    assert error.suggestions
    assert error.details["availableDocs"] == [
        "docs/manual.md",
        "docs/operators.md",
        "guidelines/test-workflow.md",
        "posts/soup.mdx",
    ]


def test_a_question_instead_of_a_page_comes_with_the_pages_that_a_search_finds(
    call: Call, searcher: Any, make_hit: Any
) -> None:
    searcher.hits = [make_hit("docs", 1), make_hit("posts", 0)]
    error = refusal(call, "get_doc", filename="how is a map built")
    assert error.suggestions == ("docs/operators.md", "posts/soup.mdx")
    assert refusal(call, "get_doc", filename="operator.md").suggestions == ("docs/operators.md",)


def test_unknown_page_lists_all_of_many_in_the_structure(
    publish: Callable[..., Published],
) -> None:
    paths = [f"docs/{number:03}.md" for number in range(300)]
    pages = [{"id": path, "path": path, "title": path, "text": ""} for path in paths]
    collection = {"name": "docs", "kind": "docs", "records": 300, "chunks": 300, "first_row": 0}
    published = publish({"docs": pages}, collections=[collection])
    with Artifact.open(published.path) as artifact, pytest.raises(ToolError) as caught:
        get_doc(Session(artifact, {}), {"filename": "nothing"})
    assert caught.value.details == {"availableDocs": paths, "total": 300}
    assert caught.value.message.endswith(", docs/009.md and 290 more")


@pytest.mark.parametrize(
    "name",
    [
        "docs/a/guide.md",
        "a/guide.md",
        "guide.md",
        "doc:docs/a/guide.md#go:3",
        "kb://small/docs/a/guide.md",
    ],
)
def test_a_page_of_a_collection_that_strips_a_folder_is_found_by_what_hits_and_lists_call_it(
    publish: Callable[..., Published], name: str
) -> None:
    page = {
        "id": "a/guide.md",
        "path": "docs/a/guide.md",
        "title": "Guide",
        "text": "# G\n\n## Go\n",
    }
    page |= {"format": "markdown", "processed": False}
    page["sections"] = [
        {"title": "Go", "level": 2, "line": 3, "end_line": 3, "chars": 6, "anchor": "go"}
    ]
    other = {**page, "id": "b/other.md", "path": "docs/b/other.md", "title": "Other"}
    collection = {"name": "docs", "kind": "docs", "records": 2, "chunks": 2, "first_row": 0}
    published = publish({"docs": [page, other]}, collections=[collection])
    with Artifact.open(published.path) as artifact:
        values, _ = check(GET_DOC, {"filename": name})
        found = structured(get_doc(Session(artifact, {}), values))
    assert found["path"] == "docs/a/guide.md"


def test_records_of_one_file_are_named_by_their_ids(publish: Callable[..., Published]) -> None:
    pages = [
        {
            "id": f"api.yaml/{name}",
            "path": "api.yaml",
            "title": name,
            "text": f"# {name}\n\nMoors.\n",
        }
        | {"format": "openapi", "processed": False, "group": "core"}
        for name in ("moor", "sail")
    ]
    collection = {"name": "docs", "kind": "docs", "records": 2, "chunks": 2, "first_row": 0}
    published = publish({"docs": pages}, collections=[collection])
    with Artifact.open(published.path) as artifact:
        session = Session(artifact, {})
        listed = structured(list_docs(session, {"limit": None, "cursor": None}))["core"]
        paths = [each["path"] for each in listed]
        assert paths == ["api.yaml/moor", "api.yaml/sail"]
        for path in paths:
            values, _ = check(GET_DOC, {"filename": path})
            found = structured(get_doc(session, values))
            assert (found["path"], found["filename"]) == (path, "api.yaml")
        (lines,) = (tool for tool in SUBSTRING_TOOLS if tool.name == "{prefix}_search_docs")
        values, _ = check(lines, {"query": "moors"})
        matches = structured(lines.run(session, values))["matches"]
        assert [(each["file"], each["line"]) for each in matches] == [(path, 3) for path in paths]


def test_a_hit_before_the_first_heading_is_of_the_whole_page(call: Call) -> None:
    found = structured(call("get_doc", filename="doc:docs/manual.md#:1"))
    assert (found["path"], "section" in found) == ("docs/manual.md", False)


@pytest.fixture
def hooks(publish: Callable[..., Published]) -> Iterator[Session]:
    """Two pages called `hooks.md` with the title "Hooks", and another."""
    paths = ["docs/api/next/hooks.md", "docs/hooks.md", "docs/other.md"]
    pages = [
        {"id": path, "path": path, "title": "Hooks" if "hooks" in path else "T", "text": ""}
        | {"format": "markdown", "processed": False}
        for path in paths
    ]
    collection = {"name": "docs", "kind": "docs", "records": 3, "chunks": 3, "first_row": 0}
    published = publish({"docs": pages}, collections=[collection])
    with Artifact.open(published.path) as artifact:
        yield Session(artifact, {})


@pytest.mark.parametrize(("tool", "argument"), [(get_doc, "filename"), (doc_outline, "path")])
def test_a_title_that_several_pages_have_names_the_others(
    hooks: Session, tool: Any, argument: str
) -> None:
    (declared,) = (each for each in TOOLS if each.run is tool)
    values, _ = check(declared, {argument: "hooks"})
    found = structured(tool(hooks, values))
    assert found["path"] == "docs/hooks.md"
    (warning,) = found["warnings"]
    assert "docs/api/next/hooks.md; give the path" in warning


@pytest.mark.parametrize(("tool", "argument"), [(get_doc, "filename"), (doc_outline, "path")])
def test_a_file_name_that_several_pages_have_is_said_to_be_ambiguous(
    hooks: Session, tool: Any, argument: str
) -> None:
    (declared,) = (each for each in TOOLS if each.run is tool)
    with pytest.raises(ToolError) as refused:
        tool(hooks, check(declared, {argument: "hooks.md"})[0])
    assert refused.value.kind == "NOT_FOUND"
    assert refused.value.message == '2 documents end with "hooks.md": give one of their paths'
    assert refused.value.suggestions == ("docs/api/next/hooks.md", "docs/hooks.md")


def test_misspelt_page_suggests_the_right_one(call: Call) -> None:
    assert refusal(call, "get_doc", filename="docs/manaul.md").suggestions == ("docs/manual.md",)


@pytest.mark.parametrize("path", ["docs", "docs/", "/docs", "Docs"])
def test_folder_is_not_found_and_lists_its_files(call: Call, path: str) -> None:
    error = refusal(call, "get_doc", filename=path)
    assert error.kind == "NOT_FOUND"
    assert "folder" in error.message
    assert error.suggestions == ("docs/manual.md", "docs/operators.md")


def test_list_has_every_group_also_empty_ones(call: Call) -> None:
    found = structured(call("list_docs"))
    assert found["total"] == 4
    assert list(found) == ["total", "core", "choreo", "lessons", "guidelines", "posts"]
    assert found["choreo"] == found["lessons"] == []
    assert [entry["path"] for entry in found["core"]] == ["docs/manual.md", "docs/operators.md"]
    assert found["posts"] == [
        {
            "filename": "soup.mdx",
            "path": "posts/soup.mdx",
            "size": 15,
            "title": "Message soup",
            "sections": 1,
        }
    ]


def test_list_has_pages_of_deeper_folders_under_their_folder(
    publish: Callable[..., Published],
) -> None:
    paths = ["docs/b.md", "docs/a.md", "docs/more/z.md", "docs/more/a.md", "docs/lessons/1.md"]
    pages = [
        {"id": path, "path": path, "title": "T", "text": "", "group": "core"} for path in paths
    ]
    pages[-1]["group"] = "lessons"
    collection = {"name": "docs", "kind": "docs", "records": 5, "chunks": 5, "first_row": 0}
    published = publish({"docs": pages}, collections=[collection])
    with Artifact.open(published.path) as artifact:
        found = structured(list_docs(Session(artifact, {}), {"limit": None, "cursor": None}))
    assert found.pop("total") == 5
    assert {name: [each["filename"] for each in found[name]] for name in found if found[name]} == {
        "core": ["a.md", "b.md"],
        "lessons": ["1.md"],
        "docs/more": ["a.md", "z.md"],
    }


def test_outline_has_lines_and_anchors_and_no_text(call: Call) -> None:
    found = structured(call("doc_outline", path="manual.md"))
    assert (found["title"], found["type"], found["topics"]) == ("The manual", "docs", ["language"])
    assert found["totalSections"] == len(found["sections"]) == 4
    assert found["sections"][1] == {
        "title": "Sets",
        "level": 2,
        "line": 5,
        "anchor": "sets",
        "endLine": 10,
        "chars": 20,
    }


def test_short_outline_leaves_out_deep_headings_and_the_page_title(call: Call) -> None:
    found = structured(call("doc_outline", path="manual.md", maxLevel=2))
    assert [section["title"] for section in found["sections"]] == ["Sets", "Maps"]
    assert (found["totalSections"], found["maxLevel"]) == (4, 2)


def test_outline_of_titles_only_keeps_the_title(call: Call) -> None:
    found = structured(call("doc_outline", path="manual.md", maxLevel=1))
    assert [section["title"] for section in found["sections"]] == ["The manual"]


def test_posts_are_extra(call: Call) -> None:
    assert structured(call("doc_outline", path="soup"))["type"] == "extra"
    assert structured(call("doc_outline", path="test-workflow"))["type"] == "docs"


def test_outline_path_is_accepted_by_get_doc(call: Call) -> None:
    path = structured(call("doc_outline", path="Testing"))["path"]
    assert structured(call("get_doc", filename=path))["path"] == path


@pytest.mark.parametrize(
    "path", ["C#.md", "F#/intro.md", "docs/a#b.md", "doc:x.md"], ids=["C", "F", "a", "x"]
)
def test_page_whose_path_looks_like_a_hit_or_an_anchor_is_read_by_the_ids_of_its_hits(
    publish: Callable[..., Published], path: str
) -> None:
    section = {
        "title": "Guide",
        "level": 1,
        "line": 1,
        "end_line": 1,
        "anchor": "guide",
        "chars": 7,
    }
    fields = {"title": "T", "text": "# Guide", "content": "# Guide", "format": "markdown"}
    page = {"id": path, "path": path, "processed": False, "sections": [section], **fields}
    collection = {"name": "docs", "kind": "docs", "records": 1, "chunks": 1, "first_row": 0}
    published = publish({"docs": [page]}, collections=[collection])
    with Artifact.open(published.path) as artifact:
        session = Session(artifact, {})
        address = artifact.address("docs", path)
        ids = [one + end for one in (f"doc:{path}", address) for end in ("#guide", "#guide:1")]
        for name in (path, f"doc:{path}", address, *ids):
            arguments, _ = check(GET_DOC, {"filename": name})
            found = structured(get_doc(session, arguments))
            assert found["path"] == path
            assert ("section" in found) == (name in ids)
            assert get(artifact, name).id == path


def test_all_sections_of_a_near_title_are_suggested(
    call: Call, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = session.artifact.catalog("docs")
    page: dict[str, Any] = dict(stored[stored.find("docs/manual.md") or 0])
    twice = {"title": "Maps", "level": 2, "line": 13, "end_line": 13, "chars": 1}
    page["sections"] = [*page["sections"], {**twice, "anchor": "maps-1"}]
    monkeypatch.setattr("kb_runtime.tools.lookup.find_path", lambda *_: page)
    error = refusal(call, "get_doc", filename="manual.md", section="Mapps")
    assert error.suggestions == ("maps", "maps-1")


@pytest.mark.parametrize("tool", ["get_doc", "doc_outline"])
def test_a_file_that_is_no_page_is_told_with_what_reads_it(call: Call, tool: str) -> None:
    argument = "filename" if tool == "get_doc" else "path"
    error = refusal(call, tool, **{argument: "patterns/thin-actions.md"})
    assert error.message == '"patterns/thin-actions.md" is no document: it holds thin-actions'
    assert error.suggestions == ("thin-actions",)
    assert error.next_steps == ("Call quint_get_pattern to read that.",)
    assert error.details["availableDocs"]
