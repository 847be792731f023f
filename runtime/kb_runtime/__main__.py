"""`python -m kb_runtime ARTIFACT`: serves a compiled knowledge base over stdio or HTTP.

A client starts this process and waits, so the way to the first answer imports almost nothing: no
argument parser, no engine, no SDK.
"""

from __future__ import annotations

import os
import sys

from kb_runtime import log
from kb_runtime.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.live.working_tree import WorkingTree
    from kb_runtime.mcp.changes import Changes
    from kb_runtime.mcp.dispatch import Dispatcher
    from kb_runtime.mcp.stdio import StdioServer
    from kb_runtime.start.prefetch import Follower

EXIT_OK = 0
EXIT_USAGE = 2
EXIT_ARTIFACT = 4
EXIT_INTERRUPTED = 130
PROGRAM = "kbc serve"
DEFAULT_PORT = 8765
MAX_WORKERS = 256
MAX_BODY_BYTES = 4 * 1024 * 1024

USAGE = f"""\
Usage: kbc serve ARTIFACT... [--tools all|compact|FAMILY,...] [--data DIR] [--code DIR]
                             [--workspace DIR [--model DIR]] [--read-only] [--key FILE]
                             [--log json]
       kbc serve ARTIFACT... --http [--host HOST] [--port PORT] [--token-file FILE]
                             [--allow-host HOST]... [--allow-origin ORIGIN]...
                             [--max-body BYTES] [--workers N] [--metrics]

Serves compiled knowledge bases to an MCP client, over stdin and stdout or over HTTP.

  ARTIFACT         a folder that `kbc build` wrote; several are searched as one, and
                   tools get an argument `kb` that asks one of them
  --tools          which tools to offer (all)
  --data           the folder whose JSON files `ingest_tests` may read (data)
  --code           the folder where indexed source files are edited: results are
                   compared with it, and stale ones are flagged or left out
  --workspace      a writable folder for what is not in the artifact: `ingest_tests`
                   adds to it, and the folder of --code is indexed and watched
  --model          the folder of the model that ARTIFACT was built with, where `kbc build`
                   was given one: what goes into the workspace is embedded with it
  --read-only      switch `ingest_tests` off: it reads no file, and says what to run
  --key            a public key (PEM): refuse what is not signed by it, now and when a
                   new version appears
  --log json       what is written to stderr, and a line for each request, as one JSON
                   object a line
  --http           streamable HTTP at http://HOST:PORT/mcp, and /healthz
  --host           the address to listen on (127.0.0.1)
  --port           the port to listen on ({DEFAULT_PORT}; 0 takes a free one)
  --token-file     a file with the bearer token that clients must send;
                   without it, $KBC_HTTP_TOKEN where that is set
  --allow-host     a Host header to accept besides the loopback names, repeatable
  --allow-origin   an Origin header to accept besides the loopback ones, repeatable
  --max-body       the largest request in bytes ({MAX_BODY_BYTES})
  --workers        how many processes answer (1); they share the artifact's memory
  --metrics        metrics for Prometheus at /metrics
"""


class Options:
    """The parsed command line."""

    def __init__(self) -> None:
        self.artifacts: list[str] = []
        self.tools = "all"
        self.data = ""
        self.code = ""
        self.workspace = ""
        self.model = ""
        self.read_only = False
        self.key = ""
        self.json_log = False
        self.http = False
        self.host = "127.0.0.1"
        self.port = DEFAULT_PORT
        self.token_file = ""
        self.allowed_hosts: list[str] = []
        self.allowed_origins: list[str] = []
        self.max_body = MAX_BODY_BYTES
        self.workers = 1
        self.metrics = False

    @property
    def is_observed(self) -> bool:
        """Whether anybody wants to know of each request."""
        return self.json_log or self.metrics


class Served:
    """What a process answers from."""

    def __init__(
        self, live: LiveArtifact, dispatcher: Dispatcher, workspace: LivingWorkspace | None
    ) -> None:
        self.live = live
        self.dispatcher = dispatcher
        self.workspace = workspace


def main(arguments: Sequence[str], program: str = PROGRAM, upgrade: str = "") -> int:
    """Serves until the client leaves; gives the exit code. `--help` and `-h` print the usage.

    `program` is what messages call it; `upgrade` says how to get a runtime for a newer artifact.
    """
    from kb_runtime.errors import ArtifactError

    try:
        if wants_help(arguments):
            print(USAGE, end="")
            return EXIT_OK
        return _serve(parse(arguments))
    except UsageError as error:
        _complain(program, str(error), "Try --help.")
        return EXIT_USAGE
    except ArtifactError as error:
        _complain(program, error.message, (error.is_newer and upgrade) or error.hint)
        return EXIT_ARTIFACT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def wants_help(arguments: Sequence[str]) -> bool:
    return "--help" in arguments or "-h" in arguments


def parse(arguments: Sequence[str]) -> Options:
    """Raises UsageError."""
    options = Options()
    remaining = list(arguments)
    http_only = ""
    while remaining:
        argument = remaining.pop(0)
        name, equals, value = argument.partition("=")
        if not argument.startswith("-"):
            options.artifacts.append(argument)
            continue
        if name in _HTTP_ONLY:
            http_only = name
        if name in SWITCHES and not equals:
            setattr(options, SWITCHES[name], True)
            continue
        if name not in _VALUED:
            raise UsageError(f"there is no option {name}.")
        if not equals:
            if not remaining:
                raise UsageError(f"{name} needs a value.")
            value = remaining.pop(0)
        _VALUED[name](options, value)
    if not options.artifacts:
        raise UsageError("the ARTIFACT to serve is missing.")
    if options.model and not options.workspace:
        raise UsageError("--model needs --workspace: only what goes into a workspace is embedded.")
    if http_only and not options.http:
        raise UsageError(f"{http_only} needs --http.")
    return options


def _number(name: str, value: str, most: int, least: int = 0) -> int:
    if not value.isdecimal() or not least <= int(value) <= most:
        wanted = f"from {least} to {most}" if least else f"up to {most}"
        raise UsageError(f"{name} must be a whole number {wanted}, not {value!r}.")
    return int(value)


def _format(value: str) -> bool:
    if value != "json":
        raise UsageError(f"--log must be json, not {value!r}.")
    return True


SWITCHES = {"--http": "http", "--read-only": "read_only", "--metrics": "metrics"}
_HTTP_ONLY = (
    "--host",
    "--port",
    "--token-file",
    "--allow-host",
    "--allow-origin",
    "--max-body",
    "--workers",
    "--metrics",
)
_VALUED: dict[str, Callable[[Options, str], None]] = {
    "--tools": lambda options, value: setattr(options, "tools", value),
    "--data": lambda options, value: setattr(options, "data", value),
    "--code": lambda options, value: setattr(options, "code", value),
    "--workspace": lambda options, value: setattr(options, "workspace", value),
    "--model": lambda options, value: setattr(options, "model", value),
    "--key": lambda options, value: setattr(options, "key", value),
    "--log": lambda options, value: setattr(options, "json_log", _format(value)),
    "--host": lambda options, value: setattr(options, "host", value),
    "--port": lambda options, value: setattr(options, "port", _number("--port", value, 65_535)),
    "--token-file": lambda options, value: setattr(options, "token_file", value),
    "--allow-host": lambda options, value: options.allowed_hosts.append(value),
    "--allow-origin": lambda options, value: options.allowed_origins.append(value),
    "--max-body": lambda options, value: setattr(
        options, "max_body", _number("--max-body", value, 1 << 30)
    ),
    "--workers": lambda options, value: setattr(
        options, "workers", _number("--workers", value, MAX_WORKERS, 1)
    ),
}


def _serve(options: Options) -> int:
    """Raises UsageError and ArtifactError."""
    if options.json_log:
        log.use_json()
    if options.http:
        from kb_runtime.http.service import serve_alone, serve_with_workers

        if options.workers > 1:
            serve_with_workers(options, lambda: _open(options))
        else:
            serve_alone(options, _open(options))
        return EXIT_OK
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("stdin and stdout must be open.")
    _serve_stdio(_open(options), options)
    return EXIT_OK


def _open(options: Options) -> Served:
    """Raises UsageError and ArtifactError."""
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp.answers import ProfileError
    from kb_runtime.tools.session import DATA_FOLDER

    dispatcher_type = _dispatcher_type(options)
    check = _check_of(options.key)
    try:
        tree = _working_tree(options.code)  # before the workspace: refused where there is none
        workspace = _workspace(options)
        if tree is not None and workspace is not None:
            tree.only_own = True
        live = LiveArtifact(
            *options.artifacts,
            workspaces=() if workspace is None else workspace.kb_folders,
            check=check,
        )
        if workspace is not None:
            workspace.serve_with(live)
        dispatcher = dispatcher_type(
            live, options.tools, options.data or DATA_FOLDER, tree, options.read_only, workspace
        )
    except ProfileError as error:
        raise UsageError(str(error)) from None
    return Served(live, dispatcher, workspace)


def _dispatcher_type(options: Options) -> type[Dispatcher]:
    if options.is_observed:
        from kb_runtime.mcp.observation import ObservedDispatcher

        return ObservedDispatcher
    from kb_runtime.mcp.dispatch import Dispatcher

    return Dispatcher


def _check_of(key_file: str) -> Callable[[str], None] | None:
    """What refuses the folder of a build that is not signed by the key. Raises UsageError."""
    if not key_file:
        return None
    from kb_runtime.store.signature import KeyFileError, check_signature, read_public_key

    try:
        key = read_public_key(key_file)
    except KeyFileError as error:
        raise UsageError(f"--key: {error.message} {error.hint}".rstrip()) from None
    return lambda folder: check_signature(folder, key)


def _workspace(options: Options) -> LivingWorkspace | None:
    """The workspace; None without one, and where it cannot be used: what ships is served all the
    same, and stderr says why it is alone."""
    if not options.workspace:
        return None
    if options.model and not os.path.isdir(options.model):
        raise UsageError(f"--model {options.model!r} is not a folder.")
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.workspace import Workspace, WorkspaceError

    try:
        return LivingWorkspace(Workspace.open(options.workspace), options.code, options.model)
    except WorkspaceError as error:
        log.say(f"serving without it: {error.message} {error.hint}".rstrip())
        return None


def _working_tree(folder: str) -> WorkingTree | None:
    """Raises UsageError."""
    if not folder:
        return None
    from kb_runtime.live.working_tree import WorkingTree

    tree = WorkingTree(folder)
    if not tree.is_reachable:
        raise UsageError(f"--code {folder!r} is not a folder.")
    return tree


def _serve_stdio(served: Served, options: Options) -> None:
    """Ends the process when the client leaves while the engines are still being loaded: nothing is
    written by this process, so nothing is lost, and importing on would only delay the exit."""
    from kb_runtime.mcp.connection import Connection
    from kb_runtime.mcp.stdio import serve_stdio

    live, dispatcher, workspace = served.live, served.dispatcher, served.workspace
    if options.json_log:
        from kb_runtime.mcp.observation import observe, write_log

        observe(dispatcher, write_log)
    followers: list[Follower] = []
    compared: list[Changes] = []

    def changes() -> Changes:
        if not compared:
            from kb_runtime.mcp.changes import Changes

            compared.append(Changes(live, dispatcher))
        return compared[0]

    def load_engines(server: StdioServer) -> None:
        from kb_runtime.start.prefetch import Follower

        if live.can_change:
            changes().listen(server.tell)
        followers.append(Follower(live))
        if workspace is not None:
            workspace.start()  # first: another process takes longer to be ready
        followers[0].start()

    if live.can_change:
        dispatcher.announce_changes(handshake=True, stateless=True)
    connection = Connection(
        dispatcher.handle, changes if live.can_change else None, dispatcher.takes_long
    )
    serve_stdio(connection, load_engines)
    if workspace is not None:
        workspace.close()
    for follower in followers:
        if follower.is_preparing:
            import os

            sys.stderr.flush()
            os._exit(EXIT_OK)
        follower.stop()
    live.close()


def _complain(program: str, message: str, hint: str) -> None:
    log.say(f"{message} {hint}".rstrip(), speaker=program, level="error")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
