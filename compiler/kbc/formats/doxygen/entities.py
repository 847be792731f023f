"""What headers declare: classes, functions, macros and groups, each with its comment."""

from __future__ import annotations

from dataclasses import dataclass, field

CLASSES = frozenset(["class", "struct", "union"])


@dataclass(slots=True)
class Entity:
    """`name` is qualified (`lake::Boat::row`); `signature` is the declaration on one line. `comment` is the
    text of its comment without its marks, "" without one. `parameters` are those that a function or macro
    has, as written; None of others. `notes` are comments beside parameters, by the names of these. `access`
    is that within a class, `groups` are the ids of those it is in, `block` is the
    number of the unnamed one (`@{`) in its file, 0 outside of such."""

    kind: str
    name: str
    signature: str = ""
    comment: str = ""
    parameters: tuple[str, ...] | None = None
    notes: dict[str, str] = field(default_factory=dict)
    access: str = "public"
    groups: tuple[str, ...] = ()
    block: int = 0

    @property
    def owner(self) -> str:
        """The name of the class or namespace that it is in; "" at the top."""
        return self.name.rpartition("::")[0]

    @property
    def short_name(self) -> str:
        return self.name.rpartition("::")[2]


@dataclass(slots=True)
class HeaderFile:
    """The entities of a file in their order, the comment about the file itself, and comments that name what
    they describe instead of standing before it, by kind and name."""

    entities: list[Entity] = field(default_factory=list)
    comment: str = ""
    elsewhere: list[tuple[str, str, str]] = field(default_factory=list)
