"""The project that a topic belongs to: its folders, instances and variables, from Writerside's own files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from lxml import etree

from kbc.formats.document import Read
from kbc.formats.writerside.xml import parsed_if_any
from kbc.project.include_tree import folders_above
from kbc.project.well_formed import comma_separated

CONFIGS = ("writerside.cfg", "project.ihp")
"""The configuration of a project, under its name of today and its former one."""

_MAX_FOLDERS_ABOVE = 8


@dataclass(frozen=True, slots=True)
class Instance:
    """One site of a project: `tree` is the file with its table of contents, relative to the configuration;
    `web_path` the folder of its addresses."""

    tree: str
    web_path: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What writerside.cfg says; folders and files are relative to it."""

    topics: str = "topics"
    snippets: str = ""
    variables: str = ""
    instances: tuple[Instance, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicProject:
    """`topics` and `snippets` are folders, as paths like that of the topic. `instances` are the ids of the
    project's instances, () where they are not known."""

    topics: str = ""
    snippets: str = ""
    instances: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=16)
def configuration(data: bytes) -> Configuration | None:
    """What a configuration file holds; None for one that is no XML of Writerside."""
    root = parsed_if_any(data)
    if root is None or root.tag != "ihp":
        return None

    def attribute(element: str, *names: str) -> str:
        found = root.find(element)
        values = (found.get(name, "") for name in names) if found is not None else ()
        return next((value for value in values if value), "")

    return Configuration(
        topics=attribute("topics", "dir", "src") or "topics",
        snippets=attribute("snippets", "src", "dir"),
        variables=attribute("vars", "src"),
        instances=tuple(
            Instance(each.get("src", ""), each.get("web-path", ""), each.get("version", ""))
            for each in root.findall("instance")
            if each.get("src")
        ),
    )


def project_of(path: str, read: Read) -> TopicProject:
    """The project around the topic at `path`; where no folder above has a configuration, the topic's own
    folder with nothing else."""
    for folder in islice(folders_above(path), _MAX_FOLDERS_ABOVE):
        for name in CONFIGS:
            data = read(posixpath.join(folder, name))
            found = configuration(data) if data is not None else None
            if found is not None:
                return _project(folder, found, read)
    return TopicProject(topics=posixpath.dirname(path))


def _project(folder: str, found: Configuration, read: Read) -> TopicProject:
    def place(name: str) -> str:
        return posixpath.normpath(posixpath.join(folder, name)) if name else ""

    ids: list[str] = []
    variables: dict[str, str] = {}
    for instance in found.instances:
        profile = parsed_if_any(read(place(instance.tree)))
        if profile is not None:
            ids.append(profile.get("id", ""))
            name = profile.get("name", "")
            variables.setdefault("instance", name)
            variables.setdefault("product", name)
        if instance.version:
            variables.setdefault("version", instance.version)
    root = parsed_if_any(read(place(found.variables))) if found.variables else None
    if root is not None:
        variables |= dict(declared(root, tuple(ids)))
    return TopicProject(place(found.topics), place(found.snippets), tuple(ids), variables)


def declared(element: etree._Element, instances: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Name and value of the variables that an element declares for itself."""
    for each in element.findall("var"):
        if each.get("name") and is_shown(each.get("instance", ""), instances):
            yield each.get("name"), each.get("value") or "".join(each.itertext()).strip()


def is_shown(condition: str, instances: tuple[str, ...]) -> bool:
    """Whether one of the project's instances fulfils a condition such as `web,mob` or `!mob`."""
    stated = comma_separated(condition)
    if not stated or not instances:
        return True
    refused = {each[1:] for each in stated if each.startswith("!")}
    wanted = {each for each in stated if not each.startswith("!")}
    return any((not wanted or each in wanted) and each not in refused for each in instances)


_VARIABLE = re.compile(r"%(?P<escaped>\\)?(?P<name>[A-Za-z][\w.-]*)%")
_MAX_DEPTH = 5


def filled(text: str, variables: Mapping[str, str], depth: int = 0) -> str:
    """`text` with the values of `%name%`; names without a value stay, `%\\name%` is `%name%`."""
    if "%" not in text:
        return text

    def value(match: re.Match[str]) -> str:
        if match["escaped"]:
            return f"%{match['name']}%"
        found = variables.get(match["name"])
        if found is None:
            return match[0]
        return filled(found, variables, depth + 1) if depth < _MAX_DEPTH else found

    return _VARIABLE.sub(value, text)
