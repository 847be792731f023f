"""The language of a source file, by the extension of its name or by its first line.

Names are those of tree-sitter grammars where one exists; `crystal` and `quint` have none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_ORG_MODE = re.compile(rb"-\*-(?:[^*]*;)?\s*(?:mode:\s*)?org\s*(?:;[^*]*)?-\*-", re.IGNORECASE)

_ENDINGS: Mapping[str, Sequence[str]] = {
    "bash": ("bash", "bats", "ksh", "sh", "zsh"), "batch": ("bat", "cmd"),
    "clojure": ("bb", "clj", "cljc", "cljs"), "commonlisp": ("lisp",), "crystal": ("cr",),
    "cpp": ("c++", "cc", "cpp", "cxx", "h", "h++", "hh", "hpp", "hxx", "inl", "ino", "ipp", "tcc", "tpp"),
    "csharp": ("cs", "csx"), "cuda": ("cu", "cuh"), "elisp": ("el",), "elixir": ("ex", "exs"),
    "erlang": ("erl", "escript", "hrl"),
    "fortran": ("f", "f03", "f08", "f90", "f95", "for", "fypp"), "fsharp": ("fs", "fsi", "fsx"),
    "gdscript": ("gd",), "glsl": ("comp", "frag", "geom", "glsl", "tesc", "tese", "vert"),
    "graphql": ("gql", "graphql"), "groovy": ("gradle", "groovy", "gvy"),
    "haskell": ("hs", "hs-boot"), "haxe": ("hx",), "hcl": ("hcl", "tf", "tfvars"), "ini": ("cfg", "ini"),
    "javascript": ("cjs", "js", "jsx", "mjs"), "julia": ("jl",), "kotlin": ("kt", "kts"),
    "lua": ("lua", "rockspec"), "make": ("mk",), "nim": ("nim", "nimble", "nims"),
    "objc": ("m", "mm"), "ocaml": ("ml",), "ocaml_interface": ("mli",),
    "perl": ("pl", "pm", "psgi", "t"), "powershell": ("ps1", "psd1", "psm1"),
    "purescript": ("purs",), "python": ("py", "pyi"), "quint": ("qnt",), "racket": ("rkt",),
    "ruby": ("gemspec", "podspec", "rake", "rb", "rbi", "ru"), "rust": ("rs",),
    "scala": ("sbt", "sc", "scala"), "scheme": ("scm",), "solidity": ("sol",),
    "starlark": ("bzl",), "tlaplus": ("tla",), "typescript": ("cts", "mts", "ts"), "typst": ("typ",),
    "verilog": ("sv", "svh"), "yaml": ("yaml", "yml"),
}  # fmt: skip
"""Language -> its endings; `h` is of C++, whose grammar reads C as well."""

_ALIKE = (
    "c", "cairo", "cmake", "css", "d", "dart", "elm", "fish", "gleam", "go", "hlsl", "html", "java", "json",
    "luau", "nix", "php", "proto", "r", "scss", "sql", "svelte", "swift", "thrift", "toml", "tsx", "vim",
    "vue", "wgsl", "xml", "zig",
)  # fmt: skip
"""Languages whose only ending is their name."""

LANGUAGES: Mapping[str, str] = {
    **{ending: language for language, endings in _ENDINGS.items() for ending in endings},
    **{language: language for language in _ALIKE},
}

_WITHOUT_GRAMMAR = (
    "adb", "ads", "agda", "als", "applescript", "asm", "awk", "bal", "bicep", "cbl", "chpl", "cob",
    "cue", "dfy", "dhall", "dsp", "fnl", "fst", "fut", "hy", "idr", "janet", "jsonnet", "kk", "lagda",
    "lean", "libsonnet", "lidr", "metal", "mojo", "move", "mzn", "ncl", "odin", "pas", "pde", "pkl", "pml",
    "pony", "raku", "rakumod", "rego", "scad", "sml", "smt2", "stan", "tcl", "thy", "v", "vala", "vb",
    "vhd", "vhdl", "vy", "wat", "wren",
)  # fmt: skip
"""Endings of programs in further languages. They are split as text."""

SOURCE: Mapping[str, str] = {**{each: each for each in _WITHOUT_GRAMMAR}, **LANGUAGES}
"""Ending -> language, of all code that is known as such; the ending itself where kbc has no name for the
language."""

_FILE_NAMES: Mapping[str, str] = {
    "cmakelists.txt": "cmake", "containerfile": "dockerfile", "dockerfile": "dockerfile",
    "gemfile": "ruby", "gnumakefile": "make", "jenkinsfile": "groovy", "makefile": "make",
    "podfile": "ruby", "rakefile": "ruby", "vagrantfile": "ruby",
}  # fmt: skip

_TEMPLATE = ".in"

_SHEBANG = re.compile(
    r"#!.*?\b(?P<name>bash|dash|deno|elixir|escript|julia|ksh|lua|node|perl|php|pwsh|python|Rscript|ruby|sh|zsh)"
    r"(?:[\d.]*)\b"
)
_INTERPRETERS = {
    "dash": "bash", "deno": "typescript", "escript": "erlang", "ksh": "bash", "node": "javascript",
    "pwsh": "powershell", "Rscript": "r", "sh": "bash", "zsh": "bash",
}  # fmt: skip

_OBJECTIVE_C = re.compile(
    r"^[ \t]*(?:@(?:class|end|implementation|import|interface|protocol)\b|#[ \t]*import\b)",
    re.MULTILINE,
)
"""What stands in headers of Objective-C, and not in those of C and C++."""

MARKDOWN_ENDINGS = frozenset({"md", "mdx", "markdown"})


def ending(path: str) -> str:
    """What follows the last dot of the file's name, lower-cased, or ""."""
    name = path.rsplit("/", 1)[-1].lower()
    return name.rpartition(".")[2] if "." in name[1:] else ""


def language_of_source(path: str, text: str) -> str:
    """By the ending, and of headers by what they declare; otherwise by the interpreter that the first line of
    `text` names; "" when neither tells."""
    named = language_or_markdown(path)
    if ending(path) == "h" and _OBJECTIVE_C.search(text):
        return "objc"
    shebang = None if named else _SHEBANG.match(text)
    return named if shebang is None else _INTERPRETERS.get(shebang["name"], shebang["name"])


def language_or_markdown(path: str) -> str:
    """As `language_of`, and `markdown` for pages."""
    return "markdown" if ending(path) in MARKDOWN_ENDINGS else language_of(path)


def language_of(path: str) -> str:
    """The language of the file at `path`, "" when its name does not tell. `config.h.in` is what Autoconf,
    CMake or Meson fill in to write `config.h`."""
    name = path.rsplit("/", 1)[-1].lower().removesuffix(_TEMPLATE)
    return _FILE_NAMES.get(name) or LANGUAGES.get(ending(name), "")


def is_in_org(data: bytes) -> bool:
    """Whether the first line says to Emacs that the text is in Org mode."""
    return _ORG_MODE.search(data.partition(b"\n")[0]) is not None
