"""The references of C and C++ that Breathe inserts, from comments of headers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.formats import ELSEWHERE, Converted, convert
from kbc.formats.doxygen import DoxygenProjects, HeaderSets, read_header

BOAT = """
#pragma once
#include "export.h"

/** @file boat.hpp Boats of the lake. */

/// How deep water may be.
#define LAKE_DEPTH(x) ((x) * 2)

namespace lake { inline namespace v1 {

enum class Wind { calm, ///< No wind.
                  gale /**< Too much. */ };

/** @brief A boat that is rowed.
 *
 * See @ref row, and:
 * @code
 * lake::Boat boat{3};
 * @endcode
 * @tparam T what it carries
 * @note Boats leak.
 */
template <class T = std::vector<int>>
class LAKE_API Boat final : public Hull<T> {
public:
    /// Makes one.
    explicit Boat(int oars = 2) : Hull<T>{oars}, oars_(oars) {}
    /*!
     * Rows.
     * \\param[in] strokes  how often,
     *                     at most nine
     * \\return the distance in metres
     * \\throws Sunk where water is deep
     */
    LAKE_API double row(int strokes, std::pair<int, T> pace = {1, {}}) const noexcept;
    double row(int strokes); //!< Rows on.
    bool operator==(const Boat& other) const; ///< Compares.
    void undocumented();
    int oars; ///< How many.
protected:
    /// Leaks.
    void leak();
private:
    /// Nobody knows.
    int secret_;
};

template <class T>
double Boat<T>::row(int strokes, std::pair<int, T> pace) const noexcept { if (strokes) { return 1; } }

/** Launches a boat.
 * @param[out] where the place
 */
template <class T> [[nodiscard]] auto launch(Boat<T>&& boat, int* where) -> bool;

/// Carries anything.
using Cargo = Boat<std::map<int, std::string>>;
}}

/** @defgroup ports Ports of call
 *  Where boats land.
 *  @{ */
/** A port in C. */
typedef struct { int depth; /**< In metres. */ } port_t;
/// Opens a port.
#ifdef __cplusplus
extern "C" {
#endif
LAKE_API int port_open(port_t *port, void (*done)(int));
/// Called when a port is open.
typedef void (*port_callback)(port_t*);
/** @} */
#ifdef __cplusplus
}
#endif
/** @ingroup ports
 * Closes all. */
void port_close_all(void);
"""


def one(source: str, headers: str = BOAT, **options: object) -> Converted:
    sets = HeaderSets("lake", {"lake": ["include/boat.hpp"]}, **options)  # type: ignore[arg-type]
    files = {"include/boat.hpp": headers.encode()}
    (found,) = convert("docs/a.rst", source.encode(), files.get, doxygen=DoxygenProjects(sets))
    return found


def shown(source: str, headers: str = BOAT, **options: object) -> str:
    found = one(source, headers, **options)
    assert not found.problems
    return found.text


def test_a_class_is_shown_with_its_comment_and_documented_members() -> None:
    text = shown("Boats\n=====\n\n.. doxygenclass:: lake::Boat\n   :members:\n")
    for part in (
        "## `class lake::v1::Boat`\n\n```cpp\n"
        "template <class T = std::vector<int>> class LAKE_API Boat final\n```\n\nA boat that is rowed.\n",
        "See `row`, and:\n\n```cpp\nlake::Boat boat{3};\n```\n",
        "**Template parameters**\n\n- `T`: what it carries\n",
        "**Note** Boats leak.",
        "### `explicit lake::v1::Boat::Boat(int oars = 2)`\n\nMakes one.\n",
        "### `LAKE_API double lake::v1::Boat::row(int strokes, "
        "std::pair<int, T> pace = {1, {}}) const noexcept`\n\nRows.\n\n**Parameters**\n\n"
        "- `strokes`: how often,\n  at most nine\n\n"
        "**Returns**\n\n- the distance in metres\n\n**Throws**\n\n- `Sunk`: where water is deep\n",
        "### `double lake::v1::Boat::row(int strokes)`\n\nRows on.\n",
        "### `bool lake::v1::Boat::operator==(const Boat& other) const`\n\nCompares.\n",
        "### `lake::v1::Boat::oars`\n\n```cpp\nint oars\n```\n\nHow many.\n",
    ):
        assert part in text, part
    assert not {"undocumented", "Leaks", "Nobody"} & set(text.replace(".", " ").split())


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("", []),
        (":members: oars", ["oars"]),
        (":members:\n   :protected-members:\n   :private-members:", ["leak", "secret_", "oars"]),
        (":members:\n   :undoc-members:", ["undocumented", "oars"]),
    ],
)
def test_options_say_which_members_are_shown(options: str, names: list[str]) -> None:
    text = shown(f".. doxygenclass:: lake::Boat\n   {options}\n")
    headings = " ".join(line for line in text.split("\n") if line.startswith("##"))
    members = ("oars", "leak", "secret_", "undocumented")
    assert [each for each in members if f"Boat::{each}" in headings] == [
        each for each in members if each in names
    ]


@pytest.mark.parametrize(
    ("directive", "expected"),
    [
        ("doxygenfunction:: lake::launch", "lake::v1::launch(Boat<T>&& boat, int* where) -> bool`"),
        ("doxygenfunction:: launch", "- `where`: the place"),
        ("doxygenfunction:: lake::Boat::row(int)", "Rows on."),
        ("doxygentypedef:: lake::Cargo", "using Cargo = Boat<std::map<int, std::string>>\n```\n\nCarries"),
        ("doxygenenum:: lake::Wind", "- `calm`: No wind.\n- `gale`: Too much.\n"),
        ("doxygendefine:: LAKE_DEPTH", "# `LAKE_DEPTH(x) ((x) * 2)`\n\nHow deep water may be."),
        ("doxygenstruct:: port_t\n   :members:", "`port_t::depth`\n\n```cpp\nint depth\n```\n\nIn metres."),
        ("doxygentypedef:: port_callback", "typedef void (*port_callback)(port_t*)\n```\n\nCalled"),
        ("doxygenfunction:: port_open", "(port_t *port, void (*done)(int))`\n\nOpens a port."),
        ("doxygenvariable:: lake::Boat::oars", "How many."),
        ("doxygenfile:: boat.hpp", "Boats of the lake."),
        ("doxygennamespace:: lake::v1", "A boat that is rowed."),
        ("doxygenindex::", "Closes all."),
    ],
)  # fmt: skip
def test_a_directive_shows_what_it_names(directive: str, expected: str) -> None:
    assert expected in shown(f".. {directive}\n")


def test_a_group_has_what_is_in_it_or_says_so() -> None:
    text = shown(".. doxygengroup:: ports\n   :content-only:\n")
    assert text.startswith("Where boats land.\n")
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# `struct port_t`",
        "# `LAKE_API int port_open(port_t *port, void (*done)(int))`",
        "# `port_callback`",
        "# `void port_close_all(void)`",
    ]
    assert shown(".. doxygengroup:: ports\n").startswith("# Ports of call\n")


def test_a_definition_puts_what_is_declared_before_it_into_its_group() -> None:
    headers = (
        "/** @defgroup oars Oars */\nvoid pull(int times);\n/// Lifts.\nvoid lift(int);\nvoid rest();\n"
        "/** Pulls.\n * @ingroup oars */\ninline void pull(int times) {}\n"
        "/** Lifts all.\n * @ingroup oars */\ninline void lift(int n) {}\n"
    )
    text = shown(".. doxygengroup:: oars\n", headers)
    assert re.findall(r"`void (.*)`\n\n(.*)", text) == [
        ("pull(int times)", "Pulls."),
        ("lift(int)", "Lifts."),
    ]


def test_what_no_header_has_is_reported_and_named() -> None:
    found = one(".. doxygenclass:: lake::Ship\n\n.. doxygenfunction:: sink\n   :project: sea\n")
    assert [(each.name, each.line, each.code) for each in found.problems] == [
        ("doxygenclass", 1, ELSEWHERE),
        ("doxygenfunction", 3, ELSEWHERE),
    ]
    assert found.text == "`lake::Ship`\n\n`sink`\n"


def test_a_comment_may_name_what_it_describes_and_show_what_another_says() -> None:
    header = (
        "/** @fn int dive(int depth)\n * Dives. */\nint dive(int depth);\n"
        "/** @copydoc dive */\nint swim(int depth);\n"
    )
    assert "`int dive(int depth)`\n\nDives.\n" in shown(".. doxygenfunction:: dive\n", header)
    assert "`int swim(int depth)`\n\nDives.\n" in shown(".. doxygenfunction:: swim\n", header)


def test_text_in_restructuredtext_is_read_as_such() -> None:
    header = (
        "/** Rests.\n * @verbatim embed:rst:leading-asterisk\n * .. note::\n *\n *    Quiet.\n"
        " * @endverbatim\n * @rst\n * Or ``sleeps``.\n * @endrst\n */\nvoid rest();\n"
    )
    text = shown(".. doxygenfunction:: rest\n", header)
    assert text.endswith("Rests.\n\n> **Note**\n>\n> Quiet.\n\nOr `sleeps`.\n")


def test_null_characters_in_a_comment_stand_for_nothing() -> None:
    text = shown(".. doxygenclass:: Ferry\n", "/** Crosses \0007\0 lakes. */\nclass Ferry {};\n")
    assert "Crosses 7 lakes." in text


def test_the_first_comment_of_a_block_is_that_of_all_where_doxygen_is_told_so() -> None:
    header = "/** @{ Floats. */\nvoid a();\nvoid b();\n/** @} */\nvoid c();\n"
    assert "Floats" not in shown(".. doxygenfunction:: b\n", header)
    assert "Floats" in shown(".. doxygenfunction:: b\n", header, distributed=["lake"])
    assert "Floats" not in shown(".. doxygenfunction:: c\n", header, distributed=["lake"])


def test_both_sides_of_a_condition_are_read() -> None:
    header = (
        "#ifdef A\nclass X { /** One. */ public:\n#else\nclass X {\npublic:\n#endif\n"
        "  /** Two. */ void f();\n};\n/** Three. */ void g();\n"
    )
    names = [each.name for each in read_header(header).entities if each.comment]
    assert names == ["X::f", "g"]


_PIECES = [
    "class",
    "struct",
    "enum",
    "typedef",
    "using",
    "template",
    "<",
    ">",
    "(",
    ")",
    "{",
    "}",
    ";",
    ":",
    "::",
    ",",
    "=",
    "operator",
    "~",
    "name",
    "x",
    "public",
    "namespace",
    'extern\n"C"',
    "/**a*/",
    "///<b\n",
    "#if\n",
    "#else\n",
    "#endif\n",
    "/**@{*/",
    "/**@}*/",
    "@defgroup",
    "[",
    "]",
    "->",
    "==",
    "const",
    'R"(',
]


@given(st.lists(st.sampled_from(_PIECES), max_size=30))
def test_whatever_stands_in_a_header_is_read(pieces: list[str]) -> None:
    read_header(" ".join(pieces))


@pytest.mark.parametrize(
    "piece", ["/** ", "/** @code ", "template<", "(", "{", "#if X\n", "/// a\n", '"', 'R"x(']
)
def test_long_headers_are_read_in_linear_time(piece: str) -> None:
    read_header(piece * 20_000)
    shown(
        ".. doxygenfunction:: f\n",
        f"/** Does.\n{piece * 2_000} */\nvoid f();\n".replace("*/ */", "*/"),
    )


PAGES = b"""/*!
\\page nests Nests of herons

\\tableofcontents

A %Heron builds \\link Nest nests \\endlink of \\code twig(1) \\endcode, 50% of them high.
\\image html nest.png "A nest"

\\section nests_twigs Choosing twigs

\\snippet twigs.cpp use
\\include gone.cpp

<table><tr><td>\\code
twig.measure();
\\endcode</td></tr></table>
*/

/** \\defgroup birds All birds
 *  What flies.
 */

/// \\class Heron
/// Stands in water.
"""


def test_files_of_comments_are_pages() -> None:
    tree = {"doc/examples/twigs.cpp": b"int main() {\n  //! [use]\n  go();\n  //! [use]\n}\n"}
    (found,) = convert("doc/nests.dox", PAGES, tree.get)
    assert found.text == (
        "# Nests of herons {#nests}\n\n"
        "A Heron builds nests of `twig(1)`, 50% of them high.\nA nest\n\n"
        "## Choosing twigs {#nests_twigs}\n\n"
        "```cpp\ngo();\n```\n(not included: gone.cpp)\n\n"
        "<table><tr><td>\n```cpp\ntwig.measure();\n```\n</td></tr></table>\n\n"
        "# All birds {#birds}\n\nWhat flies.\n\n"
        "## `Heron`\n\nStands in water.\n"
    )
    assert [(each.code, each.name) for each in found.problems] == [(ELSEWHERE, "include")]


@pytest.mark.parametrize("piece", ["x @code{", "x @code y ", "@image{", "@link a", "@include{"])
@pytest.mark.timeout(20)
def test_long_pages_are_read_in_linear_time(piece: str) -> None:
    convert("a.dox", f"/** {piece * 40_000} */".encode(), {}.get)


def test_a_file_without_a_comment_is_no_page_of_doxygen() -> None:
    (found,) = convert("a.dox", b"DEVICE=heron\n", {}.get)
    assert found.problems[0].is_error
    assert found.problems[0].code == "doxygen-invalid"
