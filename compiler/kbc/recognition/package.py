"""What is published in a registry: a Python sdist, an npm package, a gem ... Their metadata name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigParserError
from dataclasses import dataclass, replace
from email.parser import HeaderParser
from typing import Any

from kbc.formats.document import FormatError
from kbc.formats.xml import local_name, parsed
from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_json, read_text, read_toml, read_yaml
from kbc.recognition.site import Site, joined, mapping, text, texts

_PYTHON_METADATA = re.compile(r".+\.(?:dist|egg)-info")
ANSIBLE = "Ansible collection"
_VERSION = re.compile(r"v?\d[\w.+-]*")
"""Build tools write others into what they publish: `${revision}`, `attr: heron.__version__`."""

_ASSIGNED = re.compile(
    r"^[^\S\n]*(?:@(?P<attribute>\w+)[^\S\n]+|(?:\w+\.)?(?P<key>\w+)[^\S\n]*[:=][^\S\n]*)"
    r"""(?:"(?P<text>[^"\n]*)"|'(?P<other>[^'\n]*)'|:(?P<atom>\w+))""",
    re.MULTILINE,
)
"""What a program gives to a name: `spec.name = "heron"`, `app: :heron`, `@version "1.0"`."""

_FIELD = re.compile(r"^(?P<key>[\w-]+)[^\S\n]*:[^\S\n]*(?P<text>\S.*)$", re.MULTILINE)
_PYTHON_VERSION = re.compile(r"""^(?:__version__|VERSION)\b[^=\n]*=\s*["']([^"'\n]+)""", re.M)
_OF_VERSION = (
    ".py", "/__init__.py", "/__about__.py", "/__version__.py", "/_version.py", "/version.py",
)  # fmt: skip
_RUBY_VERSION = re.compile(r"""^\s*VERSION\s*=\s*["']([^"'\n]+)""", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)][.!?])\s+(?=[A-Z])")
"""Of a description the first sentence is told."""

_LICENCE_IN_FILE = re.compile(r"\s*(?:\+|\|)?\s*file LICEN[CS]E$")


@dataclass(frozen=True, slots=True)
class Package:
    """`form` is `sdist`, `wheel`, `npm package` or, of a checkout, `Python project`, `crate` ...;
    `metadata` is the file that says so."""

    form: str
    metadata: str
    name: str = ""
    version: str = ""
    summary: str = ""
    license: str = ""


def naming(sites: Sequence[Site], package: Package | None) -> Site:
    """The site that a project is called as, with what its package says; without a package of the whole, sites
    of several parts do not name it."""
    first = sites[0] if sites else Site()
    if package is None:
        return first if len({site.config for site in sites}) < 2 else Site()
    return replace(
        first,
        title=first.title or package.name,
        description=first.description or package.summary,
        version=package.version or first.version,
    )


def recognise(tree: IncludeTree, folder: str) -> Package | None:
    """The package whose metadata are in `folder`; None without any. Of several, the first with a name, in the
    order of `_MANIFESTS`."""
    names = tree.names(folder)
    for name in names:
        if _PYTHON_METADATA.fullmatch(name) and tree.exists(joined(folder, name, "METADATA")):
            return _python(tree, joined(folder, name, "METADATA"), "wheel")
    if "PKG-INFO" in names:
        return _python(tree, joined(folder, "PKG-INFO"), "sdist")
    unnamed = None
    for wanted, form, read in _MANIFESTS:
        for name in names:
            if name == wanted or (wanted.startswith(".") and name.endswith(wanted)):
                path = joined(folder, name)
                found = _package(form, path, data := read(tree, path))
                if found.name:
                    return replace(found, version=found.version or _version_beside(tree, path))
                if name in _ALWAYS_OF_PACKAGES and data is not None:
                    unnamed = unnamed or found
    return unnamed


def _package(form: str, path: str, data: Mapping[str, Any] | None) -> Package:
    data = data or {}
    version = text(data, "version")
    licences = texts(data.get("license") or data.get("licenses"))
    return Package(
        form,
        path,
        text(data, "name", "package", "app"),
        version if _VERSION.fullmatch(version) else "",
        _SENTENCE_END.split(text(data, "summary", "synopsis", "title", "description"), 1)[0],
        _LICENCE_IN_FILE.sub("", licences[0]) if len(licences) == 1 else "",
    )


def _version_beside(tree: IncludeTree, path: str) -> str:
    """The version in the file `VERSION` next to metadata that state none; "" without such a file."""
    stated = read_text(tree, joined(path.rpartition("/")[0], "VERSION")).strip()
    return stated if _VERSION.fullmatch(stated) else ""


def _python(tree: IncludeTree, path: str, form: str) -> Package:
    fields = HeaderParser().parsestr(read_text(tree, path))
    keys = ("Name", "Version", "Summary", "License-Expression")
    return Package(form, path, *(str(fields.get(key, "") or "").strip() for key in keys))


def _pyproject(tree: IncludeTree, path: str) -> Mapping[str, Any] | None:
    data = read_toml(tree, path)
    tool = mapping(data.get("tool"))
    if mapping(tool.get("uv")).get("package") is False:
        return None  # it names a set of tools, such as those that build the documentation
    project = mapping(data.get("project")) or mapping(tool.get("poetry"))
    hatch = mapping(mapping(tool.get("hatch")).get("version"))
    dynamic = mapping(mapping(tool.get("setuptools")).get("dynamic"))
    version = mapping(dynamic.get("version"))
    files = [*texts(hatch.get("path")), *texts(version.get("file"))]
    return _with_version(tree, path, project, text(version, "attr"), files)


def _setup_cfg(tree: IncludeTree, path: str) -> Mapping[str, Any] | None:
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(read_text(tree, path))
    except ConfigParserError:
        return None
    if not parser.has_section("metadata"):
        return None
    data = dict(parser["metadata"])
    kind, _, stated = map(str.strip, data.get("version", "").partition(":"))
    files = [stated] if kind == "file" else []
    return _with_version(tree, path, data, stated if kind == "attr" else "", files)


def _setup_py(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    return _with_version(tree, path, _program(tree, path))


def _with_version(
    tree: IncludeTree,
    path: str,
    data: Mapping[str, Any],
    attribute: str = "",
    files: Sequence[str] = (),
) -> Mapping[str, Any]:
    """What the manifest at `path` says; where it states no version, with that of one of `files`, of the
    module of `attribute` or of the module that has the project's name."""
    if _VERSION.fullmatch(text(data, "version")):
        return data
    places = [*files]
    for module in (
        attribute.rpartition(".")[0].replace(".", "/"),
        text(data, "name").replace("-", "_"),
    ):
        if module:
            places += [f"{src}{module}{end}" for end in _OF_VERSION for src in ("", "src/")]
    for place in places:
        source = joined(path.rpartition("/")[0], place)
        content = read_text(tree, source).strip()
        found = _PYTHON_VERSION.search(content)
        if found and _VERSION.fullmatch(found[1]):
            return {**data, "version": found[1]}
        if place in files and _VERSION.fullmatch(content):  # it states nothing else
            return {**data, "version": content}
    return data


def _fields(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    """Lines such as `Package: heron` by their names in lower case, the first of each."""
    found = [*_FIELD.finditer(read_text(tree, path))]
    return {each["key"].lower(): each["text"].strip() for each in reversed(found)}


def _npm(tree: IncludeTree, path: str) -> Mapping[str, Any] | None:
    data = read_json(tree, path)
    return None if data.get("private") is True else data  # of a workspace or an application


def _composer(tree: IncludeTree, path: str) -> Mapping[str, Any] | None:
    """What a composer.json says; None of an application, which is often called as its skeleton."""
    data = read_json(tree, path)
    if data.get("type") == "project":
        return None
    return {**data, "name": text(data, "name").rpartition("/")[2]}


def _ansible(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    data = read_yaml(tree, path)
    return {**data, "name": ".".join(filter(None, (text(data, "namespace"), text(data, "name"))))}


def _maven(tree: IncludeTree, path: str) -> Mapping[str, Any] | None:
    """What a pom.xml says, with the version of its parent; None of one that only names modules."""
    try:
        root = parsed(read_text(tree, path).encode(), path)
    except FormatError:
        return None
    found: dict[str, Any] = {local_name(each): each.text or "" for each in root}
    if found.get("packaging", "").strip() == "pom":
        return None
    licences = [each.text or "" for each in root.iterfind("{*}licenses/{*}license/{*}name")]
    stated = {"version": root.findtext("{*}parent/{*}version", ""), **found}
    return {"name": found.get("artifactId", ""), "license": licences} | {
        key: stated.get(key, "") for key in ("version", "description")
    }


def _program(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    """What a program gives to names, the first value of each."""
    return {
        each["attribute"] or each["key"]: each["text"] or each["other"] or each["atom"] or ""
        for each in reversed([*_ASSIGNED.finditer(read_text(tree, path))])
    }


def _gem(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    data = _program(tree, path)
    if "version" in data:
        return data
    own = str(data.get("name", "")).replace("-", "/")
    source = joined(path.rpartition("/")[0], "lib", own, "version.rb")
    found = _RUBY_VERSION.search(read_text(tree, source))
    return {**data, "version": found[1]} if found else data


_ALWAYS_OF_PACKAGES = ("pyproject.toml", "Cargo.toml", "package.json")
"""Manifests that say what a folder is even without a name."""

_MANIFESTS: tuple[tuple[str, str, Callable[[IncludeTree, str], Mapping[str, Any] | None]], ...] = (
    ("pyproject.toml", "Python project", _pyproject),
    ("setup.cfg", "Python project", _setup_cfg),
    ("setup.py", "Python project", _setup_py),
    ("Cargo.toml", "crate", lambda *file: mapping(read_toml(*file).get("package"))),
    ("DESCRIPTION", "R package", _fields),
    (".gemspec", "Ruby gem", _gem),
    ("mix.exs", "Hex package", _program),
    ("gleam.toml", "Hex package", read_toml),
    ("composer.json", "Composer package", _composer),
    ("pubspec.yaml", "Dart package", read_yaml),
    (".cabal", "Haskell package", _fields),
    ("pom.xml", "Maven project", _maven),
    ("shard.yml", "Crystal shard", read_yaml),
    ("typst.toml", "Typst package", lambda *file: mapping(read_toml(*file).get("package"))),
    ("Chart.yaml", "Helm chart", read_yaml),
    ("galaxy.yml", ANSIBLE, _ansible),
    ("Project.toml", "Julia package", read_toml),
    ("package.json", "npm package", _npm),
)
"""Files with a name, a version, a description and a licence: what they are of, and what reads them. Projects
in other languages have a package.json for their tools, so that it is the last."""
