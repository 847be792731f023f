"""Quint's own tool, as the checks of the knowledge base ask it: installed, asked in parallel, and cached."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread, Timer
from typing import Any, TextIO

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "scripts" / "quint"
CACHE = ROOT / ".cache" / "kb-check"
COMMANDS = ("parse", "typecheck", "test", "run", "verify", "compile", "repl", "docs")

PATIENCE_S = 120  # one source, simulations included; the slowest takes seconds on a machine at rest
STUCK: dict[str, Any] = {
    "phase": "stuck",
    "errors": [{"code": "stuck", "message": f"no answer in {PATIENCE_S} s", "line": 1}],
    "modules": [],
    "unused": [],
    "tests": [],
    "probes": [],
    "simulations": [],
    "executions": [],
}

IMPORT_FROM = re.compile(r"\bfrom\s+\"([^\"]+)\"")


@dataclass(frozen=True, slots=True)
class Miss:
    path: str
    line: int
    message: str


@dataclass(slots=True)
class Job:
    """One source for the tool, and what must come out of it.

    `codes` are the errors that must appear, each a code and maybe words of its message, empty when
    everything must pass; `failing` are the runs that must fail. `simulations` are the commands of a
    file; each has "expect", the status it must end with. `executions` are what temporal definitions
    are true and false of; each has "expect" and "line". `counts` says what the source is, one of the
    "files" or the "snippets" of the table.
    """

    path: Path
    line: int
    source: str
    counts: str
    tests: bool = True
    probes: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    simulations: list[dict[str, Any]] = field(default_factory=list)
    executions: list[dict[str, Any]] = field(default_factory=list)

    def request(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "source": self.source,
            "tests": self.tests,
            "probes": self.probes,
            "simulations": self.simulations,
            "executions": self.executions,
        }


def install() -> Path:
    """The folder of the installed package; npm runs only when the lock file has changed.

    It appears whole, under its name, at once: several checks may install it at the same time.
    """
    lock = (TOOL / "package-lock.json").read_bytes()
    folder = CACHE / f"quint-{hashlib.sha256(lock).hexdigest()[:12]}"
    package = folder / "node_modules" / "@informalsystems" / "quint"
    if not (folder / "installed").exists():
        fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
        fresh.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(TOOL / name, fresh)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        try:
            subprocess.run(command, cwd=fresh, check=True)
            (fresh / "installed").touch()
            fresh.rename(folder)
        except OSError:
            if not (folder / "installed").exists():  # not because another check was faster
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return package


def flags_of_commands(package: Path) -> dict[str, set[str]]:
    """The long options of each command, from its help text."""
    kept = package.parents[2] / "flags.json"
    if not kept.exists():
        flags = {}
        for command in COMMANDS:
            program = ["node", str(package / "dist" / "src" / "cli.js"), command, "--help"]
            text = subprocess.run(program, capture_output=True, text=True, check=True).stdout
            flags[command] = sorted(set(re.findall(r"--([a-z][a-z-]*)", text)))
        kept.write_text(json.dumps(flags), encoding="utf-8")
    return {name: set(flags) for name, flags in json.loads(kept.read_text("utf-8")).items()}


def ask(package: Path, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers of check.mjs to all requests, in order.

    One process answers them, unless one takes longer than `PATIENCE_S`: that answer is an error, and
    a new process goes on with the rest. Raises `RuntimeError` when the process ends by itself.
    """
    answers: list[dict[str, Any]] = []
    while len(answers) < len(requests):
        answers += ask_until_stuck(package, requests[len(answers) :])
    return answers


def ask_until_stuck(package: Path, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    program = ["node", str(TOOL / "check.mjs"), str(package)]
    answers: list[dict[str, Any]] = []
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin
        assert process.stdout
        Thread(target=feed, args=(process.stdin, lines), daemon=True).start()
        for request in requests:
            watchdog = Timer(PATIENCE_S, process.kill)
            watchdog.start()
            line = process.stdout.readline()
            watchdog.cancel()
            if line:
                answers.append(json.loads(line))
                continue
            if process.wait() >= 0:
                raise RuntimeError(f"check.mjs ended while it checked {request.get('path')}")
            answers.append(STUCK)
            break
    return answers


def feed(stream: TextIO, text: str) -> None:
    """Writes the requests while the answers are read, so that neither pipe fills up."""
    try:
        stream.write(text)
        stream.close()
    except BrokenPipeError:
        pass  # the process was killed; the reader reports it


def answer_all(package: Path, jobs: list[Job], workers: int, prune: bool) -> list[dict[str, Any]]:
    """Answers of all jobs, from the cache where the same content was checked before.

    `prune` drops what these jobs do not use from the cache.
    """
    store = CACHE / "answers.json"
    known: dict[str, Any] = json.loads(store.read_text("utf-8")) if store.exists() else {}
    salt = hashlib.sha256(
        b"".join(path.read_bytes() for path in sorted(TOOL.glob("*.mjs")))
        + package.parent.parent.parent.name.encode()
    )
    keys = []
    for job in jobs:
        digest = salt.copy()
        digest.update(json.dumps(job.request() | {"path": ""}, sort_keys=True).encode())
        for data in imported(job.path, job.source):
            digest.update(data)
        keys.append(digest.hexdigest())
    todo = [i for i, key in enumerate(keys) if key not in known]
    shares = [todo[n::workers] for n in range(workers) if todo[n::workers]]
    with ThreadPoolExecutor(max_workers=workers) as pool:
        answered = pool.map(lambda share: ask(package, [jobs[i].request() for i in share]), shares)
        for share, answers in zip(shares, answered, strict=True):
            known.update(zip((keys[i] for i in share), answers, strict=True))
    used = set(keys)
    kept = {
        key: answer
        for key, answer in known.items()
        if answer != STUCK and (not prune or key in used)
    }
    fresh = store.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(kept), encoding="utf-8")
    fresh.replace(store)  # whole at any moment: several checks may run at once
    return [known[key] for key in keys]


def imported(path: Path, source: str) -> Iterator[bytes]:
    """The bytes of the files that a source imports, theirs included."""
    queue, seen = [(path, source)], {path}
    while queue:
        base, text = queue.pop()
        for name in IMPORT_FROM.findall(text):
            file = (base.parent / f"{name}.qnt").resolve()
            if file not in seen and file.exists():
                seen.add(file)
                data = file.read_bytes()
                queue.append((file, data.decode("utf-8")))
                yield data
