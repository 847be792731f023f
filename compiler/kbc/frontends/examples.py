"""Front end for examples: source files, with metadata read from the source.

The first folder below the collection's path is the category (`general` for files without one), the
second the subcategory. `NAME.meta.toml`, where NAME is the file's name with or without its extension,
may add `title`, `description`, `tags` and `keywords`. `extensions` in kb.toml says which files are
examples (`[".qnt"]` by default). Quint files are scanned for their definitions; of other languages
only the comment at the top is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import Field

from kbc.diagnostics import Diagnostics
from kbc.frontends.markdown_file import shorten
from kbc.frontends.metadata import Located, Metadata, Text, Texts
from kbc.languages import quint
from kbc.languages.suffixes import language_of
from kbc.project.loading import PROJECT_FILE
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.project.toml_file import read_toml
from kbc.records import CompiledRecord, ExampleRecord
from kbc.sources.discovery import SIDECAR_SUFFIX

DEFAULT_EXTENSIONS = (".qnt",)
DEFAULT_CATEGORY = "general"
MAX_KEYWORDS = 120

_LANGUAGES: Mapping[str, str] = {"h": "c", "tla": "tla"}
"""Of examples, by the endings of their names; those of other endings are called as in source trees."""

_TOP_COMMENT = re.compile(
    r"\A\s*(?:#![^\n]*\n\s*)?(?P<comment>/\*.*?\*/|(?:(?://|#|--|;|%)[^\n]*(?:\n[ \t]*|\Z))+"
    r"|\"\"\".*?\"\"\"|\(\*.*?\*\))",
    re.DOTALL,
)


class SidecarMetadata(Metadata):
    """What `NAME.meta.toml` adds to the example NAME."""

    title: Text = Field(default="", description="default: the file's name")
    description: Text = Field(default="", description="default: the comment at the top")
    tags: Texts = Field(default=(), description="words to filter by; `untested` silences a warning")
    keywords: Texts = Field(default=(), description="further words that find it")


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """A record for each file with one of the collection's extensions that is not empty, as those are that
    only mark a package."""
    stated = collection.options.get("extensions", DEFAULT_EXTENSIONS)
    extensions = tuple(f".{each.lower().removeprefix('.')}" for each in stated)
    sidecars = {file.path: file for file in files if file.path.endswith(SIDECAR_SUFFIX)}
    records: list[CompiledRecord] = []
    paths: dict[str, str] = {}  # of the first file with a text
    for file in files:
        is_example = file.path.lower().endswith(extensions) and not file.is_blank
        if file.path in sidecars or not is_example:
            continue
        stem = file.path.rsplit(".", 1)[0]
        full = sidecars.pop(file.path + SIDECAR_SUFFIX, None)
        sidecar = full or sidecars.pop(stem + SIDECAR_SUFFIX, None)
        fields = _sidecar(sidecar, diagnostics) if sidecar else SidecarMetadata()
        text = file.text(diagnostics)
        if text is not None:
            first = paths.setdefault(text, file.path)
            records.append(_example(collection, file, text, fields, first))
    for path in sidecars:
        message = "this file describes an example that does not exist"
        hint = f"Name it after the example: NAME{SIDECAR_SUFFIX}, in the same folder."
        diagnostics.warning("sidecar-without-file", message, path, 1, hint=hint)
    if files and not records:
        message = f"no file of collection {collection.name!r} ends in {' or '.join(extensions)}"
        hint = "Set `extensions` to the extensions of the examples."
        diagnostics.warning("examples-none", message, PROJECT_FILE, collection.line, hint=hint)
    return records


def _sidecar(file: SourceFile, diagnostics: Diagnostics) -> SidecarMetadata:
    toml = read_toml(file, diagnostics)
    if toml is None:
        return SidecarMetadata()
    return Located(toml.data, file.path, toml.line).read(SidecarMetadata, diagnostics)


def _example(
    collection: Collection, file: SourceFile, text: str, fields: SidecarMetadata, first: str
) -> ExampleRecord:
    """The record of a file; `first` is the path of the first one with this text."""
    path = file.relative_path
    *folders, filename = path.split("/")
    language = language_of_example(filename)
    source = quint.scan(text) if language == "quint" else quint.Source(_top_comment(text))
    description = fields.description or source.description
    category = folders[0] if folders else DEFAULT_CATEGORY
    return ExampleRecord(
        id=path,
        collection=collection.name,
        title=fields.title or filename,
        path=file.path,
        text=text,
        language=language,
        summary=shorten(description),
        tags=fields.tags,
        url=collection.source_url(file.path),
        filename=filename,
        category=category,
        subcategory=folders[1] if len(folders) > 1 else "",
        description=description,
        modules=source.names("module"),
        imports=source.imports,
        types=source.names("type"),
        constants=source.names("const"),
        functions=source.functions,
        actions=source.names("action"),
        tests=source.tests,
        keywords=_keywords(source, [*fields.keywords, *folders]),
        definitions=source.definitions,
        copy_of=first if first != file.path else "",
    )


def language_of_example(filename: str) -> str:
    """The language of an example or a template, as its ending where nothing else is known of that."""
    own = filename.rsplit(".", 1)[-1].lower()
    return _LANGUAGES.get(own) or language_of(filename) or own


def _keywords(source: quint.Source, stated: Sequence[str]) -> tuple[str, ...]:
    """What the example can be found by: what its author says, its folders, modules and types, the
    operators it uses, then everything else it defines."""
    defined = [each.name for each in source.definitions]
    own = set(defined)
    words = [
        *stated,
        *source.names("module"),
        *source.names("type"),
        *source.constructors,
        *(name for name in source.calls if name not in own),
        *defined,
    ]
    return tuple(dict.fromkeys(words))[:MAX_KEYWORDS]


def _top_comment(text: str) -> str:
    """The comment at the top of a file of any language, on one line."""
    match = _TOP_COMMENT.match(text)
    if match is None:
        return ""
    lines = (re.sub(r"^[\s/#*;%(\"-]+|[\s*/)\"-]+$", "", line) for line in match[1].split("\n"))
    return " ".join(line for line in lines if line)[: quint.MAX_DESCRIPTION_CHARS]
