"""bookdown: chapters, their order and addresses, and what they refer to in each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, read, recognised, titles, write_tree

from kbc.records import DocRecord

INDEX = """\
---
title: Herons
url: https://heron.example/
site: bookdown::bookdown_site
---

# Preface {-}

Text.
"""
FLYING = r"""# (PART) In the air {-}

# Flying {#flight}

\index{wings|see {\texttt{Wing}}}See Section \@ref(reeds), \@ref(take-off), Figure \@ref(fig:wing),
[the nests](#nests) and `\@ref(code)`.

(ref:wing) A wing.

## Take off {-}

```{r wing, fig.cap="(ref:wing)"}
plot(wing)
```

```{theorem, lift, name="Lift"}
Wings *lift*.
```

```{block2, type="rmdnote"}
Mind the \@ref(eq:lift).
```

\begin{equation}
L = C  (\#eq:lift)
\end{equation}
"""
NESTS = "# Nests\n\n## In reeds {#reeds}\n\nText.\n"


def book(tmp_path: Path, config: str = "book_filename: herons\n", **files: str) -> Path:
    pages = {"index.Rmd": INDEX, "01-nests.Rmd": NESTS, "02-flying.Rmd": FLYING}
    others = {"_part.Rmd": "Part.\n", "README.md": "# R\n\nHow to build.\n"}
    return write_tree(tmp_path / "tree", {"_bookdown.yml": config, **pages, **others, **files})


def test_chapters_have_their_order_and_addresses(tmp_path: Path) -> None:
    root = book(tmp_path, DESCRIPTION="Package: herons\nTitle: Herons\n")
    assert recognised(root).what == "bookdown book 'Herons' (_bookdown.yml)"
    inputs, diagnostics = read(root)
    assert addresses(inputs) == {
        "index.Rmd": "https://heron.example/index.html",
        "01-nests.Rmd": "https://heron.example/nests.html",
        "02-flying.Rmd": "https://heron.example/flight.html",
    }
    assert titles(inputs.records["docs"])["02-flying.Rmd"] == "Flying"
    assert not [each for each in diagnostics if each.code == "dead-anchor"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('rmd_files: ["02-flying.Rmd", "index.Rmd"]\n', ["02-flying.Rmd", "index.Rmd"]),
        ("rmd_files:\n  html: [index.Rmd]\n  latex: [01-nests.Rmd]\n", ["index.Rmd"]),
        (
            "rmd_subdir: [more]\n",
            ["index.Rmd", "01-nests.Rmd", "02-flying.Rmd", "more/eggs.Rmd"],
        ),
    ],
)
def test_the_configuration_chooses_chapters(
    tmp_path: Path, config: str, expected: list[str]
) -> None:
    root = book(tmp_path, config, **{"more/eggs.Rmd": "# Eggs\n\nText.\n"})
    inputs, _ = read(root)
    assert [record.path for record in inputs.records["docs"]] == expected


def test_a_book_in_sections_states_no_addresses_of_chapters(tmp_path: Path) -> None:
    output = "bookdown::gitbook:\n  split_by: section\n"
    inputs, _ = read(book(tmp_path, **{"_output.yml": output}))
    assert {record.url for record in inputs.records["docs"]} == {""}


def test_references_are_links_and_blocks_have_labels(tmp_path: Path) -> None:
    inputs, _ = read(book(tmp_path))
    flying = inputs.records["docs"][-1]
    assert isinstance(flying, DocRecord)
    text = flying.content
    assert text.startswith("**In the air**\n\n# Flying {#flight}\n")
    assert (
        "See Section [In reeds](01-nests.Rmd#reeds), [Take off](#take-off), Figure `wing`,\n"
        "[the nests](01-nests.Rmd#nests) and `\\@ref(code)`.\n\nA wing.\n\n## Take off\n"
    ) in text
    assert '```{r wing, fig.cap="(ref:wing)"}\nplot(wing)\n```' in text
    assert "**Theorem: Lift**\n\nWings *lift*.\n" in text
    assert "**Note**\n\nMind the `lift`.\n" in text
    assert "L = C  \\tag{lift}" in text
