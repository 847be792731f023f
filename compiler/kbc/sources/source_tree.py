"""Selects the source files of a tree: those that a reader of the code wants to find, and no secrets.

Ignore files are read as Git reads them, from the tree's own folder downwards: `.gitignore`,
`.contextignore` (for files that Git tracks and an index should not contain) and its older name
`.augment-ignore`. Dependencies, build output, binaries, lock files, generated files and files that
contain secrets are always left out. One note counts what was left out.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from fnmatch import translate
from pathlib import Path

from kb_runtime.errors.shortages import raise_shortage
from kb_runtime.text.tables import first_of
from kbc.languages.suffixes import MARKDOWN_ENDINGS, ending, language_of
from kbc.sources.build_output import PUBLISHED, is_published
from kbc.sources.ignore_files import IgnoreFile, is_ignored, read_patterns
from kbc.sources.request_files import sends_credentials

MAX_FILE_BYTES = 1_000_000
"""A larger source file is data or generated."""

_MAX_SCHEMA_BYTES = 8_000_000
"""A schema of GraphQL states the whole API with its descriptions. Those of large APIs have 1 to 4 MB."""

IGNORE_FILES = (".gitignore", ".augment-ignore", ".contextignore")
"""A later one overrules an earlier one in the same folder, and a deeper folder the ones above."""

IGNORED = "ignored"
DEPENDENCY = "dependencies and build output"
VERSION_CONTROL = "version control"
LINK = "links"
SECRET = "secrets"
LOCK = "lock files"
BINARY = "binary"
DATA = "data, logs and leftovers"
GENERATED = "generated or minified"
LARGE = "too large"
_MOST_NAMED = 3
EMPTY = "empty"
NOT_UTF8 = "not UTF-8"
OWN = "kb.toml and labelled questions"

_VERSION_CONTROL_FOLDERS = frozenset({".bzr", ".git", ".hg", ".jj", ".svn", "_darcs", "cvs"})

_DEPENDENCY_FOLDERS = frozenset([
    ".bundle", ".cache", ".dart_tool", ".direnv", ".eggs", ".gradle", ".hypothesis", ".idea",
    ".ipynb_checkpoints", ".mypy_cache", ".next", ".nox", ".nuxt", ".nyc_output", ".parcel-cache",
    ".pnpm-store", ".pytest_cache", ".ruff_cache", ".stack-work", ".svelte-kit", ".terraform",
    ".tox", ".turbo", ".venv", ".vs", ".vscode", ".yarn", "3rd-party", "3rd_party", "3rdparty",
    "__pycache__", "_vendor", "bower_components", "deriveddata", "jspm_packages", "node_modules", "pods",
    "site-packages", "third-party", "third_party", "thirdparty", "vendor",
])  # fmt: skip

_SECRET_FOLDERS = frozenset({".aws", ".azure", ".docker", ".gnupg", ".kube", ".ssh"})

# Folders of these names are output only beside a file that says how the project is built: elsewhere
# they are packages like any other (`operations/build/`).
_OUTPUT_FOLDERS = frozenset({"_build", "build", "coverage", "dist", "out", "target"})
_PROJECT_FILES = frozenset([
    "build.gradle", "build.gradle.kts", "build.sbt", "cargo.toml", "cmakelists.txt", "mix.exs",
    "package.json", "pom.xml", "pyproject.toml", "setup.py",
])  # fmt: skip
_PACKAGE = "__init__.py"
"""A Python package (`coverage`) is no output, whatever it is called."""
# MSBuild writes to `bin` and `obj`; `bin` of packages of other kinds holds programs that people write.
_MSBUILD_FOLDERS = frozenset({"bin", "obj"})
_MSBUILD_ENDINGS = (".csproj", ".fsproj", ".sln", ".slnx", ".vbproj")
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"

# Libraries of the web that projects copy whole. In the project of such a library, its file is at the top or
# in `src`; a small file of the same name sets it up.
_LIBRARY = re.compile(
    r"""_?(?:angular|backbone|bootstrap|codemirror|d3|handlebars|jquery|jquery[-.]ui|knockout|lodash|lunr|mermaid
        |modernizr|moment|prettify|react|require|underscore|vue)
        (?:[-.](?:bundle|debug|full|slim))*(?:[-.]v?\d[\w.]*)?(?:-(?:bundle|debug|full|slim|v?\d)[\w.]*)*
        \.(?:css|js)""",
    re.VERBOSE,
)
_LIBRARY_LEAST_BYTES = 20_000

# What documentation generators write beside the first page of a site: Javadoc and Dokka, Sphinx and
# MkDocs, Doxygen, rustdoc. The sources of such pages are what is worth finding.
_SITE_INDEXES = frozenset(
    {"crates.js", "doxygen.css", "element-list", "objects.inv", "package-list"}
)
_FIRST_PAGE = "index.html"

_LOCK_FILES = frozenset([
    "bun.lockb", "go.sum", "gradle.lockfile", "npm-shrinkwrap.json", "package-lock.json",
    "packages.lock.json", "pnpm-lock.yaml",
])  # fmt: skip

_BINARY_ENDINGS = re.compile(
    r"""(?:7z|a|aab|aac|apk|avi|avif|bin|bmp|br|bz2|class|dat|db|deb|dex|dll|dmg|doc|docx|dylib
        |ear|egg|elc|eot|exe|flac|flv|gif|gz|heic|icns|ico|iso|jar|jpeg|jpg|lz4|m4a|mkv
        |mo|mov|mp3|mp4|mpeg|mpg|npy|npz|o|obj|odt|ogg|onnx|otf|parquet|pdf|pickle|pkl|png
        |ppt|pptx|psd|pt|pyc|pyd|pyo|rar|rlib|rpm|safetensors|so|sqlite|sqlite3|swf|tar|tgz
        |tif|tiff|ttf|wasm|wav|webm|webp|whl|wmv|woff|woff2|xls|xlsx|xz|zip|zst)""",
    re.VERBOSE,
)
_DATA_ENDINGS = re.compile(
    r"""(?:bak|csv|diff|golden|ipynb|jsonl|log|ndjson|orig|patch|po|pot|rej|snap|svg|swo|swp|temp|tmp
        |tsv)""",
    re.VERBOSE,
)

_EXPECTED_OUTPUT = re.compile(
    r"\.(?:approved|received|verified)\.(?:cs|csv|html?|json|md|sql|svg|txt|vb|xml|ya?ml)\Z"
)
"""What tests write and compare, in the libraries for such tests. In other languages `order.approved.ts` is a
program about an event."""

_GENERATED_NAMES = re.compile(
    r"""(?:[.-]min\.(?:js|mjs|cjs|css)|[.-]bundle\.(?:js|mjs|css)|\.chunk\.(?:js|css)|\.(?:js|css)\.map|\.map
        |_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|\.pb\.gw\.go|\.g\.dart|\.freezed\.dart
        |\.api|publicapi\.(?:un)?shipped\.txt  # lists of what a library exports, of Kotlin and .NET
        |\.pbxproj|\.designer\.(?:cs|vb)|\.g(?:\.i)?\.cs|\.generated\.\w+|_generated\.\w+)\Z""",
    re.VERBOSE,
)
_GENERATED_MARK = re.compile(
    rb"@generated\b|\bDO NOT EDIT\b|\b[Cc]ode generated by |"
    rb"\b[Tt]his (?:file|code|class) (?:is|was) (?:auto-?matically |auto-?)generated\b|"
    rb"\b[Aa]uto-?generated (?:by|from|on)\b|\b[Tt]his file is an amalgamation\b"
)
_GENERATED_WORDS = (b"generated", b"DO NOT EDIT", b"amalgamation")
"""One of them is in every match of `_GENERATED_MARK`."""
_GENERATED_HEAD = re.compile(
    rb"\s*+(?:(?:#|//)[ \t]*line[ \t]+\d+[ \t]+\"|//line [^\s:]+:\d|(?://|/\*+)[ \t]*"
    rb"(?:Generated (?:by|from) |A Bison parser, made by |[\w+-]+ code produced by gperf))"
)
"""What generators of parsers and translators begin a program with; `#line` names its source."""
_ASYNCAPI = re.compile(rb"^[ \t]*+\{?\s*+[\"']?asyncapi[\"']?\s*:", re.MULTILINE)
"""What describes an API of messages is worth finding, whoever wrote it."""
# Where a generator says so: the comment at the top.
_MARK_BYTES = 1024
# What Texinfo writes, whose sources are pages.
_INFO = re.compile(rb"This is \S+, produced by (?:makeinfo|texi2any)\b")
# How an HTML page says it. A template writes the name of the generator with a placeholder; Dokka and javadoc
# before Java 16 have no such tag.
_GENERATOR_TAG = re.compile(
    rb"<meta\s[^<>{]*\bname=[\"']?generator\b[^<>{]*>"
    rb"|<!-- Generated by javadoc |<script>var pathToRoot = \"",
    re.IGNORECASE,
)
_HTML_HEAD_BYTES = 4096
# Longer lines on average, in a file of more than a few, are not written by people.
_MINIFIED_MEAN_LINE_BYTES = 300
_MINIFIED_LEAST_BYTES = 5_000

# An image, a font or measurements as an array of numbers. All of what such arrays consist of, in decimal and
# hexadecimal; what is left names them.
_NUMERALS = b"0123456789abcdefABCDEFxXuUlL+-.,;{}[]() \t\r\n"
_NUMBERS_LEAST_BYTES = 20_000
_NUMBERS_SHARE = 0.95

_SECRET_NAMES = re.compile("|".join(map(translate, [
    ".env", ".env.*", "*.env", ".envrc", ".git-credentials", ".htpasswd", ".netrc", "_netrc",
    ".pgpass", ".pypirc", ".dockercfg", "*.jks", "*.kdbx", "*.key", "*.keystore", "*.p12", "*.p8",
    "*.pem", "*.pfx", "*.ppk", "*.tfstate", "*.tfstate.backup", "*.tfvars", "credentials",
    "credentials.json", "credentials.toml", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa",
    "secrets.json", "secrets.toml", "secrets.yaml", "secrets.yml", "service-account*.json",
    # Of clients that send requests.
    "*.bru", "*.har", "*.postman_environment.json", "*.postman_globals.json",
])))  # fmt: skip
# What a project ships so that its users write their own.
_SECRET_SAMPLES = re.compile(r"\.(?:dist|example|sample|template)(?:\.\w+)?\Z")

# Tokens by the prefixes that their issuers give them, and keys in PEM armour.
_SECRET_CONTENT = re.compile(
    rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"
    rb"|\bAKIA[0-9A-Z]{16}\b"
    rb"|\bgh[pousr]_[A-Za-z0-9]{36}"
    rb"|\bgithub_pat_[A-Za-z0-9_]{40}"
    rb"|\bglpat-[A-Za-z0-9_-]{20}"
    rb"|\bxox[abprs]-[A-Za-z0-9-]{10}"
    rb"|\bsk_live_[A-Za-z0-9]{16}"
    rb"|\bAIza[0-9A-Za-z_-]{35}"
    rb"|_authToken=[^$\s]{8}"
)
_SECRET_MARKS = (
    *(b"PRIVATE KEY", b"AKIA", b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_"),
    *(b"glpat-", b"xox", b"sk_live_", b"AIza", b"_authToken="),
)
"""One of them is in every match of `_SECRET_CONTENT`; looking for them takes a fifth of the time."""
# Keys and tokens are looked for where configuration stands; in a program they are test data.
_CONFIGURATION = frozenset({"", "hcl", "ini", "json", "toml", "xml", "yaml"})

# What `kbc eval` and `kbc tune` read: a search would find the question itself.
_QUESTIONS = re.compile(rb"^[ \t]*\[\[question\]\]", re.MULTILINE)


class SourceTree:
    """Selects files for one collection and counts what it leaves out.

    `exclude` are further patterns, as in an ignore file at the top of each tree; no ignore file brings back
    what they exclude. `leave_out` hears of
    each file and folder that is left out, with the reason. `config` is the kb.toml of the knowledge base
    that is compiled: neither it nor questions to measure it by are part of the sources.
    """

    def __init__(
        self,
        exclude: Iterable[str] = (),
        leave_out: Callable[[Path, str], None] = lambda path, reason: None,
        config: Path | None = None,
    ) -> None:
        self._exclude = IgnoreFile.of(0, exclude)
        self._leave_out = leave_out
        self._config = config
        self.left_out: Counter[str] = Counter()
        self._large: list[str] = []

    def walk(self, root: Path) -> Iterator[Path]:
        """The files below `root` whose names and places speak for them, depth first, by name.

        Links are not followed: what they lead to is in the tree, or none of its business. Raises
        `OSError` when `root` cannot be read; other folders that cannot be read are left out.
        """
        yield from self._folder(root, "", [], _entries(root))

    def admits(self, path: Path, data: bytes) -> bool:
        """Whether the file at `path`, with this content, belongs into the index."""
        reason = _name_reason(path.name) or _content_reason(path.name, data)
        if not reason and self._config and (path == self._config or _has_questions(path, data)):
            reason = OWN
        if reason:
            self._left_out(path, reason)
        return not reason

    def _is_ignored(self, place: str, ignores: list[IgnoreFile]) -> bool:
        return self._exclude.verdict(place) is True or is_ignored(place, ignores)

    def _left_out(self, path: Path, reason: str) -> None:
        self.left_out[reason] += 1
        if reason == LARGE:
            self._large.append(path.name)
        self._leave_out(path, reason)

    def summary(self) -> str:
        """What was left out and why, most frequent first: `12 ignored, 1 too large (all.ts)`. Files that are
        too large are named: they may be what the tree is about."""
        counts = sorted(self.left_out.items(), key=lambda item: (-item[1], item[0]))
        named = first_of(sorted(self._large), _MOST_NAMED)
        return ", ".join(
            f"{count:,} {reason}{f' ({named})' if reason == LARGE else ''}"
            for reason, count in counts
        )

    def _folder(
        self, folder: Path, place: str, above: list[IgnoreFile], entries: _Entries
    ) -> Iterator[Path]:
        """`place` is the folder's path in the tree, ending in a slash below the top."""
        ignores = above
        for name in IGNORE_FILES:
            if name in entries:
                ignores = [*ignores, IgnoreFile.of(len(place), read_patterns(folder / name))]
        outputs = _output_folders(entries)
        for name, entry in sorted(entries.items()):
            path = folder / name
            if entry.is_symlink():
                self._left_out(path, LINK)
            elif entry.is_dir(follow_symlinks=False):
                inside = place + name + "/"
                try:
                    below = _entries(path)
                except OSError as error:
                    raise_shortage(error, path)
                    below = {}
                reason = _folder_reason(name, outputs, below)
                if not reason and self._is_ignored(inside, ignores):
                    reason = IGNORED
                if reason:
                    self._left_out(path, reason)
                else:
                    yield from self._folder(path, inside, ignores, below)
            elif entry.is_file(follow_symlinks=False):
                is_left = self._is_ignored(place + name, ignores)
                is_copied = bool(place) and not place.endswith("src/")
                reason = _name_reason(name) or (
                    IGNORED if is_left else _size_reason(entry, is_copied=is_copied)
                )
                if reason:
                    self._left_out(path, reason)
                else:
                    yield path


def _size_reason(entry: os.DirEntry[str], *, is_copied: bool) -> str:
    """Why a file is left out for its size; `is_copied` if its folder may hold what others wrote."""
    try:
        size = entry.stat(follow_symlinks=False).st_size
    except OSError:  # gone since its folder was listed: whoever reads it finds that
        return ""
    if size > _most_bytes(entry.name):
        return LARGE
    is_library = size >= _LIBRARY_LEAST_BYTES and _LIBRARY.fullmatch(entry.name.lower())
    return DEPENDENCY if is_copied and is_library else ""


def _most_bytes(name: str) -> int:
    return _MAX_SCHEMA_BYTES if language_of(name) == "graphql" else MAX_FILE_BYTES


def _content_reason(name: str, data: bytes) -> str:
    if not data.strip(b" \t\r\n\f\xef\xbb\xbf"):
        return EMPTY
    if b"\0" in data:
        return BINARY
    if len(data) > _most_bytes(name):
        return LARGE
    try:
        data.decode()
    except UnicodeDecodeError:
        return NOT_UTF8
    language = language_of(name)
    is_program = language not in _CONFIGURATION
    if not is_program and ending(name) not in MARKDOWN_ENDINGS and _has_secret(name, data):
        return SECRET
    head = data[:_MARK_BYTES]
    if language and _says_generated(head) and not _ASYNCAPI.search(head):
        return GENERATED
    if _INFO.match(data):
        return GENERATED
    if language == "html" and _GENERATOR_TAG.search(data[:_HTML_HEAD_BYTES]):
        return GENERATED
    if language and len(data) >= _MINIFIED_LEAST_BYTES:
        lines = data.count(b"\n") + 1
        if len(data) > lines * _MINIFIED_MEAN_LINE_BYTES:
            return GENERATED
    if language and len(data) >= _NUMBERS_LEAST_BYTES:
        words = len(data.translate(None, _NUMERALS))
        if words < (1 - _NUMBERS_SHARE) * len(data):
            return DATA
    return ""


def _has_questions(path: Path, data: bytes) -> bool:
    return path.suffix == ".toml" and bool(_QUESTIONS.search(data)) and b"expect" in data


def _has_secret(name: str, data: bytes) -> bool:
    if sends_credentials(name, data):
        return True
    return any(mark in data for mark in _SECRET_MARKS) and bool(_SECRET_CONTENT.search(data))


def _says_generated(head: bytes) -> bool:
    if _GENERATED_HEAD.match(head):
        return True
    return any(word in head for word in _GENERATED_WORDS) and bool(_GENERATED_MARK.search(head))


_Entries = dict[str, os.DirEntry[str]]
"""The entries of a folder by name: what kind they are needs no further look at the disk."""


def _entries(folder: str | Path) -> _Entries:
    with os.scandir(folder) as entries:
        return {entry.name: entry for entry in entries}


def _output_folders(beside: Collection[str]) -> frozenset[str]:
    """Names of folders that a build writes, from the names beside them."""
    if any(name.lower().endswith(_MSBUILD_ENDINGS) for name in beside):
        return _OUTPUT_FOLDERS | _MSBUILD_FOLDERS
    if any(name.lower() in _PROJECT_FILES for name in beside):
        return _OUTPUT_FOLDERS
    return frozenset()


def _folder_reason(name: str, outputs: Collection[str], below: Collection[str]) -> str:
    """Why a folder is left out whole, or ""."""
    folded = name.lower()
    if folded in _VERSION_CONTROL_FOLDERS:
        return VERSION_CONTROL
    if folded in _SECRET_FOLDERS:
        return SECRET
    if (
        folded in _DEPENDENCY_FOLDERS
        or folded.endswith(".egg-info")
        or (folded in outputs and _PACKAGE not in below)
        or _VIRTUAL_ENVIRONMENT in below
    ):
        return DEPENDENCY
    if is_published(below):
        return PUBLISHED
    if _FIRST_PAGE in below and not _SITE_INDEXES.isdisjoint(below):
        return GENERATED
    return ""


def _name_reason(name: str) -> str:
    """Why a file is left out for its name alone, or ""."""
    folded = name.lower()
    if not is_unicode(name):
        return NOT_UTF8
    if _SECRET_NAMES.match(folded) and not _SECRET_SAMPLES.search(folded):
        return SECRET
    if folded in _LOCK_FILES or folded.endswith(".lock"):
        return LOCK
    last = ending(name)
    if _BINARY_ENDINGS.fullmatch(last) or folded == ".ds_store":
        return BINARY
    if _DATA_ENDINGS.fullmatch(last) or folded.endswith("~") or folded in IGNORE_FILES:
        return DATA
    if _EXPECTED_OUTPUT.search(folded):
        return DATA
    return GENERATED if _GENERATED_NAMES.search(folded) else ""


def is_unicode(name: str) -> bool:
    """Whether a name on disk is text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
