"""Docutils with the state machine for nested text reads what its own reads, and as long as it may."""

from __future__ import annotations

import pytest
from docutils.parsers.rst import states
from tests.compiler.formats.samples import RST, read

from kbc.diagnostics import TAKES_TOO_LONG, OutOfTimeError
from kbc.formats import convert
from kbc.formats.rst import reader
from kbc.formats.rst.machine import NestedMachine

NESTED = b"""Title
=====

* item

  1. first::

         code

  2. second

     term : kind
         meaning

     :field: value

* another

  | line
  |   block

  .. note:: read

     -o FILE  an option
     --long   another

  >>> doctest

  +---+---+
  | a | b |
  +---+---+

not closed `text

* list without end
text
"""


@pytest.mark.parametrize("source", [RST, NESTED], ids=["sample", "nested"])
def test_nested_text_is_read_as_docutils_reads_it(
    source: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = convert("docs/a.rst", source, read)
    built: list[int] = []
    added = NestedMachine.add_states

    def counted(self: NestedMachine, classes: object) -> None:
        added(self, classes)  # type: ignore[arg-type]
        built.append(len(self.states))

    monkeypatch.setattr(NestedMachine, "add_states", counted)
    assert convert("docs/a.rst", source, read) == found
    assert built
    assert not any(built)  # a new machine has no state yet
    monkeypatch.setattr(reader, "NestedMachine", states.NestedStateMachine)
    assert convert("docs/a.rst", source, read) == found


def test_of_an_option_that_is_given_twice_the_last_counts() -> None:
    source = (
        ".. changelog::\n   :version: 1.2\n   :released: May\n   :released: June\n\n"
        "   .. change::\n      :tags: orm\n\n      It flies.\n\n"
        ".. changelog_imports::\n\n   .. include:: older.rst\n"
    )
    (found,) = convert("a.rst", source.encode(), lambda _: None)
    assert found.text == "**1.2 – June**\n\nIt flies.\n"
    assert not found.problems


def test_titles_in_a_directive_have_styles_of_their_own() -> None:
    source = (
        "====\nLogs\n====\n\n.. only:: draft\n\n   Later\n   ^^^^^\n\n   Soon.\n\n1.0\n===\n\nIt flies.\n\n"
        "Fixes\n-----\n\nAll.\n"
    )
    (found,) = convert("a.rst", source.encode(), lambda _: None)
    assert found.text == (
        "# Logs\n\n## Later\n\nSoon.\n\n## 1.0\n\nIt flies.\n\n### Fixes\n\nAll.\n"
    )
    assert not found.problems


def test_terms_of_a_glossary_may_share_a_definition() -> None:
    source = (
        ".. glossary::\n   :sorted:\n\n   nest\n   eyrie\n      Where it is.\n\n      High up.\n\n"
        "   .. no term\n\n   egg\n      Round.\n"
    )
    (found,) = convert("a.rst", source.encode(), lambda _: None)
    assert found.text == (
        "- **nest, eyrie**\n\n  Where it is.\n\n  High up.\n\n- **egg**\n\n  Round.\n"
    )
    assert not found.problems


@pytest.mark.parametrize("stops", ["Parser.parse", "references.Footnotes.apply"])
def test_a_file_that_takes_too_long_is_said_to(stops: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_time(*_: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr(f"kbc.formats.rst.reader.{stops}", out_of_time)
    (found,) = convert("a.rst", b"Text.\n", {}.get)
    assert [each.message for each in found.problems] == [TAKES_TOO_LONG]
