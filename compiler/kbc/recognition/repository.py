"""A checkout of a repository: where its documentation may be, which sites are in it, what its code is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from kb_runtime.live.source_trees import VERSION_CONTROL
from kbc.formats.registry import BY_NAME
from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import KINDS, MARKDOWN
from kbc.project.model import Collection
from kbc.recognition.configuration import first_existing, read_text
from kbc.recognition.generators import (
    antora,
    bookdown,
    doc_builder,
    docfx,
    docs_builder,
    docsify,
    eleventy,
    grails_guide,
    hexo,
    hugo,
    jekyll,
    mdbook,
    mkdocs,
    pkgdown,
    quarto,
    quartz,
    sphinx,
    starlight,
    writerside,
    zola,
)
from kbc.recognition.generators.courses import killercoda, sandpaper
from kbc.recognition.generators.elixir import ex_doc
from kbc.recognition.generators.hosted import fern, gitbook, mintlify
from kbc.recognition.generators.julia import documenter
from kbc.recognition.generators.react import docusaurus, fumadocs, nextra, rspress
from kbc.recognition.generators.vue import vitepress, vuepress
from kbc.recognition.manifests import is_repository
from kbc.recognition.parts import collection
from kbc.recognition.places import (
    DOCS_FOLDERS,
    FEW_PAGES,
    MANY_PAGES,
    MAX_DEPTH,
    README,
    SKIPPED,
    is_page,
    pages_beside,
)
from kbc.recognition.site import Site, below, joined
from kbc.recognition.translations import translations
from kbc.sources.patterns import PathPatterns

MAX_FOLDERS = 4_000
_INCLUDE = re.compile(r"^include::([^\[\n]+)\[", re.MULTILINE)
_SCAFFOLDS = re.compile(r"templates?[-_].*")
"""Folders that a program copies to begin a project."""

_OF_TESTS = re.compile(r"tests?[-_](?:sites?|projects?|apps?|data)(?:[-_].+)?", re.IGNORECASE)
"""Folders whose sites are what a generator or theme is tested with, where there is another site. Packages may
be called otherwise (`test-utils`)."""

_GUIDES = (*MARKDOWN, ".rst", ".adoc", ".asciidoc")
_FOR_MAKERS = re.compile(
    r"agents?|antitrust|authors?|backers|.*checklist|cla|claude|.*conduct|contributors|copying|copyrights?"
    r"|cran-comments|credits|dependencies|gemini|governance|maintain(?:ers|ing)|notes|.*notices?|owners|.*policy|releas(?:es?|ing)"
    r"|roadmap|skill|sponsors|summary|.*template|thanks|to-?do|(?:.*[-_])?(?:un)?licen[cs]es?(?:[-_].*)?"
    r"|_.*|.*\.api",
    re.IGNORECASE,
)
"""Pages at the top of a tree that tell its users nothing: on who works on it, how, and by which law."""

_README_OF_GNU = "README"
"""Plain text, in projects that follow the standards of GNU and have no other README."""

_FOR_AGENTS = frozenset({"AGENTS.md", "CLAUDE.md", "GEMINI.md"})
"""They tell programs how to work on the files around them."""

_SECTIONS_OF_MANUAL = 3
"""With fewer headings a page says what the project is, as a README does."""

_DOMAIN_FILE = "CNAME"
_DOMAIN = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")

_GENERATORS = (
    *(mkdocs, vitepress, vuepress, starlight, mdbook, antora, hugo),
    *(zola, hexo, jekyll, sphinx, docfx),
    *(docs_builder, doc_builder, docsify, gitbook, eleventy, quarto, writerside, mintlify),
    *(nextra, quartz, rspress, grails_guide, documenter, sandpaper, killercoda, fern, ex_doc),
    *(bookdown, pkgdown),
    *(fumadocs, docusaurus),
)
"""In the order in which they are tried, with the first of their `CONFIGS` that is there; those without such
look for it themselves. Some give several sites."""


def sites_in(tree: IncludeTree, folder: str) -> list[Site]:
    """The sites whose configuration is directly in `folder`."""
    for module in _GENERATORS:
        config = first_existing(tree, folder, module.CONFIGS)
        if (config or not module.CONFIGS) and (found := module.recognise(tree, folder, config)):
            break
    else:
        return []
    sites = [
        _at_its_domain(
            tree, replace(each, generator=module.GENERATOR, config=each.config or config)
        )
        for each in (found if isinstance(found, list) else [found])
        if _has_folder(tree, each)
    ]
    copied = (jekyll.copied(tree, site) for site in sites if module is jekyll)
    return [*sites, *chain.from_iterable(copied)]


def _has_folder(tree: IncludeTree, site: Site) -> bool:
    """Whether the folder that the pages of a site are in is there, if it is below the root: its generator
    would not find it either."""
    is_below = site.folder.split("/")[0] != ".."
    return not is_below or bool(site.paths or tree.names(site.folder))


def for_agents(site: Site, files: Sequence[str]) -> list[str]:
    """The names of files among the pages of `site` that tell programs how to work on these, unless its
    navigation lists them. `files` are the paths of all files."""
    start = f"{site.folder}/" if site.folder else ""
    found = {path.rpartition("/")[2] for path in files if path.startswith(start)} & _FOR_AGENTS
    return sorted(found - {path.rpartition("/")[2] for path in site.order})


def _at_its_domain(tree: IncludeTree, site: Site) -> Site:
    """The site with the address of the domain that GitHub Pages has for it, where it states no other."""
    own = site.settings.config_folder
    if site.base_url or site.has_no_addresses:
        return site
    for place in (site.folder, own, *(joined(own, name) for name in ("static", "public"))):
        path = joined(place, _DOMAIN_FILE)
        domain = read_text(tree, path).strip()
        if _DOMAIN.fullmatch(domain):
            return replace(site, base_url=f"https://{domain}/", files=(*site.files, path))
    return site


def sites_below(
    tree: IncludeTree, root: Path, files: Sequence[str], *, in_all_languages: bool = False
) -> tuple[list[Site], list[str]]:
    """The sites in the folders below `root`, the outermost ones first, in English where there are several
    languages, of which one may be English; and the folders of the other languages. Where there is none,
    components of Antora at any depth, as `files`, all paths, show: its playbooks name their places."""
    found: list[Site] = []
    other_languages: list[str] = []
    folders = [""]
    looked_at = 0
    for _ in range(MAX_DEPTH):
        below: list[str] = []
        level: list[list[Site]] = []
        for folder in folders:
            names = [name for name in tree.names(folder) if (root / folder / name).is_dir()]
            names = [name for name in names if not _is_skipped(tree, joined(folder, name))]
            left_out = set() if in_all_languages else set(translations(names))
            other_languages += [joined(folder, name) for name in sorted(left_out)]
            for name in names:
                looked_at += 1
                place = joined(folder, name)
                if name in left_out or looked_at > MAX_FOLDERS or (root / place).is_symlink():
                    continue
                sites = sites_in(tree, place)
                if sites:
                    level.append(sites)
                if all(site.conventions.holds_other_sites for site in sites):
                    below.append(place)  # what is not Markdown there may be another site
        level.sort(key=lambda sites: -len(sites[0].order))  # beside a large site are its parts
        found += [site for sites in level for site in sites]
        folders = below
    found = [site for site in found if not _is_of_tests(site)] or found
    if not found and other_languages:
        return sites_below(tree, root, files, in_all_languages=True)
    if not found:
        places = (name.split("/")[:-1] for name in files if name.endswith(antora.CONFIGS))
        own = ["/".join(each) for each in places if not any(map(SKIPPED.fullmatch, each))]
        own.sort(key=lambda place: -sum(name.startswith(f"{place}/") for name in files))
        found = [site for place in own for site in sites_in(tree, place)]
    return [_without_inner(site, found) for site in found], other_languages


def _is_skipped(tree: IncludeTree, place: str) -> bool:
    """Whether a folder holds no site of the project, by its name. `doc/build` may be what others call
    `doc/source`: what Sphinx writes has no conf.py."""
    name = place.rpartition("/")[2]
    if name == "build" and tree.exists(joined(place, sphinx.CONFIGS[0])):
        return False
    return any(each.fullmatch(name) for each in (SKIPPED, _SCAFFOLDS))


def is_written_below(tree: IncludeTree, root: Path, files: Sequence[str]) -> bool:
    """Whether there are pages of a site below `root` that HTML is built of, however much HTML is around."""
    starts = tuple(f"{site.folder}/" for site in sites_below(tree, root, files)[0])
    return sum(name.startswith(starts) and is_page(name) for name in files) >= FEW_PAGES


def _is_of_tests(site: Site) -> bool:
    """Whether a site is in a folder of tests."""
    return any(map(_OF_TESTS.fullmatch, site.config.split("/")[:-1]))


def _without_inner(site: Site, sites: Sequence[Site]) -> Site:
    """The site without the folders of those of `sites` whose configuration is among its pages."""
    start = f"{site.folder}/"
    inner = [
        f"/{below(site.folder, each.config.rpartition('/')[0])}/"
        for each in sites
        if site.conventions.holds_other_sites and each.config.rpartition("/")[0].startswith(start)
    ]
    return replace(site, exclude=(*site.exclude, *dict.fromkeys(inner))) if inner else site


def with_larger(
    sites: Sequence[Site],
    tree: IncludeTree,
    root: Path,
    names: Sequence[str],
    files: Sequence[str],
    left_out: Sequence[str],
) -> list[Site]:
    """`sites`, behind folders that hold more pages of the repository than all of them, without the sites in
    these, or with the sites that such folders are; `names` and what follows are as for
    `places.pages_beside`."""
    taken = [site.settings.config_folder or site.folder for site in sites if not site.paths]
    taken += [place for site in sites for place in site.places]
    found = pages_beside(names, files, taken, left_out) if taken and all(taken) else ()
    larger = []
    for folder in found:
        inner = dict.fromkeys(each for each in taken if each.startswith(f"{folder}/"))
        exclude = tuple(f"/{below(folder, each)}/" for each in inner)
        larger.append(Site(folder=folder, exclude=exclude))
    starts, known = tuple(f"{folder}/" for folder in found), {site.config for site in sites}
    others = sites_below(tree, root, files)[0] if larger else []
    inside = [site for site in others if f"{site.folder}/".startswith(starts)]
    if more := [site for site in inside if site.config not in known]:
        return with_larger([*sites, *more], tree, root, names, files, left_out)
    return [*larger, *sites]


def with_copied(sites: Sequence[Site], files: Sequence[str]) -> list[Site]:
    """`sites`, and behind those whose pages are in a folder of their own, conventional folders with many
    pages beside it: a script copies these into the site before it is built, or they are about another part.
    `files` are all paths."""
    own = [place for site in sites for place in site.places]
    counts = Counter(name.split("/")[0] for name in files if "/" in name and is_page(name))
    beside = (name for name in DOCS_FOLDERS if counts[name] >= MANY_PAGES)
    return [*sites] + [
        Site(folder=name)
        for name in beside
        if own and all(own) and not any(f"{place}/".startswith(f"{name}/") for place in own)
    ]


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


def is_checkout(folder: Path) -> bool:
    """Whether a repository was checked out into this folder."""
    return any((folder / name).exists() for name in VERSION_CONTROL)


def _ancestors(path: Path, home: Path) -> Iterator[Path]:
    for folder in (path, *path.parents[:5]):
        if folder == home or len(folder.parts) < 3:
            return
        try:
            next(folder.iterdir(), None)
        except OSError:
            return
        yield folder


def beside(names: Sequence[str], collections: Sequence[Collection]) -> list[str]:
    """Those of the entries `names` of the root that no collection reads: of one that has the whole tree, all
    or what it includes."""
    whole = [each for each in collections if "." in each.paths]
    if not all(each.include for each in whole):
        return []
    taken = frozenset(path for each in collections for path in each.paths)
    patterns = [PathPatterns(each.include, each.exclude) for each in whole]
    return [
        name for name in names if name not in taken and all(each.reason(name) for each in patterns)
    ]


def about_project(
    tree: IncludeTree,
    names: Sequence[str],
    readmes: tuple[str, ...],
    slug: str,
    sites: Sequence[Site],
) -> list[Collection]:
    """The collections of the pages `readmes` and of the manual among `names`, the entries of its root. Where
    `sites` have a generator, a page of HTML there begins what that wrote."""
    found = [collection("readme", "docs", readmes)] if readmes else []
    is_written = any(site.generator for site in sites)
    if not is_written and (manual := _manual_page(tree, names, readmes)):
        found.append(collection("manual", "pages", (manual,), slug))
    return found


def _manual_page(tree: IncludeTree, names: Sequence[str], readmes: Sequence[str]) -> str:
    """The page of HTML among the entries of the root of a project that is its manual: it has sections and
    says more than the pages `readmes`, which one that starts an application does not. "" without one."""
    name = next((each for each in names if each.lower() in ("index.html", "index.htm")), "")
    source = tree.peek(name) if name else None
    size = sum(len(tree.peek(each) or b"") for each in readmes)
    if source is None or len(source) <= size:
        return ""
    from kbc.languages.html.page import read_html  # Beautiful Soup, which few trees need here

    page = read_html(source.decode("utf-8-sig", "replace"))
    return name if len(page.text) > size and len(page.anchors) >= _SECTIONS_OF_MANUAL else ""


def readmes(names: Sequence[str]) -> list[str]:
    """The pages about the project among the entries of its root, without those on how people work on it; of
    one in R Markdown or Quarto and what it was rendered to, the latter."""
    is_alone = not any(name.lower().startswith("readme.") for name in names)
    found = [
        name
        for name in names
        if name.lower().endswith(BY_NAME["texinfo"].suffixes)
        or (is_alone and name == _README_OF_GNU)
        or (README.fullmatch(name) and name.lower().endswith(KINDS["docs"].suffixes))
        or (name.lower().endswith(_GUIDES) and not _FOR_MAKERS.fullmatch(name.rpartition(".")[0]))
    ]
    rendered = {name.rpartition(".")[0] for name in found if name.lower().endswith(".md")}
    return [
        name
        for name in found
        if not (name.lower().endswith((".rmd", ".qmd")) and name.rpartition(".")[0] in rendered)
    ]


def books_of(tree: IncludeTree, names: Sequence[str], places: Sequence[str]) -> list[str]:
    """The pages of AsciiDoc among `names`, the entries of the root, that are made of pages in the folders
    `places`: the chapters of a book, with the text between their sections."""
    starts = tuple(f"{place}/" for place in places)
    found = (name for name in names if name.lower().endswith(BY_NAME["asciidoc"].suffixes))
    return [
        name
        for name in found
        if not README.fullmatch(name) and name not in places and _includes(tree.peek(name), starts)
    ]


def _includes(page: bytes | None, starts: tuple[str, ...]) -> bool:
    """Whether a page includes a file whose path begins with one of `starts`."""
    targets = _INCLUDE.findall((page or b"").decode("utf-8", "replace"))
    return any(target.removeprefix("./").startswith(starts) for target in targets)
