"""The language of a source file, by the extension of its name or by its first line.

Names are those of tree-sitter grammars where one exists; `quint` has none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LANGUAGES: Mapping[str, str] = {
    "bash": "bash",
    "bat": "batch",
    "c": "c",
    "cc": "cpp",
    "cfg": "ini",
    "clj": "clojure",
    "cljc": "clojure",
    "cljs": "clojure",
    "cjs": "javascript",
    "cmake": "cmake",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "cts": "typescript",
    "cu": "cuda",
    "cxx": "cpp",
    "d": "d",
    "dart": "dart",
    "el": "elisp",
    "elm": "elm",
    "erl": "erlang",
    "ex": "elixir",
    "exs": "elixir",
    "f90": "fortran",
    "fs": "fsharp",
    "gd": "gdscript",
    "gleam": "gleam",
    "go": "go",
    "gql": "graphql",
    "graphql": "graphql",
    "groovy": "groovy",
    "h": "cpp",  # reads C as well
    "hh": "cpp",
    "hcl": "hcl",
    "hpp": "cpp",
    "hrl": "erlang",
    "hs": "haskell",
    "html": "html",
    "hxx": "cpp",
    "ini": "ini",
    "java": "java",
    "jl": "julia",
    "js": "javascript",
    "json": "json",
    "jsx": "javascript",
    "kt": "kotlin",
    "kts": "kotlin",
    "lisp": "commonlisp",
    "lua": "lua",
    "m": "objc",
    "mjs": "javascript",
    "mk": "make",
    "ml": "ocaml",
    "mli": "ocaml_interface",
    "mts": "typescript",
    "nim": "nim",
    "nix": "nix",
    "php": "php",
    "pl": "perl",
    "pm": "perl",
    "proto": "proto",
    "ps1": "powershell",
    "py": "python",
    "pyi": "python",
    "qnt": "quint",
    "r": "r",
    "rb": "ruby",
    "rkt": "racket",
    "rs": "rust",
    "scala": "scala",
    "scm": "scheme",
    "scss": "scss",
    "sh": "bash",
    "sol": "solidity",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "tf": "hcl",
    "tla": "tlaplus",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "vim": "vim",
    "vue": "vue",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
    "zig": "zig",
    "zsh": "bash",
}

_FILE_NAMES: Mapping[str, str] = {
    "cmakelists.txt": "cmake",
    "dockerfile": "dockerfile",
    "gnumakefile": "make",
    "makefile": "make",
}

_SHEBANG = re.compile(r"#!.*?\b(?P<name>bash|node|perl|php|python|ruby|sh|zsh)(?:[\d.]*)\b")
_INTERPRETERS = {"node": "javascript", "sh": "bash", "zsh": "bash"}

MARKDOWN_ENDINGS = frozenset({"md", "mdx", "markdown"})


def ending(path: str) -> str:
    """What follows the last dot of the file's name, lower-cased, or ""."""
    name = path.rsplit("/", 1)[-1].lower()
    return name.rpartition(".")[2] if "." in name[1:] else ""


def language_of_source(path: str, text: str) -> str:
    """By the ending, otherwise by the interpreter that the first line of `text` names; "" when neither
    tells."""
    named = language_or_markdown(path)
    shebang = None if named else _SHEBANG.match(text)
    return named if shebang is None else _INTERPRETERS.get(shebang["name"], shebang["name"])


def language_or_markdown(path: str) -> str:
    """As `language_of`, and `markdown` for pages."""
    return "markdown" if ending(path) in MARKDOWN_ENDINGS else language_of(path)


def language_of(path: str) -> str:
    """The language of the file at `path`, "" when its name does not tell."""
    name = path.rsplit("/", 1)[-1].lower()
    return _FILE_NAMES.get(name) or LANGUAGES.get(ending(path), "")
