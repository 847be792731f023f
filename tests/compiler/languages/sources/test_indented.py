"""Definitions of languages that indent blocks, whose grammars have comments in the block above."""

from __future__ import annotations

import time

import pytest

from kbc.languages.definitions.symbol import walk
from kbc.languages.preprocessed import parsed
from kbc.languages.syntax import symbols


def lines(text: str, language: str) -> list[tuple[str, int, int, int]]:
    """Name, first line with its comments, first line of its own, last line of every definition."""
    found = walk(symbols(text, language=language))
    return [(each.name, each.line, each.own_line, each.end_line) for each in found]


def signatures(text: str) -> list[tuple[str, str]]:
    return [(each.name, each.signature) for each in walk(symbols(text, language="fsharp"))]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.name) for each in walk(symbols(text, language="fsharp"))]


SCALA = """object Tank {
  /** The level. */
  def level(x: Int): Int =
    x match {
      case 1 => 2
    }

  /**
   * Fills it.
   */
  def fill(x: Int): Int =
    x + 1
    // half of it

  // Drains it.
  def drain(x: Int): Int = x
}
"""
FSHARP = """module Tank

let level x =
    x + 1

/// Fills it.
/// All of it.
let fill x =
    x + 2
    // half of it

/// The pump.
type Pump() =
    /// Starts it.
    member this.Start() =
        1

    /// Stops it.
    member this.Stop() = 2
"""
NIM = """proc level(x: int): int =
  x + 1

# Fills it.
proc fill(x: int): int =
  x
  # half of it

proc drain() = discard
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "scala",
            SCALA,
            [("Tank", 1, 1, 17), ("level", 2, 3, 6), ("fill", 8, 11, 13), ("drain", 15, 16, 16)],
        ),
        (
            "fsharp",
            FSHARP,
            [
                ("level", 3, 3, 4),
                ("fill", 6, 8, 10),
                ("Pump", 12, 13, 19),
                ("Start", 14, 15, 16),
                ("Stop", 18, 19, 19),
            ],
        ),
        ("nim", NIM, [("level", 1, 1, 2), ("fill", 4, 5, 7), ("drain", 9, 9, 9)]),
    ],
)
def test_a_comment_behind_an_indented_block_is_of_what_follows(
    language: str, text: str, expected: list[tuple[str, int, int, int]]
) -> None:
    assert lines(text, language) == expected


def test_a_definition_behind_an_indented_body_has_its_first_line_alone() -> None:
    text = "object Tank {\n  val sizes: Seq[Int] =\n    Seq(1)\n\n  private def fill = {\n    1\n  }\n}\n"

    assert lines(text, "scala") == [("Tank", 1, 1, 8), ("sizes", 2, 2, 3), ("fill", 5, 5, 7)]


def test_comments_behind_one_another_are_told_apart_by_their_indentation() -> None:
    text = (
        "object Tank {\n  def level =\n    1\n      // low\n    // high\n  // all\n  def f = 2\n}\n"
    )

    assert lines(text, "scala")[1:] == [("level", 2, 2, 5), ("f", 6, 7, 7)]


def test_members_of_types() -> None:
    text = """
type Tank(size: int) =
    let mutable level = 0
    member _.Level = level
    member this.Fill(x) = x
    member val Height = 3 with get, set
    static member Of(size: int) = Tank(size)
    static member (+) (a: Tank, b: Tank) = a
    override _.ToString() = "tank"
    interface ILevel with
        member _.Drain() = 1

type ILevel =
    abstract member Drain : unit -> int
    abstract Refill : unit -> int

type Tank with
    member this.Extra() = 1
"""

    assert kinds(text) == [
        ("class", "Tank"),
        *(("method", name) for name in ("Level", "Fill", "Height", "Of", "+", "ToString", "Drain")),
        ("class", "ILevel"),
        *(("method", name) for name in ("Drain", "Refill")),
        ("implementation", "Tank"),
        ("method", "Extra"),
    ]


def test_types_modules_and_values() -> None:
    text = """
type Size = int
type Shape = | Round of int | Flat
[<Struct>]
type Point = { X: int }
and Color =
    | Red = 0
    | Blue = 1
type Notify = delegate of int -> unit
type Marker = interface end
exception Leak of string

module Pipes =
    let private flow x = x
    let (|Even|Odd|) x = if x % 2 = 0 then Even else Odd
    let (+++) a b = a + b
    let ``long name`` x = x
    let widen = fun x -> x + 1
    let limit = 3
    let private most = 4
    let work () =
        let inner = 1
        let! waiting = flow inner
        inner
    let later = async { let hidden = 1 in return hidden }
    List.iter (fun x -> let hidden = x in ignore hidden) []
"""

    assert kinds(text) == [
        ("type", "Size"),
        ("type", "Shape"),
        ("struct", "Point"),
        ("enum", "Color"),
        ("type", "Notify"),
        ("interface", "Marker"),
        ("type", "Leak"),
        ("module", "Pipes"),
        ("function", "flow"),
        ("function", "|Even|Odd|"),
        ("function", "+++"),
        ("function", "long name"),
        ("function", "widen"),
        ("constant", "limit"),
        ("constant", "most"),
        ("function", "work"),
        ("constant", "later"),
    ]


def test_types_of_one_group_have_their_own_lines() -> None:
    text = "type Shape =\n    | Round\n    | Flat\n\nand Point =\n    { X: int }\n"

    assert lines(text, "fsharp") == [("Shape", 1, 1, 3), ("Point", 5, 5, 6)]


def test_values_within_functions_without_a_name_are_local() -> None:
    text = "let () = run (fun env ->\n  let server = 1 in\n  use server)\nlet limit = 3\n"

    assert [each.name for each in symbols(text, language="ocaml")] == ["limit"]


def test_functions_within_a_body_end_before_what_calls_them() -> None:
    text = """let work =
    /// Adds.
    let add x =
        x + 1

    // Twice.
    let double y = y * 2

    add 1
    |> double
"""

    assert lines(text, "fsharp") == [("work", 1, 1, 10), ("add", 2, 3, 4), ("double", 6, 7, 7)]


def test_conditions_of_fsharp_may_be_anywhere() -> None:
    text = """module Tank

let level (x: int) =
#if DEBUG
    printfn "%d" x
#endif
    x

#if FABLE
let drain x = x
#else
/// All of it.
let drain (x: int) = 0
#endif
let fill x =
    run [
#if FABLE
        x
#endif
    ]
"""

    assert lines(text, "fsharp") == [
        ("level", 3, 3, 7),
        ("drain", 10, 10, 10),
        ("drain", 12, 13, 13),
        ("fill", 15, 15, 20),
    ]


def test_signatures_of_fsharp_state_values_and_members_with_their_types() -> None:
    text = """module internal Sea.Tanks

/// Fills it.
val fill: level: int -> Tank
val inline (+++): a: Tank ->
                  b: Tank ->
                  Tank

/// At most.
val most: int

type Pump =
    interface System.IDisposable
    new: size: int -> Pump

    /// Starts it.
    [<Obsolete>]
    member Start: unit -> int
    static member Of: size: int -> Pump
    abstract Drain: unit -> int

module Pipes =
    val length: int
"""

    assert signatures(text) == [
        ("fill", "val fill: level: int -> Tank"),
        ("+++", "val inline (+++): a: Tank -> b: Tank -> Tank"),
        ("most", "val most: int"),
        ("Pump", "Pump = interface System.IDisposable new: size: int -> Pump"),
        ("Start", "[<Obsolete>] member Start: unit -> int"),
        ("Of", "static member Of: size: int -> Pump"),
        ("Drain", "abstract Drain: unit -> int"),
        ("Pipes", "module Pipes"),
        ("length", "val length: int"),
    ]
    assert [kind for kind, _ in kinds(text)] == [
        *("function", "function", "constant", "class"),
        *("method", "method", "method", "module", "constant"),
    ]
    assert lines(text, "fsharp")[:3] == [("fill", 3, 4, 4), ("+++", 5, 5, 7), ("most", 9, 10, 10)]


def test_fields_that_a_program_of_fsharp_states_are_no_functions() -> None:
    text = """type Tank =
    val level: int -> int
    static member Of: int = 1

let fill (tank: Tank) = 1
"""

    assert kinds(text) == [("class", "Tank"), ("method", "Of"), ("function", "fill")]


def test_types_on_a_long_line_of_a_signature_file_are_read_in_linear_time() -> None:
    source = b"type Tank =\n    interface " + b"<>" * 20_000 + b" a=\n"
    started = time.process_time()
    assert parsed(source, "fsharp") == source
    assert time.process_time() - started < 2
