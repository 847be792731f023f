"""Reads kb.toml, applies defaults and validates it. Every mistake is a diagnostic with its line."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kb_runtime.search.ranking.steps import STEPS
from kb_runtime.text.rendering import shorten
from kbc.diagnostics import Diagnostics
from kbc.project.kinds import INTEGER, KINDS, STRING, STRING_LISTS, STRINGS
from kbc.project.toml_lines import Key, key_lines

PROJECT_FILE = "kb.toml"
NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
COLLECTION_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
AUTHOR = re.compile(r"[^\r\n]{1,200}")
HOMEPAGE = re.compile(r"https?://[^\s<>\"]+")
MCP_NAME = re.compile(
    r"(?=.{3,200}$)[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]"
)
"""What the MCP registry admits: both parts begin and end with a letter or digit, which its schema does
not ask for, but the check of what is published does."""
PREFIX = re.compile(r"[a-z][a-z0-9_]{0,31}")
RESERVED_COLLECTIONS = frozenset({"all", "chunks"})
"""`all` is the scope of everything, `chunks` a file name in the catalog."""

BOOST_FIELDS = ("title", "breadcrumb", "identifiers", "signature", "body", "path", "tags")
FAMILIES = (
    "reference",
    "patterns",
    "routing",
    "search",
    "codebase",
    "tests",
    "sources",
    "workshops",
)
MAX_CANDIDATES = 1000
FUSIONS = ("balanced", "rrf")
MAX_CONTEXT_CHARS = 10_000_000

_FLOAT = "a number"
_NUMBERS = "a table of numbers"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One input file, read once.

    `path` is below the knowledge base's root, with forward slashes; a file outside it (allowed with
    `--allow-outside`) is named by its absolute path. `base` is the folder of the collection it was
    found under ("examples", or "" for a file that was named itself).
    """

    path: str
    data: bytes = field(repr=False)
    base: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def relative_path(self) -> str:
        """The path below `base`."""
        return self.path.removeprefix(f"{self.base}/") if self.base else self.path

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space, with or without a byte order mark."""
        return not self.data.strip(b" \t\r\n\xef\xbb\xbf")

    def text(self, diagnostics: Diagnostics) -> str | None:
        """The file as text: UTF-8, newlines as stored, a byte order mark taken off.

        None, with a diagnostic, when the file is empty, binary or not UTF-8.
        """
        if self.is_blank:
            diagnostics.warning(
                "file-empty",
                "the file is empty and was left out",
                self.path,
                hint="Write its content, or delete it.",
            )
            return None
        if b"\0" in self.data:
            line = self.data.count(b"\n", 0, self.data.index(b"\0")) + 1
            diagnostics.error(
                "file-binary",
                "the file holds NUL bytes: it is binary, or UTF-16 text",
                self.path,
                line,
                hint="Save it as UTF-8 text, or keep it out of the collection's paths.",
            )
            return None
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            column = error.start - self.data.rfind(b"\n", 0, error.start)
            diagnostics.error(
                "file-not-utf8",
                f"byte 0x{self.data[error.start]:02x} is not UTF-8",
                self.path,
                line,
                column,
                hint="Convert the file to UTF-8, for example with `iconv -t UTF-8`.",
            )
            return None


@dataclass(frozen=True, slots=True)
class Collection:
    """A `[[collection]]` of kb.toml. `line` is its table's line there and `paths_line` that of its paths,
    or else of the table (0: it comes by convention)."""

    name: str
    kind: str
    paths: tuple[str, ...]
    url: str = ""
    group: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    paths_line: int = 0

    def source_url(self, path: str, anchor: str = "") -> str:
        """The public address of a record, or "" when the collection has no `url`.

        `{path}` is the file's path, `{stem}` the same without its ending, `{anchor}` a heading.
        """
        if not self.url:
            return ""
        stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path
        filled = self.url.replace("{path}", quote(path)).replace("{stem}", quote(stem))
        if "{anchor}" not in filled:
            return filled
        return (
            filled.replace("{anchor}", quote(anchor))
            if anchor
            else filled.replace("#{anchor}", "").replace("{anchor}", "")
        )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """`[search]`: None and empty mean the runtime's defaults, which are written into the manifest.

    `weights` gives, by collection, the factor on the scores of its chunks; `without` are the steps of
    ranking by structure that are switched off; `reranker` names an entry point."""

    candidates: int | None = None
    rrf_k: int | None = None
    alpha: float | None = None
    boosts: Mapping[str, float] = field(default_factory=dict)
    fusion: str | None = None
    without: tuple[str, ...] = ()
    reranker: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """`[tools]`: which families are offered (None: all that have a collection), extra names, and how
    many characters of sections the tools of workshops give by default and at most (None: theirs)."""

    families: tuple[str, ...] | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)  # extra name -> tool name
    context_chars: int | None = None
    max_context_chars: int | None = None


@dataclass(frozen=True, slots=True)
class PackageSettings:
    """`[package]`: what `kbc wheel` and `kbc bundle` say beside `[kb]`; "" where nothing is said.

    `mcp_name` is the name in the MCP registry, whose owner the part before the slash tells."""

    author: str = ""
    homepage: str = ""
    mcp_name: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    root: Path
    name: str
    title: str
    version: str
    prefix: str
    description: str
    license: str
    collections: tuple[Collection, ...]
    search: SearchSettings = SearchSettings()
    tools: ToolSettings = ToolSettings()
    package: PackageSettings = PackageSettings()

    def settings(self) -> dict[str, Any]:
        """Everything that kb.toml decides about the artifact, for the build id."""
        return {
            "kb": [
                self.name,
                self.title,
                self.version,
                self.prefix,
                self.description,
                self.license,
            ],
            "collections": [
                [each.name, each.kind, list(each.paths), each.url, each.group, dict(each.options)]
                for each in self.collections
            ],
            "search": [
                self.search.candidates,
                self.search.rrf_k,
                self.search.alpha,
                dict(self.search.boosts),
                self.search.fusion,
                list(self.search.without),
                self.search.reranker,
                dict(self.search.weights),
            ],
            "tools": [
                self.tools.families,
                dict(self.tools.aliases),
                self.tools.context_chars,
                self.tools.max_context_chars,
            ],
            "package": [self.package.author, self.package.homepage, self.package.mcp_name],
        }


def load_project(root: Path, diagnostics: Diagnostics) -> Project | None:
    """Reads `root`/kb.toml. None, with at least one error in `diagnostics`, when it cannot be used."""
    path = root / PROJECT_FILE
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        what = "there is no kb.toml in this folder" if root.is_dir() else "there is no such folder"
        diagnostics.error(
            "kb-toml-missing",
            f"{what}: {str(root)!r} is not a knowledge base",
            hint="Run `kbc init FOLDER` to write a starter, or name the folder that holds kb.toml.",
        )
        return None
    except OSError as error:
        diagnostics.error(
            "kb-toml-unreadable", f"kb.toml cannot be read: {error.strerror}", PROJECT_FILE
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
    text = file.text(diagnostics)
    if text is None:
        return None
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, line, column = _toml_error(error, text)
        diagnostics.error("toml-syntax", message, PROJECT_FILE, line, column)
        return None
    return _Reader(root, parsed, key_lines(text), diagnostics).project()


def _toml_error(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, int, int | None]:
    """tomllib puts the position into the message's tail; take it out into line and column."""
    match = re.fullmatch(
        r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL
    )
    if not match:
        return str(error), 1, None
    if match.group(2) is None:
        return f"{match.group(1)} at the end of the file", text.count("\n") + 1, None
    return match.group(1), int(match.group(2)), int(match.group(3))


_KB_KEYS = {
    "name": STRING,
    "title": STRING,
    "version": STRING,
    "prefix": STRING,
    "description": STRING,
    "license": STRING,
}
_COLLECTION_KEYS = {"name": STRING, "kind": STRING, "paths": STRINGS, "url": STRING}
_SEARCH_KEYS = {
    "candidates": INTEGER,
    "fusion": STRING,
    "rrf_k": INTEGER,
    "alpha": _FLOAT,
    "boosts": _NUMBERS,
    "without": STRINGS,
    "reranker": STRING,
    "weights": _NUMBERS,
}
_TOOL_KEYS = {
    "families": STRINGS,
    "alias": "an array of tables",
    "context_chars": INTEGER,
    "max_context_chars": INTEGER,
}
_PACKAGE_KEYS = {"author": STRING, "homepage": STRING, "mcp_name": STRING}
_ALIAS_KEYS = {"name": STRING, "tool": STRING}
_TOP_KEYS = {
    "kb": "a table",
    "collection": "an array of tables",
    "search": "a table",
    "tools": "a table",
    "package": "a table",
}


def _has_type(value: Any, expected: str) -> bool:
    def strings(candidate: Any) -> bool:
        return isinstance(candidate, list) and all(isinstance(item, str) for item in candidate)

    if expected == STRING:
        return isinstance(value, str)
    if expected == STRINGS:
        return strings(value)
    if expected == STRING_LISTS:
        return isinstance(value, dict) and all(strings(item) for item in value.values())
    if expected == INTEGER:
        return isinstance(value, int) and not isinstance(value, bool)
    if expected == _FLOAT:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if expected == _NUMBERS:
        return isinstance(value, dict) and all(_has_type(item, _FLOAT) for item in value.values())
    if expected == "a table":
        return isinstance(value, dict)
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


class _Reader:
    """Turns the parsed TOML into a Project, reporting what is wrong with it."""

    def __init__(
        self, root: Path, parsed: dict[str, Any], lines: dict[Key, int], diagnostics: Diagnostics
    ) -> None:
        self._root = root
        self._parsed = parsed
        self._lines = lines
        self._diagnostics = diagnostics

    def project(self) -> Project | None:
        before = len(self._diagnostics.errors)
        top = self._checked((), self._parsed, _TOP_KEYS)
        if "kb" not in top and "kb" not in self._parsed:
            self._error(
                "toml-missing-table",
                "kb.toml has no [kb] table",
                (),
                hint="Add `[kb]` with a name.",
            )
        kb = self._checked(("kb",), top.get("kb", {}), _KB_KEYS)
        name = self._matching(
            ("kb", "name"), kb.get("name", _default_name(self._root)), NAME, "a lower-case name"
        )
        prefix = kb.get("prefix", name.replace("-", "_"))
        if "prefix" in kb:
            self._matching(
                ("kb", "prefix"), prefix, PREFIX, "lower-case letters, digits and underscores"
            )
        collections = self._collections(top.get("collection"))
        search = self._search(top.get("search", {}), [each.name for each in collections])
        tools = self._tools(top.get("tools", {}))
        package = self._package(top.get("package", {}))
        if len(self._diagnostics.errors) > before:
            return None
        return Project(
            root=self._root,
            name=name,
            title=kb.get("title", name),
            version=kb.get("version", "0"),
            prefix=prefix,
            description=kb.get("description", ""),
            license=kb.get("license", ""),
            collections=collections,
            search=search,
            tools=tools,
            package=package,
        )

    def _collections(self, tables: list[dict[str, Any]] | None) -> tuple[Collection, ...]:
        if tables is None:
            return self._conventional_collections()
        collections: list[Collection] = []
        lines: dict[str, int] = {}  # of the tables by name, those with other mistakes included
        for index, table in enumerate(tables):
            key: Key = ("collection", index)
            collection = self._collection(key, table)
            name = table.get("name")
            if isinstance(name, str) and name in lines:
                self._error(
                    "duplicate-collection",
                    f"the collection name {name!r} is taken by the collection in line {lines[name]}",
                    (*key, "name"),
                    hint="Give each collection a name of its own.",
                )
            elif collection is not None:
                collections.append(collection)
            if isinstance(name, str):
                lines.setdefault(name, self._line(key))
        return tuple(collections)

    def _conventional_collections(self) -> tuple[Collection, ...]:
        found = [
            Collection(
                name=folder.removesuffix(".toml"),
                kind=kind.name,
                paths=(folder,),
                group=options.get("group", ""),
            )
            for kind in KINDS.values()
            for folder, options in kind.folders.items()
            if (self._root / folder).exists()
        ]
        if not found:
            folders = ", ".join(folder for kind in KINDS.values() for folder in kind.folders)
            self._error(
                "no-collections",
                "kb.toml names no [[collection]] and the folder has none of the conventional folders",
                (),
                hint=f"Create one of: {folders}; or add a [[collection]] with name, kind and paths.",
            )
        return tuple(found)

    def _collection(self, key: Key, table: dict[str, Any]) -> Collection | None:
        before = len(self._diagnostics.errors)
        kind_name = table.get("kind")
        kind = KINDS.get(kind_name) if isinstance(kind_name, str) else None
        if kind is None:
            if isinstance(kind_name, str):
                self._error(
                    "unknown-kind",
                    f"{kind_name!r} is not a kind of collection",
                    (*key, "kind"),
                    hint=_choices(kind_name, list(KINDS)),
                )
            elif "kind" not in table:
                self._error(
                    "toml-missing-key",
                    "a [[collection]] needs a `kind`",
                    key,
                    hint=f"One of: {', '.join(KINDS)}.",
                )
        allowed = _COLLECTION_KEYS | dict(kind.options if kind else _all_options())
        fields = self._checked(key, table, allowed)
        name = fields.get("name")
        if "name" not in table:
            self._error("toml-missing-key", "a [[collection]] needs a `name`", key)
        elif isinstance(name, str):
            self._matching((*key, "name"), name, COLLECTION_NAME, "a lower-case name")
            if name in RESERVED_COLLECTIONS:
                self._error(
                    "reserved-name",
                    f"a collection cannot be called {name!r}: the search uses that name itself",
                    (*key, "name"),
                    hint="Choose another name.",
                )
        paths = fields.get("paths")
        if "paths" not in table and kind is not None:
            paths = list(kind.folders)[:1]
        if paths is not None and not paths:
            self._error(
                "toml-bad-value",
                "`paths` is empty: the collection would hold nothing",
                (*key, "paths"),
                hint="Name files, folders or globs below the folder of kb.toml.",
            )
        if len(self._diagnostics.errors) > before or kind is None:
            return None
        conventional = kind.folders.get(paths[0], {}) if paths else {}
        default_group = conventional.get("group", str(name)) if "group" in kind.options else ""
        options = {k: v for k, v in fields.items() if k in kind.options and k != "group"}
        return Collection(
            name=str(name),
            kind=kind.name,
            paths=tuple(paths or ()),
            url=fields.get("url", ""),
            group=fields.get("group", default_group),
            options=options,
            line=self._line(key),
            paths_line=self._line((*key, "paths")),
        )

    def _search(self, table: dict[str, Any], collections: Sequence[str]) -> SearchSettings:
        fields = self._checked(("search",), table, _SEARCH_KEYS)
        boosts, weights = fields.get("boosts", {}), fields.get("weights", {})
        for name, factors, known, what in (
            ("boosts", boosts, BOOST_FIELDS, "a field of the index"),
            ("weights", weights, collections, "a collection"),
        ):
            for factor, value in factors.items():
                key = ("search", name, factor)
                if factor not in known:
                    self._error(
                        "toml-unknown-key",
                        f"{factor!r} is not {what}",
                        key,
                        hint=_choices(factor, known),
                    )
                self._in_range(key, value, 0, 100)
        self._in_range(("search", "candidates"), fields.get("candidates"), 1, MAX_CANDIDATES)
        self._in_range(("search", "rrf_k"), fields.get("rrf_k"), 1, 10_000)
        self._in_range(("search", "alpha"), fields.get("alpha"), 0, 1)
        for name, values, choices in (
            ("fusion", [fields["fusion"]] if "fusion" in fields else [], FUSIONS),
            ("without", fields.get("without", []), STEPS),
        ):
            for value in values:
                if value not in choices:
                    self._error(
                        "toml-bad-value",
                        f"`{name}` has {value!r}; there are {', '.join(choices)}",
                        ("search", name),
                        hint=_choices(value, choices),
                    )
        self._check_fusion(fields)
        return SearchSettings(
            fields.get("candidates"),
            fields.get("rrf_k"),
            fields.get("alpha"),
            boosts,
            fields.get("fusion"),
            tuple(fields.get("without", ())),
            fields.get("reranker"),
            weights,
        )

    def _check_fusion(self, fields: Mapping[str, Any]) -> None:
        """One of `alpha`, `rrf_k` and `fusion` decides how the sides are fused: a second one that says
        otherwise would be ignored."""
        for idle, ruling in (
            ("fusion", "alpha" if "alpha" in fields else ""),
            ("rrf_k", "alpha" if "alpha" in fields else ""),
            ("rrf_k", "fusion" if fields.get("fusion") == "balanced" else ""),
        ):
            if ruling and idle in fields:
                self._error(
                    "toml-conflict",
                    f"`{idle}` has no effect beside `{ruling} = {_toml(fields[ruling])}`",
                    ("search", idle),
                    hint="Remove one of the two; docs/search.md says what each does.",
                )
                return

    def _package(self, table: dict[str, Any]) -> PackageSettings:
        fields = self._checked(("package",), table, _PACKAGE_KEYS)
        for name, pattern, what in (
            ("author", AUTHOR, "one line"),
            ("homepage", HOMEPAGE, "an address"),
            ("mcp_name", MCP_NAME, "an owner, a slash and a name"),
        ):
            if name in fields:
                self._matching(("package", name), fields[name], pattern, what)
        return PackageSettings(**fields)

    def _tools(self, table: dict[str, Any]) -> ToolSettings:
        fields = self._checked(("tools",), table, _TOOL_KEYS)
        families = fields.get("families")
        for family in families or ():
            if family not in FAMILIES:
                self._error(
                    "toml-bad-value",
                    f"{family!r} is not a family of tools",
                    ("tools", "families"),
                    hint=_choices(family, FAMILIES),
                )
        aliases: dict[str, str] = {}
        for index, alias in enumerate(fields.get("alias", ())):
            key: Key = ("tools", "alias", index)
            checked = self._checked(key, alias, _ALIAS_KEYS)
            for needed in _ALIAS_KEYS:
                if needed not in alias:
                    self._error("toml-missing-key", f"a [[tools.alias]] needs `{needed}`", key)
            name = checked.get("name")
            if name in aliases:
                self._error(
                    "duplicate-alias", f"the tool alias {name!r} appears twice", (*key, "name")
                )
            if isinstance(name, str) and "tool" in checked:
                aliases[name] = checked["tool"]
        limits = [fields.get(name) for name in ("context_chars", "max_context_chars")]
        for name, value in zip(("context_chars", "max_context_chars"), limits, strict=True):
            self._in_range(("tools", name), value, 1, MAX_CONTEXT_CHARS)
        return ToolSettings(None if families is None else tuple(families), aliases, *limits)

    def _checked(
        self, key: Key, table: Mapping[str, Any], allowed: Mapping[str, str]
    ) -> dict[str, Any]:
        """The entries of `table` that are allowed and well typed; reports the others."""
        good: dict[str, Any] = {}
        for name, value in table.items():
            if name not in allowed:
                where = f"[{_table_name(key)}]" if key else "the top level of kb.toml"
                self._error(
                    "toml-unknown-key",
                    f"{name!r} is not a key of {where}",
                    (*key, name),
                    hint=_choices(name, list(allowed)),
                )
            elif not _has_type(value, allowed[name]):
                self._error(
                    "toml-wrong-type",
                    f"`{name}` must be {allowed[name]}, not {shorten(repr(value), 80)}",
                    (*key, name),
                )
            else:
                good[name] = value
        return good

    def _matching(self, key: Key, value: str, pattern: re.Pattern[str], what: str) -> str:
        if not pattern.fullmatch(value):
            self._error(
                "toml-bad-value",
                f"`{key[-1]}` is {value!r}; it must be {what} matching {pattern.pattern}",
                key,
            )
        return value

    def _in_range(self, key: Key, value: float | None, low: float, high: float) -> None:
        if value is not None and not low <= value <= high:
            self._error(
                "toml-bad-value", f"`{key[-1]}` is {value}; it must be from {low} to {high}", key
            )

    def _line(self, key: Key) -> int:
        """The line of `key`, or of the nearest table around it."""
        while key and key not in self._lines:
            key = key[:-1]
        return self._lines.get(key, 1)

    def _error(self, code: str, message: str, key: Key, hint: str = "") -> None:
        self._diagnostics.error(code, message, PROJECT_FILE, self._line(key), hint=hint)


def _default_name(root: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", root.resolve().name.lower()).strip("-")
    return name if NAME.fullmatch(name) else "kb"


def _table_name(key: Key) -> str:
    name = ".".join(str(part) for part in key if isinstance(part, str))
    return f"[{name}]" if any(isinstance(part, int) for part in key) else name


def _all_options() -> dict[str, str]:
    """With an unknown kind, no option of any kind is reported on top of it."""
    return {name: kind for each in KINDS.values() for name, kind in each.options.items()}


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _choices(given: str, known: Sequence[str]) -> str:
    close = get_close_matches(given, known, n=1)
    start = f"Did you mean {close[0]!r}? " if close else ""
    return f"{start}Known: {', '.join(known)}."
