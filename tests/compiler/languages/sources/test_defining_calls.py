"""Definitions that a call makes: macros of a library or of the project, and classes of functions in R."""

from __future__ import annotations

from kbc.languages.definitions.symbol import walk
from kbc.languages.syntax import symbols


def listed(language: str, text: str) -> list[str]:
    return [f"{each.kind} {each.name}" for each in walk(symbols(text, language=language))]


def test_macros_of_libraries_define_at_the_top_of_a_file_in_clojure() -> None:
    text = (
        "(ns sea.tank)\n(s/defn fill :- Int [n]\n  n)\n(mount/defstate tap :start 1)\n"
        "(defnk drain [tank]\n  tank)\n(>defn turn [n]\n  n)\n"
        "(let [n 1]\n  (define n 2))\n(defaults tank 3)\n(defer tank)\n"
    )
    assert listed("clojure", text) == [
        "function fill",
        "constant tap",
        "function drain",
        "function turn",
    ]


def test_projects_are_no_definitions_and_vectors_of_options_no_parameters_in_clojure() -> None:
    text = (
        '(defproject tank "1.0" :dependencies [[sea/water "2.0"]])\n'
        "(mount/defstate tap :on-reload [:stop])\n"
        '(defview lid "Shown above the tank." {:pure true} [level]\n  level)\n'
    )
    assert listed("clojure", text) == ["constant tap", "function lid"]


def test_macros_of_libraries_define_functions_in_elixir() -> None:
    text = (
        "defmodule Sea.Tank do\n  @doc \"Fills.\"\n  defn fill(tank, n) do\n    tank + n\n  end\n"
        "  defnp drain(tank), do: tank\n  deftransform turn(n) when n > 3 do\n    n\n  end\n"
        "  defstruct [:level]\n  defoverridable level: 1\n  default lid(1) do\n  end\nend\n"
    )  # fmt: skip
    assert listed("elixir", text) == [
        "module Sea.Tank",
        "function fill",
        "function drain",
        "function turn",
    ]
    (tank,) = symbols(text, language="elixir")
    assert [(each.line, each.end_line) for each in tank.children] == [(2, 5), (6, 6), (7, 9)]


def test_functions_in_the_call_that_makes_a_class_are_its_methods_in_r() -> None:
    text = (
        'Tank <- R6Class("Tank",\n  public = list(\n    level = 0,\n    # Fills.\n'
        "    fill = function(n) {\n      lapply(n, FUN = function(x) {\n        x\n      })\n    }\n  ),\n"
        "  active = list(lid = function() {\n    1\n  })\n)\n"
        "drain <- function(x) {\n  lapply(x, FUN = function(y) {\n    y\n  })\n}\n"
    )
    assert listed("r", text) == ["class Tank", "method fill", "method lid", "function drain"]


def test_macros_name_functions_by_the_argument_that_differs_and_not_by_types_in_cpp() -> None:
    def named(*heads: str) -> list[str]:
        text = "struct Tank { int level; };\n" + "".join(f"{head} {{\n}}\n" for head in heads)
        return [each.name for each in symbols(text, language="cpp")][1:]

    assert named("FIXTURE_TEST(fills, Setup)", "FIXTURE_TEST(drains, Setup)") == ["fills", "drains"]
    assert named("FIXTURE_TEST(fills, Tank)") == ["fills"]
    assert named("TEST_F(Tank, fills)") == ["fills"]
    assert named("TEST(Tank, turns)", "TEST(Valve, turns)") == ["turns", "turns"]
    assert named("TEST(Tap, fills)", "TEST(Lid, fills)", "TEST(Lid, opens)")[:1] == ["fills"]
    assert named("TEST(Valve, Tank)", "TEST(Valve, turns)") == ["Tank", "turns"]
    assert named('CASE_METHOD(Tank, "Fills it.")', 'CASE_OF("Fills it.", T, char)') == []
    assert named("CASE(T)", "CASE(Drains, T)") == ["T", "Drains"]
    assert named('CORE_FN(fill, "Fills a Tank.", "(fill n)")') == ["fill"]


NIX = """{ lib, ... }:
let
  inherit (lib) mkOption;
  # Fills it.
  fill = level: by:
    level + by;
  most = 40;
in
{
  imports = [ ./pump.nix ];
  options.services.tank = {
    enable = lib.mkEnableOption "tank";
    # How full.
    level = mkOption {
      default = 3;
    };
  };
  config = lib.mkIf true {
    services.pump = {
      script = "x";
    };
  };
  drain = { size, speed ? 1 }:
    let
      twice = x: x * 2;
      half = 2;
    in
    twice size;
}
"""


def test_functions_options_and_parts_of_files_of_nix() -> None:
    found = walk(symbols(NIX, language="nix"))
    assert [(each.kind, each.name, each.line, each.end_line) for each in found] == [
        ("function", "fill", 4, 6),
        ("constant", "most", 7, 7),
        ("constant", "options.services.tank", 11, 17),
        ("constant", "enable", 12, 12),
        ("constant", "level", 13, 16),
        ("function", "drain", 23, 28),
        ("function", "twice", 25, 25),
    ]


def test_signatures_of_nix_have_all_arguments() -> None:
    found = walk(symbols(NIX, language="nix"))
    assert [each.signature for each in found if each.kind == "function"] == [
        "fill = level: by",
        "drain = { size, speed ? 1 }",
        "twice = x",
    ]


def test_what_a_package_of_nix_is_given_has_no_name() -> None:
    package = '{ stdenv }:\nstdenv.mkDerivation {\n  pname = "tank";\n  src = [\n    ./.\n  ];\n}\n'
    assert symbols(package, language="nix") == []
