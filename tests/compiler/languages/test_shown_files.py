"""Components that name the file which they show, imported code, partials of Markdoc and children of knitr."""

from __future__ import annotations

import re
import time

import pytest

from kbc.languages.includes.expansion import expand, may_include
from kbc.languages.includes.files import Expansion

FILES = {
    "snippets/install.mdx": "---\ntitle: Install\n---\n\nRun `make`.\n",
    "docs/_snippets/story.md": "```ts\nexport default {};\n```\n",
    "examples/app.ts": (
        "// #docregion first, both\nconst a = 1;\n// #enddocregion first\nconst b = 2;\n"
        "// #enddocregion both\nconst c = 3;\n"
    ),
    "src/data.json": "[" + "1, " * 20_000 + "1]\n",
    "markdoc/partials/terms.md": "The terms.\n",
    "docs/_child.Rmd": "Of the child.\n",
    "docs/logo.png": "no picture",
    "docs/small.json": "[1]\n",
}


def expanded(text: str, path: str = "docs/guide/page.mdx") -> Expansion:
    found = expand(text, path, lambda name: FILES[name].encode() if name in FILES else None)
    return Expansion(
        re.sub(r"\n{3,}", "\n\n", found.text).strip("\n"), found.unresolved, found.external
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<Snippet file="install.mdx" />', "Run `make`."),
        ('<CodeSnippets path="story.md"></CodeSnippets>', "```ts\nexport default {};\n```"),
        (
            '<docs-code header="app.ts" path="examples/app.ts" visibleRegion="first"/>',
            '```ts title="app.ts"\nconst a = 1;\n```',
        ),
        (
            '<docs-code path="examples/app.ts"\n  visibleRegion="both" />',
            "```ts\nconst a = 1;\nconst b = 2;\n```",
        ),
        (
            '1. Do:\n\n   <Example src="/examples/app.ts" language="tsx" />',
            "1. Do:\n\n   ```tsx\n   const a = 1;\n   const b = 2;\n   const c = 3;\n   ```",
        ),
        (
            "import app from '../../examples/app.ts?raw';\n\n<Code code={app} lang=\"tsx\" />",
            "import app from '../../examples/app.ts?raw';\n\n```tsx\n"
            + FILES["examples/app.ts"]
            + "```",
        ),
        ('{% partial file="terms.md" /%}', "The terms."),
        ('```{r, child = "../_child.Rmd"}\n```', "Of the child."),
        (
            "```{r terms, child=c('../_child.Rmd', '/markdoc/partials/terms.md'), echo=FALSE}\n```",
            "Of the child.\n\nThe terms.",
        ),
    ],
)
def test_a_file_is_shown_where_it_is_named(source: str, expected: str) -> None:
    assert may_include(source)
    found = expanded(source)
    assert found.text == expected
    assert not found.unresolved


@pytest.mark.parametrize(
    "source",
    [
        '<Image src="../logo.png" />',
        '<CodeFile path="src/data.json" />',  # too long to be read
        '<Chart src="/docs/small.json" />',
        '<PageRef path="install.mdx" />',
        '<Script src="/examples/app.ts" />',
        '<Link path="gone.ts" />',
        '`<Snippet file="install.mdx" />`',
        "```{r}\nchild = 1\n```",
    ],
)
def test_what_shows_no_file_stays(source: str) -> None:
    found = expanded(source)
    assert (found.text, found.unresolved) == (source, {})


@pytest.mark.parametrize(
    ("source", "directive"),
    [
        ('<Snippet file="gone.mdx" />', "<Snippet>"),
        ('{% partial file="gone.md" /%}', "{% partial %}"),
        ('```{r, child="gone.Rmd"}\n```', "child="),
    ],
)
def test_a_file_that_is_not_there_is_counted(source: str, directive: str) -> None:
    assert expanded(source).unresolved == {directive: 1}


def test_control_characters_of_a_page_stand_for_no_text_of_it() -> None:
    found = expanded('`code` \x020\x03\n\n<Snippet file="install.mdx" />')
    assert found.text == "`code` 0\n\nRun `make`."


def test_tags_without_an_end_are_read_in_bounded_time() -> None:
    started = time.process_time()
    for source in ('<A "\n' * 10_000, "<A b='\n" * 10_000, "<A " + "b " * 50_000, "<A\n" * 20_000):
        expanded(source + "/>")
    expanded("// #region " + "a, " * 30_000)
    assert time.process_time() - started < 10
