"""Errors that a person or a client reads: each has a kind, one sentence, and what to do next."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class UsageError(Exception):
    """A command line that cannot be understood or followed; the text is one sentence."""


class ArtifactError(Exception):
    """An artifact that cannot be opened. `code` is stable; the text is one sentence plus a hint.

    Codes: `missing`, `not-an-artifact`, `newer-format`, `older-format`, `truncated`, `altered`,
    `unreadable`, `unsigned`, `bad-signature`.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    @property
    def is_newer(self) -> bool:
        """Whether the artifact is sound as far as this runtime can tell, and too new for it."""
        return self.code == "newer-format"


class ToolError(Exception):
    """A tool call that fails in a way its caller can mend.

    `kind` is one of `BAD_INPUT`, `NOT_FOUND`, `NO_MATCH`, `UNAVAILABLE`, `READ_ONLY`, `INTERNAL`.
    `message` is one line that quotes the offending value; `next_steps` become `Next:` bullets;
    `suggestions` are names that exist. `details` is added to the structured error.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        suggestions: Sequence[str] = (),
        next_steps: Sequence[str] = (),
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.suggestions = tuple(suggestions)
        self.next_steps = tuple(next_steps)
        self.details = details or {}


class ProtocolError(Exception):
    """A JSON-RPC error answer: `code` and `message` go on the wire, `data` where it has a value."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
