"""The labels of projects in Sphinx, AsciiDoc and DocFX: names that a page gives to itself or its parts, to
which every page may refer."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from kbc.formats import BY_NAME, LabelTarget, ProjectLabels, Read
from kbc.formats.document import label_name
from kbc.formats.selection import read_target
from kbc.languages.anchors import slug
from kbc.languages.front_matter import stated_above
from kbc.languages.includes.files import NamedPage
from kbc.languages.markdown import first_title, heading_text
from kbc.project.model import Collection
from kbc.project.sites.generators import GALLERY
from kbc.project.source_file import SourceFile, decode_any, relative_path

_MYST_LABEL = re.compile(
    r"^\((?P<name>[^()\n]+)\)=[ \t]*\n"
    r"(?=(?:[ \t]*\n|\([^()\n]+\)=[ \t]*\n){0,20}(?:#{1,6}[ \t]+(?P<title>[^\n]+))?)",
    re.MULTILINE,
)
_ENDINGS = (".md", ".rst", ".ipynb")
_QUOTES = re.compile(r"\"\"\"|'''")

Neighbours = Sequence[tuple[Collection, Sequence[SourceFile]]]
"""Other collections with their files, to which the pages of one refer as to their own."""


def project_labels(
    collection: Collection, files: Sequence[SourceFile], neighbours: Neighbours = ()
) -> ProjectLabels:
    """The labels in the files of a collection and of its neighbours by their names; of two alike the first
    one counts."""
    found = ProjectLabels()
    for each, inside in ((collection, files), *neighbours):
        for file in inside:
            for name, label in _labels_in(file):
                found.setdefault(name, label)
            if each.generator == GALLERY:
                found.setdefault(_name_in_gallery(each, file), _example(file))
    return found


def _name_in_gallery(collection: Collection, file: SourceFile) -> str:
    """The label that sphinx-gallery gives to a script, and to a folder by its introduction."""
    place = collection.site.addresses.gallery
    path = file.relative_path
    path = posixpath.join(place, path if path.endswith(".py") else posixpath.dirname(path))
    return label_name(f"sphx_glr_{path.strip('/').replace('/', '_')}")


def _example(file: SourceFile) -> LabelTarget:
    from kbc.formats.rst.context import first_title

    text = decode_any(file.data)
    quotes = _QUOTES.search(text) if file.path.endswith(".py") else None
    return LabelTarget(file.path, first_title(text[quotes.end() if quotes else 0 :]), "")


def _labels_in(file: SourceFile) -> Iterator[tuple[str, LabelTarget]]:
    path = file.path.lower()
    if path.endswith((".rst", ".rest", ".txt", ".py")) and b".. _" in file.data:
        from kbc.formats.rst.labels import labels_of  # docutils takes long to import

        yield from labels_of(file.path, decode_any(file.data))
    elif path.endswith(BY_NAME["asciidoc"].suffixes) and b"[" in file.data:
        from kbc.formats.asciidoc.labels import labels_of as ids_of

        yield from ids_of(file.path, decode_any(file.data))
    elif path.endswith((".md", ".markdown")) and b")=" in file.data:
        for match in _MYST_LABEL.finditer(decode_any(file.data)):
            title = heading_text(match["title"] or "")
            anchor = slug(title, "docutils")
            yield label_name(match["name"]), LabelTarget(file.path, title, anchor)


def pages_by_uid(files: Sequence[SourceFile]) -> dict[str, NamedPage]:
    """The pages of DocFX by the `uid` in their front matter; of two alike the first one counts."""
    found: dict[str, NamedPage] = {}
    for file in files:
        if not (file.path.lower().endswith(".md") and b"uid:" in file.data):
            continue
        text = decode_any(file.data)
        matter, _ = stated_above(text)
        if isinstance(uid := matter.get("uid"), str):
            title = first_title(text) or str(matter.get("title") or uid)
            found.setdefault(uid, NamedPage(file.path, title))
    return found


def role_links(
    path: str, labels: Mapping[str, LabelTarget], read: Read
) -> Callable[[str, str], str]:
    """A function that gives the link of a role `doc` or `ref` in the Markdown page at `path`, by what it
    names and its own title; "" for what is not there."""

    def link(target: str, title: str) -> str:
        found = labels.get(label_name(target)) or _document(path, target, read)
        if found is None or not (title or found.title):
            return ""
        place = relative_path(found.path, path)
        return f"[{title or found.title}]({place}{'#' * bool(found.anchor)}{found.anchor})"

    return link


def _document(path: str, target: str, read: Read) -> LabelTarget | None:
    for ending in _ENDINGS:
        if found := read_target(path, f"{target}{ending}", read):
            title = first_title(decode_any(found[1])) if ending == ".md" else ""
            return LabelTarget(found[0], title or target.rpartition("/")[2], "")
    return None
