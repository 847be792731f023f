"""Diagnostics: order, deduplication and rendering."""

from __future__ import annotations

import pytest

from kbc.diagnostics import BuildError, Diagnostics


def test_findings_come_in_order_of_place_and_once() -> None:
    diagnostics = Diagnostics()
    diagnostics.warning("w", "later", "b.md", 2)
    diagnostics.error("e", "ten", "a.md", 10)
    diagnostics.error("e", "two", "a.md", 2)
    diagnostics.error("e", "two", "a.md", 2)
    assert [(found.path, found.line) for found in diagnostics] == [
        ("a.md", 2),
        ("a.md", 10),
        ("b.md", 2),
    ]
    assert len(diagnostics.errors) == 2
    assert len(diagnostics.warnings) == 1


def test_warnings_alone_do_not_stop_a_build() -> None:
    diagnostics = Diagnostics()
    diagnostics.warning("w", "careful")
    diagnostics.raise_if_errors()
    diagnostics.error("e", "broken")
    with pytest.raises(BuildError, match="1 error in"):
        diagnostics.raise_if_errors()


def test_a_finding_is_one_line_and_a_hint() -> None:
    diagnostics = Diagnostics()
    diagnostics.error("bad-thing", "'x' is bad", "a\nb.md", 3, 4, "Mend it.")
    (found,) = diagnostics
    assert str(found) == "a\\nb.md:3:4: error[bad-thing]: 'x' is bad\n  hint: Mend it."
    assert found.as_dict()["path"] == "a\nb.md"


def test_names_in_a_message_do_not_write_into_the_terminal() -> None:
    diagnostics = Diagnostics()
    diagnostics.warning("x", "as \x1b[2J.md, a\rb\nc, \u202edm. and 海\u3000鳥", hint="\x9bm")
    (found,) = diagnostics
    assert str(found) == (
        "warning[x]: as \\x1b[2J.md, a\\rb\\nc, \\u202edm. and 海\u3000鳥\n  hint: \\x9bm"
    )


def test_fields_without_a_value_are_left_out_of_json() -> None:
    diagnostics = Diagnostics()
    diagnostics.note("n", "by the way")
    (found,) = diagnostics
    assert found.as_dict() == {"severity": "note", "code": "n", "message": "by the way"}
