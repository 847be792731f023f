"""`install` and `doctor`, for `kbc` and for the command of a packaged knowledge base.

Both are built here. They differ in how the server is found: `resolve` gets the values of the command's
own `parameters` and returns the server, or raises.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from kb_runtime.cli.runner import print_json
from kb_runtime.errors import KbcError, exit_codes

if TYPE_CHECKING:
    from kb_runtime.clients.collisions import Collision
    from kb_runtime.clients.installation import Change, InstallTarget
    from kb_runtime.clients.probe import Report
    from kb_runtime.clients.server import Server
    from kb_runtime.clients.table import Client

Resolve = Callable[..., "Server"]
ResolveIfNamed = Callable[..., "Server | None"]

_PROJECT = click.Option(
    ["--project"],
    type=click.Path(exists=True, file_okay=False),
    default=".",
    help="The project's folder. Default: the current one.",
)
_AS_JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")

_INSTALL_OPTIONS = (
    click.Option(
        ["--client", "clients"],
        multiple=True,
        help="Clients, separated by commas; repeatable. `--client list` names all.",
    ),
    click.Option(["--all-detected"], is_flag=True, help="All clients found on this machine."),
    click.Option(
        ["--scope"],
        type=click.Choice(["user", "project"]),
        default="user",
        help="Add it for all your projects or for one. Default: user.",
    ),
    _PROJECT,
    click.Option(["--name"], help="The server's name in the client. Default: the artifact's."),
    click.Option(
        ["--instructions"],
        is_flag=True,
        help="Also tell the agent about it in CLAUDE.md, AGENTS.md ...",
    ),
    click.Option(["--print", "show"], is_flag=True, help="Print the entry and write nothing."),
    click.Option(["--dry-run"], is_flag=True, help="Show the changes and write nothing."),
    click.Option(["--uninstall"], is_flag=True, help="Remove the server."),
    click.Option(["--force"], is_flag=True, help="Replace another server of the same name."),
    _AS_JSON,
)

_DOCTOR_OPTIONS = (
    _PROJECT,
    click.Option(["--deep"], is_flag=True, help="Also hash every file of the artifacts."),
    _AS_JSON,
)


def install_command(resolve: Resolve, parameters: Sequence[click.Parameter] = ()) -> click.Command:
    """`install`: writes the server into the configurations of clients, then starts it once."""

    def install(
        clients: tuple[str, ...],
        all_detected: bool,
        scope: Literal["user", "project"],
        project: str,
        name: str | None,
        instructions: bool,
        show: bool,
        dry_run: bool,
        uninstall: bool,
        force: bool,
        as_json: bool,
        **found_by: Any,
    ) -> None:
        from kb_runtime.clients.installation import InstallTarget
        from kb_runtime.clients.machine import Machine

        place = InstallTarget(Machine.this(), scope, os.path.abspath(project))
        if list(clients) == ["list"]:
            _list_clients(place, as_json)
            return
        server = None if uninstall and name else resolve(**found_by)
        run = _Installation(place, _named(name, server), server, force)
        if show:
            run.show(_chosen(clients, all_detected, place, or_all=True), as_json)
            return
        chosen = _chosen(clients, all_detected, place)
        run.change(chosen, uninstall=uninstall, instructions=instructions, dry_run=dry_run)
        if not uninstall and not dry_run:
            run.start(chosen)
        run.tell(as_json, dry_run)

    return click.Command(
        "install",
        params=[*parameters, *_INSTALL_OPTIONS],
        callback=install,
        help="Add the server to MCP clients, and start it once as they would. Only its own entry is"
        " written: comments and other servers stay, and the previous file is kept as FILE.bak-1, -2 ...",
    )


def doctor_command(
    resolve: ResolveIfNamed, parameters: Sequence[click.Parameter] = ()
) -> click.Command:
    """`doctor`: explains what is wrong with an installation."""

    def doctor(project: str, deep: bool, as_json: bool, **found_by: Any) -> None:
        from kb_runtime.clients.doctor import Doctor, Finding, examined_runtime, summary
        from kb_runtime.clients.machine import Machine
        from kb_runtime.errors import ArtifactError

        findings: list[Finding] = []
        try:
            server = resolve(**found_by)
        except ArtifactError as error:  # of what else clients start, nothing was asked
            findings.append(Finding("problem", "artifact", error.message, error.hint))
            _show(findings[-1], as_json)
            examination = examined_runtime()
        else:
            place = os.path.abspath(project)
            examination = Doctor(Machine.this(), place, server, deep=deep).examine()
        for finding in examination:
            findings.append(finding)
            _show(finding, as_json)
        counts = summary(findings)
        if as_json:
            found = [finding.as_dict() for finding in findings]
            print_json({"ok": not counts["problem"], "counts": counts, "findings": found})
        elif counts["problem"] or counts["warning"]:
            click.echo(f"problems: {counts['problem']}, warnings: {counts['warning']}", err=True)
        else:
            click.echo("no problems found", err=True)
        if counts["problem"]:
            raise SystemExit(exit_codes.BROKEN)

    return click.Command(
        "doctor",
        params=[*parameters, *_DOCTOR_OPTIONS],
        callback=doctor,
        help="Diagnose an installation: runtime, artifact, and for each client the"
        " command, the start in both protocol eras, and a search. The exit code is 1 if there is a problem.",
    )


def _show(finding: Any, as_json: bool) -> None:
    if as_json:
        return
    from kb_runtime.text.rendering import printable

    colour = {"ok": "green", "warning": "yellow", "problem": "red"}[finding.level]
    said = printable(f"{finding.about}: {finding.message}")
    click.echo(f"{click.style(finding.level, fg=colour)}: {said}")
    if finding.hint:
        click.echo(f"  hint: {printable(finding.hint)}")


class _Installation:
    """One run of `install`: what was done, and how it is told."""

    def __init__(self, place: InstallTarget, name: str, server: Server | None, force: bool) -> None:
        self._place = place
        self._name = name
        self._server = server
        self._force = force
        self._done: list[dict[str, Any]] = []
        self._diffs: list[str] = []
        self._failed = False
        self._seen: set[str] = set()
        self._report: Report | None = None
        self._collisions: list[Collision] = []

    def show(self, clients: Sequence[Client], as_json: bool) -> None:
        """Prints the entry for each client."""
        server = self._needed()
        shown = []
        for client in clients:
            if self._place.scope not in client.scopes:
                continue
            path = client.path(self._place.machine, self._place.scope, self._place.project)
            text = client.format.render(self._name, client.fields(server.argv))
            shown.append({"client": client.id, "path": path, "text": text})
        if as_json:
            print_json({"name": self._name, "entries": shown})
            return
        for entry in shown:
            click.echo(f"{entry['client']}: {entry['path']}\n{entry['text']}")

    def change(
        self, clients: Sequence[Client], *, uninstall: bool, instructions: bool, dry_run: bool
    ) -> None:
        """Makes the changes one client after the other; one that fails does not keep the others."""
        from kb_runtime.clients import installation
        from kb_runtime.clients.errors import ConfigError

        place, name, force = self._place, self._name, self._force
        plans: list[Callable[[Client], Change | None]] = []
        if uninstall:
            plans.append(lambda client: installation.remove(client, place, name, force=force))
            plans.append(lambda client: installation.remove_instructions(client, place, name))
        else:
            server = self._needed()
            plans.append(lambda client: installation.add(client, place, name, server, force=force))
            if instructions:
                plans.append(
                    lambda client: installation.add_instructions(client, place, name, server)
                )
        for client in clients:
            for plan in plans:
                try:
                    self._carry_out(plan, client, dry_run)
                except ConfigError as error:
                    self._failed = True
                    told = {"client": client.id, "error": error.message, "hint": error.hint}
                    self._done.append(told)
                    break

    def _carry_out(
        self, plan: Callable[[Client], Change | None], client: Client, dry_run: bool
    ) -> None:
        """Plans again when another program has written the file meanwhile. Raises ConfigError."""
        from kb_runtime.clients.errors import ChangedError

        for attempt in range(_ATTEMPTS):
            try:
                change = plan(client)
                if change is not None:
                    self._make(change, dry_run)
                return
            except ChangedError:
                if attempt == _ATTEMPTS - 1:
                    raise

    def _make(self, change: Change, dry_run: bool) -> None:
        """Clients share files of instructions; each file is told once."""
        is_told = change.action == "absent" or change.before.target in self._seen
        if change.what == "instructions" and is_told:
            return
        backup = "" if dry_run else change.apply()
        self._seen.add(change.before.target)
        done: dict[str, Any] = {
            "client": change.client.id,
            "what": change.what,
            "action": change.action,
            "path": change.before.path,
        }
        if backup:
            done["backup"] = backup
        note = change.client.notes.get(self._place.scope)
        if note and change.what == "server" and change.is_needed:
            done["note"] = note
        if dry_run and change.is_needed:
            self._diffs.append(change.diff())
        self._done.append(done)

    def start(self, clients: Sequence[Client]) -> None:
        """Starts the server as a client would, when a client has it now, and compares its tools with
        those of the knowledge bases that the clients have already."""
        from kb_runtime.clients.collisions import collisions
        from kb_runtime.clients.probe import probe

        if any("error" not in done for done in self._done):
            self._report = probe(self._needed().argv, self._place.machine, {})
            names = self._report.names
            self._collisions = collisions(clients, self._place, self._name, names)

    def tell(self, as_json: bool, dry_run: bool) -> None:
        """Prints what was done. Raises SystemExit when something failed."""
        from kb_runtime.clients.table import CLIENTS
        from kb_runtime.text.rendering import printable

        server = self._server
        if as_json:
            started = None if self._report is None else self._report.as_dict()
            command = None if server is None else list(server.argv)
            facts = {"name": self._name, "scope": self._place.scope, "command": command}
            found = [each.as_dict() for each in self._collisions]
            told = {"changes": self._done, "start": started, "collisions": found}
            print_json({**facts, "dry_run": dry_run, **told})
        else:
            for done in self._done:
                self._tell_change(done, dry_run)
            for diff in self._diffs:
                click.echo(diff)
            self._tell_start()
            for each in self._collisions:
                title = CLIENTS[each.client].title
                click.secho(f"warning: {title}: {printable(str(each))}", err=True, fg="yellow")
            if self._collisions:
                click.echo(
                    "  hint: give each knowledge base a [kb] prefix of its own and set [tools] prefix ="
                    " true, or serve them as one: install both artifacts with one command",
                    err=True,
                )
        if self._report is not None and not self._report.ok:
            raise SystemExit(exit_codes.BROKEN)
        if self._failed:
            raise SystemExit(exit_codes.OUTPUT)

    def _tell_change(self, done: dict[str, Any], dry_run: bool) -> None:
        from kb_runtime.clients.table import CLIENTS
        from kb_runtime.text.rendering import printable

        title = CLIENTS[done["client"]].title
        if "error" in done:
            click.secho(f"{title}: {printable(done['error'])}", err=True, fg="red")
            if done["hint"]:
                click.echo(f"  hint: {done['hint']}", err=True)
            return
        what = self._name if done["what"] == "server" else "instructions"
        words = _WORDS[done["action"]].format(what=what, path=done["path"])
        backup = f" (before: {done['backup']})" if "backup" in done else ""
        click.echo(f"{title}: {'would have ' if dry_run else ''}{words}{backup}")
        if "note" in done:
            click.echo(f"  {done['note']}")

    def _tell_start(self) -> None:
        from kb_runtime.clients.doctor import describe
        from kb_runtime.clients.server import is_temporary

        report = self._report
        if report is None:
            return
        program = self._needed().argv[0]
        wrong = report.problem or report.degraded
        if not wrong:
            click.echo(f"started as a client starts it: {describe(report)}")
        else:
            click.secho(f"the server does not work: {wrong}", err=True, fg="red")
            click.echo(
                "  hint: fix it, or undo with the same command and --uninstall; `doctor` shows details",
                err=True,
            )
        if is_temporary(program):
            click.echo(
                f"  hint: {program} is in an environment that may be deleted at any time;"
                " install the package permanently and run this again",
                err=True,
            )

    def _needed(self) -> Server:
        assert self._server is not None  # only `--uninstall --name` does without
        return self._server


_ATTEMPTS = 5
"""How often a file is read again that another program writes at the same time."""

_WORDS = {
    "add": "added {what} to {path}",
    "update": "updated {what} in {path}",
    "keep": "kept {what} in {path}, which is up to date",
    "remove": "removed {what} from {path}",
    "absent": "found no {what} in {path}",
}


def _named(name: str | None, server: Server | None) -> str:
    from kb_runtime.clients.installation import NAME

    chosen = name if name is not None else server.name if server is not None else ""
    if not NAME.match(chosen):
        raise click.UsageError(
            f"--name must be 1 to 64 letters, digits, hyphens and underscores, not {chosen!r}"
        )
    return chosen


def _list_clients(place: InstallTarget, as_json: bool) -> None:
    from kb_runtime.clients.table import CLIENTS
    from kb_runtime.text.tables import table

    rows = [
        {
            "client": client.id,
            "title": client.title,
            "detected": client.is_detected(place.machine),
            "scopes": list(client.scopes),
            "path": client.path(place.machine, "user", place.project),
        }
        for client in CLIENTS.values()
    ]
    if as_json:
        print_json({"clients": rows})
        return
    cells = [
        [
            str(row["client"]),
            str(row["title"]),
            "found" if row["detected"] else "-",
            ", ".join(client.scopes),
            str(row["path"]),
        ]
        for row, client in zip(rows, CLIENTS.values(), strict=True)
    ]
    click.echo(table([["client", "title", "here", "scopes", "user's file"], *cells]))


def _chosen(
    named: Sequence[str], all_detected: bool, place: InstallTarget, *, or_all: bool = False
) -> list[Client]:
    """The clients that the options mean. Raises click.UsageError and KbcError."""
    from kb_runtime.clients.installation import detected
    from kb_runtime.clients.table import CLIENTS

    wanted = [each.strip() for value in named for each in value.split(",") if each.strip()]
    unknown = [each for each in wanted if each not in CLIENTS]
    if unknown:
        raise click.UsageError(
            f"unknown client {unknown[0]!r}; known clients: {', '.join(CLIENTS)}"
        )
    if wanted and all_detected:
        raise click.UsageError("--client and --all-detected cannot be combined")
    if wanted:
        return [CLIENTS[each] for each in dict.fromkeys(wanted)]
    here = detected(CLIENTS.values(), place.machine)
    if all_detected:
        fitting = [client for client in here if place.scope in client.scopes]
        if fitting:
            return fitting
        raise KbcError(
            "no-client",
            "no client was found on this machine",
            f"name one with --client: {', '.join(CLIENTS)}",
            exit_codes.NOT_FOUND,
        )
    if or_all:
        return list(CLIENTS.values())
    found = f"--client {','.join(client.id for client in here)}" if here else "none was found here"
    raise click.UsageError(f"name the clients with --client, or use --all-detected ({found})")
