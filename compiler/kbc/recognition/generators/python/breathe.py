"""The headers that Breathe shows the documentation of: those of its own settings, of a Doxyfile, or of the
folders where libraries of C and C++ keep them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import files_below, read_text
from kbc.recognition.site import MAX_NESTING, joined, mapping, text, texts

MAX_FILES = 3_000

HEADERS = ("*.h", "*.hh", "*.hpp", "*.hxx", "*.h++", "*.cuh", "*.inl", "*.ipp", "*.tpp", "*.txx")
SOURCES = (*HEADERS, "*.c", "*.cc", "*.cpp", "*.cxx", "*.c++", "*.cu", "*.dox")
"""Files of C and C++ among those that Doxygen reads where FILE_PATTERNS is empty."""

_FOLDERS = ("include", "inc", "src", "lib", "source")
"""Where headers are, the first that is there, where no configuration says so."""

_CONFIGS = ("doxyfile*", "*.doxyfile", "*.doxyfile.in", "*.doxy", "doxygen.cfg*", "doxygen.conf*")
_BELOW = ("", "doxygen", "doxy", "docs", "doc", "cmake")
_LINE_JOIN = re.compile(r"\\[ \t]*\n")
_ASSIGNED = re.compile(
    r"^[ \t]*(?P<name>[A-Z_]+)[ \t]*(?P<more>\+?)=[ \t]*(?P<value>[^\n]*)$", re.MULTILINE
)
_VALUE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s"]+)')
_VARIABLE = re.compile(r"\A(?:@[\w.]+@|\$[({][\w.]+[)}]|\$\w+)/*")


class Breathe(NamedTuple):
    """`headers` has the paths of the files of each project by its name; `configs` are the Doxyfiles, and
    `distributed` the projects in which DISTRIBUTE_GROUP_DOC is set."""

    default: str
    headers: Mapping[str, list[str]]
    configs: tuple[str, ...]
    distributed: tuple[str, ...]


def breathe_of(
    tree: IncludeTree, folder: str, data: Mapping[str, Any], extensions: Collection[str]
) -> Breathe | None:
    """What the site whose conf.py is in `folder` and says `data` shows of headers; None where neither
    its extensions nor its settings nor a Doxyfile speak of it."""
    stated = mapping(data.get("breathe_projects"))
    sources = mapping(data.get("breathe_projects_source"))
    doxyfiles = list(_doxyfiles(tree, folder))
    if not ("breathe" in extensions or stated or sources or doxyfiles):
        return None
    default = text(data, "breathe_default_project")
    found: dict[str, list[str]] = {}
    for name, value in sources.items():
        found[str(name)] = list(_of_source(tree, folder, value))
    names = [str(each) for each in stated if str(each) not in found]
    configs: dict[str, None] = {}
    distributed: list[str] = []
    for name in names or ([default] if not found else []):
        config = _nearest(tree, doxyfiles, joined(folder, text(stated, name)), name)
        found[name] = _of_doxyfile(tree, config) if config else []
        if config and found[name]:
            configs[config] = None
            if _settings(tree, config).get("DISTRIBUTE_GROUP_DOC") == ["YES"]:
                distributed.append(name)
        found[name] = found[name] or _conventional(tree, folder)
    default = default if default in found else next(iter(found), "")
    return Breathe(default, found, tuple(configs), tuple(distributed))


def _of_source(tree: IncludeTree, folder: str, value: Any) -> Iterator[str]:
    """`("../src", ["a.h", "b.h"])`: a folder and files in it."""
    if isinstance(value, Sequence) and len(value) == 2 and isinstance(value[0], str):
        place = joined(folder, value[0])
        paths = (joined(place, str(each)) for each in texts(value[1]))
        yield from (each for each in paths if tree.exists(each))


def _doxyfiles(tree: IncludeTree, folder: str) -> Iterator[str]:
    """The Doxyfiles beside conf.py and around it, the nearest first."""
    places = dict.fromkeys(
        joined(around, below) for around in _around(tree, folder) for below in _BELOW
    )
    for place in places:
        for name in tree.names(place):
            if any(fnmatchcase(name.lower(), each) for each in _CONFIGS):
                yield joined(place, name)


def _around(tree: IncludeTree, folder: str) -> Iterator[str]:
    """A folder and those around it, up to the boundary of the tree."""
    top = joined(tree.top)
    while True:
        yield folder
        if folder == top or (not folder and not top):
            return
        is_above = folder.startswith("..") or not folder
        folder = joined(folder, "..") if is_above else posixpath.dirname(folder)


def _nearest(tree: IncludeTree, doxyfiles: Sequence[str], xml: str, name: str) -> str:
    """The Doxyfile that writes the folder `xml`, else the one of the project `name`, else the nearest."""
    for each in doxyfiles:
        stated = _settings(tree, each)
        output = joined(posixpath.dirname(each), *stated.get("OUTPUT_DIRECTORY", [])[:1])
        written = joined(output, *(stated.get("XML_OUTPUT") or ["xml"])[:1])
        if written == xml:
            return each
    named = (
        each
        for each in doxyfiles
        if name and name.lower() in " ".join(_settings(tree, each).get("PROJECT_NAME", [])).lower()
    )
    return next(named, next(iter(doxyfiles), ""))


def _settings(tree: IncludeTree, path: str) -> dict[str, list[str]]:
    """The values of a Doxyfile by their names."""
    lines = (tree.peek(path) or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    found: dict[str, list[str]] = {}
    for match in _ASSIGNED.finditer(_LINE_JOIN.sub(" ", lines)):
        values = [each["quoted"] or each["plain"] or "" for each in _VALUE.finditer(match["value"])]
        found[match["name"]] = [*found.get(match["name"], ()), *values] if match["more"] else values
    return found


def _of_doxyfile(tree: IncludeTree, path: str) -> list[str]:
    """The files of C and C++ that the Doxyfile at `path` names."""
    read_text(tree, path)  # one of the files that records depend on
    stated = _settings(tree, path)
    folder = posixpath.dirname(path)
    patterns = [
        each for each in stated.get("FILE_PATTERNS", ()) if each in SOURCES or each in ("*", "*.*")
    ]
    patterns = [each for each in patterns if each in SOURCES] or list(SOURCES)
    is_deep = stated.get("RECURSIVE", ["NO"])[:1] == ["YES"]
    excluded = [place for each in stated.get("EXCLUDE", ()) for place in _place(tree, folder, each)]
    ignored = stated.get("EXCLUDE_PATTERNS", [])
    found: dict[str, None] = {}
    for each in stated.get("INPUT", []) or ["."]:
        for place in _place(tree, folder, each):
            is_file = tree.exists(place)
            if is_file and any(fnmatchcase(place.lower(), one) for one in SOURCES):
                found[place] = None
            elif not is_file:
                found |= dict.fromkeys(_files(tree, place, patterns, is_deep=is_deep))
    return [
        each
        for each in found
        if not any(each == one or each.startswith(f"{one}/") for one in excluded)
        and not any(fnmatchcase(f"/{each}", one) for one in ignored)
    ][:MAX_FILES]


def _place(tree: IncludeTree, folder: str, stated: str) -> list[str]:
    """Where a path of a Doxyfile leads: from its own folder or one around it, where Doxygen may be started;
    a variable of CMake at its beginning stands for one of these."""
    path = _VARIABLE.sub("", stated.replace("\\", "/"))
    if path.startswith("/"):
        return []
    for around in _around(tree, folder):
        place = joined(around, path)
        if path and (tree.exists(place) or tree.names(place)):
            return [place]
    return []


def _conventional(tree: IncludeTree, folder: str) -> list[str]:
    """The headers in the usual folders around conf.py, of the nearest folder that has any."""
    for around in _around(tree, folder):
        for name in _FOLDERS:
            if found := list(_files(tree, joined(around, name), HEADERS)):
                return found[:MAX_FILES]
    return []


def _files(
    tree: IncludeTree, folder: str, patterns: Sequence[str], *, is_deep: bool = True
) -> Iterator[str]:
    def is_wanted(name: str) -> bool:
        return any(fnmatchcase(name.lower(), each) for each in patterns)

    return files_below(tree, folder, is_wanted, MAX_NESTING if is_deep else 0)
