"""Whether the tool's answers are what a source promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kb_references import STEP
from quint_tool import Job, Miss

RUN = re.compile(r"^\s*run\s+(\w+)", re.MULTILINE)


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
    page = step / "README.mdx"
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
