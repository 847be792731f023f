"""Random damage to an artifact: is every fault refused, said or harmless, and does nothing crash?

    python -m benchmarks.faults ARTIFACT [--count 10000] [--seed 1]

ARTIFACT is what `kbc build` wrote, an artifact with encoder and index. A fault flips one bit of one
file, or cuts a file's end off, in a scratch copy; a worker process then opens the copy, reads every
record, and searches in three modes. The file is restored after each fault. Outcomes:

    refused    the artifact was not opened, or the damaged section was not, with an `ArtifactError`
    warned     the search answered with the sound side alone, and said so
    harmless   every answer is what the undamaged artifact gives
    wrong      an answer differs and nothing was said                          must be 0
    crash      the worker died, hung, or failed with an unforeseen exception   must be 0

Exit code 1 when a bar is missed. Files are chosen with equal chance, so that small ones are hit too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import Artifact

REFUSED, WARNED, HARMLESS, WRONG, CRASH = "refused", "warned", "harmless", "wrong", "crash"
OUTCOMES = (REFUSED, WARNED, HARMLESS, WRONG, CRASH)

TRUNCATIONS = 0.25
"""Share of truncations among the faults; the others flip a bit."""

TIMEOUT_S = 60.0
QUERIES = ("how to write an invariant", "map set filter", "the")


@dataclass(frozen=True, slots=True)
class Fault:
    """`bit` of byte `position` is flipped, or the file ends before `position` when `bit` is None."""

    file: str
    position: int
    bit: int | None

    def __str__(self) -> str:
        kind = f"bit {self.bit} of byte" if self.bit is not None else "cut at byte"
        return f"{self.file}: {kind} {self.position}"


def random_fault(files: list[tuple[str, int]], chance: random.Random) -> Fault:
    """`files` are paths with sizes; an empty file cannot be damaged."""
    file, size = chance.choice(files)
    position = chance.randrange(size)
    return Fault(file, position, None if chance.random() < TRUNCATIONS else chance.randrange(8))


@contextmanager
def damaged(folder: Path, fault: Fault) -> Iterator[None]:
    """Applies a fault to a file below `folder` and takes it back, with the file's times: that of a manifest
    is part of answers where nothing else says when an artifact was built."""
    path = folder / fault.file
    before = path.stat()
    with path.open("rb+") as file:
        file.seek(fault.position)
        original = file.read(-1 if fault.bit is None else 1)
        file.seek(fault.position)
        if fault.bit is None:
            file.truncate()
        else:
            file.write(bytes([original[0] ^ 1 << fault.bit]))
    try:
        yield
    finally:
        with path.open("rb+") as file:
            file.seek(fault.position)
            file.write(original)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def exercise(path: str) -> tuple[str, bool]:
    """Reads everything a server reads of an artifact.

    Gives a digest of all answers, and whether a search warned that a side was unavailable. Raises
    `ArtifactError`, and `ToolError` when no side can answer.
    """
    from kb_runtime.live.versions import LiveArtifact

    digest = hashlib.sha256()
    live = LiveArtifact(path)
    try:
        with live.lease() as artifact:
            digest.update(json.dumps(artifact.manifest.as_dict()).encode())
            digest.update(artifact.read("tools.json"))
            for info in artifact.collections:
                for record in artifact.catalog(info.name):
                    digest.update(repr(record).encode())
            for row in range(len(artifact.chunks)):
                digest.update(artifact.chunks.raw(row))
            warned = _search(artifact, digest) if artifact.manifest.section("lexical/") else False
    finally:
        live.close()
    return digest.hexdigest(), warned


def _search(artifact: Artifact, digest: hashlib._Hash) -> bool:
    """Searches in every mode; whether one answer carried a warning."""
    from kb_runtime.search.request import NO_WORD_OCCURS, SearchRequest

    warned = False
    every: tuple[Literal["hybrid", "lexical", "semantic"], ...] = ("hybrid", "lexical", "semantic")
    modes = every if artifact.manifest["encoder"] else ("lexical",)
    for query in QUERIES:
        for mode in modes:
            result = artifact.searcher.search(SearchRequest(query, mode=mode))
            warned |= any(each != NO_WORD_OCCURS for each in result.warnings)
            for hit in result.hits:
                digest.update(repr((hit, hit.matched, hit.snippet)).encode())
    return warned


def work(path: str) -> None:
    """The worker: for every line on stdin, exercises the artifact and answers with one line."""
    from kb_runtime.errors import ArtifactError, ToolError

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # native libraries may print
    for _ in sys.stdin:
        try:
            digest, warned = exercise(path)
            answer: dict[str, object] = {"digest": digest, "warned": warned}
        except (ArtifactError, ToolError) as error:
            answer = {"refused": error.message}
        except BaseException as error:
            answer = {"crash": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


class Worker:
    """A process that survives many faults; `ask` starts another one when it has died."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process: subprocess.Popen[str] | None = None

    def ask(self) -> dict[str, object]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__, "--worker", str(self._path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write("go\n")
            stdin.flush()
            line = _line(stdout)
        except BrokenPipeError:
            line = ""
        if line:
            answer: dict[str, object] = json.loads(line)
            return answer
        code = self.stop()
        return {"crash": f"the worker ended with {code}" if code is not None else "timed out"}

    def stop(self) -> int | None:
        """Ends the process; gives the exit code it had already, or None."""
        process, self._process = self._process, None
        if process is None:
            return None
        try:
            code = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        return code


def _line(stream: IO[str]) -> str:
    """The next line, or an empty string at the end or after TIMEOUT_S."""
    ready, _, _ = select.select([stream], [], [], TIMEOUT_S)
    return stream.readline() if ready else ""


def judge(answer: dict[str, object], expected: str) -> str:
    if "crash" in answer:
        return CRASH
    if "refused" in answer:
        return REFUSED
    if answer["warned"]:
        return WARNED
    return HARMLESS if answer["digest"] == expected else WRONG


def run(artifact: Path, count: int, seed: int) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Outcomes by section, and the faults that crashed or gave a wrong answer unsaid.

    Raises `ValueError` when the artifact itself cannot be read without warnings.
    """
    chance = random.Random(seed)
    outcomes: Counter[tuple[str, str]] = Counter()
    bad: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kbc-faults-") as scratch:
        copy = Path(scratch) / artifact.resolve().name
        shutil.copytree(artifact, copy)
        files = [
            (path.relative_to(copy).as_posix(), path.stat().st_size)
            for path in sorted(copy.rglob("*"))
            if path.is_file() and path.stat().st_size
        ]
        worker = Worker(copy)
        try:
            sound = worker.ask()
            if "digest" not in sound or sound["warned"]:
                raise ValueError(f"{artifact} cannot be read as it is: {sound}")
            expected = str(sound["digest"])
            for _ in range(count):
                fault = random_fault(files, chance)
                with damaged(copy, fault):
                    answer = worker.ask()
                outcome = judge(answer, expected)
                outcomes[_section(fault.file), outcome] += 1
                if outcome in (WRONG, CRASH):
                    bad.append(f"{outcome}: {fault}: {answer}")
            if judge(worker.ask(), expected) != HARMLESS:
                raise ValueError("the scratch copy was not restored")
        finally:
            worker.stop()
    return outcomes, bad


def _section(file: str) -> str:
    """The section of a path in a build, or below a build id in a knowledge base's folder."""
    parts = file.split("/")
    if len(parts) > 1 and (len(parts[0]), parts[0].strip("0123456789abcdef")) == (16, ""):
        parts = parts[1:]
    return parts[0]


def report(outcomes: Counter[tuple[str, str]], seconds: float) -> str:
    lines = [f"{'section':<16}" + "".join(f"{outcome:>10}" for outcome in OUTCOMES)]
    for section in sorted({section for section, _ in outcomes}):
        counts = (outcomes[section, outcome] for outcome in OUTCOMES)
        lines.append(f"{section:<16}" + "".join(f"{count:>10,}" for count in counts))
    totals = [sum(outcomes[key] for key in outcomes if key[1] == outcome) for outcome in OUTCOMES]
    lines.append(f"{'all':<16}" + "".join(f"{total:>10,}" for total in totals))
    lines.append(f"{sum(totals):,} faults in {seconds:.0f} s; bars: 0 wrong, 0 crash")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("artifact", type=Path, help="a knowledge base's folder, or one build")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(str(options.artifact))
        return 0
    started = time.monotonic()
    outcomes, bad = run(options.artifact, options.count, options.seed)
    print(report(outcomes, time.monotonic() - started))
    for line in bad[:20]:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
