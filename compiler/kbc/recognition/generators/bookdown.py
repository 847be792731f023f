"""bookdown: _bookdown.yml names the chapters of a book in R Markdown, index.Rmd its title and address."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kbc.languages.includes.dialects.bookdown import headings
from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.recognition.configuration import files_below, peek_front_matter, read_text, read_yaml
from kbc.recognition.site import Site, joined, mapping, text, texts

GENERATOR = "bookdown"
CONFIGS = ("_bookdown.yml",)
_INDEX = "index.Rmd"
_OUTPUT = "_output.yml"


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The book in `folder`; None without chapters."""
    data = read_yaml(tree, config)
    index = peek_front_matter(tree, joined(folder, _INDEX))
    pages = [
        page
        for page in dict.fromkeys(_pages(tree, folder, data))
        if tree.exists(joined(folder, page))
    ]
    if not pages:
        return None
    output = joined(folder, _OUTPUT)
    has_output = tree.exists(output)
    formats = mapping(read_yaml(tree, output) if has_output else index.get("output"))
    return Site(
        folder=folder,
        title=text(index, "title") or text(data, "title", "book_filename"),
        description=text(index, "description"),
        base_url=text(index, "url"),
        paths=tuple(joined(folder, page) for page in pages),
        order=tuple(pages),
        settings=SiteSettings(
            addresses=AddressSettings(
                known=dict(_addresses(tree, folder, pages, _split_by(formats)))
            )
        ),
        files=(output,) if has_output else (),
    )


def _pages(tree: IncludeTree, folder: str, data: Mapping[str, Any]) -> Iterator[str]:
    """The chapters in order: those that `rmd_files` lists, else all whose names begin with no underscore."""
    listed = data.get("rmd_files")
    if isinstance(listed, dict):  # by format of the output
        listed = listed.get("html", next(iter(listed.values()), []))
    if listed:
        yield from map(joined, texts(listed))
    subfolders = data.get("rmd_subdir")
    if listed and not subfolders:
        return
    endings = (".Rmd", ".rmd", *([".md"] if data.get("include_md") else []))
    found = [] if listed else [n for n in tree.names(folder) if n.endswith(endings)]
    places = texts(subfolders) if isinstance(subfolders, (list, str)) else [""]
    if subfolders:
        found += [
            posixpath.relpath(path, folder or ".")
            for place in places
            for path in files_below(
                tree, joined(folder, place), lambda name: name.endswith(endings)
            )
        ]
    yield from sorted(
        (path for path in found if not posixpath.basename(path).startswith("_")),
        key=lambda path: (path != _INDEX, path),
    )


def _split_by(formats: Mapping[str, Any]) -> str:
    """How the book is divided into pages, by the first of its formats that is HTML."""
    for name, options in formats.items():
        kind = str(name).rpartition(":")[2]
        if kind in ("gitbook", "bs4_book"):
            return text(mapping(options), "split_by") or "chapter"
        if kind.endswith("html_book"):
            return text(mapping(options), "split_by")
    return "" if formats else "chapter"


def _addresses(
    tree: IncludeTree, folder: str, pages: Sequence[str], split_by: str
) -> Iterator[tuple[str, str]]:
    """Where each chapter is on the site: pages are called after their first headings, or their files."""
    for page in pages if split_by in ("chapter", "1", "rmd") else ():
        stem = posixpath.splitext(posixpath.basename(page))[0]
        if page != _INDEX and split_by != "rmd":
            found = headings(read_text(tree, joined(folder, page)))
            stem = next((anchor for level, anchor, _ in found if level == 1), "")
        if stem:
            yield page, f"{stem}.html"
