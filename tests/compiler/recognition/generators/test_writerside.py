"""A project of Writerside, from its configuration to what its topics show."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, read, recognised

from kbc.formats import convert
from kbc.formats.writerside.sources import part
from kbc.languages.anchors import rules_of, slug
from kbc.records import DocRecord

PROJECT = Path(__file__).parents[3] / "data" / "writerside"


@pytest.fixture
def records(tmp_path: Path) -> dict[str, DocRecord]:
    inputs, _ = read(_copy(tmp_path))
    return {each.id: each for each in inputs.records["docs"] if isinstance(each, DocRecord)}


def _copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PROJECT, tmp_path / "tree"))


def test_titles_order_addresses_and_version_come_from_its_own_files(tmp_path: Path) -> None:
    root = _copy(tmp_path)
    found = recognised(root)
    assert found.what == "Writerside project 'Kite' (writerside.cfg)"
    assert found.project.version == "2.1"
    inputs, diagnostics = read(root)
    assert {each.id: each.title for each in inputs.records["docs"]} == {
        "Welcome.topic": "Welcome to Kite",
        "guide/fly_a_kite.md": "Fly a braid kite",
        "guide/lines.md": "Lines",
    }
    assert addresses(inputs) == {
        "Welcome.topic": "https://kite.example/docs/welcome.html",
        "guide/fly_a_kite.md": "https://kite.example/docs/fly-a-kite.html",
        "guide/lines.md": "https://kite.example/docs/lines.html",
    }
    flying = inputs.records["docs"][1]
    assert isinstance(flying, DocRecord)
    assert "https://kite.example/docs/kites.html" in flying.aliases
    assert [each.message for each in diagnostics if each.code == "include-unresolved"] == [
        "directives on 1 page of 'docs' that name no file (1): include (1)"
    ]
    assert not [each for each in diagnostics if each.code in ("dead-link", "dead-anchor")]
    counted = inputs.accounting.counts()
    assert counted["read"] == 3
    assert counted["included"] == 6  # with the library of parts, which is no page


def test_a_topic_in_xml_shows_code_parts_and_values(records: dict[str, DocRecord]) -> None:
    welcome = records["Welcome.topic"]
    text = welcome.content
    assert welcome.summary == "How kites of Kite fly."
    assert (
        "```kotlin\n   package kite\n\n   import kite.wind.Wind\n   class Kite(val line: String) {\n"
        in text
    )
    assert 'val spare = Kite("braid")\n       .copy(line = "steel")\n' in text
    assert "Add `kite-core` to the build:" in text.replace("\xa0", " ")
    assert 'implementation("kite:kite-core:2.1")' in text
    assert "**Maven**\n\n```xml\n<version>%kite_version%</version>\n```" in text
    assert "[Fly a braid kite](guide/fly_a_kite.md)" in text
    assert "[about wind](guide/fly_a_kite.md#wind)" in text
    assert "| Wind | Line |\n| --- | --- |\n| 3 | braid |\n" in text
    assert "**Slack**\n\n```\nslack()\n```" in text
    assert "Use a bowline." in text
    assert "never" not in text
    assert "Only elsewhere" not in text
    assert [(each.title, each.anchor) for each in welcome.sections][1:] == [
        ("Build a kite", "build"),
        ("What's next?", "what-s-next"),
        ("Knots", "knots"),
    ]
    assert {"gradle", "bridle", "steps"} <= set(welcome.targets)


def test_a_topic_in_markdown_has_no_markup_left(records: dict[str, DocRecord]) -> None:
    text = records["guide/fly_a_kite.md"].content
    assert text.startswith("# Fly a braid kite\n\nKites need **wind**; see [Lines](lines.md), ")
    assert '## Wind {id="wind"}\n' in text
    assert "> **Warning**\n>\n> Stay away from\n> power lines.\n" in text
    assert "   ```kotlin\n   fun fly(wind: Wind): Boolean {\n       return wind.speed" in text
    assert "2. Run `<tabs>` at %line%:\n\n   ```text\n   %line% %unknown%\n   ```\n" in text
    assert '**Gradle**\n\n```kotlin\nimplementation("kite:kite-sky:2.1")\n```\n' in text
    assert "Add `kite-sky` to the build:" in text.replace("\xa0", " ")
    assert "@Checked\nclass Kite(val line: String) {\n    fun fly" in text
    assert "(not included: gone.topic#gone)" in text
    assert "**Bridle**\n\nHolds the **kite**." in text
    for markup in ("<tab", "<def", "src=", "validate", "<!--", "primary-label", "nowhere", "<var"):
        assert markup not in text.replace("`<tabs>`", "")


def test_topics_of_other_modules_are_no_dead_links(tmp_path: Path) -> None:
    root = _copy(tmp_path)
    lines = root / "topics/guide/lines.md"
    lines.write_text(lines.read_text() + "\nSee [reels](reels.md).\n")
    _, diagnostics = read(root)
    assert [each.code for each in diagnostics if each.code == "dead-link"] == ["dead-link"]
    tree = root / "kite.tree"
    other = (
        '    <include from="reels.tree" origin="reels" element-id="reels"/>\n</instance-profile>'
    )
    tree.write_text(tree.read_text().replace("</instance-profile>", other))
    _, diagnostics = read(root)
    assert not [each for each in diagnostics if each.code == "dead-link"]


def test_parts_that_include_each_other_end() -> None:
    files = {
        "a.topic": b'<topic title="A"><snippet id="x">'
        b'<include from="b.md" element-id="y"/></snippet></topic>',
        "b.md": b'# B\n\n<snippet id="y">\n\nText.\n\n'
        b'<include from="a.topic" element-id="x"/>\n\n</snippet>\n',
    }
    (found,) = convert("a.topic", files["a.topic"], files.get)
    assert found.text.count("Text.") == 1
    assert [each.name for each in found.problems] == ["include"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("[//]: # (title:  Of (kites) )  \n\n# Not\n", "Of (kites)"),
        ('## No\n\n# Of kites   {id="x" .wide}  \n', "Of kites"),
        ("# {kite} and {line\n", "{kite} and {line"),
    ],
)
def test_a_link_without_text_says_the_title_of_its_topic(text: str, title: str) -> None:
    source = b'<topic title="A"><p><a href="b.md"/></p></topic>'
    (found,) = convert("a.topic", source, {"b.md": text.encode()}.get)
    assert found.text == f"# A\n\n[{title}](b.md)\n"


@pytest.mark.parametrize(
    "line",
    [
        f"{{{'a=aaaaa.aaa#aaa' * 200}!",
        f"[//]: # (title:{' ' * 20_000}x",
        f"# a{' ' * 20_000}x",
        "<topic " * 20_000,
    ],
)
def test_topics_are_read_in_linear_time(line: str) -> None:
    source = b'<topic title="A"><include from="b.md" element-id="y"/><a href="b.md"/></topic>'
    part = f'{line}\n\n<snippet id="y">\n\n{line}\n\n</snippet>\n'
    started = time.process_time()
    convert("a.topic", source, {"b.md": part.encode()}.get)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "opened",
    [
        *("<p>\n", "<list>\n", "<!-- a\n", "<code-block>", '<include from="b.md">'),
        *("<b>", '<a href="b.md">', '<snippet id="y">\n', "<![CDATA[", '> a\n{style="note"}\n'),
        "<p filter='b'>\n",
    ],
)
def test_what_nothing_closes_is_read_in_linear_time(opened: str) -> None:
    source = b'<topic title="A"><include from="b.md" element-id="y" use-filter="a"/></topic>'
    many = opened * (80_000 // len(opened))
    part = f'<snippet id="y">\n\n<!-- no -->Needle.\n\n{many}\n\n<p>x\n\n</snippet>\n'
    started = time.process_time()
    (found,) = convert("a.topic", source, {"b.md": part.encode()}.get)
    assert time.process_time() - started < 5
    assert "Needle." in found.text or "snippet" in opened


def test_elements_end_where_they_are_closed() -> None:
    files = {
        "b.md": b'<snippet id="x">\n\n<list>\n<li>One</li>\n<li><list><li>Two</li></list></li>\n</list>\n\n'
        b'<p filter="b">Gone <p filter="a">too</p></p>\n\n<![CDATA[</snippet>]]>Three\n\n</snippet>\n'
        b"\nBehind it.\n",
        "c.md": b'<snippet id="y">\n\n<include from="b.md" element-id="x" use-filter="a"/>\n\n</snippet>\n',
    }
    source = b'<topic title="A"><include from="c.md" element-id="y"/></topic>'
    (found,) = convert("a.topic", source, files.get)
    assert "- One\n- - Two" in found.text
    assert "Three" in found.text
    assert not {"Gone", "too", "Behind"} & set(found.text.split())


def test_quotes_with_a_style_each_have_their_label() -> None:
    text = '> One.\n{style="note"}\n> Two.\n{style="tip"}\n'
    source = b'<topic title="A"><include from="b.md"/></topic>'
    (found,) = convert("a.topic", source, {"b.md": text.encode()}.get)
    assert "> **Note**\n>\n> One.\n\n> **Tip**\n>\n> Two." in found.text


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"<topic title='A'>\n<p>open</topic>", 2, "no XML"),
        (b"<project/>", 0, "begins with <project>"),
    ],
)
def test_what_is_no_topic_is_one_problem(data: bytes, line: int, said: str) -> None:
    (found,) = convert("a.topic", data, lambda path: None)
    (problem,) = found.problems
    assert problem.is_error
    assert problem.line == line
    assert said in problem.message


def test_an_entity_is_not_expanded_into_a_large_text() -> None:
    declared = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(1, 12))
    source = f'<!DOCTYPE topic [<!ENTITY e1 "kite">{declared}]><topic title="A"><p>Text &e12;.</p></topic>'
    (found,) = convert("a.topic", source.encode(), lambda path: None)
    assert len(found.text) < 1_000


def test_a_symbol_is_taken_with_all_of_its_declaration() -> None:
    kotlin = (
        "@Serializable\ndata class Wind(\n    val speed: Int,\n)\n\nval lines = listOf(\n    1,\n)\n\n"
        "fun calm() =\n    Wind(0)\n\nobject Field\n"
    )
    assert part(kotlin, "", "Wind") == "@Serializable\ndata class Wind(\n    val speed: Int,\n)"
    assert (
        part(kotlin, "", "lines, calm")
        == "val lines = listOf(\n    1,\n)\n\nfun calm() =\n    Wind(0)"
    )
    python = "def calm(wind):\n    if wind:\n\n        return 1\n    return 0\n\nother = 1\n"
    assert part(python, "", "calm") == python.partition("\n\nother")[0]
    java = "class A {\n  public int speed()\n  {\n    return 1;\n  }\n}\n"
    assert part(java, "", "speed") == "public int speed()\n{\n  return 1;\n}"
    with pytest.raises(ValueError, match="'gone'"):
        part(kotlin, "", "gone")


def test_chapters_have_the_anchors_of_writerside() -> None:
    style = rules_of("writerside").style
    assert slug("What's next?", style) == "what-s-next"
    assert slug("C++ & snake_case", style) == "c-snake-case"
