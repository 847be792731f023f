"""Replays a trace of a specification against an implementation and finds the first divergence.

An adapter tells the driver about the implementation. It is made anew for each trace:

    actions     a dictionary: name of an action in the specification -> function of the picks
    observe()   the implementation's state as a dictionary: variable of the specification -> value

Variables that `observe` does not return are not compared, such as history variables.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from itf import FrozenMap, State, Trace, Variant, freeze

Action = Callable[[Mapping[str, Any]], object]
MISSING = "nothing"


class Adapter(Protocol):
    actions: dict[str, Action]

    def observe(self) -> Mapping[str, Any]: ...


class ReplayError(Exception):
    """The trace and the adapter do not fit together: this is no finding about the implementation."""


@dataclass(frozen=True)
class Difference:
    path: str  # such as `seats[1]` or `person.name`
    expected: Any
    actual: Any

    def __str__(self) -> str:
        return f"{self.path}: the specification has {self.expected!r}, the implementation {self.actual!r}"


@dataclass(frozen=True)
class Divergence:
    """The first state that the implementation did not reach, or the step that it refused."""

    state: State
    differences: tuple[Difference, ...] = ()
    error: Exception | None = None

    def __str__(self) -> str:
        picks = ", ".join(f"{name}={value!r}" for name, value in sorted(self.state.picks.items()))
        lines = [f"state {self.state.index}, after {self.state.action}({picks}):"]
        if self.error is not None:
            lines.append(f"  the implementation raised {self.error!r}")
        lines += [f"  {difference}" for difference in self.differences]
        return "\n".join(lines)


def replay(trace: Trace, make_adapter: Callable[[], Adapter]) -> Divergence | None:
    """Performs each action of the trace and compares after each; None when all states agree.

    Raises `ReplayError` for a trace without actions, for an action that the adapter does not know
    (so that an action added to the specification cannot be forgotten), and for an observed variable
    that the trace does not have.
    """
    adapter = make_adapter()
    for state in trace.states:
        if state.index > 0:
            action = adapter.actions.get(state.action)
            if action is None:
                raise ReplayError(_unknown(state))
            try:
                action(state.picks)
            except Exception as error:  # whatever it is, the specification allows this step
                return Divergence(state, error=error)
        observed = freeze(adapter.observe())
        if unknown := observed.keys() - state.variables.keys():
            raise ReplayError(f"the trace has no variable {min(unknown)!r}")
        wanted = FrozenMap({name: state.variables[name] for name in observed})
        if found := tuple(differences(wanted, observed)):
            return Divergence(state, found)
    return None


def _unknown(state: State) -> str:
    if state.action:
        return f"state {state.index}: the adapter has no action {state.action!r}"
    return (
        f"state {state.index} names no action: run Quint with --mbt, and make each alternative of"
        " `any` a call of a named action"
    )


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[Difference]:
    """Where two frozen values differ, as deep inside as possible."""
    if isinstance(expected, FrozenMap) and isinstance(actual, FrozenMap):
        for key in sorted({*expected, *actual}, key=repr):
            inner = _inner(path, key)
            if key not in expected or key not in actual:
                yield Difference(inner, expected.get(key, MISSING), actual.get(key, MISSING))
            else:
                yield from differences(expected[key], actual[key], inner)
    elif isinstance(expected, tuple) and isinstance(actual, tuple) and len(expected) == len(actual):
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            yield from differences(left, right, f"{path}[{index}]")
    elif isinstance(expected, Variant) and isinstance(actual, Variant):
        if expected.tag != actual.tag:
            yield Difference(path, expected, actual)
        else:
            yield from differences(expected.value, actual.value, f"{path}.{expected.tag}")
    elif type(expected) is not type(actual) or expected != actual:  # in Python, True == 1
        yield Difference(path, expected, actual)


def _inner(path: str, key: Any) -> str:
    if not path:
        return str(key)
    return f"{path}.{key}" if isinstance(key, str) and key.isidentifier() else f"{path}[{key!r}]"
