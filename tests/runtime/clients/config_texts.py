"""Configuration texts as people leave them: hypothesis strategies of valid JSON and TOML."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

NAME = "quint"
CONTAINER = "mcpServers"
TOML_CONTAINER = "mcp_servers"

KEYS = st.one_of(
    st.sampled_from(["theme", "a b", "é", "数", 'q"uote', "", "x.y", "ends\\", "line\nbreak"]),
    st.text(max_size=6),
).filter(lambda key: key not in (NAME, CONTAINER) and _is_encodable(key))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=12).filter(lambda text: _is_encodable(text)),
    st.sampled_from(["// no comment", "/* nor this */", "},{", "\u2028", "\x7f", "😀"]),
)
NEWLINES = st.sampled_from(["\n", "\r\n"])


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@st.composite
def json_values(draw: st.DrawFn, newline: str, comments: bool, depth: int = 3) -> str:
    """The text of a value, with white space and comments wherever they may be."""
    kind = draw(st.integers(0, 5 if depth else 3))
    if kind < 4:
        value: Any = draw(SCALARS)
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    gaps = json_gaps(newline, comments)
    nested = json_values(newline, comments, depth - 1)
    if kind == 4:
        elements = draw(st.lists(nested, max_size=3))
        return _bracketed(draw, "[]", elements, gaps, comments)
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    members = [_member(draw, key, draw(nested), gaps) for key in keys]
    return _bracketed(draw, "{}", members, gaps, comments)


@st.composite
def json_files(draw: st.DrawFn, comments: bool = True) -> str:
    """The text of a configuration: an object, in most cases with the servers of the client in it."""
    newline = draw(NEWLINES)
    gaps = json_gaps(newline, comments)
    values = json_values(newline, comments)
    members = [
        _member(draw, key, draw(values), gaps)
        for key in draw(st.lists(KEYS, max_size=3, unique=True))
    ]
    if draw(st.booleans()):
        servers = [
            _member(draw, key, draw(values), gaps)
            for key in draw(st.lists(KEYS, max_size=3, unique=True))
        ]
        object_text = _bracketed(draw, "{}", servers, gaps, comments)
        place = draw(st.integers(0, len(members)))
        members.insert(place, _member(draw, CONTAINER, object_text, gaps))
    return draw(gaps) + _bracketed(draw, "{}", members, gaps, comments) + draw(gaps)


def json_gaps(newline: str, comments: bool) -> st.SearchStrategy[str]:
    """What may stand between two tokens."""
    pieces = ["", " ", "  ", "\t", newline, newline + "  ", newline + "\t\t"]
    if comments:
        pieces += [f'// c, {{}} "é{newline}', "/**/", "/* a\n b */", f"{newline}  // d{newline}\t"]
    return st.lists(st.sampled_from(pieces), max_size=3).map("".join)


def _member(draw: st.DrawFn, key: str, value: str, gaps: st.SearchStrategy[str]) -> str:
    quoted = json.dumps(key, ensure_ascii=draw(st.booleans()))
    return f"{quoted}{draw(gaps)}:{draw(gaps)}{value}"


def _bracketed(
    draw: st.DrawFn, pair: str, parts: list[str], gaps: st.SearchStrategy[str], comments: bool
) -> str:
    text = ",".join(f"{draw(gaps)}{part}{draw(gaps)}" for part in parts)
    if parts and comments and draw(st.booleans()):
        text += ","
    return pair[0] + text + draw(gaps) + pair[1]


@st.composite
def toml_files(draw: st.DrawFn) -> str:
    """The text of a configuration with tables, arrays of tables, servers and comments."""
    newline = draw(NEWLINES)
    lines: list[str] = []
    blocks = draw(st.permutations(["root", "server", "table", "array"]))
    if "root" in blocks[:2]:
        lines += _toml_pairs(draw, newline)
    for number, block in enumerate(blocks):
        lines += draw(st.sampled_from([[], [""], ["# a comment"], ["", "  # [x.y]", ""]]))
        if block == "server":
            lines += [f'[{TOML_CONTAINER}."other {number}"] # mine', *_toml_pairs(draw, newline)]
            if draw(st.booleans()):
                lines += [f'[{TOML_CONTAINER}."other {number}".env]', 'A = "1"']
        elif block == "table":
            lines += ["[ profiles . a ]", *_toml_pairs(draw, newline)]
        elif block == "array":
            lines += ["[[hooks]]", *_toml_pairs(draw, newline), "[[hooks]]"]
    end = draw(st.sampled_from(["", newline, newline * 2, f"{newline}# end"]))
    return newline.join(lines) + end


def _toml_pairs(draw: st.DrawFn, newline: str) -> list[str]:
    pairs = [
        'model = "x" # c',
        "'a=b' = [1, # [no.table]" + newline + "  2]",
        'text = """' + newline + f"[{TOML_CONTAINER}.{NAME}]" + newline + 'command = 1"""',
        "literal = '''[x]" + newline + "# no comment'''",
        "a.b.c = { d = [ '[' ], e = 1.5 }",
        "when = 2026-01-01T00:00:00Z",
        "not = nan",
        '"é" = "\\u00e9 \\" #"',
    ]
    return draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True))
