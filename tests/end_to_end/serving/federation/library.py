"""Knowledge bases of random words, queries that find them, and calls to their tools."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from tests.answer_schemas import check_structure

from kb_runtime.mcp.dispatch import Dispatcher
from kbc.pipeline.build import BuildOptions, build

REVISION = "2025-11-25"
WORDS = re.findall(
    r"\w+",
    "anchor ballast beacon bilge boom bow buoy cabin capstan chart cleat compass crew deck "
    "dinghy dock fathom fender galley halyard harbour hatch helm hull jib keel lantern mast "
    "mooring oar pilot port reef rigging rope rudder sail sheet stern storm tide tiller "
    "voyage wake winch ",
)
PAGES = 24


def pages() -> Mapping[str, str]:
    """Pages of two sections with words of their own, by path."""
    shuffled = random.Random(6)
    texts = {}
    for number in range(PAGES):
        name = f"page{number:02}"
        sections = [" ".join(shuffled.choices(WORDS, k=30)) for _ in range(2)]
        texts[f"docs/{name}.md"] = (
            f"# {name.title()} of the {shuffled.choice(WORDS)}\n\n{sections[0]}.\n\n"
            f"## Further {shuffled.choice(WORDS)}\n\n{sections[1]}.\n"
        )
    return texts


def settings_of(name: str, prefix: str = "sea") -> str:
    return f'[kb]\nname = "{name}"\ntitle = "The {name}"\nversion = "1.0"\nprefix = "{prefix}"\n'


class Library:
    """Builds knowledge bases from texts, each under a folder of its own."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder
        self.cache = cache

    def build(
        self, name: str, files: Mapping[str, str], *, embed: bool = True, place: str = ""
    ) -> Path:
        """The folder of the knowledge base; `place` tells apart those of one name."""
        root = self._folder / (place or name)
        for path, text in {"kb.toml": settings_of(name), **files}.items():
            (root / "kb" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "kb" / path).write_text(text)
        options = BuildOptions(out=root / "out", cache=self.cache, embed=embed)
        return build(root / "kb", options).path.parent


QUERIES = st.lists(st.sampled_from([*WORDS, "page07", "lanternn", "moor"]), min_size=1, max_size=5)
MODES = st.sampled_from(["hybrid", "lexical", "semantic"])
PROPERTY = settings(max_examples=60)


def call(dispatcher: Dispatcher, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The result of a call, whose structure must fit the tool's schema."""
    listed = dispatcher.handle("tools/list", {}, REVISION)["tools"]
    (declared,) = (one for one in listed if one["name"] == tool)
    params = {"name": tool, "arguments": arguments}
    result = dispatcher.handle("tools/call", params, REVISION)
    if "structuredContent" in result:
        check_structure(declared, result["structuredContent"])
    return result


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


INITIALIZE = {
    "protocolVersion": REVISION,
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
