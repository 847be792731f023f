"""`kbc tune`: proposes settings of search as a change of kb.toml."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json
from kb_runtime.text.tables import count_of
from kbc.cli.environment import default_cache
from kbc.cli.options import PATH, SCOPE, flag, path_option

TUNED = "tune"
"""The folder of the cache that builds for tuning are in."""
EASY = (
    "these questions were made from titles, names and links: they are easy, because the answers contain"
    " their words. Write questions as readers ask them before you trust settings chosen by these"
)


@click.command("tune")
@click.argument("kb", default=".", type=PATH)
@path_option(
    "--questions",
    help="A file with [[question]] tables; default: questions.toml in KB, else easy questions made from it.",
)
@SCOPE
@path_option("--artifact", help="An existing build of KB; default: KB is built into the cache.")
@flag("--apply", "is_applied", help="Write the proposed settings into kb.toml.")
@AS_JSON
def tune_command(
    kb: Path,
    questions: Path | None,
    scope: str,
    artifact: Path | None,
    is_applied: bool,
    as_json: bool,
) -> None:
    """Propose search settings for KB, chosen by cross-validation on labelled questions.

    Prints every setting that is significantly better, and the change of kb.toml as a diff.
    """
    from kb_runtime.errors import UsageError
    from kb_runtime.knowledge.artifact import Artifact
    from kbc.evaluation import kb_toml, tuning
    from kbc.evaluation.known_items import known_item_questions
    from kbc.evaluation.questions import QUESTIONS, read_questions
    from kbc.project.loading import PROJECT_FILE

    path = kb / PROJECT_FILE
    text = _read(path)
    settings, name = kb_toml.search_settings(text), kb_toml.stated_name(text)
    if questions is None and (kb / QUESTIONS).is_file():
        questions = kb / QUESTIONS
    given = None if questions is None else read_questions(questions)  # before a build of minutes
    with Artifact.open(artifact or _build(kb)) as opened:
        if name not in (None, opened.manifest["name"]):
            raise UsageError(
                f"{artifact} is a build of {opened.manifest['name']!r}, and {path} is {name!r}",
                "Name a build of it, or leave out --artifact.",
            )
        asked = known_item_questions(opened) if given is None else given
        proposal = tuning.tune(opened, asked, settings, scope)
    if not as_json:  # before what may fail: it took minutes
        if questions is None:
            click.echo(f"note: {EASY}", err=True)
        if len(asked) < tuning.LEAST_QUESTIONS:
            click.echo(
                f"note: with {count_of(len(asked), 'question')}, hardly any difference is significant",
                err=True,
            )
        click.echo(str(proposal))
    diff = ""
    if proposal.is_recommended:
        changed = kb_toml.with_search(text, proposal.settings)
        diff = kb_toml.difference(text, changed)
        if is_applied:
            write_settings(path, changed)
    if as_json:
        facts = proposal.as_dict() | {"easy": questions is None, "diff": diff}
        print_json(facts | {"applied": bool(diff) and is_applied})
        return
    click.echo(diff, nl=False)
    if diff:
        click.echo(f"wrote {path}" if is_applied else "write it with --apply", err=True)


def _build(kb: Path) -> Path:
    from kbc.cli import reporting
    from kbc.pipeline.build import BuildOptions, build

    cache = Path(default_cache())
    options = BuildOptions(out=cache / TUNED, keep=1, cache=cache, draft_first=False)
    with closing(reporting.progress(False)) as progress:
        return build(kb, options, progress).path


def _read(path: Path) -> str:
    from kb_runtime.errors import UsageError

    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read", "Name a folder with a kb.toml; `kbc init` writes one."
        ) from error


def write_settings(path: Path, text: str) -> None:
    """Puts `text` in the place of a kb.toml. Raises `OutputError`."""
    from kb_runtime.store.atomic_files import replace_text
    from kbc.errors import OutputError

    try:
        replace_text(path, text)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
