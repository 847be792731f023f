"""A workshop: exercises in numbered folders, whose steps are a problem and its solution."""

from __future__ import annotations

from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import COLLECTION_NAME, RESERVED_COLLECTIONS
from kbc.project.model import Collection
from kbc.recognition.site import joined
from kbc.sources.workshop_tree import EXERCISE_FOLDER, EXERCISES, STEP_FOLDER


def workshop_at(tree: IncludeTree, name: str) -> Collection | None:
    """The workshop that the root of `tree` is, called `name`; None where no exercise has a step."""
    for exercise in filter(EXERCISE_FOLDER.fullmatch, tree.names(EXERCISES)):
        if any(map(STEP_FOLDER.fullmatch, tree.names(joined(EXERCISES, exercise)))):
            is_usable = COLLECTION_NAME.fullmatch(name) and name not in RESERVED_COLLECTIONS
            own = name if is_usable else "workshop"
            return Collection(name=own, kind="workshops", paths=(".",))
    return None
