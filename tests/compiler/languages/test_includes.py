"""Includes, shortcodes and containers of Markdown generators: the text that a reader of the site sees."""

from __future__ import annotations

import re
import time

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion, Surroundings

FILES = {
    "docs_src/app.py": "import x\n\napp = x()\n\n\n@app\ndef go():\n    return 1\n",
    "listings/main.rs": (
        "// ANCHOR: all\nfn main() {\n    // ANCHOR: here\n    go();\n    // ANCHOR_END: here\n}\n"
        "// ANCHOR_END: all\n"
    ),
    "docs/part.md": "---\ntitle: Part\n---\n\nA part with\n\n--8<-- \"docs/deep.md\"\n",
    "docs/deep.md": "a deep part.\n",
    "docs/loop.md": "--8<-- \"docs/loop.md\"\n",
    "docs/snippets/a.js": "let a\n// #region two\n  b()\n    c()\n// #endregion two\nd()\n",
    "docs/snippets/b.tsx": "<>\n  {/* #region one */}\n  <A />\n  {/* #endregion one */}\n</>\n",
    "docs/_common/cached.md": "It is cached.\n",
    "docs/shared/api/use.md": "---\nheadless: true\n---\n\nUse it.\n",
    "layouts/shortcodes/limits.html": "{{- /* Shown twice. */ -}}\nAt most 9 files.\n",
    "layouts/shortcodes/version.html": "{{ hugo.Version }}",
    "listings/words.rs": "// ANCHOR: impl App\nx();\n// ANCHOR_END: impl App\n// ANCHOR: run()\ny();\n",
    "listings/life.rs": "// ANCHOR: 1st\nfn a() {}\n// ANCHOR_END: 1st\nfn b() {}\n",
    "snippet.py": "a = 1\n# --8<-- [start:mid]\nb = 2\n# --8<-- [end:mid]\nc = 3\n",
}  # fmt: skip


def expanded(text: str, path: str = "docs/guide/page.md") -> Expansion:
    return expand(
        text,
        path,
        lambda name: FILES[name].encode() if name in FILES else None,
        Surroundings(
            templates=("layouts/shortcodes",),
            objects=lambda name, options: f"## `{name}`" if name == "pkg.known" else None,
        ),
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "{* ../../docs_src/app.py ln[1,7:8] hl[7] title[\"main.py\"] *}",
            '```python title="main.py" hl_lines="3"\nimport x\n# ...\ndef go():\n    return 1\n```',
        ),
        ('--8<-- "docs/deep.md"', "a deep part."),
        ("{{< limits >}}", "At most 9 files."),
        ("```rust\n{{#include ../../listings/life.rs:1st}}\n```", "```rust\nfn a() {}\n```"),
        ("::: pkg.known\n    options:\n      members: false\n", "\n## `pkg.known`\n\n"),
        ('--8<-- "docs/part.md"', "\nA part with\n\na deep part."),
        ('```python\n--8<-- "snippet.py"\n```', "```python\na = 1\nb = 2\nc = 3\n```"),
        ('```python\n--8<-- "snippet.py:mid"\n```', "```python\nb = 2\n```"),
        ('- item\n\n    ```python\n    --8<-- "snippet.py:5:5"\n    ```',
         "- item\n\n    ```python\n    c = 3\n    ```"),
        ("--8<--\ndocs/deep.md\n; docs/off.md\n--8<--", "a deep part."),
        ("```rust\n{{#rustdoc_include ../../listings/main.rs:here}}\n```", "```rust\n    go();\n```"),
        ("```rust\n{{#include ../../listings/main.rs}}\n```", "```rust\nfn main() {\n    go();\n}\n```"),
        ("```rust\n{{#include ../../listings/main.rs:2:2}}\n```", "```rust\nfn main() {\n```"),
        ("{{#playground ../../listings/main.rs editable}}", "```rust\nfn main() {\n    go();\n}\n```"),
        ("<<< @/snippets/a.js#two{1 js:line-numbers} [b]", "```js {1} [b]\nb()\n  c()\n```"),
        ("<<< @/snippets/b.tsx#one", "```tsx\n<A />\n```"),
        ("<<< ../../docs/deep.md#gone", "```markdown\na deep part.\n```"),
        ("<!--@include: ../deep.md-->", "a deep part."),
        ("<!--@include: ../deep.md#gone-->", "a deep part."),
        ("<!--@include: ../part.md{5,6}-->", "A part with"),
        ('{{% include "/_common/cached.md" %}}', "It is cached."),
        ("{{< code >}}\n\n```js\na()\n```\n\n{{< /code >}}", "\n\n```js\na()\n```\n\n"),
        ('{{< docs/shared source="x" lookup="api/use.md" version="1" >}}', "Use it."),
        ('{{< readfile file="/snippet.py" code="true" lang="py" >}}', "\n```py\na = 1\nb = 2\nc = 3\n```\n"),
        ('{{< highlight go "linenos=table,hl_lines=2" >}}\na := 1\n{{< /highlight >}}',
         '\n```go hl_lines="2"\na := 1\n```\n'),
        ("{{< code-toggle file=hugo >}}\na = 1\n{{< /code-toggle >}}",
         '\n```toml title="hugo"\na = 1\n```\n'),
        ('{{< cards >}}\n    {{< card link="../nest" title="Nest" icon="egg" >}}\n'
         '    {{< card href="/b" title="Bill" subtitle="Its *length*." >}}\n{{< /cards >}}',
         "\n    \n- [Nest](../nest)\n    \n- [Bill](/b): Its *length*.\n"),
        ('Or {{< button text="Feed it" url="feed.md" />}}.', "Or [Feed it](feed.md)."),
        ("{{< unknown x >}}inner *text*{{< /unknown >}}", "inner *text*"),
        ('see {{% glossary-term "template" %}}.', "see template."),
        ('import Code from "!!raw-loader!../../snippet.py";\n\n<CodeBlock language="py">{Code}</CodeBlock>',
         'import Code from "!!raw-loader!../../snippet.py";\n\n\n```py\na = 1\n# --8<-- [start:mid]\nb = 2\n'
         "# --8<-- [end:mid]\nc = 3\n```\n"),
        ("import App from '!!raw-loader!x!../../listings/life.rs';\n\n<Run x=\"y\">\n\t{App}\n</Run>",
         "import App from '!!raw-loader!x!../../listings/life.rs';\n\n\n```rust\n// ANCHOR: 1st\nfn a() {}\n"
         "// ANCHOR_END: 1st\nfn b() {}\n```\n"),
    ],
)  # fmt: skip
def test_the_text_of_the_file_is_inserted(source: str, expected: str) -> None:
    found = expanded(source)
    assert found.text == expected
    assert not found.unresolved


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('!!! note "Mind"\n    Text\n\n    ```py\n    x\n    ```\nAfter',
         "**Note: Mind**\n\nText\n\n```py\nx\n```\n\nAfter"),
        ("??? tip\n    Text", "**Tip**\n\nText"),
        ('???+ "Older herons"\n    Text', "**Older herons**\n\nText"),
        ('!!!note "Mind"\n    Text', "**Note: Mind**\n\nText"),
        ('!!! "Mind"\n    Text', '!!! "Mind"\n    Text'),
        ("???\n    Text", "???\n    Text"),
        ('=== "npm"\n\n    one\n\n=== "Yarn"\n\n    two', "**npm**\n\none\n\n**Yarn**\n\ntwo"),
        (":::tip[Do **this**]\nText\n:::", "**Tip: Do this**\n\nText"),
        ("::: details More\nText\n:::", "**More**\n\nText"),
        ("::: code-group\n```sh [npm]\nx\n```\n:::", "```sh [npm]\nx\n```"),
        (':::{.callout-note title="T"}\nText\n:::', "**Note: T**\n\nText"),
        ("/// note | Details\n    open: true\n\nText\n\n///", "**Note: Details**\n\nText"),
        ("//// tab | npm\n\none\n\n////", "**npm**\n\none"),
        ("///\n\n/// note\nNever closed", "///\n\n/// note\nNever closed"),
        ("{{< tabs >}}{{% tab name=\"npm\" %}}one{{% /tab %}}{{< /tabs >}}", "**npm**\n\none"),
        ('{{< tabs items="A, B" >}}{{< tab >}}one{{< /tab >}}{{< tab >}}two{{< /tab >}}{{< /tabs >}}',
         "**A**\n\none\n\n**B**\n\ntwo"),
        ("{{% notice warning %}}Text{{% /notice %}}", "**Warning**\n\nText"),
        ("{{% hint info %}}\nText\n{{% /hint %}}", "**Info**\n\nText"),
        ('<TabItem value="a" label="npm">\none\n</TabItem>', "**npm**\n\none"),
        ("<TabItem label=\"What's new\">\none\n</TabItem>", "**What's new**\n\none"),
        ('<Step title="Run `init`">\none\n</Step>', "**Run `init`**\n\none"),
        ('<Card title="Oars">one</Card>', "**Oars**\n\none"),
        ("<Note>one</Note>\n\ntwo", "**Note**\n\none\n\ntwo"),
        ("<Pitfall>\n\nText\n\n</Pitfall>", "**Pitfall**\n\nText"),
        ('=== "Empty"\n\nText', "**Empty**\n\nText"),
        ('!!! info "Where is "b"?"\n    Text', "**Info: Where is \"b\"?**\n\nText"),
        ('!!! warning "Not `@` in names."\n\nText', "**Warning: Not `@` in names.**\n\nText"),
        ("[[toc]]\n\nText", "Text"),
    ],
)  # fmt: skip
def test_containers_keep_label_and_text(source: str, expected: str) -> None:
    blanks_joined = re.sub(r"\n{3,}", "\n\n", expanded(source).text.strip())
    assert blanks_joined == expected


@pytest.mark.parametrize(
    "source",
    [
        "```markdown\n--8<-- \"docs/deep.md\"\n!!! note\n    x\n```",
        "````md\n:::tip\nText\n:::\n```py\n{* x.py *}\n```\n````",
        "```\n{* ../../docs_src/app.py *}\n<<< @/snippets/a.js\n```",
        "```text\n{{#include missing.rs}}\n```",
        "~~~go-html-template\n{{< highlight go >}}{{< /highlight >}}\n{{</* x */>}}\n~~~",
        "A template of markup:\n\n    {{<egg->\n      <shell>$_</shell>\n    </egg->}}\n    {{<_->$0</_->}}",
        "Write `{{< ref \"x\" >}}` or `{{#include a.rs}}`, and {{</* x */>}}.",
        "Title\n===\n\n!!! is loud\n\n::: \n\n/// x",
        "---\ntitle: '{{< x >}}'\n---\n\nText {{ expression }}",
    ],
)  # fmt: skip
def test_examples_and_text_stay_byte_for_byte(source: str) -> None:
    assert expanded(source) == Expansion(source, {})


def test_what_is_missing_is_counted_and_no_directive_is_left() -> None:
    found = expanded(
        '{* gone.py *}\n{* gone.py *}\n\n<<< @/gone.js\n\n{{< site-list 3 >}} {{< version >}}\n'
        '\n::: pkg.mod.Name\n    options:\n\n::: mkdocs-click\n    :command: cli\n'
        "\n"
        '```rust\n{{#include gone.rs}}\n```\n--8<-- "https://example.org/x"\n'
    )  # fmt: skip
    assert found.unresolved == {
        "{* *}": 2,
        "<<<": 1,
        "{{#include}}": 1,
    }
    assert found.external == {
        "{{< site-list >}}": 1,
        "{{< version >}}": 1,
        "::: (API)": 1,
        "::: mkdocs-click": 1,
        "--8<--": 1,
    }
    assert not any(mark in found.text for mark in ("{*", "<<<", "{{", ":::", "--8<--"))
    assert "`pkg.mod.Name`" in found.text


def test_a_file_that_includes_itself_ends() -> None:
    assert expanded('--8<-- "docs/loop.md"').unresolved == {"--8<--": 1}


def test_braces_with_stars_in_prose_name_no_file() -> None:
    found = expanded('{***"item", "steps"***}\n')
    assert found.text == '{***"item", "steps"***}\n'
    started = time.process_time()
    assert expanded(many := "{*a" * 20_000).text == many
    loaded = "import A from '!!raw-loader!../../listings/life.rs';\n\n"
    assert expanded(many := f"{loaded}<Run {'x={A} ' * 20_000}").text == many
    assert time.process_time() - started < 5
    assert not found.unresolved


def test_line_ends_around_included_files_are_kept() -> None:
    found = expanded('a\r\n--8<-- "docs/deep.md"\r\nb\r\n')
    assert found.text == "a\r\na deep part.\r\nb\r\n"


def test_parts_that_pages_of_fumadocs_include() -> None:
    files = {
        "docs/.part.mdx": b"---\ntitle: Part\n---\n\nA part.\n\n<section id='one'>\n\nOne.\n\n</section>\n",
        "docs/a.ts": b"let a;\n// #region b\nlet b;\n// #endregion b\n",
    }
    source = (
        "<include>.part.mdx#one</include>\n\n  <include>./a.ts#b</include>\n\n"
        "<include cwd meta='title=\"a.ts\"'>docs/a.ts</include>\n\n<include>gone.mdx</include>\n"
        "\nWrite `<include>x</include>`.\n"
    )
    found = expand(source, "docs/page.mdx", files.get)
    assert re.sub(r"\n{3,}", "\n\n", found.text) == (
        "One.\n\n  ```ts\n  let b;\n  ```\n\n**a.ts**\n\n```ts\nlet a;\n// #region b\nlet b;\n"
        "// #endregion b\n```\n\n(not included: gone.mdx)\n\nWrite `<include>x</include>`.\n"
    )
    assert found.unresolved == {"<include>": 1}


@pytest.mark.parametrize(
    ("group", "tab"),
    [("Tabs", 'Tabs.Tab title="Go"'), ("UniversalTabs", 'CodeTab label="Go" value="go"')],
)
def test_tabs_that_a_site_calls_its_own_have_labels(group: str, tab: str) -> None:
    source = f"<{group}>\n<{tab}>\n\nRun it.\n\n</{tab.split()[0]}>\n</{group}>\n"
    assert "\n\n**Go**\n\n" in expand(source, "docs/page.mdx", {}.get).text


@pytest.mark.parametrize("tab", ["Tab", "Tabs.Tab"])
def test_tabs_of_components_have_the_labels_of_their_group(tab: str) -> None:
    source = (
        f"<Tabs items={{['Linux', \"Mac\"]}}>\n<{tab}>\n\nUse apt.\n\n</{tab}>\n<{tab}>\n\nUse brew.\n\n"
        f"</{tab}>\n</Tabs>\n\n<Tabs>\n<{tab}>\n\nNo label.\n\n</{tab}>\n</Tabs>\n"
    )
    words = expand(source, "docs/page.mdx", {}.get).text.split()
    assert words[words.index("**Linux**") + 1] == "Use"
    assert words[words.index("**Mac**") + 1 :][:2] == ["Use", "brew."]
    assert len([word for word in words if word.startswith("**")]) == 2


def test_a_page_stops_to_read_what_it_includes_at_a_bound() -> None:
    files = {f"part{i}.md": f'--8<-- "part{i + 1}.md"\n' * 100 + "x" * 900_000 for i in range(4)}
    read: list[str] = []

    def reader(name: str) -> bytes | None:
        read.append(name)
        return files[name].encode() if name in files else None

    found = expand('--8<-- "part0.md"\n', "page.md", reader)
    assert found.text.count("x") == 1_800_000
    assert len([name for name in read if name in files]) == 3


@pytest.mark.parametrize(
    ("part", "code"), [("impl App", "x();"), ("run()", "y();"), ("run() editable", "y();")]
)
def test_anchors_may_have_several_words_and_flags_behind_them(part: str, code: str) -> None:
    text = f"```rust\n{{{{#include ../listings/words.rs:{part} }}}}\n```\n"
    assert expanded(text).text == f"```rust\n{code}\n```\n"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("// highlight-next-line\nfly()", "fly()"),
        ("fly()\n  {/* highlight-start */}\n  land()\n  {/* highlight-end */}", "fly()\n  land()"),
        ("fly() // [!code focus:2]\nland() // [!code ++]", "fly()\nland() // [!code ++]"),
        ("import fly\n// ---cut-before---\nfly()", "import fly\nfly()"),
        ("a = 1  # [!code highlight]\n# [!code word:b]\nb = 2", "a = 1\nb = 2"),
        ("// to highlight-next-line, say so", "// to highlight-next-line, say so"),
    ],
)
def test_comments_for_highlighters_are_no_part_of_code(code: str, shown: str) -> None:
    quoted = f"````md\n```js\n{code}\n```\n````\n"
    assert expanded(f"Like:\n\n```js\n{code}\n```\n\n{quoted}").text == (
        f"Like:\n\n```js\n{shown}\n```\n\n{quoted}"
    )


def test_a_component_that_is_given_imported_files_shows_them_below_their_keys() -> None:
    files = {
        "docs/sh.md": b"```sh\nopen gate\n```\n",
        "docs/ts.md": b"```ts\nopen(gate)\n```\n",
        "docs/all.rs": b"fn all() {}\n",
    }
    source = (
        "import sh from './sh.md';\nimport typed from './ts.md';\nimport all from '!!raw-loader!./all.rs';\n"
        "import none from '@birds/api/none.md';\n\n"
        "<Try\n  name='sh'\n  code={{\n    sh,\n    app: { files: { 'src/gate.ts': typed, rs: all } },\n"
        "  }}\n/>\n\n<Other of={typed.length} sh={none} />\n"
    )
    found = expand(source, "docs/page.mdx", files.get)
    assert re.sub(r"\n{3,}", "\n\n", found.text.partition("none.md';\n")[2]) == (
        "\n\n**sh**\n\n```sh\nopen gate\n```\n\n**src/gate.ts**\n\n```ts\nopen(gate)\n```\n\n"
        "**rs**\n\n```rust\nfn all() {}\n```\n\n<Other of={typed.length} sh={none} />\n"
    )
    assert (found.unresolved, found.external) == ({}, {"import of Markdown": 1})


def test_mounted_files_stay_in_their_item_and_out_of_code() -> None:
    files = {"docs/sh.md": b"open gate\n\nnow\n"}
    source = (
        "import Sh from './sh.md';\n\nWrite `<Sh />` or `<Try code={Sh} />`.\n\n1. One\n\n"
        "   <Try code={Sh} />\n"
    )
    text = expand(source, "docs/page.mdx", files.get).text.partition("md';\n")[2]
    assert re.sub(r"\n{3,}", "\n\n", text) == (
        "\nWrite `<Sh />` or `<Try code={Sh} />`.\n\n1. One\n\n   **Sh**\n\n   open gate\n\n   now\n\n"
    )


@pytest.mark.parametrize(
    "directive",
    [
        "@[code](./app.jsx)",
        "<<< ./app.jsx",
        "{* ./app.jsx *}",
        "[app](app.jsx ':include :type=code')",
    ],
)
def test_code_of_a_named_file_is_not_read_as_a_page(directive: str) -> None:
    code = '<Route method="GET" path="/nests" />'
    found = expand(f"A\n\n{directive}\n", "page.md", {"app.jsx": code.encode()}.get)
    assert found.text == f"A\n\n```jsx\n{code}\n```\n"


def test_a_file_that_makes_up_a_directive_which_includes_it_ends() -> None:
    part = b"a\n@include{{#title x}}(./part.md)\n"
    found = expand("@include(./part.md)\n", "page.md", {"part.md": part}.get)
    assert found.text == "a\n@include(./part.md)\n"
