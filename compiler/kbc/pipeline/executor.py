"""Runs one build from its inputs to a live version: the phases in order, timed, all or nothing."""

from __future__ import annotations

import datetime
import functools
import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from kb_runtime.search.vectors import EXACT_ROWS
from kb_runtime.store.manifest import load as load_manifest
from kbc import chunking
from kbc.backends.draft_lexical import write_draft_lexical
from kbc.backends.licences import write_licences
from kbc.backends.vectors import write_vectors
from kbc.cache import toolchain
from kbc.cache.phases import PhaseCache, remembering
from kbc.chunking import drafts
from kbc.chunking.budget import TokenBudget
from kbc.diagnostics import Diagnostics, guarded
from kbc.encoding.cache import EmbeddingCache
from kbc.encoding.checks import check_vectors
from kbc.encoding.encoder import DocumentEncoder, EncodingCounts
from kbc.encoding.model import Model
from kbc.encoding.quantize import Float32
from kbc.encoding.tokenizer import TokenCounter
from kbc.formats import converters, format_of
from kbc.linking.linker import Published, Staging, build_id
from kbc.linking.retention import remove_build
from kbc.linking.self_check import ask_for_itself
from kbc.pipeline import sections
from kbc.pipeline.draft_first import publishes_draft
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.options import BuildOptions, BuildReport
from kbc.pipeline.progress import PhaseClock, Progress
from kbc.pipeline.resident import Engines, Resident
from kbc.project.scopes import NOT_SEARCHED
from kbc.records import Chunk, Record

Read = Callable[[Diagnostics], Inputs | None]
"""Reads the inputs of a build and reports what is wrong; None only after an error."""


@contextmanager
def _few_collections() -> Iterator[None]:
    """Lets the collector of cyclic garbage look rarely: nearly everything that a build makes lives to
    its end, and looking through it again and again takes a tenth of the time without embedding."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _searched(inputs: Inputs) -> list[Record]:
    """The records that have chunks, in row order."""
    return [
        record
        for collection in inputs.collections
        if collection.kind not in NOT_SEARCHED
        for record in inputs.records[collection.name]
    ]


class Executor:
    """One build: what its phases hand on to each other."""

    def __init__(
        self, read: Read, options: BuildOptions, progress: Progress, resident: Resident | None
    ) -> None:
        self._read_inputs = read
        self._options = options
        self._progress = progress
        self._clock = PhaseClock(progress)
        self._diagnostics = Diagnostics()
        self._resident = resident
        self._engines = resident.engines if resident is not None else Engines()
        self._cache = PhaseCache(
            options.cache_folder, resident.phases if resident is not None else None
        )
        self._complete = False

    def run(self) -> BuildReport:
        with self._remembering():
            report = self._run()
            self._complete = not report.reused
        return report

    def warm_up(self) -> None:
        with self._remembering():
            inputs, model = self._read_with_model()
            chunks, vectors, _ = self._compile(inputs, model)
            sections.analyse(inputs, chunks, self._cache)
            if model is not None and vectors is not None:
                options = self._options
                self._engines.sessions.get(model, options.document_variant, options.cache_folder)
            self._complete = True

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        """While the body runs, phases take results from the cache. After a `_complete` run, which asked
        for all that it takes, this process keeps those and no others."""
        try:
            with remembering(self._cache), _few_collections():
                yield
        finally:
            self._cache.close()
            if self._resident is not None:
                self._resident.end_of_build(complete=self._complete)

    def _run(self) -> BuildReport:
        inputs, model = self._read_with_model()
        draft = self._publish_draft(inputs, model)
        name, keep = inputs.project.name, self._options.keep
        with Staging(self._options.out_folder, name, self._build_id(inputs, model)) as staging:
            published = staging.reuse(keep=keep)
            counts = EncodingCounts()
            if published is None:
                chunks, vectors, counts = self._compile(inputs, model)
                manifest = self._emit(inputs, chunks, vectors, model, staging)
                with self._clock.phase("publish"):
                    published = staging.publish(manifest, ask_for_itself, keep=keep)
            if draft is not None:
                remove_build(draft)
        for note in self._cache.notes:
            self._diagnostics.note("cache", note)
        return self._report(inputs, published, counts)

    def _publish_draft(self, inputs: Inputs, model: Model | None) -> Path | None:
        """Makes a draft live where the vectors will take long; gives its folder."""
        if model is None or not self._options.draft_first:
            return None
        absent = self._cache.absent("chunks", _searched(inputs), self._chunk_key(model))
        if not publishes_draft(inputs, self._options, sum(len(one.text) for one in absent)):
            return None
        options = replace(self._options, draft=True, draft_first=False, cache=None)
        with self._clock.phase("draft", inputs.record_count, "records"):
            return Executor(lambda _: inputs, options, Progress(), None).run().path

    def _read_with_model(self) -> tuple[Inputs, Model | None]:
        """The inputs, and the model that measures and embeds their chunks; a draft needs none."""
        if self._options.draft:
            return self._read(), None
        # Hashing the model's weights keeps the disk and another core busy meanwhile.
        with ThreadPoolExecutor(1) as threads:
            options = self._options
            resolving = threads.submit(
                self._engines.model,
                options.model_folder,
                options.models_folder,
                offline=options.offline,
            )
            inputs = self._read()
            with self._clock.phase("model"):
                return inputs, resolving.result()

    def _compile(
        self, inputs: Inputs, model: Model | None
    ) -> tuple[list[Chunk], Float32 | None, EncodingCounts]:
        """The chunks, and where the artifact has vectors, these: float32 [chunks, d]."""
        if model is None:
            with self._clock.phase("chunk", inputs.record_count, "records"):
                return drafts.chunks(_searched(inputs)), None, EncodingCounts()
        tokenizer = self._engines.tokenizer(model)
        chunks = self._chunk(inputs, model, tokenizer)
        if not self._options.has_vectors:
            return chunks, None, EncodingCounts()
        return chunks, *self._embed(chunks, model, tokenizer)

    def _read(self) -> Inputs:
        with self._clock.phase("read", unit="files") as counter:
            inputs = self._read_inputs(self._diagnostics)
            self._diagnostics.raise_if_errors(strict=self._options.strict)
            assert inputs is not None  # an unusable kb.toml is an error
            counter.count = len(inputs.files)
        return inputs

    @property
    def _built_at(self) -> str:
        """ISO 8601, or "" when nobody said what time it is: a clock in the artifact, or the times of
        files, would make two builds of one tree differ."""
        seconds = self._options.source_date_epoch
        if seconds is None:
            return ""
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _build_id(self, inputs: Inputs, model: Model | None) -> str:
        """Over everything that decides the bytes of the artifact."""
        return build_id(
            inputs=[[file.path, file.sha256] for file in inputs.files],
            settings=[inputs.project.settings(), self._built_at, self._options.prefix],
            toolchain={
                "libraries": toolchain.library_versions(),
                "converters": converters(filter(None, map(format_of, {*inputs.paths.values()}))),
                "source": toolchain.source_hash(),
                "model": model
                and [
                    model.name,
                    model.weights_sha256,
                    model.tokenizer_sha256,
                    model.pooling,
                    model.attribution,
                    model.license,
                ],
                "max_tokens": model and model.max_tokens,
                "variants": self._variants,
                "parsed": self._has_symbols,
            },
        )

    @property
    def _has_symbols(self) -> bool:
        return self._options.parsed or not self._options.draft

    @property
    def _variants(self) -> list[str] | None:
        """The precision of documents and of queries; None without vectors."""
        options = self._options
        return [options.document_variant, options.query_variant] if options.has_vectors else None

    def _chunk(self, inputs: Inputs, model: Model, tokenizer: TokenCounter) -> list[Chunk]:
        records = _searched(inputs)

        @functools.cache
        def budget() -> TokenBudget:
            return TokenBudget(
                count=tokenizer.count,
                count_many=tokenizer.count_many,
                max_tokens=model.max_tokens,
            )

        def chunk(record: Record) -> list[Chunk]:
            self._diagnostics.reading = record.path
            return chunking.chunk(record, budget())

        with self._clock.phase("chunk", len(records), "records"):
            chunks: list[Chunk] = []
            with guarded(self._diagnostics):
                for done, found in enumerate(
                    self._cache.map("chunks", chunk, records, self._chunk_key(model), list[Chunk]),
                    start=1,
                ):
                    chunks += found
                    self._progress.advance(done)
            self._diagnostics.raise_if_errors()
            self._cache.forget_texts()
        return chunks

    @staticmethod
    def _chunk_key(model: Model) -> Callable[[Record], Any]:
        """What decides the chunks of a record."""

        def seen(record: Record) -> Any:
            return type(record).__name__, record, model.tokenizer_sha256, model.max_tokens

        return seen

    def _embed(
        self, chunks: Sequence[Chunk], model: Model, tokenizer: TokenCounter
    ) -> tuple[Float32, EncodingCounts]:
        """The vectors float32 [chunks, d]; what was computed and what the cache had."""
        texts = [chunk.embedded_text for chunk in chunks]
        keys = [f"{chunk.collection}/{chunk.record_id}:{chunk.start_line}" for chunk in chunks]
        memory = self._resident.vectors if self._resident is not None else None
        cache = EmbeddingCache(self._options.cache_folder, memory)
        with (
            closing(cache),
            DocumentEncoder(
                model,
                self._options.jobs,
                self._options.document_variant,
                cache,
                self._options.cache_folder,
                tokenizer,
                self._engines.sessions,
            ) as encoder,
            self._clock.phase("embed", len(chunks), "chunks"),
        ):
            vectors = encoder.encode(texts, keys, self._progress.advance)
            check_vectors(vectors, texts, keys, tokenizer)
        for note in cache.notes:
            self._diagnostics.note("cache", note)
        return vectors, encoder.counts

    def _emit(
        self,
        inputs: Inputs,
        chunks: Sequence[Chunk],
        vectors: Float32 | None,
        model: Model | None,
        staging: Staging,
    ) -> dict[str, Any]:
        """Every section; gives the manifest's fields."""
        folder = staging.folder
        encoder = None
        # Graphs are built in native code, which leaves this thread free for the other sections. The
        # phase of the vectors is what remains of them afterwards.
        with ThreadPoolExecutor(1) as threads:
            writing = threads.submit(self._write_vectors, inputs, chunks, vectors, folder)
            with self._clock.phase("catalog", inputs.record_count, "records"):
                sections.emit_catalog(inputs, chunks, folder)
            if self._has_symbols:
                with self._clock.phase("symbols"):
                    sections.emit_symbols(inputs, folder, partial=self._options.partial)
            with self._clock.phase("lexical", len(chunks), "chunks"):
                if self._options.draft:
                    names = [each.name for each in inputs.collections]
                    write_draft_lexical(
                        folder / "lexical",
                        names,
                        inputs.paths,
                        chunks,
                        sections.languages(inputs, chunks),
                    )
                else:
                    sections.emit_lexical(inputs, chunks, folder, self._cache)
            if model is not None and vectors is not None:
                encoder = self._write_encoder(model, folder)
                with self._clock.phase("vectors", len(chunks), "rows"):
                    writing.result()
        warnings = [found.as_dict() for found in self._diagnostics.warnings]
        manifest = sections.manifest_fields(inputs, chunks, encoder, self._built_at, warnings)
        sections.emit_inputs(inputs, folder)
        sections.emit_answers(inputs, manifest, staging.build_id, folder)
        sections.emit_notice(
            inputs, "" if encoder is None or model is None else model.attribution, folder
        )
        write_licences(
            folder, inputs.licences, [] if encoder is None or model is None else model.licence_files
        )
        if not self._options.draft:
            self._write_bill(manifest, staging)
        return manifest

    def _write_bill(self, manifest: Mapping[str, Any], staging: Staging) -> None:
        """`sbom.cdx.json`. A draft, which is there for seconds, does without."""
        from kbc.backends.bill import BILL, bill  # 0.1 s that a draft does not pay

        with self._clock.phase("bill"):
            files = {file["path"]: file["sha256"] for file in staging.listing()}
            (staging.folder / BILL).write_bytes(bill(manifest, files, staging.build_id))

    def _write_vectors(
        self, inputs: Inputs, chunks: Sequence[Chunk], vectors: Float32 | None, folder: Path
    ) -> None:
        if vectors is None:
            return
        memory = self._resident.graphs if self._resident is not None else None
        ranges = sections.row_ranges(inputs, chunks)
        # Below that nobody reads a graph, and it would be the longest part of a build after an edit.
        write_vectors(folder / "vectors", vectors, ranges, memory, graphs_above=EXACT_ROWS)
        if memory is not None:
            memory.forget_unused()

    def _write_encoder(self, model: Model, folder: Path) -> dict[str, Any]:
        """`encoder/`; gives what the manifest says about it."""
        with self._clock.phase("encoder"):
            (folder / "encoder").mkdir()
            return self._engines.shipped.write(
                model,
                folder / "encoder",
                self._options.document_variant,
                self._options.query_variant,
                self._options.cache_folder,
            )

    def _report(self, inputs: Inputs, published: Published, counts: EncodingCounts) -> BuildReport:
        folder = published.path
        collections = load_manifest(folder)["collections"]
        return BuildReport(
            name=inputs.project.name,
            path=folder,
            build_id=published.build_id,
            reused=published.reused,
            was_live=published.was_live,
            removed=published.removed,
            records=inputs.record_count,
            chunks=sum(collection["chunks"] for collection in collections),
            embedded=counts.embedded,
            cached=counts.cached,
            tokens=counts.tokens,
            size_bytes=sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
            phases=tuple(self._clock.phases),
            diagnostics=tuple(self._diagnostics),
            files=inputs.accounting,
        )
