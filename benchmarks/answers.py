"""What answers cost in tokens; whether another checkout gives the same answers, and which is faster.

    python -m benchmarks.answers ARTIFACT --questions FILE
    python -m benchmarks.answers ARTIFACT --questions FILE --against CHECKOUT [--rounds 3]

The first form counts the tokens of `tools/list` and of the answers to the questions, with the vocabulary
o200k of public models; other vocabularies differ by some percent. Exit code 1 above the limits.

The second form starts a server of this checkout and one of the other, each with the `.venv` of its checkout,
and asks both every question in turn. Answers are compared to the byte; of the times of each question the
best of the rounds counts, which the machine's other work disturbs least. Exit code 1 when an answer differs.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks.stdio import ROOT, Server, serving
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.revisions import NEWEST_HANDSHAKE

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
MAX_LIST_TOKENS = 1_300
"""Of `tools/list` for the five tools that servers offer by default."""
MAX_HITS_TOKENS = 2_000
"""Of ten hits of the general search, text and structure together."""


class Cost(NamedTuple):
    """Tokens of one answer: of its text and of its structure."""

    text: int
    structure: int

    @property
    def total(self) -> int:
        return self.text + self.structure


def tokens(text: str) -> int:
    return len(_encoding().encode(text))


@cache
def _encoding() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it reads its vocabulary in an old way
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def list_tokens(dispatcher: Dispatcher) -> int:
    """Tokens of `tools/list` as it is sent."""
    return tokens(_compact(dispatcher.handle("tools/list", {}, NEWEST_HANDSHAKE)))


def cost(dispatcher: Dispatcher, tool: str, arguments: Mapping[str, Any]) -> Cost:
    params = {"name": tool, "arguments": dict(arguments)}
    result = dispatcher.handle("tools/call", params, NEWEST_HANDSHAKE)
    assert not result["isError"], result
    structure = result.get("structuredContent")
    return Cost(
        tokens(result["content"][0]["text"]),
        0 if structure is None else tokens(_compact(structure)),
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def print_tokens(artifact: Path, questions: Sequence[str]) -> bool:
    """Prints a table in Markdown; whether all limits are met."""
    live = LiveArtifact(str(artifact))
    with live.lease() as artifact:
        prefix = artifact.manifest["prefix"]
    met = True
    try:
        print("| | tokens | limit |\n| --- | ---: | ---: |")
        for profile in ("compact", "all"):
            listed = list_tokens(Dispatcher(live, profile))
            limit = MAX_LIST_TOKENS if profile == "compact" else None
            met &= limit is None or listed <= limit
            print(f"| `tools/list`, {profile} | {listed:,} | {limit or ''} |")
        for profile, name in (("compact", "search"), ("all", "hybrid_search")):
            dispatcher = Dispatcher(live, profile)
            tool = f"{prefix}_{name}"
            if tool not in dispatcher.answers.declared_names:
                continue
            costs = [cost(dispatcher, tool, {"query": question}) for question in questions]
            worst = max(each.total for each in costs)
            limit = MAX_HITS_TOKENS if profile == "compact" else None
            met &= limit is None or worst <= limit
            print(
                f"| `{tool}`, ten hits: text, mean of {len(costs)} |"
                f" {mean(each.text for each in costs):,.0f} | |"
            )
            print(
                f"| `{tool}`, ten hits: text and structure, mean |"
                f" {mean(each.total for each in costs):,.0f} | |"
            )
            print(f"| `{tool}`, ten hits: text and structure, most | {worst:,} | {limit or ''} |")
    finally:
        live.close()
    return met


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
    parser.add_argument("--against", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    asked = tomllib.loads(options.questions.read_text("utf-8"))["question"]
    questions = [one["query"] for one in asked]
    if options.against is None:
        return 0 if print_tokens(options.artifact, questions) else 1
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
