"""Macros of the documentation of Micronaut and Grails: classes of examples, and what a build depends on.

`snippet::pkg.Class[tags="x"]` shows a class of the example projects in each language that has it,
`dependency:name[groupId="g", scope="s"]` how a build names a library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbc.formats.asciidoc.attributes import Attributes

DEPENDENCY = re.compile(r"dependency:{1,2}(?P<name>[\w.:-]+)\[(?P<inside>.*)\]")
CLASS = re.compile(r"[a-z_][\w$]*(?:\.[\w$]+)+")

ENDINGS = {"java": "java", "kotlin": "kt", "groovy": "groovy", "xml": "xml"}
"""Of files, by their language."""

_SUFFIXES = {
    "java": ("", "-java"),
    "groovy": ("-groovy", ""),
    "kotlin": ("-kotlin", "-kotlin-ksp", ""),
}
"""Of the names of the projects with examples in a language."""

_PROJECT = "test-suite"
_SOURCE_SETS = ("test", "main")


def places(target: str, given: Attributes) -> Iterator[tuple[str, list[str]]]:
    """For each language the paths at which the class `target` may be, from the root of the repository."""
    project = given.get("project-base") or given.get("project") or _PROJECT
    stated = given.get("source")
    sets = (stated,) if stated else _SOURCE_SETS
    name = target.replace(".", "/")
    for language, suffixes in _SUFFIXES.items():
        roots = [f"{project}{suffix}/src/{each}" for suffix in suffixes for each in sets]
        yield language, [f"{root}/{language}/{name}.{ENDINGS[language]}" for root in roots]


def coordinates(name: str, given: Attributes) -> str:
    """`group:name:version (scope)`, as far as they are stated."""
    parts = (given.get("groupId"), name, given.get("version"))
    scope = given.get("scope") or given.get("gradleScope")
    shown = f"`{':'.join(part for part in parts if part)}`"
    return f"{shown} ({scope})" if scope else shown
