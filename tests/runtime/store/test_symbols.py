"""Symbols as written by the back end and read back, and what verification finds in damaged ones."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.store.symbols import CALL, HEADER_BYTES, DefinitionRow, Symbols, UseRow
from kbc.backends.symbols import write_symbols

DEFINITIONS = (
    DefinitionRow("Pump", "class", 0, 1, 9, -1, 0),
    DefinitionRow("start", "method", 0, 2, 5, 0, 1),
    DefinitionRow("größe", "function", 2, 4, 4, -1, 0),
    DefinitionRow("start", "function", 2, 7, 8, -1, 3),
)
USES = {
    "start": [UseRow(2, 3, 8, CALL, True, 1), UseRow(0, 6, 1, CALL, False, -1)],
    "outside": [UseRow(1, 1, 1, 0, False, -1)],
}


def opened(folder: Path) -> Symbols:
    write_symbols(folder, "code", 3, DEFINITIONS, USES)
    return Symbols(str(folder / "catalog"), "code")


def test_definitions_and_uses_are_as_written(tmp_path: Path) -> None:
    symbols = opened(tmp_path)
    assert tuple(map(symbols.definition, range(symbols.definitions))) == DEFINITIONS
    number = symbols.find("start")
    assert number is not None
    assert symbols.definitions_of(number) == [1, 3]
    assert list(symbols.uses_of(number)) == sorted(USES["start"])
    outside = symbols.find("outside")
    assert outside is not None
    assert symbols.definitions_of(outside) == []
    assert symbols.find("stop") is None
    assert [symbols.name(each) for each in range(symbols.names)] == sorted(
        ["Pump", "start", "größe", "outside"], key=str.encode
    )


def test_places_in_a_file(tmp_path: Path) -> None:
    symbols = opened(tmp_path)
    assert list(symbols.definitions_in(0)) == [0, 1]
    assert list(symbols.definitions_in(1)) == []
    assert [symbols.around(0, line) for line in (1, 3, 6, 10)] == [0, 1, 0, -1]
    assert [symbols.use(row).line for row in symbols.uses_in(2, 1, 9)] == [3]
    (row,) = symbols.uses_in(0, 6, 6)
    assert symbols.name(symbols.name_of_use(row)) == "start"
    assert symbols.uses_in(0, 7, 9) == []


def test_names_by_a_pattern(tmp_path: Path) -> None:
    symbols = opened(tmp_path)
    found = [symbols.name(number) for number, _ in symbols.matching(re.compile("(?i)st|GRÖ"))]
    assert found == ["größe", "start"]


def test_a_tree_without_definitions(tmp_path: Path) -> None:
    write_symbols(tmp_path, "code", 2, [], {})
    symbols = Symbols(str(tmp_path / "catalog"), "code")
    assert (symbols.names, symbols.find("x"), list(symbols.matching(re.compile("")))) == (
        0,
        None,
        [],
    )
    assert list(symbols.inconsistencies()) == []


def test_what_was_written_is_consistent(tmp_path: Path) -> None:
    assert list(opened(tmp_path).inconsistencies()) == []


@pytest.mark.parametrize("bytes_less", [1, 4, 10_000])
def test_a_shortened_file_is_refused(tmp_path: Path, bytes_less: int) -> None:
    opened(tmp_path).close()
    path = tmp_path / "catalog" / "code.symbols"
    path.write_bytes(path.read_bytes()[:-bytes_less])
    with pytest.raises(ArtifactError, match="inconsistent"):
        Symbols(str(tmp_path / "catalog"), "code")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("ends", 1 << 30),
        ("name_definitions", 3),
        ("by_name", 0),
        ("by_name", 99),
        ("name_uses", 99),
        ("file_definitions", 99),
        ("name", 99),
        ("kind", 99),
        ("line", 1 << 20),
        ("parent", 4),
        ("use_file", 3),
        ("target", 99),
    ],
)
def test_an_altered_number_is_found(tmp_path: Path, column: str, value: int) -> None:
    symbols = opened(tmp_path)
    at = HEADER_BYTES
    for name, numbers in symbols.columns.items():
        if name == column:
            break
        at += 4 * len(numbers)
    symbols.close()
    path = tmp_path / "catalog" / "code.symbols"
    data = bytearray(path.read_bytes())
    data[at + 4 : at + 8] = struct.pack("<I", value)
    path.write_bytes(data)
    assert list(Symbols(str(tmp_path / "catalog"), "code").inconsistencies())
