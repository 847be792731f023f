"""MDX cleaning: statements and tags go, text and code stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.languages.markdown import parse
from kbc.languages.mdx import syntax
from kbc.languages.mdx.cleaning import clean
from kbc.languages.mdx.exports import exported_texts, with_exported_texts
from kbc.languages.mdx.rendered import with_rendered_texts
from kbc.languages.mdx.syntax import mask, mdx_comments


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import A from './a'\nimport {\n  B,\n  C\n} from \"b\";\n\nText", "Text"),
        ("import './style.css'\n\nText", "Text"),
        ("export const meta = {\n  a: [1,\n\n  2],\n}\n\nText", "Text"),
        ("export default Layout\nexport { x }\n\nText", "Text"),
        ('<Note type="a > b">inner *text*</Note>', "inner *text*"),
        ("<Cards.Card\n  icon={<Icon/>}\n  {...props}\n  arrow\n/>\n\nText", "Text"),
        ("a <br/> b<>c</> <hr>", "a  bc"),
        ("x {/* a comment */}y <!-- another\n# one -->z", "x y z"),
        ("<!--\n\nimport a from 'b'\n-->text", "text"),
        ("<Tag {/* why */} on/>text", "text"),
        ("one\n\n\n\n\ntwo", "one\n\ntwo"),
        ("<Steps>\n\n### Step\n\n</Steps>", "### Step"),
        (
            'Add it:\n\n<Commands\n  npm="npm i gate"\n  yarn="yarn add gate" />\n\nThen',
            "Add it:\n\n```sh\nnpm i gate\nyarn add gate\n```\n\nThen",
        ),
        ('x <Code code="a = 1" lang="py" /> y', "x \n```py\na = 1\n```\n y"),
        ("<Code code={`a = 1\nb`} />", "```\na = 1\nb\n```"),
        ('Press <Icon code="arrow" npm="gate" />.', "Press ."),
    ],
)
def test_syntax_is_removed(source: str, expected: str) -> None:
    assert clean(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "```js\nimport a from 'b'\n\n\n\nexport default <Tag/>\n```",
        "- item\n\n  ```jsx\n  <Tag>\n  ```",
        "Use `<Tag>` and ``a ` <b/>`` here.",
        "import your keys first, then export them",
        "a < b and c > d, 1 <2",
        "A List<String> is not a tag.",
        "An \\<Escaped> tag, <https://example.org>.",
        "{/* never ends",
        "Text with {expression} stays.",
    ],
)
def test_text_and_code_stay(source: str) -> None:
    assert clean(source) == source


def test_an_import_inside_a_paragraph_is_text() -> None:
    source = "One way is\nimport a from 'b'\nwhich loads it."
    assert clean(source) == source


def test_an_unclosed_tag_does_not_hide_what_follows() -> None:
    assert "# After" in clean("<Broken attr={ \n\n# After\n")


MDX_TEXT = st.lists(
    st.sampled_from(
        ["<A>", "</A>", "<B/>", "`", "```\n", "\n", "\n\n", "{", "}", "/*", "*/", "<!--", "-->"]
    )
    | st.sampled_from(
        ["import a from 'b'\n", "export const a = {\n", "text ", '="', "'", "<", ">", "\r"]
    )
    | st.text(max_size=5),
    max_size=30,
).map("".join)


@given(MDX_TEXT)
def test_masking_keeps_every_line_and_offset(text: str) -> None:
    masked = mask(text)
    assert len(masked) == len(text)
    assert all(
        new == old or (new == " " and old != "\n") for new, old in zip(masked, text, strict=True)
    )


@given(MDX_TEXT)
def test_cleaning_only_removes(text: str) -> None:
    remaining = iter(text)
    assert all(char in remaining for char in clean(text))


@given(st.text(alphabet=st.characters(exclude_characters="`~"), max_size=40))
def test_fenced_code_is_never_touched(code: str) -> None:
    fence = f"~~~\n{code}\n~~~"
    assert fence.strip() in clean(f"<A>\n\n{fence}\n\n</A>")


FENCES = ["```", "~~~", "````", "```py", "``` a`b", "~~~ `x", "```  ", "a ``` b", "\f```"]
OTHERS = ["a", "", "    a", "* ", "- a", "> b", "1. x", "===", "# a", "[a]: <b> '", "<!-- x", "<p>"]
LINES = st.lists(st.sampled_from([*FENCES, *OTHERS]), max_size=9)


@given(LINES, st.sampled_from(["", "\n"]))
def test_fences_at_the_margin_are_those_of_the_parser(lines: list[str], end: str) -> None:
    source = "\n".join(lines) + end
    found = syntax.code_spans(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syntax, "_plain_fences", lambda _: None)
        assert found == syntax.code_spans(source)


def test_the_parser_is_not_asked_for_fences_at_the_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "_BLOCKS", None)
    spans = syntax.code_spans("a\n```js\n~~~\n```\n\n~~~\nb\n~~~\n`c`\n")
    assert spans == [(2, 16), (17, 27), (27, 30)]


def test_indented_code_in_a_component_is_code() -> None:
    code = "    ```jsx\n    const a = <b>{\nc}</b>\n    ```\n"
    text = f"<Tabs>\n  <Item>\n{code}  </Item>\n</Tabs>\n\n## After\n"
    assert "const a = <b>{\nc}</b>" in mask(text)
    assert [heading.title for heading in parse(text, mdx=True).headings] == ["After"]


def test_a_fence_in_a_template_literal_of_an_export_opens_no_block() -> None:
    export = (
        "export async function Page() {\n  const source = `\\`\\`\\`sh\nnpm i\n\\`\\`\\``\n"
        "  const page = await compile(`${source}\n~~~md\n${source}\n~~~`)\n  return <B page={page} />\n}\n"
    )
    text = f"# A\n\n<Page />\n\n{export}\n## Next\n\n```js\nconst x = `\n\n```\n\nText.\n"
    assert clean(text) == "# A\n\n## Next\n\n```js\nconst x = `\n\n```\n\nText."
    assert [heading.title for heading in parse(text, mdx=True).headings] == ["A", "Next"]


def test_an_export_that_is_shown_in_a_block_hides_no_fence() -> None:
    text = "```js\n\nexport default `\n\n```\n\nText.\n\n```js\nx\n}\n```"
    assert clean(text) == text


def test_a_fence_in_a_comment_opens_no_block() -> None:
    comments = "{/* ```sql\nSELECT 1\n``` */}\n\n## B\n\n{/*\n\n```\nx\n```\n\n*/}"
    text = f"# A\n\n{comments}\n\n```css\n/* c */\n```\n"
    assert clean(text) == "# A\n\n## B\n\n```css\n/* c */\n```"
    assert [heading.title for heading in parse(text, mdx=True).headings] == ["A", "B"]
    assert not parse(text, mdx=True).problems


def test_code_ends_before_a_carriage_return_as_well() -> None:
    text = "# A\n\n```sh\nls\n```\n\n{/* See\n\n## B\n*/}\n\nOne{' '}\n<b>two</b>.\n"
    windows = text.replace("\n", "\r\n")
    assert [windows[span.start : span.end] for span in mdx_comments(windows)] == [
        "{/* See\r\n\r\n## B\r\n*/}"
    ]
    assert with_rendered_texts(windows) == with_rendered_texts(text).replace("\n", "\r\n")


def test_a_comment_that_is_code_hides_nothing() -> None:
    text = "Begin with `{/*`:\n\n```\n{/*\n```\n\nText.\n\n```\n*/}\n```"
    assert clean(text) == text


def test_data_that_a_component_shows_stays_as_code() -> None:
    data = '[\n  { name: "id", description: "Unique id" },\n]'
    for text in (
        f"export const fields: Field[] = {data};\n\n# A\n\n<Table fields={{fields}} />\n",
        f"# A\n\n<Table fields={{{data}}} />\n",
    ):
        assert clean(text) == f"# A\n\n```js\n{data}\n```"
    assert clean("# A\n\n<B style={{\n  color: 'red',\n}} />\n\nText.") == "# A\n\nText."
    tabs = "<Tabs values={[\n  {label: 'A'},\n]}>\n\nText.\n\n</Tabs>"
    assert clean(tabs) == "Text."


def test_commands_and_texts_that_a_component_is_given_in_braces_stay_as_code() -> None:
    commands = """<Managers command={{ npm: 'npm i kite', "pnpm": "pnpm add kite" }} />"""
    assert clean(commands) == "```sh\nnpm i kite\npnpm add kite\n```"
    prompt = (
        '<Prompt\n  title="Begin"\n  description="Ask for it."\n'
        "  prompt={`Run \\`kite\\`:\n\n1. Hold on.`}\n/>"
    )
    shown = "- **Begin**: Ask for it.\n\n```\nRun `kite`:\n\n1. Hold on.\n```"
    assert clean(prompt) == shown


def test_code_in_the_address_of_a_playground_is_shown() -> None:
    address = (
        "https://run.example/mini?theme=dark&query=CREATE+kite%3B%0D%0ASELECT+%2A%3B%0A&x=1%0D"
    )
    shown = "```\nCREATE kite;\nSELECT *;\n```"
    assert clean(f'<Playground url="{address}" />') == shown
    assert clean('<Frame src="https://run.example/?q=a%20b" />\n\nText.') == "Text."


def test_cards_without_text_are_items_of_a_list() -> None:
    text = (
        '<Cards>\n<LinkCard title="Editor" description="Set it up." href="/editor/" />\n'
        '<Card title="Install" href="/install" />\n<Card title="Why" description="It is fast." />\n</Cards>'
    )
    assert [line for line in clean(text).split("\n") if line] == [
        "- [Editor](/editor/): Set it up.",
        "- [Install](/install)",
        "- **Why**: It is fast.",
    ]
    assert clean('Text <img title="T" src="x" /> <Icon title="T" /> here.') == "Text   here."


def test_blank_lines_around_code_become_one() -> None:
    code = "```js\na\n\n\n\nb\n```\n"
    cleaned = clean(f"One\n\n\n\n{code}\n\n\nTwo `x`\n\n\n{code}\n \n\n\n{code}Three\n")
    assert cleaned == f"One\n\n{code}\nTwo `x`\n\n{code}\n{code}Three"


EXPORTING = """import { Tabs } from "ui"

export const metadata = {
  title: `${number} Rails and "posts"`,
  description: 'It\\'s about rails.',
  authors: [{ name: "Ann" }],
}

export const version = "2.1"

# {metadata.title}

Version {version} by { metadata.name }, not `{version}`, \\${version} or {props.version}.

<Note title={metadata.title} />

```js
const a = {version}
```
"""


def test_texts_that_a_page_exports_are_filled_into_its_prose() -> None:
    assert exported_texts(EXPORTING) == {
        "metadata.title": 'Rails and "posts"',
        "metadata.description": "It's about rails.",
        "metadata.name": "Ann",
        "version": "2.1",
    }
    filled = with_exported_texts(EXPORTING)
    assert filled.split("\n")[10:14] == [
        '# Rails and "posts"',
        "",
        "Version 2.1 by Ann, not `{version}`, \\${version} or {props.version}.",
        "",
    ]
    assert filled.split("\n")[:10] + filled.split("\n")[14:] == (
        EXPORTING.split("\n")[:10] + EXPORTING.split("\n")[14:]
    )
    assert with_exported_texts("# {title}\n\nexport it\n") == "# {title}\n\nexport it\n"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            '<CodeBlock className="language-xml" title="a.xml">{`<a>\n  <b/>\n</a>`}</CodeBlock>',
            '```xml title="a.xml"\n<a>\n  <b/>\n</a>\n```',
        ),
        ("<pre>{`a\\`b\nc`}</pre>", "```\na`b\nc\n```"),
        ("Use <code>{`npm i`}</code> or <b>{`this`}</b>.", "Use `npm i` or this."),
        ("It takes\n<Code>{`{ top: 2 }`}</Code>.\n", "It takes\n`{ top: 2 }`."),
        ("<Code>{`npm i`}</Code>\n\nThen", "```\nnpm i\n```\n\nThen"),
        ("One{\" \"}two {'three'}.", "One two three."),
        (r"One{'\u2014'}two {'\ud83d'}.", r"One—two \ud83d."),
        (
            '<Release render={(it) => (\n  <CodeBlock language="sh">\n    {`run ${it.name}\n  -v`}\n'
            "  </CodeBlock>\n)} />",
            "```sh\nrun ${it.name}\n  -v\n```",
        ),
    ],
)
def test_texts_of_expressions_are_shown(source: str, shown: str) -> None:
    assert clean(with_rendered_texts(f"# A\n\n{source}\n\nEnd.\n")) == f"# A\n\n{shown}\n\nEnd."


def test_code_in_a_table_of_properties_does_not_replace_it() -> None:
    table = "<Props\n  data={[{ name: 'pad', does: <CodeBlock>{`pad={2}`}</CodeBlock> }]}\n/>"
    assert "name: 'pad'" in with_rendered_texts(f"{table}\n")


@pytest.mark.parametrize(
    "source",
    [
        '`{" "}` and ``<b>{`x`}</b>``\n',
        "```jsx\n<b>{`x`}</b>{' '}\n```\n",
        "<A style={{'a': 'b'}} label={\"c\"} />\n",
        "{`a`} and {value}\n",
    ],
)
def test_expressions_in_code_and_attributes_stay(source: str) -> None:
    assert with_rendered_texts(source) == source


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "opened", ["<a>{`", "<a {b}", '<a>{" "', "<A b={() => <pre>{`x\n`}</pre>", "<pre>{`x\n`}</pre>"]
)
def test_expressions_are_read_in_bounded_time(opened: str) -> None:
    assert with_rendered_texts(opened * 5_000)
