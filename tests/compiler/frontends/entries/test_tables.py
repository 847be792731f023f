"""API entries of tables on pages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.compiler.frontends.entries.derived import entries_of

from kbc.diagnostics import Diagnostics
from kbc.frontends.entries.tables import entries_of_tables
from kbc.pipeline.reading import read_inputs
from kbc.records import BuiltinRecord, DocRecord

ROWS = [f"| `fill{at}` | tank, level | fills part {at} of the tank |" for at in range(10)]


def page(head: str, rows: Sequence[str], above: str = "# Tanks\n\nAll of them.\n") -> str:
    rule = "|".join(["---"] * head.count("|"))[3:]
    return f"{above}\n{head}\n{rule}|\n" + "\n".join(rows) + "\n\nThe end.\n"


def test_rows_of_a_table_of_functions_are_entries(tmp_path: Path) -> None:
    rows = [
        *ROWS,
        "| `drain`, `<<` operator | <ol><li>tank</li><li>how fast</li></ol> | drains the tank |",
        "| `empty`<br/>(not with [`flat`](a.md)) | _none_ | whether there is `a \\| b` in it |",
    ]
    found = entries_of(
        tmp_path, {"docs/tanks.md": page("| Function | Parameter(s) | Description |", rows)}
    )
    assert len(found) == 12
    fill = found["fill3"]
    assert (fill.signature, fill.description) == ("fill3(tank, level)", "fills part 3 of the tank")
    assert (fill.path, fill.line, fill.text) == ("docs/tanks.md", 10, f"{ROWS[3]}\n")
    assert fill.categories == ("tanks", "function")
    assert (found["drain"].signature, found["drain"].aliases) == ("drain(tank, how fast)", ("<<",))
    assert found["empty"].aliases == ()
    assert (found["empty"].signature, found["empty"].description) == (
        "empty()",
        "whether there is `a | b` in it",
    )


def test_forms_of_a_function_below_each_other_are_one_entry(tmp_path: Path) -> None:
    rows = [
        *ROWS,
        "| `split(text)` | - | splits at spaces |",
        "| `split(text, at)` | - | splits there |",
    ]
    found = entries_of(tmp_path, {"docs/a.md": page("| Method | Type | What it does |", rows)})
    assert found["split"].description == "splits at spaces\n\nsplits there"
    assert found["split"].text.count("\n") == 2


def test_properties_are_told_with_the_heads_of_their_columns(tmp_path: Path) -> None:
    rows = [
        *ROWS,
        "| `drain` | no | drains the whole tank | only with a pump that is on | |",
    ]
    head = "| Function | Safe | Description | Remarks | Since |"
    found = entries_of(tmp_path, {"docs/a.md": page(head, rows)})
    said = "drains the whole tank\n\nsafe: no\n\nonly with a pump that is on"
    assert found["drain"].description == said


def test_a_name_on_several_pages_is_told_apart_by_its_page(tmp_path: Path) -> None:
    head = "| Function | Parameters | Description |"
    found = entries_of(
        tmp_path, {"docs/tank.md": page(head, ROWS), "docs/lake.md": page(head, ROWS)}
    )
    assert {"tank/fill0", "lake/fill9"} <= {*found}
    assert found["lake/fill9"].name == "fill9"


def test_declarations_need_no_head(tmp_path: Path) -> None:
    rows = [f"| **fill{at}**(tank: Tank) -> int | fills part {at} of a tank |" for at in range(10)]
    above = "# Tank\n\n## Filling\n"
    found = entries_of(tmp_path, {"docs/a.md": page("|  |  |", rows, above)})
    entry = found["fill2"]
    assert entry.signature == "fill2(tank: Tank) -> int"
    assert entry.categories == ("tank", "filling", "function")


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("| Option | Default | Description |", "| `level{}` | 1 | how full the tank is |"),
        ("| Name | Default | Description |", "| `level{}` | 1 | how full the tank is |"),
        ("| Method | Path | Description |", "| `GET{}` | `/tank` | gives the whole tank |"),
        ("| Method | Before | After |", "| `fill{}` | 10 ms | 5 ms |"),
        ("| Function | Pros | Cons |", "| Filling {} | it is fast | it makes things wet |"),
        ("| Method | Pros | Cons |", "| `rsync{}` | fast and small and simple | needs a server |"),
        ("| Function | Key | Description |", "| `Ctrl+{}` | - | fills a part of the tank |"),
        ("| Operator | Associativity |", "| `+{}` | left to right |"),
        ("| Call | Result |", "| `fill({})` | the tank is full then |"),
        ("| Function | Description |", "| [`fill{}`](fill.md) | fills a part of the tank |"),
    ],
)
def test_tables_of_other_things_have_none(tmp_path: Path, head: str, row: str) -> None:
    rows = [row.format(at) for at in range(12)]
    assert entries_of(tmp_path, {"docs/a.md": page(head, rows)}) == {}


@pytest.mark.parametrize(
    "place", ["CHANGELOG.md", "docs/release-notes/1.0.md", "docs/third_party/a.md"]
)
def test_what_is_new_and_what_others_have_is_no_reference(tmp_path: Path, place: str) -> None:
    toml = '[kb]\nname = "tank"\n\n[[collection]]\nname = "docs"\nkind = "docs"\npaths = ["."]\n'
    text = page("| Function | Parameters | Description |", ROWS)
    assert entries_of(tmp_path / "a", {"kb.toml": toml, place: text}) == {}
    assert len(entries_of(tmp_path / "b", {"kb.toml": toml, "docs/a.md": text})) == 10


def test_methods_of_requests_are_none_of_a_program(tmp_path: Path) -> None:
    rows = ["| `GET` | gives the whole tank |", "| `PUT` | fills the whole tank |"]
    more = [f"| `LIST{at}` | gives a part of the tank |" for at in range(12)]
    head = "| Method | Description |"
    assert entries_of(tmp_path / "a", {"docs/a.md": page(head, rows + more)}) == {}
    assert len(entries_of(tmp_path / "b", {"docs/a.md": page(head, rows[:1] + more)})) == 13


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("| Function | Description |", "| `fill()`, `pump{}()` | fills a part of it |\n"),
        ("| Function" + " | a" * 50_000 + " |", "| `fill{}()` | fills a part of it |\n"),
    ],
)
def test_large_tables_are_read_in_linear_time(head: str, row: str) -> None:
    text = f"{head}\n|---|---|\n" + "".join(row.format(at) for at in range(20_000))
    record = DocRecord(
        id="a",
        collection="docs",
        title="A",
        path="a.md",
        text=text,
        group="",
        format="",
        content=text,
    )
    started = time.process_time()
    assert list(entries_of_tables([record]))
    assert time.process_time() - started < 5


def test_a_rule_in_a_table_begins_no_other(tmp_path: Path) -> None:
    head = "| Function | Description |"
    rows = [f"| `fill{at}` | fills part {at} of it |" for at in range(10)]
    text = page(head, [*rows, head, "|---|---|", *rows])
    found = entries_of(tmp_path, {"docs/a.md": text})
    assert [each.line for each in found.values()] == [*range(7, 17)]


def test_a_short_table_is_no_reference(tmp_path: Path) -> None:
    text = page("| Function | Parameters | Description |", ROWS[:9])
    assert entries_of(tmp_path, {"docs/a.md": text}) == {}


def test_few_names_on_many_pages_are_no_reference(tmp_path: Path) -> None:
    text = page(
        "| Operator | Description |", [f"| `={at}` | the same version as {at} |" for at in range(9)]
    )
    assert entries_of(tmp_path, {f"docs/{name}.md": text for name in "abc"}) == {}


def test_without_pages_or_with_entries_of_an_author_none_are_made(tmp_path: Path) -> None:
    text = page("| Function | Parameters | Description |", ROWS)
    own = "# API\n\n" + "".join(f"## e{at}\n\nSignature: `e: int`\n\nText.\n\n" for at in range(4))
    assert entries_of(tmp_path / "own", {"docs/a.md": text, "docs/builtin.md": own}) == {}
    toml = '[kb]\nname = "tank"\n\n[build]\nentries = false\n'
    assert entries_of(tmp_path / "off", {"docs/a.md": text, "kb.toml": toml}) == {}
    toml = '[kb]\nname = "tank"\n'
    found: dict[str, BuiltinRecord] = entries_of(
        tmp_path / "on", {"docs/a.md": text, "kb.toml": toml}
    )
    assert len(found) == 10


def test_a_note_says_how_many_there_are_and_kb_toml_may_weigh_them(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text(page("| Function | Parameters | Description |", ROWS))
    (tmp_path / "kb.toml").write_text('[kb]\nname = "a"\n[search]\nweights = { entries = 0.5 }\n')
    diagnostics = Diagnostics()
    inputs = read_inputs(tmp_path, diagnostics)
    assert inputs is not None
    assert inputs.project.search.weights == {"entries": 0.5}
    notes = [each.message for each in diagnostics if each.code == "derived-entries"]
    assert notes == [
        "the collection 'entries' has 10 API entries from headers, descriptions in JSON and tables of"
        " functions"
    ]
