from __future__ import annotations

import pytest

from kbc.languages.definitions.symbol import Symbol, walk
from kbc.languages.syntax import symbols
from kbc.languages.uses.definitions import simple_name


def found(language: str, text: str) -> list[Symbol]:
    return list(walk(symbols(text, language=language)))


def listed(language: str, text: str) -> list[str]:
    return [f"{each.kind} {each.name}" for each in found(language, text)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        pytest.param(
            "c",
            "#ifndef TANK_H\n#define TANK_H\n#define TANK_LITRES 40\n#define FULL(x) (x)\n#endif\n",
            ["constant TANK_LITRES", "macro FULL"],
            id="macros with a value, not guards",
        ),
        pytest.param(
            "c",
            "extern const int most;\nstatic struct tap *taps[] = {\n#ifdef A\n  &a,\n#endif\n  NULL\n};\n"
            "static int level = 0;\nconst char name[] = \"tank\";\nint f(void) {\n const int n = 3;\n}\n"
            "TAP_TEST(x)\n{\n  const int turns = 3;\n  f();\n}\n",
            ["constant taps", "constant name", "function f", "function x"],
            id="tables and constants outside of functions",
        ),
        pytest.param(
            "cpp",
            "namespace tank {\nconstexpr int kLitres = 40;\nTap* tap = nullptr;\n}\n",
            ["module tank", "constant kLitres"],
            id="constants of a namespace",
        ),
        pytest.param(
            "go",
            'package p\n\nvar ErrDry = errors.New("dry")\n\nvar (\n\ta = 1\n\t_ Tap = (*x)(nil)\n)\n'
            "\nfunc f() {\n\tvar inner = 1\n}\n",
            ["variable ErrDry", "variable a", "function f"],
            id="variables of a package",
        ),
        pytest.param(
            "go",
            "package p\n\ntype Tap interface {\n\tOpen(turns int) error\n\tio.Closer\n}\n",
            ["type Tap", "method Open"],
            id="methods of an interface",
        ),
        pytest.param(
            "java",
            "class Tank {\n public static final int LITRES = 40;\n private final int level = 0;\n}\n"
            "interface Tap {\n int TURNS = 3;\n}\n",
            ["class Tank", "constant LITRES", "interface Tap", "constant TURNS"],
            id="constants of a class and of an interface",
        ),
        pytest.param(
            "csharp",
            "class Tank\n{\n public const int Litres = 40;\n static readonly string Name;\n"
            " readonly int level;\n static int count;\n}\n",
            ["class Tank", "constant Litres", "constant Name"],
            id="constants of a class",
        ),
        pytest.param(
            "rust",
            "trait Tap {\n    type Water;\n    fn open(&self);\n}\n",
            ["trait Tap", "type Water", "method open"],
            id="types of a trait",
        ),
        pytest.param(
            "swift",
            "protocol Tap {\n    associatedtype Water\n    func open()\n}\n",
            ["interface Tap", "type Water", "method open"],
            id="types of a protocol",
        ),
        pytest.param(
            "julia",
            "module Tanks\nconst LITRES = 40\nconst TURNS::Int = 3\n@inline level(t) = t.level\n"
            "@inline function fill!(t)\n    t\nend\nfunction Vector{T}(t::Tank) where T\nend\n"
            "Base.:(==)(a, b) = 1\nend\n",
            [
                *("module Tanks", "constant LITRES", "constant TURNS", "function level"),
                *("function fill!", "function Vector", "function Base.=="),
            ],
            id="constants, and functions behind a macro",
        ),
        pytest.param(
            "haskell",
            "module M where\n\nclass Tap a where\n  open :: a -> Int\n  shut, turn :: a\n"
            "instance Tap Int where\n  open = id\ninstance Tap Bool where\n  open _ = 1\n",
            [
                *("class Tap", "method open", "method shut", "implementation Tap", "method open"),
                *("implementation Tap", "method open"),
            ],
            id="methods of a class, and instances right below it",
        ),
        pytest.param(
            "ruby",
            "class Tap\n alias shut close\n alias_method :turn, :open\n"
            " define_method(:drip) { 1 }\n validates :name\nend\n",
            ["class Tap", "method shut", "method turn", "method drip"],
            id="other names of methods",
        ),
        pytest.param(
            "ruby",
            "Tank = Struct.new(:level) do\n  def fill\n  end\nend\nDry = Class.new(StandardError)\n"
            "TAPS = Taps.new(1)\n",
            ["class Tank", "method fill", "class Dry", "constant TAPS"],
            id="classes that a call makes",
        ),
        pytest.param(
            "csharp",
            "class Tank {\n int Level => 3;\n int Turns { get { return 1; } }\n"
            " int Lid { get => 1; set => n = value; }\n int Size { get; set; } = 4;\n}\n",
            ["class Tank", "method Level", "method Turns", "method Lid"],
            id="properties that compute, no other ones",
        ),
        pytest.param(
            "lua",
            "return {\n  open = function(turns)\n    return turns\n  end,\n  litres = 40,\n}\n",
            ["function open"],
            id="functions of a table",
        ),
        pytest.param(
            "kotlin",
            "@Target(AnnotationTarget.CLASS)\nannotation class Tap\n\n/** Holds water. */\n"
            "@Big(Tap::class)\n@Round\nopen class Tank protected constructor() {\n fun fill() = 2\n}\n",
            ["class Tap", "class Tank", "method fill"],
            id="classes behind annotations",
        ),
        pytest.param(
            "cpp",
            "class Tank {\n std::map<int, int> &parts();\n Tank &operator=(const Tank &);\n"
            " int &&level() { return 1; }\n enum class side { left, right };\n};\n"
            "Tank &Tank::fill() {\n return *this;\n}\n",
            [
                *("class Tank", "method parts", "method operator=", "method level", "enum side"),
                "function Tank::fill",
            ],
            id="functions that return references",
        ),
        pytest.param(
            "cpp",
            "namespace {\nstd::set<int> parts() {\n return {};\n}\nstruct Tank {\n operator bool() const {\n"
            "  return full;\n }\n operator const char *() const;\n};\n}\nnamespace a::b {\nvoid f();\n}\n",
            [
                *("function parts", "struct Tank", "method operator bool"),
                *("method operator const char", "module a::b", "function f"),
            ],
            id="namespaces without a name and conversions",
        ),
        pytest.param(
            "nim",
            "proc `==`*(a, b: Tank): bool =\n  true\n",
            ["function =="],
            id="operators that a module exports",
        ),
        pytest.param(
            "cpp",
            "TANK_API std::vector<int> parts() {\n return {};\n}\nTANK_INLINE Tank &Tank::fill() {\n}\n"
            "TANK_INLINE Tank::Tank(int size) : size_(size) {\n}\n"
            "template <class T>\nTANK_INLINE Box<T>::Box(int size) {\n}\n"
            "static Result TANK_CALL drain(int turns) {\n}\nHRESULT open(int turns) {\n}\n"
            "const HRESULT shut(int turns) {\n}\n",
            [
                *("function parts", "function Tank::fill", "function Tank::Tank"),
                *("function Box<T>::Box", "function drain", "function open", "function shut"),
            ],
            id="macros before a function",
        ),
        pytest.param(
            "zig",
            'const Tap = water.Tap;\nconst Tank = @import("tank.zig").Tank;\npub const Lid = water.Lid;\n'
            'const most = water.litres;\ntest "opens slowly" {\n  const tap = 1;\n}\n'
            "test {\n  const tap = 1;\n}\ncomptime {\n  const tap = 1;\n}\n",
            ["constant Lid", "constant most", "function opens slowly"],
            id="no imports, and no variables of blocks",
        ),
        pytest.param(
            "javascript",
            "const litres = 40;\ndescribe('tank', () => {\n  const tank = 1;\n  const fill = () => 2;\n"
            "  it('fills', function () {\n    const tap = 1;\n  });\n});\n"
            "(function () {\n  var turns = 3;\n})();\n",
            ["constant litres", "function fill", "constant turns"],
            id="no variables of functions without a name, unless around a file",
        ),
        pytest.param(
            "javascript",
            "(function () {\n  var turns = 3;\n}).call(this);\n"
            "(function (root, make) {\n  make();\n}(this, function () {\n  var litres = 40;\n}));\n"
            "tap.define(['pump'], function (pump) {\n  var most = 9;\n});\n",
            ["constant turns", "constant litres", "constant most"],
            id="variables of modules that are functions",
        ),
        pytest.param(
            "ruby",
            "litres = 40\ndescribe 'tank' do\n  tank = 1\n  TURNS = 3\n  def fill; end\nend\n",
            ["variable litres", "constant TURNS", "function fill"],
            id="no variables of blocks",
        ),
        pytest.param(
            "cmake",
            "function(tank_add tap)\n  option(OPEN)\nendfunction()\nmacro(tank_drop)\nendmacro()\n",
            ["function tank_add", "macro tank_drop"],
            id="commands",
        ),
        pytest.param(
            "dart",
            "class Tank {\n  bool operator ==(Object other) => true;\n  factory Tank.of(int size) => x;\n"
            "  Tank fill() => this;\n}\n",
            ["class Tank", "method operator ==", "method Tank.of", "method fill"],
            id="operators and named constructors",
        ),
        pytest.param(
            "dart",
            "extension type const Litres._(int value) implements int {\n  int twice() => 2;\n}\n",
            ["class Litres", "method twice"],
            id="types that extend others",
        ),
        pytest.param(
            "dart",
            "abstract class Tank {\n  static const int litres = 40;\n  int get level;\n  void fill(int n);\n"
            "  final int size;\n  const Tank(this.size);\n  Tank.of() : size = 1;\n  Tank.big() {\n  }\n}\n"
            "final most = 3;\nint get least => 1;\nvoid f() {\n  const n = 1;\n}\n",
            [
                *("class Tank", "constant litres", "method level", "method fill"),
                *("method Tank", "method Tank.of", "method Tank.big", "constant most"),
                *("function least", "function f"),
            ],
            id="members without a body, and constants of a class and of a file",
        ),
        pytest.param(
            "elixir",
            "defmodule Tap do\n  @type turns(a) :: integer\n  @callback open(turns) :: a when a: var\n"
            "  @most 3\nend\n",
            ["module Tap", "type turns", "function open"],
            id="types and what a behaviour asks for",
        ),
        pytest.param(
            "haskell",
            "module M where\n\ntype family Water a where\n  Water Int = Bool\n\ndata family Oil a\n\n"
            "pattern Dry :: Tank\npattern Dry = Tank 0\n\n"
            'foreign import ccall "turn" c_turn :: Int -> Int\n',
            ["type Water", "type Oil", "function Dry", "function c_turn"],
            id="families of types, patterns with a name, foreign functions",
        ),
        pytest.param(
            "haskell", "module M where\n\ndata Tank = Tank\n", ["type Tank"], id="all of a module on one line"
        ),
        pytest.param(
            "haskell",
            "module M where\n\ndata (path :: k) :> (api :: Type)\n  deriving (Eq)\ndata a :| b = a :| b\n"
            "newtype (f :. g) a = Comp (f (g a))\ntype a + b = Either a b\ntype family (++) a b where\n"
            "  '[] ++ b = b\nclass a =: b where\ndata a `Or` b = L a\n",
            ["type :>", "type :|", "type :.", "type +", "type ++", "class =:", "type Or"],
            id="operators that are types",
        ),
        pytest.param(
            "scala", "class `type` {\n}\n", ["class type"], id="a name in backticks"
        ),
        pytest.param(
            "rust",
            "kinds! {\n    #[derive(Copy)]\n    pub struct Lids: u8 { const RED = 1; }\n}\n"
            "once! { static ref TANK: Tank = Tank::new(); }\nfn f() {\n    check!(struct Tap: u8);\n}\n",
            ["struct Lids", "constant TANK", "function f"],
            id="what a macro defines in a syntax of its own",
        ),
        pytest.param(
            "scala",
            "package object tank {\n  val litres = 40\n}\nobject Tap {\n  implicit val most: Int = 3\n"
            "  val (a, b) = turns\n  def open = {\n    val n = 1\n  }\n}\nclass Lid {\n  val size = 3\n}\n",
            [
                *("module tank", "constant litres", "class Tap", "constant most", "method open"),
                "class Lid",
            ],
            id="values of objects, not of classes",
        ),
        pytest.param(
            "swift",
            "public struct Tank {}\nindirect enum Tap {}\npublic let litres = 40\n"
            'public macro fill(n: Int) = #externalMacro(module: "M", type: "T")\n',
            ["struct Tank", "enum Tap", "constant litres", "macro fill"],
            id="kinds behind modifiers, and macros",
        ),
        pytest.param(
            "swift",
            "struct Tank {\n  public subscript(part: Int) -> Int { part }\n}\n",
            ["struct Tank", "method subscript"],
            id="subscripts",
        ),
        pytest.param(
            "julia",
            "@enum Side left right\n@enum Tap::UInt8 begin\n  open\nend\n@show litres\n",
            ["enum Side", "enum Tap"],
            id="enumerations",
        ),
        pytest.param(
            "php",
            "<?php\ndefine('LITRES', 40);\nif (!defined('MOST')) {\n  define(\"MOST\", 3);\n}\n"
            "define($name, 1);\nfill('tank', 2);\n",
            ["constant LITRES", "constant MOST"],
            id="constants of a program",
        ),
        pytest.param(
            "typescript",
            "export declare const litres: number\ndeclare function fill(n: number): void\n",
            ["constant litres", "function fill"],
            id="what has no body here",
        ),
        pytest.param(
            "typescript",
            "export function fill(n: number): void\n/** All of it. */\nexport function fill(): void\n"
            "export function fill(n?: number) {\n  function turn() {}\n}\nexport function drain(): void\n",
            ["function fill", "function turn", "function drain"],
            id="overloads as one function",
        ),
        pytest.param(
            "cpp",
            'class Tank : public Box<Tank>\n{\n  TANK_ADD(Tank::fill,\n           "/fill", 3);\n'
            "  void fill();\n};\nvoid f() {\n  if (a)\n    TANK_CHECK(g(a));\n  else b();\n}\n",
            ["class Tank", "method fill", "function f"],
            id="calls of macros in a class",
        ),
        pytest.param(
            "c",
            "typedef int (TANK_CALL *filled)(int);\ntypedef void(TANK_CALL* drained)(void);\n",
            ["type filled", "type drained"],
            id="macros in types of functions",
        ),
    ],
)  # fmt: skip
def test_what_files_and_types_declare(language: str, text: str, expected: list[str]) -> None:
    assert listed(language, text) == expected


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        pytest.param(
            "elixir",
            'defmodule Tap do\n\n  @doc """\n  Opens it.\n  """\n  @spec open(integer) :: t\n'
            "  def open(n), do: n\nend\n",
            [("Tap", 1, 8), ("open", 3, 7)],
            id="Elixir",
        ),
        pytest.param(
            "erlang", '-doc "Opens it.".\n-spec open(t) -> t.\nopen(X) -> X.\n', [("open", 1, 3)], id="Erlang"
        ),
        pytest.param(
            "haskell",
            "module Taps where\n\nimport Tanks\n\n-- * Taps\n\n-- | Opens.\n-- It turns.\n"
            "class Open a where\n  -- | Turns it.\n  turn :: a\n\n-- | Shut.\ntype Shut = Int\n",
            [("Open", 7, 11), ("turn", 10, 11), ("Shut", 13, 14)],
            id="Haskell, behind imports and the head of a class",
        ),
        pytest.param(
            "haskell",
            "module Taps\n  ( Tap\n  ) where\n\n-- | Opens.\ndata Tap = Tap\n",
            [("Tap", 5, 6)],
            id="Haskell, behind exports",
        ),
        pytest.param(
            "scala",
            "package taps\n\n/** Holds water. */\n\nobject Tank {\n\n  /** Taps. */\n\n  /** Fills it. */\n"
            "\n  def fill = 1\n  // Turns.\n\n  def turn = 2\n}\n",
            [("Tank", 3, 15), ("fill", 9, 11), ("turn", 14, 14)],
            id="documentation above a blank line",
        ),
        pytest.param(
            "php",
            "<?php\n// Of taps.\n/** Free for all. */\n\nclass Tank {\n  /** Fills it. */\n"
            "\n  function fill() {}\n  /****** Shut ******/\n\n  function shut() {}\n}\n",
            [("Tank", 5, 12), ("fill", 6, 8), ("shut", 11, 11)],
            id="what a file begins with, and lines of stars, document no definition below a blank line",
        ),
        pytest.param(
            "purescript",
            "module Taps where\n\n-- | Opens.\nopen :: Int -> Int\nopen n = n\n",
            [("open", 3, 5)],
            id="PureScript, above the type",
        ),
        pytest.param(
            "python",
            "class Tap:\n    # Opens it.\n    # It turns.\n    def open(self): ...\n",
            [("Tap", 1, 4), ("open", 2, 4)],
            id="Python, behind the head of a class",
        ),
        pytest.param(
            "ruby",
            "module Taps\n  # Holds water.\n  class Tank\n    # Fills it.\n    private def fill(n)\n      n\n"
            "    end\n\n    # Shuts it.\n    private def shut = 1\n  end\nend\n",
            [("Taps", 1, 12), ("Tank", 2, 11), ("fill", 4, 7), ("shut", 9, 10)],
            id="Ruby, behind the head of a module and above `private`",
        ),
        pytest.param(
            "julia",
            'module Taps\n"""\n    open(tap)\n"""\nopen(tap) = 1\n\nfill(tap) = "a"\nend\n',
            [("Taps", 1, 8), ("open", 2, 5), ("fill", 7, 7)],
            id="Julia",
        ),
        pytest.param(
            "ocaml_interface",
            "val open_ : t\n(** Opens it. *)\n\nmodule Tank : sig\n  val fill : t\n  (** Fills it. *)\nend\n"
            "(** Holds water. *)\n\n(** Shuts it. *)\nval shut : t\n(** Turns it. *)\nval turn : t\n",
            [("open_", 1, 2), ("Tank", 4, 8), ("fill", 5, 6), ("shut", 10, 11), ("turn", 12, 13)],
            id="OCaml, also below what they document",
        ),
    ],
)  # fmt: skip
def test_lines_include_documentation(language: str, text: str, lines: list[object]) -> None:
    assert [(each.name, each.line, each.end_line) for each in found(language, text)] == lines


def test_a_class_behind_annotations_has_their_lines_and_its_comment() -> None:
    text = "/** Holds water. */\n@Big(Tap::class)\n@Round\nopen class Tank protected constructor() {\n}\n"
    (tank,) = found("kotlin", text)
    assert (tank.line, tank.own_line, tank.end_line) == (1, 4, 5)


@pytest.mark.parametrize(
    ("name", "kind", "simple"),
    [
        ("formatter<tanks::Tank>", "struct", "formatter"),
        ("tanks::Box<std::pair<a::b, c>>::fill", "function", "fill"),
        ("convert<a::b>", "function", "convert"),
        ("<+>", "function", "<+>"),
        ("operator<", "method", "operator<"),
    ],
)
def test_a_simple_name_has_no_type_arguments(name: str, kind: str, simple: str) -> None:
    assert simple_name(name, kind) == simple


def test_lines_full_of_upper_case_words_are_read_in_linear_time() -> None:
    line = "WORD " * 20_000
    assert listed("c", f"{line}\nint f(void) {{\n return 1;\n}}\n")[-1:] == ["function f"]
