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
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kb_references
import kb_shape
import quint_sources
import quint_templates
import quint_tool
import quint_transcripts
import quint_verdicts
from kb_table import Tally

# What a project below code/ is checked with, by the files in its folder.
PROJECT_CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("test_*.py", (sys.executable, "-m", "unittest")),
    ("*.test.js", ("node", "--test")),
    ("make_traces.py", (sys.executable, "make_traces.py", "--check")),
)

AFTERWARDS = "after the documented substitutions"


def code_misses(kb: Path, package: Path, workers: int) -> tuple[list[quint_tool.Miss], int]:
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

    def run(work: tuple[Path, tuple[str, ...]]) -> list[quint_tool.Miss]:
        project, command = work
        done = subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return []
        said = f"{done.stdout}\n{done.stderr}".strip()
        name = " ".join((Path(command[0]).name, *command[1:]))
        return [quint_tool.Miss(str(project.relative_to(kb)), 0, f"`{name}` fails:\n{said}")]

    with ThreadPoolExecutor(max_workers=workers) as pool:
        found = [miss for misses in pool.map(run, todo) for miss in misses]
    return found, len(todo)


def substituted(kb: Path) -> tuple[dict[Path, str], list[quint_tool.Job], list[quint_tool.Miss]]:
    """The templates after their documented substitutions: their paths by the ones that they get."""
    done, found = quint_templates.filled_templates(kb)
    misses = [quint_tool.Miss(*where) for where in found]
    origins: dict[Path, str] = {}
    jobs: list[quint_tool.Job] = []
    for template in done:
        path = kb / "templates" / template.name
        origins[path] = template.template
        job, wrong = quint_sources.quint_source(path, template.source)
        jobs.append(job)
        misses += [
            quint_tool.Miss(template.template, m.line, f"{AFTERWARDS}: {m.message}") for m in wrong
        ]
    return origins, jobs, misses


def transcripts(
    texts: list[str], package: Path, workers: int
) -> list[tuple[list[quint_transcripts.Found], int]]:
    """What `quint_transcripts.misses_of` says of each page, several at a time."""
    kept = quint_tool.CACHE / "transcripts"
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(lambda text: quint_transcripts.misses_of(text, package, kept), texts))


def check(kb: Path, workers: int, only: str) -> tuple[list[quint_tool.Miss], Tally]:
    package = quint_tool.install()
    flags = quint_tool.flags_of_commands(package)
    (head,) = quint_tool.ask(package, [{"signatures": True}])
    table = head["signatures"]
    misses = [
        *kb_references.builtin_misses(kb, table),
        *kb_references.reference_misses(kb, table),
        *kb_references.catalogue_misses(kb),
    ]
    misses += [quint_tool.Miss(*found) for found in kb_shape.misses_of(kb)]
    tally = Tally()
    origins, jobs, wrong = substituted(kb)
    misses += wrong
    for path in sorted(kb.glob(f"{only}**/*.qnt")):
        job, wrong = quint_sources.quint_file(path)
        jobs.append(job)
        misses += [
            quint_tool.Miss(str(Path(m.path).relative_to(kb)), m.line, m.message) for m in wrong
        ]
    pages = sorted([*kb.glob(f"{only}**/*.md"), *kb.glob(f"{only}**/*.mdx")])
    texts = [path.read_text("utf-8") for path in pages]
    for path, text, (printed, tried) in zip(
        pages, texts, transcripts(texts, package, workers), strict=True
    ):
        place = path.relative_to(kb)
        jobs += quint_sources.snippets(path, text)
        misses += quint_sources.label_misses(str(place), text)
        misses += quint_sources.shell_misses(str(place), text, flags)
        misses += [quint_tool.Miss(str(place), line, message) for line, message in printed]
        tally.add(place.parts[0], "files")
        tally.add(place.parts[0], "commands", tried)
    for job, answer in zip(
        jobs, quint_tool.answer_all(package, jobs, workers, prune=not only), strict=True
    ):
        found = list(quint_verdicts.judge(job, answer, kb))
        if job.path in origins:
            found = [
                quint_tool.Miss(origins[job.path], m.line, f"{AFTERWARDS}: {m.message}")
                for m in found
            ]
        misses += found
        if job.counts == "files":
            misses += quint_verdicts.workshop_misses(job, kb)
        tally.add_answer(job.path.relative_to(kb).parts[0], job, answer)
        if job.path.is_relative_to(kb / "examples") and job.counts == "files":
            misses += quint_verdicts.machine_without_command(job, answer, kb)
    if not only or only == "code/":
        wrong, checked = code_misses(kb, package, workers)
        misses += wrong
        tally.add("code", "projects", checked)
    return misses, tally


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the Quint knowledge base with Quint.")
    parser.add_argument(
        "kb", nargs="?", type=Path, default=quint_tool.ROOT / "kb", help="default: kb/"
    )
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
