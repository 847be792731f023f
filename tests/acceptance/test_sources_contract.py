"""What the tools of documentation sets promise, call by call, through the dispatch core."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.acceptance.served import Server, compiled, explosion

from kb_runtime.errors import ArtifactError, ProtocolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.tools.session import Session
from kb_runtime.tools.sources import pages

INVALID, INTERNAL = -32602, -32603

CLIENT_PAGE = """\
# HTTP client

The client retries a request when the network fails. See [limits](limits.md).

## Usage

```go
func main() {
	client := retry.New(retry.Max(3), retry.Wait(time.Second))
	response, err := client.Get("https://example.org/resources")
	if err != nil {
		log.Fatal("the call failed three times", err)
	}
	fmt.Println(response.Status, response.Header.Get("Server"))
}
```

## Errors

The error E4711 means that the certificate has expired.  \n
### Codes

```text
E4711 ```nested```
```

## Usage again

Call `client.Close()` when it is no longer needed.
"""

TREE = {
    "kb.toml": '[kb]\nname = "library"\n',
    "sources/client/source.toml": (
        'name = "Client guide"\nurl = "https://example.org/client/"\ndescription = "A client."\n'
    ),
    "sources/client/http.md": CLIENT_PAGE,
    "sources/client/python.md": (
        "# Python\n\nHow to call it.\n\n## Call\n\n```py\nimport client\n\n"
        "with client.open(retries=3, wait=1.5) as connection:\n"
        "    response = connection.get('https://example.org/resources')\n"
        "    print(response.status, response.headers['server'])\n```\n"
    ),
    "sources/client/empty-lines.md": "\n\n# Spaces\n\n  text\t\n\n\n",
    "sources/server/source.toml": 'name = "A server guide"\nurl = "https://example.org/server"\n',
    "sources/server/start.html": (
        "<main><h1>Start</h1><p>Start the server with a port.</p>"
        '<h2 id="flags">Flags of it</h2><pre><code class="language-bash">serve --port 80 --host all'
        " --workers 4 \\\n  --certificate server.pem --key server.key --log /var/log/serve.log\n"
        "curl --verbose https://localhost:80/health --retry 3 --output health.json\n"
        "</code></pre><p>Then wait for the banner.</p></main>"
    ),
    "sources/server/http.md": (
        "---\nurl: https://example.org/client/http\nauthor: Bo\ndate: 2024-01-02\n---\n"
        "# Server side of HTTP\n\nThe server answers requests of the client.\n\n"
        "A connection of one's own, without the client, is opened as the standard library does it."
        " That is worth it only for tests, where each byte counts and nothing must be retried, and"
        " where the certificate is that of the machine itself, so that no name needs to be resolved."
        "\n\n1. Dial it:\n\n   ```go\n   net.Dial(kind, place)\n   ```\n\n2. Close it.\n"
    ),
    "sources/bare/source.toml": 'name = "Nothing yet"\n',
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    return compiled(tmp_path_factory.mktemp("library"), TREE, pytestconfig)


# qurio_search


def test_an_error_code_ranks_its_passage_first_by_keywords(library: Server) -> None:
    found = library.call("qurio_search", query="E4711", alpha=0.0)
    assert "E4711" in found["results"][0]["content"]
    assert found["alpha"] == 0.0
    for result in found["results"]:
        assert "e4711" in result["content"].casefold()


def test_alpha_is_the_share_of_meaning(library: Server) -> None:
    query = "what happens if the connection drops"
    by_meaning = library.call("qurio_search", query=query, alpha=1.0)["results"]
    assert "retries a request" in by_meaning[0]["content"]
    same = library.call("qurio_search", query=query, alpha=1)["results"]
    assert same == by_meaning
    scores = [result["score"] for result in by_meaning]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert library.call("qurio_search", query="zzyzx qqqq", alpha=0.0)["results"] == []


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.8])
def test_a_score_is_the_weighted_sum_of_both_sides(library: Server, alpha: float) -> None:
    def scores(weight: float) -> dict[tuple[str, str, int], float]:
        query = "the client retries a request"
        found = library.call("qurio_search", query=query, alpha=weight, limit=50)["results"]
        return {
            (each["sourceId"], each["url"], each["chunkIndex"]): each["score"] for each in found
        }

    keyword, vector = scores(0.0), scores(1.0)
    assert keyword.keys() != vector.keys()
    mixed = scores(alpha)
    assert mixed.keys() == keyword.keys() | vector.keys()
    for place, score in mixed.items():
        expected = alpha * vector.get(place, 0.0) + (1 - alpha) * keyword.get(place, 0.0)
        assert score == pytest.approx(expected, abs=1e-5)


def test_a_page_that_the_query_names_gets_no_better_place(library: Server) -> None:
    """At alpha 0 only keywords count, whatever address or title the query is."""
    for result in library.call("qurio_search", query="client/python.md", alpha=0)["results"]:
        assert result["score"] <= 1


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"type": "code", "language": "go"}, {("code", "go")}),
        ({"type": "CODE", "language": "golang"}, {("code", "go")}),
        ({"type": "code", "language": ["python", "Golang"]}, {("code", "go"), ("code", "py")}),
        ({"type": "cmd", "language": "shell"}, {("cmd", "bash")}),
        ({"language": "rust"}, set()),
    ],
)
def test_filters_by_type_and_language(
    library: Server, filters: dict[str, Any], expected: set[tuple[str, str]]
) -> None:
    found = library.call("qurio_search", query="client server call port", filters=filters)
    assert {(each["type"], each.get("language")) for each in found["results"]} == expected
    assert bool(expected) != bool(found.get("warnings"))


@pytest.mark.parametrize(
    "filters",
    [
        {"sourceId": "server"},
        {"sourceName": "A server guide"},
        {"author": "Bo"},
        {"createdAt": "2024-01-02"},
        {"title": ["Server side of HTTP", "Start"]},
        {"url": "https://example.org/server/start.html"},
    ],
)
def test_filters_on_pages_come_before_ranking(library: Server, filters: dict[str, Any]) -> None:
    """The other source holds better hits; they must not take the places."""
    for alpha in (0.0, 0.5, 1.0):
        found = library.call(
            "qurio_search", query="http client server", limit=2, alpha=alpha, filters=filters
        )
        assert found["results"]
        assert {result["sourceId"] for result in found["results"]} == {"server"}


def test_source_id_wins_over_the_filter(library: Server) -> None:
    found = library.call(
        "qurio_search", query="client", source_id="server", filters={"sourceId": "client"}
    )
    assert {result["sourceId"] for result in found["results"]} == {"server"}


@pytest.mark.parametrize("arguments", [{"source_id": "nope"}, {"filters": {"sourceId": ["nope"]}}])
def test_an_unknown_source_has_no_passages_and_the_known_ones_are_named(
    library: Server, arguments: dict[str, Any]
) -> None:
    found = library.call("qurio_search", query="client", **arguments)
    assert found["results"] == []
    (warning,) = found["warnings"]
    assert warning == 'source_id "nope" is not a source. Known sources: server, client, bare.'
    both = {"sourceId": ["nope", "server"]}
    found = library.call("qurio_search", query="client", filters=both)
    assert {result["sourceId"] for result in found["results"]} == {"server"}
    assert '"nope" is not a source' in found["warnings"][0]


def test_fenced_code_inside_prose_is_found_by_its_language(library: Server) -> None:
    found = library.call("qurio_search", query="dial", alpha=0, filters={"language": "go"})
    (result,) = found["results"]
    assert (result["type"], result["language"]) == ("code", "go")
    assert "net.Dial" in result["content"]


def test_the_text_of_a_search_can_be_followed_up(library: Server) -> None:
    text = library.text("qurio_search", query="E4711", alpha=0)
    assert text.startswith("Result 1 (Score: 1.00):\nTitle: HTTP client\nSource: Client guide\n")
    assert "\nURL: https://example.org/client/http\nType: " in text
    assert "\nSourceID: client\nContent:\n````" in text
    assert text.endswith('Use qurio_read_page(url="...") to read the full content of any result.')
    nothing = library.text("qurio_search", query="zzyzx", alpha=0)
    assert nothing == "No results found."


def test_limits(library: Server) -> None:
    found = library.call("qurio_search", query="client", limit=99)
    assert found["limit"] == 50
    assert any("limit" in warning for warning in found["warnings"])
    assert len(library.call("qurio_search", query="client", limit="1")["results"]) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "query"),
        ({"query": "  "}, "query"),
        ({"query": "x", "alpha": 1.1}, "0.0 to 1.0"),
        ({"query": "x", "alpha": -0.1}, "0.0 to 1.0"),
        ({"query": "x", "limit": 0}, "1 to 50"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": 7}, "query"),
        ({"query": "x", "filters": {"kind": "code"}}, "createdAt"),
        ({"query": "x", "filters": {"type": 1}}, "filters.type"),
        ({"query": "x", "filters": {"pageCount": "many"}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": 2.5}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": float("inf")}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": float("nan")}}, "filters.pageCount"),
        ({"query": "x", "filters": {"pageCount": True}}, "filters.pageCount"),
        ({"query": "x", "filters": "type"}, "filters"),
    ],
)
def test_bad_arguments_are_protocol_errors(
    library: Server, arguments: dict[str, Any], told: str
) -> None:
    error = library.refused("qurio_search", **arguments)
    assert error.rpc_code == INVALID
    assert told in error.message
    assert error.data["correlationId"]


def test_without_meaning_words_answer_and_say_so(
    library: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Artifact, "encoder", None)
    keywords = library.call("qurio_search", query="E4711 certificate", alpha=0.0)
    assert "warnings" not in keywords
    for alpha in (0.3, 1.0):
        result = library.result("qurio_search", query="E4711 certificate", alpha=alpha)
        assert result["structuredContent"]["results"] == keywords["results"]
        assert "unavailable" in result["structuredContent"]["warnings"][0]
        assert result["content"][0]["text"].startswith("Note: Semantic search is unavailable")


def test_passages_that_have_no_word_of_the_query_are_told_apart(library: Server) -> None:
    found = library.call("qurio_search", query="zzyzx qqqq")
    assert found["results"]
    assert "No word of the query occurs" in found["warnings"][0]
    assert "warnings" not in library.call("qurio_search", query="E4711 certificate")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    """More passages than either side of a small search looks at."""
    things = ("a mast", "the rudder", "an oar", "old rope", "the galley", "a lamp", "the hull")
    words = ("storm", "harbour", "storm harbour", "storm in the harbour, storm at sea")
    tree = {"kb.toml": '[kb]\nname = "shelf"\n'}
    for number in range(180):
        text = f"{words[number % 4]} and {things[number % 7]}, entry {number}"
        tree[f"sources/log/{number:03}.md"] = f"# Entry {number}\n\n{text}.\n"
    return compiled(tmp_path_factory.mktemp("shelf"), tree, pytestconfig)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_the_limit_changes_neither_order_nor_scores(shelf: Server, alpha: float) -> None:
    def first(limit: int) -> list[dict[str, Any]]:
        found = shelf.call("qurio_search", query="storm harbour", alpha=alpha, limit=limit)
        results: list[dict[str, Any]] = found["results"]
        return results

    all_of_them = first(50)
    for limit in (1, 3, 10):
        assert first(limit) == all_of_them[:limit]


# qurio_list_sources and qurio_list_pages


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


# qurio_read_page


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
    ],
)
def test_addresses_that_mean_the_same_page(library: Server, url: str) -> None:
    assert library.call("qurio_read_page", url=url)["title"] == "Python"


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


# Failures of the server

CALLS = (
    {"name": "qurio_search", "arguments": {"query": "client"}},
    {"name": "qurio_list_sources"},
    {"name": "qurio_list_pages", "arguments": {"source_id": "client"}},
    {"name": "qurio_read_page", "arguments": {"url": "client/http.md"}},
)


@pytest.mark.parametrize("params", CALLS, ids=lambda params: params["name"])
@pytest.mark.parametrize(
    "error",
    [RuntimeError("secret of /etc/shadow"), ArtifactError("altered", "secret in /srv/kb")],
    ids=lambda error: type(error).__name__,
)
def test_a_defect_is_a_protocol_error_that_tells_nothing(
    library: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    params: dict[str, Any],
    error: Exception,
) -> None:
    monkeypatch.setattr(Artifact, "catalog", explosion(error))
    monkeypatch.setattr("kb_runtime.search.searcher.Searcher.search", explosion(error))
    with pytest.raises(ProtocolError) as caught:
        library.send({**params, "_meta": {"correlationId": "trace-1"}})
    assert caught.value.rpc_code == INTERNAL
    assert caught.value.data["correlationId"] == "trace-1"
    told = f"{caught.value.message} {caught.value.data}"
    for leak in ("secret", "/etc", "/srv", "RuntimeError"):
        assert leak not in told
    logged = capsys.readouterr().err
    assert "secret" in logged
    assert "trace-1" in logged


@pytest.mark.parametrize("params", CALLS, ids=lambda params: params["name"])
def test_every_answer_carries_a_correlation_id(library: Server, params: dict[str, Any]) -> None:
    given_id = {**params, "_meta": {"x-correlation-id": "trace-2"}}
    assert library.send(given_id)["_meta"]["correlationId"] == "trace-2"
    generated = [library.send(params)["_meta"]["correlationId"] for _ in range(2)]
    assert len(set(generated)) == 2


def test_two_calls_answer_alike(library: Server) -> None:
    for params in CALLS:
        assert (
            library.send(params)["structuredContent"] == library.send(params)["structuredContent"]
        )
