"""What is published in a registry: a Python sdist or wheel, an npm package. Their metadata name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.parser import HeaderParser

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_json, read_text, read_toml
from kbc.recognition.site import joined, mapping, text

_PYTHON_METADATA = re.compile(r".+\.(?:dist|egg)-info")


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


def recognise(tree: IncludeTree, folder: str) -> Package | None:
    """The package whose metadata are in `folder`; None without any."""
    names = tree.names(folder)
    for name in names:
        if _PYTHON_METADATA.fullmatch(name) and tree.exists(joined(folder, name, "METADATA")):
            return _python(tree, joined(folder, name, "METADATA"), "wheel")
    if "PKG-INFO" in names:
        return _python(tree, joined(folder, "PKG-INFO"), "sdist")
    if "package.json" in names:
        path = joined(folder, "package.json")
        data = read_json(tree, path)
        return Package(
            "npm package",
            path,
            text(data, "name"),
            text(data, "version"),
            text(data, "description"),
            text(data, "license"),
        )
    if "pyproject.toml" in names:
        path = joined(folder, "pyproject.toml")
        data = mapping(read_toml(tree, path).get("project"))
        licence = data.get("license")
        return Package(
            "Python project",
            path,
            text(data, "name"),
            text(data, "version"),
            text(data, "description"),
            licence if isinstance(licence, str) else "",
        )
    if "Cargo.toml" in names:
        path = joined(folder, "Cargo.toml")
        data = mapping(read_toml(tree, path).get("package"))
        return Package(
            "crate",
            path,
            text(data, "name"),
            text(data, "version"),
            text(data, "description"),
            text(data, "license"),
        )
    return None


def _python(tree: IncludeTree, path: str, form: str) -> Package:
    fields = HeaderParser().parsestr(read_text(tree, path))
    values = {key: str(fields.get(key, "") or "").strip() for key in ("Name", "Version", "Summary")}
    licence = str(fields.get("License-Expression", "") or "").strip()
    return Package(form, path, values["Name"], values["Version"], values["Summary"], licence)
