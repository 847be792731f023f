"""Builds while everything around them moves: other builders, files, folders, the cache, the disk."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.end_to_end.building.watched import command, event, live_text, write_kb
from tests.end_to_end.edits import Author, cache_with, clean_build, hurt
from tests.waiting import PATIENCE_S

from kb_runtime.knowledge.examination.verification import verify
from kbc.diagnostics import BuildError
from kbc.pipeline.build import BuildOptions, build, differing_files
from kbc.pipeline.checking import check

MEGABYTE = 1 << 20


@contextmanager
def meanwhile(step: Callable[[], object]) -> Iterator[None]:
    """Takes a step again and again, in another thread, while the body runs."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while not stop.is_set():
                step()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert failures == []


@pytest.mark.slow
def test_a_cache_that_is_hurt_while_builds_run_changes_no_byte(
    tmp_path: Path, graphs: Path
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    author, chance = Author(root, 21), random.Random(21)
    pause = threading.Event()

    def harm() -> None:
        with suppress(FileNotFoundError, ValueError):  # deleted, or empty already
            hurt(cache, chance)
        pause.wait(0.02)

    for _ in range(5):
        with meanwhile(harm):
            report = build(root, BuildOptions(out=tmp_path / "out", cache=cache))
        clean = clean_build(root, tmp_path / "clean", graphs)
        assert differing_files(report.path, clean.path) == []
        author.edit()
        (root / "docs" / "always.md").write_text(f"# Always\n\n{chance.random()}\n")


@pytest.mark.slow
def test_builders_of_one_output_wait_for_each_other(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    roots = [write_kb(tmp_path / name) for name in ("one", "two")]
    for number, root in enumerate(roots):
        (root / "docs" / "page.md").write_text(f"# Page\n\nOf builder {number}.\n")
    arguments = ("--out", str(tmp_path / "out"), "--no-cache", "--lexical-only", "--quiet")
    builders = [
        subprocess.Popen(
            [sys.executable, "-m", "kbc", "build", str(root), *arguments],
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for root in roots * 2
    ]
    for builder in builders:
        _, errors = builder.communicate(timeout=PATIENCE_S)
        assert (builder.returncode, errors) == (0, "")
    assert verify(tmp_path / "out" / "demo").ok
    assert "Of builder" in live_text(tmp_path / "out")
    assert not list((tmp_path / "out" / "demo").glob(".tmp-*"))


@pytest.mark.slow
def test_a_file_that_changes_while_it_is_read_gives_one_of_its_states(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb")
    page = root / "docs" / "page.md"
    states = [f"# Page\n\n{letter * 60_000}\n" for letter in "ab"]
    page.write_text(states[0])
    chance = random.Random(5)

    def save() -> None:
        """As editors do: a new file in place of the old one."""
        new = root / ".page.new"
        new.write_text(chance.choice(states))
        new.replace(page)

    with meanwhile(save):
        for _ in range(5):
            build(root, BuildOptions(out=tmp_path / "out", embed=False))
            text = live_text(tmp_path / "out")
            assert text.count("a" * 100) == 0 or text.count("b" * 100) == 0
    assert verify(tmp_path / "out" / "demo").ok


@pytest.mark.slow
def test_a_folder_that_becomes_a_file_while_it_is_read_is_told_or_read(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb")
    docs = root / "docs"

    def swap() -> None:
        shutil.rmtree(docs)
        docs.write_text("# A file\n\nIn the way.\n")
        docs.unlink()
        docs.mkdir()
        (docs / "page.md").write_text("# Page\n\nThe first text.\n")

    with meanwhile(swap):
        codes = {found.code for _ in range(300) for found in check(root)}
        for _ in range(3):
            with suppress(BuildError):
                build(root, BuildOptions(out=tmp_path / "out", embed=False))
    assert codes <= {
        "path-missing",
        "folder-unreadable",
        "file-unreadable",
        "collection-path-empty",
        "file-empty",
        "no-records",
        "encoding",
    }
    build(root, BuildOptions(out=tmp_path / "out", embed=False))
    assert verify(tmp_path / "out" / "demo").ok


def test_a_version_of_another_format_is_replaced_and_not_served(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb")
    options = BuildOptions(out=tmp_path / "out", embed=False)
    report = build(root, options)
    manifest = report.path / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"format": 1', b'"format": 2'))
    again = build(root, options)
    assert (again.build_id, again.reused) == (report.build_id, False)
    assert verify(tmp_path / "out" / "demo").ok


@pytest.mark.slow
def test_a_watcher_on_a_full_disk_says_so_and_publishes_once_there_is_space(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root, out = write_kb(tmp_path / "kb"), tmp_path / "out"
    page = root / "docs" / "page.md"
    with command(environment, root, "--out", out, "--no-cache", "--json") as process:
        event(process)
        _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100, hard))
        page.write_text("# Page\n\nThere is no room.\n")
        failed = event(process)
        assert "first text" in live_text(out)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (MEGABYTE, hard))
        page.write_text("# Page\n\nThere is room again.\n")
        built = event(process)
    assert "the limit of file sizes is reached" in failed["error"]["message"]
    assert built["event"] == "built"
    assert "room again" in live_text(out)
    assert not list((out / "demo").glob(".tmp-*"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are Unicode")
def test_a_file_whose_name_is_not_utf8_is_a_warning_in_the_artifact(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.md").write_text("# A\n\nText.\n")
    Path(os.fsdecode(os.fsencode(pages) + b"/b\xff.md")).write_text("# B\n\nText.\n")
    arguments = [str(pages), "--out", str(tmp_path / "out"), "--lexical-only", "--json"]
    built = subprocess.run(
        [sys.executable, "-m", "kbc", "build", *arguments],
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=True,
    )
    assert json.loads(built.stdout)["diagnostics"][0]["path"] == r"b\udcff.md"
    listed = subprocess.run(
        [sys.executable, "-m", "kbc", "inspect", str(pages), "--files"],
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=True,
    )
    assert b"not readable  b\xff.md" in listed.stdout
    assert verify(tmp_path / "out" / "pages").ok
