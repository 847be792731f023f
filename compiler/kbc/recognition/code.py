"""Which files of a repository are its source code, beside what is read as documentation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from kb_runtime.errors.shortages import raise_shortage
from kbc.formats.docc import CATALOGUE
from kbc.formats.registry import BY_NAME
from kbc.languages.suffixes import SOURCE, ending
from kbc.project.kinds import KINDS
from kbc.project.model import Collection
from kbc.recognition import places
from kbc.recognition.manifests import is_repository
from kbc.recognition.package import ANSIBLE, Package
from kbc.recognition.parts import collection as collection_of
from kbc.recognition.site import Site
from kbc.sources.formats import is_wanted
from kbc.sources.source_tree import MAX_FILE_BYTES, SourceTree

MAX_CODE_FILES = 4_000
MAX_CODE_BYTES = 40_000_000
"""Code beyond either bound is left out, with a note: embedding it would take longer than all else."""

_LEAST_LEFT = 0.25
"""The share of the files that must be left where a folder is left out: a copy of other projects (`lib/`),
demonstrations or one part of many, and not what the project is."""

_OWN = frozenset({"crates", "include", "packages", "source", "src"})

_TESTS = (
    *("test/", "tests/", "__tests__/", "spec/", "e2e/", "testdata/", "fixtures/", "benchmarks/"),
    *("*[-_]test/", "*[-_]tests/"),  # `integration-tests`
    *("testfiles/", "testfiles-*/"),  # those of l3build, which tests LaTeX
)
_DOCUMENTS = (*places.HTML, ".jsonl", ".ndjson", ".pdf", ".docx", ".pptx", ".epub")
_OF_PROGRAMS = re.compile(r"(?:.*/)?(?:CMakeLists|requirements(?:[-_][^/]*)?)\.txt")
_OF_CHARTS = "templates/NOTES.txt"
"""Text that the kind `docs` leaves to the source around it: settings, and what Helm prints."""

_OF_SITES = frozenset({"css", "html", "scss"})
"""Languages of what pages are shown with."""

_OF_BROWSERS = frozenset({"javascript", "tsx", "typescript"})
"""Languages of programs that pages run, and many generators are configured in."""

_OF_PERL = frozenset({"Build.PL", "Makefile.PL", "cpanfile", "dist.ini", "minil.toml"})
"""Manifests of distributions of Perl."""

_MODULE = re.compile(r"(?:lib/.+|[^/]+)\.pm")
_POD = BY_NAME["pod"].suffixes
_HIDDEN = re.compile(r"(?:^|/)\.[^/]*\Z")

_OF_PAGES = re.compile(
    rf"{places.SKIPPED.pattern}|listings?|snippets?|assets|static|public|themes?", re.IGNORECASE
)
"""Folders of what pages include and are shown with, and of what is no source of a project."""

_AMONG_EXAMPLES = re.compile(r"(?:^|/)_?(?:demos?|examples?|samples?)/", re.IGNORECASE)
_FORMATS = frozenset(
    {
        each.rpartition(".")[2]
        for name in ("docs", "pages", "tests")
        for each in KINDS[name].suffixes
    }
)
"""Endings of what other kinds of collections read."""

_PROGRAMS_A_DOCUMENT = 3
"""A folder without a manifest that has more is somebody's source, and not a manual with examples."""

_WITHOUT_TESTS = "tests are left out: they would be too much code"
_AMONG_PAGES = "programs among pages are left out: they would be too much code"


class ProgramFiles:
    """Tells programs among the files of a tree: by the endings of known languages, and by the one of the
    language that the examples there are written in."""

    def __init__(self, root: Path, names: Sequence[str]) -> None:
        """`names` are all paths below `root`."""
        self.root = root
        self.names = names

    def has(self, name: str) -> bool:
        return places.is_program(name) or ending(name) in self.own_endings

    @cached_property
    def own_endings(self) -> frozenset[str]:
        """The ending that most of the programs in folders of examples have, where kbc knows no language or
        format by it: what the tree documents is a language, or has one. What a program prints or is compared
        with has a second ending (`nest.heron.out`)."""
        shown = list(filter(_AMONG_EXAMPLES.search, self.names))
        first: dict[str, str] = {}
        counts = Counter[str]()
        for name in shown:
            stem, _, own = name.rpartition("/")[2].lower().rpartition(".")
            if stem and "." not in stem and own not in SOURCE and own not in _FORMATS:
                first.setdefault(own, name)
                counts[own] += 1
        least = max(places.FEW_PAGES, sum(map(places.is_program, shown)) + 1)
        frequent = (own for own, count in counts.most_common() if count >= least)
        own_source = ([own] for own in frequent if _is_source(self.root / first[own]))
        return frozenset(next(own_source, ()))


def documented_programs(
    root: Path, found: Package | None, files: Sequence[str]
) -> list[Collection]:
    """Programs that say how they are used, which are pages, too: the plugins of a collection of Ansible, and
    the modules with POD of a distribution of Perl. `files` are all paths below `root`."""
    is_of_ansible = found is not None and found.form == ANSIBLE
    if is_of_ansible and any(name.startswith("plugins/") for name in files):
        return [collection_of("plugins", "docs", ("plugins",))]
    own = filter(_MODULE.fullmatch, [] if _OF_PERL.isdisjoint(files) else files)
    modules = tuple(name for name in own if is_wanted(root / name, _POD))
    return [collection_of("modules", "docs", modules)] if modules else []


def collection(
    programs: ProgramFiles, taken: Sequence[str], shared: Sequence[str], *, documented: bool
) -> tuple[Collection | None, str]:
    """The source code of a tree, and a sentence when the bounds leave code out; None when they leave out all
    of it. Files and folders `taken` are read by others; of the folders `shared` others read the pages, so
    that the programs among them are left. Code that is not `documented` is all that can be asked for, and
    only loses its tests."""
    root = programs.root
    whole = [
        f"/{place.rstrip('/')}" + "/" * (root / place).is_dir() for place in taken if place != "."
    ]
    if "." in taken:
        return among_pages(programs, whole), ""
    rest = [f"/{place}/" for place in shared]
    among = [each for place in shared for each in _pages_of(programs, place)]
    found, sentence = _bounded(root, (*whole, *among), documented)
    if found or among == rest:
        return found, sentence
    found, sentence = _bounded(root, (*whole, *rest), documented)
    return found, sentence or _AMONG_PAGES


def among_pages(programs: ProgramFiles, exclude: Sequence[str]) -> Collection | None:
    """The code and data beside the pages of a folder that is read as pages as a whole, without what the
    patterns `exclude` match; None without any."""
    endings = (*KINDS["docs"].suffixes, *_DOCUMENTS)
    files, own = programs.names, programs.own_endings
    others = [name for name in files if not name.lower().endswith(endings)]
    languages = ("" if ending(name) in own else SOURCE.get(ending(name), "html") for name in others)
    if _OF_SITES.issuperset(languages):
        return None
    read = _by_content(programs.root, others)
    found = sorted({each for name in files for each in endings if name.lower().endswith(each)})
    patterns = (*exclude, *(f"*{each}" for each in found), *read, *_no_pages(files))
    return _bounded(programs.root, patterns, documented=True)[0]


def shared_folders(collections: Sequence[Collection], files: Sequence[str]) -> list[str]:
    """The folders of pages whose programs are source of the project: those that no generator has, and those
    of a site that hold packages of the project and more programs than pages."""
    names = frozenset(files)
    found = []
    for each in collections:
        for path in each.paths if each.kind == "docs" else ():
            inside = [name for name in files if name.startswith(f"{path}/")]
            if path in names or not inside:
                continue
            if not each.generator or _are_packages(path, inside):
                found.append(path)
    return found


def _are_packages(folder: str, names: Sequence[str]) -> bool:
    if places.is_for_pages(folder.rpartition("/")[2]):
        return False
    programs = sum(map(places.is_program, names))
    below = [name.rpartition("/")[2] for name in names if name.count("/") > folder.count("/") + 1]
    return programs > sum(map(places.is_page, names)) and is_repository(below)


def _pages_of(programs: ProgramFiles, place: str) -> Iterator[str]:
    """Patterns for what the kind `docs` reads in the folder `place`; for the folder without programs, or with
    those that its tutorials show step by step."""
    inside = [name for name in programs.names if name.startswith(f"{place}/")]
    if place.endswith(CATALOGUE) or not any(map(programs.has, inside)):
        yield f"/{place}/"
        return
    endings = KINDS["docs"].suffixes
    found = {
        name[-len(each) :] for name in inside for each in endings if name.lower().endswith(each)
    }
    yield from (f"/{place}/**/*{ending}" for ending in sorted(found))
    yield from _by_content(programs.root, inside)
    yield from _no_pages(inside)


def _by_content(root: Path, files: Iterable[str]) -> list[str]:
    """Patterns for the files that the kind `docs` reads for what they begin with (XML, JSON, YAML), besides
    programs that document themselves."""
    wanted = KINDS["docs"].suffixes
    others = (
        name for name in files if not (name.lower().endswith(wanted) or places.is_program(name))
    )
    return [f"/{name}" for name in others if is_wanted(root / name, wanted)]


def _no_pages(names: Sequence[str]) -> Iterator[str]:
    """Patterns that bring back what only looks like a page by its ending."""
    known = frozenset(names)
    for name in names:
        chart = name.removesuffix(_OF_CHARTS)
        if _OF_PROGRAMS.fullmatch(name) or (chart != name and f"{chart}Chart.yaml" in known):
            yield f"!/{name}"


def _bounded(root: Path, exclude: Sequence[str], documented: bool) -> tuple[Collection | None, str]:
    """What `collection` returns, of the files that `exclude` leaves."""
    whole = Collection(name="code", kind="code", paths=(".",), exclude=tuple(exclude))
    without_tests = replace(whole, exclude=(*exclude, *_TESTS))
    if _is_within_bounds(root, whole):
        return whole, ""
    if not documented:
        return without_tests, _WITHOUT_TESTS
    sizes, counts = _by_folder(root, without_tests)
    if _is_bounded(counts.total(), sizes.total()):
        return without_tests, _WITHOUT_TESTS
    if folder := _folder_too_much(sizes, counts):
        rest = replace(without_tests, exclude=(*without_tests.exclude, f"/{folder}/"))
        return rest, f"tests and `{folder}/` are left out: they would be too much code"
    return None, (
        f"code is left out: more than {MAX_CODE_FILES:,} files or 40 MB; a kb.toml can name what to compile"
    )


def _is_within_bounds(root: Path, code: Collection) -> bool:
    size = 0
    for files, path in enumerate(SourceTree(code.exclude).walk(root), start=1):
        size += path.stat().st_size
        if not _is_bounded(files, size):
            return False
    return True


def _by_folder(root: Path, code: Collection) -> tuple[Counter[str], Counter[str]]:
    """Bytes and files of code by the folder at the top of `root` that they are in, "" for `root` itself."""
    sizes, counts = Counter[str](), Counter[str]()
    for path in SourceTree(code.exclude).walk(root):
        top, *below = path.relative_to(root).parts
        counts[top if below else ""] += 1
        sizes[top if below else ""] += path.stat().st_size
    return sizes, counts


def _folder_too_much(sizes: Counter[str], counts: Counter[str]) -> str:
    """The folder without which the code is within the bounds: of several, the one with the fewest files, of
    which the project's own source is the last; "" without any, and where hardly anything would be left."""
    most = (1 - _LEAST_LEFT) * counts.total()
    found = (
        folder
        for folder, count in counts.items()
        if folder
        and count <= most
        and _is_bounded(counts.total() - count, sizes.total() - sizes[folder])
    )
    return min(found, key=lambda each: (each in _OWN, counts[each], each), default="")


def _is_bounded(files: int, size_bytes: int) -> bool:
    return files <= MAX_CODE_FILES and size_bytes <= MAX_CODE_BYTES


def _is_source(path: Path) -> bool:
    """Whether a reader of source takes a file, by its name and content; a link may lead out of the tree."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return False
        return SourceTree().admits(path, path.read_bytes())
    except OSError as error:
        raise_shortage(error, path)
        return False


def is_source_tree(
    names: Sequence[str], manual_pages: frozenset[str], is_program: Callable[[str], bool]
) -> bool:
    """Whether a folder with these files, which has no manifest, holds source: more programs than pages, and
    few pages outside of folders of documentation. Notes beside it, such as a README, do not count."""
    documents = [name for name in names if _is_document(name) and not _is_note(name)]
    among = sum(name.split("/")[0] not in places.DOCS_FOLDERS for name in documents)
    programs = sum(map(is_program, names))
    return programs > among * _PROGRAMS_A_DOCUMENT and programs >= len(manual_pages) + len(
        documents
    )


def is_source_around(names: Sequence[str], manual_pages: frozenset[str]) -> bool:
    """Whether a folder with these files, most pages of which are HTML, holds a program whose templates they
    are. Scripts do not tell: a built site may have several for each page."""
    others = [name for name in names if SOURCE.get(ending(name)) != "javascript"]
    return is_source_tree(others, manual_pages, places.is_program)


def is_source_beside(
    sites: Sequence[Site], programs: ProgramFiles, manual_pages: frozenset[str]
) -> bool:
    """Whether a tree with these `sites` holds source besides. What is in the folder of a site's configuration
    is the site's; if that is the whole folder, programs that sites consist of are, too, and examples, which
    its pages may include. A few programs beside many pages are tools."""
    homes = [_HIDDEN.sub("", site.config.rpartition("/")[0]) for site in sites]
    own = {*homes, *(place for site in sites for place in site.places)} - {""}
    starts = tuple(f"{place}/" for place in own)
    rest = [name for name in programs.names if not name.startswith(starts)]
    documents = list(filter(_is_document, programs.names))
    if not all(homes):
        rest = [name for name in rest if programs.has(name) and not _is_of_site(name)]
        rest += documents
    is_enough = sum(map(programs.has, rest)) * places.PAGES_A_PROGRAM >= len(documents)
    return is_enough and is_source_tree(rest, manual_pages, programs.has)


def _is_of_site(name: str) -> bool:
    folders = name.split("/")[:-1]
    return SOURCE.get(ending(name)) in _OF_BROWSERS or any(map(_OF_PAGES.fullmatch, folders))


def _is_note(name: str) -> bool:
    """Whether a page is about the project as a whole: a README, LICENSE.md, AUTHORS.md."""
    folder, _, name = name.rpartition("/")
    return places.README.fullmatch(name) is not None or (
        not folder and name.split(".")[0].isupper()
    )


def _is_document(name: str) -> bool:
    return places.is_page(name) or name.lower().endswith(_DOCUMENTS)
