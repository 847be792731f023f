"""Where the time of a build goes: cold, again, and after an edit of one file.

    python -m benchmarks.build KB [--jobs 2]

Each build is a process of its own, so its whole cost counts. Cold builds use no cache; the warm ones
share one. Bars: what is not done beside embedding at most 15 % of it in a cold build, and a build after an
edit at most 5 % of the cold build's time. KB is copied; the edit appends a sentence to one page.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MAX_REST_SHARE = 0.15
MAX_WARM_SHARE = 0.05
EDITABLE = (".md", ".mdx", ".txt")
EMBEDDING = ("chunk", "catalog", "lexical", "embed")


def run_build(
    kb: Path, out: Path, jobs: int, cache: Path | None, *, exact: bool = False
) -> tuple[float, dict[str, Any]]:
    """Seconds of the whole process, and the report that it printed."""
    command = [sys.executable, "-m", "kbc", "build", str(kb), "--out", str(out), "--json"]
    command += ["--jobs", str(jobs), *(["--cache", str(cache)] if cache else ["--no-cache"])]
    command += ["--exact"] * exact
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"the build failed:\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout)
    return seconds, report


def embedding_s(report: dict[str, Any]) -> float:
    """From the first chunk to the last vector: embedding goes on beside the phases in between."""
    return sum(float(each["seconds"]) for each in report["phases"] if each["name"] in EMBEDDING)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kb", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-bench-") as name:
        folder = Path(name)
        kb = folder / "kb"
        shutil.copytree(options.kb, kb)
        cold_s, cold = run_build(kb, folder / "cold", options.jobs, None)
        run_build(kb, folder / "warm", options.jobs, folder / "cache")
        again_s, again = run_build(kb, folder / "warm", options.jobs, folder / "cache")
        page = next(path for path in sorted(kb.rglob("*")) if path.suffix in EDITABLE)
        page.write_text(page.read_text() + "\n\nOne sentence was added to this page.\n")
        warm_s, warm = run_build(kb, folder / "warm", options.jobs, folder / "cache")

    embed_s = embedding_s(cold)
    total_s = sum(phase["seconds"] for phase in cold["phases"])
    print(
        f"{cold['name']}: {cold['records']:,} records, {cold['chunks']:,} chunks,"
        f" {cold['tokens']:,} tokens, {cold['size_bytes'] / 1e6:.1f} MB"
    )
    print(f"{'phase':<10} {'seconds':>8} {'rate':>16}")
    for phase in cold["phases"]:
        rate = (
            f"{phase['count'] / phase['seconds']:,.0f} {phase['unit']}/s" if phase["count"] else ""
        )
        print(f"{phase['name']:<10} {phase['seconds']:8.2f} {rate:>16}")
    print(f"embedding: {cold['tokens'] / embed_s:,.0f} tokens/s")
    print(
        f"whole process: cold {cold_s:.2f} s, nothing changed {again_s:.2f} s,"
        f" one page changed {warm_s:.2f} s"
    )
    assert again["reused"]
    assert warm["embedded"] < warm["chunks"]

    bars = (
        (
            "what is not done beside embedding / embedding",
            (total_s - embed_s) / embed_s,
            MAX_REST_SHARE,
        ),
        ("one page changed / cold", warm_s / cold_s, MAX_WARM_SHARE),
    )
    missed = False
    for what, value, bar in bars:
        verdict = "ok" if value <= bar else "MISSED"
        missed |= value > bar
        print(f"{what}: {value:.3f} (bar {bar}) {verdict}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
