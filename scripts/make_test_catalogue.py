"""Writes kb/tests/examples.json, the catalogue of the tests in the examples and workshop solutions.

`python scripts/make_test_catalogue.py` writes it, `--check` only tells whether it is stale (exit
code 1). A test case is a `run` whose name ends with `Test` (the ones that `quint test` takes):

- steps: the links of its `then` chain; `expect`, `assert` and `fail` become expectations of the step
  before them; the comment above an action says what the step does;
- title: file, or exercise and step, and name in words; description: the comment above the run, else
  what the file says first;
- priority: Critical when an expectation names an invariant that the file simulates, High when an
  action must be impossible, Low for laws of pure definitions, Medium for the rest;
- key: QK-<n>. A test keeps the key that it has in the existing file; a new test gets the next free
  number, and numbers of removed tests are not given again.

The sources are read as text (quint_runs.py).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quint_runs import CLOSING, DECLARATIONS, OPENING, Run, Source, Token, read_source, sentence_of

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = Path("tests") / "examples.json"  # below the knowledge base
PROJECT = "QK"
PLATFORMS = ["Quint 0.33", "TypeScript backend"]
"""What scripts/check_kb.py runs the tests on, and what their commands ask for: without the option,
`quint test` downloads the evaluator in Rust."""
IMPOSSIBLE = "The action is impossible."

_SPELLINGS = {
    "agrawala": "Agrawala",
    "bankers": "banker's",
    "bft": "BFT",
    "cas": "compare-and-swap",
    "erc": "ERC",
    "f": "F",
    "fifo": "first in, first out",
    "hanoi": "Hanoi",
    "k": "K",
    "lamport": "Lamport",
    "lowes": "Lowe's",
    "lru": "LRU",
    "needham": "Needham",
    "paxos": "Paxos",
    "peterson": "Peterson",
    "raft": "Raft",
    "ricart": "Ricart",
    "schroeder": "Schroeder",
}

_LINKS = frozenset({"then", "expect", "fail"})
_LOOSER_THAN_AND = frozenset({"or", "iff", "implies", "=>", "if", "else", "match"})


@dataclass(slots=True)
class Step:
    action: str
    expected: list[str]


def steps_of(source: Source, run: Run) -> list[Step]:
    """What the run does, step by step."""
    body = run.body
    if body and body[0].text == "{":  # a block: definitions, then the chain
        inner = body[1:-1]
        last = max(
            (index for index in range(len(inner)) if _begins_result(inner, index)), default=0
        )
        body = inner[last:]
    return list(_steps(source, body))


def _begins_result(tokens: Sequence[Token], index: int) -> bool:
    """Whether the expression after the definitions of a block begins at `index`: on a line of its
    own, outside brackets, where neither side is an operator."""
    if sum((t.text in OPENING) - (t.text in CLOSING) for t in tokens[:index]):
        return False
    if index == 0:
        return tokens[0].text not in DECLARATIONS
    before, here = tokens[index - 1], tokens[index]
    return (
        here.kind == "name"
        and (before.text in CLOSING or before.kind in ("name", "number", "string"))
        and here.text not in DECLARATIONS
        and before.text not in DECLARATIONS
    )


def _steps(source: Source, body: Sequence[Token]) -> Iterator[Step]:
    head, links = _chain(body)
    if not links and len(head) > 2 and head[0].text in ("all", "and") and head[1].text == "{":
        for part in _split(head[2:-1], ","):
            yield from _steps(source, part)
        return
    step = _first(source, head)
    for name, arguments in links:
        if name == "expect":
            step.expected += _conditions(source, arguments)
        elif name == "fail":
            step.expected.append(IMPOSSIBLE)
        else:
            yield step
            step = _first(source, arguments)
    yield step


def _chain(body: Sequence[Token]) -> tuple[Sequence[Token], list[tuple[str, Sequence[Token]]]]:
    """`a.then(b).expect(c)` as a, then the links with their arguments."""
    starts = []
    depth = 0
    for index, token in enumerate(body):
        link = [each.text for each in body[index : index + 3]]
        if depth == 0 and link[0] == "." and link[1] in _LINKS and link[2] == "(":
            starts.append(index)
        depth += (token.text in OPENING) - (token.text in CLOSING)
    if not starts:
        return body, []
    ends = [*starts[1:], len(body)]
    links = [
        (body[start + 1].text, body[start + 3 : end - 1])
        for start, end in zip(starts, ends, strict=True)
    ]
    return body[: starts[0]], links


def _first(source: Source, tokens: Sequence[Token]) -> Step:
    """One link as a step: an assertion, a repetition, or an action."""
    if len(tokens) > 3 and tokens[0].text == "assert":
        inner = tokens[2:-1]
        sides = _split(inner, "==")
        if len(sides) == 2 and not _looser(inner) and not _has(inner, "and"):
            left, right = (_code(source, side) for side in sides)
            return Step(f"Evaluate `{left}`", [f"It equals `{right}`."])
        return Step("Evaluate the property", _conditions(source, inner))
    repeated = next(
        (
            i
            for i in range(len(tokens) - 2)
            if tokens[i].text == "."
            and tokens[i + 1].text == "reps"
            and not sum((t.text in OPENING) - (t.text in CLOSING) for t in tokens[:i])
        ),
        None,
    )
    if repeated is not None:
        count = _code(source, tokens[:repeated])
        inner = tokens[repeated + 3 : -1]
        arrow = next(i for i, token in enumerate(inner) if token.text == "=>")
        counter = _code(source, inner[:arrow]).strip("()")
        where = "" if counter.startswith("_") else f", for {counter} = 0, 1, ..."
        return Step(f"Repeat {count} times{where}: `{_code(source, inner[arrow + 1 :])}`", [])
    code = _code(source, tokens)
    if code == "init":
        return Step("Start with `init`", [])
    comment = sentence_of(source.comments.get(tokens[0].text, ""))
    return Step(f"Do `{code}`" + (f" ({comment.rstrip('.')})" if comment else ""), [])


def _conditions(source: Source, tokens: Sequence[Token]) -> list[str]:
    if len(tokens) > 3 and tokens[0].text == "and" and tokens[1].text == "{":
        parts = _split(tokens[2:-1], ",")
    else:
        parts = [tokens] if _looser(tokens) else _split(tokens, "and")
    return [_condition(source, part) for part in parts if part]


def _condition(source: Source, tokens: Sequence[Token]) -> str:
    if len(tokens) > 3 and tokens[0].text == "not" and tokens[-1].text == ")":
        return f"`{_code(source, tokens[2:-1])}` does not hold."
    if len(tokens) == 1:
        return f"`{tokens[0].text}` holds."
    return f"`{_code(source, tokens)}`"


def _split(tokens: Sequence[Token], separator: str) -> list[Sequence[Token]]:
    parts: list[Sequence[Token]] = []
    depth = start = 0
    for index, token in enumerate(tokens):
        if depth == 0 and token.text == separator:
            parts.append(tokens[start:index])
            start = index + 1
        depth += (token.text in OPENING) - (token.text in CLOSING)
    return [part for part in (*parts, tokens[start:]) if part]


def _has(tokens: Sequence[Token], word: str) -> bool:
    return len(_split(tokens, word)) > 1


def _looser(tokens: Sequence[Token]) -> bool:
    return any(_has(tokens, word) or tokens[0].text == word for word in _LOOSER_THAN_AND)


def _code(source: Source, tokens: Sequence[Token]) -> str:
    """The source text of the tokens on one line, without comments."""
    text = ""
    for before, token in zip([None, *tokens], tokens, strict=False):
        gap = source.text[before.end : token.start] if before else ""
        text += (" " if gap else "") + token.text
    return text.replace("( ", "(").replace(" )", ")").replace(" .", ".")


def words_of(name: str) -> str:
    """`oldCardIsDeadTest` or `old-card-is-dead` -> `old card is dead`."""
    name = name.removesuffix("Test").strip("_")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=\d)|[_-]+", " ", name).lower()
    return " ".join(_SPELLINGS.get(word, word) for word in words.split())


def subject_of(name: str) -> str:
    """The words as a title."""
    words = words_of(name)
    return words[:1].upper() + words[1:]


def title_of(source: Source, run: Run, steps: Sequence[Step], named: Iterable[str]) -> str:
    """File and test in words; a name of one word gets the outcome besides."""
    topics = topics_of(source.path)
    title = f"{subject_of(', '.join(topics[2:] or topics[1:]))}: {words_of(run.name)}"
    if " " in words_of(run.name):
        return title
    if IMPOSSIBLE in steps[-1].expected:
        return f"{title}, {steps[-1].action.partition('`')[2].partition('`')[0]} is impossible"
    broken = [name for name in sorted(named) if f"`{name}` does not hold." in steps[-1].expected]
    if broken:
        return f"{title}, against {words_of(broken[0])}"
    outcome = "".join(steps[-1].expected[:1]).removesuffix(".").replace("`", "")
    chained = len(steps) > 1 and not steps[-1].action.startswith("Evaluate")
    return f"{title}, then {outcome}" if chained and 0 < len(outcome) <= 60 else title


def topics_of(path: str) -> list[str]:
    """What a path is about, from large to small: `examples/puzzles/nim.qnt` -> examples, puzzles,
    nim; of the solution of a workshop its course, exercise and step, but not the file."""
    *folders, file = path.split("/")
    if folders[0] != "workshops":
        return [*folders, file.removesuffix(".qnt")]
    course, exercise, step = (folders[index] for index in (1, 3, 4))
    named = re.match(r"0*(\d+)\.solution\.?(.*)", step)
    assert named is not None
    return ["workshops", course, exercise.partition(".")[2], named[2] or f"step {named[1]}"]


def case_of(source: Source, run: Run) -> dict[str, Any]:
    """The test case as kb/tests holds it, still without a key; `uid` names no module yet."""
    steps = steps_of(source, run)
    topics = topics_of(source.path)
    expected = [text for step in steps for text in step.expected]
    named = {n for n in source.invariants if re.search(rf"\b{n}\b", " ".join(expected))}
    pure = all(step.action.startswith("Evaluate") for step in steps)
    marks = {
        "invariant": bool(named),
        "counterexample": any(f"`{name}` does not hold." in expected for name in named),
        "negative": IMPOSSIBLE in expected,
        "pure": pure,
        "repetition": any(step.action.startswith("Repeat") for step in steps),
    }
    if named:
        priority = "Critical"
    elif IMPOSSIBLE in expected:
        priority = "High"
    else:
        priority = "Low" if pure else "Medium"
    return {
        "uid": f"{source.path}#{run.name}",
        "title": title_of(source, run, steps, named),
        "description": run.comment or source.summary,
        "testType": "Unit" if pure else "Automated",
        "priority": priority,
        "platforms": PLATFORMS,
        "tags": [*topics[1:], *(mark for mark, holds in marks.items() if holds)],
        "folderStructure": "/".join(map(subject_of, topics)),
        "preconditions": [f"Module `{run.module}` of {source.path} typechecks."],
        "steps": [
            {"index": index, "action": step.action, "expected": step.expected}
            for index, step in enumerate(steps, 1)
        ],
        "testData": f"quint test --backend=typescript --main={run.module} --match='^{run.name}$' "
        + source.path.rpartition("/")[2],
        "testPath": f"{source.path}:{run.line}",
    }


def sources_of(kb: Path) -> Iterator[Source]:
    """Examples, then the solutions of workshops, by path."""
    found = [
        *kb.glob("examples/**/*.qnt"),
        *kb.glob("workshops/*/exercises/*/*.solution*/**/*.qnt"),
    ]
    for path in sorted(found):
        yield read_source(path.relative_to(kb).as_posix(), path.read_text("utf-8"))


def catalogue(kb: Path, existing: Mapping[str, Any]) -> dict[str, Any]:
    """All test cases by key; `existing` is the catalogue whose keys stay."""
    keys = {case["uid"]: case["jiraKey"] for case in existing.get("tests", ())}
    following = int(existing.get("info", {}).get("nextKey", 1))
    cases = []
    for source in sources_of(kb):
        names = [run.name for run in source.runs]
        for run in source.runs:
            case = case_of(source, run)
            if names.count(run.name) > 1:  # several modules of the file have it
                case["uid"] = f"{source.path}#{run.module}::{run.name}"
                case["title"] += f" ({words_of(run.module)})"
            if case["uid"] not in keys:
                keys[case["uid"]] = f"{PROJECT}-{following}"
                following += 1
            case = {"jiraKey": keys[case["uid"]], **case}
            cases.append({name: value for name, value in case.items() if value})
    cases.sort(key=lambda case: int(case["jiraKey"].partition("-")[2]))
    return {"info": {"generatedBy": Path(__file__).name, "nextKey": following}, "tests": cases}


def render(kb: Path) -> tuple[str, str]:
    """The text of the catalogue as it is, and as it must be."""
    path = kb / CATALOGUE
    now = path.read_text("utf-8") if path.exists() else ""
    wanted = catalogue(kb, json.loads(now) if now else {})
    return now, json.dumps(wanted, indent=1, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the catalogue of test cases.")
    parser.add_argument("kb", nargs="?", type=Path, default=ROOT / "kb", help="default: kb/")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when it is stale")
    options = parser.parse_args(arguments)
    now, wanted = render(options.kb)
    if options.check:
        if now != wanted:
            print(f"{CATALOGUE.as_posix()} is stale: run scripts/make_test_catalogue.py")
        return int(now != wanted)
    path = options.kb / CATALOGUE
    path.parent.mkdir(exist_ok=True)
    path.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
