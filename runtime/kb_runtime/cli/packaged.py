"""The command of an installed knowledge base, such as `quint-kb`: serves and queries it.

The wheel that `kbc wheel` writes contains an artifact and a few lines that call `main` here. A client
starts the command and waits, so serving takes the fast path of `kb_runtime.__main__`; click and the
engines are imported by the other commands only.

Wheels are installed beside runtimes that are older or newer than the one they were built with: the
arguments of `main` never change, and `about` may gain entries that an older runtime ignores.
"""

from __future__ import annotations

import os
import sys

from kb_runtime.errors import exit_codes
from kb_runtime.options.serve import usage, wants_help
from kb_runtime.start.main import main as serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click

    from kb_runtime.errors import KbcError

ARTIFACT_FOLDER = "artifact"
"""Where the artifact is in the package's folder: the folder of a knowledge base, with CURRENT."""

_NOT_SERVING = ("-h", "--help", "--version", "--debug")
"""Options of the command itself; any other option in their place is one of `serve`."""


def main(module: str, about: Mapping[str, str], arguments: Sequence[str] | None = None) -> int:
    """Runs the command and gives its exit code.

    `module` is the file of the package's module. `about` has `command` (the console script),
    `version` (of the package) and `requires` (the requirement of a fitting runtime).
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    artifact = os.path.join(os.path.dirname(os.path.abspath(module)), ARTIFACT_FOLDER)
    command = about["command"]
    if not given or (given[0].startswith("-") and given[0] not in _NOT_SERVING):
        given.insert(0, "serve")
    if given[0] != "serve":
        return _ask(artifact, about, given)
    if wants_help(given):
        print(serve_usage(command), end="")
        return exit_codes.OK
    return serve([artifact, *given[1:]], f"{command} serve", upgrade_hint(about))


def serve_usage(command: str) -> str:
    """The usage of `kbc serve`, for a command that has a knowledge base of its own."""
    shown = usage().replace("kbc serve ARTIFACT...", f"{command} serve [ARTIFACT]...")
    return f"{shown}\nThe knowledge base of {command} is always served; no ARTIFACT is needed.\n"


def upgrade_hint(about: Mapping[str, str]) -> str:
    return f'Install the runtime that it needs: pip install "{about["requires"]}"'


def _ask(artifact: str, about: Mapping[str, str], arguments: Sequence[str]) -> int:
    from kb_runtime.cli import runner
    from kb_runtime.errors import ArtifactError

    def explain(error: BaseException) -> KbcError | None:
        if isinstance(error, ArtifactError) and error.is_newer:
            error.hint = upgrade_hint(about)
        return runner.explain(error)

    return runner.run(commands(artifact, about), arguments, about["command"], explain)


def commands(artifact: str, about: Mapping[str, str]) -> click.Group:
    """The command line of the package, but for the way into the server."""
    import click

    from kb_runtime.cli import artifact_commands
    from kb_runtime.cli.clients import doctor_command, install_command
    from kb_runtime.cli.serve_arguments import serve_arguments, server_with
    from kb_runtime.clients.server import Server, installed_command
    from kb_runtime.version import FORMAT_VERSION, __version__

    def server(arguments: Sequence[str] = ()) -> Server:
        module = os.path.basename(os.path.dirname(artifact))
        command = installed_command(about["command"], module)
        return server_with([*command, "serve"] if arguments else command, arguments, [artifact])

    @click.group(
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        help=f"Without a command, {about['command']} serves its knowledge base over MCP on stdio.",
        epilog="Exit codes: 0 success, 1 the server does not work in a client, 2 usage, 4 artifact refused,"
        " 5 output not writable, 7 not found, 8 runtime not installed, 70 bug, 71 out of"
        " memory or file descriptors.",
    )
    @click.option("--debug", is_flag=True, help="Show the traceback of an error.")
    @click.version_option(
        about["version"],
        prog_name=about["command"],
        message=f"%(prog)s %(version)s, kbc {__version__}, artifact format {FORMAT_VERSION}",
    )
    def group(debug: bool) -> None: ...

    @group.command(
        "serve", help="Serve the knowledge base over MCP: on stdio, or with --http over HTTP."
    )
    def shown_in_help() -> None: ...  # `main` serves before it comes here

    for command in (artifact_commands.search, artifact_commands.get):
        group.add_command(artifact_commands.for_artifact(command, artifact))
    group.add_command(artifact_commands.verify_packaged(artifact, about["command"]))
    group.add_command(artifact_commands.for_artifact(artifact_commands.inspect, artifact, "info"))
    group.add_command(install_command(server, [serve_arguments()]))
    group.add_command(doctor_command(server))
    return group
