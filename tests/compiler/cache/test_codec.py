from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.cache.codec import CodecError, pack, unpack
from kbc.languages import markdown, quint
from kbc.languages.definitions.symbol import Symbol
from kbc.languages.syntax import symbols
from kbc.records import CompiledChunk, Definition

PIECES = (
    "# Title\n",
    "text `code`\n",
    "\n",
    "- item\n",
    "```q\n",
    "|a|b|\n|-|-|\n",
    "---\n",
    "k: 1\n",
    "[a]: http://b 'c'\n",
    "é\r\n",
    "<b>\n",
    "> q\n",
    "import a from 'b'\n",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=80)


@dataclasses.dataclass(frozen=True)
class Nested:
    pair: tuple[int, str]
    maybe: Definition | None
    many: list[tuple[Definition, ...]]
    numbers: frozenset[int]
    anything: dict[str, Any]


@given(TEXTS, st.booleans())
def test_parsed_markdown_comes_back_equal(text: str, mdx: bool) -> None:
    document = markdown.parse(text, mdx=mdx)
    assert unpack(markdown.Document, pack(document)) == document


def test_scanned_quint_comes_back_equal() -> None:
    source = quint.scan(
        "/// A.\nmodule m { import B.* from './b'\n val x = f(1)\n type T = A | C }"
    )
    assert source.definitions
    assert source.imports
    assert unpack(quint.Source, pack(source)) == source


@given(st.text(), st.lists(st.text(max_size=5), max_size=3).map(tuple))
def test_chunks_come_back_equal(text: str, names: tuple[str, ...]) -> None:
    chunk = CompiledChunk(
        collection="c", record_id="r", index=3, text=text, start_line=1, end_line=2, tags=names
    )
    try:
        data = pack([chunk, chunk])
    except CodecError:
        assert any("\ud800" <= char <= "\udfff" for char in text + "".join(names))
    else:
        assert unpack(list[CompiledChunk], data) == [chunk, chunk]


def test_nested_types_come_back_as_they_were() -> None:
    definition = Definition(name="n", kind="k", line=1, end_line=2)
    for maybe in (definition, None):
        value = Nested((1, "a"), maybe, [(definition,), ()], frozenset({3, 1}), {"x": [1, None]})
        assert unpack(Nested, pack(value)) == value


def test_the_order_of_a_map_is_kept() -> None:
    value = {"b": 1, "a": {"d": 2, "c": 3}}
    found = unpack(dict[str, Any], pack(value))
    assert [*found, *found["a"]] == ["b", "a", "d", "c"]


def test_a_type_that_holds_itself_comes_back_as_it_was() -> None:
    text = "class A:\n    class B:\n        def m(self):\n            pass\n"
    (found,) = symbols(text, language="python")
    assert found.children[0].children[0].name == "m"
    assert unpack(list[Symbol], pack([found])) == [found]


@pytest.mark.parametrize("value", [1 << 70, "\ud800", object(), {"a": {1j}}])
def test_a_value_without_a_form_is_refused(value: object) -> None:
    with pytest.raises(CodecError):
        pack(value)


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", pack([1, 2]) + b"rest", pack("text"), pack([1, 2, 3]), pack(7)]
)
def test_bytes_of_something_else_are_refused(data: bytes) -> None:
    with pytest.raises(CodecError):
        unpack(Definition, data)
