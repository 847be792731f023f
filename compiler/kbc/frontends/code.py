"""Front end for source trees: a record for every file, with its language and its definitions.

`source_tree` selects the files: they are text, not too large, and written by people. A record's id is its
path in the collection's folder; with several folders the folder's own name comes first, so that files of
the same name in two repositories stay apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from kb_runtime.text.tables import count_of
from kbc.diagnostics import TAKES_TOO_LONG, Diagnostics, OutOfTimeError
from kbc.languages import grammars, syntax
from kbc.languages.containment import TooComplexError
from kbc.languages.suffixes import language_of_source, without_grammar
from kbc.processor_time import limited
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CodeRecord, CompiledRecord, Definition

MAX_DEFINITIONS = 2_000
"""Definitions kept of one file, the first ones: more are a table, not a program."""


def read(
    collection: Collection,
    files: Sequence[SourceFile],
    diagnostics: Diagnostics,
    *,
    prefix: str = "",
    with_definitions: bool = True,
) -> list[CompiledRecord]:
    """A record for each file, whose id begins with `prefix` and a slash where there is one. Without
    definitions nothing is parsed."""
    records: list[CompiledRecord] = []
    languages: Counter[str] = Counter()
    for file in files:
        text = file.text(diagnostics)
        if text is not None:
            found = _read_file(collection, file, text, prefix, with_definitions, diagnostics)
            languages[found.language] += with_definitions
            records.append(found)
    _report_missing_grammars(collection, languages, diagnostics)
    return records


def _read_file(
    collection: Collection,
    file: SourceFile,
    text: str,
    prefix: str,
    with_definitions: bool,
    diagnostics: Diagnostics,
) -> CodeRecord:
    try:
        with limited(file.path, len(file.data)):
            return _record(collection, file, text, prefix, with_definitions)
    except OutOfTimeError as error:
        message = f"{TAKES_TOO_LONG}; it has no definitions"
        if isinstance(error, TooComplexError):
            message = (
                "the parser takes too much time or memory for the file, which is searched as text; "
                "it has no definitions"
            )
        hint = "Exclude it with `exclude` if it is no program that people read."
        diagnostics.warning("file-too-complex", message, file.path, hint=hint)
        return _record(collection, file, text, prefix, with_definitions=False)


def _report_missing_grammars(
    collection: Collection, languages: Counter[str], diagnostics: Diagnostics
) -> None:
    """One note for all files of `collection` that an installed grammar would divide better."""
    missing = grammars.missing(+languages)
    if missing:
        count = count_of(sum(languages[language] for language in missing), "file")
        diagnostics.note(
            "grammar-missing",
            f"No grammar is installed for {', '.join(missing)}: {count} of collection "
            f"{collection.name!r} get no definitions and are divided at blank lines.",
            hint=grammars.INSTALL_HINT,
        )


def _record(
    collection: Collection, file: SourceFile, text: str, prefix: str, with_definitions: bool
) -> CodeRecord:
    path = f"{prefix}/{file.relative_path}" if prefix else file.relative_path
    if file.base and len(collection.paths) > 1:
        path = f"{file.base.rsplit('/', 1)[-1]}/{path}"
    language = language_of_source(path, text)
    return CodeRecord(
        id=path,
        collection=collection.name,
        title=path,
        path=path,
        text=text,
        size=len(file.data),
        language=language,
        url=collection.source_url(path),
        workspace=file.base or ".",
        sha256=file.sha256,
        definitions=tuple(islice(_walk(text, language or without_grammar(path)), MAX_DEFINITIONS))
        if with_definitions
        else (),
    )


def _walk(text: str, language: str) -> Iterator[Definition]:
    """The definitions in the order of the file, each with the one around it."""
    found = syntax.symbols(text, language=language) if language else []
    waiting = [(symbol, "") for symbol in reversed(found)]
    while waiting:
        symbol, parent = waiting.pop()
        yield Definition(
            name=symbol.name,
            kind=symbol.kind,
            line=symbol.own_line,
            end_line=symbol.end_line,
            signature=symbol.signature,
            parent=parent,
        )
        waiting += [(child, symbol.name) for child in reversed(symbol.children)]
