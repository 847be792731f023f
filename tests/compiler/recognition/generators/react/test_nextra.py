"""Nextra: pages in `content`, `pages` or `app` with their `_meta` files, and one language of several."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

CONFIG = (
    "import nextra from 'nextra'\nconst withNextra = nextra({})\nexport default withNextra({%s})\n"
)
SITEMAP = {
    "next-sitemap.config.js": "module.exports = {siteUrl: process.env.URL || 'https://tea.example'}"
}


def site(root: Path, files: Mapping[str, str], options: str = "") -> Path:
    return write_tree(root / "tree", {"next.config.mjs": CONFIG % options, **SITEMAP, **files})


def test_nextra_takes_order_titles_and_addresses_of_its_content(tmp_path: Path) -> None:
    files = {
        "package.json": "{}",
        "next.config.mjs": (
            "import nextra from 'nextra'\nconst withNextra = nextra({contentDirBasePath: '/docs'})\n"
            "export default withNextra({basePath: '/tea'})\n"
        ),
        "content/_meta.tsx": (
            "import type { MetaRecord } from 'nextra'\n"
            "const meta: MetaRecord = {\n  index: {display: 'hidden'},\n"
            "  '---': {type: 'separator', title: <b>Brewing</b>},\n  pots: {title: 'Pots & cups'},\n"
            "  kettle: <>A <i>kettle</i></>,\n  out: {href: 'https://x.example'},\n"
            "  'secret-page': {display: 'hidden'},\n}\nexport default meta\n"
        ),
        "content/index.mdx": page("Tea"),
        "content/kettle.mdx": "It boils.\n",
        "content/pots.md": "They hold tea.\n",
        "content/pots/lids.mdx": page("Lids"),
        "content/secret-page.mdx": "Nobody looks.\n",
        "content/about-us.mdx": "Drinkers.\n",
        "content/_parts/note.mdx": "A note.\n",
    }
    root = site(tmp_path, files)
    assert recognised(root).what == "Nextra site (next.config.mjs)"
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.mdx": "https://tea.example/tea/docs",
        "pots.md": "https://tea.example/tea/docs/pots",
        "pots/lids.mdx": "https://tea.example/tea/docs/pots/lids",
        "kettle.mdx": "https://tea.example/tea/docs/kettle",
        "about-us.mdx": "https://tea.example/tea/docs/about-us",
        "secret-page.mdx": "https://tea.example/tea/docs/secret-page",
    }
    assert list(titles(inputs.records["docs"]).values()) == [
        *("Tea", "Pots & cups", "Lids", "Kettle", "About us", "Secret page")
    ]


def test_pages_of_next_are_in_folders_that_a_global_file_orders(tmp_path: Path) -> None:
    meta = (
        "const GUIDE = {pour: '', brew: {title: 'Brew it'}}\n"
        "export default {index: {display: 'hidden'}, docs: {items: {guide: {items: GUIDE}, start: ''}}}\n"
    )
    files = {
        "src/app/_meta.global.ts": meta,
        "src/app/page.mdx": page("Tea"),
        "src/app/docs/page.mdx": page("Docs"),
        "src/app/docs/start/page.mdx": page("Start"),
        "src/app/docs/(how)/cups/page.md": "Cups.\n",
        "src/app/docs/guide/brew/page.mdx": "Hot.\n",
        "src/app/docs/guide/pour/page.mdx": page("Pour"),
        "src/app/docs/guide/pour/draft.mdx": page("Draft"),
    }
    inputs, _ = read(site(tmp_path, files))
    assert addresses(inputs) == {
        "page.mdx": "https://tea.example/",
        "docs/page.mdx": "https://tea.example/docs",
        "docs/guide/pour/page.mdx": "https://tea.example/docs/guide/pour",
        "docs/guide/brew/page.mdx": "https://tea.example/docs/guide/brew",
        "docs/start/page.mdx": "https://tea.example/docs/start",
        "docs/(how)/cups/page.md": "https://tea.example/docs/cups",
    }
    found = titles(inputs.records["docs"])
    assert found["docs/guide/brew/page.mdx"] == "Brew it"
    assert found["docs/(how)/cups/page.md"] == "Cups"


LOCALES = "i18n: {locales: ['de', 'en'], defaultLocale: 'en'}"


def test_languages_are_at_the_end_of_names_or_in_folders(tmp_path: Path) -> None:
    files = {
        "pages/_meta.en.json": json.dumps({"pots": "Pots", "v1.2": "Old pots"}),
        **{f"pages/{name}.en.mdx": "Text.\n" for name in ("index", "pots", "v1.2")},
        **{f"pages/{name}.de.mdx": "Text.\n" for name in ("index", "pots", "v1.2")},
    }
    inputs, _ = read(site(tmp_path / "a", files, LOCALES))
    assert addresses(inputs) == {
        "index.en.mdx": "https://tea.example/",
        "pots.en.mdx": "https://tea.example/pots",
        "v1.2.en.mdx": "https://tea.example/v1.2",
    }
    assert list(titles(inputs.records["docs"]).values())[1:] == ["Pots", "Old pots"]
    files = {f"content/en/{name}.mdx": page(name) for name in ("index", "pots")}
    files |= {f"content/de/{name}.mdx": page(name) for name in map(str, range(40))}
    files["content/en/[...gone].mdx"] = page("Gone")
    root = site(tmp_path / "b", files, LOCALES)
    assert recognised(root).notes == ("translations are left out: content/de",)
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.mdx": "https://tea.example/en",
        "pots.mdx": "https://tea.example/en/pots",
    }


@pytest.mark.parametrize(
    "files",
    [
        {"next.config.js": "module.exports = {}", "content/a.md": page("A")},
        {"next.config.js": "require('nextra')({})", "lib/a.md": page("A")},
    ],
)
def test_other_sites_of_next_are_no_nextra(tmp_path: Path, files: dict[str, str]) -> None:
    assert "Nextra" not in recognised(write_tree(tmp_path / "tree", files)).what
