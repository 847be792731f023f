"""Starts a server: reads the options, opens what is served, and answers over stdio or HTTP.

A client starts this process and waits, so the path to the first answer imports almost nothing: no
argument parser, no engine, no SDK.
"""

from __future__ import annotations

import os
import sys

from kb_runtime import log
from kb_runtime.errors import ArtifactError, UsageError, exit_codes
from kb_runtime.errors.panics import without_backtraces
from kb_runtime.options.serve import parse, usage, wants_help
from kb_runtime.version import install_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp

    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.live.working_tree import WorkingTree, WorkingTrees
    from kb_runtime.mcp.changes import Changes
    from kb_runtime.mcp.dispatch import Dispatcher, ServerContext
    from kb_runtime.mcp.prefetch import Prefetcher
    from kb_runtime.mcp.stdio import StdioServer
    from kb_runtime.options.serve import Options
    from kb_runtime.store.manifest import Check

PROGRAM = "kbc serve"


def main(arguments: Sequence[str], program: str = PROGRAM, upgrade: str = "") -> int:
    """Serves until the client leaves; gives the exit code. `--help` and `-h` print the usage.

    `program` is what messages call it; `upgrade` says how to get a runtime for a newer artifact.
    """
    without_backtraces()
    _tell_of_crashes()
    try:
        if wants_help(arguments):
            print(usage(), end="")
            return exit_codes.OK
        return _serve(parse(arguments))
    except UsageError as error:
        _print_error(program, str(error), "Try --help.")
        return exit_codes.USAGE
    except ArtifactError as error:
        _print_error(program, error.message, (error.is_newer and upgrade) or error.hint)
        return exit_codes.ARTIFACT
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    except (OSError, MemoryError, RuntimeError, ImportError) as error:
        from kb_runtime.errors.shortages import shortage

        short = shortage(error)
        if short is None:
            raise
        _print_error(program, f"{short.message}.", short.hint)
        return short.exit_code


def _tell_of_crashes() -> None:
    """Has a crash say on stderr what it was and where, as in a file that was cut short while it is mapped
    (SIGBUS), which no handler in Python can. On Windows it would tell of exceptions that libraries handle."""
    if os.name == "posix" and sys.stderr is not None:
        import faulthandler

        faulthandler.enable(2, all_threads=False)


def _serve(options: Options) -> int:
    """Raises UsageError and ArtifactError."""
    if options.json_log:
        log.use_json()
    if options.http is not None:
        from kb_runtime.http.service import serve_alone, serve_with_workers

        options.http.json_log = options.json_log
        if options.http.explorer:
            options.http.mounts["/explorer"] = _explorer(options)
        if options.http.workers > 1:
            serve_with_workers(options.http, lambda: _open(options))
        else:
            serve_alone(options.http, lambda: _open(options))
        return exit_codes.OK
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("stdin and stdout must be open.")
    _serve_stdio(_open(options), options)
    return exit_codes.OK


def _explorer(options: Options) -> Callable[[Callable[[str], bool] | None], ASGIApp]:
    """What makes the explorer's pages of the artifacts that are served. Raises UsageError."""
    from functools import partial

    import kb_runtime

    try:
        from kb_runtime.explorer.app import build_app
        from kb_runtime.explorer.bases import Bases
        from kb_runtime.explorer.visit import Explorer
        from kb_runtime.start.evidence import read_report, read_runs
        from kb_runtime.tools.session import DATA_FOLDER
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--explorer needs {error.name}, which is not installed: {install_hint('explorer')}."
        ) from None
    http = options.http
    assert http is not None
    runs, report = read_runs(http.runs), read_report(http.report)
    hosts = tuple(each.rpartition(":")[0] or each for each in http.allowed_hosts)

    open_build = partial(
        kb_runtime.open,
        key=options.key or None,
        data=options.data or DATA_FOLDER,
        read_only=options.read_only,
    )

    def make(accepts: Callable[[str], bool] | None) -> ASGIApp:
        bases = Bases(options.artifacts, open_build)
        explorer = Explorer(bases, runs=runs, report=report, accepts=accepts)
        return build_app(explorer, (http.host, *hosts, *http.allowed_hosts))

    return make


def _open(options: Options) -> ServerContext:
    """Raises UsageError and ArtifactError."""
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp.dispatch import ServerContext
    from kb_runtime.tools.session import DATA_FOLDER

    dispatcher_type = _dispatcher_type(options)
    check = _check_of(options.key, options.allow_rollback)
    if not options.artifacts:
        return _open_trees(options, dispatcher_type)
    trees = _trees(options)  # before the workspace: refused where there is none
    workspace, problem = _workspace(options, trees)
    tree = _working_tree(options, trees, is_followed=workspace is not None)
    live = LiveArtifact(
        *options.artifacts,
        workspaces=() if workspace is None else workspace.kb_folders,
        check=check,
        workspace_problem=problem,
    )
    if tree is not None and not options.workspace:
        _check_code_is_there(live, options)
    if workspace is not None:
        workspace.serve_with(live)
    if options.data and not os.path.isdir(options.data):  # an export may make it later
        log.say(f"--data {options.data!r} is not a folder yet: there are no tests to ingest.")
    dispatcher = dispatcher_type(
        live, options.tools, options.data or DATA_FOLDER, tree, options.read_only, workspace
    )
    return ServerContext(live, dispatcher, workspace)


def _dispatcher_type(options: Options) -> type[Dispatcher]:
    if options.is_observed:
        from kb_runtime.mcp.observation import ObservedDispatcher

        return ObservedDispatcher
    from kb_runtime.mcp.dispatch import Dispatcher

    return Dispatcher


def _check_of(key_file: str, allow_rollback: bool) -> Check | None:
    """What refuses a build that is not signed by the key. Raises UsageError."""
    if not key_file:
        if allow_rollback:
            raise UsageError("--allow-rollback has no meaning without --key.")
        return None
    from kb_runtime.store.signature import KeyFileError, read_public_key
    from kb_runtime.store.trust import TrustedKey

    try:
        key = read_public_key(key_file)
    except KeyFileError as error:
        raise UsageError(f"--key: {error.message} {error.hint}".rstrip()) from None
    return TrustedKey(key, allow_rollback=allow_rollback).check


def _trees(options: Options) -> dict[str, str]:
    """The folders of --code with the prefixes of their files' ids. Raises UsageError."""
    if not options.code:
        return {}
    from kb_runtime.live.source_trees import trees_of

    return trees_of(options.code)


def _workspace(options: Options, trees: dict[str, str]) -> tuple[LivingWorkspace | None, str]:
    """The workspace; None without one, and where it cannot be used, with the code of the error: what
    ships is served all the same, and stderr says why it is alone."""
    if not options.workspace:
        return None, ""
    _check_model(options)
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.workspace import Workspace, WorkspaceError

    try:
        return LivingWorkspace(Workspace.open(options.workspace), trees, options.model), ""
    except WorkspaceError as error:
        log.say(f"serving without the workspace: {error.message} {error.hint}".rstrip())
        return None, error.code


def _check_model(options: Options) -> None:
    """Raises UsageError."""
    if options.model and not os.path.isdir(options.model):
        raise UsageError(f"--model {options.model!r} is not a folder.")


def _working_tree(
    options: Options, trees: dict[str, str], *, is_followed: bool
) -> WorkingTree | WorkingTrees | None:
    """What results are compared with: each tree that has an index of its own, or the one folder."""
    if not trees:
        return None
    from kb_runtime.live.working_tree import WorkingTree, WorkingTrees

    return WorkingTrees(trees) if is_followed else WorkingTree(options.code[0])


def _check_code_is_there(live: LiveArtifact, options: Options) -> None:
    """Raises UsageError for --code over knowledge bases without source files, which it would change
    nothing of."""
    with live.hold() as knowledge:
        has_code = any(info.kind == "code" for info in knowledge.collections)
    if not has_code:
        live.close()
        raise UsageError(
            f"--code {options.code[0]!r} has no effect: {options.artifacts[0]} contains no source"
            " files to compare with it. Add --workspace DIR to index the folder."
        )


def _open_trees(options: Options, dispatcher_type: type[Dispatcher]) -> ServerContext:
    """A server of source trees alone. Raises UsageError."""
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.source_trees import index_folder
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.live.working_tree import WorkingTrees
    from kb_runtime.live.workspace import Workspace, WorkspaceError
    from kb_runtime.mcp.answers import ALL, CODEBASE
    from kb_runtime.mcp.dispatch import ServerContext
    from kb_runtime.start.empty_answers import awaiting_trees, scan_of_tree

    trees = _trees(options)
    _check_model(options)
    try:
        opened = Workspace.open(options.workspace or index_folder())
    except WorkspaceError as error:
        raise UsageError(f"{error.message} {error.hint}".rstrip()) from None
    workspace = LivingWorkspace(opened, trees, options.model, only_code=True)
    workspace.start()  # first: its process takes longer to be ready than this one
    try:
        live = LiveArtifact(
            workspaces=workspace.kb_folders,
            empty=awaiting_trees(trees),
            scan=lambda listing: scan_of_tree(listing, trees),
        )
        workspace.serve_with(live)
        profile = CODEBASE if options.tools == ALL else options.tools
        dispatcher = dispatcher_type(
            live, profile, working_tree=WorkingTrees(trees), workspace=workspace
        )
    except BaseException:
        workspace.close()
        raise
    for tree in trees:
        log.say(f"the index of {tree} is in {opened.root}")
    return ServerContext(live, dispatcher, workspace)


def _serve_stdio(served: ServerContext, options: Options) -> None:
    """Ends the process when the client leaves while the engines are still being loaded: nothing is
    written by this process, so nothing is lost, and importing on would only delay the exit."""
    from kb_runtime.mcp.connection import Connection
    from kb_runtime.mcp.stdio import serve_stdio

    live, dispatcher, workspace = served.live, served.dispatcher, served.workspace
    if options.json_log:
        from kb_runtime.mcp.observation import observe, write_log

        observe(dispatcher, write_log)
    prefetchers: list[Prefetcher] = []
    compared: list[Changes] = []

    def changes() -> Changes:
        if not compared:
            from kb_runtime.mcp.changes import Changes

            compared.append(Changes(live, dispatcher))
        return compared[0]

    def load_engines(server: StdioServer) -> None:
        from kb_runtime.mcp.prefetch import Prefetcher

        prefetchers.append(Prefetcher(live))
        if workspace is not None:
            workspace.start()  # first: another process takes longer to be ready
        prefetchers[0].start()
        if live.can_change:
            changes().listen(server.tell)
        prefetchers[0].follow()

    if live.can_change:
        dispatcher.announce_changes(handshake=True)
    connection = Connection(
        dispatcher.handle, changes if live.can_change else None, dispatcher.takes_long
    )
    serve_stdio(connection, load_engines)
    if workspace is not None:
        workspace.close()
    for prefetcher in prefetchers:
        if prefetcher.is_preparing:
            from kb_runtime.store.temporary_folders import end_process

            sys.stderr.flush()
            end_process(exit_codes.OK)
        prefetcher.stop()
    live.close()


def _print_error(program: str, message: str, hint: str) -> None:
    log.say(f"{message} {hint}".rstrip(), program=program, level="error")
