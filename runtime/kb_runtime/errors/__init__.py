"""The errors that a person, a program or a client reads: `KbcError` and its children.

Imports nothing but its own `exit_codes`: a server reads this before its first answer.
"""

from __future__ import annotations

from kb_runtime.errors import exit_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class KbcError(Exception):
    """An expected failure, and the root of every other one.

    `code` is a stable name for programs. `message` is one sentence that quotes the offending value, and
    `hint` says what to do ("" where there is nothing to add). `exit_code` is what a command line ends
    with, one of `exit_codes`; a child gives its own as a class attribute.
    """

    code: str = "internal"
    exit_code: int = exit_codes.INTERNAL

    def __init__(
        self, code: str, message: str, hint: str = "", exit_code: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code


class SingleCodeError(KbcError):
    """An error whose class has one `code`, which its subclasses set."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(self.code, message, hint)


class UsageError(SingleCodeError):
    """A command line, an option or an environment variable that cannot be understood or followed."""

    code = "usage"
    exit_code = exit_codes.USAGE


class ArtifactError(KbcError):
    """An artifact that cannot be opened.

    Codes: `missing`, `not-an-artifact`, `newer-format`, `older-format`, `truncated`, `altered`,
    `unreadable`, `shortage`, `unsigned`, `bad-signature`, `same-name`.
    """

    exit_code = exit_codes.ARTIFACT

    @property
    def is_newer(self) -> bool:
        """Whether the artifact is sound as far as this runtime can tell, and too new for it."""
        return self.code == "newer-format"


class ToolError(KbcError):
    """A tool call, a search or a look-up that fails in a way its caller can mend.

    `kind`, which is also the code, is one of `BAD_INPUT`, `NOT_FOUND`, `NO_MATCH`, `UNAVAILABLE`,
    `READ_ONLY`, `INTERNAL`. `suggestions` are names that exist; `next_steps` become `Next:` bullets;
    `details` is added to the structured error.
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
        hint = f"Close names: {', '.join(suggestions)}." if suggestions else ""
        super().__init__(kind, message, hint, _TOOL_EXIT_CODES.get(kind, exit_codes.USAGE))
        self.kind = kind
        self.suggestions = tuple(suggestions)
        self.next_steps = tuple(next_steps)
        self.details = details or {}


_TOOL_EXIT_CODES = {"NOT_FOUND": exit_codes.NOT_FOUND, "UNAVAILABLE": exit_codes.ARTIFACT}


class ProtocolError(SingleCodeError):
    """A JSON-RPC error answer: `rpc_code` and `message` go on the wire, `data` where it has a value."""

    code = "protocol"

    def __init__(self, rpc_code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.rpc_code = rpc_code
        self.data = data
