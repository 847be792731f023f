"""Turns records and chunks into the sections of an artifact and the fields of its manifest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from kb_runtime.knowledge.sharding.order import SHARDS
from kb_runtime.search.vectors import EXACT_ROWS, RowRange
from kb_runtime.store.facets import SEARCHED
from kb_runtime.store.manifest import BILL, INPUTS, MANIFEST
from kbc.backends.catalog import write_catalog, write_chunks
from kbc.backends.choices import argument_choices
from kbc.backends.draft_lexical import write_draft_lexical
from kbc.backends.facets import facets, write_facets
from kbc.backends.lexical import analysed, write_lexical
from kbc.backends.licences import write_licences
from kbc.backends.page_languages import Page, by_frequency, page_languages
from kbc.backends.symbols import write_symbols
from kbc.backends.tools import (
    AliasError,
    CollectionSummary,
    OfferError,
    ServerFacts,
    tools_document,
    write_tools_json,
)
from kbc.cache import toolchain
from kbc.cache.phases import PhaseCache
from kbc.diagnostics import Diagnostics
from kbc.encoding.model import Model
from kbc.linking.linker import Staging
from kbc.pipeline.inputs import Inputs
from kbc.project.kinds import KINDS
from kbc.project.loading import PROJECT_FILE
from kbc.project.scopes import search_scopes
from kbc.project.search_section import search_section
from kbc.records import CodeRecord, CompiledChunk, SourceRecord, WorkshopRecord, catalog_entry

_CONTAINERS = (SourceRecord, WorkshopRecord)


class Extent(NamedTuple):
    """How many chunks there are of each collection, and of each language."""

    chunks: Counter[str]
    languages: Counter[str]

    @classmethod
    def of(cls, chunks: Sequence[CompiledChunk], languages: Mapping[Page, str]) -> Extent:
        """`languages` has the language of each record."""
        return cls(
            Counter(chunk.collection for chunk in chunks),
            Counter(languages[chunk.collection, chunk.record_id] for chunk in chunks),
        )


def row_ranges(inputs: Inputs, counts: Mapping[str, int]) -> list[RowRange]:
    """The rows of every collection, which has so many chunks."""
    ranges: list[RowRange] = []
    row = 0
    for collection in inputs.collections:
        ranges.append(RowRange(collection.name, row, counts.get(collection.name, 0)))
        row = ranges[-1].end
    return ranges


def emit_catalog(inputs: Inputs, chunks: Sequence[CompiledChunk], folder: Path) -> None:
    """`catalog/` and `columns/`."""
    ordinals: dict[tuple[str, str], int] = {}
    for collection in inputs.collections:
        records = inputs.records[collection.name]
        write_catalog(folder, collection.name, map(catalog_entry, records))
        ordinals.update(
            {(collection.name, record.id): ordinal for ordinal, record in enumerate(records)}
        )
    write_chunks(folder, ((ordinals[each.collection, each.record_id], each) for each in chunks))


def emit_facets(inputs: Inputs, folder: Path) -> None:
    """What records can be filtered by, below `catalog/`."""
    for collection in inputs.collections:
        if KINDS[collection.kind].has_facets:
            records = inputs.records[collection.name]
            write_facets(folder, collection.name, map(facets, records))


def emit_symbols(inputs: Inputs, folder: Path, *, partial: bool = False) -> None:
    """The symbols of source trees, below `catalog/`."""
    from kbc.languages.uses.resolution import resolve  # rules of all languages: drafts do without

    for collection in inputs.collections:
        if collection.kind != "code":
            continue
        records = [
            record for record in inputs.records[collection.name] if isinstance(record, CodeRecord)
        ]
        found = resolve(records, keep_all=partial)
        write_symbols(folder, collection.name, len(records), found.definitions, found.uses)


def emit_lexical(
    inputs: Inputs,
    chunks: Sequence[CompiledChunk],
    languages: Mapping[Page, str],
    folder: Path,
    cache: PhaseCache | None = None,
) -> None:
    """`lexical/`."""
    write_lexical(
        folder / "lexical",
        chunks,
        {each.name: ordinal for ordinal, each in enumerate(inputs.collections)},
        inputs.paths,
        {
            (collection.name, record.id): [
                each.term for each in facets(record) if each.name in SEARCHED
            ]
            for collection in inputs.collections
            if KINDS[collection.kind].has_facets
            for record in inputs.records[collection.name]
        },
        cache,
        languages,
    )


def emit_draft_lexical(
    inputs: Inputs, chunks: Sequence[CompiledChunk], languages: Mapping[Page, str], folder: Path
) -> None:
    """`lexical/` of a draft."""
    names = [each.name for each in inputs.collections]
    write_draft_lexical(folder / "lexical", names, inputs.paths, chunks, languages)


def analyse(inputs: Inputs, chunks: Sequence[CompiledChunk], cache: PhaseCache) -> None:
    """Has the terms of all chunks in `cache`, where `emit_lexical` will look for them."""
    for _ in analysed(chunks, inputs.paths, cache, languages(inputs, chunks, cache)):
        pass


def languages(
    inputs: Inputs, chunks: Sequence[CompiledChunk], cache: PhaseCache | None = None
) -> dict[Page, str]:
    """The language of each record, by collection and id: as the page says, or kb.toml, or else as its words
    do."""
    given = {
        each.name: each.language or inputs.project.language
        for each in inputs.collections
        if each.language or inputs.project.language
    }
    sources = [each.name for each in inputs.collections if each.kind == "code"]
    stated = {
        (collection, record.id): record.spoken
        for collection, records in inputs.records.items()
        for record in records
        if record.spoken
    }
    return page_languages(chunks, given, sources, stated, cache)


def emit_answers(
    inputs: Inputs,
    fields: Mapping[str, Any],
    build_id: str,
    folder: Path,
    *,
    is_shard: bool = False,
) -> None:
    """`tools.json`. `fields` are the manifest's. Raises `AliasError` and `OfferError`."""
    if is_shard:  # which may have no record of a collection whose tools kb.toml offers or renames
        tools = inputs.project.tools.model_copy(update={"offer": None, "alias": ()})
        inputs = replace(inputs, project=replace(inputs.project, tools=tools))
    write_tools_json(folder / "tools.json", _server_facts(inputs, fields["built_at"], build_id))


def check_answers(inputs: Inputs, diagnostics: Diagnostics) -> None:
    """Reports what kb.toml says about tools that this knowledge base does not have."""
    try:
        tools_document(_server_facts(inputs, "", ""))
    except AliasError as error:
        diagnostics.error(
            "unknown-alias-target",
            str(error),
            PROJECT_FILE,
            hint="`tool` must name a tool that this knowledge base offers.",
        )
    except OfferError as error:
        diagnostics.error(
            "unknown-tool-family",
            str(error),
            PROJECT_FILE,
            hint="A family has tools only if the knowledge base has a collection for them to read.",
        )


def _server_facts(inputs: Inputs, built_at: str, build_id: str) -> ServerFacts:
    project = inputs.project
    scopes = search_scopes(inputs.collections)
    return ServerFacts(
        name=project.name,
        title=project.title,
        version=project.version,
        prefix=project.prefix,
        description=project.description,
        built_at=built_at,
        build_id=build_id,
        collections=[
            CollectionSummary(
                each.name,
                each.kind,
                len(inputs.records[each.name]),
                sum(isinstance(one, _CONTAINERS) for one in inputs.records[each.name]),
            )
            for each in inputs.collections
        ],
        choices=argument_choices(chain.from_iterable(inputs.records.values()), scopes),
        aliases=project.tools.aliases,
        families=project.tools.families,
        settings=_tool_settings(inputs),
    )


def _tool_settings(inputs: Inputs) -> dict[str, Any]:
    """`tools` of the manifest."""
    tools = inputs.project.tools
    return {
        "families": None if tools.families is None else list(tools.families),
        "offer": tools.offer,
        "prefix": tools.prefix,
        "max_chars": tools.max_chars,
        "aliases": dict(tools.aliases),
        "context_chars": tools.context_chars,
        "max_context_chars": tools.max_context_chars,
    }


def emit_inputs(inputs: Inputs, folder: Path) -> None:
    """`inputs.json`: the compiled files, one a line."""
    listed = ",\n".join(
        json.dumps({"path": file.path, "bytes": file.size, "sha256": file.sha256})
        for file in inputs.files
    )
    (folder / INPUTS).write_bytes(f"[\n{listed}\n]\n".encode("ascii"))


def emit_bill(manifest: Mapping[str, Any], staging: Staging) -> None:
    """`sbom.cdx.json`, the bill of materials."""
    from kbc.backends.bill import bill  # 0.1 s that a draft does not pay

    files = {
        file["path"]: file["sha256"]
        for file in staging.listing()
        # A shard's manifest has the hashes of its files.
        if not file["path"].startswith(f"{SHARDS}/") or file["path"].endswith(f"/{MANIFEST}")
    }
    (staging.folder / BILL).write_bytes(bill(manifest, files, staging.build_id))


def emit_notice(inputs: Inputs, models: Mapping[str, Model], folder: Path) -> None:
    """`NOTICE`: what the artifact contains and under which licences, with `models` by section; and
    `licenses/`."""
    project = inputs.project
    licence = f"\nLicence: {project.license}" if project.license else ""
    text = (
        "\n\n".join(
            [
                f"{project.title} {project.version}{licence}",
                *(one.attribution for one in models.values()),
            ]
        )
        + "\n"
    )
    (folder / "NOTICE").write_text(text, encoding="utf-8")
    licences = {name: one.licence_files for name, one in models.items()}
    write_licences(folder, inputs.licences, licences)


def manifest_fields(
    inputs: Inputs,
    extent: Extent,
    encoder: Mapping[str, Any] | None,
    built_at: str,
    warnings: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """What the linker seals into manifest.json; docs/format.md describes each field. `encoder` is None
    for an artifact without vectors."""
    project = inputs.project
    return {
        "name": project.name,
        "title": project.title,
        "version": project.version,
        "description": project.description,
        "license": project.license,
        "prefix": project.prefix,
        "built_at": built_at,
        "collections": [
            {
                "name": collection.name,
                "kind": collection.kind,
                "group": collection.group,
                "url": collection.url,
                "paths": collection.portable_paths,
                "records": len(inputs.records[collection.name]),
                "chunks": rows.rows,
                "first_row": rows.first_row,
            }
            for collection, rows in zip(
                inputs.collections, row_ranges(inputs, extent.chunks), strict=True
            )
        ],
        "scopes": search_scopes(inputs.collections),
        "encoder": None if encoder is None else dict(encoder),
        "search": {
            **search_section(project.search),
            "exact_rows": EXACT_ROWS,
            "languages": by_frequency(extent.languages),
        },
        "tools": _tool_settings(inputs),
        "package": project.package.model_dump(),
        "libraries": toolchain.library_versions(),
        "warnings": list(warnings),
    }
