"""Files that other processes convert give the same as those that the build converts itself."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import kbc
from kbc.cache.phases import PhaseCache, remembering, spreading
from kbc.diagnostics import Diagnostics
from kbc.execution import converters
from kbc.execution.converters import Converters
from kbc.formats import ConversionRequest, convert_each
from kbc.pipeline.build import differing_files
from kbc.pipeline.reading import read_inputs
from kbc.project.include_tree import IncludeTree
from kbc.project.source_file import SourceFile

PAGES = 18
BOOK = ":kite: the Falcon\n= Kites\n\n" + "".join(
    f"include::b{number:02}.adoc[]\n\n" for number in range(3)
)


def write_tree(root: Path) -> Path:
    """A site with pages in four formats that include and name each other, some with mistakes."""
    files: dict[str, str | bytes] = {
        "kb.toml": '[kb]\nname = "kites"\n',
        "docs/run.py": "print('flies')\n",
        "docs/part.inc": "Wind from the :ref:`north`.\n",
        "docs/blank.rst": " \n",
        "docs/latin.rst": b"Caf\xe9\n====\n\nText.\n",
        "docs/damaged.ipynb": "{",
        "docs/book.adoc": BOOK,
        "docs/north.rst": ".. _north:\n\nThe north\n=========\n\nCold.\n",
    }
    for number in range(PAGES):
        title = f"Page {number}"
        files[f"docs/a{number:02}.rst"] = (
            f"{title}\n{'=' * len(title)}\n\n.. include:: part.inc\n\n"
            f"See :doc:`a{(number + 1) % PAGES:02}` and :doc:`gone`.\n\n"
            + (".. literalinclude:: run.py\n\n" if number % 3 == 0 else "")
            + (".. literalinclude:: gone.py\n\n" if number % 5 == 0 else "")
            + ("=====  ====\na\n=====  ====\nb  c\n\nText.\n" if number % 7 == 0 else "")
        )
        files[f"docs/b{number:02}.adoc"] = (
            f"[[kite-{number}]]\n= Kite {number}\n\nOf {{kite}}, after <<kite-{number - 1}>>.\n\n"
            + ("include::gone.adoc[]\n" if number % 6 == 0 else "")
        )
        files[f"docs/c{number:02}.html"] = f"---\ntitle: {title}\n---\n<main><p>Kite {number}."
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def read(root: Path, help: Converters | None = None, cache: Path | None = None) -> Any:
    """All that reading gives: records, diagnostics in order, files, and what was looked for outside."""
    diagnostics = Diagnostics()
    with closing(PhaseCache(cache)) as phases, remembering(phases):
        if help is None:
            found = read_inputs(root, diagnostics)
        else:
            with help, spreading("convert", help.spread):
                found = read_inputs(root, diagnostics)
    assert found is not None
    return found.records, list(diagnostics), found.files, found.beyond


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each file that was asked for, whether another process had it."""
    found: list[bool] = []
    receive = Converters._received

    def counted(self: Converters, *arguments: Any) -> Any:
        result = receive(self, *arguments)
        found.append(result is not None)
        return result

    monkeypatch.setattr(Converters, "_received", counted)
    return found


def test_processes_give_the_same_records_and_diagnostics(
    tmp_path: Path, received: list[bool]
) -> None:
    root = write_tree(tmp_path / "kb")
    alone = read(root)
    codes = {each.code for each in alone[1]}
    assert {
        "rst-syntax",
        "unresolved-directive",
        "file-empty",
        "file-not-utf8",
        "notebook-invalid",
    } <= codes
    assert read(root, Converters(2, worth_s=0), tmp_path / "cache") == alone
    assert any(received)
    assert not all(received)  # the build itself converts, too
    received.clear()
    assert read(root, Converters(2, worth_s=0), tmp_path / "cache") == alone
    assert read(root, cache=tmp_path / "cache") == alone
    assert not any(received)  # nor is a file with an error worth a process
    (root / "docs/part.inc").write_text("Wind from the south.\n")
    changed = read(root)
    assert changed != alone
    assert read(root, Converters(3, worth_s=0), tmp_path / "cache") == changed
    assert any(received)


def test_builds_with_one_and_two_jobs_publish_the_same_bytes(
    tmp_path: Path, received: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converters, "WORTH_S", 0)
    monkeypatch.setattr(converters, "_processors", lambda: 2)
    root = write_tree(tmp_path / "kb")
    one, two = (
        kbc.build(root, kbc.BuildOptions(out=tmp_path / str(jobs), embed=False, jobs=jobs)).path
        for jobs in (1, 2)
    )
    assert any(received)
    assert one.name == two.name
    assert differing_files(one, two) == []


def test_processes_read_pages_of_html(tmp_path: Path, received: list[bool]) -> None:
    (tmp_path / "p").mkdir()
    for number in range(PAGES):
        # Without an encoding, what is no Latin letter between others is in an unknown script.
        meta, text = (
            ("<meta charset=latin1>", "Caf\xe9") if number % 2 else ("", "\xca\xe0\xf4\xe5")
        )
        page = f"<main><h1>Kite {number}</h1><p>{text}.</main>" if number % 9 else "<nav>x</nav>"
        (tmp_path / f"p/{number:02}.html").write_bytes((meta + page).encode("latin1"))
    (tmp_path / "kb.toml").write_text(
        '[kb]\nname = "kites"\n[[collection]]\nname = "p"\nkind = "pages"\npaths = ["p"]\n'
    )
    alone = read(tmp_path)
    assert {each.code for each in alone[1]} == {"page-without-content", "file-not-utf8"}
    assert len(alone[0]["p"]) == 1 + sum(1 for n in range(PAGES) if n % 9 and n % 2)
    assert alone[0]["p"][1].text == "# Kite 1\n\nCaf\xe9.\n"
    assert read(tmp_path, Converters(2, worth_s=0), tmp_path / "cache") == alone
    assert any(received)
    received.clear()
    assert read(tmp_path, cache=tmp_path / "cache") == alone
    assert not received


@pytest.mark.parametrize(
    "program",
    [
        "raise SystemExit(1)",
        "import os, pickle, sys; pickle.load(sys.stdin.buffer); os._exit(1)  # {!r}",
        "import sys; sys.stdout.write('no pickle' * 9)  # {!r}",
    ],
)
def test_what_a_lost_process_had_is_converted_by_the_build(
    program: str, tmp_path: Path, received: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path)
    alone = read(root)
    monkeypatch.setattr(converters, "_SERVE", program)
    assert read(root, Converters(3, worth_s=0)) == alone
    assert received
    assert not any(received)


def test_without_a_program_to_start_the_build_converts_everything(
    tmp_path: Path, received: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path)
    alone = read(root)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    assert read(root, Converters(3, worth_s=0)) == alone
    monkeypatch.setattr(sys, "executable", "")
    assert read(root, Converters(3, worth_s=0)) == alone
    assert not any(received)


def test_without_a_further_thread_the_build_converts_everything(
    tmp_path: Path, received: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_arguments: Any) -> None:
        raise RuntimeError("can't start new thread")

    root = write_tree(tmp_path)
    alone = read(root)
    monkeypatch.setattr(converters.ThreadPoolExecutor, "submit", refused)
    assert read(root, Converters(3, worth_s=0)) == alone
    assert not any(received)


def test_few_pages_start_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Converters, "_process", lambda self: pytest.fail("started"))
    read(write_tree(tmp_path), Converters(8))


def test_what_a_process_read_must_be_what_the_build_reads(
    tmp_path: Path, received: list[bool]
) -> None:
    root = write_tree(tmp_path)
    tree = IncludeTree(root)
    files = [
        SourceFile(
            f"docs/a{number:02}.rst", (root / f"docs/a{number:02}.rst").read_bytes(), tree=tree
        )
        for number in range(PAGES)
    ]
    requests = [
        ConversionRequest(path=file.path, data=file.data, read=file.include) for file in files
    ]
    before = list(convert_each(requests))
    (root / "docs/run.py").write_text("print('changed meanwhile')\n")  # the tree keeps what it read
    with (
        remembering(PhaseCache(None)),
        Converters(2, worth_s=0) as help,
        spreading("convert", help.spread),
    ):
        assert list(convert_each(requests)) == before
    assert any(received)
