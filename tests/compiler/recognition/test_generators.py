"""Each generator's own configuration: where the pages are, their order, titles, addresses, redirects."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

from kbc.chunking import TokenBudget, chunk
from kbc.project.model import Project
from kbc.project.permalinks import address
from kbc.records import DocRecord


def test_mkdocs_takes_navigation_addresses_redirects_and_foreign_tags(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "base.yml": "site_name: Base\ntheme: {name: x}\n",
            "mkdocs.yml": (
                "INHERIT: base.yml\nsite_name: Sluice\nsite_url: https://sluice.example/\n"
                "nav:\n  - Start: index.md\n  - Guide:\n      - Zebras first: guide/zebra.md\n"
                "      - guide/apple.md\n  - Elsewhere: https://example.org\n"
                "exclude_docs: |\n  drafts/\n"
                "plugins:\n  - search\n  - redirects:\n      redirect_maps:\n"
                "        old/zebra.md: guide/zebra.md\n"
                "markdown_extensions:\n  - toc:\n"
                "      slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}\n"
                "  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.twemoji\n"
                "extra: {key: !ENV [SECRET, none]}\n"
            ),
            "docs/index.md": page("Sluice"),
            "docs/guide/apple.md": page("Apple"),
            "docs/guide/zebra.md": "What a zebra is.\n",
            "docs/drafts/x.md": page("Draft"),
            "docs/requirements.txt": "x==1\n",
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.md": "https://sluice.example/",
        "guide/zebra.md": "https://sluice.example/guide/zebra/",
        "guide/apple.md": "https://sluice.example/guide/apple/",
    }
    zebra = inputs.records["docs"][1]
    assert isinstance(zebra, DocRecord)
    assert zebra.title == "Zebras first"  # it has no heading of its own
    assert zebra.aliases == ("https://sluice.example/old/zebra",)
    assert inputs.accounting.reasons("left out")["excluded by 'drafts/'"] == 1
    assert [file.path for file in inputs.files if file.path.endswith(".yml")] == [
        "base.yml",
        "mkdocs.yml",
    ]


def test_mkdocs_without_directory_urls_has_html_files(tmp_path: Path) -> None:
    config = "site_name: S\nsite_url: https://s.example/x\nuse_directory_urls: false\n"
    root = write_tree(
        tmp_path / "tree",
        {"mkdocs.yml": config, "docs/README.md": page("S"), "docs/a/b.md": page("B")},
    )
    inputs, _ = read(root)
    assert set(addresses(inputs).values()) == {
        "https://s.example/x/index.html",
        "https://s.example/x/a/b.html",
    }


def test_the_folder_of_the_pages_alone_finds_the_configuration_above(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "pyproject.toml": "",
            "docs/en/mkdocs.yml": "site_name: S\nsite_url: https://s.example/\n",
            "docs/en/docs/index.md": page("S"),
            "docs/en/docs/guide/a.md": page("A"),
        },
    )
    whole, _ = read(root / "docs/en/docs")
    assert addresses(whole) == {
        "guide/a.md": "https://s.example/guide/a/",
        "index.md": "https://s.example/",
    }
    part, _ = read(root / "docs/en/docs/guide")
    assert addresses(part) == {"a.md": "https://s.example/guide/a/"}


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


def test_sphinx_takes_the_order_of_its_contents_from_literals_of_conf_py(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "conf.py": (
                "import sphinx_theme\nproject = 'Kite' if tags.has('x') else 'No'\n"
                "version = '3' + '.1'\nhtml_baseurl = 'https://kite.example/'\n"
                "extensions = ['myst_parser']\nsource_suffix = {'.md': 'markdown'}\n"
                "exclude_patterns = ['old']\nexclude_patterns += ['notes/*.md']\n"
                "raise SystemExit('never run')\n"
            ),
            "index.md": "# Kite\n\nHello.\n\n```{toctree}\n:maxdepth: 2\n\nwind\nLines <rope>\n```\n",
            "rope.md": page("Rope"),
            "wind.md": page("Wind"),
            "aside.md": page("Aside"),
            "old/x.md": page("X"),
            "notes/y.md": page("Y"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.md": "https://kite.example/index.html",
        "wind.md": "https://kite.example/wind.html",
        "rope.md": "https://kite.example/rope.html",
        "aside.md": "https://kite.example/aside.html",
    }
    assert (inputs.project.title, inputs.project.version) == ("Kite", "3.1")


@pytest.mark.parametrize(
    "files",
    [
        {
            "_config.yml": "title: Tides\nhtml:\n  baseurl: https://tides.example/\n",
            "_toc.yml": "format: jb-book\nroot: intro\nparts:\n- chapters:\n  - file: b\n  - file: a/x.md\n",
        },
        {
            "myst.yml": (
                "version: 1\nproject:\n  title: Tides\n  toc:\n  - file: intro.md\n  - title: P\n"
                "    children:\n    - file: b.md\n    - file: a/x.md\n"
            )
        },
    ],
)
def test_books_of_jupyter_and_projects_of_myst_have_directives_and_an_order(
    tmp_path: Path, files: dict[str, str]
) -> None:
    pages = {
        "intro.md": "# Intro\n\n```{note}\nSee {doc}`b`.\n```\n",
        "a/x.md": page("X"),
        "b.md": page("B"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", {**files, **pages}))
    records = inputs.records["docs"]
    assert [each.id for each in records] == ["intro.md", "b.md", "a/x.md"]
    assert isinstance(records[0], DocRecord)
    assert "**Note**\n\nSee `b`.\n" in records[0].content
    assert inputs.project.title == "Tides"


def inventory(entries: str) -> bytes:
    head = b"# Sphinx inventory version 2\n# Project: Kite\n# Version: 4.2\n# zlib\n"
    return head.replace(b"# zlib", b"# The rest is compressed using zlib.") + zlib.compress(
        entries.encode()
    )


def test_sphinx_takes_addresses_from_the_inventory_of_its_last_build(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "conf.py": "project = 'Kite'\nhtml_baseurl = 'https://kite.example/'\nextensions = []\n",
            "index.rst": "Kite\n====\n\nHello.\n",
            "guide/wind.rst": "Wind\n====\n\nBlows.\n",
            "new.rst": "New\n===\n\nNot built yet.\n",
            "_build/html/x.html": "x",
        },
    )
    entries = "index std:doc -1  Kite\nguide/wind std:doc -1 guide/wind/ Wind\n"
    (root / "_build/html/objects.inv").write_bytes(inventory(entries))
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.rst": "https://kite.example/",
        "guide/wind.rst": "https://kite.example/guide/wind/",
        "new.rst": "https://kite.example/new.html",
    }
    assert inputs.project.version == "4.2"


def test_a_site_built_by_sphinx_has_its_name_and_version_from_its_inventory(tmp_path: Path) -> None:
    html = "<title>Start</title><main><h1>Start</h1><p>Hello there.</p></main>"
    root = write_tree(tmp_path / "tree", {"index.html": html, "wind.html": html})
    (root / "objects.inv").write_bytes(inventory("index std:doc -1 index.html Start\n"))
    inputs, _ = read(root)
    assert (inputs.project.title, inputs.project.version) == ("Kite", "4.2")
    assert inputs.accounting.counts() == {
        "read": 2,
        "included": 1,
        "left out": 0,
        "not readable": 0,
    }


def test_sphinx_says_which_endings_are_restructuredtext(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "pyproject.toml": "",
            "docs/conf.py": (
                "project = 'Kite'\nsource_suffix = '.txt'\nroot_doc = 'contents'\n"
                "html_baseurl = 'https://kite.example/'\n"
            ),
            "docs/contents.txt": "Kite\n====\n\n.. toctree::\n\n   wind\n",
            "docs/wind.txt": "Wind\n====\n\n.. literalinclude:: ../kite.py\n   :language: python\n",
            "docs/README.md": page("Not a page of Sphinx"),
            "kite.py": "height = 7\n",
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "contents.txt": "https://kite.example/contents.html",
        "wind.txt": "https://kite.example/wind.html",
    }
    wind = inputs.records["docs"][1]
    assert "```python\nheight = 7\n```" in wind.text
    assert wind.title == "Wind"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("ab.rst", "A\n=\n\n.. literalinclude:: ../kite.py\n   :language: python\n"),
        ("ab.adoc", "= A\n\n[source,python]\n----\ninclude::../kite.py[]\n----\n"),
    ],
)
def test_pages_include_files_of_the_project_around_their_folder(
    tmp_path: Path, page: str, text: str
) -> None:
    files = {
        "pyproject.toml": "",
        "docs/conf.py": "",
        f"docs/{page}": text,
        "kite.py": "height = 7\n",
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root / "docs")
    (found,) = inputs.records["docs"]
    assert "```python\nheight = 7\n```" in found.text


def test_mdbook_takes_titles_order_and_redirects(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "book.toml": (
                '[book]\ntitle = "Well"\nsrc = "text"\n'
                '[output.html]\nsite-url = "https://well.example/"\n'
                '[output.html.redirect]\n"/dig.html" = "ch01.html"\n'
            ),
            "text/SUMMARY.md": "# Summary\n\n[Title](README.md)\n\n- [How to `dig`](ch01.md)\n",
            "text/ch01.md": "## Dig\n\nWith a spade.\n",
            "text/README.md": page("Well"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "README.md": "https://well.example/index.html",
        "ch01.md": "https://well.example/ch01.html",
    }
    chapter = inputs.records["docs"][1]
    assert isinstance(chapter, DocRecord)
    assert (chapter.title, chapter.aliases) == ("How to dig", ("https://well.example/dig.html",))


def test_hugo_takes_one_language_its_permalinks_and_aliases(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.toml": (
                'baseURL = "https://moss.example/"\ntitle = "Moss"\ndefaultContentLanguage = "en"\n'
                '[languages.en]\nweight = 1\n[languages.fr]\nweight = 2\n[permalinks]\nnews = "/n/:slug/"\n'
            ),
            "content/_index.md": page("Moss"),
            "content/Wet Places/_index.md": page("Wet"),
            "content/news/first.md": "---\nslug: one\n---\n\n# One\n\nNew.\n",
            "content/care.md": "---\naliases: [/tending/]\n---\n\n# Care\n\nWater it.\n",
            "content/care.fr.md": page("Soin"),
            "content/_common/_index.md": "---\ncascade:\n  build:\n    render: never\n---\n",
            "content/_common/snippet.md": "Only others show this.\n",
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "Wet Places/_index.md": "https://moss.example/wet-places/",
        "_index.md": "https://moss.example/",
        "care.md": "https://moss.example/care/",
        "news/first.md": "https://moss.example/n/one/",
    }
    care = next(each for each in inputs.records["docs"] if each.id == "care.md")
    assert isinstance(care, DocRecord)
    assert care.aliases == ("https://moss.example/tending/",)


def test_jekyll_takes_collections_posts_and_permalinks(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "_config.yml": (
                "title: Fern\nurl: https://fern.example\nbaseurl: /f\ncollections:\n"
                "  docs:\n    permalink: /:collection/:path/\nexclude: [notes.md]\n"
            ),
            "_layouts/x.md": "layout",
            "_docs/a/b.md": "---\nredirect_from: [/was/]\n---\n\n# B\n\nText.\n",
            "_posts/2024-05-06-hello.md": page("Hello"),
            "about.md": "---\npermalink: /us/\n---\n\n# Us\n\nText.\n",
            "notes.md": page("Notes"),
            "404.html": "---\n---\nNothing here.\n",
            "shop.html": "---\ntitle: Shop\npermalink: /buy/\n---\n<p>We sell {{ site.title }}.</p>\n",
            "widget.html": "<p>No page</p>",
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "shop.html": "https://fern.example/f/buy/",
        "_docs/a/b.md": "https://fern.example/f/docs/a/b/",
        "_posts/2024-05-06-hello.md": "https://fern.example/f/2024/05/06/hello.html",
        "about.md": "https://fern.example/f/us/",
    }
    post = inputs.records["docs"][0]
    assert isinstance(post, DocRecord)
    assert post.aliases == ("https://fern.example/f/was/",)


def test_antora_takes_components_navigation_and_the_playbook(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "antora-playbook.yml": "site: {title: Reed, url: https://reed.example}\n",
            "antora.yml": "name: reed\ntitle: Reed\nversion: '2'\nnav: [modules/ROOT/nav.adoc]\n",
            "modules/ROOT/nav.adoc": "* xref:zoo.adoc[Zoo]\n* xref:cut:how.adoc#x[How]\n",
        },
    )
    project = recognised_project(root)
    (collection,) = project.collections
    options = collection.generator_options
    assert collection.include == ("/modules/*/pages/**",)
    assert options["order"] == {"modules/ROOT/pages/zoo.adoc": 0, "modules/cut/pages/how.adoc": 1}

    assert [address(collection, path, {}) for path in options["order"]] == [
        "https://reed.example/reed/2/zoo.html",
        "https://reed.example/reed/2/cut/how.html",
    ]


def recognised_project(root: Path) -> Project:
    (root / "modules/ROOT/pages").mkdir(parents=True, exist_ok=True)
    return recognised(root).project


BUDGET = TokenBudget(count=lambda text: len(text.split()), max_tokens=60)
ANCHORED = "[there](#a-b_1) [and](#a--b) [dead](#c)\n\n# A & B\n\n{0}\n\n# A & B\n\n{0}\n".format(
    "word " * 40
)


def test_anchors_follow_the_generator_in_outlines_passages_and_the_check(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": "site_name: S\n", "docs/a.md": ANCHORED})
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert [section.anchor for section in record.sections] == ["a-b", "a-b_1"]
    assert {each.anchor for each in chunk(record, BUDGET)} >= {"a-b", "a-b_1"}
    dead = [each.message for each in diagnostics if each.code == "dead-anchor"]
    assert [message.split("'")[1] for message in dead] == ["#a--b", "#c"]


def test_hugo_numbers_terms_with_headings_when_its_configuration_says_so(tmp_path: Path) -> None:
    text = "`name`\n: What it is called, see [names](#name-1), [kinds](#kind).\n\nkind\n: A.\n\n## Name\n"
    config = "baseURL = 'https://s.example/'\n[markup.goldmark.parser]\nautoDefinitionTermID = {}\n"
    files = {"hugo.toml": config.format("true"), "content/a.md": text}
    inputs, diagnostics = read(write_tree(tmp_path / "with", files))
    assert [each.code for each in diagnostics] == []
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert [section.anchor for section in record.sections] == ["name-1"]
    files["hugo.toml"] = config.format("false")
    _, diagnostics = read(write_tree(tmp_path / "without", files))
    assert [each.code for each in diagnostics] == ["dead-anchor", "dead-anchor"]


def test_parameters_of_hugo_are_those_of_the_page_its_sections_and_the_site(tmp_path: Path) -> None:
    files = {
        "hugo.toml": "baseURL = 'https://s.example/'\n[params]\nyear = 2024\n[params.tool]\nLatest = 'v9'\n",
        "content/v2/_index.md": "---\ncascade:\n  version: v2\n  year: 2020\n---\n\n# V2\n\nOld.\n",
        "content/v2/a.md": (
            '---\nauthor: Ada\n---\n\n# A\n\n`{{< param version >}}` of {{< param "year" >}} by'
            " {{% param author %}}.\n\n```sh\nget x@{{% param tool.latest %}} {{< param gone >}}\n```\n"
        ),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    record = next(each for each in inputs.records["docs"] if each.id == "v2/a.md")
    assert isinstance(record, DocRecord)
    assert "`v2` of 2020 by Ada.\n" in record.content
    assert "\nget x@v9 {{< param gone >}}\n" in record.content


def test_other_languages_of_vitepress_are_left_out(tmp_path: Path) -> None:
    config = "export default {locales: {root: {lang: 'en'}, zh: {lang: 'zh-CN'}}}"
    files = {".vitepress/config.ts": config, "a.md": page("A"), "zh/a.md": page("A")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [each.id for each in inputs.records["docs"]] == ["a.md"]
    assert inputs.accounting.reasons("left out")["excluded by '/zh/'"] == 1


LINKING = "# A\n\nSee [b](#somewhere).\n"


@pytest.mark.parametrize(
    ("files", "dead"),
    [
        ({"book.toml": "[book]\n", "src/SUMMARY.md": "- [A](a.md)\n", "src/a.md": LINKING}, 1),
        (
            {
                "book.toml": "[preprocessor.marks]\ncommand = 'x'\n",
                "src/SUMMARY.md": "- [A](a.md)\n",
                "src/a.md": LINKING,
            },
            0,
        ),
        ({"mkdocs.yml": "site_name: S\n", "docs/a.md": LINKING}, 1),
        ({"mkdocs.yml": "site_name: S\nhooks: [x.py]\n", "docs/a.md": LINKING}, 0),
        (
            {
                ".vitepress/config.ts": "export default {markdown: {anchor: {slugify}}}",
                "a.md": LINKING,
            },
            0,
        ),
        ({"conf.py": "extensions = ['myst_parser']\n", "a.md": LINKING}, 1),
        (
            {
                "conf.py": "extensions = ['myst_parser']\nintersphinx_mapping = {'x': ('https://x', None)}\n",
                "a.md": LINKING,
            },
            0,
        ),
        ({"mkdocs.yml": "site_name: S\n", "docs/a.md": "# A\n\n[n](#fn:1)\n\n[^1]: Note.\n"}, 0),
    ],
)
def test_an_anchor_that_the_site_may_make_itself_is_not_called_dead(
    tmp_path: Path, files: dict[str, str], dead: int
) -> None:
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert [each.code for each in diagnostics].count("dead-anchor") == dead


def test_a_page_with_missing_text_may_have_any_anchor(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: S\n",
        "docs/a.md": "# A\n\n[there](b.md#of-the-missing-file)\n",
        "docs/b.md": '# B\n\n--8<-- "missing.md"\n',
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert [each.code for each in diagnostics] == ["include-unresolved"]


SOURCE = """
from typing import Annotated

from annotated_doc import Doc


class Valve:
    \"\"\"Holds water back.

    ## Example

    ```python
    Valve(2).open()
    ```
    \"\"\"

    def __init__(self, width: Annotated[int, Doc("In *millimetres*.")] = 1): ...

    def open(self) -> None:
        \"\"\"Lets it run.\"\"\"

    def shut(self) -> None:
        \"\"\"Ends that.\"\"\"
"""


def test_mkdocstrings_takes_the_reference_from_the_source(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/en/mkdocs.yml": "site_name: S\nplugins:\n- mkdocstrings:\n",
            "docs/en/docs/api.md": (
                "# API\n\n[open](#sluice.Valve.open)\n\n::: sluice.Valve\n    options:\n"
                "        members:\n            - open\n\nAfter it.\n\n::: elsewhere.Thing\n"
            ),
            "sluice/__init__.py": "from .valves import Valve as Valve\n",
            "sluice/valves.py": SOURCE,
            "pyproject.toml": "[project]\nname = 'sluice'\n",
        },
    )
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert [(each.title, each.anchor) for each in record.sections] == [
        ("API", "api"),
        ("class sluice.Valve(width: int = 1)", "sluice.Valve"),
        ("Valve.open() -> None", "sluice.Valve.open"),
    ]
    assert "**Example**\n\n```python\nValve(2).open()\n```\n" in record.text
    assert "- `width` (int): In *millimetres*." in record.text
    assert "`elsewhere.Thing`" in record.text
    noted = [(each.code, each.severity.name) for each in diagnostics if "::: (API)" in each.message]
    assert noted == [("content-elsewhere", "NOTE")]
    assert "sluice/valves.py" in [file.path for file in inputs.files]


def test_sphinx_reads_markdown_where_an_extension_does(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/conf.py": "project = 'Sluice'\nextensions = ['myst_parser']\n",
            "docs/index.md": "# Sluice\n\n```{toctree}\nguide\n```\n\n[far](#valve-target)\n",
            "docs/guide.md": "# Guide\n\n(valve-target)=\n## Valve\n\n```{eval-rst}\n"
            ".. autofunction:: sluice.open\n```\n\n```{eval-rst}\n.. sluice:run::\n\n    open()\n```\n",
            "sluice.py": 'def open(width=1):\n    """Lets :term:`water`\\\\s run."""\n',
            "setup.py": "",
        },
    )
    inputs, diagnostics = read(root)
    assert [each.id for each in inputs.records["docs"]] == ["index.md", "guide.md"]
    guide = inputs.records["docs"][1]
    assert isinstance(guide, DocRecord)
    assert [(each.level, each.anchor) for each in guide.sections] == [
        (1, "guide"),
        (2, "valve"),
        (3, "sluice.open"),
    ]
    assert "Lets `water`s run." in guide.text
    assert "```\nopen()\n```" in guide.text
    assert [each.code for each in diagnostics if each.path.startswith("docs/")] == []


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
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.mdx": "https://s.example/docs/",
        "Guides/open.mdx": "https://s.example/docs/guides/open/",
        "moved.md": "https://s.example/docs/other/place/",
    }
    what = "npm package sluice-docs with a Starlight site 'Sluice' (docs/astro.config.mjs)"
    assert recognised(root).what == what
