"""Descriptions of a repository's own APIs, each once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from kbc.project.model import Collection
from kbc.project.source_file import content_of, decode_any, resolved_path
from kbc.sources.formats import is_wanted

_NAMES = (
    *("openapi.json", "openapi.yaml", "openapi.yml"),
    *("swagger.json", "swagger.yaml", "swagger.yml"),
)
_NOT_OWN = re.compile(
    r"[._].*|(?:.*[-_])?tests?|__tests__|testdata|fixtures?|examples?|node_modules|vendor|third[_-]party"
)
"""Folders of descriptions of other APIs."""

_MANY = 20
"""More descriptions of APIs in one repository are data of its, and not its own API, unless they are a
family."""

_MOST = 500
_FAMILY = 0.9
"""Such a share of a family's titles begins with the same word, the name of the project."""

_NO_NAME = frozenset(
    ["a", "an", "api", "example", "my", "openapi", "petstore", "swagger", "test", "the"]
)
"""First words of titles that name no project."""

_INFO = re.compile(r"^[\"']?info[\"']?[ \t]*:|\"info\"\s*:\s*\{", re.MULTILINE)
_INFO_CHARS = 20_000
_FIELD = r"""(?:^[ \t]+|[{,\s])["']?%s["']?[ \t]*:[ \t]*("[^"\n]*"|'[^'\n]*'|[^"'\s][^\n]*)"""
_TITLE = re.compile(_FIELD % "title", re.MULTILINE)
_VERSION = re.compile(_FIELD % "version", re.MULTILINE)
_PATH = re.compile(
    r"\"(/[^\"\s]*)\"\s*:\s*\{|^[ \t]+[\"']?(/\S*?)[\"']?:[ \t]*(?:[{#].*)?\r?$", re.MULTILINE
)


_BASE = re.compile(
    r"\bbasePath[\"']?\s*:\s*(?:\{\s*)?(?:[\"']?default[\"']?\s*:\s*)?[\"']?([^\s\"',}]+)"
)

_REFERENCE = re.compile(r"""\$ref["']?\s*:\s*["']?(?![a-z]+://)([^"'#\s]+)""")

_Identity = tuple[str, str, frozenset[str]]
"""Title, version, and the paths with the one below which they are."""


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Paths of files: `own` are those outside of the folders that are read anyway, `copies` describe the same
    API as another file, within those folders or outside, and `parts` are what `own` refer to."""

    own: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


def descriptions(root: Path, names: Sequence[str], taken: Sequence[str]) -> Descriptions:
    """The files among `names` (below `root`) that describe the repository's own APIs; `taken` are the folders
    that are read anyway. Of an API that is described in several files, as in JSON and YAML or by what a
    bundle is made of, the one in such a folder or else the outermost one counts."""
    found = [
        name
        for name in names
        if name.lower().endswith((".json", ".yaml", ".yml"))
        and not any(_NOT_OWN.fullmatch(each) for each in name.split("/")[:-1])
        and is_wanted(root / name, _NAMES)
    ]
    folders = tuple(f"{each}/" for each in taken)
    outside = [name for name in found if not ("." in taken or name.startswith(folders))]
    are_compared = 1 < len(found) <= _MANY
    if len(outside) > _MANY:
        # Titles first: in large files of data it takes long to find the paths.
        if len(found) > _MOST or not _are_family([_title(root / name) for name in outside]):
            return Descriptions()
        are_compared = True
    copies = []
    known: set[_Identity] = set()
    is_outside = set(outside)
    for name in sorted(found, key=lambda name: (name in is_outside, name.count("/"), name)):
        api = _identity(root / name) if are_compared else None
        if api in known:
            copies.append(name)
        elif api is not None:
            known.add(api)
    own = sorted(name for name in outside if name not in copies)
    return Descriptions(tuple(own), tuple(sorted(copies)), _parts(root, own, frozenset(names)))


def _parts(root: Path, own: Sequence[str], names: frozenset[str]) -> tuple[str, ...]:
    """The files among `names` that descriptions refer to, and those that these refer to."""
    seen = {*own}
    waiting = [*own]
    while waiting:
        name = waiting.pop()
        for match in _REFERENCE.finditer(_text(root / name)):
            part = resolved_path(unquote(match[1]), name)
            if part in names and part not in seen:
                seen.add(part)
                waiting.append(part)
    return tuple(sorted(seen - {*own}))


def _are_family(titles: Sequence[str]) -> bool:
    """Whether APIs with these titles are parts of one: they begin with one name."""
    names = Counter(word for title in titles for word in title.casefold().split()[:1])
    name, with_it = names.most_common(1)[0] if names else ("", 0)
    return name not in _NO_NAME and with_it >= _FAMILY * len(titles)


def _title(path: Path) -> str:
    """What an API is called; "" where that is missing."""
    title = _TITLE.search(_about(_text(path)))
    return title[1].strip("\"' \r") if title else ""


def _text(path: Path) -> str:
    return decode_any(content_of(path) or b"")


def _about(text: str) -> str:
    """The beginning of what a description says of its API as a whole."""
    info = _INFO.search(text)
    start = info.end() - 1 if info else len(text)
    return text[start : start + _INFO_CHARS]


def _identity(path: Path) -> _Identity | None:
    """What an API is called, its version and the addresses of its operations, which need no parser to be
    found; None where something is missing."""
    text = _text(path)
    about = _about(text)
    title, version = _TITLE.search(about), _VERSION.search(about)
    paths = frozenset(match[1] or match[2] for match in _PATH.finditer(text))
    base = {f"{match[1]}/" for match in _BASE.finditer(text)}
    if not (title and version and paths):
        return None
    return title[1].strip("\"' \r"), version[1].strip("\"' \r"), paths | base


def without(collection: Collection, files: Sequence[str]) -> Collection:
    """The collection without those of `files` that are in its folders."""
    folders = ["" if path == "." else f"{path}/" for path in collection.paths]
    inside = [
        f"/{name.removeprefix(start)}"
        for start in folders
        for name in files
        if name.startswith(start)
    ]
    return replace(collection, exclude=(*collection.exclude, *inside))
