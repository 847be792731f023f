"""The program of a process that converts files: reads pickled tasks from standard input until that ends."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from dataclasses import replace
from typing import Any, BinaryIO

from kbc.execution.converters import frames_left
from kbc.formats.conversion import ConversionRequest, converted
from kbc.formats.doxygen import DoxygenProjects
from kbc.formats.tracing import Conversion


def serve() -> None:
    """Answers each task with a list of conversions, None for a file that the build has to convert itself.

    A task is what the project of its files has (labels and headers; None: as before), the number of calls
    that a conversion may nest, and the files.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build ends its processes itself
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    known: dict[str, Any] = {}
    while (task := _next(tasks)) is not None:
        shared, frames, requests = task
        if shared is not None:
            labels, headers = shared
            doxygen = DoxygenProjects(headers) if headers is not None else None
            known = {"labels": labels, "doxygen": doxygen}
        complete = [replace(each, **known) for each in requests]
        pickle.dump([_lasting(each, frames) for each in complete], answers)
        answers.flush()


def _next(tasks: BinaryIO) -> Any:
    """None where the build has ended."""
    try:
        return pickle.load(tasks)
    except EOFError:
        return None


def _lasting(request: ConversionRequest, frames: int) -> Conversion | None:
    sys.setrecursionlimit(sys.getrecursionlimit() + frames - frames_left())
    try:
        found = converted(request)
    except Exception:  # the build meets it itself, and says which file it is
        return None
    return found if found.is_lasting else None
