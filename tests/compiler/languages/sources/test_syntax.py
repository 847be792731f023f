from __future__ import annotations

import pytest

from kbc.languages.syntax import Symbol, symbols, walk

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


def test_what_stands_before_broken_text_is_found() -> None:
    text = "class A {\n  int a();\n};\n}}}\n#if X\nclass {\n"
    assert symbols(text, language="cpp")[0].name == "A"


def test_an_upper_case_type_above_a_function_is_no_macro() -> None:
    text = (
        "VOID\nFoo(int x)\n{\n  go();\n}\nEFI_STATUS\nEFIAPI\nBar (\n  int y\n  )\n{\n  go();\n}\n"
    )
    assert [found.name for found in symbols(text, language="c")] == ["Foo", "Bar"]
