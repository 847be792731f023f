"""MkDocs: navigation, addresses, redirects, plugins and macros."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, titles, write_tree

from kbc.records import DocRecord


def test_mkdocs_takes_navigation_addresses_redirects_and_foreign_tags(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "base.yml": "site_name: Base\ntheme: {name: x}\n",
            "mkdocs.yml": (
                "INHERIT: base.yml\nsite_name: Sluice\nsite_url: https://sluice.example/\n"
                "nav:\n  - Start: index.md\n  - Guide:\n      - Zebras first: guide/zebra.md\n"
                "      - guide/apple.md\n  - Elsewhere: https://example.org\n"
                "exclude_docs: |\n  drafts/\n"
                "plugins:\n  - search\n  - redirects:\n      redirect_maps:\n"
                "        old/zebra.md: guide/zebra.md\n"
                "markdown_extensions:\n  - toc:\n"
                "      slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}\n"
                "  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.twemoji\n"
                "extra: {key: !ENV [SECRET, none]}\n"
            ),
            "docs/index.md": page("Sluice"),
            "docs/guide/apple.md": page("Apple"),
            "docs/guide/zebra.md": "What a zebra is.\n",
            "docs/drafts/x.md": page("Draft"),
            "docs/requirements.txt": "x==1\n",
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.md": "https://sluice.example/",
        "guide/zebra.md": "https://sluice.example/guide/zebra/",
        "guide/apple.md": "https://sluice.example/guide/apple/",
    }
    zebra = inputs.records["docs"][1]
    assert isinstance(zebra, DocRecord)
    assert zebra.title == "Zebras first"  # it has no heading of its own
    assert zebra.aliases == ("https://sluice.example/old/zebra",)
    assert inputs.accounting.reasons("left out")["excluded by 'drafts/'"] == 1
    assert [file.path for file in inputs.files if file.path.endswith(".yml")] == [
        "base.yml",
        "mkdocs.yml",
    ]


def test_zensical_has_the_keys_of_mkdocs_in_a_table(tmp_path: Path) -> None:
    config = """
[project]
site_name = "Sluice"
site_url = "https://sluice.example/"
docs_dir = "pages"
nav = [
  { "Start" = "index.md" },
  { # TOML 1.1
    "Guide" = ["zebra.md", { "Apples" = "apple.md" }],
  },
]

[project.markdown_extensions.pymdownx.tabbed]
slugify = "pymdownx.slugs.slugify"

%s
[project.plugins.mkdocstrings.handlers.python]
paths = ["lib"]
"""
    for extensions, line_end, shown in (
        ("[project.markdown_extensions.attr_list]\n", "\n", "[Go](https://sluice.example/zebra/)"),
        ("", "\r\n", "[Go](https://sluice.example/zebra/){ .md-button }"),
    ):
        root = write_tree(
            tmp_path / f"tree{len(extensions)}",
            {
                "zensical.toml": (config % extensions).replace("\n", line_end),
                "pages/index.md": "# Sluice\n\n[Go](https://sluice.example/zebra/){ .md-button }\n",
                "pages/apple.md": "How apples float.\n",
                "pages/zebra.md": page("Zebra") + "\n::: sluice.Gate\n",
                "lib/sluice.py": 'class Gate:\n    """Opens."""\n',
            },
        )
        inputs, _ = read(root)
        assert list(addresses(inputs).items()) == [
            ("index.md", "https://sluice.example/"),
            ("zebra.md", "https://sluice.example/zebra/"),
            ("apple.md", "https://sluice.example/apple/"),
        ]
        start, zebra, apple = inputs.records["docs"]
        assert shown in start.text
        assert "class sluice.Gate" in zebra.text
        assert isinstance(apple, DocRecord)
        assert apple.title == "Apples"


@pytest.mark.parametrize("name", ["properdocs.yml", "properdocs.yaml", "zensical.yml"])
def test_configurations_of_successors_have_the_keys_of_mkdocs(tmp_path: Path, name: str) -> None:
    config = "site_name: Sluice\nsite_url: https://sluice.example/\nnav: [b.md, a.md]\n"
    pages = {"docs/index.md": page("S"), "docs/a.md": page("A"), "docs/b.md": page("B")}
    root = write_tree(tmp_path / "tree", {name: config, "mkdocs.yml": "site_name: Old\n", **pages})
    inputs, _ = read(root)
    assert next(iter(addresses(inputs).items())) == ("b.md", "https://sluice.example/b/")


def test_mkdocs_without_directory_urls_has_html_files(tmp_path: Path) -> None:
    config = "site_name: S\nsite_url: https://s.example/x\nuse_directory_urls: false\n"
    root = write_tree(
        tmp_path / "tree",
        {"mkdocs.yml": config, "docs/README.md": page("S"), "docs/a/b.md": page("B")},
    )
    inputs, _ = read(root)
    assert set(addresses(inputs).values()) == {
        "https://s.example/x/index.html",
        "https://s.example/x/a/b.html",
    }


def test_the_folder_of_the_pages_alone_finds_the_configuration_above(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "pyproject.toml": "",
            "docs/en/mkdocs.yml": "site_name: S\nsite_url: https://s.example/\n",
            "docs/en/docs/index.md": page("S"),
            "docs/en/docs/guide/a.md": page("A"),
        },
    )
    whole, _ = read(root / "docs/en/docs")
    assert addresses(whole) == {
        "guide/a.md": "https://s.example/guide/a/",
        "index.md": "https://s.example/",
    }
    part, _ = read(root / "docs/en/docs/guide")
    assert addresses(part) == {"a.md": "https://s.example/guide/a/"}


SOURCE = """
from typing import Annotated

from annotated_doc import Doc


class Valve:
    \"\"\"Holds water back.

    ## Example

    ```python
    Valve(2).open()
    ```
    \"\"\"

    def __init__(self, width: Annotated[int, Doc("In *millimetres*.")] = 1): ...

    def open(self) -> None:
        \"\"\"Lets it run.\"\"\"

    def shut(self) -> None:
        \"\"\"Ends that.\"\"\"
"""


def test_mkdocstrings_takes_the_reference_from_the_source(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/en/mkdocs.yml": "site_name: S\nplugins:\n- mkdocstrings:\n",
            "docs/en/docs/api.md": (
                "# API\n\n[open](#sluice.Valve.open)\n\n::: sluice.Valve\n    options:\n"
                "        members:\n            - open\n\nAfter it.\n\n::: elsewhere.Thing\n"
            ),
            "sluice/__init__.py": "from .valves import Valve as Valve\n",
            "sluice/valves.py": SOURCE,
            "pyproject.toml": "[project]\nname = 'sluice'\n",
        },
    )
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert [(each.title, each.anchor) for each in record.sections] == [
        ("API", "api"),
        ("class sluice.Valve(width: int = 1)", "sluice.Valve"),
        ("Valve.open() -> None", "sluice.Valve.open"),
    ]
    assert "**Example**\n\n```python\nValve(2).open()\n```\n" in record.text
    assert "- `width` (int): In *millimetres*." in record.text
    assert "`elsewhere.Thing`" in record.text
    noted = [(each.code, each.severity.name) for each in diagnostics if "::: (API)" in each.message]
    assert noted == [("content-elsewhere", "NOTE")]
    assert "sluice/valves.py" in [file.path for file in inputs.files]


@pytest.mark.parametrize("place", ["backend/src", "packages/sluice"])
@pytest.mark.parametrize("is_site", [True, False])
def test_mkdocstrings_finds_packages_of_projects_beside_the_configuration(
    tmp_path: Path, place: str, is_site: bool
) -> None:
    """Also where the configuration of the site is in another repository: there, other containers stay."""
    files = {
        "pyproject.toml": "[project]\nname = 'lock'\n",
        f"{place.removesuffix('/src')}/pyproject.toml": "[project]\nname = 'sluice'\n",
        f"{place}/sluice/__init__.py": "",
        f"{place}/sluice/valves.py": SOURCE,
        "mkdocs.yml": "site_name: S\nplugins:\n- mkdocstrings:\n    handlers:\n      python:\n"
        "        paths: [src]\n",
        "docs/api.md": "# API\n\n::: sluice.valves.Valve\n",
    }
    if not is_site:
        del files["mkdocs.yml"]
        files["docs/api.md"] += "\n:::note\nOpens by itself.\n:::\n"
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert record.sections[2].title == "Valve.open() -> None"
    assert is_site or "**Note**\n\nOpens by itself." in record.text


def test_objects_are_those_of_the_module_that_a_package_imports_under_its_own_name(
    tmp_path: Path,
) -> None:
    files = {
        "mkdocs.yml": "site_name: S\nplugins:\n- mkdocstrings:\n",
        "docs/api.md": "# API\n\n::: sluice.valves.Valve\n",
        "sluice/__init__.py": "from .valves import valves\n",
        "sluice/valves/__init__.py": "",
        "sluice/valves/valves.py": SOURCE,
    }
    (record,) = read(write_tree(tmp_path / "tree", files))[0].records["docs"]
    assert isinstance(record, DocRecord)
    assert record.sections[2].title == "Valve.open() -> None"


def test_the_reference_of_a_package_has_what_it_exports_from_its_modules(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "mkdocs.yml": "site_name: S\nplugins:\n- mkdocstrings:\n",
            "docs/api.md": "# API\n\n## ::: sluice\n\n## ::: sluice\n    options:\n      members: [other]\n",
            "sluice/__init__.py": (
                "from .valves import Valve, other\nfrom .rest import *\n"
                "__all__ = ['Valve', 'drain', 'gone', 'other']\n"
            ),
            "sluice/valves.py": SOURCE + "\n\ndef other():\n    'Is another.'\n",
            "sluice/rest.py": "def drain(fast):\n    'Drains it.'\n\n\ndef fill():\n    'Fills it.'\n",
        },
    )
    (record,) = read(root)[0].records["docs"]
    assert isinstance(record, DocRecord)
    assert [(each.title, each.level) for each in record.sections] == [
        ("API", 1),
        ("sluice", 2),
        ("class sluice.Valve(width: int = 1)", 3),
        ("Valve.open() -> None", 4),
        ("Valve.shut() -> None", 4),
        ("sluice.drain(fast)", 3),
        ("sluice.other()", 3),
        ("sluice", 2),
        ("sluice.other()", 3),
    ]
    assert "Drains it." in record.text
    assert "Fills it." not in record.text


def test_objects_that_mkdocstrings_takes_from_other_languages_keep_their_names(
    tmp_path: Path,
) -> None:
    config = "site_name: S\nplugins:\n- mkdocstrings:\n    default_handler: cxx\n"
    text = (
        "# API\n\n[to](#open_all)\n\n::: open_all(list<T>&, int)\n\n::: valve\n\n"
        "::: sluice\n    options:\n        members: no\n"
    )
    files = {"mkdocs.yml": config, "docs/api.md": text, "sluice.py": '"""All sluices."""\n'}
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    missing = "(not included: its reference)"
    assert (
        f"`open_all(list<T>&, int)`\n\n{missing}\n\n`valve`\n\n{missing}\n"
        in record.text.replace("\n\n\n", "\n\n")
    )
    assert "All sluices." in record.text
    (note,) = (each for each in diagnostics if each.code == "content-elsewhere")
    assert "::: (API) (2)" in note.message


def test_macros_of_mkdocs_have_the_values_of_the_configuration(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "mkdocs.yml": (
                "site_name: Buoy\nplugins: [macros]\nextra:\n  release: '4.2'\n  sea: {name: Baltic}\n"
            ),
            "docs/index.md": "# Buoy\n\n{{ config.site_name }} {{ release }} in the {{ sea.name }};"
            " {{ weather() }}.\n\n{% if x %}Always.{% endif %}\n\n```\n{{ release }}\n```\n",
        },
    )
    inputs, _ = read(root)
    (index,) = inputs.records["docs"]
    assert isinstance(index, DocRecord)
    assert "Buoy 4.2 in the Baltic; `weather()`.\n\nAlways." in index.content
    assert "```\n{{ release }}\n```" in index.content


def test_an_address_on_this_machine_is_not_where_the_site_is(tmp_path: Path) -> None:
    config = "site_name: S\nsite_url: !ENV [URL, 'http://localhost:8000/']\n"
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": config, "docs/a.md": page("A")})
    inputs, _ = read(root)
    assert addresses(inputs) == {"a.md": ""}


def test_a_folder_may_have_a_default_beside_a_variable_of_the_environment(tmp_path: Path) -> None:
    config = "site_name: S\ndocs_dir: !!python/object/apply:os.getenv [DIR, lang/en]\n"
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": config, "lang/en/a.md": page("A")})
    inputs, _ = read(root)
    assert list(addresses(inputs)) == ["a.md"]


def test_macros_leave_files_to_the_plugin_that_includes_them(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "mkdocs.yml": "site_name: B\nplugins: [macros, include-markdown]\nextra: {sea: Baltic}\n",
            "docs/index.md": '# B\n\n{{ sea }}\n\n{% include-markdown "../NEWS.md" %}\n',
            "NEWS.md": "It is cold.\n",
            "setup.py": "",
        },
    )
    inputs, _ = read(root)
    index = inputs.records["docs"][0]
    assert isinstance(index, DocRecord)
    assert "Baltic\n\nIt is cold." in index.content


def test_values_that_hooks_of_mkdocs_fill_in_are_no_braces(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "mkdocs.yml": "site_name: B\nhooks: [main.py]\n",
            "docs/index.md": "# B\n\nThis is {{ version }}.\n",
        },
    )
    inputs, diagnostics = read(root)
    (index,) = inputs.records["docs"]
    assert isinstance(index, DocRecord)
    assert "This is `version`." in index.content
    assert "content-elsewhere" in [each.code for each in diagnostics]


@pytest.mark.parametrize("is_old", [False, True])
def test_mkdocs_takes_the_default_language_of_pages_with_endings(
    tmp_path: Path, is_old: bool
) -> None:
    listed = "[{locale: fr, default: true}, {locale: en}, {locale: pt-BR}]"
    plugin = f"{{languages: {listed}}}"
    if is_old:
        plugin = "{default_language: fr, languages: {fr: Français, en: English, pt-BR: Português}}"
    files = {
        "mkdocs.yml": f"site_name: S\nsite_url: https://s.example\nplugins: [{{i18n: {plugin}}}]\n"
        "nav: [{Pont: bridge.md}, index.md]\n",
        "docs/index.fr.md": "# Accueil\n\n[pont](bridge.md) [rien](none.md)\n",
        "docs/index.en.md": page("Home"),
        "docs/bridge.fr.md": "Un pont.\n",
        "docs/bridge.en.md": page("Bridge"),
        "docs/bridge.pt-BR.md": page("Ponte"),
        "docs/only.md": page("Seul"),
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {
        "bridge.fr.md": "https://s.example/bridge/",
        "index.fr.md": "https://s.example/",
        "only.md": "https://s.example/only/",
    }
    assert inputs.records["docs"][0].title == "Pont"
    dead = [each.message.split("'")[1] for each in diagnostics if each.code == "dead-link"]
    assert dead == ["none.md"]


def test_mkdocs_has_the_folder_of_the_default_language_at_the_root(tmp_path: Path) -> None:
    languages = "[{locale: de, default: true}, {locale: en}]"
    config = f"plugins: [{{i18n: {{docs_structure: folder, languages: {languages}}}}}]\n"
    files = {
        "mkdocs.yml": f"site_name: S\nsite_url: https://s.example\n{config}nav: [b.md, a.md]\n",
        **{f"docs/{language}/{name}.md": page(name) for language in ("de", "en") for name in "ab"},
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {
        "de/b.md": "https://s.example/b/",
        "de/a.md": "https://s.example/a/",
    }


def test_pages_without_a_title_are_called_as_their_files_in_words_and_the_first_as_the_site(
    tmp_path: Path,
) -> None:
    files = {
        "mkdocs.yml": "site_name: Sluice works\n",
        "docs/index.md": "Welcome.\n",
        "docs/how-to/env_variables.md": "Text.\n",
        "docs/how-to/API-use.md": "Text.\n",
        "docs/how-to/index.md": "Text.\n",
        **{f"docs/{name}/is_open.md": "Text.\n" for name in ("gate", "lock")},
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert titles(inputs.records["docs"]) == {
        "index.md": "Sluice works",
        "how-to/env_variables.md": "Env variables",
        "how-to/API-use.md": "API use",
        "how-to/index.md": "How to",
        "gate/is_open.md": "gate Is open",
        "lock/is_open.md": "lock Is open",
    }


def test_a_site_whose_folder_of_pages_is_missing_is_none(tmp_path: Path) -> None:
    files = {"mkdocs.yml": "site_name: Sluice\n", "Docs/a.md": page("A"), "src/a.py": "a = 1\n"}
    records = read(write_tree(tmp_path / "tree", files))[0].records
    assert [each.id for each in records["docs"]] == ["Docs/a.md"]
