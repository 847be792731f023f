#!/usr/bin/env python3
"""Makes a release of a knowledge base: builds, verifies, asks its questions, signs, packs, writes notes.

    python scripts/release.py KB --out dist/quint-2026.11.0 --key release.pem
        [--questions kb/questions.toml --fail-under success@3=0.95] [--previous ARTIFACT]

The key, the questions and the previous artifact are read before anything is built. OUT appears when
everything has held, with the artifact, the wheel, the bundles, RELEASE_NOTES.md and
SHA256SUMS in it; otherwise nothing appears. With SOURCE_DATE_EPOCH the same tree gives the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from kb_runtime.cli import runner
from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination import comparison
from kb_runtime.knowledge.examination.verification import render_problem, verify
from kbc.cli import failures
from kbc.cli.environment import (
    default_cache,
    signing_passphrase,
    source_date_epoch,
)
from kbc.errors import BelowBoundError, InputError, OutputError
from kbc.evaluation import answers as evaluation
from kbc.evaluation.answers import Evaluation
from kbc.evaluation.questions import Question, read_questions
from kbc.pipeline.build import BuildOptions, build
from kbc.shipping.bundle.folder import write_bundles
from kbc.shipping.lock import read_lock
from kbc.shipping.notes import notes
from kbc.shipping.product import product
from kbc.shipping.signing import PASSPHRASE_VARIABLE, read_private_key, sign
from kbc.shipping.timestamp import timestamp_of
from kbc.shipping.wheel import write_wheel

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements"
LOCKS = (REQUIREMENTS / "runtime.txt", REQUIREMENTS / "model.txt")
ARTIFACT = "artifact"
NOTES = "RELEASE_NOTES.md"
SUMS = "SHA256SUMS"

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("kb", type=click.Path(path_type=Path, exists=True))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A folder to be made.")
@click.option(
    "--key", type=FILE, help=f"Secret key to sign with; passphrase: ${PASSPHRASE_VARIABLE}."
)
@click.option("--questions", multiple=True, type=FILE, help="Labelled questions; repeatable.")
@click.option("--fail-under", "bounds", multiple=True, help="MEASURE=NUMBER for each of them.")
@click.option("--previous", type=click.Path(), help="The artifact released before, for the notes.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder of the compiler's cache.")
def release(
    kb: Path,
    out: Path,
    key: Path | None,
    questions: tuple[Path, ...],
    bounds: tuple[str, ...],
    previous: str | None,
    cache: Path | None,
) -> None:
    """Build, verify, evaluate, sign and pack the knowledge base KB into OUT."""
    if os.path.lexists(out):
        raise OutputError(f"{out} exists already.", "Choose another folder.")
    to_ask, limits = _read(questions, bounds)
    if key is not None:
        read_private_key(key, signing_passphrase())
    if previous is not None:
        Artifact.open(previous).close()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".release-") as name:
        staged = Path(name, "release")
        staged.mkdir()
        options = BuildOptions(
            out=staged / "build",
            jobs=os.cpu_count() or 1,
            cache=cache or default_cache(),
            source_date_epoch=source_date_epoch(),
        )
        report = build(kb, options)
        if report.diagnostics:
            raise InputError(
                f"{kb} has {len(report.diagnostics)} warnings; a release has none.",
                f"Run `kbc check {kb} --strict`.",
            )
        (staged / "build" / Path(report.path).parent.name).rename(staged / ARTIFACT)
        (staged / "build").rmdir()
        artifact = staged / ARTIFACT
        _verify(artifact)
        asked = _ask(artifact, to_ask, limits)
        if key is not None:
            signer, _ = sign(artifact, key, signing_passphrase(), source_date_epoch())
            click.echo(f"signed with the key {signer}")
        _pack(artifact, staged, asked, previous)
        staged.rename(out)
    click.echo(f"released into {out}")


def _verify(artifact: Path) -> None:
    report = verify(artifact)
    if not report.ok:
        raise ArtifactError("altered", "; ".join(render_problem(each) for each in report.problems))
    click.echo(f"verified {report.build_id}: {', '.join(report.checks)}")


def _read(
    questions: Sequence[Path], bounds: Sequence[str]
) -> tuple[dict[Path, list[Question]], dict[str, float]]:
    """The questions of each file, and the bounds by measure. A bound without questions would let every
    release pass."""
    if bounds and not questions:
        raise click.UsageError("--fail-under needs --questions: without any no bound can be missed")
    limits = dict(map(evaluation.read_bound, bounds))
    return {path: read_questions(path) for path in questions}, limits


def _ask(
    artifact: Path, to_ask: Mapping[Path, list[Question]], limits: Mapping[str, float]
) -> dict[str, Evaluation]:
    """The questions of every file must hold every bound."""
    asked: dict[str, Evaluation] = {}
    with Artifact.open(artifact) as opened:
        for path, questions in to_ask.items():
            found = evaluation.evaluate(opened, questions, "hybrid")
            missed = evaluation.below(found, limits)
            if missed:
                raise BelowBoundError(f"{path}: {'; '.join(missed)}")
            asked[path.name] = found
            click.echo(f"asked {len(found.answers)} questions of {path}")
    return asked


def _pack(
    artifact: Path, staged: Path, asked: Mapping[str, Evaluation], previous: str | None
) -> None:
    """Wheel, bundles, notes and sums."""
    with Artifact.open(artifact) as opened:
        facts = product(opened)
        timestamp = timestamp_of(facts, source_date_epoch())
        wheel = write_wheel(opened, facts, staged, timestamp, read_lock(LOCKS))
        bundles = write_bundles(opened, facts, staged, timestamp)
        build_id = opened.build_id
    files = {wheel.path.name: wheel.size}
    files |= {f"{bundles.folder.name}/{path}": count for path, count in bundles.files.items()}
    diff = comparison.diff(previous, artifact) if previous else None
    (staged / NOTES).write_text(notes(facts, build_id, diff, asked, files), encoding="utf-8")
    (staged / SUMS).write_text(_sums(staged), encoding="utf-8")


def _sums(folder: Path) -> str:
    """As `sha256sum --check` reads them."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
            lines.append(f"{digest.hexdigest()}  {path.relative_to(folder).as_posix()}\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(runner.run(release, sys.argv[1:], "release.py", failures.explain))
