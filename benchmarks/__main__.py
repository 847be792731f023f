"""All benchmarks: speed and robustness on one knowledge base, ranking on labelled collections.

    python -m benchmarks [--kb KB] [--faults 10000] [--only build,embedding,...]

KB is compiled once into a scratch folder; without it, the folder named by $KBC_BENCH_KB is taken, or
kb/. For figures worth quoting run on a quiet machine. Exit code 1: a bar was missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.build import run_build

NAMES = (
    "build",
    "embedding",
    "search",
    "stdio",
    "http",
    "wheel",
    "watch",
    "kills",
    "swaps",
    "workspace",
    "faults",
    "quality",
)


def commands(kb: Path, artifact: Path, faults: int) -> dict[str, list[str]]:
    """The command line of each benchmark, by name."""

    def module(name: str, *arguments: object) -> list[str]:
        return [sys.executable, "-m", f"benchmarks.{name}", *map(str, arguments)]

    return {
        "build": module("build", kb),
        "embedding": module("encoders.embedding", kb),
        "search": module("search.latency", artifact),
        "stdio": module("stdio", artifact),
        "http": module("http_workers", artifact),
        "wheel": module("wheel", artifact),
        "watch": module("watch"),
        "kills": module("kills"),
        "swaps": module("swaps"),
        "workspace": module("workspace"),
        "faults": module("faults", artifact, "--count", faults),
        "quality": module("quality", "--ablation", *_checkouts(), *_questions(kb, artifact)),
    }


def _checkouts() -> list[str]:
    """Where the labelled repositories are checked out, if $KBC_BENCH_CODE says so."""
    folder = os.environ.get("KBC_BENCH_CODE")
    return ["--code", folder] if folder else []


def _questions(kb: Path, artifact: Path) -> list[str]:
    """The labelled questions that lie in a knowledge base, those that were held out among them."""
    files = [path for name in ("questions", "held-out") if (path := kb / f"{name}.toml").is_file()]
    asked = [argument for path in files for argument in ("--questions", str(path))]
    return ["--kb", str(artifact), *asked] if asked else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kb", type=Path, default=Path(os.environ.get("KBC_BENCH_KB", "kb")))
    parser.add_argument("--faults", type=int, default=10_000)
    parser.add_argument("--only", default=",".join(NAMES))
    options = parser.parse_args()
    missed = []
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        print(f"compiling {options.kb} ...", flush=True)
        _, report = run_build(options.kb, Path(name), os.cpu_count() or 1, None)
        chosen = commands(options.kb, Path(report["path"]), options.faults)
        for each in options.only.split(","):
            print(f"\n== {each} ==", flush=True)
            if subprocess.run(chosen[each], check=False).returncode:
                missed.append(each)
    print(f"\nmissed or failed: {', '.join(missed)}" if missed else "\nall bars were met")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
