"""Editing JSON, with and without comments: nothing but the entry changes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.clients.config_texts import CONTAINER, NAME, json_files

from kb_runtime.clients import json_tree
from kb_runtime.clients.errors import TextError
from kb_runtime.clients.json_text import JsonText

ENTRY = {"command": "/opt/kb/bin/quint-kb", "args": ["serve", "ä b"]}
LENIENT = JsonText(CONTAINER, comments=True)
STRICT = JsonText(CONTAINER, comments=False)


def data(text: str) -> Any:
    return json_tree.decode(text, json_tree.read(text, comments=True))


def assert_only_added(old: str, new: str) -> None:
    """`new` is `old` with one piece more, and perhaps one comma before it."""
    same = 0
    while same < len(old) and old[same] == new[same]:
        same += 1
    if len(new) - len(old) != 0 and new[same] == ",":
        without = new[:same] + new[same + 1 :]
        if _is_one_piece_more(old, without):
            return
    assert _is_one_piece_more(old, new), (old, new)


def _is_one_piece_more(old: str, new: str) -> bool:
    same = 0
    while same < len(old) and old[same] == new[same]:
        same += 1
    return new.endswith(old[same:]) and len(new) > len(old)


@pytest.mark.slow
@given(json_files())
def test_an_added_server_is_all_that_changes(text: str) -> None:
    new = LENIENT.put(text, NAME, ENTRY)
    expected = data(text)
    expected.setdefault(CONTAINER, {})[NAME] = ENTRY
    assert data(new) == expected
    assert_only_added(text, new)


@pytest.mark.slow
@given(json_files(comments=False))
def test_strict_json_stays_strict(text: str) -> None:
    new = STRICT.put(text, NAME, ENTRY)
    expected = json.loads(text)
    expected.setdefault(CONTAINER, {})[NAME] = ENTRY
    assert json.loads(new) == expected


@pytest.mark.slow
@given(json_files())
def test_adding_twice_equals_adding_once(text: str) -> None:
    once = LENIENT.put(text, NAME, ENTRY)
    assert LENIENT.put(once, NAME, ENTRY) == once


@pytest.mark.slow
@given(json_files())
def test_a_removed_server_leaves_the_rest(text: str) -> None:
    kept = LENIENT.remove(LENIENT.put(text, NAME, ENTRY), NAME)
    assert data(text) in [data(each) for each in kept]
    for each in kept:
        assert words(each) ^ words(text) <= {f'"{CONTAINER}"'}


def words(text: str) -> set[str]:
    """Strings and comments."""
    found = re.findall(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', text, re.DOTALL)
    return {each.strip() for each in found}


@pytest.mark.slow
@given(json_files(), st.sampled_from(["", "\t", "  "]))
def test_a_server_somewhere_in_the_middle_is_removed_alone(text: str, gap: str) -> None:
    """Others come after it, on the same line or on the next."""
    new = LENIENT.put(LENIENT.put(text, NAME, ENTRY), "after", {"command": gap})
    expected = data(new)
    del expected[CONTAINER][NAME]
    (kept,) = LENIENT.remove(new, NAME)
    assert data(kept) == expected


@pytest.mark.slow
@given(json_files())
def test_a_changed_command_changes_its_values_only(text: str) -> None:
    before = LENIENT.put(text, NAME, {**ENTRY, "env": {"A": "1"}})
    after = LENIENT.put(before, NAME, {"command": "/new", "args": ["serve", "ä b"]})
    expected = data(before)
    expected[CONTAINER][NAME]["command"] = "/new"
    assert data(after) == expected
    assert after == before.replace(json.dumps(ENTRY["command"]), '"/new"')


def test_the_style_of_the_file_is_kept() -> None:
    text = '{\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x"} // mine\r\n\t}\r\n}\r\n'
    assert LENIENT.put(text, NAME, ENTRY) == (
        '{\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x"}, // mine\r\n'
        '\t\t"quint": {\r\n\t\t\t"command": "/opt/kb/bin/quint-kb",\r\n'
        '\t\t\t"args": ["serve", "ä b"]\r\n\t\t}\r\n\t}\r\n}\r\n'
    )


def test_a_file_of_one_line_stays_one_line() -> None:
    assert STRICT.put('{"a":1}', NAME, {"command": "x"}) == (
        '{"a":1,"mcpServers":{"quint":{"command":"x"}}}'
    )


def test_a_comma_after_the_last_server_is_kept() -> None:
    text = '{\n  "mcpServers": {\n    "a": {},\n  },\n}\n'
    new = LENIENT.put(text, NAME, {"command": "x"})
    assert new.endswith('"command": "x"\n    },\n  },\n}\n')
    assert LENIENT.remove(new, NAME) == [text]


def test_a_member_does_not_slip_into_a_comment() -> None:
    text = '{"mcpServers": {"a": {}, // mine\n "quint": {}, "b": {}}}'
    (kept,) = LENIENT.remove(text, NAME)
    assert data(kept) == {"mcpServers": {"a": {}, "b": {}}}
    text = '{"mcpServers": {// mine\n"quint": {} /* of\nit */, "b": {}}}'
    (kept,) = LENIENT.remove(text, NAME)
    assert data(kept) == {"mcpServers": {"b": {}}}
    text = '{"mcpServers": {"a": {} // mine\n, "quint": {}}}'
    (kept,) = LENIENT.remove(text, NAME)
    assert data(kept) == {"mcpServers": {"a": {}}}


@pytest.mark.parametrize("text", ["", "  ", "\n", "\r\n"])
def test_an_empty_file_becomes_a_configuration(text: str) -> None:
    assert json.loads(STRICT.put(text, NAME, ENTRY)) == {CONTAINER: {NAME: ENTRY}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "line 1, column 2: the file ends where a key in double quotes is expected"),
        ('{"a": 1,}', "line 1, column 9: a comma before the closing bracket"),
        ('{"a": 1} // c', "line 1, column 10: comments are not allowed here"),
        ('{"a": 1}\n\n{', "line 3, column 1: nothing may follow the value"),
        ("{'a': 1}", """line 1, column 2: a key in double quotes is expected, not "'\""""),
        ('{\n "a" 1}', "line 2, column 6: a colon is missing after the key"),
        ('{"a": 01}', "line 1, column 8: a comma or } is expected, not '1'"),
        ('{"a": NaN}', "line 1, column 7: a value is expected, not 'N'"),
        ('{"a": "x\n"}', "line 1, column 7: a string that does not end, or with a bad escape"),
        ('{"a": "\\x"}', "line 1, column 7: a string that does not end, or with a bad escape"),
        ('{"a": ' + "[" * 5000, "line 1, column 207: nested deeper than 200 levels"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: str, reason: str) -> None:
    for edit in (lambda: STRICT.put(text, NAME, ENTRY), lambda: STRICT.remove(text, NAME)):
        with pytest.raises(TextError) as refused:
            edit()
        assert str(refused.value) == f"is not valid JSON: {reason}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "does not hold a JSON object"),
        ('{"mcpServers": []}', "has 'mcpServers' on line 1, which is not an object"),
        ('{"mcpServers": {},\n"mcpServers": {}}', "has 'mcpServers' twice, on lines 1 and 2"),
        ('{"mcpServers": {"a": 1,\n\n"a": 2}}', "has 'a' twice, on lines 1 and 3"),
    ],
)
def test_what_cannot_be_edited_surely_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TextError) as refused:
        STRICT.entries(text)
    assert str(refused.value) == reason


@given(st.text(alphabet='{}[]",:/*\\ \n\r\tu0a1-.eEtrufalsn\u2028é', max_size=40))
def test_the_reader_accepts_what_json_accepts_and_nothing_else(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(TextError):
            json_tree.read(text, comments=False)
    else:
        assert json_tree.decode(text, json_tree.read(text, comments=False)) == expected


@pytest.mark.slow
@given(json_files(comments=False))
def test_the_reader_reads_what_json_reads(text: str) -> None:
    assert json_tree.decode(text, json_tree.read(text, comments=False)) == json.loads(text)


@pytest.mark.parametrize(
    "head",
    ['{ // servers {\n  "mcpServers": {', '{\n  "mcpServers": {\n    // "old": {'],
)
def test_a_comment_that_ends_with_a_brace_is_no_brace(head: str) -> None:
    text = head + '\n    "quint": {"command": "kbc", "args": []}\n  }\n}\n'
    for left in JsonText("mcpServers", comments=True).remove(text, "quint"):
        assert data(left).get("mcpServers", {}) == {}
        assert left.startswith(head.partition("\n")[0])
