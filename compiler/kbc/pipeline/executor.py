"""Runs one build from its inputs to a live version: the phases in order, timed, all or nothing."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kb_runtime.search.vectors import EXACT_ROWS
from kbc.backends.vectors import write_vectors
from kbc.cache.phases import PhaseCache, remembering
from kbc.chunking import drafts
from kbc.diagnostics import Diagnostics, guarded
from kbc.encoding.cache import EmbeddingCache
from kbc.encoding.checks import check_vectors
from kbc.encoding.encoder import DocumentEncoder, EncodingCounts
from kbc.encoding.graph_cache import read_graph
from kbc.encoding.model import Model, resolve_reranker
from kbc.encoding.quantize import Float32
from kbc.encoding.shipped import write_reranker
from kbc.encoding.tokenizer import TokenCounter
from kbc.encoding.views import EmbeddedTexts
from kbc.execution.pool import THREADS, WorkerPool
from kbc.languages.containment import contained
from kbc.linking.errors import DamagedShardsError, OvertakenError
from kbc.linking.linker import Published, Staging
from kbc.linking.retention import remove_drafts
from kbc.linking.self_check import check_of
from kbc.pipeline import sections
from kbc.pipeline.draft_first import publishes_draft
from kbc.pipeline.embedding import Advance, Embedded, Embedding, Window
from kbc.pipeline.identity import identity
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.memory import few_collections, trim_memory, trimming_memory
from kbc.pipeline.options import BuildOptions
from kbc.pipeline.progress import PhaseClock, Progress
from kbc.pipeline.report import BuildReport, note_replaced, report_of
from kbc.pipeline.resident import Engines, Resident
from kbc.pipeline.sharding import Shard, cached_bytes, divided, emit_order, total
from kbc.project.loading import PROJECT_FILE
from kbc.records import CompiledChunk, CompiledRecord

Read = Callable[[Diagnostics], Inputs | None]
"""Reads the inputs of a build and reports what is wrong; None only after an error."""


class Executor:
    """One build: what its phases hand on to each other."""

    def __init__(
        self, read: Read, options: BuildOptions, progress: Progress, resident: Resident | None
    ) -> None:
        self._read_inputs = read
        self._options = options
        self._progress = progress
        self._clock = PhaseClock(progress)
        self._model: Model | None = None
        self._reranker: Model | None = None
        self._diagnostics = Diagnostics()
        self._resident = resident
        self._engines = resident.engines if resident is not None else Engines()
        self._cache = PhaseCache(
            options.cache_folder, resident.phases if resident is not None else None
        )
        self._pool = WorkerPool(options.executor, options.jobs, self._payload)
        if self._pool.is_remote:
            self._cache.submit = self._pool.submit
        self._complete = False
        self._vector_bytes = 0

    def run(self) -> BuildReport:
        with self._remembering():
            report = self._run()
            self._complete = not report.reused
        return report

    def warm_up(self) -> None:
        with self._remembering():
            inputs, model = self._read_with_model()
            for part in [shard.inputs for shard in divided(inputs)] or [inputs]:
                with self._compiled(part, model) as (chunks, embedding):
                    sections.analyse(part, chunks, self._cache)
                    if embedding is not None:
                        self._wait_for(embedding)
            options = self._options
            if model is not None and options.has_vectors:
                self._engines.sessions.get(model, options.document_variant, options.cache_folder)
            self._complete = True

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        """While the body runs, phases take results from the cache. After a `_complete` run, which asked
        for all that it takes, this process keeps those and no others."""
        try:
            with remembering(self._cache), few_collections(), contained(), self._pool:
                yield
        finally:
            self._cache.close()
            if self._resident is not None:
                self._resident.end_of_build(complete=self._complete)

    def _run(self) -> BuildReport:
        self._inputs, model = self._read_with_model()
        self._publish_draft(self._inputs, model)
        try:
            published, counts = self._publish(model)
        except DamagedShardsError as error:
            note = f"damaged shards of an earlier build are compiled again: {', '.join(error.ids)}"
            self._diagnostics.note("shard-damaged", note)
            self._inputs = self._read(Diagnostics())
            published, counts = self._publish(model, refused=error.ids)
        for code, notes in (("cache", self._cache.notes), ("worker-refused", self._pool.notes)):
            for sentence in notes:
                self._diagnostics.note(code, sentence)
        note_replaced(self._diagnostics, self._options, self._inputs, published)
        return report_of(self._inputs, published, counts, self._clock.phases, self._diagnostics)

    def _publish(
        self, model: Model | None, refused: Collection[str] = ()
    ) -> tuple[Published, EncodingCounts]:
        """Makes the build live, and removes drafts of it. Shards `refused` are compiled again. The records of
        the inputs are forgotten before the check, which maps what was made of them."""
        options, name, keep = self._options, self._inputs.project.name, self._options.keep
        first = options.draft and options.draft_first
        id = self._build_id(self._inputs, model)
        with Staging(options.out_folder, name, id, first=first, refused=refused) as staging:
            published, counts = staging.reuse(keep=keep), EncodingCounts()
            if published is None:
                manifest, counts = self._make(self._inputs, model, staging)
                self._inputs = replace(self._inputs, records={})
                trim_memory()
                with self._clock.phase("publish"):
                    published = staging.publish(manifest, check_of(options.draft), keep=keep)
            if not options.draft:
                remove_drafts(published.path)
        return published, counts

    def _publish_draft(self, inputs: Inputs, model: Model | None) -> None:
        """Makes a draft live where the vectors will take long."""
        if model is None or not self._options.draft_first:
            return
        absent = self._cache.absent("chunks", inputs.searched, self._chunk_key(model))
        if not publishes_draft(inputs, self._options, sum(len(one.text) for one in absent)):
            return
        options = replace(self._options, draft=True, cache=None, executor=THREADS)
        clock = self._clock.phase("draft", inputs.record_count, "records")
        with clock, suppress(OvertakenError):
            Executor(lambda _: inputs, options, Progress(), None).run()

    def _read_with_model(self) -> tuple[Inputs, Model | None]:
        """The inputs, and the model that measures and embeds their chunks; a draft needs none."""
        if self._options.draft:
            return self._read(self._diagnostics), None
        # Hashing the model's weights keeps the disk and another core busy meanwhile.
        with ThreadPoolExecutor(1) as threads:
            options = self._options
            resolving = threads.submit(
                self._engines.model,
                options.model_folder,
                options.models_folder,
                offline=options.offline,
            )
            inputs = self._read(self._diagnostics)
            with self._clock.phase("model"):
                said = inputs.project.encoder
                model = resolving.result().with_pooling(said.pooling)
                self._model = model.with_prompts(*said.prompts)
                if options.reranker_folder is not None:
                    self._reranker = resolve_reranker(options.reranker_folder)
        if inputs.project.search.rerank and self._reranker is None:
            self._diagnostics.warning(
                "no-reranker", "`rerank` has no effect without --rerank-model", PROJECT_FILE
            )
        return inputs, self._model

    def _payload(self) -> tuple[str, bytes]:
        """What workers need for the tasks of this build."""
        from kbc.execution.worker import payload  # as for chunking

        assert self._model is not None  # drafts have no tasks
        options, graph = self._options, None
        if options.has_vectors:
            graph = read_graph(self._model, options.document_variant, options.cache_folder)
        model = self._model
        tokenizer = model.tokenizer_path.read_bytes()
        return payload(tokenizer, model.max_tokens, graph, model.prompts.document)

    @contextmanager
    def _compiled(
        self, inputs: Inputs, model: Model | None
    ) -> Iterator[tuple[list[CompiledChunk], Embedding | None]]:
        """The chunks, and where the artifact has vectors, these, which are on their way."""
        if model is None:
            with self._clock.phase("chunk", inputs.record_count, "records"):
                chunks = drafts.chunks(inputs.searched)
            yield chunks, None
            return
        tokenizer = self._engines.tokenizer(model)
        embed = partial(self._embed, model, tokenizer)
        with Embedding(embed) if self._options.has_vectors else nullcontext() as embedding:
            yield self._chunk(inputs, model, tokenizer, embedding), embedding

    def _read(self, diagnostics: Diagnostics) -> Inputs:
        with self._clock.phase("read", unit="files") as counter:
            inputs = self._read_inputs(diagnostics)
            diagnostics.raise_if_errors(strict=self._options.strict)
            assert inputs is not None  # an unusable kb.toml is an error
            counter.count = len(inputs.files)
        return inputs

    def _build_id(self, inputs: Inputs, model: Model | None) -> str:
        others: dict[str, Any] = {"collected": inputs.collected}
        if self._reranker:
            others["reranker"] = self._reranker.identity
        # The manifest has their lines, which move with comments in kb.toml.
        if warnings := self._warnings():
            others["warnings"] = warnings
        files = [[file.path, file.sha256] for file in inputs.files]
        return identity(inputs, files, model, self._options, **others)

    def _warnings(self) -> list[dict[str, object]]:
        return [found.as_dict() for found in self._diagnostics.warnings]

    def _chunk(
        self,
        inputs: Inputs,
        model: Model,
        tokenizer: TokenCounter,
        embedding: Embedding | None,
    ) -> list[CompiledChunk]:
        """The chunks, which `embedding` gets as they are cut."""
        from kbc import chunking  # with grammars and parsers, which a draft does without
        from kbc.chunking.budget import TokenBudget

        records = inputs.searched

        @functools.cache
        def budget() -> TokenBudget:
            return TokenBudget.of(tokenizer, model.max_tokens)

        def chunk(record: CompiledRecord) -> list[CompiledChunk]:
            self._diagnostics.reading = record.path
            return chunking.chunk(record, budget())

        with self._clock.phase("chunk", len(records), "records"):
            chunks: list[CompiledChunk] = []
            with guarded(self._diagnostics):
                key = self._chunk_key(model)
                each = self._cache.map("chunks", chunk, records, key, list[CompiledChunk])
                for done, found in enumerate(each, start=1):
                    chunks += found
                    if embedding is not None:
                        embedding.add(found)
                    self._progress.advance(done)
            self._diagnostics.raise_if_errors()
            self._cache.forget_texts()
        if embedding is not None:
            embedding.end()
        return chunks

    @staticmethod
    def _chunk_key(model: Model) -> Callable[[CompiledRecord], Any]:
        """What decides the chunks of a record."""

        def seen(record: CompiledRecord) -> Any:
            tokens = model.tokenizer_sha256, model.prompts.document, model.max_tokens
            return type(record).__name__, record, tokens

        return seen

    def _embed(
        self, model: Model, tokenizer: TokenCounter, windows: Iterable[Window], advance: Advance
    ) -> Embedded:
        memory = self._resident.vectors if self._resident is not None else None
        cache = EmbeddingCache(self._options.cache_folder, memory)
        cache.reserve(self._vector_bytes)
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
                self._pool.encoder if self._pool.is_remote else None,
            ) as encoder,
            self._pool.explained(),
        ):
            chunks: list[CompiledChunk] = []
            for window in windows:
                chunks += window
                if not self._pool.is_remote:  # other processes need more to share
                    part = EmbeddedTexts.of(window)
                    encoder.embed_ahead(part.texts, part.keys, advance)
            whole = EmbeddedTexts.of(chunks)
            vectors = encoder.encode(whole.texts, whole.keys, advance)
            check_vectors(vectors, whole.texts, whole.keys, tokenizer)
        return Embedded(whole.joined(vectors), encoder.counts, tuple(cache.notes))

    def _wait_for(self, embedding: Embedding) -> EncodingCounts:
        """The phase of the vectors is what remains of it after those before."""
        with self._clock.phase("embed", embedding.texts, "texts"):
            _, counts, notes = embedding.result(self._progress.advance)
        for note in notes:
            self._diagnostics.note("cache", note)
        return counts

    def _make(
        self, inputs: Inputs, model: Model | None, staging: Staging
    ) -> tuple[dict[str, Any], EncodingCounts]:
        """Every section; gives the manifest's fields."""
        self._options.require_addresses()
        shards = [] if self._options.draft else divided(inputs)  # a draft is there for minutes
        # The encoder is written and tried by native code, which leaves this thread free for the rest.
        with ThreadPoolExecutor(1) as threads:
            writing = None
            if model is not None and self._options.has_vectors:
                writing = threads.submit(self._write_encoder, model, staging.folder / "encoder")
            if shards:
                entries, counts = self._make_shards(shards, model, staging)
                extent = total(entries)
                folders = [staging.shard(entry["build_id"]) for entry in entries]
                emit_order(shards, folders, staging.folder)
            else:
                extent, counts = self._emit(inputs, model, staging.folder)
            encoder = None
            if writing is not None:
                with self._clock.phase("encoder"):
                    encoder = writing.result()
        manifest = self._emit_common(inputs, extent, encoder, staging)
        return manifest | ({"shards": entries} if shards else {}), counts

    def _make_shards(
        self, shards: list[Shard], model: Model | None, staging: Staging
    ) -> tuple[list[dict[str, Any]], EncodingCounts]:
        """The shards, one after the other, and what the manifest says of each. Those that an earlier build
        has are taken from it."""
        entries, counts, built_at = [], EncodingCounts(), self._options.built_at
        phase_bytes, self._vector_bytes = cached_bytes(shards)
        self._cache.reserve(phase_bytes)
        for shard in trimming_memory(shards):
            id = identity(shard.inputs, shard.digest, model, self._options)
            entry = staging.adopt_shard(id)
            if entry is None:
                folder = staging.shard(id)
                folder.mkdir(parents=True)
                extent, own = self._emit(shard.inputs, model, folder, is_shard=True)
                fields = sections.manifest_fields(shard.inputs, extent, None, built_at, ())
                sections.emit_facets(shard.inputs, folder)
                sections.emit_answers(shard.inputs, fields, id, folder, is_shard=True)
                with self._clock.phase("seal"):
                    staging.seal_shard(id, fields)
                entry = shard.entry(id, extent)
                counts.cached += own.cached
                counts.embedded += own.embedded
                counts.tokens += own.tokens
            entries.append(entry)
        return entries, counts

    def _emit(
        self, inputs: Inputs, model: Model | None, folder: Path, *, is_shard: bool = False
    ) -> tuple[sections.Extent, EncodingCounts]:
        """The sections that grow with the chunks; gives how many these are."""
        counts = EncodingCounts()
        with self._compiled(inputs, model) as (chunks, embedding):
            if embedding is not None and self._pool.is_remote:
                # Tasks of other phases would wait behind its own.
                counts = self._wait_for(embedding)
            languages = sections.languages(inputs, chunks, self._cache)
            extent = sections.Extent.of(chunks, languages)
            if embedding is not None:
                write = partial(self._write_vectors, inputs, extent, folder, is_shard=is_shard)
                embedding.then(write)
            with self._clock.phase("catalog", inputs.record_count, "records"):
                sections.emit_catalog(inputs, chunks, folder)
            with self._clock.phase("lexical", len(chunks), "chunks"):
                if self._options.draft:
                    sections.emit_draft_lexical(inputs, chunks, languages, folder)
                else:
                    sections.emit_lexical(inputs, chunks, languages, folder, self._cache)
            if embedding is not None:
                if not self._pool.is_remote:
                    counts = self._wait_for(embedding)
                with self._clock.phase("vectors", len(chunks), "rows"):
                    embedding.wait_until_written()
        return extent, counts

    def _emit_common(
        self,
        inputs: Inputs,
        extent: sections.Extent,
        encoder: dict[str, Any] | None,
        staging: Staging,
    ) -> dict[str, Any]:
        """The sections that an artifact has once; gives the manifest's fields."""
        folder = staging.folder
        sections.emit_facets(inputs, folder)
        if self._options.has_symbols:
            with self._clock.phase("symbols"):
                sections.emit_symbols(inputs, folder, partial=self._options.partial)
        built_at = self._options.built_at
        manifest = sections.manifest_fields(inputs, extent, encoder, built_at, self._warnings())
        if self._reranker is not None:
            with self._clock.phase("reranker"):
                target, cache = folder / "reranker", self._options.cache_folder
                manifest["reranker"] = write_reranker(self._reranker, target, cache)
        sections.emit_inputs(inputs, folder)
        sections.emit_answers(inputs, manifest, staging.build_id, folder)
        models = {"encoder": self._model if encoder else None, "reranker": self._reranker}
        sections.emit_notice(inputs, {name: one for name, one in models.items() if one}, folder)
        if not self._options.draft:  # which is there for seconds
            with self._clock.phase("bill"):
                sections.emit_bill(manifest, staging)
        return manifest

    def _write_vectors(
        self,
        inputs: Inputs,
        extent: sections.Extent,
        folder: Path,
        vectors: Float32,
        *,
        is_shard: bool,
    ) -> None:
        memory = self._resident.graphs if self._resident is not None else None
        ranges = sections.row_ranges(inputs, extent.chunks)
        # Below that nobody reads a graph, and it would be the longest part of a build after an edit.
        above = sys.maxsize if is_shard else EXACT_ROWS
        write_vectors(folder / "vectors", vectors, ranges, memory, graphs_above=above)
        if memory is not None:
            memory.forget_unused()

    def _write_encoder(self, model: Model, folder: Path) -> dict[str, Any]:
        """`encoder/`; gives what the manifest says about it."""
        folder.mkdir()
        options = self._options
        return self._engines.shipped.write(
            model, folder, options.document_variant, options.query_variant, options.cache_folder
        )
