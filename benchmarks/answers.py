"""Whether another checkout gives the same answers, and which of the two is faster.

    python -m benchmarks.answers ARTIFACT --questions FILE --against CHECKOUT [--rounds 3]

Starts a server of this checkout and one of the other, each with the `.venv` of its checkout, and asks both
every question in turn. Answers are compared to the byte; of the times of each question the best of the rounds
counts, which the machine's other work disturbs least. Exit code 1 when an answer differs.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.stdio import ROOT, Server, serving

ASKED: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]] = {
    "all": (
        ("{prefix}_hybrid_search", {}),
        ("{prefix}_hybrid_search", {"explain": True, "k": 20}),
        ("qurio_search", {}),
    ),
    "compact": (
        ("{prefix}_search", {}),
        ("{prefix}_search", {"limit": 40, "mode": "lexical"}),
        ("{prefix}_search", {"limit": 40, "mode": "semantic"}),
    ),
}
"""By the value of --tools: tools, and arguments besides `query`."""
MAX_SHOWN = 10


def command(checkout: Path, artifact: Path, tools: str) -> list[str]:
    python = checkout / ".venv" / "bin" / "python"
    return [str(python), "-P", "-m", "kbc", "serve", str(artifact), "--tools", tools]


def ask(server: Server, tool: str, arguments: dict[str, Any]) -> tuple[float, str]:
    """Milliseconds of a call, and its result as text."""
    start = time.perf_counter()
    result = server.ask("tools/call", {"name": tool, "arguments": arguments})
    elapsed = (time.perf_counter() - start) * 1e3
    result.pop("_meta", None)  # an id of the call
    return elapsed, json.dumps(result, ensure_ascii=False)


def compare(
    servers: Sequence[Server],
    tool: str,
    extra: Mapping[str, Any],
    questions: Sequence[str],
    rounds: int,
) -> int:
    """The number of questions that are answered differently; prints these and the times."""
    best = [[float("inf")] * len(questions) for _ in servers]
    differing = set()
    for number in range(rounds):
        for at, question in enumerate(questions):
            order = range(len(servers)) if (number + at) % 2 else range(len(servers))[::-1]
            answers = {}
            for which in order:
                elapsed, answers[which] = ask(servers[which], tool, {"query": question, **extra})
                best[which][at] = min(best[which][at], elapsed)
            if len(set(answers.values())) > 1:
                differing.add(question)
    for question in sorted(differing)[:MAX_SHOWN]:
        print(f"  differs: {question}")
    ours, theirs = (median(times) for times in best)
    same = len(questions) - len(differing)
    print(
        f"{tool} {json.dumps(extra)}: {same} of {len(questions)} the same,"
        f" {ours:.2f} ms here, {theirs:.2f} ms there ({ours / theirs:.2f})"
    )
    return len(differing)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--against", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    asked = tomllib.loads(options.questions.read_text("utf-8"))["question"]
    questions = [one["query"] for one in asked]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    differing = 0
    for tools, calls in ASKED.items():
        with ExitStack() as stack:
            servers = [
                stack.enter_context(
                    serving(command(checkout, options.artifact.resolve(), tools), environment)
                )
                for checkout in (ROOT, options.against.resolve())
            ]
            for server in servers:
                server.initialize()
            offered = [tool["name"] for tool in servers[0].ask("tools/list", {})["tools"]]
            for declared, extra in calls:
                tool = next((one for one in offered if fits(one, declared)), None)
                if tool is not None:
                    differing += compare(servers, tool, extra, questions, options.rounds)
    return 1 if differing else 0


def fits(offered: str, declared: str) -> bool:
    """Whether a tool is offered under a declared name, whose prefix is the knowledge base's."""
    prefix, _, name = declared.rpartition("}")
    return offered.endswith(name) if prefix else offered == name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
