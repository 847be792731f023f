"""Scripts of sphinx-gallery as pages: what is text, what is code, and where problems are."""

from __future__ import annotations

import pytest

from kbc.formats import Converted, FormatError, convert
from kbc.formats.rst import gallery

SCRIPT = '''\
#!/usr/bin/env python
"""
Fill a pond
===========

How *water* gets in.
"""

# sphinx_gallery_thumbnail_number = 2
# A remark of the code.
from weir import Pump

# %%
# Open the valve
# --------------
#
# - slowly
# - :func:`weir.turn` turns it
valve = 3


def turn():
    # of a function
    return valve

# sphinx_gallery_start_ignore
hidden = 1
# sphinx_gallery_end_ignore
##############################
# .. note:: Wait.

turn()
#%%
'''


def page(script: str) -> Converted:
    (found,) = convert("pond.py", script.encode(), {}.get, format="sphinx-gallery")
    return found


def test_marked_comments_are_text_and_all_else_is_code() -> None:
    found = page(SCRIPT)
    assert found.title == "Fill a pond"
    assert found.text == (
        "# Fill a pond\n\nHow *water* gets in.\n\n"
        "```python\n# A remark of the code.\nfrom weir import Pump\n```\n\n"
        "## Open the valve\n\n- slowly\n- `weir.turn()` turns it\n\n"
        "```python\nvalve = 3\n\n\ndef turn():\n    # of a function\n    return valve\n```\n\n"
        "> **Note**\n>\n> Wait.\n\n"
        "```python\nturn()\n```\n"
    )
    assert found.problems == ()


def test_a_script_without_a_docstring_is_no_example() -> None:
    for script in ("", "# %%\n# Text\nvalve = 3\n", "valve = 'open'\n"):
        assert gallery.convert("pond.py", script.encode(), {}.get) == []


def test_problems_are_where_the_script_has_them() -> None:
    script = '"""Pond\n====\n"""\nvalve = 3\n\n# %%\n# Look\n# ----\n# .. include:: gone.rst\nvalve = 4\n'
    (problem,) = page(script).problems
    assert (problem.line, "gone.rst" in problem.message) == (9, True)


def test_a_script_that_is_not_python_is_refused_with_its_line() -> None:
    with pytest.raises(FormatError) as error:
        gallery.convert("pond.py", b'"""Pond\n====\n"""\nvalve = = 3\n', {}.get)
    assert error.value.line == 4
