from __future__ import annotations

from tests.compiler.shipping.conftest import Ship

from kbc.shipping.bundle.llms import full, overview
from kbc.shipping.product import product

PAGES = {
    "docs": [
        {
            "id": "b.md",
            "title": "B [draft]",
            "path": "b.md",
            "text": "---\ntags: [x]\n---\n\n# B\n\nText of b.\n",
            "summary": "About\nb.",
            "url": "https://example.org/b",
        },
        {
            "id": "a.mdx",
            "path": "a.mdx",
            "text": "import X\n\nText.\n",
            "content": "Text.\n",
            "processed": True,
        },
        {"id": "set", "path": "set", "text": "", "content": "- [B](b)"},
    ],
    "builtins": [{"id": "map", "title": "map", "text": "maps"}],
}


def test_pages_are_listed_in_their_order_with_address_and_summary(ship: Ship) -> None:
    artifact = ship(PAGES)
    lines = overview(artifact, product(artifact)).decode().splitlines()
    assert lines[0] == "# Small"
    assert [line for line in lines if line.startswith(("## ", "- "))] == [
        "## docs",
        "- [B \\[draft\\]](https://example.org/b): About b.",
        "- [a.mdx](kb://small/docs/a.mdx)",
    ]


def test_the_full_text_has_each_page_once_under_one_heading(ship: Ship) -> None:
    assert full(ship(PAGES)).decode() == (
        "# B [draft]\n\nSource: https://example.org/b\n\nText of b.\n\n\n"
        "# a.mdx\n\nSource: kb://small/docs/a.mdx\n\nText.\n"
    )


def test_without_pages_there_is_no_text(ship: Ship) -> None:
    assert full(ship({"builtins": PAGES["builtins"]})) == b""
