"""Ruby in Markdown: partials, values and statements of Middleman and Sitepress."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, titles, write_tree

from kbc.languages.includes.files import Expansion
from kbc.languages.includes.templates.erb import expand_ruby

FILES = {
    "docs/partials/_install.html.erb": "Install <%= tool %> on <%= system %>.\n",
    "docs/guide/_steps.md": "---\ntitle: Steps\n---\n1. Go.\n",
    "docs/guide/_loop.md.erb": '<%= partial "loop" %>',
    "docs/guide/data.json.erb": '{"a": 1}',
}


def expanded(source: str) -> Expansion:
    return expand_ruby(
        source,
        "docs/guide/page.html.md.erb",
        lambda name: FILES[name].encode() if name in FILES else None,
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("No Ruby, 5 < 6%.\n", "No Ruby, 5 < 6%.\n"),
        ("---\ntitle: <%= x %>\n---\nText <%# a remark %>here.\n", "---\ntitle: <%= x %>\n---\nText here.\n"),
        ('<% tool = "heron" %>\nRun `<%= tool %>`.\n', "Run `heron`.\n"),
        ("<% if current_page.data.new %>\nNew.\n<%- else -%>\nOld.\n<% end %>\n", "New.\nOld.\n"),
        ('<%= partial "steps" %>\n', "1. Go.\n"),
        ('<%= partial("/site/docs/guide/steps") %>\n', "1. Go.\n"),
        (
            "<%= partial 'partials/install', locals: { tool: 'heron', system: \"Plan 9\" } %>\n",
            "Install heron on Plan 9.\n",
        ),
        ('```json\n<%= render partial: "data.json" %>\n```\n', '```json\n{"a": 1}\n```\n'),
        ('See <%= link_to "the guide", "/guide" %>.\n', "See [the guide](/guide).\n"),
        ('<%= image_tag "a.png", alt: "A plan" %>\n', "A plan\n"),
        ("```erb\n<%%= yield %>\n```\n", "```erb\n<%= yield %>\n```\n"),
        ("Never <%= closed.\n", "Never <%= closed.\n"),
    ],
)  # fmt: skip
def test_what_the_tree_has_is_in_its_place(source: str, shown: str) -> None:
    assert expanded(source) == Expansion(shown, {})


def test_what_only_a_program_knows_is_counted() -> None:
    found = expanded(
        "<% pages.each do |page| %>\n- <%= page.name %>\n<% end %>\n"
        "<%= render(Sample.new(badge: 'GET', title: '/birds')) do %>\n[]\n<% end %>\n"
        '<%= partial "gone" %>\n<%= partial "loop" %>\n'
    )
    assert found.text == (
        "- page.name\n**GET /birds**\n[]\n(not included: gone)\n(not included: loop)\n"
    )
    assert found.external == {"<% %>": 1, "<%= %>": 2}
    assert found.unresolved == {"<%= partial %>": 2}


def test_many_tags_that_are_never_closed_are_read_in_bounded_time() -> None:
    assert expanded("<% " * 200_000).text == "<% " * 200_000
    assert expanded("<%= '" * 50_000 + "%>").external
    quotes = "\\'" * 100_000
    assert expanded(f"<%= link_to '{quotes} %>").text == ""


def test_a_page_includes_no_more_than_a_page_may_have() -> None:
    part = "<%= partial 'part' %>" * 2_000 + "x" * 1_200_000
    read: list[str] = []

    def reader(name: str) -> bytes | None:
        read.append(name)
        return part.encode() if name == "_part.md" else b"\0" if name == "_logo.png" else None

    found = expand_ruby("<%= partial 'part' %> <%= partial 'logo.png' %>", "page.md.erb", reader)
    assert found.text.count("x") == 1_200_000
    assert found.unresolved == {"<%= partial %>": 2_001}
    assert read.count("_part.md") == 2
    assert "\0" not in expand_ruby("<%= partial 'logo.png' %>", "page.md.erb", reader).text


def test_pages_with_ruby_are_pages_of_a_folder(tmp_path: Path) -> None:
    files = {
        "source/index.html.md.erb": "---\ntitle: Herons\n---\n\n<%= partial 'parts/wind' %>\n",
        "source/parts/_wind.md": "## Wind\n\nIt blows.\n",
        "source/api/index.html.markerb": "All <%= count %> of them.\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    pages = {each.path: each for each in inputs.records["docs"]}
    assert "It blows." in pages["source/index.html.md.erb"].text
    assert titles(inputs.records["docs"])["source/api/index.html.markerb"] == "api"
    (note,) = (each for each in diagnostics if each.code == "content-elsewhere")
    assert "<%= %> (1)" in note.message
