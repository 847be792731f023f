"""ExDoc: mix.exs says which pages a package has besides its modules, their order, titles and addresses."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import has_magic
from itertools import islice, product
from typing import Any, NamedTuple

from kbc.languages.anchors import slug
from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import read_text
from kbc.recognition.generators.elixir.mix_script import Regex, keywords, read_project
from kbc.recognition.places import is_for_pages
from kbc.recognition.site import MAX_NESTING, Site, joined, text

GENERATOR = "ex-doc"
CONFIGS = ("mix.exs",)
MAX_ALTERNATIVES = 100
"""Of the braces in a wildcard."""

_ANY_DEPTH = "**"

_PAGES = (".md", ".livemd", ".cheatmd", ".txt")
_EVIDENCE = re.compile(r"\bextras:")
_BRACES = re.compile(r"\{([^{}]*)\}")
_MAX_MATCHED = 200
"""Characters of a path that an expression is tried on."""

_ATOMS = r"(?:\\.|\[(?:\\.|[^\]\\])*\]|[^()*+{\\\[])*"
_HARMLESS = re.compile(rf"{_ATOMS}(?:[*+]{_ATOMS}){{0,2}}")
"""Expressions without groups that repeat two things at most: others may take long, and are not run."""


class _Extra(NamedTuple):
    """A page: its file below the folder of mix.exs, the title and the name of the file that are given to it,
    and its group's place."""

    path: str
    title: str
    filename: str
    group: int


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The documentation that the mix.exs in `folder` describes; None where it names no page that is there."""
    source_code = read_text(tree, config)
    if not _EVIDENCE.search(source_code):
        return None
    project = read_project(source_code, lambda pattern: _wildcard(tree, folder, pattern))
    docs = keywords(project.get("docs"))
    stated = sequence(docs.get("extras"))
    groups = _groups(docs.get("groups_for_extras"))
    extras = [each for each in (_extra(each, groups) for each in stated) if each]
    extras = [each for each in extras if tree.exists(joined(folder, each.path))]
    if not extras:
        return None
    addresses = _addresses(extras)
    extras.sort(key=lambda each: each.group)
    name = text(project, "app")
    return Site(
        folder=folder,
        paths=tuple(_places(folder, extras)),
        title=text(project, "name") or name,
        description=text(project, "description"),
        version=text(project, "version"),
        base_url=text(docs, "canonical") or _base_url(project),
        order=tuple(each.path for each in extras),
        titles={each.path: each.title for each in extras if each.title},
        settings=SiteSettings(
            addresses=AddressSettings(known=addresses),
            config_folder=folder,
            # Where a part of the list is computed, any page may be in it.
            contents="" if None in stated else config,
        ),
    )


def _extra(value: Any, groups: Sequence[tuple[Any, ...]]) -> _Extra | None:
    path, *more = value if isinstance(value, tuple) else (value,)
    options = keywords(more[0] if more else [])
    if not isinstance(path, str) or "url" in options or not path.lower().endswith(_PAGES):
        return None
    place = joined(path)
    if path.startswith("/") or place.startswith(".."):
        return None
    group = next((at for at, each in enumerate(groups) if _is_in(path, each)), -1)
    return _Extra(place, text(options, "title"), text(options, "filename"), group)


def _groups(value: Any) -> list[tuple[Any, ...]]:
    """The patterns of each group, in order."""
    found = (each[1] for each in sequence(value) if isinstance(each, tuple) and len(each) == 2)
    return [tuple(each) if isinstance(each, list) else (each,) for each in found]


def _is_in(path: str, patterns: Sequence[Any]) -> bool:
    return any(
        _matches(path, each) if isinstance(each, Regex) else path == each for each in patterns
    )


def _matches(path: str, pattern: Regex) -> bool:
    flags = re.IGNORECASE if "i" in pattern.modifiers else 0
    try:
        is_run = len(path) <= _MAX_MATCHED and _HARMLESS.fullmatch(pattern.source)
        return bool(is_run and re.search(pattern.source, path, flags))
    except re.error:
        return False


def _addresses(extras: Sequence[_Extra]) -> dict[str, str]:
    """Where each page is: its file's name as an anchor, and a number behind those that are called alike."""
    names = [
        each.filename or slug(posixpath.splitext(posixpath.basename(each.path))[0], "ex-doc")
        for each in extras
    ]
    counts, number = Counter(names), 0
    found = {}
    for each, name in zip(extras, names, strict=True):
        number += counts[name] > 1
        found[each.path] = f"{name}-{number}.html" if counts[name] > 1 else f"{name}.html"
    return found


def _base_url(project: Mapping[str, Any]) -> str:
    """Of a package for Hex, which publishes its documentation."""
    package = project.get("package")
    name = text(keywords(package), "name") or text(project, "app")
    return f"https://hexdocs.pm/{name}/" if package and name else ""


def _places(folder: str, extras: Sequence[_Extra]) -> Iterator[str]:
    """The folders for pages that extras are in, and the other extras."""
    found = (
        first
        if is_for_pages(first := each.path.partition("/")[0]) and "/" in each.path
        else each.path
        for each in extras
    )
    return (joined(folder, each) for each in dict.fromkeys(found))


def _wildcard(tree: IncludeTree, folder: str, pattern: str) -> list[str]:
    """The files that a wildcard of Elixir stands for, sorted: `guides/*.md`, `{a,b}/**/*.md`."""
    parts = [
        each.split(",") if at % 2 else [each] for at, each in enumerate(_BRACES.split(pattern))
    ]
    found: set[str] = set()
    for each in islice(product(*parts), MAX_ALTERNATIVES):
        names = joined("".join(each)).split("/")
        if names.count(_ANY_DEPTH) <= 1:
            found.update(_expanded(tree, folder, "", names))
    return sorted(found)


def _expanded(tree: IncludeTree, folder: str, place: str, parts: Sequence[str]) -> Iterator[str]:
    """The files below `place`, which is below `folder`, that the patterns of their names lead to."""
    if not parts:
        yield from (place,) if tree.exists(joined(folder, place)) else ()
        return
    first, rest = parts[0], parts[1:]
    if first == _ANY_DEPTH:
        yield from _expanded(tree, folder, place, rest)
    elif not has_magic(first):
        yield from _expanded(tree, folder, joined(place, first), rest)
        return
    if place.count("/") > MAX_NESTING:
        return
    for name in tree.names(joined(folder, place)):
        if first == _ANY_DEPTH and "." not in name:
            yield from _expanded(tree, folder, joined(place, name), parts)
        elif fnmatchcase(name, first) and not name.startswith("."):
            yield from _expanded(tree, folder, joined(place, name), rest)
