"""What tools answer to calls that they must refuse: asked, not written down.

The calls, and the knowledge base that they are made to, are those of the end-to-end tests.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kb_runtime.errors import ProtocolError
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.answers import ALL, COMPACT
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.revisions import NEWEST_HANDSHAKE
from kbc.pipeline.build import BuildOptions, build

sys.path.append(str(Path(__file__).resolve().parent.parent))

from tests.end_to_end.knowledge import MORE_FILES, write_exports, write_knowledge
from tests.end_to_end.refusals import COMPACT_REFUSALS, REFUSALS, Refusal

PREFIX = "demo_"
MAX_SHOWN = 80
"""Characters of a call; a longer one shows a rule about lengths, and not its text."""


class Refused(NamedTuple):
    """A call as it is shown, the code of the error with its kind, and its message."""

    arguments: str
    kind: str
    message: str


def refused() -> dict[str, list[Refused]]:
    """Declared name of a tool -> calls that it refuses."""
    with tempfile.TemporaryDirectory(prefix="kbc-docs-") as name:
        folder = Path(name)
        root = write_knowledge(folder / "kb", **MORE_FILES)
        artifact = build(root, BuildOptions(out=folder / "out", embed=False)).path.parent
        data = str(write_exports(folder / "data"))
        found: dict[str, list[Refused]] = {}
        for profile, refusals in ((ALL, REFUSALS), (COMPACT, COMPACT_REFUSALS)):
            live = LiveArtifact(artifact)
            for tool, answer in _answers(Dispatcher(live, profile, data), refusals):
                found.setdefault(_general(tool), []).append(answer)
            live.close()
    return found


def _answers(
    dispatcher: Dispatcher, refusals: tuple[Refusal, ...]
) -> Iterator[tuple[str, Refused]]:
    for refusal in refusals:
        if not refusal.kind:  # refused before it comes to a tool, and alike for all of them
            continue
        params = {"name": refusal.tool, "arguments": refusal.arguments}
        try:
            result = dispatcher.handle("tools/call", params, NEWEST_HANDSHAKE)
        except ProtocolError as error:
            told = Refused(
                _call(refusal), f"{error.rpc_code} `{error.data['kind']}`", error.message
            )
        else:
            error_: dict[str, Any] = result["structuredContent"]["error"]
            status = f"{error_['status']} " if "status" in error_ else ""
            told = Refused(_call(refusal), f"{status}`{error_['kind']}`", error_["message"])
        yield refusal.tool, told._replace(message=_general(told.message))


def _call(refusal: Refusal) -> str:
    text = json.dumps(refusal.arguments)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN // 2]}…"


def _general(text: str) -> str:
    """`text` with the prefix that stands for any knowledge base's."""
    return text.replace(PREFIX, "{prefix}_")
