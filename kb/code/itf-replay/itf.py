"""Reads traces in the Informal Trace Format (ITF), the JSON that `quint run --out-itf` writes.

    trace = load("trace.itf.json")
    trace.states[0].variables["balances"]     # FrozenMap({'ann': 3})
    trace.states[1].action                    # 'deposit', with --mbt

Every value is immutable and hashable, because Quint has sets of records and maps with sets as keys:

    int             int, of any size          List[a], tuples   tuple
    bool, str       bool, str                 Set[a]            frozenset
    a -> b          FrozenMap                 records           FrozenMap by field name
    variants        Variant                   unit, `()`        the empty tuple
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ACTION = "mbt::actionTaken"
PICKS = "mbt::nondetPicks"
INTEGER = re.compile(r"-?[0-9]+")


class ItfError(Exception):
    """The file is no trace; the message says where."""


class FrozenMap(Mapping[Any, Any]):
    """A mapping that can be in a set. It equals any mapping with the same entries."""

    def __init__(self, entries: Any = ()) -> None:
        self._entries = dict(entries)
        self._hash = hash(frozenset(self._entries.items()))

    def __getitem__(self, key: Any) -> Any:
        return self._entries[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"FrozenMap({self._entries!r})"


@dataclass(frozen=True)
class Variant:
    """A value of a sum type: `Held("ann")`, or `Free` with the empty tuple for its value."""

    tag: str
    value: Any = ()

    def __repr__(self) -> str:
        return self.tag if self.value == () else f"{self.tag}({self.value!r})"


@dataclass(frozen=True)
class State:
    """A state of a trace. `action` and `picks` say how it was reached, "" and {} without --mbt.

    `picks` holds the values that `nondet` drew for this step, also those that the action did not use.
    """

    index: int
    variables: Mapping[str, Any]
    action: str = ""
    picks: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trace:
    states: tuple[State, ...]
    status: str = ""  # "ok", or "violation" of an invariant in the last state


def load(path: str | Path) -> Trace:
    """The trace in a file. Raises `ItfError` for anything that is not one, `OSError` as usual."""
    try:
        document = json.loads(Path(path).read_text("utf-8"))
    except ValueError as error:
        raise ItfError(f"{path}: not JSON: {error}") from error
    try:
        return trace_of(document)
    except ItfError as error:
        raise ItfError(f"{path}: {error}") from error


def trace_of(document: Any) -> Trace:
    """The trace in parsed JSON."""
    if not isinstance(document, dict) or not isinstance(document.get("states"), list):
        raise ItfError("not a trace: no list of states")
    states = tuple(_state(index, raw) for index, raw in enumerate(document["states"]))
    return Trace(states, document.get("#meta", {}).get("status", ""))


def _state(index: int, raw: Any) -> State:
    if not isinstance(raw, dict):
        raise ItfError(f"state {index} is no object")
    try:
        values = {name: decode(value) for name, value in raw.items() if name != "#meta"}
    except ItfError as error:
        raise ItfError(f"state {index}: {error}") from error
    action = values.pop(ACTION, "")
    picks = values.pop(PICKS, {})
    drawn = {
        name: pick.value
        for name, pick in picks.items()
        if isinstance(pick, Variant) and pick.tag == "Some"
    }
    return State(index, FrozenMap(values), action, FrozenMap(drawn))


def decode(value: Any) -> Any:
    """A value of Quint from its JSON.

    A record whose fields are exactly `tag`, a string, and `value` looks like a variant in ITF, and
    comes out as one.
    """
    if isinstance(value, bool | str | int):
        return value
    if isinstance(value, list):
        return tuple(map(decode, value))
    if not isinstance(value, dict):
        raise ItfError(f"no value of Quint: {value!r}")
    match value:
        case {"#bigint": str(digits)} if INTEGER.fullmatch(digits):
            return int(digits)
        case {"#tup": list(items)}:
            return tuple(map(decode, items))
        case {"#set": list(items)}:
            return frozenset(map(decode, items))
        case {"#map": list(pairs)} if all(isinstance(p, list) and len(p) == 2 for p in pairs):
            return FrozenMap((decode(key), decode(item)) for key, item in pairs)
        case {"tag": "UNIT", **others} if not others:  # how Apalache writes the empty tuple
            return ()
        case {"tag": str(tag), "value": inner, **others} if not others:
            return Variant(tag, decode(inner))
    for name in value:
        if name.startswith("#"):  # "#unserializable", or something newer than this reader
            raise ItfError(f"cannot be read: {json.dumps(value)[:80]}")
    return FrozenMap({name: decode(item) for name, item in value.items()})


def freeze(value: Any) -> Any:
    """What `decode` would have made of an implementation's value: lists, sets and dictionaries
    become immutable, at any depth. Give this what you want to compare with a trace."""
    if isinstance(value, Variant):
        return Variant(value.tag, freeze(value.value))
    if isinstance(value, Mapping):
        return FrozenMap((freeze(key), freeze(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(freeze, value))
    if isinstance(value, set | frozenset):
        return frozenset(map(freeze, value))
    return value
