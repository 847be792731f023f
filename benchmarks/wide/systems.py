"""The configurations that the wide bench compares, and how one is written on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.wide.engine import System

BASELINE = "final"
PLAIN: Mapping[str, Any] = {"ranking": ()}
"""Fusion alone, without the steps of ranking by structure."""

SYSTEMS: Mapping[str, System] = {
    BASELINE: System(),
    "words": System({"mode": "lexical"}),
    "meaning": System({"mode": "semantic"}),
    "rrf": System({"fusion": "rrf", **PLAIN}),
    "balanced": System(PLAIN),
    "minmax": System({"alpha": 0.5, **PLAIN}),
    "minmax-500": System({"alpha": 0.5, **PLAIN}, {"candidates": 500}),
    "final-rrf": System({"fusion": "rrf"}),
    "final-minmax": System({"alpha": 0.5}),
    "final-minmax-500": System({"alpha": 0.5}, {"candidates": 500}),
    "final-500": System({}, {"candidates": 500}),
    "rerank": System({"rerank": True}),
}
DEFAULT = (
    BASELINE,
    "words",
    "meaning",
    "rrf",
    "minmax",
    "minmax-500",
    "final-minmax",
    "final-minmax-500",
)


class UnknownSystemError(ValueError):
    """A configuration that cannot be read; one sentence says what is wrong."""


def parse(text: str) -> tuple[str, System]:
    """A known name, or `NAME: key=value ...`.

    Keys: `alpha`, `fusion`, `mode`, `candidates`, `rrf_k`; `ranking=none` or a list of steps with +;
    `without=STEP+STEP`; `boost.FIELD=x`; `weight.COLLECTION=x`. Raises `ValueError`.
    """
    name, colon, rest = text.partition(":")
    name = name.strip()
    if not colon:
        if name not in SYSTEMS:
            raise UnknownSystemError(
                f"no system is called {name!r}; there are {', '.join(SYSTEMS)}, and"
                " 'NAME: key=value ...' is another one"
            )
        return name, SYSTEMS[name]
    request: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for item in rest.split():
        key, equals, value = item.partition("=")
        if not equals:
            raise UnknownSystemError(f"{item!r} of the system {name!r} is not key=value")
        _read(key, value, request, settings, name)
    return name, System(request, settings)


def _read(
    key: str, value: str, request: dict[str, Any], settings: dict[str, Any], name: str
) -> None:
    group, dot, member = key.partition(".")
    if dot and group in ("boost", "weight"):
        settings.setdefault(f"{group}s", {})[member] = float(value)
    elif key == "alpha":
        request[key] = float(value)
    elif key in ("fusion", "mode"):
        request[key] = value
    elif key in ("candidates", "rrf_k"):
        settings[key] = int(value)
    elif key == "ranking":
        request[key] = () if value == "none" else tuple(value.split("+"))
    elif key == "without":
        settings["ranking"] = dict.fromkeys(value.split("+"), False)
    else:
        raise UnknownSystemError(
            f"{key!r} of the system {name!r} is no setting that can be changed"
        )
