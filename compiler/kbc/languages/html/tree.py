"""Walks over the elements of an HTML page.

Beautiful Soup matches each element and text against rules of its own, and looks up and down its tree for
what is in an element; that took more time than parsing.
"""

from __future__ import annotations

from collections.abc import Iterator

from bs4 import Tag

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def elements(root: Tag) -> Iterator[Tag]:
    """The elements in `root`, in order; of one that the caller takes out, not what is in it."""
    waiting: list[object] = list(reversed(root.contents))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tag):
            yield node
            waiting.extend(reversed(node.contents))


def named(root: Tag, *names: str) -> Iterator[Tag]:
    """The elements in `root` with one of these names, in order."""
    return (each for each in elements(root) if each.name in names)


def has(root: Tag, *names: str) -> bool:
    """Whether `root` has an element with one of these names."""
    return next(named(root, *names), None) is not None


def children(root: Tag, *names: str) -> list[Tag]:
    """The elements directly in `root` with one of these names, in order."""
    return [each for each in root.contents if isinstance(each, Tag) and each.name in names]


def is_removed(tag: Tag) -> bool:
    """Whether the element was decomposed. Its property `decomposed` looks for an element of that name
    through all that is inside, which makes a walk over a page quadratic."""
    return bool(vars(tag).get("_decomposed"))


def classes_of(tag: Tag) -> list[str]:
    """The classes of an element."""
    if "class" not in tag.attrs:
        return []
    return [str(name) for name in tag.get_attribute_list("class") if name]


def bare_text(tag: Tag) -> str:
    """The text in an element without white space: as much as a page shows of it."""
    return "".join(tag.get_text().split())
