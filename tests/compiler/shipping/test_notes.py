"""Release notes."""

from __future__ import annotations

from tests.compiler.shipping.conftest import Ship

from kb_runtime.knowledge.examination.comparison import CollectionDiff, Diff
from kbc.shipping.notes import notes
from kbc.shipping.product import product


def test_notes_list_changed_records_and_settings(ship: Ship) -> None:
    docs = CollectionDiff(added=("b.md", "c.md"), changed=(), removed=("a.md",))
    settings = {"title": ("Small", "Small | large")}
    diff = Diff("1111", "2222", {"docs": docs}, settings, {}, {}, ())
    text = notes(product(ship(name="small")), "2222", diff, {}, {"small.whl": 2048})
    assert "### docs: 2 added, 1 removed\n\n- added: `b.md`, `c.md`\n- removed: `a.md`\n\n" in text
    assert "\n| `title` | Small | Small \\| large |\n" in text
    assert text.endswith("| file | size |\n| --- | --- |\n| small.whl | 2.0 kB |\n")


def test_notes_of_a_first_release_say_so(ship: Ship) -> None:
    text = notes(product(ship(name="small")), "2222", None, {}, {})
    assert "\n\nBuild `2222`.\n\n## Changes\n\nThe first release.\n\n## Files\n\n" in text
