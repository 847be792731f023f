"""Definitions of languages whose blocks end with a word, of Tcl and of Odin."""

from __future__ import annotations

import pytest

from kbc.languages.definitions.symbol import Symbol, walk
from kbc.languages.suffixes import language_of_source
from kbc.languages.syntax import symbols

ADA = """with Pumps;
--  Levels.
package body Tanks.Levels is
   type Level is range 0 .. 40;
   Most : constant Level := 40;
   Last : Level;
   type Tank is tagged record
      Level : Integer;
   end record;
   --  Fills it.
   procedure Fill
     (T  : in out Tank;
      By : Level)
   is
      Half : constant Level := 2;
   begin
      null;
   end Fill;
   function "+" (A, B : Tank) return Tank is begin return A; end "+";
   task type Pump is
      entry Start;
   end Pump;
   package Ints is new Lists (Integer);
   function Sum is new Add (Integer);
end Tanks.Levels;
"""
PASCAL = """unit Tanks;
interface
const
  Litres = 40;
type
  TSide = (sLeft, sRight);
  TLid = class;
  { A tank. }
  TTank = class(TObject)
  public
    procedure Fill(By: Integer);
  end;
  TRec = record
    X: Integer;
  end;
  ITap = interface
    procedure Open;
  end;
implementation
procedure TTank.Fill(By: Integer);
  procedure Inner;
  const
    Deep = 1;
  begin
  end;
begin
end;
end.
"""
VHDL = """-- A tank.
entity tank is
  port (clk : in std_logic;
        full : out std_logic);
end entity tank;
architecture rtl of tank is
  type state_t is (idle, run);
  constant MOST : integer := 4;
  function half(
    x : integer) return integer is
    constant TWO : integer := 2;
  begin
    return x / TWO;
  end function;
begin
  fill : process(clk)
  begin
  end process fill;
end architecture rtl;
package body tanks is
  procedure drain is
  begin
  end procedure;
end package body;
"""
VERILOG = """// A tank.
module tank #(
  parameter WIDTH = $clog2(40)
) (
  input clk
);
  localparam MOST = 3;
  typedef enum logic [1:0] {IDLE, RUN} state_t;
  task fill; begin end endtask
endmodule
`define LITRES 40
package tanks;
  typedef struct packed { logic a; } lid_t;
  class Tank extends Base;
    function new(string name); endfunction
    extern function void drain(int by);
  endclass
endpackage
function void Tank::drain(int by);
  by = 1;
endfunction
"""
TCL = """namespace eval ::tanks {
    namespace export fill
    # Fills.
    proc fill {tank {by 1}} {
        return $by
    }
}
oo::class create Tank {
    constructor {level} { set x $level }
    method drain {by} { incr x $by }
}
snit::type Lid { method shut {} {} }
method lost {} {}
"""
ODIN = """package tanks
LITRES :: 40
Tank :: struct {
	level: int,
}
count := 0
@(private)
fill :: proc(t: ^Tank) -> int {
	MOST :: 3
	inner :: proc() {}
	return 3
}
drain :: proc{fill}
"""


def found(text: str, language: str) -> list[Symbol]:
    return list(walk(symbols(text, language=language)))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "ada",
            ADA,
            "module Tanks.Levels, type Level, constant Most, struct Tank, function Fill, function +, "
            "class Pump, method Start, module Ints, function Sum",
        ),
        (
            "pascal",
            PASCAL,
            "module Tanks, constant Litres, enum TSide, class TTank, method Fill, struct TRec, "
            "interface ITap, method Open, method TTank.Fill, function Inner",
        ),
        (
            "vhdl",
            VHDL,
            "module tank, implementation tank, enum state_t, constant MOST, method half, block fill, "
            "module tanks, function drain",
        ),
        (
            "verilog",
            VERILOG,
            "module tank, constant MOST, enum state_t, function fill, macro LITRES, module tanks, "
            "struct lid_t, class Tank, method new, method drain, function Tank::drain",
        ),
        (
            "tcl",
            TCL,
            "module ::tanks, function fill, class Tank, method constructor, method drain, class Lid",
        ),
        (
            "odin",
            ODIN,
            "constant LITRES, struct Tank, variable count, function fill, function inner, "
            "function drain",
        ),
    ],
)
def test_definitions_have_their_names_and_kinds(language: str, text: str, expected: str) -> None:
    assert ", ".join(f"{each.kind} {each.name}" for each in found(text, language)) == expected


@pytest.mark.parametrize(
    ("language", "text", "name", "signature"),
    [
        ("ada", ADA, "Fill", "procedure Fill (T : in out Tank; By : Level)"),
        ("odin", ODIN, "fill", "@(private) fill :: proc(t: ^Tank) -> int"),
        ("pascal", PASCAL, "TTank.Fill", "procedure TTank.Fill(By: Integer);"),
        ("vhdl", VHDL, "half", "function half( x : integer) return integer is"),
        (
            "verilog",
            VERILOG,
            "tank",
            "module tank #( parameter WIDTH = $clog2(40) ) ( input clk );",
        ),
        ("tcl", TCL, "fill", "proc fill {tank {by 1}}"),
    ],
)
def test_a_signature_is_the_whole_head(language: str, text: str, name: str, signature: str) -> None:
    assert [each.signature for each in found(text, language) if each.name == name] == [signature]


@pytest.mark.parametrize(
    ("language", "text", "name", "lines"),
    [
        ("ada", ADA, "Fill", (10, 11, 18)),
        ("pascal", PASCAL, "TTank", (8, 9, 12)),
        ("vhdl", VHDL, "half", (9, 9, 14)),
        ("tcl", TCL, "fill", (3, 4, 6)),
    ],
)
def test_the_comment_above_belongs_to_a_definition(
    language: str, text: str, name: str, lines: tuple[int, int, int]
) -> None:
    (one,) = [each for each in found(text, language) if each.name == name]
    assert (one.line, one.own_line, one.end_line) == lines


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("tank.v", "module tank;\nendmodule\n", "verilog"),
        ("Tank.v", "Theorem fills : True.\n", ""),
        ("tank.pp", "class tank {\n}\n", "puppet"),
        ("tank.pp", "{ A tank. }\nunit Tank;\n", "pascal"),
        ("tank.m", "% A tank.\nx = 1;\n", "matlab"),
        ("tank.m", "x = 1;\nfunction y = fill(x)\nend\n", "matlab"),
        ("Tank.m", "@implementation Tank\nvoid function(int x) {}\n@end\n", "objc"),
    ],
)
def test_an_ending_of_several_languages_is_told_by_the_text(
    path: str, text: str, language: str
) -> None:
    assert language_of_source(path, text) == language
