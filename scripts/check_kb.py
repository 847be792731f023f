"""Checks the Quint knowledge base with Quint itself: `python scripts/check_kb.py`.

Installs the version pinned in scripts/quint/ (npm), then checks, in parallel and with a cache keyed
by content:

- builtins: names and signatures against the tool's own table, examples with their results;
- every .qnt file: it typechecks, every `run` named *Test passes, every other one is used, and every
  `quint run` command in its leading comments gives what the comment says (`# violation` for a
  deliberate bug, `# unreached` for witnesses that no trace reaches, else ok, each witness being
  reached);
- templates: the same after the substitutions that their instructions document (quint_templates.py);
- workshops: the runs that a problem lists in comments (`// fails: NAME, NAME`) fail and all others
  pass; every problem fails somewhere; its solution has the same runs, and all of them pass;
- every Markdown block marked `quint`: a module, a group of definitions, or expressions;
- every `quint` command in shell blocks: the command and its flags exist; transcripts (`console
  tried`) are run, and must print what they say (quint_transcripts.py);
- what is promised by number and by form: how many of each kind, the parts of entries, examples,
  exercises, test cases and error messages (kb_shape.py);
- names that front matter and TOML files refer to: builtins, examples, expected records;
- kb/tests/examples.json is what make_test_catalogue.py writes;
- code: the tests of every project pass, and Quint still makes the stored traces.

A block of expressions states results in comments, `// == VALUE` or `// fails: CODE`, after each
expression. Of temporal definitions a comment says `// NAME is true of x = 0, 1, then 2 for ever`
(or `false of`; `(x, y) = (0, 1), ...` for several variables), which quint/temporal.mjs decides. The
info string of a block that must not pass says `fails`, and its comment `// fails: CODE` names the
error; words after the code must be in its message. `continues` puts the definitions of the previous
block in front.

Prints a table and every miss with file and line. Exit code: 0 all passed, 1 misses, 2 no tool.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread, Timer
from typing import Any, TextIO

import kb_shape
import make_test_catalogue
import quint_templates
import quint_transcripts
from front_matter import front_matter
from kb_table import Tally
from markdown_blocks import Block, blocks_of

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "scripts" / "quint"
CACHE = ROOT / ".cache" / "kb-check"
COMMANDS = ("parse", "typecheck", "test", "run", "verify", "compile", "repl", "docs")

SEED = 1
SAMPLES = 200  # traces per simulation unless the command says --max-samples
STEPS = 20  # the tool's own default
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

# What a project below code/ is checked with, by the files in its folder.
PROJECT_CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("test_*.py", (sys.executable, "-m", "unittest")),
    ("*.test.js", ("node", "--test")),
    ("make_traces.py", (sys.executable, "make_traces.py", "--check")),
)

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
AFTERWARDS = "after the documented substitutions"
RUN = re.compile(r"^\s*run\s+(\w+)", re.MULTILINE)
STEP = re.compile(r"(\d+)\.(problem|solution)(?:\..+)?")
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


# The tool


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


# Sources


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


# Verdicts


def judge(job: Job, answer: dict[str, Any], root: Path) -> Iterator[Miss]:
    path = str(job.path.relative_to(root))
    status_of_run = {t["name"]: t["status"] for t in answer["tests"]}
    failures = [
        t for t in answer["tests"] if t["status"] != "passed" and t["name"] not in job.failing
    ]
    failures += [
        p
        for p in answer["probes"]
        if p["status"] not in ("passed", "ignored") and p.get("code") != "QNT511"
    ]
    if job.codes:
        found = [
            f"{e.get('code', '')} {e.get('message', '')}" for e in (*answer["errors"], *failures)
        ]
        for wanted in job.codes:
            code, _, words = wanted.partition(" ")
            if not any(text.startswith(f"{code} ") and words in text for text in found):
                got = sorted({first_line(text) for text in found}) or "no error"
                yield Miss(path, job.line, f"must fail with {wanted}, got {got}")
        return
    for error in answer["errors"]:
        line = job.line + error["line"] - 1 if job.counts == "files" else job.line
        yield Miss(path, line, f"{error['code']} {first_line(error['message'])}")
    for failure in failures:
        message = f"{failure.get('code', '')} {first_line(failure.get('message', ''))}"
        yield Miss(path, job.line, f"run {failure['name']} {failure['status']}: {message}")
    for name in answer["unused"]:
        yield Miss(path, job.line, f"run {name} does not end with Test, and nothing uses it")
    for name in job.failing if not answer["errors"] else ():
        status = status_of_run.get(name, "missing")
        if status != "failed":
            yield Miss(path, job.line, f"run {name} must fail, it is {status}")
    yield from execution_misses(job, answer, path)
    for options, outcome in zip(job.simulations, answer["simulations"], strict=False):
        expected = "ok" if options["expect"] == "unreached" else options["expect"]
        if outcome["status"] != expected:
            message = f"{outcome.get('code', '')} {first_line(outcome.get('message', ''))}".strip()
            yield Miss(
                path,
                options["line"],
                f"must end with {expected}, got {outcome['status']} {message}",
            )
        elif expected == "ok":
            reachable = options["expect"] == "ok"
            for name, count in zip(options["witnesses"], outcome["witnesses"], strict=True):
                if reachable and count == 0:
                    yield Miss(path, options["line"], f"witness {name} was never reached")
                elif not reachable and count > 0:
                    yield Miss(path, options["line"], f"witness {name} was reached")


def execution_misses(job: Job, answer: dict[str, Any], path: str) -> Iterator[Miss]:
    for asked, outcome in zip(job.executions, answer["executions"], strict=False):
        if "message" in outcome:
            yield Miss(path, asked["line"], f"{asked['name']} is not decided: {outcome['message']}")
        elif outcome["holds"] != asked["expect"]:
            found = "true" if outcome["holds"] else "false"
            yield Miss(path, asked["line"], f"{asked['name']} is {found} of this execution")


def machine_without_command(job: Job, answer: dict[str, Any], root: Path) -> Iterator[Miss]:
    """Every state machine among the examples says how to run it, and tests itself."""
    names = {d["name"] for module in answer["modules"] for d in module["definitions"]}
    path = str(job.path.relative_to(root))
    if {"init", "step"} <= names and not job.simulations:
        yield Miss(path, 1, "a state machine without a `quint run` command in its comments")
    if not answer["tests"] and not answer["errors"]:
        yield Miss(path, 1, "no run")


def workshop_misses(job: Job, root: Path) -> Iterator[Miss]:
    """A problem has something to repair, and a solution that is judged by the same runs."""
    place = job.path.relative_to(root)
    if place.parts[0] != "workshops":
        return
    depth = next((i for i, part in enumerate(place.parts) if STEP.fullmatch(part)), None)
    if depth is None:
        yield Miss(
            str(place), 1, "not in a step of an exercise (NN.problem.NAME, NN.solution.NAME)"
        )
        return
    step = root.joinpath(*place.parts[: depth + 1])
    number, _, rest = step.name.partition(".")
    for page in (step / "README.mdx", step.parent / "README.mdx", step.parent / "FINISHED.mdx"):
        if not page.is_file():
            yield Miss(str(place), 1, f"{page.relative_to(root)} is missing")
    if rest.startswith("solution"):
        if job.failing:
            yield Miss(str(place), 1, "a solution lists runs that fail")
        return
    if not job.failing and all(command["expect"] == "ok" for command in job.simulations):
        yield Miss(str(place), 1, "a problem in which nothing fails")
    solved = next(iter(sorted(step.parent.glob(f"{number}.solution*"))), step)
    file = solved.joinpath(*place.parts[depth + 1 :])
    if solved == step or not file.is_file():
        yield Miss(str(place), 1, "no solution has a file of this name")
        return
    theirs = RUN.findall(file.read_text("utf-8"))
    for name in RUN.findall(job.source):
        if name not in theirs:
            yield Miss(str(place), 1, f"the solution has no run {name}")


def first_line(message: str) -> str:
    return message.strip().split("\n")[0]


# References


def expected_signature(name: str, type_: str, variadic: bool) -> str:
    if variadic:
        cut = type_.rindex(") =>")
        type_ = f"{type_[:cut]}, ...{type_[cut:]}"
    return f"{name}: {type_}"


def builtin_misses(kb: Path, table: dict[str, dict[str, Any]]) -> Iterator[Miss]:
    described = {}
    for path in sorted((kb / "builtins").glob("**/*.md")):
        page = front_matter(path.read_text("utf-8"))
        described[page["name"]] = str(path.relative_to(kb))
        entry = table.get(page["name"])
        if entry is None:
            yield Miss(described[page["name"]], 2, f"the tool has no builtin {page['name']!r}")
            continue
        wanted = expected_signature(page["name"], entry["type"], entry["variadic"])
        qualified = re.match(
            r"(?:pure val|pure def|val|def|action|run|temporal) (.*)$", page["signature"]
        )
        if qualified is None or qualified[1] != wanted:
            yield Miss(described[page["name"]], 3, f"signature must be {wanted!r}")
        for other in page.get("related", []):
            if other not in table:
                yield Miss(described[page["name"]], 2, f"related builtin {other!r} does not exist")
    for name in sorted(table.keys() - described.keys()):
        yield Miss("builtins", 0, f"{name!r} has no page")


def reference_misses(kb: Path, table: dict[str, Any]) -> Iterator[Miss]:
    patterns = {}
    for path in sorted((kb / "patterns").glob("*.md")):
        page = front_matter(path.read_text("utf-8"))
        where = str(path.relative_to(kb))
        patterns[page["id"]] = where
        for name in page.get("required_builtins", []):
            if name not in table:
                yield Miss(where, 1, f"required builtin {name!r} does not exist")
        for name in page.get("examples", []):
            if not (kb / "examples" / name).exists():
                yield Miss(where, 1, f"example {name!r} does not exist")
    templates = tomllib.loads((kb / "templates" / "templates.toml").read_text("utf-8"))["template"]
    for template in templates:
        if not (kb / "templates" / template["file"]).exists():
            yield Miss("templates/templates.toml", 1, f"file {template['file']!r} does not exist")
    for name in ("questions.toml", "held-out.toml"):
        if (kb / name).exists():
            yield from question_misses(kb, name, set(table), set(patterns), templates)


def question_misses(
    kb: Path,
    file: str,
    builtins: set[str],
    patterns: set[str],
    templates: Sequence[Mapping[str, Any]],
) -> Iterator[Miss]:
    """Records that a question expects and that do not exist."""
    places = {
        "doc": kb,
        "example": kb / "examples",
        "page": kb / "sources",
        "code": kb / "code",
    }
    names = {
        "builtin": builtins,
        "pattern": patterns,
        "template": {t["id"] for t in templates},
        "workshop": workshop_ids(kb / "workshops"),
    }
    for question in tomllib.loads((kb / file).read_text("utf-8"))["question"]:
        for target in question["expect"]:
            kind, _, name = target.partition(":")
            if kind in names:
                known = name in names[kind]
            elif kind in places:
                known = (places[kind] / name).is_file()
            else:
                yield Miss(file, 1, f"{question['query']!r} expects the unknown kind {kind!r}")
                continue
            if not known:
                yield Miss(
                    file, 1, f"{question['query']!r} expects {target!r}, which does not exist"
                )


def workshop_ids(workshops: Path) -> set[str]:
    """Workshops, and the instructions of their exercises and steps, as records are called."""
    ids = set()
    for workshop in workshops.glob("*/"):
        ids.add(workshop.name)
        for exercise in workshop.glob("exercises/[0-9]*/"):
            number = exercise.name.partition(".")[0]
            ids.add(f"{workshop.name}/{number}/instructions")
            for step in exercise.glob("[0-9]*/"):
                if match := STEP.fullmatch(step.name):
                    ids.add(f"{workshop.name}/{number}/{match[1]}/{match[2]}-instructions")
    return ids


def catalogue_misses(kb: Path) -> Iterator[Miss]:
    now, wanted = make_test_catalogue.render(kb)
    if now != wanted:
        yield Miss(
            make_test_catalogue.CATALOGUE.as_posix(),
            1,
            "is stale: run scripts/make_test_catalogue.py",
        )


# Code


def code_misses(kb: Path, package: Path, workers: int) -> tuple[list[Miss], int]:
    """What fails in the projects below code/, and how many checks ran. `quint` is the pinned one."""
    environment = {name: value for name, value in os.environ.items() if name != "QUINT"}
    environment["PATH"] = f"{package.parent.parent / '.bin'}{os.pathsep}{environment['PATH']}"
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the folder is shipped as it is
    todo = [
        (project, command)
        for project in sorted((kb / "code").glob("*/"))
        for pattern, command in PROJECT_CHECKS
        if any(project.glob(pattern))
    ]

    def run(work: tuple[Path, tuple[str, ...]]) -> list[Miss]:
        project, command = work
        done = subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return []
        said = f"{done.stdout}\n{done.stderr}".strip()
        name = " ".join((Path(command[0]).name, *command[1:]))
        return [Miss(str(project.relative_to(kb)), 0, f"`{name}` fails:\n{said}")]

    with ThreadPoolExecutor(max_workers=workers) as pool:
        found = [miss for misses in pool.map(run, todo) for miss in misses]
    return found, len(todo)


# The whole


def substituted(kb: Path) -> tuple[dict[Path, str], list[Job], list[Miss]]:
    """The templates after their documented substitutions: their paths by the ones that they get."""
    done, found = quint_templates.filled_templates(kb)
    misses = [Miss(*where) for where in found]
    origins: dict[Path, str] = {}
    jobs: list[Job] = []
    for template in done:
        path = kb / "templates" / template.name
        origins[path] = template.template
        job, wrong = quint_source(path, template.source)
        jobs.append(job)
        misses += [Miss(template.template, m.line, f"{AFTERWARDS}: {m.message}") for m in wrong]
    return origins, jobs, misses


def check(kb: Path, workers: int, only: str) -> tuple[list[Miss], Tally]:
    package = install()
    flags = flags_of_commands(package)
    (head,) = ask(package, [{"signatures": True}])
    table = head["signatures"]
    misses = [*builtin_misses(kb, table), *reference_misses(kb, table), *catalogue_misses(kb)]
    misses += [Miss(*found) for found in kb_shape.misses_of(kb)]
    tally = Tally()
    origins, jobs, wrong = substituted(kb)
    misses += wrong
    for path in sorted(kb.glob(f"{only}**/*.qnt")):
        job, wrong = quint_file(path)
        jobs.append(job)
        misses += [Miss(str(Path(m.path).relative_to(kb)), m.line, m.message) for m in wrong]
    for path in sorted([*kb.glob(f"{only}**/*.md"), *kb.glob(f"{only}**/*.mdx")]):
        text = path.read_text("utf-8")
        place = path.relative_to(kb)
        jobs += snippets(path, text)
        misses += label_misses(str(place), text)
        misses += shell_misses(str(place), text, flags)
        printed, tried = quint_transcripts.misses_of(text, package, CACHE / "transcripts")
        misses += [Miss(str(place), line, message) for line, message in printed]
        tally.add(place.parts[0], "files")
        tally.add(place.parts[0], "commands", tried)
    for job, answer in zip(jobs, answer_all(package, jobs, workers, prune=not only), strict=True):
        found = list(judge(job, answer, kb))
        if job.path in origins:
            found = [Miss(origins[job.path], m.line, f"{AFTERWARDS}: {m.message}") for m in found]
        misses += found
        if job.counts == "files":
            misses += workshop_misses(job, kb)
        tally.add_answer(job.path.relative_to(kb).parts[0], job, answer)
        if job.path.is_relative_to(kb / "examples") and job.counts == "files":
            misses += machine_without_command(job, answer, kb)
    if not only or only == "code/":
        wrong, checked = code_misses(kb, package, workers)
        misses += wrong
        tally.add("code", "projects", checked)
    return misses, tally


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the Quint knowledge base with Quint.")
    parser.add_argument("kb", nargs="?", type=Path, default=ROOT / "kb", help="default: kb/")
    parser.add_argument("--jobs", type=int, default=2, help="node processes (default 2)")
    parser.add_argument("--only", default="", metavar="FOLDER", help="check sources below it only")
    arguments = parser.parse_args()
    if shutil.which("npm") is None:
        print("check_kb: npm is not installed; Node.js 18 or newer is needed", file=sys.stderr)
        return 2
    if not (arguments.kb / "kb.toml").is_file():
        print(f"check_kb: {arguments.kb} holds no kb.toml: name a knowledge base", file=sys.stderr)
        return 2
    try:
        misses, tally = check(
            arguments.kb.resolve(),
            arguments.jobs,
            arguments.only and f"{arguments.only.rstrip('/')}/",
        )
    except (subprocess.CalledProcessError, RuntimeError) as error:
        print(f"check_kb: {error}", file=sys.stderr)
        return 2
    for miss in sorted(misses, key=lambda m: (m.path, m.line, m.message)):
        print(f"{miss.path}:{miss.line}: {miss.message}")
    print(*tally.lines(), f"misses: {len(misses)}", sep="\n")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
