"""Reads kb.toml: every mistake is a diagnostic with its line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from kb_runtime.errors.shortages import raise_shortage
from kbc.diagnostics import Diagnostics
from kbc.limits import MAX_COLLECTIONS
from kbc.project.kinds import KINDS, UnknownKindTable
from kbc.project.model import CONVENTIONAL, Collection, Project
from kbc.project.settings import (
    DERIVED_ENTRIES,
    BuildSettings,
    EncoderSettings,
    KbTable,
    PackageSettings,
    SearchSettings,
    ToolSettings,
    TopTables,
    default_prefix,
    name_of,
)
from kbc.project.source_file import SourceFile
from kbc.project.toml_file import TomlFile, read_toml
from kbc.project.validation import Mistake, Table, validated
from kbc.project.well_formed import mapping, sequence

PROJECT_FILE = "kb.toml"

Declared = TypeVar("Declared", bound=Table)


def load_project(root: Path, diagnostics: Diagnostics) -> Project | None:
    """Reads `root`/kb.toml. None, with at least one error in `diagnostics`, when it cannot be used."""
    path = root / PROJECT_FILE
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        message, hint = _missing(root)
        diagnostics.error("kb-toml-missing", message, hint=hint)
        return None
    except OSError as error:
        raise_shortage(error)
        diagnostics.error(
            "kb-toml-unreadable",
            f"kb.toml cannot be read: {error.strerror}",
            PROJECT_FILE,
            hint="It must be a file that you may read.",
        )
        return None
    file = SourceFile(PROJECT_FILE, data)
    if file.is_blank:
        diagnostics.error(
            "kb-toml-empty",
            "kb.toml is empty",
            PROJECT_FILE,
            hint="It needs at least a [kb] table.",
        )
        return None
    toml = read_toml(file, diagnostics)
    return None if toml is None else _ProjectReader(root, toml, diagnostics).project()


class _ProjectReader:
    """Turns the parsed TOML into a Project, reporting what is wrong with it."""

    def __init__(self, root: Path, toml: TomlFile, diagnostics: Diagnostics) -> None:
        self._root = root
        self._toml = toml
        self._diagnostics = diagnostics

    def project(self) -> Project | None:
        before = len(self._diagnostics.errors)
        data = self._toml.data
        validated(
            TopTables, data, (), self._report, within=dict.fromkeys(KbTable.model_fields, "kb")
        )
        if not ("kb" in data or data.get("collection")):
            self._report(
                Mistake(
                    "toml-missing-table",
                    "kb.toml has neither a [kb] table nor a [[collection]]",
                    (),
                    "Add `[kb]`, with a name.",
                )
            )
        tables = data.get("collection")
        kb = self._table("kb", KbTable)
        collections = (
            self._conventional_collections() if tables is None else self._collections(tables)
        )
        names = (
            [each.name for each in collections]
            if tables is None
            else [name for each in _tables(tables) if isinstance(name := each.get("name"), str)]
        )
        search = self._table("search", SearchSettings, [*names, DERIVED_ENTRIES])
        tools = self._table("tools", ToolSettings)
        encoder = self._table("encoder", EncoderSettings)
        package = self._table("package", PackageSettings)
        build = self._table("build", BuildSettings)
        aliases = mapping(data.get("tools")).get("alias")
        self._report_repeated(_tables(aliases), "tools", "alias", code="duplicate-alias")
        if len(self._diagnostics.errors) > before:
            return None
        if not (kb and search and tools and encoder and package and build):
            return None
        name = kb.name or name_of(self._root.resolve().name) or "kb"
        return Project(
            root=self._root,
            name=name,
            title=name if kb.title is None else kb.title,
            version=kb.version,
            prefix=kb.prefix or default_prefix(name),
            description=kb.description,
            license=kb.license,
            language=kb.language,
            collections=tuple(collections),
            search=search,
            tools=tools,
            encoder=encoder,
            package=package,
            build=build,
        )

    def _table(self, name: str, model: type[Declared], context: Any = None) -> Declared | None:
        data = mapping(self._toml.data.get(name, {}))
        return validated(model, data, (name,), self._report, context)

    def _collections(self, tables: Any) -> list[Collection]:
        if len(_tables(tables)) > MAX_COLLECTIONS:
            self._report(
                Mistake(
                    "too-many-collections",
                    f"kb.toml has {len(_tables(tables)):,} collections, more than {MAX_COLLECTIONS:,}",
                    ("collection", MAX_COLLECTIONS),
                    "Give one collection several `paths`: their records stay distinct by path.",
                )
            )
            return []
        self._report_repeated(_tables(tables), "collection", code="duplicate-collection")
        found = [self._collection(index, table) for index, table in enumerate(_tables(tables))]
        return [collection for collection in found if collection is not None]

    def _collection(self, index: int, data: Mapping[str, Any]) -> Collection | None:
        stated = data.get("kind")
        kind = KINDS.get(stated) if isinstance(stated, str) else None
        model = kind.table if kind else UnknownKindTable
        table = validated(model, data, ("collection", index), self._report)
        if table is None or kind is None:
            return None
        paths = table.paths or tuple(kind.folders)[:1]
        if manifest := getattr(table, "manifest", ""):
            paths = (*(table.paths or ()), *self._listed(manifest, index))
        options = {
            name: getattr(table, name) for name in kind.options if name in table.model_fields_set
        }
        group = options.pop("group", None)
        if group is None and "group" in kind.options:
            group = kind.folders.get(paths[0], {}).get("group", table.name)
        return Collection(
            name=table.name,
            kind=kind.name,
            paths=paths,
            url=table.url,
            group=group or "",
            options=options,
            line=self._toml.line("collection", index),
            paths_line=self._toml.line("collection", index, "paths"),
            include=table.include,
            exclude=table.exclude,
            strip=table.strip,
            generator=table.generator,
            config=table.config,
            language=table.language,
        )

    def _listed(self, manifest: str, index: int) -> list[str]:
        found = [*listed(self._root, manifest)]
        if not found:
            key = ("collection", index, "manifest")
            message = f"the manifest {manifest!r} names no path"
            hint = "Write the path of a workshop, relative to this file's folder, on each line of this file."
            self._report(Mistake("path-missing", message, key, hint))
        return found

    def _conventional_collections(self) -> list[Collection]:
        found = [each for each in CONVENTIONAL if (self._root / each.paths[0]).exists()]
        if not found:
            folders = ", ".join(each.paths[0] for each in CONVENTIONAL)
            self._report(
                Mistake(
                    "no-collections",
                    "kb.toml names no [[collection]] and the folder has none of the conventional"
                    " folders",
                    (),
                    f"Create one of: {folders}; or add a [[collection]] with name, kind and paths.",
                )
            )
        return found

    def _report_repeated(self, tables: Sequence[Mapping[str, Any]], *key: str, code: str) -> None:
        """Names that two of `tables` have, also where another mistake is beside them."""
        lines: dict[str, int] = {}
        for index, table in enumerate(tables):
            name = table.get("name")
            if not isinstance(name, str):
                continue
            line = lines.setdefault(name, self._toml.line(*key, index))
            if line != self._toml.line(*key, index):
                message = f"the {key[-1]} name {name!r} is already used on line {line}"
                hint = f"Give each {key[-1]} a name of its own."
                self._report(Mistake(code, message, (*key, index, "name"), hint))

    def _report(self, mistake: Mistake) -> None:
        self._diagnostics.error(
            mistake.code,
            mistake.message,
            PROJECT_FILE,
            self._toml.line(*mistake.key),
            hint=mistake.hint,
        )


_REPOSITORY = re.compile(r"(?:git@|gh:|(?:git|github|gitlab|codeberg)[:+])[\w.:/-]+")


def _missing(root: Path) -> tuple[str, str]:
    """What is said of a folder without kb.toml, or of nothing, and what to do."""
    if root.is_dir():
        return (
            f"there is no kb.toml in this folder: {str(root)!r} is not a knowledge base",
            "Run `kbc init FOLDER` to write a starter, or name the folder that holds kb.toml.",
        )
    if address := re.fullmatch(r"([a-z]{2,}):/+(.*)", str(root)):  # of which a path keeps one slash
        return (
            f"there is no such folder or file: {address[1]}://{address[2]} is a URL",
            "kbc does not download documentation: clone or save it, and name the folder.",
        )
    if _REPOSITORY.match(str(root)):
        return (
            f"there is no such folder or file: {str(root)!r} is the address of a repository",
            "kbc does not download documentation: clone it, and name the folder.",
        )
    return (
        f"there is no such folder or file: {str(root)!r}",
        "Name a folder, file or archive of documentation, or begin one with `kbc init FOLDER`.",
    )


def listed(root: Path, manifest: str) -> dict[str, int]:
    """The paths in a manifest, each with its line; `#` begins a comment. Empty where it cannot be read."""
    try:
        lines = (root / manifest).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # ValueError: not UTF-8, or a NUL in its name
        return {}
    folder = PurePosixPath(manifest).parent
    return {
        posixpath.normpath(str(folder / line.strip())): number
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.startswith("#")
    }


def _tables(value: Any) -> list[Mapping[str, Any]]:
    """The tables of a list; what else there may be is reported already."""
    return [each for each in sequence(value) if isinstance(each, dict)]
