"""A checkout of a repository: where its documentation may be, which sites are in it, what its code is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_text
from kbc.recognition.generators import (
    antora,
    doc_builder,
    docfx,
    docsify,
    docusaurus,
    eleventy,
    gitbook,
    hexo,
    hugo,
    jekyll,
    mdbook,
    mintlify,
    mkdocs,
    quarto,
    sphinx,
    starlight,
    vitepress,
    vuepress,
    writerside,
    zola,
)
from kbc.recognition.manifests import is_repository
from kbc.recognition.places import (
    FEW_PAGES,
    MAX_DEPTH,
    README,
    SKIPPED,
    is_page,
    pages_beside,
)
from kbc.recognition.site import Site, joined

VERSION_CONTROL = (".git", ".hg", ".jj", ".svn")
MAX_FOLDERS = 4_000
_DOMAIN_FILE = "CNAME"
_DOMAIN = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_LANGUAGE = re.compile(
    r"(?:af|am|ar|az|be|bg|bn|br|ca|cn|cs|cy|cz|da|de|dk|el|en|eo|es|et|eu|fa|fi|fr|ga|gl|gr|gu|he|hi|hr|hu"
    r"|hy|id|is|it|ja|jp|ka|kk|km|kn|ko|kr|lb|lo|lt|lv|mg|mk|ml|mn|mr|ms|mt|my|nb|ne|nl|no|or|pa|pl|ps|pt"
    r"|ro|ru|rw|si|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|tw|ua|uk|ur|uz|vi|zh)(?:[-_][A-Za-z]{2,8})?"
)


_COMMON = re.compile(r"(?:readme|index|_index|overview)\.", re.IGNORECASE)

_GENERATORS = (
    *(
        mkdocs,
        vitepress,
        vuepress,
        starlight,
        mdbook,
        antora,
        hugo,
        zola,
        hexo,
        jekyll,
        sphinx,
        docfx,
    ),
    *(doc_builder, docsify, gitbook, eleventy, quarto, writerside, mintlify),
)
"""In the order in which they are tried; Docusaurus, whose configuration may have several sites, is last."""


def sites_in(tree: IncludeTree, folder: str) -> list[Site]:
    """The sites whose configuration is directly in `folder`."""
    found: list[Site | None] = []
    for module in _GENERATORS:
        found.append(module.recognise(tree, folder))
        if found[-1] is not None:
            break
    else:
        return docusaurus.recognise(tree, folder)
    sites = [_at_its_domain(tree, site) for site in found if site is not None]
    mounts = [
        each
        for site in sites
        if site.generator == hugo.GENERATOR
        for each in hugo.mounted(tree, site)
    ]
    return sites + mounts


def _at_its_domain(tree: IncludeTree, site: Site) -> Site:
    """The site with the address of the domain that GitHub Pages has for it, where it states no other."""
    own = str(site.options.get("config_folder", ""))
    if site.base_url:
        return site
    for place in (site.folder, own, *(joined(own, name) for name in ("static", "public"))):
        path = joined(place, _DOMAIN_FILE)
        domain = read_text(tree, path).strip() if tree.exists(path) else ""
        if _DOMAIN.fullmatch(domain):
            return replace(site, base_url=f"https://{domain}/", files=(*site.files, path))
    return site


def sites_below(
    tree: IncludeTree, root: Path, *, in_all_languages: bool = False
) -> tuple[list[Site], list[str]]:
    """The sites in the folders below `root`, the outermost ones first, in English where there are several
    languages, of which one may be English; and the folders of the other languages."""
    found: list[Site] = []
    other_languages: list[str] = []
    folders = [""]
    looked_at = 0
    for _ in range(MAX_DEPTH):
        below: list[str] = []
        level: list[list[Site]] = []
        for folder in folders:
            names = [name for name in tree.names(folder) if (root / folder / name).is_dir()]
            names = [name for name in names if not SKIPPED.fullmatch(name)]
            left_out = set() if in_all_languages else set(translations(names))
            other_languages += [joined(folder, name) for name in sorted(left_out)]
            for name in names:
                looked_at += 1
                place = joined(folder, name)
                if name in left_out or looked_at > MAX_FOLDERS or _is_link(root / place):
                    continue
                sites = sites_in(tree, place)
                if sites:
                    level.append(sites)
                else:
                    below.append(place)
        level.sort(
            key=lambda sites: -len(sites[0].order)
        )  # beside a large site, others are its parts
        found += [site for sites in level for site in sites]
        folders = below
    if not found and other_languages:
        return sites_below(tree, root, in_all_languages=True)
    return found, other_languages


def with_larger(
    sites: Sequence[Site], names: Sequence[str], files: Sequence[str], left_out: Sequence[str]
) -> list[Site]:
    """`sites`, behind folders that hold more pages of the repository than all of them; arguments are as for
    `places.pages_beside`."""
    taken = [str(site.options.get("config_folder") or site.folder) for site in sites]
    taken += [site.folder for site in sites]
    found = pages_beside(names, files, taken, left_out) if taken and all(taken) else ()
    return [*(Site(generator="", config="", folder=folder) for folder in found), *sites]


def translations(names: Sequence[str], language: str = "en") -> list[str]:
    """The folders among `names` that are named after languages other than `language`, where there are
    several such folders."""
    languages = [name for name in names if _LANGUAGE.fullmatch(name)]
    if len(languages) < 2:
        return []
    return [name for name in languages if name.replace("_", "-").split("-")[0] != language]


def translated_folders(files: Iterable[str], language: str = "en") -> list[str]:
    """The folders of translations among the paths `files`: those that stand beside one in `language`, at the
    top those beside pages that are in no folder of a language, and those most of whose pages stand beside
    them under the same name."""
    files = [*files]
    below: dict[str, set[str]] = {}
    has_pages_beside = False
    for name in filter(is_page, files):
        *folders, own = name.split("/")
        for depth, folder in enumerate(folders):
            below.setdefault("/".join(folders[:depth]), set()).add(folder)
        is_own = not _LANGUAGE.fullmatch(folders[0]) if folders else not README.fullmatch(own)
        has_pages_beside = has_pages_beside or is_own
    found = []
    for parent, names in sorted(below.items()):
        others = translations(sorted(names), language)
        is_beside = sum(_LANGUAGE.fullmatch(name) is not None for name in names) > len(others)
        if is_beside or (not parent and has_pages_beside):
            found += [joined(parent, name) for name in others]
    known = frozenset(files)
    for parent, names in sorted(below.items()):
        for name in sorted(filter(_LANGUAGE.fullmatch, names)):
            place = joined(parent, name)
            is_own = name.replace("_", "-").split("-")[0] == language
            if place not in found and not is_own and _is_copy(place, parent, known):
                found.append(place)
    return found


def _is_copy(place: str, parent: str, files: frozenset[str]) -> bool:
    """Whether most pages in the folder `place` have a page of the same name in `parent`. Those that every
    folder may have do not count: a folder `id` or `no` is not always one of a language."""
    inside = [name[len(place) + 1 :] for name in files if name.startswith(f"{place}/")]
    pages = [
        name for name in inside if is_page(name) and not _COMMON.match(name.rpartition("/")[2])
    ]
    copies = sum(joined(parent, name) in files for name in pages)
    return copies >= FEW_PAGES and copies > len(pages) / 2


def boundary(path: Path) -> Path:
    """The folder of the tree that `path` is part of, which its pages may include files from: the
    checkout, else the outermost project around it; never somebody's home folder or a root."""
    home = Path.home()
    outermost = path
    for folder in _ancestors(path, home):
        names = {entry.name for entry in folder.iterdir()}
        if not names.isdisjoint(VERSION_CONTROL):
            return folder
        if is_repository(sorted(names)):
            outermost = folder
    return outermost


def _ancestors(path: Path, home: Path) -> Iterator[Path]:
    for folder in (path, *path.parents[:5]):
        if folder == home or len(folder.parts) < 3:
            return
        try:
            next(folder.iterdir(), None)
        except OSError:
            return
        yield folder


def _is_link(path: Path) -> bool:
    return path.is_symlink()
