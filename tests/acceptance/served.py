"""A compiled knowledge base behind the dispatch core, whose every answer is checked on its way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.answer_schemas import check_structure

from kb_runtime.errors import ProtocolError
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.pipeline.build import BuildOptions, build

REVISION = "2025-11-25"


class Server:
    """Calls tools; gives results that fit their schemas, or protocol errors."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dispatcher = Dispatcher(LiveArtifact(folder))
        listed = self.dispatcher.handle("tools/list", {}, REVISION)["tools"]
        self.tools = {tool["name"]: tool for tool in listed}

    def result(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        return self.send({"name": name, "arguments": arguments})

    def send(self, params: dict[str, Any]) -> dict[str, Any]:
        result = self.dispatcher.handle("tools/call", params, REVISION)
        check_structure(self.tools[params["name"]], result["structuredContent"])
        return result

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        result = self.result(name, **arguments)
        assert not result["isError"], result
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    def text(self, name: str, /, **arguments: Any) -> str:
        text: str = self.result(name, **arguments)["content"][0]["text"]
        return text

    def refused(self, name: str, /, **arguments: Any) -> ProtocolError:
        with pytest.raises(ProtocolError) as caught:
            self.result(name, **arguments)
        return caught.value


def compiled(
    folder: Path, tree: Mapping[str, str], config: pytest.Config, *, embed: bool = True
) -> Server:
    """Compiles the files of `tree`, without vectors if so wished; embeddings are kept between test
    sessions."""
    for name, text in tree.items():
        path = folder / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    assert config.cache is not None
    cache = Path(config.cache.mkdir("kbc"))
    options = BuildOptions(out=folder / "out", cache=cache, embed=embed)
    return Server(build(folder / "kb", options).path.parent)


def explosion(error: Exception) -> Callable[..., Any]:
    """A function that raises `error`, whatever it is called with."""

    def explode(*_: Any) -> Any:
        raise error

    return explode
