"""The public API of both packages over real builds, where its page shows no example."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from tests.descriptors import open_below
from tests.end_to_end.knowledge import MORE_FILES, write_knowledge
from tests.once import once

import kb_runtime
import kbc
from kb_runtime.records import entries
from kbc import records
from kbc.shipping.signing import generate, sign

KINDS = get_args(entries.AnyEntry)


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an artifact of everything."""

    def make(folder: Path) -> None:
        write_knowledge(folder / "kb", **MORE_FILES)
        kbc.build(folder / "kb", kbc.BuildOptions(out=folder / "out", embed=False))

    return once(tmp_path_factory, "python-api", make) / "out"


@pytest.fixture
def kb(out: Path) -> Iterator[kb_runtime.KnowledgeBase]:
    with kb_runtime.open(out) as opened:
        yield opened


def fits(value: Any, hint: Any) -> bool:
    """Whether a stored value is of a declared type."""
    if hint is Any:
        return True
    if get_origin(hint) is NotRequired:
        return fits(value, *get_args(hint))
    if is_typeddict(hint):
        hints = get_type_hints(hint, include_extras=True)
        required = {name for name, each in hints.items() if get_origin(each) is not NotRequired}
        return (
            isinstance(value, dict)
            and required <= value.keys() <= hints.keys()
            and all(fits(each, hints[name]) for name, each in value.items())
        )
    if get_origin(hint) is list:
        (item,) = get_args(hint)
        return isinstance(value, list) and all(fits(each, item) for each in value)
    return isinstance(value, (float, int) if hint is float else get_origin(hint) or hint)


def test_every_stored_record_is_of_a_declared_kind(kb: kb_runtime.KnowledgeBase) -> None:
    met = set()
    for info in kb.collections:
        for entry in kb.call_tool("demo_list", {"collection": info.name}).structured["records"]:  # type: ignore[index]
            record = kb.get(entry["id"], collection=info.name)
            fitting = [kind for kind in KINDS if fits(record.data, kind)]
            assert len(fitting) == 1, (record.address, fitting)
            met.add(fitting[0])
    assert met == set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_kind_declares_the_fields_that_the_compiler_writes(kind: Any) -> None:
    name = kind.__name__.removesuffix("Entry")
    written = getattr(records, f"{name}Record", None) or getattr(records, name)
    assert get_type_hints(kind).keys() == {field.name for field in dataclasses.fields(written)}


def test_several_artifacts_are_searched_as_one(tmp_path: Path, out: Path) -> None:
    other = '[kb]\nname = "other"\nversion = "1.0"\nprefix = "demo"\n'
    page = {"kb.toml": other, "docs/oil.md": "# Oil\n\nWhale oil burns in lanterns.\n"}
    for name, text in page.items():
        (tmp_path / "kb" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kb" / name).write_text(text)
    kbc.build(tmp_path / "kb", kbc.BuildOptions(out=tmp_path / "out", embed=False))
    with kb_runtime.open(out / "demo", tmp_path / "out" / "other") as both:
        found = {hit.address for hit in both.search("lantern oil")}
        assert {"kb://demo/docs/docs/lanterns.md", "kb://other/docs/docs/oil.md"} <= found
        assert both.get("kb://other/docs/docs/oil.md").title == "Oil"
        answer = both.call_tool("demo_search", {"query": "lantern oil", "kb": "other"})
        assert answer.structured is not None
        assert {hit["address"] for hit in answer.structured["hits"]} < found


def test_an_artifact_that_cannot_be_opened_leaves_nothing_open(tmp_path: Path, out: Path) -> None:
    folder = copytree(out / "demo", tmp_path / "demo")
    with pytest.raises(kb_runtime.ArtifactError) as refused:
        kb_runtime.open(folder, tmp_path / "nothing")
    assert refused.value.code == "missing"
    assert open_below(tmp_path) == []


def test_with_a_key_only_signed_builds_are_opened(tmp_path: Path, out: Path) -> None:
    generate(tmp_path / "key", None)
    folder = copytree(out / "demo", tmp_path / "demo")
    public = tmp_path / "key.pub"
    with pytest.raises(kb_runtime.ArtifactError) as refused:
        kb_runtime.open(folder, key=public)
    assert refused.value.code == "unsigned"
    sign(folder, tmp_path / "key", None)
    with kb_runtime.open(folder, key=public) as signed:
        assert signed.search("lantern")
    with pytest.raises(kb_runtime.KbcError, match="cannot be read"):
        kb_runtime.open(folder, key=tmp_path / "none")


@pytest.mark.slow
def test_what_is_open_stays_when_a_newer_build_is_published(tmp_path: Path) -> None:
    root = write_knowledge(tmp_path / "kb")
    options = kbc.BuildOptions(out=tmp_path / "out", embed=False)
    first = kbc.build(root, options)
    with kb_runtime.open(tmp_path / "out") as kb:
        (root / "docs" / "lanterns.md").write_text("# Lanterns\n\nThey burn candles now.\n")
        second = kbc.build(root, options)
        assert (kb.build_id, second.build_id != first.build_id) == (first.build_id, True)
        assert "oil" in kb.get("lanterns.md").text
    with kb_runtime.open(tmp_path / "out") as kb:
        assert "candles" in kb.get("lanterns.md").text


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda kb: kb.search("x", scopes=["dox"]),
            "BAD_INPUT",
            'scope "dox" is not one of: all, ',
        ),
        (
            lambda kb: kb.search("x", scopes=["dox", "all", "nets"]),
            "BAD_INPUT",
            'scope "dox", "nets" are not one of: all, ',
        ),
        (lambda kb: kb.get("x", collection="dox"), "NOT_FOUND", 'no collection "dox"'),
        (lambda kb: kb.call_tool("demo_serch"), "NOT_FOUND", 'no tool "demo_serch"'),
        (lambda kb: kb.call_tool("demo_search"), "BAD_INPUT", "query is required"),
        (
            lambda kb: kb.search("x", mode="vague"),
            "BAD_INPUT",
            'mode "vague" is not one of: hybrid',
        ),
        (
            lambda kb: kb.search("x", types=["pros"]),
            "BAD_INPUT",
            'type "pros" is not one of: prose',
        ),
        (lambda kb: kb.search(None), "BAD_INPUT", "query must be text, not null"),
        (lambda kb: kb.search("x", paths="*.md"), "BAD_INPUT", 'paths must be a list, not "*.md"'),
        (
            lambda kb: kb.search(kb_runtime.SearchRequest("x", collections=("dox",))),
            "NOT_FOUND",
            'no collection "dox"',
        ),
    ],
)
def test_a_wrong_value_is_quoted(
    kb: kb_runtime.KnowledgeBase, call: Any, kind: str, sentence: str
) -> None:
    with pytest.raises(kb_runtime.ToolError) as refused:
        call(kb)
    assert refused.value.kind == kind
    assert sentence in refused.value.message


def test_what_is_closed_says_so(out: Path) -> None:
    kb = kb_runtime.open(out)
    kb.close()
    kb.close()
    calls: list[Callable[[], object]] = [
        lambda: kb.name,
        lambda: kb.search("lantern"),
        lambda: kb.get("lanterns.md"),
        lambda: kb.call_tool("demo_info"),
        lambda: list(kb.records()),
    ]
    for call in calls:
        with pytest.raises(kb_runtime.ArtifactError, match="is closed") as refused:
            call()
        assert refused.value.code == "closed"


@pytest.mark.parametrize("option", [{"jobs": 0}, {"keep": 0}, {"query_variant": "int7"}])
def test_an_option_that_cannot_be_followed_is_refused(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(kbc.KbcError, match=f"^{name} .*{option[name]}"):
        kbc.BuildOptions(**option)


def test_an_unknown_export_is_refused(tmp_path: Path, out: Path) -> None:
    with pytest.raises(kbc.KbcError, match="'csv' is not one of: parquet"):
        kbc.export(out, tmp_path / "chunks.csv", to="csv")  # type: ignore[arg-type]


def test_filters_restrict_what_is_found(kb: kb_runtime.KnowledgeBase) -> None:
    everything = kb.search("boat lantern ferry knot")
    assert {"docs", "examples", "workshops"} <= {hit.kind for hit in everything}
    code = kb.search("boat lantern ferry knot", types=["code"])
    assert {hit.kind for hit in code} >= {"examples"}
    assert "docs" not in {hit.kind for hit in code}
    python = kb.search("pump knot ferry", languages=["python"])
    assert {Path(hit.title.split(" › ")[0]).suffix for hit in python} == {".py"}
    request = kb_runtime.SearchRequest("lantern", collections=("posts",))
    assert kb.search(request) == []


def test_globs_restrict_a_search_to_some_records(kb: kb_runtime.KnowledgeBase) -> None:
    everything = kb.search("boat lantern ferry knot", limit=50)
    ids = {kb.get(hit.address).id for hit in everything}
    python = {each for each in ids if each.endswith(".py")}
    assert set() < python < ids
    found = kb.search("boat lantern ferry knot", limit=50, paths=["*.py"])
    assert python <= {kb.get(hit.address).id for hit in found}
    assert all(kb.get(hit.address).id.endswith(".py") for hit in found)
    assert not kb.search("lantern", paths=["nowhere/**"])
    rows = kb.rows_of(["*.py"])
    request = kb_runtime.SearchRequest("lantern", rows=rows, limit=50)
    assert all(any(hit.row in each for each in rows) for hit in kb.search(request))
    with pytest.raises(kb_runtime.ToolError, match='Invalid paths: "/etc" must be relative'):
        kb.search("lantern", paths=["/etc"])


def test_a_watch_without_on_error_ends_with_the_error(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    with pytest.raises(kbc.BuildError):
        kbc.watch(tmp_path / "kb", options=kbc.BuildOptions(out=tmp_path / "out"))


def test_check_writes_nothing(tmp_path: Path) -> None:
    root = write_knowledge(tmp_path / "kb", **{"docs/compass.mdx": ""})
    found = kbc.check(root)
    assert [(each.path, each.is_error) for each in found] == [("docs/compass.mdx", False)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kb"]


@pytest.mark.parametrize(
    ("name", "place", "first"),
    [
        ("pond.birds.Nest", "docs/api.md", "## `class pond.birds.Nest()`"),
        ("pond.Nest", "docs/api.md", "## `class pond.birds.Nest()`"),  # as it may be imported
        ("Nest.hatch()", "docs/api.md", "### `Nest.hatch(eggs: int = 2)`"),
        ("hatch", "docs/api.md", "### `Nest.hatch(eggs: int = 2)`"),
        ("pd.Nest.hatch", "docs/api.md", "### `Nest.hatch(eggs: int = 2)`"),
        ("birds.warm", "code/pond/birds.py", "def warm():"),
        ("pond/birds.py", "code/pond/birds.py", ""),
        ("pd.warm", "code/pond/birds.py", "def warm():"),
        ("Nest.gone", "", ""),
        ("Egg.hatch", "", ""),
        ("egg.hatch", "", ""),  # no letters of `pond`
        ("dict.warm", "", ""),
        ("hatched", "", ""),
    ],
)
def test_an_object_is_where_a_page_describes_it_or_code_defines_it(
    pond: kb_runtime.KnowledgeBase, name: str, place: str, first: str
) -> None:
    if not place:
        with pytest.raises(kb_runtime.ToolError):
            pond.get(name)
        return
    record = pond.get(name)
    assert record.address == f"kb://pond/{place}"
    answer = pond.call_tool("pond_get", {"name": name}).text.split("\n\n", 1)[1]
    if not first:
        assert (record.lines, answer) == (None, record.text)
        return
    assert answer.startswith(first)
    assert str(record).split("\n\n", 1)[1].startswith(first)
    assert record.lines is not None
    assert record.text.split("\n")[record.lines[0] - 1].startswith(first)
    of_page = pond.call_tool("pond_get", {"name": name, "start_line": 1, "end_line": 1}).text
    assert f"{place}, lines 1 to 1 of" in of_page


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb_runtime.KnowledgeBase]:
    root = tmp_path_factory.mktemp("pond")
    code = (
        'class Nest:\n    """Holds eggs."""\n\n    def hatch(self, eggs: int = 2):\n'
        '        """Opens some."""\n\n\ndef warm():\n    return 1\n'
    )
    files = {
        "mkdocs.yml": "site_name: Pond\nplugins: [mkdocstrings]\n",
        "docs/api.md": "# API\n\nAll birds.\n\n::: pond.birds.Nest\n\n## Hatch\n\nHow.\n",
        "pond/birds.py": code,
    }
    for path, text in files.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    options = kbc.BuildOptions(out=str(root / "out"), embed=False)
    with kb_runtime.open(str(kbc.build(str(root), options).path)) as kb:
        yield kb


def test_an_address_may_lack_what_stands_before_the_collection(
    kb: kb_runtime.KnowledgeBase,
) -> None:
    record = kb.get("lanterns.md")
    whole = record.address.removeprefix("kb://")
    encoded = whole.replace("lanterns", "l%61nterns")
    for address in (whole, encoded, whole.partition("/")[2], f"{record.collection}:{record.id}"):
        assert kb.get(address).address == record.address
    with pytest.raises(kb_runtime.ToolError, match="no record"):
        kb.get(f"other/{whole}")


def test_the_address_of_a_page_means_no_other_page(kb: kb_runtime.KnowledgeBase) -> None:
    pages = next(each for each in kb.collections if each.kind == "pages")
    page = next(record for record in kb.records(pages.name) if "source" in record.data)
    url = page.data["url"]
    for address in (url, f"{url}/#top", url.replace("https:", "http:")):
        assert kb.get(address).address == page.address
    name = url.rpartition("/")[2]
    with pytest.raises(kb_runtime.ToolError, match="no record"):
        kb.get(f"https://other.example.org/{name}")
    lanterns = kb.get("lanterns.md")
    assert kb.get("https://other.example.org/lanterns.html").address == lanterns.address


@pytest.mark.slow
def test_retrievers_give_whole_passages_with_their_places(kb: kb_runtime.KnowledgeBase) -> None:
    from kb_runtime.adapters import langchain, llama_index

    hits = kb.search("wait", mode="lexical", limit=3)
    documents = langchain.LangChainRetriever(
        knowledge=kb, options={"mode": "lexical", "limit": 3}
    ).invoke("wait")
    nodes = llama_index.LlamaIndexRetriever(kb, mode="lexical", limit=3).retrieve("wait")
    assert hits
    assert [document.page_content for document in documents] == [hit.passage for hit in hits]
    assert [found.node.get_content() for found in nodes] == [hit.passage for hit in hits]
    assert [found.score for found in nodes] == [hit.score for hit in hits]
    for hit in hits:
        first, last = hit.passage_lines
        assert first <= hit.lines[0] <= hit.lines[1] <= last
        assert hit.snippet.strip("…\n ").splitlines()[0] in hit.passage
