"""Rspress: pages in the order of `_nav.json` and `_meta.json`, one language and version of several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

CONFIG = (
    "import { defineConfig } from '@rspress/core';\nconst siteOrigin = 'https://kite.example';\n"
    "export default defineConfig({ title: 'Kite', siteOrigin, %s });\n"
)
LOCALES = "lang: 'en', locales: [{ lang: 'zh' }, { lang: 'en' }]"


def meta(*items: Any) -> str:
    return json.dumps(items)


def test_rspress_takes_order_and_titles_of_its_files_of_navigation(tmp_path: Path) -> None:
    files = {
        "site/package.json": "{}",
        "site/rspress.config.ts": CONFIG
        % f"base: '/docs/', {LOCALES}, route: {{ cleanUrls: true }}",
        "site/i18n.json": json.dumps({"basics": {"en": "The basics", "zh": "x"}}),
        "site/docs/en/_nav.json": meta(
            {"text": "Parts", "items": [{"text": "Parts", "link": "/parts/"}]},
            {"text": "Out", "link": "https://x.example"},
            {"text": "Guide", "link": "/guide/start/fly"},
        ),
        "site/docs/en/index.md": page("Kite"),
        "site/docs/en/api/index.mdx": page("API"),
        "site/docs/en/guide/_meta.json": meta(
            {"type": "section-header", "label": "Start"},
            {"type": "dir-section-header", "name": "start", "label": "basics"},
            {"type": "divider"},
            "wind.mdx",
            {"type": "custom-link", "label": "Lines", "items": [{"link": "/parts/line"}]},
        ),
        "site/docs/en/guide/start/_meta.json": meta(
            {"type": "file", "name": "land", "label": "Landing"}, {"type": "file", "name": "fly"}
        ),
        "site/docs/en/guide/start/index.mdx": "How to begin.\n",
        "site/docs/en/guide/start/fly.mdx": page("Fly"),
        "site/docs/en/guide/start/land.mdx": "Down again.\n",
        "site/docs/en/guide/start/_part.mdx": "A part.\n",
        "site/docs/en/guide/wind.mdx": page("Wind"),
        "site/docs/en/guide/hidden.mdx": page("Hidden"),
        "site/docs/en/parts/tail.md": page("Tail"),
        "site/docs/en/parts/line.md": page("Line"),
        "site/docs/zh/index.md": page("X"),
        "site/docs/public/note.md": page("Asset"),
    }
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).what == "Rspress site 'Kite' (site/rspress.config.ts)"
    assert recognised(root).notes == ("translations are left out: site/docs/zh",)
    inputs, _ = read(root)
    base = "https://kite.example/docs"
    assert addresses(inputs) == {
        "index.md": f"{base}/",
        "parts/line.md": f"{base}/parts/line",
        "parts/tail.md": f"{base}/parts/tail",
        "guide/start/index.mdx": f"{base}/guide/start/",
        "guide/start/land.mdx": f"{base}/guide/start/land",
        "guide/start/fly.mdx": f"{base}/guide/start/fly",
        "guide/wind.mdx": f"{base}/guide/wind",
        "api/index.mdx": f"{base}/api/",
        "guide/hidden.mdx": f"{base}/guide/hidden",
    }
    found = titles(inputs.records["docs"])
    assert found["guide/start/index.mdx"] == "The basics"
    assert found["guide/start/land.mdx"] == "Landing"


def test_a_sidebar_of_the_configuration_goes_before_the_files(tmp_path: Path) -> None:
    sidebar = "[{ text: 'Guide', items: [{ text: 'Two', link: '/b' }, { text: 'One', link: '/en/a.html' }] }]"
    files = {
        "rspress.config.js": CONFIG
        % f"root: 'content', {LOCALES}, themeConfig: {{ sidebar: {{ '/': {sidebar} }} }}",
        **{f"content/en/{name}.mdx": "Text.\n" for name in "ab"},
        "content/zh/a.mdx": "Text.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {
        "b.mdx": "https://kite.example/b.html",
        "a.mdx": "https://kite.example/a.html",
    }
    assert list(titles(inputs.records["docs"]).values()) == ["Two", "One"]


def test_versions_parts_and_redirects_of_plugins(tmp_path: Path) -> None:
    files = {
        "rspress.config.ts": (
            "export default defineConfig({\n"
            "  plugins: [pluginSitemap({ siteUrl: 'https://kite.example' }),\n"
            "    pluginClientRedirects({ redirects: [{ from: '/old', to: '/a' }] })],\n"
            "  multiVersion: { default: 'v2', versions: ['v1', 'v2'] },\n"
            "  route: { exclude: ['v2/parts/**'] },\n});\n"
        ),
        "docs/v1/a.mdx": page("Former"),
        "docs/v2/a.mdx": page("A"),
        "docs/v2/parts/p.mdx": page("P"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {"a.mdx": "https://kite.example/a.html"}
    assert inputs.records["docs"][0].aliases == ("https://kite.example/old",)


@pytest.mark.parametrize(
    "files",
    [
        {"rspress.config.ts": CONFIG % "", "other/a.mdx": page("A"), "docs/public/x.svg": "<svg/>"},
    ],
)
def test_without_pages_or_documentation_there_is_no_site(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert "Rspress" not in recognised(write_tree(tmp_path / "tree", files)).what


def test_folders_of_navigation_that_name_each_other_end(tmp_path: Path) -> None:
    loop = meta(*({"type": "dir", "name": name} for name in (".", "..", "b", "../a")))
    files = {
        "rspress.config.ts": CONFIG % "",
        "docs/_meta.json": loop,
        "docs/b/_meta.json": loop,
        "docs/b/_nav.json": "[" * 100_000,
        "docs/b/x.mdx": page("X"),
        "docs/a/_meta.json": '"text"',
        "docs/index.mdx": page("Kite"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == ["index.mdx", "b/x.mdx"]


def test_sites_in_folders_that_projects_begin_with_are_no_documentation(tmp_path: Path) -> None:
    files = {
        "package.json": "{}",
        "website/rspress.config.ts": CONFIG % "",
        "website/docs/index.mdx": page("Kite"),
        "packages/create-kite/template-i18n/rspress.config.ts": CONFIG % "",
        "packages/create-kite/template-i18n/docs/index.mdx": page("Yours"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert "Yours" not in {
        title for records in inputs.records.values() for title in titles(records).values()
    }
