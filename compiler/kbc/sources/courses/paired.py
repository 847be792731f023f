"""Exercises beside their solutions, and numbered folders with a start and a finish."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    PlannedExercise,
    PlannedPage,
    PlannedStep,
    by_name,
    files_below,
    in_order,
    is_folder,
    joined,
    made_of,
    matching,
    number_in,
    numbered,
    pages_of,
    title_in,
)
from kbc.sources.courses.sides import (
    BOTH_SIDES,
    EXERCISES,
    FolderPair,
    divided,
    marked,
    pair_in,
    without_mark,
    without_pages,
)

_SOLUTIONS = re.compile(
    r"(?i)(?:exercises?-solutions|solutions?|answers|final|finished|completed?|solved)"
)
_UNSOLVED = re.compile(r"(?i)(?:challenges|exercises?|katas|questions)")
"""What nothing else is called, so that solutions may be elsewhere."""
_PATCHES = "patches"
_CONTAINERS = re.compile(
    r"(?i)(?:chapters?|courses?|exercises?|labs?|lessons?|modules?|parts?|sections?|src|steps?|tutorials?|workshops?)"
)
_PROJECT_FOLDERS = frozenset(["app", "bin", "lib", "public", "src", "test", "tests"])
_PAGE = re.compile(r"(?i)(?:readme|instructions?|index|problem|task)\.mdx?")
_TRANSLATION = re.compile(r"(?i)readme[._-](?:[a-z]{2}|[a-z]{2}[-_][a-z]{2,4})\.mdx?")
_ENDING = re.compile(r"(?i)\.mdx?")
_FEWEST = 3
"""Exercises: fewer may stand beside solutions by chance."""
_FEWEST_FOLDERS = 2
_MOST_FOLDERS = 500

_Sides = dict[bool, dict[str, str]]
"""The paths of an exercise by variant, of its problem and (`True`) of its solution."""
_Groups = dict[tuple[str, str], _Sides]
"""By folder and by what the files are called without their sides."""


def plan(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of another tree."""
    return _beside(tree) or _numbered(tree) or _marked(tree) or _single(tree)


def _beside(tree: CourseTree) -> Course | None:
    """Exercises with solutions in the folder next to them, or numbered exercises without."""
    for place in (
        "",
        "src",
        *(joined("src", name) for name in _folders(tree, "src")[:_MOST_FOLDERS]),
    ):
        names = [name for name in tree.names(place) if is_folder(tree, joined(place, name))]
        exercises = next((joined(place, name) for name in names if EXERCISES.fullmatch(name)), "")
        solutions = next((joined(place, name) for name in names if _SOLUTIONS.fullmatch(name)), "")
        if not exercises:
            continue
        units = _units(tree, exercises)
        solved = _units(tree, solutions) if solutions else {}
        both = units.keys() & solved.keys()
        if len(both) < _FEWEST_FOLDERS or len(both) * 2 < len(units):
            numbered = [key for key in units if number_in(key) is not None]
            is_own = _UNSOLVED.fullmatch(exercises.rpartition("/")[2])
            if not is_own or len(numbered) < _FEWEST or len(numbered) * 5 < len(units) * 4:
                continue
        reader = _Beside(tree, exercises, solutions)
        found = reader.exercises(units, solved)
        if not any(step.problem for each in found for step in each.steps):
            continue
        pages = _pages(tree, exercises, "workshop")
        return Course(exercises=found, pages=pages, folders=made_of(found, pages))
    return None


def _units(tree: CourseTree, folder: str) -> dict[str, list[str]]:
    """The entries of a folder of exercises by what they are called without endings, in order. What is called
    as a number and more belongs to the exercise that is called by that number alone."""
    found: dict[str, list[str]] = {}
    names = [name for name in in_order(tree.names(folder)) if not name.startswith(".")]
    folders = {name for name in names if is_folder(tree, joined(folder, name))}
    for name in names:
        if name in folders:
            key = name
        elif "." not in name or _PAGE.fullmatch(name):
            continue
        elif len(folders) >= _FEWEST_FOLDERS and number_in(name) is None:
            continue  # settings of the project that all exercises are
        else:
            mark = marked(name)
            key = mark.key if mark is not None and mark.key else name.split(".")[0].lower()
        found.setdefault(key, []).append(joined(folder, name))
    for key in [key for key in found if not key.isdecimal()]:
        number = re.match(r"\d+", key)
        if number and number[0] in found:
            found[number[0]] += found.pop(key)
    return found


class _Beside:
    """Makes exercises of two folders, of which `solutions` may be ""."""

    def __init__(self, tree: CourseTree, exercises: str, solutions: str) -> None:
        self._tree = tree
        self._from = exercises
        self._to = solutions
        self._patches = {
            each.rpartition("/")[2].split(".")[0]: each
            for each in files_below(tree, _PATCHES, depth=2)
            if each.endswith((".patch", ".diff"))
        }

    def exercises(
        self, units: dict[str, list[str]], solved: dict[str, list[str]]
    ) -> tuple[PlannedExercise, ...]:
        return tuple(
            self._exercise(number, name, units[name], solved.get(name, []))
            for number, name in numbered(units)
        )

    def _exercise(
        self, number: int, name: str, paths: Sequence[str], solved: Sequence[str]
    ) -> PlannedExercise:
        folder = paths[0] if len(paths) == 1 and is_folder(self._tree, paths[0]) else ""
        inner = self._steps_in(folder) if folder else []
        title = title_in(name)
        if not inner:
            step = self._step(1, title, paths, solved)
            return PlannedExercise(name=title, number=number, steps=(step,))
        beside = joined(self._to, folder.rpartition("/")[2]) if self._to else ""
        steps = tuple(
            self._step(
                at,
                title_in(each),
                [joined(folder, each)],
                [joined(beside, each)] if beside and each in self._tree.names(beside) else [],
            )
            for at, each in numbered(inner)
        )
        pages = _pages(self._tree, folder, "exercise")
        stated = "" if pages else title
        return PlannedExercise(title=stated, name=title, number=number, pages=pages, steps=steps)

    def _steps_in(self, folder: str) -> list[str]:
        """The entries of the folder of a topic, each an exercise; none of the folder of one exercise."""
        names = [name for name in in_order(self._tree.names(folder)) if not name.startswith(".")]
        folders = [name for name in names if is_folder(self._tree, joined(folder, name))]
        known = {*folders}
        files = [name for name in names if name not in known and not _ENDING.search(name)]
        if folders and not files and _PROJECT_FOLDERS.isdisjoint(folders) and not pair_in(folders):
            return folders
        stems = [name.split(".")[0] for name in files]
        is_list = len(set(stems)) > 1 and all(stem[-1:].isdecimal() for stem in stems)
        return files if is_list and not folders else []

    def _step(
        self, number: int, title: str, paths: Sequence[str], solved: Sequence[str]
    ) -> PlannedStep:
        pages = [page for path in paths for page in _pages_among(self._tree, path)]
        problem, solution = divided(without_pages(_code(self._tree, paths), pages))
        beside = _code(self._tree, solved)
        solution = _as_in(problem, beside) if beside else solution
        stem = paths[0].rpartition("/")[2].split(".")[0]
        return PlannedStep(
            name=title,
            number=number,
            pages=pages_of("problem-instructions", pages),
            problem=problem,
            solution=without_pages(solution, pages),
            problem_dir=paths[0],
            solution_dir=solved[0] if solved else "",
            patch=self._patches.get(stem, ""),
        )


def _as_in(problem: dict[str, str], solution: dict[str, str]) -> dict[str, str]:
    """The files of a solution, called as the problem calls them where each side has one file."""
    code = [name for name in problem if not _ENDING.search(name)]
    if len(code) == 1 and len(solution) == 1 and code[0] not in solution:
        return {code[0]: next(iter(solution.values()))}
    return solution


def _code(tree: CourseTree, paths: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        if is_folder(tree, path):
            names = by_name(path, files_below(tree, path)).items()
            found |= {name: each for name, each in names if not _TRANSLATION.fullmatch(name)}
        else:
            found[path.rpartition("/")[2]] = path
    return found


def _pages_among(tree: CourseTree, path: str) -> Iterator[str]:
    """The pages that say what is to be done: of a folder those at its top, of a file itself."""
    if is_folder(tree, path):
        yield from matching(tree, path, _PAGE)
    elif _ENDING.search(path):
        yield path


def _pages(tree: CourseTree, folder: str, scope: str) -> tuple[PlannedPage, ...]:
    return pages_of(f"{scope}-instructions", matching(tree, folder, _PAGE))


def _numbered(tree: CourseTree) -> Course | None:
    """Numbered folders, most of which hold a start and a finish, or numbered folders that do."""
    for name in ("", *filter(_CONTAINERS.fullmatch, tree.names(""))):
        folders = [
            each
            for each in in_order(tree.names(name))[:_MOST_FOLDERS]
            if number_in(each) is not None and is_folder(tree, joined(name, each))
        ]
        if len(folders) < _FEWEST_FOLDERS:
            continue
        found = [_exercise(tree, joined(name, each), number) for number, each in numbered(folders)]
        taught = [each for each in found if each.steps]
        if len(taught) >= _FEWEST_FOLDERS and len(taught) * 2 >= len(folders):
            pages = _pages(tree, name, "workshop") if name else ()
            return Course(exercises=tuple(found), pages=pages, folders=made_of(found, pages))
    return None


def _exercise(tree: CourseTree, folder: str, number: int) -> PlannedExercise:
    """The exercise in a numbered folder, without steps where nothing there has two sides."""
    title = title_in(folder)
    if pair := pair_in(_folders(tree, folder)):
        step = _of_pair(tree, folder, pair, title, 1)
        return PlannedExercise(name=title, number=number, steps=(step,))
    inner = [each for each in in_order(_folders(tree, folder)) if number_in(each) is not None]
    steps = tuple(
        _of_pair(tree, joined(folder, each), pair, title_in(each), at)
        for at, each in numbered(inner)
        if (pair := pair_in(_folders(tree, joined(folder, each))))
    )
    pages = _pages(tree, folder, "exercise")
    return PlannedExercise(name=title, number=number, pages=pages, steps=steps)


def _folders(tree: CourseTree, folder: str) -> list[str]:
    return [name for name in tree.names(folder) if is_folder(tree, joined(folder, name))]


def _of_pair(
    tree: CourseTree, folder: str, pair: FolderPair, title: str, number: int
) -> PlannedStep:
    start, finish = (joined(folder, name) for name in pair)
    own = list(_pages_among(tree, folder)) if folder else []
    inside = [*own, *_pages_among(tree, start)]
    solved = list(_pages_among(tree, finish))
    pages = pages_of("problem-instructions", inside) + pages_of("solution-instructions", solved)
    return PlannedStep(
        name=title,
        number=number,
        pages=pages,
        problem=without_pages(by_name(start, files_below(tree, start)), inside),
        solution=without_pages(by_name(finish, files_below(tree, finish)), solved),
        problem_dir=start,
        solution_dir=finish,
    )


def _marked(tree: CourseTree) -> Course | None:
    """Files whose names say their side, in numbered folders or with numbers: `01-sum.problem.ts`."""
    groups: _Groups = {}
    for folder in _marked_places(tree):
        for name in in_order(tree.names(folder)):
            if (mark := marked(name)) and _counts(folder, mark.key, name):
                sides = groups.setdefault((folder, mark.key), {False: {}, True: {}})
                sides[mark.is_solution].setdefault(mark.variant, joined(folder, name))
    posed = {place: sides for place, sides in groups.items() if sides[False]}
    also = [path for sides in _also_solved(groups, posed) for path in sides[True].values()]
    both = [place for place, sides in posed.items() if sides[True]]
    if len(both) < _FEWEST or len(both) * 2 < len(posed):
        return None
    folders = list(dict.fromkeys(folder for folder, _ in posed))
    tops = in_order(dict.fromkeys(_top(folder) for folder in folders))
    if len(tops) == 1:  # each file is an exercise
        names = [key or folder.rpartition("/")[2] for folder, key in posed]
        exercises = tuple(
            PlannedExercise(name=title_in(name), number=number, steps=(_of_files(sides, name, 1),))
            for (number, name), sides in zip(numbered(names), posed.values(), strict=True)
        )
        taken = (path for each in exercises for step in each.steps for path in step.files)
        return Course(exercises=exercises, folders=tuple(dict.fromkeys([*taken, *also])))
    by_top: dict[str, list[tuple[tuple[str, str], _Sides]]] = {}
    for place, sides in posed.items():
        by_top.setdefault(_top(place[0]), []).append((place, sides))
    found = []
    for number, top in numbered(tops):
        steps = tuple(
            _of_files(sides, key or folder.rpartition("/")[2], at)
            for at, ((folder, key), sides) in enumerate(by_top[top], 1)
        )
        pages = _pages(tree, top, "exercise")
        found.append(PlannedExercise(name=title_in(top), number=number, pages=pages, steps=steps))
    own = dict.fromkeys([*made_of(found), *also])
    return Course(exercises=tuple(found), folders=tuple(own))


def _also_solved(groups: _Groups, posed: _Groups) -> Iterator[_Sides]:
    """The sides of each exercise, and files with both sides in one that belong to the only exercise of their
    folder, whatever else they are called: `exercises_with_solutions_and_code`."""
    yield from posed.values()
    in_folder = Counter(folder for folder, _ in posed)
    for (folder, _), sides in groups.items():
        if not sides[False] and sides[True].keys() == {BOTH_SIDES} and in_folder[folder] == 1:
            yield sides


def _marked_places(tree: CourseTree) -> Iterator[str]:
    """Folders in which such files are looked for: few at the top, and those below that have numbers."""
    level = ["", *filter(_CONTAINERS.fullmatch, tree.names(""))]
    if "notebooks" in tree.names(""):
        level.append("notebooks")
    seen = 0
    for depth in range(3):
        yield from level
        below = [
            joined(folder, name)
            for folder in level
            for name in in_order(tree.names(folder))
            if not name.startswith(".")
            and (number_in(name) is not None or (depth and number_in(_top(folder)) is not None))
        ]
        seen += len(below)
        level = [each for each in below if is_folder(tree, each)] if seen < _MOST_FOLDERS else []


def _top(folder: str) -> str:
    """The first numbered folder of a path, with what is above it; the whole path without one."""
    parts = folder.split("/")
    at = next((at for at, part in enumerate(parts) if number_in(part) is not None), len(parts))
    return "/".join(parts[: at + 1])


def _counts(folder: str, key: str, name: str) -> bool:
    """Whether a file is numbered, or in a numbered folder, or a notebook: else its name tells nothing."""
    is_numbered = number_in(key) is not None or number_in(_top(folder)) is not None
    return is_numbered or name.endswith(".ipynb")


def _of_files(sides: _Sides, name: str, number: int) -> PlannedStep:
    path = next(iter(sides[False].values()))
    own = without_mark(path.rpartition("/")[2])
    own = own if own.split(".")[0] else path.rpartition("/")[2]
    solved = dict(sides[True])
    if len(solved) > 1:
        solved.pop(BOTH_SIDES, None)  # what has both sides says nothing more
    solution = {
        own if at == 0 else each.rpartition("/")[2]: each for at, each in enumerate(solved.values())
    }
    return PlannedStep(
        name=title_in(name),
        number=number,
        problem={own: path},
        solution=solution,
        problem_dir=path,
        solution_dir=next(iter(solved.values()), ""),
    )


def _single(tree: CourseTree) -> Course | None:
    """One exercise at the top: a page beside what it begins with and what it leads to."""
    pair = pair_in(_folders(tree, ""), at_top=True)
    page = next((name for name in tree.names("") if name.lower().startswith("readme.")), "")
    if pair is None or not page:
        return None
    step = _of_pair(tree, "", pair, "", 1)
    if not step.problem or not step.solution:
        return None
    exercise = PlannedExercise(
        number=1, pages=pages_of("exercise-instructions", [page]), steps=(step,)
    )
    return Course(exercises=(exercise,), folders=tuple(pair))
