"""What holds for the chunks of every text, of every sort of record."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbc.chunking import TokenBudget, chunk
from kbc.languages.mdx.syntax import mask
from kbc.records import CompiledChunk, CompiledRecord, DocRecord, ExampleRecord

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from("\r\n\n\n\t\0\x0b\x0c\x85\u2028\ufeff #`~|-*>{}()[]<>:;.\"'/\\@=_"),
        st.sampled_from("aé中각́👩‍🚀"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=400,
)
WORDS = st.lists(
    st.sampled_from(["alpha", "beta()", "`gamma`", "delta.", "x", "a/b", "**bold**", "é", "<T>"]),
    min_size=1,
    max_size=120,
).map(" ".join)
MARKDOWN_BLOCK = st.one_of(
    WORDS,
    st.tuples(st.integers(1, 6), WORDS).map(lambda it: "#" * it[0] + " " + it[1][:60]),
    st.tuples(st.sampled_from(["py", "yaml", ""]), st.lists(WORDS, max_size=40)).map(
        lambda it: f"```{it[0]}\n" + "\n".join(it[1]) + "\n```"
    ),
    st.lists(WORDS, min_size=1, max_size=20).map(lambda it: "\n".join(f"- {x}" for x in it)),
    st.lists(st.sampled_from(["|1|2|", "|long cell|b|"]), min_size=1, max_size=80).map(
        lambda rows: "\n".join(["|a|b|", "|-|-|", *rows])
    ),
    st.sampled_from(["Title\n=====", "---", "> quoted", "```unclosed", "<div>\n\nx\n\n</div>"]),
    HOSTILE,
)
MARKDOWN = st.tuples(
    st.lists(MARKDOWN_BLOCK, max_size=25), st.sampled_from(["\n\n", "\n", "\r\n\r\n", "\r"])
).map(lambda it: it[1].join(it[0]))
CODE_LINE = st.one_of(
    st.sampled_from(
        [
            "def f(a):",
            "class A:",
            "    def m(self):",
            "        return 1",
            "function g() {",
            "}",
            "const k = 1;",
            "module M {",
            "  pure def h(x) = x",
            "  // note",
            "# note",
            "@decorated",
            "import os",
            '"""',
            "",
        ]
    ),
    WORDS,
    HOSTILE,
)
CODE = st.tuples(st.lists(CODE_LINE, max_size=80), st.sampled_from(["\n", "\r\n"])).map(
    lambda it: it[1].join(it[0])
)
CODE_PATHS = ["a.py", "a.js", "a.ts", "a.rs", "a.c", "a.qnt", "a.groovy", "a.unknown", "a.yaml"]


def check(record: CompiledRecord, chunks: list[CompiledChunk], budget: TokenBudget) -> None:
    assert "".join(found.text for found in chunks) == record.text
    assert [found.index for found in chunks] == list(range(len(chunks)))
    offset = 0
    for found in chunks:
        assert found.text
        start = record.line + record.text.count("\n", 0, offset)
        offset += len(found.text)
        end = record.line + record.text.count("\n", 0, offset - 1)
        assert (found.start_line, found.end_line) == (start, end)
        assert budget.count(found.embedded_text) <= budget.max_tokens


def check_nothing_is_cut(
    visible: str, chunks: list[CompiledChunk], *, has_drawn_lines: bool = False
) -> None:
    """Without white space, the embedded texts end with the parts of the text, one after the other. Where it
    `has_drawn_lines` (rules, underlines), which are not embedded, such lines are not compared."""
    left_out = re.compile(r"^[-=*_|:\s]+$|\s" if has_drawn_lines else r"\s", re.MULTILINE)
    rest = left_out.sub("", visible)
    for found in chunks:
        embedded = left_out.sub("", found.embedded_text)
        body = left_out.sub("", found.text)
        if rest.startswith(body) and embedded.endswith(body):
            rest = rest[len(body) :]
        else:  # some of the text is not embedded
            while embedded and not rest.startswith(embedded):
                embedded = embedded[1:]
            rest = rest[len(embedded) :]
    assert rest == ""


def doc(text: str, format_: str = "markdown") -> DocRecord:
    return DocRecord(
        id="a",
        collection="docs",
        title="A page",
        path="a.md",
        text=text,
        group="core",
        format=format_,
        content=text,
        summary="What the page is about",
        tags=("one", "two"),
    )


@pytest.mark.slow
@settings(max_examples=200)
@given(text=MARKDOWN, line=st.integers(1, 50))
def test_markdown(budget: TokenBudget, text: str, line: int) -> None:
    record = replace(doc(text), line=line)
    chunks = chunk(record, budget)
    check(record, chunks, budget)
    if not text.startswith("---"):
        check_nothing_is_cut(text, chunks, has_drawn_lines=True)
    assert chunks == chunk(record, budget)


@pytest.mark.slow
@settings(max_examples=100)
@given(text=MARKDOWN)
def test_mdx(budget: TokenBudget, text: str) -> None:
    record = doc(text, "mdx")
    chunks = chunk(record, budget)
    check(record, chunks, budget)
    if not text.startswith("---"):
        shown = mask(text.replace("\r", " "))
        check_nothing_is_cut(shown, chunks, has_drawn_lines=True)


@settings(max_examples=50)
@given(text=st.one_of(MARKDOWN, HOSTILE))
def test_plain_text(budget: TokenBudget, text: str) -> None:
    record = doc(text, "text")
    chunks = chunk(record, budget)
    check(record, chunks, budget)
    check_nothing_is_cut(text, chunks)


@settings(max_examples=250)
@given(text=CODE, path=st.sampled_from(CODE_PATHS), line=st.integers(1, 9))
def test_source(budget: TokenBudget, text: str, path: str, line: int) -> None:
    record = ExampleRecord(
        id=path,
        collection="examples",
        title=path,
        path=f"examples/{path}",
        text=text,
        line=line,
        filename=path,
        category="c",
        description="What the example shows",
    )
    chunks = chunk(record, budget)
    check(record, chunks, budget)
    assert chunks == chunk(record, budget)
    code = CompiledRecord(id=path, collection="code", title=path, path=path, text=text, line=line)
    chunks = chunk(code, budget)
    check(code, chunks, budget)
    check_nothing_is_cut(text, chunks)


@pytest.mark.parametrize("character", ["👩‍🚀", "e\u0301", "🇫🇷", "👍🏽"], ids=ascii)
@pytest.mark.parametrize("path", ["a.md", "a.txt"])
def test_no_character_is_cut(character: str, path: str) -> None:
    budget = TokenBudget(count=len)
    record = doc("x" + character * 1_000, "markdown" if path == "a.md" else "text")
    chunks = chunk(record, budget)
    check(record, chunks, budget)
    assert len(chunks) > 1
    assert all(found.text.removeprefix("x").startswith(character) for found in chunks)


LARGE = {
    "ten thousand headings": "".join(f"{'#' * (i % 6 + 1)} H{i}\n" for i in range(10_000)),
    "a line of 100 kB": "some words. " * 8_500,
    "a word of 100 kB": "x" * 100_000,
    "signs without a space": '{"a":1},' * 12_500,
    "an endless fence": "```py\n" + "x = 1\n" * 20_000,
    "an endless list": "".join(f"- item {i}\n" for i in range(10_000)),
    "an endless table": "|a|b|\n|-|-|\n" + "|1|2|\n" * 10_000,
    "carriage returns": "# a\r\rb\r" * 5_000,
    "nothing but NUL": "\0" * 50_000,
    "nothing but line ends": "\n" * 100_000,
    "a long heading": "# " + "title " * 2_000 + "\n\n```\ncode\n```\n",
    "emoji": "👩‍👩‍👧 " * 10_000,
    "brackets": "(" * 30_000,
    "closing braces": "}\n" * 30_000,
    "deep nesting": "".join(" " * i + f"def f{i}():\n" for i in range(600)),
    "one-line definitions": "def f(): pass\n" * 5_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["large.md", "large.py", "large.txt"])
@pytest.mark.parametrize("case", LARGE)
def test_large_and_odd_texts(budget: TokenBudget, case: str, path: str) -> None:
    record = CompiledRecord(id=path, collection="code", title="Large", path=path, text=LARGE[case])
    chunks = chunk(record, budget)
    check(record, chunks, budget)
    check_nothing_is_cut(record.text, chunks, has_drawn_lines=path.endswith(".md"))
    assert all(len("".join(found.text.split())) < 10_000 for found in chunks)
