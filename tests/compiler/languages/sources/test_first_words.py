"""Definitions of languages that kbc has no grammar of, by the words that begin them."""

from __future__ import annotations

import pytest

from kbc.languages.definitions.symbol import MAX_DEPTH, walk
from kbc.languages.suffixes import without_grammar
from kbc.languages.syntax import symbols

MODEL = """% How tanks are filled.
include "pumps.mzn";

/** @group tanks
  Requires that tank \\a t is full:

predicate shown(int: t);
*/
predicate full(
  array [int] of var int: level,
  int: t,
) =
  let {
    function int: local(int: x) = x;
  } in level[t] = 9;

% Litres, in any unit.
function array [int] of var float: litres(
  int: t
) = [];
function var int: '++'(int: x, int: y);
annotation sealed;
constraint full(level, 1);
"""

SHELL = """# Fills a tank.
#
# ```
# fn shown { }
# ```
fn fill-up {|&by=1 tank|
    fn local { }
}

use str
fn '<=s' {|@number| }
var dev-null
"""

TYPES = """pub class Tank : Vessel {
  # How full it is.
  level : int

  @sealed
  async def fill(by : int) {
    var left = by
  }
  def drain()
}

module Sea
def rise() = 1
def "sea level" [by: int] { }
fn (mut tank Tank) empty() {
}
@[simp] theorem Tank.is_full (t : Tank) :
    t = t := rfl
"""

LISP = """(import sea)
; Fills it.
(defn fill!
  [tank]
  (def local 1))

(def- litres 40)
(def Tank @{})
(defmacro twice [x]
  x)
"""


def found(text: str, language: str) -> list[tuple[str, str, int, int, int]]:
    """Kind, name, first line with comments, own line and last line of each definition in `text`."""
    return [
        (each.kind, each.name, each.line, each.own_line, each.end_line)
        for each in walk(symbols(text, language=language))
    ]


def test_a_model_has_its_predicates_and_functions_with_the_comments_above() -> None:
    assert found(MODEL, "mzn") == [
        ("function", "full", 4, 9, 15),
        ("function", "litres", 17, 18, 20),
        ("function", "++", 21, 21, 21),
        ("constant", "sealed", 22, 22, 22),
    ]
    first = symbols(MODEL, language="mzn")[0]
    assert first.signature == "predicate full( array [int] of var int: level, int: t, )"


def test_a_script_has_its_functions_and_variables() -> None:
    assert found(SHELL, "elv") == [
        ("function", "fill-up", 1, 6, 8),
        ("function", "<=s", 11, 11, 11),
        ("constant", "dev-null", 12, 12, 12),
    ]


def test_types_have_their_members() -> None:
    assert found(TYPES, "kk") == [
        ("class", "Tank", 1, 1, 10),
        ("method", "fill", 5, 6, 8),
        ("method", "drain", 9, 9, 9),
        ("module", "Sea", 12, 12, 12),
        ("function", "rise", 13, 13, 13),
        ("function", "sea level", 14, 14, 14),
        ("function", "empty", 15, 15, 16),
        ("function", "Tank.is_full", 17, 17, 18),
    ]


def test_forms_of_lisps_define_what_they_name() -> None:
    assert found(LISP, "janet") == [
        ("function", "fill!", 2, 3, 5),
        ("constant", "litres", 7, 7, 7),
        ("constant", "Tank", 8, 8, 8),
        ("macro", "twice", 9, 9, 10),
    ]


@pytest.mark.parametrize("text", ["class A {\n", "  " * 3 + "fn a\n", "/*\n", "(def\n", "\n"])
def test_what_is_not_closed_takes_no_more_than_the_text(text: str) -> None:
    assert all(each[4] <= 5_000 for each in found(text * 5_000, "mzn"))


def test_types_in_types_are_nested_no_deeper_than_in_other_languages() -> None:
    text = "".join(f"{' ' * depth}class Tank {{\n" for depth in range(100))
    assert len(found(text, "wren")) == MAX_DEPTH + 1


def test_only_programs_in_languages_without_a_name_are_read_so() -> None:
    assert without_grammar("models/tanks.mzn") == "mzn"
    assert [*map(without_grammar, ("tanks.txt", "tanks.py", "mzn", "README"))] == [""] * 4
