"""Checks across records: repeated ids, unknown targets, dead links."""

from __future__ import annotations

from collections.abc import Mapping

from kbc import frontends
from kbc.diagnostics import Diagnostics
from kbc.project import Collection, SourceFile

ROUTING = """[[label]]
name = "a"
default = true
keywords = ["x"]
docs = ["{doc}"]
examples = ["{example}"]
"""
PATTERN = "---\ncategory: core\nname: {name}\n{more}\n---\ntext\n"


def checked(files: Mapping[str, str]) -> list[tuple[str, int | None, str, str]]:
    """Builds one collection for each first folder, named as its kind, and checks them all."""
    diagnostics = Diagnostics()
    folders: dict[str, list[SourceFile]] = {}
    for path, text in files.items():
        folder = path.split("/")[0]
        folders.setdefault(folder, []).append(SourceFile(path, text.encode(), folder))
    records = {
        kind: frontends.read(Collection(kind, kind, (kind,)), sources, diagnostics)
        for kind, sources in folders.items()
    }
    assert not list(diagnostics)
    frontends.check(records, diagnostics)
    assert all(each.hint for each in diagnostics)
    return [(each.path, each.line, each.code, each.message) for each in diagnostics]


def test_two_records_of_one_id_are_an_error_that_names_both() -> None:
    page = "# T\n\n## {a}\n\nSignature: `val {a}: int`\n\ntext\n"
    found = checked({"builtins/a.md": page.format(a="f"), "builtins/b.md": page.format(a="f")})
    assert [each[:3] for each in found] == [("builtins/b.md", 3, "duplicate-id")]
    assert "'f' is taken by builtins/a.md:3" in found[0][3]


def test_routing_targets_must_exist() -> None:
    known = {"docs/a.md": "# A\n\ntext", "examples/games/x/y.qnt": "module y {}"}
    for doc, example in (("docs/a.md", "games/x"), ("docs", "games/x/y")):
        text = ROUTING.format(doc=doc, example=example)
        assert checked({**known, "routing/r.toml": text}) == []
    found = checked({**known, "routing/r.toml": ROUTING.format(doc="a.md", example="games/z")})
    assert [each[1:3] for each in found] == [(1, "routing-unknown-target")] * 2


def test_files_outside_of_the_knowledge_base_have_whole_paths_and_can_be_checked() -> None:
    diagnostics = Diagnostics()
    sources = [SourceFile("/elsewhere/docs/a.md", b"# A\n\ntext", "/elsewhere/docs")]
    docs = frontends.read(Collection("docs", "docs", ("/elsewhere/docs",)), sources, diagnostics)
    frontends.check({"docs": docs}, diagnostics)
    assert docs[0].path == "/elsewhere/docs/a.md"
    assert list(diagnostics) == []


def test_unknown_names_are_warnings_when_their_kind_is_there() -> None:
    alone = PATTERN.format(name="P", more="required_builtins: [nope]\nexamples: [nope]")
    assert checked({"patterns/p.md": alone}) == []
    found = checked(
        {
            "patterns/p.md": alone,
            "patterns/q.md": PATTERN.format(name="Q", more="related: [p, r]"),
            "builtins/b.md": "---\nname: f\nsignature: 'val f: int'\nrelated: [g]\naliases: [h]\n---\nx",
        }
    )
    assert [each[::2] for each in found] == [
        ("builtins/b.md", "unknown-related"),
        ("patterns/p.md", "unknown-related"),
        ("patterns/q.md", "unknown-related"),
    ]
    assert "'r'" in found[2][3]


def test_dead_links_and_anchors_are_warnings_on_their_lines() -> None:
    page = (
        "# A\n\nSee [b](b.md), [c](./c.md#x), [r] and ![i](i.png).\n\n"
        "```md\n[code](no.md)\n```\n\n- item\n\n  ```md\n  [code](no.md)\n  ```\n\n`[code](no.md)`\n\n"
        "[web](https://example.org/x.md) [root](/x.md) [up](../choreo/x.md) [h](b.md#part-two)\n"
        "[self](#a) [gone](#zz)\n\n[r]: sub/b%20c.md\n"
    )
    found = checked(
        {
            "docs/a.md": page,
            "docs/b.md": "# B\n\ntext\n\n## Part two\n",
            "docs/sub/b c.md": "# C\n\nx",
        }
    )
    assert [each[:3] for each in found] == [
        ("docs/a.md", 3, "dead-link"),
        ("docs/a.md", 17, "dead-link"),
        ("docs/a.md", 18, "dead-anchor"),
    ]
    assert "docs/c.md" in found[0][3]
    assert "choreo/x.md" in found[1][3]


def test_links_of_a_builtin_are_on_lines_of_the_file() -> None:
    page = "# T\n\n## f\n\nSignature: `val f: int`\n\ntext [x](gone.md)\n"
    assert [each[:3] for each in checked({"builtins/a.md": page})] == [
        ("builtins/a.md", 7, "dead-link")
    ]


def test_missing_summaries_and_repeated_titles_are_warnings() -> None:
    found = checked({"docs/a.md": "# Same\n", "docs/b.md": "# same\n\ntext\n"})
    assert [each[:3] for each in found] == [
        ("docs/a.md", 1, "missing-summary"),
        ("docs/b.md", 1, "duplicate-title"),
    ]
