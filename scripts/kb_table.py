"""The table that check_kb.py prints: what was checked, a row for each folder and one for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

COLUMNS = (
    "files",
    "typechecked",  # sources without an error: files, and blocks of Markdown
    "runs passed",
    "invariants",  # simulated: those of each command
    "witnesses",
    "snippets",
    "must fail",  # errors, runs and violations that appeared as they must
    "commands",  # tried, with what they print
    "projects",  # checks of the projects below code/
)


class Tally:
    """Numbers by folder of the knowledge base and column."""

    def __init__(self) -> None:
        self.numbers: Counter[tuple[str, str]] = Counter()

    def add(self, folder: str, column: str, number: int = 1) -> None:
        assert column in COLUMNS
        self.numbers[folder, column] += number

    def add_answer(self, folder: str, job: Any, answer: dict[str, Any]) -> None:
        """What the tool said about a job of check_kb.py: a file or a snippet, its runs and commands."""
        self.add(folder, "files" if job.counts == "files" else "snippets")
        self.add(folder, "typechecked", not answer["errors"])
        self.add(folder, "runs passed", sum(t["status"] == "passed" for t in answer["tests"]))
        self.add(folder, "must fail", len(job.codes) + len(job.failing))
        for command in job.simulations:
            self.add(folder, "invariants", len(command["invariants"]))
            self.add(folder, "witnesses", len(command["witnesses"]))
            self.add(folder, "must fail", command["expect"] == "violation")

    def lines(self) -> Iterator[str]:
        folders = sorted({folder for folder, _ in self.numbers})
        width = max(map(len, [*folders, "all"]))
        yield "  ".join([" " * width, *(f"{column:>11}" for column in COLUMNS)])
        for folder in [*folders, "all"]:
            row = [
                sum(
                    self.numbers[name, column]
                    for name in (folders if folder == "all" else [folder])
                )
                for column in COLUMNS
            ]
            yield "  ".join([f"{folder:<{width}}", *(f"{number:>11}" for number in row)])
