"""Documentation sets: which files are a source, which addresses pages get, and that no text is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.diagnostics import Diagnostics
from kbc.frontends import pages
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import PageRecord, SourceRecord


def read(
    files: dict[str, str], **options: Any
) -> tuple[list[SourceRecord], list[PageRecord], Diagnostics]:
    diagnostics = Diagnostics()
    collection = Collection("library", "pages", ("sources",), options=options)
    given_files = [
        SourceFile(f"sources/{path}", text.encode(), "sources") for path, text in files.items()
    ]
    records = pages.read(collection, sorted(given_files, key=lambda file: file.path), diagnostics)
    found = [record for record in records if isinstance(record, SourceRecord)]
    return found, [each for each in records if isinstance(each, PageRecord)], diagnostics


def codes(diagnostics: Diagnostics) -> list[str]:
    return [found.code for found in diagnostics]


def test_a_folder_is_a_source_with_what_its_source_toml_says() -> None:
    toml = (
        'id = "manual"\nname = "The manual"\nurl = "https://example.org/m/"\ndescription = "D."\n'
    )
    (source,), (index, page), diagnostics = read(
        {"x/source.toml": toml, "x/index.md": "# Start\n", "x/a b/page.md": "# Page\n\nText.\n"}
    )
    assert not diagnostics
    assert (source.id, source.name, source.type) == ("manual", "The manual", "web")
    assert [entry["title"] for entry in source.pages] == ["Page", "Start"]
    assert (index.url, index.title) == ("https://example.org/m/a%20b/page", "Page")
    assert (page.url, page.id) == ("https://example.org/m/", "manual/index.md")
    assert index.breadcrumb == ("m", "a%20b")
    assert index.summary == "Text."


def test_sources_are_ordered_by_name_and_followed_by_their_pages() -> None:
    diagnostics = Diagnostics()
    files = [
        SourceFile(f"sources/{path}", text.encode(), "sources")
        for path, text in {
            "a/source.toml": 'name = "Zebra"\n',
            "a/p.md": "# P\n",
            "b/q.txt": "Plain text.\n",
        }.items()
    ]
    records = pages.read(Collection("library", "pages", ("sources",)), files, diagnostics)
    assert [record.id for record in records] == ["b", "b/q.txt", "a", "a/p.md"]


def test_one_source_toml_at_the_top_makes_one_source() -> None:
    (source,), found, _ = read({"source.toml": 'id = "all"\n', "x/a.md": "# A\n", "b.md": "# B\n"})
    assert source.id == "all"
    assert [page.id for page in found] == ["all/b.md", "all/x/a.md"]


def test_kb_toml_may_make_all_of_it_one_source() -> None:
    (source,), found, _ = read({"x/a.md": "# A\n", "y/b.md": "# B\n"}, source="docs")
    assert source.id == "docs"
    assert [page.url for page in found] == ["docs/x/a.md", "docs/y/b.md"]


def test_an_address_of_its_own_wins_over_a_derived_one() -> None:
    _, found, _ = read(
        {
            "s/source.toml": 'url = "https://example.org/{stem}"\n',
            "s/a.md": "---\nurl: https://other.org/a\nauthor: Ann\ndate: 2024-05-06\n---\n# A\n",
            "s/b.html": '<link rel="canonical" href="https://other.org/b"><main>B</main>',
            "s/c.html": "<main><h2>C</h2></main>",
        }
    )
    assert [page.url for page in found] == [
        "https://other.org/a",
        "https://other.org/b",
        "https://example.org/c",
    ]
    assert (found[0].author, found[0].created_at) == ("Ann", "2024-05-06")
    assert found[0].text.startswith("---\n")


def test_a_sitemap_gives_addresses_and_order() -> None:
    sitemap = (
        "<urlset><url><loc>https://example.org/docs/z</loc></url>"
        "<url><loc> https://example.org/docs/a/?x=1&amp;y=2 </loc></url>"
        "<url><loc>https://example.org/docs/gone</loc></url></urlset>"
    )
    _, found, diagnostics = read(
        {
            "s/sitemap.xml": sitemap,
            "s/a/index.html": "<main>A</main>",
            "s/b.md": "# B\n",
            "s/z.html": "<main>Z</main>",
        }
    )
    assert [page.url for page in found] == [
        "https://example.org/docs/z",
        "https://example.org/docs/a/?x=1&y=2",
        "s/b.md",
    ]
    assert codes(diagnostics) == ["sitemap-page-missing"]


def test_pages_of_a_sitemap_that_are_left_out_are_not_missing() -> None:
    sitemap = "<urlset><url><loc>https://example.org/kites/1.0/a.html</loc></url></urlset>"
    diagnostics = Diagnostics()
    collection = Collection("library", "pages", ("s",), exclude=("/kites/1.0/",))
    files = {"s/sitemap.xml": sitemap, "s/b.html": "<main>B</main>"}
    given = [SourceFile(path, text.encode(), "s") for path, text in files.items()]
    pages.read(collection, given, diagnostics)
    assert "sitemap-page-missing" not in codes(diagnostics)


def test_json_lines_are_pages() -> None:
    lines = [
        {
            "url": "https://e.org/1",
            "title": "One",
            "text": "# X\n\nBody  \n",
            "author": "Ann",
            "pageCount": 3,
            "createdAt": "2024",
        },
        {"url": "https://e.org/2", "html": "<main><h1>Two</h1></main>"},
        "[]",
        {"title": "no address"},
        {"url": "https://e.org/3", "text": "  "},
    ]
    text = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    (source,), (one, two), diagnostics = read({"crawl.jsonl": text + "\n{"})
    assert source.id == "crawl"
    assert (one.title, one.text, one.page_count) == ("One", "# X\n\nBody  \n", 3)
    assert (one.id, two.title) == ("crawl/1", "Two")
    assert source.pages[0] == {
        "id": "crawl/1",
        "url": "https://e.org/1",
        "title": "One",
        "author": "Ann",
        "created_at": "2024",
        "page_count": 3,
    }
    assert [(each.code, each.line) for each in diagnostics] == [
        ("page-line-invalid", number) for number in (3, 4, 5, 6)
    ]


def test_a_log_in_json_lines_is_reported_in_few_lines() -> None:
    _, found, diagnostics = read({"log.jsonl": '{"level": "info"}\n' * 5_000})
    assert not found
    messages = [each.message for each in diagnostics if each.code == "page-line-invalid"]
    assert len(messages) == 10
    assert messages[-1] == "the page has no `url`; 4990 lines below are no page either"


def test_llms_full_splits_where_pages_name_their_address() -> None:
    text = (
        "# One\nSource: https://e.org/one\n\nText\n# Inner\n```\n# no heading\n```\n"
        "# Two\n\nURL: https://e.org/two\nMore\n"
    )
    _, (one, two), _ = read({"s/llms-full.txt": text})
    assert (one.url, one.title, one.line) == ("https://e.org/one", "One", 1)
    assert (two.url, two.title, two.line) == ("https://e.org/two", "Two", 9)
    assert two.sections[0].line == 9
    assert one.text + two.text == text


@given(st.text(alphabet="# ab\nSource:htps/.`", max_size=200))
def test_the_pages_of_llms_full_joined_are_the_file(text: str) -> None:
    _, found, diagnostics = read({"s/llms-full.txt": text})
    lost = {"page-duplicate-url", "file-empty", "page-without-content"}
    if not lost & set(codes(diagnostics)) and "\r" not in text:
        assert "".join(page.text for page in found).strip() == text.strip()


@given(st.text(min_size=1).filter(lambda text: text.strip(" \t\r\n\ufeff") and "\0" not in text))
def test_text_is_kept_as_stored(text: str) -> None:
    stored = text.encode("utf-8", "replace").decode()
    _, found, _ = read({"s/a.txt": stored, "s/b.md": stored})
    assert {page.text for page in found} <= {stored.removeprefix("\ufeff")}


def test_an_address_twice_keeps_the_first_page() -> None:
    _, found, diagnostics = read(
        {
            "s/a.md": "---\nurl: https://e.org/x/\n---\n# A\n",
            "s/b.md": "---\nurl: http://e.org/x\n---\n# B\n",
        }
    )
    assert [page.title for page in found] == ["A"]
    assert codes(diagnostics) == ["page-duplicate-url"]


def test_an_address_twice_is_told_on_its_own_line_of_json_lines() -> None:
    lines = [
        '{"url": "https://e.org/x", "text": "# A\\n\\nOne.\\n"}',
        "",
        '{"url": "https://e.org/y", "text": "# B\\n"}',
        '{"url": "https://e.org/x/", "html": "<main><h1>C</h1></main>"}',
    ]
    _, found, diagnostics = read({"s.jsonl": "\n".join(lines)})
    assert [page.title for page in found] == ["A", "B"]
    (told,) = diagnostics
    assert (told.code, told.path, told.line) == ("page-duplicate-url", "sources/s.jsonl", 4)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"s/source.toml": 'name = "S"\n'}, "source-without-pages"),
        ({"s/source.toml": 'type = "ftp"\n', "s/a.md": "# A\n"}, "source-unknown-type"),
        ({"s/a.html": "<nav>Home</nav>"}, "page-without-content"),
        ({"s/a.md": "---\na: [\n---\n# A\n"}, "front-matter-invalid"),
        ({"s/source.toml": 'id = "t"\n', "s/a.md": "# A\n", "t/a.md": "# A\n"}, "duplicate-source"),
        ({"s/source.toml": "nam = 1\n", "s/a.md": "# A\n"}, "metadata-unknown-field"),
    ],
)
def test_what_is_doubtful_is_told(files: dict[str, str], code: str) -> None:
    _, _, diagnostics = read(files)
    assert code in codes(diagnostics)


def test_pages_that_generators_add_are_left_out() -> None:
    _, found, _ = read({"s/print.html": "<main>All</main>", "s/robots.txt": "x", "s/a.md": "# A\n"})
    assert [page.id for page in found] == ["s/a.md"]


def test_lists_that_generators_of_references_write_are_no_pages() -> None:
    doxygen = '<meta name="generator" content="Doxygen 1.9"><main>A</main>'
    files = dict.fromkeys(("genindex-A.html", "class-use/own.html"), "<main>A</main>")
    files |= {"class-use/Kite.html": "<!-- Generated by javadoc (17) --><main>A</main>"}
    files |= {"doc-index-K.html": "<main>A</main>", "functions.html": "<main>Ours</main>"}
    files |= {"class_list.html": '<link href="css/full_list.css"><main>A</main>'}
    rustdoc = '<meta name="generator" content="rustdoc"><main>A</main>'
    files |= dict.fromkeys(("all.html", "src/kite/lib.rs.html"), rustdoc)
    files |= {"navigation.html": '<div class="sideMenu"><main>A</main></div>'}
    lists = ("functions_k", "kite-members", f"dir_{'0a' * 16}")
    files |= {f"api/{name}.html": doxygen for name in (*lists, "kite")}
    _, found, _ = read({f"s/{name}": text for name, text in files.items()})
    assert [page.id for page in found] == [
        "s/api/kite.html",
        "s/class-use/own.html",
        "s/functions.html",
    ]


def test_a_page_with_bytes_of_another_encoding_than_it_declares_is_kept() -> None:
    data = b"<meta charset=utf-8>\n<main><h1>Kites</h1><p>High \xff up.</main>"
    diagnostics = Diagnostics()
    collection = Collection("library", "pages", ("sources",))
    _, page = pages.read(collection, [SourceFile("sources/s/a.html", data, "sources")], diagnostics)
    assert isinstance(page, PageRecord)
    assert page.text == "# Kites\n\nHigh \ufffd up.\n"
    assert [(each.code, each.line) for each in diagnostics] == [("file-not-utf8", 2)]


@pytest.mark.parametrize(
    ("data", "text", "line"),
    [
        (
            "\n<main><p>Caf\u00e9s \u201copen\u201d</main>".encode("cp1252"),
            "Caf\u00e9s \u201copen\u201d\n",
            2,
        ),
        (
            "<main><p>Caf\u00e9s, m\u00f6we".encode() + b"\xff</main>",
            "Caf\u00e9s, m\u00f6we\ufffd\n",
            1,
        ),
        (
            "<main><p>\u043b\u0435\u0442\u043e \u0434\u0435\u043d\u044c</main>".encode("cp1251"),
            None,
            1,
        ),
    ],
)
def test_a_page_that_declares_no_encoding_is_read_as_browsers_do(
    data: bytes, text: str | None, line: int
) -> None:
    diagnostics = Diagnostics()
    collection = Collection("library", "pages", ("sources",))
    _, *found = pages.read(
        collection, [SourceFile("sources/s/a.html", data, "sources")], diagnostics
    )
    assert [page.text for page in found if isinstance(page, PageRecord)] == [text] * bool(text)
    assert [(each.code, each.line) for each in diagnostics if each.line] == [
        ("file-not-utf8", line)
    ]


def test_what_all_pages_begin_and_end_with_belongs_to_none() -> None:
    def page(number: int) -> str:
        code = "<pre>fly\n\nCaught by Ann.</pre>" if number % 2 else ""
        return f"<p>Sky 2.0</p><p>Fast. Free.</p><h1>Kite {number}</h1><p>Sky 2.0</p>{code}<p>By Ann.</p>"

    _, found, _ = read({f"s/{number}.html": page(number) for number in range(8)})
    assert found[0].text == "# Kite 0\n\nSky 2.0\n"
    assert found[1].text == "# Kite 1\n\nSky 2.0\n\n```\nfly\n\nCaught by Ann.\n```\n"
    assert found[0].sections[0].line == 1
    _, few, _ = read({f"s/{number}.html": page(number) for number in range(7)})
    assert few[0].text.startswith("Sky 2.0\n\nFast. Free.\n\n# Kite 0\n")
    _, same, _ = read({f"s/{number}.html": "<p>Nothing yet." for number in range(8)})
    assert {each.text for each in same} == {"Nothing yet.\n"}


def test_pages_say_their_language() -> None:
    files = {
        "s/a.html": '<html lang="pt-BR"><main>A</main>',
        "s/b.md": "---\nlang: vi\n---\n# B\n",
        "s/c.jsonl": json.dumps({"url": "https://example.org/c", "text": "C", "language": "nb"}),
        "s/d.html": "<main>D</main>",
    }
    _, found, _ = read(files)
    assert [each.spoken for each in found] == ["pt", "und-Latn", "no", ""]


def test_a_page_of_html_is_called_as_its_title_says_where_its_headings_do_not() -> None:
    _, (page,), _ = read({"s/a.html": "<title>Kites</title><h1>1. Overview</h1><p>They fly."})
    assert page.title == "Kites"


def test_pages_without_a_title_are_called_after_their_files() -> None:
    _, found, _ = read(
        {"s/uses.html": "<main><p>Words.</main>", "s/plans/index.html": "<main>x</main>"}
    )
    assert {each.title for each in found} == {"uses", "plans"}


def test_pages_of_one_file_without_a_title_are_called_after_their_addresses() -> None:
    entries = (
        {"url": "https://example.org/guide/set%20up.html", "text": "A"},
        {"url": "https://example.org/", "text": "B"},
        {"url": "https://example.org/c", "title": "Third", "text": "C"},
    )
    _, found, _ = read({"s/crawl.jsonl": "\n".join(map(json.dumps, entries))})
    assert [each.title for each in found] == ["set up", "crawl", "Third"]


def test_pages_of_a_source_with_questions_as_titles_answer_them() -> None:
    titles = ["Why do nests fall?", "鳥はどこ？", "Is moss soft?", "About"]

    def questions(count: int) -> list[str]:
        entries = [{"url": f"https://example.org/{at}", "title": title, "text": "T"}
                   for at, title in enumerate([*titles, *map(str, range(count))])]  # fmt: skip
        _, found, _ = read({"s/faq.jsonl": "\n".join(map(json.dumps, entries))})
        return [each.question for each in found]

    assert questions(2) == [*titles, "0", "1"]
    assert not any(questions(3))
