"""`qurio_list_sources`, `qurio_list_pages` and `qurio_read_page`: lists, addresses, sections and parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.acceptance.served import REVISION, Server, compiled
from tests.acceptance.sources.library import CLIENT_PAGE, INVALID, TREE

from kb_runtime.tools.session import Session
from kb_runtime.tools.sources import pages


def test_sources_are_listed_by_name(library: Server) -> None:
    result = library.result("qurio_list_sources")
    listed = json.loads(result["content"][0]["text"])
    assert [each["id"] for each in listed] == ["server", "client", "bare"]
    assert listed[1] == {
        "id": "client",
        "name": "Client guide",
        "type": "web",
        "url": "https://example.org/client/",
    }
    assert "\n  {\n    " in result["content"][0]["text"]
    structured = result["structuredContent"]
    assert structured["total"] == 3
    client = structured["sources"][1]
    assert (client["pageCount"], client["description"]) == (3, "A client.")
    assert client["chunkCount"] >= 3
    assert structured["sources"][2]["chunkCount"] == 0


def test_no_sources_is_a_success() -> None:
    class Empty:
        collections = ()

    answer = pages.list_sources(Session(Empty(), {}), {})  # type: ignore[arg-type]
    assert answer.text == "No sources found."
    assert answer.structured == {"sources": [], "total": 0}


def test_pages_are_listed_with_titles(library: Server) -> None:
    result = library.result("qurio_list_pages", source_id="client")
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]["pages"]
    assert result["structuredContent"]["pages"][1] == {
        "id": "client/http.md",
        "url": "https://example.org/client/http",
        "title": "HTTP client",
    }
    assert library.text("qurio_list_pages", source_id="bare") == "No pages found for source."


def test_pages_can_be_filtered(library: Server) -> None:
    found = library.call("qurio_list_pages", source_id="client", filter="PYTH")
    assert [page["title"] for page in found["pages"]] == ["Python"]
    nothing = library.result("qurio_list_pages", source_id="client", filter="zzz")
    assert nothing["content"][0]["text"].startswith("No pages found for source.")
    assert nothing["structuredContent"]["warnings"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("HTTP", ["HTTP client"]),  # not the scheme
        ("example", ["Spaces", "HTTP client", "Python"]),  # the host: no path or title has it
        ("/client/p", ["Python"]),
        ("example.org/client/http", ["HTTP client"]),
        ("https://EXAMPLE.org/client/py", ["Python"]),
        ("https://", ["Spaces", "HTTP client", "Python"]),
        ("https", []),
    ],
)
def test_filter_is_about_path_and_title(library: Server, text: str, titles: list[str]) -> None:
    found = library.call("qurio_list_pages", source_id="client", filter=text)
    assert [page["title"] for page in found["pages"]] == titles


def test_an_address_of_no_source_is_refused_with_the_known_ids(library: Server) -> None:
    error = library.refused("qurio_list_pages", source_id="kb://library/docs/x")
    assert error.message == (
        'source_id "kb://library/docs/x" is not a source. Known sources: server, client, bare'
    )


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_of_a_list_joined_are_the_list(library: Server, limit: int) -> None:
    whole = library.call("qurio_list_pages", source_id="client")
    assert "nextCursor" not in whole
    seen: list[Any] = []
    cursor = None
    while True:
        part = library.call("qurio_list_pages", source_id="client", limit=limit, cursor=cursor)
        seen += part["pages"]
        cursor = part.get("nextCursor")
        if cursor is None:
            break
    assert seen == whole["pages"]


@pytest.mark.parametrize("arguments", [{}, {"source_id": ""}, {"source_id": None}])
def test_a_source_must_be_named(library: Server, arguments: dict[str, Any]) -> None:
    error = library.refused("qurio_list_pages", **arguments)
    assert (error.rpc_code, "source_id" in error.message) == (INVALID, True)


def test_an_unknown_source_is_told_with_the_known_ones(library: Server) -> None:
    error = library.refused("qurio_list_pages", source_id="cliemt")
    assert error.rpc_code == INVALID
    assert error.data["details"]["knownSources"] == ["server", "client", "bare"]
    assert error.data["suggestions"] == ["client"]


@pytest.mark.parametrize("name", ["http", "python", "empty-lines"])
def test_a_page_is_what_was_stored(library: Server, name: str) -> None:
    stored = TREE[f"sources/client/{name}.md"]
    url = f"https://example.org/client/{name}"
    result = library.result("qurio_read_page", url=url, source_id="client")
    assert result["structuredContent"]["content"] == stored
    text: str = result["content"][0]["text"]
    head, _, body = text.partition("\n\n")
    assert head.split("\n")[:2] == [
        f"Page: {result['structuredContent']['title']}",
        f"URL: https://example.org/client/{name}",
    ]
    marks, _, rest = body.partition("\n")
    assert set(marks) == {"`"}
    assert rest == f"{stored}{marks}"
    assert marks not in stored


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/client/python",
        "http://example.org/client/python/",
        "HTTPS://EXAMPLE.org/client/%70ython",
        "client/python.md",
        "https://example.org/client/python.html",
        "https://example.org/client/python/index.html#install",
        "example.org/client/python",
    ],
)
def test_addresses_that_mean_the_same_page(library: Server, url: str) -> None:
    assert library.call("qurio_read_page", url=url)["title"] == "Python"


@pytest.mark.parametrize(
    "url",
    ["https://other.example/client/python.html", "https://example.org/client/python.html?v=2"],
)
def test_an_address_elsewhere_means_no_page(library: Server, url: str) -> None:
    assert library.result("qurio_read_page", url=url)["isError"]


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        ({"section": "Errors"}, "## Errors", "```"),
        ({"section": "codes"}, "### Codes", "```"),
        ({"section": "## Usage"}, "## Usage", "```"),
        ({"section": "usage-again"}, "## Usage again", "longer needed."),
    ],
)
def test_a_section_goes_up_to_the_next_of_its_level(
    library: Server, arguments: dict[str, str], first: str, last: str
) -> None:
    url = "https://example.org/client/http"
    page = library.call("qurio_read_page", url=url, source_id="client", **arguments)
    assert page["content"].startswith(first)
    assert page["content"].rstrip().endswith(last)
    assert page["content"] in CLIENT_PAGE
    assert [each["title"] for each in page["sections"]] == [
        "HTTP client",
        "Usage",
        "Errors",
        "Codes",
        "Usage again",
    ]


def test_a_fragment_is_a_section(library: Server) -> None:
    page = library.call("qurio_read_page", url="https://example.org/server/start.html#flags")
    assert page["section"] == "Flags of it"
    assert page["content"].startswith("## Flags of it\n")
    unknown = library.call("qurio_read_page", url="https://example.org/server/start.html#L9")
    assert unknown["content"].startswith("# Start")
    assert '"L9"' in unknown["warnings"][0]


def test_a_page_in_two_sources(library: Server) -> None:
    url = "https://example.org/client/http"
    first = library.call("qurio_read_page", url=url)
    assert first["sourceId"] == "server"
    assert (first["author"], first["createdAt"]) == ("Bo", "2024-01-02")
    assert "client" in first["warnings"][0]
    other = library.call("qurio_read_page", url=url, source_id="client")
    assert (other["sourceId"], "warnings" in other) == ("client", False)
    elsewhere = library.result(
        "qurio_read_page", url="https://example.org/client/python", source_id="server"
    )
    assert elsewhere["isError"]
    assert "client" in elsewhere["content"][0]["text"]


def test_an_unknown_page_is_told_with_the_nearest(library: Server) -> None:
    result = library.result("qurio_read_page", url="https://example.org/client/pyton")
    assert result["isError"]
    assert "No content found for URL." in result["content"][0]["text"]
    assert "https://example.org/client/python" in result["content"][0]["text"]
    assert result["structuredContent"]["error"]["kind"] == "NOT_FOUND"


def test_an_unknown_page_unlike_any_other_is_told_with_known_addresses(library: Server) -> None:
    address = "https://example.org/client/9b1d"
    (nearest, *_) = library.result("qurio_read_page", url=address)["structuredContent"]["error"][
        "suggestions"
    ]
    assert nearest.startswith("https://example.org/client/")


def test_an_unknown_section_is_told_with_the_headings(library: Server) -> None:
    result = library.result(
        "qurio_read_page", url="https://example.org/client/python", section="Pythons"
    )
    assert result["isError"]
    assert result["structuredContent"]["error"]["details"]["headings"] == ["Python", "Call"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"url": " "},
        {"url": "client/http.md", "maxChars": 0},
        {"url": "client/http.md", "maxChars": "many"},
        {"url": "client/http.md", "cursor": "nonsense"},
        {"url": "client/http.md", "source_id": "nope"},
    ],
)
def test_bad_arguments_of_reading(library: Server, arguments: dict[str, Any]) -> None:
    assert library.refused("qurio_read_page", **arguments).rpc_code == INVALID


@pytest.mark.slow
@settings(max_examples=25)
@given(limit=st.integers(1, 700))
def test_parts_of_a_page_joined_are_the_page(library: Server, limit: int) -> None:
    seen = ""
    cursor = None
    while True:
        part = library.call("qurio_read_page", url="client/http.md", maxChars=limit, cursor=cursor)
        assert part["content"]
        assert len(part["content"]) <= limit
        seen += part["content"]
        cursor = part.get("nextCursor")
        assert part["truncated"] == (cursor is not None)
        if cursor is None:
            break
    assert seen == CLIENT_PAGE


def test_a_cursor_belongs_to_its_request(library: Server) -> None:
    cursor = library.call("qurio_read_page", url="client/http.md", maxChars=5)["nextCursor"]
    for arguments in (
        {"url": "client/python.md"},
        {"url": "client/http.md", "section": "Errors"},
    ):
        assert library.refused("qurio_read_page", cursor=cursor, **arguments).rpc_code == INVALID
    assert (
        library.refused("qurio_list_pages", source_id="client", cursor=cursor).rpc_code == INVALID
    )
    rest = library.call("qurio_read_page", url="client/http.md", cursor=cursor)
    assert CLIENT_PAGE.endswith(rest["content"])


def test_a_fragment_does_not_lead_to_a_page_of_another_address(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    tree = {"kb.toml": '[kb]\nname = "two"\n'}
    for source, url in (("a", "http://example.org/docs/"), ("b", "https://example.org/docs/")):
        tree[f"sources/{source}/source.toml"] = f'name = "{source}"\nurl = "{url}"\n'
        tree[f"sources/{source}/start.md"] = f"# Start of {source}\n\n## Usage\n\nUse {source}.\n"
    server = compiled(tmp_path, tree, pytestconfig, embed=False)
    for fragment in ("", "#usage", "#nothing"):
        url = f"https://example.org/docs/start{fragment}"
        assert server.call("qurio_read_page", url=url)["sourceId"] == "b"
    assert server.call("qurio_read_page", url="https://example.org/docs/start/#usage")["warnings"]


@pytest.mark.parametrize("fragment", ["", "#usage"])
def test_a_page_is_read_by_its_resource_address(library: Server, fragment: str) -> None:
    url = f"kb://library/sources/client/http.md{fragment}"
    found = library.call("qurio_read_page", url=url)
    assert found["url"] == "https://example.org/client/http"
    assert found.get("section") == ("Usage" if fragment else None)
    assert library.result("qurio_read_page", url="kb://other/sources/client/http.md")["isError"]
    assert library.result("qurio_read_page", url="kb://library/sources/client")["isError"]


def test_the_instructions_count_pages_and_no_sources(library: Server) -> None:
    listed = library.call("qurio_list_sources")["sources"]
    pages = sum(source["pageCount"] for source in listed)
    about = {
        "protocolVersion": REVISION,
        "capabilities": {},
        "clientInfo": {"name": "", "version": ""},
    }
    told = library.dispatcher.handle("initialize", about, REVISION)["instructions"]
    assert f"It holds {pages} pages of documentation sets." in told


def test_an_address_that_several_sources_have_is_suggested_once(library: Server) -> None:
    error = library.result("qurio_read_page", url="nowhere")["structuredContent"]["error"]
    assert "https://example.org/client/http" in error["suggestions"]
    assert len(set(error["suggestions"])) == len(error["suggestions"])
