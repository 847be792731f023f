"""Diagnostics: a build's findings about its input, collected and reported together.

Every phase of the compiler appends to a `Diagnostics` collector instead of raising at the first
mistake, so that an author sees all mistakes of a build at once. Only the pipeline decides to stop.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from kb_runtime.errors import KbcError, SingleCodeError, exit_codes
from kb_runtime.errors.shortages import shortage
from kb_runtime.text.rendering import encodable, on_one_line, printable
from kb_runtime.text.tables import count_of


class Severity(enum.IntEnum):
    """How bad a finding is. An error means that nothing is published."""

    ERROR = 0
    WARNING = 1
    NOTE = 2

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about the input.

    `path` is relative to the knowledge base's root, with forward slashes; it is empty when the
    finding is about no single file. `line` and `column` are 1-based; columns count code points.
    `code` is a stable kebab-case name (`toml-unknown-key`) that documentation and tests refer to.
    `message` is one sentence that quotes the offending value; `hint` says what to do.
    """

    severity: Severity
    code: str
    message: str
    path: str = ""
    line: int | None = None
    column: int | None = None
    hint: str = ""

    @property
    def location(self) -> str:
        """`path:line:column`, as far as known; unprintable characters of the path are escaped."""
        parts = [printable(self.path)] if self.path else []
        if self.path and self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        return (
            self.path,
            self.line or 0,
            self.column or 0,
            int(self.severity),
            self.code,
            self.message,
        )

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        """Plain text: a line, and an indented line for the hint."""
        head = f"{self.location}: " if self.location else ""
        text = f"{head}{self.severity.label}[{self.code}]: {on_one_line(self.message)}"
        return f"{text}\n  hint: {on_one_line(self.hint)}" if self.hint else text

    def as_dict(self) -> dict[str, object]:
        """The JSON form that `--json` prints and manifests keep: fields without a value are left out, and
        the path of a file whose name is not UTF-8 has escapes."""
        fields: dict[str, object] = {
            "severity": self.severity.label,
            "code": self.code,
            "message": encodable(self.message),
            "path": encodable(self.path) or None,
            "line": self.line,
            "column": self.column,
            "hint": self.hint or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


class Diagnostics:
    """Collects findings in any order; iterates in the order of a report (path, line, column). A line or
    column of 0 is not known.

    `reading` is the path of the file that is being read, for findings of those who do not know it.
    """

    def __init__(self) -> None:
        self.reading = ""
        self._found: set[Diagnostic] = set()

    def error(
        self,
        code: str,
        message: str,
        path: str = "",
        line: int | None = None,
        column: int | None = None,
        hint: str = "",
    ) -> None:
        self.add(
            Diagnostic(Severity.ERROR, code, message, path, line or None, column or None, hint)
        )

    def warning(
        self,
        code: str,
        message: str,
        path: str = "",
        line: int | None = None,
        column: int | None = None,
        hint: str = "",
    ) -> None:
        self.add(
            Diagnostic(Severity.WARNING, code, message, path, line or None, column or None, hint)
        )

    def note(
        self,
        code: str,
        message: str,
        path: str = "",
        line: int | None = None,
        hint: str = "",
    ) -> None:
        self.add(Diagnostic(Severity.NOTE, code, message, path, line or None, hint=hint))

    def add(self, diagnostic: Diagnostic) -> None:
        self._found.add(diagnostic)

    def downgrade(self, which: Callable[[Diagnostic], bool]) -> None:
        """Makes warnings of the errors that `which` names."""
        for found in self.errors:
            if which(found):
                self._found.discard(found)
                self._found.add(replace(found, severity=Severity.WARNING))

    def discard(self, which: Callable[[Diagnostic], bool]) -> None:
        """Takes back the warnings and notes that `which` names."""
        self._found = {each for each in self._found if each.is_error or not which(each)}

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(sorted(self._found, key=lambda found: found.sort_key))

    def __len__(self) -> int:
        return len(self._found)

    @property
    def errors(self) -> list[Diagnostic]:
        return [found for found in self if found.is_error]

    @property
    def warnings(self) -> list[Diagnostic]:
        return [found for found in self if found.severity is Severity.WARNING]

    def raise_if_errors(self, *, strict: bool = False) -> None:
        """Raises `BuildError` with everything found so far when at least one finding is an error, or with
        `strict` a warning."""
        if self.errors or (strict and self.warnings):
            raise BuildError(self)


class BuildError(SingleCodeError):
    """The input cannot be compiled; `diagnostics` says why, completely."""

    code = "build"
    exit_code = exit_codes.INPUT

    def __init__(self, diagnostics: Diagnostics) -> None:
        found = diagnostics.errors or diagnostics.warnings
        counted = count_of(len(found), found[0].severity.label)
        super().__init__(f"{counted} in the knowledge base; nothing was published")
        self.diagnostics = tuple(diagnostics)


class OutOfTimeError(Exception):
    """A file has used up its processor time; its path is "" where whoever catches this knows it."""

    def __init__(self, path: str = "") -> None:
        super().__init__(path)
        self.path = path


TAKES_TOO_LONG = "the file takes too long to be read"
_HINT = "Fix the file, or exclude it with `exclude`."


@contextmanager
def guarded(diagnostics: Diagnostics) -> Iterator[None]:
    """Makes an error of whatever the body raises, except errors that explain themselves. It names the file
    that was last read."""
    try:
        yield
    except RecursionError:
        _too_complex(diagnostics, "the file nests too deeply to be read", diagnostics.reading)
    except MemoryError:
        _too_complex(diagnostics, "the file needs too much memory to be read", diagnostics.reading)
    except OutOfTimeError as error:
        _too_complex(diagnostics, TAKES_TOO_LONG, error.path or diagnostics.reading)
    except (KbcError, ImportError):  # a library that does not load is not the file's fault
        raise
    except (OSError, RuntimeError) as error:
        if short := shortage(error):
            raise short from error
        _not_understood(diagnostics, error)
    except Exception as error:
        _not_understood(diagnostics, error)


def _too_complex(diagnostics: Diagnostics, message: str, path: str) -> None:
    diagnostics.error("file-too-complex", message, path, hint=_HINT)


def _not_understood(diagnostics: Diagnostics, error: Exception) -> None:
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    diagnostics.error(
        "file-not-understood",
        f"reading the file failed: {said}",
        diagnostics.reading,
        hint=f"{_HINT} If the file is valid, this is a bug in kbc.",
    )
