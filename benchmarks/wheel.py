"""What a wheel weighs, and what a client waits for at the command that it installs.

    python -m benchmarks.wheel ARTIFACT [--spawns 21]

The wheel is written and installed into a virtual environment of its own, with the runtime beside it and
all bytecode compiled, as pip leaves it. Starts of the console script alternate with starts of the same
bare interpreter. Medians. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.stdio import (
    MAX_FIRST_SEARCH_MS,
    MAX_START_RATIO,
    ROOT,
    bare_start,
    elapsed_ms,
    row,
    server_start,
)
from kb_runtime.knowledge.artifact import Artifact
from kbc.shipping.product import Product, product
from kbc.shipping.wheel import WheelReport, write_wheel

MAX_WHEEL_MB = 40.0


def environment_with(wheel: Path, folder: Path) -> Path:
    """The folder of commands of a new virtual environment that has the runtime and the wheel."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("**/site-packages")
    shutil.copytree(
        ROOT / "runtime" / "kb_runtime",
        site / "kb_runtime",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    dependencies = [path for path in sys.path if path.endswith("-packages")]
    (site / "dependencies.pth").write_text("\n".join(dependencies) + "\n")
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(folder / "bin" / "python")]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", str(wheel)], check=True)
    compileall.compile_dir(site, quiet=2)
    return folder / "bin"


def starts(
    commands: Path, facts: Product, spawns: int
) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds to a bare interpreter's first byte, to the first answer, to the first search's."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    command = [str(commands / facts.distribution)]
    tool = f"{facts.prefix}_hybrid_search"
    server_start(command, environment, tool)  # the files into the system's cache
    bare, initialized, first = [], [], []
    for _ in range(spawns):
        bare.append(bare_start(environment, str(commands / "python")))
        start = server_start(command, environment, tool)
        initialized.append(start[0])
        first.append(start[1])
    return bare, initialized, first


def show_sections(report: WheelReport) -> None:
    print("| section | installed | packed |")
    print("| --- | ---: | ---: |")
    by_weight = sorted(report.sections.items(), key=lambda item: -item[1][1])
    for name, (installed, packed) in by_weight:
        print(f"| {name} | {installed / 1e6:.2f} MB | {packed / 1e6:.2f} MB |")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact")
    parser.add_argument("--spawns", type=int, default=21)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-wheel-") as name:
        with Artifact.open(options.artifact) as artifact:
            facts = product(artifact)
            start = time.perf_counter()
            report = write_wheel(artifact, facts, Path(name), 0)
            written = elapsed_ms(start)
        commands = environment_with(report.path, Path(name) / "venv")
        bare, initialized, first = starts(commands, facts, options.spawns)
    show_sections(report)
    print("\n| | median | bar |")
    print("| --- | ---: | --- |")
    row("writing the wheel", written / 1e3, "s")
    row("bare interpreter start", median(bare), "ms")
    met = [row("the wheel", report.size / 1e6, "MB", MAX_WHEEL_MB)]
    row("spawn to `initialize`", median(initialized), "ms")
    met += [
        row("... in bare starts", median(initialized) / median(bare), "times", MAX_START_RATIO),
        row("spawn to first hybrid answer", median(first), "ms", MAX_FIRST_SEARCH_MS),
    ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
