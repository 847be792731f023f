"""Pages that nothing leads to: what counts as a way, and which pages need one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from kbc import frontends
from kbc.diagnostics import Diagnostics
from kbc.frontends.orphans import MIN_PAGES
from kbc.pipeline.reading import read_inputs
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile

KINDS = {
    "docs": Collection("docs", "docs", ("docs",), group="core"),
    "posts": Collection("posts", "docs", ("posts",), group="posts"),
    "sources": Collection("sources", "pages", ("sources",), url="https://example.org/{stem}"),
    "builtins": Collection("builtins", "builtins", ("builtins",)),
    "patterns": Collection("patterns", "patterns", ("patterns",)),
    "templates": Collection("templates", "templates", ("templates",)),
    "routing": Collection("routing", "routing", ("routing",)),
}


def ring(size: int) -> dict[str, str]:
    """Pages each of which links to the next, the last one to the first."""
    return {f"docs/p{i}.md": f"# P{i}\n\nGo [on](p{(i + 1) % size}.md).\n" for i in range(size)}


def orphans(files: Mapping[str, str], pages: int = MIN_PAGES + 1) -> list[str]:
    """The pages that are reported when `files` come to a ring of `pages` pages."""
    diagnostics = Diagnostics()
    folders: dict[str, list[SourceFile]] = {}
    for path, text in {**ring(pages), **files}.items():
        folder = path.split("/")[0]
        folders.setdefault(folder, []).append(SourceFile(path, text.encode(), folder))
    records = {
        name: frontends.read(KINDS[name], sources, diagnostics) for name, sources in folders.items()
    }
    frontends.check(records, diagnostics)
    assert {each.code for each in diagnostics} <= {"orphan-page"}
    return [each.path for each in diagnostics if each.path]


ALONE = "# Alone\n\ntext, and a link to [itself](alone.md)\n\n## Part\n"


def test_pages_of_documentation_and_of_documentation_sets_need_a_way_to_them() -> None:
    found = orphans({"docs/alone.md": ALONE, "sources/set/apart.md": "# Apart\n\ntext\n"})
    assert found == ["docs/alone.md", "sources/set/apart.md"]


def test_addresses_that_are_no_files_of_a_repository_are_read_in_bounded_time() -> None:
    page = "# Q\n\n" + f"See [a](https{'://a/' * 3_900}).\n\n" * 10
    start = time.process_time()
    assert orphans({"docs/q.md": page, "docs/alone.md": ALONE}) == ["docs/alone.md", "docs/q.md"]
    assert time.process_time() - start < 4


def test_long_runs_of_digits_are_looked_through_in_bounded_time() -> None:
    builtin = f"---\nname: q\nsignature: q()\ncategory: c\n---\n\nIt is {'a9' * 40_000}.\n"
    start = time.process_time()
    assert orphans({"docs/alone.md": ALONE, "builtins/q.md": builtin}) == ["docs/alone.md"]
    assert time.process_time() - start < 4


WAYS = {
    "link": ("posts/q.md", "# Q\n\nSee [a](../docs/alone.md#part).\n"),
    "reference": ("posts/q.md", "# Q\n\nSee [a].\n\n[a]: ../docs/alone.md\n"),
    "address in a repository": (
        "posts/q.md",
        "# Q\n\nSee [a](https://example.org/team/x/blob/main/docs/alone.md#part).\n",
    ),
    "site route": ("posts/q.md", "# Q\n\nSee [a](/docs/alone).\n"),
    "tag": ("posts/q.mdx", '# Q\n\n<a href="../docs/alone.md">see</a>\n'),
    "related": ("posts/q.md", "---\nrelated: [docs/alone.md]\n---\n# Q\n\ntext\n"),
    "builtin": (
        "builtins/f.md",
        "---\nname: f\nsignature: 'val f: int'\n---\nSee [a](../docs/alone.md).\n",
    ),
    "pattern": (
        "patterns/p.md",
        "---\ncategory: core\nname: P\n---\nThe steps are in `docs/alone.md`.\n",
    ),
    "routing": (
        "routing/r.toml",
        '[[label]]\nname = "a"\ndefault = true\nkeywords = ["x"]\ndocs = ["docs/alone.md"]\n',
    ),
    "routing to a folder": (
        "routing/r.toml",
        '[[label]]\nname = "a"\ndefault = true\nkeywords = ["x"]\ndocs = ["docs"]\n',
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_a_page(way: str) -> None:
    path, text = WAYS[way]
    assert orphans({"docs/alone.md": ALONE, path: text}) == []


def test_an_address_is_a_way_to_a_page_of_a_documentation_set() -> None:
    page = {"sources/set/page.md": "---\nurl: https://example.org/set/page\n---\n# Page\n\ntext\n"}
    assert orphans(page) == ["sources/set/page.md"]
    assert orphans({**page, "posts/q.md": "# Q\n\n[a](https://example.org/set/page/#x)\n"}) == []


def test_a_link_within_code_is_no_way() -> None:
    text = "# Q\n\ntext\n\n```md\n[a](../docs/alone.md)\n```\n"
    assert orphans({"docs/alone.md": ALONE, "posts/q.md": text}) == ["docs/alone.md"]


@pytest.mark.parametrize(
    "path",
    ["docs/README.md", "docs/sub/index.mdx", "docs/lessons/x.md", "posts/x.md", "docs/notes.txt"],
)
def test_entries_listed_groups_and_plain_text_need_no_way(path: str) -> None:
    assert orphans({path: "# X\n\ntext\n"}) == []


def test_a_page_in_a_navigation_needs_no_way() -> None:
    assert orphans({"docs/x.md": "---\nsidebar_position: 3\n---\n# X\n\ntext\n"}) == []


def test_small_knowledge_bases_are_read_from_lists() -> None:
    assert orphans({"docs/alone.md": ALONE}, pages=MIN_PAGES - 1) == []
    assert orphans({"docs/alone.md": ALONE}, pages=MIN_PAGES) == ["docs/alone.md"]


def test_where_most_pages_are_without_links_nothing_is_said() -> None:
    memos = {f"docs/memo-{i}.md": f"# Memo {i}\n\ntext\n" for i in range(MIN_PAGES + 2)}
    assert orphans(memos) == []
    memos.popitem()
    assert orphans(memos) == sorted(memos)


def orphans_in(root: Path, files: Mapping[str, str]) -> list[str]:
    """The pages that are reported of a tree with `files` and a ring of pages."""
    for path, text in {"kb.toml": '[kb]\nname = "x"\n', **ring(MIN_PAGES + 1), **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    diagnostics = Diagnostics()
    assert read_inputs(root, diagnostics) is not None
    return [each.path for each in diagnostics if each.code == "orphan-page"]


def test_a_page_that_another_includes_is_reached(tmp_path: Path) -> None:
    including = "import Alone from './alone.md';\n\n# Q\n\nGo [on](p1.md).\n\n<Alone />\n"
    files = {"docs/alone.md": ALONE, "docs/p0.mdx": including}
    assert orphans_in(tmp_path, {**files, "docs/p2.md": "# P2\n\nGo [on](p0.mdx).\n"}) == [
        "docs/p3.md"
    ]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [("", []), ("nav:\n- docs/p0.md\n", ["docs/alone.md"])],
)
def test_a_navigation_that_a_site_writes_itself_has_all_pages(
    tmp_path: Path, stated: str, expected: list[str]
) -> None:
    files = {"mkdocs.yml": f"site_name: Gates\ndocs_dir: .\n{stated}", "docs/alone.md": ALONE}
    settings = (
        '[kb]\nname = "x"\n\n[[collection]]\nname = "docs"\nkind = "docs"\npaths = ["docs"]\n'
        'generator = "mkdocs"\nconfig = "mkdocs.yml"\n'
    )
    assert orphans_in(tmp_path, {**files, "kb.toml": settings}) == expected


def test_links_that_start_at_the_address_of_a_page_are_ways() -> None:
    site = "https://example.org/p/"
    front = f"---\nurl: {site}alone/\n---\n\n"
    for target in ("/p/alone/", "../alone/#part", f"{site}alone"):
        linking = f"---\nurl: {site}q/\n---\n\n# Q\n\nSee [a]({target}).\n"
        assert orphans({"docs/x/alone.md": f"{front}{ALONE}", "posts/q.md": linking}) == []
    linking = f"---\nurl: {site}q/\n---\n\n# Q\n\nSee [a](/alone/), [b](http://[).\n"
    found = orphans({"docs/x/alone.md": f"{front}{ALONE}", "posts/q.md": linking})
    assert found == ["docs/x/alone.md"]


def test_a_folder_most_of_whose_pages_are_alone_is_a_list() -> None:
    blog = {f"docs/blog/{number}.md": f"# News {number}\n\ntext\n" for number in range(9)}
    assert orphans({**blog, "docs/alone.md": ALONE}) == ["docs/alone.md"]
    few = {path: text for path, text in blog.items() if path < "docs/blog/7"}
    assert len(orphans(few)) == 7
