"""Identifies the toolchain of an artifact: library versions, and a hash over this compiler's source."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from functools import cache
from importlib import metadata

import kb_runtime
import kbc
from kb_runtime.version import __version__

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""What compiles, and whose syntax it can read."""

GRAMMARS = tuple(f"tree-sitter-{name}" for name in (
    "bash", "c", "c-sharp", "cpp", "css", "elixir", "go", "html", "java", "javascript", "json",
    "kotlin", "lua", "php", "python", "ruby", "rust", "scala", "swift", "toml", "typescript",
    "yaml", "zig",
))  # fmt: skip
"""The libraries with one grammar each that come with the compiler."""

LANGUAGE_PACK = "tree-sitter-language-pack"
"""The library with the grammars of all other languages; an extra."""

LIBRARIES = (
    *GRAMMARS,
    "beautifulsoup4", "cyclonedx-python-lib", "docutils", "lxml", "markdown-it-py", "markdownify",
    "mdit-py-plugins", "msgpack", "numpy", "onnxruntime", "pyyaml", "tantivy", "tokenizers",
    "tree-sitter", "usearch",
)  # fmt: skip


@cache
def library_versions() -> dict[str, str]:
    """The libraries whose output is in an artifact, with their installed versions."""
    versions = {"kbc": __version__, **{name: metadata.version(name) for name in LIBRARIES}}
    with suppress(metadata.PackageNotFoundError):
        versions[LANGUAGE_PACK] = metadata.version(LANGUAGE_PACK)
    return versions


@cache
def source_hash() -> str:
    """SHA-256 over the source of both packages, in hexadecimal.

    It is part of the build id: an artifact of a changed compiler never passes for one of the old.
    """
    digest = hashlib.sha256()
    for package in (kbc, kb_runtime):
        root = package.__path__[0]
        for folder, folders, names in os.walk(root):
            folders.sort()
            below = folder.removeprefix(root).replace(os.sep, "/")
            for name in sorted(names):
                if name.endswith(".py"):
                    digest.update(f"{below}/{name}\0".encode())
                    with open(f"{folder}/{name}", "rb", buffering=0) as file:
                        digest.update(file.read())
    return digest.hexdigest()
