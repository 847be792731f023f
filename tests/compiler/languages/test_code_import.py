"""Fences that name the file whose code they show (`file=`)."""

from __future__ import annotations

import time

import pytest

from kbc.languages.includes import Expansion, expand, may_include

FILES = {
    "docs/guide/a.js": "let a;\nif (a) {\n  b();\n  c();\n}\n",
    "docs/guide/my file.py": "x = 1\n",
    "snippets/b.go": "package b\n\n// #region run\n\tgo run()\n// #endregion run\n",
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
