"""The attributes that files around a document give it: its component of Antora, the configuration that
editors read for their preview, and the build by Maven."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kbc.formats.asciidoc.maven import BUILD_FILE, build_attributes
from kbc.formats.document import Read
from kbc.project.include_tree import folders_above
from kbc.project.well_formed import mapping, yaml_table

FAMILIES = frozenset({"pages", "partials", "examples", "attachments", "images"})
"""The folders of a module of Antora."""

PLAYBOOKS = (
    "antora-playbook.yml", "antora-playbook.yaml", "playbook.yml", "local-antora-playbook.yml",
    "site.yml", "publish.yml", "preview.yml",
)  # fmt: skip
"""What Antora publishes a component with, beside it or above it; the last three may be anything else."""

_ENTRY = re.compile(r"^:(?P<name>[\w-]+):(?:[ \t]+(?P<value>.*))?$", re.MULTILINE)


def attributes_around(path: str, read: Read, around: Sequence[str]) -> dict[str, str]:
    """The attributes of the document at `path`: of a component, else of editors' files, else of builds.
    `around` are the paths of these files, the nearest first."""
    found = {"asciidoctor": "", "backend": "html5", "docdir": posixpath.dirname(path) or "."}
    builds = [name for name in around if posixpath.basename(name) == BUILD_FILE]
    files = ((name, read(name)) for name in builds)
    found |= build_attributes(tuple((name, data) for name, data in files if data is not None))
    for name in reversed(around):
        if name not in builds and (data := read(name)) is not None:
            if posixpath.basename(name).startswith("."):
                found["asciidoctorconfigdir"] = posixpath.dirname(name) or "."
            found.update(entries(data.decode("utf-8", "replace")))
    return found | _of_component(path, read)


def module_root(path: str) -> str:
    """`docs/modules/ROOT` of `docs/modules/ROOT/pages/a/b.adoc`; "" outside of Antora."""
    parts = path.split("/")
    for index in range(len(parts) - 2, 0, -1):
        if parts[index] in FAMILIES and index >= 2 and parts[index - 2] == "modules":
            return "/".join(parts[:index])
    return ""


def entries(text: str) -> Iterator[tuple[str, str]]:
    """The attributes that a text sets, by their names in lower case."""
    lines = re.sub(r"[ \t]\\\r?\n[ \t]*", " ", text).replace("\r\n", "\n")
    for entry in _ENTRY.finditer(lines):
        if (name := entry["name"].lower()) != "leveloffset":  # of the includes that follow it
            yield name, (entry["value"] or "").strip()


def _of_component(path: str, read: Read) -> dict[str, str]:
    """The attributes that Antora sets itself, and those that `antora.yml` in a folder above the file sets."""
    root = module_root(path)
    if not root:
        return {}
    folder = posixpath.dirname(posixpath.dirname(root))
    found = _table(read(posixpath.join(folder, "antora.yml")))
    if not found:
        return {}
    name, version = str(found.get("name", "")), str(found.get("version") or "")
    attributes = {
        "page-component-name": name,
        "page-component-title": str(found.get("title") or name),
        "page-component-version": version,
        "page-component-display-version": str(found.get("display_version") or version),
        "page-version": version,
        "page-module": posixpath.basename(root),
        **{f"{family}dir": f"{family[:-1]}$" for family in FAMILIES - {"pages", "images"}},
    }
    # A component may set what the playbook sets with `@` behind it, and nothing else of that.
    of_playbook = dict(_given(playbook_above(folder, read)[1]))
    firm = {each: value for each, value in of_playbook.items() if not value.endswith("@")}
    stated = {**attributes, **of_playbook, **dict(_given(found)), **firm}
    return {each: value.removesuffix("@") for each, value in stated.items()}


def playbook_above(folder: str, read: Read) -> tuple[str, Mapping[str, Any]]:
    """The path of the playbook of a component, and what it says; "" and nothing where there is none."""
    for place in folders_above(posixpath.join(folder, PLAYBOOKS[0])):
        for name in PLAYBOOKS:
            path = posixpath.join(place, name)
            found = _table(read(path))
            if "site" in found and ("playbook" in name or "content" in found):
                return path, found
    return "", {}


def _given(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The attributes that a component or a playbook sets, with the `@` of those that others may set."""
    given = mapping(mapping(table.get("asciidoc")).get("attributes"))
    for key, value in given.items():
        if value is not None and value is not False:
            yield str(key).lower(), str(value)


def _table(data: bytes | None) -> Mapping[str, Any]:
    return yaml_table(data) if data else {}
