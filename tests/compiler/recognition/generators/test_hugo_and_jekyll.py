"""Hugo and Jekyll: permalinks, aliases, languages, mounts and parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, titles, write_tree

from kbc.records import DocRecord


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


def test_pages_of_hugo_with_a_folder_have_its_name_their_slug_and_their_permalink(
    tmp_path: Path,
) -> None:
    rules = '[permalinks.page]\nnews = "/:year/:slug/"\ntips = "/t/:title/"\n'
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.toml": f'baseURL = "https://moss.example/"\n{rules}',
            "content/news/first/index.md": "---\ndate: 2024-05-01\nslug: one\n---\n\n# One\n\nNew.\n",
            "content/news/2/index.md": "---\ndate: 2024-05-02\ntitle: Moss - why?\n---\n\nNew.\n",
            "content/tips/a.md": "---\ntitle: Wet Moss\nslug: b\n---\n\nNew.\n",
            "content/care/watering/index.md": "---\nslug: water\n---\n\n# Water\n\nDaily.\n",
            "content/care/index/_index.md": page("Index"),
        },
    )
    assert addresses(read(root)[0]) == {
        "news/first/index.md": "https://moss.example/2024/one/",
        "news/2/index.md": "https://moss.example/2024/moss-why/",
        "tips/a.md": "https://moss.example/t/wet-moss/",
        "care/watering/index.md": "https://moss.example/care/water/",
        "care/index/_index.md": "https://moss.example/care/index/",
    }


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


def test_names_in_a_configuration_are_texts(tmp_path: Path) -> None:
    files = {
        "hugo.yaml": "baseURL: https://s.example/\nparams:\n  404: gone\n  ui: {yes: Glad, no: Sorry}\n",
        "content/_index.md": page("S"),
        "content/a.md": "# A\n\n{{< param ui.no >}}, {{< param 404 >}}.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert json.dumps(inputs.project.settings(), sort_keys=True)
    record = next(each for each in inputs.records["docs"] if each.id == "a.md")
    assert isinstance(record, DocRecord)
    assert "Sorry, gone." in record.content


def test_hugo_reads_the_folders_that_its_module_mounts_as_content(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.yaml": (
                "title: Reef\nbaseURL: https://reef.example/\nmodule:\n  mounts:\n"
                "  - {source: content, target: content}\n"
                "  - {source: books/coral, target: content/coral}\n"
                "  - {source: books/german, target: content/coral, lang: de}\n"
                "  - {source: books/french, target: content, sites: {matrix: {languages: [fr]}}}\n"
                "  - {source: assets, target: assets}\n"
                "  - {source: examples, target: content/examples}\n"
            ),
            "content/a.md": page("A"),
            "books/coral/b.md": page("B"),
            "books/german/b.md": page("B auf Deutsch"),
            "books/french/a.md": page("A en français"),
            "assets/c.md": page("C"),
            "examples/nets/a.yaml": "kind: Net\n",
        },
    )
    inputs, _ = read(root)
    assert [*inputs.records] == ["docs", "docs-2"]
    found = addresses(inputs) | addresses(inputs, "docs-2")
    assert found == {
        "a.md": "https://reef.example/a/",
        "books/coral/b.md": "https://reef.example/coral/b/",
    }


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"hugo.toml": "theme = 'moor'\n"}, "themes/moor"),
        (
            {
                "config/_default/config.yml": "module:\n  imports:\n    - path: example.org/moor\n",
                "go.mod": "module example.org/site\n\nreplace example.org/moor v1.0.0 => ./own/moor\n",
            },
            "own/moor",
        ),
        (
            {
                "hugo.yaml": "module:\n  replacements: example.org/moor -> own/moor\n"
                "  imports:\n    - path: example.org/moor\n      mounts: [{source: pages, target: content}]\n"
            },
            "own/moor",
        ),
        (
            {"hugo.yaml": "module:\n  imports:\n    - path: example.org/moor\n"},
            "_vendor/example.org/moor",
        ),
    ],
)
def test_pages_and_shortcodes_may_be_those_of_a_theme_or_module_in_the_tree(
    tmp_path: Path, files: dict[str, str], place: str
) -> None:
    pages = "pages" if "mounts" in "".join(files.values()) else "content"
    files |= {
        f"{place}/{pages}/a.md": "# A\n\n{{< x >}}y{{< /x >}}\n",
        f"{place}/layouts/shortcodes/x.html": "<pre><code>{{ .Inner }}</code></pre>",
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root)
    (collection,) = inputs.collections
    assert (collection.generator, collection.paths) == ("hugo", (f"{place}/{pages}",))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert "```\ny\n```" in record.content
    write_tree(root, {"content/b.md": page("B")})
    found = read(root)[0]
    ids = {each.id for records in found.records.values() for each in records}
    assert ids == {f"{place}/{pages}/a.md", "b.md"}


def test_what_the_template_of_a_shortcode_shows_as_code_is_code(tmp_path: Path) -> None:
    text = (
        "---\ntitle: Gates\n---\n\n1. Open it:\n\n    {{< text bash >}}\n    $ sluice open\n"
        "    # all of them\n    {{< /text >}}\n\n{{< quoted >}}\nOpen *upwards*.\n{{< /quoted >}}\n"
    )
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.toml": "title = 'Sluice'\n",
            "content/gates.md": text,
            "layouts/shortcodes/text.html": "{{ $text := .Inner }}<pre><code>{{ $text }}</code></pre>",
            "layouts/shortcodes/quoted.html": "<pre>{{ .Inner | markdownify }}</pre>",
        },
    )
    inputs, _ = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert record.title == "Gates"
    assert "```bash\n$ sluice open\n# all of them\n```" in record.text
    assert "\nOpen *upwards*.\n" in record.text


def test_a_shortcode_shows_the_file_that_its_template_reads(tmp_path: Path) -> None:
    text = (
        "# Gates\n\n{{< before open-gates >}}\n\n{{< card open-gates >}}\n\n{{< before gone >}}\n"
    )
    reading = (
        '{{ with .Site.GetPage "page" "parts" }}{{ .Resources.GetMatch (.Get 0) }}{{ .Content }}'
    )
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.toml": "title = 'Sluice'\n",
            "content/guide/gates.md": text,
            "content/parts/open-gates.md": "---\nheadless: true\n---\nClose the *pump* first.\n",
            "layouts/shortcodes/before.html": reading,
            "layouts/shortcodes/card.html": reading + "<a href='{{ .RelPermalink }}'>",
        },
    )
    inputs, diagnostics = read(root)
    (record,) = (
        each
        for each in inputs.records["docs"]
        if each.path.endswith("gates.md") and "guide" in each.path
    )
    assert isinstance(record, DocRecord)
    assert record.text.count("Close the *pump* first.") == 1
    (note,) = (each for each in diagnostics if each.code == "content-elsewhere")
    assert "{{< before >}} (1)" in note.message
    assert "{{< card >}} (1)" in note.message


def test_tabs_have_the_labels_that_their_group_states(tmp_path: Path) -> None:
    text = (
        '# Install\n\n{{< tabs "Linux (deb)" Windows >}}\n\n{{% codetab %}}\n\n```sh\napt install\n```\n\n'
        "{{% /codetab %}}\n\n{{% codetab %}}\n\nUse the installer.\n\n{{% /codetab %}}\n\n{{< /tabs >}}\n"
    )
    root = write_tree(tmp_path / "tree", {"hugo.toml": "title = 'S'\n", "content/a.md": text})
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    words = record.text.split()
    assert words[2:6] == ["**Linux", "(deb)**", "```sh", "apt"]
    assert words[words.index("**Windows**") + 1] == "Use"
    assert not [each for each in diagnostics if each.code == "content-elsewhere"]


def test_references_of_hugo_find_a_page_in_any_folder(tmp_path: Path) -> None:
    text = '# A\n\n[gates]({{< ref "gates.md#open" >}}), [twice]({{< relref twice.md >}})\n'
    text += (
        '\n{{< button text="Open" page="gates#open" >}} {{< button text="Far" page="x/far" >}}\n'
    )
    files = {
        "hugo.toml": "title = 'S'\n",
        "content/a/a.md": text,
        "content/b/gates.md": "# Gates\n\n## Open\n\nText.\n",
        "content/b/twice.md": "# Twice\n\nText.\n",
        "content/c/twice.md": "# Another\n\nText.\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    first = next(each for each in inputs.records["docs"] if each.path.endswith("a/a.md"))
    assert "[gates](../b/gates.md#open), [twice](twice.md)" in first.text
    assert "\n[Open](../b/gates.md#open) [Far](x/far)\n" in first.text
    (warning,) = (each for each in diagnostics if each.code == "dead-link")
    assert "twice.md" in warning.message


def test_references_of_hugo_start_at_the_content_and_find_sections(tmp_path: Path) -> None:
    names = (
        "b/gates.md",
        "/b/gates",
        "locks",
        "locks.md",
        "c/locks/",
        "c/locks/_index.md",
        "b/none.md",
    )
    text = "# A\n\n" + "\n".join(f'- [x]({{{{< ref "{name}" >}}}})' for name in names) + "\n"
    files = {
        "hugo.toml": "title = 'S'\n",
        "content/a/a.md": text,
        "content/b/gates.md": "# Gates\n\nText.\n",
        "content/c/locks/_index.md": "# Locks\n\nText.\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    found = next(each for each in inputs.records["docs"] if each.path.endswith("a/a.md"))
    links = [line[6:-1] for line in found.text.splitlines() if line.startswith("- ")]
    assert links == ["../b/gates.md"] * 2 + ["../c/locks/_index.md"] * 4 + ["b/none.md"]
    assert [each.code for each in diagnostics if each.code == "dead-link"] == ["dead-link"]


def test_a_section_may_be_that_of_a_module_that_hugo_has_copied(tmp_path: Path) -> None:
    config = (
        "[[module.imports]]\npath = 'example.org/moor'\n"
        "[[module.imports.mounts]]\nsource = 'pages'\ntarget = 'content/moor'\n"
        "[[module.imports]]\npath = 'example.org/reed'\ndisable = true\n"
    )
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.toml": f"baseURL = 'https://s.example/'\n{config}",
            "content/a.md": page("A"),
            "_vendor/example.org/moor/pages/b.md": page("B"),
            "_vendor/example.org/reed/content/c.md": page("C"),
        },
    )
    inputs, _ = read(root)
    found = {url for name in inputs.records for url in addresses(inputs, name).values()}
    assert found == {"https://s.example/a/", "https://s.example/moor/b/"}


def test_text_with_front_matter_in_a_collection_of_jekyll_is_a_page(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "_config.yml": "markdown: kramdown\ncollections: {licenses: {output: true}}\n",
            "_licenses/heron.txt": "---\ntitle: Heron License\n---\n\nYou may fly.\n",
            "index.md": page("Home"),
            "robots.txt": "Allow: /\n",
        },
    )
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {
        "_licenses/heron.txt": "Heron License",
        "index.md": "Home",
    }


def test_pages_of_jekyll_show_values_of_the_configuration_and_of_files_of_data(
    tmp_path: Path,
) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "_config.yml": "markdown: kramdown\nbird: {name: Heron, since: 2020-01-01}\n",
            "_data/versions.yml": "stable: 2.1\n",
            "index.md": "# Home\n\n{{ site.bird.name }} {{ site.data.versions.stable }}\n",
        },
    )
    inputs, diagnostics = read(root)
    assert inputs.records["docs"][0].text == "# Home\n\nHeron 2.1\n"
    assert not [each for each in diagnostics if each.code == "content-elsewhere"]


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("languages", "en: {contentDir: content/en}\nde: {}\n"),
        ("module", "mounts:\n- {source: content/en, target: content, lang: en}\n"),
    ],
)
def test_hugos_configuration_may_be_in_folders(tmp_path: Path, name: str, table: str) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "config/_default/config.toml": (
                "baseURL = 'https://s.example/'\n[module]\nimports = [{path = 'x.org/theme'}]\n"
            ),
            f"config/_default/{name}/{name}.yaml": table,
            "content/en/a.md": page("A"),
            "content/de/a.md": page("A"),
        },
    )
    assert addresses(read(root)[0]) == {"a.md": "https://s.example/a/"}


def test_a_shortcode_may_name_the_file_in_an_argument_with_a_name(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "hugo.toml": "title = 'Sluice'\n",
            "content/gates/index.md": '# Gates\n\n{{< shown format="raw"\n   path="/gates/all.md" >}}\n',
            "content/gates/all.md": "| All | gates |\n| - | - |\n| 1 | 2 |\n",
            "layouts/shortcodes/shown.html": '{{ $text := os.ReadFile (.Get "path") }}{{ $text }}\n',
        },
    )
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert record.path == "content/gates/index.md"
    assert "| 1 | 2 |" in record.text
    assert [each.code for each in diagnostics if each.code == "content-elsewhere"] == []


def test_shortcodes_of_a_theme_read_files_whose_folders_they_compose(tmp_path: Path) -> None:
    shortcode = (
        '{{- $version := index (split .Page.File.Path "/") 0 -}}\n'
        '{{- $path := printf "content/%s/manifests/%s" $version (.Get "path") -}}\n'
        '{{- highlight (readFile $path) "yaml" "" -}}\n'
    )
    files = {
        "hugo.yaml": "title: Pool\ntheme: reed\n",
        "themes/reed/layouts/shortcodes/manifest.html": shortcode,
        "themes/reed/layouts/shortcodes/yes.html": "Yes\n",
        "content/main/deep/a.md": '# A\n\n{{< manifest path="b/c.yaml" >}}\n\n{{< yes >}}\n',
        "content/main/manifests/b/c.yaml": "kind: Pool\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert "```yaml\nkind: Pool\n```" in record.text
    assert "\nYes\n" in record.text
    assert not [each for each in diagnostics if each.code == "content-elsewhere"]


def test_jekyll_publishes_no_page_whose_name_begins_with_an_underscore(tmp_path: Path) -> None:
    config = "theme: minima\ninclude: [_more.md]\n"
    files = {"_config.yml": config, "_todo.md": page("To do"), "_more.md": page("More")}
    files |= {"_posts/2026-01-01-kites.md": page("Kites"), "index.md": page("Home")}
    inputs, _ = read(write_tree(tmp_path / "site", files))
    names = {each.path.rpartition("/")[2] for each in inputs.records["docs"]}
    assert names == {"_more.md", "2026-01-01-kites.md", "index.md"}
