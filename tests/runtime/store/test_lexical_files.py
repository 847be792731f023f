"""Dictionaries and posting lists that claim more than they hold, which the engine would believe."""

from __future__ import annotations

import itertools
import json
import random
import string
import struct
from pathlib import Path

import pytest
from benchmarks.resealed import bytes_mutated, reseal

from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.search.lexical_schema import META
from kb_runtime.store.lexical_files import check_lexical_files
from kbc.backends.lexical import write_lexical
from kbc.pipeline.build import BuildOptions, build
from kbc.records import CompiledChunk

FAR = 130
"""Between chunks that name the weir: a difference of two bytes."""
WEIR = b"\x80" + b"\x02\x81" * 5 + b"\x81" * 6
"""Six chunks, `FAR` from each other, each of which has the word once."""
OFTEN = b"\x80" + b"\x81" * 5 + b"\x7f\x7f\x7f\x7f\x87" + b"\x81" * 4 + b"\x01\x80"
"""Six chunks, of which the first has the word 2,147,483,647 times."""
BEGIN = struct.pack("<QQ", 2, 0)
FORK = b"\x01\x01ba\x10\x02"
"""Two arcs to the node before."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chance = random.Random(1)
    words = ["".join(chance.choices(string.ascii_lowercase, k=7)) for _ in range(6 * FAR)]
    texts = [f"Round {row} of the vote on {word}." for row, word in enumerate(words)]
    texts[::FAR] = [f"{text} The weir rises." for text in texts[::FAR]]
    chunks = [
        CompiledChunk(
            collection="docs", text=text, record_id=str(row), index=0, start_line=1, end_line=1
        )
        for row, text in enumerate(texts)
    ]
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {})
    return tmp_path / "lexical"


def check(folder: Path) -> None:
    check_lexical_files(str(folder), json.loads((folder / META).read_text()))


def often(folder: Path) -> None:
    (path,) = folder.glob("*.idx")
    data = path.read_bytes()
    assert WEIR in data
    path.write_bytes(data.replace(WEIR, OFTEN))


def explosive(folder: Path) -> None:
    """Spells two to the power of 40 terms in the dictionary with the most bytes."""
    (path,) = folder.glob("*.term")
    data = bytearray(path.read_bytes())
    starts = [at for at in range(len(data)) if data.startswith(BEGIN, at)]
    size, start = max((after - at, at) for at, after in itertools.pairwise(starts))
    (end,) = (
        at
        for at in range(start, start + size)
        if struct.unpack_from("<Q", data, at + 8)[0] == at - start - 1 > FAR
    )
    nodes = b"\x00\x00ba\x10\x02" + FORK * 39
    data[start + len(BEGIN) : start + len(BEGIN) + len(nodes)] = nodes
    struct.pack_into("<Q", data, end + 8, len(BEGIN) + len(nodes) - 1)
    path.write_bytes(data)


def test_what_the_compiler_writes_is_sound(folder: Path) -> None:
    check(folder)


def test_a_frequency_without_its_positions_is_refused(folder: Path) -> None:
    often(folder)
    with pytest.raises(ValueError, match="as often in its chunks as it has positions"):
        check(folder)


def test_a_dictionary_that_spells_more_than_it_counts_is_refused(folder: Path) -> None:
    explosive(folder)
    with pytest.raises(ValueError, match="its terms are not the"):
        check(folder)


def test_a_number_has_at_most_64_bits(folder: Path) -> None:
    (path,) = folder.glob("*.idx")
    data = path.read_bytes()
    length, _ = struct.unpack_from("<II", data, len(data) - 8)
    footer = data[len(data) - 8 - length :]
    table = bytes(1_000_000)
    path.write_bytes(
        data[: len(data) - 12 - length] + table + struct.pack("<I", len(table)) + footer
    )
    with pytest.raises(ValueError, match="is not sound: a number has more than 64 bits"):
        check(folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["term", "idx", "pos"])
def test_damage_is_a_sentence_with_the_name_of_the_file(folder: Path, kind: str) -> None:
    (path,) = folder.glob(f"*.{kind}")
    data, chance, said = path.read_bytes(), random.Random(kind), []
    for _ in range(60):
        path.write_bytes(bytes_mutated(data, chance))
        try:
            check(folder)
        except ValueError as error:
            said.append(str(error))
    assert len(said) > 10
    assert [each for each in said if "is not sound" not in each] == []


def test_verify_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "kb/docs").mkdir(parents=True)
    (tmp_path / "kb/kb.toml").write_text('[kb]\nname = "demo"\n')
    (tmp_path / "kb/docs/gate.md").write_text("# Gate\n\nA gate lets water through.\n")
    options = BuildOptions(out=tmp_path / "out", cache=tmp_path / "cache", embed=False)
    made = build(tmp_path / "kb", options).path
    manifest = json.loads((made / "manifest.json").read_text())
    (path,) = (made / "lexical").glob("*.idx")
    data = bytearray(path.read_bytes())
    data[9] = 0  # the frequency of the first term
    name = path.relative_to(made).as_posix()
    assert verify(made).ok
    reseal(made, {name: bytes(data)}, manifest)
    (problem,) = verify(made).problems
    assert (problem.code, problem.path) == ("inconsistent", "lexical")
    assert "is not sound" in problem.message
