"""What the system calls of a process and its children say of sockets, files and programs, by strace."""

from __future__ import annotations

import os
import re
from pathlib import Path
from shutil import which

from tests.required import needs

SOCKETS = ("socket", "bind", "connect", "sendto", "sendmsg", "sendmmsg")
OPENS = ("open", "openat", "openat2", "creat")
WRITES = (
    *("mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2"),
    *(
        "link",
        "linkat",
        "symlink",
        "symlinkat",
        "mknod",
        "mknodat",
        "truncate",
        "chmod",
        "fchmodat",
    ),
    *("chown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat"),
)
PROGRAMS = ("execve", "execveat")
_CALL = re.compile(r"\d+ +(\w+)\(")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_CHANGES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")

strace = needs(which("strace"), "strace is not installed")


def traced(trace: Path, *command: object) -> list[str]:
    """A command that runs another and writes its calls, and those of its children, to `trace`."""
    names = (f"?{name}" for name in (*SOCKETS, *OPENS, *WRITES, *PROGRAMS))
    options = ("-f", "-y", "-qq", "-s", "256", "-e", f"trace={','.join(names)}", "-o", str(trace))
    return ["strace", *options, *map(str, command)]


class Trace:
    """The calls of a run that has ended."""

    def __init__(self, file: Path) -> None:
        self._calls = [
            (found[1], line)
            for line in file.read_text().splitlines()
            if (found := _CALL.match(line)) is not None
        ]

    def opened(self, name: str) -> bool:
        """Whether a file with `name` in its path was opened."""
        return any(call in OPENS and name in line for call, line in self._calls)

    def sockets(self) -> list[str]:
        """Calls by which a process gets a socket or reaches an address. What it sends on a connection
        that came to it, or to itself through a nameless pair, is not among them."""
        return [
            line
            for call, line in self._calls
            if call in SOCKETS and (not call.startswith("send") or "sa_family=" in line)
        ]

    def programs(self) -> list[str]:
        """Programs that were started, after the first."""
        return [line for call, line in self._calls if call in PROGRAMS][1:]

    def writes_outside(self, given: Path) -> list[str]:
        """Calls that change a file or folder, or try to, anywhere but below `given`."""
        return [
            line
            for call, line in self._calls
            if (call in WRITES or (call in OPENS and _opens_to_write(call, line)))
            and not _is_below(given, call, line)
        ]


def _opens_to_write(call: str, line: str) -> bool:
    return call == "creat" or _CHANGES.search(line) is not None


def _is_below(given: Path, call: str, line: str) -> bool:
    """Whether every path that a call names is below a folder; of a symbolic link where it is counts,
    not what is behind it."""
    paths = [os.path.normpath(Path(*each)) for each in _PATH.findall(line)]
    if call.startswith("symlink"):
        paths = paths[1:]
    return bool(paths) and all(path == os.devnull or path.startswith(f"{given}/") for path in paths)
