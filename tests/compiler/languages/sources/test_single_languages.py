"""Definitions as single languages write them: their names, kinds and lines."""

from __future__ import annotations

import pytest

from kbc.languages.suffixes import language_of_source
from kbc.languages.syntax import symbols, walk

SAMPLES = {
    "julia": (
        "struct P{T} <: Q\n x\nend\nf(x) = x + 1\nfunction g(x::T)::Int where T\n x\nend\n"
        "Base.show(io, p) = 1\nfunction Base.length(p)\n 1\nend\nabstract type A <: B end\ny = f(1)\n",
        "struct P, function f, function g, function Base.show, function Base.length, type A",
    ),
    "nim": (
        "type\n  A* = object\n    x: int\n  B = enum\n    a, b\nproc f*(x: int) = 1\n"
        "template t*(x: int) = x\nmacro m(x: untyped) = x\niterator i(x: int): int = yield x\n",
        "type A, type B, function f, macro t, macro m, function i",
    ),
    "ocaml": (
        "let re = 1\nlet f a =\n  let s = 1 in\n  let h x = x in\n  h s\nlet g = fun x -> x\n"
        "let (+++) a b = a\nlet () = ()\nexception Bad of int\nmodule type S = sig\n  val v : int\nend\n"
        'external e : int -> int = "e"\n',
        "constant re, function f, function h, function g, function +++, type Bad, interface S, method v,"
        " function e",
    ),
    "ocaml_interface": (
        "val add : int -> int\n(** adds *)\n\nval (+++) : int\nexception E\ntype t\n",
        "function add, function +++, type E, type t",
    ),
    "erlang": (
        "-module(m).\n-define(KEY, 1).\n-define(LOG(A), A).\n-type t() :: a.\n-spec f(a) -> b.\n"
        "f(a) -> b;\n\nf(b) -> c.\nf(a, b) -> d.\n",
        "macro KEY, macro LOG, type t, function f, function f",
    ),
    "clojure": (
        '(def ^:private x 1)\n(defprotocol ^{:added "1"} P)\n(defn ^String g [a] a)\n'
        "(deftest t)\n(defonce o 1)\n",
        "constant x, interface P, function g, function t, constant o",
    ),
    "solidity": (
        "error Low(uint a);\ncontract A {\n constructor(address o) {}\n receive() external payable {}\n}\n",
        "type Low, class A, method constructor, method receive",
    ),
    "perl": ("package A::B;\nsub f { 1 }\n", "module A::B, function f"),
    "kotlin": (
        "const val MAX = 1\nval module = make {\n}\nclass A {\n val y = 2\n companion object {\n"
        "  const val Z = 1\n }\n}\n",
        "constant MAX, constant module, class A, constant Z",
    ),
    "fortran": (
        "module m\n type :: point\n  real :: x\n end type\ncontains\n subroutine s(a)\n end subroutine\n"
        "end module\nprogram main\n call s(1)\nend program\n",
        "module m, type point, function s, module main",
    ),
    "haskell": (
        "module M where\n\nf :: Int -> Int\nf = g . h\n\na +++ b = a\n\nx' = 1\n",
        "function f, function +++, constant x'",
    ),
    "r": (
        'A <- R6Class("A", list())\nsetClass("P", "numeric")\nsetGeneric("area", g)\n'
        "`%+%` <- function(a, b) a\n",
        "class A, class P, function area, function %+%",
    ),
    "sql": (
        "create table public.t (a int);\ncreate type mood as enum ('sad');\n"
        "create materialized view mv as select 1;\n",
        "table t, type mood, table mv",
    ),
    "php": (
        "<?php\nconst X = 1;\nclass A {\n const Y = 2;\n}\n",
        "constant X, class A, constant Y",
    ),
    "zig": (
        "const A = extern struct { x: u8 };\nconst E = enum { a };\nconst U = union(enum) { a };\n",
        "struct A, enum E, struct U",
    ),
    "ruby": ("class A\n class << self\n  def k; end\n end\nend\n", "class A, method k"),
    "c": ("typedef int (*callback)(int);\n", "type callback"),
    "cpp": (
        "class API_EXPORT A : public B {\n void f();\n};\nstruct NICE_TO(1) C final {\n};\n"
        "struct POINT origin{1};\n",
        "class A, method f, struct C",
    ),
    "objc": (
        "typedef NS_ENUM(NSUInteger, Mode) {\n  ModeA,\n};\n@interface A : NSObject\n"
        "@property (nonatomic) Mode mode;\n- (void)go;\n@end\n",
        "enum Mode, class A, method go",
    ),
}


@pytest.mark.parametrize("language", SAMPLES)
def test_kinds_and_names_of_definitions(language: str) -> None:
    text, expected = SAMPLES[language]
    found = walk(symbols(text, language=language))
    assert [f"{symbol.kind} {symbol.name}" for symbol in found] == expected.split(", ")


def test_clauses_of_one_function_of_erlang_are_one_definition() -> None:
    text = (
        "-export([f/1]).\n\n%% about f\n-spec f(a) -> b.\nf(a) -> b;\n\nf(b) -> c.\nf(a, b) -> d.\n"
    )
    found = [(each.line, each.own_line, each.end_line) for each in symbols(text, language="erlang")]
    assert found == [(3, 5, 7), (8, 8, 8)]


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a/View.h", "// about\n#import <UIKit/UIKit.h>\n@interface View\n@end\n", "objc"),
        ("a/view.h", "/** @class view of @interface */\n#include <v.h>\nclass V {};\n", "cpp"),
        ("t/basic.t", "use Test::More;\n", "perl"),
        ("Rakefile", "task :x\n", "ruby"),
        ("heron.gemspec", "Gem.new\n", "ruby"),
        ("src/solve.F", "      end\n", "fortran"),
        ("src/io.fypp", "module io\nend module\n", "fortran"),
        ("lib/vector.ipp", "int f();\n", "cpp"),
        ("bin/heron", "#!/usr/bin/env lua5.1\n", "lua"),
        ("bin/heron", "#!/usr/bin/env Rscript\n", "r"),
    ],
)
def test_the_language_of_a_file(path: str, text: str, language: str) -> None:
    assert language_of_source(path, text) == language
