"""The docs front end: titles, content, sections, summaries."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kbc.diagnostics import Diagnostics
from kbc.frontends.docs import read
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import DocRecord

POST = """---
title: "A: title"
date: 2025-07-21
excerpt: In short.
tags: [easy]
authors:
  - name: Ann
---

import X from 'x'

# Real *title*

<X>
## Part
</X>

```js
import y from 'y'
```
"""


def read_page(path: str, text: str) -> DocRecord:
    diagnostics = Diagnostics()
    collection = Collection(
        "posts", "docs", ("posts",), url="https://example.org/{path}", group="posts"
    )
    (record,) = read(collection, [SourceFile(path, text.encode(), "posts")], diagnostics)
    assert not list(diagnostics)
    assert isinstance(record, DocRecord)
    return record


@pytest.mark.parametrize(
    ("group", "path", "expected"),
    [
        ("core", "docs/lessons/1.md", "lessons"),
        ("core", "docs/lessons/deep/1.txt", "lessons"),
        ("core", "docs/lessons.md", "core"),
        ("core", "docs/more/lessons/1.md", "core"),
        ("posts", "docs/lessons/1.md", "posts"),
    ],
)
def test_pages_below_lessons_are_lessons(group: str, path: str, expected: str) -> None:
    collection = Collection("docs", "docs", ("docs",), group=group)
    (record,) = read(collection, [SourceFile(path, b"# One\n", "docs")], Diagnostics())
    assert isinstance(record, DocRecord)
    assert record.group == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_mdx_post(end: str) -> None:
    text = POST.replace("\n", end)
    record = read_page("posts/a b.mdx", text)
    assert (record.id, record.title, record.group) == ("posts/a b.mdx", "Real title", "posts")
    assert record.text == text
    assert record.content == ("# Real *title*\n\n## Part\n\n```js\nimport y from 'y'\n```")
    assert (record.format, record.processed, record.language) == ("mdx", True, "mdx")
    assert [(each.title, each.line) for each in record.sections] == [
        ("Real title", 12),
        ("Part", 15),
    ]
    assert record.frontmatter["date"] == "2025-07-21"
    assert record.frontmatter["authors"] == [{"name": "Ann"}]
    assert (record.summary, record.tags, record.topics) == ("In short.", ("easy",), ("easy",))
    assert record.url == "https://example.org/posts/a%20b.mdx"
    assert record.lines == 20


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("## Second\n\n# First\n", "First"),
        ("---\ntitle: 'Quoted'\n---\n## Second\n", "Quoted"),
        ("---\ntitle: 404\n---\ntext\n", "404"),
        ("---\ntitle: |-\n  Gates\n  and weirs\n---\ntext\n", "Gates and weirs"),
        ("---\ntitle: Gates\n---\n# The gates\n\n## Open\n", "The gates"),
        ("---\ntitle: Changelog\n---\n# 2.0\n\n# 1.0\n", "Changelog"),
        ("---\ntitle: Gates\n---\n## Open\n\nWARNING\n=======\n", "Gates"),
        ("---\ntitle: Gates\n---\nAll about them.\n\n# Open\n", "Gates"),
        ("---\ntitle: G\n---\n![Logo](a.svg)\n\n# Gates\n", "Gates"),
        ("text\n", "page"),
        ("text\n\n# Gates\n", "Gates"),
        ("text\n\n# Open\n\n# Shut\n", "page"),
        ("(gates)=\n# Gates\n\n# Shut\n", "Gates"),
        ("---\ntitle: G\n---\n(gates)=\n# Gates\n", "Gates"),
        ("Set\n===\n", "Set"),
        ("### Guards\n\ntext\n\n#### Roles\n", "Guards"),
        ("### Guards\n\n### Roles\n", "page"),
        ("text\n\n### Guards\n", "page"),
    ],
)
def test_where_the_title_comes_from(text: str, title: str) -> None:
    assert read_page("docs/page.md", text).title == title


def test_a_heading_below_text_is_no_title_to_mkdocs() -> None:
    collection = Collection("docs", "docs", ("docs",), generator="mkdocs")
    pages = {"a-gate.md": b"text\n\n# Open\n", "weir.md": b"[![x](y)](z)\n\n# The weir\n"}
    pages |= {"x.md": b"[](){#gates}\n\n# Gates\n", "y.md": b"{% set a = 1 %}\n\n# Taps\n"}
    files = [SourceFile(f"docs/{name}", data, "docs") for name, data in pages.items()]
    records = read(collection, files, Diagnostics())
    titles = [each.title for each in records if isinstance(each, DocRecord)]
    assert titles == ["A gate", "The weir", "Gates", "Taps"]


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("docs/rules/no-var.md", "no-var"),
        ("docs/rules/README.md", "rules"),
        ("index.md", "index"),
        ("docs/notes/1.2.adoc", "1.2"),
        ("docs/notes/README.rst", "notes"),
        ("docs/notes/all.txt", "all"),
        ("docs/notes/all.html", "all"),
        ("app/notes/page.mdx", "notes"),
        ("docs/tutorial/03.md", "tutorial 03"),
    ],
)
def test_a_page_without_a_title_has_the_name_of_its_file_or_folder(path: str, title: str) -> None:
    assert read_page(path, "text\n").title == title


def test_the_title_that_a_page_exports_is_its_title() -> None:
    exported = 'export const metadata = {\n  title: "Guards",\n}\n\n'
    assert read_page("app/guards/page.mdx", f"{exported}text\n").title == "Guards"
    assert (
        read_page("app/guards/page.mdx", f"{exported}# All {{metadata.title}}\n").title
        == "All Guards"
    )


def test_the_first_paragraph_is_the_summary_cut_between_words() -> None:
    record = read_page(
        "docs/p.md", "# T\n\n> quote\n\nSome `code` and [a link](x). " + "word " * 60
    )
    assert record.summary.startswith("Some code and a link. word")
    assert len(record.summary) <= 200
    assert record.summary.endswith("word…")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("::: objectives\n\n- Fly.\n\n:::\n\nBirds fly.\n", "Birds fly."),
        (":::tip[Note]\nIt is deep.\n:::\n\nMore.\n", "It is deep."),
        ("**A fast library for all birds.**\n\nMore.\n", "A fast library for all birds."),
        ("Defined in: [a.ts:3](https://example.org/a.ts)\n\nThe height.\n", "The height."),
        (
            "[![Tests](https://example.org/t.svg)](https://example.org) ![Docs][docs]\n[![Size]][size]\n\n"
            "Birds for all.\n",
            "Birds for all.",
        ),
        ("![A plan](a.png) of it\n\nMore.\n", "A plan of it"),
        ("(birds.all)=\n\n# Birds\n\nBirds fly.\n", "Birds fly."),
        ('{{ feature(beta="0.24") }}\n\nBirds fly.\n', "Birds fly."),
        ("**Note**\n", "Note"),
    ],
)
def test_labels_and_badges_are_no_summary(text: str, summary: str) -> None:
    assert read_page("docs/p.md", text).summary == summary


def test_markdown_content_is_the_text_without_front_matter() -> None:
    record = read_page("docs/p.md", "---\na: 1\n---\n\n<kite>\n\n\n\nA <b>.\n")
    assert record.content == "<kite>\n\n\n\nA <b>.\n"
    assert record.processed is False


def test_plain_text_has_no_structure() -> None:
    record = read_page("docs/notes.txt", "\nFirst line\nsecond.\n\n# not a heading\n")
    assert (record.title, record.format, record.sections) == ("notes", "text", ())
    assert record.summary == "First line second."


def test_settings_are_a_page_where_they_are_named() -> None:
    file = SourceFile("docs/requirements.txt", b"heron==2\n")
    for paths, expected in ((("docs",), []), (("docs/requirements.txt",), ["requirements"])):
        records = read(Collection("docs", "docs", paths), [file], Diagnostics())
        assert [each.title for each in records if isinstance(each, DocRecord)] == expected


@pytest.mark.parametrize(
    ("text", "is_page"),
    [
        (
            "# for the site\n-r base.txt\nheron[fish] >= 2  # why\neggs\n\nnest @ https://x.example\n",
            False,
        ),
        ("You need a pond.\n", True),
        ("heron\n" * 100_000 + "a b", True),
    ],
)
def test_requirements_that_no_program_reads_are_a_page(text: str, is_page: bool) -> None:
    file = SourceFile("docs/system-requirements.txt", text.encode())
    records = read(Collection("docs", "docs", ("docs",)), [file], Diagnostics())
    assert len(records) == is_page


def test_a_page_that_is_no_text_is_left_out_and_the_others_kept() -> None:
    diagnostics = Diagnostics()
    files = [
        SourceFile("a.md", b"\xff\xfe"),
        SourceFile("b.txt", b"x\0"),
        SourceFile("c.md", b"# C"),
    ]
    records = read(Collection("docs", "docs", ("docs",)), files, diagnostics)
    assert [record.id for record in records] == ["c.md"]
    assert [(each.path, each.code) for each in diagnostics] == [
        ("a.md", "file-not-utf8"),
        ("b.txt", "file-binary"),
    ]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (
            "# Summary\n\nIn short.\n\n# Motivation\n\nWhy.\n",
            ["0001-gates", "0002-sluices", "0003-locks"],
        ),
        ("# Summary\n\nIn short.\n\n## Motivation\n\nWhy.\n", ["Summary"] * 3),
        (
            "---\ntitle: Summary\n---\n\n# Summary\n\nIn short.\n\n# Motivation\n\nWhy.\n",
            ["Summary"] * 3,
        ),
    ],
)
def test_the_first_part_of_a_template_is_the_title_of_no_page(
    parts: str, expected: list[str]
) -> None:
    names = ("0001-gates", "0002-sluices", "0003-locks")
    files = [SourceFile(f"docs/{name}.md", parts.encode(), "docs") for name in names]
    other = SourceFile("docs/other.md", b"# Other\n\nText.\n\n# More\n\nText.\n", "docs")
    records = read(Collection("docs", "docs", ("docs",)), [*files, other], Diagnostics())
    assert [record.title for record in records] == [*expected, "Other"]


def test_a_heading_directly_below_that_of_the_book_is_the_title_of_the_page() -> None:
    texts = (
        "# Locks\n",
        "# Locks\n# Gates\n\nText.\n",
        "# Locks\n\n# Sluices\n\nText.\n",
        "# A\n# B\n",
    )
    files = [SourceFile(f"docs/{n}.md", text.encode(), "docs") for n, text in enumerate(texts)]
    records = read(Collection("docs", "docs", ("docs",)), files, Diagnostics())
    assert [record.title for record in records] == ["Locks", "Gates", "Sluices", "A"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("posts/a.md", "---\nlocale: vi-VN\n---\n# A\n\nText.\n"),
        ("posts/a.html", '<html lang="vi"><main><h1>A</h1><p>Text.</main>'),
        ("posts/a.adoc", "---\nlang: vi\n---\n= A\n\nText.\n"),
    ],
)
def test_a_page_says_its_language(path: str, text: str) -> None:
    assert read_page(path, text).spoken == "und-Latn"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("posts/a.md", "# A\n\n![plan](data:image/png;base64,{})\n\nText.\n"),
        (
            "posts/a.html",
            '<main><h1>A</h1><img alt="plan" src="data:image/png;base64,{}"><p>Text.</main>',
        ),
        ("posts/a.txt", "A\n\ndata:image/png;base64,{}\n\nText.\n"),
        ("posts/a.adoc", "= A\n\n[the plan](data:image/png;base64,{})\n\nText.\n"),
    ],
)
def test_pictures_are_no_text(path: str, text: str) -> None:
    record = read_page(path, text.format("iVBORw0KGgo" * 100_000))
    assert "iVBOR" not in record.text + record.content
    assert "Text." in record.content
    small = read_page(path, text.format("iVBORw0KGgo"))
    assert "iVBOR" in small.text or path.endswith(".html")


HEADER = """\
  BIP: 0032
  Title: Hierarchical wallets
  Authors: A. Heron <a@example.org>
           B. Egret <b@example.org>
  Status: Deployed
"""


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("posts/bip-0032.md", f"```\n{HEADER}```\n\n## Abstract\n\nText.\n", "BIP 32: Hierarchical wallets"),
        ("posts/bip-0032.mediawiki", f"News.\n\n<pre>\n{HEADER}</pre>\n\n=Old=\n\nText.\n",
         "BIP 32: Hierarchical wallets"),
        ("posts/zip.rst", f"::\n\n{HEADER}\n\nTerms\n=====\n\nText.\n", "BIP 32: Hierarchical wallets"),
        ("posts/kip.md", "```\nTitle: Herons\nStatus: Draft\n```\n\n# Motivation\n", "Herons"),
        ("posts/n.md", f"```\nNo: {'7' * 5000}\nTitle: Herons\nStatus: 1\n```\n", f"No {'7' * 5000}: Herons"),
        ("posts/plan.md", f"# Plan\n\n```\n{HEADER}```\n", "Plan"),
        ("posts/http.md", "```\nTitle: Herons\nAge: 3\n```\n\nText.\n", "http"),
        ("posts/run.md", "```\nTitle: Herons\nStatus: 3\nmore\n```\n\nText.\n", "run"),
    ],
)  # fmt: skip
def test_the_header_of_a_proposal_has_its_title(path: str, text: str, title: str) -> None:
    assert read_page(path, text).title == title


def titles_of(texts: Mapping[str, str]) -> dict[str, str]:
    files = [SourceFile(path, text.encode(), "posts") for path, text in texts.items()]
    found = read(Collection("posts", "docs", ("posts",)), files, Diagnostics())
    return {each.path: each.title for each in found}


def test_pages_with_one_heading_are_called_as_they_state() -> None:
    page = "---\ntitle: {}\n---\n# Introduction\n\nText.\n"
    texts = {
        "posts/math.md": page.format("Math utilities"),
        "posts/surveys.md": page.format("Surveys"),
        "posts/a.md": page.format("Herons"),
        "posts/b.md": page.format("Herons"),
        "posts/c.md": "# Introduction\n\nText.\n",
        "posts/d.md": "---\ntitle: All of it - Heron\n---\n# All of it\n\nText.\n",
    }
    assert titles_of(texts) == {
        "posts/math.md": "Math utilities",
        "posts/surveys.md": "Surveys",
        "posts/a.md": "Introduction",
        "posts/b.md": "Introduction",
        "posts/c.md": "Introduction",
        "posts/d.md": "All of it",
    }


def test_pages_of_a_wiki_are_called_as_their_files() -> None:
    page = "# Outline\n\nText.\n"
    wiki = {f"posts/{name}.md": page for name in ("Home", "How-to-fly-(1.0)", "_Sidebar")}
    assert titles_of(
        {**wiki, "posts/more/a.md": page, "posts/b.md": f"---\ntitle: B\n---\n{page}"}
    ) == {
        "posts/Home.md": "Home",
        "posts/How-to-fly-(1.0).md": "How to fly (1.0)",
        "posts/_Sidebar.md": "_Sidebar",
        "posts/more/a.md": "Outline",
        "posts/b.md": "B",
    }


def test_in_a_checkout_of_a_wiki_folders_belong_to_it() -> None:
    page = "Text.\n\nSee Also\n--------\n\nText.\n"
    names = ("_Sidebar.md", "glossary/NAS-port.rst")
    files = [SourceFile(name, page.encode(), ".") for name in names]
    found = read(Collection("docs", "docs", (".",)), files, Diagnostics())
    assert [each.title for each in found] == ["_Sidebar", "NAS port"]


def test_a_table_of_contents_is_no_title() -> None:
    contents = "# Table of Contents\n\n* [Use](#use)\n"
    assert titles_of(
        {
            "posts/configure.md": f"{contents}\n## Use\n\nFly.\n",
            "posts/list.md": contents,
            "posts/index.md": f"{contents}\n## Use\n\nFly.\n",
        }
    ) == {
        "posts/configure.md": "configure",
        "posts/list.md": "Table of Contents",
        "posts/index.md": "Table of Contents",
    }


def test_the_folder_that_tells_pages_apart_need_not_be_the_nearest() -> None:
    folders = ("Dock/variables", "Font/variables", "Image/variables")
    found = titles_of({f"posts/api/{folder}/isValid.md": "A check.\n" for folder in folders})
    assert [*found.values()] == ["Dock isValid", "Font isValid", "Image isValid"]
    found = titles_of({f"posts/{name}/en/README.md": "A lesson.\n" for name in ("Tag", "Word")})
    assert [*found.values()] == ["Tag en", "Word en"]


def test_pages_called_as_others_have_the_name_of_their_folder() -> None:
    texts = {
        "posts/caddy/licence.md": "Free to use.\n",
        "posts/redis/licence.md": "Free to use.\n",
        "posts/redis/notes.md": "Fast.\n",
        "posts/mysql/licence.md": "# licence\n\nFree to use.\n",
        "posts/licence.txt": "Free to use.\n",
        "posts/lua/licence.md": "---\ntitle: Licence\n---\n\nFree to use.\n",
        "posts/perl/licence.md": "---\ntitle: Licence\n---\n\nFree to use.\n",
    }
    assert titles_of(texts) == {
        "posts/caddy/licence.md": "caddy licence",
        "posts/redis/licence.md": "redis licence",
        "posts/redis/notes.md": "notes",
        "posts/mysql/licence.md": "licence",
        "posts/licence.txt": "posts licence",
        "posts/lua/licence.md": "Licence",
        "posts/perl/licence.md": "Licence",
    }


def test_logs_of_changes_that_are_headed_alike_have_the_number_of_their_file() -> None:
    log = "# Changelog\n\nAll of it.\n\n## {0}.2.0\n\n- Faster.\n"
    of_versions = "# v0.{0}.1\n\n- Faster.\n\n# v0.{0}.0\n\n- New.\n"
    texts = {f"posts/CHANGELOG.{number}.md": log.format(number) for number in (1, 2)}
    texts |= {f"posts/HISTORY-0.{number}.md": of_versions.format(number) for number in (1, 2)}
    texts |= {"posts/CHANGELOG.md": log.format(3), "posts/heron.2.md": "# Changelog\n\nOf birds.\n"}
    assert titles_of(texts) == {
        "posts/CHANGELOG.1.md": "Changelog 1",
        "posts/CHANGELOG.2.md": "Changelog 2",
        "posts/HISTORY-0.1.md": "HISTORY-0.1",
        "posts/HISTORY-0.2.md": "HISTORY-0.2",
        "posts/CHANGELOG.md": "Changelog",
        "posts/heron.2.md": "Changelog",
    }


def test_markdown_whose_headings_are_html_has_their_sections_and_tables() -> None:
    part = (
        '<h3 id="v1.{0}">{0}\n</h3>\n<p>\n(<em>Of</em> all)</p>\n<table>\n<tr><th>Field</th></tr>\n'
        "<tr>\n<td>\n<code>{0}Size</code></br>\n<em>int</em>\n</td>\n</tr>\n</table>\n\n"
    )
    text = "".join(map(part.format, ("Kite", "Line", "Tail"))) + "<h1>Of *tails*</h1>\n"
    record = read_page("posts/api.md", f"---\ntitle: API\n---\nSee **v1**.\n\n{text}")
    assert (record.title, record.url) == ("API", "https://example.org/posts/api.md")
    assert [each.title for each in record.sections] == ["Kite", "Line", "Tail", "Of tails"]
    assert record.sections[0].anchor == "v1.Kite"
    assert record.text.startswith("See **v1**.\n\n### Kite\n\n(*Of* all)\n\n| Field |\n| --- |\n")
    assert "| `KiteSize` *int* |" in record.text
    stated = read_page("posts/api.md", f"---\nsummary: All\ntags: [sky]\n---\n{text}")
    assert (stated.summary, stated.stated_summary, stated.tags) == ("All", "All", ("sky",))
    fenced = f"# Pages\n\n```html\n{text}```\n"
    assert read_page("posts/api.md", fenced).text == fenced
