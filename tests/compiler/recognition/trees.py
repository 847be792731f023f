"""Small trees of our own, each as a generator or registry lays one out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kbc.diagnostics import Diagnostics
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.reading import read_inputs
from kbc.recognition.detection import Recognition, recognise
from kbc.records import CompiledRecord

PAGE = "# {title}\n\nWhat {title} is about.\n"


def write_tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def page(title: str) -> str:
    return PAGE.format(title=title)


def recognised(root: Path, name: str = "") -> Recognition:
    return recognise(root, root.parent / "cache", name)


def read(root: Path) -> tuple[Inputs, Diagnostics]:
    """What a build of `root` without a kb.toml reads; without errors, and with every file accounted
    for."""
    diagnostics = Diagnostics()
    inputs = read_inputs(recognised(root).project, diagnostics)
    assert inputs is not None
    assert [found.message for found in diagnostics.errors] == []
    _require_complete_account(inputs)
    return inputs, diagnostics


def _require_complete_account(inputs: Inputs) -> None:
    accounting = inputs.accounting
    accounting.complete(inputs.project.root)
    whole = tuple(accounting.folders)
    root = inputs.project.root
    on_disk = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    known = {each.path for each in accounting if not each.path.startswith("../")}
    assert {path for path in on_disk - known if not path.startswith(whole)} == set()
    assert len(accounting) == sum(accounting.counts().values())


def addresses(inputs: Inputs, collection: str = "docs") -> dict[str, str]:
    """Id -> address of the records of a collection, in their order."""
    return {record.id: record.url for record in inputs.records[collection]}


def titles(records: Sequence[CompiledRecord]) -> dict[str, str]:
    return {record.id: record.title for record in records}
