"""Identifies the toolchain of an artifact: library versions, and a hash over this compiler's source."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

import kb_runtime
import kbc
from kb_runtime.version import __version__

LIBRARIES = (
    "beautifulsoup4",
    "cyclonedx-python-lib",
    "docutils",
    "lxml",
    "markdown-it-py",
    "markdownify",
    "mdit-py-plugins",
    "msgpack",
    "numpy",
    "onnx",
    "onnxruntime",
    "pyyaml",
    "tantivy",
    "tokenizers",
    "tree-sitter",
    "tree-sitter-language-pack",
    "usearch",
)


@cache
def library_versions() -> dict[str, str]:
    """The libraries whose output is in an artifact, with their installed versions."""
    return {"kbc": __version__, **{name: metadata.version(name) for name in LIBRARIES}}


@cache
def source_hash() -> str:
    """SHA-256 over the source of both packages, in hexadecimal.

    It is part of the build id: an artifact of a changed compiler never passes for one of the old.
    """
    digest = hashlib.sha256()
    for package in (kbc, kb_runtime):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()
