"""Tries the transcripts of Markdown pages: blocks whose info string is `console tried`.

A transcript holds commands and lines that they print, and may ask for the exit code:

    $ quint run missing.qnt
    error: file missing.qnt does not exist
    $ echo $?
    1

Each line must be among those that the tool prints, to either stream; `...` in it stands for any
text. A `quint` block with `file=NAME` in its info string is a file for the transcripts of its page,
and is checked by nothing else. The commands of a page are run in order, in a folder of their own,
without a network and without input. A page that has a transcript has one in each of its level-2
sections.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_blocks import blocks_of, sections_of

OFFLINE = Path(__file__).resolve().parent / "quint" / "offline.cjs"
PATIENCE_S = 120  # one command; the slowest simulates 10,000 traces in about a second
SHOWN = 6  # lines of the output that a miss quotes


@dataclass(slots=True)
class Command:
    """One command of a transcript: what it must print, and its exit code where that is asked for."""

    line: int
    words: list[str]
    printed: list[str] = field(default_factory=list)
    code: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    output: str  # standard output, then standard error


Found = tuple[int, str]  # line of the page, what is wrong


def transcripts_of(text: str) -> tuple[list[Command], list[Found]]:
    """The commands of a page in order, and what cannot be tried."""
    commands: list[Command] = []
    wrong: list[Found] = []
    for block in blocks_of(text, {"console"}):
        if "tried" not in block.words:
            continue
        asked = False
        for number, line in enumerate(block.code.split("\n"), block.line):
            if not line.startswith("$ "):
                answer = line.strip()
                if not commands or not answer:
                    continue
                if asked:
                    commands[-1].code = int(answer)
                else:
                    commands[-1].printed.append(answer)
                continue
            words = shlex.split(line[2:], comments=True)
            asked = words == ["echo", "$?"]
            if words[:1] == ["quint"]:
                commands.append(Command(number, words[1:]))
            elif not asked:
                wrong.append((number, "only `quint` and `echo $?` can be tried"))
    for command in commands:
        if not command.printed and command.code is None:
            wrong.append((command.line, "a command without anything to compare"))
    return commands, wrong


def has_transcript(text: str) -> bool:
    return any("tried" in block.words for block in blocks_of(text, {"console"}))


def sections_without(text: str) -> Iterator[Found]:
    """Level-2 sections without a transcript, of a page that has one elsewhere."""
    if has_transcript(text):
        for start, heading, body in sections_of(text):
            if not has_transcript(body):
                yield start, f"no transcript in the section {heading!r}"


def files_of(text: str) -> dict[str, str]:
    """The files that the page shows, by name."""
    files = {}
    for block in blocks_of(text, {"quint"}):
        for word in block.words:
            if word.startswith("file="):
                files[word.removeprefix("file=")] = block.code + "\n"
    return files


def run_all(package: Path, files: dict[str, str], commands: list[Command]) -> list[Outcome]:
    """What the pinned tool does with the commands, one after the other in one folder."""
    with tempfile.TemporaryDirectory(prefix="kb-transcript-") as name:
        folder = Path(name)
        for file, source in files.items():
            (folder / file).write_text(source, encoding="utf-8")
        environment = {
            **os.environ,
            "QUINT_HOME": str(folder / "home"),
            "NODE_OPTIONS": f'--require="{OFFLINE}"',
            "NO_COLOR": "1",
        }
        program = str(package.parent.parent / ".bin" / "quint")
        outcomes = []
        for command in commands:
            done = subprocess.run(
                [program, *command.words],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=PATIENCE_S,
                check=False,
            )
            outcomes.append(Outcome(done.returncode, f"{done.stdout}\n{done.stderr}"))
        return outcomes


def differences(command: Command, outcome: Outcome) -> Iterator[Found]:
    lines = [line.strip() for line in outcome.output.split("\n") if line.strip()]
    name = shlex.join(["quint", *command.words])
    for wanted in command.printed:
        pattern = ".*".join(map(re.escape, wanted.split("...")))
        if not any(re.fullmatch(pattern, line) for line in lines):
            yield command.line, f"`{name}` does not print {wanted!r}, but {lines[:SHOWN]}"
    if command.code is not None and command.code != outcome.code:
        yield command.line, f"`{name}` ends with {outcome.code}, not with {command.code}"


def misses_of(text: str, package: Path, cache: Path) -> tuple[list[Found], int]:
    """What is wrong with the transcripts of a page, and how many commands were tried.

    Outcomes are kept in the folder `cache` by all that they depend on.
    """
    commands, found = transcripts_of(text)
    found += sections_without(text)
    if not commands:
        return found, 0
    files = files_of(text)
    question = [str(package), files, [command.words for command in commands]]
    digest = hashlib.sha256(OFFLINE.read_bytes() + json.dumps(question).encode()).hexdigest()
    store = cache / f"{digest[:32]}.json"
    if store.exists():
        outcomes = [Outcome(*pair) for pair in json.loads(store.read_text("utf-8"))]
    else:
        outcomes = run_all(package, files, commands)
        cache.mkdir(parents=True, exist_ok=True)
        fresh = store.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps([(o.code, o.output) for o in outcomes]), encoding="utf-8")
        fresh.replace(store)  # whole at any moment: several checks may run at once
    for command, outcome in zip(commands, outcomes, strict=True):
        found += differences(command, outcome)
    return found, len(commands)
