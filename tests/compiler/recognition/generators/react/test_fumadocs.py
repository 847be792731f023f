"""Fumadocs: folders of pages that source.config names, with their `meta.json` files and loaders."""

from __future__ import annotations

import json
from pathlib import Path

from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

from kbc.records import DocRecord

CONFIG = (
    "import { defineCollections, defineConfig, defineDocs } from 'fumadocs-mdx/config';\n"
    "export const docs = defineDocs({\n  dir: 'content/docs',\n  meta: { schema },\n});\n"
    "export const posts = defineCollections({ type: 'doc', dir: 'content/blog' });\n"
    "export default defineConfig();\n"
)
LOADERS = (
    "import { loader } from 'fumadocs-core/source';\n"
    "export const source = loader({ baseUrl: '/docs', source: docs.toFumadocsSource() });\n"
    "export const blog = loader({\n  baseUrl: '/news',\n  source: createMDXSource(posts),\n});\n"
)


def titled(title: str) -> str:
    return (
        f"---\ntitle: {title}\n---\n\nWhat {title} is about [#no-id].\n\n## Part [#own]\n\nMore.\n"
    )


def test_fumadocs_takes_folders_order_and_addresses(tmp_path: Path) -> None:
    root_meta = ["---Basics---", "index", "start", "[Out](https://x.example)", "...", "(more)"]
    files = {
        "package.json": '{"name": "tea-site"}',
        "source.config.ts": CONFIG,
        "lib/source.ts": LOADERS,
        "content/docs/meta.json": json.dumps({"root": True, "pages": root_meta}),
        "content/docs/index.mdx": titled("Tea"),
        "content/docs/start.mdx": titled("Start"),
        "content/docs/start.fr.mdx": titled("Commencer"),
        "content/docs/(more)/milk.mdx": titled("Milk"),
        "content/docs/pots/meta.json": json.dumps({"pages": ["z...a"]}),
        "content/docs/pots/index.mdx": titled("Pots"),
        "content/docs/pots/lids.mdx": titled("Lids"),
        "content/blog/first.md": titled("First"),
    }
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).what == "Fumadocs site (source.config.ts)"
    site = "https://tea.example/"
    (root / "CNAME").write_text("tea.example\n")
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.mdx": f"{site}docs",
        "start.mdx": f"{site}docs/start",
        "pots/lids.mdx": f"{site}docs/pots/lids",
        "pots/index.mdx": f"{site}docs/pots",
        "(more)/milk.mdx": f"{site}docs/milk",
    }
    assert addresses(inputs, "blog") == {"content/blog/first.md": f"{site}news/first"}
    tea = inputs.records["docs"][0]
    assert isinstance(tea, DocRecord)
    assert (tea.title, [each.anchor for each in tea.sections]) == ("Tea", ["own"])


def test_a_collection_in_the_folder_of_another_has_its_own_address(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "tea"\n',
        "tea.py": "x = 1\n",
        "site/source.config.ts": CONFIG.replace("content/docs", "content"),
        "site/loaders/source.ts": LOADERS.replace("'/docs'", "'/'"),
        "site/content/index.mdx": titled("Tea"),
        "site/content/blog/first.mdx": titled("First"),
        "site/public/CNAME": "tea.example",
        "site/app/page.tsx": "export default 1;\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {
        "index.mdx": "https://tea.example/",
        "blog/first.mdx": "https://tea.example/news/first",
    }
    assert {each.id for each in inputs.records["code"]} >= {"tea.py", "site/app/page.tsx"}


def test_a_configuration_without_folders_means_the_default_one(tmp_path: Path) -> None:
    config = "import { defineConfig } from 'fumadocs-mdx/config';\nexport default defineConfig();\n"
    files = {"source.config.ts": config, "content/docs/a.mdx": titled("A"), "notes.md": page("No")}
    inputs, _ = read(write_tree(tmp_path / "tree", {**files, "CNAME": "tea.example"}))
    assert addresses(inputs) == {"docs/a.mdx": "https://tea.example/docs/a"}
    own = files | {"source.config.ts": "export { config as default } from './lib/fumadocs';\n"}
    assert addresses(read(write_tree(tmp_path / "own", own))[0]) == {"docs/a.mdx": ""}
    other = {"source.config.ts": "export default {};\n", "content/docs/a.mdx": titled("A")}
    assert recognised(write_tree(tmp_path / "other", other)).what == "folder of pages"
