from __future__ import annotations

import time

import pytest

from kbc.languages.definitions.symbol import Symbol, walk
from kbc.languages.preprocessed import parsed
from kbc.languages.suffixes import language_of_source
from kbc.languages.syntax import symbols

SAMPLES = {
    "python": (
        "@d\nclass A:\n    X = 1\n    def m(self): pass\n\ndef f(): pass\nK = 1\n",
        "A X m f K",
    ),
    "javascript": (
        "export class A {\n m() {}\n}\nconst f = () => 1;\nx.g = function () {};\n",
        "A m f x.g",
    ),
    "typescript": (
        "export interface I {\n m(): void\n}\nenum E { A }\nexport type T = string;\n",
        "I m E T",
    ),
    "tsx": ("export const App: FC = () => <div/>;\n", "App"),
    "go": ("package p\nfunc F() {}\nfunc (r *R) M() {}\ntype S struct {\n}\n", "F M S"),
    "rust": (
        "impl Tr for S {\n fn m(&self) {}\n}\nmod n {\n fn z() {}\n}\nenum E { A }\n",
        "S m n z E",
    ),
    "java": ("class C {\n C() {}\n int m() { return 1; }\n}\n", "C C m"),
    "c": (
        "#define M(x) x\nstatic int *f(int a) { return 0; }\ntypedef struct { int b; } T;\n",
        "M f T",
    ),
    "cpp": (
        "namespace n {\nclass C {\n int m();\n};\n}\nint n::C::m() { return 1; }\n",
        "n C m n::C::m",
    ),
    "csharp": ("namespace N {\n class C {\n  void M() {}\n }\n}\n", "N C M"),
    "ruby": ("module M\n class C\n  def m\n  end\n  def self.s; end\n end\nend\n", "M C m s"),
    "php": ("<?php\nclass C {\n function m() {}\n}\ntrait T {}\n", "C m T"),
    "kotlin": ("class C {\n fun m(): Int = 1\n}\nobject O {}\n", "C m O"),
    "swift": ("struct S {\n func m() {}\n}\nprotocol P {}\n", "S m P"),
    "scala": ("class C {\n def m(): Int = 1\n}\nobject O {\n}\n", "C m O"),
    "bash": ("# c\nf() { echo; }\n", "f"),
    "lua": ("local function f(x) end\nM.h = function() end\n", "f M.h"),
    "haskell": ("module M where\nf :: Int -> Int\nf 0 = 1\nf x = 2\ndata D = A\n", "f D"),
    "ocaml": ("let f x = 1\ntype t = A\n", "f t"),
    "elixir": ("defmodule M do\n  def f(a) do\n    1\n  end\nend\n", "M f"),
    "erlang": ("-module(m).\nf(X) -> 1.\n", "f"),
    "clojure": ("(ns a)\n(defn f [x] 1)\n", "f"),
    "zig": ("pub fn f(a: i32) void {}\nconst S = struct { a: i32 };\n", "f S"),
    "julia": ("function f(x)\n end\nstruct S\n a\nend\n", "f S"),
    "r": ("f <- function(x) { 1 }\n", "f"),
    "perl": ("sub f { 1 }\n", "f"),
    "dart": ("class C {\n int m() { return 1; }\n}\nvoid f() {\n}\n", "C m f"),
    "solidity": ("contract C {\n function f() public {}\n}\n", "C f"),
    "sql": ("create table t (a int);\n", "t"),
    "hcl": ('resource "a" "b" {\n x = 1\n}\n', "resource.a.b"),
    "proto": ("message M { string a = 1; }\n", "M"),
    "graphql": ("type Q { a: Int }\n", "Q"),
    "toml": ("[a]\nb=1\n[[c]]\nd=1\n", "a c"),
    "yaml": ("a:\n  b: 1\nc: 2\n", "a c"),
    "cairo": ("mod m {\n fn f() -> u8 {\n  1\n }\n struct S { x: u8 }\n}\n", "m f S"),
    "fish": ("function f --description x\n echo a\nend\n", "f"),
    "glsl": ("#define M 1\nvec3 f();\nvec3 f() {\n return p;\n}\nstruct S { int a; };\n", "M f S"),
    "haxe": ("class C {\n public function m():Void {}\n}\ninterface I {\n}\n", "C m I"),
    "hlsl": ("struct S { float3 p; };\nfloat4 f(S s) : SV_Target {\n return 0;\n}\n", "S f"),
    "luau": ("type T = { x: number }\nfunction M.f(x: number)\nend\n", "T M.f"),
    "purescript": (
        "module M where\nf :: Int -> Int\nf x = x\ndata D = D\nnewtype N = N Int\n",
        "f D N",
    ),
    "starlark": (
        "P = provider()\ndef f(ctx):\n  return []\nr = rule(\n  implementation = f,\n)\n",
        "P f r",
    ),
    "thrift": (
        "typedef i32 T\nconst i32 C = 1\nexception E {\n 1: string a\n}\nunion U {\n}\n"
        "service S {\n void m()\n}\n",
        "T C E U S m",
    ),
    "verilog": (
        "package p;\n function int f(int x);\n endfunction\nendpackage\nmodule m(input a);\nendmodule\n",
        "p f m",
    ),
    "wgsl": ("struct S { a: f32 }\nfn f(x: f32) -> f32 {\n return x;\n}\n", "S f"),
    "json": ('{"a": 1,\n "b": {"c": 2}}\n', "a b"),
}


@pytest.mark.parametrize("language", SAMPLES)
def test_names_of_definitions(language: str) -> None:
    text, names = SAMPLES[language]
    found = symbols(text, language=language)
    assert [symbol.name for symbol in walk(found)] == names.split()


def test_lines_include_decorators_and_comments() -> None:
    text = "x = 1  # about x\n\n# about f\n@one\n@two\ndef f(a, b=1) -> int:\n    return 1\n"
    assert symbols(text, language="python") == [
        Symbol("x", "variable", 1, 1, 1, "x = 1"),
        Symbol("f", "function", 3, 7, 6, "def f(a, b=1) -> int"),
    ]


def test_functions_inside_types_are_methods() -> None:
    (found,) = symbols("trait T {\n    fn m(&self) -> u8 {\n        1\n    }\n}\n", language="rust")
    assert (found.kind, found.children[0].kind) == ("trait", "method")


def test_local_values_are_no_definitions() -> None:
    found = symbols(
        "function f() {\n  const a = 1;\n  const g = () => {\n  };\n}\n", language="javascript"
    )
    assert [symbol.name for symbol in walk(found)] == ["f", "g"]


def test_an_unknown_language_has_no_grammar() -> None:
    assert symbols("anything", language="no-such-language") == []


def test_a_class_behind_a_macro_is_found_with_its_comment() -> None:
    text = "/* about C */\nAPI_EXPORT(1)\nclass C : public B\n{\n    int f();\n};\n"
    (found,) = symbols(text, language="cpp")
    assert (found.name, found.kind, found.line, found.end_line) == ("C", "class", 1, 6)


def test_macros_behind_parameters_and_before_blocks_hide_no_definition() -> None:
    text = (
        "namespace sea {\nclass Tank {\npublic:\n  int level() const API_NOEXCEPT { return 1; }\n"
        "  virtual void drain(int (*how)(int)) API_NOEXCEPT;\nprivate:\n  int top_;\n};\n"
        "Tank::~Tank() {\n  API_TRY {\n    for (int i = 0; i < 3; i++) {\n      go();\n    }\n  }\n"
        "  API_CATCH_ALL\n}\n}\n"
    )
    (sea,) = symbols(text, language="cpp")
    tank, end = sea.children
    assert [(each.name, each.kind) for each in tank.children] == [
        ("level", "method"),
        ("drain", "method"),
    ]
    assert (end.name, end.line, end.end_line, end.children) == ("Tank::~Tank", 9, 16, [])


def test_a_value_behind_a_cast_is_no_macro() -> None:
    text = b"int most(void) {\n  const int a = (int) SIZE_MAX;\n  return (int) TANK_MAX;\n}\n"
    assert parsed(text, "c") == text


def test_a_macro_that_heads_a_function_names_it_by_an_argument() -> None:
    text = (
        "/* Fills. */\nTANK_HANDLER(fill)\n{\n  for (;;) go();\n}\n\n"
        'static TANK_LAZY(const char *, level)\n{\n  return "a";\n}\n'
        "SYSTEM_CALL3(drain, unsigned int, tank, char *, name)\n{\n}\n"
        'DEFUN("open", Fopen, Sopen, 1)\n  (Object tank)\n{\n}\n'
        "TEST(Tank, template) {\n}\n"
        "int lid(int most)\nTANK_USES(most)\n{\n  TANK_EACH(a, b) {\n  }\n}\n"
        "TANK_MODULE(pond, m) {\n}\n"
        "#define TANK(a) \\\nTANK_WITH(a) { go(); }\n"
    )
    for language in ("c", "cpp"):
        found = symbols(text, language=language)
        assert [(each.name, each.line, each.end_line) for each in found][:7] == [
            ("fill", 1, 5),
            ("level", 7, 10),
            ("drain", 11, 13),
            ("Fopen", 14, 17),
            ("Tank", 18, 19),
            ("lid", 20, 25),
            ("pond", 26, 27),
        ]
        assert [each.kind for each in found[7:]] == ["macro"]
        assert (found[0].signature, found[0].kind) == ("TANK_HANDLER(fill)", "function")


def test_a_macro_alone_between_functions_that_macros_head_names_none() -> None:
    text = (
        "BEGIN_TEST(fill)\n{\n}\nEND_TEST\n\nBEGIN_TEST(drain)\n{\n}\nEND_TEST\n"
        "static BEGIN_TEST(turn)\n{\n} END_TEST\n\nBEGIN_TEST(shut)\n{\n}\n\n"
        "int lid(int most)\nTANK_CALL\nTANK_USES(most)\n{\n}\n"
    )
    names = [each.name for each in symbols(text, language="c")]
    assert names == ["fill", "drain", "turn", "shut", "lid"]
    lines = b"END_TEST\n" * 20_000 + b"BEGIN_TEST(fill)\n{\n}\n" * 2_000
    started = time.process_time()
    parsed(lines, "c")
    assert time.process_time() - started < 5


def test_macros_that_do_not_end_are_read_in_linear_time() -> None:
    text = b"TANK_HANDLER((a)\n" * 20_000
    started = time.process_time()
    assert parsed(text, "c") == text
    assert time.process_time() - started < 5


def test_classes_behind_macros_that_do_not_end_are_read_in_linear_time() -> None:
    text = b"class API_EXPORT B<" * 20_000
    started = time.process_time()
    assert parsed(text, "cpp") == text
    assert time.process_time() - started < 5


def test_functions_behind_one_that_seems_not_to_be_closed_are_apart() -> None:
    text = (
        "static int fill(int n)\n{\n  union {\n  } a;\n  else {\n    do {\nend:\n  go();\n  } while(n);\n}\n"
        "\n/* Drains. */\nint drain(void)\n{\n}\n\nint level(void)\n{\n}\n"
    )
    found = symbols(text, language="c")
    assert [(each.name, each.line, each.end_line, each.children) for each in found] == [
        ("fill", 1, 10, []),
        ("drain", 12, 15, []),
        ("level", 17, 19, []),
    ]


def test_what_stands_before_broken_text_is_found() -> None:
    text = "class A {\n  int a();\n};\n}}}\n#if X\nclass {\n"
    assert symbols(text, language="cpp")[0].name == "A"


def test_an_upper_case_type_above_a_function_is_no_macro() -> None:
    text = (
        "VOID\nFoo(int x)\n{\n  go();\n}\nEFI_STATUS\nEFIAPI\nBar (\n  int y\n  )\n{\n  go();\n}\n"
    )
    assert [found.name for found in symbols(text, language="c")] == ["Foo", "Bar"]


OF_ONE_LANGUAGE = {
    "julia": (
        "struct P{T} <: Q\n x\nend\nf(x) = x + 1\nfunction g(x::T)::Int where T\n x\nend\n"
        "Base.show(io, p) = 1\nfunction Base.length(p)\n 1\nend\nabstract type A <: B end\ny = f(1)\n"
        "const C{T} = D{T, 1}\n",
        "struct P, function f, function g, function Base.show, function Base.length, type A, constant C",
    ),
    "nim": (
        "type\n  A* = object\n    x: int\n  B = enum\n    a, b\nproc f*(x: int) = 1\n"
        "template t*(x: int) = x\nmacro m(x: untyped) = x\niterator i(x: int): int = yield x\n",
        "type A, type B, function f, macro t, macro m, function i",
    ),
    "ocaml": (
        "let re = 1\nlet f a =\n  let s = 1 in\n  let h x = x in\n  h s\nlet g = fun x -> x\n"
        "let (+++) a b = a\nlet () = ()\nexception Bad of int\nmodule type S = sig\n  val v : int\nend\n"
        'external e : int -> int = "e"\nclass type ct = object\n  method m : int\nend\n',
        "constant re, function f, function h, function g, function +++, type Bad, interface S, method v,"
        " function e, interface ct",
    ),
    "elixir": (
        "defmodule M do\n  defguard is_even(x) when rem(x, 2) == 0\n  defmacrop m(x), do: x\n"
        "  defdelegate go(x), to: N\n  def f(0), do: 1\n  def f(n) when n > 0, do: n\nend\n",
        "module M, macro is_even, macro m, function go, function f, function f",
    ),
    "scala": (
        "given one: Ord[Int] with\n  def compare(x: Int) = 1\ngiven Ord[String] with\n"
        "  def compare(x: String) = 0\nextension (c: Circle)\n  def area: Double = 1\n",
        "implementation one, method compare, implementation Ord[String], method compare,"
        " implementation Circle, method area",
    ),
    "swift": (
        "let most = 1\nprivate var count: Int = 2\nlet (a, b) = (1, 2)\n"
        "struct S {\n let inner = 3\n}\nfunc f() {\n let local = 1\n}\n",
        "constant most, variable count, struct S, function f",
    ),
    "make": (
        "CC := cc\n.PHONY: all\nall: build\n%.o: %.c\n\tcc $<\nbuild: a.o\n\tcc a.o\n",
        "block all, block build",
    ),
    "ocaml_interface": (
        "val add : int -> int\n(** adds *)\n\nval (+++) : int\nexception E\ntype t\n",
        "function add, function +++, type E, type t",
    ),
    "erlang": (
        "-module(m).\n-define(KEY, 1).\n-define(LOG(A), A).\n-type t() :: a.\n-opaque u() :: a.\n"
        "-callback c(a) -> b.\n-spec f(a) -> b.\nf(a) -> b;\n\nf(b) -> c.\nf(a, b) -> d.\n",
        "macro KEY, macro LOG, type t, type u, function c, function f, function f",
    ),
    "clojure": (
        '(def ^:private x 1)\n(defprotocol ^{:added "1"} P)\n(defn ^String g [a] a)\n'
        "(deftest t)\n(defonce o 1)\n",
        "constant x, interface P, function g, function t, constant o",
    ),
    "solidity": (
        "error Low(uint a);\ntype Id is uint64;\ncontract A {\n constructor(address o) {}\n"
        " receive() external payable {}\n}\n",
        "type Low, type Id, class A, method constructor, method receive",
    ),
    "perl": (
        "package A::B;\nsub f { 1 }\nhas level => (\n is => 'ro',\n);\nhas 'tap' => sub { 2 };\n"
        "has('turns', is => 'rw');\nhas '+level' => (default => 1);\nsub g { has x => 1 }\n",
        "module A::B, function f, method level, method tap, method turns, function g",
    ),
    "kotlin": (
        "const val MAX = 1\nval module = make {\n}\nclass A {\n val y = 2\n companion object {\n"
        "  const val Z = 1\n }\n}\n",
        "constant MAX, constant module, class A, constant Z",
    ),
    "fortran": (
        "module m\n type :: point\n  real :: x\n end type\n interface det\n  module procedure a\n"
        " end interface\n abstract interface\n  subroutine p()\n  end subroutine\n end interface\n"
        "contains\n subroutine s(a)\n end subroutine\n"
        "end module\nprogram main\n call s(1)\nend program\n",
        "module m, type point, function det, function p, function s, module main",
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
        "const A = extern struct { x: u8 };\nconst E = enum { a };\nconst U = union(enum) { a };\n"
        'const std = @import("std");\npub const shed = @import("shed.zig");\n'
        "const Bad = error{Late};\nvar count: u32 = 0;\npub const List = struct {\n"
        "  const size = 1;\n  pub fn add(self: *List) void {\n    const x = 1;\n  }\n};\n"
        "fn Pool(comptime T: type) type {\n  return struct {\n    const Slot = struct { at: T };\n  };\n}\n",
        "struct A, enum E, struct U, constant shed, enum Bad, constant count, struct List, constant size,"
        " method add, function Pool, struct Slot",
    ),
    "ruby": ("class A\n class << self\n  def k; end\n end\nend\n", "class A, method k"),
    "c": ("typedef int (*callback)(int);\n", "type callback"),
    "cpp": (
        "class API_EXPORT A : public B {\n void f();\n};\nstruct NICE_TO(1) API_USED C final {\n};\n"
        "struct POINT origin{1};\n",
        "class A, method f, struct C",
    ),
    "objc": (
        "typedef NS_ENUM(NSUInteger, Mode) {\n  ModeA,\n};\n@interface A : NSObject\n"
        "@property (nonatomic) Mode mode;\n- (void)go;\n@end\n",
        "enum Mode, class A, method go",
    ),
}


@pytest.mark.parametrize("language", OF_ONE_LANGUAGE)
def test_kinds_and_names_of_definitions(language: str) -> None:
    text, expected = OF_ONE_LANGUAGE[language]
    found = walk(symbols(text, language=language))
    assert [f"{symbol.kind} {symbol.name}" for symbol in found] == expected.split(", ")


def test_definitions_of_ocaml_that_refer_to_each_other() -> None:
    text = (
        "(* about f *)\nlet f x = x\n\nlet rec even n = odd n\nand odd n =\n  even n\n"
        "type t = A of u\nand u = B\nmodule rec M : S = struct end\nand N : S = struct end\n"
    )
    found = walk(symbols(text, language="ocaml"))
    assert [(each.kind, each.name, each.line, each.end_line) for each in found] == [
        ("function", "f", 1, 2),
        ("function", "even", 4, 4),
        ("function", "odd", 5, 6),
        ("type", "t", 7, 7),
        ("type", "u", 8, 8),
        ("module", "M", 9, 9),
        ("module", "N", 10, 10),
    ]


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
        ("src/config.h.in", '#define ROOT "@ROOT@"\n', "cpp"),
        ("tools/check.py.in", "import os\n", "python"),
        ("MANIFEST.in", "include *.txt\n", ""),
        ("bin/heron", "#!/usr/bin/env lua5.1\n", "lua"),
        ("bin/heron", "#!/usr/bin/env Rscript\n", "r"),
    ],
)
def test_the_language_of_a_file(path: str, text: str, language: str) -> None:
    assert language_of_source(path, text) == language


@pytest.mark.parametrize(
    ("language", "text", "signature"),
    [
        (
            "ruby",
            "module Nest\n  # Of twigs.\n  # And moss.\n  def line; end\nend\n",
            "module Nest",
        ),
        ("python", "class Nest:  # of twigs\n    def line(self): ...\n", "class Nest"),
        (
            "python",
            "def line(\n    moss,  # soft\n    twigs=2,\n): ...\n",
            "def line( moss, twigs=2, )",
        ),
        ("typescript", "function line(moss /* soft */: A): B {\n}\n", "function line(moss : A): B"),
        ("go", "package p\nconst Twigs = 7 // of birch\n", "Twigs = 7"),
        ("csharp", "[Soft]\nvoid Line(\n  int a);\n", "[Soft] void Line("),
        ("kotlin", "@Soft\nfun line(): Int\n", "@Soft fun line(): Int"),
        ("c", "static int\nline(int a);\n", "static int line(int a);"),
        ("c", "typedef struct {\n  int a;\n} line;\n", "typedef struct"),
        ("haskell", "class Nest a where\n  -- | Of moss.\n  line :: a\n", "class Nest a where"),
        ("javascript", "const nest = { // of twigs\n  moss: 1,\n};\n", "nest"),
    ],
)
def test_a_signature_has_no_comments(language: str, text: str, signature: str) -> None:
    assert symbols(text, language=language)[0].signature == signature


def test_directives_of_fypp_do_not_hide_the_module_behind_them() -> None:
    source = '#:include "common.fypp"\n#:set KINDS = ["sp"]\n\n!> Gates.\nmodule gates\ncontains\n'
    source += "  subroutine shut(gate)\n    integer :: gate\n  end subroutine\nend module gates\n"
    (module,) = symbols(source, language="fortran")
    assert (module.kind, module.name, module.line) == ("module", "gates", 4)
    assert [each.name for each in module.children] == ["shut"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("markdown", "> " * 5_000),
        ("markdown", "1. " * 3_000),
        ("yaml", "- " * 5_000),
        ("yaml", "".join(" " * depth + "a:\n" for depth in range(600))),
    ],
)
def test_blocks_too_deep_for_a_parser_have_no_definitions(language: str, text: str) -> None:
    assert symbols(text, language=language) == []
