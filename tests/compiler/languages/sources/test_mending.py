"""Definitions of source that the grammar of its language does not read throughout."""

from __future__ import annotations

import time

from tree_sitter import Node

from kbc.languages import grammars
from kbc.languages.definitions.symbol import walk
from kbc.languages.mending import mended, without_item_macros
from kbc.languages.syntax import symbols


def _names(text: str, language: str) -> list[str]:
    return [symbol.name for symbol in walk(symbols(text, language=language))]


def test_an_unknown_construct_in_a_function_costs_no_other_definition() -> None:
    text = """\
class Tank(
    val litres: Int,
) : Vessel {
    fun label(content: Any): String = when (content) {
        is Oil if content.isHot -> "hot"
        else -> "cold"
    }

    fun empty() {
        pump()
    }
}

fun pump() {
    run()
}
"""
    found = symbols(text, language="kotlin")
    assert [(each.name, each.own_line, each.end_line) for each in walk(found)] == [
        ("Tank", 1, 12),
        ("label", 4, 7),
        ("empty", 9, 11),
        ("pump", 14, 16),
    ]


def test_an_unknown_head_costs_only_its_own_definition() -> None:
    text = """\
class Tank {
    fun fill(block: context(Pump) () -> Unit) = block()

    @Synchronized
    fun empty() {
        pump()
    }
}
"""
    assert _names(text, "kotlin") == ["Tank", "empty"]
    assert symbols(text, language="kotlin")[0].children[0].line == 4


def test_a_head_that_goes_on_in_indented_lines_keeps_its_definition() -> None:
    text = """\
open class Tank(val litres: Int, val content: Any) :
    Vessel(litres) {

    fun label(): String = when (content) {
        is Oil if content.isHot -> {
            "hot"
        }
        else -> "cold"
    }

    fun empty() {
        pump()
    }
}
"""
    assert _names(text, "kotlin") == ["Tank", "label", "empty"]


def test_a_long_definition_is_never_hidden_as_a_whole() -> None:
    methods = "".join(f"    fun m{at}() {{\n        run()\n    }}\n" for at in range(60))
    text = f"class Tank<T> : context(Pump) Vessel {{\n{methods}}}\n"
    assert len(_names(text, "kotlin")) >= 60


def test_what_does_not_read_is_blank_and_as_long_as_before() -> None:
    source = b"tank {\n  good\n\n  pump {\n    bad\r\n  }\n#if X\n  good\n}\n"
    tree = grammars.tree(b"", "json")
    found = mended(source, lambda text: None if b"bad" in text else tree)
    assert found == b"tank {\n  good\n\n  pump {\n       \r\n  }\n#if X\n  good\n}\n"


def test_ref_and_partial_structs_of_csharp() -> None:
    text = "public readonly ref partial struct Tank\n{\n    int Fill()\n    {\n        return 1;\n    }\n}\n"
    assert _names(text, "csharp") == ["Tank", "Fill"]
    assert symbols(text, language="csharp")[0].kind == "struct"


def test_a_record_of_ocaml_is_one_definition() -> None:
    assert _names("type tank = {\n  litres : int;\n  mutable open_ : bool;\n}\n", "ocaml") == [
        "tank"
    ]


def test_macros_of_rust_around_definitions() -> None:
    text = """\
pin_project! {
    /// Doc
    pub struct Tank<F> {
        #[pin]
        fill: F,
    }
}

with_pumps!
{
    impl Tank {
        with_oil! {
            fn heat(&self) {}
        }
    }
}

fn label() {
    choose! {
        fn none() {}
    }
}

flags! {
    struct Odd: u32 { const A = 1; }
}
"""
    found = [(each.name, each.line, each.end_line) for each in walk(symbols(text, language="rust"))]
    assert found == [
        ("Tank", 1, 6),
        ("Tank", 11, 15),
        ("heat", 12, 13),
        ("label", 18, 22),
        ("Odd", 24, 26),
    ]


def test_a_function_is_worth_more_than_its_values() -> None:
    text = """\
fun Tank.open() {
    parts {
        val lid = 1
        val tap by inject<Tap>()
        val pump by inject<Pump>()

        get("/all") {
            use(lid)
        }
    }
}
"""
    found = [
        (each.name, each.line, each.end_line) for each in walk(symbols(text, language="kotlin"))
    ]
    assert found == [("open", 1, 11)]


def test_functions_that_an_object_of_javascript_holds() -> None:
    text = """\
module.exports = {
  fill: function () {
    return 1;
  },
  litres: 3,
};
function label() {
  return {
    inner: function () {
    },
  };
}
"""
    assert _names(text, "javascript") == ["fill", "label"]


def test_a_long_file_that_does_not_read_takes_no_time_for_its_square() -> None:
    text = "class A {\n" + " f(@; \n} \n" * 10_000
    began = time.process_time()
    assert len(mended(text.encode(), lambda source: None)) == len(text)
    assert time.process_time() - began < 8


def test_macros_in_macros_are_parsed_up_to_a_bound() -> None:
    source = ("a! { " * 1_500 + "struct Oil;" + " }" * 1_500).encode()
    parsed = 0

    def parse(part: bytes) -> Node | None:
        nonlocal parsed
        parsed += len(part)
        return grammars.tree(part, "rust")

    root = parse(source)
    assert root is not None
    assert len(without_item_macros(source, root, parse)) == len(source)
    assert 1_000_000 < parsed < 5_000_000


def test_a_macro_behind_a_method_of_objective_c_costs_no_definition_around_it() -> None:
    text = """\
@protocol Vessel <NSObject>

@required
/**
 Fills it.

 @param level How far
 */
- (nullable id<Tank>)fill:(nullable NSString *)level
                     then:(nullable Block)then API_DEPRECATED_WITH("fill:", macos(10.10, OLD), ios(8.0, OLD));

@optional
/**
 Drains it.
 */
- (nullable id<Tank>)drain:(nullable NSString *)level;

@end
"""
    assert _names(text, "objc") == ["Vessel", "fill", "drain"]


def test_macros_behind_properties_and_types_of_objective_c() -> None:
    text = """\
typedef void (^Listener)(int level, NSArray *tanks) API_AVAILABLE(ios(10), macos(10.12));

@interface Tank ()
@property (nonatomic, copy) Listener listener API_AVAILABLE(ios(10));
- (instancetype)init NS_UNAVAILABLE;
@end
"""
    assert _names(text, "objc") == ["Listener", "Tank", "init"]


def test_a_parser_that_goes_on_for_ever_at_one_place_is_stopped() -> None:
    loop = "while x do\n" + (" " * 40 + "\n") * 9 + "    }\n"

    assert symbols(f"let f x = 1\n\n{loop}", language="fsharp") is not None
    assert grammars.tree(("while" + (" " * 40 + "\n") * 9 + "       }").encode(), "fsharp") is None
    assert _names("let f x =\n    while x do\n        ()\n", "fsharp") == ["f"]


def test_a_watched_parser_is_as_fast_as_others() -> None:
    source = b"let f x = x + 1\n" * 30_000
    started = time.process_time()
    assert grammars.tree(source, "fsharp") is not None
    assert time.process_time() - started < 5


def test_no_text_is_parsed_again_at_once() -> None:
    parsed: list[bytes] = []

    def parse(source: bytes) -> Node | None:
        parsed.append(source)
        root = grammars.tree(source, "kotlin")
        return None if root is None or root.has_error else root

    source = b"class Tank {\n    fun a() {\n        is Oil if hot ->\n    }\n    fun b() {}\n}\n"
    assert b"is Oil" not in mended(source, parse)
    assert len(parsed) == len(set(parsed))
