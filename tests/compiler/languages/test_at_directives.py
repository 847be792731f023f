"""Directives that begin with `@`: of VuePress and Doxygen."""

from __future__ import annotations

import pytest

from kbc.languages.includes.expansion import expand

FILES = {
    "snippets/weir.js": b"one()\ntwo()\nthree()\n",
    "guide/part.md": b"---\ntitle: P\n---\nA part.\n",
}


def shown(text: str) -> str:
    return expand(text, "guide/page.md", FILES.get).text


def test_code_is_shown_with_its_lines_language_and_indentation() -> None:
    assert shown("Text.\n\n@[code](@snippets/weir.js)\n") == (
        "Text.\n\n```js\none()\ntwo()\nthree()\n```\n"
    )
    assert shown("- A\n\n  @[code{2-3}{1} ts:no-line-numbers](../snippets/weir.js)\n") == (
        "- A\n\n  ```ts\n  two()\n  three()\n  ```\n"
    )


def test_pages_are_included_and_missing_files_counted() -> None:
    assert shown("@include(./part.md)\n") == "A part.\n"
    blade = "Blade:\n\n    @include('shared.errors')\n"  # a template of PHP that names a view
    assert shown(blade) == blade
    found = expand("@[code](./none.js)\n", "guide/page.md", FILES.get)
    assert found.text == "(not included: ./none.js)\n"
    assert found.unresolved == {"@[code]": 1}


def test_directives_in_code_stay_as_they_are() -> None:
    text = "```md\n@[code](../snippets/weir.js)\n```\n"
    assert shown(text) == text


def doxygen_shown(text: str) -> str:
    return expand(text, "docs/page.md", lambda path: None).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("See @ref heron_fly and \\ref nest \"the nest\".", "See `heron_fly` and the nest."),
        ("Call @ref\nheron_fly.", "Call `heron_fly`."),
        ("Use [the nest](@ref nest_guide) of @ref Heron::fly().", "Use the nest of `Heron::fly()`."),
        ("@anchor EGGS\n__EGGS__ counts eggs.\n", "__EGGS__ counts eggs.\n"),
        ("@ref a\n\n@note Never in rain,\nsee @b this.\n", "`a`\n\n**Note** Never in rain,\nsee **this**.\n"),
        (
            "@page nests Nests\n\n@section big Big nests\n\n"
            "@code{.c}\nint @ref;\n@endcode\n\n\\subpage small\n",
            "# Nests {#nests}\n\n## Big nests {#big}\n\n```c\nint @ref;\n```\n\n`small`\n",
        ),
        ("@tableofcontents\n\nText with `@ref kept`.\n", "\nText with `@ref kept`.\n"),
        ("@note One.\n\n```c\nx;\n```\n\nSee @ref y.", "**Note** One.\n\n```c\nx;\n```\n\nSee `y`."),
        ("See [`fly`](@ref) and [Nests](\\ref nests).", "See `fly` and Nests."),
        ("For \\f$v_0\\f$ and @f(a[0] \\b@f):\n\n\\f[\n  c v = x[0]\n\\f]\nit is.\n",
         "For `v_0` and `a[0] \\b`:\n\n```math\nc v = x[0]\n```\nit is.\n"),
        ("So \\f$x\\f$:\n\n\\f{align*}{\n  x &= 1\n\\f}\n",
         "So `x`:\n\n```math\n\\begin{align*}\nx &= 1\n\\end{align*}\n```\n"),
        ("[`fly`](@ref Heron.fly) and `\\b`\n", "`fly` and `\\b`\n"),  # Documenter of Julia
        ("Write `[text](@ref)` for [text](@ref).", "Write `[text](@ref)` for text."),
        ("# [Data of `a`](@id man-data)\n\n## [Own](@id)\n", "# Data of `a` {#man-data}\n\n## Own\n"),
        ("```@meta\nCurrentModule = A\n```\nText.\n\n```@index\n```", "\nText.\n\n"),
        ("```@example one\nfly()\n```\n\n```jldoctest; setup = x\njulia> 1\n1\n```",
         "```julia\nfly()\n```\n\n```julia\njulia> 1\n1\n```"),
        ("```@docs\nfly\n```\n\n```py\n@a\n```", "```@docs\nfly\n```\n\n```py\n@a\n```"),
    ],
)  # fmt: skip
def test_commands_become_what_they_show(source: str, expected: str) -> None:
    assert doxygen_shown(source) == expected


def test_files_that_commands_show_are_code() -> None:
    files = {
        "examples/fly.c": b"int x;\n//! [go]\n  fly(x);\n//! [go]\n",
        "docs/nest.c": b"nest();\n",
    }
    text = "See @ref fly.\n\n@snippet fly.c go\n\n- A\n\n  \\include{lineno} nest.c\n\n@snippet fly.c land\n"
    found = expand(text, "docs/page.md", files.get)
    assert found.text == (
        "See `fly`.\n\n```c\nfly(x);\n```\n\n- A\n\n  ```c\n  nest();\n  ```\n\n(not included: fly.c land)\n"
    )
    assert found.unresolved == {"@snippet": 1}


@pytest.mark.parametrize(
    "source",
    [
        "Write to fly@ref heron, or \\ref{eq:one} and \\b word.",
        "```c\n/** @ref fly */\n```\n\n@note no page of Doxygen",
        "@page { margin: 0 }\n\n@note no page of Doxygen",
        "Use `@ref fly`.",
    ],
)
def test_what_only_looks_like_commands_stays(source: str) -> None:
    assert doxygen_shown(source) == source


def test_code_that_is_never_closed_is_read_in_bounded_time() -> None:
    assert doxygen_shown("@ref a\n\n" + "@code\nx\n" * 20_000).startswith("`a`\n")
    assert doxygen_shown("@ref a\n\n" + "[x](@ref " * 5_000).startswith("`a`\n")
