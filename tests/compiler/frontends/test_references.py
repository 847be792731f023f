"""Checks across records: repeated ids, unknown targets, dead links."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kbc import frontends
from kbc.diagnostics import Diagnostics
from kbc.frontends.references import links
from kbc.languages import markdown
from kbc.languages.includes.files import is_complete
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile

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
    collections = {kind: Collection(kind, kind, (kind,)) for kind in folders}
    records = {
        kind: frontends.read(collections[kind], sources, diagnostics)
        for kind, sources in folders.items()
    }
    assert not list(diagnostics)
    frontends.check(records, diagnostics, collections.values())
    assert all(each.hint for each in diagnostics)
    return [(each.path, each.line, each.code, each.message) for each in diagnostics]


def test_two_records_of_one_id_are_an_error_that_names_both() -> None:
    page = "# T\n\n## {a}\n\nSignature: `val {a}: int`\n\ntext\n"
    found = checked({"builtins/a.md": page.format(a="f"), "builtins/b.md": page.format(a="f")})
    assert [each[:3] for each in found] == [("builtins/b.md", 3, "duplicate-id")]
    assert "'f' is taken by builtins/a.md:3" in found[0][3]


def test_a_dead_link_names_the_page_that_is_called_so_in_another_folder() -> None:
    page = "# A\n\nSee [this](../terms.md), [that](../termz.md) and [x](@docroot@/terms.md).\n"
    files = {"docs/a.md": page, "docs/manual/source/terms.md": "# Terms\n\ntext"}
    sources = [SourceFile(path, text.encode(), "docs") for path, text in files.items()]
    docs = Collection("docs", "docs", ("docs",))
    diagnostics = Diagnostics()
    frontends.check({"docs": frontends.read(docs, sources, diagnostics)}, diagnostics, [docs])
    found = [each for each in diagnostics if each.code == "dead-link"]
    assert [each.hint for each in found] == ["Did you mean 'docs/manual/source/terms.md'?"] * 2


def test_links_within_a_page_of_slate_may_lead_to_its_other_parts() -> None:
    part = "# Errors\n\nSee [nests](#nests) and [b](_birds.md#gone).\n"
    page = "# Nests\n\nSee [errors](#errors).\n"
    found = checked(
        {
            "docs/index.html.md": f"---\nincludes:\n  - errors\n  - birds\n---\n{page}",
            "docs/_errors.md": part,
            "docs/_birds.md": page,
            "docs/_index.md": page,
        }
    )
    assert sorted(each[:3] for each in found if each[2] == "dead-anchor") == [
        ("docs/_errors.md", 3, "dead-anchor"),
        ("docs/_index.md", 3, "dead-anchor"),
    ]


def test_links_in_comments_lead_nowhere() -> None:
    comment = "<!-- Add\n\n```md\n[more](#more)\n```\n\nand [b](gone.md) -->"
    page = f"# A\n\nSome text.\n\n{comment}\n\nSee [b](lost.md) <!-- or [c](c.md) -->.\n"
    mdx = "# B\n\nSome text.\n\n{/* See [b](gone.md)\nor [c](#c). */}\n\nSee [b](lost.md).\n"
    found = checked({"docs/a.md": page, "docs/b.mdx": mdx})
    assert [each[:3] for each in found] == [
        ("docs/a.md", 13, "dead-link"),
        ("docs/b.mdx", 8, "dead-link"),
    ]


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


def test_targets_of_links_are_written_as_commonmark_has_them() -> None:
    page = "# {}\n\nText, and [back](one.md).\n"
    targets = "a\\_b.md", "<my page.md>", "set_(x).md", 'a_b.md "Its title"', "a_b.md?x=1&amp;y=2"
    text = "".join(f"See [it]({target}).\n" for target in targets)
    files = {"a_b.md": "A", "my page.md": "B", "set_(x).md": "C"}
    files = {f"docs/{name}": page.format(title) for name, title in files.items()}
    files["docs/one.md"] = f"# One\n\n{text}\n[a](gone\\_now.md)\n\n[b]: gone\\_too.md\n"
    found = checked(files)
    assert [each[1:3] for each in found] == [(9, "dead-link"), (11, "dead-link")]
    assert "docs/gone_now.md" in found[0][3]
    assert "docs/gone_too.md" in found[1][3]


def test_links_that_docsify_ignores_lead_out_of_the_site() -> None:
    text = '# A\n\n[x](/demo.md \':ignore\') [y](b.md ":ignore title") [z](c.md "Title")\n'
    assert [each[2:] for each in checked({"docs/a.md": text})] == [
        ("dead-link", "the link 'c.md' leads to docs/c.md, which is not in the knowledge base")
    ]


def test_links_may_start_at_the_root_where_no_generator_is_known() -> None:
    page = "# A\n\n[one](docs/b.md) [two](docs/c.md) [three](./docs/b.md)\n"
    found = checked({"docs/in/a.md": page, "docs/b.md": "# B\n\nText. [a](in/a.md)\n"})
    assert [each[2:] for each in found] == [
        (
            "dead-link",
            f"the link '{link}' leads to docs/in/docs/{name}, which is not in the knowledge base",
        )
        for link, name in (("./docs/b.md", "b.md"), ("docs/c.md", "c.md"))
    ]


def test_links_may_have_the_case_of_a_heading_where_no_generator_is_known() -> None:
    page = "# A\n\n[one](#Use-in-Classes) [two](#Use-in-Modules)\n\n## Use in Classes\n\nText.\n"
    assert [each[1:3] for each in checked({"docs/a.md": page})] == [(3, "dead-anchor")]


def test_fields_of_an_operation_that_a_page_shows_have_anchors() -> None:
    page = "---\ntitle: Fly\n{}---\n\n# Fly\n\n[far](#body-how-far) [gone](#how-far)\n"
    found = checked(
        {"docs/a.md": page.format("openapi: post /fly\n"), "docs/b.md": page.format("")}
    )
    dead = [(each[0], each[3].split("'")[1]) for each in found if each[2] == "dead-anchor"]
    assert dead == [
        ("docs/a.md", "#how-far"),
        ("docs/b.md", "#body-how-far"),
        ("docs/b.md", "#how-far"),
    ]


def test_escaped_signs_of_links_are_part_of_names_and_ids() -> None:
    page = (
        "# A\n\n[c](c%23.md) [no](d%23.md) [one](#caf%C3%A9) [two](#x%20y)\n\n"
        '<a id="caf%C3%A9"></a>\n'
    )
    found = checked({"docs/a.md": page, "docs/c#.md": "# C\n\nText.\n"})
    assert sorted((each[2:] for each in found), reverse=True) == [
        ("dead-link", "the link 'd%23.md' leads to docs/d#.md, which is not in the knowledge base"),
        (
            "dead-anchor",
            "the link '#x%20y' leads to a heading that docs/a.md does not have",
        ),
    ]


def test_links_lead_to_ids_that_tags_of_components_state() -> None:
    page = (
        "# A\n\n[first](#basics) [other](#advanced)\n\n"
        '<Samples titleText="Basics" titleId="basics">\n\ntext\n\n</Samples>\n'
    )
    assert [each[1:3] for each in checked({"docs/a.md": page})] == [(3, "dead-anchor")]


def test_the_file_of_a_page_is_parsed_only_for_links_that_its_text_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[str] = []
    parse = markdown.parse

    def counting(text: str, *, mdx: bool = False) -> markdown.Document:
        parsed.append(text)
        return parse(text, mdx=mdx)

    monkeypatch.setattr(markdown, "parse", counting)
    page = "# Wind\n\n[up](#wind)\n\n<div>\nText\n</div>\n"
    assert not checked({"docs/a.md": page})
    assert page not in parsed
    checked({"docs/a.md": page.replace("#wind", "#gust")})
    assert page.replace("#wind", "#gust") in parsed


def test_a_page_is_searched_once_for_what_it_does_not_include(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[str] = []

    def counting(text: str) -> bool:
        searched.append(text)
        return is_complete(text)

    monkeypatch.setattr(links, "is_complete", counting)
    page = "# Wind\n\n[one](#a) [two](#b) [three](#c)\n"
    assert len(checked({"docs/a.md": page})) == 3
    assert searched == [page]


def test_tabs_and_lines_of_code_have_numbered_anchors() -> None:
    page = "# A\n\n[one](#__tabbed_1_2) [two](#__codelineno-0-3) [three](#__tab)\n"
    assert [each[3].split("'")[1] for each in checked({"docs/a.md": page})] == ["#__tab"]


def test_a_page_with_markup_from_its_cells_may_have_any_anchor() -> None:
    page = "# A\n\n[first](#basics)\n\n```{python}\n%s\nlist_all()\n```\n"
    for cell in ("#| output: asis", "#| results: 'asis'"):
        assert not checked({"docs/a.md": page % cell})
    assert checked({"docs/a.md": page % "# output: asis"})


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


def test_dead_links_are_found_in_documentation_sets_and_workshops() -> None:
    step = "workshops/w/exercises/01.first/01.problem.hello"
    found = checked(
        {
            "pages/set/a.md": "# A\n\n[b](b.md#part) [gone](gone.md)\n[no part](b.md#nope)\n",
            "pages/set/b.md": "# B\n\ntext\n\n## Part\n",
            "pages/all-llms-full.txt": "# Bundle\n\n[elsewhere](c.md)\n",
            f"{step}/README.mdx": "# Hello\n\n[on](../01.solution.hello/README.mdx) [gone](x.md)\n",
            f"{step}/src/a.ts": "// [code](no.md)\n",
            "workshops/w/exercises/01.first/01.solution.hello/README.mdx": "# Done\n",
        }
    )
    assert [each[:3] for each in found] == [
        ("pages/set/a.md", 3, "dead-link"),
        ("pages/set/a.md", 4, "dead-anchor"),
        (f"{step}/README.mdx", 3, "dead-link"),
    ]


def test_related_of_a_page_names_records_by_id_or_path() -> None:
    known = {"examples/games/y.qnt": "module y {}", "docs/b.md": "# B\n\ntext"}
    names = "docs/b.md, b.md, docs/b, games/y.qnt, examples/games, 'https://example.org/'"
    assert checked({**known, "docs/a.md": f"---\nrelated: [{names}]\n---\n# A\n\ntext"}) == []
    assert checked({**known, "docs/a.md": "---\nrelated: 3\n---\n# A\n\ntext"}) == []
    found = checked({**known, "docs/a.md": "---\nrelated: [docs/c.md, b]\n---\n# A\n\ntext"})
    assert [each[::2] for each in found] == [("docs/a.md", "unknown-related")]
    assert "'docs/c.md'" in found[0][3]
    found = checked({**known, "docs/a.md": "---\nrelated: [/b, /c]\n---\n# A\n\ntext"})
    assert ["'/c'" in each[3] for each in found] == [True]


SPEC = "module {name} {{\n  {more}\n  pure def twice(n: int): int = 2 * n\n}}\n"


def test_an_example_has_a_test_or_is_imported_by_one_that_has() -> None:
    other = SPEC.format(name="other", more="run start = assert(true)")
    library = SPEC.format(name="library", more='import deep.* from "./deep"')
    tested = SPEC.format(
        name="tested", more='import library.* from "./sub/library"\n  run aTest = assert(true)'
    )
    found = checked(
        {
            "examples/other.qnt": other,
            "examples/sub/library.qnt": library,
            "examples/sub/deep.qnt": SPEC.format(name="deep", more=""),
            "examples/tested.qnt": tested,
            "examples/types.qnt": "module types {\n  type Id = int\n  const N: int\n}\n",
            "examples/sub/read-only.qnt": other,
            "examples/sub/read-only.meta.toml": 'tags = ["untested"]\n',
        }
    )
    assert [each[:3] for each in found] == [("examples/other.qnt", 1, "example-without-test")]


def test_examples_in_other_languages_are_not_asked_for_tests() -> None:
    diagnostics = Diagnostics()
    collection = Collection("code", "examples", ("code",), options={"extensions": [".py"]})
    sources = [SourceFile("code/a.py", b"# A\ndef run(): pass\n", "code")]
    frontends.check({"code": frontends.read(collection, sources, diagnostics)}, diagnostics)
    assert list(diagnostics) == []
