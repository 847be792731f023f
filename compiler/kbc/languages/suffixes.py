"""The language of a source file, by the extension of its name or by its first line.

Names are those of tree-sitter grammars where one exists; `quint` has none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_ORG_MODE = re.compile(rb"-\*-(?:[^*]*;)?\s*(?:mode:\s*)?org\s*(?:;[^*]*)?-\*-", re.IGNORECASE)

LANGUAGES: Mapping[str, str] = {
    "bash": "bash",
    "bat": "batch",
    "bats": "bash",
    "bb": "clojure",
    "c": "c",
    "c++": "cpp",
    "cc": "cpp",
    "cfg": "ini",
    "cjs": "javascript",
    "clj": "clojure",
    "cljc": "clojure",
    "cljs": "clojure",
    "cmake": "cmake",
    "cmd": "batch",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "csx": "csharp",
    "cts": "typescript",
    "cu": "cuda",
    "cuh": "cuda",
    "cxx": "cpp",
    "d": "d",
    "dart": "dart",
    "el": "elisp",
    "elm": "elm",
    "erl": "erlang",
    "escript": "erlang",
    "ex": "elixir",
    "exs": "elixir",
    "f": "fortran",
    "f03": "fortran",
    "f08": "fortran",
    "f90": "fortran",
    "f95": "fortran",
    "for": "fortran",
    "fs": "fsharp",
    "fsi": "fsharp",
    "fsx": "fsharp",
    "fypp": "fortran",
    "gd": "gdscript",
    "gemspec": "ruby",
    "gleam": "gleam",
    "go": "go",
    "gql": "graphql",
    "gradle": "groovy",
    "graphql": "graphql",
    "groovy": "groovy",
    "gvy": "groovy",
    "h": "cpp",  # reads C as well
    "h++": "cpp",
    "hcl": "hcl",
    "hh": "cpp",
    "hpp": "cpp",
    "hrl": "erlang",
    "hs": "haskell",
    "hs-boot": "haskell",
    "html": "html",
    "hxx": "cpp",
    "ini": "ini",
    "inl": "cpp",
    "ino": "cpp",
    "ipp": "cpp",
    "java": "java",
    "jl": "julia",
    "js": "javascript",
    "json": "json",
    "jsx": "javascript",
    "ksh": "bash",
    "kt": "kotlin",
    "kts": "kotlin",
    "lisp": "commonlisp",
    "lua": "lua",
    "m": "objc",
    "mjs": "javascript",
    "mk": "make",
    "ml": "ocaml",
    "mli": "ocaml_interface",
    "mm": "objc",
    "mts": "typescript",
    "nim": "nim",
    "nimble": "nim",
    "nims": "nim",
    "nix": "nix",
    "php": "php",
    "pl": "perl",
    "pm": "perl",
    "podspec": "ruby",
    "proto": "proto",
    "ps1": "powershell",
    "psd1": "powershell",
    "psgi": "perl",
    "psm1": "powershell",
    "py": "python",
    "pyi": "python",
    "qnt": "quint",
    "r": "r",
    "rake": "ruby",
    "rb": "ruby",
    "rbi": "ruby",
    "rkt": "racket",
    "rockspec": "lua",
    "rs": "rust",
    "ru": "ruby",
    "sbt": "scala",
    "sc": "scala",
    "scala": "scala",
    "scm": "scheme",
    "scss": "scss",
    "sh": "bash",
    "sol": "solidity",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "t": "perl",
    "tcc": "cpp",
    "tf": "hcl",
    "tfvars": "hcl",
    "tla": "tlaplus",
    "toml": "toml",
    "tpp": "cpp",
    "ts": "typescript",
    "tsx": "tsx",
    "typ": "typst",
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
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "gnumakefile": "make",
    "jenkinsfile": "groovy",
    "makefile": "make",
    "podfile": "ruby",
    "rakefile": "ruby",
    "vagrantfile": "ruby",
}

_SHEBANG = re.compile(
    r"#!.*?\b(?P<name>bash|dash|deno|elixir|escript|julia|ksh|lua|node|perl|php|pwsh|python|Rscript|ruby|sh|zsh)"
    r"(?:[\d.]*)\b"
)
_INTERPRETERS = {
    "dash": "bash",
    "deno": "typescript",
    "escript": "erlang",
    "ksh": "bash",
    "node": "javascript",
    "pwsh": "powershell",
    "Rscript": "r",
    "sh": "bash",
    "zsh": "bash",
}

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
    """The language of the file at `path`, "" when its name does not tell."""
    name = path.rsplit("/", 1)[-1].lower()
    return _FILE_NAMES.get(name) or LANGUAGES.get(ending(path), "")


def is_in_org(data: bytes) -> bool:
    """Whether the first line says to Emacs that the text is in Org mode."""
    return _ORG_MODE.search(data.partition(b"\n")[0]) is not None
