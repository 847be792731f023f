"""Finds the files that an import statement means, by the rules of its language.

A module that is not in the tree is external. Where a path goes through settings that are not read here
(aliases of a bundler, include paths), the files whose paths end with it are meant.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from kbc.project.source_file import resolved_path
from kbc.project.well_formed import json_value, mapping

EXTERNAL: tuple[int, ...] | None = None
"""For a module outside of the tree."""

_SCRIPT_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_RUST_ROOTS = ("lib.rs", "main.rs")


class TreeFile(NamedTuple):
    """A file of the tree as far as modules go; `package` is what it declares itself to be in."""

    path: str
    family: str
    package: str


class ModuleTable:
    """The modules of a tree. Files are named by their position."""

    def __init__(self, files: Sequence[TreeFile], manifests: Mapping[str, str]) -> None:
        """`manifests` are the texts of go.mod, package.json and Cargo.toml files by their paths."""
        self._files = files
        self._at = {file.path: number for number, file in enumerate(files)}
        self._packages: dict[tuple[str, str], list[int]] = {}
        self._named: dict[str, list[int]] = {}  # by `_last_of` the path
        self._initialised = {
            posixpath.dirname(file.path)
            for file in files
            if posixpath.basename(file.path) == "__init__.py"
        }
        for number, file in enumerate(files):
            self._packages.setdefault((file.family, _package(file)), []).append(number)
            self._named.setdefault(_last_of(file.path), []).append(number)
        self._go: dict[str, str] = {}
        self._scripts: dict[str, str] = {}
        self._crates: dict[str, str] = {}
        for path, text in manifests.items():
            self._take_manifest(path, text)

    def _take_manifest(self, path: str, text: str) -> None:
        folder, name = posixpath.split(path)
        if name == "go.mod":
            if found := re.search(r"^module\s+(\S+)", text, re.MULTILINE):
                self._go[found[1].strip('"')] = folder
        elif name == "package.json":
            named = mapping(json_value(text)).get("name")
            if isinstance(named, str):
                self._scripts[named] = folder
        elif found := re.search(r"\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", text, re.M | re.S):
            self._crates[found[1].replace("-", "_")] = folder

    def siblings(self, file: int) -> Sequence[int]:
        """The files of the same package, that see each other's names without an import."""
        own = self._files[file]
        if own.family not in ("go", "java", "csharp", "php"):
            return ()
        return self._packages.get((own.family, _package(own)), ())

    def find(self, file: int, module: str) -> tuple[int, ...] | None:
        """The files of the module that an import in `file` means; `EXTERNAL` for one outside of the
        tree, and nothing where only a run would tell."""
        own = self._files[file]
        if own.family == "python":
            return self._python(own, module)
        if own.family == "javascript":
            return self._javascript(own, module)
        if own.family == "go":
            return self._go_package(module)
        if own.family == "rust":
            return self._rust(file, module)
        if own.family == "c":
            return self._ending(own, module) or EXTERNAL
        if own.family == "ruby":
            path = module if module.endswith(".rb") else f"{module}.rb"
            if path.startswith("./"):
                return self._one(resolved_path(path, own.path)) or EXTERNAL
            return self._ending(own, path) or EXTERNAL
        return tuple(self._packages.get((own.family, module), ())) or EXTERNAL

    def _python(self, own: TreeFile, module: str) -> tuple[int, ...] | None:
        if module.startswith("."):
            dots = len(module) - len(module.lstrip("."))
            folder = posixpath.dirname(own.path)
            for _ in range(dots - 1):
                folder = posixpath.dirname(folder)
            path = posixpath.join(folder, module.lstrip(".").replace(".", "/"))
            return self._python_file(path.rstrip("/"))
        path = module.replace(".", "/")
        found = [
            base
            for name in (f"{path}.py", f"{path}/__init__.py", f"{path}.pyi")
            for number in self._named.get(_last_of(name), ())
            if (base := _module_base(self._files[number].path, path)) is not None
            # A package's own folder is no place to import from, but for scripts in it.
            and (base not in self._initialised or base == posixpath.dirname(own.path))
        ]
        if not found:
            return EXTERNAL
        nearest = max(found, key=lambda base: (len(posixpath.commonpath([base, own.path])), base))
        return self._python_file(posixpath.join(nearest, path))

    def _python_file(self, path: str) -> tuple[int, ...] | None:
        tries = (f"{path}.py", f"{path}/__init__.py" if path else "__init__.py", f"{path}.pyi")
        return next((found for each in tries if (found := self._one(each))), ())

    def _javascript(self, own: TreeFile, module: str) -> tuple[int, ...] | None:
        if module.startswith("."):
            return self._script(resolved_path(module, own.path)) or ()
        if module.startswith(("@/", "~/", "#", "src/", "/")):  # an alias; the root is not known
            path = module.lstrip("@~#/")
            found = self._ending(own, path, *(path + end for end in _SCRIPT_ENDINGS))
            return found[:1] or ()
        name = _prefix(module, self._scripts)
        if not name:
            return EXTERNAL
        folder, inner = self._scripts[name], module[len(name) :].strip("/")
        for base in (folder, posixpath.join(folder, "src"), posixpath.join(folder, "lib")):
            if found := self._script(posixpath.join(base, inner)):
                return found
        return ()

    def _script(self, path: str) -> tuple[int, ...]:
        path = path.rstrip("/")
        stem, ending = posixpath.splitext(path)
        tries = [path, *(path + end for end in _SCRIPT_ENDINGS)]
        if ending in (".js", ".jsx", ".mjs", ".cjs"):  # TypeScript imports what it will become
            tries += [stem + end for end in _SCRIPT_ENDINGS]
        tries += [posixpath.join(path, "index" + end) for end in _SCRIPT_ENDINGS]
        return next((found for each in tries if (found := self._one(each))), ())

    def _go_package(self, module: str) -> tuple[int, ...] | None:
        name = _prefix(module, self._go)
        if not name:
            return EXTERNAL
        path = posixpath.join(self._go[name], module[len(name) :].strip("/")).rstrip("/")
        return tuple(self._packages.get(("go", path), ()))

    def _rust(self, file: int, module: str) -> tuple[int, ...] | None:
        first, _, rest = module.partition(".")
        path = self._files[file].path
        if first in ("self", "super", "crate"):
            folder = _rust_folder(path)
            if first == "crate":
                folder = _crate_folder(path)
            while first == "super":
                folder = posixpath.dirname(folder)
                first, _, after = rest.partition(".")
                rest = after if first == "super" else rest
            return self._rust_file(folder, rest) or (file,)
        if found := self._rust_file(_rust_folder(path), module):
            return found
        if first in self._crates:
            folder = posixpath.join(self._crates[first], "src")
            return self._rust_file(folder, rest) or ()
        return EXTERNAL

    def _rust_file(self, folder: str, module: str) -> tuple[int, ...]:
        """The file of a module path; of a path into a module, an enum or a type, that file."""
        parts = module.split(".") if module else []
        while parts:
            base = posixpath.join(folder, *parts)
            if found := self._one(f"{base}.rs") or self._one(f"{base}/mod.rs"):
                return found
            parts.pop()
        if module:
            return ()
        roots = (*(f"{folder}/{name}" for name in (*_RUST_ROOTS, "mod.rs")), f"{folder}.rs")
        return next((found for each in roots if (found := self._one(each.lstrip("/")))), ())

    def _ending(self, own: TreeFile, *paths: str) -> tuple[int, ...]:
        """The files whose paths end so, the nearest to `own` first."""
        found = []
        for path in paths:
            wanted = posixpath.normpath(path).lstrip("./")
            for number in self._named.get(_last_of(wanted), ()):
                if f"/{self._files[number].path}".endswith(f"/{wanted}"):
                    found.append(number)
        here = posixpath.dirname(own.path)

        def distance(number: int) -> tuple[int, str]:
            path = self._files[number].path
            return -len(posixpath.commonprefix([path, here])), path

        return tuple(sorted(found, key=distance)[:3])

    def _one(self, path: str) -> tuple[int, ...]:
        number = self._at.get(posixpath.normpath(path))
        return () if number is None else (number,)


def _package(file: TreeFile) -> str:
    return posixpath.dirname(file.path) if file.family == "go" else file.package


def _last_of(path: str) -> str:
    """The last component of a path in lower case, with its folder where every package has such a file."""
    folder, name = posixpath.split(path.lower())
    return f"{posixpath.basename(folder)}/{name}" if name == "__init__.py" else name


def _prefix(module: str, known: Container[str]) -> str:
    """The longest of the `known` modules that `module` is or lies in, "" for none."""
    while module and module not in known:
        module = module.rpartition("/")[0]
    return module


def _module_base(path: str, module: str) -> str | None:
    """The folder from which `module`, a path without ending, leads to the file `path`."""
    stem = posixpath.splitext(path)[0].removesuffix("/__init__")
    if stem == module:
        return ""
    return stem[: -len(module) - 1] if stem.endswith(f"/{module}") else None


def _rust_folder(path: str) -> str:
    """The folder of the modules inside the module that a file is."""
    folder, name = posixpath.split(path)
    if name in (*_RUST_ROOTS, "mod.rs"):
        return folder
    return posixpath.join(folder, name.removesuffix(".rs"))


def _crate_folder(path: str) -> str:
    head, found, _ = f"/{path}".rpartition("/src/")
    return f"{head}{found}".strip("/") if found else posixpath.dirname(path)
