"""Blocks of GitBook, Markdoc and Diplodoc, components in Markdown, directives of Hugging Face's pages."""

import re
from collections.abc import Mapping

import pytest

from kbc.languages.anchors import split_attributes
from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion, Surroundings
from kbc.languages.mdx.cleaning import clean


def expanded(source: str, path: str = "docs/a.md", files: Mapping[str, bytes] = {}) -> Expansion:
    return expand(source, path, files.get)


def text_of(source: str, path: str = "docs/a.md", files: Mapping[str, bytes] = {}) -> str:
    return re.sub(r"\n{3,}", "\n\n", expanded(source, path, files).text.strip())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{% hint style="warning" %}\nMind the gap.\n{% endhint %}', "**Warning**\n\nMind the gap."),
        ('{% tabs %}\n{% tab title="YAML" %}\n```yaml\na: {% b %}\n```\n{% endtab %}\n{% endtabs %}',
         "**YAML**\n\n```yaml\na: {% b %}\n```"),
        ('{% content-ref url="b.md" %}\n[b.md](b.md)\n{% endcontent-ref %}', "[b.md](b.md)"),
        ('{% code title="main.c" %}\n```c\nx\n```\n{% endcode %}', "**main.c**\n\n```c\nx\n```"),
        ('{% embed url="https://example.org/v" %}', "<https://example.org/v>"),
        ('{% callout type="note" %}\nText\n{% /callout %}', "**Note**\n\nText"),
        ('{% hint kind="warn" %}\nText\n{% /hint %}', "**Warning**\n\nText"),
        ('{% well heading="More" href="/x" %}\nText\n{% /well %}\n{% icon name="a" /%} here, {% for a %}',
         "**More**\n\nText\n\n here, {% for a %}"),
        ('{% update date="2026-05-02" title="Nets" %}\n## New\n{% endupdate %}', "**Nets**\n\n## New"),
        ('{% if visitor.claims.plan == "pro" %}\nPro\n{% else %}\nFree\n{% endif %}', "Pro\n\nFree"),
        ("Write `## A {% #a %}`.\n\n## B {% #b %}", "Write `## A {% #a %}`.\n\n## B {#b}"),
        ("## Rules {% #all-rules %}\n\nText", "## Rules {#all-rules}\n\nText"),
        ('- one\n\n  {% hint style="info" %}\n  Text\n  {% endhint %}', "- one\n\n  **Info**\n\n  Text"),
        ("Write `{% hint %}` here.\n\n{% hint %}\nText\n{% endhint %}",
         "Write `{% hint %}` here.\n\n**Note**\n\nText"),
    ],
)  # fmt: skip
def test_blocks_of_gitbook_and_markdoc_keep_label_and_text(source: str, expected: str) -> None:
    assert text_of(source) == expected


def test_blocks_of_gitbook_include_files_and_count_what_is_elsewhere() -> None:
    page = '{% include "../part.md" %}\n\n{% openapi src="x.json" path="/y" method="get" %}\n{% endopenapi %}'
    found = expanded(
        page, files={"part.md": b'{% hint style="tip" %}\nIt is shared.\n{% endhint %}\n'}
    )
    assert re.sub(r"\n{3,}", "\n\n", found.text.strip()) == "**Tip**\n\nIt is shared.\n\n**GET /y**"
    assert found.external == {"{% openapi %}": 1}
    assert expanded('{% include "no.md" %}\n{% hint %}\n{% endhint %}').unresolved


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{% note info "Tide" %}\n\nIt rises.\n\n{% endnote %}', "**Info: Tide**\n\nIt rises."),
        ('{% note title="Tide" %}\nIt rises.\n{% /note %}', "**Tide**\n\nIt rises."),  # of Markdoc
        ("{% note warning %}\n\nIt falls.\n\n{% endnote %}", "**Warning**\n\nIt falls."),
        ('{% cut "More on knots" %}\n\nText\n\n{% endcut %}', "**More on knots**\n\nText"),
        ("{% list tabs group=os %}\n\n- Bow\n\n  Text\n\n{% endlist %}", "- Bow\n\n  Text"),
        (
            "{% include [a knot](../_parts/knot.md) %}",
            "A bowline.\n\n## Ends {#ends}\n\nTwo.\n\n## Use\n\nTies.",
        ),
        ("{% include notitle [ends](../_parts/knot.md#ends) %}", "## Ends {#ends}\n\nTwo."),
        ("{% include [code](../_parts/code.md#tie) %}", "## Tie {#tie}\n\n```sh\n# both\ntie\n```"),
        ("- Tie:\n  {% include [use](../_parts/use.md) %}", "- Tie:\n\n  Pull.\n\n  Pull again."),
        ("{% include [none](none.md) %}", "(not included: none.md)"),
    ],
)
def test_blocks_and_includes_of_diplodoc_keep_label_and_text(source: str, expected: str) -> None:
    files = {
        "_parts/knot.md": b"A bowline.\n\n## Ends {#ends}\n\nTwo.\n\n## Use\n\nTies.\n",
        "_parts/use.md": b"Pull.\n\nPull again.\n",
        "_parts/code.md": b"## Tie {#tie}\n\n```sh\n# both\ntie\n```\n\n## Cut\n\nNo.\n",
    }
    assert text_of(source, files=files) == expected


def test_templates_of_others_are_left_as_they_are() -> None:
    page = 'Salt:\n\n{% tab title %} {% include "x" %} {% for a in b %}\n'
    assert expanded(page) == Expansion(page, {})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<script setup>\nimport A from "./a.vue"\n\nb\n</script>\n\n# T\n\n<A b="c > d" />\n\nText',
         "# T\n\nText"),
        ("Text\n\n<style scoped>\n.a {\n\n  b: c;\n}\n</style>\n\nMore", "Text\n\nMore"),
        ("```vue\n<script>\nx\n</script>\n<B />\n```\n\n<B />\n\n`<B />`",
         "```vue\n<script>\nx\n</script>\n<B />\n```\n\n`<B />`"),
        ('See <Link href="x">the course</Link>.', "See the course."),
        ("import T from '@theme/T';\n\n<T toc={toc} />\n\nText", "Text"),
        ("<Names :a=\"[['x', 'y']]\" :style=\"{ b: 'c' }\" :c=\"[d]\" />\n\nText",
         "```js\n[['x', 'y']]\n```\n\nText"),
        ("<Names\n  v-bind:a='{\n    x: \"y\",\n  }'\n/>", '```js\n{\n  x: "y",\n}\n```'),
        ("See <Names :a=\"['x']\" /> here.", "See  here."),
        ("Promise<Item> and <YOUR_NAME> are text.", "Promise<Item> and <YOUR_NAME> are text."),
        ("import x from 'y' is a line of text.\n\n<Z />", "import x from 'y' is a line of text."),
    ],
)  # fmt: skip
def test_components_of_a_site_leave_only_their_text(source: str, expected: str) -> None:
    assert text_of(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<Endpoint path="/nests/<nest>" method="post">\n\nBuilds.\n\n</Endpoint>', "`POST /nests/<nest>`"),
        ('<APIMethod\n  method="GET"\n  path={"/nests"}\n>\n</APIMethod>', "`GET /nests`"),
        ('<Payment method="card" path="/pay" />', ""),
        ("`<Endpoint path='/nests' method='get'>`", ""),
        ('<Files>\n  <Folder name="src" defaultOpen>\n    <File name="nest.py" />\n  </Folder>\n</Files>',
         "  - src/\n    - nest.py"),
        ('<FileTree>\n  <FileTree.Folder name="src/">\n  </FileTree.Folder>\n</FileTree>', "  - src/"),
    ],
)  # fmt: skip
def test_components_say_what_they_request_and_which_files_there_are(
    source: str, expected: str
) -> None:
    text = clean(expanded(source, "docs/a.mdx").text)
    assert text.count("- ") == expected.count("- ")
    assert expected.strip() in text
    assert ("`POST" in text, "`GET" in text) == ("POST" in expected, "GET" in expected)


def test_mdx_keeps_its_tags_for_its_own_reader() -> None:
    page = "import T from './t';\n\n<T>\n\nText\n\n</T>\n"
    assert expanded(page, "docs/a.mdx").text == page


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("추론[[inference]]", ("추론", "inference")),
        ("Client [[pkg.Client]]", ("Client", "pkg.Client")),
        ("[[page]]", ("[[page]]", "")),
        ("See [[A Page]]", ("See [[A Page]]", "")),
        ("Set up [#set-up]", ("Set up", "set-up")),
        ("Set up [toc] [#set-up]", ("Set up", "set-up")),
        ("Set up [#set-up] [!toc]", ("Set up", "set-up")),
        ("Set up [!toc]", ("Set up", "")),
        ("Mend a crash [#12]", ("Mend a crash [#12]", "")),
        ("[#set-up]", ("[#set-up]", "")),
        ("Files { data-search-exclude }", ("Files", "")),
        ("Colour {docsify-ignore-all}", ("Colour", "")),
        ("Colour ⚠️ :id=colour", ("Colour ⚠️", "colour")),
        ("Set {data}", ("Set {data}", "")),
        ("1.2 ## {: #v1.2 }", ("1.2", "v1.2")),
        ("C# {: #c }", ("C#", "c")),
    ],
)
def test_anchors_in_brackets(title: str, expected: tuple[str, str]) -> None:
    assert split_attributes(title) == expected


def test_references_that_pages_ask_for_are_inserted_or_counted() -> None:
    page = "[[autodoc]] pkg.Thing\n    - all\n    - run\n\nText"
    found = expand(
        page, "a.md", {}.get, Surroundings(objects=lambda name, options: f"Reference of {name}")
    )
    assert found.text.split() == ["Reference", "of", "pkg.Thing", "Text"]
    assert expanded(page).external == {"::: (API)": 1}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            r'<Fragment set:html={"<pre class=\"x\"><code>a &lt; <span>b</span><br />c</code></pre>"} />',
            "```\na < b\nc\n```",
        ),
        ('<p set:html={"<b>Bold</b> text"} />', "<b>Bold</b> text"),
        ("<p dangerouslySetInnerHTML={{ __html: `It <i>is</i>` }}></p>", "It <i>is</i>"),
        ("<p set:html={text} />", "<p set:html={text} />"),
        (
            '```astro\n<p set:html={"<b>a</b>"} />\n```',
            '```astro\n<p set:html={"<b>a</b>"} />\n```',
        ),
    ],
)
def test_html_that_an_attribute_states_is_shown(source: str, expected: str) -> None:
    assert (
        expand(f"Text\n\n{source}\n", "a.mdx", {}.get).text.strip().split("\n\n", 1)[1].strip()
        == expected
    )


def test_containers_of_docstrings_have_labels() -> None:
    docstring = (
        '## `pkg`\n\n!!! warning "Slow"\n    Wait.\n\n    ```python\n    !!! x\n    ```\n\n'
        '=== "Nests"\n    Fly.\n'
    )
    around = Surroundings(objects=lambda name, options: docstring)
    found = expand("# API\n\n::: pkg.nests\n", "a.md", {}.get, around)
    assert re.sub(r"\n{3,}", "\n\n", found.text).strip() == (
        "# API\n\n## `pkg`\n\n**Warning: Slow**\n\nWait.\n\n```python\n!!! x\n```\n\n**Nests**\n\nFly."
    )


def test_references_may_be_headings() -> None:
    page = "# API\n\n## ::: pkg\n    options:\n        members: false\n\n### ::: pkg.gone\n"
    stated = []

    def reference(name: str, options: str) -> str | None:
        stated.append((name, options))
        return "## `pkg`\n\nText" if name == "pkg" else None

    found = expand(page, "a.md", {}.get, Surroundings(objects=reference))
    assert stated[0] == ("pkg", "    heading_level: 2\n    options:\n        members: false")
    assert stated[1] == ("pkg.gone", "heading_level: 3\n")
    assert "## `pkg`\n\nText" in found.text
    assert "### `pkg.gone`\n\n(not included: its reference)" in found.text


@pytest.mark.parametrize(
    ("opening", "expected"),
    [
        ('<Callout type="warn">', "**Warning**"),
        ('<Aside type="caution" title="Wet">', "**Caution: Wet**"),
        ("<Callout>", "**Callout**"),
        ('<Tab value="react" title="a.ts">', "**react: a.ts**"),
        ('<TabItem value="js" label="JavaScript">', "**JavaScript**"),
        ('<Fragment slot="pnpm">', "**pnpm**"),
    ],
)
def test_labels_of_components_say_what_they_are(opening: str, expected: str) -> None:
    name = opening[1:].partition(" ")[0].rstrip(">")
    assert expected in expanded(f"{opening}\nText.\n</{name}>\n", "docs/a.mdx").text.split("\n")


def test_a_mounted_file_has_what_it_is_given_and_no_imports() -> None:
    part = b"import Npm from './npm.astro';\n\n<Npm>\nadd {props.lib} {props.other}\n</Npm>\n"
    page = "import Install from './install.mdx';\n\n#### Step\n<Install lib='pg' />\n"
    text = expanded(page, "docs/a.mdx", {"docs/install.mdx": part}).text
    assert "#### Step\n<Npm>\nadd pg {props.other}\n</Npm>" in text


def test_imports_in_code_are_no_imports() -> None:
    page = "```astro\nimport { Content as Gone } from '../gone.md';\n---\n<Gone />\n```\n"
    found = expanded(page, "docs/a.mdx")
    assert (found.text, found.unresolved) == (page, {})


def test_at_include_inserts_pages_as_text_and_other_files_as_code() -> None:
    files = {"docs/.made/errors.md": b"## a_key\n\nText.\n", "docs/x.cpp": b"int x;\n"}
    page = "@include .made/errors.md\n\n@include x.cpp\n\n@include gone.md\n\nWe @include you.\n"
    found = expanded(page, files=files)
    assert found.text == (
        "## a_key\n\nText.\n\n```cpp\nint x;\n```\n\n(not included: gone.md)\n\nWe @include you.\n"
    )
    assert found.unresolved == {"@include": 1}


def test_mdx_in_a_fence_of_docusaurus_is_a_part_of_the_page() -> None:
    fence = "```mdx-code-block\nimport Tabs from '@theme/Tabs';\nimport Part from './_part.md';\n\n{}\n```\n"
    page = fence.format("<Tabs>\n<Part />\n</Tabs>") + "\n```js\nx\n```\n"
    shown = "````md\n" + fence.format("<Part />") + "````\n"
    text = text_of(f"Look:\n\n{page}\n{shown}", files={"docs/_part.md": b"What the part says.\n"})
    assert text == f"Look:\n\nWhat the part says.\n\n```js\nx\n```\n\n{shown}".strip()


INSTALL = """import Deep from './deep.mdx'
import CodeBlock from '@theme/CodeBlock'

Get {props.name}, {props.tag || "latest"}:

<CodeBlock>{`pull ${props.image}`}</CodeBlock>

<Deep from={props.name} of={props.other ?? props.image} />

```sh
echo {props.name}
```

{props.list} {props.gone}
"""


def test_a_mounted_file_has_texts_numbers_and_files_that_it_is_given() -> None:
    files = {
        "docs/install.mdx": INSTALL.encode(),
        "docs/deep.mdx": b"Of {props.of} from {props.from}.\n",
        "docs/tags.md": b"| 1 |\n",
    }
    page = (
        "import Install from './install.mdx'\nimport Tags from './tags.md'\n\n"
        '<Install\n  name="Kite > Wind"\n  image={`kite:${1}`}\n  tag={2}\n  list={<Tags />}\n'
        "  image={'kite'}\n/>\n\n<Install.Other />\n"
    )
    text = expand(page, "docs/a.mdx", files.get).text
    assert text.partition("\n\n")[2] == (
        "Get Kite > Wind, 2:\n\n<CodeBlock>{`pull kite`}</CodeBlock>\n\nOf kite from Kite > Wind.\n\n"
        "```sh\necho {props.name}\n```\n\n| 1 | {props.gone}\n\n<Install.Other />\n"
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize("tag", ["<Part a={", '<Part a="', "<Part />", "<Part a={<Part a={"])
def test_tags_of_mounted_files_are_read_in_bounded_time(tag: str) -> None:
    files = {"docs/part.mdx": b"x" * 10_000}
    page = f"import Part from './part.mdx'\n\n{tag * 20_000}\n"
    assert len(expand(page, "docs/a.mdx", files.get).text) < 4_000_000


@pytest.mark.parametrize(
    ("opening", "shown"),
    [
        ("::: {.callout-note}", "**Note**"),
        ('::: {#tip-nest .callout-tip title="Nests first"}', "**Tip: Nests first**"),
        ("::: callout-warning", "**Warning**"),
        ("::: {.rmdcaution}", "**Caution**"),
        ('::: {#thm-wing name="Wings"}', "**Theorem: Wings**"),
        ("::: {#exr-nest}", "**Exercise**"),
        ('::: {.panel-x header="A tip"}', "**A tip**"),
        ('::: {.content-visible when-format="html"}', ""),
        ("::: {.column-body-outset-right .border}", ""),
        ("::: {layout-ncol=2}", ""),
        ('::: {#hero style="margin: 0"}', ""),
        ("::: panel-tabset", ""),
        ("::: {}", ""),
    ],
)
def test_divs_of_pandoc_are_labelled_by_what_their_text_is(opening: str, shown: str) -> None:
    source = f"{opening}\nHerons fly.\n:::\n"
    found = expand(source, "a.qmd", {}.get, Surroundings(attributes="pandoc")).text
    assert re.sub(r"\n{2,}", "\n\n", found.strip()) == f"{shown}\n\nHerons fly.".strip()


@pytest.mark.parametrize(
    ("attributes", "is_shown"),
    [
        ('.content-visible when-format="html"', True),
        ('.content-visible when-format="pdf"', False),
        ('.content-visible unless-format="html"', False),
        ('.content-hidden when-format="html:js"', False),
        ('.content-hidden when-format="latex"', True),
        ('.content-hidden unless-format="html"', True),
        ('.content-visible when-profile="advanced"', True),
    ],
)
def test_divs_of_quarto_for_other_formats_are_left_out(attributes: str, is_shown: bool) -> None:
    inside = "Own.\n\n::: {.callout-note}\nNoted.\n:::\n\n```\n:::\n```\n"
    source = f"::: {{{attributes}}}\n{inside}:::\n\nAfter.\n"
    text = expand(source, "a.qmd", {}.get, Surroundings(attributes="pandoc")).text
    assert ("Own." in text, "Noted." in text, "After." in text) == (is_shown, is_shown, True)
