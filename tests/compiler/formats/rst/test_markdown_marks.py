"""Marks of Markdown in reStructuredText: code stays as it is, and headings and links are such."""

from __future__ import annotations

import time

import pytest
from tests.compiler.formats.samples import read

from kbc.formats import convert


def shown(source: str) -> str:
    (found,) = convert("docs/a.rst", source.encode(), read)
    assert found.problems == ()
    return found.text.strip()


PAGE = """\
.. include:: <isonum.txt>

# Weirs and ponds
Water is held.

```python
def hold(water):
    # Not a heading.

    return [water](1)
```
## More

See [the map](https://weir.example/map) and ``[a](b)``.

.. note::
   ```console
   :linenos:

   $ hold
   ```

.. code-block:: md

   # Kept

   ```js
   a()
   ```
"""
SHOWN = """\
# Weirs and ponds

Water is held.

```python
def hold(water):
    # Not a heading.

    return [water](1)
```

## More

See [the map](https://weir.example/map) and `[a](b)`.

> **Note**
>
> ```console
> $ hold
> ```

````md
# Kept

```js
a()
```
````"""


def test_a_page_in_marks_of_markdown_is_read_as_it_is_meant() -> None:
    assert shown(PAGE) == SHOWN


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "Weirs\n=====\n\n```sh\nhold\n```\n\n# No title\n",
            "# Weirs\n\n```sh\nhold\n```\n\n\\# No title",
        ),
        (
            "Like this::\n\n    ```sh\n    hold\n    ```\n",
            "Like this:\n\n````\n```sh\nhold\n```\n````",
        ),
        ("# Weirs ##\n\nThey hold.\n\n## # #\n", "# Weirs\n\nThey hold.\n\n## \\#"),
        (
            "# Weirs\n\n([a](b)) ![it](a.png), [c](d)s\n",
            "# Weirs\n\n([a](b)) ![it\\](a.png), [c\\](d)s",
        ),
        ("Weirs\n```````\n\nThey hold.\n", "# Weirs\n\nThey hold."),
        ("- One\n\n  ```sh\n  hold\n  ```\n\n- Two\n", "- One\n\n  ```sh\n  hold\n  ```\n\n- Two"),
    ],
)
def test_marks_are_read_where_they_are_no_text(source: str, expected: str) -> None:
    assert shown(source) == expected


def test_code_that_is_never_closed_is_text() -> None:
    (found,) = convert("a.rst", b"Weirs\n=====\n\n```sh\nhold\n", read)
    assert "hold" in found.text
    assert "```sh\n" not in found.text


@pytest.mark.timeout(60)
def test_many_marks_take_time_for_their_number_alone() -> None:
    from kbc.formats.rst.markdown_marks import without_markdown_marks

    started = time.process_time()
    for line in ("```sh\n", "   ```sh\n ```\n", "# a [[[[](\n", "[a](b", ":a:[", ".. |a|a|a|\n"):
        without_markdown_marks("# A\n" + line * 100_000 + "```")
    assert time.process_time() - started < 30


@pytest.mark.timeout(120)
def test_a_long_line_takes_time_for_its_length_alone() -> None:
    from kbc.formats.rst.markdown_marks import without_markdown_marks

    started = time.process_time()
    for line in ("# " * 50_000 + "x", "[](" + ":a." * 30_000):
        without_markdown_marks(f"# A\n{line}\n")
    assert time.process_time() - started < 5
