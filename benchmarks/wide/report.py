"""The tables of the wide bench, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.wide.choices import NOTHING, Table, compare, leave_one_out
from benchmarks.wide.sets import LabelledSet

Means = Mapping[str, Mapping[str, Mapping[str, float]]]
"""System -> set -> measure -> mean over the set's questions."""


def print_sets(
    sets: Sequence[LabelledSet], means: Means, counts: Mapping[str, tuple[int, int]], system: str
) -> None:
    """Every set under one system, with questions and chunks (`counts`)."""
    columns = ("ndcg@10", "mrr@10", "success@3", "success@10")
    rows = []
    for one in sets:
        found = means[system][one.name]
        cells = [f"**{found[c]:.4f}**" if c == one.metric else f"{found[c]:.4f}" for c in columns]
        questions, chunks = counts[one.name]
        rows.append([one.name, f"{questions}", f"{chunks:,}", *cells])
    _table(
        f"{system}: every set (its own measure is bold)",
        ["set", "questions", "chunks", *columns],
        rows,
    )


def print_systems(
    sets: Sequence[LabelledSet], table: Table, systems: Sequence[str], baseline: str
) -> None:
    """The set's own measure under every system; below the baseline in brackets what it is better by."""
    rows = []
    for one in sets:
        base = table[baseline][one.name]
        rows.append(
            [
                one.name,
                one.metric,
                f"{base:.4f}",
                *(f"{table[s][one.name] - base:+.4f}" for s in systems if s != baseline),
            ]
        )
    others = [system for system in systems if system != baseline]
    _table(
        f"Every set: {baseline}, and the difference of the others to it",
        ["set", "measure", baseline, *others],
        rows,
    )


def print_choices(table: Table, systems: Sequence[str], baseline: str) -> None:
    """Every choice against the baseline, then what leave-one-set-out chooses among all of them and
    between the baseline and each of them."""
    rows = []
    for system in systems:
        choice = compare(table, system, baseline)
        pair = leave_one_out(table, [baseline, system], baseline)
        rows.append(
            [
                system,
                f"{choice.mean:.4f}",
                f"{choice.delta:+.4f}",
                f"{choice.up}",
                f"{choice.down}",
                f"{choice.worst:+.4f} {choice.worst_set}".strip(),
                f"{pair.mean:.4f} ({pair.delta:+.4f})",
            ]
        )
    _table(
        f"Choices, {len(table[baseline])} sets (up and down: by more than {NOTHING})",
        ["system", "mean", "delta", "up", "down", "worst loss", "left out: it or the baseline"],
        rows,
    )
    if len(systems) > 1:
        best = leave_one_out(table, systems, baseline)
        chosen = ", ".join(f"{name} {count}x" for name, count in best.choices)
        print(
            f"\nleave one set out among all: {best.mean:.4f} ({best.delta:+.4f} to {baseline}),"
            f" worst {best.worst:+.4f} {best.worst_set}; chosen: {chosen}"
        )


def print_losses(
    sets: Sequence[LabelledSet], table: Table, baseline: str, other: str, margin: float
) -> None:
    """The sets on which the baseline is more than `margin` below another system; and of sets of texts by
    how much it is above, on average and at least."""
    lost = [
        (table[other][one.name] - table[baseline][one.name], one.name)
        for one in sets
        if table[other][one.name] - table[baseline][one.name] > margin
    ]
    print(f"\n{baseline} below {other} by more than {margin}: ", end="")
    print(
        ", ".join(f"{name} {delta:.4f}" for delta, name in sorted(lost, reverse=True)) or "nowhere"
    )
    above = {
        one.name: table[baseline][one.name] - table[other][one.name]
        for one in sets
        if any(part.documents is not None for part in one.parts)
    }
    if above:
        least = min(above, key=above.__getitem__)
        mean = sum(above.values()) / len(above)
        print(
            f"{baseline} above {other} on {len(above)} sets of texts: mean {mean:+.4f},"
            f" least {above[least]:+.4f} {least}"
        )


def _table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n{title}\n")
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
