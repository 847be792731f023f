"""Tells what the source of an import is, and lists it."""

from __future__ import annotations

from pathlib import Path

from kbc.importing.dump import is_dump, list_dump
from kbc.importing.entries import ImportSourceError, Listing, is_web
from kbc.importing.folder import list_folder
from kbc.importing.warc import ENDINGS as WARC_ENDINGS
from kbc.importing.warc import list_warcs
from kbc.recognition.archives import extracted, is_archive


def listing(source: Path, cache: Path, base: str = "", sitemap: Path | None = None) -> Listing:
    """The entries of a folder, web archive, archive of a site or dump. Archives are unpacked below
    `cache`. Raises `ImportSourceError` and `ArchiveError`."""
    if base and not is_web(base):
        raise ImportSourceError(
            f"--base is {base!r}; it must be a URL such as https://docs.example.org/"
        )
    if not source.exists():
        raise ImportSourceError(
            f"{str(source)!r} does not exist",
            "Name a folder, a WARC, a ZIP of a site or a MediaWiki dump; kbc downloads nothing.",
        )
    if base and source.name.lower().endswith(WARC_ENDINGS):
        raise ImportSourceError(
            "--base is for sources that do not state their URLs; a web archive does",
            "Leave it out.",
        )
    if source.is_file():
        if source.name.lower().endswith(WARC_ENDINGS):
            return list_warcs([source])
        if is_dump(source):
            return list_dump(source, base)
        if not is_archive(source) and not source.name.lower().endswith(".wacz"):
            raise ImportSourceError(
                f"{source.name!r} is not a folder, WARC, archive of a site or MediaWiki dump",
                "A single page needs no import: `kbc build` reads it directly.",
            )
        source = extracted(source, cache)
    warcs = sorted(path for path in source.rglob("*") if path.name.lower().endswith(WARC_ENDINGS))
    if warcs:
        return list_warcs(warcs)
    return list_folder(source, base, sitemap)
