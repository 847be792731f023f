"""The text of docstrings: what reStructuredText in them becomes."""

from __future__ import annotations

from functools import partial

from kbc.formats import Converted, convert
from kbc.formats.python.module_pages import module_page
from kbc.formats.rst import Context, embedded


def markdown(text: str) -> str:
    return "\n".join(embedded(text, Context("pond.py", {}.get)))


def page_of(name: str, source: bytes) -> Converted:
    path = f"{name.replace('.', '/')}.py"
    prose = partial(embedded, around=Context(path, {}.get))
    found = module_page(name, path, source, prose, has_private=False)
    assert found is not None
    return found


def test_references_are_links_and_footnotes_keep_their_numbers() -> None:
    text = (
        "See `tall  reeds`_, `the lake <https://lake.example>`_, Wiki_, `gone`_ and snake_case_ [1]_.\n\n"
        "Code ``x`_`` stays.\n\n"
        ".. _tall reeds: https://reeds.example\n.. _Wiki: https://wiki.example\n\n"
        ".. [1] A. Heron, *Reeds*,\n   of 2020.\n.. [2] `More <https://more.example>`_\n"
    )
    assert markdown(text) == (
        "See [tall  reeds](https://reeds.example), [the lake](https://lake.example), "
        "[Wiki](https://wiki.example), gone and snake_case \\[1\\].\n\n"
        "Code ``x`_`` stays.\n\n"
        "\\[1\\] A. Heron, *Reeds*,\nof 2020.\n\n\\[2\\] [More](https://more.example)"
    )


def test_lists_and_tables_stay_what_they_are() -> None:
    text = (
        "Sizes:\n\n- small,\n  or less\n- large\n\n#. first\n#. second\n\n-1 is all.\n\n"
        "=== ===\na   b\n=== ===\n1   2\n=== ===\n"
    )
    assert markdown(text) == (
        "Sizes:\n\n- small,\n  or less\n- large\n\n1. first\n2. second\n\n-1 is all.\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |"
    )


def test_text_behind_a_directive_goes_on_in_the_lines_below_it() -> None:
    text = (
        ".. note:: Nests of the `grey\n    heron <h>`_ are high,\n    and large.\n\n    Look up.\n\n"
        ".. versionadded:: 2.1 Finds nests\n   in reeds.\n\n.. tip:: Wait.\n\n    Then look.\n"
    )
    assert markdown(text) == (
        "> **Note**\n>\n> Nests of the [grey\n> heron](h) are high,\n> and large.\n>\n> Look up.\n\n"
        "*Added in version 2.1:* Finds nests\nin reeds.\n\n> **Tip**\n>\n> Wait.\n>\n> Then look."
    )


def test_what_is_indented_is_code_and_names_between_backticks_are() -> None:
    text = "Opens `Nest`.\n\nReeds\n=====\nSo:\n\n    if nest:\n        hatch(*eggs)\n\n    - done"
    assert markdown(text) == (
        "Opens `Nest`.\n\n**Reeds**\n\nSo:\n\n```\nif nest:\n    hatch(*eggs)\n\n- done\n```"
    )
    assert markdown("    - small\n    - large") == "- small\n- large"


def test_links_of_markdown_are_links() -> None:
    text = "Finds [all the\nnests](https://pond.example/nests), see `reeds`."
    assert markdown(text) == "Finds [all the\nnests](https://pond.example/nests), see `reeds`."


def test_what_is_indented_with_a_directive_is_the_text_of_a_section() -> None:
    text = (
        "Hatches.\n\nExample:\n\n    Of *two* eggs:\n\n    .. testcode::\n\n        hatch(2)\n\n"
        "    Both are ``Nest``.\n\nNote:\n    Slow.\n"
    )
    assert markdown(text).startswith(
        "Hatches.\n\nExample:\n\nOf *two* eggs:\n\n```python\nhatch(2)\n```\n\nBoth are `Nest`.\n\n"
    )


def test_a_docstring_may_show_what_its_module_has_but_itself_only_so_often() -> None:
    source = b'def hatch():\n    """Hatches ``one``.\n\n    .. autofunction:: hatch\n    """\n'
    (found,) = convert("all.rst", b".. autofunction:: nest.hatch\n", {"nest.py": source}.get)
    assert found.text.count("Hatches") == 3
    assert found.problems == ()


def test_directives_of_a_docstring_are_what_they_label() -> None:
    source = '''def run(a):
    """Runs.

    .. versionchanged:: 2.3
        It is faster.

        .. deprecated:: 2.4

    .. code-block:: jinja

        {% a %}

    .. note:: Mind.

    .. _label:

    :param a: The thing, or what
        is like it.
        .. versionadded:: 1.0

    .. versionchanged:: 2.5
        It may be ``None``.
    """
'''
    found = page_of("pkg.mod", source.encode())
    assert "::" not in found.text
    assert "_label" not in found.text
    for expected in (
        "*Changed in version 2.3:* It is faster.\n\n*Deprecated since version 2.4.*",
        "```jinja\n{% a %}\n```",
        "> **Note**\n>\n> Mind.",
        "- `a`: The thing, or what\n  is like it.\n\n  *Added in version 1.0.*\n\n"
        "  *Changed in version 2.5:* It may be `None`.",
    ):
        assert expected in found.text


def test_code_of_a_docstring_is_one_block_with_all_of_its_lines() -> None:
    text = (
        "    Opens a nest, like this::\n\n      def opened(nest):\n      ...\n\n        more()\n\n"
        "        # done\n\n    Then ::\n\n    C++::\n\n    See nests\n    ---------\n    Yes.\n"
    )
    source = f'def hatch():\n    """\n{text}    """\n'
    found = page_of("nest", source.encode())
    assert (
        "Opens a nest, like this:\n\n```\ndef opened(nest):\n...\n\n  more()\n\n  # done\n```\n\n"
        "Then\n\nC++:\n\n**See nests**\n\nYes.\n"
    ) in found.text


def test_underlines_tell_the_style_of_a_docstring() -> None:
    source = '''def run(a):
    """Runs.

    Parameters
    ----------
    a : int
        The thing.

    Notes
    -----
    Example:
        run(1)
    """
'''
    found = page_of("pkg.mod", source.encode())
    assert "**Parameters**\n\n- `a` (int): The thing." in found.text


def test_dots_below_an_example_are_its_output() -> None:
    source = '''def run(a):
    """Runs.

    >>> run(1)
    ...

    As of
    ---

    Gates
    -----
    Shut.
    """
'''
    found = page_of("pkg.mod", source.encode())
    assert "```pycon\n>>> run(1)\n...\n```" in found.text
    assert "**As of**" not in found.text
    assert "**Gates**\n\nShut." in found.text


def test_attributes_are_described_by_the_text_of_their_docstrings() -> None:
    source = (
        b'class Nest:\n    eggs: int\n    """``0`` to *5* | 6.\n\n    .. versionadded:: 2.1"""\n'
        b'    place: str\n    """High.\n\n    Or::\n\n        reed\n    """\n'
    )
    text = page_of("pond", source).text
    assert "| `eggs` | `int` | `0` to *5* \\| 6. *Added in version 2.1.* |\n" in text
    assert "## `Nest.place: str`\n\nHigh.\n\nOr:\n\n```\nreed\n```\n" in text


def test_attributes_have_their_values_and_enumerations_all_members() -> None:
    source = b"""
import enum

DEPTH = 3
\"\"\"How deep.\"\"\"
TABLE = [%s]
\"\"\"Soundings.\"\"\"
MODE: TypeAlias = Literal["low", "high"]
\"\"\"What the water does:

- *low*: it falls
- *high*: it rises
\"\"\"

class Tide(enum.IntEnum):
    LOW = 1
    HIGH = enum.auto()

class Gate:
    width: int = 7
    def __init__(self):
        self.open = False
        \"\"\"Whether boats pass.\"\"\"
""" % b", ".join([b"100"] * 50)
    text = page_of("pond", source).text
    assert "| `DEPTH` | `3` | How deep. |\n| `TABLE` |  | Soundings. |\n" in text
    assert "`pond.MODE: TypeAlias = Literal[" in text
    assert "What the water does:\n\n- *low*: it falls\n- *high*: it rises\n" in text
    assert (
        "| Attribute | Value |\n| --- | --- |\n| `LOW` | `1` |\n| `HIGH` | `enum.auto()` |\n"
        in text
    )
    assert "| `width` | `int` | `7` |  |\n| `open` |  |  | Whether boats pass. |\n" in text


def test_data_classes_have_constructors_from_their_fields() -> None:
    source = b"""
from dataclasses import dataclass, field
from elsewhere import Base

@dataclass
class Gate(Base):
    width: int
    bars: list = field(default_factory=list)
    kind: str = "sluice"

@dataclass(kw_only=True)
class Lock(Gate):
    deep: bool = False
"""
    text = page_of("pond", source).text
    head = "pond.Gate(width: int, bars: list = list(), kind: str = 'sluice') of Base"
    assert f"## `class {head}`" in text
    assert "## `class pond.Lock(*, deep: bool = False) of Gate`" in text


def test_what_follows_the_last_field_is_no_part_of_a_type() -> None:
    fields = b":return: eggs\n    :rtype: int\n\n    .. versionadded:: 2.1\n"
    text = page_of("pond", b'def lay():\n    """Lays.\n\n    %b    """\n' % fields).text
    assert "- (int): eggs\n\n  *Added in version 2.1.*\n" in text


def test_modules_in_syntax_of_newer_pythons_are_read() -> None:
    source = """
type Nests[K] = dict[K, int]

def count[
    K,
](nests: Nests[K]) -> int:
    '''Counts.'''
    return f"{nests["é"]}"

class Heron[K]:
    '''A bird.'''
"""
    text = page_of("pond", source.encode()).text
    assert "## `pond.count(nests: Nests[K]) -> int`\n\nCounts.\n" in text
    assert "## `class pond.Heron()`\n\nA bird.\n" in text


def test_a_docstring_that_its_parser_fails_at_is_text() -> None:
    source = (
        b'class Nest:\n    """A nest.\n\n    Attributes:\n        eggs (int): How many. It is one of\n'
        b'        :const:`pond.Clutch`.\n    """\n\n    def __init__(self):\n        self.eggs = 3\n\n'
        b'    def hatch(self):\n        """Hatches."""\n'
    )
    text = page_of("pond", source).text
    assert "How many. It is one of\n  `pond.Clutch`." in text
    assert "Hatches." in text


def test_what_a_docstring_lists_is_named_and_the_same_in_every_process() -> None:
    source = (
        b'"""Birds.\n\nFunctions:\n    fly: Rises.\n    land(place): Comes down.\n\n'
        b'Classes:\n    Heron: Grey.\n\nModules:\n    reeds: Tall.\n"""\n'
    )
    text = page_of("pond.birds", source).text
    assert " object at 0x" not in text
    assert "**Functions**\n\n- `fly`: Rises.\n- `land(place)`: Comes down." in text
    assert "**Classes**\n\n- `Heron`: Grey.\n\n**Modules**\n\n- `reeds`: Tall." in text
