"""A workspace that a server adds to: starts the compiler and serves what it publishes."""

from __future__ import annotations

import os
from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

from kb_runtime import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.live.workspace import Workspace
    from kb_runtime.records.cases import Case

INGESTION_S = 600.0
"""The longest that adding tests may take. 1,000 tests take half a minute; see `benchmarks.workspace`."""

RESTARTED_AFTER_S = (1.0, 5.0, 30.0, 120.0)
"""Pauses before a follower that died is started again; after the last one it is not."""
_LOOK_S = 0.5


class LivingWorkspace:
    """The workspace to which a server adds tests and the index of a source tree. Thread-safe."""

    def __init__(self, workspace: Workspace, tree: str = "", model: str = "") -> None:
        """`tree` is the folder whose source files are to be indexed, "" for none; `model` that of the
        encoder's model, "" for the compiler's own."""
        self._workspace = workspace
        self._model = ["--model", os.path.realpath(model)] if model else []
        self._tree = tree
        self._code = workspace.code(tree) if tree else None
        self._live: LiveArtifact | None = None
        self._ingesting = allocate_lock()
        self._stopping = False
        self._supervisor: Any = None
        self._problem = ""
        self._reported: dict[str, Any] = {}  # the last status of this server's own follower

    @property
    def kb_folders(self) -> Sequence[str]:
        """Where versions appear, in the order in which newer records hide older ones."""
        code = () if self._code is None else self._code.kb_folders
        return (self._workspace.tests.kb_folder, *code)

    @property
    def families(self) -> Sequence[str]:
        """The families of tools that read what may be added here."""
        return ("tests",) if self._code is None else ("tests", "codebase")

    @property
    def follows_code(self) -> bool:
        return self._code is not None

    def serve_with(self, live: LiveArtifact) -> None:
        """`live` is to swap to what is published here."""
        self._live = live

    def ingest(self, cases: Sequence[Case]) -> dict[str, Any]:
        """Adds test cases and has them served; gives the compiler's report. One call at a time works,
        others wait. Raises `CompilerError`."""
        import json

        from kb_runtime.live.compiler_process import EXIT_WITH_PARENT, compile_with
        from kb_runtime.records.cases import as_record

        line = json.dumps([as_record(case) for case in cases], ensure_ascii=False).encode()
        with self._ingesting:
            arguments = [
                "workspace",
                "ingest",
                self._workspace.root,
                "-",
                EXIT_WITH_PARENT,
                "--json",
            ]
            arguments += self._model
            report = compile_with(arguments, line, INGESTION_S)
        if self._live is not None:
            self._live.follow()
        return report

    def code_status(self) -> dict[str, Any]:
        """How far the index of the source tree is: `state` (`starting`, `drafting`, `indexing`,
        `ready`, `failed`), `files`, `edited`, and where there is one a `problem`."""
        assert self._code is not None
        # The file of a follower that has ended is out of date.
        known = self._reported or (self._code.status() if self._code.is_followed() else {})
        status = {"state": "starting", **known}
        if self._problem:
            status |= {"state": "failed", "problem": self._problem}
        return status

    def start(self) -> None:
        """Starts the process that follows the source tree, where there is one to follow."""
        if self._code is None:
            return
        from threading import Thread

        self._supervisor = Thread(target=self._supervise, daemon=True)
        self._supervisor.start()

    def close(self) -> None:
        """Ends the process that follows the source tree."""
        self._stopping = True
        if self._supervisor is not None:
            self._supervisor.join()

    def _supervise(self) -> None:
        """Keeps the follower running until the server ends."""
        from kb_runtime.live.compiler_process import CompilerMissingError

        for pause in (0.0, *RESTARTED_AFTER_S):
            if not self._pause(pause):
                return
            error = self._run_follower()
            if error is None:
                return
            self._problem = f"{error.message} {error.hint}".strip()
            log.say(f"{self._tree} is not followed: {self._problem}")
            if isinstance(error, CompilerMissingError):
                return

    def _run_follower(self) -> Any:
        """Runs the follower; gives the `CompilerError` of its end, None when the server ends."""
        from kb_runtime.live.compiler_process import (
            EXIT_WITH_PARENT,
            CompilerError,
            CompilerProcess,
        )

        arguments = [
            "workspace",
            "follow",
            self._workspace.root,
            "--code",
            self._tree,
            EXIT_WITH_PARENT,
        ]
        try:
            with CompilerProcess([*arguments, "--json", *self._model]) as process:
                while not process.wait(_LOOK_S):
                    if self._stopping:
                        return None
                    self._problem = ""
                    self._reported = process.last_status()
                process.report()
        except CompilerError as error:
            return error
        finally:
            self._reported = {}
        return None

    def _pause(self, seconds: float) -> bool:
        """Waits, and returns whether the server still runs."""
        import time

        until = time.monotonic() + seconds
        while not self._stopping and time.monotonic() < until:
            time.sleep(_LOOK_S)
        return not self._stopping
