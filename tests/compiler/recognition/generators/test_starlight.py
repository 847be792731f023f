"""Starlight's sidebars, addresses and redirects."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, read, titles, write_tree

_PAGES = "src/content/docs"


def _page(title: str, front: str = "") -> str:
    return f"---\ntitle: {title}\n{front}---\n\n{title} in one sentence.\n"


def _site(theme: str, rest: str = "") -> dict[str, str]:
    return {
        "astro.config.mjs": "import starlight from '@astrojs/starlight';\nimport { nav } from './nav';\n"
        f"export default {{ site: 'https://mill.example', {rest}\n"
        f"  integrations: [starlight({{ {theme} }})] }};\n"
    }


def test_pages_are_in_the_order_of_the_sidebar(tmp_path: Path) -> None:
    files = _site("title: 'Mill', sidebar: nav('guide')") | {
        "nav.ts": (
            "const group = (label, items, rest = {}) => ({ label, ...rest, items });\n"
            "export function nav(start) {\n"
            "  return ['intro', group('Guides', [\n"
            "    { label: 'Grain', slug: `${start}/grain` },\n"
            "    { label: 'Outside', link: 'https://elsewhere.example/' },\n"
            "    ...['stones', 'sails'].map((name) => ({ label: name, link: `/${start}/${name}/#top` })),\n"
            "  ], { collapsed: true }), { label: 'Parts', autogenerate: { directory: 'parts' } }, ''];\n"
            "}\n"
        ),
    }
    files |= {
        f"{_PAGES}/{name}": _page(name.partition(".")[0])
        for name in ("index.mdx", "intro.md", "guide/sails.md", "guide/stones.mdx", "unlisted.md")
    }
    files[f"{_PAGES}/guide/seed.md"] = _page("Seed", "slug: guide/grain\n")
    files |= {
        f"{_PAGES}/parts/index.md": _page("Parts"),
        f"{_PAGES}/parts/axle.md": _page("Axle"),
        f"{_PAGES}/parts/brake.md": _page("Brake", "sidebar:\n  order: 1\n"),
        f"{_PAGES}/parts/hidden.md": _page("Hidden", "sidebar:\n  hidden: true\n"),
        f"{_PAGES}/parts/wheel/teeth.md": _page("Teeth"),
        f"{_PAGES}/parts/wheel/hub.md": _page("Hub", "sidebar:\n  order: 2\n"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(titles(inputs.records["docs"])) == [
        "intro.md",
        "guide/seed.md",
        "guide/stones.mdx",
        "guide/sails.md",
        "parts/brake.md",
        "parts/wheel/hub.md",
        "parts/wheel/teeth.md",
        "parts/index.md",
        "parts/axle.md",
        "index.mdx",
        "parts/hidden.md",
        "unlisted.md",
    ]


def test_without_a_sidebar_folders_are_in_its_place_and_topics_are_one(tmp_path: Path) -> None:
    pages = {
        f"{_PAGES}/{name}": _page(name) for name in ("index.md", "b/y.md", "b/x.md", "a.md", "c.md")
    }
    inputs, _ = read(write_tree(tmp_path / "plain", _site("title: 'Mill'") | pages))
    assert list(titles(inputs.records["docs"])) == ["index.md", "a.md", "b/x.md", "b/y.md", "c.md"]
    topics = (
        "title: 'Mill', plugins: [starlightSidebarTopics([{ label: 'Late', link: '/c/', items: ['c'] },\n"
        "  { label: 'Soon', link: '/b/y/', items: [{ label: 'B', items: ['b/y', 'b/x'] }] }])]"
    )
    inputs, _ = read(write_tree(tmp_path / "topics", _site(topics) | pages))
    assert list(titles(inputs.records["docs"]))[:3] == ["c.md", "b/y.md", "b/x.md"]


def test_sidebar_is_that_of_the_language_that_is_read(tmp_path: Path) -> None:
    theme = (
        "title: { en: 'Mill', fr: 'Moulin' }, defaultLocale: 'en', locales: { en: { lang: 'en' }, fr: {} },\n"
        "sidebar: ['wind', { label: 'Eau', translations: { en: 'Water' }, link: '/water/' },\n"
        "  { label: 'More', autogenerate: { directory: 'more' } }]"
    )
    files = {
        f"{_PAGES}/{language}/{name}.md": _page(name)
        for language in ("en", "fr")
        for name in ("index", "water", "wind", "more/air")
    }
    inputs, _ = read(write_tree(tmp_path / "tree", _site(theme) | files))
    assert list(titles(inputs.records["docs"])) == [
        "en/wind.md",
        "en/water.md",
        "en/more/air.md",
        "en/index.md",
    ]
    assert inputs.project.title == "Mill"
    (collection,) = inputs.project.collections
    assert collection.site.titles == {"en/water.md": "Water"}


@pytest.mark.parametrize(
    ("setting", "places"),
    [
        ("trailingSlash: 'never',", ["", "guide", "guide/sails"]),
        ("build: { format: 'file' },", ["guide.html", "guide/sails.html", "index.html"]),
        ("", ["", "guide/", "guide/sails/"]),
    ],
)
def test_addresses_end_as_astro_is_told(tmp_path: Path, setting: str, places: list[str]) -> None:
    files = {f"{_PAGES}/{name}.md": _page(name) for name in ("index", "guide/index", "guide/sails")}
    inputs, _ = read(write_tree(tmp_path / "tree", _site("title: 'Mill'", setting) | files))
    assert sorted(addresses(inputs).values()) == [f"https://mill.example/{each}" for each in places]


def test_redirects_of_astro_are_other_names_of_their_targets(tmp_path: Path) -> None:
    rest = (
        "redirects: { '/old': '/guide/sails', '/older': { status: 302, destination: '/guide/sails/' },\n"
        "  '/v1/[...slug]': '/[...slug]' },"
    )
    pages = {f"{_PAGES}/guide/sails.md": _page("Sails")}
    inputs, _ = read(write_tree(tmp_path / "tree", _site("title: 'Mill'", rest) | pages))
    (record,) = inputs.records["docs"]
    assert record.aliases == ("https://mill.example/old", "https://mill.example/older")


def test_other_collections_of_pages_of_a_site_without_the_theme_are_read(tmp_path: Path) -> None:
    config = "export default { site: 'https://mill.example', base: '/en' };\n"
    files = {"astro.config.mjs": config, "CNAME": "mill.example\n", f"{_PAGES}/a.md": _page("A")}
    files |= {"src/pages/blog/[...slug].astro": "", "src/pages/[...slug].astro": ""}
    for name in ("one", "two", "sub/three"):
        files |= {f"src/content/{place}/{name}.mdx": _page(name) for place in ("api", "blog")}
    files |= {"src/content/notes/one.md": _page("one"), "src/content/api/_part.mdx": "A part.\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert {name: set(addresses(inputs, name).values()) for name in inputs.records} == {
        "docs": {"https://mill.example/en/a/"},
        "api": {""},  # only the program that shows them says where they are
        "blog": {f"https://mill.example/en/blog/{name}/" for name in ("one", "two", "sub/three")},
    }
    (tmp_path / "tree/astro.config.mjs").write_text(_site("title: 'Mill'")["astro.config.mjs"])
    assert list(read(tmp_path / "tree")[0].records) == ["docs"]
