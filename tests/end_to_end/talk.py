"""A conversation with a server over pipes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

from tests.end_to_end.serving.test_stdio import HELLO, ask, call
from tests.waiting import until

PAUSE_S = 0.2
"""Between two questions: each takes time from the compiler in the background that is waited for."""


class Talk:
    """A conversation with a server over pipes."""

    def __init__(self, process: subprocess.Popen[bytes], *, hello: bool = True) -> None:
        """Without `hello` the conversation is a stateless one."""
        self.process = process
        self.hello = ask(process, HELLO)["result"] if hello else {}

    def send(
        self, request_id: Any, tool: str, arguments: dict[str, Any], envelope: dict[str, Any]
    ) -> None:
        params = {"name": tool, "arguments": arguments, **envelope}
        message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result: dict[str, Any] = ask(self.process, call(tool, **arguments))["result"]
        return result

    def facts(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self(tool, **arguments)
        assert not result["isError"], result["content"]
        facts: dict[str, Any] = result["structuredContent"]
        return facts

    def until(self, accepts: Callable[[Any], bool], tool: str, **arguments: Any) -> dict[str, Any]:
        """Asks again until the answer is as wanted."""
        facts: dict[str, Any] = {}

        def is_as_wanted() -> bool:
            nonlocal facts
            facts = self.facts(tool, **arguments)
            return accepts(facts)

        until(is_as_wanted, lambda: json.dumps(facts, indent=1), PAUSE_S)
        return facts


def first_file(facts: dict[str, Any]) -> str:
    return str(facts["results"][0]["file"]) if facts["results"] else ""
