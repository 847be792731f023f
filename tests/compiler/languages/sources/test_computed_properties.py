"""Properties that compute their value, which are functions without parameters."""

from __future__ import annotations

from kbc.languages.definitions.symbol import Symbol
from kbc.languages.syntax import symbols


def members(type_: Symbol) -> list[tuple[str, str, int, int, str]]:
    return [
        (each.kind, each.name, each.line, each.end_line, each.signature) for each in type_.children
    ]


def test_what_a_type_computes_is_a_method_in_kotlin() -> None:
    text = (
        "class Tank {\n  /** Of all. */\n  val level: Int\n    get() = 3\n  val half: Int get() = 1\n"
        "  var most: Int = 0\n    private set\n  val lid by lazy {\n    3\n  }\n  val plain = 3\n}\n"
        "val String.half: Int get() = length / 2\n"
    )
    tank, half = symbols(text, language="kotlin")
    assert members(tank) == [
        ("method", "level", 2, 4, "val level: Int"),
        ("method", "half", 5, 5, "val half: Int get() = 1"),
    ]
    assert (half.kind, half.name) == ("constant", "half")


def test_what_a_type_computes_is_a_method_in_swift() -> None:
    text = (
        "extension Tank {\n  /// Of all.\n  var level: Int { 3 }\n  static var half: Int {\n    get { 1 }\n"
        "    set { go() }\n  }\n  var most = 3 {\n    didSet { go() }\n  }\n  lazy var lid: Int = {\n    3\n"
        "  }()\n  func fill() {\n    var local: Int { 3 }\n  }\n}\n"
    )
    (tank,) = symbols(text, language="swift")
    assert members(tank) == [
        ("method", "level", 2, 3, "var level: Int { 3 }"),
        ("method", "half", 4, 7, "static var half: Int"),
        ("method", "fill", 14, 16, "func fill()"),
    ]
    assert tank.children[2].children == []
