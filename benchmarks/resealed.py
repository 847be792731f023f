"""Artifacts that somebody altered and sealed again: does anything crash, hang, swell, or verify falsely?

    python -m benchmarks.resealed [ARTIFACT] [--sharded] [--count 10000] [--seed 1]

Of a build's files one is altered as its structure allows, or the manifest is: a number becomes another
one, a row is repeated, left out or exchanged, a JSON value becomes one of another type or of an absurd size.
Then hashes, sizes and the seal are those of a sound artifact. A worker verifies the result, opens it as a
server does, reads every record, searches in every mode, and calls every tool. Outcomes:

    refused    `verify` found it
    sound      `verify` did not, and a server answers
    lie        `verify` did not, and a server refuses it, warns or fails inside       must be 0
    hang       more than 5 s of CPU                                                   must be 0
    large      the worker has used more than 1 GB of memory                           must be 0
    crash      the worker died, or `verify` raised something that is no answer        must be 0

Without ARTIFACT a small one with pages, code, tests and a model is made. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import os
import random
import shutil
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.faults import exercise
from benchmarks.lined_worker import peak_bytes

REFUSED, SOUND, LIE, HANG, LARGE, CRASH = "refused", "sound", "lie", "hang", "large", "crash"
OUTCOMES = (REFUSED, SOUND, LIE, HANG, LARGE, CRASH)
MOST_CPU_S = 5.0
MOST_MEMORY = 1 << 30
WALL_S = 90.0
_MANIFEST = "manifest.json"
_WORDS = struct.Struct("<I")

_ABSURD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 2**31, 2**32 - 1, 2**63, 2**64, 1e308, "", "x" * 70_000, "../../etc"),
    *([], {}, [[[[]]]], {"a": {"b": []}}, "\u0000", "\ud800", ["x"] * 5000),
)


def json_mutated(value: Any, chance: random.Random) -> Any:
    """A copy in which one value, at any depth, is another one, gone, repeated or exchanged."""
    value = copy.deepcopy(value)
    places: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            places += [(node, key) for key in node]
            stack += node.values()
        elif isinstance(node, list):
            places += [(node, index) for index in range(len(node))]
            stack += node
    if not places:
        return chance.choice(_ABSURD)
    node, key = chance.choice(places)
    action = chance.randrange(6)
    if action == 0:
        del node[key]
    elif action == 1 and isinstance(node, list):
        node.insert(key, copy.deepcopy(node[key]))
    elif action == 2:
        other, place = chance.choice(places)
        node[key] = copy.deepcopy(other[place])
    elif action == 3 and isinstance(node[key], int):
        node[key] += chance.choice((-1, 1, 7, -1000, 2**20))
    else:
        node[key] = chance.choice(_ABSURD)
    return value


def numbers_mutated(data: bytes, size: int, chance: random.Random) -> bytes:
    """Little-endian unsigned numbers of `size` bytes, of which some are others, gone or repeated."""
    if len(data) < size:
        return bytes(chance.randrange(1, 20))
    count, top = len(data) // size, (1 << 8 * size) - 1
    numbers = [
        int.from_bytes(data[at : at + size], "little") for at in range(0, count * size, size)
    ]
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(numbers))
        action = chance.randrange(5)
        if action == 0:
            numbers[at] = chance.choice((0, 1, top, top >> 1, top // 2 + 1, chance.randrange(top)))
        elif action == 1:
            numbers[at] = (numbers[at] + chance.choice((-1, 1, 2, -8, 256))) & top
        elif action == 2:
            other = chance.randrange(len(numbers))
            numbers[at], numbers[other] = numbers[other], numbers[at]
        elif action == 3 and len(numbers) > 1:
            del numbers[at]
        else:
            numbers.insert(at, numbers[at])
    return b"".join(number.to_bytes(size, "little") for number in numbers)


def bytes_mutated(data: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(damaged) + 1)
        end = min(len(damaged), at + int(chance.expovariate(1 / 40)))
        action = chance.randrange(6)
        if action == 0:
            del damaged[at:end]
        elif action == 1:
            damaged[at:at] = damaged[at:end]
        elif action == 2:
            damaged[at:end] = bytes(end - at)
        elif action == 3:
            damaged[at:end] = b"\xff" * (end - at)
        elif at < len(damaged):
            damaged[at] = (
                chance.randrange(256) if action == 4 else damaged[at] ^ 1 << chance.randrange(8)
            )
    return bytes(damaged)


_NUMBERS = {".off": 8, ".u32": 4, ".f32": 4, ".usearch": 4, ".keys": 4, ".symbols": 4, ".facets": 4}


def mutated(path: str, data: bytes, chance: random.Random) -> bytes:
    """The content of a file of an artifact, altered as befits its kind."""
    if path.endswith(".json") and chance.random() < 0.8:
        try:
            return json.dumps(json_mutated(json.loads(data), chance)).encode()
        except ValueError:
            pass
    size = _NUMBERS.get(Path(path).suffix)
    if size is not None and chance.random() < 0.7:
        return numbers_mutated(data, size, chance)
    return bytes_mutated(data, chance)


def reseal(build: Path, changed: dict[str, bytes], manifest: dict[str, Any]) -> None:
    """Writes altered files and a manifest that lists them as they are."""
    from kb_runtime.store.manifest import seal

    fields = copy.deepcopy(manifest)
    for entry in fields["files"]:
        if entry["path"] in changed:
            data = changed[entry["path"]]
            entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    for path, data in changed.items():
        (build / path).write_bytes(data)
    (build / _MANIFEST).write_bytes(seal(fields))


class Forger:
    """Alters a build in place, number by number, and puts it back."""

    def __init__(self, build: Path, seed: int) -> None:
        self._build, self._seed = build, seed
        self._sealed = (build / _MANIFEST).read_bytes()
        self._manifest = json.loads(self._sealed)
        self._files = [entry["path"] for entry in self._manifest["files"]]
        self._kept: dict[str, bytes] = {}

    def alter(self, number: int) -> str:
        """The file that is altered now; the same in every run."""
        chance = random.Random(f"{number} {self._seed}")
        changed: dict[str, bytes] = {}
        manifest = self._manifest
        name = _MANIFEST
        if chance.random() < 0.25:
            manifest = json_mutated(manifest, chance)
            manifest.setdefault("files", [])
        else:
            name = chance.choice(self._files)
            changed[name] = mutated(name, (self._build / name).read_bytes(), chance)
            self._kept[name] = (self._build / name).read_bytes()
        try:
            reseal(self._build, changed, manifest)
        except (ValueError, KeyError, TypeError, AttributeError, UnicodeEncodeError):
            return ""  # what cannot be written as a manifest at all
        return name

    def mend(self) -> None:
        for name, data in self._kept.items():
            (self._build / name).write_bytes(data)
        self._kept.clear()
        (self._build / _MANIFEST).write_bytes(self._sealed)


def trial(build: str) -> tuple[str, str]:
    """Verifies, then serves: the outcome and what was said. What is no answer is raised."""
    from kb_runtime.cli.self_questions import verify_served
    from kb_runtime.errors import ArtifactError, ToolError

    try:
        report = verify_served(build)
    except ArtifactError as error:
        return REFUSED, error.code
    if not report.ok:
        return REFUSED, report.problems[0].code
    try:
        _, warned = exercise(build)
    except (ArtifactError, ToolError) as error:
        return LIE, f"{type(error).__name__}: {error.message}"
    except Exception as error:
        return LIE, f"{type(error).__name__}: {error}"
    return (LIE, "a search warns") if warned else call_every_tool(build)


def call_every_tool(build: str) -> tuple[str, str]:
    """Whether no tool fails inside, with little arguments."""
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp import revisions
    from kb_runtime.mcp.dispatch import Dispatcher

    live = LiveArtifact(build)
    try:
        dispatcher = Dispatcher(live)
        revision = revisions.NEWEST_HANDSHAKE
        for tool in dispatcher.handle("tools/list", {}, revision)["tools"]:
            schema = tool["inputSchema"]
            arguments = {
                name: _argument(schema["properties"][name]) for name in schema.get("required", ())
            }
            call = {"name": tool["name"], "arguments": arguments}
            result = dispatcher.handle("tools/call", call, revision)
            text = str(result["content"])
            if result.get("isError") and ("bug in the server" in text or "cannot be read" in text):
                return LIE, f"{tool['name']}: {text[:200]}"
    except Exception as error:
        return LIE, f"{type(error).__name__}: {error}"
    finally:
        live.close()
    return SOUND, ""


def _argument(schema: dict[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    return {"integer": 1, "number": 1, "boolean": True, "array": ["gate"], "object": {}}.get(
        kind if isinstance(kind, str) else kind[0], "gate"
    )


def work(build: str) -> None:
    """The worker: a trial for each line on stdin."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for _ in sys.stdin:
        began = time.process_time()
        try:
            outcome, said = trial(build)
        except BaseException as error:
            outcome, said = CRASH, f"{type(error).__name__}: {error}"
        used = peak_bytes()
        if outcome in (REFUSED, SOUND):
            if time.process_time() - began > MOST_CPU_S:
                outcome, said = HANG, f"{time.process_time() - began:.1f} s"
            elif used > MOST_MEMORY:
                outcome, said = LARGE, f"{used >> 20} MB"
        answers.write(json.dumps([outcome, said[:400]]) + "\n")
        answers.flush()
        if outcome == LARGE:
            return


def outcomes(build: Path, numbers: range, seed: int) -> Iterator[tuple[int, str, str, str]]:
    """Number, file, outcome and what was said, of each."""
    from benchmarks.lined_worker import LinedWorker

    forger = Forger(build, seed)
    worker = LinedWorker(
        [sys.executable, "-m", "benchmarks.resealed", str(build), "--work"], WALL_S
    )
    try:
        for number in numbers:
            name = forger.alter(number)
            if name:
                outcome, said = worker.ask("go") or (CRASH, f"the worker ended: {worker.ended}")
                yield number, name, outcome, said
            forger.mend()
    finally:
        worker.close()


PAGE = "# Gate\n\nA gate lets water through. See `open_gate`.\n\n```python\nopen_gate(1)\n```\n"
CODE = "def open_gate(speed: int) -> int:\n    return speed\n\n\ndef main():\n    return open_gate(2)\n"
PROJECT = """\
[kb]
name = "small"
[[collection]]
name = "docs"
kind = "docs"
paths = ["docs"]
[[collection]]
name = "code"
kind = "code"
paths = ["src"]
[[collection]]
name = "tests"
kind = "tests"
paths = ["tests"]
"""


def small_artifact(folder: Path, *, sharded: bool = False) -> Path:
    """A build with pages, code, tests and a little model, in one piece or in two shards."""
    from tests.compiler.encoding.conftest import write_model

    from kbc.pipeline.build import BuildOptions, build

    steps = [{"action": "turn the wheel", "expected": ["water"]}]
    tests = [{"uid": "T-1", "title": "Open a gate", "tags": ["gate"], "steps": steps}]
    files = {
        "kb.toml": PROJECT,
        "docs/gate.md": PAGE,
        "docs/water.md": "# Water\n\nWater flows.\n\n## Down\n\nAlways.\n",
        "src/gate.py": CODE,
        "src/lib/wheel.py": "from gate import open_gate\n\nclass Wheel:\n    turn = open_gate\n",
        "tests/a.json": json.dumps({"tests": tests}),
    }
    if sharded:
        files["kb.toml"] += "[build]\nshard_chunks = 1\n"
        files["docs/water.md"] += "Water flows down. " * 12
    for name, text in files.items():
        (folder / "kb" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "kb" / name).write_text(text)
    model = write_model(folder / "model", max_seq_length=64, positions=80)
    options = BuildOptions(out=folder / "out", cache=folder / "cache", model=model)
    return build(folder / "kb", options).path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("artifact", nargs="?", type=Path, help="a build")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sharded", action="store_true", help="the small artifact in shards")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        work(str(options.artifact))
        return 0
    began = time.monotonic()
    counts: Counter[tuple[str, str]] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="kbc-resealed-") as name:
        made = options.artifact or small_artifact(Path(name), sharded=options.sharded)
        build = Path(name) / "forged" / made.name
        shutil.copytree(made, build)
        numbers = range(options.first, options.first + options.count)
        for number, file, outcome, said in outcomes(build, numbers, options.seed):
            counts[file, outcome] += 1
            if outcome not in (REFUSED, SOUND):
                failed += 1
                print(f"{outcome}: mutation {number} of {file}: {said}", flush=True)
    print(report(counts))
    tried = sum(counts.values())
    print(f"{tried:,} tried, {failed:,} failed, in {time.monotonic() - began:.0f} s (bar 0)")
    return int(failed > 0)


def report(counts: Counter[tuple[str, str]]) -> str:
    """A table of outcomes by file."""
    rows: list[tuple[str, Callable[[str], bool]]] = [
        (file, file.__eq__) for file in sorted({file for file, _ in counts})
    ]
    rows.append(("all", lambda _: True))
    lines = [f"{'file':32}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES)]
    for label, is_in in rows:
        cells = (
            sum(count for (file, got), count in counts.items() if got == outcome and is_in(file))
            for outcome in OUTCOMES
        )
        lines.append(f"{label:32}" + "".join(f"{cell:9,}" for cell in cells))
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
