"""The language of a source file, by the extension of its name or by its first line.

Names are those of tree-sitter grammars where one exists; `crystal` and `quint` have none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_ORG_MODE = re.compile(rb"-\*-(?:[^*]*;)?\s*(?:mode:\s*)?org\s*(?:;[^*]*)?-\*-", re.IGNORECASE)

_ENDINGS: Mapping[str, Sequence[str]] = {
    "ada": ("adb", "ads"), "bash": ("bash", "bats", "ksh", "sh", "zsh"), "batch": ("bat", "cmd"),
    "clojure": ("bb", "clj", "cljc", "cljs"), "commonlisp": ("asd", "lisp", "lsp"), "crystal": ("cr",),
    "cpp": ("c++", "cc", "cpp", "cxx", "h", "h++", "hh", "hpp", "hxx", "inl", "ino", "ipp", "tcc", "tpp"),
    "csharp": ("cs", "csx"), "cuda": ("cu", "cuh"), "elisp": ("el",), "elixir": ("ex", "exs"),
    "erlang": ("erl", "escript", "hrl"),
    "fortran": ("f", "f03", "f08", "f90", "f95", "for", "fypp"), "fsharp": ("fs", "fsi", "fsx"),
    "gdscript": ("gd",), "glsl": ("comp", "frag", "geom", "glsl", "tesc", "tese", "vert"),
    "graphql": ("gql", "graphql"), "groovy": ("gradle", "groovy", "gvy"),
    "haskell": ("hs", "hs-boot"), "haxe": ("hx",), "hcl": ("hcl", "tf", "tfvars"), "ini": ("cfg", "ini"),
    "javascript": ("cjs", "js", "jsx", "mjs"), "jsonnet": ("jsonnet", "libsonnet"), "julia": ("jl",),
    "kotlin": ("kt", "kts"), "lua": ("lua", "rockspec"), "make": ("mk",), "nim": ("nim", "nimble", "nims"),
    "objc": ("m", "mm"), "ocaml": ("ml",), "ocaml_interface": ("mli",),
    "pascal": ("dpr", "lpr", "pas"), "perl": ("pl", "pm", "psgi", "t"),
    "powershell": ("ps1", "psd1", "psm1"), "puppet": ("pp",),
    "purescript": ("purs",), "python": ("py", "pyi"), "quint": ("qnt",), "racket": ("rkt",),
    "ruby": ("gemspec", "podspec", "rake", "rb", "rbi", "ru"), "rust": ("rs",),
    "scala": ("sbt", "sc", "scala"), "scheme": ("scm", "sld", "sls"), "solidity": ("sol",),
    "starlark": ("bazel", "bzl", "star"), "tlaplus": ("tla",), "typescript": ("cts", "mts", "ts"),
    "typst": ("typ",),
    "verilog": ("sv", "svh", "vh"), "vhdl": ("vhd", "vhdl"), "yaml": ("yaml", "yml"),
}  # fmt: skip
"""Language -> its endings; `h` is of C++, whose grammar reads C as well."""

_ALIKE = (
    "bicep", "c", "cairo", "cmake", "css", "d", "dart", "elm", "fish", "gleam", "go", "hlsl", "html", "java",
    "json", "luau", "nix", "odin", "php", "pony", "prisma", "proto", "r", "rego", "scss", "smithy", "sql",
    "svelte", "swift", "tcl", "thrift", "toml", "tsx", "vim", "vue", "wgsl", "xml", "zig",
)  # fmt: skip
"""Languages whose only ending is their name."""

LANGUAGES: Mapping[str, str] = {
    **{ending: language for language, endings in _ENDINGS.items() for ending in endings},
    **{language: language for language in _ALIKE},
}

WITHOUT_GRAMMAR = (
    "agda", "als", "applescript", "asm", "awk", "bal", "cbl", "chpl", "cob", "cue", "dfy", "dhall", "dsp",
    "elv", "fnl", "fst", "fut", "gren", "hy", "idr", "janet", "kk", "lagda", "lean", "lidr", "metal", "mojo",
    "move", "mzn", "ncl", "nu", "pde", "pkl", "pml", "raku", "rakumod", "roc", "scad", "slint", "sml", "smt2",
    "stan", "thy", "v", "vala", "vb", "vy", "wat", "wren",
)  # fmt: skip
"""Endings of programs in further languages, whose definitions are found by the words that begin them."""

SOURCE: Mapping[str, str] = {**{each: each for each in WITHOUT_GRAMMAR}, **LANGUAGES}
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

_MATLAB_COMMENT = re.compile(r"\s*%")
_MATLAB = re.compile(r"^[ \t]*(?:classdef|function)\b(?!\()", re.MULTILINE)
"""What begins a line in files of MATLAB, and in none of Objective-C."""

_PASCAL = re.compile(
    r"^[ \t]*(?:library|program|unit)[ \t]+[\w.]+[ \t]*;", re.MULTILINE | re.IGNORECASE
)
"""How files of Pascal begin, and none of Puppet, whose names may end alike."""

_VERILOG = re.compile(r"^[ \t]*(?:endmodule|endpackage|`(?:define|include))\b", re.MULTILINE)
"""What files of Verilog have, and none of V and Rocq, whose names end alike."""

MARKDOWN_ENDINGS = frozenset({"md", "mdx", "markdown"})


def ending(path: str) -> str:
    """What follows the last dot of the file's name, lower-cased, or ""."""
    name = path.rsplit("/", 1)[-1].lower()
    return name.rpartition(".")[2] if "." in name[1:] else ""


def language_of_source(path: str, text: str) -> str:
    """By the ending, and of headers and of endings that languages share by what the file holds; otherwise by
    the interpreter that the first line of `text` names; "" when neither tells."""
    named = language_or_markdown(path)
    match ending(path):
        case "h" if _OBJECTIVE_C.search(text):
            return "objc"
        case "m" if _MATLAB_COMMENT.match(text) or _MATLAB.search(text):
            return "matlab"
        case "pp" if _PASCAL.search(text):
            return "pascal"
        case "v" if _VERILOG.search(text):
            return "verilog"
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


def without_grammar(path: str) -> str:
    """The ending of a program in a language that kbc has no name for; "" of any other file."""
    own = ending(path)
    return own if own in WITHOUT_GRAMMAR else ""


def is_in_org(data: bytes) -> bool:
    """Whether the first line says to Emacs that the text is in Org mode."""
    return _ORG_MODE.search(data.partition(b"\n")[0]) is not None
