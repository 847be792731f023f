from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks import faults

import kb_runtime
import kbc
from kbc.backends.lexical import write_lexical
from kbc.linking.linker import Published
from kbc.records import CompiledChunk

Publish = Callable[..., Published]

ROOT = Path(__file__).parents[2]
ENTRIES = {"docs": [{"id": f"page{n}", "text": f"words about sets, number {n}"} for n in range(9)]}


def write_index(folder: Path) -> None:
    chunks = [
        CompiledChunk(
            collection="docs",
            record_id=entry["id"],
            index=0,
            text=entry["text"],
            start_line=1,
            end_line=2,
        )
        for entry in ENTRIES["docs"]
    ]
    write_lexical(folder / "lexical", chunks, {"docs": 0}, {})


def run_faults(
    artifact: Path, *options: object, first_on_path: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    packages = (Path(module.__file__ or "").parents[1] for module in (kbc, kb_runtime))
    paths = [first_on_path, ROOT, *packages]
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.faults", str(artifact), *map(str, options)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_no_random_fault_crashes_or_gives_a_wrong_answer_unsaid(publish: Publish) -> None:
    build = publish(ENTRIES, more_sections=write_index).path
    done = run_faults(build.parent, "--count", 300, "--seed", 300)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "300 faults" in done.stdout


def test_damage_that_is_not_noticed_misses_the_bar(publish: Publish, tmp_path: Path) -> None:
    """The benchmark itself can fail: here the hashes of files are not compared."""
    build = publish(ENTRIES).path
    (tmp_path / "sitecustomize.py").write_text(
        "from kb_runtime.store.manifest import Manifest\nManifest.check_file = lambda *_: None\n"
        "Manifest.open_checked = lambda self, paths, read: read()\n"
    )
    done = run_faults(build, "--count", 60, first_on_path=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "wrong: catalog/" in done.stdout


def test_a_fault_that_is_taken_back_leaves_content_and_times(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(b"0123456789")
    os.utime(file, (1, 1))
    with faults.damaged(tmp_path, faults.Fault("manifest.json", 4, None)):
        assert file.read_bytes() == b"0123"
    assert (file.read_bytes(), file.stat().st_mtime) == (b"0123456789", 1)
