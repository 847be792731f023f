"""The benchmark of damaged files, on a few of each format: its bars hold, and it sees what misses one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import mutations

from kbc.languages.html.page import read_html

ROOT = Path(__file__).parents[2]
IN_PROCESS = [
    "markdown",
    "mdx",
    "html",
    "llms",
    "jsonl",
    "source",
    "toml",
    "cases",
    "code",
    "rst",
    "asciidoc",
    "notebook",
    "openapi",
    "pod",
    "texinfo",
    "rd",
    "docc",
    "zip",
    "tar",
]


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_few_damaged_files_of_each_format_are_read_or_refused_by_name(
    tmp_path: Path, name: str
) -> None:
    for number in range(12):
        path, data = mutations.damaged_file(name, number, 1)
        outcome, said = mutations.compile_file(tmp_path / "kb", path, data)
        assert outcome in (mutations.READ, mutations.REFUSED), (number, said)


@pytest.mark.slow
def test_the_command_counts_every_file() -> None:
    command = [sys.executable, "-m", "benchmarks.mutations", "markdown", "--count", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = done.stdout.splitlines()[1:]
    assert sum(map(int, row.split()[1:8])) == 3


@pytest.mark.slow
def test_damaged_files_that_programs_read_meet_the_bars() -> None:
    others = sorted(set(mutations.sound_files()) - set(IN_PROCESS))
    assert mutations.main([*others, "--count", "20"]) == 0


@pytest.mark.parametrize("name", mutations.sound_files())
def test_a_sound_file_of_each_format_is_read(tmp_path: Path, name: str) -> None:
    path, data = mutations.sound_files()[name]
    assert mutations.compile_file(tmp_path / "kb", path, data) == (mutations.READ, "")


def test_a_damaged_file_is_the_same_in_every_run_and_sound_only_by_chance() -> None:
    first = [mutations.damaged_file("html", number, 1) for number in range(20)]
    assert first == [mutations.damaged_file("html", number, 1) for number in range(20)]
    assert len(set(first)) > 15


def test_a_tab_panel_inside_of_a_list_of_tabs_is_read() -> None:
    page = (
        "<main><h1>T</h1><div role=tablist><button role=tab>A</button><div role=tabpanel>x</div></div>"
        "<div role=tabpanel>y</div></main>"
    )
    assert "y" in read_html(page).text


@pytest.mark.parametrize("number", [92, 100, 102])
def test_an_archive_with_damaged_data_is_refused_by_name(tmp_path: Path, number: int) -> None:
    path, data = mutations.damaged_file("zip", number, 1)
    outcome, said = mutations.compile_file(tmp_path / "kb", path, data)
    assert (outcome, "'docs.zip' cannot be unpacked" in said) == (mutations.REFUSED, True)


def test_an_encrypted_archive_is_refused_by_name(tmp_path: Path) -> None:
    data = bytearray(mutations.sound_files()["zip"][1])
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.index(header)
        data[start + flags] |= 1
    outcome, said = mutations.compile_file(tmp_path / "kb", "docs.zip", bytes(data))
    assert (outcome, "password" in said) == (mutations.REFUSED, True)
