"""Converts files of all formats: the one way into them."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kbc.cache.phases import recalled_each
from kbc.diagnostics import TAKES_TOO_LONG, OutOfTimeError
from kbc.formats.document import FIX_HINT, Converted, DocumentProblem, FormatError, Read
from kbc.formats.doxygen import DoxygenProjects
from kbc.formats.registry import BY_NAME, INSTALL_HINT, Format, converters, format_of
from kbc.formats.tracing import Conversion, ProjectLabels, Trace, TracedLabels, may_name_headers
from kbc.languages.addresses import without_pictures
from kbc.limits import MAX_CONVERTED_BYTES
from kbc.processor_time import limited
from kbc.project.source_file import decode_any

PHASE = "convert"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionRequest:
    """A file to be converted. `read` gives other files of the tree by path, for includes. `format` is the
    name of a format, where it is not that of the file's ending (`.txt` of a Sphinx project). `named` gives
    the paths of files that a generator names without their folders, `around` those of files that its format
    reads around it (see `Format`), the nearest first; `labels` are what pages of the project may refer to by
    name, `doxygen` the headers that they may show, `python_paths` the folders of projects whose objects they
    may describe.
    """

    path: str
    data: bytes
    read: Read
    format: str = ""
    named: Mapping[str, str] | None = None
    around: Sequence[str] = ()
    labels: ProjectLabels | None = None
    doxygen: DoxygenProjects | None = None
    python_paths: Sequence[str] = ()

    @property
    def chosen(self) -> Format:
        """Raises `ValueError` for a file that no format reads."""
        chosen = BY_NAME[self.format] if self.format else format_of(self.path)
        if chosen is None:
            raise ValueError(f"no format has the ending of {self.path!r}")
        return chosen

    @property
    def shows_headers(self) -> bool:
        """Whether it may name headers itself, of which all pages share what was read."""
        return self.doxygen is not None and may_name_headers(self.data)

    @property
    def headers(self) -> bytes:
        """The digest of what the headers are."""
        return b"none" if self.doxygen is None else self.doxygen.digest


def convert(path: str, data: bytes, read: Read, **known: Any) -> list[Converted]:
    """The documents of a file; `known` are further fields of `ConversionRequest`.

    Nothing is raised for what is wrong with the file: then there is one document without text, with one
    problem.
    """
    return next(convert_each([ConversionRequest(path=path, data=data, read=read, **known)]))


def convert_each(requests: Sequence[ConversionRequest]) -> Iterator[list[Converted]]:
    """As `convert`, of many in order, each converted once for its content and for what it reads."""
    found = recalled_each(
        PHASE,
        converted,
        requests,
        _seen,
        Conversion,
        is_lasting=lambda conversion: conversion.is_lasting,
        is_current=lambda request, found: found.is_current(
            request.read, request.labels, request.headers
        ),
    )
    return (each.documents for each in found)


def _seen(request: ConversionRequest) -> Any:
    """What decides the result besides what `Conversion` says."""
    chosen, named = request.chosen, request.named
    settings = [request.path, chosen.name, sorted(converters([chosen]).items())]
    settings += [sorted(named.items())] if named else []
    settings += [list(each) for each in (request.around, request.python_paths) if each]
    return hashlib.sha256(request.data).hexdigest(), settings


def converted(request: ConversionRequest) -> Conversion:
    """The conversion of a file, without a cache."""
    trace = Trace(request.read, may_name_headers(request.data))
    labels = TracedLabels(request.labels or ProjectLabels())
    with limited(request.path, len(request.data)):
        documents = _converted(request, trace.read, labels)
    return Conversion(
        documents=documents,
        reads=trace.reads,
        labels=labels.asked,
        headers=request.headers if trace.names_headers else b"",
    )


def _converted(request: ConversionRequest, read: Read, labels: TracedLabels) -> list[Converted]:
    chosen, data = request.chosen, request.data
    try:
        if (size := len(data)) > MAX_CONVERTED_BYTES:
            raise FormatError(f"the file has {size:,} bytes, more than {MAX_CONVERTED_BYTES:,}")
        known = {name: getattr(request, name) for name in chosen.takes}
        known |= {"labels": labels} if "labels" in known else {}
        found = importlib.import_module(chosen.module).convert(request.path, data, read, **known)
        documents = [found] if isinstance(found, Converted) else found
        return [replace(each, text=without_pictures(each.text)) for each in documents]
    except FormatError as error:
        return [_invalid(chosen, error)]
    except ModuleNotFoundError as error:
        library = (error.name or "").split(".")[0]
        if library not in chosen.needs:
            raise
        if chosen.is_text:
            return [Converted(text=decode_any(data), format=chosen.name)]
        message = f"{library!r}, which reads {chosen.name}, is not installed"
        missing = FormatError(message, hint=INSTALL_HINT, code="format-library-missing")
        return [_invalid(chosen, missing)]
    except (RecursionError, MemoryError):
        return [_invalid(chosen, FormatError("the file nests too deeply to be read"))]
    except OutOfTimeError:
        return [_invalid(chosen, FormatError(TAKES_TOO_LONG))]


def _invalid(chosen: Format, error: FormatError) -> Converted:
    problem = DocumentProblem(
        code=error.code or f"{chosen.name}-invalid",
        message=error.message,
        line=error.line,
        hint=error.hint or FIX_HINT,
        is_error=True,
    )
    return Converted(text="", format=chosen.name, problems=(problem,))
