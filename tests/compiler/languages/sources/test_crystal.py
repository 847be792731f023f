"""Definitions of Crystal, which is read without a grammar."""

from __future__ import annotations

from kbc.languages.definitions.symbol import MAX_DEPTH, walk
from kbc.languages.suffixes import language_of
from kbc.languages.syntax import symbols

TANK = """require "json"

# Holds water.
#
# ```
# class Shown
# end
# ```
@[Sealed]
abstract class Sea::Tank(T) < Vessel
  LITRES = 40
  record Level, litres : Int32

  # Fills it.
  memoize def fill(by : Int32,
                   from : Pump? = nil) : Level
    if by > LITRES
      raise <<-TEXT
        class Full
        end
      TEXT
    end
  end

  abstract def drain! : Nil
  def self.of(size); new; end
  private def ==(other : self) : Bool
    true
  end

  macro inherited
    def turns : Int32
      2
    end
  end

  enum State
    Open
    Shut
  end
end

lib LibTank
  fun fill = tank_fill(by : Int32) : Int32
end

alias Water = String | Nil
"""


def test_a_file_of_crystal_has_its_definitions_with_their_comments_and_members() -> None:
    assert language_of("src/tank.cr") == "crystal"
    found = walk(symbols(TANK, language="crystal"))
    assert [(each.kind, each.name, each.line, each.end_line) for each in found] == [
        ("class", "Sea::Tank", 3, 41),
        ("constant", "LITRES", 11, 11),
        ("struct", "Level", 12, 12),
        ("method", "fill", 14, 23),
        ("method", "drain!", 25, 25),
        ("method", "of", 26, 26),
        ("method", "==", 27, 29),
        ("macro", "inherited", 31, 35),
        ("function", "turns", 32, 34),
        ("enum", "State", 37, 40),
        ("module", "LibTank", 43, 45),
        ("function", "fill", 44, 44),
        ("type", "Water", 47, 47),
    ]


def test_signatures_of_crystal_have_all_parameters() -> None:
    found = {each.name: each for each in walk(symbols(TANK, language="crystal"))}
    tank, turns = found["Sea::Tank"], found["turns"]
    assert (tank.signature, tank.own_line) == ("abstract class Sea::Tank(T) < Vessel", 10)
    fill = next(each for each in tank.children if each.name == "fill")
    assert fill.signature == "memoize def fill(by : Int32, from : Pump? = nil) : Level"
    assert turns.signature == "def turns : Int32"


def test_what_is_not_closed_ends_where_less_is_indented() -> None:
    text = "module Sea\n  def fill\n    1\n\ndef drain\n  2\nend\n"
    found = [
        (each.name, each.line, each.end_line) for each in walk(symbols(text, language="crystal"))
    ]
    assert found == [("Sea", 1, 7), ("fill", 2, 3), ("drain", 5, 7)]


def test_blocks_without_end_are_nested_no_deeper_than_in_other_languages() -> None:
    found = symbols("class Tank\n" * 5_000, language="crystal")
    assert len([*walk(found)]) == MAX_DEPTH + 1
