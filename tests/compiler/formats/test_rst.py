"""reStructuredText with Sphinx's directives and roles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.formats.samples import RST, read

from kbc.formats import ELSEWHERE, UNRESOLVED, Converted, convert
from kbc.project.include_tree import IncludeTree


def one(source: str, path: str = "docs/a.rst") -> Converted:
    (found,) = convert(path, source.encode(), read)
    return found


def text(source: str) -> str:
    return one(source).text


def test_sample_keeps_title_author_and_every_text() -> None:
    (found,) = convert("docs/a.rst", RST, read)
    assert found.title == "Title with code"
    assert found.text.startswith("# Title with `code`\n")
    for part in (
        "[a link](<https://example.org/a_(b)>), Title with code, `run()`,\nsubstituted",
        '````python\ndef f():\n    return "```"\n````',
        "```\na  b\n  c\n```",
        "> **Note**\n>\n> Beware\n> of this.\n>\n> ```sh\n> ls -l\n> ```",
        "*Added in version 3.2:* More of it.",
        "## `class Cache(size=10)`",
        "### `Cache.get(key, *rest)`",
        "- **param key**: what to look for",
        "**Linux**\n\nUse apt.",
        "**Mac**\n\n```bash\nbrew install it\n```",
        "- **Name**\n\n  first\n\n  **Code**\n\n  ```\n  x = 1\n  ```",
        "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
        "- **term**\n\n  its meaning",
        "```pycon\n>>> 1 + 1\n2\n```",
        "```python\ndef f():\n    return 1\n```",
        "Included *text*.",
        "kept text",
        "\\[1\\] A note.",
    ):
        assert part in found.text, part


def test_directives_without_their_text_are_named() -> None:
    found = one(".. autoclass:: pkg.Thing\n\n.. literalinclude:: gone.py\n")
    names = [(each.name, each.line, each.code) for each in found.problems]
    assert names == [("autoclass", 1, ELSEWHERE), ("literalinclude", 3, UNRESOLVED)]
    assert found.text == "`pkg.Thing`\n"


def test_icons_of_sphinx_design_are_no_text() -> None:
    text = "Doors\n=====\n\nThe :octicon:`door;1em` door, :fa-solid:`x` and :material-regular:`y;2em` more.\n"
    (found,) = convert("a.rst", text.encode(), lambda _: None)
    assert " ".join(found.text.split()) == "# Doors The door, and more."


def test_names_of_names_on_other_pages_are_no_text() -> None:
    source = "A `gate`_ or `door`_.\n\n.. _door: gate_\n.. _gate: `Gates of the pond`_\n\nEnd.\n"
    assert text(source) == "A gate or door.\n\nEnd.\n"


def test_cards_have_no_marks_between_their_parts() -> None:
    found = one(
        ".. grid:: 2\n\n   .. grid-item-card::\n\n      **Nests**\n      ^^^\n\n      How to build.\n\n"
        "      +++\n\n      .. button-ref:: nests\n         :color: primary\n\n         All nests\n"
    )
    assert found.text == "**Nests**\n\nHow to build.\n\nAll nests\n"


MODULE = """
from .core import *


class Cache:
    \"\"\"Keeps values, see :class:`~pkg.Store`.

    :param size: how many
    \"\"\"

    def __init__(self, size: int = 10): ...

    def get(self, key: str) -> bytes:
        \"\"\"The value.\"\"\"

    def _hidden(self): ...
"""


def test_autodoc_is_the_reference_from_the_source_in_the_tree() -> None:
    tree = {
        "src/pkg/__init__.py": MODULE,
        "src/pkg/core.py": "def run(*, fast=False):\n    'Runs.'\n",
    }

    def find(path: str) -> bytes | None:
        return tree[path].encode() if path in tree else None

    source = (
        "API\n===\n\n.. currentmodule:: pkg\n\n.. autoclass:: Cache\n   :members:\n\n"
        ".. autofunction:: pkg.run\n\n.. autoclass:: Cache(size)\n"
    )
    (found,) = convert("docs/api.rst", source.encode(), find)
    assert found.problems == ()
    assert found.anchors == ("api", "pkg.Cache", "pkg.Cache.get", "pkg.run", "pkg.Cache")
    for part in (
        "## `class pkg.Cache(size: int = 10)`\n\nKeeps values, see `Store`.\n",
        "- `size` (int): how many",
        "### `Cache.get(key: str) -> bytes`\n\nThe value.\n",
        "## `pkg.run(*, fast=False)`\n\nRuns.\n",
    ):
        assert part in found.text, found.text
    assert found.text.count("### `Cache.get") == 1  # the second has no `:members:`


def test_types_that_roles_name_are_names() -> None:
    module = (
        'def hatch(egg, other):\n    """Hatches.\n\n    :param egg: One.\n'
        "    :type egg: :py:class:`~.nests.Egg`\n"
        "    :param other: More.\n    :type other: list of :class:`nests.Egg`\n"
        '    :rtype: :py:class:`.nests.Bird`\n    :returns: It.\n    """\n'
    )
    tree = {"pkg.py": module.encode()}
    (found,) = convert("api.rst", b"API\n===\n\n.. autofunction:: pkg.hatch\n", tree.get)
    assert "- `egg` (Egg): One." in found.text
    assert "- `other` (list of nests.Egg): More." in found.text
    assert "(nests.Bird): It." in found.text


@pytest.mark.parametrize(("is_found", "marks"), [(True, "###"), (False, "##")])
def test_members_beside_autodoc_are_those_of_its_class(is_found: bool, marks: str) -> None:
    tree = {"src/pkg/__init__.py": MODULE.encode()} if is_found else {}
    source = (
        "API\n===\n\n.. currentmodule:: pkg\n\n.. autoclass:: Cache(size)\n\n   .. attribute:: size\n\n"
        "      How many.\n\n.. autofunction:: clear\n\n   .. attribute:: speed\n\n.. attribute:: other\n"
    )
    (found,) = convert("docs/api.rst", source.encode(), tree.get)
    assert [each for each in found.anchors if each != "pkg.Cache"] == [
        *("api", "pkg.Cache.size", "pkg.speed", "pkg.other")
    ]
    assert f"\n{marks} `Cache.size`\n\nHow many.\n" in found.text


@pytest.mark.parametrize(
    ("settings", "options", "is_described"),
    [
        (
            "autodoc_default_options = {\n    'undoc-members': True,\n    'members': None,\n}\n",
            "",
            True,
        ),
        ("autodoc_default_flags = ['members']\n", "", True),
        ("autodoc_default_flags = ['members']\n", "   :no-members:\n", False),
        ("autodoc_default_options = {'members': False, 'private-members': True}\n", "", False),
        ("", "   :inherited-members:\n", True),
        ("", "", False),
    ],
)
def test_autodoc_describes_members_by_default_where_conf_py_says_so(
    settings: str, options: str, is_described: bool
) -> None:
    tree = {"pkg/__init__.py": MODULE.encode(), "docs/conf.py": settings.encode()}
    source = f"API\n===\n\n.. autoclass:: pkg.Cache\n{options}\n.. autofunction:: pkg.Cache.get\n"
    (found,) = convert("docs/ref/api.rst", source.encode(), tree.get)
    assert found.anchors.count("pkg.Cache.get") == 1 + is_described


@pytest.mark.parametrize("directive", ["autoclass", "class"])
def test_autodoc_in_a_class_names_members_of_it(directive: str) -> None:
    tree = {"pkg/__init__.py": MODULE.encode()}
    source = (
        f"API\n===\n\n.. currentmodule:: pkg\n\n.. {directive}:: Cache(size)\n\n   .. automethod:: get\n\n"
        "   .. automethod:: put\n\n.. automethod:: get\n"
    )
    (found,) = convert("docs/api.rst", source.encode(), tree.get)
    assert found.text.count("### `Cache.get(key: str) -> bytes`\n\nThe value.\n") == 1
    assert found.anchors == ("api", "pkg.Cache", "pkg.Cache.get")
    assert [each.message for each in found.problems] == [
        "the source of 'put' is not in the tree",
        "the source of 'get' is not in the tree",
    ]


def test_anchors_are_those_of_docutils_and_sphinx() -> None:
    found = one(
        "A Title\n=======\n\n.. currentmodule:: json\n\n.. function:: dumps(obj)\n\n.. option:: --verbose\n"
    )
    assert found.anchors == ("a-title", "json.dumps", "cmdoption-verbose")
    assert "## `json.dumps(obj)`" in found.text


def test_metadata_above_the_title_is_no_text() -> None:
    found = one(":orphan:\n:author: Jane\n:date: 2024-05-06\n\nTitle\n=====\n\nText.\n")
    assert (found.author, found.created_at) == ("Jane", "2024-05-06")
    assert found.text == "# Title\n\nText.\n"


def test_markup_characters_in_text_stay_text() -> None:
    assert text("1. a\n\nNot a # heading * or `x <y>`\n").endswith(
        "Not a # heading * or *x \\<y>*\n"
    )
    assert text("a < b <tag> [x](y) \\*z\n") == "a < b \\<tag> [x\\](y) \\*z\n"


def test_titles_of_documents_are_without_their_markup() -> None:
    files = {
        "nest.rst": b"Build a |Nest| of :func:`~pond.twigs`\n====\n\n.. |Nest| replace:: :class:`pond.Nest`\n"
    }
    (found,) = convert("index.rst", b"See :doc:`nest`.\n", files.get)
    assert found.text == "See [Build a pond.Nest of twigs](nest.rst).\n"


def test_toctree_lists_titles_of_documents() -> None:
    found = text(".. toctree::\n\n   part\n   Named <other>\n   gone/*\n")
    assert found == "- [part](part.txt)\n- Named\n"


def test_toctree_lists_titles_that_documents_include() -> None:
    files = {
        "docs/work.rst": b".. _work:\n\n.. include:: ../CONTRIBUTING.rst\n",
        "docs/rules.md": b"```{include} ../RULES.md\n```\n",
        "CONTRIBUTING.rst": b"How to work\n===========\n\nWade in.\n",
        "RULES.md": b"# Our rules\n\nNone.\n",
    }
    source = b".. toctree::\n\n   work\n   rules\n"
    (found,) = convert("docs/index.rst", source, files.get)
    assert found.text.splitlines() == ["- [How to work](work.rst)", "- [Our rules](rules.md)"]


def test_toctree_lists_notebooks() -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "source": ["# no\n", "x"]},
        {"cell_type": "markdown", "metadata": {}, "source": ["Hello"]},
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": ['# The \u201cold\u201d "*Nests*"\n', "More"],
        },
    ]
    files = {
        "a.ipynb": json.dumps({"cells": cells}, indent=1).encode(),
        "b.ipynb": json.dumps({"cells": cells[:2]}).encode(),
    }
    (found,) = convert("index.rst", b".. toctree::\n\n   a\n   b\n   B <b>\n", files.get)
    assert (
        found.text == '- [The \u201cold\u201d "Nests"](a.ipynb)\n- [b](b.ipynb)\n- [B](b.ipynb)\n'
    )


def test_a_directive_behind_two_colons_is_read_and_not_quoted() -> None:
    text = one("Do::\n\n.. code-block:: php\n\n   Psr\\Log\n\nQuote::\n\n> a\n> b\n").text
    assert "Do:\n\n```php\nPsr\\Log\n```" in text
    assert "Quote:\n\n```\n> a\n> b\n```" in text


def test_highlight_sets_the_language_of_literal_blocks() -> None:
    assert text(".. highlight:: c\n\n::\n\n   int x;\n") == "```c\nint x;\n```\n"


def test_literalinclude_selects_by_text_and_object() -> None:
    assert "```python\ndef f():\n    return 1\n```" in text(
        ".. literalinclude:: code.py\n   :pyobject: f\n"
    )
    assert text(
        ".. literalinclude:: code.py\n   :start-after: import\n   :end-before: return\n"
    ) == ("```python\ndef f():\n```\n")


def test_an_included_file_has_its_language_by_its_name_too() -> None:
    files = {"Makefile": b"all:\n"}
    (found,) = convert("a.rst", b".. literalinclude:: Makefile\n", files.get)
    assert found.text == "```make\nall:\n```\n"


def test_a_file_that_includes_itself_is_one_unresolved_directive() -> None:
    files = {"a.rst": b"Text.\n\n.. include:: a.rst\n"}
    (found,) = convert("a.rst", files["a.rst"], files.get)
    assert [each.name for each in found.problems] == ["include"]
    assert found.text == "Text.\n"


def test_what_lies_outside_of_the_tree_is_the_trees_to_refuse(tmp_path: Path) -> None:
    docs = tmp_path / "project" / "docs"
    docs.mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("of somebody else")
    (tmp_path / "project" / "notes.txt").write_text("of the project")
    tree = IncludeTree(docs, tmp_path / "project")
    for target, shown in (("../notes.txt", True), ("../../secret.txt", False)):
        source = f".. include:: {target}\n".encode()
        (found,) = convert("a.rst", source, lambda path: tree.read(path, "a.rst"))
        assert ("of the project" in found.text) is shown
        assert "somebody" not in found.text
        assert [each.code for each in found.problems] == ([] if shown else [UNRESOLVED])


def test_what_docutils_reads_with_a_warning_is_not_quoted() -> None:
    source = "Nests\n=====\n\nLong title\n-----\n\nA |br| b\n\n.. |br| raw:: html\n\n   <br />\n"
    assert text(source) == "# Nests\n\n## Long title\n\nA  b\n"


def test_broken_table_is_kept_as_written_and_reported_once() -> None:
    found = one("==== ===\na    b\n==== ===\nx too wide text\n==== ===\n\nAfter.\n\n.. image::\n")
    assert [each.code for each in found.problems] == ["rst-syntax"]
    assert "x too wide text" in found.text
    assert "After." in found.text


def test_bytes_that_are_no_text_are_one_error_with_their_line() -> None:
    (found,) = convert("a.rst", b"Title\n=====\n\n\xff\n", read)
    assert [(each.code, each.line, each.is_error) for each in found.problems] == [
        ("file-not-utf8", 4, True)
    ]


def test_a_file_may_include_a_part_of_itself() -> None:
    source = b".. queue-start\n\nFirst in, first out.\n\n.. queue-end\n\nAgain\n=====\n\n"
    source += b".. include:: a.rst\n   :start-after: queue-start\n   :end-before: queue-end\n"
    (found,) = convert("a.rst", source, lambda path: source if path == "a.rst" else None)
    assert found.text.count("First in, first out.") == 2
    assert found.problems == ()


def test_code_that_a_site_runs_is_code() -> None:
    source = (
        ".. glossary::\n\n    Sum\n        Text\n\n"
        "        .. jupyter-execute::\n\n            a = f(\n                1,\n            )\n"
    )
    assert "  ```python\n  a = f(\n      1,\n  )\n  ```" in text(source)


def test_theorems_and_exercises_are_labelled_text() -> None:
    gated = ".. solution-start:: t\n\nTwo.\n\n.. solution-end::\n"
    found = one(f".. prf:lemma:: Tides\n   :label: t\n\n   They *turn*.\n\n{gated}")
    assert found.text.strip() == "**Lemma: Tides**\n\nThey *turn*.\n\n**Solution**\n\nTwo."
    assert found.problems == ()


PEP = """\
PEP: 8
Title: Style ``of`` Code
Author: Jane Doe <jane@example.org>,
        B Name <b@example.org>
Status: Active
Created: 05-Jul-2001
Superseded-By: 9


Abstract
========

Text.
"""


def test_a_pep_has_the_title_and_fields_of_its_header() -> None:
    found = one(PEP)
    assert found.problems == ()
    assert (found.title, found.author) == ("PEP 8 – Style of Code", "Jane Doe, B Name")
    assert found.created_at == "05-Jul-2001"
    assert found.anchors == ("pep-content", "abstract")
    head, _, rest = found.text.partition("\n\n")
    assert head == "# PEP 8 – Style `of` Code"
    assert rest.startswith(
        "- **Author**: Jane Doe <[jane@example.org](mailto:jane@example.org)>,\n"
        "  B Name <[b@example.org](mailto:b@example.org)>\n- **Status**: Active\n"
    )
    assert rest.endswith("\n\n## Abstract\n\nText.\n")


def test_classes_of_a_style_sheet_describe_no_object() -> None:
    assert one(".. class:: alert alert-info\n\n   Mind.\n").text == "Mind.\n"
    assert "`class heron`" in one(".. class:: heron\n\n   It flies.\n").text


def test_metadata_in_several_languages_is_no_text_and_no_mistake() -> None:
    found = one(
        "Herons\n======\n\nThey wade.\n\n.. meta::\n   :title lang=en: Herons\n   :keywords: a, b\n"
    )
    assert found.text == "# Herons\n\nThey wade.\n"
    assert found.problems == ()


def test_tags_of_a_page_are_shown() -> None:
    assert text(".. tags:: arch: wading, bird\n") == "Tags: arch: wading, bird\n"
    assert text(".. tags::\n\n   wading\n   bird\n") == "Tags: wading, bird\n"


def test_what_a_build_makes_output_of_is_not_shown() -> None:
    source = ".. ansible-output-data::\n\n    env:\n     A: b\n    playbook: |-\n      - @{{ x }}@\n\nIt.\n"
    found = one(source)
    assert (found.text, found.problems) == ("It.\n", ())


def test_a_toctree_names_a_pep_by_its_title() -> None:
    files = {"pep-0008.rst": PEP.encode()}
    (found,) = convert("index.rst", b".. toctree::\n\n   pep-0008\n", files.get)
    assert found.text == "- [PEP 8 – Style of Code](pep-0008.rst)\n"


def test_a_first_line_that_is_like_the_header_of_a_pep_is_text() -> None:
    assert text("PEP: 8 is the style guide.\n\nText.\n").startswith("PEP: 8 is")
    assert text("From: Jane\nTo: Joe\n\nText.\n").startswith("From: Jane\nTo: Joe\n")


def test_bare_addresses_stay_bare() -> None:
    assert text("See https://a.example/b_c now.\n") == "See <https://a.example/b_c> now.\n"


def test_badges_are_no_part_of_a_title() -> None:
    badge = ".. |Build| image:: build.svg\n   :target: https://ci.example.org/\n"
    found = one(f"Heron |Build|\n=============\n\nCounts birds.\n\n{badge}")
    assert found.title == "Heron"
    assert found.text.startswith("# Heron\n\nCounts birds.")
    assert one(f"|Build|\n=======\n\nCounts.\n\n{badge}").title == "Build"


def test_a_byte_order_mark_is_no_part_of_a_title() -> None:
    files = {"docs/b.rst": b"\xef\xbb\xbfGate\n====\n"}
    (found,) = convert("docs/a.rst", b"See :doc:`b`.\n", files.get)
    assert found.text == "See [Gate](b.rst).\n"


def test_a_page_of_markdown_is_called_as_its_heading_reads() -> None:
    files = {"docs/b.md": b"# The [`heron`](x.md) tool {#heron}\n"}
    (found,) = convert("docs/a.rst", b"See :doc:`b`.\n", files.get)
    assert found.text == "See [The heron tool](b.md).\n"


def test_the_name_of_a_column_keeps_what_only_a_part_of_it_has() -> None:
    table = ".. list-table::\n   :header-rows: 1\n\n   * - {}\n   * - ::\n\n        wade()\n"
    for name, shown in (("*wade* to", "***wade* to**"), ("**wade**", "**wade**")):
        assert text(table.format(name)).startswith(f"- {shown}\n\n  ```\n  wade()\n")
