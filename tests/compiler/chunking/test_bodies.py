"""What of an example program is embedded."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kbc.chunking import TokenBudget, chunk
from kbc.records import CompiledChunk, CompiledRecord, ExampleRecord

QUINT = """module bank {
  // Money of each client.
  var balances: str -> int

  /// Moves money.
  pure def moved(
    from: int,
    amount: int
  ): int = {
    // never below zero
    val rest = from - amount
    if (rest < 0) from else rest
  }

  action init = balances' = Map()
  type State = {
    clients: Set[str],
  }
}
"""

PYTHON = '''"""Serves greetings."""
import os

LIMIT = 3


class Greeter:
    """Says hello."""

    name: str

    def greet(
        self,
        name: str,
    ) -> str:
        """One greeting."""
        # politely
        text = "hello " + name
        return text


print(Greeter())
'''


@pytest.fixture
def budget() -> TokenBudget:
    """48 words and signs: less than each of the programs."""
    return TokenBudget(count=lambda text: len(re.findall(r"\w+|[^\w\s]", text)), max_tokens=48)


def example(text: str, path: str) -> ExampleRecord:
    return ExampleRecord(
        id=path,
        collection="examples",
        title=path,
        path=path,
        text=text,
        filename=path,
        category="c",
    )


def embedded(chunks: list[CompiledChunk]) -> list[str]:
    return [line.strip() for found in chunks for line in found.embedded_text.split("\n") if line]


def test_bodies_of_operators_are_not_embedded(budget: TokenBudget) -> None:
    chunks = chunk(example(QUINT, "bank.qnt"), budget)
    assert "".join(found.text for found in chunks) == QUINT
    lines = embedded(chunks)
    assert not {"val rest = from - amount", "if (rest < 0) from else rest"} & set(lines)
    for kept in (
        "// Money of each client.",
        "var balances: str -> int",
        "/// Moves money.",
        "pure def moved(",
        "amount: int",
        "// never below zero",
        "action init = balances' = Map()",
        "clients: Set[str],",
    ):
        assert kept in lines


def test_a_copy_is_embedded_as_the_first(budget: TokenBudget) -> None:
    first = example(QUINT, "first/bank.qnt")
    copy = replace(example(QUINT, "other/bank.qnt"), copy_of=first.path)
    chunks = chunk(copy, budget)
    assert embedded(chunks) == embedded(chunk(first, budget))
    assert {found.breadcrumb[0] for found in chunks} == {"other/bank.qnt"}


def test_bodies_of_functions_are_not_embedded(budget: TokenBudget) -> None:
    chunks = chunk(example(PYTHON, "greet.py"), budget)
    assert "".join(found.text for found in chunks) == PYTHON
    lines = embedded(chunks)
    assert not {'text = "hello " + name', "return text"} & set(lines)
    for kept in (
        '"""Serves greetings."""',
        "import os",
        "LIMIT = 3",
        "name: str",
        "name: str,",
        '"""One greeting."""',
        "# politely",
        "print(Greeter())",
    ):
        assert kept in lines


def test_a_documentation_string_alone_is_embedded(budget: TokenBudget) -> None:
    text = 'def f():\n    """Does nothing."""\n\n\ndef g():\n' + "    hidden()\n" * 20
    lines = embedded(chunk(example(text, "a.py"), budget))
    assert '"""Does nothing."""' in lines
    assert "hidden()" not in lines


def test_what_has_no_grammar_is_embedded_whole(budget: TokenBudget) -> None:
    text = "begin\n" + "  compute\n" * 60 + "end\n"
    lines = embedded(chunk(example(text, "a.unknown"), budget))
    assert [line for line in lines if line in text] == text.split()


def test_a_program_of_one_chunk_is_embedded_whole(code_budget: TokenBudget) -> None:
    (found,) = chunk(example(PYTHON, "greet.py"), code_budget)
    assert found.embedded_text.split()[-len(PYTHON.split()) :] == PYTHON.split()


@pytest.mark.parametrize("line", ["    call(one, two)\n", f"    call({'one, ' * 2_000})\n"])
def test_long_bodies_are_cut_at_16_times_the_budget(budget: TokenBudget, line: str) -> None:
    text = f"def first():\n{line * 800}\n\ndef second():\n    return 1\n"
    chunks = chunk(example(text, "a.py"), budget)
    assert "".join(found.text for found in chunks) == text
    assert all(budget.count(found.embedded_text) <= budget.max_tokens for found in chunks)
    longest = max(budget.count(found.text) for found in chunks)
    assert longest <= max(17 * budget.max_tokens, budget.count(line))
    assert "call(" not in "".join(found.embedded_text for found in chunks)


def test_source_code_is_embedded_whole(budget: TokenBudget) -> None:
    record = CompiledRecord(
        id="greet.py", collection="code", title="greet.py", path="greet.py", text=PYTHON
    )
    assert "return text" in embedded(chunk(record, budget))
