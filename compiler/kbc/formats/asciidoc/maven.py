"""The attributes that a build by Maven gives to AsciiDoc: those of `asciidoctor-maven-plugin` in `pom.xml`.

Their values name properties, `${examples-dir}`, of the same file or of those above it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from kbc.formats.document import FormatError
from kbc.formats.xml import local_name, parsed

if TYPE_CHECKING:
    from lxml import etree

BUILD_FILE = "pom.xml"

_PLUGIN = "asciidoctor-maven-plugin"
_PROPERTY = re.compile(r"\$\{([^${}]*)\}")
_MAX_NESTED = 10
"""Properties that name others; a circle ends here."""
_MAX_CHARS = 10_000
"""Of a value with its properties, which may name each other several times."""


@lru_cache(maxsize=16)
def build_attributes(files: tuple[tuple[str, bytes], ...]) -> Mapping[str, str]:
    """The attributes by their names in lower case. `files` are the path and content of each `pom.xml` around
    a page, the nearest first: it wins. Values that need more than these files say are left out. The pages of
    a folder have the same files around them, so the last ones are remembered."""
    attributes: dict[str, str] = {}
    projects = [(path, root) for path, data in files for root in _projects(data)]
    properties = dict(_properties(projects))
    for path, root in projects:
        folder = posixpath.dirname(path) or "."
        own = properties | dict.fromkeys(("basedir", "project.basedir"), folder)
        for name, value in _stated(root):
            if (text := _filled(value, own)) is not None:
                attributes.setdefault(name, text)
    return attributes


def _projects(data: bytes) -> Iterator[etree._Element]:
    """The project that a build file states; none where it is damaged."""
    try:
        root = parsed(data, BUILD_FILE)
    except FormatError:
        return
    if local_name(root) == "project":
        yield root


def _properties(projects: Sequence[tuple[str, etree._Element]]) -> Iterator[tuple[str, str]]:
    """Those of all projects, the nearest last. What a project does not state is its parent's."""
    for _, root in reversed(projects):
        for child in root:
            if local_name(child) == "properties":
                yield from ((local_name(each), _text(each)) for each in child if local_name(each))
            elif local_name(child) == "parent":
                stated = {local_name(each): _text(each) for each in child}
                for key in ("groupId", "version"):
                    yield f"project.{key}", stated.get(key, "")
            elif local_name(child) in ("artifactId", "groupId", "name", "version"):
                yield f"project.{local_name(child)}", _text(child)


def _stated(root: etree._Element) -> Iterator[tuple[str, str]]:
    for plugin in root.iter("{*}plugin"):
        if plugin.findtext("{*}artifactId", "").strip() != _PLUGIN:
            continue
        for section in plugin.iter("{*}attributes"):
            stated = (each for each in section if local_name(each))
            yield from ((local_name(each).lower(), _text(each)) for each in stated)


def _filled(value: str, properties: Mapping[str, str]) -> str | None:
    """The value with its properties; None where one is not known, or the value is too long."""
    for _ in range(_MAX_NESTED):
        names = _PROPERTY.findall(value)
        if not names:
            return value
        if len(value) > _MAX_CHARS or any(name not in properties for name in names):
            return None
        value = _PROPERTY.sub(lambda match: properties[match[1]], value)
    return None


def _text(element: etree._Element) -> str:
    return (element.text or "").strip()
