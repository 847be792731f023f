"""What of an example program is embedded."""

from __future__ import annotations

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


def test_bodies_of_operators_are_not_embedded(code_budget: TokenBudget) -> None:
    chunks = chunk(example(QUINT, "bank.qnt"), code_budget)
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


def test_bodies_of_functions_are_not_embedded(code_budget: TokenBudget) -> None:
    chunks = chunk(example(PYTHON, "greet.py"), code_budget)
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


def test_a_documentation_string_alone_is_embedded(code_budget: TokenBudget) -> None:
    text = 'def f():\n    """Does nothing."""\n\n\ndef g():\n    return hidden()\n'
    assert '"""Does nothing."""' in embedded(chunk(example(text, "a.py"), code_budget))


def test_what_has_no_grammar_is_embedded_whole(code_budget: TokenBudget) -> None:
    text = "begin\n  compute\nend\n"
    assert embedded(chunk(example(text, "a.unknown"), code_budget))[-3:] == [
        "begin",
        "compute",
        "end",
    ]


def test_source_code_is_embedded_whole(code_budget: TokenBudget) -> None:
    record = CompiledRecord(
        id="greet.py", collection="code", title="greet.py", path="greet.py", text=PYTHON
    )
    assert "return text" in embedded(chunk(record, code_budget))
