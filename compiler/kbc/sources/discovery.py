"""Finds and reads the input files of each collection, in one fixed order."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from glob import has_magic
from pathlib import Path

from kb_runtime.errors.shortages import raise_shortage
from kb_runtime.text.rendering import shorten
from kbc.diagnostics import Diagnostics
from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import CONVERTED, KINDS
from kbc.project.loading import PROJECT_FILE, listed
from kbc.project.model import Collection, Project
from kbc.project.source_file import SourceFile
from kbc.sources.accounting import HIDDEN, LINKED, Accounting, ending_reason
from kbc.sources.build_output import DOCSET, PUBLISHED, is_docset, is_published
from kbc.sources.formats import is_wanted
from kbc.sources.globs import glob_base, matches_of
from kbc.sources.outside import entry_names
from kbc.sources.patterns import PathPatterns
from kbc.sources.source_tree import SourceTree, is_unicode
from kbc.sources.workshop_tree import EXERCISES_HINT, WITHOUT_EXERCISES, WorkshopTree

SIDECAR_SUFFIX = ".meta.toml"
_MANIFEST_HINT = "Correct the line; it names a workshop, from the folder of this file."
_PATHS_HINT = "Correct `paths`; it names files, folders or globs below the folder of kb.toml."
LICENCE_FILES = ("COPYING", "LICENSE", "LICENSE.md", "LICENSE.txt", "NOTICE", "NOTICE.txt")


def discover(
    project: Project,
    diagnostics: Diagnostics,
    allow_outside: bool = False,
    *,
    tree: IncludeTree | None = None,
    accounting: Accounting | None = None,
) -> dict[str, list[SourceFile]]:
    """The files of every collection, by collection name, each list sorted by path.

    Files get `tree` to include others from, and `accounting` hears what became of each that was found.

    Hidden files and folders (a leading dot) are left out, links are followed as long as they stay
    inside the root (or with `allow_outside`), and a file is read once however many collections name it;
    of a collection that has it through links as well, it is one file.
    Source trees have rules of their own, see `source_tree`; a note says how many files these left out.
    """
    account = Accounting() if accounting is None else accounting
    walker = _Walker(project, diagnostics, allow_outside, tree, account)
    return {
        collection.name: walker.collection_files(collection) for collection in project.collections
    }


def licence_files(project: Project, allow_outside: bool = False) -> list[SourceFile]:
    """The licence texts beside kb.toml, which go wherever the artifact goes."""
    root = project.root.resolve()
    found = []
    for name in LICENCE_FILES:
        path = root / name
        if path.is_file() and (allow_outside or _is_within(path.resolve(), root)):
            found.append(SourceFile(name, path.read_bytes()))
    return found


class _Walker:
    def __init__(
        self,
        project: Project,
        diagnostics: Diagnostics,
        allow_outside: bool,
        tree: IncludeTree | None,
        accounting: Accounting,
    ) -> None:
        self._root = project.root.resolve()
        self._below_root = str(self._root / "_")[:-1]  # with a separator
        self._diagnostics = diagnostics
        self._allow_outside = allow_outside
        self._tree = tree
        self._accounting = accounting
        self._config = PROJECT_FILE if (self._root / PROJECT_FILE).exists() else ""
        self._read: dict[str, bytes | None] = {}
        self._has_links = False
        entries = entry_names(project.collections, self._root)
        # The longest first: an entry may lie in another one.
        self._outside = sorted(
            (
                (Path(os.path.normpath(self._root / glob_base(entry))), name)
                for entry, name in entries.items()
            ),
            key=lambda item: -len(item[0].parts),
        )

    def collection_files(self, collection: Collection) -> list[SourceFile]:
        found: dict[str, SourceFile] = {}
        tree = _source_tree(collection, self._leave_out, self._root / PROJECT_FILE)
        walk = tree.walk if tree else partial(self._walk, wanted=_wanted(collection))
        exclude = () if isinstance(tree, SourceTree) else collection.exclude
        patterns = PathPatterns(collection.include, exclude)
        for entry in collection.paths:
            before = len(found)
            problems = len(self._diagnostics)
            excluded = False
            for path, base in self._entry_files(entry, collection, walk):
                name = self._name(path)
                if reason := patterns.reason(name.removeprefix(f"{base}/") if base else name):
                    self._accounting.left_out(name, reason)
                    excluded = True
                    continue
                file = self._file(path, name, base, collection)
                if file is None:
                    self._accounting.unreadable(name, "see its error")
                elif tree is None or tree.admits(path, file.data):
                    found.setdefault(file.path, file)
            if len(found) == before and len(self._diagnostics) == problems and not excluded:
                self._report_empty(entry, collection)
        self._report_left_out(tree, len(found), collection)
        files = [found[path] for path in sorted(found)]
        if self._has_links:
            files = self._each_once(files)
        for file in files:
            self._accounting.read(file.path)
        return files

    def _report_empty(self, entry: str, collection: Collection) -> None:
        self._diagnostics.warning(
            "collection-path-empty",
            f"{entry!r} of collection {collection.name!r} contains no file of kind"
            f" {collection.kind!r}",
            self._config,
            collection.paths_line,
            hint=_suffix_hint(collection),
        )

    def _report_left_out(
        self, tree: SourceTree | WorkshopTree | None, count: int, collection: Collection
    ) -> None:
        """What the rules of a collection left out beside the files, `count` of them, that it has."""
        for folder in tree.without_exercises if isinstance(tree, WorkshopTree) else ():
            self._diagnostics.warning(
                WITHOUT_EXERCISES,
                f"the workshop folder {folder.name!r} has no exercises; it was left out",
                self._name(folder),
                hint=EXERCISES_HINT,
            )
        if isinstance(tree, SourceTree) and tree.left_out:
            self._diagnostics.note(
                "files-left-out",
                f"source files in collection {collection.name!r}: {count:,}; left out:"
                f" {tree.summary()}",
                self._config,
                collection.line,
            )

    def _each_once(self, files: Sequence[SourceFile]) -> list[SourceFile]:
        """The files without those that only links make of others: what links lead to is read where it lies,
        or else through the first of them."""
        places = {
            file.path: self._name(Path(os.path.realpath(self._root / file.path))) for file in files
        }
        first: dict[str, str] = {}
        for path, place in places.items():
            first.setdefault(place, place if place in places else path)
        for path, place in places.items():
            if first[place] != path:
                self._accounting.left_out(path, LINKED)
        return [file for file in files if first[places[file.path]] == file.path]

    def _entry_files(
        self, entry: str, collection: Collection, walk: Callable[[Path], Iterator[Path]]
    ) -> Iterator[tuple[Path, str]]:
        """Absolute paths with the base folder (root-relative) that each was found under."""
        start = Path(os.path.normpath(self._root / entry))
        try:
            target = Path(os.path.realpath(start))
            is_inside = _is_within(start, self._root) and _is_within(target, self._root)
            exists, is_folder, is_link = start.exists(), start.is_dir(), start.is_symlink()
            is_glob = has_magic(entry) and not exists
            matches: list[Path] = []
            if is_glob and (is_inside or self._allow_outside):
                with_hidden = KINDS[collection.kind].is_source_tree
                matches = matches_of(self._root, entry, with_hidden=with_hidden)
        except (OSError, ValueError) as error:  # ValueError: a NUL, or `**` within a part
            self._unusable(collection, entry, error)
            return
        self._has_links |= target != start
        if not (is_inside or self._allow_outside):
            self._problem(
                collection,
                entry,
                "path-outside",
                f"{entry!r} is outside the knowledge base's folder",
                "Copy the files into it, or build with --allow-outside.",
            )
        elif is_glob:
            base = self._name(Path(os.path.normpath(self._root / glob_base(entry))))
            base = "" if base == "." else base
            yield from ((file, base) for file in self._matching_files(matches, walk))
        elif is_folder:
            base = self._name(start)
            yield from ((file, base) for file in walk(start))
        elif exists or is_link:
            yield start, ""
        else:
            self._problem(
                collection,
                entry,
                "path-missing",
                f"{entry!r} of collection {collection.name!r} does not exist",
                _PATHS_HINT,
            )

    def _matching_files(
        self, matches: Sequence[Path], walk: Callable[[Path], Iterator[Path]]
    ) -> Iterator[Path]:
        """The files that a glob matches, or that are in folders that it matches."""
        for found in matches:
            path = Path(os.path.normpath(found))
            # A wildcard may stand for a link, or lead through one to files that are none.
            is_linked = os.path.realpath(path) != str(path)
            self._has_links |= is_linked
            if is_linked and not self._stays_inside(path):
                self._accounting.unreadable(self._name(path), "see its error")
            elif path.is_dir():
                yield from walk(path)
            else:
                yield path

    def _unusable(self, collection: Collection, entry: str, error: OSError | ValueError) -> None:
        reason = str(error)
        if isinstance(error, OSError):
            raise_shortage(error, self._root / entry)
            reason = error.strerror or reason
        message = (
            f"{shorten(repr(entry), 80)} of collection {collection.name!r} cannot be looked up"
        )
        self._problem(collection, entry, "path-missing", f"{message}: {reason}", _PATHS_HINT)

    def _walk(
        self, folder: Path, wanted: Callable[[Path], bool], above: tuple[tuple[int, int], ...] = ()
    ) -> Iterator[Path]:
        """Files below `folder`, depth first; `above` are the folders on the way here (device, inode)."""
        try:
            info = folder.stat()
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            raise_shortage(error, folder)
            self._diagnostics.error(
                "folder-unreadable",
                f"the folder cannot be read: {error.strerror}",
                self._name(folder),
                hint="Fix its permissions, or exclude it from the collection's paths.",
            )
            self._accounting.unreadable(self._name(folder), "see its error")
            return
        identity = (info.st_dev, info.st_ino)
        if identity in above:
            self._diagnostics.warning(
                "symlink-loop",
                "the folder is a link to one of its parent folders; it was left out",
                self._name(folder),
                hint="Remove the link.",
            )
            return
        names = {entry.name for entry in entries}
        if above and is_published(names):
            self._leave_out(folder, PUBLISHED)
            return
        place: Path | None = None  # where the folder lies, behind links
        for entry in entries:
            path = Path(entry.path)
            self._has_links |= entry.is_symlink()
            if entry.name.startswith("."):
                self._leave_out(path, HIDDEN)
            elif _is_folder(entry):
                if is_docset(entry.name, names):
                    self._leave_out(path, DOCSET)
                    continue
                if entry.is_symlink() and not self._stays_inside(path):
                    self._accounting.unreadable(self._name(path), "see its error")
                    continue
                yield from self._walk(path, wanted, (*above, identity))
            elif wanted(path):
                yield path
            else:
                # Counted where it lies: no other collection goes through links.
                if place is None:
                    place = Path(os.path.realpath(folder)) if self._has_links else folder
                self._leave_out(place / entry.name, ending_reason(entry.name))

    def _leave_out(self, path: Path, reason: str) -> None:
        is_folder = path.is_dir() and not path.is_symlink()
        self._accounting.left_out(self._name(path) + "/" * is_folder, reason)

    def _file(self, path: Path, name: str, base: str, collection: Collection) -> SourceFile | None:
        if not is_unicode(name):
            self._diagnostics.error(
                "file-name-not-utf8", "the file name is not UTF-8", name, hint="Rename the file."
            )
            return None
        if name not in self._read:
            self._read[name] = self._read_once(path, name, KINDS[collection.kind].max_file_bytes)
        content = self._read[name]
        if content is None:
            return None
        return SourceFile(name, content, base, self._tree)

    def _read_once(self, path: Path, name: str, max_bytes: int) -> bytes | None:
        try:
            info = path.lstat()  # before opening: opening a pipe would wait for a writer
            if stat.S_ISLNK(info.st_mode):
                if not self._stays_inside(path):
                    return None
                info = path.stat()
            if stat.S_ISDIR(info.st_mode):  # it was a file when its folder was listed
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(info.st_mode):
                self._diagnostics.error(
                    "file-special",
                    "this is a pipe, a socket or a device, not a regular file",
                    name,
                    hint="Exclude it from the collection's paths.",
                )
                return None
            if info.st_size > max_bytes:
                self._diagnostics.error(
                    "file-too-large",
                    f"the file has {info.st_size:,} bytes, more than the {max_bytes:,}"
                    " that a file of its kind may have",
                    name,
                    hint="Split it, or exclude it from the collection's paths.",
                )
                return None
            with path.open("rb", buffering=0) as file:
                return file.readall()
        except OSError as error:
            raise_shortage(error, path)
            looping = "the link is circular" if error.errno == errno.ELOOP else error.strerror
            self._diagnostics.error(
                "file-unreadable",
                f"the file cannot be read: {looping}",
                name,
                hint="Remove it, or fix its permissions or its link.",
            )
            return None

    def _stays_inside(self, path: Path) -> bool:
        """Whether a link's target lies inside the root; reports it when it does not."""
        target = Path(os.path.realpath(path))
        if self._allow_outside or _is_within(target, self._root):
            return True
        self._diagnostics.error(
            "path-outside",
            "the link leads out of the knowledge base's folder",
            self._name(path),
            hint="Copy the target into the folder, or build with --allow-outside.",
        )
        return False

    def _name(self, path: Path) -> str:
        text = str(path)
        if text.startswith(self._below_root):  # nearly all: a tenth of the time of what follows
            return text.removeprefix(self._below_root).replace(os.sep, "/")
        if _is_within(path, self._root):
            return path.relative_to(self._root).as_posix()
        for start, name in self._outside:
            if _is_within(path, start):
                inner = path.relative_to(start).as_posix()
                return "/".join(part for part in (name, inner) if part not in ("", "."))
        return path.as_posix()

    def _problem(
        self, collection: Collection, entry: str, code: str, message: str, hint: str
    ) -> None:
        """An error in an entry of `paths`, or on a line of a manifest."""
        file, line = PROJECT_FILE, collection.paths_line
        manifest = collection.options.get("manifest", "")
        if manifest and (listed_at := listed(self._root, manifest).get(entry)):
            file, line = manifest, listed_at
            hint = _MANIFEST_HINT if hint == _PATHS_HINT else hint
        self._diagnostics.error(code, message, file, line, hint=hint)


def _source_tree(
    collection: Collection, leave_out: Callable[[Path, str], None], config: Path
) -> SourceTree | WorkshopTree | None:
    """The rules of a collection that is more than files by their endings; None for other kinds."""
    if collection.kind == "workshops":
        return WorkshopTree()
    if not KINDS[collection.kind].is_source_tree:
        return None
    return SourceTree(collection.exclude, leave_out, config)


def _wanted(collection: Collection) -> Callable[[Path], bool]:
    html_pages = collection.conventions.publishes_html
    return partial(is_wanted, wanted=_suffixes(collection), html_pages=html_pages)


def _suffixes(collection: Collection) -> tuple[str, ...]:
    if collection.kind == "examples":
        extensions = collection.options.get("extensions", (".qnt",))
        return (*(str(ending).lower() for ending in extensions), SIDECAR_SUFFIX)
    stated = (*collection.site.script_endings, *collection.site.formats)
    return (*KINDS[collection.kind].suffixes, *(ending.lower() for ending in stated))


def _suffix_hint(collection: Collection) -> str:
    suffixes = _suffixes(collection)
    shown = [each for each in suffixes if each not in CONVERTED]
    more = ", or as docs/input-formats.md lists" if len(shown) < len(suffixes) else ""
    return f"Files of this kind end in {', '.join(shown)}{more}." if suffixes else ""


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of a folder is one or a link to one; a link that points to itself is none."""
    if entry.is_symlink():
        return Path(entry.path).is_dir()  # the entry's own raises an error for such a link
    return entry.is_dir(follow_symlinks=False)


def _is_within(path: Path, root: Path) -> bool:
    return path == root or root in path.parents
