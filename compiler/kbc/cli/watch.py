"""`kbc watch`: rebuilds whenever a file changes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_runtime.cli import runner
from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.errors import KbcError
from kb_runtime.text.rendering import encodable
from kbc.cli.options import PATH, flag, takes_build_options

if TYPE_CHECKING:
    from kbc.pipeline.build import BuildOptions, BuildReport
    from kbc.pipeline.progress import Progress


@click.command()
@click.argument("kbs", metavar="KB...", nargs=-1, type=PATH)
@takes_build_options
@click.option(
    "--exec",
    "command",
    metavar="CMD",
    help="Run CMD with /bin/sh after each new version, but not for one that is live at the start. It"
    " gets $KBC_NAME, $KBC_BUILD_ID and $KBC_ARTIFACT.",
)
@flag("--poll", help="Check the files once a second instead of waiting for events.")
@flag("--quiet", help="Print only problems.")
@AS_JSON
def watch(
    kbs: tuple[Path, ...],
    options: BuildOptions,
    command: str | None,
    poll: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Build each KB, and rebuild it whenever one of its files changes.

    Errors are shown, and the last good version stays live. With --json each event is one line of JSON.
    """
    from kbc.following.watching import Watcher

    output = (_JsonOutput if as_json else _Output)(command, quiet)
    watcher = Watcher(kbs or (Path(),), options, output, poll=poll)

    def interrupt(*_: object) -> None:
        """A supervisor's signal ends a build as Ctrl-C does: cleaned up, with the last version live."""
        watcher.stop()
        raise KeyboardInterrupt

    before = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGINT, *runner.TERMINATIONS)
        if signal.getsignal(number) != signal.SIG_IGN  # as in the background of a script
    }
    try:
        watcher.run()
    except KeyboardInterrupt:
        with suppress(OSError):  # of a terminal that was closed
            output.stopped()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Output:
    """Reports builds to people, and runs the command of --exec."""

    def __init__(self, command: str | None, quiet: bool) -> None:
        self._command = command
        self._quiet = quiet
        self._began = 0.0
        self._live: dict[Path, str] = {}
        self._failing: set[Path] = set()

    def begins(self, root: Path) -> Progress:
        from kbc.cli import reporting

        self._began = time.perf_counter()
        # The first build may take minutes; what a change takes is over before one can read it.
        return reporting.progress(self._quiet or root in self._live)

    def built(self, root: Path, report: BuildReport) -> None:
        new = self._live.get(root) != report.build_id
        if not new and root not in self._failing:
            return  # a file was touched or saved without a change
        self._live[root] = report.build_id
        self._failing.discard(root)
        self._tell_built(report, time.perf_counter() - self._began)
        # Who starts the watcher again has had the command run for what is live already.
        if new and not report.was_live and self._command is not None:
            self._run(self._command, report)

    def failed(self, root: Path, error: Exception) -> None:
        from kbc.cli import failures

        self._failing.add(root)
        failure = failures.explain(error) or runner.defect(error, "kbc")
        self._tell_failed(root, failure)

    def noted(self, sentence: str) -> None:
        click.echo(f"note: {sentence}", err=True)

    def stopped(self) -> None:
        if not self._quiet:
            click.echo("stopped; the last published version stays live", err=True)

    def _tell_built(self, report: BuildReport, seconds: float) -> None:
        from kb_runtime.text.tables import count_of
        from kbc.cli import reporting

        most = reporting.MOST_OF_A_CODE
        reporting.show_diagnostics(report.diagnostics, most, notes=not self._quiet)
        if not self._quiet:
            what = "was up to date" if report.was_live else f"is live after {seconds:.1f} s"
            chunks = count_of(report.chunks, "chunk")
            click.echo(
                f"{time.strftime('%H:%M:%S')} {report.name} {report.build_id} {what}: {chunks},"
                f" {report.embedded:,} embedded"
            )

    def _tell_failed(self, root: Path, failure: KbcError) -> None:
        here = Path.cwd()
        shown = root.relative_to(here) if here in root.parents else root
        click.secho(f"kbc: {shown}: {failure.message}", err=True, fg="red")
        if failure.hint:
            click.echo(f"  hint: {failure.hint}", err=True)

    def _run(self, command: str, report: BuildReport) -> None:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={
                **os.environ,
                "KBC_NAME": report.name,
                "KBC_BUILD_ID": report.build_id,
                "KBC_ARTIFACT": str(report.path),
            },
            stdin=subprocess.DEVNULL,
            stdout=self._command_output(),
            check=False,
        )
        if done.returncode:
            self.noted(f"the command of --exec failed with exit code {done.returncode}: {command}")

    def _command_output(self) -> int | None:
        """Where the command prints; None: where we do."""
        return None


class _JsonOutput(_Output):
    """Reports builds to programs: one JSON object a line on stdout."""

    def begins(self, root: Path) -> Progress:
        from kbc.pipeline.progress import Progress

        self._began = time.perf_counter()
        return Progress()

    def noted(self, sentence: str) -> None:
        _print_line({"event": "note", "message": sentence})

    def stopped(self) -> None:
        _print_line({"event": "stopped"})

    def _tell_built(self, report: BuildReport, seconds: float) -> None:
        _print_line({"event": "built", "seconds": seconds, **report.as_dict()})

    def _tell_failed(self, root: Path, failure: KbcError) -> None:
        told: dict[str, Any] = {
            "event": "failed",
            "kb": str(root),
            "error": {"message": failure.message, "hint": failure.hint},
        }
        found = getattr(failure, "diagnostics", ())
        told["diagnostics"] = [each.as_dict() for each in found]
        _print_line(told)

    def _command_output(self) -> int | None:
        return sys.stderr.fileno()


def _print_line(value: dict[str, Any]) -> None:
    click.echo(encodable(json.dumps(value, ensure_ascii=False)))
    sys.stdout.flush()
