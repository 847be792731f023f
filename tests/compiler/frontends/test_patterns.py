"""The patterns front end: front matter, sections, and both ways to write a pair."""

from __future__ import annotations

import pytest

from kbc.diagnostics import Diagnostics
from kbc.frontends.patterns import read
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import PatternRecord


def read_page(text: str) -> tuple[list[PatternRecord], Diagnostics]:
    diagnostics = Diagnostics()
    files = [SourceFile("patterns/guard.md", text.encode(), "patterns")]
    records = read(Collection("patterns", "patterns", ("patterns",)), files, diagnostics)
    return [each for each in records if isinstance(each, PatternRecord)], diagnostics


HEAD = (
    "---\nid: guard-first\nname: Guard first\ncategory: Core\nwhen_to_use:\n  - Always\n  - Twice\n"
    "related: [other]\nrequired_builtins:\n  - and\nexamples:\n---\n\n# Title\n\nCheck *before* acting.\n\n"
)


def test_fields_and_sections() -> None:
    (record,), diagnostics = read_page(
        HEAD
        + "## Template\n\nUse it so:\n\n```quint\naction a = b\n```\n\n```quint\nval c = 1\n```\n\n"
        "## Key Principles\n\n- One `x`\n- **Two**\n\n## Notes\n\nMore.\n"
    )
    assert not list(diagnostics)
    assert (record.id, record.name, record.category) == ("guard-first", "Guard first", "core")
    assert record.description == record.summary == "Check before acting."
    assert record.when_to_use == ("Always", "Twice")
    assert (record.related_patterns, record.required_builtins) == (("other",), ("and",))
    assert record.examples == ()
    assert record.template == "action a = b\n\nval c = 1"
    assert record.key_principles == ("One x", "Two")


def test_pairs_under_headings_with_marks() -> None:
    (record,), diagnostics = read_page(
        HEAD + "## Anti-patterns\n\n### ❌ DON'T: x...\n\n```quint\nx\n```\n\n**Why?** It fails\n\n"
        "### ✅ DO:\n\n```quint\ny\n```\n\n### Don\u2019t: z\n\n**Reason:** Slow.\n\n### Do: w\n"
    )
    assert not list(diagnostics)
    assert record.anti_patterns == (
        {"dont": "x", "reason": "It fails", "do": "y"},
        {"dont": "z", "reason": "Slow.", "do": "w"},
    )


def test_pairs_under_a_title_with_bold_labels() -> None:
    (record,), diagnostics = read_page(
        HEAD
        + "## Anti-patterns\n\n### Shared counter\n\n**Don't:**\n\n```quint\na\n```\n\n**Do:**\n"
        "```quint\nb\n```\n\nBecause it is shared.\n\n"
        "## Rules\n\n### 1. No parentheses\n\n**Wrong:**\n```quint\nf() = 1\n```\n\n**Correct:**\n"
        "```quint\nf = 1\n```\n\nLeave them out.\n\n### 2) Second\n\n**Wrong:** `p`\n\n**Correct:** `q`\n"
    )
    assert not list(diagnostics)
    assert record.anti_patterns == ({"dont": "a", "reason": "Because it is shared.", "do": "b"},)
    assert record.rules == (
        {
            "rule": "No parentheses",
            "wrong": "f() = 1",
            "correct": "f = 1",
            "explanation": "Leave them out.",
        },
        {"rule": "Second", "wrong": "p", "correct": "q"},
    )


def test_half_a_pair_is_reported_on_its_line() -> None:
    _, diagnostics = read_page(HEAD + "## Rules\n\n### Alone\n\n**Wrong:**\n\n```\nx\n```\n")
    (found,) = diagnostics
    assert (found.code, found.line) == ("pattern-incomplete-pair", 20)


def test_missing_metadata_is_an_error_with_its_line() -> None:
    records, diagnostics = read_page("# No front matter\n")
    assert records == []
    assert [(each.code, each.line) for each in diagnostics] == [("pattern-no-front-matter", 1)]
    records, diagnostics = read_page("---\nname: n\nwhen_to_use: {a: b}\ncatgory: x\n---\ntext\n")
    assert records == []
    assert [(each.code, each.line) for each in diagnostics] == [
        ("metadata-missing-field", 1),
        ("metadata-wrong-type", 3),
        ("metadata-unknown-field", 4),
    ]


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ("[a, null, b]", "a list of strings, but its item 2 is `null`"),
        ("[a, b, true]", "a list of strings, but its item 3 is `true`"),
        ("[[" + "long, " * 40 + "]]", 'a list of strings, but its item 1 is `["long", "long"'),
        ("{a: b}", 'a list of strings, not `{"a": "b"}`'),
    ],
)
def test_an_item_that_is_no_text_is_named(tags: str, said: str) -> None:
    _, diagnostics = read_page(f"---\nname: n\ntags: {tags}\n---\ntext\n")
    (found,) = [each for each in diagnostics if each.code == "metadata-wrong-type"]
    assert f"`tags` must be {said}" in found.message
    assert len(found.message) < 140
    assert found.message.endswith("…`") == ("long" in tags)
    assert found.line == 3


def test_the_file_name_is_the_default_id() -> None:
    (record,), _ = read_page("---\ncategory: core\n---\n# Nice title\n\ntext\n")
    assert (record.id, record.name) == ("guard", "Nice title")
