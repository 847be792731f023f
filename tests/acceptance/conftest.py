"""Compiled knowledge bases, and calls to them that check every answer against its schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.answer_schemas import check_structure

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.pipeline.build import BuildOptions, build

REVISION = "2025-11-25"


class Reply(NamedTuple):
    """What a client gets: one text, the structure, and whether it is an error."""

    text: str
    structured: dict[str, Any]
    is_error: bool


class Client:
    """Calls tools through the dispatch core; a successful answer must fit its output schema."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._dispatcher = Dispatcher(LiveArtifact(folder))
        listed = self._dispatcher.handle("tools/list", {}, REVISION)["tools"]
        self.tools: dict[str, Any] = {tool["name"]: tool for tool in listed}

    def artifact(self) -> Artifact:
        """The artifact itself, to look inside."""
        return Artifact.open(self._folder)

    def call(self, name: str, /, **arguments: Any) -> Reply:
        return self.call_with(name, {"arguments": arguments})

    def call_with(self, name: str, params: dict[str, Any]) -> Reply:
        result = self._dispatcher.handle("tools/call", {"name": name, **params}, REVISION)
        (content,) = result["content"]
        reply = Reply(content["text"], result["structuredContent"], result["isError"])
        if reply.is_error:
            assert reply.text.startswith("Error: ")
            assert reply.structured["error"]["message"]
        else:
            check_structure(self.tools[name], reply.structured)
        return reply


def compile_into(folder: Path, config: pytest.Config) -> Client:
    """Compiles `folder`/kb; embeddings are kept between test sessions."""
    assert config.cache is not None
    options = BuildOptions(out=folder / "out", cache=Path(config.cache.mkdir("kbc")))
    return Client(build(folder / "kb", options).path.parent)


@pytest.fixture(scope="session")
def quint(quint_artifact: Path) -> Client:
    """The documentation of Quint: builtins, pages, posts, guidelines and patterns."""
    return Client(quint_artifact)


SMALL_TREE = {
    "kb.toml": '[kb]\nname = "quint"\ntitle = "Small"\n',
    "docs/intro.md": "# Introduction\n\nHow a specification begins.\n",
    "choreo/listeners.md": "# Listeners\n\nProcesses react to messages.\n",
    "examples/puzzles/river.qnt": (
        "// Crossing a river. See riverTest below, and Test elsewhere.\n"
        'module river {\n  val name = "run fakeTest = true"\n  type Bank = Left | Right\n}\n'
    ),
    "examples/classic/distributed/election.qnt": (
        "// Electing a leader.\nmodule election {\n  var leader: int\n"
        "  action init = leader' = 0\n  run check = init\n  run initTest = init\n}\n"
    ),
    "examples/classic/sums.qnt": (
        "// A union type definition.\nmodule sums {\n  type Shape = Circle(int) | Square(int)\n}\n"
    ),
    "templates/templates.toml": (
        '[[template]]\nid = "machine"\nname = "Machine"\ndescription = "One state."\n'
        'framework = "standard"\nfilename = "machine.qnt"\nuse_for = ["games"]\n'
        'instructions = ["Rename it."]\n\n'
        '[[template]]\nid = "protocol"\nname = "Protocol"\ndescription = "Many processes."\n'
        'framework = "choreo"\nfilename = "protocol.qnt"\n'
    ),
    "templates/machine.qnt": "module machine {\n  var state: int\n}\n",
    "templates/protocol.qnt": "module protocol {\n  var sent: Set[int]\n}\n",
    "routing.toml": (
        '[[label]]\nname = "choreo"\nbase = 0.7\nstep = 0.1\nkeywords = ["consensus", "bft", "pbft",'
        ' "raft", "view change", "two-phase"]\ndocs = ["choreo/listeners.md"]\n'
        'examples = ["classic/distributed/election.qnt"]\n\n'
        '[[label]]\nname = "standard"\nbase = 0.8\ndefault = true\n'
        'keywords = ["lock", "game", "token"]\ndocs = ["docs/intro.md"]\n'
        'examples = ["puzzles/river.qnt"]\n'
    ),
}


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Client:
    """A tree with examples, templates and routing rules."""
    folder = tmp_path_factory.mktemp("small")
    for name, text in SMALL_TREE.items():
        path = folder / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return compile_into(folder, pytestconfig)
