"""Other public servers and ours side by side, in one run: build, start, answers, memory.

    python -m benchmarks.peers KIT [--work FOLDER] [--questions FILE] [--rounds 5] [--builds 1]

KIT is a checkout of quint-co/quint-llm-kit. Its server is repaired in a copy below FOLDER, as
docs/performance.md says, and both compile the same tree. Builds take turns, and so do starts and calls: each
side waits for the same machine. CPU is that of the whole process, which other work disturbs least.
A second run with the same FOLDER installs nothing again. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.encoders.peer_encoder import write_peer_model
from benchmarks.query_profile.__main__ import read_questions
from benchmarks.side_by_side.sides import Side, measure_build, measure_calls, measure_start, p95
from benchmarks.stdio import process_environment

MAX_BUILD_RATIO = 1.2
MAX_SEARCH_MS = 4.0
MAX_SEARCH_RATIO = 0.7
MAX_FIRST_SEARCH_MS = 300.0
MAX_PRIVATE_MB = 55.0
SHARP = "0.33.5"
"""The first line of releases whose binaries come with the package instead of from a download."""
SERVER = Path("mcp-servers", "kb")
QUESTIONS = Path(__file__).with_name("wide") / "questions" / "quint-kit.toml"
TOOL = "quint_hybrid_search"


def repair(kit: Path, work: Path) -> Path:
    """A copy of the kit's server that can be set up without a download of its own; built."""
    server = work / "quint-server"
    if not server.is_dir():
        shutil.copytree(kit / SERVER, server)
        package = server / "package.json"
        overrides = {"overrides": {"sharp": SHARP}}
        package.write_text(json.dumps(json.loads(package.read_text()) | overrides))
        # A batch comes back as one tensor, which the server averages into one vector.
        for path in server.glob("src/**/*.ts"):
            text = path.read_text("utf-8")
            path.write_text(re.sub(r"(DEFAULT_BATCH_SIZE = )\d+", r"\g<1>1", text), "utf-8")
        for command in (
            "npm install --ignore-scripts --no-audit --no-fund",
            "npm rebuild hnswlib-node",
            "npm run build",
        ):
            run(command.split(), server)
    models = server / "data" / "models"
    if not any(models.glob("**/*.onnx")):
        write_peer_model(models)
    return server


def run(command: Sequence[str], folder: Path | None = None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def report(ours: Side, theirs: Side) -> bool:
    """Prints the table; False when a bar is missed."""
    print(f"| | {ours.name} | {theirs.name} | ratio | bar |")
    print("| --- | ---: | ---: | ---: | --- |")
    met = True

    def row(
        what: str,
        one: float,
        two: float,
        bar: float | None = None,
        max_ratio: float | None = None,
    ) -> None:
        nonlocal met
        ratio = one / two
        wanted = []
        if bar is not None:
            wanted.append(f"at most {bar:g}")
        if max_ratio is not None:
            wanted.append(f"ratio at most {max_ratio:g}")
        ok = (bar is None or one <= bar) and (max_ratio is None or ratio <= max_ratio)
        met &= ok
        verdict = f"{', '.join(wanted)}: {'met' if ok else 'missed'}" if wanted else ""
        print(f"| {what} | {one:,.2f} | {two:,.2f} | {ratio:.2f} | {verdict} |")

    if ours.build_s:
        row("clean build, s", min(ours.build_s), min(theirs.build_s), None, MAX_BUILD_RATIO)
        row("clean build, CPU s", min(ours.build_cpu_s), min(theirs.build_cpu_s))
    row("start to `initialize`, ms", median(ours.start_ms), median(theirs.start_ms))
    first = median(ours.first_ms), median(theirs.first_ms)
    row("start to first hybrid answer, ms", *first, MAX_FIRST_SEARCH_MS)
    typical = median(ours.call_ms), median(theirs.call_ms)
    row("hybrid answer, p50, ms", *typical, MAX_SEARCH_MS, MAX_SEARCH_RATIO)
    row("hybrid answer, p95, ms", p95(ours.call_ms), p95(theirs.call_ms))
    row("the same question again, p50, ms", median(ours.again_ms), median(theirs.again_ms))
    row("hybrid answer, CPU ms", ours.call_cpu_ms, theirs.call_cpu_ms)
    row("private memory, MB", ours.private_mb, theirs.private_mb, MAX_PRIVATE_MB)
    return met


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kit", type=Path, help="a checkout of quint-co/quint-llm-kit")
    parser.add_argument("--work", type=Path, help="where the repaired server is kept")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--builds", type=int, default=1, help="0 leaves out what is built already")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-peers-") as scratch:
        work = (options.work or Path(scratch)).resolve()
        server = repair(options.kit, work)
        out = work / "ours"
        build = [sys.executable, "-m", "kbc", "build", str(options.kit / SERVER / "kb")]
        build += ["--name", "quint", "--out", str(out), "--no-cache", "--no-draft"]

        def build_ours() -> None:
            shutil.rmtree(out, ignore_errors=True)
            run(build)

        serve = [sys.executable, "-m", "kb_runtime", str(out / "quint"), "--tools", "all"]
        ours = Side("kbc", build_ours, serve, process_environment(work / "bytecode"))
        theirs = Side(
            "quint-kb-mcp",
            lambda: run(["npm", "run", "setup"], server),
            ["node", str(server / "dist" / "server.js")],
        )
        for _ in range(options.builds):
            for side in (theirs, ours):
                measure_build(side)
        for _ in range(options.rounds + 1):
            for side in (theirs, ours):
                measure_start(side, TOOL)
        for side in (theirs, ours):  # the first start compiles what it imports
            del side.start_ms[0], side.first_ms[0]
        questions = read_questions(options.questions)
        measure_calls((ours, theirs), TOOL, questions, options.rounds)
        return 0 if report(ours, theirs) else 1


if __name__ == "__main__":
    raise SystemExit(main())
