"""Sites made with JavaScript, from Docusaurus to Mintlify: titles, order, addresses, versions, languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.records import DocRecord


def test_docusaurus_takes_slugs_numbers_route_bases_sidebars_and_its_blog(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "package.json": "{}",
            "docusaurus.config.ts": """
                import type {Config} from '@docusaurus/types';
                const address = 'https://pond.example';
                const config: Config = {
                  title: 'Pond', url: address, baseUrl: '/p/',
                  presets: [['classic', {
                    docs: {routeBasePath: 'guide', sidebarPath: require.resolve('./sidebars.js')},
                    blog: {},
                  } satisfies Options]],
                  plugins: [['@docusaurus/plugin-client-redirects',
                             {redirects: [{from: ['/guide/was'], to: '/guide/basics/nets'}]}]],
                };
                export default config;
            """,
            "sidebars.js": (
                "module.exports = {main: ['intro', {type: 'category', label: 'B',"
                " items: ['basics/nets', {type: 'doc', id: 'basics/boats'}]}]};"
            ),
            "docs/01-intro.md": page("Intro"),
            "docs/02-basics/10-boats.mdx": "---\nslug: /small-boats\n---\n\n# Boats\n\nThey float.\n",
            "docs/02-basics/nets.md": page("Nets"),
            "docs/02-basics/_part.md": page("Part"),
            "blog/2024-03-01-thaw.md": page("Thaw"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "01-intro.md": "https://pond.example/p/guide/intro",
        "02-basics/nets.md": "https://pond.example/p/guide/basics/nets",
        "02-basics/10-boats.mdx": "https://pond.example/p/guide/small-boats",
    }
    assert list(addresses(inputs, "blog").values()) == [
        "https://pond.example/p/blog/2024/03/01/thaw"
    ]
    nets = inputs.records["docs"][1]
    assert isinstance(nets, DocRecord)
    assert nets.aliases == ("https://pond.example/p/guide/was",)


POND = """
    module.exports = {
      title: 'Pond', url: 'https://pond.example', baseUrl: '/',
      presets: [['classic', {docs: {path: '%s' %s}, blog: false}]],
    };
"""
VERSIONED = {
    "versions.json": '["2.x", "1.x"]',
    "versioned_docs/version-2.x/a.md": page("A of 2"),
    "versioned_docs/version-1.x/a.md": page("A of 1"),
    "i18n/de/docusaurus-plugin-content-docs/current/a.md": page("A auf Deutsch"),
    "src/pages/team.md": page("Team"),
    "src/pages/index.js": "export default 1;",
}


def test_versions_and_translations_of_docusaurus_are_left_out_by_rules(tmp_path: Path) -> None:
    files = {"docusaurus.config.js": POND % ("docs", ""), "docs/a.md": page("A"), **VERSIONED}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {"a.md": "https://pond.example/docs/next/a"}
    assert list(addresses(inputs, "pages").values()) == ["https://pond.example/team"]
    assert inputs.accounting.reasons("left out") == {
        "another version": 2,
        "a translation": 1,
        "format not read: .js": 1,
    }


def test_versions_of_docusaurus_are_no_code_of_the_project_around_it(tmp_path: Path) -> None:
    site = {"docusaurus.config.js": POND % ("../docs", ""), **VERSIONED}
    files = {f"website/{path}": text for path, text in site.items()}
    files |= {"package.json": "{}", "docs/a.md": page("A"), "src/a.js": "export const a = 1;\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    code = [record.path for record in inputs.records["code"]]
    assert "src/a.js" in code
    assert not [path for path in code if "versioned_docs" in path or "i18n" in path]


def test_a_site_that_hides_its_next_version_is_read_in_its_last_one(tmp_path: Path) -> None:
    hidden = ", includeCurrentVersion: false"
    files = {"docusaurus.config.js": POND % ("docs", hidden), "docs/b.md": page("B"), **VERSIONED}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {"a.md": "https://pond.example/docs/a"}
    assert inputs.accounting.reasons("left out")["a version that the site does not show"] == 1


@pytest.mark.parametrize(
    ("options", "remote"),
    [
        (", editUrl: 'https://github.com/Weir/Gate/edit/main/website/'", ""),
        ("}}]], organizationName: 'weir', projectName: 'gate', x: [[{y: {", ""),
        ("", '[remote "origin"]\n\turl = https://me:secret@github.com/weir/gate.git\n'),
        ("", '[remote "up"]\n\turl = git@github.com:weir/gate\n'),
    ],
)
def test_references_to_files_of_the_own_repository_are_shown(
    tmp_path: Path, options: str, remote: str
) -> None:
    address = "https://github.com/weir/gate/blob/main/src/a.js#L1"
    files = {
        ".git/config": f"[core]\n\tbare = false\n{remote}",
        "package.json": "{}",
        "src/a.js": "open();\nshut();\n",
        "website/docusaurus.config.js": POND % ("docs", options),
        "website/docs/a.md": f"# A\n\n```js reference\n{address}\n```\n",
    }
    root = write_tree(tmp_path / "tree", files)
    for place in (root, root / "website"):
        inputs, _ = read(place)
        (record,) = inputs.records["docs"]
        assert record.text == "# A\n\n```js reference\nopen();\n```\n"
        assert not [file.path for file in inputs.files if ".git" in file.path]


@pytest.mark.parametrize("stated", ["", ", markdown: {format: 'detect'}"])
def test_markdown_of_docusaurus_is_mdx_unless_its_format_is_found_out(
    tmp_path: Path, stated: str
) -> None:
    text = (
        "import X from '@theme/x'\n\n# A\n\n"
        "<X show={(it) => (\n  <CodeBlock>{`npm i ${it}`}</CodeBlock>\n)} />\n\n"
        "<details>\n\nEnd.\n\n</details>\n"
    )
    files = {"docusaurus.config.js": POND % ("docs", f"}}}}]]{stated}, x: [[{{y: {{")}
    inputs, _ = read(write_tree(tmp_path / "tree", {**files, "docs/a.md": text}))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    shown = "# A\n\n```\nnpm i ${it}\n```\n\nEnd."
    assert (record.content == shown) is (record.format == "mdx") is not stated


def test_plugins_that_only_end_in_docs_have_no_pages(tmp_path: Path) -> None:
    plugins = (
        "}}]], plugins: [['docusaurus-plugin-openapi-docs', {id: 'api', docsPluginId: 'classic'}],"
        " ['@docusaurus/plugin-content-docs', {id: 'more', path: 'more'}]], x: [[{y: {"
    )
    files = {"docusaurus.config.js": POND % ("docs", plugins), "docs/a.md": page("A")}
    inputs, _ = read(write_tree(tmp_path / "tree", {**files, "more/b.md": page("B")}))
    assert list(inputs.records) == ["docs", "more"]


def test_pages_beside_the_folder_of_the_configuration_are_found_from_it(tmp_path: Path) -> None:
    files = {
        "repo/package.json": "{}",
        "repo/website/docusaurus.config.js": POND % ("../docs", ""),
        "repo/docs/a.md": page("A"),
    }
    root = write_tree(tmp_path / "tree", files) / "repo/website"
    inputs, _ = read(root)
    assert inputs.project.root == root.parent.resolve()
    assert addresses(inputs) == {"a.md": "https://pond.example/docs/a"}


def test_pages_that_a_program_writes_for_docusaurus_are_read_where_they_are_written(
    tmp_path: Path,
) -> None:
    files = {
        "build.sbt": "",
        "website/docusaurus.config.js": POND % ("../website/target/docs", ""),
        "docs/a.md": page("A"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {"a.md": "https://pond.example/docs/a"}


def test_links_of_docusaurus_may_start_at_the_pages_or_the_site(tmp_path: Path) -> None:
    links = "[1](nests/b.md) [2](docs/nests/b.md) [3](./docs/nests/b.md)"
    files = {
        "site/docusaurus.config.js": "module.exports = { title: 'Heron' };",
        "site/docs/eggs/a.md": f"# A\n\n{links}\n",
        "site/docs/nests/b.md": page("B"),
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    dead = [each.message.split("'")[1] for each in diagnostics if each.code == "dead-link"]
    assert dead == ["./docs/nests/b.md"]


def test_vitepress_takes_clean_urls_rewrites_and_the_sidebar(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            ".vitepress/config.mts": (
                "export default defineConfig({title: 'Vane', cleanUrls: true,\n"
                "  sitemap: {hostname: 'https://vane.example'},\n"
                "  rewrites: {'en/:rest*': ':rest*'}, srcExclude: ['**/draft.md'],\n"
                "  themeConfig: {sidebar: [{text: 'Guide', items: [\n"
                "    {text: 'Wind', link: '/en/wind'}, {text: 'Air', link: '/en/air'}]}]}})\n"
            ),
            "en/air.md": page("Air"),
            "en/wind.md": page("Wind"),
            "en/draft.md": page("Draft"),
            "index.md": page("Vane"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "en/wind.md": "https://vane.example/wind",
        "en/air.md": "https://vane.example/air",
        "index.md": "https://vane.example/",
    }


def test_vitepress_leaves_out_what_is_at_the_top_and_what_is_not_in_a_folder(
    tmp_path: Path,
) -> None:
    config = "export default {srcExclude: ['!(docs)/**/*.md', '*.md']}"
    files = {".vitepress/config.ts": config, "a.md": page("A"), "docs/b/c.md": page("C")}
    files["lib/d.md"] = page("D")
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [each.id for each in inputs.records["docs"]] == ["docs/b/c.md"]


def test_other_languages_of_vitepress_are_left_out(tmp_path: Path) -> None:
    config = "export default {locales: {root: {lang: 'en'}, zh: {lang: 'zh-CN'}}}"
    files = {".vitepress/config.ts": config, "a.md": page("A"), "zh/a.md": page("A")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [each.id for each in inputs.records["docs"]] == ["a.md"]
    assert inputs.accounting.reasons("left out")["excluded by '/zh/'"] == 1


@pytest.mark.parametrize("program", ["vitepress", "vuepress"])
@pytest.mark.parametrize(
    ("locales", "shown"),
    [(("zh-CN", "en-US", "de-DE"), "en-US"), (("zh-CN", "ja"), "zh-CN"), (("ja", "zh"), "ja")],
)
def test_where_no_language_is_at_the_root_one_is_read(
    tmp_path: Path, program: str, locales: tuple[str, ...], shown: str
) -> None:
    key = "'/{}/'" if program == "vuepress" else "'{}'"
    stated = ", ".join(f"{key.format(name)}: {{title: '{name}'}}" for name in locales)
    files = {f".{program}/config.js": f"export default {{locales: {{{stated}}}}}"}
    files |= {f"{name}/a.md": page(name) for name in locales}
    inputs, _ = read(write_tree(tmp_path / "tree", {**files, "index.md": page("Start")}))
    assert {each.id for each in inputs.records["docs"]} == {f"{shown}/a.md", "index.md"}
    assert inputs.project.title == shown


def test_starlight_takes_title_addresses_and_one_language(tmp_path: Path) -> None:
    config = (
        "import { defineConfig } from 'astro/config';\nimport starlight from '@astrojs/starlight';\n"
        "export default defineConfig({\n  site: 'https://s.example/',\n  base: '/docs',\n"
        "  integrations: [starlight({ title: 'Sluice', "
        "locales: { root: { label: 'English' }, xy: {} } })],\n});\n"
    )
    root = write_tree(
        tmp_path / "tree",
        {
            "package.json": '{"name": "sluice-docs"}',
            "docs/astro.config.mjs": config,
            "docs/src/content/docs/index.mdx": page("Start"),
            "docs/src/content/docs/Guides/open.mdx": f"{page('Open')}\n<Aside>\n\nWith care.\n\n</Aside>\n",
            "docs/src/content/docs/moved.md": f"---\nslug: other/place\n---\n\n{page('Moved')}",
            "docs/src/content/docs/xy/index.mdx": page("Foreign"),
            "docs/src/content/docs/Big Gates/v2.0.md": page("Gates"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.mdx": "https://s.example/docs/",
        "Big Gates/v2.0.md": "https://s.example/docs/big-gates/v20/",
        "Guides/open.mdx": "https://s.example/docs/guides/open/",
        "moved.md": "https://s.example/docs/other/place/",
    }
    what = "npm package sluice-docs with an Astro site 'Sluice' (docs/astro.config.mjs)"
    assert recognised(root).what == what


def test_starlight_mounts_parts_of_pages_which_are_no_pages(tmp_path: Path) -> None:
    mounting = (
        f"{page('Start')}\nimport Setup from '@parts/setup.mdx';\n"
        "import { Content as Gates } from './_sections/gates.mdx';\n\n<Setup />\n\n<Gates />\n"
    )
    part = '<TabItem label="Bash">\n\n```sh\nsluice open\n```\n\n</TabItem>\n'
    root = write_tree(
        tmp_path / "tree",
        {
            "astro.config.mjs": "export default {integrations: [starlight({ title: 'Sluice' })]}",
            "tsconfig.json": '{"compilerOptions": {"paths": {"@parts/*": ["src/parts/*"]}}} // parts',
            "src/parts/setup.mdx": part,
            "src/content/docs/index.mdx": mounting,
            "src/content/docs/_sections/gates.mdx": "## Gates\n\nThey open upwards.\n",
        },
    )
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert record.text.count("**Bash**") == 1
    assert "sluice open" in record.text
    assert "They open upwards." in record.text
    assert not diagnostics.warnings


def test_vuepress_takes_titles_order_addresses_and_leaves_other_languages_out(
    tmp_path: Path,
) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/.vuepress/config.js": (
                "module.exports = {locales: {'/': {title: 'Lock'}, '/de/': {title: 'Schleuse'}},\n"
                "  theme: defaultTheme({sidebar: {'/guide/': [{text: 'Gates', link: '/guide/gates.md'},\n"
                "    {text: 'More', children: ['/guide/', '/guide/keepers.md']}]}})}\n"
            ),
            "docs/README.md": page("Lock"),
            "docs/guide/README.md": page("Guide"),
            "docs/guide/keepers.md": "---\nkeeper: Ada\n---\n\n# Keepers\n\n"
            "{{ $frontmatter.keeper }} and {{ count + 1 }}, `{{ kept }}`,"
            " <span v-pre>{{ too }}</span>.\n\n```\n{{ code }}\n```\n",
            "docs/guide/gates.md": "How gates open.\n",
            "docs/de/README.md": page("Schleuse"),
        },
    )
    assert recognised(root).what == "VuePress site 'Lock' (docs/.vuepress/config.js)"
    inputs, diagnostics = read(root)
    assert titles(inputs.records["docs"]) == {
        "guide/gates.md": "Gates",
        "guide/README.md": "Guide",
        "guide/keepers.md": "Keepers",
        "README.md": "Lock",
    }
    keepers = inputs.records["docs"][2]
    assert isinstance(keepers, DocRecord)
    assert "Ada and `count + 1`, `{{ kept }}`, {{ too }}." in keepers.content
    assert "\n{{ code }}\n" in keepers.content
    elsewhere = [each.message for each in diagnostics if each.code == "content-elsewhere"]
    assert len(elsewhere) == 1
    assert "{{ }} (1)" in elsewhere[0]


def test_mintlify_shows_one_of_several_versions_and_languages(tmp_path: Path) -> None:
    docs = {
        "$schema": "https://mintlify.com/docs.json",
        "name": "Kite",
        "navigation": {"$ref": "./config/navigation.json"},
        "redirects": [
            {"source": "/old/wind", "destination": "/guides/wind"},
            {"source": "/blog/:slug*", "destination": "/news/:slug*"},
        ],
    }
    groups = [{"group": "Guides", "root": "start", "pages": ["guides/wind", {"pages": ["rope"]}]}]
    versions = [
        {"version": "v1", "pages": ["v1/start", "guides/1/sail", "rope"]},
        {"version": "v2", "default": True, "tabs": [{"tab": "Guides", "groups": groups}]},
    ]
    languages = [
        {"language": "en", "versions": versions},
        {"language": "fr", "pages": ["fr/start"]},
    ]
    files = {
        "docs.json": json.dumps(docs),
        "config/navigation.json": json.dumps({"languages": languages}),
        ".mintignore": "# notes\ndrafts/\n",
        "start.mdx": "---\ntitle: Begin\n---\nimport Tail from '/snippets/tail.mdx'\n\nHello.\n\n<Tail />\n",
        "guides/wind.mdx": "---\ntitle: Wind\n---\nSee [rope](/rope).\n",
        "rope.md": page("Rope"),
        "snippets/tail.mdx": "A tail steadies it.\n",
        **{
            name: page("Left out")
            for name in (
                "v1/start.mdx",
                "guides/1/sail.mdx",
                "fr/start.mdx",
                "drafts/x.md",
                "README.md",
                "_snippets/a.md",
            )
        },
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    found = inputs.records["docs"]
    assert titles(found) == {"start.mdx": "Begin", "guides/wind.mdx": "Wind", "rope.md": "Rope"}
    assert inputs.project.title == "Kite"
    start, wind, _ = found
    assert isinstance(start, DocRecord)
    assert isinstance(wind, DocRecord)
    assert "A tail steadies it." in start.text
    assert "old/wind" in wind.aliases


def test_a_navigation_that_takes_in_itself_ends(tmp_path: Path) -> None:
    looping = {
        "$ref": "docs.json",
        "pages": ["a"],
        "colors": {},
        "navigation": {"$ref": "docs.json"},
    }
    files = {"docs.json": json.dumps(looping), "a.md": page("A")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert titles(inputs.records["docs"]) == {"a.md": "A"}


def test_a_docs_json_of_another_program_is_no_site(tmp_path: Path) -> None:
    files = {"docs.json": json.dumps({"navigation": []}), "a.md": page("A"), "b.md": page("B")}
    assert "Mintlify" not in recognised(write_tree(tmp_path / "tree", files)).what


def test_the_address_of_a_preview_is_not_that_of_the_site(tmp_path: Path) -> None:
    config = (
        "const branch = process.env.JOB !== 'links' && process.env.REF;\n"
        "const preview = branch ? `https://${branch}.preview.example/` : undefined;\n"
        "export default {site: preview || 'https://s.example/'};\n"
    )
    files = {"astro.config.ts": config, "src/content/docs/a.md": page("A")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {"a.md": "https://s.example/a/"}


def test_files_that_a_program_of_vitepress_makes_pages_of_are_no_pages(tmp_path: Path) -> None:
    files = {
        ".vitepress/config.ts": "export default { title: 'Mint' }\n",
        "index.md": page("Mint"),
        "api/[version].md": "{{ $params.version }}\n\n<!-- @content -->\n",
        "[name]/index.md": "Text.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(titles(inputs.records["docs"])) == ["index.md"]
