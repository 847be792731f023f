"""Sphinx, MyST and Jupyter Book: contents, inventories, endings and substitutions."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

from kbc.records import DocRecord


def test_sphinx_takes_the_order_of_its_contents_from_literals_of_conf_py(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "conf.py": (
                "import sphinx_theme\nproject = 'Kite' if tags.has('x') else 'No'\n"
                "version = '3' + '.1'\nhtml_baseurl = 'https://kite.example/'\n"
                "extensions = ['myst_parser']\nsource_suffix = {'.md': 'markdown'}\n"
                "exclude_patterns = ['old']\nexclude_patterns += ['notes/*.md']\n"
                "raise SystemExit('never run')\n"
            ),
            "index.md": "# Kite\n\nHello.\n\n```{toctree}\n:maxdepth: 2\n\nwind\nLines <rope>\n```\n",
            "rope.md": page("Rope"),
            "wind.md": page("Wind"),
            "aside.md": page("Aside"),
            "old/x.md": page("X"),
            "notes/y.md": page("Y"),
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.md": "https://kite.example/index.html",
        "wind.md": "https://kite.example/wind.html",
        "rope.md": "https://kite.example/rope.html",
        "aside.md": "https://kite.example/aside.html",
    }
    assert (inputs.project.title, inputs.project.version) == ("Kite", "3.1")


def test_sphinx_may_have_its_settings_from_elsewhere(tmp_path: Path) -> None:
    settings = "# Settings of all our Sphinx projects\nfrom house.settings import *\n"
    contents = "Flying kites\n============\n\nHello.\n\n.. toctree::\n\n   wind\n   rope\n"
    pages = {name: f"{name.title()}\n====\n\nText.\n" for name in ("aside", "rope", "wind")}
    files = {"conf.py": settings, "index.rst": contents}
    files |= {f"{name}.rst": text for name, text in pages.items()}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == ["index.rst", "wind.rst", "rope.rst", "aside.rst"]
    assert inputs.project.title == "tree"


@pytest.mark.parametrize(
    "files",
    [
        {
            "_config.yml": "title: Tides\nhtml:\n  baseurl: https://tides.example/\n",
            "_toc.yml": "format: jb-book\nroot: intro\nparts:\n- chapters:\n  - file: b\n  - file: a/x.md\n",
        },
        {
            "myst.yml": (
                "version: 1\nproject:\n  title: Tides\n  toc:\n  - file: intro.md\n  - title: P\n"
                "    children:\n    - file: b.md\n    - file: a/x.md\n"
            )
        },
    ],
)
def test_books_of_jupyter_and_projects_of_myst_have_directives_and_an_order(
    tmp_path: Path, files: dict[str, str]
) -> None:
    pages = {
        "intro.md": "# Intro\n\n```{note}\nSee {doc}`b`.\n```\n",
        "a/x.md": page("X"),
        "b.md": page("B"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", {**files, **pages}))
    records = inputs.records["docs"]
    assert [each.id for each in records] == ["intro.md", "b.md", "a/x.md"]
    assert isinstance(records[0], DocRecord)
    assert "**Note**\n\nSee [B](b.md).\n" in records[0].content
    assert inputs.project.title == "Tides"


def inventory(entries: str) -> bytes:
    head = b"# Sphinx inventory version 2\n# Project: Kite\n# Version: 4.2\n# zlib\n"
    return head.replace(b"# zlib", b"# The rest is compressed using zlib.") + zlib.compress(
        entries.encode()
    )


def test_sphinx_takes_addresses_from_the_inventory_of_its_last_build(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "conf.py": "project = 'Kite'\nhtml_baseurl = 'https://kite.example/'\nextensions = []\n",
            "index.rst": "Kite\n====\n\nHello.\n",
            "guide/wind.rst": "Wind\n====\n\nBlows.\n",
            "new.rst": "New\n===\n\nNot built yet.\n",
            "_build/html/x.html": "x",
        },
    )
    entries = "index std:doc -1  Kite\nguide/wind std:doc -1 guide/wind/ Wind\n"
    (root / "_build/html/objects.inv").write_bytes(inventory(entries))
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.rst": "https://kite.example/",
        "guide/wind.rst": "https://kite.example/guide/wind/",
        "new.rst": "https://kite.example/new.html",
    }
    assert inputs.project.version == "4.2"


@pytest.mark.parametrize(
    ("html", "place"), [("-b html", "wind.html"), ("-b dirhtml", "wind/"), ("-M $@", "wind.html")]
)
def test_a_makefile_says_whether_pages_are_folders(tmp_path: Path, html: str, place: str) -> None:
    others = "" if "$@" in html else "dirhtml:\n\tsphinx-build -b dirhtml . _build/dirhtml\n"
    files = {
        "conf.py": "project = 'Kite'\nhtml_baseurl = 'https://kite.example/'\n",
        "Makefile": f"html:\n\tsphinx-build {html} . _build/html\n{others}",
        "index.rst": "Kite\n====\n\nHello.\n",
        "wind.rst": "Wind\n====\n\nBlows.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs)["wind.rst"] == f"https://kite.example/{place}"


def test_a_site_built_by_sphinx_has_its_name_and_version_from_its_inventory(tmp_path: Path) -> None:
    html = "<title>Start</title><main><h1>Start</h1><p>Hello there.</p></main>"
    root = write_tree(tmp_path / "tree", {"index.html": html, "wind.html": html})
    (root / "objects.inv").write_bytes(inventory("index std:doc -1 index.html Start\n"))
    inputs, _ = read(root)
    assert (inputs.project.title, inputs.project.version) == ("Kite", "4.2")
    assert inputs.accounting.counts() == {
        "read": 2,
        "included": 1,
        "left out": 0,
        "not readable": 0,
    }


def test_sphinx_says_which_endings_are_restructuredtext(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "pyproject.toml": "",
            "docs/conf.py": (
                "project = 'Kite'\nsource_suffix = '.txt'\nroot_doc = 'contents'\n"
                "html_baseurl = 'https://kite.example/'\n"
            ),
            "docs/contents.txt": "Kite\n====\n\n.. toctree::\n\n   wind\n",
            "docs/wind.txt": "Wind\n====\n\n.. literalinclude:: ../kite.py\n   :language: python\n",
            "docs/README.md": page("Not a page of Sphinx"),
            "kite.py": "height = 7\n",
        },
    )
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "contents.txt": "https://kite.example/contents.html",
        "wind.txt": "https://kite.example/wind.html",
    }
    wind = inputs.records["docs"][1]
    assert "```python\nheight = 7\n```" in wind.text
    assert wind.title == "Wind"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("ab.rst", "A\n=\n\n.. literalinclude:: ../kite.py\n   :language: python\n"),
        ("ab.adoc", "= A\n\n[source,python]\n----\ninclude::../kite.py[]\n----\n"),
    ],
)
def test_pages_include_files_of_the_project_around_their_folder(
    tmp_path: Path, page: str, text: str
) -> None:
    files = {
        "pyproject.toml": "",
        "docs/conf.py": "",
        f"docs/{page}": text,
        "kite.py": "height = 7\n",
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root / "docs")
    (found,) = inputs.records["docs"]
    assert "```python\nheight = 7\n```" in found.text


def test_sphinx_reads_markdown_where_an_extension_does(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/conf.py": "project = 'Sluice'\nextensions = ['myst_parser']\n",
            "docs/index.md": "# Sluice\n\n```{toctree}\nguide\n```\n\n[far](#valve-target)\n",
            "docs/guide.md": "# Guide\n\n(valve-target)=\n## Valve\n\n```{eval-rst}\n"
            ".. autofunction:: sluice.open\n```\n\n```{eval-rst}\n.. sluice:run::\n\n    open()\n```\n",
            "sluice.py": 'def open(width=1):\n    """Lets :term:`water`\\\\s run."""\n',
            "setup.py": "",
        },
    )
    inputs, diagnostics = read(root)
    assert [each.id for each in inputs.records["docs"]] == ["index.md", "guide.md"]
    guide = inputs.records["docs"][1]
    assert isinstance(guide, DocRecord)
    assert [(each.level, each.anchor) for each in guide.sections] == [
        (1, "guide"),
        (2, "valve"),
        (3, "sluice.open"),
    ]
    assert "Lets waters run." in guide.text
    assert "```\nopen()\n```" in guide.text
    assert [each.code for each in diagnostics if each.path.startswith("docs/")] == []


def test_sphinx_reads_markdown_where_its_first_page_is_in_it(tmp_path: Path) -> None:
    contents = "# Kite\n\nHello.\n\n```{toctree}\nwind\nrope\n```\n"
    files = {"conf.py": "project = 'Kite'\nextensions = ['house_lesson']\n", "index.md": contents}
    files |= {"rope.md": page("Rope"), "wind.md": page("Wind"), "old.rst": "Old\n===\n\nText.\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == ["index.md", "wind.md", "rope.md", "old.rst"]
    (tmp_path / "tree/index.rst").write_text("Kite\n====\n\nHello.\n")
    assert list(addresses(read(tmp_path / "tree")[0])) == ["index.rst", "old.rst"]


def test_sphinx_reads_notebooks_that_are_text(tmp_path: Path) -> None:
    notebook = "# Wind\n\n```{python nbsphinx=hidden}\n# A remark\nblow()\n```\n"
    files = {
        "conf.py": (
            "project = 'Kite'\nextensions = ['nbsphinx', 'myst_parser']\n"
            "nbsphinx_custom_formats = {'.Rmd': lambda s: jupytext.reads(s, '.Rmd'), '.py': ['x', {}]}\n"
        ),
        "index.rst": "Kite\n====\n\nHello.\n\n.. toctree::\n\n   wind\n   rope\n",
        "aside.md": page("Aside"),
        "rope.md": page("Rope"),
        "wind.Rmd": notebook,
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == ["index.rst", "wind.Rmd", "rope.md", "aside.md"]
    wind = inputs.records["docs"][1]
    assert isinstance(wind, DocRecord)
    assert wind.content == notebook


def test_an_extension_reads_endings_that_sphinx_lists_without_a_format(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": "# No title"},
        {"cell_type": "markdown", "source": "# Wind\n\n:::{note}\nSee {doc}`rope`.\n:::"},
    ]
    files = {
        "conf.py": (
            "project = 'Kite'\nextensions = ['myst_nb']\n"
            "source_suffix = ['.rst', '.md', '.ipynb']\n"
        ),
        "index.rst": "Kite\n====\n\nHello.\n\n.. toctree::\n\n   wind\n   rope\n",
        "rope.md": page("Rope"),
        "wind.ipynb": json.dumps({"cells": cells}),
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == ["index.rst", "wind.ipynb", "rope.md"]
    wind = inputs.records["docs"][1]
    assert isinstance(wind, DocRecord)
    assert (wind.title, wind.format) == ("Wind", "notebook")
    assert "**Note**\n\nSee [Rope](rope.md).\n" in wind.text
    assert list(diagnostics) == []


def test_notebooks_of_nbsphinx_have_no_directives(tmp_path: Path) -> None:
    cell = {"cell_type": "markdown", "source": "# Wind\n\nThe role {doc}`rope`."}
    files = {
        "conf.py": "project = 'Kite'\nextensions = ['nbsphinx']\n",
        "index.rst": "Kite\n====\n\nHello.\n\n.. toctree::\n\n   wind\n",
        "wind.ipynb": json.dumps({"cells": [cell]}),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    wind = inputs.records["docs"][1]
    assert isinstance(wind, DocRecord)
    assert "The role {doc}`rope`." in wind.text


def test_sphinx_has_the_order_of_an_external_table_of_contents(tmp_path: Path) -> None:
    files = {
        "conf.py": "project = 'Kite'\nextensions = ['sphinx_external_toc', 'myst_parser']\n",
        "_toc.yml": (
            "root: index\nsubtrees:\n- entries:\n  - file: wind\n    subtrees:\n    - entries:\n"
            "      - glob: lines/*\n  - url: https://kite.example\n  - file: rope.md\n"
        ),
        "aside.md": page("Aside"),
        "index.md": page("Kite"),
        "lines/b.md": page("B"),
        "lines/a.rst": "A\n=\n\nText.\n",
        "rope.md": page("Rope"),
        "wind.md": page("Wind"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == [
        *("index.md", "wind.md", "lines/a.rst", "lines/b.md", "rope.md", "aside.md")
    ]


def test_substitutions_of_myst_have_the_values_of_conf_py_and_of_the_page(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "conf.py": (
                "project = 'Pier'\nextensions = ['myst_parser']\n"
                "myst_enable_extensions = ['substitution']\nmyst_substitutions = {'depth': '4 m'}\n"
            ),
            "index.md": "---\nmyst:\n  substitutions:\n    keeper: Ada\n    sign: |\n      ```{note}\n"
            "      {{ keeper }} paints.\n      ```\n---\n\n# Pier\n\n"
            "{{ keeper }} measured {{ depth }}.\n\n"
            "| By |\n| --- |\n| {{ sign }} |\n\n"
            "````{tip}\n{{ keeper }} knows.\n\n{{ sign }}\n````\n\n```\n{{ keeper }}\n```\n",
        },
    )
    inputs, _ = read(root)
    (index,) = inputs.records["docs"]
    assert isinstance(index, DocRecord)
    assert "Ada measured 4 m." in index.content
    assert "| Ada paints. |\n" in index.content
    shown = "**Tip**\n\nAda knows.\n\n**Note**\n\nAda paints.\n\n```\n{{ keeper }}\n```\n"
    assert re.sub(r"\n{3,}", "\n\n", index.content).endswith(shown)


def test_of_sites_beside_each_other_the_one_with_the_most_pages_gives_the_title(
    tmp_path: Path,
) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "setup.py": "",
            "doc/drafts/conf.py": "project = 'Drafts'\n",
            "doc/drafts/index.rst": "Drafts\n======\n\nFew.\n",
            "doc/source/conf.py": "project = 'Jetty'\n",
            "doc/source/index.rst": "Jetty\n=====\n\n.. toctree::\n\n   a\n   b\n",
            "doc/source/a.rst": "A\n=\n\nText.\n",
            "doc/source/b.rst": "B\n=\n\nText.\n",
        },
    )
    found = recognised(root)
    assert "Sphinx project 'Jetty'" in found.what
    assert [each.paths for each in found.project.collections][:2] == [
        ("doc/source",),
        ("doc/drafts",),
    ]


def test_roles_of_myst_link_labels_and_documents(tmp_path: Path) -> None:
    inputs, diagnostics = read(
        write_tree(
            tmp_path / "tree",
            {
                "conf.py": "project = 'Gates'\nextensions = ['myst_parser']\n",
                "a.md": (
                    "# A\n\n{ref}`shut`, {ref}`it <shut>`, {doc}`more/b`, {doc}`the page </more/b>`,"
                    " {ref}`gone`.\n"
                ),
                "more/b.md": "# B gates\n\nText.\n\n(shut)=\n\n## Shut `it`\n\nShut {ref}`top`.\n",
                "top.rst": ".. _top:\n\nTop\n===\n\nSee :ref:`shut`.\n",
            },
        )
    )
    texts = {each.id: each.text for each in inputs.records["docs"] if isinstance(each, DocRecord)}
    assert texts["a.md"].split("\n\n")[1] == (
        "[Shut it](more/b.md#shut-it), [it](more/b.md#shut-it), [B gates](more/b.md),"
        " [the page](more/b.md), `gone`.\n"
    )
    assert texts["more/b.md"].endswith("Shut [Top](../top.rst#top).\n")
    assert texts["top.rst"].endswith("See [Shut it](more/b.md#shut-it).\n")
    assert [each.code for each in diagnostics] == []


def test_links_of_myst_lead_to_labels_and_documents(tmp_path: Path) -> None:
    files = {
        "conf.py": "project = 'Gates'\nextensions = ['myst_parser']\n",
        "a.md": "# A\n\n[](shut), [the *gate*](end), [](b), [](gone), `[](shut)`.\n\n"
        "[](sec:big), [it](#sec:big), [](#end), [](mailto:x).\n\n```md\n[](shut)\n```\n[](b.md#sec-big)\n",
        "b.md": (
            "```{note}\n---\nclass: x\n---\nText.\n```\n\n# B `gates`\n\n(shut)=\n(end)=\n(sec:big)=\n\n"
            "## Shut it\n\nDone.\n"
        ),
        "index.rst": "Kite\n====\n\n:doc:`b`\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    texts = {each.id: each.text for each in inputs.records["docs"] if isinstance(each, DocRecord)}
    assert texts["a.md"] == (
        "# A\n\n[Shut it](b.md#shut-it), [the *gate*](b.md#shut-it), [B gates](b.md), [](gone),"
        " `[](shut)`.\n\n[Shut it](b.md#shut-it), [it](b.md#shut-it), [Shut it](b.md#shut-it), [](mailto:x)."
        "\n\n```md\n[](shut)\n```\n[](b.md#sec-big)\n"
    )
    assert texts["index.rst"].endswith("[B gates](b.md)\n")
    assert [each.code for each in diagnostics] == []


def test_the_pages_may_be_beside_the_folder_of_their_configuration(tmp_path: Path) -> None:
    files = {
        "config/conf.py": "project = 'Heron'\nmaster_doc = 'contents'\n",
        "config/__init__.py": "",
        **{
            f"{language}/{name}.rst": f"{title}\n=====\n\n{text}\n"
            for language in ("en", "fr")
            for name, title, text in (
                ("contents", "Heron", ".. toctree::\n\n   nests\n   eggs"),
                ("eggs", "Eggs!", "They are blue."),
                ("nests", "Nests", "They are high."),
            )
        },
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [record.id for record in inputs.records["docs"]] == [
        "contents.rst",
        "nests.rst",
        "eggs.rst",
    ]
    (collection,) = inputs.collections
    assert (collection.generator, collection.paths) == ("sphinx", ("en",))


@pytest.mark.parametrize(("other", "place"), [("notes/a.txt", "source"), ("more/a.rst", "")])
def test_the_pages_may_be_below_the_folder_of_their_configuration(
    tmp_path: Path, other: str, place: str
) -> None:
    files = {
        "conf.py": "project = 'Heron'\nhtml_baseurl = 'https://heron.example/'\n",
        "README.rst": "How to build\n============\n\nWith make.\n",
        "source/index.rst": "Heron\n=====\n\n.. toctree::\n\n   nests\n   eggs\n",
        "source/eggs.rst": "Eggs\n====\n\nBlue. See :doc:`/nests`.\n",
        "source/nests.rst": "Nests\n=====\n\nHigh.\n",
        other: "A\n=\n\nB.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert inputs.collections[0].paths == (place or ".",)
    if place:
        assert [*addresses(inputs).values()] == [
            f"https://heron.example/{name}.html" for name in ("index", "nests", "eggs")
        ]


def test_pages_with_any_ending_that_the_configuration_states_are_read(tmp_path: Path) -> None:
    files = {
        "conf.py": "extensions = ['myst_parser']\nproject = 'Kite'\n"
        "source_suffix = {'.rst': 'restructuredtext', '.lhs': 'markdown'}\n",
        "index.rst": "Kite\n====\n\n.. toctree::\n\n   tutorial/Wind.lhs\n",
        "tutorial/Wind.lhs": "# Wind\n\nLearn it.\n\n```haskell\nblow = 1\n```\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    found = {each.id: (each.title, "blow = 1" in each.text) for each in inputs.records["docs"]}
    assert found == {"index.rst": ("Kite", False), "tutorial/Wind.lhs": ("Wind", True)}
