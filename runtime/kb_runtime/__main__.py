"""`python -m kb_runtime ARTIFACT`: serves a compiled knowledge base over stdio or HTTP.

A client starts this process and waits, so the way to the first answer imports almost nothing: no
argument parser, no engine, no SDK.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kb_runtime.following import Follower
    from kb_runtime.live import LiveArtifact
    from kb_runtime.living_workspace import LivingWorkspace
    from kb_runtime.mcp.dispatch import Dispatcher
    from kb_runtime.mcp.stdio import StdioServer
    from kb_runtime.working_tree import WorkingTree

EXIT_OK = 0
EXIT_USAGE = 2
EXIT_ARTIFACT = 4
EXIT_INTERRUPTED = 130
PROGRAM = "kbc serve"
TOKEN_VARIABLE = "KBC_HTTP_TOKEN"
DEFAULT_PORT = 8765
MAX_BODY_BYTES = 4 * 1024 * 1024

USAGE = f"""\
Usage: kbc serve ARTIFACT... [--tools all|compact|FAMILY,...] [--data DIR] [--code DIR]
                             [--workspace DIR] [--read-only]
       kbc serve ARTIFACT... --http [--host HOST] [--port PORT] [--token-file FILE]
                             [--allow-host HOST]... [--allow-origin ORIGIN]...
                             [--max-body BYTES]

Serves compiled knowledge bases to an MCP client, over stdin and stdout or over HTTP.

  ARTIFACT         a folder that `kbc build` wrote; several are searched as one, and
                   tools get an argument `kb` that asks one of them
  --tools          which tools to offer (all)
  --data           the folder whose JSON files `ingest_tests` may read (data)
  --code           the folder where indexed source files are edited: results are
                   compared with it, and stale ones are flagged or left out
  --workspace      a writable folder for what is not in the artifact: `ingest_tests`
                   adds to it, and the folder of --code is indexed and watched
  --read-only      switch `ingest_tests` off: it reads no file, and says what to run
  --http           streamable HTTP at http://HOST:PORT/mcp, and /healthz
  --host           the address to listen on (127.0.0.1)
  --port           the port to listen on ({DEFAULT_PORT}; 0 takes a free one)
  --token-file     a file with the bearer token that clients must send;
                   without it, ${TOKEN_VARIABLE} where that is set
  --allow-host     a Host header to accept besides the loopback names, repeatable
  --allow-origin   an Origin header to accept besides the loopback ones, repeatable
  --max-body       the largest request in bytes ({MAX_BODY_BYTES})
"""


class UsageError(Exception):
    """The command line cannot be understood; the text is one sentence."""


class Options:
    """The parsed command line."""

    def __init__(self) -> None:
        self.artifacts: list[str] = []
        self.tools = "all"
        self.data = ""
        self.code = ""
        self.workspace = ""
        self.read_only = False
        self.http = False
        self.host = "127.0.0.1"
        self.port = DEFAULT_PORT
        self.token_file = ""
        self.allowed_hosts: list[str] = []
        self.allowed_origins: list[str] = []
        self.max_body = MAX_BODY_BYTES


def main(arguments: Sequence[str], program: str = PROGRAM, upgrade: str = "") -> int:
    """Serves until the client leaves; gives the exit code. `--help` prints the usage.

    `program` is what messages call it; `upgrade` says how to get a runtime for a newer artifact.
    """
    from kb_runtime.errors import ArtifactError

    try:
        if "--help" in arguments:
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
        if name in _SWITCHES and not equals:
            setattr(options, _SWITCHES[name], True)
            continue
        if name not in _VALUED:
            raise UsageError(f"there is no option {name}.")
        if not equals:
            if not remaining:
                raise UsageError(f"{name} needs a value.")
            value = remaining.pop(0)
        _VALUED[name](options, value)
        if name not in ("--tools", "--data", "--code", "--workspace"):
            http_only = name
    if not options.artifacts:
        raise UsageError("the ARTIFACT to serve is missing.")
    if http_only and not options.http:
        raise UsageError(f"{http_only} needs --http.")
    return options


def _number(name: str, value: str, most: int) -> int:
    if not value.isdecimal() or int(value) > most:
        raise UsageError(f"{name} must be a whole number up to {most}, not {value!r}.")
    return int(value)


_SWITCHES = {"--http": "http", "--read-only": "read_only"}
_VALUED: dict[str, Callable[[Options, str], None]] = {
    "--tools": lambda options, value: setattr(options, "tools", value),
    "--data": lambda options, value: setattr(options, "data", value),
    "--code": lambda options, value: setattr(options, "code", value),
    "--workspace": lambda options, value: setattr(options, "workspace", value),
    "--host": lambda options, value: setattr(options, "host", value),
    "--port": lambda options, value: setattr(options, "port", _number("--port", value, 65_535)),
    "--token-file": lambda options, value: setattr(options, "token_file", value),
    "--allow-host": lambda options, value: options.allowed_hosts.append(value),
    "--allow-origin": lambda options, value: options.allowed_origins.append(value),
    "--max-body": lambda options, value: setattr(
        options, "max_body", _number("--max-body", value, 1 << 30)
    ),
}


def _serve(options: Options) -> int:
    """Raises UsageError and ArtifactError."""
    from kb_runtime.live import LiveArtifact
    from kb_runtime.mcp.answers import ProfileError
    from kb_runtime.mcp.dispatch import Dispatcher
    from kb_runtime.session import DATA_FOLDER

    if not options.http and (sys.stdin is None or sys.stdout is None):
        raise UsageError("stdin and stdout must be open.")
    try:
        tree = _working_tree(options.code)  # before the workspace: refused where there is none
        workspace = _workspace(options)
        if tree is not None and workspace is not None:
            tree.only_own = True
        live = LiveArtifact(
            *options.artifacts, workspaces=() if workspace is None else workspace.kb_folders
        )
        if workspace is not None:
            workspace.serve_with(live)
        dispatcher = Dispatcher(
            live, options.tools, options.data or DATA_FOLDER, tree, options.read_only, workspace
        )
    except ProfileError as error:
        raise UsageError(str(error)) from None
    if options.http:
        return _serve_http(options, live, dispatcher, workspace)
    _serve_stdio(live, dispatcher, workspace)
    return EXIT_OK


def _workspace(options: Options) -> LivingWorkspace | None:
    """The workspace; None without one, and where it cannot be used: what ships is served all the
    same, and stderr says why it is alone."""
    if not options.workspace:
        return None
    from kb_runtime.living_workspace import LivingWorkspace
    from kb_runtime.workspace import Workspace, WorkspaceError

    try:
        return LivingWorkspace(Workspace.open(options.workspace), options.code)
    except WorkspaceError as error:
        print(f"kbc: serving without it: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return None


def _working_tree(folder: str) -> WorkingTree | None:
    """Raises UsageError."""
    if not folder:
        return None
    from kb_runtime.working_tree import WorkingTree

    tree = WorkingTree(folder)
    if not tree.is_reachable:
        raise UsageError(f"--code {folder!r} is not a folder.")
    return tree


def _serve_stdio(
    live: LiveArtifact, dispatcher: Dispatcher, workspace: LivingWorkspace | None
) -> None:
    """Ends the process when the client leaves while the engines are still being loaded: nothing is
    written by this process, so nothing is lost, and importing on would only delay the exit."""
    from kb_runtime.mcp.connection import Connection
    from kb_runtime.mcp.stdio import serve_stdio

    followers: list[Follower] = []

    def load_engines(server: StdioServer) -> None:
        from kb_runtime.following import Follower

        if live.can_change:
            from kb_runtime.mcp.changes import Changes

            Changes(live, dispatcher).listen(server.tell)
        followers.append(Follower(live))
        if workspace is not None:
            workspace.start()  # first: another process takes longer to be ready
        followers[0].start()

    if live.can_change:
        dispatcher.announce_changes(handshake=True, stateless=True)
    serve_stdio(Connection(dispatcher.handle, tells_changes=live.can_change), load_engines)
    if workspace is not None:
        workspace.close()
    for follower in followers:
        if follower.is_preparing:
            import os

            sys.stderr.flush()
            os._exit(EXIT_OK)
        follower.stop()
    live.close()


def _serve_http(
    options: Options,
    live: LiveArtifact,
    dispatcher: Dispatcher,
    workspace: LivingWorkspace | None,
) -> int:
    from kb_runtime.following import Follower, prepare
    from kb_runtime.mcp.changes import Changes
    from kb_runtime.mcp.http import serve_http

    try:
        token = _token(options.token_file)
    except OSError as error:
        raise UsageError(f"--token-file cannot be read: {error.strerror}.") from None
    if workspace is not None:
        workspace.start()
    prepare(live)
    changes = None
    if live.can_change:
        changes = Changes(live, dispatcher)
        # Without sessions there is no stream on which a client of the handshake could be told.
        dispatcher.announce_changes(handshake=False, stateless=True)
    follower = Follower(live)
    follower.start()
    try:
        serve_http(
            dispatcher,
            changes=changes,
            host=options.host,
            port=options.port,
            token=token,
            allowed_hosts=options.allowed_hosts,
            allowed_origins=options.allowed_origins,
            max_body=options.max_body,
        )
    except OSError as error:
        raise UsageError(
            f"cannot listen on {options.host} port {options.port}: {error.strerror}."
        ) from None
    finally:
        if workspace is not None:
            workspace.close()
    follower.stop()
    live.close()
    return EXIT_OK


def _token(path: str) -> str | None:
    """The bearer token of a file, or of the environment. Raises OSError and UsageError."""
    import os

    if not path:
        return os.environ.get(TOKEN_VARIABLE) or None
    with open(path, encoding="utf-8") as file:
        token = file.read().strip()
    if not token or not token.isascii() or " " in token:
        raise UsageError("--token-file must hold one token of ASCII characters without spaces.")
    return token


def _complain(program: str, message: str, hint: str) -> None:
    print(f"{program}: {message} {hint}".rstrip(), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
