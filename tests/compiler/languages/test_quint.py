"""The Quint scanner: tokens, definitions, imports, comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.languages.quint import scan, tokenize

BANK = """// -*- mode: Bluespec; -*-
/**
 * A bank with one account a user.
 * action notHere = true
 */
module bank {
  import basicSpells.* from "spells/basicSpells"
  import Ledger(N = 3, LIMIT = max(2, 3)).* as L from "./ledger"
  import time as clock
  export clock

  const USERS: Set[str]
  /// What a transfer gives.
  type Result =
    | Done(int)
    | Refused
  type State = { action: str, val: int }
  var balances: str -> int
  pure val text = "run fakeTest = {"
  pure def pay(
    state: State, // val hidden = 1
    by: (int) => int
  ): Result =
    val amount = by(state.val)
    val rest = amount
    if (rest > 0) Done(rest) else Refused
  action init = all {
    val local = 0
    balances' = USERS.mapBy(user => local),
  }
  temporal live = always(eventually(balances.keys() == USERS))
  run smoke = init.then(step)
  run paymentTest = {
    init.expect(true)
  };
}
module other { val a = bank::text def b(x) = x }
"""


def test_definitions_have_kinds_lines_signatures_and_modules() -> None:
    found = {each.name: each for each in scan(BANK).definitions}
    assert {name: (each.kind, each.line, each.end_line) for name, each in found.items()} == {
        "bank": ("module", 6, 36),
        "USERS": ("const", 12, 12),
        "Result": ("type", 14, 16),
        "State": ("type", 17, 17),
        "balances": ("var", 18, 18),
        "text": ("pure val", 19, 19),
        "pay": ("pure def", 20, 26),
        "init": ("action", 27, 30),
        "live": ("temporal", 31, 31),
        "smoke": ("run", 32, 32),
        "paymentTest": ("run", 33, 35),
        "other": ("module", 37, 37),
        "a": ("val", 37, 37),
        "b": ("def", 37, 37),
    }
    assert found["pay"].signature == "pure def pay( state: State, by: (int) => int ): Result"
    assert found["Result"].signature == "type Result = | Done(int) | Refused"
    assert found["USERS"].signature == "const USERS: Set[str]"
    assert (found["pay"].parent, found["b"].parent, found["bank"].parent) == ("bank", "other", "")


def test_names_in_comments_strings_and_bodies_are_not_taken() -> None:
    source = scan(BANK)
    assert source.functions == ("text", "pay", "live", "a", "b")
    assert source.names("action") == ("init",)
    assert source.constructors == ("Done", "Refused")


def test_runs_that_end_in_test_come_first() -> None:
    assert scan(BANK).tests == ("paymentTest", "smoke")
    assert scan("module m {\n  // aTest\n  val aTestValue = 1\n}").tests == ()


def test_imports_name_the_module_and_the_source() -> None:
    assert [(each.module, each.source) for each in scan(BANK).imports] == [
        ("basicSpells", "spells/basicSpells"),
        ("Ledger", "./ledger"),
        ("time", ""),
        ("clock", ""),
    ]


def test_the_leading_comment_is_the_description() -> None:
    assert scan(BANK).description.startswith("A bank with one account a user.")
    assert scan("module m {\n  /// Inside.\n  val a = 1\n}").description == "Inside."
    assert scan("module m {\n  val a = 1 // late\n}").description == ""
    assert scan("/****\n * Title\n ****/\n// ----\n//\n// More.\nval a = 1").description == (
        "Title More."
    )


def test_calls_are_what_is_applied() -> None:
    assert {"mapBy", "always", "eventually", "keys", "then", "expect"} <= set(scan(BANK).calls)
    assert not {"if", "b"} & set(scan(BANK).calls)


def test_windows_line_ends_change_nothing() -> None:
    assert scan(BANK.replace("\n", "\r\n")).definitions == scan(BANK).definitions


def test_a_module_after_unclosed_brackets_is_found() -> None:
    source = scan("module a {\n  def f(x) = ((( { x\n}\nmodule b {\n  val h = 1\n}\n")
    assert source.names("module", "def", "val") == ("a", "f", "b", "h")


def test_definitions_without_a_module_are_found() -> None:
    assert scan("pure def f(x) = x + 1\naction step = f(1)").names("pure def", "action") == (
        "f",
        "step",
    )


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["{", "(", "module a {", "}", "/*", '"', "import a(", "def f "])
def test_repeated_input_is_read_in_linear_time(unit: str) -> None:
    """A quadratic step would run into the test's time limit."""
    text = unit * (200_000 // len(unit))
    assert sum(len(token.text) for token in tokenize(text)) == len(text)
    scan(text)


QUINT_TEXT = st.lists(
    st.sampled_from(
        ["module", "m", "{", "}", "(", ")", "=", "val ", "def ", "pure ", "action", "run", "x", '"']
    )
    | st.sampled_from(
        ["//", "///", "/*", "*/", "\n", "\r\n", " ", "import", "from", ".", "*", "::", "0x"]
    )
    | st.sampled_from(["type ", "|", ",", "=>", "as", "#!", "'"])
    | st.text(max_size=3),
    max_size=40,
).map("".join)


@given(QUINT_TEXT)
def test_tokens_joined_are_the_text_with_exact_places(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(token.text for token in tokens) == text
    for token in tokens:
        before = text[: token.start]
        assert text.startswith(token.text, token.start)
        assert token.line == before.count("\n") + 1
        assert token.column == len(before) - (before.rfind("\n") + 1) + 1


@given(QUINT_TEXT)
def test_any_text_is_scanned_with_lines_inside_it(text: str) -> None:
    lines = text.count("\n") + 1
    for each in scan(text).definitions:
        assert 1 <= each.line <= each.end_line <= lines
        assert each.name
