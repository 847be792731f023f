"""Makes a knowledge base of a folder, file or archive that has no kb.toml."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import kbc.recognition.translations as translations
from kb_runtime.errors import SingleCodeError, exit_codes
from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import CONVERTED, KINDS
from kbc.project.model import Collection, Project
from kbc.project.settings import SearchSettings, default_prefix, name_of
from kbc.project.sites.settings import IncludeSettings, SiteSettings
from kbc.recognition import archives, built_site, code, conventional, package, places, repository
from kbc.recognition.apis import Descriptions, descriptions, without
from kbc.recognition.display_names import folder_name, named, shown, with_article
from kbc.recognition.generators.python.projects import package_folders
from kbc.recognition.generators.sphinx import with_references
from kbc.recognition.manifests import is_repository
from kbc.recognition.manuals import manual_pages, manuals_beside
from kbc.recognition.parts import (
    NO_WORKSHOP,
    ONLY_TESTS,
    as_one,
    collection,
    distinct,
    is_for_tests,
    overlooked,
    steps_of_course,
    tests_in,
    with_tests,
    workshop_at,
)
from kbc.recognition.site import Site, in_order, joined
from kbc.recognition.versions import other_versions
from kbc.sources.build_output import is_published
from kbc.sources.formats import is_wanted, texts_without_ending

MAX_LOOKED_AT = 20_000
"""Files that are counted to tell what a folder holds, those that are least deep in it."""

MAX_NAME = 40
"""Characters of a title by which something is called, else it is called as its folder."""

_NO_DOCUMENTATION = frozenset(["readme", "notebooks", "features", "suites"])
"""Collections that do not explain a project."""

_SITE_FOLDERS = ("website", "site", "docs-site", "documentation")
"""Where the configuration of a site is kept whose pages are in a folder beside it."""


class RecognitionError(SingleCodeError):
    """There is nothing to build, or it cannot be unpacked."""

    code = "not-recognised"
    exit_code = exit_codes.INPUT


@dataclass(frozen=True, slots=True)
class Recognition:
    """A project in memory, and two sentences: what was recognised, and what it is made of. `notes` are
    decisions that an author might want to change."""

    project: Project
    what: str
    parts: str
    notes: tuple[str, ...] = ()


def recognise(path: Path, cache: Path | None = None, name: str = "") -> Recognition:
    """What is at `path`; archives are unpacked below `cache`. Raises `RecognitionError`."""
    if not path.exists():
        raise RecognitionError(
            f"{str(path)!r} does not exist", "Name a folder, a file or an archive."
        )
    if path.is_dir():
        if is_published([each.name for each in path.iterdir()]):
            hint = "Search it with `kbc search`, or name the folder that it was compiled from."
            raise RecognitionError(f"{str(path)!r} is a compiled knowledge base", hint)
        return _FolderDetector(path, name).folder()
    if archives.is_archive(path):
        if cache is None:
            message = f"{path.name!r} is an archive, and there is no cache to unpack it into"
            raise RecognitionError(message, "Unpack it and name the folder.")
        try:
            root = archives.extracted(path, cache)
        except archives.ArchiveError as error:
            raise RecognitionError(error.message, error.hint) from error
        stem = path.name.lower().split(".tar")[0]
        return _FolderDetector(root, name, stem.rsplit(".", 1)[0], is_archive=True).folder()
    return _FolderDetector(path.parent, name, path.name.split(".")[0]).file(path.name)


class _FolderDetector:
    """Recognises one folder. `fallback` is what its knowledge base is called without a better name."""

    def __init__(
        self, root: Path, name: str, fallback: str = "", *, is_archive: bool = False
    ) -> None:
        self._root = root.resolve()
        self._name = name
        self._fallback = fallback
        self._boundary = self._root if is_archive else repository.boundary(self._root)
        self._tree = IncludeTree(self._root, self._boundary)
        self._names = self._tree.names("")
        self._notes: list[str] = []
        self._other_languages: list[str] = []
        self._workshop = NO_WORKSHOP
        self._is_file = False

    def file(self, name: str) -> Recognition:
        """A single file: a page, a bundle of pages, a program or test cases."""
        self._is_file, self._files = True, [name]  # what else is in the folder does not matter
        ending = Path(name).suffix.lower()
        bundles = (*places.HTML, ".jsonl", ".ndjson")
        is_bundle = built_site.LLMS_FULL.fullmatch(name.lower()) or ending in bundles
        is_page = is_wanted(self._root / name, KINDS["docs"].suffixes)
        if not is_page and is_for_tests(self._root / name):
            return self._finish([collection("tests", "tests", (name,))], f"test cases, {name}")
        if not is_page and not is_bundle and places.is_program(name):
            return self._finish([collection("code", "code", (name,))], f"one program, {name}")
        kind = "pages" if is_bundle or not is_page else "docs"
        pages = {*KINDS["docs"].suffixes, *KINDS["pages"].suffixes} - {".toml"}
        if not is_page and ending not in pages:  # a source.toml only describes pages
            known = sorted({*pages, *ONLY_TESTS, *archives.ENDINGS} - {*CONVERTED})
            hint = f"Known: {', '.join(known)}, programs, and the formats of docs/input-formats.md."
            raise RecognitionError(f"{name!r} is in no format that kbc reads", hint)
        own = [collection("docs", kind, (name,), self._slug(name))]
        own += [collection("code", "code", (name,))] if places.is_program(name) else []
        return self._finish(own, f"one file, {name}")

    def folder(self) -> Recognition:
        found = package.recognise(self._tree, "")
        self._workshop = workshop_at(self._tree, self._slug(found.name if found else ""))
        here = repository.sites_in(self._tree, "")
        is_output = not here and built_site.is_output(self._tree, self._root, self._files)
        sites = here or ([] if is_output else self._around())
        if sites and sites[0].generator == "gitbook" and not sites[0].order:
            # What is left of a book, whose place a site has taken with a configuration beside the pages.
            is_left = any(repository.sites_in(self._tree, name) for name in _SITE_FOLDERS)
            sites = [] if is_left else sites
        if above := self._above(sites):
            return above
        if not sites and (collections := conventional.recognise(self._tree)):
            return self._finish(collections, "knowledge base without a kb.toml")
        # A folder of a site's own may have a package.json or go.mod that only builds the site.
        is_own = bool(sites) and not (sites[0].conventions.starts_at_root and any(sites[0].places))
        tree = (self._programs, self._manual_pages)
        is_source = bool(here) and code.is_source_beside(sites, *tree)
        is_project = is_source or is_repository(self._names) or found or self._workshop.folders
        if not is_project or (is_own and not is_source):
            sites = repository.with_copied(sites, self._files)
            sites = sites or built_site.bundles(self._names) or self._built()
            if not sites:
                sites = self._below()
                is_source = code.is_source_beside(sites, *tree)
                if is_source or len(self._with_larger(sites)) > len(sites):
                    return self._repository(sites, found)
            return self._sites(sites) if sites else self._plain()
        if not sites or sites[0].paths:  # besides a few pages by name, there may be other sites
            sites = [*sites, *self._below()]
        return self._repository(sites, found)

    def _above(self, sites: Sequence[Site]) -> Recognition | None:
        """The same sites from the folder above that holds all of their pages: a configuration may name
        folders beside its own."""
        levels = max((site.folder.split("/").count("..") for site in sites), default=0)
        if not levels:
            return None
        root = self._root.parents[levels - 1]
        own = self._root.relative_to(root).as_posix()
        above = _FolderDetector(root, self._name, self._fallback)
        return above._sites(repository.sites_in(above._tree, own))

    def _around(self) -> list[Site]:
        """The site whose pages are in this folder, while its configuration is above."""
        place, folder = "", self._root
        while folder != self._boundary and folder.parent != folder:
            folder = folder.parent
            place = f"{place}/..".strip("/")
            beside = (joined(place, name) for name in _SITE_FOLDERS)
            for site in (
                site for each in (place, *beside) for site in repository.sites_in(self._tree, each)
            ):
                content = Path(os.path.realpath(self._root / site.folder))
                if site.paths and not any(map(self._is_in, site.paths)):
                    continue
                if self._root in content.parents:
                    return [replace(site, folder=content.relative_to(self._root).as_posix())]
                if content == self._root or content in self._root.parents:
                    inside = os.path.relpath(self._root, content)
                    settings = site.settings
                    if inside != ".":
                        settings = replace(settings, place=inside)
                    return [replace(site, folder="", paths=(), settings=settings)]
        return []

    def _is_in(self, place: str) -> bool:
        """Whether this folder is the one at `place`, or below that."""
        path = Path(os.path.realpath(self._root / place))
        return path == self._root or path in self._root.parents

    def _below(self) -> list[Site]:
        sites, others = repository.sites_below(self._tree, self._root, self._files)
        self._leave_out(others if sites else ())
        return sites

    def _with_larger(self, sites: Sequence[Site]) -> list[Site]:
        paths = (self._names, self._files, self._other_languages)
        return repository.with_larger(sites, self._tree, self._root, *paths)

    def _leave_out(self, found: Sequence[str]) -> None:
        known = self._other_languages
        if found := [each for each in found if translations.outside([f"{each}/"], known)]:
            self._other_languages += found
            self._notes.append(f"translations are left out: {shown(found)}")

    def _built(self) -> list[Site]:
        """A site whose generator has written it."""
        named = filter(built_site.is_host, self._names)
        hosts = [name for name in named if (self._root / name).is_dir()]
        if (
            not built_site.is_mostly_html(self._tree, self._root, self._files)
            or code.is_source_around(self._files, self._manual_pages)
            or repository.is_written_below(self._tree, self._root, self._files)
        ):
            return []
        return [built_site.recognise(self._tree, "", self._root.name.lower(), hosts)]

    @cached_property
    def _files(self) -> list[str]:
        """The paths of the files, hidden folders and the exercises of a workshop aside; of a large tree
        somewhat more than MAX_LOOKED_AT."""
        return self._workshop.files_beside(self._root, MAX_LOOKED_AT)

    @cached_property
    def _programs(self) -> code.ProgramFiles:
        return code.ProgramFiles(self._root, self._files)

    @cached_property
    def _translated_files(self) -> list[str]:
        return translations.translated_files(self._files, self._tree)

    @cached_property
    def _manual_pages(self) -> frozenset[str]:
        return manual_pages(self._root, self._files)

    def _sites(self, sites: Sequence[Site]) -> Recognition:
        collections = [self._of_site(site, index) for index, site in in_order(sites)]
        taken = [path for each in collections for path in each.paths]
        first, (collections, _) = sites[0], self._with_apis(collections, taken)
        return self._finish(collections, named(first), first)

    def _with_apis(
        self, collections: Sequence[Collection], taken: Sequence[str]
    ) -> tuple[list[Collection], Descriptions]:
        """The collections with the descriptions of APIs outside of `taken`, and without copies of these."""
        apis = descriptions(self._root, self._files, taken)
        if apis.copies:
            self._notes.append(f"copies of descriptions of APIs are left out: {shown(apis.copies)}")
        own = [collection("api", "docs", apis.own)] if apis.own else []
        return [*(without(each, apis.copies) for each in collections), *own], apis

    def _of_site(self, site: Site, index: int) -> Collection:
        name = site.name if index == 0 or site.name != "docs" else f"docs-{index + 1}"
        others = [*repository.for_agents(site, self._files), *self._variants(site)]
        options = {"source": self._slug(site.title)} if site.kind == "pages" else {}
        return Collection(
            name=name,
            kind=site.kind,
            paths=tuple(place or "." for place in site.places),
            group=name if site.kind == "docs" else "",
            options=options if not site.is_bundle else {},
            include=site.include,
            exclude=tuple(dict.fromkeys([*site.left_out, *others])),
            strip="" if index else site.folder,
            generator=site.generator,
            config=site.config,
            site=site.all_settings,
        )

    def _variants(self, site: Site) -> list[str]:
        """Folders of translations and other versions among the pages."""
        start = f"{site.folder}/" if site.folder else ""
        files = [name.removeprefix(start) for name in self._files if name.startswith(start)]
        stated = site.settings.language
        found = translations.translated_folders(files, self._tree, site.folder, stated or "en")
        is_plain = site.conventions.has_plain_translations and not stated
        known = self._translated_files if is_plain else []
        pages = [name.removeprefix(start) for name in known if name.startswith(start)]
        inside = [joined(site.folder, name) for name in (*found, *pages)]
        self._leave_out([*site.translations, *inside])
        files = translations.outside(files, found)
        for parent, read, others in other_versions(files, self._tree, site.folder, site.version):
            place = joined(site.folder, parent) or "the folder"
            one = f"{read} is read" if read else "the unversioned pages are read"
            self._notes.append(f"in {place}, {one}; other versions are left out: {shown(others)}")
            found += [joined(parent, name) for name in others]
        return [*(f"/{name}/" for name in found), *(f"/{name}" for name in pages)]

    def _own_files(self) -> tuple[list[str], frozenset[str]]:
        """The files outside of the folders of other languages, and the pages of manuals among them."""
        files = translations.outside(self._files, self._other_languages)
        return files, self._manual_pages.intersection(files)

    def _repository(self, sites: Sequence[Site], found: package.Package | None) -> Recognition:
        tree = (self._files, self._manual_pages, self._tree)
        own = [place or "." for site in sites for place in site.places]
        self._leave_out(translations.repeated_languages(*tree, own))
        sites = self._with_larger(sites)
        collections = [self._of_site(site, index) for index, site in in_order(sites)]
        collections = collections or self._documentation()
        taken = [path for collection in collections for path in collection.paths]
        plain = code.shared_folders(collections, self._files)
        beside = repository.beside(self._names, collections)
        self._leave_out(translations.outside(self._translated_files, taken))
        own = [name for name in beside if name not in self._translated_files]
        readmes = tuple(repository.readmes(own))
        collections += repository.about_project(self._tree, own, readmes, self._slug(""), sites)
        programs = code.documented_programs(self._root, found, self._files)
        shown = [path for each in programs for path in each.paths]
        collections = [*(without(each, shown) for each in collections), *programs]
        if notebooks := places.notebooks(self._files, (*taken, *readmes)):
            collections.append(collection("notebooks", "docs", notebooks))
        manuals = [] if sites else manuals_beside(*self._own_files(), taken)
        if manuals:
            man = collection("man", "docs", tuple(manuals))
            collections.append(without(man, self._other_languages))
        collections, apis = self._with_apis(collections, taken)
        collections, read_as_tests = with_tests(self._root, self._files, collections)
        left_out = [place for site in sites for place in site.settings.left_out]
        excluded = {*taken, *self._other_languages, *notebooks, *readmes, *manuals, *left_out}
        excluded |= {*apis.own, *apis.copies, *apis.parts, *read_as_tests}
        others = sorted(excluded.union(self._workshop.folders) - {*plain})
        documented = (
            self._workshop.folders or {each.name for each in collections} - _NO_DOCUMENTATION
        )
        source, sentence = code.collection(
            self._programs, others, plain, documented=bool(documented)
        )
        if sentence:
            self._notes.append(sentence)
        collections = [*collections, *([source] if source else [])]
        is_project = sites or is_repository(self._names)
        form = found.form if found else "repository" if is_project else "source tree"
        what = f"{form} {found.name}".strip() if found else form
        what += " with a workshop" if self._workshop.own else ""
        if sites:
            made = next((each for each in sites if each.generator), sites[0])
            what += f" with {with_article(named(made))}"
            if more := sum(site.kind == "docs" for site in sites[1:]):
                what += f" and {more} more"
        if not collections and not self._workshop.own:
            return self._plain()
        return self._finish(collections, what, package.naming(sites, found), found)

    def _documentation(self) -> list[Collection]:
        """The documentation of a project without a site: its pages, and HTML that was built from others."""
        found = places.pages_below(self._names, *self._own_files())
        languages = [*self._other_languages]
        self._leave_out(others := translations.translations_beside(found, self._files, self._tree))
        found = tuple(place for place in found if place not in others)
        collections = []
        if found:
            parts = [self._of_site(Site(folder=place), 0) for place in found]
            paths = tuple(place for place in found if not places.README.fullmatch(place))
            packages = IncludeSettings(python_paths=tuple(package_folders(self._tree, [""])))
            plain = replace(as_one(parts), paths=paths, site=SiteSettings(includes=packages))
            if books := repository.books_of(self._tree, self._names, paths):
                plain = replace(plain, paths=(*paths, *books), strip="")
            other = [*places.parts_of_manual(self._files, found), *self._workshop.folders]
            collections.append(without(plain, [*other, *languages]))
        for built in places.built_below(self._files, found):
            own = self._of_site(built_site.recognise(self._tree, built, "", ()), len(collections))
            copies = (f"/{each}" for each in built_site.rendered(built, self._files))
            collections.append(replace(own, exclude=(*own.exclude, *copies)))
        return collections

    def _plain(self) -> Recognition:
        parts = places.theme_parts(self._files)
        found = [name for name in self._files if name not in parts]
        files = [name.lower() for name in found]
        collections = []
        if any(is_wanted(self._root / name, KINDS["docs"].suffixes) for name in found):
            exclude = tuple(self._variants(Site()))
            collections.append(replace(collection("docs", "docs", (".",)), exclude=exclude))
            collections, _ = self._with_apis(collections, (".",))
        bundles = any(name.endswith((".jsonl", ".ndjson")) for name in files)
        least = places.FEW_PAGES if collections else 1
        if bundles or sum(name.endswith(places.HTML) for name in files) >= least:
            pages = collection("pages", "pages", (".",), self._slug(""))
            include = ("*.html", "*.htm", "*.jsonl", "*.ndjson")
            collections.append(without(replace(pages, include=include), parts))
        if not collections and (tests := tests_in(self._root, found)):
            return self._finish(tests, "folder of test cases")
        collections, read_as_tests = with_tests(self._root, found, collections)
        if not collections and (texts := texts_without_ending(self._root, self._files)):
            collections.append(collection("docs", "docs", texts))
        source = code.among_pages(self._programs, [f"/{each}" for each in read_as_tests])
        if source and (any(map(self._programs.has, found)) or repository.is_checkout(self._root)):
            collections.append(source)
        if not collections:
            raise RecognitionError(
                f"{str(self._root)!r} is not a knowledge base: it has neither a kb.toml nor pages or source"
                " that kbc reads",
                "Name a folder with pages (Markdown, HTML, PDF and others: docs/input-formats.md), source"
                " or exports of test cases, or say in a kb.toml what to read, as `kbc init NEW-FOLDER` does.",
            )
        return self._finish(collections, "folder of pages")

    def _slug(self, title: str) -> str:
        slug = name_of(title)
        own = folder_name(self._root, self._boundary, self._fallback)
        return (slug if 0 < len(slug) <= MAX_NAME else name_of(own)) or "docs"

    def _finish(
        self,
        collections: list[Collection],
        what: str,
        site: Site | None = None,
        found: package.Package | None = None,
    ) -> Recognition:
        collections += [] if self._is_file else steps_of_course(self._tree)
        collections = self._workshop.with_others(collections)
        title = re.split(r"\s[|–—·•:]\s|\s-\s", site.title)[0].strip() if site else ""
        name = self._name or self._slug(found.name if found and found.name else title)
        project = Project(
            root=self._root,
            name=name,
            title=title or name,
            version=(site.version if site else "") or "0",
            prefix=default_prefix(name)[:32].rstrip("_"),
            description=site.description if site else "",
            search=SearchSettings(weights=self._workshop.weights),
            license=found.license if found else "",
            collections=tuple(distinct(with_references(self._tree, collections))),
            boundary=self._boundary,
            is_file=self._is_file,
        )
        parts = "; ".join(
            f"{each.name} ({shown(each.paths)}, kind {each.kind})" for each in project.collections
        )
        if sentence := overlooked(self._files, project.collections, self._other_languages):
            self._notes.append(sentence)
        return Recognition(project, what, parts, tuple(self._notes))
