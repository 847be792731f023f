"""Fences that name the file whose code they show (`file=`)."""

from __future__ import annotations

import time

import pytest

from kbc.languages.includes.expansion import expand, may_include
from kbc.languages.includes.files import Expansion, Surroundings

FILES = {
    "docs/guide/a.js": "let a;\nif (a) {\n  b();\n  c();\n}\n",
    "docs/guide/my file.py": "x = 1\n",
    "snippets/b.go": "package b\n\n// #region run\n\tgo run()\n// #endregion run\n",
    "snippets/c.rs": "// ANCHOR: run\n  run();\n// ANCHOR_END: run\n//region stop\nstop();\n//endregion\n",
    "snippets/fenced.md": "```\ncode\n```\n",
}


def expanded(text: str) -> Expansion:
    return expand(
        text,
        "docs/guide/page.mdx",
        lambda name: FILES[name].encode() if name in FILES else None,
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("```js file=./a.js#L2\n```", "```js file=./a.js#L2\nif (a) {\n```"),
        ("```js file=./a.js#L3-L4\n\n```", "```js file=./a.js#L3-L4\nb();\nc();\n```"),
        ("```js {1} file=./a.js#L5-\n```", "```js {1} file=./a.js#L5-\n}\n```"),
        ("```file=./a.js#L1\n```", "```js file=./a.js#L1\nlet a;\n```"),
        ("~~~py file=./my\\ file.py\n~~~", "```py file=./my\\ file.py\nx = 1\n```"),
        ('```py file="./my file.py"\n```', '```py file="./my file.py"\nx = 1\n```'),
        (
            "- Run:\n\n  ```go file=<rootDir>/snippets/b.go#run\n  ```\n\nDone.",
            "- Run:\n\n  ```go file=<rootDir>/snippets/b.go#run\n  go run()\n  ```\n\nDone.",
        ),
        ("> ```js file=a.js#L1\n> ```", "> ```js file=a.js#L1\n> let a;\n> ```"),
        (
            "```rs file=/snippets/c.rs anchor=run\n```",
            "```rs file=/snippets/c.rs anchor=run\nrun();\n```",
        ),
        (
            '```rs file=/snippets/c.rs region="stop"\n```',
            '```rs file=/snippets/c.rs region="stop"\nstop();\n```',
        ),
        (
            "```md file=../../snippets/fenced.md\n```",
            "````md file=../../snippets/fenced.md\n```\ncode\n```\n````",
        ),
        (
            "```go file=/snippets/b.go#gone\n```",
            "```go file=/snippets/b.go#gone\n" + FILES["snippets/b.go"] + "```",
        ),
    ],
)
def test_a_fence_without_text_shows_the_file_that_it_names(source: str, expected: str) -> None:
    assert may_include(source)
    found = expanded(source)
    assert found.text == expected
    assert not found.unresolved


@pytest.mark.parametrize(
    "source",
    [
        "```js file=./a.js\nown();\n```",  # a title
        '```js title="profile=./a.js"\n```',
        "```js file=./a.js\n",  # not closed
        "````md\n```js file=./a.js\n```\n````",  # shows how it is written
        "A file=./a.js in prose.",
    ],
)
def test_other_fences_stay(source: str) -> None:
    found = expanded(source)
    assert (found.text, found.unresolved) == (source, {})


def test_a_file_that_is_not_there_is_counted() -> None:
    found = expanded("```js file=./gone.js#L1\n```")
    assert "./gone.js" in found.text
    assert found.unresolved == {"file=": 1}


def test_names_without_an_end_are_read_in_bounded_time() -> None:
    started = time.process_time()
    sources = ("```" + " file=" * 20_000, "```js file=" + "\\" * 100_000, "``` x" * 20_000)
    for source in (*sources, "~" * 100_000 + "\n:file=", "~~~ " * 40_000):
        expanded(f"{source}\n```")
    assert time.process_time() - started < 5


GITHUB = "https://github.com/Weir/Gate/blob"


def referenced(text: str) -> Expansion:
    around = Surroundings(repositories=("weir/gate",), repository_folder="../..")
    files = {f"../../{name}": data.encode() for name, data in FILES.items()}
    return expand(text, "docs/guide/page.md", files.get, around)


@pytest.mark.parametrize(
    ("address", "code"),
    [
        (f"{GITHUB}/main/docs/guide/a.js#L3-L4", "b();\nc();"),
        (f"{GITHUB}/main/docs/guide/a.js?plain=1#L1C1", "let a;"),
        (f"{GITHUB}/fix/long/name/docs/guide/a.js#L2", "if (a) {"),
        (f"{GITHUB}/main/docs/guide/my%20file.py", "x = 1"),
        ("https://raw.githubusercontent.com/weir/gate/refs/heads/main/docs/guide/a.js#L5", "}"),
    ],
)
def test_a_reference_to_a_file_of_the_repository_shows_its_lines(address: str, code: str) -> None:
    source = f'- A\n\n  ```js reference title="A"\n  {address}\n  ```'
    assert may_include(source)
    found = referenced(source)
    shown = code.replace("\n", "\n  ")
    assert found.text == f'- A\n\n  ```js reference title="A"\n  {shown}\n  ```'
    assert not found.external


@pytest.mark.parametrize(
    ("address", "is_counted"),
    [
        ("https://github.com/weir/other/blob/main/docs/guide/a.js", True),
        (f"{GITHUB}/main/gone.js", True),
        (f"{GITHUB}/0bfb2b8d212b627a2659b10f4449184b657e1d59/docs/guide/a.js#L3-L8", True),
        (f"{GITHUB}/v1.2.0/docs/guide/a.js", True),
        ("https://weir.example/a.js", False),
        (f"{GITHUB}/main/docs/guide/a.js\nmore();", False),
    ],
)
def test_the_address_of_another_file_or_version_stays(address: str, is_counted: bool) -> None:
    source = f"```js reference\n{address}\n```"
    found = referenced(source)
    assert (found.text, found.external) == (source, {"reference": 1} if is_counted else {})


PANDOC = {
    "docs/parts/a.md": "# A\n\n```sh\n# run\n```\n",
    "docs/parts/b.md": "B is ```{.include}``` here.\n",
    "docs/parts/c.rst": "C\n=\n",
    "docs/run.py": "import os\n\nif os:\n    # start snippet\n    os.x()\n",
}
B_PART = "B is ```{.include}``` here."
RUN = '```{.python include="run.py"'


def included(text: str) -> Expansion:
    files = {name: data.encode() for name, data in PANDOC.items()}
    return expand(text, "docs/page.md", files.get)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("```{.include}\nparts/b.md\n\n// no\nparts/a.md\n```", f"{B_PART}\n\n# A"),
        (
            "~~~ { .include shift-heading-level-by=2 }\nparts/a.md\n~~~",
            "### A\n\n```sh\n# run\n```",
        ),
        ("- X\n\n  ```{.include}\n  parts/b.md\n  ```", "- X\n\n  B is"),
        ("```include\nparts/b.md\n```", "B is"),
        ("```{.include format=rst}\nparts/c.rst\n```", "```rst\nC\n=\n```"),
        ('```{.python include="run.py" startLine=5}\n```', f"{RUN} startLine=5}}\nos.x()\n```"),
        (
            '```{.python include="run.py" startLine=1 endLine=1}\n```',
            f"{RUN} startLine=1 endLine=1}}\nimport os\n```",
        ),
    ],
)
def test_filters_of_pandoc_show_the_files_that_they_name(source: str, expected: str) -> None:
    assert may_include(source)
    found = included(source)
    assert found.text.startswith(expected)
    assert not found.unresolved


@pytest.mark.parametrize(
    "source",
    [
        "```include\nparts/b.md\nnot a file\n```",
        "```include\n```",
        "```{.include}\n```",
        "```{.python include=run.py}\nown()\n```",
        "```include-code\nparts/b.md\n```",
        "```make\ninclude parts/b.md\n```",
    ],
)
def test_code_that_is_called_as_a_filter_stays(source: str) -> None:
    assert included(source).text == source


def test_files_that_a_filter_does_not_find_are_counted() -> None:
    found = included("```{.include}\nnone.md\nparts/b.md\n```\n\n```{.c include=none.c}\n```\n")
    assert found.text.startswith("(not included: none.md)\n\nB is")
    assert found.unresolved == {"{.include}": 1, "include=": 1}
