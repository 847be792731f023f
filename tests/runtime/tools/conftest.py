"""A knowledge base with every kind that the tools read, compiled by the real catalog writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import SearchHit, SearchRequest, SearchResult
from kb_runtime.search.snippets import FoundWords, PassageReader, Snippet
from kb_runtime.tools.arguments import check
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.session import Session
from kbc.linking.linker import Published
from kbc.records import (
    BuiltinRecord,
    CompiledRecord,
    DocRecord,
    ExampleRecord,
    ModuleImport,
    PatternRecord,
    RoutingRecord,
    Section,
    TemplateRecord,
    catalog_entry,
)

MANUAL = (
    "# The manual\r\n\r\nFirst words.\r\n\r\n## Sets\r\n\r\nSets hold values.\r\n"
    "### Examples\r\nSet(1, 2)\r\n\r\n## Maps\r\n\r\nMaps hold pairs.\r\n"
)
OPERATORS = "# Operators\n\n## eq\n\nEquality.\n\n## mapBy\n\nBuilds a map.\nOf a set.\n"
POST = "---\ntitle: Soup\n---\n# Message soup\n\nimport stays in text\n"


def _section(title: str, level: int, line: int, end_line: int, anchor: str) -> Section:
    return Section(title=title, level=level, line=line, end_line=end_line, anchor=anchor, chars=20)


BUILTINS = [
    BuiltinRecord(
        id="eq",
        collection="builtins",
        title="eq",
        path="docs/operators.md",
        text="## eq\n\nEquality.\n\n",
        line=3,
        name="eq",
        signature="pure def eq: (t, t) => bool",
        description="Equality.\nOf any two values.",
        category="logic",
        aliases=("==",),
        url="https://example.org/operators#eq",
    ),
    BuiltinRecord(
        id="mapBy",
        collection="builtins",
        title="mapBy",
        path="docs/operators.md",
        text="## mapBy\n\nBuilds a map.\nOf a set.\n```quint\n```\n",
        line=7,
        lines=6,
        language="markdown",
        name="mapBy",
        signature="pure def mapBy: (Set[a], (a) => b) => a -> b",
        description="Builds a map.",
        examples=("Set(1).mapBy(x => x)\n", "val fenced = ```"),
        category="set",
        categories=("set", "map"),
        related=("setToMap",),
    ),
    BuiltinRecord(
        id="setToMap",
        collection="builtins",
        title="setToMap",
        path="docs/operators.md",
        text="",
        line=9,
        name="setToMap",
        signature="pure def setToMap: Set[(a, b)] => a -> b",
        description="A map of pairs.",
        category="map",
    ),
]
PAGES = [
    DocRecord(
        id="docs/manual.md",
        collection="docs",
        title="The manual",
        path="docs/manual.md",
        text=MANUAL,
        group="core",
        format="markdown",
        content=MANUAL,
        topics=("language",),
        sections=(
            _section("The manual", 1, 1, 13, "the-manual"),
            _section("Sets", 2, 5, 10, "sets"),
            _section("Examples", 3, 8, 10, "examples"),
            _section("Maps", 2, 11, 13, "maps"),
        ),
    ),
    DocRecord(
        id="docs/operators.md",
        collection="docs",
        title="Operators",
        path="docs/operators.md",
        text=OPERATORS,
        group="core",
        format="markdown",
        content=OPERATORS,
        sections=(_section("Operators", 1, 1, 10, "operators"),),
    ),
]
POSTS = [
    DocRecord(
        id="posts/soup.mdx",
        collection="posts",
        title="Message soup",
        path="posts/soup.mdx",
        text=POST,
        group="posts",
        format="mdx",
        content="# Message soup\n",
        processed=True,
        summary="A page about soup.",
        frontmatter={"title": "Soup"},
        sections=(_section("Message soup", 1, 4, 6, "Message.soup"),),
    )
]
GUIDELINES = [
    DocRecord(
        id="guidelines/test-workflow.md",
        collection="guidelines",
        title="Testing",
        path="guidelines/test-workflow.md",
        text="# Testing\n\nTest first.\n",
        group="guidelines",
        format="markdown",
        content="# Testing\n\nTest first.\n",
        sections=(_section("Testing", 1, 1, 3, "testing"),),
    )
]


def _example(path: str, text: str, **fields: Any) -> ExampleRecord:
    folders = path.split("/")[:-1]
    return ExampleRecord(
        id=path,
        collection="examples",
        title=path,
        path=f"examples/{path}",
        text=text,
        size=len(text.encode()),
        lines=text.count("\n"),
        filename=path.rsplit("/", 1)[-1],
        category=folders[0] if folders else "",
        subcategory=folders[1] if len(folders) > 1 else "",
        **fields,
    )


EXAMPLES = [
    _example(
        "cosmos/tendermint/Tendermint.qnt",
        "// a Test in a comment, setToMap too\nmodule Tendermint { val m = S.mapBy(f) }\n",
        description="Tendermint consensus.",
        modules=("Tendermint",),
        imports=(ModuleImport(module="basic", source="../basic"),),
        keywords=("consensus",),
    ),
    _example(
        "cosmos/bank.qnt",
        "module bank { run worksTest = init }\n/* setToMap, in a comment that nobody closed\n",
        modules=("bank",),
        tests=("helper", "worksTest"),
    ),
    _example("games/tictactoe.qnt", "module tictactoe {}\n", modules=("tictactoe",)),
    _example("games/bank.qnt", "module other {}\n", modules=("other",)),
]
PATTERNS = [
    PatternRecord(
        id="thin-actions",
        collection="patterns",
        title="Thin actions",
        path="patterns/thin-actions.md",
        text="---\nid: thin-actions\n---\n# Thin actions\n",
        name="Thin actions",
        category="core",
        description="Actions call pure functions.",
        when_to_use=("Always",),
        template="action a = pureFunction",
        anti_patterns=({"dont": "logic in actions", "reason": "hard to test", "do": "call"},),
    ),
    PatternRecord(
        id="pure-functions",
        collection="patterns",
        title="Pure functions",
        path="patterns/pure-functions.md",
        text="# Pure functions\n",
        name="Pure functions",
        category="core",
        description="Logic lives in functions.",
        key_principles=("No state",),
    ),
    PatternRecord(
        id="witness-testing",
        collection="patterns",
        title="Witness testing",
        path="patterns/witness-testing.md",
        text="# Witness testing\n",
        name="Witness testing",
        category="testing",
        description="Prove that states are reachable.",
    ),
]
TEMPLATES = [
    TemplateRecord(
        id="two-phase",
        collection="templates",
        title="Two-phase commit",
        path="templates/two_phase.qnt",
        text="module two_phase {}\n",
        lines=1,
        name="Two-phase commit",
        description="A coordinator and participants.",
        framework="choreo",
        filename="two_phase.qnt",
        use_for=("commit protocols",),
        instructions=("Rename it.",),
    ),
    TemplateRecord(
        id="basic",
        collection="templates",
        title="Basic",
        path="templates/basic.qnt",
        text="module basic {}\n",
        lines=1,
        name="Basic",
        description="A state machine.",
        framework="standard",
        filename="basic.qnt",
        workflow=("Edit.",),
    ),
]
RULES = [
    RoutingRecord(
        id="choreo",
        collection="routing",
        title="choreo",
        path="routing.toml",
        text="",
        label="choreo",
        keywords=("consensus", "bft", "pbft", "raft", "voting", "view change", "viewchange", "2pc"),
        base_confidence=0.7,
        step_confidence=0.1,
        reasoning="Processes send messages.",
        docs=("docs/manual.md",),
        examples=("cosmos/tendermint/Tendermint.qnt",),
    ),
    RoutingRecord(
        id="standard",
        collection="routing",
        title="standard",
        path="routing.toml",
        text="",
        label="standard",
        keywords=("token", "lock", "auction", "game", "smart contract"),
        base_confidence=0.8,
        default=True,
        docs=("docs/operators.md",),
    ),
]
RECORDS: Mapping[str, tuple[str, str, Sequence[CompiledRecord]]] = {
    "builtins": ("builtins", "", BUILTINS),
    "docs": ("docs", "core", PAGES),
    "posts": ("docs", "posts", POSTS),
    "examples": ("examples", "", EXAMPLES),
    "guidelines": ("docs", "guidelines", GUIDELINES),
    "patterns": ("patterns", "", PATTERNS),
    "templates": ("templates", "", TEMPLATES),
    "routing": ("routing", "", RULES),
}
SCOPES = {
    "all": [name for name in RECORDS if name != "routing"],
    **{name: [name] for name in RECORDS if name != "routing"},
    "extra": ["posts"],
    "guidelines": ["guidelines", "patterns"],
}


class ScriptedSearcher:
    """Answers with the hits it was given, filtered by collection, and remembers the requests."""

    def __init__(self, hits: Sequence[SearchHit] = (), warnings: Sequence[str] = ()) -> None:
        self.hits = hits
        self.warnings = tuple(warnings)
        self.requests: list[SearchRequest] = []

    def search(self, request: SearchRequest) -> SearchResult:
        self.requests.append(request)
        wanted = request.collections
        hits = [hit for hit in self.hits if wanted is None or hit.collection in wanted]
        if request.distinct is not None:
            best: dict[object, SearchHit] = {}
            for hit in hits:
                best.setdefault(request.distinct(hit), hit)
            hits = list(best.values())
        return SearchResult(
            hits=hits[: request.limit],
            mode="hybrid",
            warnings=self.warnings,
            total_candidates=len(hits),
        )


class SearchableArtifact:
    """An artifact whose searcher is scripted; everything else is real."""

    def __init__(self, artifact: Artifact, searcher: ScriptedSearcher) -> None:
        self._artifact = artifact
        self.searcher = searcher

    def __getattr__(self, name: str) -> Any:
        return getattr(self._artifact, name)


class SamePassage(PassageReader):
    """Reads the same from every chunk; needs no query."""

    def __init__(self, text: str = "Builds a map of a set. " * 20) -> None:
        self.text = text

    def find(self, chunk: Mapping[str, Any]) -> FoundWords:
        return FoundWords(self.text, ())

    def matched(self, found: FoundWords) -> tuple[str, ...]:
        return ("map",)

    def passage(
        self, chunk: Mapping[str, Any], found: FoundWords, budget: int | None = None
    ) -> Snippet:
        return Snippet(self.text, chunk["start_line"], chunk["end_line"])


def hit(collection: str, record: int, line: int = 1, **fields: Any) -> SearchHit:
    """A hit for a chunk of a record; `fields` are the chunk's."""
    chunk = {"start_line": line, "end_line": line + 4, **fields}
    return SearchHit(
        row=0,
        collection=collection,
        record=record,
        chunk=chunk,
        score=0.032786885,
        strategy="fused",
        lexical_rank=1,
        lexical_score=3.0,
        semantic_rank=2,
        cosine=0.5,
        exact_name=False,
        reader=SamePassage(),
    )


@pytest.fixture
def searcher() -> ScriptedSearcher:
    return ScriptedSearcher()


@pytest.fixture
def session(publish: Callable[..., Published], searcher: ScriptedSearcher) -> Iterator[Session]:
    entries = {
        name: [{"text": "", **catalog_entry(record)} for record in records]
        for name, (_, _, records) in RECORDS.items()
    }
    collections = []
    row = 0
    for name, (kind, group, records) in RECORDS.items():
        collections.append(
            {
                "name": name,
                "kind": kind,
                "group": group,
                "url": "",
                "records": len(records),
                "chunks": len(records),
                "first_row": row,
            }
        )
        row += len(records)
    published = publish(entries, collections=collections, scopes=SCOPES, prefix="quint")
    artifact = Artifact.open(published.path)
    names = {tool.name: tool.name.format(prefix="quint") for tool in TOOLS}
    yield Session(SearchableArtifact(artifact, searcher), names)  # type: ignore[arg-type]
    artifact.close()


@pytest.fixture
def call(session: Session) -> Callable[..., Answer]:
    """`call("get_doc", filename="x")`: checks the arguments like the server, then runs the tool."""
    tools = {tool.name.removeprefix("{prefix}_"): tool for tool in TOOLS}

    def run(tool: str, **raw: Any) -> Answer:
        arguments, _ = check(tools[tool], raw)
        return tools[tool].run(session, arguments)

    return run


@pytest.fixture
def make_hit() -> Callable[..., SearchHit]:
    return hit
