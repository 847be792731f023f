"""Writes the server's messages to stderr: sentences for people, or one JSON object per line.

This module is on the path to the first answer, so `json` and `datetime` are imported only when a message
is written as JSON.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

as_json = False


def use_json() -> None:
    """From now on everything that this process says is JSON; processes that it forks go on with that."""
    global as_json
    as_json = True


def say(sentence: str, *, program: str = "kbc", level: str = "warning", **fields: Any) -> None:
    """One sentence. `fields` are for machines only: a person finds in the sentence what matters."""
    if as_json:
        record(level, message=sentence, **fields)
    else:
        _write(f"{program}: {sentence}\n")


def failure(what: str, error: BaseException, correlation_id: str = "") -> None:
    """A defect, with its traceback."""
    from traceback import format_exception

    trace = "".join(format_exception(error))
    if as_json:
        named = {"correlation_id": correlation_id} if correlation_id else {}
        record("error", message=what, **named, traceback=trace)
    else:
        _write(f"{labelled(what, correlation_id)}\n{trace}")


def labelled(what: str, correlation_id: str) -> str:
    """What happened, with the id of the request for people; in JSON that is a field."""
    return what if as_json or not correlation_id else f"{what} [correlation id {correlation_id}]"


def record(level: str, **fields: Any) -> None:
    """One JSON object on one line: `time` (UTC), `level`, `pid` and `fields`."""
    import json
    import os
    from datetime import UTC, datetime

    time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    _write(json.dumps({"time": time, "level": level, "pid": os.getpid(), **fields}) + "\n")


def take_over_logging() -> None:
    """Warnings and errors that libraries log become lines of the log."""
    import logging

    class LogHandler(logging.Handler):
        def emit(self, said: logging.LogRecord) -> None:
            trace = {}
            if said.exc_info:
                trace["traceback"] = logging.Formatter().formatException(said.exc_info)
            record(said.levelname.lower(), message=said.getMessage(), logger=said.name, **trace)

    logging.basicConfig(level=logging.WARNING, handlers=[LogHandler()], force=True)


def _write(lines: str) -> None:
    """In one piece, because other threads and processes write there too. A stderr that is closed is
    nobody's problem here."""
    try:
        sys.stderr.write(lines)
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass
