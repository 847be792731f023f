"""Files that pages of VuePress show."""

from __future__ import annotations

from kbc.languages.includes import expand

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
    found = expand("@[code](./none.js)\n", "guide/page.md", FILES.get)
    assert found.text == "(not included: ./none.js)\n"
    assert found.unresolved == {"@[code]": 1}


def test_directives_in_code_stay_as_they_are() -> None:
    text = "```md\n@[code](../snippets/weir.js)\n```\n"
    assert shown(text) == text
