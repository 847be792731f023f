"""A file that takes too long is a finding that names it, and the build ends."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from kbc import processor_time
from kbc.diagnostics import Diagnostics, OutOfTimeError
from kbc.languages import markdown
from kbc.languages.markdown import Document
from kbc.pipeline.reading import read_inputs
from kbc.processor_time import limited
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CodeRecord, CompiledRecord

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
SLOW = "Takes its time."


@pytest.fixture(autouse=True)
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_time, "SECONDS", 0.5)


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def spend_for_slow_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    parse = markdown.parse

    def slow(text: str, *, mdx: bool = False) -> Document:
        if SLOW in text:
            busy(60)
        return parse(text, mdx=mdx)

    monkeypatch.setattr(markdown, "parse", slow)


@pytest.mark.parametrize("kind", ["docs", "pages"])
def test_a_file_that_takes_too_long_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "kb.toml").write_text(
        f"[kb]\nname = 'slow'\n[[collection]]\nname = 'p'\nkind = '{kind}'\npaths = ['p']\n"
    )
    for name, text in {"a": "Text.", "b": SLOW, "c": "Text."}.items():
        (tmp_path / "p" / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    spend_for_slow_pages(monkeypatch)
    diagnostics = Diagnostics()
    read_inputs(tmp_path, diagnostics)
    assert [(each.code, each.path) for each in diagnostics.errors] == [
        ("file-too-complex", "p/b.md")
    ]


def test_a_program_that_takes_too_long_has_no_definitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kbc.languages import syntax

    (tmp_path / "a.py").write_text("def a():\n    return 1\n")
    monkeypatch.setattr(syntax, "symbols", lambda *_, **__: busy(60))
    diagnostics = Diagnostics()
    inputs = read_inputs(tmp_path / "a.py", diagnostics)
    assert inputs is not None
    assert [
        each.definitions for each in inputs.records["code"] if isinstance(each, CodeRecord)
    ] == [()]
    assert [(each.code, each.path) for each in diagnostics.warnings] == [
        ("file-too-complex", "a.py")
    ]


def test_a_collection_of_tests_that_takes_too_long_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kbc.frontends import FRONTENDS

    (tmp_path / "t").mkdir()
    (tmp_path / "kb.toml").write_text(
        "[kb]\nname = 'slow'\n[[collection]]\nname = 't'\nkind = 'tests'\npaths = ['t']\n"
    )
    (tmp_path / "t/a.feature").write_text("Feature: a\n  Scenario: b\n    Given c\n")

    def slow(
        _: Collection, files: Sequence[SourceFile], found: Diagnostics
    ) -> list[CompiledRecord]:
        files[0].text(found)
        busy(60)
        return []

    monkeypatch.setitem(FRONTENDS, "tests", slow)
    diagnostics = Diagnostics()
    read_inputs(tmp_path, diagnostics)
    assert ("file-too-complex", "t/a.feature") in {
        (each.code, each.path) for each in diagnostics.errors
    }


def test_a_conversion_that_takes_too_long_leaves_its_file_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kbc.formats import notebook

    (tmp_path / "a.md").write_text("# Sound\n\nText.\n")
    (tmp_path / "b.ipynb").write_text("{}")
    monkeypatch.setattr(notebook, "convert", lambda *_, **__: busy(60))
    diagnostics = Diagnostics()
    inputs = read_inputs(tmp_path, diagnostics)
    assert inputs is not None
    assert [each.path for found in inputs.records.values() for each in found] == ["a.md"]
    (found,) = diagnostics.warnings
    assert (found.code, found.path) == ("notebook-invalid", "b.ipynb")
    assert found.message == "the file takes too long to be read; the file was left out"


def test_what_other_threads_use_counts_for_no_file() -> None:
    others = [Thread(target=busy, args=(0.6,)) for _ in range(2)]
    with limited("a.md", 0):
        for each in others:
            each.start()
        for each in others:
            each.join()


def test_an_inner_limit_leaves_the_outer_one_and_both_end() -> None:
    def both() -> None:
        with limited("a.md", 0):
            with limited("b.md", 0):
                busy(0.1)
            busy(60)

    with pytest.raises(OutOfTimeError) as caught:
        both()
    assert caught.value.path == "a.md"
    busy(0.7)  # after the limit


def test_a_larger_file_has_more_time() -> None:
    with limited("a.md", 10_000):
        busy(0.7)
