from __future__ import annotations

import pytest

from kbc.languages.syntax import Symbol, symbols, walk
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
            ["constant taps", "constant name", "function f"],
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
            "c",
            "typedef int (TANK_CALL *filled)(int);\ntypedef void(TANK_CALL* drained)(void);\n",
            ["type filled", "type drained"],
            id="macros in types of functions",
        ),
    ],
)  # fmt: skip
def test_what_files_and_types_declare(language: str, text: str, expected: list[str]) -> None:
    assert listed(language, text) == expected


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
