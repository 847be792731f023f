"""Writes a wheel that contains an artifact and a command that serves it.

The artifact's files are in the package as they are, uncompressed once installed, so that a server
maps them from site-packages. https://packaging.python.org/en/latest/specifications/ defines the rest.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb_runtime.cli.packaged import ARTIFACT_FOLDER
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.integrity import altered
from kb_runtime.store.manifest import CURRENT, MANIFEST
from kb_runtime.store.signature import SIGNATURES
from kb_runtime.version import __version__
from kbc.backends.licences import FOLDER as LICENCES
from kbc.shipping.archive import Archive, Written
from kbc.shipping.lock import Lock
from kbc.shipping.product import Product, runtime_requirement
from kbc.shipping.readme import readme
from kbc.shipping.wheel_bill import wheel_bill

PYTHON = ">=3.11"
TAG = "py3-none-any"
NOTICE = "NOTICE"


@dataclass(frozen=True, slots=True)
class WheelReport:
    """A wheel that was written. `size` and `sections` are bytes: of the file, and of each part of
    the package as installed and as packed."""

    path: Path
    size: int
    sections: Mapping[str, tuple[int, int]]

    def as_dict(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "size": self.size,
            "sections": {
                name: {"installed": installed, "packed": packed}
                for name, (installed, packed) in self.sections.items()
            },
        }


def write_wheel(
    artifact: Artifact, product: Product, out: Path, timestamp: int, lock: Lock | None = None
) -> WheelReport:
    """Writes the wheel of an open artifact into the folder `out`; `timestamp` is the time of its entries
    in seconds since 1970, `lock` the archives that its bill of materials is to name. The same arguments
    give the same bytes.

    Raises `ArtifactError` when a file of the artifact is damaged, and `ShippingError`; nothing is
    written then.
    """
    stem = f"{product.module}-{product.version}"
    info = f"{stem}.dist-info"
    package = product.module
    with Archive(out / f"{stem}-{TAG}.whl", timestamp) as archive:
        archive.add(f"{package}/__init__.py", f'"""{_docstring(product)}"""\n'.encode())
        archive.add(f"{package}/__main__.py", _main_module(product).encode())
        _add_build(archive, artifact, f"{package}/{ARTIFACT_FOLDER}")
        notices = _licence_texts(artifact)
        for path, text in notices.items():
            archive.add(f"{info}/licenses/{path}", text)
        bill = wheel_bill(artifact, product, lock or {})
        archive.add(f"{info}/sboms/{product.distribution}.cdx.json", bill)
        archive.add(f"{info}/METADATA", _metadata(product, notices).encode())
        archive.add(f"{info}/WHEEL", _wheel_file().encode())
        archive.add(
            f"{info}/entry_points.txt",
            f"[console_scripts]\n{product.distribution} = {package}.__main__:main\n".encode(),
        )
        archive.add(f"{info}/RECORD", _record(archive.written, f"{info}/RECORD").encode())
    return WheelReport(
        archive.path, archive.path.stat().st_size, _sections(archive.written, package)
    )


def _add_build(archive: Archive, artifact: Artifact, folder: str) -> None:
    """The artifact's build as a knowledge base's folder. CURRENT comes last: a server that runs during
    an upgrade then finds what it names."""
    build = f"{folder}/{artifact.build_id}"
    listed = artifact.manifest.files
    for path in sorted([*listed, MANIFEST]):
        written = archive.add(f"{build}/{path}", Path(artifact.manifest.path(path)))
        if path in listed and written.digest.hex() != listed[path][1]:
            raise altered(artifact.manifest.path(path))
    signatures = Path(artifact.root, SIGNATURES)
    if signatures.is_file():
        archive.add(f"{build}/{SIGNATURES}", signatures)
    archive.add(f"{folder}/{CURRENT}", f"{artifact.build_id}\n".encode())


def _licence_texts(artifact: Artifact) -> dict[str, bytes]:
    """The texts by path below a package's `licenses` folder, sorted. Raises `ArtifactError`."""
    paths = artifact.manifest.files
    shipped = sorted(path for path in paths if path == NOTICE or path.startswith(f"{LICENCES}/"))
    return {path.removeprefix(f"{LICENCES}/"): artifact.manifest.read(path) for path in shipped}


def _docstring(product: Product) -> str:
    text = f"{product.title}, compiled by kbc; `{product.distribution}` serves it over MCP."
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _main_module(product: Product) -> str:
    """The module behind the console script. It runs with older and newer runtimes, so it does nothing
    but call one function whose arguments stay as they are."""
    about = {
        "command": product.distribution,
        "version": product.version,
        "requires": runtime_requirement(),
    }
    missing = f"{product.distribution}: its runtime is not installed. Run: pip install " + (
        f'"{about["requires"]}"'
    )
    return f'''\
"""`python -m {product.module}`, and the command `{product.distribution}`."""

import sys

ABOUT = {about!r}


def main():
    try:
        from kb_runtime.cli.packaged import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "kb_runtime":
            raise
        print({missing!r}, file=sys.stderr)
        return 8
    return run(__file__, ABOUT)


if __name__ == "__main__":
    sys.exit(main())
'''


def _metadata(product: Product, notices: Iterable[str]) -> str:
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", product.distribution),
        ("Version", product.version),
        ("Summary", product.summary),
        ("Author", product.author),
        ("License-Expression", product.license),
        *(("License-File", path) for path in notices),
        ("Project-URL", f"Homepage, {product.homepage}" if product.homepage else ""),
        ("Keywords", f"mcp,search,offline,knowledge-base,{product.name}"),
        ("Requires-Python", PYTHON),
        ("Requires-Dist", runtime_requirement()),
        ("Description-Content-Type", "text/markdown; charset=UTF-8"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields if value)
    return f"{head}\n{readme(product)}"


def _wheel_file() -> str:
    return f"Wheel-Version: 1.0\nGenerator: kbc {__version__}\nRoot-Is-Purelib: true\nTag: {TAG}\n"


def _record(written: Iterable[Written], own_path: str) -> str:
    """Every file with its hash and size; the record itself has neither. No path needs quoting: they
    hold no comma."""
    rows = [
        f"{each.path},sha256={base64.urlsafe_b64encode(each.digest).rstrip(b'=').decode()},{each.size}"
        for each in written
    ]
    return "\n".join([*rows, f"{own_path},,"]) + "\n"


def _sections(written: Iterable[Written], package: str) -> dict[str, tuple[int, int]]:
    installed: Counter[str] = Counter()
    packed: Counter[str] = Counter()
    for each in written:
        parts = each.path.split("/")
        in_build = parts[:2] == [package, ARTIFACT_FOLDER] and len(parts) > 3
        section = parts[3] if in_build else "package"
        installed[section] += each.size
        packed[section] += each.packed
    return {name: (installed[name], packed[name]) for name in sorted(installed)}
