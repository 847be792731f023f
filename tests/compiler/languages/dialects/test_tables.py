"""Tables that pages read from files with calls of pandas."""

from __future__ import annotations

import json

import pytest

from kbc.languages.includes.dialects.tables import MAX_CHARS, MAX_COLUMNS, MAX_ROWS
from kbc.languages.includes.expansion import expand
from kbc.languages.includes.templates.liquid import Liquid

FILES = {
    "data/rates.csv": 'Name,"Rate, net",Note\nA,1,x | y\nB,2,"two\nlines"\n',
    "data/semi.csv": "# head\na;b\n1;2\n",
    "data/tabs.tsv": "a\tb\n1\t2\n",
    "data/space.txt": "a   b\n1 2\n",
    "data/records.json": json.dumps([{"a": 1, "b": None}, {"a": [1, "x"], "c": 2}]),
    "data/columns.json": json.dumps({"a": {"0": 1, "1": 2}, "b": {"1": 3}}),
    "data/index.json": json.dumps({"x": {"a": 1, "b": 2}, "y": {"a": 3}}),
    "data/split.json": json.dumps({"columns": ["a"], "data": [[1], [2]]}),
    "data/list.yaml": "- name: A\n  size: {w: 1, h: 2}\n- name: B\n",
    "data/text.yaml": "just text",
    "data/bomb.yaml": "".join(
        f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9) if i else '1'}]\n" for i in range(12)
    ),
    "data/deep.json": "[" * 100_000,
    "data/part.md": "*Raw* {{ x }}\n",
}
RATES = (
    "| Name | Rate, net | Note |\n| --- | --- | --- |\n| A | 1 | x \\| y |\n| B | 2 | two lines |"
)


def shown(text: str, **given: Liquid) -> str:
    files = {f"docs/{name}": each.encode() for name, each in FILES.items()}
    found = expand(text, "docs/guide/page.md", files.get, **given)
    assert not found.unresolved
    return found.text


PAIR = "| a | b |\n| --- | --- |\n"
SEMI = "read_csv('data/semi.csv', sep = ';', "


@pytest.mark.parametrize(
    ("call", "table"),
    [
        ("read_csv('data/rates.csv')", RATES),
        ("read_csv('./data/rates.csv', keep_default_na=False) | add_indentation(spaces=4)", RATES),
        ('pd_read_csv("data/rates.csv") | convert_to_md_table', RATES),
        (
            "read_csv('data/rates.csv', usecols=['Note', 0], nrows=1)",
            "| Note | Name |\n| --- | --- |\n| x \\| y | A |",
        ),
        ("read_csv(filepath_or_buffer='data/semi.csv', sep=';', skiprows=1)", f"{PAIR}| 1 | 2 |"),
        (f"{SEMI} skiprows=1, header=None)", "| 0 | 1 |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
        (f"{SEMI} skiprows=2, names=['x', 'y'])", "| x | y |\n| --- | --- |\n| 1 | 2 |"),
        ("read_table('data/tabs.tsv')", f"{PAIR}| 1 | 2 |"),
        ("read_table('data/space.txt', sep=r'\\s+')", f"{PAIR}| 1 | 2 |"),
        (
            "read_json('data/records.json', orient='records')",
            '| a | b | c |\n| --- | --- | --- |\n| 1 |  |  |\n| [1, "x"] |  | 2 |',
        ),
        ("read_json('data/columns.json')", f"{PAIR}| 1 |  |\n| 2 | 3 |"),
        ("read_json('data/columns.json', orient='columns')", f"{PAIR}| 1 |  |\n| 2 | 3 |"),
        ("read_json('data/index.json', orient='index')", f"{PAIR}| 1 | 2 |\n| 3 |  |"),
        ("read_json('data/split.json', orient='split')", "| a |\n| --- |\n| 1 |\n| 2 |"),
        (
            "read_yaml('data/list.yaml')",
            "| name | size.w | size.h |\n| --- | --- | --- |\n| A | 1 | 2 |\n| B |  |  |",
        ),
        ("read_raw('data/part.md')", "*Raw* {{ x }}"),
    ],
)
def test_a_call_shows_its_table(call: str, table: str) -> None:
    assert shown(f"# A\n\n{{{{ {call} }}}}\n\nText.\n") == f"# A\n\n{table}\n\nText.\n"


def test_a_table_is_indented_as_its_call_and_goes_before_macros() -> None:
    page = '- A\n\n    {{ read_table("data/tabs.tsv") }}\n'
    expected = "- A\n\n    | a | b |\n    | --- | --- |\n    | 1 | 2 |\n"
    assert shown(page) == expected
    assert shown(page, liquid=Liquid(is_bare=True)) == expected


@pytest.mark.parametrize(
    "call",
    [
        "read_csv('data/gone.csv')",
        "read_csv(path)",
        "read_csv('data/rates.csv', converters={'a': str})",
        "read_csv('data/rates.csv', unknown=1)",
        "read_csv('data/rates.csv', sep='ab')",
        "read_csv('data/rates.csv'",
        "read_csv()",
        "read_yaml('data/text.yaml')",
        "read_yaml('data/bomb.yaml')",
        "read_json('data/deep.json')",
        "read_json('data/rates.csv')",
        "read_excel('data/rates.xlsx')",
    ],
)
def test_other_calls_stay(call: str) -> None:
    text = f"# A\n\n{{{{ {call} }}}}\n"
    assert shown(text) == text


def test_calls_in_code_stay() -> None:
    text = "`{{ read_csv('data/rates.csv') }}`\n\n```\n{{ read_csv('data/rates.csv') }}\n```\n"
    assert shown(text) == text


@pytest.mark.parametrize(
    ("columns", "cell", "rows", "shown_rows", "said"),
    [
        (2, "1", 2_000, MAX_ROWS, "1,500 more rows"),
        (MAX_COLUMNS + 2, "1", 10, 10, "2 more columns"),
        (MAX_COLUMNS + 2, "x" * MAX_CHARS, 10, 0, "10 more rows and 2 more columns"),
        (1, "x" * (MAX_CHARS // 10), 20, 9, "11 more rows"),
    ],
)
def test_a_large_table_is_cut_and_says_so(
    columns: int, cell: str, rows: int, shown_rows: int, said: str
) -> None:
    names = ",".join(f"c{number}" for number in range(columns))
    data = "\n".join([names, *[",".join([cell] + [""] * (columns - 1))] * rows]).encode()
    found = expand("{{ read_csv('t.csv') }}\n", "page.md", {"t.csv": data}.get)
    *table, _, last, end = found.text.split("\n")
    assert (len(table) - 2, last, end) == (shown_rows, f"({said})", "")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "{{ read_csv(" * 20_000,
        "{{ read_csv('a') " + "| fix_links " * 20_000,
        "{{ read_csv('a') " + "| fix_links " * 20_000 + "}}",
        "{{ read_csv((" + "(" * 50_000 + ") }}",
    ],
)
def test_calls_that_never_end_are_read_in_bounded_time(text: str) -> None:
    assert shown(text) == text
