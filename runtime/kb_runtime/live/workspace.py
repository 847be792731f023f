"""The workspace: a server's writable folder for content that is not in its artifact. Its layout:

    workspace.json                  {"format": 1}
    cache/                          the compiler's cache
    tests/kb/                       a generated knowledge base: every test that was ingested
    tests/index/tests/              its artifact
    code/<tree>/status.json         the status of the process that follows a source tree
    code/<tree>/index/code/         the artifact of the tree
    code/<tree>/edits/code/         the artifact of the files edited since

Only the compiler writes below `tests/` and `code/`, under locks of its own, so that several servers
may share a workspace.
"""

from __future__ import annotations

import errno
import json
import os
import stat

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.store.locks import is_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 1
"""Goes up with every change of the layout that an older kbc would misread."""

FORMAT_FILE = "workspace.json"
TESTS = "tests"
CODE = "code"
INDEX = "index"
EDITS = "edits"
STATUS_FILE = "status.json"
LOCK = ".lock"
RESCAN = "rescan"

_TREE_DIGITS = 12
_MAX_STATUS_BYTES = 65_536


class WorkspaceError(SingleCodeError):
    """The workspace cannot be used."""

    code = "workspace"
    exit_code = exit_codes.OUTPUT


class Workspace:
    """A folder that has the layout above, at least its `workspace.json`."""

    def __init__(self, root: str) -> None:
        """Use `Workspace.open`."""
        self.root = root

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Workspace:
        """The workspace at `path`, made where there is nothing or an empty folder.

        Raises `WorkspaceError` for a folder with other content, for a workspace of another format,
        and where nothing can be written.
        """
        root = os.path.realpath(os.fspath(path))
        marker = os.path.join(root, FORMAT_FILE)
        try:
            if not os.path.lexists(marker):
                _make(root, marker)
            found = _format(_read(marker))
        except OSError as error:
            raise _unusable(root, error) from error
        if found != FORMAT:
            raise WorkspaceError(
                f"The workspace {root} has format {found!r}; this kbc uses format {FORMAT}.",
                "Upgrade kbc, or give another folder.",
            )
        if not os.access(root, os.W_OK):
            raise WorkspaceError(
                f"The workspace {root} cannot be written.",
                "Change its permissions, or give another folder.",
            )
        return cls(root)

    @property
    def cache(self) -> str:
        return os.path.join(self.root, "cache")

    @property
    def tests(self) -> TestsFolder:
        return TestsFolder(os.path.join(self.root, TESTS))

    def code(self, tree: str, prefix: str = "") -> CodeFolder:
        """The folder of a source tree: trees do not share one, so that the files of one are never
        taken for another's. `prefix` is that of its files' ids."""
        from kb_runtime.digests import sha256

        path = os.path.realpath(tree)
        named = os.fsencode(path) + (b"\0" + os.fsencode(prefix) if prefix else b"")
        digest = sha256(named).hex()[:_TREE_DIGITS]
        return CodeFolder(os.path.join(self.root, CODE, digest))


class TestsFolder:
    """`tests/`: ingested tests and their artifact."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.index = os.path.join(folder, INDEX)
        self.kb_folder = os.path.join(self.index, TESTS)
        """Where CURRENT appears."""


class CodeFolder:
    """`code/<tree>/`: the artifacts of a source tree, and how far they are."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.index = os.path.join(folder, INDEX)
        self.edits = os.path.join(folder, EDITS)
        self.kb_folders = (os.path.join(self.index, CODE), os.path.join(self.edits, CODE))
        """Where CURRENT appears, the newer records last."""
        self.status_path = os.path.join(folder, STATUS_FILE)
        self.rescan_path = os.path.join(folder, RESCAN)
        """There while a server wants all files to be compared."""
        self.lock_path = os.path.join(folder, LOCK)
        """Locked by the process that follows the tree, for as long as it lives."""

    def is_followed(self) -> bool:
        """Whether a process follows the tree now, so that what it said last holds."""
        return is_locked(self.lock_path)

    def request_rescan(self) -> None:
        """Asks the process that follows the tree to compare all files with the index. What cannot be
        written asks for nothing: edits are followed anyway."""
        try:
            with open(self.rescan_path, "wb"):
                pass
        except OSError:
            return

    def status(self) -> dict[str, Any]:
        """What the process that follows the tree said last; empty before it has said anything."""
        try:
            status = json.loads(_read(self.status_path))
        except (OSError, ValueError, RecursionError):
            return {}
        return status if isinstance(status, dict) else {}


def _read(path: str) -> bytes:
    """The beginning of a regular file; a pipe there would be waited for. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, f"{os.path.basename(path)} is not a regular file")
        return file.read(_MAX_STATUS_BYTES)


def _make(root: str, marker: str) -> None:
    """Raises `WorkspaceError` and `OSError`."""
    from kb_runtime.store.atomic_files import is_staged, replace_file

    os.makedirs(root, exist_ok=True)
    names = os.listdir(root)
    if any(not is_staged(name, FORMAT_FILE) for name in names):
        raise WorkspaceError(
            f"{root} is neither empty nor a workspace: it holds {sorted(names)[0]!r}"
            f" and no {FORMAT_FILE}.",
            "Give an empty folder, or one that does not exist yet.",
        )
    replace_file(marker, json.dumps({"format": FORMAT}).encode() + b"\n")


def _format(data: bytes) -> Any:
    try:
        return json.loads(data)["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "unknown"


def _unusable(root: str, error: OSError) -> WorkspaceError:
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return WorkspaceError(f"The workspace {root} is not a folder.", "Choose a folder.")
    from kb_runtime.errors.shortages import shortage

    short = shortage(error)
    return WorkspaceError(
        f"The workspace {root} cannot be used: {error.strerror or error}.",
        "Change its permissions, or give another folder." if short is None else short.hint,
    )
