"""Two checkouts of kbc side by side: what a change costs in builds, starts, answers, memory and edits.

    python -m benchmarks.side_by_side.checkouts BEFORE [--kb kb] [--builds 1] [--rounds 5] [--edits 8]

BEFORE is the folder of another checkout; the other side is this one. Both run with the libraries of this
interpreter, compile a copy of the same tree each, and take turns at everything. An edit adds a sentence to
a page that `kbc watch` follows; its clock runs until a server that runs all the time has found it. Exit
code 1 when this checkout takes more than 5 % longer or more memory.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from benchmarks.build import EDITABLE
from benchmarks.query_profile.__main__ import read_questions
from benchmarks.side_by_side.sides import Side, measure_build, measure_calls, measure_start, p95
from benchmarks.stdio import ROOT, Server, elapsed_ms, process_environment, serving

MAX_RATIO = 1.05
POLL_S = 0.005
TIMEOUT_S = 300.0
STRIDE = 37  # pages between one edited page and the next


class Checkout:
    """One of the two, with a tree, an output folder and a cache of its own below `scratch`."""

    def __init__(self, name: str, root: Path, kb: Path, scratch: Path) -> None:
        self._out = scratch / name / "out"
        self._cache = scratch / name / "cache"
        self._kb = scratch / name / "kb"
        shutil.copytree(kb, self._kb)
        environment = process_environment(scratch / name / "bytecode", root)
        self.edit_ms: list[float] = []
        self.side = Side(name, self._build, (), environment)

    def find_server(self) -> None:
        """Names the command of the server, once there is something to serve."""
        (current,) = self._out.glob("*/CURRENT")
        command = [sys.executable, "-m", "kb_runtime", str(current.parent)]
        # The tools of a search are offered by default in some versions and by this option in others.
        usage = subprocess.run(
            [*command, "--help"],
            env=self.side.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.side.command = [*command, *(["--tools", "all"] if "--tools" in usage.stdout else [])]

    @contextmanager
    def followed(self) -> Iterator[Server]:
        """A server that runs while a watcher follows the tree."""
        command = [*self._command("watch"), "--json"]
        watcher = subprocess.Popen(
            command, env=self.side.environment, stdout=subprocess.PIPE, text=True
        )
        try:
            assert watcher.stdout is not None
            if not watcher.stdout.readline():
                sys.exit(f"{' '.join(command)} ended")
            with serving(self.side.command, dict(self.side.environment)) as server:
                server.initialize()
                yield server
        finally:
            watcher.terminate()
            watcher.communicate()

    def edit(self, number: int, server: Server, tool: str) -> None:
        """Adds a sentence to a page, and waits for an answer that has it."""
        pages = sorted(path for path in self._kb.glob("[!.]*/**/*") if path.suffix in EDITABLE)
        page = pages[number * STRIDE % len(pages)]
        word = f"marmoset{number}x"
        text = page.read_text() + f"\n\nThe {word} of this page was added.\n"
        time.sleep(1.0)  # the watcher rests
        page.write_text(text)
        began = time.perf_counter()
        call = {"name": tool, "arguments": {"query": f"the {word} of this page"}}
        while word not in json.dumps(server.ask("tools/call", call)["structuredContent"]):
            if time.perf_counter() - began > TIMEOUT_S:
                sys.exit(f"an edit of {page} was never found")
            time.sleep(POLL_S)
        self.edit_ms.append(elapsed_ms(began))

    def _build(self) -> None:
        shutil.rmtree(self._out, ignore_errors=True)
        shutil.rmtree(self._cache, ignore_errors=True)
        done = subprocess.run(
            self._command("build"),
            env=self.side.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{self.side.name}: the build failed:\n{done.stderr}")

    def _command(self, name: str) -> list[str]:
        command = [sys.executable, "-m", "kbc", name, str(self._kb), "--out", str(self._out)]
        return [*command, "--cache", str(self._cache)]


def report(before: Checkout, now: Checkout) -> bool:
    """Prints the table; False when this checkout takes over 5 % more of anything."""
    print("| | before | now | ratio | |\n| --- | ---: | ---: | ---: | --- |")
    one, two = before.side, now.side
    rows = [
        ("clean build, s", min(one.build_s), min(two.build_s)),
        ("clean build, CPU s", min(one.build_cpu_s), min(two.build_cpu_s)),
        ("start to `initialize`, ms", median(one.start_ms), median(two.start_ms)),
        ("start to first hybrid answer, ms", median(one.first_ms), median(two.first_ms)),
        ("hybrid answer, p50, ms", median(one.call_ms), median(two.call_ms)),
        ("hybrid answer, p95, ms", p95(one.call_ms), p95(two.call_ms)),
        ("hybrid answer, CPU ms", one.call_cpu_ms, two.call_cpu_ms),
        ("private memory, MB", one.private_mb, two.private_mb),
    ]
    if before.edit_ms:
        rows.append(("edit to answer, ms", median(before.edit_ms), median(now.edit_ms)))
    for what, was, is_now in rows:
        verdict = "" if is_now <= MAX_RATIO * was else "more"
        print(f"| {what} | {was:,.2f} | {is_now:,.2f} | {is_now / was:.2f} | {verdict} |")
    return all(is_now <= MAX_RATIO * was for _what, was, is_now in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="the folder of another checkout")
    parser.add_argument("--kb", type=Path, default=ROOT / "kb", help="with a kb.toml")
    parser.add_argument("--questions", type=Path, default=ROOT / "kb" / "questions.toml")
    parser.add_argument("--tool", default="quint_hybrid_search")
    parser.add_argument("--builds", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--edits", type=int, default=8)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kbc-checkouts-") as name:
        scratch, kb = Path(name), options.kb.resolve()
        before = Checkout("before", options.before.resolve(), kb, scratch)
        now = Checkout("now", ROOT, kb, scratch)
        both = (before, now)
        for _ in range(max(1, options.builds)):
            for checkout in both:
                measure_build(checkout.side)
        for checkout in both:
            checkout.find_server()
            measure_start(checkout.side, options.tool)  # compiles whatever a server imports
        for checkout in both:
            checkout.side.start_ms.clear()
            checkout.side.first_ms.clear()
        for _ in range(2 * options.rounds + 1):
            for checkout in both:
                measure_start(checkout.side, options.tool)
        questions = read_questions(options.questions)
        measure_calls((before.side, now.side), options.tool, questions, options.rounds)
        with ExitStack() as stack:
            servers = [stack.enter_context(checkout.followed()) for checkout in both]
            for number in range(options.edits):
                for checkout, server in zip(both, servers, strict=True):
                    checkout.edit(number, server, options.tool)
        return 0 if report(before, now) else 1


if __name__ == "__main__":
    raise SystemExit(main())
