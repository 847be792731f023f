"""Tells the side of an exercise, what it begins with or its solution, by the names of files and folders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

EXERCISES = re.compile(
    r"(?i)(?:exercise-templates|exercises?|challenges|katas|problems|questions|tasks|assignments)"
)
"""What folders of exercises are called."""
_BEGIN = (
    "before|begin(?:ning)?|exercises?|initial|problems?|start(?:er|ing[-_. ]?point)?|templates?|todo"
    "|unsolved"
)
_END = "after|answers?|complete[d]?|end|final|finish(?:ed)?|solutions?|solved"
_FOLDER = re.compile(
    rf"(?i)(?:\d+[-_. ]*)?(?:(?P<problem>{_BEGIN})|(?P<solution>{_END}))"
    r"(?:[-_. ]?(?:app|code|files?|project))?"
)
_STRICT = re.compile(
    r"(?i)(?:(?P<problem>initial|start(?:er)?)|(?P<solution>complete[d]?|final|finish(?:ed)?|solution))"
)
"""Folders at the top of a tree, where `before` and `template` may mean anything."""

_SEPARATORS = re.compile(r"[-_. ]+")
_PROBLEM_WORDS = frozenset(["ex", "exercise", "exercises", "problem"])
_SOLUTION_WORDS = frozenset(["answer", "answers", "sol", "solution", "solutions"])
BOTH_SIDES = "with"
"""The variant of a file that shows the problem with its solution."""
_MARK = re.compile(
    rf"(?i)(?:\A|[-_. ])(?:{'|'.join(sorted(_PROBLEM_WORDS | _SOLUTION_WORDS))})(?=[-_. ]|\Z)"
)


class FolderPair(NamedTuple):
    """The names of the folders of both sides."""

    problem: str
    solution: str


class MarkedName(NamedTuple):
    """The side of a file by a word in its name, what the file is called without that word, and which of
    several solutions it is ("" for the first)."""

    is_solution: bool
    key: str
    variant: str


def pair_in(names: Iterable[str], *, at_top: bool = False) -> FolderPair | None:
    """The folders of both sides among the entries of a folder; None where a side is missing."""
    pattern = _STRICT if at_top else _FOLDER
    found: dict[str, str] = {}
    for name in names:
        if match := pattern.fullmatch(name):
            found.setdefault(str(match.lastgroup), name)
    return FolderPair(found["problem"], found["solution"]) if len(found) == 2 else None


def marked(name: str) -> MarkedName | None:
    """What a word in the name of a file says: `02-sum.solution.1.ts`, `ex_02.ipynb`; None without one."""
    words = _SEPARATORS.split(name.rpartition(".")[0].lower())
    solved = next((at for at, word in enumerate(words) if word in _SOLUTION_WORDS), None)
    posed = next((at for at, word in enumerate(words) if word in _PROBLEM_WORDS), None)
    at = posed if solved is None else solved
    if at is None:
        return None
    if solved is not None and posed is not None:  # `exercise_with_solutions`
        own = [word for word in words if word not in {*_SOLUTION_WORDS, *_PROBLEM_WORDS, "with"}]
        return MarkedName(True, "-".join(own), BOTH_SIDES)
    key, rest = (words[:at], words[at + 1 :]) if at else (words[1:], [])
    return MarkedName(solved is not None, "-".join(key), "-".join(rest))


def without_mark(name: str) -> str:
    """The name of a file without the word of its side: `sum.solution.ts` is `sum.ts`."""
    stem, dot, ending = name.rpartition(".")
    return f"{_MARK.sub('', stem).lstrip('-_. ')}{dot}{ending}" if stem else name


def divided(paths: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The files of an exercise, by their names in it, as those of its problem and those of its solution.
    A solution is in a folder of its own, or its files are marked by their names."""
    sides: tuple[dict[str, str], dict[str, str]] = {}, {}
    for name, path in paths.items():
        *folders, own = name.split("/")
        kinds = [_FOLDER.fullmatch(each) for each in folders]
        at = next((at for at, kind in enumerate(kinds) if kind), None)
        kind = kinds[at] if at is not None else None
        found = marked(own)
        if kind is not None:
            called = without_mark(own) if found is not None and found.is_solution else own
            rest = [*folders[:at], *folders[(at or 0) + 1 :], called]
            sides[kind.lastgroup == "solution"].setdefault("/".join(rest), path)
        elif found is not None and found.is_solution:
            sides[1].setdefault("/".join([*folders, without_mark(own)]), path)
        else:
            sides[0].setdefault(name, path)
    return _aligned(*sides)


def _aligned(
    problem: dict[str, str], solution: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Both sides, with a file of a solution called as the one that it replaces: the only other one, or the
    only one with its ending where it is called by nothing but its side (`solution.css`)."""
    if len(problem) == len(solution) == 1:
        (name,), (path,) = problem, solution.values()
        return problem, {name: path}
    endings: dict[str, list[str]] = {}
    for name in problem:
        endings.setdefault(name.rpartition(".")[2], []).append(name)
    found: dict[str, str] = {}
    for name, path in solution.items():
        alike = endings.get(name.rpartition(".")[2], []) if name.startswith(".") else []
        own = path.rpartition("/")[2] if name.startswith(".") else name
        found[alike[0] if len(alike) == 1 else own] = path
    return problem, found


def without_pages(paths: Mapping[str, str], pages: Sequence[str]) -> dict[str, str]:
    return {name: path for name, path in paths.items() if path not in pages}
