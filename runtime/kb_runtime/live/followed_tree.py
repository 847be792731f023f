"""A source tree that a process of the compiler follows for this server, and what that process says."""

from __future__ import annotations

import os

from kb_runtime import log
from kb_runtime.store.manifest import CURRENT, LISTING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kb_runtime.live.workspace import Workspace

RESTARTED_AFTER_S = (1.0, 5.0, 30.0, 120.0)
"""Pauses before a follower that died is started again; after the last one it is not."""
STEADY_S = 600.0
"""A follower that lived this long is started again as if it had never died."""
_LOOK_S = 0.5
_FIRST_LOOK_S = 0.05


class FollowedTree:
    """One tree of a workspace. Thread-safe."""

    def __init__(
        self, workspace: Workspace, tree: str, options: Sequence[str], prefix: str = ""
    ) -> None:
        """`options` are further ones of the compiler; with `prefix` the ids of files begin with it and
        a slash."""
        self.root = os.path.realpath(tree)
        self.prefix = prefix
        self._workspace = workspace
        self._options = [*options, *(["--prefix", prefix] if prefix else [])]
        self._code = workspace.code(tree, prefix)
        self._stopping = False
        self._supervisor: Any = None
        self._problem = ""
        self._reported: dict[str, Any] = {}  # the last status of this server's own follower

    @property
    def kb_folders(self) -> Sequence[str]:
        return self._code.kb_folders

    @property
    def is_searched(self) -> bool:
        """Whether there is an index, whatever its state, or at least a list of the files."""
        return self._is_indexed or self._is_listed

    @property
    def _is_indexed(self) -> bool:
        return os.path.exists(os.path.join(self._code.kb_folders[0], CURRENT))

    @property
    def _is_listed(self) -> bool:
        return os.path.exists(os.path.join(self._code.kb_folders[0], LISTING))

    @property
    def has_failed(self) -> bool:
        return bool(self.status()["state"] == "failed")

    def status(self) -> dict[str, Any]:
        """How far the index is: `state` (`starting`, `drafting`, `indexing`, `ready`, `failed`),
        `files`, `edited`, and where there is one a `problem`."""
        # The file of a follower that has ended is out of date.
        known = self._reported or (self._code.status() if self._code.is_followed() else {})
        status = {"state": "starting", **known}
        if status["state"] == "starting" and self._is_listed and not self._is_indexed:
            status["state"] = "drafting"  # its process is about to say so
        if self._problem:
            status |= {"state": "failed", "problem": self._problem}
        return status

    def rescan(self) -> None:
        """Has the process that follows the tree, this server's or another's, compare all files."""
        self._code.request_rescan()

    def start(self) -> None:
        from threading import Thread

        self._supervisor = Thread(target=self._supervise, daemon=True)
        self._supervisor.start()

    def stop(self) -> None:
        """Has the process end; `join` waits for that."""
        self._stopping = True

    def join(self) -> None:
        if self._supervisor is not None:
            self._supervisor.join()

    def _supervise(self) -> None:
        """Keeps the follower running until the server ends."""
        import time

        from kb_runtime.live.compiler_process import CompilerMissingError

        pauses = [0.0, *RESTARTED_AFTER_S]
        while pauses and self._pause(pauses.pop(0)):
            started = time.monotonic()
            error = self._run_follower()
            if time.monotonic() - started >= STEADY_S:
                pauses = list(RESTARTED_AFTER_S)
            if error is None:
                return
            self._problem = f"{error.message} {error.hint}".strip()
            log.say(f"{self.root} is not followed: {self._problem}")
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
            self.root,
            EXIT_WITH_PARENT,
        ]
        look_s = _FIRST_LOOK_S
        try:
            with CompilerProcess([*arguments, "--json", *self._options]) as process:
                while not process.wait(look_s):
                    if self._stopping:
                        return None
                    self._problem = ""
                    self._reported = process.last_status()
                    look_s = _LOOK_S if self._reported else _FIRST_LOOK_S
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
