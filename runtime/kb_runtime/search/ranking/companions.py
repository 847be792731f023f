"""Which files of a source tree are about another one: tests, and headers of what is implemented elsewhere.

They are known by their names: `shed_test.go` is about `shed.go`, `ShedTest.java` about `Shed.java`, `shed.h`
about `shed.cc`. What a query has in common with them speaks for the file that they are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from kb_runtime.text.tests import name_of_tested

Role = Literal["source", "header", "test"]

_PAGES = frozenset(
    {"adoc", "htm", "html", "markdown", "md", "mdx", "org", "rst", "tex", "text", "txt"}
)
_SEPARATORS = re.compile(r"[_-]+")
_HEADERS = frozenset({"h", "hh", "hpp", "hxx"})
# Endings of one language, each under one of them.
_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "m", "mm", *_HEADERS), "c"),
    **dict.fromkeys(("cjs", "cts", "js", "jsx", "mjs", "mts", "tsx"), "ts"),
    **dict.fromkeys(("bash", "bats"), "sh"),
    "exs": "ex",
}


class Subject(NamedTuple):
    """What a file is about: a name within a family of languages, and how it is about it. `folders` are those
    that it lies in."""

    family: str
    name: str
    role: Role
    folders: frozenset[str]


def subject_of(path: str, *, is_test: bool) -> Subject | None:
    """What the path of a file says that it is about; None for pages, and for a name without an ending."""
    *folders, file = path.split("/")
    stem, _, ending = file.rpartition(".")
    if not stem or ending in _PAGES:
        return None
    role: Role = "source"
    if is_test:
        stem, role = name_of_tested(stem), "test"
    elif ending in _HEADERS:
        role = "header"
    name = _SEPARATORS.sub("", stem).lower()
    return Subject(_FAMILIES.get(ending, ending), name, role, frozenset(folders))


def companions(subjects: Sequence[Subject | None]) -> Iterator[tuple[int, int]]:
    """The places of files among `subjects`, each with the place of the one that it is about: of several that
    are called so, the one whose folders differ least. A test of what has only a header is about that."""
    named: dict[tuple[str, str, Role], list[tuple[int, Subject]]] = {}
    for at, one in enumerate(subjects):
        if one is not None and one.name:
            named.setdefault((one.family, one.name, one.role), []).append((at, one))
    for (family, name, role), files in named.items():
        if role == "source":
            continue
        found = named.get((family, name, "source"))
        if not found and role == "test":
            found = named.get((family, name, "header"))
        if found:
            for at, one in files:
                yield at, min(found, key=lambda other: len(one.folders ^ other[1].folders))[0]
