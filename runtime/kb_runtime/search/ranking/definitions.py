"""Which candidates define the names that a query has, and what they gain by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.search.ranking import steps

if TYPE_CHECKING:
    from kb_runtime.search.query import Query
    from kb_runtime.search.ranking.facts import ChunkNames
    from kb_runtime.text.members import MemberPath


class Asked(NamedTuple):
    """The names in a query that something defines: those that are spelled as names, words that are spelled
    as types may be, and members."""

    names: frozenset[str]
    types: frozenset[str]
    members: Sequence[MemberPath]


class Defining(NamedTuple):
    """The bonus of each candidate, [candidates]; the places of those that pass a name on where nothing
    defines it, which the query so asks for; and of those that define or pass on what the query is."""

    bonus: Sequence[float]
    passing: frozenset[int]
    named: list[int]


def possible_names(query: Query) -> set[str]:
    """The words of a query that may be names of definitions, as typed."""
    return {*query.identifiers, *(term.typed for term in query.terms if len(query.terms) == 1)}


def asked(query: Query, names_something: Callable[[str], bool]) -> Asked:
    """What a query names; `names_something` says whether anything has a name."""
    names = possible_names(query)
    # `Rack::Builder` and `json.dumps` ask for their last part.
    names |= {name.replace("::", ".").rpartition(".")[2] for name in names}
    types = {term.typed for term in query.terms if _is_like_type(term.typed)} - names
    members = [name for name in query.mentions if names_something(name[-1])]
    return Asked(
        frozenset(filter(names_something, names)),
        frozenset(filter(names_something, types)),
        members,
    )


def _is_like_type(word: str) -> bool:
    """Whether a word of a question is spelled as a type of one word is: `Router`. It may just as well begin a
    sentence, so that only what is spelled alike counts."""
    return word[:1].isupper() and word[1:].islower()


def defining(query: Query, found: Asked, candidates: Sequence[ChunkNames]) -> Defining:
    """What the candidates, of which there is at least one, define of the names `found` in the query."""
    # Who says nothing but the name of a type wants to see the type.
    addition = 0.0 if len(query.terms) == 1 else steps.INSIDE
    bonus = _of_definitions(found.names, candidates, addition, in_any_case=True)
    for name in found.members:
        for at, one in enumerate(candidates):
            if (match := one.match(name)) is not None:
                bonus[at] = max(bonus[at], steps.member_bonus(match))
    passing: frozenset[int] = frozenset()
    if max(bonus) < steps.DEFINITION * steps.OTHER_CASE:  # defined elsewhere, if at all
        passing = frozenset(at for at, one in enumerate(candidates) if found.names & {*one.exports})
        for at in passing:
            bonus[at] = steps.RE_EXPORT
    if found.types:
        of_types = _of_definitions(found.types, candidates, addition, in_any_case=False)
        bonus = [*map(max, bonus, of_types)]
    named = [at for at, each in enumerate(bonus) if query.is_name and each >= steps.DEFINITION]
    return Defining(bonus, passing, named)


def _of_definitions(
    names: Set[str], candidates: Sequence[ChunkNames], addition: float, *, in_any_case: bool
) -> list[float]:
    folded = {name.lower() for name in names}
    also = folded if in_any_case else frozenset[str]()
    bonus = [
        steps.definition_bonus(names, also, one.names, one.folded, one.symbol) for one in candidates
    ]
    own = [(one.folded, one.added_to) for one in candidates]
    return steps.without_additions(bonus, folded, own, addition)
