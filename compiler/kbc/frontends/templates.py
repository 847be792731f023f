"""Front end for templates: boilerplate files, described in one metadata file of their folder.

The metadata is `templates.toml` (`[[template]]` tables), `templates.json` (a list, an object with a
list `templates`, or an object from id to fields) or `templates.md` (a level-2 heading an id, then bold
labels: `**Framework:** choreo`, `**Use for:**` with a list). Fields: `id`, `name`, `description`,
`framework`, `filename` (or `file`), `use_for`, `includes`, `instructions`, `workflow`, `key_patterns`.
Several of these files may describe the same templates, as long as they do not contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from kbc.diagnostics import Diagnostics
from kbc.frontends.examples import language_of_example
from kbc.frontends.markdown_file import level_two_sections, read_markdown, shorten
from kbc.frontends.metadata import Located, Metadata, Required, Text, Texts, read_json
from kbc.languages import markdown
from kbc.languages.markdown import Block
from kbc.project.loading import PROJECT_FILE
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.project.toml_file import read_toml
from kbc.project.well_formed import comma_separated
from kbc.records import CompiledRecord, TemplateRecord

METADATA_FILES = ("templates.toml", "templates.json", "templates.md")


class TemplateMetadata(Metadata):
    """What describes a template, in all three forms."""

    id: Annotated[Text, Required("Write the id that `get` asks for.")] = Field(
        default="", description="what `get` asks for"
    )
    name: Text = Field(default="", description="its title; default: the id")
    description: Text = Field(default="", description="what it is, in one sentence")
    framework: Annotated[Text, Required("Write the framework it is for.")] = Field(
        default="", description="the framework it is for"
    )
    filename: Annotated[Text, Required("Write the file's name, beside this metadata.")] = Field(
        default="", description="the file, beside the metadata"
    )
    use_for: Texts = Field(default=(), description="what it is a start for")
    includes: Texts = Field(default=(), description="what is in it")
    instructions: Texts = Field(default=(), description="how to fill it in, step by step")
    workflow: Texts = Field(default=(), description="what to do then")
    key_patterns: Texts = Field(default=(), description="ids of patterns that it follows")


class TemplateTables(Metadata):
    """`templates.toml`."""

    template: Any = Field(default=None, description="a `[[template]]` for each template")


FIELDS = tuple(TemplateMetadata.model_fields)
LIST_FIELDS = tuple(
    name for name, field in TemplateMetadata.model_fields.items() if field.default == ()
)

# Other names of fields, in all three forms.
_SYNONYMS: Mapping[str, str] = {"file": "filename", "title": "name", "use_cases": "use_for"}
_LABEL_LINE = re.compile(r"(?:\*\*|__)([^*_:]+?)\s*:?(?:\*\*|__)\s*:?\s*(.*)")


@dataclass(frozen=True, slots=True)
class _TemplateEntry:
    """One template's metadata in the file `path`; `line` is where it begins, `lines` where its fields
    stand. Synonyms of fields are replaced."""

    fields: Mapping[str, Any]
    line: int
    lines: Mapping[str, int]
    path: str

    @property
    def located(self) -> Located:
        return Located(self.fields, self.path, lambda name: self.lines.get(name, self.line))


_Parsed = tuple[Mapping[str, Any], int, Mapping[str, int]]
"""Fields as written, the line of the entry, and the lines of the fields."""


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """A record for each described template whose file is there."""
    by_path = {file.path: file for file in files}
    metadata = [file for file in files if file.path.rsplit("/", 1)[-1] in METADATA_FILES]
    if files and not metadata:
        message = f"collection {collection.name!r} has none of {', '.join(METADATA_FILES)}"
        hint = "Describe the templates in one of these files, beside them."
        diagnostics.error(
            "templates-no-metadata", message, PROJECT_FILE, collection.line, hint=hint
        )
    records: dict[str, TemplateRecord] = {}
    described = {file.path for file in metadata}
    for entry in _merged(metadata, diagnostics):
        fields = entry.located.read(TemplateMetadata, diagnostics)
        described.add(_target(entry.path, fields.filename))
        record = _template(collection, fields, entry.located, by_path, diagnostics)
        if record is not None:
            records[record.id] = record
    for path in sorted(by_path.keys() - described) if metadata else ():
        message = "no entry of the metadata names this file; it was left out"
        hint = f"Describe it in {metadata[0].path}."
        diagnostics.warning("template-not-described", message, path, 1, hint=hint)
    return list(records.values())


def _merged(files: Sequence[SourceFile], diagnostics: Diagnostics) -> list[_TemplateEntry]:
    """The entries of all metadata files. Two files may describe one template, as where one is generated
    from the other: what only the second says is added to the first, and where they contradict each other
    is an error. One file describes a template once."""
    found: list[_TemplateEntry] = []
    by_id: dict[str, int] = {}
    for file in files:
        for entry in _entries(file, diagnostics):
            identity = entry.fields.get("id")
            position = by_id.get(identity) if isinstance(identity, str) and identity else None
            if position is None:
                if isinstance(identity, str):
                    by_id[identity] = len(found)
                found.append(entry)
            elif found[position].path == entry.path:
                diagnostics.error(
                    "duplicate-id",
                    f"the id {identity!r} is already used by the template in"
                    f" {entry.path}:{found[position].line}",
                    entry.path,
                    entry.line,
                    hint="Give each template its own id.",
                )
                entry.located.read(TemplateMetadata, diagnostics)
            else:
                _report_conflicts(found[position], entry, diagnostics)
                fields = {**entry.fields, **found[position].fields}
                found[position] = replace(found[position], fields=fields)
    return found


def _report_conflicts(
    first: _TemplateEntry, second: _TemplateEntry, diagnostics: Diagnostics
) -> None:
    for name, value in second.fields.items():
        stated = first.fields.get(name)
        if stated is None or value is None or _words(stated) == _words(value):
            continue
        line = first.lines.get(name, first.line)
        diagnostics.error(
            "template-conflict",
            f"`{name}` of the template {first.fields['id']!r} differs from what {first.path}:{line} says",
            second.path,
            second.lines.get(name, second.line),
            hint="Say the same in both files, or remove the entry from one of them.",
        )


def _words(value: Any) -> list[str]:
    """What a value says, however it is written: Markdown separates the items of a list by commas or
    lines, and marks code."""
    parts = value if isinstance(value, list) else [value]
    text = " ".join(markdown.plain_text(str(part)) for part in parts)
    return re.findall(r"[^\W_]+", text.casefold())


def _target(metadata: str, filename: str) -> str:
    """The path of a template that the metadata file at the path `metadata` names."""
    folder = metadata.rpartition("/")[0]
    return f"{folder}/{filename}" if folder else filename


def _template(
    collection: Collection,
    fields: TemplateMetadata,
    located: Located,
    by_path: Mapping[str, SourceFile],
    diagnostics: Diagnostics,
) -> TemplateRecord | None:
    identity, filename, framework = fields.id, fields.filename, fields.framework.lower()
    file = by_path.get(_target(located.path, filename))
    if filename and file is None:
        message = f"the template {identity!r} names the file {filename!r}, which does not exist"
        hint = f"Add {_target(located.path, filename)}, or correct `filename`."
        diagnostics.error(
            "template-file-missing", message, located.path, located.line_of("filename"), hint=hint
        )
    text = file.text(diagnostics) if file else None
    if not (identity and framework and file) or text is None:
        return None
    name = fields.name or identity
    return TemplateRecord(
        id=identity,
        collection=collection.name,
        title=name,
        path=file.path,
        text=text,
        language=language_of_example(filename),
        summary=shorten(fields.description),
        url=collection.source_url(file.path),
        name=name,
        description=fields.description,
        framework=framework,
        filename=filename,
        use_for=fields.use_for,
        includes=fields.includes,
        instructions=fields.instructions,
        workflow=fields.workflow,
        key_patterns=fields.key_patterns,
    )


def _entries(file: SourceFile, diagnostics: Diagnostics) -> Iterator[_TemplateEntry]:
    readers = {"toml": _toml_entries, "json": _json_entries, "md": _markdown_entries}
    ending = file.path.rpartition(".")[2]
    for fields, line, lines in readers[ending](file, diagnostics):
        yield _TemplateEntry(_canonical(fields), line, _canonical(lines), file.path)


def _canonical(by_name: Mapping[str, Any]) -> dict[str, Any]:
    return {_SYNONYMS.get(name, name): value for name, value in by_name.items()}


def _toml_entries(file: SourceFile, diagnostics: Diagnostics) -> Iterator[_Parsed]:
    toml = read_toml(file, diagnostics)
    if toml is None:
        return
    Located(toml.data, file.path, toml.line).read(TemplateTables, diagnostics)
    tables = toml.data.get("template")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        _report_shape(file, toml.line("template"), "`[[template]]` tables", diagnostics)
        return
    for index, table in enumerate(tables):
        lines = {name: toml.line("template", index, name) for name in table}
        yield (table, toml.line("template", index), lines)


def _json_entries(file: SourceFile, diagnostics: Diagnostics) -> Iterator[_Parsed]:
    parsed = read_json(file, diagnostics)
    if parsed is None:
        return
    data, text = parsed
    if isinstance(data, dict) and isinstance(data.get("templates"), (list, dict)):
        data = data["templates"]
    if isinstance(data, dict) and all(isinstance(value, dict) for value in data.values()):
        data = [{"id": key, **value} for key, value in data.items()]
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        _report_shape(file, 1, "a list of objects", diagnostics)
        return
    position = 0
    for item in data:
        # json keeps no positions: the entry begins where its id is first written.
        mark = f'"{item.get("id", "")}"'
        position = max(text.find(mark, position), position)
        line = text.count("\n", 0, position) + 1
        yield (item, line, _json_lines(text, position, item))
        position += 1


def _json_lines(text: str, start: int, item: Mapping[str, Any]) -> dict[str, int]:
    """The lines of an entry's fields: the first places of their names around the id."""
    opening = max(text.rfind("{", 0, start), 0)
    found = ((name, text.find(f'"{name}"', opening)) for name in item)
    return {name: text.count("\n", 0, place) + 1 for name, place in found if place >= 0}


def _markdown_entries(file: SourceFile, diagnostics: Diagnostics) -> Iterator[_Parsed]:
    page = read_markdown(file, diagnostics)
    if page is None:
        return
    entries = list(level_two_sections(page.document.blocks))
    if not entries:
        _report_shape(file, 1, "a level-2 heading for each template", diagnostics)
    for heading, blocks in entries:
        yield _markdown_entry(heading, blocks)


def _markdown_entry(heading: Block, blocks: Sequence[Block]) -> _Parsed:
    fields: dict[str, Any] = {"id": heading.title}
    lines = {"id": heading.start_line}
    current = ""
    prose: list[str] = []

    def set_field(label: str, value: str, line: int) -> None:
        nonlocal current
        current = _field(label)
        lines[current] = line
        fields[current] = comma_separated(value) if current in LIST_FIELDS else value

    for block in blocks:
        if block.kind == "paragraph":
            for offset, source in enumerate(block.content.split("\n")):
                label = _LABEL_LINE.fullmatch(source.strip())
                if label:
                    value = markdown.plain_text(label[2])
                    set_field(label[1], value, block.start_line + offset)
                elif current and isinstance(fields[current], str):
                    fields[current] = f"{fields[current]} {markdown.plain_text(source)}".strip()
                else:
                    prose.append(markdown.plain_text(source))
            if current not in LIST_FIELDS:
                current = ""
        elif block.kind == "list":
            labelled = [_item_label(item) for item in block.items]
            if current in LIST_FIELDS and not all(labelled):
                fields[current] = [*fields[current], *block.items]
                labelled = []
            for offset, pair in enumerate(labelled):
                if pair:
                    set_field(*pair, min(block.start_line + offset, block.end_line))
            current = ""
        elif block.kind == "heading":
            set_field(block.title, "", block.start_line)
    if prose and not fields.get("description"):
        fields["description"] = " ".join(prose)
    return fields, heading.start_line, lines


def _item_label(item: str) -> tuple[str, str] | None:
    """`Framework: choreo` as an item of a list of fields."""
    label, colon, value = item.partition(":")
    return (label, value.strip()) if colon and _field(label) in FIELDS else None


def _field(label: str) -> str:
    name = re.sub(r"\W+", "_", label.strip().lower()).strip("_")
    return _SYNONYMS.get(name, name)


def _report_shape(file: SourceFile, line: int, wanted: str, diagnostics: Diagnostics) -> None:
    message = f"the file does not hold {wanted}"
    hint = f"Write {wanted} with: {', '.join(FIELDS)}."
    diagnostics.error("templates-bad-shape", message, file.path, line, hint=hint)
