"""Embedding in a thread beside the rest of a build."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from kbc.encoding.encoder import EncodingCounts
from kbc.pipeline.embedding import WINDOW_CHUNKS, Advance, Embedded, Embedding, Window
from kbc.records import CompiledChunk

TIMEOUT_S = 30.0


def chunks(count: int, first: int = 1) -> list[CompiledChunk]:
    return [
        CompiledChunk(
            collection="docs",
            record_id="a",
            index=line - 1,
            text=f"text {line}",
            embedded_text=f"text {line}",
            start_line=line,
            end_line=line,
        )
        for line in range(first, first + count)
    ]


class Encoder:
    """Gives each chunk its line as a vector, and says when it has the first window."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.begun = threading.Event()

    def __call__(self, windows: Iterable[Window], advance: Advance) -> Embedded:
        rows: list[list[float]] = []
        for window in windows:
            self.sizes.append(len(window))
            for one in window:
                rows.append([float(one.start_line)])
                advance(len(rows), 10 * len(rows))
            self.begun.set()
        counts = EncodingCounts(embedded=len(rows))
        return Embedded(np.array(rows, np.float32).reshape(-1, 1), counts, ("a note",))


def test_windows_are_embedded_in_order_while_more_chunks_are_made() -> None:
    encoder = Encoder()
    told: list[tuple[int, int]] = []
    written: list[int] = []
    with Embedding(encoder) as embedding:
        embedding.add(chunks(WINDOW_CHUNKS - 1))
        assert not encoder.begun.wait(0.05)
        embedding.add(chunks(2, first=WINDOW_CHUNKS))
        assert encoder.begun.wait(TIMEOUT_S)  # before the end is known
        embedding.add(chunks(3, first=WINDOW_CHUNKS + 2))
        embedding.end()
        embedding.then(lambda vectors: written.append(len(vectors)))
        vectors, counts, notes = embedding.result(lambda *done: told.append(done))
        embedding.wait_until_written()
    total = WINDOW_CHUNKS + 4
    assert vectors[:, 0].tolist() == list(range(1, total + 1))
    assert (counts.embedded, notes, embedding.texts) == (total, ("a note",), total)
    assert encoder.sizes == [WINDOW_CHUNKS + 1, 3]
    assert written == [total]
    assert told == sorted(told)
    assert told[-1][0] == total
    assert all(0 <= tokens < 10 * total for _, tokens in told)  # since it is waited for


def test_texts_count_the_second_ones_of_api_entries() -> None:
    with Embedding(Encoder()) as embedding:
        embedding.add([*chunks(2), replace(chunks(1)[0], embedded_summary="what it is for")])
        embedding.end()
        assert embedding.texts == 4


def test_what_fails_in_the_thread_is_raised_where_the_vectors_are_needed() -> None:
    def fail(windows: Iterable[Window], advance: Advance) -> Embedded:
        raise OSError("no space left")

    with Embedding(fail) as embedding:
        embedding.add(chunks(1))
        embedding.end()
        embedding.then(lambda _: None)
        with pytest.raises(OSError, match="no space left"):
            embedding.result(lambda *_: None)
        with pytest.raises(OSError, match="no space left"):
            embedding.wait_until_written()


@pytest.mark.parametrize("ended", [False, True])
def test_leaving_early_stops_the_thread_in_the_middle_of_a_window(ended: bool) -> None:
    at_first, going_on = threading.Event(), threading.Event()
    done: list[int] = []

    def embed(windows: Iterable[Window], advance: Advance) -> Embedded:
        for window in windows:
            for number, _ in enumerate(window, start=1):
                at_first.set()
                going_on.wait(TIMEOUT_S)
                advance(number, number)
                done.append(number)
        raise AssertionError("nobody waits for the rest")

    def go_on_when_stopped(embedding: Embedding) -> None:
        while not embedding._stopped:
            time.sleep(0.001)
        going_on.set()

    def leave() -> None:
        with Embedding(embed) as embedding:
            embedding.add(chunks(WINDOW_CHUNKS))
            if ended:
                embedding.end()
            assert at_first.wait(TIMEOUT_S)
            threading.Thread(target=go_on_when_stopped, args=(embedding,)).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()
    assert done == []
    assert not [each for each in threading.enumerate() if each.name.startswith("embedding")]


def test_leaving_before_any_chunk_ends_the_thread() -> None:
    with Embedding(Encoder()):
        pass
    assert not [each for each in threading.enumerate() if each.name.startswith("embedding")]
