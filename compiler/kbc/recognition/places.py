"""Where a project without a site has its documentation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from kbc.formats.docc import CATALOGUE, TUTORIAL
from kbc.formats.registry import BY_NAME
from kbc.languages.suffixes import SOURCE, ending
from kbc.project.kinds import KINDS, LEKTOR, LOG_OF_CHANGES, MARKDOWN, ON_RELEASES

MAN_FOLDER = "man"
DOCS_FOLDERS = (
    *("docs", "doc", "documentation", "Documentation", "guide", "guides", "manual"),
    "vignettes",  # of packages for R
    "g3doc",  # of what began in the repository of Google
)
_NOTEBOOK = BY_NAME["notebook"].suffixes
MAX_NOTEBOOKS = 200
"""More of them beside documentation are work, and do not explain the project."""

_MAVEN_SITE = "src/site"
_BUILD_PAGES = re.compile(
    r"(?:.*/)?src/(?:main/(?:asciidoc|mdoc|paradox|tut)|docs/asciidoc|spec/docs?)(?=/)"
)
"""Where builds with sbt, Maven and Gradle have pages, in each part of a project; those of a specification are
beside the tests that they include."""

_MIDDLEMAN, _MIDDLEMAN_PAGES = "config.rb", "source"
_DOCS_FOLDER = re.compile(r"docs?[-_](?P<what>(?!(?:assets?|images?|media|static)\Z).+)")
_OF_READERS = re.compile(
    r"content|(?:cook|hand)?books?|tutorials?|user[-_]?(?:guides?|manuals?)|(?:web)?site|wiki"
    r"|documentation[-_].+|.+[-_]docs?",
    re.IGNORECASE,
)
"""Folders that are called as documentation is, which often have another one beside them (`docs`)."""

_AMONG_SOURCE = (*BY_NAME["pod"].suffixes, *BY_NAME["odoc"].suffixes)

PAGES = (
    *MARKDOWN,
    *(".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".org", ".ipynb", ".rdoc", ".dox"),
    *(".docbook", ".dbk", ".dita", *LEKTOR, ".mediawiki", ".wiki"),
)
"""What people write documentation in."""

README = re.compile(
    rf"(?:readme|mainpage|{LOG_OF_CHANGES}|contributing|faq|upgrad(?:e|ing)|security)\b.*",
    re.IGNORECASE,
)
"""Pages about a project, beside its source."""

_THEME = re.compile(
    r"(?:^|/)(?:_includes|_layouts|_templates|themes?/(?:[^/]+/)*(?:templates|layouts))/"
)
HTML = (".html", ".htm")
FEW_PAGES = 3
"""Less HTML shows other pages or wraps them, and is no documentation itself."""

_NO_PROGRAMS = frozenset({"css", "html", "ini", "json", "scss", "toml", "xml", "yaml"})
"""Languages that site generators and data are written in as well."""

_NO_PLACE = re.compile(
    r"(?:node|python|web)_modules|(?:bower|jspm)_(?:components|packages)|site-packages|_?vendor"
    r"|(?:third|3rd)[-_]?party|x?t|(?:.*[-_])?tests?|__tests__|testdata|fixtures?|_snaps|__snapshots__",
    re.IGNORECASE,
)
MAX_DEPTH = 3
"""Folders below a repository's root that sites and folders of documentation are looked for in."""

_LICENCE_OF_JAVADOC = re.compile(r"(?:^|/)legal/(?:dejavufonts|jquery(?:UI)?|jszip|pako)\.md\Z")
"""What javadoc writes about the scripts and fonts beside its pages."""

_USUAL = re.compile(
    rf"(?i)(?:un)?licen[cs]es?|copying|copyright|notice|agents|claude|gemini|{LOG_OF_CHANGES}|.+\.api"
)
"""Pages that any package may have, which do not show where documentation is; `a.api.md`: API Extractor."""

_NO_TEXT = re.compile(
    r"(?:.*/)?(?:CMakeLists|[^/]*requirements[^/]*|robots|[al]?gpl[^/]*|[^/]*licen[cs]e[^/]*|copying|copyright|notice)"
    r"\.txt",
    re.IGNORECASE,
)
"""Plain text for programs, and what says under which terms a project is used."""

MANY_PAGES = 20
_SPECIFICATIONS = frozenset({"spec", "specs"})
"""Folders of standards; elsewhere of tests, which are programs."""

_FRAGMENTS = re.compile(rf"(?:{ON_RELEASES})(?:\.d)?|(?:news|change)_?fragments", re.IGNORECASE)
"""Folders of what a log of changes is made of."""

_CONTENT = "content"
"""The folder of pages of sites that are programs, such as those of Next.js and Nuxt."""

_NEARLY_ALL = 0.8
_HARDLY_ANY = 10
"""Pages of HTML for each other page, at least, for a folder to hold a built site."""
PAGES_A_PROGRAM = 5
"""With more pages for each program, these are tools for the pages."""

SKIPPED = re.compile(
    r"\..*|_.*|node_modules|vendor|tests?|__tests__|specs?|fixtures?|examples?|samples?|testdata|(?:.*[-_])?templates?"
    r"|third[_-]party|target|dist|build|out|site-packages|benchmarks?",
    re.IGNORECASE,
)
"""Folders that hold no documentation of the project: tests, examples, output."""


def pages_below(
    names: Sequence[str], files: Sequence[str], manual_pages: frozenset[str]
) -> tuple[str, ...]:
    """Where a repository without a site has its documentation: conventional folders with pages, and where
    these are few those of parts that hold more; the deepest folder with nearly all of the pages, unless one
    beside it has many; all folders at the top that hold rather pages than code, with the pages beside them;
    or such folders with a conventional name in parts of it. Where there are few pages, folders of pages
    alone, the pages at the top of a tree with hardly any program, and a folder for content or for man pages.
    `names` are the entries of the root, `files` all paths, `manual_pages` those of manuals."""
    if found := _conventional(names, files, manual_pages):
        return (*found, *_larger(found, files))
    is_man = any(name.startswith(f"{MAN_FOLDER}/") for name in manual_pages)
    few = (MAN_FOLDER,) if is_man else ()
    pages = [
        name.split("/")
        for name in files
        if (is_page(name) or name in manual_pages)
        and not (is_of_others(name) or _USUAL.fullmatch(PurePosixPath(name).stem))
    ]
    nested = [page for page in pages if len(page) > 1]
    if len(nested) < MANY_PAGES and {page[0] for page in nested} != {_CONTENT}:
        found = (*_of_pages_alone(nested, files), *_at_top(pages, files), *few)
        return tuple(dict.fromkeys(found))
    folder: list[str] = []
    while True:
        depth = len(folder)
        below = Counter(
            page[depth] for page in nested if page[:depth] == folder and len(page) > depth + 1
        )
        (name, count), *others = *below.most_common(2), ("", 0)
        if count < _NEARLY_ALL * len(nested) or (folder and others[0][1] >= MANY_PAGES):
            break
        folder.append(name)
    folder = folder[:-1] if folder[-2:-1] == [MAN_FOLDER] else folder  # other sections have few
    return ("/".join(folder),) if folder else _spread(pages, files) or _of_parts(files) or few


def pages_beside(
    names: Sequence[str], files: Sequence[str], sites: Sequence[str], others: Sequence[str]
) -> tuple[str, ...]:
    """Conventional folders that hold more pages than the sites of a repository, and where these have few,
    folders at the top with many pages and no program: such sites are of its parts, or get their pages from
    there when they are built, and say little of the whole. A site may be in such a folder, with fewer pages
    than there are beside it. `names` and `files` are as for `pages_below`,
    `sites` the folders of pages and of configuration of the sites, `others` what is left out."""
    known = frozenset(within(files, (*sites, *others)))
    outside = [name for name in files if name not in known]
    named = (
        *_conventional(names, outside, frozenset()),
        *_of_parts(outside),
        *_of_readers(outside),
    )
    inside = frozenset(within(outside, named))
    rest = _in_folders(name for name in outside if name not in inside)
    of_sites = _pages_within(files, sites)
    alone = _of_pages_alone(rest, files, MANY_PAGES) if of_sites < MANY_PAGES else ()
    found = tuple(dict.fromkeys((*named, *alone)))
    pages = _pages_within(outside, found)
    if of_sites < FEW_PAGES and not pages > of_sites:
        texts = within(outside, [name for name in found if name in DOCS_FOLDERS])
        pages += sum(map(_is_text, texts))
    return found if pages > of_sites else ()


def _larger(found: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    """Folders for pages in parts of a repository, where those that were `found` hold few pages, and fewer:
    notes beside the documentation. Else folders at the top with many pages and no program, where these hold
    far more."""
    few = _pages_within(files, found)
    inside = frozenset(within(files, found))
    rest = [name for name in files if name not in inside]
    others = _of_parts(rest) if few < MANY_PAGES else ()
    if _pages_within(files, others) > few:
        return others
    if _pages_within(files, named := _of_readers(rest)) > few:
        return named
    alone = _of_pages_alone(_in_folders(rest), files, MANY_PAGES)
    return alone if _pages_within(files, alone) > few * PAGES_A_PROGRAM else ()


def _conventional(
    names: Sequence[str], files: Sequence[str], manual_pages: frozenset[str]
) -> tuple[str, ...]:
    """Folders with pages by their names, and what is documentation among source by its ending."""
    below: dict[str, list[str]] = {name: [] for name in names}
    for file in files:
        top = file.split("/")[0]
        if top != file and top in below:
            below[top].append(file)
    holding = {name for name in names if _holds_pages(below[name], manual_pages)}
    found = [name for name in DOCS_FOLDERS if name in holding]
    found = found or sorted(
        name
        for name in holding
        if (named := _DOCS_FOLDER.fullmatch(name))
        and not SKIPPED.fullmatch(named["what"])
        and not _holds_readmes(below[name])
    )
    maven = [name for name in files if name.startswith(f"{_MAVEN_SITE}/")]
    found += [_MAVEN_SITE] if _holds_source(maven, manual_pages) else []
    found += [_MIDDLEMAN_PAGES] if _MIDDLEMAN in names and _MIDDLEMAN_PAGES in holding else []
    found += [MAN_FOLDER] if _is_manual_of_r(files) else []
    catalogues = {
        file[: file.index(f"{CATALOGUE}/") + len(CATALOGUE)]
        for file in files
        if f"{CATALOGUE}/" in file
        and (is_page(file) or file.endswith(TUTORIAL))
        and not is_of_others(file)
    }
    catalogues |= {
        match[0]
        for file in files
        if is_page(file) and (match := _BUILD_PAGES.match(file)) and not is_of_others(file)
    }
    beside = {name for name in files if name.endswith(_AMONG_SOURCE) and not is_of_others(name)}
    return (
        *found,
        *sorted(each for each in catalogues | beside if each.split("/")[0] not in found),
    )


def _is_manual_of_r(files: Sequence[str]) -> bool:
    """Whether the folder `man` is the reference manual of an R package."""
    return "DESCRIPTION" in files and any(
        name.startswith(f"{MAN_FOLDER}/") and name.lower().endswith(BY_NAME["rd"].suffixes)
        for name in files
    )


def parts_of_manual(files: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """The pages in other formats below the manual of an R package, if it is among the folders `found`: they
    are inserted into its pages when these are written."""
    if MAN_FOLDER not in found or not _is_manual_of_r(files):
        return ()
    return tuple(name for name in files if name.startswith(f"{MAN_FOLDER}/") and is_page(name))


def theme_parts(files: Sequence[str]) -> tuple[str, ...]:
    """The HTML in catalogues of DocC, which is what it writes above and below pages, and that of the themes
    of sites (`theme/templates`, `_layouts`)."""
    html = (name for name in files if name.lower().endswith(HTML))
    return tuple(name for name in html if f"{CATALOGUE}/" in name or _THEME.search(name))


def _holds_pages(files: Sequence[str], manual_pages: frozenset[str]) -> bool:
    """Whether these are pages in source: of a folder with more HTML than would show pages or wrap them, other
    text is no documentation."""
    if _holds_source(files, manual_pages):
        return True
    known = (*KINDS["docs"].suffixes, ".xml")
    lowered = [name.lower() for name in files]
    built = sum(name.endswith(HTML) for name in lowered)
    others = sum(name.endswith(known) for name in lowered if _NO_TEXT.fullmatch(name) is None)
    return others > (built if built >= FEW_PAGES else 0)


def _holds_source(files: Sequence[str], manual_pages: frozenset[str]) -> bool:
    return any(is_page(name) or name in manual_pages for name in files)


def _holds_readmes(files: Sequence[str]) -> bool:
    """Whether these pages are only about the folder that they are in."""
    written = [PurePosixPath(name).name for name in files if is_page(name)]
    return bool(written) and all(map(README.fullmatch, written))


def built_below(files: Sequence[str], read: Sequence[str]) -> list[str]:
    """The conventional folder with several pages of HTML, and those with longer names (`docs-api`) and no
    more programs than pages; of the folders that are `read` for their other pages, those with hardly any of
    these: a generator writes such, too."""
    nested = [name for name in files if "/" in name]
    built = Counter(name.split("/")[0] for name in nested if name.lower().endswith(HTML))
    programs = Counter(name.split("/")[0] for name in nested if is_program(name))
    found = [
        name
        for name in (*DOCS_FOLDERS, *sorted(filter(_DOCS_FOLDER.fullmatch, built)))
        if built[name] >= FEW_PAGES
        and (name not in read or built[name] >= _HARDLY_ANY * _pages_within(files, [name]))
    ]
    named = [name for name in found if name in DOCS_FOLDERS]
    others = [name for name in found if name not in named and programs[name] <= built[name]]
    return [*named[:1], *others]


def notebooks(files: Sequence[str], taken: Sequence[str]) -> tuple[str, ...]:
    """The notebooks outside of the folders and files `taken`, which a reader of source takes for data."""
    own = [name for name in files if name.lower().endswith(_NOTEBOOK) and not is_of_others(name)]
    found = sorted({*own} - {*within(own, taken)})
    return tuple(found) if "." not in taken and len(found) <= MAX_NOTEBOOKS else ()


def within(names: Sequence[str], places: Sequence[str]) -> list[str]:
    """Those of the paths `names` that are among the files and in the folders `places`."""
    files, folders = frozenset(places), tuple(f"{place}/" for place in places)
    return [name for name in names if name in files or name.startswith(folders)]


def _pages_within(names: Sequence[str], places: Sequence[str]) -> int:
    return sum(map(is_page, within(names, places)))


def is_of_others(name: str) -> bool:
    """Whether a page or table is data of tests, or part of a dependency."""
    return any(_NO_PLACE.fullmatch(folder) for folder in name.split("/")[:-1])


def _in_folders(names: Iterable[str]) -> list[list[str]]:
    """The pages of the project in folders, as the parts of their paths."""
    return [
        name.split("/")
        for name in names
        if "/" in name and is_page(name) and not is_of_others(name)
    ]


def _of_pages_alone(
    pages: Sequence[Sequence[str]], files: Sequence[str], fewest: int = FEW_PAGES
) -> tuple[str, ...]:
    """The folders at the top with several pages and no program, of those with a standard hardly any. Where
    these are to have many, those are left out whose pages only say what is in their folders: packages."""
    shown = (name for name in files if "/." not in name)
    programs = Counter(name.split("/")[0] for name in shown if is_program(name))
    counts = Counter(page[0] for page in pages)
    is_own = Counter(page[0] for page in pages if not README.fullmatch(page[-1]))
    return tuple(
        name
        for name, count in sorted(counts.items())
        if count >= fewest
        and (fewest < MANY_PAGES or is_own[name])
        and (
            programs[name] * PAGES_A_PROGRAM <= count
            if name in _SPECIFICATIONS
            else not (programs[name] or SKIPPED.fullmatch(name) or _FRAGMENTS.fullmatch(name))
        )
    )


def _at_top(pages: Sequence[Sequence[str]], files: Sequence[str]) -> list[str]:
    """The pages beside a manifest, where there are several and hardly any program: the folder of the pages
    of a project has one, too, if they are built or checked with its tools."""
    found = sorted(page[0] for page in pages if len(page) == 1 and not README.fullmatch(page[0]))
    is_of_pages = len(found) >= max(FEW_PAGES, PAGES_A_PROGRAM * sum(map(is_program, files)))
    return found if is_of_pages else []


def _is_text(name: str) -> bool:
    """Whether a file is plain text that may explain something, by its name."""
    return name.lower().endswith(".txt") and not _NO_TEXT.fullmatch(name)


def is_program(name: str) -> bool:
    """Whether a file is code in a language that neither site generators nor data are written in."""
    return SOURCE.get(ending(name), "html") not in _NO_PROGRAMS


def _spread(pages: Sequence[Sequence[str]], files: Sequence[str]) -> tuple[str, ...]:
    """The folders at the top with at least as many pages as files of code, and the pages beside them,
    where these folders have most pages, without those of examples and tests."""
    code = Counter(
        name.split("/")[0]
        for name in files
        if "/" in name and not is_page(name) and PurePosixPath(name).suffix[1:] in SOURCE
    )
    counts = Counter(page[0] for page in pages if len(page) > 1)
    for name in [name for name in counts if SKIPPED.fullmatch(name)]:
        if not (name in _SPECIFICATIONS and counts[name] >= PAGES_A_PROGRAM * code[name]):
            del counts[name]
    found = [name for name, count in sorted(counts.items()) if count >= code[name]]
    if sum(counts[name] for name in found) < max(MANY_PAGES, _NEARLY_ALL * counts.total()):
        return ()
    return (*found, *sorted(page[0] for page in pages if len(page) == 1))


def _of_parts(files: Sequence[str]) -> tuple[str, ...]:
    """The folders for pages in parts of a repository (`site/pages`, `packages/*/docs`) with at least as many
    pages as programs, where these and the parts beside them have many."""
    pages: Counter[tuple[str, str]] = Counter()
    programs: Counter[tuple[str, str]] = Counter()
    named = (*DOCS_FOLDERS, _CONTENT, "pages")
    for name in files:
        folders = name.split("/")[:-1]
        depth = next((at for at, each in enumerate(folders) if each in named), 0)
        alike = "/".join((*folders[: depth - 1], "*", *folders[depth : depth + 1]))
        depth += folders[depth + 1 : depth + 2] == [_CONTENT]  # of a site that is called `docs`
        if not 0 < depth <= MAX_DEPTH or any(SKIPPED.fullmatch(each) for each in folders[:depth]):
            continue
        place = "/".join(folders[: depth + 1])
        pages[place, alike] += is_page(name)
        programs[place, alike] += is_program(name) and not is_page(name)
    found = sorted(part for part in pages if pages[part] >= max(FEW_PAGES, programs[part]))
    totals: Counter[str] = Counter()
    for place, alike in found:
        totals[alike] += pages[place, alike]
    return tuple(place for place, alike in found if totals[alike] >= MANY_PAGES)


def _of_readers(files: Sequence[str]) -> tuple[str, ...]:
    """The folders at the top that are called as documentation is, with several pages and no more programs
    than pages; what they show in folders of examples does not count."""
    pages, programs = Counter[str](), Counter[str]()
    for name in files:
        top, *folders = name.split("/")[:-1] or [""]
        if _OF_READERS.fullmatch(top) and not any(map(SKIPPED.fullmatch, (top, *folders))):
            pages[top] += is_page(name)
            programs[top] += is_program(name) and not is_page(name)
    return tuple(sorted(top for top in pages if pages[top] >= max(FEW_PAGES, programs[top])))


def is_for_pages(name: str) -> bool:
    """Whether a folder is called as those for documentation are."""
    return name in (*DOCS_FOLDERS, _CONTENT) or _DOCS_FOLDER.fullmatch(name) is not None


def is_page(name: str) -> bool:
    return name.lower().endswith(PAGES) and not _LICENCE_OF_JAVADOC.search(name)
