"""Which members the chunks of a page document: by headings, anchors, declarations and definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kbc.chunking import TokenBudget, chunk
from kbc.chunking.members import Heading, defined_in, of_sections
from kbc.formats import convert
from kbc.records import CompiledChunk, DocRecord, Section

Page = Callable[..., DocRecord]
LONG = "\n".join(f"Line {number} says what there is to know." for number in range(12))


def members(chunks: list[CompiledChunk]) -> list[str]:
    return [name for each in chunks for name in each.members]


def test_members_are_named_with_the_headings_above(budget: TokenBudget, page: Page) -> None:
    text = f"## class pkg.Cache(size)\n\n{LONG}\n\n### `get(key)`\n\n{LONG}\n\n## Notes\n\n{LONG}\n"
    chunks = chunk(page(text), budget)
    assert members(chunks) == ["pkg.Cache", "pkg.Cache.get"]
    (found,) = (each for each in chunks if "pkg.Cache.get" in each.members)
    assert found.text.startswith("### `get(key)`")
    assert found.identifiers == ("get",)


def test_a_section_in_several_chunks_has_its_members_in_the_first(
    budget: TokenBudget, page: Page
) -> None:
    paragraphs = "\n\n".join([LONG] * 6)
    first, *others = chunk(page(f"## `Cache.get(key)`\n\n{paragraphs}\n"), budget)
    assert others
    assert first.members == ("Cache.get",)
    assert members(others) == []


def test_anchors_say_the_package(budget: TokenBudget, page: Page) -> None:
    text = f"## `Cache.get(key)`\n\n{LONG}\n"
    section = Section(
        title="", level=2, line=1, end_line=20, anchor="pkg.Cache.get", chars=len(text)
    )
    assert members(chunk(replace(page(text), sections=(section,)), budget)) == ["pkg.Cache.get"]


def test_further_signatures_stand_below_a_heading(budget: TokenBudget, page: Page) -> None:
    text = f"## `Cache.get(key)`\n\n`Cache.peek(key)`\\\n`Cache.get(key, default)`\n\n{LONG}\n`other()`\n"
    assert members(chunk(page(text), budget)) == ["Cache.get", "Cache.peek"]


def test_a_word_is_a_member_where_the_code_below_declares_it(
    budget: TokenBudget, page: Page
) -> None:
    declared = f"# Cache\n\n## close\n\n```java\npublic void close()\n```\n\n{LONG}\n"
    assert members(chunk(page(declared), budget)) == ["close"]
    used = f"# Cache\n\n## Closing\n\n```java\ncache.close()\n```\n\n{LONG}\n"
    assert members(chunk(page(used), budget)) == []


def test_headings_of_html_define_members(budget: TokenBudget, page: Page) -> None:
    text = f'## Arrays\n\n<h3 id="x"><code>_.chunk(array, [size=1])</code></h3>\n\n{LONG}\n'
    assert members(chunk(page(text), budget)) == ["_.chunk"]


def test_definitions_of_texinfo_are_members(budget: TokenBudget, page: Page) -> None:
    source = (
        b"\\input texinfo\n@settitle Cache\n@node Top\n@top Cache\n@chapter Use\n"
        b"@deftypefun int cache_get (cache_t *@var{cache}, void (*@var{visit}) (int))\nGets it.\n"
        b"@end deftypefun\n@defun cache-put key value\nPuts it.\n@end defun\n"
        b"@deftp {Data type} cache_t\nA cache.\n@end deftp\n@bye\n"
    )
    (converted,) = convert("cache.texi", source, lambda path: None)
    record = replace(page(converted.text), language="texinfo")
    assert members(chunk(record, budget)) == ["cache_get", "cache-put", "cache_t"]
    assert members(chunk(page("**Type:** `string`\n"), budget)) == []


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "heading",
    [
        Heading(1, "# a" + " " * 100_000 + "b", ""),
        Heading(1, "# `a.b()`", "", ["`" * 20_000 + "a" * 20_000]),
    ],
)
def test_headings_are_read_in_bounded_time(heading: Heading) -> None:
    (found,) = of_sections([heading])
    assert set(found.own) <= {("a", "b")}


@pytest.mark.timeout(60)
def test_texts_without_a_word_are_read_in_bounded_time() -> None:
    assert not defined_in("\n" * 100_000 + "end", (), is_texinfo=True)
