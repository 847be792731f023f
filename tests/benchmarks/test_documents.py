"""`benchmarks.documents`: what it counts in a checkout, and which bars it sees missed."""

from __future__ import annotations

from pathlib import Path

from benchmarks.documents import Measured, measure, report, totals
from tests.compiler.recognition.trees import page, write_tree

FENCE = "# Dig\n\nWith a spade:\n\n```sh\ndig --deep\n```\n\n> ```sh\n> rest\n> ```\n"


def test_a_checkout_that_arrives_whole_misses_no_bar(tmp_path: Path) -> None:
    files = {
        "book.toml": '[book]\ntitle = "Well"\n',
        "src/SUMMARY.md": "# Summary\n\n- [Dig](dig.md)\n",
        "src/dig.md": f"{FENCE}\n```rust\n{{{{#include ../code/a.rs}}}}\n```\n",
        "code/a.rs": "fn main() {}\n",
        "picture.png": "x",
    }
    found = measure("well", write_tree(tmp_path / "well", files))
    assert (found.files, found.read, found.included, found.left) == (5, 1, 3, 1)
    assert (found.missing, found.reasons) == ([], {"format not read: .png": 1})
    assert (found.directives.total(), found.unresolved.total()) == (1, 0)
    assert found.blocks == found.whole == {"markdown": 2}
    assert found.missed() == []


def test_unresolved_directives_and_dead_anchors_are_missed_bars(tmp_path: Path) -> None:
    files = {
        "book.toml": "[book]\n",
        "src/SUMMARY.md": "# Summary\n\n- [A](a.md)\n- [B](b.md)\n",
        "src/a.md": f"{page('A')}\n[gone](#nowhere)\n",
        "src/b.md": f"{page('B')}\n{{{{#include ../missing.rs}}}}\n",
    }
    found = measure("a", write_tree(tmp_path / "a", files))
    assert found.false_anchors == ["src/a.md #nowhere"]
    assert found.directives == {"mdbook include": 1}
    assert (found.absent, found.unresolved.total(), found.elsewhere) == (1, 0, 0)
    found.blocks["markdown"], found.whole["markdown"] = 200, 198
    assert found.missed()[:2] == [
        "1 of 1 directives unresolved",
        "2 of 200 markdown blocks harmed",
    ]
    assert "missed: 1 dead anchors that nobody looked at" in report(found, width=8)


def test_totals_add_up_and_name_who_misses_a_bar() -> None:
    good = Measured("good", files=3, records=2, seconds=1.0)
    bad = Measured("bad", files=4, records=5, seconds=2.0, missing=["a.md"])
    first, second = totals([good, bad], width=5).split("\n")
    assert first.split()[:6] == ["total", "7", "0", "0", "0", "1"]
    assert first.split()[-2:] == ["7", "3"]
    assert second == "missed a bar: bad"
    assert totals([good], width=5).endswith("no bar is missed")
