"""Fern: navigation of docs.yml with tabs, versions and folders, addresses, pages that are not published."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.recognition.trees import addresses, page, read, titles, write_tree

from kbc.records import DocRecord

DOCS = """
title: Kite
instances:
  - url: kite.docs.example
    custom-domain: kite.example/docs
versions:
  - {display-name: Two, path: two.yml}
  - {display-name: One, path: one.yml}
redirects:
  - {source: /old/wind, destination: /fly-land/the-wind}
  - {source: "/blog/:slug*", destination: "/news/:slug*"}
"""
TWO = """
tabs:
  guides: {display-name: Guides, skip-slug: true}
  news: {display-name: What's new, changelog: ./news}
landing-page: {page: Home, path: home.mdx, slug: /}
navigation:
  - tab: guides
    layout:
      - section: Fly & land
        path: pages/fly.mdx
        contents:
          - {page: Wind, path: ./pages/wind.mdx, slug: the-wind}
          - section: Ropes
            skip-slug: true
            contents:
              - {page: Knots, path: pages/knots.md}
          - {link: Shop, href: "https://shop.example"}
          - {page: Lost, path: pages/lost.mdx}
      - folder: ./more
  - tab: news
  - api: Reference
    layout:
      - {page: Errors, path: pages/errors.mdx}
"""


def test_the_navigation_gives_pages_order_titles_and_addresses(tmp_path: Path) -> None:
    files = {
        "fern/fern.config.json": '{"organization": "kite"}',
        "fern/docs.yml": DOCS,
        "fern/two.yml": TWO,
        "fern/one.yml": "navigation:\n  - {page: Old, path: pages/old.mdx}\n",
        "fern/home.mdx": page("Welcome"),
        "fern/pages/fly.mdx": "Run against the wind.\n",
        "fern/pages/wind.mdx": 'Look at the trees.\n\n<Markdown src="/snippets/tail.mdx" />\n',
        "fern/pages/knots.md": page("Knots"),
        "fern/pages/errors.mdx": "---\nslug: /errors\n---\nIt fell.\n",
        "fern/more/deep/sand.mdx": page("Sand"),
        "fern/news/2026-01-02.mdx": page("Strings"),
        "fern/pages/old.mdx": page("Of version one"),
        "fern/pages/draft.mdx": page("Not published"),
        "fern/snippets/tail.mdx": "A tail steadies it.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    start = "https://kite.example/docs/"
    assert inputs.project.title == "Kite"
    assert titles(inputs.records["docs"]) == {
        "home.mdx": "Welcome",
        "pages/fly.mdx": "Fly & land",
        "pages/wind.mdx": "Wind",
        "pages/knots.md": "Knots",
        "more/deep/sand.mdx": "Sand",
        "news/2026-01-02.mdx": "Strings",
        "pages/errors.mdx": "Errors",
    }
    assert list(addresses(inputs).values()) == [
        start,
        f"{start}fly-land",
        f"{start}fly-land/the-wind",
        f"{start}fly-land/knots",
        f"{start}more/deep/sand",
        f"{start}whats-new/2026-01-02",
        f"{start}errors",
    ]
    wind = inputs.records["docs"][2]
    assert isinstance(wind, DocRecord)
    assert "A tail steadies it." in wind.text
    assert wind.aliases == (f"{start}old/wind",)


def test_a_navigation_in_circles_ends(tmp_path: Path) -> None:
    files = {
        "fern.config.json": "{}",
        "docs.yml": "products:\n  - {display-name: Kite, path: docs.yml}\n  - {path: a.yml}\n",
        "a.yml": "products: [{path: a.yml}]\nnavigation: [{page: A, path: a.md}, 3, [x], {tab: b}]\n",
        "a.md": page("A"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [record.title for record in inputs.records["docs"]] == ["A"]
