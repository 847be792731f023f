from __future__ import annotations

from pathlib import Path

import pytest

from kbc.cache import toolchain
from kbc.cache.phases import FILE_NAME, PhaseCache, remembered, remembering

CALLS: list[str] = []


@pytest.fixture(autouse=True)
def no_calls() -> None:
    CALLS.clear()


@remembered("upper")
def upper(text: str, *, suffix: str = "") -> list[str]:
    CALLS.append(text)
    return [text.upper() + suffix]


@remembered("huge")
def huge(text: str) -> int:
    CALLS.append(text)
    return 1 << 70  # has no form as bytes


def in_build(folder: Path | None, *texts: str, suffix: str = "") -> list[list[str]]:
    cache = PhaseCache(folder)
    with remembering(cache):
        results = [upper(text, suffix=suffix) for text in texts]
    cache.close()
    assert cache.notes == []
    return results


def squares(cache: PhaseCache, numbers: list[int]) -> list[int]:
    def square(number: int) -> int:
        CALLS.append(str(number))
        return number * number

    return list(cache.map("squares", square, numbers, lambda number: number, int))


def test_outside_of_a_build_nothing_is_remembered() -> None:
    assert upper("a") == upper("a") == ["A"]
    assert CALLS == ["a", "a"]


def test_within_a_build_a_text_is_computed_once_also_without_a_folder() -> None:
    assert in_build(None, "a", "b", "a") == [["A"], ["B"], ["A"]]
    assert CALLS == ["a", "b"]
    in_build(None, "a")
    assert CALLS == ["a", "b", "a"]


def test_a_setting_that_is_left_out_is_its_default() -> None:
    with remembering(PhaseCache(None)):
        assert upper("a") == upper("a", suffix="") == ["A"]
    assert CALLS == ["a"]


def test_the_next_build_computes_only_what_is_new(tmp_path: Path) -> None:
    in_build(tmp_path, "a", "b")
    assert in_build(tmp_path, "a", "c", "b") == [["A"], ["C"], ["B"]]
    assert CALLS == ["a", "b", "c"]


def test_other_settings_are_another_result(tmp_path: Path) -> None:
    assert in_build(tmp_path, "a", suffix="!") == [["A!"]]
    assert in_build(tmp_path, "a", suffix="?") == [["A?"]]


def test_another_compiler_or_library_computes_everything_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_build(tmp_path, "a")
    monkeypatch.setattr(toolchain, "source_hash", lambda: "another")
    in_build(tmp_path, "a")
    assert CALLS == ["a", "a"]
    monkeypatch.setattr(toolchain, "library_versions", lambda: {"markdown-it-py": "999"})
    in_build(tmp_path, "a")
    assert CALLS == ["a", "a", "a"]


def test_a_result_that_cannot_be_stored_is_computed_in_each_build(tmp_path: Path) -> None:
    for _ in range(2):
        cache = PhaseCache(tmp_path)
        with remembering(cache):
            assert huge("a") == huge("a") == 1 << 70
        cache.close()
    assert CALLS == ["a", "a"]


def test_text_without_a_form_as_bytes_is_a_key_too(tmp_path: Path) -> None:
    for _ in range(2):
        assert in_build(tmp_path, "\ud800", "\ud801") == [["\ud800"], ["\ud801"]]


def test_a_map_keeps_the_order_and_computes_what_is_missing(tmp_path: Path) -> None:
    cache = PhaseCache(tmp_path)
    assert squares(cache, list(range(0, 900, 3))) == [n * n for n in range(0, 900, 3)]
    cache.close()
    CALLS.clear()
    cache = PhaseCache(tmp_path)
    assert squares(cache, list(range(900))) == [n * n for n in range(900)]
    assert [str(n) for n in range(900) if n % 3] == CALLS
    cache.close()


def test_a_build_that_ends_early_keeps_what_it_computed(tmp_path: Path) -> None:
    cache = PhaseCache(tmp_path)
    with remembering(cache):
        upper("a", suffix="")
    assert upper("b") == ["B"]  # the build is over
    cache.close()
    in_build(tmp_path, "a", "b")
    assert CALLS == ["a", "b", "b"]


def test_a_damaged_file_only_costs_time(tmp_path: Path) -> None:
    in_build(tmp_path, "a")
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 500)
    cache = PhaseCache(tmp_path)
    with remembering(cache):
        assert upper("a", suffix="") == ["A"]
    cache.close()
    assert [("damaged" in note) for note in cache.notes] == [True]
    assert in_build(tmp_path, "a") == [["A"]]
    assert CALLS == ["a", "a"]
