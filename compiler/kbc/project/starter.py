"""`kbc init`: a small knowledge base that builds as it is, with every choice commented."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.store.atomic_files import remove_abandoned, replace_file
from kbc.project.kinds import KINDS
from kbc.project.loading import PROJECT_FILE
from kbc.project.settings import default_prefix, name_of

_OTHER = "Choose another folder."
_EXISTING = "Edit that file, move it away to have another written, or choose another folder."
_KB_TOML = """\
# A knowledge base: this file, and folders of Markdown and source files next to it.
# `kbc check` reports mistakes, `kbc build` compiles, docs/kb-authoring.md explains every key.

[kb]
name        = "{name}"      # the artifact's name: lower-case letters, digits, hyphens
title       = "{title}"
version     = "0.1.0"
description = "What this knowledge base holds, in one sentence; agents read it."
license     = "Apache-2.0"
# prefix    = "{prefix}"      # tools are called {prefix}_hybrid_search, {prefix}_get_doc ...

# Without [[collection]] tables the conventional folders are compiled: builtins/, docs/, choreo/,
# lessons/, guidelines/, posts/, examples/, patterns/, templates/, code/, sources/, tests/, workshops/ and
# routing.toml. With them, exactly what they name:
#
# [[collection]]
# name  = "docs"
# kind  = "docs"                        # {kinds}
# paths = ["docs", "more/*.md"]         # files, folders or globs
# url   = "https://example.org/{{stem}}#{{anchor}}"

# [search]                              # the defaults are measured; change them with `kbc eval`
# candidates = 100                      # hits taken from each side before fusion
# fusion     = "balanced"
# boosts     = {{ title = 2.0 }}

# [tools]
# offer    = "all"                      # what servers offer; default: five general tools
# families = ["reference", "search"]    # which families there are; default: all with a collection
"""

_WELCOME = """\
---
title: Getting started
summary: How this knowledge base is laid out and how to add a page.
tags: [start]
---

# Getting started

Each Markdown file in `docs/` is a page. Its headings become sections that can be found and read on
their own, so give every heading a name that says what it is about.

## Add a page

Write a file such as `docs/install.md`, then run `kbc check` to see what could be better, and
`kbc build` to compile the knowledge base.

## Ask a question

`kbc search dist-index/{name} "add a page"` shows what an agent would find.
"""


_PAGES = {
    "sources/guide/source.toml": """\
# A documentation set, for example a saved web site: this folder is one source.
name = "Guide"
url  = "https://example.org/guide/"     # base URL of its pages
""",
    "sources/guide/start.md": "# Start\n\nReplace this page by the Markdown or HTML of your site.\n",
}

_WORKSHOP = "workshops/first/exercises/01.hello"
_WORKSHOPS = {
    "workshops/first/package.json": '{{"epicshop": {{"title": "First workshop"}}}}\n',
    f"{_WORKSHOP}/README.mdx": "# Hello\n\nWhat this exercise teaches.\n",
    f"{_WORKSHOP}/01.problem.greet/README.mdx": "# Greet\n\nWhat to do in this step.\n",
    f"{_WORKSHOP}/01.problem.greet/hello.py": "# Print a greeting here.\n",
    f"{_WORKSHOP}/01.solution.greet/README.mdx": "# Greet\n\nWhy it is done so.\n",
    f"{_WORKSHOP}/01.solution.greet/hello.py": 'print("hello")\n',
}

_CODE = {
    "code/README.md": "# Code\n\nPut source trees here; `.gitignore` is respected.\n",
    "code/hello.py": 'def greet(name):\n    """A greeting for a name."""\n    return f"Hello, {{name}}"\n',
}

_TESTS = {
    "tests/login.json": """\
{{
  "tests": [
    {{
      "uid": "login-1",
      "jiraKey": "DEMO-1",
      "title": "Log in with a wrong password",
      "priority": "High",
      "tags": ["login"],
      "folderStructure": "Login",
      "steps": [
        {{"action": "Enter a wrong password", "expected": ["The form says so"]}}
      ]
    }}
  ]
}}
""",
}

STARTERS = {
    "docs": {"docs/getting-started.md": _WELCOME},
    "pages": _PAGES,
    "workshops": _WORKSHOPS,
    "code": _CODE,
    "tests": _TESTS,
}
"""What `--kind` writes besides kb.toml: path -> text, with `{name}` for the knowledge base's name."""


class InitError(SingleCodeError):
    """The starter cannot be written."""

    code = "init"
    exit_code = exit_codes.OUTPUT


def write_kb_toml(folder: Path, text: str) -> Path:
    """Writes `text` as the kb.toml of `folder`, and nothing else. Raises `InitError`."""
    path = folder / PROJECT_FILE
    try:
        replace_file(path, text.encode(), keep_old=True)
    except FileExistsError as error:
        raise InitError(
            f"{str(folder)!r} already contains a kb.toml; nothing was changed"
        ) from error
    except OSError as error:
        raise InitError(f"{str(folder)!r} cannot be written: {error.strerror}") from error
    return path


def write_starter(folder: Path, kind: str | None) -> list[Path]:
    """Writes kb.toml and the first files of one of `STARTERS` (None: kb.toml alone) into `folder`; never
    overwrites a file.

    Returns the paths written. Raises `InitError` when the folder already is a knowledge base or cannot
    be written, and then leaves nothing behind.
    """
    if (folder / PROJECT_FILE).exists():
        remove_abandoned(folder / PROJECT_FILE)
        raise InitError(
            f"{str(folder)!r} already contains a kb.toml; nothing was changed", _EXISTING
        )
    name = name_of(folder.resolve().name) or "kb"
    texts = {PROJECT_FILE: _KB_TOML, **({} if kind is None else STARTERS[kind])}
    facts = {
        "name": name,
        "title": name.replace("-", " ").capitalize(),
        "prefix": default_prefix(name),
        "kinds": " | ".join(KINDS),
    }
    files = {folder / path: text.format(**facts) for path, text in texts.items()}
    new = {path: text for path, text in files.items() if not path.exists()}
    undo: list[Callable[[], None]] = []
    try:
        for path in sorted(new, key=lambda path: path.name == PROJECT_FILE):
            undo += reversed([each.rmdir for each in path.parents if not each.exists()])
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, new[path].encode())  # kb.toml last: with it the folder is taken
            undo.append(path.unlink)
    except OSError as error:
        for step in reversed(undo):
            with suppress(OSError):  # a folder that somebody else has written to
                step()
        raise InitError(f"{str(folder)!r} cannot be written: {error.strerror}", _OTHER) from error
    return list(new)
