from __future__ import annotations

from pathlib import Path

from kbc.cache.phase_memory import PhaseMemory
from kbc.cache.phases import PhaseCache


def squares(memory: PhaseMemory, numbers: list[int], calls: list[int]) -> list[int]:
    """One build over `numbers`; adds to `calls` what it computed."""

    def square(number: int) -> int:
        calls.append(number)
        return number * number

    cache = PhaseCache(None, memory)
    found = list(cache.map("squares", square, numbers, lambda number: number, int))
    cache.close()
    return found


def test_the_next_build_of_a_process_computes_only_what_is_new() -> None:
    memory, calls = PhaseMemory(), list[int]()
    assert squares(memory, [1, 2, 3], calls) == [1, 4, 9]
    memory.evict_unused(complete=True)
    assert squares(memory, [1, 2, 3, 4], calls) == [1, 4, 9, 16]
    assert calls == [1, 2, 3, 4]


def test_what_a_good_build_did_not_ask_for_is_forgotten() -> None:
    memory, calls = PhaseMemory(), list[int]()
    for first in range(50):
        squares(memory, [first, first + 1], calls)
        memory.evict_unused(complete=True)
        assert len(memory) == 2
    assert memory.size > 0
    assert calls == list(range(51))


def test_a_build_that_failed_half_way_forgets_nothing() -> None:
    memory, calls = PhaseMemory(), list[int]()
    squares(memory, list(range(10)), calls)
    memory.evict_unused(complete=True)
    squares(memory, [0], calls)
    memory.evict_unused(complete=False)
    assert squares(memory, list(range(10)), calls) == [number**2 for number in range(10)]
    assert calls == list(range(10))


def test_builds_that_fail_for_ever_do_not_fill_the_memory() -> None:
    memory, calls = PhaseMemory(), list[int]()
    squares(memory, list(range(10)), calls)
    memory.evict_unused(complete=True)
    for number in range(10, 500):
        squares(memory, [number], calls)
        memory.evict_unused(complete=False)
    assert len(memory) <= 25


def test_what_has_no_room_is_computed_again() -> None:
    memory, calls = PhaseMemory(max_bytes=2), list[int]()
    squares(memory, [1, 2, 3], calls)
    squares(memory, [1, 2, 3], calls)
    assert (len(memory), memory.size) == (2, 2)
    assert calls == [1, 2, 3, 3]


def test_the_memory_goes_before_the_folder_and_the_folder_before_computing(tmp_path: Path) -> None:
    calls = list[int]()

    def build(memory: PhaseMemory) -> list[int]:
        def square(number: int) -> int:
            calls.append(number)
            return number * number

        cache = PhaseCache(tmp_path, memory)
        found = list(cache.map("squares", square, [3], lambda number: number, int))
        cache.close()
        return found

    memory = PhaseMemory()
    assert build(memory) == [9]
    (tmp_path / "phases.sqlite3").write_bytes(b"damaged")
    assert build(memory) == [9]
    (tmp_path / "phases.sqlite3").unlink()
    build(PhaseMemory())
    build(PhaseMemory())
    assert calls == [3, 3]


def test_a_result_that_is_no_longer_current_is_replaced() -> None:
    memory, calls, unit = PhaseMemory(), list[int](), [10]

    def build() -> list[int]:
        def scaled(number: int) -> int:
            calls.append(number)
            return number * unit[0]

        cache = PhaseCache(None, memory)
        found = cache.map(
            "scaled",
            scaled,
            [1, 2],
            lambda number: number,
            int,
            is_current=lambda number, result: result == number * unit[0],
        )
        return list(found)

    assert build() == build() == [10, 20]
    unit[0] = 1000
    assert build() == build() == [1000, 2000]
    assert calls == [1, 2, 1, 2]
    assert (len(memory), memory.size) == (2, 6)
