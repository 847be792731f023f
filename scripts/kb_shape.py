"""What the knowledge base promises by number and by form: the part that needs no Quint.

Each function reads one folder of the knowledge base and yields what is missing, as file (below the
knowledge base), line and one sentence. The numbers are lower bounds; the builtins, which are
exactly those of the tool, are compared with its table by check_kb.py.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kb_references import STEP
from markdown_blocks import blocks_of, sections_of

from kbc.languages.front_matter import below_front_matter

MOST_LINES = 300  # of an example
LEAST_LINES = 30
LEAST_RESULTS = 2  # of a builtin
LEAST_STEPS = 2  # of an exercise
LEAST_WORDS = 12  # cause and cure of an error, code apart
LEAST = {
    "docs": 40,
    "examples": 60,
    "categories": 10,
    "patterns": 15,
    "templates": 6,
    "guidelines": 1,
    "lessons": 1,
    "routing labels": 2,
    "courses": 3,
    "exercises": 12,
    "test cases": 150,
    "error messages": 80,
    "questions": 100,
}

PAGE_FIELDS = ("title", "summary", "tags")
DOC_FIELDS = (*PAGE_FIELDS, "related")
BUILTIN_FIELDS = ("name", "signature", "category", "aliases", "related")
BUILTIN_SECTIONS = ("### Examples", "### Common mistakes")
PATTERN_FIELDS = ("id", "name", "category", "when_to_use", "required_builtins", "examples", "tags")
CASE_FIELDS = (
    *("jiraKey", "title", "description", "priority", "tags", "platforms"),
    *("folderStructure", "steps", "testPath"),
)
# Exit codes are described beside the messages, and are none.
NO_MESSAGES = "exit-codes.md"

RESULT = re.compile(
    r"^\s*// (?:== |fails: |\w+ is (?:true|false) of )|\brun \w+Test\b", re.MULTILINE
)
# What an example is written with, each with the form in which it is looked for.
PARTS = {
    "a type": re.compile(r"^\s*type \w", re.MULTILINE),
    "a pure function": re.compile(r"^\s*pure def \w", re.MULTILINE),
    "an action": re.compile(r"^\s*action \w", re.MULTILINE),
    "a `quint run` command with --invariants": re.compile(
        r"^//\s+quint run\s.*--invariants?[= ]", re.MULTILINE
    ),
    "a `quint run` command with --witnesses": re.compile(
        r"^//\s+quint run\s.*--witnesses[= ]", re.MULTILINE
    ),
    "a run whose name ends with Test": re.compile(r"^\s*run \w+Test\b", re.MULTILINE),
}
FENCED = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
CASE_PLACE = re.compile(r"(.+\.qnt):(\d+)")

Found = tuple[str, int, str]  # file or folder below the knowledge base, line, what is missing


def misses_of(kb: Path) -> Iterator[Found]:
    """Everything that is promised and not there."""
    yield from builtin_misses(kb)
    yield from doc_misses(kb)
    yield from example_misses(kb)
    yield from guide_misses(kb)
    yield from workshop_misses(kb)
    yield from case_misses(kb)
    yield from page_misses(kb)


def too_few(where: str, what: str, number: int) -> Iterator[Found]:
    if number < LEAST[what]:
        yield where, 1, f"{number} {what}, but at least {LEAST[what]} are promised"


def fields_missing(where: str, values: Mapping[str, Any], names: Iterable[str]) -> Iterator[Found]:
    for name in names:
        if not values.get(name):
            yield where, 1, f"the front matter has no {name!r}"


def pages_in(kb: Path, folder: str) -> list[Path]:
    return sorted([*(kb / folder).glob("**/*.md"), *(kb / folder).glob("**/*.mdx")])


def builtin_misses(kb: Path) -> Iterator[Found]:
    """Of each builtin: its fields, a description, examples with results, common mistakes."""
    for path in pages_in(kb, "builtins"):
        text, where = path.read_text("utf-8"), str(path.relative_to(kb))
        stated, body = below_front_matter(text)
        yield from fields_missing(where, stated, BUILTIN_FIELDS)
        for heading in BUILTIN_SECTIONS:
            if not re.search(rf"^{heading}$", text, re.MULTILINE):
                yield where, 1, f"there is no section {heading!r}"
        if not body.partition("### Examples")[0].strip():
            yield where, 1, "what the builtin does is not described"
        results = sum(len(RESULT.findall(block.code)) for block in blocks_of(text, {"quint"}))
        if results < LEAST_RESULTS:
            yield (
                where,
                1,
                f"{results} examples with results, but {LEAST_RESULTS} are promised: a result is "
                "`// == VALUE`, `// fails: CODE`, `// NAME is true of x = ...` or a `run` "
                "whose name ends with Test",
            )


def doc_misses(kb: Path) -> Iterator[Found]:
    documentation = pages_in(kb, "docs")
    yield from too_few("docs", "docs", len(documentation))
    others = [
        page for folder in ("choreo", "lessons", "guidelines") for page in pages_in(kb, folder)
    ]
    for path in (*documentation, *others):
        page, _ = below_front_matter(path.read_text("utf-8"))
        yield from fields_missing(str(path.relative_to(kb)), page, DOC_FIELDS)


def example_misses(kb: Path) -> Iterator[Found]:
    """Of each example: its length, its leading comment, and the parts it is written with."""
    files = sorted((kb / "examples").glob("**/*.qnt"))
    yield from too_few("examples", "examples", len(files))
    categories = {path.relative_to(kb / "examples").parts[0] for path in files}
    yield from too_few("examples", "categories", len(categories))
    for path in files:
        text, where = path.read_text("utf-8"), str(path.relative_to(kb))
        lines = len(text.splitlines())
        if not LEAST_LINES <= lines <= MOST_LINES:
            yield where, 1, f"{lines} lines, but {LEAST_LINES} to {MOST_LINES} are promised"
        if not text.startswith("// "):
            yield where, 1, "an example begins with a comment that says what it is about"
        for name, form in PARTS.items():
            if not form.search(text):
                yield where, 1, f"an example has {name}"


def guide_misses(kb: Path) -> Iterator[Found]:
    """Patterns, templates, guidelines, lessons, routing rules and labelled questions."""
    patterns = pages_in(kb, "patterns")
    yield from too_few("patterns", "patterns", len(patterns))
    for path in patterns:
        page, _ = below_front_matter(path.read_text("utf-8"))
        yield from fields_missing(str(path.relative_to(kb)), page, PATTERN_FIELDS)
    for folder in ("guidelines", "lessons"):
        yield from too_few(folder, folder, len(pages_in(kb, folder)))
    yield from too_few(
        "templates/templates.toml", "templates", tables(kb / "templates/templates.toml", "template")
    )
    yield from too_few("routing.toml", "routing labels", tables(kb / "routing.toml", "label"))
    yield from too_few("questions.toml", "questions", tables(kb / "questions.toml", "question"))


def tables(path: Path, name: str) -> int:
    """How many `[[name]]` the file holds; none when there is no file."""
    if not path.is_file():
        return 0
    return len(tomllib.loads(path.read_text("utf-8")).get(name, ()))


def workshop_misses(kb: Path) -> Iterator[Found]:
    """Courses of exercises of steps, each step a problem and its solution with Quint sources."""
    courses = sorted(path for path in (kb / "workshops").glob("*/") if path.is_dir())
    yield from too_few("workshops", "courses", len(courses))
    exercises = [path for course in courses for path in sorted(course.glob("exercises/[0-9]*/"))]
    yield from too_few("workshops", "exercises", len(exercises))
    for course in courses:
        for name in ("package.json", "exercises/README.mdx", "exercises/FINISHED.mdx"):
            if not (course / name).is_file():
                yield str(course.relative_to(kb)), 1, f"the course has no {name}"
    for exercise in exercises:
        where = str(exercise.relative_to(kb))
        for name in ("README.mdx", "FINISHED.mdx"):
            if not (exercise / name).is_file():
                yield where, 1, f"the exercise has no {name}"
        yield from step_misses(exercise, where)


def step_misses(exercise: Path, where: str) -> Iterator[Found]:
    sides: dict[int, set[str]] = {}
    for folder in sorted(exercise.glob("[0-9]*/")):
        if not (match := STEP.fullmatch(folder.name)):
            continue
        sides.setdefault(int(match[1]), set()).add(match[2])
        if not any(folder.glob("**/*.qnt")):
            yield f"{where}/{folder.name}", 1, "the step has no .qnt file"
    if len(sides) < LEAST_STEPS:
        yield where, 1, f"{len(sides)} steps, but at least {LEAST_STEPS} are promised"
    for number, found in sides.items():
        for side in sorted({"problem", "solution"} - found):
            yield where, 1, f"step {number} has no {side}"


def case_misses(kb: Path) -> Iterator[Found]:
    """Of each test case: its fields, an expectation, and the line on which its run stands."""
    where = "tests/examples.json"
    cases = json.loads((kb / where).read_text("utf-8"))["tests"] if (kb / where).exists() else []
    yield from too_few(where, "test cases", len(cases))
    sources: dict[str, list[str]] = {}
    for case in cases:
        name = case.get("jiraKey") or case.get("uid") or "a case"
        for field in CASE_FIELDS:
            if not case.get(field):
                yield where, 1, f"{name} has no {field!r}"
        if not any(step.get("expected") for step in case.get("steps", ())):
            yield where, 1, f"{name} expects nothing"
        place = CASE_PLACE.fullmatch(case.get("testPath", ""))
        if place is None or not (kb / place[1]).is_file():
            yield where, 1, f"{name} is in no file: its testPath is {case.get('testPath')!r}"
            continue
        if place[1] not in sources:
            sources[place[1]] = (kb / place[1]).read_text("utf-8").split("\n")
        run = case["uid"].rpartition("#")[2].rpartition(":")[2]
        line = "".join(sources[place[1]][int(place[2]) - 1 : int(place[2])])
        if not re.match(rf"\s*run {re.escape(run)}\b", line):
            yield where, 1, f"{name} is not on line {place[2]} of {place[1]}"


def page_misses(kb: Path) -> Iterator[Found]:
    """Pages of documentation sets; the error messages, each reproduced and explained."""
    for path in pages_in(kb, "sources"):
        page, _ = below_front_matter(path.read_text("utf-8"))
        yield from fields_missing(str(path.relative_to(kb)), page, PAGE_FIELDS)
    messages: Counter[str] = Counter()
    for path in pages_in(kb, "sources/errors"):
        if path.name == NO_MESSAGES:
            continue
        text, where = path.read_text("utf-8"), str(path.relative_to(kb))
        for line, heading, body in sections_of(text):
            if not is_reproduced(body):
                continue
            messages[heading] += 1
            words = len(FENCED.sub("", body).split())
            if words < LEAST_WORDS:
                yield (
                    where,
                    line,
                    f"{heading!r}: {words} words beside the code, but an error has its "
                    f"cause and its cure (at least {LEAST_WORDS} words)",
                )
    for heading, times in sorted(messages.items()):
        if times > 1:
            yield "sources/errors", 1, f"{heading!r} is described {times} times"
    yield from too_few("sources/errors", "error messages", len(messages))


def is_reproduced(section: str) -> bool:
    """Whether the section has a block that must fail, or a transcript that prints something."""
    for block in blocks_of(section, {"quint", "console"}):
        if "fails" in block.words:
            return True
        shown = block.code.replace("$ echo $?\n0", "")
        if "tried" in block.words and re.search(r"^(?!\$ |\d+$).", shown, re.MULTILINE):
            return True
    return False
