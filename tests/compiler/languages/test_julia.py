"""Julia as text: docstrings with what they describe, and what scripts state as literals."""

from __future__ import annotations

import pytest

from kbc.languages.julia.docstrings import Docstring, read_source
from kbc.languages.julia.names import Wanted, fit, wanted
from kbc.languages.julia.script import Call, Name, Pair, read_script, stated


def described(source: str) -> Docstring:
    (doc,) = read_source(source).docs
    return doc


@pytest.mark.parametrize(
    ("source", "name", "kind", "signature"),
    [
        ('"D"\nfunction fly(x, y::Int=1; to)\n  x\nend\n', "fly", "function", "fly(x, y::Int=1; to)"),
        ('"D"\nfly(x)::Int = x\n', "fly", "function", "fly(x)::Int"),
        ('"D"\nfly(x::T) where {T<:Real} = x\n', "fly", "function", "fly(x::T) where {T<:Real}"),
        ('"D"\nBase.show(io, x) = 1\n', "Base.show", "function", "Base.show(io, x)"),
        ('"D"\nBase.:(==)(a, b) = 1\n', "Base.==", "function", "Base.:(==)(a, b)"),
        ('"D"\n(n::Nest{T})(x) = 1\n', "Nest", "function", "(n::Nest{T})(x)"),
        ('"D"\nfunction fly end\n', "fly", "function", "fly"),
        ('"D"\n@inline function fly(x) end\n', "fly", "function", "fly(x)"),
        ('"D"\n@stable mode = "x" function fly(x) end\n', "fly", "function", "fly(x)"),
        ('"D"\nBase.@kwdef struct Nest{T} <: Place\n  x::T\nend\n', "Nest", "type",
         "struct Nest{T} <: Place"),
        ('"D"\nabstract type Place end\n', "Place", "type", "abstract type Place"),
        ('"D"\nmacro fly(x)\nend\n', "@fly", "macro", "@fly(x)"),
        ('"D"\nconst LIMIT = 3\n', "LIMIT", "constant", "const LIMIT = 3"),
        ('"D"\nconst Nests = Union{A, B}\n', "Nests", "type", "const Nests = Union{A, B}"),
        ('"D"\nmodule Inner\nend\n', "Inner", "module", "module Inner"),
        ('"D"\n@enum Size small large\n', "Size", "type", "@enum Size small large"),
        ('"D"\nfly\n', "fly", "function", "fly"),
        ('@muladd begin\n"D"\nfly(x) = 1\nend\n', "fly", "function", "fly(x)"),
        ('@doc raw"D" fly(x)\n', "fly", "function", "fly(x)"),
        ('@doc """\nD\n"""\nfly(x) = 1\n', "fly", "function", "fly(x)"),
        ('"D"\nfly(a, # why\n    b) = 1\n', "fly", "function", "fly(a, b)"),
    ],
)  # fmt: skip
def test_docstrings_have_the_name_kind_and_signature_of_what_follows(
    source: str, name: str, kind: str, signature: str
) -> None:
    doc = described(source)
    assert (".".join(doc.name), doc.kind, doc.signature, doc.text) == (name, kind, signature, "D")


@pytest.mark.parametrize(
    "source",
    [
        'x = "D"\nfly(x) = 1\n',
        'x =\n  "D"\nfly(x) = 1\n',
        'function f()\n  "D"\n  fly(x)\nend\n',
        'f(\n"D",\nfly)\n',
        '"D"\n\nfly(x) = 1\n',
        '# "D"\nfly(x) = 1\n',
        '#= "D"\n#= inner =# =#\nfly(x) = 1\n',
        'struct A\n  "D"\n  x\nend\n',
        '@recipe Plot (x,) begin\n  "D"\n  color = 1\nend\n',
        '"D"\n',
    ],
)
def test_other_texts_are_no_docstrings(source: str) -> None:
    assert read_source(source).docs == []


def test_modules_end_where_their_blocks_do() -> None:
    source = (
        "module Heron\nexport fly,\n  @nest\n@compat public rest\n"
        'if true\n  f(x) = x[end]\n  g = [i for i in 1:3 if i > 1]\nend\n"A"\na\n'
        'module Inner\nimport Base: show,\n  size\nh(do_it) = begin 1 end\n"B"\nb\ninclude("more.jl")\nend\n'
        "\"C\"\nc' * d'\nend\n"
    )
    found = read_source(source)
    assert [(doc.module, doc.name) for doc in found.docs] == [
        (("Heron",), ("a",)),
        (("Heron", "Inner"), ("b",)),
        (("Heron",), ("c",)),
    ]
    assert found.exports == [(("Heron",), name) for name in ("fly", "@nest", "rest")]
    assert found.includes == [(("Heron", "Inner"), "more.jl")]
    inner = ("Heron", "Inner")
    assert found.imports == [(inner, "show", "Base"), (inner, "size", "Base")]


def test_members_of_an_enumeration_in_a_module_of_its_own_are_in_it() -> None:
    found = read_source('module Heron\n@enumx Size begin\n  "S"\n  Small = 1\nend\n"B"\nb\nend\n')
    assert [(doc.module, doc.name, doc.signature) for doc in found.docs] == [
        (("Heron", "Size"), ("Small",), "Small = 1"),
        (("Heron",), ("b",), "b"),
    ]


def test_texts_lose_their_margin_and_escapes_and_keep_what_a_program_puts_in() -> None:
    text = '\n  a\n    \\$b \\\\ "q" $(f("x")) $NOTE\n  '
    source = f'const NOTE =\n  """\n  Stay.\n  """\n"""{text}"""\nfly(x)\n'
    assert described(source).text == 'a\n  $b \\ "q" \x02f("x")\x03 \x02NOTE\x03'
    assert read_source(source).texts == [("NOTE", "Stay.")]
    assert described('@doc raw"""\n\\alpha $x\n"""\nfly\n').text == "\\alpha $x"


def test_fields_have_their_own_docstrings() -> None:
    source = '"D"\nstruct Nest\n  "how many"\n  eggs::Int = 3\n  tree\n  Nest() = new(1)\nend\nother = 1\n'
    assert described(source).fields == (("eggs::Int", "how many"), ("tree", ""))


def test_methods_are_told_by_the_types_of_their_arguments() -> None:
    doc = described('"D"\nfly(x::T, to::Base.Real=1; fast) where {T<:Bird} = 1\n')
    assert (doc.types, doc.optional) == (("Bird", "Real"), 1)
    assert wanted("fly(::Bird, ::Real)\nHeron.nest # kept\n@Heron.rest\nf(a,\n  b)") == [
        Wanted(("fly",), ("Bird", "Real")),
        Wanted(("Heron", "nest")),
        Wanted(("Heron", "@rest")),
        Wanted(("f",), ("Any", "Any")),
    ]
    assert [fit(asked, ("Bird{A}", "Real"), 1) for asked in (
        ("Bird{A}", "Real"), ("Bird{A}",), ("Bird{B}", "Real"), ("Fish",), (), ("Bird", "Real", "Any"),
    )] == [3, 3, 2, 1, 0, 0]  # fmt: skip


FILES = {"parts/list.jl": 'const PARTS = Any["B" => "b.md"]\nname = "Heron"\n'}


def test_scripts_give_calls_with_literals_and_pass_over_the_rest() -> None:
    source = (
        "using Documenter # makedocs(x)\n"
        'include(joinpath(@__DIR__, "parts", "list.jl"))\n'
        'first_page = "a" * ".md"\n'
        'push!(PARTS, "C" => joinpath("c", "d.md"))\n'
        "options = (; clean = true)\n"
        "build(; pages) = if pages\n  Documenter.makedocs(;\n"
        '    sitename = "$name.jl", modules = [Heron, Heron.Inner], names = map(f, x),\n'
        '    pages = [first_page, "Parts" => PARTS, "Last" => [hide("e.md")], PARTS...],\n'
        "    doctest = false, order = [:type], options..., format = Documenter.HTML(; x = 1))\nend\n"
    )
    script = read_script(source, ["makedocs"], FILES.get)
    parts = [Pair("B", "b.md"), Pair("C", "c/d.md")]
    assert script.included == ["parts/list.jl"]
    assert script.calls == [
        Call("makedocs", (), {
            "sitename": "Heron.jl",
            "modules": [Name("Heron"), Name("Heron.Inner")],
            "names": Call("map", (Name("f"), Name("x"))),
            "pages": ["a.md", Pair("Parts", parts), Pair("Last", [Call("hide", ("e.md",))]), *parts],
            "doctest": False,
            "order": ["type"],
            "clean": True,
            "format": Call("HTML", (), {"x": 1}),
        })
    ]  # fmt: skip


@pytest.mark.parametrize(
    "part",
    ['"$(', '"""\n$("', '"a"\nf(', "module A\n", '"a"\nf(x) where ', "x = [", "a =\n", "#=", "export a,\n"],
)  # fmt: skip
def test_source_that_is_never_closed_is_read_in_bounded_time(part: str) -> None:
    read_source(part * 8_000)
    stated(part * 8_000)
