"""What a folder without a kb.toml has of API entries, for the tests next to this module."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.records import BuiltinRecord

_PROJECT = {
    "README.md": "# Tank\n\nA library for tanks, and for what is filled into them.\n",
    "src/tank.c": "int x;\n",
}


def entries_of(root: Path, files: Mapping[str, str]) -> dict[str, BuiltinRecord]:
    """The entries of a project with these files, a README and a program, by id."""
    for name, text in {**_PROJECT, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = read_inputs(root, Diagnostics())
    assert found is not None
    records = found.records.get("entries", [])
    return {each.id: each for each in records if isinstance(each, BuiltinRecord)}
