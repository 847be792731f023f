"""Editing TOML: nothing but the table of the server changes."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from tests.runtime.clients.config_texts import NAME, TOML_CONTAINER, toml_files

from kb_runtime.clients.errors import TextError
from kb_runtime.clients.toml_text import TomlText, scan

ENTRY = {"command": "/opt/kb/bin/quint-kb", "args": ["serve", 'ä "b" \x7f']}
TOML = TomlText(TOML_CONTAINER)


def data(text: str) -> str:
    """As text, because `nan` does not equal itself."""
    return repr(sorted(tomllib.loads(text).items()))


@pytest.mark.slow
@given(toml_files())
def test_an_added_server_goes_to_the_end_and_comes_out_again(text: str) -> None:
    new = TOML.put(text, NAME, ENTRY)
    assert new.startswith(text)
    assert tomllib.loads(new)[TOML_CONTAINER][NAME] == ENTRY
    assert TOML.put(new, NAME, ENTRY) == new
    assert TOML.remove(new, NAME) == [text]


@pytest.mark.slow
@given(toml_files(), toml_files())
def test_a_server_in_the_middle_is_removed_with_its_own_lines_only(before: str, after: str) -> None:
    added = TOML.put(before, NAME, {**ENTRY, "env": {"A": "1"}})
    renamed = after.replace("other", "another").replace("profiles", "sets")
    tables = [each for each in scan(renamed) if each.is_header]
    tail = renamed[tables[0].start :].replace("hooks", "more") if tables else ""
    whole = added + ("" if added.endswith("\n") else "\n") + "# of the next\n" + tail
    try:
        tomllib.loads(whole)
    except tomllib.TOMLDecodeError:
        return  # the two halves have a server in common
    (kept,) = TOML.remove(whole, NAME)
    expected: dict[str, Any] = tomllib.loads(whole)
    del expected[TOML_CONTAINER][NAME]
    if not expected[TOML_CONTAINER]:
        del expected[TOML_CONTAINER]
    assert data(kept) == repr(sorted(expected.items()))
    assert kept.endswith("# of the next\n" + tail)


@pytest.mark.slow
@given(toml_files())
def test_statements_are_the_whole_text(text: str) -> None:
    assert "".join(text[each.start : each.end] for each in scan(text)) == text


@pytest.mark.slow
@given(toml_files())
def test_a_changed_command_changes_its_value_only(text: str) -> None:
    before = TOML.put(text, NAME, {**ENTRY, "startup_timeout_sec": 20})
    after = TOML.put(before, NAME, {**ENTRY, "command": "/new"})
    assert after == before.replace('"/opt/kb/bin/quint-kb"', '"/new"')


def test_a_key_that_is_missing_comes_after_the_last_one() -> None:
    text = '[mcp_servers.quint]\ncommand = "x" # mine\n\n[mcp_servers.quint.env]\nA = "1"\n'
    assert TOML.put(text, NAME, {"command": "x", "args": ["serve"]}) == (
        '[mcp_servers.quint]\ncommand = "x" # mine\nargs = ["serve"]\n\n'
        '[mcp_servers.quint.env]\nA = "1"\n'
    )


def test_sub_tables_go_and_comments_of_what_follows_stay() -> None:
    text = (
        '# first\n\n[mcp_servers.quint]\ncommand = "x"\n[mcp_servers.quint.env]\nA = "1"\n'
        "\n# about profiles\n[profiles.a]\nx = 1\n"
    )
    assert TOML.remove(text, NAME) == ["# first\n\n# about profiles\n[profiles.a]\nx = 1\n"]


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers]\nquint = { command = "x" }\nother.command = "y"\n',
        'mcp_servers.quint.command = "x"\nmcp_servers.quint.args = []\nz = 1\n',
    ],
)
def test_other_ways_to_write_a_table_are_replaced_and_removed(text: str) -> None:
    new = TOML.put(text, NAME, ENTRY)
    assert TOML.entries(new)[NAME] == ENTRY
    (kept,) = TOML.remove(text, NAME)
    assert NAME not in TOML.entries(kept)
    assert [line for line in text.splitlines() if "quint" not in line] == kept.splitlines()


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers]\nquint = { command = "x", enabled = false, env = { "A B" = "1" }, wait_s = 2.5 }\n',
        'mcp_servers.quint.command = "x"\nmcp_servers.quint.enabled = false\n'
        'mcp_servers.quint.env = { "A B" = "1" }\nmcp_servers.quint.wait_s = 2.5\n',
    ],
)
def test_other_fields_of_a_table_that_is_replaced_are_kept(text: str) -> None:
    new = TOML.put(text, NAME, ENTRY)
    kept = {"enabled": False, "env": {"A B": "1"}, "wait_s": 2.5}
    assert TOML.entries(new)[NAME] == {**ENTRY, **kept}
    assert TOML.entries(TOML.put(text, NAME, ENTRY, replace=True))[NAME] == ENTRY
    assert TOML.put(text, NAME, {"command": "x"}) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = \n", "is not valid TOML: Invalid value (at line 1, column 5)"),
        ("[a]\nx = 1\n[a]\n", "is not valid TOML: Cannot declare ('a',) twice"),
        ("mcp_servers = 1\n", "has 'mcp_servers', which is not a table"),
        ("[[mcp_servers]]\n", "has 'mcp_servers', which is not a table"),
        ('mcp_servers = { o = { command = "x" } }\n', "has 'mcp_servers' as an inline table"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TextError) as refused:
        TOML.put(text, NAME, ENTRY)
    assert str(refused.value).startswith(reason)
