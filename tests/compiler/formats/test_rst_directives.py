"""Where the text of a directive of reStructuredText begins, and what it is; roles that nobody knows."""

from __future__ import annotations

import pytest
from tests.compiler.formats.samples import read

from kbc.formats import convert


def text(source: str) -> str:
    (found,) = convert("docs/a.rst", source.encode(), read)
    assert found.problems == ()
    return found.text


@pytest.mark.parametrize(
    ("directive", "shown"),
    [
        ("epigraph::\n   Herons wade.", "Herons wade."),
        ("compound::\n   Herons wade.\n\n   They fish.", "Herons wade.\n\nThey fish."),
        ("hlist::\n   * Heron\n   * Stork", "- Heron\n- Stork"),
        ("glossary::\n   heron\n      A bird.", "- **heron**\n\n  A bird."),
        ("toctree::\n   herons\n   storks", "- herons\n- storks"),
        ("autosummary::\n   wade\n   fish", "- `wade`\n- `fish`"),
        ("tab-set::\n   .. tab-item:: Lake\n\n      Wade.", "**Lake**\n\nWade."),
        ("birds::\n   Herons wade\n   and fish.", "Herons wade\nand fish."),
        (
            "birds:: Herons wade\n   and fish.\n\n   They rest.",
            "Herons wade\nand fish.\n\nThey rest.",
        ),
        ("birds::\n   ::\n\n      a nest\n", "```\na nest\n```"),
        ("birds:: Herons\n\n   They wade.", "**Herons**\n\nThey wade."),
    ],
)
def test_what_takes_no_argument_has_the_text_on_its_first_line(directive: str, shown: str) -> None:
    assert text(f".. {directive}\n").strip() == shown


def test_code_of_an_unknown_directive_is_code() -> None:
    python = (
        "class Heron:\n    def wade(self):\n        if deep:\n            fly()\n        fish()"
    )
    json = '{\n  "legs": 2,\n    "wings": 2\n}'
    shown = [".. scene:: Wading\n", *(f"   {line}" for line in python.split("\n")), ""]
    chart = [".. chart::\n", *(f"   {line}" for line in json.split("\n"))]
    assert text("\n".join([*shown, *chart])).strip() == (
        f"**Wading**\n\n```python\n{python}\n```\n\n```\n{json}\n```"
    )


def test_a_plot_shows_its_code_or_that_of_its_file_with_a_caption() -> None:
    source = (
        b".. plot:: code/reed.py fill\n   :include-source: false\n\n   A *reed*.\n\n"
        b".. plot::\n   :context:\n\n   fill()\n\n.. plot:: gone.py\n"
    )
    (found,) = convert("docs/user/a.rst", source, {"docs/code/reed.py": b"grow()\n"}.get)
    assert found.text == "```python\ngrow()\n```\n\nA *reed*.\n\n```python\nfill()\n```\n"
    assert [each.message for each in found.problems] == ["the file 'gone.py' does not exist"]


def test_roles_of_extensions_show_names_as_code() -> None:
    text = (
        b"At :event:`pond_filled` and :stat:`flow/{day}`, call :hook:`fill()` (:release:`1.2.3`,"
        b" :user:`wren`, :gh:`#12`, :story:`two_words and more`).\n"
    )
    (found,) = convert("a.rst", text, {}.get)
    assert found.text == (
        "At `pond_filled` and `flow/{day}`, call `fill()` (1.2.3, wren, #12, two_words and more).\n"
    )


def test_imports_of_javasphinx_are_no_text_and_packages_no_title() -> None:
    source = (
        ".. java:import:: java.io File\n\n.. java:import:: java.util List\n\nWeir\n====\n\n"
        ".. java:package:: org.dam\n   :noindex:\n\n.. java:type:: public class Weir\n\n   It holds water.\n"
    )
    (found,) = convert("weir.rst", source.encode(), read)
    assert found.title == "Weir"
    assert found.text == "# Weir\n\norg.dam\n\n## `public class Weir`\n\nIt holds water.\n"


BRACKETED = """\
# The first lines are no documentation.
#[=[.rst:
FindReed
--------

Finds a [[reed]].
#]=]

function(find_reed)
endfunction()

#[==[.rst:
.. code-block:: cmake

  find_reed() # in
]==]
"""
IN_LINES = """\
#.rst:
# FindReed
# --------
#
# Finds a reed.

# Not this.
"""


@pytest.mark.parametrize(
    ("name", "module", "shown"),
    [
        (
            "cmake-module",
            BRACKETED,
            "# FindReed\n\nFinds a [[reed]].\n\n```cmake\nfind_reed() # in\n```",
        ),
        ("pond-module", IN_LINES, "# FindReed\n\nFinds a reed."),
    ],
)
def test_a_module_of_cmake_has_its_documentation_in_comments(
    name: str, module: str, shown: str
) -> None:
    source = f".. {name}:: ../modules/FindReed.cmake\n".encode()
    files = {"modules/FindReed.cmake": module.encode()}
    (found,) = convert("docs/a.rst", source, files.get)
    assert found.text.strip() == shown
    assert found.title == "FindReed"


def test_other_modules_are_what_an_unknown_directive_shows() -> None:
    (found,) = convert("a.rst", b".. bird-module:: heron.wade\n", read)
    assert found.text == "`heron.wade`\n"
    assert ["bird-module" in each.message for each in found.problems] == [True]


def test_a_module_of_cmake_without_documentation_is_reported() -> None:
    files = {"a.cmake": b"# Not this.\nfind_reed()\n"}
    (found,) = convert("a.rst", b".. cmake-module:: a.cmake\n", files.get)
    assert [each.message for each in found.problems] == [
        "'a.cmake': no comment of it is reStructuredText"
    ]
