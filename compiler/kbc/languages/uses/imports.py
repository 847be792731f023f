"""Reads the import statements of languages: which name stands for what of which module."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

ALL = "*"
"""As `local`: every name of the module."""


class ImportedName(NamedTuple):
    """In this file `local` stands for `name` of `module`, or for the module itself where `name` is
    empty. The module is written as the language writes it."""

    local: str
    module: str
    name: str


def read_import(language: str, text: str) -> list[ImportedName]:
    """The names that a statement brings in; none for one that brings in none."""
    reader = _READERS.get(language)
    return list(reader(text)) if reader is not None else []


_PACKAGES: Mapping[str, re.Pattern[str]] = {
    "java": re.compile(r"(?:@\w+\s+)*package\s+([\w.]+)"),
    "csharp": re.compile(r"namespace\s+([\w.]+)"),
    "php": re.compile(r"namespace\s+([\w\\]+)"),
}


def package_of(language: str, text: str) -> str:
    """The package or namespace that a statement declares; "" for another statement."""
    pattern = _PACKAGES.get(language)
    found = pattern.match(text) if pattern is not None else None
    return found[1] if found is not None else ""


_COMMENT = re.compile(r"#[^\n]*")
_AS = re.compile(r"([\w.*$]+)(?:\s+as\s+([\w$]+))?")


def _python(text: str) -> Iterator[ImportedName]:
    flat = " ".join(_COMMENT.sub("", text).replace("\\\n", " ").split())
    if found := re.match(r"from\s*(\.*\s*[\w.]*)\s+import\s+\(?(.*?)\)?$", flat):
        module = found[1].replace(" ", "")
        for part in found[2].split(","):
            if named := _AS.match(part.strip()):
                yield ImportedName(
                    named[2] or named[1], module, "" if named[1] == ALL else named[1]
                )
    elif flat.startswith("import "):
        for part in flat.removeprefix("import ").split(","):
            if named := _AS.match(part.strip()):
                yield ImportedName(named[2] or named[1], named[1], "")


def _javascript(text: str) -> Iterator[ImportedName]:
    flat = " ".join(re.sub(r"//[^\n]*", "", text).split())
    required = re.match(r"(\{.*\}|[\w$]+)\s*(?::[^=]*)?=\s*require\(\s*['\"]([^'\"]+)['\"]", flat)
    if required:
        what, module = required[1], required[2]
        if not what.startswith("{"):
            yield ImportedName(what, module, "")
        yield from _braced(what, module, r"\s*:\s*")
        return
    source = re.search(r"['\"]([^'\"]+)['\"]\s*(?:(?:with|assert)\b.*)?;?$", flat)
    if source is None:
        return
    module = source[1]
    head = re.sub(r"^(?:import|export)\s+(?:type\s+)?", "", flat[: source.start()])
    if star := re.search(r"\*\s*(?:as\s+([\w$]+))?", head):
        yield ImportedName(star[1] or ALL, module, "")
    yield from _braced(head, module, r"\s+as\s+")
    if default := re.match(r"([\w$]+)\s*(?:,|from\b)", head):
        yield ImportedName(default[1], module, "default")


def _braced(text: str, module: str, renames: str) -> Iterator[ImportedName]:
    inner = re.search(r"\{(.*?)\}", text)
    for part in inner[1].split(",") if inner else ():
        names = re.split(renames, re.sub(r"^type\s+", "", part.strip()))
        if re.fullmatch(r"[\w$]+", names[0]):
            yield ImportedName(names[-1], module, names[0])


def _go(text: str) -> Iterator[ImportedName]:
    if found := re.match(r"(?:([\w.]+)\s+)?[\"`]([^\"`]+)[\"`]", text):
        parts = found[2].split("/")
        last = parts[-2] if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]) else parts[-1]
        last = last.rpartition(".v")[0] or last  # gopkg.in/yaml.v3
        local = ALL if found[1] == "." else found[1] or last.removeprefix("go-").replace("-", "_")
        yield ImportedName(local, found[2], "")


def _rust(text: str) -> Iterator[ImportedName]:
    flat = "".join(re.sub(r"//[^\n]*", "", text).split("\n"))
    if found := re.match(r"(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?mod\s+(\w+)", flat):
        yield ImportedName(found[1], f"self.{found[1]}", "")
    elif found := re.match(r"(?:pub(?:\([^)]*\))?\s+)?use\s+(.*?);?$", flat):
        yield from _use_tree(found[1].strip(), "")


def _use_tree(tree: str, base: str) -> Iterator[ImportedName]:
    """`a::{b, c as d}` below the path `base`."""
    head, brace, rest = tree.partition("{")
    if brace:
        inner = _joined(base, head.strip().removesuffix("::"))
        for part in _parts(rest.rpartition("}")[0]):
            yield from _use_tree(part, inner)
        return
    path, _, alias = (part.strip() for part in tree.partition(" as "))
    module, _, name = _joined(base, path).rpartition(".")
    if name == "self":
        module, _, name = module.rpartition(".")
    if name == ALL:
        yield ImportedName(ALL, module, "")
    elif name:
        yield ImportedName(alias or name, module, name)


def _joined(base: str, path: str) -> str:
    return ".".join(filter(None, (base, path.replace("::", ".").strip("."))))


def _parts(text: str) -> Iterator[str]:
    """The items of a list between braces, lists inside of them whole."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if last := text[start:].strip():
        yield last


def _java(text: str) -> Iterator[ImportedName]:
    if found := re.match(r"import\s+(?:static\s+)?([\w.]+?)(\.\*)?\s*;", text):
        if found[2]:
            yield ImportedName(ALL, found[1], "")
        else:
            module, _, name = found[1].rpartition(".")
            yield ImportedName(name, module, name)


def _c(text: str) -> Iterator[ImportedName]:
    if found := re.match(r"#\s*include\s*[\"<]([^\">]+)[\">]", text):
        yield ImportedName(ALL, found[1], "")


def _csharp(text: str) -> Iterator[ImportedName]:
    found = re.match(r"(?:global\s+)?using\s+(?:static\s+)?(?:(\w+)\s*=\s*)?([\w.]+)", text)
    if found and found[1]:
        module, _, name = found[2].rpartition(".")
        yield ImportedName(found[1], module, name)
    elif found:
        yield ImportedName(ALL, found[2], "")


def _ruby(text: str) -> Iterator[ImportedName]:
    if found := re.match(r"require(_relative)?[\s(]+['\"]([^'\"]+)['\"]", text):
        yield ImportedName(ALL, f"./{found[2]}" if found[1] else found[2], "")


def _php(text: str) -> Iterator[ImportedName]:
    flat = re.sub(r"^use\s+(?:function\s+|const\s+)?", "", " ".join(text.split())).rstrip(";")
    base, brace, rest = flat.partition("{")
    for part in (rest.rstrip("} ") if brace else flat).split(","):
        path, _, alias = (each.strip() for each in part.partition(" as "))
        module, _, name = (base.strip() + path if brace else path).strip("\\").rpartition("\\")
        if name:
            yield ImportedName(alias or name, module, name)


_READERS: Mapping[str, Callable[[str], Iterator[ImportedName]]] = {
    "python": _python,
    **dict.fromkeys(("javascript", "typescript", "tsx"), _javascript),
    "go": _go,
    "rust": _rust,
    "java": _java,
    **dict.fromkeys(("c", "cpp"), _c),
    "csharp": _csharp,
    "ruby": _ruby,
    "php": _php,
}
