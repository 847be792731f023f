"""Declares a tool once, as a value from which schemas, checks and documentation derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from kb_runtime.errors import ToolError
    from kb_runtime.text.json_types import JsonType
    from kb_runtime.tools.session import Session


class Argument(NamedTuple):
    """One argument of a tool.

    Numbers outside `minimum`..`maximum` are clamped or rejected as `out_of_range` says; with `clamp
    above` those below the minimum are rejected, because they make no sense. Strings are
    trimmed; `max_length` counts code points after trimming. `choices` is closed (another value is
    BAD_INPUT) unless `choices_from` names a summary that only the compiler knows (`builtin_categories`):
    then the compiler writes the enum, and the tool itself judges the value, synonyms included.
    `refusals` are the words of a contract for values that are refused, by rule: `missing`, `type`,
    `length` or `range`. In them `{value}` is the value as quoted and `{length}` its code points.
    """

    name: str
    type: JsonType
    description: str
    required: bool = False
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    out_of_range: Literal["clamp", "clamp above", "reject"] = "clamp"
    max_length: int | None = None
    choices: tuple[str, ...] = ()
    choices_from: str = ""
    refusals: Mapping[str, str] = MappingProxyType({})


OWN_LIMIT = "maxChars"
"""The argument of tools whose contract has a limit of its own."""


Structured = TypeVar("Structured", covariant=True)
Run = TypeVar("Run", bound=Callable[..., Any])


class Answer(NamedTuple, Generic[Structured]):
    """What a tool returns: one text, and structured content that stands alone, None for text only. `fits`
    says that neither is longer than the session admits, where that is known."""

    text: str
    structured: Structured
    fits: bool = False


class Tool(NamedTuple):
    """A tool. `name` may hold `{prefix}`, which the knowledge base's prefix replaces.

    `needs` lists collection kinds: the tool is offered when the artifact has at least one of them
    (no kinds: always). `run` gets checked arguments: every declared name is present, with its default
    where omitted. The type that it returns declares the fields of the answer (see `tools.fields`).
    `on_error` renders a failure as the tool's family does (None: as `answers.error_text`); it may
    raise `ProtocolError` where clients of the family expect a protocol error. Answers of a `correlated` tool
    always carry a correlation id; those of others when the client gave one. `title` is a name for people,
    where the family has them. `setting_texts` gives what stands for further placeholders in the
    descriptions of its arguments, by the knowledge base's settings of tools (`tools` in its manifest).
    `prefixed` is the name with a prefix where that is not `{prefix}_` and `name`, and `repeats` is how
    often its contract wants the same list in the structure.
    """

    name: str
    family: str
    description: str
    run: Callable[[Session, dict[str, Any]], Answer[Any]]
    arguments: tuple[Argument, ...] = ()
    needs: tuple[str, ...] = ()
    idempotent: bool = True
    on_error: Callable[[ToolError], Answer[Any]] | None = None
    title: str = ""
    correlated: bool = False
    setting_texts: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    prefixed: str = ""
    repeats: int = 1

    @property
    def has_own_limit(self) -> bool:
        """Whether the tool keeps to a limit of its contract instead of that of the session."""
        return any(argument.name == OWN_LIMIT for argument in self.arguments)

    @property
    def gives_parts(self) -> bool:
        """Whether a text that is too long for an answer goes on with a cursor."""
        return any(argument.name == "cursor" for argument in self.arguments)

    def wire_name(self, prefix: str, settings: Mapping[str, Any]) -> str:
        """What clients call the tool. Only with the setting `prefix` does one whose contract fixes its
        name begin with the prefix as well."""
        name = self.name
        if settings.get("prefix") and "{prefix}" not in name:
            name = self.prefixed or "{prefix}_" + name
        return name.format(prefix=prefix)

    def with_settings(self, prefix: str, settings: Mapping[str, Any]) -> Tool:
        """The tool with its arguments' descriptions as the knowledge base has them."""
        words = {"prefix": prefix, **(self.setting_texts(settings) if self.setting_texts else {})}
        arguments = (
            argument._replace(description=argument.description.format_map(words))
            for argument in self.arguments
        )
        return self._replace(arguments=tuple(arguments))


class Tools(list[Tool]):
    """The tools of a module. `@TOOLS.tool(description, *arguments)` above a function adds it, under its own
    name and with what all of them share."""

    def __init__(self, prefix: str = "", *, titled: bool = False, **shared: Any) -> None:
        """`prefix` begins the names; `titled` gives each its name in words as a title; `shared` are fields of
        `Tool`."""
        super().__init__()
        self._prefix = prefix
        self._titled = titled
        self._shared = shared

    def tool(self, description: str, *arguments: Argument, **own: Any) -> Callable[[Run], Run]:
        def added(run: Run) -> Run:
            name = own.pop("name", self._prefix + run.__name__)
            title = name.replace("_", " ").title() if self._titled else ""
            fields = {**self._shared, **own, "title": title, "arguments": arguments}
            self.append(Tool(name, description=description, run=run, **fields))
            return run

        return added
