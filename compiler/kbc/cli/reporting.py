"""Shows diagnostics, a progress bar and tables. Colour on terminals only."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from kb_runtime.text.tables import count_of, counted, size, table
from kbc.diagnostics import Diagnostic, Severity
from kbc.pipeline.progress import Phase, Progress

if TYPE_CHECKING:
    from kbc.pipeline.build import BuildReport

MOST_OF_A_CODE = 10
"""Warnings of one code that a build shows: with more, other findings would be overlooked."""

_BAR_WIDTH = 30
REDRAW_S = 0.1
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}


def show_diagnostics(
    diagnostics: Iterable[Diagnostic], most: int | None = None, *, notes: bool = True
) -> None:
    """The findings on stderr, in report order and without `notes` if so asked, then a line that counts them.
    Of warnings and notes of one code, `most` are shown (None: all), and a line says how many there are
    besides."""
    counts = dict.fromkeys(Severity, 0)
    of_code: Counter[str] = Counter()
    for found in diagnostics:
        if found.severity is Severity.NOTE and not notes:
            continue
        counts[found.severity] += 1
        of_code[found.code] += not found.is_error
        if most is not None and of_code[found.code] > most:
            continue
        first, *rest = str(found).split("\n")
        click.secho(first, err=True, fg=_COLOURS[found.severity])
        for line in rest:
            click.echo(line, err=True)
    for code, count in of_code.items():
        if most is not None and count > most:
            click.echo(f"... and {count - most:,} more [{code}]; `kbc check` shows all", err=True)
    told = [count_of(count, severity.label) for severity, count in counts.items() if count]
    if told:
        click.echo(", ".join(told), err=True)


def phase_table(phases: Sequence[Phase]) -> str:
    """Where the time of a build went: seconds, share, count and rate of each phase."""
    total = sum(phase.seconds for phase in phases)
    rows = [["phase", "seconds", "share", "count", "rate"]]
    for phase in phases:
        worked = counted(phase.count, phase.unit) if phase.count else ""
        rate = f"{phase.rate:,.0f}/s" if phase.rate else ""
        share = f"{phase.seconds / total:.0%}" if total else ""
        rows.append([phase.name, f"{phase.seconds:.2f}", share, worked, rate])
    rows.append(["total", f"{total:.2f}", "", "", ""])
    return table(rows, frozenset({1, 2, 3, 4}))


def show_build(report: BuildReport) -> None:
    click.echo(phase_table(report.phases))
    what = "is live again" if report.reused else "is live"
    if report.was_live:
        what = "was up to date"
    counts = f"{count_of(report.records, 'record')}, {count_of(report.chunks, 'chunk')}"
    click.echo(f"{report.name} {report.build_id} {what}: {counts}, {size(report.size_bytes)}")
    click.echo(f"{report.path}")


class PlainProgress(Progress):
    """One line a phase on stderr, for logs and pipes."""

    def end(self, phase: Phase) -> None:
        worked = f" ({counted(phase.count, phase.unit)})" if phase.count else ""
        click.echo(f"{phase.name}{worked}: {phase.seconds:.2f} s", err=True)


class BarProgress(Progress):
    """One line on stderr with a bar, counts and the rate, redrawn in place, for people at a terminal."""

    def __init__(self) -> None:
        self._name = self._unit = ""
        self._total = 0
        self._begun = self._drawn = 0.0

    def begin(self, name: str, total: int, unit: str) -> None:
        self._name, self._total, self._unit = name, total, unit
        self._begun, self._drawn = time.monotonic(), -math.inf
        self.advance(0)

    def advance(self, done: int, tokens: int = 0) -> None:
        now = time.monotonic()
        if now - self._drawn < REDRAW_S:
            return
        self._drawn = now
        line = f"{self._name:<8} "
        if self._total:
            filled = min(done, self._total) * _BAR_WIDTH // self._total
            line += f"{'━' * filled:<{_BAR_WIDTH}} {done:,}/{self._total:,} {self._unit}"
        if tokens:
            line += f", {tokens / (now - self._begun):,.0f} tokens/s"
        width = shutil.get_terminal_size().columns - 1  # the last column would begin a new line
        click.echo(f"\r{line[:width]}\033[K", err=True, nl=False)

    def close(self) -> None:
        click.echo("\r\033[K", err=True, nl=False)


def progress(quiet: bool) -> Progress:
    """The progress display that fits this process's stderr."""
    if quiet:
        return Progress()
    return BarProgress() if sys.stderr.isatty() else PlainProgress()
