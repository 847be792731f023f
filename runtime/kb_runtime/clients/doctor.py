"""Diagnoses an installation: the runtime, the artifact, and what each client starts."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from kb_runtime.clients import config_file
from kb_runtime.clients.errors import ConfigError, TextError
from kb_runtime.clients.machine import Machine
from kb_runtime.clients.probe import SLOW_START_S, Era, Report, probe
from kb_runtime.clients.server import Launch, Server, artifacts_of, is_temporary, launch_of
from kb_runtime.clients.table import CLIENTS, Client, Scope
from kb_runtime.errors import ArtifactError
from kb_runtime.store.integrity import REBUILD
from kb_runtime.version import DISTRIBUTION, FORMAT_VERSION, __version__

Level = Literal["ok", "warning", "problem"]

OLDEST_PYTHON = (3, 11)
ERAS: tuple[Era, ...] = ("handshake", "stateless")

_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHEBANG_BYTES = 512
_AGAIN = "Install it again: `kbc install`, or the `install` command of the knowledge base."


@dataclass(frozen=True, slots=True)
class Finding:
    """`about` says of what: the runtime, the artifact, or a client's file."""

    level: Level
    about: str
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _ServerEntry:
    """A server in a client's file."""

    client: Client
    scope: Scope
    path: str
    name: str
    launch: Launch

    @property
    def about(self) -> str:
        return f"{self.client.title}, {self.name} in {self.path}"

    def problem(self, message: str, hint: str) -> Finding:
        return Finding("problem", self.about, message, hint)

    def warning(self, message: str, hint: str) -> Finding:
        return Finding("warning", self.about, message, hint)


class Doctor:
    """One examination; what two entries share is examined once."""

    def __init__(
        self, machine: Machine, project: str, server: Server | None = None, *, deep: bool = False
    ) -> None:
        """With `server` only its own entries are looked at, else those of every knowledge base."""
        self._machine = machine
        self._project = project
        self._server = server
        self._deep = deep
        self._artifacts: dict[str, list[Finding]] = {}
        self._reports: dict[tuple[Any, ...], Report] = {}

    def examine(self) -> Iterator[Finding]:
        yield from examined_runtime()
        if self._server is not None:
            for artifact in self._server.artifacts:
                yield from self._artifact(artifact)
        entries: list[_ServerEntry] = []
        for client in CLIENTS.values():
            if client.is_detected(self._machine):
                for scope, path in self._files(client):
                    yield from self._configuration(client, scope, path, entries)
        yield from _duplicates(entries)
        for entry in entries:
            yield from self._entry(entry)
        if not entries:
            what = "this knowledge base" if self._server is not None else "a knowledge base of kbc"
            yield Finding("warning", "clients", f"No client on this machine starts {what}.", _AGAIN)

    def _files(self, client: Client) -> Iterator[tuple[Scope, str]]:
        """The client's files, each once: a project in the home folder has the user's own."""
        seen: set[str] = set()
        for scope in client.scopes:
            path = client.path(self._machine, scope, self._project)
            if (file := os.path.realpath(path)) not in seen:
                seen.add(file)
                yield scope, path

    def _configuration(
        self, client: Client, scope: Scope, path: str, entries: list[_ServerEntry]
    ) -> Iterator[Finding]:
        """Reads one file, and adds to `entries` what is to be examined."""
        about = f"{client.title}, {path}"
        try:
            snapshot = config_file.read(path)
            found = client.format.entries(snapshot.text())
        except ConfigError as error:
            yield Finding("problem", about, error.message, error.hint)
            return
        except TextError as error:
            hint = f"Fix the file: {client.title} cannot read it either."
            yield Finding("problem", about, f"{path} {error}.", hint)
            return
        for name, fields in found.items():
            entry = _ServerEntry(client, scope, path, name, launch_of(fields))
            if self._is_examined(entry):
                entries.append(entry)
            elif self._server is not None and name == self._server.name:
                yield entry.problem(
                    f"Another server has the name {name!r}: {entry.launch}.",
                    "Install under another --name, or replace it with --force.",
                )

    def _is_examined(self, entry: _ServerEntry) -> bool:
        """Whether an entry starts what is examined."""
        argv = entry.launch.argv
        artifacts = artifacts_of(argv)
        if self._server is None:
            return artifacts is not None
        starts_it = argv[: len(self._server.argv)] == self._server.argv  # with any options
        if starts_it or (artifacts is not None and entry.name == self._server.name):
            return True
        meant = set(map(os.path.realpath, self._server.artifacts))
        return bool(meant.intersection(map(os.path.realpath, artifacts or ())))

    def _entry(self, entry: _ServerEntry) -> Iterator[Finding]:
        """What is wrong with it, from its command to an answer; the first problem ends it."""
        for findings in (self._command(entry), self._served(entry), self._answers(entry)):
            stop = False
            for finding in findings:
                yield finding
                stop = stop or finding.level == "problem"
            if stop:
                return

    def _command(self, entry: _ServerEntry) -> Iterator[Finding]:
        launch = entry.launch
        if not launch.is_enabled:
            hint = f"Enable it in {entry.client.title}, or remove `disabled`."
            yield entry.warning("The server is disabled.", hint)
        program = launch.argv[0]
        if not os.path.isabs(program):
            hint = f"Clients start with a short PATH. {_AGAIN}"
            yield entry.warning(f"{program} is not an absolute path.", hint)
            return
        if not os.path.exists(program):
            yield entry.problem(f"{program} does not exist; was its environment removed?", _AGAIN)
        elif not os.path.isfile(program) or not os.access(program, os.X_OK):
            yield entry.problem(f"{program} is not executable.", _AGAIN)
        elif (interpreter := _interpreter(program)) and not shutil.which(interpreter):
            yield entry.problem(
                f"{program} needs {interpreter}, which no longer exists.",
                "Its environment was moved or its Python removed. " + _AGAIN,
            )
        elif is_temporary(program):
            hint = (
                "Install the package permanently (pip, pipx or uv tool install) and install again."
            )
            yield entry.warning(f"{program} is in a temporary folder.", hint)

    def _served(self, entry: _ServerEntry) -> Iterator[Finding]:
        for artifact in artifacts_of(entry.launch.argv) or ():
            if not os.path.isabs(artifact):
                hint = f"Clients start servers in other folders. {_AGAIN}"
                yield entry.problem(f"{artifact} is not an absolute path.", hint)
            elif self._server is None or artifact not in self._server.artifacts:
                for finding in self._artifact(artifact):
                    yield Finding(finding.level, entry.about, finding.message, finding.hint)

    def _artifact(self, path: str) -> list[Finding]:
        if path not in self._artifacts:
            self._artifacts[path] = list(_artifact(path, self._deep))
        return self._artifacts[path]

    def _answers(self, entry: _ServerEntry) -> Iterator[Finding]:
        """What the server says when it is started; only what the user has put into their own files is."""
        launch = entry.launch
        if entry.scope != "user":
            yield entry.warning(
                f"not started, because a file of a project may name any command: {launch}",
                "If you trust the project, run this command in a terminal; it must wait for input.",
            )
            return
        for era in ERAS:
            key = (era, launch.argv, tuple(sorted(launch.environment.items())))
            if key not in self._reports:
                self._reports[key] = probe(launch.argv, self._machine, launch.environment, era=era)
            report = self._reports[key]
            yield _judged(entry.about, report)
            if not report.ok:
                return


def _judged(about: str, report: Report) -> Finding:
    if report.problem:
        message = f"{report.problem} (protocol: {report.era})"
        return Finding("problem", about, message, "Start it in a terminal.")
    message = describe(report)
    if report.degraded:
        return Finding("problem", about, report.degraded, REBUILD)
    if report.start_ms > 1000 * SLOW_START_S:
        hint = "Some clients wait only 5 s. Check for a slow disk and for a Python without bytecode files."
        return Finding("warning", about, message, hint)
    return Finding("ok", about, message)


def describe(report: Report) -> str:
    """A good report in one sentence, and what is to be known of it in another."""
    # Few small knowledge bases have their own name in their text: that nothing is found is no defect.
    found = f"found {report.hits} for {report.query!r}" if report.hits else "answered"
    searched = f", {report.search} {found} in {report.search_ms:.0f} ms" if report.search else ""
    note = f". Note: {report.note}" if report.note else ""
    return (
        f"protocol {report.revision}: first answer after {report.start_ms:.0f} ms,"
        f" {report.tools} tools in {report.tools_ms:.0f} ms{searched}{note}"
    )


def examined_runtime() -> Iterator[Finding]:
    """Whether this Python and the libraries of the runtime are there."""
    about = "runtime"
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        needed = ".".join(map(str, OLDEST_PYTHON))
        yield Finding("problem", about, f"Python {version} is older than {needed}.", "Upgrade it.")
    missing = sorted(_missing())
    for name in missing:
        hint = f"pip install {name}"
        yield Finding("problem", about, f"The dependency {name} is not installed.", hint)
    if not missing:
        message = f"kbc {__version__}, artifact format {FORMAT_VERSION}, Python {version}"
        yield Finding("ok", about, f"{message} at {sys.executable}")


def _missing() -> Iterator[str]:
    """The dependencies of the runtime that are not installed; extras are not asked for."""
    try:
        required: Sequence[str] = importlib.metadata.requires(DISTRIBUTION) or ()
    except importlib.metadata.PackageNotFoundError:  # a checkout on the path
        return
    for requirement in required:
        name = _REQUIREMENT.match(requirement)
        if name is None or ";" in requirement:
            continue
        try:
            importlib.metadata.version(name[0])
        except importlib.metadata.PackageNotFoundError:
            yield name[0]


def _artifact(path: str, deep: bool) -> Iterator[Finding]:
    """Present, of a format that this runtime reads, complete; with `deep` every byte as it was built."""
    from kb_runtime.store.location import resolve
    from kb_runtime.store.manifest import load

    try:
        manifest = load(resolve(path))
        manifest.check_sizes()
        if deep:
            from kb_runtime.knowledge.examination.verification import verify

            report = verify(path)
            for problem in report.problems:
                yield Finding("problem", path, problem.message, REBUILD)
            if not report.ok:
                return
    except ArtifactError as error:
        yield Finding("problem", path, error.message, error.hint)
        return
    checked = "every file verified" if deep else "complete"
    name = f"{manifest['name']} {manifest.build_id}"
    yield Finding("ok", path, f"{name}, format {manifest['format']}, {checked}")


def _duplicates(entries: Sequence[_ServerEntry]) -> Iterator[Finding]:
    """The same name in both scopes of a client, and the same server under two names of a file."""
    by_name: dict[tuple[str, str], _ServerEntry] = {}
    by_argv: dict[tuple[str, tuple[str, ...]], _ServerEntry] = {}
    for entry in entries:
        other = by_name.setdefault((entry.client.id, entry.name), entry)
        if other is not entry and other.launch.argv != entry.launch.argv:
            yield entry.warning(
                f"{other.path} has another server of this name; in this project {entry.path} counts.",
                "Remove one of the two with `install --uninstall`.",
            )
        other = by_argv.setdefault((entry.path, entry.launch.argv), entry)
        if other is not entry:
            yield entry.warning(
                f"{other.name} starts the same server: every tool is offered twice.",
                f"Remove one: `install --uninstall --name {entry.name}`.",
            )


def _interpreter(program: str) -> str:
    """What the first line of a script names; empty for a program that is no script."""
    try:
        with open(program, "rb") as file:
            head = file.read(_SHEBANG_BYTES)
    except OSError:
        return ""
    if not head.startswith(b"#!"):
        return ""
    words = head[2:].split(b"\n", 1)[0].split()
    return os.fsdecode(words[0]) if words else ""


def summary(findings: Sequence[Finding]) -> Mapping[str, int]:
    """How many findings of each level."""
    return {
        level: sum(found.level == level for found in findings)
        for level in ("ok", "warning", "problem")
    }
