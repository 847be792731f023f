"""ExDoc: pages, order, titles and addresses that a mix.exs states."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.records import DocRecord

MIX = """\
defmodule Heron.MixProject do
  use Mix.Project

  @version "1.2.0"
  @guides "guides"

  def project do
    [
      app: :heron_nest,
      name: "Heron",
      version: @version,
      description: "Counts birds",
      package: package(),
      docs: &docs/0
    ]
  end

  defp package, do: [licenses: ["MIT"]]

  defp docs do
    [
      main: "overview",
      source_ref: "v#{@version}",
      extras: extras(),
      groups_for_extras: [
        Start: ~r"guides/start/.?",
        "How to": Path.wildcard("guides/howto/*.md")
      ]
    ]
  end

  defp extras do
    [
      # kept together
      "guides/howto/Catch Fish.md",
      {"#{@guides}/start/untitled.md", title: "Begin here"},
      "guides/start/overview.md": [title: "Not its heading"],
      "guides/howto/v2.0.md": [filename: "upgrade"],
      "Elsewhere": [url: "https://heron.example"],
      "guides/gone.md": []
    ] ++ ["README.md", "LICENSE"] ++ Path.wildcard("notebooks/*.{livemd,cheatmd}")
  end
end
"""
FILES = {
    "mix.exs": MIX,
    "lib/heron.ex": "defmodule Heron do\n  def wade, do: 1\nend\n",
    "README.md": page("Heron"),
    "CONTRIBUTING.md": page("Contributing"),
    "LICENSE": "Free.\n",
    "guides/start/overview.md": "# Overview\n\nSee [fish](../x/Catch%20Fish.md#more-fish).\n",
    "guides/start/untitled.md": "Text only.\n",
    "guides/howto/Catch Fish.md": (
        "# Catch fish\n\n## More: fish!\n\n> #### Careful {: .warning}\n>\n> Wet.\n\n[Go](overview.md)\n"
    ),
    "guides/howto/v2.0.md": page("To 2.0"),
    "guides/howto/secret.md": page("Secret"),
    "notebooks/b.livemd": page("B"),
    "notebooks/a.cheatmd": page("A"),
    "notebooks/draft.md": page("Draft"),
}
HEXDOCS = "https://hexdocs.pm/heron_nest"


def test_mix_names_pages_in_order_of_their_groups_with_addresses(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    found = recognised(root)
    assert found.what == "Hex package Heron with an ExDoc site 'Heron' (mix.exs)"
    assert (found.project.version, found.project.description) == ("1.2.0", "Counts birds")
    assert {each.name for each in found.project.collections} == {"docs", "readme", "code"}
    inputs, diagnostics = read(root)
    assert addresses(inputs) == {
        "README.md": f"{HEXDOCS}/readme.html",
        "notebooks/a.cheatmd": f"{HEXDOCS}/a.html",
        "notebooks/b.livemd": f"{HEXDOCS}/b.html",
        "guides/start/untitled.md": f"{HEXDOCS}/untitled.html",
        "guides/start/overview.md": f"{HEXDOCS}/overview.html",
        "guides/howto/Catch Fish.md": f"{HEXDOCS}/catch-fish.html",
        "guides/howto/v2.0.md": f"{HEXDOCS}/upgrade.html",
    }
    assert titles(inputs.records["readme"]) == {"CONTRIBUTING.md": "Contributing"}
    assert [each.message for each in diagnostics if each.code == "unlisted-page"] == [
        "1 page is left out (guides/howto/secret.md): mix.exs does not list it, and a book has only listed"
        " pages"
    ]
    assert [each.message for each in diagnostics if each.code.startswith("dead")] == []


def test_a_title_is_for_pages_without_a_heading(tmp_path: Path) -> None:
    inputs, _ = read(write_tree(tmp_path / "tree", FILES))
    found = titles(inputs.records["docs"])
    assert found["guides/start/untitled.md"] == "Begin here"
    assert found["guides/start/overview.md"] == "Overview"


def test_notices_and_anchors_are_those_of_exdoc(tmp_path: Path) -> None:
    inputs, _ = read(write_tree(tmp_path / "tree", FILES))
    fish = next(each for each in inputs.records["docs"] if each.title == "Catch fish")
    assert isinstance(fish, DocRecord)
    assert ("More: fish!", "more-fish") in [(each.title, each.anchor) for each in fish.sections]
    assert "{:" not in fish.content


@pytest.mark.parametrize(
    ("options", "package", "expected"),
    [
        ("", "[name: :grey_heron]", "https://hexdocs.pm/grey_heron/nest.html"),
        ("", "nil", ""),
        ('canonical: "https://heron.example/docs",', "nil", "https://heron.example/docs/nest.html"),
        ('canonical: "https://" <> domain(),', "[]", ""),
    ],
)
def test_addresses_are_those_of_the_package(
    tmp_path: Path, options: str, package: str, expected: str
) -> None:
    mix = (
        f"defmodule M do\n  def project do\n    [app: :heron, package: {package},\n"
        f'     docs: [{options} extras: ["guides/nest.md"]]]\n  end\nend\n'
    )
    files = {"mix.exs": mix, "guides/nest.md": page("Nest")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {"guides/nest.md": expected}


def test_pages_with_one_name_are_numbered(tmp_path: Path) -> None:
    extras = '["a/index.md", "c.md", "b/index.md"]'
    mix = f"defmodule M do\n  def project, do: [app: :m, package: [a: 1], docs: [extras: {extras}]]\nend\n"
    files = {"mix.exs": mix, **{name: page(name) for name in ("a/index.md", "b/index.md", "c.md")}}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {
        "a/index.md": "https://hexdocs.pm/m/index-1.html",
        "c.md": "https://hexdocs.pm/m/c.html",
        "b/index.md": "https://hexdocs.pm/m/index-2.html",
    }


def test_if_a_part_of_the_list_is_computed_all_pages_are_read(tmp_path: Path) -> None:
    files = {**FILES, "mix.exs": MIX.replace('"guides/gone.md": []\n    ]', "] ++ more()")}
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs)["guides/howto/secret.md"] == ""
    assert [each for each in diagnostics if each.code == "unlisted-page"] == []


def test_expressions_that_may_take_forever_are_not_run(tmp_path: Path) -> None:
    name = "a" * 60
    mix = (
        f'defmodule M do\n  def project, do: [docs: [extras: ["b.md", "guides/{name}.md"],\n'
        '    groups_for_extras: [X: ~r/(a+)+$/, Y: ~r/b/, Z: "a"]]]\nend\n'
    )
    files = {"mix.exs": mix, "b.md": page("B"), f"guides/{name}.md": page("A")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == [f"guides/{name}.md", "b.md"]


def test_a_project_without_extras_is_no_site(tmp_path: Path) -> None:
    mix = "defmodule M do\n  def project, do: [app: :m, docs: [extras: more()]]\nend\n"
    files = {"mix.exs": mix, "guides/a.md": page("A"), "guides/b.md": page("B")}
    assert "ExDoc" not in recognised(write_tree(tmp_path / "tree", files)).what


def test_another_site_and_larger_documentation_are_read_as_well(tmp_path: Path) -> None:
    mix = 'defmodule M do\n  def project, do: [app: :m, docs: [extras: ["README.md"]]]\nend\n'
    files = {"mix.exs": mix, "README.md": page("M"), "www/mkdocs.yml": "site_name: Nest\n"}
    pages = {f"www/docs/{name}.md": page(name) for name in "abc"}
    found = recognised(write_tree(tmp_path / "site", files | pages))
    assert found.parts.startswith("docs (README.md, kind docs); docs-2 (www/docs, kind docs)")
    pages = {f"docs/{name}.md": page(name) for name in "abc"}
    found = recognised(write_tree(tmp_path / "plain", {**files, "www/mkdocs.yml": ""} | pages))
    assert found.parts.startswith("docs (docs, kind docs); docs-2 (README.md, kind docs)")


def test_a_folder_of_pages_alone_has_the_addresses_of_its_project(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {**FILES, ".git/HEAD": "x"})
    inputs, _ = read(root / "guides")
    assert addresses(inputs)["start/overview.md"] == f"{HEXDOCS}/overview.html"
    assert "ExDoc" not in recognised(root / "lib").what
