"""Saved sites that the tests make, and imports of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kbc.importing.running import ImportOptions, ImportReport, import_site
from kbc.languages import markdown


def page(title: str, text: str, head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body><nav><a href='/'>Home</a></nav>"
        f"<main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def imported(source: Path, out: Path, **options: Any) -> ImportReport:
    return import_site(source, out, ImportOptions(**options), out.parent / "cache")


def pages(out: Path) -> dict[str, dict[str, Any]]:
    """Front matter by path."""
    return {
        path.relative_to(out / "pages").as_posix(): dict(markdown.parse(path.read_text()).data)
        for path in sorted((out / "pages").rglob("*.md"))
    }


def adds_up(report: ImportReport, entries: int) -> None:
    counts = report.files.counts()
    assert sum(counts.values()) == len(report.files) == entries
    assert counts["read"] == report.pages


WGET = {
    "docs.example.org/index.html": page("Heron", "A database."),
    "docs.example.org/guide/install.html": page(
        "Installing",
        'Download <a href="../index.html">Heron</a>; see <a href="https://other.example/">it</a>.',
    ),
    "docs.example.org/guide/copy.html": page(
        "Installing",
        'Download <a href="../index.html">Heron</a>; see <a href="https://other.example/">it</a>.',
    ),
    "docs.example.org/guide/tune.html?highlight=cache": page(
        "Tuning", "Now with <b>cache</b> marked."
    ),
    "docs.example.org/guide/tune.html": page("Tuning", "Now with cache."),
    "docs.example.org/logo.png": b"\x89PNG\r\n\x1a\n",
    "docs.example.org/private.html": page(
        "Private", "Nothing.", '<meta name="robots" content="noindex, follow">'
    ),
    "docs.example.org/robots.txt": "User-agent: *\n",
}
