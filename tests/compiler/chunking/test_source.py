from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import kbc.chunking.source as source_chunks
from kbc.chunking import TokenBudget, chunk
from kbc.records import CompiledRecord, TemplateRecord

Source = Callable[..., CompiledRecord]


def method(name: str, lines: int = 6) -> str:
    body = "".join(f"        value = self.compute({index}, value)\n" for index in range(lines))
    return f'    def {name}(self, value):\n        """Says what {name} does."""\n{body}\n'


def test_a_large_class_is_cut_at_its_methods(code_budget: TokenBudget, source: Source) -> None:
    methods = [f"method_{name}" for name in "abcdef"]
    text = "class Store(Base):\n" + "".join(f"    @traced\n{method(name)}" for name in methods)
    chunks = chunk(source(text, "pkg/store.py"), code_budget)
    assert [found.symbol for found in chunks][1:] == methods[1:]
    assert all(found.symbol_kind == "method" for found in chunks[1:])
    last = chunks[-1]
    assert last.text.startswith("    @traced\n    def method_f")
    assert last.breadcrumb == ("pkg/store.py", "Store", "method_f")
    assert last.title == "pkg/store.py › Store.method_f"
    assert last.signature == "def method_f(self, value)"
    assert last.embedded_text.startswith(
        "pkg/store.py › Store › method_f\nclass Store(Base)\n    @traced"
    )
    assert [name for found in chunks for name in found.identifiers] == ["Store", *methods]


def test_a_table_of_c_is_a_chunk_with_its_comment(code_budget: TokenBudget, source: Source) -> None:
    rows = "".join(f'  {{"tap{index}", open_{index}, 1}},\n' for index in range(6))
    table = f"/* The taps. */\nstatic struct tap taps[] = {{\n{rows}}};\n"
    text = f"#include <a.h>\n{'int f(int a, int b);' * 8}\n\n{table}"
    *_, last = chunk(source(text, "taps.c"), code_budget)
    assert last.text == table
    assert (last.title, last.identifiers) == ("taps.c › taps", ("taps",))


def test_the_parts_of_a_long_function_carry_its_signature(
    code_budget: TokenBudget, source: Source
) -> None:
    text = "def long(value):\n" + "".join(f"    step_{i}(value)\n" for i in range(120))
    chunks = chunk(source(text, "a.py"), code_budget)
    assert len(chunks) > 2
    assert all((found.symbol, found.symbol_kind) == ("long", "function") for found in chunks)
    assert chunks[0].embedded_text.count("def long(value)") == 1
    assert chunks[1].embedded_text.startswith("a.py › long\ndef long(value)\n")
    assert [found.identifiers for found in chunks[:2]] == [("long",), ()]


def test_the_header_of_what_fits_beside_any_is_not_measured(
    code_budget: TokenBudget, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    header = source_chunks.header
    monkeypatch.setattr(
        source_chunks, "header", lambda *given: made.append(given) or header(*given)
    )
    text = "".join(f"def f{index}():\n    return {index}\n\n\n" for index in range(40))
    chunks = chunk(source(text, "a.py"), code_budget)
    assert 1 < len(chunks) == len(made)


def test_short_neighbours_share_a_chunk(code_budget: TokenBudget, source: Source) -> None:
    text = "import os\nimport sys\n\n\n" + "".join(
        f"def f{index}():\n    return {index}\n\n\n" for index in range(4)
    )
    (found,) = chunk(source(text, "a.py"), code_budget)
    assert found.identifiers == ("f0", "f1", "f2", "f3")


def test_a_module_around_a_single_definition_is_only_its_place(
    code_budget: TokenBudget, source: Source
) -> None:
    line = "    class Line\n      def moss\n      end\n    end\n"
    text = f"# x\n\nmodule Nests\n  module Twigs\n{line}  end\nend\n"
    (found,) = chunk(source(text, "line.rb"), code_budget)
    assert (found.title, found.symbol_kind) == ("line.rb › Nests.Twigs.Line", "class")
    text = text.replace("    end\n  end\nend", "    end\n    ROWS = 3\n  end\nend")
    (found,) = chunk(source(text, "line.rb"), code_budget)
    assert (found.title, found.symbol_kind) == ("line.rb › Nests.Twigs", "module")


def test_a_passage_with_a_type_and_what_adds_to_it_is_about_the_type(
    code_budget: TokenBudget, source: Source
) -> None:
    text = "pub struct Nest(u8);\n\nimpl Nest {\n    fn fill(&self) -> u8 {\n        self.0\n    }\n}\n"
    (found,) = chunk(source(text, "nest.rs"), code_budget)
    assert (found.symbol, found.symbol_kind) == ("Nest", "struct")
    assert found.signature.startswith("pub struct Nest")
    (found,) = chunk(source(text.split("\n\n")[1], "nest.rs"), code_budget)
    assert (found.symbol, found.symbol_kind) == ("Nest", "implementation")


def test_what_little_stands_above_a_class_goes_with_it(
    code_budget: TokenBudget, source: Source
) -> None:
    body = "      turn 1, 2\n" * 14
    methods = "".join(f"    def {name}\n{body}    end\n" for name in ("shut", "open"))
    text = f"# About taps.\n\nmodule Taps\n  class Tap\n    TURNS = 3\n\n{methods}  end\nend\n"
    chunks = chunk(source(text, "tap.rb"), code_budget)
    assert [each.title for each in chunks] == ["tap.rb › Taps.Tap", "tap.rb › Taps.Tap.open"]
    assert chunks[0].text.startswith("# About taps.\n\nmodule Taps\n  class Tap\n    TURNS = 3")


def test_what_little_stands_above_a_class_takes_no_part_of_its_head_away(
    code_budget: TokenBudget, source: Source
) -> None:
    constants = "".join(f"  {name} = 1\n" for name in "ABCDEF")
    text = f"# About the taps of a house, and more.\n\nclass Tap\n{constants}\n"
    body = "    turn 1, 2\n" * 26
    chunks = chunk(source(f"{text}  def shut\n{body}  end\nend\n", "tap.rb"), code_budget)
    assert [each.title for each in chunks] == ["tap.rb › Tap", "tap.rb › Tap.shut"]
    assert chunks[0].text == text


def test_magic_comments_are_shown_and_not_embedded(
    code_budget: TokenBudget, source: Source
) -> None:
    body = "  turn 1, 2\n" * 26
    text = f"# frozen_string_literal: true\n\ndef fill\n{body}end\n"
    (found,) = chunk(source(text, "tap.rb"), code_budget)
    assert found.text == text
    assert "frozen" not in found.embedded_text


def test_a_macro_does_not_give_the_settings_around_it_its_name(
    code_budget: TokenBudget, source: Source
) -> None:
    text = "#ifndef OPTS_H\n#define OPTS_H\n#define TANKS 4\n#define TAPS 2\n#endif\n"
    (only,) = chunk(source(text, "opts.h"), code_budget)
    assert (only.title, only.symbol, only.identifiers) == ("opts.h", "", ("TANKS", "TAPS"))


def test_comments_stay_with_their_definition(code_budget: TokenBudget, source: Source) -> None:
    body = "".join(f"  total += compute({index});\n" for index in range(8))
    text = "".join(
        f"/** About {name}. */\n// more\nexport function {name}(a) {{\n{body}}}\n\n"
        for name in ("first", "second", "third")
    )
    chunks = chunk(source(text, "a.js"), code_budget)
    assert [found.symbol for found in chunks] == ["first", "second", "third"]
    assert all(found.text.startswith("/** About") for found in chunks)


def test_long_documentation_is_cut_at_its_headings(
    code_budget: TokenBudget, source: Source
) -> None:
    def documented(mark: str, heading: str) -> str:
        blank = f"{mark.rstrip()}\n"
        prose = "".join(
            f"{mark}The heron waits at weir {n} for what the water brings.\n{blank}"
            for n in range(5)
        )
        return prose + "".join(f"{mark}{heading} {n}\n{blank}{prose}" for n in ("Eggs", "Nests"))

    rust = documented("/// ", "#") + "pub fn fly() {}\n"
    elixir = 'defmodule Heron do\n  @moduledoc """\n' + documented("  ", "##") + '  """\nend\n'
    for text, path, opening in ((rust, "a.rs", "/// # "), (elixir, "a.ex", "  ## ")):
        starts = [found.text.split("\n")[0] for found in chunk(source(text, path), code_budget)]
        assert [f"{opening}Eggs", f"{opening}Nests"] == [each for each in starts if "#" in each]


def test_quint_is_cut_at_definitions(code_budget: TokenBudget, source: Source) -> None:
    body = "".join(f"    compute(state, {index}),\n" for index in range(14))
    text = "module bank {\n  var balance: int\n\n" + "".join(
        f"  // About {name}\n  action {name} = all {{\n{body}  }}\n\n"
        for name in ("deposit", "withdraw")
    )
    chunks = chunk(source(text + "}\n", "bank.qnt"), code_budget)
    assert [found.symbol for found in chunks] == ["bank", "deposit", "withdraw"]
    assert chunks[1].text.startswith("  // About deposit\n")
    assert chunks[2].breadcrumb == ("bank.qnt", "bank", "withdraw")
    assert chunks[2].text.endswith("}\n\n}\n")
    # `module bank` says no more than the path does.
    assert chunks[1].embedded_text.startswith("bank.qnt › bank › deposit\n  // About deposit\n")
    assert {found.language for found in chunks} == {"quint"}


def test_without_a_grammar_code_is_cut_at_outer_lines(
    code_budget: TokenBudget, source: Source
) -> None:
    block = "begin thing\n" + "    do something(a, b)\n" * 9 + "\n    do more(c)\nend\n\n"
    chunks = chunk(source(block * 6, "a.groovy"), code_budget)
    assert len(chunks) > 2
    assert all(found.text.startswith("begin") for found in chunks)


def test_programs_in_further_languages_are_code(code_budget: TokenBudget, source: Source) -> None:
    (found,) = chunk(source("sig Bird {}\n", "nests.als"), code_budget)
    assert (found.type, found.language) == ("code", "")
    (text,) = chunk(source("A bird.\n", "nests.unknown"), code_budget)
    assert text.type == "prose"


def test_configuration_is_cut_at_outer_keys(code_budget: TokenBudget, source: Source) -> None:
    text = "".join(f"key{i}:\n" + "  inner: [1, 2, 3]\n" * 12 for i in range(4))
    chunks = chunk(source(text, "a.yaml"), code_budget)
    assert [found.symbol for found in chunks] == ["key0", "key1", "key2", "key3"]
    assert {found.type for found in chunks} == {"config"}


def test_a_template_is_found_by_its_id_and_name(code_budget: TokenBudget) -> None:
    record = TemplateRecord(
        id="basic",
        collection="templates",
        title="Basic",
        path="templates/basic.qnt",
        text="module basic {\n  var x: int\n}\n",
        name="Basic module",
        description="A start.",
        framework="standard",
        filename="basic.qnt",
    )
    (found,) = chunk(record, code_budget)
    assert found.identifiers == ("basic", "Basic module", "x")
