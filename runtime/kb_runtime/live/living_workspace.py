"""A workspace that a server adds to: starts the compiler and serves what it publishes."""

from __future__ import annotations

import os
from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

from kb_runtime.live.followed_tree import FollowedTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.live.workspace import Workspace
    from kb_runtime.records.cases import Case

INGESTION_S = 600.0
"""The longest that adding tests may take. 1,000 tests take half a minute; see `benchmarks.workspace`."""

FIRST_FILES_S = 30.0
"""The longest that a call waits until the files of a tree are known; 2,000 take half a second."""
_LOOK_S = 0.02


class LivingWorkspace:
    """The workspace to which a server adds tests and the indexes of source trees. Thread-safe."""

    def __init__(
        self,
        workspace: Workspace,
        trees: Mapping[str, str] | str = "",
        model: str = "",
        *,
        only_code: bool = False,
    ) -> None:
        """`trees` are the folders whose source files are to be indexed, each with the prefix of its
        files' ids, or one folder, "" for none; `model` is the folder of the encoder's model, "" for the
        compiler's own. With `only_code` there are no tests, and calls wait for the first files."""
        if isinstance(trees, str):
            trees = {trees: ""} if trees else {}
        self._workspace = workspace
        self._model = ["--model", os.path.realpath(model)] if model else []
        self._trees = [
            FollowedTree(workspace, tree, self._model, prefix) for tree, prefix in trees.items()
        ]
        self._only_code = only_code
        self.has_index = not only_code
        self._live: LiveArtifact | None = None
        self._ingesting = allocate_lock()
        self._started = False

    @property
    def kb_folders(self) -> Sequence[str]:
        """Where versions appear, in the order in which newer records hide older ones."""
        code = [folder for tree in self._trees for folder in tree.kb_folders]
        return code if self._only_code else [self._workspace.tests.kb_folder, *code]

    @property
    def families(self) -> Sequence[str]:
        """The families of tools that read what may be added here."""
        tests = [] if self._only_code else ["tests"]
        return [*tests, "codebase"] if self._trees else tests

    @property
    def follows_code(self) -> bool:
        return bool(self._trees)

    @property
    def takes_tests(self) -> bool:
        return not self._only_code

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
        """The status of the tree that is least far; see `FollowedTree.status`."""
        order = ("failed", "starting", "drafting", "indexing", "ready")
        return min(
            (tree.status() for tree in self._trees), key=lambda status: order.index(status["state"])
        )

    def code_statuses(self) -> dict[str, dict[str, Any]]:
        """The status of each tree by its folder."""
        return {tree.root: tree.status() for tree in self._trees}

    def rescan(self) -> None:
        """Has all files of the trees compared with their indexes again."""
        for tree in self._trees:
            tree.rescan()

    def wait_for_index(self) -> None:
        """Returns when the files of each tree are served, or will not be soon: a client that has
        started a server asks at once."""
        if self.has_index:
            return
        import time

        until = time.monotonic() + FIRST_FILES_S
        while time.monotonic() < until:
            if all(tree.is_searched or tree.has_failed for tree in self._trees):
                break
            time.sleep(_LOOK_S)
        self.has_index = True
        if self._live is not None:
            self._live.follow()

    def start(self) -> None:
        """Starts the processes that follow the source trees, where there are some to follow."""
        if not self._started:
            self._started = True
            for tree in self._trees:
                tree.start()

    def close(self) -> None:
        """Ends the processes that follow the source trees."""
        for tree in self._trees:
            tree.stop()
        for tree in self._trees:
            tree.join()
