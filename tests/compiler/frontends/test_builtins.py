"""The builtins front end: both layouts, signatures, categories, aliases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kbc.diagnostics import Diagnostics
from kbc.frontends.builtins import (
    aliases_in,
    derive_categories,
    parse_signature,
    read,
    split_top_level,
)
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import BuiltinRecord

PAGE = """# Operators

An introduction.

## mapTo

Signature: `pure def mapTo: (Set[a], (a) => b) => (a -> b)`

The map that `f` makes of the set.
Written like a method.

### Examples

```quint
Set(1).mapTo(x => x)
```

Text between.

```quint
Set().mapTo(f)
// empty
```

## same

Signature: `pure def same: (t, t) => bool`

Whether both are equal. It can be used in the infix form as `==` or as a named operator `same`.
"""


def read_pages(
    pages: Mapping[str, str], options: Mapping[str, Any] | None = None
) -> tuple[list[BuiltinRecord], Diagnostics]:
    diagnostics = Diagnostics()
    collection = Collection(
        "builtins",
        "builtins",
        ("builtins",),
        url="https://example.org/{stem}#{anchor}",
        options=options or {},
        line=7,
    )
    files = [SourceFile(path, text.encode(), "builtins") for path, text in pages.items()]
    records = read(collection, files, diagnostics)
    assert all(isinstance(record, BuiltinRecord) for record in records)
    return [record for record in records if isinstance(record, BuiltinRecord)], diagnostics


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_level_two_heading_of_a_file_is_an_entry(end: str) -> None:
    text = PAGE.replace("\n", end)
    records, diagnostics = read_pages({"docs/ops.md": text})
    assert not list(diagnostics)
    first, second = records
    assert (first.name, first.line, second.name, second.line) == ("mapTo", 5, "same", 25)
    assert first.signature == "pure def mapTo: (Set[a], (a) => b) => (a -> b)"
    assert first.description == "The map that `f` makes of the set.\nWritten like a method."
    assert first.summary == "The map that f makes of the set. Written like a method."
    assert first.examples == ("Set(1).mapTo(x => x)", "Set().mapTo(f)\n// empty")
    assert first.categories == ("set", "map")
    assert (first.param_types, first.return_type) == (("Set[a]", "(a) => b"), "(a -> b)")
    assert first.url == "https://example.org/docs/ops#mapto"
    assert second.aliases == ("==",)
    lines = text.split("\n")
    for record in records:
        start = record.line - 1
        assert record.text == "\n".join(lines[start : start + record.lines]) + (
            "\n" if record is first or text.endswith("\n") else ""
        )
        assert record.size == len(record.text.encode())


def test_pictures_as_text_are_no_text_of_an_entry() -> None:
    picture = f"![Map](data:image/png;base64,{'A' * 2_000})"
    (first, second), diagnostics = read_pages(
        {"ops.md": PAGE.replace("Whether", f"{picture} Whether")}
    )
    assert not list(diagnostics)
    assert "![Map](data:image/png;base64,…) Whether" in second.text
    assert (first.line, second.line) == (5, 25)


def test_a_file_with_a_name_in_its_front_matter_is_one_entry() -> None:
    page = (
        "---\nname: not\nsignature: 'pure def not: (bool) => bool'\ncategory: Logic\n"
        "categories: [logic, utility]\naliases: ['!', negation]\nrelated: [and]\n---\n\n"
        "# not\n\nThe other truth value.\n\n## Examples\n\n```quint fails\nnot(1)\n```\n\n"
        "## Common mistakes\n\n```quint\n!x\n```\n"
    )
    (record,), diagnostics = read_pages({"builtins/not.md": page})
    assert not list(diagnostics)
    assert record.categories == ("logic", "utility")
    assert record.aliases == ("!", "negation")
    assert record.related == ("and",)
    assert record.description == "The other truth value."
    assert record.examples == ("not(1)",)
    assert "Common mistakes" in record.text
    assert record.text == page


def test_curated_categories_come_first_and_must_name_entries() -> None:
    records, diagnostics = read_pages(
        {"ops.md": PAGE}, {"categories": {"map": ["mapTo", "gone"], "logic": ["mapTo"]}}
    )
    assert records[0].category == "map"
    assert records[0].categories == ("map", "logic", "set")
    (found,) = diagnostics
    assert (found.code, found.path, found.line) == ("builtin-unknown-name", "kb.toml", 7)
    assert "'gone'" in found.message


def test_entries_without_a_signature_are_errors_on_their_lines() -> None:
    records, diagnostics = read_pages(
        {
            "a.md": "# T\n\n## f\n\nText.\n",
            "b.md": "---\nname: g\nkind: x\n---\nText.\n",
            "c.md": "x",
        }
    )
    assert records == []
    assert [(each.path, each.line, each.code) for each in diagnostics] == [
        ("a.md", 3, "builtin-no-signature"),
        ("b.md", 2, "builtin-no-signature"),
        ("b.md", 3, "metadata-unknown-field"),
        ("c.md", 1, "builtins-no-entries"),
    ]
    assert all(each.hint for each in diagnostics)


@pytest.mark.parametrize(
    ("signature", "params", "result"),
    [
        ("pure val Nat: Set[int]", (), "Set[int]"),
        ("pure def get: ((a -> b), a) => b", ("(a -> b)", "a"), "b"),
        (
            "pure def f: (Set[(a, b)], (a, b) => c) => {x: int, y: str}",
            ("Set[(a, b)]", "(a, b) => c"),
            "{x: int, y: str}",
        ),
        ("action reps: (int, (int) => bool) => bool", ("int", "(int) => bool"), "bool"),
        ("pure def q::debug: (str, a) => a", ("str", "a"), "a"),
        ("pure def f: int => int", ("int",), "int"),
        ("pure def f: () => int", (), "int"),
        ("no signature at all", (), ""),
    ],
)
def test_signatures(signature: str, params: tuple[str, ...], result: str) -> None:
    parsed = parse_signature(signature)
    assert (parsed.param_types, parsed.return_type) == (params, result)


@pytest.mark.parametrize(
    ("signature", "categories"),
    [
        ("pure def iff: (bool, bool) => bool", ("logic",)),
        ("pure def and: (bool, ...) => bool", ("logic",)),
        ("pure def eq: (t, t) => bool", ("logic",)),
        ("pure def in: (a, Set[a]) => bool", ("set",)),
        ("pure def nth: (List[a], int) => a", ("list",)),
        ("pure def foldl: (List[a], b, (b, a) => b) => b", ("list",)),
        ("pure def keys: ((a -> b)) => Set[a]", ("map", "set")),
        ("pure def setOfMaps: (Set[a], Set[b]) => Set[(a -> b)]", ("set", "map")),
        ("pure def setToMap: (Set[(a, b)]) => (a -> b)", ("set", "map")),
        ("pure def put: ((a -> b), a, b) => (a -> b)", ("map",)),
        ("pure def ilt: (int, int) => bool", ("integer",)),
        ("pure def with: ({ f: a | r }, str, a) => { f: a | r }", ("record",)),
        ("pure def fst: ((a, b)) => a", ("tuple",)),
        ("pure val Bool: Set[bool]", ("set", "logic")),
        ("temporal always: (bool) => bool", ("temporal",)),
        ("action assign: (a, a) => bool", ("action",)),
        ("action then: (bool, bool) => bool", ("action",)),
        ("pure def q::debug: (str, a) => a", ("utility",)),
        ("pure def id: (a) => a", ("utility",)),
    ],
)
def test_categories_come_from_the_signature(signature: str, categories: tuple[str, ...]) -> None:
    name = signature.split(":", 1)[0].split()[-1]
    if signature.startswith("pure def q::"):
        name = "q::debug"
    assert derive_categories(name, parse_signature(signature)) == categories


@pytest.mark.parametrize(
    ("text", "aliases"),
    [
        ("It can be used in the infix form as `==` or as a named operator `eq`.", ("==",)),
        ("The infix operator `+`, `plus` and `add`.", ("+", "plus", "add")),
        ("Can be written as `n' = v`.", ("n' = v",)),
        ("See `other` for the infix way.", ()),
    ],
)
def test_aliases_are_read_from_phrases(text: str, aliases: tuple[str, ...]) -> None:
    assert aliases_in(text, "eq") == aliases


def test_splitting_respects_brackets() -> None:
    assert split_top_level("(a, b), [c, {d, e}], f", ",") == ["(a, b)", "[c, {d, e}]", "f"]
