from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from kbc.chunking import TokenBudget, chunk
from kbc.records import BuiltinRecord, DocRecord, PageRecord, PatternRecord

Page = Callable[..., DocRecord]
SENTENCE = "Some words that say a little about the topic at hand.\n"  # 11 words


def words(count: int) -> str:
    return " ".join(f"w{index}" for index in range(count)) + "\n"


def test_each_section_is_a_chunk_with_its_headings(words_budget: TokenBudget, page: Page) -> None:
    text = f"# Guide\n\n{words(30)}\n## Install\n\n{words(30)}\n### On disk\n\n{words(30)}"
    first, install, disk = chunk(page(text), words_budget)
    assert first.breadcrumb == ("Guide",)
    assert install.title == "Guide › Install"
    assert disk.breadcrumb == ("Guide", "Install", "On disk")
    assert disk.title == "Guide › On disk"
    assert (disk.anchor, disk.section_line, disk.section_level) == ("on-disk", 9, 3)
    assert (disk.start_line, disk.end_line) == (9, 11)
    assert disk.embedded_text.startswith("Guide › Install › On disk\n### On disk\n\nw0 w1")


def test_a_section_called_examples_is_named_with_its_parent(
    words_budget: TokenBudget, page: Page
) -> None:
    text = f"## mapBy\n\n{words(35)}\n### Examples\n\n{words(35)}"
    found = chunk(page(text), words_budget)[1]
    assert found.title == "Guide › mapBy › Examples"
    assert found.breadcrumb == ("Guide", "mapBy", "Examples")


def test_a_heading_stays_with_the_code_that_it_introduces(budget: TokenBudget, page: Page) -> None:
    code = "```py\n" + "x = f(a, b)\n" * 12 + "```\n"
    text = f"# One\n\n{SENTENCE * 3}\n" + "".join(f"## Step {i}\n\n{code}\n" for i in range(9))
    for found in chunk(page(text), budget):
        last_line = found.text.strip().splitlines()[-1]
        assert not last_line.startswith("#"), found.text


def test_a_heading_without_text_goes_with_its_first_child(
    words_budget: TokenBudget, page: Page
) -> None:
    text = f"# A\n\n{words(35)}\n# B\n\n## C\n\n{words(30)}"
    found = chunk(page(text), words_budget)[1]
    assert found.text.startswith("# B\n\n## C\n")
    assert found.breadcrumb == ("Guide", "B", "C")


def test_work_grows_with_the_lines_of_a_heading(words_budget: TokenBudget, page: Page) -> None:
    """Counted in steps of the interpreter: each chunk once looked at the whole of its heading."""

    def steps(lines: int) -> int:
        count = 0

        def trace(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal count
            if frame.f_globals.get("__name__") != "kbc.chunking.markdown":
                return None
            frame.f_trace_opcodes = True
            count += event == "opcode"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            chunk(page("word\n" * lines + "====\n"), words_budget)
        finally:
            sys.settrace(before)
        return count

    assert steps(2_000) < 3 * steps(1_000)


def test_code_that_fits_is_not_cut(words_budget: TokenBudget, page: Page) -> None:
    code = "```py\n" + "a = b\n" * 11 + "```\n"  # 35 words
    text = f"# A\n\n{words(20)}\n{code}\n{words(20)}\n{code}"
    assert all(found.text.count("```") % 2 == 0 for found in chunk(page(text), words_budget))


def test_a_table_that_fits_is_not_cut(words_budget: TokenBudget, page: Page) -> None:
    table = "| a | b |\n|---|---|\n" + "| c | d |\n" * 6
    text = f"# A\n\n{words(25)}\n{table}\n{words(25)}"
    assert any(table in found.text for found in chunk(page(text), words_budget))


def test_a_large_table_is_cut_between_rows(words_budget: TokenBudget, page: Page) -> None:
    text = "| a | b |\n|---|---|\n" + "| some | words |\n" * 40
    chunks = chunk(page(text), words_budget)
    assert len(chunks) > 2
    assert all(found.text.endswith("|\n") for found in chunks)


def test_lists_are_cut_between_items(words_budget: TokenBudget, page: Page) -> None:
    text = "".join(f"- item {i} says\n  something on two lines\n" for i in range(30))
    assert all(found.text.startswith("- item") for found in chunk(page(text), words_budget))


def test_tiny_siblings_share_a_chunk_named_after_the_first(budget: TokenBudget, page: Page) -> None:
    text = "# Terms\n\n" + "".join(f"## t{i}\n\na b c d\n\n" for i in range(12))
    chunks = chunk(page(text), budget)
    assert 1 < len(chunks) < 6
    assert all(budget.tokens(found.text) >= 30 for found in chunks)


def test_a_tiny_section_does_not_leave_its_parent(budget: TokenBudget, page: Page) -> None:
    text = f"# A\n\n{SENTENCE * 2}\n## A1\n\na\n\n# B\n\n{SENTENCE * 2}"
    chunks = chunk(page(text), budget)
    assert [found.text.splitlines()[0] for found in chunks][-1] == "# B"


def test_front_matter_is_kept_but_not_embedded(budget: TokenBudget, page: Page) -> None:
    text = f"---\ntitle: Hidden\n---\n\n# A\n\n{SENTENCE}"
    (found,) = chunk(page(text), budget)
    assert found.text == text
    assert (found.start_line, found.section_line) == (1, 5)
    assert "Hidden" not in found.embedded_text
    assert "Some words" in found.embedded_text


def test_comments_are_not_embedded(budget: TokenBudget, page: Page) -> None:
    text = (
        "<!-- Licensed to nobody\nin particular. -->\n\n# Lamps\n\n<!-- one --> <b>Light</b> <!-- two -->\n"
        "it.\n\n```html\n<!-- shown -->\n```\n\nText <!-- within --> goes on.\n"
    )
    (found,) = chunk(page(text), budget)
    assert found.text == text
    hidden = ("icens", "one", "two", "within")
    assert not any(each in found.embedded_text for each in hidden)
    assert all(each in found.embedded_text for each in ("<b>Light</b>", "shown", "goes on"))


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        (
            "- a\n  <!-- one\n\n  two -->\n- b <!-- three -->\n",
            ["<!-- one\n\n  two -->", "<!-- three -->"],
        ),
        ("> a <!-- one\n> two --> b\n", ["<!-- one\n> two -->"]),
        ("<div>\n<!-- one -->\n</div>\n", ["<!-- one -->"]),
        ("| a |\n|---|\n| <!-- one --> b | c <!-- two -->\n", ["<!-- one -->", "<!-- two -->"]),
        ("## A <!-- one -->\n", ["<!-- one -->"]),
        ("- a\n\n  ```html\n  <!-- code -->\n  ```\n", []),
        ("a `<!-- code -->` b\n", []),
        ("a ``<!-- ` code -->`` b ` <!-- one --> c\n", ["<!-- one -->"]),
        ("a <!-- it`s one --> `b`\n", ["<!-- it`s one -->"]),
        (r"a \` <!-- one --> ` \<!-- text -->" "\n", ["<!-- one -->"]),
        ("a <!--> b --> c <!-- open\n\nd -->\n", ["<!-->"]),
        ('<?excerpt "a.dart (b)"?>\n```dart\n<?code ?>\n```\n', ['<?excerpt "a.dart (b)"?>']),
        ("a <?one\ntwo?> `<?code ?>` b <!-- c -->\n", ["<?one\ntwo?>", "<!-- c -->"]),
        ("(a-b)=\n(c d)=\n## A\n\n(e)=\nText (f)= (g)=\n", ["(a-b)=", "(c d)=", "(e)="]),
        ("```\n(a)=\n```\n\n`b\n(c)=\nd` ()= \n<div>\n(e)=\n</div>\n", []),
        (
            '<a name="a"></a>\n## A <span id=b></span>\n\n<a class="x" id="c"/> `<a id="d"></a>` <a>e</a>\n',
            ['<a name="a"></a>', "<span id=b></span>", '<a class="x" id="c"/>'],
        ),
        ("<?php\necho 1;\n?>\n\na <?xml version='1'?> <? b ?> <?= c ?> <?open\n", []),
    ],
)
def test_comments_are_those_outside_of_code(
    text: str, comments: list[str], budget: TokenBudget, page: Page
) -> None:
    (found,) = chunk(page(text), budget)
    assert [found.text[slice(*span)] for span in found.comments] == comments


def test_comments_are_known_in_each_chunk(words_budget: TokenBudget, page: Page) -> None:
    text = f"# A\n\n<!-- one\n\ntwo -->\n{words(50)}\n\n<!-- three --> x\n\n`<!-- four -->`\n{words(40)}"
    chunks = chunk(page(text), words_budget)
    assert len(chunks) > 1
    found = [each.text[slice(*span)] for each in chunks for span in each.comments]
    assert found == ["<!-- one\n\ntwo -->", "<!-- three -->"]


@pytest.mark.parametrize("path", ["docs/a.md", "docs/a.mdx"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_definitions_of_links_are_not_embedded(
    path: str, end: str, budget: TokenBudget, page: Page
) -> None:
    definitions = '[lamp]: https://lamps.example/a\n[oil]: <b c> "Where oil is"\n[//]: # (a remark)'
    notes = "[^1]: https://notes.example"
    text = f"# A\n\nSee [lamp][] and [oil][].[^1]\n\n{definitions}\n\n{notes}\n\n`[x]: y`\n"
    (found,) = chunk(page(text.replace("\n", end), path=path), budget)
    hidden = "".join(found.text[slice(*span)] for span in found.comments)
    assert hidden.replace("\r", "").strip() == definitions
    assert "https://lamps" not in found.embedded_text
    assert all(each in found.embedded_text for each in ("[lamp]", notes, "[x]: y"))


def test_lines_that_only_draw_are_not_embedded(budget: TokenBudget, page: Page) -> None:
    row = f"| {'-' * 400} | :--: |"
    text = f"Lamps\n{'=' * 400}\n\nText.\n\n***\n\n| a | b |\n{row}\n| c | d |\n\n```\n---\n```\n"
    (found,) = chunk(page(text), budget)
    assert found.text == text
    shown = "Guide › Lamps Lamps Text. | a | b | | c | d | ``` --- ```"
    assert found.embedded_text.split() == shown.split()


def test_long_contents_of_a_page_are_not_embedded(budget: TokenBudget, page: Page) -> None:
    names = [f"E{number}" for number in range(24)]
    links = [f"{'  ' * (at % 2)}- [`{name}`](#{name.lower()})" for at, name in enumerate(names)]
    rest = "# Errors\n\nText.\n"
    contents = "\n".join(links) + "\n"

    def embedded(text: str) -> str:
        return "\n".join(found.embedded_text for found in chunk(page(text), budget))

    assert "E7" not in embedded(f"{contents}\n{rest}")
    assert "E7" not in embedded(f"{contents}\n{rest}".replace("\n", "\r\n"))
    commented = contents.replace("`E7`", "`E7` <!-- seven -->")
    assert "E7" not in embedded(f"{commented}\n{rest}")
    assert "E7" in embedded("\n".join(links[:9]) + f"\n\n{rest}")
    assert "E7" in embedded(f"{contents}- [a](b.md)\n\n{rest}")
    assert "E7" in embedded(contents.replace("7)", "7): the lamp is out") + f"\n{rest}")
    assert "E7" in embedded(contents.replace("7)", "7) or [see](#out)") + f"\n{rest}")
    assert "E7" in embedded(f"{chr(10).join(links[:12])}\n\n{rest}".replace(")\n", ")\n\n"))


def test_comments_of_mdx_are_those_outside_of_code(budget: TokenBudget, page: Page) -> None:
    text = (
        "# A {/* a */}\n\n{/* one\ntwo */}\n\n- Text {/* within */}\n\n`{/* code */}`\n\n"
        "```js\n{/* code */}\n```\n"
    )
    (found,) = chunk(page(text, path="docs/a.mdx"), budget)
    assert [found.text[slice(*span)] for span in found.comments] == [
        "{/* one\ntwo */}",
        "{/* within */}",
    ]


def test_mdx_tags_and_imports_are_not_embedded(budget: TokenBudget, page: Page) -> None:
    text = f'import {{ Note }} from "x"\n\n# A\n\n<Note kind="big">\n{SENTENCE}</Note>\n'
    (found,) = chunk(page(text, path="docs/a.mdx"), budget)
    assert found.text == text
    assert "import" not in found.embedded_text
    assert "Note" not in found.embedded_text
    assert SENTENCE.strip() in found.embedded_text


def test_crlf_text_keeps_its_line_ends_and_numbers(words_budget: TokenBudget, page: Page) -> None:
    text = f"# A\n\n{words(30)}\n# B\n\n{words(30)}".replace("\n", "\r\n")
    second = chunk(page(text), words_budget)[1]
    assert second.text.startswith("# B\r\n\r\n")
    assert (second.start_line, second.end_line) == (5, 7)


def test_the_fence_language_gives_the_type(budget: TokenBudget, page: Page) -> None:
    body = "```{}\n" + "key: value here\n" * 12 + "```\n"
    expected = {"yaml": "config", "bash": "cmd", "graphql": "api", "quint": "code", "": "code"}
    for language, type_ in expected.items():
        (found,) = chunk(page(f"# A\n\n{body.format(language)}"), budget)
        assert (found.type, found.language) == (type_, language)


def test_text_about_endpoints_is_api(budget: TokenBudget, page: Page) -> None:
    (found,) = chunk(page("# Users\n\nCall `GET /users/{id}` to read one.\n"), budget)
    assert (found.type, found.language) == ("api", "")


def test_headings_that_name_code_give_identifiers(budget: TokenBudget, page: Page) -> None:
    (found,) = chunk(page("## The `fold` of setOfMaps and Others\n\nText.\n"), budget)
    assert found.identifiers == ("fold", "setOfMaps")


def test_an_entry_is_one_chunk_with_its_examples(budget: TokenBudget) -> None:
    text = "## mapBy\n\nSignature: `pure def mapBy: (a) => b`\n\nBuilds.\n\n### Examples\n\n```\nx\n```\n"
    record = BuiltinRecord(
        id="mapBy",
        collection="builtins",
        title="mapBy",
        path="docs/builtin.md",
        text=text,
        line=41,
        name="mapBy",
        signature="pure def mapBy: (a) => b",
        description="Builds.",
        aliases=("map_by",),
        tags=("map", "set"),
    )
    (found,) = chunk(record, budget)
    assert found.identifiers[:2] == ("mapBy", "map_by")
    assert found.signature == record.signature
    assert (found.start_line, found.end_line, found.section_line) == (41, 51, 41)
    assert found.embedded_text.count(record.signature) == 1
    assert found.embedded_summary == "map set mapBy: Builds."


def test_the_description_of_an_entry_is_embedded_as_far_as_it_fits(
    words_budget: TokenBudget,
) -> None:
    record = BuiltinRecord(
        id="fold",
        collection="builtins",
        title="fold",
        path="docs/builtin.md",
        text=f"## fold\n\n{words(500)}\n",
        name="fold",
        signature="",
        description=words(500),
    )
    first, *others = chunk(record, words_budget)
    assert first.embedded_summary.startswith("fold: ")
    assert words_budget.fits(first.embedded_summary)
    assert words_budget.count(first.embedded_summary) > words_budget.max_tokens - 3
    assert not any(each.embedded_summary for each in others)


def test_a_large_entry_carries_name_signature_and_anchor_on(words_budget: TokenBudget) -> None:
    record = BuiltinRecord(
        id="fold",
        collection="builtins",
        title="fold",
        path="docs/builtin.md",
        text=f"## fold\n\nSignature: `def fold: a`\n\n{words(35)}\n### Examples\n\n{words(35)}",
        line=10,
        name="fold",
        signature="def fold: a",
        description="Folds.",
    )
    first, second = chunk(record, words_budget)
    assert second.embedded_text.startswith("fold › Examples\ndef fold: a\n### Examples\n")
    assert (first.anchor, second.anchor, second.section_line) == ("fold", "fold", 10)


@pytest.mark.parametrize("name", ["summary", "description", "excerpt"])
def test_a_page_is_also_found_by_the_summary_that_its_front_matter_states(
    budget: TokenBudget, page: Page, name: str
) -> None:
    text = "# Nests\n\nHow they are built.\n\n## Twigs\n\nThin ones.\n"
    derived = replace(page(text, title="Nests"), summary="How they are built.")
    assert not chunk(derived, budget)[0].embedded_summary
    stated = replace(derived, summary="Where birds live", frontmatter={name: "Where birds live"})
    assert chunk(stated, budget)[0].embedded_summary == "Nests: Where birds live"


FAQ = """# Frequently asked

Ask here.

## Why do nests fall?

Wind.

### In spring

{long}

## **May I move one?**

No.

## ¿Y los huevos?

Never.

## More

Elsewhere.
"""


@pytest.mark.parametrize("title", ["# Frequently asked", "# Any questions?"])
def test_an_answer_in_a_list_of_questions_is_a_chunk_and_also_embedded_as_its_question(
    words_budget: TokenBudget, page: Page, title: str
) -> None:
    text = FAQ.format(long=words(60)).replace("# Frequently asked", title, 1)
    found = chunk(page(text, title="Frequently asked"), words_budget)
    assert [(each.answer, each.embedded_summary) for each in found if each.embedded_summary] == [
        (1, "Why do nests fall?"),
        (2, "May I move one?"),
        (3, "¿Y los huevos?"),
    ]
    assert sum(each.answer == 1 for each in found) > 1
    assert [each.answer for each in found] == [*sorted(each.answer for each in found[:-1]), 0]
    assert "".join(each.text for each in found) == text


def test_a_question_among_other_headings_is_a_heading(budget: TokenBudget, page: Page) -> None:
    few = "# Nests\n\n## Why twigs?\n\nThey hold.\n\n## Why moss?\n\nIt is soft.\n"
    other = FAQ.format(long="Rain.") + "\n## One\n\nOne.\n\n## Two\n\nTwo.\n\n## Three\n\nThree.\n"
    names = "# Nests\n\n## empty?\n\nNo eggs.\n\n## `wet?`\n\nRain.\n\n## Nest#warm?\n\nSun.\n"
    for text in few, other, names:
        found = chunk(page(text, title="Nests"), budget)
        assert not any(each.answer or each.embedded_summary for each in found)


def test_a_summary_that_is_not_in_the_text_leads_the_first_chunk(
    words_budget: TokenBudget, page: Page
) -> None:
    text = f"# A\n\nSays `what` it is.\n\n{words(40)}\n# B\n\n{words(40)}"
    first, second = chunk(replace(page(text), summary="Explains things"), words_budget)
    assert first.embedded_text.startswith("Guide › A\nExplains things\n# A\n")
    assert "Explains" not in second.embedded_text
    taken = chunk(replace(page(text), summary="Says what it is."), words_budget)
    assert taken[0].embedded_text.startswith("Guide › A\n# A\n")


def test_what_a_pattern_says_in_front_matter_is_embedded(budget: TokenBudget) -> None:
    record = PatternRecord(
        id="thin",
        collection="patterns",
        title="Thin actions",
        path="patterns/thin.md",
        text="---\nid: thin\nwhen_to_use:\n  - never alone\n---\n\n# Thin actions\n\nText.\n",
        name="Thin actions",
        category="core",
        description="Text.",
    )
    (found,) = chunk(record, budget)
    assert "never alone" in found.embedded_text
    assert found.identifiers == ("thin", "Thin actions")


def test_a_page_that_is_an_answer_is_also_embedded_as_its_question(
    words_budget: TokenBudget,
) -> None:
    answer = PageRecord(
        id="s/1",
        collection="pages",
        title="Why do nests fall?",
        path="s/faq.jsonl",
        text=words(90),
        source="s",
        source_name="s",
        format="text",
    )
    assert not any(each.answer for each in chunk(answer, words_budget))
    first, *others = chunk(replace(answer, question=answer.title), words_budget)
    assert first.embedded_summary == "Why do nests fall?"
    assert others
    assert not any(each.embedded_summary for each in others)
    assert {each.answer for each in (first, *others)} == {1}
