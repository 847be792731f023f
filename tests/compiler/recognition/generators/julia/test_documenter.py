"""Documenter: make.jl, blocks of its Markdown, docstrings of the package and links to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.records import DocRecord

MAKE = """\
using Documenter, Heron
include("pages.jl")
makedocs(; sitename = "Heron.jl", modules = [Heron], pages)
deploydocs(repo = "github.com/Fens/Heron.jl.git")
"""
PAGES = """\
pages = Any[
    "Home" => "index.md",
    "Guide" => ["Nests" => "guide/nests.md", hide("guide/eggs.md"), "gone.md"],
    "API" => "api.md",
]
"""
SOURCE = '''\
module Heron

import Base: show
export fly, Nest

const NOTE = "Birds only."

"""
    fly(bird)

Flies to [`Nest`](@ref). $NOTE

# Examples

```jldoctest; output = false
fly(1) # kept

# output

2
```
"""
function fly(bird; fast = false)
end

"""
$(TYPEDEF)

Holds eggs, see [Eggs and more](@ref) and [`Marsh.wade`](@ref).

$(TYPEDFIELDS)
"""
struct Nest
    "how many"
    eggs::Int
end

include("marsh.jl")
end
'''
MARSH = """\
module Marsh

"Wades in water."
wade(depth::Real) = depth

"Wades by name."
wade(name::String) = name

"Shows it."
Base.show(io, x::Int) = 1

"Not public."
@enum Depth low high

end
"""
API = """\
# API

## Public

```@docs
fly
Nest
Marsh.wade(::Real)
Reed.cut
```

## Rest

```@autodocs
Modules = [Heron.Marsh]
Order = [:type, :function]
Private = true
```
"""
NESTS = """\
```@meta
CurrentModule = Heron
```

# [Nests](@id all-nests)

See [`fly`](@ref), [the eggs](@ref "Eggs and more"), [this](@ref all-nests),
[`rest`](@ref), [here](@ref Marsh.wade).
Code of a link is `[text](@ref)`. [Knuth](@cite) said so.

!!! note "Care"
    Keep away.

    ```@repl one
    fly(1)
    secret # hide
    ```

```@example one
using Heron # hide
fly(2)
```

```@setup one
hidden_setup()
```

```@eval
hidden_eval()
```

```@raw html
<p>Drawn

by hand</p>
```

```@raw latex
\\hidden
```

```@contents
Pages = ["api.md"]
```

````
```@docs
shown
```
````
"""
FILES = {
    "Project.toml": 'name = "Heron"\nuuid = "1"\nversion = "1.2.0"\n',
    "src/Heron.jl": SOURCE,
    "src/marsh.jl": MARSH,
    "docs/Project.toml": "[deps]\n",
    "docs/make.jl": MAKE,
    "docs/pages.jl": PAGES,
    "docs/src/index.md": page("Heron"),
    "docs/src/api.md": API,
    "docs/src/guide/nests.md": NESTS,
    "docs/src/guide/eggs.md": (
        "# Eggs and more\n\nText.\n\n## Sizes\n\nA.\n\n## Sizes\n\nB. [One](#Sizes-2)\n"
    ),
    "docs/src/unlisted.md": "Text without a heading.\n",
    "docs/src/assets/script.txt": "no page\n",
}


def pages_of(tmp_path: Path, **changed: str) -> dict[str, DocRecord]:
    files = {**FILES, **{name.replace("__", "/") + ".md": text for name, text in changed.items()}}
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert [each.message for each in diagnostics if each.code.startswith("dead")] == []
    return {each.id: each for each in inputs.records["docs"] if isinstance(each, DocRecord)}


def test_make_names_pages_in_order_with_titles_and_addresses(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    found = recognised(root)
    assert found.what == ("Julia package Heron with a Documenter site 'Heron.jl' (docs/make.jl)")
    assert found.project.version == "1.2.0"
    assert {each.name: each.paths for each in found.project.collections} == {
        "docs": ("docs/src",),
        "code": (".",),
    }
    inputs, diagnostics = read(root)
    docs = "https://fens.github.io/Heron.jl/stable/"
    assert addresses(inputs) == {
        "index.md": docs,
        "guide/nests.md": f"{docs}guide/nests/",
        "guide/eggs.md": f"{docs}guide/eggs/",
        "api.md": f"{docs}api/",
        "unlisted.md": f"{docs}unlisted/",  # the site has it, though not in its navigation
    }
    assert [each.code for each in diagnostics if each.code == "dead-anchor"] == []
    assert [each.message for each in diagnostics if each.code == "content-elsewhere"] == [
        "directives on 2 pages of 'docs' that stand for text outside the tree (2):"
        " @eval (1), @docs (1)"
    ]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        ('makedocs(format = Documenter.HTML(canonical = "https://heron.example/"))',
         "https://heron.example/guide/eggs/"),
        ('makedocs(format = Documenter.HTML(prettyurls = false, canonical = "https://h.example"))',
         "https://h.example/guide/eggs.html"),
        ('makedocs(format = Documenter.HTML(; prettyurls = get(ENV, "CI", nothing) == "true"))\n'
         'deploydocs(repo = "github.com/fens/Heron.jl", versions = nothing, dirname = "d")',
         "https://fens.github.io/Heron.jl/d/guide/eggs/"),
        ('makedocs()\ndeploydocs(; repo = "github.com/a/b.git", cname = "h.example", devurl = "x")',
         "https://h.example/stable/guide/eggs/"),
        ('makedocs(format = DocumenterVitepress.MarkdownVitepress(; deploy_url = "https://h.example"))\n'
         'DocumenterVitepress.deploydocs(; repo = "github.com/fens/Heron.jl")',
         "https://h.example/stable/guide/eggs.html"),
        ('makedocs()\ndeploydocs(repo = "github.com/fens/fens.github.io.git", versions = nothing)',
         "https://fens.github.io/guide/eggs/"),
        ('makedocs()\ndeploydocs(repo = "gitlab.com/fens/Heron.jl")', ""),
        ("f(x) = makedocs(; x...)", ""),
    ],
)  # fmt: skip
def test_addresses_are_those_that_the_script_states(
    tmp_path: Path, make: str, expected: str
) -> None:
    files = {**FILES, "docs/make.jl": f"using Documenter\n{make}\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs)["guide/eggs.md"] == expected


def test_pages_may_be_those_of_the_navigation_only(tmp_path: Path) -> None:
    make = 'makedocs(pagesonly = true, source = "text", pages = ["index.md", "T" => "own.md"])\n'
    files = {
        "docs/make.jl": make,
        "docs/text/index.md": page("Heron"),
        "docs/text/own.md": "Text.\n",
        "docs/text/other.md": page("Other"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert titles(inputs.records["docs"]) == {"index.md": "Heron", "own.md": "T"}


def test_a_script_that_makes_no_documentation_is_no_site(tmp_path: Path) -> None:
    files = {**FILES, "docs/make.jl": "using Documenter\nprint(1)\n"}
    assert "Documenter" not in recognised(write_tree(tmp_path / "tree", files)).what


def test_blocks_are_shown_as_the_site_shows_them(tmp_path: Path) -> None:
    nests = pages_of(tmp_path)["guide/nests.md"].content
    assert "# Nests {#all-nests}" in nests
    assert "**Note: Care**\n\nKeep away.\n\n```julia\nfly(1)\n```" in nests
    assert "```julia\nfly(2)\n```" in nests
    assert "\n\nDrawn\nby hand\n\n" in nests
    assert "````\n```@docs\nshown\n```\n````" in nests
    for hidden in ("hide", "hidden", "CurrentModule", "@contents", "secret"):
        assert hidden not in nests


def test_references_are_links_to_sections_and_docstrings(tmp_path: Path) -> None:
    nests = pages_of(tmp_path)["guide/nests.md"].content
    assert (
        "See [`fly`](../api.md#Heron.fly), [the eggs](eggs.md#Eggs-and-more), [this](#all-nests),\n"
        "`rest`, [here](../api.md#Heron.Marsh.wade).\n"
        "Code of a link is `[text](@ref)`. Knuth said so."
    ) in nests


def test_docstrings_are_sections_with_name_and_signature(tmp_path: Path) -> None:
    api = pages_of(tmp_path)["api.md"]
    assert (
        "### `Heron.fly` {#Heron.fly}\n\n```julia\nfly(bird)\n```\n\n"
        "Flies to [`Nest`](#Heron.Nest). Birds only.\n\n**Examples**\n\n```julia\nfly(1) # kept\n```\n"
    ) in api.content
    assert (
        "### `Heron.Nest` {#Heron.Nest}\n\n```julia\nstruct Nest\n```\n\n"
        "Holds eggs, see [Eggs and more](guide/eggs.md#Eggs-and-more) and"
        " [`Marsh.wade`](#Heron.Marsh.wade).\n\n- `eggs::Int`: how many\n"
    ) in api.content
    public, rest = api.content.split("## Rest")
    assert "Wades in water." in public
    assert "Wades by name." not in public
    assert "`Reed.cut` (not included: its reference)" in public
    sections = [(each.title, each.level, each.anchor) for each in api.sections]
    assert sections[-4:] == [
        ("Rest", 2, "Rest"),
        ("Heron.Marsh.Depth", 3, "Heron.Marsh.Depth"),
        ("Base.show", 3, "Base.show"),
        ("Heron.Marsh.wade", 3, "Heron.Marsh.wade"),
    ]
    assert "```julia\n@enum Depth low high\n```\n\nNot public." in rest


def test_a_docstring_that_leaves_a_fence_open_hides_nothing(tmp_path: Path) -> None:
    source = 'module Heron\n"A.\n\n```julia\nx\n"\na\n"B.\n\n```"\nb\n"C."\nc\nend\n'
    files = {**FILES, "src/Heron.jl": source, "docs/src/api.md": "```@docs\na\nb\nc\n```\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    api = next(each for each in inputs.records["docs"] if each.id == "api.md")
    assert isinstance(api, DocRecord)
    assert [each.title for each in api.sections] == ["Heron.a", "Heron.b", "Heron.c"]


def test_repeated_headings_are_counted_from_two(tmp_path: Path) -> None:
    eggs = pages_of(tmp_path)["guide/eggs.md"]
    assert [each.anchor for each in eggs.sections] == ["Eggs-and-more", "Sizes", "Sizes-2"]


SCRIPT = """\
# Copyright   #src
# # Catching
#
# See [`fly`](@ref) and [nests](nests.md).

#=
More text.
=#

fly(1)
## a comment
secret()   #hide
only_there() #jl

#-----
fly(2) #md
"""


def test_scripts_of_literate_are_pages(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            **FILES,
            "docs/make.jl": MAKE.replace("Documenter,", "Documenter, Literate,"),
            "docs/pages.jl": PAGES.replace('"gone.md"', '"Catch" => "generated/catching.md"'),
            "docs/src/guide/catching.jl": SCRIPT,
            "docs/src/guide/tool.jl": "tool() = 1\n",
            "docs/src/unlisted.md": "Link to [it](guide/catching.md#Catching).\n",
        },
    )
    inputs, diagnostics = read(root)
    assert [each.message for each in diagnostics if each.code.startswith("dead")] == []
    ids = [each.id for each in inputs.records["docs"]]
    assert ids[3] == "guide/catching.jl"
    assert "guide/tool.jl" not in ids
    script = inputs.records["docs"][3]
    assert isinstance(script, DocRecord)
    assert script.url.endswith("/stable/generated/catching/")
    assert script.title == "Catching"
    assert script.content == (
        "# Catching\n\nSee [`fly`](../api.md#Heron.fly) and [nests](nests.md).\n\nMore text.\n\n"
        "```julia\nfly(1)\n# a comment\n```\n\n```julia\nfly(2)\n```\n"
    )
