"""What is published in a registry: a Python sdist or wheel, an npm package. Their metadata name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.parser import HeaderParser

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_json, read_text, read_toml
from kbc.recognition.site import joined, mapping, text

_STATING = (
    ("package.json", "npm package", ""),
    ("pyproject.toml", "Python project", "project"),
    ("Cargo.toml", "crate", "package"),
    ("Project.toml", "Julia package", ""),
)
"""Files with a name, a version, a description and a licence: what they are of, and their table of these."""
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
    for name, form, table in _STATING:
        if name in names:
            path = joined(folder, name)
            is_json = name.endswith(".json")
            data = read_json(tree, path) if is_json else read_toml(tree, path)
            data = mapping(data.get(table)) if table else data
            stated = [text(data, key) for key in ("name", "version", "description", "license")]
            if stated[0] or table or is_json:  # an environment of Julia has no name
                return Package(form, path, *stated)
    return None


def _python(tree: IncludeTree, path: str, form: str) -> Package:
    fields = HeaderParser().parsestr(read_text(tree, path))
    values = {key: str(fields.get(key, "") or "").strip() for key in ("Name", "Version", "Summary")}
    licence = str(fields.get("License-Expression", "") or "").strip()
    return Package(form, path, values["Name"], values["Version"], values["Summary"], licence)
