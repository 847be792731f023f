from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from kbc.chunking import TokenBudget, chunk
from kbc.diagnostics import Diagnostics
from kbc.languages import containment, syntax
from kbc.languages.containment import TooComplexError, contained
from kbc.pipeline.reading import read_inputs
from kbc.records import CodeRecord

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="parsers have a process of their own on Linux"
)

PROGRAM = "".join(
    f"/* Adds {n}. */\nint add{n}(int a) {{\n    return a + {n};\n}}\n" for n in range(200)
)
# For each of these lines the parser of C takes time and memory for all lines.
HOSTILE = "x => x => x => x => x => x => x => x => x =>\n" * 400


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containment, "MEMORY_BYTES", 256 << 20)


def test_definitions_are_the_same_as_in_this_process() -> None:
    here = syntax.symbols(PROGRAM, language="c")
    with contained():
        assert syntax.symbols(PROGRAM, language="c") == here
    assert len(here) == 200


def test_parser_that_takes_all_memory_is_given_up_and_the_next_file_is_read() -> None:
    with contained():
        for _ in range(2):
            with pytest.raises(TooComplexError):
                syntax.symbols(HOSTILE, language="c")
        assert len(syntax.symbols(PROGRAM, language="c")) == 200


@pytest.mark.parametrize(
    ("language", "source"),
    [
        pytest.param("perl", "q#a", id="ends never"),
        pytest.param("perl", '"${' * 200, id="ends the process"),
        pytest.param("typst", "[" * 400, id="nests deeply"),
    ],
)
def test_parser_with_faults_has_a_process_of_its_own_for_small_files(
    language: str, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containment, "SECONDS", 0)
    with contained(), pytest.raises(TooComplexError):
        syntax.symbols(source, language=language)


def test_build_says_what_is_given_up_and_reads_it_as_text(tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text(HOSTILE)
    (tmp_path / "good.c").write_text(PROGRAM)
    diagnostics = Diagnostics()
    with contained():
        inputs = read_inputs(tmp_path, diagnostics)
        assert inputs is not None
        (bad, good) = inputs.records["code"]
        counted = TokenBudget(count=lambda text: len(text.split()), max_tokens=128)
        chunks = chunk(bad, counted)
    assert [(each.code, each.path) for each in diagnostics.warnings] == [
        ("file-too-complex", "bad.c")
    ]
    assert isinstance(bad, CodeRecord)
    assert isinstance(good, CodeRecord)
    assert (len(bad.definitions), len(good.definitions)) == (0, 200)
    assert chunks[0].start_line == 1
    assert chunks[-1].end_line == 400


def test_uses_of_a_file_that_is_given_up_are_none() -> None:
    from kbc.languages.uses.extraction import uses

    with contained():
        assert uses(HOSTILE, language="c").names == []
        assert uses(PROGRAM, language="c").names != []


def test_a_failure_in_the_other_process_is_one_of_this_process() -> None:
    with contained(), pytest.raises(ZeroDivisionError):
        containment.run(_divided, " " * 5000 + "0", "c", int)


def test_a_process_that_ends_within_an_answer_is_given_up() -> None:
    with contained(), pytest.raises(TooComplexError):
        containment.run(_torn, "a" * 5_000, "python", int)


def test_process_and_its_files_are_gone_at_the_end() -> None:
    before = opened_files()
    with contained():
        with contained():
            assert syntax.symbols(PROGRAM, language="c")
        children = Path("/proc/self/task/self/children")
        assert syntax.symbols(PROGRAM, language="c")
    assert opened_files() == before
    assert not children.exists() or not children.read_text()


def opened_files() -> list[str]:
    return sorted(file.name for file in Path("/proc/self/fd").iterdir())


def _divided(text: str, _language: str) -> int:
    return 1 // int(text)


def _torn(_text: str, _language: str) -> int:
    """In the other process, whose only other file is the connection: a message of nine bytes, cut off."""
    for file in range(3, 100):
        with suppress(OSError):
            os.write(file, b"\0\0\0\x09a")
    os._exit(1)
