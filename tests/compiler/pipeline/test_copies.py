"""Pages that a project has twice are found once."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.recognition.trees import page, read, write_tree

from kbc.records import DocRecord

SITE = {"mkdocs.yml": "site_name: Heron\n", "pyproject.toml": "[project]\nname = 'heron'\n"}


def pages(root: Path) -> dict[str, list[str]]:
    inputs, diagnostics = read(root)
    assert [each.code for each in diagnostics if each.code.startswith("dead")] == []
    return {
        name: [record.path for record in records]
        for name, records in inputs.records.items()
        if name != "code"
    }


def test_a_readme_that_the_site_shows_through_a_link_is_read_once(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "heron",
        {**SITE, "README.md": page("Heron"), "docs/a.md": page("A") + "\n[Heron](../README.md)\n"},
    )
    (root / "docs/index.md").symlink_to("../README.md")
    assert pages(root) == {"docs": ["docs/a.md", "docs/index.md"]}
    index = read(root)[0].records["docs"][1]
    assert isinstance(index, DocRecord)
    assert "README.md" in index.aliases


def test_a_readme_that_a_page_includes_is_read_once(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "heron",
        {
            **SITE,
            "README.md": page("Heron"),
            "CHANGES.md": page("Changes") + "\n## 1.0\n\nAll new.\n",
            "docs/index.md": '# Welcome\n\n--8<-- "README.md"\n',
            "docs/changes.md": '# All changes\n\n{% include-markdown "../CHANGES.md" start="## 1.0" %}\n',
        },
    )
    found = pages(root)
    assert found == {"docs": ["docs/changes.md", "docs/index.md"], "readme": ["CHANGES.md"]}


def test_a_readme_whose_end_the_page_that_includes_it_has_not_is_read(tmp_path: Path) -> None:
    steps = "".join(f"Step {at} of all.\n\n" for at in range(40))
    steps = f"<!-- --8<-- [start:steps] -->\n{steps}<!-- --8<-- [end:steps] -->\n"
    badge = "[![Built](https://x.org/a.svg)](https://x.org)"
    files = {**SITE, "docs/index.md": '--8<-- "README.md:steps"\n'}
    for name, text, is_read in (
        ("whole", f"# Heron\n\n{badge}\n\n{steps}", False),
        ("end", f"# Heron\n\n{steps}\nThe port is 8843.\n", True),
        ("beginning", f"# Heron\n\nThe port is 8843.\n\n{steps}", True),
    ):
        root = write_tree(tmp_path / name / "heron", {**files, "README.md": text})
        assert ("readme" in pages(root)) == is_read, name


def test_a_page_in_another_format_with_other_links_is_the_same(tmp_path: Path) -> None:
    lines = "\n".join(f"- Change {at}\n" for at in range(20))
    text = f"Changes\n=======\n\nSee :ref:`gates`.\n\n{lines}"
    root = write_tree(
        tmp_path / "heron",
        {
            "pyproject.toml": "[project]\nname = 'heron'\n",
            "docs/conf.py": "project = 'Heron'\n",
            "docs/index.rst": "Heron\n=====\n\n.. _gates:\n\nGates of herons\n---------------\n\nShut.\n",
            "docs/changes.rst": ".. include:: ../CHANGES.rst\n",
            "CHANGES.rst": text,
            "README.rst": "Heron\n=====\n\nStands.\n",
        },
    )
    assert pages(root)["readme"] == ["README.rst"]


def test_what_a_copy_includes_beside_the_page_that_shows_it_is_not_missing(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[project]\nname = 'heron'\n",
        "docs/conf.py": "project = 'Heron'\n",
        "docs/index.rst": "Heron\n=====\n\nStands.\n",
        "docs/work/index.rst": ".. include:: ../../CONTRIBUTING.rst\n",
        "docs/BUILD.rst": "Run make.\n",
        "CONTRIBUTING.rst": "Work\n====\n\nWade in and write.\n\n.. include:: ../BUILD.rst\n",
    }
    root = write_tree(tmp_path / "heron", files)
    assert "readme" not in pages(root)
    assert not [each for each in read(root)[1] if each.code == "unresolved-directive"]
    (root / "docs/BUILD.rst").unlink()
    (found,) = (each for each in read(root)[1] if each.code == "unresolved-directive")
    assert found.path == "docs/work/index.rst"


def test_a_history_with_roles_that_only_the_page_resolves_is_read_once(tmp_path: Path) -> None:
    entries = "".join(
        f"- {{func}}`wade{at} <pond.wade{at}>` and {{meth}}`Nest.hatch`.\n" for at in range(9)
    )
    root = write_tree(
        tmp_path / "heron",
        {
            "pyproject.toml": "[project]\nname = 'heron'\n",
            "HISTORY.md": f"# History\n\n{entries}",
            "docs/conf.py": "extensions = ['myst_parser']\n",
            "docs/index.md": page("Heron"),
            "docs/history.md": "```{include} ../HISTORY.md\n```\n",
        },
    )
    assert pages(root) == {"docs": ["docs/index.md", "docs/history.md"]}


def test_files_that_mdbook_only_includes_are_no_pages(tmp_path: Path) -> None:
    listed = "# Summary\n\n- [Commands](commands.md)\n- [Table](made/table.md)\n"
    root = write_tree(
        tmp_path / "book",
        {
            "book.toml": "[book]\ntitle = 'Heron'\n",
            "src/SUMMARY.md": listed,
            "src/commands.md": "# Commands\n\n{{#include made/list.md}}\n\n{{#include made/table.md}}\n",
            "src/made/list.md": "# List\n\n| a | b |\n| - | - |\n| c | d |\n",
            "src/made/table.md": "| Table | b |\n| - | - |\n| c | d |\n",
        },
    )
    assert pages(root) == {"docs": ["src/commands.md", "src/made/table.md"]}


def test_the_page_that_a_part_of_a_part_is_in_has_its_path(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "heron",
        {
            **SITE,
            "docs/index.md": '# Welcome\n\n--8<-- "docs/_gates.md"\n',
            "docs/_gates.md": '--8<-- "docs/_locks.md"\n',
            "docs/_locks.md": page("Locks"),
        },
    )
    (index,) = read(root)[0].records["docs"]
    assert isinstance(index, DocRecord)
    assert (index.path, set(index.aliases)) == (
        "docs/index.md",
        {"docs/_gates.md", "docs/_locks.md"},
    )


def test_of_pages_that_include_each_other_none_is_lost(tmp_path: Path) -> None:
    text = "".join(f"Step {at} of all.\n\n" for at in range(20))
    root = write_tree(
        tmp_path / "heron",
        {
            **SITE,
            "docs/index.md": page("Welcome"),
            "docs/_gates.md": f'--8<-- "docs/_locks.md"\n\n{text}',
            "docs/_locks.md": f'--8<-- "docs/_gates.md"\n\n{text}',
        },
    )
    assert pages(root)["docs"] == ["docs/_gates.md", "docs/_locks.md", "docs/index.md"]
