"""Commands that get less and less memory: does each end, say so, and leave nothing half done?

    python -m benchmarks.injection.shortages [COMMAND ...] [--limits DATA,AS]
                                             [--from 40] [--to 2000] [--step 10]

A command runs with so many MB of memory, beginning with few, until it succeeds twice in a row: DATA limits
what a process may write to, AS its whole address space. RUST_BACKTRACE is set, as in many a CI.

    hang       it did not end within 60 s                                       must be 0
    signal     it was ended by a signal, not by an allocator that says so       must be 0
    defect     it ended as "internal error", or with a traceback                must be 0
    unnamed    it failed, and no sentence names memory or threads               must be 0
    half       an artifact is there that does not verify, or unfinished files   must be 0

Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.injection.scenarios import artifact

WALL_S = 60
BARS = ("hang", "signal", "defect", "unnamed", "half")
LIMITS = {"DATA": resource.RLIMIT_DATA, "AS": resource.RLIMIT_AS}
# Of Rust's allocator and of glibc, which end a process themselves; so does OpenBLAS, with an exit code.
ABORTED = ("memory allocation of", "out of memory")
NAMED = (*("not enough memory", "no more threads", "Memory allocation still failed"), *ABORTED)
SUCCESSES = 2
# The interpreter's own start, which fails in its own words, is over when the limit is set.
_PROGRAM = """
import resource, sys
from {module} import {function} as run
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.{limit}, (limit, limit))
sys.exit(run(sys.argv[1:]))
"""
_MODEL = ("--model", "model")
_BUILD = ("build", "kb", "--out", "out", "--cache", "cache", *_MODEL, "--quiet", "--no-draft")
_NO_ANSWER = ('"isError":true', '"isError": true', '"error":', "is unavailable")
COMMANDS: dict[str, tuple[str, ...]] = {
    "build": _BUILD,
    "ingest": ("workspace", "ingest", "ws", "tests.json", *_MODEL),
    "verify": ("verify", "made/demo"),
    "search": ("search", "made/demo", "a gate"),
    "serve": ("serve", "made/demo"),
}
_ASKED = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"demo_search",'
    b'"arguments":{"query":"a gate"}}}\n'
)


def prepare(folder: Path) -> None:
    """A small model, a knowledge base of three pages, test cases, and an artifact."""
    from tests.compiler.encoding.conftest import write_model

    write_model(folder / "model", max_seq_length=64, positions=80)
    (folder / "kb/docs").mkdir(parents=True)
    (folder / "kb/kb.toml").write_text('[kb]\nname = "demo"\nprefix = "demo"\n')
    for name in ("gate", "water", "weir"):
        (folder / f"kb/docs/{name}.md").write_text(f"# {name.title()}\n\nAll about a {name}.\n")
    (folder / "tests.json").write_text('{"tests": [{"uid": "A-1", "title": "Open a gate"}]}')
    made = [sys.executable, "-m", "kbc", *_BUILD]
    made[made.index("out")] = "made"
    subprocess.run(made, cwd=folder, check=True, capture_output=True)


def trial(folder: Path, command: str, limit: str, megabytes: int) -> tuple[int, str, str]:
    """The exit code, the bar that was missed or nothing, and what was said."""
    for name in ("out", "cache", "ws"):
        subprocess.run(["rm", "-rf", str(folder / name)], check=True)
    program = _PROGRAM.format(module="kbc.cli.main", function="run", limit=f"RLIMIT_{limit}")
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, str(megabytes << 20), *COMMANDS[command]],
            cwd=folder,
            env={**os.environ, "RUST_BACKTRACE": "1"},
            input=_ASKED if command == "serve" else b"",
            capture_output=True,
            timeout=WALL_S,
        )
    except subprocess.TimeoutExpired as error:
        return -1, "hang", str(error.stderr or b"")[-400:]
    said = (done.stdout + done.stderr).decode(errors="replace")
    code = done.returncode or int(any(words in said for words in _NO_ANSWER))
    return code, _missed(folder, command, code, said), said[-600:]


def _missed(folder: Path, command: str, code: int, said: str) -> str:
    if code < 0 and not any(words in said for words in ABORTED):
        return "signal"
    if "internal error" in said or "Traceback" in said:
        return "defect"
    if code and not any(words in said for words in NAMED):
        return "unnamed"
    places = {"build": "out/demo", "ingest": "ws/tests/index/tests"}
    if command in places and artifact(folder, places[command]).startswith("broken"):
        return "half"
    unfinished = [path for path in folder.rglob("*.new") if path.parent.name != "model"]
    return "half" if unfinished and not code else ""


def run(
    commands: list[str], limits: list[str], sizes: range
) -> Iterator[tuple[str, str, int, int, Counter[str], list[str]]]:
    """Command, limit, trials, the first megabytes that were enough, missed bars and what was seen."""
    with tempfile.TemporaryDirectory(prefix="kbc-shortages-") as name:
        prepare(Path(name))
        for command in commands:
            for limit in limits:
                missed: Counter[str] = Counter()
                seen, succeeded, tried, enough = [], 0, 0, 0
                for megabytes in sizes:
                    code, bar, said = trial(Path(name), command, limit, megabytes)
                    tried += 1
                    if bar:
                        missed[bar] += 1
                        seen.append(f"{command}, {limit} of {megabytes} MB: {bar}: {code}: {said}")
                    succeeded = 0 if code or bar else succeeded + 1
                    enough = megabytes if succeeded == 1 else enough
                    if succeeded == SUCCESSES:
                        break
                yield command, limit, tried, enough, missed, seen


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=", ".join(COMMANDS))
    parser.add_argument("--limits", default=",".join(LIMITS))
    parser.add_argument("--from", dest="first", type=int, default=40, help="MB")
    parser.add_argument("--to", type=int, default=2000, help="MB")
    parser.add_argument("--step", type=int, default=10, help="MB")
    parser.add_argument("--shown", type=int, default=3, help="misses that are shown of each")
    options = parser.parse_args(arguments)
    failed = 0
    print(f"{'command':10}{'limit':7}{'tried':>6}{'enough, MB':>12}  " + "  ".join(BARS))
    sizes = range(options.first, options.to + 1, options.step)
    for command, limit, tried, enough, missed, seen in run(
        options.commands or list(COMMANDS), options.limits.split(","), sizes
    ):
        cells = "  ".join(f"{missed[bar]:{len(bar)}}" for bar in BARS)
        print(f"{command:10}{limit:7}{tried:6}{enough:12}  {cells}", flush=True)
        for line in seen[: options.shown]:
            print("    " + line.replace("\n", "\n      "), flush=True)
        failed += len(seen)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
