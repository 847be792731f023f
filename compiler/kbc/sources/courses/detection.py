"""Tells the layout of a course by what its root holds."""

from __future__ import annotations

from kbc.sources.courses import (
    academy,
    exercism,
    graded,
    hexlet,
    lessons,
    listed,
    paired,
    solved,
)
from kbc.sources.courses.plan import Course, CourseTree

_LAYOUTS = (exercism, academy, hexlet, listed, graded, lessons, paired, solved)


def course_at(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of a tree that is no course."""
    return next(filter(None, (layout.plan(tree) for layout in _LAYOUTS)), None)
