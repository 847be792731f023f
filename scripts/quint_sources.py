"""What the tool is asked about a file and about the blocks and commands of a page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from markdown_blocks import Block, blocks_of
from quint_tool import Job, Miss

SEED = 1
SAMPLES = 200  # traces per simulation unless the command says --max-samples
STEPS = 20  # the tool's own default
DEFINITION = re.compile(
    r"(const|var|type|val|def|pure|action|run|temporal|nondet|import|export|assume)\b"
)
RESULT = re.compile(r"\s*// == (.+)$")
FAILURE = re.compile(r"\s*// fails: (QNT\d{3}\b.*)$")
TRUTH = re.compile(r"\s*// \w+ is (?:true|false)\b")
EXECUTION = re.compile(
    r"\s*// (?P<name>\w+) is (?P<expect>true|false) of (?P<variables>\w+|\(\w+(?:, \w+)+\))"
    r" = (?:(?P<before>.+), then )?(?P<loop>.+) for ever"
)
RUN_COMMAND = re.compile(r"^//\s+quint run\s+(.*?)(?:\s+#\s*(\w+))?$", re.MULTILINE)
FAILING_RUNS = re.compile(r"^//\s+fails: (.+)$", re.MULTILINE)


def quint_file(path: Path) -> tuple[Job, list[Miss]]:
    return quint_source(path, path.read_text("utf-8"))


def quint_source(path: Path, source: str) -> tuple[Job, list[Miss]]:
    """The job for a source of this name, which need not be stored, and its wrong commands."""
    listed = " ".join(FAILING_RUNS.findall(source))
    job = Job(path, 1, source, "files", failing=tuple(re.findall(r"\w+", listed)))
    misses = []
    for match in RUN_COMMAND.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        words = shlex.split(match[1])
        if not words or words[-1] != path.name:
            misses.append(Miss(str(path), line, f"the command does not end with {path.name}"))
            continue
        job.simulations.append(
            simulation(words[:-1], path.stem, source) | {"expect": match[2] or "ok", "line": line}
        )
    return job, misses


def simulation(words: Iterable[str], stem: str, source: str) -> dict[str, Any]:
    """The options of one `quint run` command line, with a fixed seed."""
    modules = re.findall(r"^module\s+(\w+)", source, re.MULTILINE)
    options: dict[str, Any] = {
        "main": modules[0] if len(modules) == 1 else stem,
        "init": "init",
        "step": "step",
        "invariants": [],
        "witnesses": [],
        "samples": SAMPLES,
        "steps": STEPS,
        "seed": SEED,
    }
    names = {"max-samples": "samples", "max-steps": "steps", "invariant": "invariants"}
    current = ""
    for word in words:
        value = word
        if word.startswith("--"):
            flag, has_value, value = word[2:].partition("=")
            current = names.get(flag, flag)
            if not has_value:
                continue
        if isinstance(options.get(current), list):
            options[current].append(value)
        else:
            options[current] = int(value) if value.isdigit() else value
    return options


def first_word(code: str) -> str:
    for line in code.split("\n"):
        if line.strip() and not line.strip().startswith("//"):
            return line.strip()
    return ""


def snippets(path: Path, text: str) -> Iterator[Job]:
    context = ""
    for block in blocks_of(text, {"quint"}):
        if any(word.startswith("file=") for word in block.words):  # for transcripts
            continue
        fails = "fails" in block.words
        before = context + "\n" if "continues" in block.words else ""
        codes = tuple(m[1] for m in map(FAILURE.match, block.code.split("\n")) if m)
        head = first_word(block.code)
        job = Job(path, block.line, block.code + "\n", "snippets", codes=codes if fails else ())
        job.executions = list(executions(block))
        if head.startswith("module "):
            yield job
        elif DEFINITION.match(head):
            job.source = f"module snippet {{\n{before}{block.code}\n}}"
            yield job
            if not fails:
                context = before + block.code
        else:
            yield from expressions(path, block, before)


def executions(block: Block) -> Iterator[dict[str, Any]]:
    """What the block says its temporal definitions are true and false of."""
    for number, line in enumerate(block.code.split("\n"), block.line):
        if match := EXECUTION.fullmatch(line):
            yield {
                "name": match["name"],
                "variables": re.findall(r"\w+", match["variables"]),
                "before": match["before"] or "",
                "loop": match["loop"],
                "expect": match["expect"] == "true",
                "line": number,
            }


def label_misses(path: str, text: str) -> Iterator[Miss]:
    """A block says `fails` in its info string exactly when it names the error that must appear; a
    comment on the truth of a definition has the form that is tried."""
    for block in blocks_of(text, {"quint"}):
        for number, line in enumerate(block.code.split("\n"), block.line):
            if TRUTH.match(line) and not EXECUTION.fullmatch(line):
                yield Miss(path, number, "write `NAME is true of x = 0, then 1, 2 for ever`")
        names_error = any(map(FAILURE.match, block.code.split("\n")))
        if names_error and "fails" not in block.words:
            yield Miss(path, block.line, "a block that must fail needs `fails` after `quint`")
        elif not names_error and "fails" in block.words:
            yield Miss(path, block.line, "a block marked `fails` needs `// fails: CODE`")


def expressions(path: Path, block: Block, before: str) -> Iterator[Job]:
    pending: list[str] = []
    first = block.line
    for number, line in enumerate([*block.code.split("\n"), ""], block.line):
        result, failure = RESULT.match(line), FAILURE.match(line)
        if result or failure or not line.strip():
            code = "\n".join(pending)
            if first_word(code):
                body = f"{before}val subject = {{\n{code}\n}}"
                if result:
                    body += f"\nrun resultTest = assert(subject == ({result[1]}))"
                codes = (failure[1],) if failure else ()
                probes = () if result else ("subject",)
                yield Job(
                    path, first, f"module snippet {{\n{body}\n}}", "snippets", True, probes, codes
                )
            pending = []
        else:
            if not pending:
                first = number
            pending.append(line)


def shell_misses(path: str, text: str, flags: dict[str, set[str]]) -> Iterator[Miss]:
    for block in blocks_of(text, {"sh", "bash", "shell", "console"}):
        if "tried" in block.words:  # run as it is, mistakes included
            continue
        for number, line in enumerate(block.code.split("\n"), block.line):
            words = line.removeprefix("$ ").split("#")[0].split()
            if len(words) < 2 or words[0] != "quint" or words[1].startswith("-"):
                continue
            if words[1] not in flags:
                yield Miss(path, number, f"quint has no command {words[1]!r}")
                continue
            for word in words[2:]:
                if word.startswith("--") and word[2:].split("=")[0] not in flags[words[1]]:
                    yield Miss(path, number, f"quint {words[1]} has no option {word!r}")
