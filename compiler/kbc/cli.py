"""The command line: options and exit codes. What the commands do lives in the modules they call.

Imports are inside the commands: `kbc version` must not pay for the compiler, and a command that needs
the compiler's extra dependencies must be able to say so.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click

from kb_runtime.errors import ArtifactError, ToolError
from kb_runtime.version import FORMAT_VERSION, __version__
from kbc import exit_codes

EXTRA_COMMAND = 'pip install "kbc[compiler]"'
DEFAULT_OUT = Path("dist-index")


class CommandError(Exception):
    """A command that ends in one sentence on stderr and an exit code."""

    def __init__(self, code: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 success, 2 usage, 3 errors in the knowledge base, 4 artifact refused,"
    " 5 output not writable, 6 model, 7 not found, 8 compiler not installed, 9 below a bound of eval,"
    " 70 defect of kbc.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="kbc")
def cli(debug: bool) -> None:
    """kbc compiles a tree of knowledge into one artifact and serves it over MCP, offline."""


def as_json(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


KB = click.argument("kb", default=".", type=click.Path(path_type=Path))
ARTIFACT = click.argument("artifact", type=click.Path(path_type=Path))


@cli.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option(
    "--kind",
    type=click.Choice(["docs", "pages", "workshops", "code", "tests"]),
    default="docs",
    show_default=True,
    help="What the first files are.",
)
@as_json
def init(folder: Path, kind: str, as_json: bool) -> None:
    """Write a commented starter knowledge base into FOLDER."""
    from kbc.starter import InitError, write_starter

    try:
        written = write_starter(folder, kind)
    except InitError as error:
        raise CommandError(exit_codes.OUTPUT, str(error), "Choose another folder.") from error
    if as_json:
        _print_json({"written": [str(path) for path in written]})
        return
    for path in written:
        click.echo(f"wrote {path}")
    where = shlex.quote(str(folder))
    click.echo(f"next: kbc check {where}; kbc build {where}")


@cli.command()
@KB
@click.option("--allow-outside", is_flag=True, help="Follow paths and links out of the folder.")
@click.option("--strict", is_flag=True, help="Warnings fail, too.")
@as_json
def check(kb: Path, allow_outside: bool, strict: bool, as_json: bool) -> None:
    """Report every mistake in the knowledge base KB, without building it."""
    from kbc import reporting
    from kbc.checking import check as run_check

    found = run_check(kb, allow_outside)
    if as_json:
        _print_json({"diagnostics": [each.as_dict() for each in found]})
    else:
        reporting.show_diagnostics(found)
        if not len(found):
            click.echo("no problems found", err=True)
    if found.errors or (strict and found.warnings):
        raise SystemExit(exit_codes.INPUT)


@cli.command()
@KB
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, help="Default: dist-index."
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Embedding threads; default: all cores.")
@click.option(
    "--model", type=click.Path(path_type=Path), help="A local sentence-transformers folder."
)
@click.option(
    "--fast", is_flag=True, help="Embed with an 8-bit graph: twice as fast, a little worse."
)
@click.option(
    "--query-encoder",
    "query_variant",
    type=click.Choice(["nb8-b32", "fp32", "int8"]),
    default="nb8-b32",
    show_default=True,
    help="The graph that ships for queries; docs/encoder.md compares them.",
)
@click.option("--keep", type=click.IntRange(1), default=3, help="Versions to keep; default: 3.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder of the cache.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option("--allow-outside", is_flag=True, help="Follow paths and links out of the folder.")
@click.option("--check-reproducible", is_flag=True, help="Build twice and compare every byte.")
@click.option("--quiet", is_flag=True, help="No progress, no table.")
@as_json
def build(
    kb: Path,
    out: Path,
    jobs: int | None,
    model: Path | None,
    fast: bool,
    query_variant: Literal["nb8-b32", "fp32", "int8"],
    keep: int,
    cache: Path | None,
    no_cache: bool,
    allow_outside: bool,
    check_reproducible: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compile the knowledge base KB into OUT/<name>/ and make it the live version."""
    from kbc import reporting
    from kbc.pipeline import BuildOptions, build_twice
    from kbc.pipeline import build as run_build

    options = BuildOptions(
        out=out,
        jobs=jobs or os.cpu_count() or 1,
        model=model,
        fast=fast,
        query_variant=query_variant,
        keep=keep,
        cache=None if no_cache else cache or _default_cache(),
        allow_outside=allow_outside,
        source_date_epoch=_source_date_epoch(),
    )
    progress = reporting.progress(quiet or as_json)
    try:
        report = (build_twice if check_reproducible else run_build)(kb, options, progress)
    finally:
        progress.close()
    if as_json:
        _print_json(report.as_dict())
        return
    reporting.show_diagnostics(report.diagnostics)
    if not quiet:
        reporting.show_build(report)
        if check_reproducible:
            click.echo("two builds gave the same bytes")


@cli.command()
@ARTIFACT
@as_json
def verify(artifact: Path, as_json: bool) -> None:
    """Hash every file of ARTIFACT, check its structure and run the encoder's self-test."""
    from kb_runtime.verification import verify as run_verify
    from kbc import artifact_reports

    report = run_verify(artifact)
    if as_json:
        _print_json(report.as_dict())
    else:
        artifact_reports.show_verification(report)
    if not report.ok:
        raise SystemExit(exit_codes.ARTIFACT)


@cli.command()
@ARTIFACT
@as_json
def inspect(artifact: Path, as_json: bool) -> None:
    """Show what ARTIFACT holds: collections, encoder, settings, sizes."""
    from kbc import artifact_reports, inspection

    facts = inspection.inspect(artifact)
    if as_json:
        _print_json(facts)
    else:
        click.echo(artifact_reports.render_inspection(facts))


@cli.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@as_json
def diff(old: Path, new: Path, as_json: bool) -> None:
    """Show which records, settings and sizes changed from artifact OLD to NEW."""
    from kbc import artifact_reports, inspection

    changes = inspection.diff(old, new)
    if as_json:
        _print_json(changes.as_dict())
    else:
        click.echo(artifact_reports.render_diff(changes))


@cli.command()
@ARTIFACT
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--scope", "scopes", multiple=True, help="Search in this scope; repeatable. Default: all."
)
@click.option("--limit", type=click.IntRange(1, 50), default=10, help="Default: 10.")
@click.option(
    "--mode", type=click.Choice(["hybrid", "lexical", "semantic"]), default="hybrid", help="Sides."
)
@click.option("--explain", is_flag=True, help="Show why each hit ranks where it does.")
@as_json
def search(
    artifact: Path,
    query: tuple[str, ...],
    scopes: tuple[str, ...],
    limit: int,
    mode: Literal["hybrid", "lexical", "semantic"],
    explain: bool,
    as_json: bool,
) -> None:
    """Search ARTIFACT for QUERY, as the MCP tools do."""
    from kbc import lookup

    found = lookup.search(artifact, " ".join(query), scopes, limit, mode, explain=explain)
    if as_json:
        _print_json(found)
    else:
        click.echo(lookup.render_search(found))


@cli.command("eval")
@ARTIFACT
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    help="A file with [[question]] tables; default: questions.toml.",
)
@click.option("--beir", type=click.Path(path_type=Path), help="Labelled queries in BEIR layout.")
@click.option(
    "--compare", type=click.Path(path_type=Path), help="Another artifact: which questions moved?"
)
@click.option(
    "--fail-under", "bounds", multiple=True, help="MEASURE=NUMBER, such as success@3=0.95."
)
@click.option("--suggest", is_flag=True, help="List badly answered questions, unreached records.")
@click.option(
    "--mode", type=click.Choice(["hybrid", "lexical", "semantic"]), default="hybrid", help="Sides."
)
@as_json
def evaluate(
    artifact: Path,
    questions: Path | None,
    beir: Path | None,
    compare: Path | None,
    bounds: tuple[str, ...],
    suggest: bool,
    mode: Literal["hybrid", "lexical", "semantic"],
    as_json: bool,
) -> None:
    """Measure how well ARTIFACT answers labelled questions."""
    from kb_runtime.artifact import Artifact
    from kbc import evaluation

    if questions is not None and beir is not None:
        raise click.UsageError("--questions and --beir exclude each other")
    try:
        limits = dict(map(evaluation.read_bound, bounds))
        asked = (
            evaluation.read_questions(questions or Path(evaluation.QUESTIONS))
            if beir is None
            else evaluation.read_beir(beir)
        )
        with Artifact.open(artifact) as opened:
            measured = evaluation.evaluate(opened, asked, mode)
            advice = evaluation.suggestions(opened, measured) if suggest else None
        moved = None
        if compare is not None:
            with Artifact.open(compare) as other:
                moved = evaluation.compare(evaluation.evaluate(other, asked, mode), measured)
    except evaluation.EvaluationError as error:
        raise CommandError(exit_codes.USAGE, str(error)) from error
    if as_json:
        facts = measured.as_dict()
        if moved is not None:
            facts["moved"] = [
                {"query": query, "before": before, "after": after} for query, before, after in moved
            ]
        _print_json(facts | ({} if advice is None else {"suggestions": advice}))
    else:
        click.echo(evaluation.render(measured, moved, advice))
    missed = evaluation.below(measured, limits)
    if missed:
        raise CommandError(exit_codes.BELOW, "; ".join(missed))


@cli.command()
@ARTIFACT
@click.argument("name")
@as_json
def get(artifact: Path, name: str, as_json: bool) -> None:
    """Print the record called NAME (a name, alias, path, hit id or kb:// address) of ARTIFACT."""
    from kbc import lookup

    record = lookup.get(artifact, name)
    if as_json:
        _print_json(record)
    else:
        click.echo(lookup.render_record(record))


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def serve(arguments: tuple[str, ...]) -> None:
    """Serve ARTIFACT over MCP: on stdio, or with --http over streamable HTTP."""
    from kb_runtime.__main__ import main as serve_main

    raise SystemExit(serve_main(list(arguments)))


@cli.command()
@as_json
def version(as_json: bool) -> None:
    """Print the version of kbc and of the artifact format."""
    if as_json:
        _print_json({"kbc": __version__, "format": FORMAT_VERSION})
    else:
        click.echo(f"kbc {__version__}, artifact format {FORMAT_VERSION}")


def run(arguments: list[str] | None = None) -> int:
    """Runs the command line and gives its exit code; every expected error is one sentence on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        result = cli.main(arguments, prog_name="kbc", standalone_mode=False)
        return result if isinstance(result, int) else exit_codes.OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; the last published version stays live", err=True)
        return exit_codes.INTERRUPTED
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else exit_codes.INTERNAL
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_codes.OK
    except Exception as error:
        if "--debug" in arguments:
            traceback.print_exc()
        failure = _failure(error) or CommandError(
            exit_codes.INTERNAL,
            f"a defect of kbc: {type(error).__name__}: {error}",
            "run again with `kbc --debug ...` and report what it prints",
        )
        if "--json" in arguments:
            _print_json(_failure_json(failure, error))
        click.secho(f"kbc: {failure.message}", err=True, fg="red")
        if failure.hint:
            click.echo(f"  hint: {failure.hint}", err=True)
        return failure.code


def _failure_json(failure: CommandError, error: Exception) -> dict[str, Any]:
    """What `--json` prints in place of a result: the error, and the diagnostics of a build."""
    told: dict[str, Any] = {
        "error": {"message": failure.message, "hint": failure.hint, "exit_code": failure.code}
    }
    diagnostics = getattr(error, "diagnostics", ())
    if diagnostics:
        told["diagnostics"] = [found.as_dict() for found in diagnostics]
    return told


def _failure(error: Exception) -> CommandError | None:
    """The expected errors of all phases as one sentence with an exit code."""
    if isinstance(error, CommandError):
        return error
    if isinstance(error, ArtifactError):
        return CommandError(exit_codes.ARTIFACT, error.message, error.hint)
    if isinstance(error, ToolError):
        codes = {"NOT_FOUND": exit_codes.NOT_FOUND, "UNAVAILABLE": exit_codes.ARTIFACT}
        code = codes.get(error.kind, exit_codes.USAGE)
        names = f"Close names: {', '.join(error.suggestions)}." if error.suggestions else ""
        return CommandError(code, error.message, names)
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("kb"):
        return CommandError(
            exit_codes.EXTRA,
            f"this command needs the compiler, whose dependency {error.name!r} is not installed",
            EXTRA_COMMAND,
        )
    return _compiler_failure(error)


def _compiler_failure(error: Exception) -> CommandError | None:
    from kbc.diagnostics import BuildError

    if isinstance(error, BuildError):
        from kbc import reporting

        reporting.show_diagnostics(error.diagnostics)
        return CommandError(exit_codes.INPUT, f"{error}; nothing was published")
    try:
        from kbc.encoding.errors import EncodingError, ModelError
        from kbc.linker import PublishError
    except ModuleNotFoundError:
        return None
    if isinstance(error, ModelError):
        return CommandError(exit_codes.MODEL, error.message, error.hint)
    if isinstance(error, EncodingError):
        return CommandError(exit_codes.MODEL, str(error))
    if isinstance(error, PublishError):
        return CommandError(exit_codes.OUTPUT, error.message, error.hint)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return CommandError(exit_codes.OUTPUT, f"{where}{error.strerror}")
    return None


def _default_cache() -> Path:
    """Where the cache lives unless told otherwise: $KBC_CACHE, or kbc/ in the user's cache folder."""
    named = os.environ.get("KBC_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kbc"


def _source_date_epoch() -> int | None:
    value = os.environ.get("SOURCE_DATE_EPOCH")
    if not value:
        return None
    if not value.isdecimal():
        raise CommandError(
            exit_codes.USAGE,
            f"SOURCE_DATE_EPOCH is {value!r}; it must be a number of seconds since 1970",
        )
    return int(value)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
