"""A checkout of a repository: where its documentation may be, which sites are in it, what its code is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from kb_runtime.errors.shortages import raise_shortage
from kbc.formats.pandoc.man import START_BYTES, is_man_page
from kbc.formats.registry import BY_NAME
from kbc.languages.suffixes import LANGUAGES, ending
from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import MARKDOWN
from kbc.recognition.configuration import read_text
from kbc.recognition.generators import (
    antora,
    doc_builder,
    docfx,
    docsify,
    docusaurus,
    eleventy,
    gitbook,
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
)
from kbc.recognition.site import Site, joined
from kbc.sources.formats import is_wanted
from kbc.sources.source_tree import SourceTree

MANIFESTS = frozenset(
    {
        *("BUILD.bazel", "Build.PL", "CMakeLists.txt", "Cargo.toml", "Cartfile", "Gemfile"),
        *("MODULE.bazel", "Makefile.PL", "Makefile.am", "NAMESPACE", "Package.swift", "Podfile"),
        *("Project.toml", "SConstruct", "WORKSPACE", "build.gradle", "build.gradle.kts"),
        *("build.mill", "build.sbt"),
        *("build.sc", "build.zig", "cabal.project", "composer.json", "configure", "configure.ac"),
        *("cpanfile", "deno.json", "deno.jsonc", "deps.edn", "dist.ini", "dub.json", "dub.sdl"),
        *("dune-project", "elm.json", "foundry.toml", "fpm.toml", "gleam.toml", "go.mod"),
        *("go.work", "meson.build", "mix.exs", "package.json", "package.yaml", "pom.xml"),
        *("project.clj", "pubspec.yaml", "pyproject.toml", "rebar.config", "settings.gradle"),
        *("settings.gradle.kts", "setup.cfg", "setup.py", "shard.yml", "stack.yaml"),
    }
)
"""Files that say how a project is built: beside them is its code."""

_MANIFEST_ENDINGS = (
    *(".cabal", ".csproj", ".fsproj", ".gemspec", ".nimble", ".opam", ".podspec", ".rockspec"),
    *(".sln", ".slnx", ".tf", ".vbproj", ".vcxproj", ".xcodeproj", ".xcworkspace"),
)
"""The same, of those that are called after the project."""

VERSION_CONTROL = (".git", ".hg", ".jj", ".svn")
_MAN = BY_NAME["man"].suffixes
_MAN_FOLDER = "man"
DOCS_FOLDERS = ("docs", "doc", "documentation", "Documentation", "guide", "guides", "manual")
PAGES = (
    *MARKDOWN,
    *(".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".org", ".ipynb"),
    *(".docbook", ".dbk", ".mediawiki", ".wiki"),
)
"""What people write documentation in."""

README = re.compile(
    r"(?:readme|changelog|changes|history|contributing|faq|upgrading|security)\b.*", re.IGNORECASE
)
"""Pages about a project, beside its source."""

_DOCUMENTS = (".html", ".htm", ".jsonl", ".ndjson", ".pdf", ".docx", ".pptx", ".epub")
_NO_PROGRAMS = frozenset({"css", "html", "ini", "json", "scss", "toml", "xml", "yaml"})
"""Languages that site generators and data are written in as well."""

_PROGRAMS_A_DOCUMENT = 2
"""A folder without a manifest that has more is somebody's source, and not a manual with examples."""

_MANY_PAGES = 20
_CONTENT = "content"
"""The folder of pages of sites that are programs, such as those of Next.js and Nuxt."""

_DOMAIN_FILE = "CNAME"
_DOMAIN = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_NEARLY_ALL = 0.8
MAX_DEPTH = 3
"""Folders below a repository's root that a site is looked for in."""

MAX_FOLDERS = 4_000
MAX_CODE_FILES = 4_000
MAX_CODE_BYTES = 40_000_000
"""Code beyond either bound is left out, with a note: embedding it would take longer than all else."""

_APIS = ("openapi.json", "openapi.yaml", "openapi.yml")
_NOT_OWN = re.compile(
    r"\..*|(?:.*[-_])?tests?|__tests__|testdata|fixtures?|examples?|node_modules|vendor|third[_-]party"
)
"""Folders of descriptions of other APIs."""

_MANY_APIS = 20
"""More descriptions of APIs in one repository are data of its, and not its own API."""

_TESTS = ("test/", "tests/", "__tests__/", "spec/", "testdata/", "fixtures/", "benchmarks/")

_SKIPPED = re.compile(
    r"\..*|_.*|node_modules|vendor|tests?|__tests__|specs?|fixtures?|examples?|samples?|testdata|(?:.*[-_])?templates?"
    r"|third[_-]party|target|dist|build|out|site-packages|benchmarks?",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"(?:af|am|ar|az|be|bg|bn|br|ca|cn|cs|cy|cz|da|de|dk|el|en|eo|es|et|eu|fa|fi|fr|ga|gl|gr|gu|he|hi|hr|hu"
    r"|hy|id|is|it|ja|jp|ka|kk|km|kn|ko|kr|lb|lo|lt|lv|mg|mk|ml|mn|mr|ms|mt|my|nb|ne|nl|no|or|pa|pl|ps|pt"
    r"|ro|ru|rw|si|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|tw|ua|uk|ur|uz|vi|zh)(?:[-_][A-Za-z]{2,8})?"
)


_GENERATORS = (
    *(mkdocs, vitepress, vuepress, starlight, mdbook, antora, hugo, jekyll, sphinx, docfx),
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
            names = [name for name in names if not _SKIPPED.fullmatch(name)]
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


def translations(names: Sequence[str], language: str = "en") -> list[str]:
    """The folders among `names` that are named after languages other than `language`, where there are
    several such folders."""
    languages = [name for name in names if _LANGUAGE.fullmatch(name)]
    if len(languages) < 2:
        return []
    return [name for name in languages if name.replace("_", "-").split("-")[0] != language]


def translated_folders(files: Iterable[str], language: str = "en") -> list[str]:
    """The folders of translations among the paths `files`: those that stand beside one in `language`, and at
    the top those beside pages that are in no folder of a language."""
    below: dict[str, set[str]] = {}
    has_pages_beside = False
    for name in filter(_is_page, files):
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
    return found


def man_pages(root: Path, files: Sequence[str]) -> frozenset[str]:
    """The paths among `files` of man pages, by how they begin."""
    return frozenset(name for name in files if name.endswith(_MAN) and _begins_as_man(root / name))


def _begins_as_man(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return is_man_page(stream.read(START_BYTES))
    except OSError as error:
        raise_shortage(error, path)
        return False


def pages_below(
    names: Sequence[str], files: Sequence[str], man_pages: frozenset[str]
) -> tuple[str, ...]:
    """Where a repository without a site has its documentation: a conventional folder, the deepest one with
    nearly all of the pages, or all folders at the top that hold rather pages than code, with the pages
    beside them, or such folders with a conventional name in parts of it; where there are few, a folder for
    content or for man pages, else nothing. `names` are the entries of the root, `files` all paths,
    `man_pages` those of man pages."""
    folders = {name.split("/")[0] for name in files if "/" in name}
    for name in DOCS_FOLDERS:
        if name in names and name in folders:
            return (name,)
    is_man = any(name.startswith(f"{_MAN_FOLDER}/") for name in man_pages)
    few = (_MAN_FOLDER,) if is_man else ()
    found = [name for name in files if _is_page(name) or name in man_pages]
    pages = [name.split("/") for name in found if "node_modules/" not in name]
    nested = [page for page in pages if len(page) > 1]
    if len(nested) < _MANY_PAGES and {page[0] for page in nested} != {_CONTENT}:
        return few
    folder: list[str] = []
    while True:
        depth = len(folder)
        below = Counter(
            page[depth] for page in nested if page[:depth] == folder and len(page) > depth + 1
        )
        name, count = max(below.items(), key=lambda item: item[1], default=("", 0))
        if count < _NEARLY_ALL * len(nested):
            break
        folder.append(name)
    return ("/".join(folder),) if folder else _spread(pages, files) or _of_parts(files) or few


def _spread(pages: Sequence[Sequence[str]], files: Sequence[str]) -> tuple[str, ...]:
    """The folders at the top with at least as many pages as files of code, and the pages beside them,
    where these folders have most pages."""
    code = Counter(
        name.split("/")[0]
        for name in files
        if "/" in name and not _is_page(name) and PurePosixPath(name).suffix[1:] in LANGUAGES
    )
    counts = Counter(page[0] for page in pages if len(page) > 1)
    found = [
        name
        for name, count in sorted(counts.items())
        if count >= code[name] and not _SKIPPED.fullmatch(name)
    ]
    if sum(counts[name] for name in found) < _NEARLY_ALL * counts.total():
        return ()
    return (*found, *sorted(page[0] for page in pages if len(page) == 1))


def _of_parts(files: Sequence[str]) -> tuple[str, ...]:
    """The folders for pages in parts of a repository, such as `apps/site/content`, where they hold many pages
    and at least as many as files of code."""
    pages: Counter[str] = Counter()
    code: Counter[str] = Counter()
    for name in files:
        folders = name.split("/")[:-1]
        depth = next(
            (at for at, each in enumerate(folders) if each in (*DOCS_FOLDERS, _CONTENT)), 0
        )
        depth += folders[depth + 1 : depth + 2] == [_CONTENT]  # of a site that is called `docs`
        if not 0 < depth <= MAX_DEPTH or any(_SKIPPED.fullmatch(each) for each in folders[:depth]):
            continue
        place = "/".join(folders[: depth + 1])
        is_code = PurePosixPath(name).suffix[1:] in LANGUAGES
        pages[place] += _is_page(name)
        code[place] += is_code and not _is_page(name)
    return tuple(place for place in sorted(pages) if pages[place] >= max(_MANY_PAGES, code[place]))


def _is_page(name: str) -> bool:
    return name.lower().endswith(PAGES)


def is_repository(names: Sequence[str]) -> bool:
    """Whether a folder with these entries is a project with code."""
    return any(name in MANIFESTS or name.endswith(_MANIFEST_ENDINGS) for name in names)


def is_source_tree(names: Sequence[str], man_pages: frozenset[str]) -> bool:
    """Whether a folder with these files, which has no manifest, holds source, with not more man pages than
    programs, and with few documents for its programs, not counting such as a README."""
    programs = sum(LANGUAGES.get(ending(name), "html") not in _NO_PROGRAMS for name in names)
    documents = sum(
        _is_document(name) and not README.fullmatch(name.rpartition("/")[2]) for name in names
    )
    return programs > documents * _PROGRAMS_A_DOCUMENT and programs >= len(man_pages)


def _is_document(name: str) -> bool:
    return _is_page(name) or name.lower().endswith(_DOCUMENTS)


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


def code_exclusions(root: Path, exclude: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Patterns that keep a repository's code within the bounds, and a sentence when they leave code out;
    the pattern `*` leaves out all of it."""
    for extra, sentence in (
        ((), ""),
        (_TESTS, "tests are left out: with them there would be too much code"),
    ):
        size = 0
        for files, path in enumerate(SourceTree([*exclude, *extra]).walk(root), start=1):
            size += path.stat().st_size
            if files > MAX_CODE_FILES or size > MAX_CODE_BYTES:
                break
        else:
            return tuple(extra), sentence
    return ("*",), f"code is left out: more than {MAX_CODE_FILES:,} files or 40 MB"


def api_descriptions(root: Path, names: Sequence[str], taken: Sequence[str]) -> tuple[str, ...]:
    """The files among `names` (below `root`) that describe the repository's own APIs, outside of the
    folders `taken`, which are read anyway."""
    found = []
    for name in names:
        if not name.lower().endswith((".json", ".yaml", ".yml")):
            continue
        is_other = any(_NOT_OWN.fullmatch(each) for each in name.split("/")[:-1])
        if not is_other and not any(name.startswith(f"{each}/") for each in taken):
            found += [name] if is_wanted(root / name, _APIS) else []
    return tuple(sorted(found)) if len(found) <= _MANY_APIS else ()


def _is_link(path: Path) -> bool:
    return path.is_symlink()
