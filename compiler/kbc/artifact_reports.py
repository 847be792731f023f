"""`kbc verify`, `inspect` and `diff` for people: what the inspecting modules found, as text."""

from __future__ import annotations

from typing import Any

import click

from kb_runtime.verification import VerificationReport
from kbc.inspection import Diff
from kbc.reporting import count_of, size, table

SHOWN_IDS = 10
"""Records named by a diff per collection and kind of change; `--json` has them all."""


def show_verification(report: VerificationReport) -> None:
    for problem in report.problems:
        place = f"{problem.path}: " if problem.path else ""
        click.secho(f"{place}{problem.message} [{problem.code}]", err=True, fg="red")
    facts = f"{count_of(report.files, 'file')}, {size(report.bytes)}"
    verdict = "ok" if report.ok else f"damaged: {count_of(len(report.problems), 'problem')}"
    click.echo(f"{report.build_id} {verdict}: {facts}; checked {', '.join(report.checks)}")


def render_inspection(facts: dict[str, Any]) -> str:
    """The manifest's facts: what it is, what it holds, what encodes it, how large it is."""
    encoder = facts["encoder"]
    head = [
        [f"{facts['name']} {facts['version']}", facts["title"]],
        ["build", f"{facts['build_id']}, {facts['built_at']}, format {facts['format']}"],
        ["path", facts["path"]],
        ["holds", ", ".join(f"{count:,} {what}" for what, count in facts["counts"].items())],
    ]
    if encoder:
        head.append(
            [
                "encoder",
                f"{encoder['model']}, {encoder['dimensions']} dimensions,"
                f" documents {encoder['documents']}, queries {encoder['queries']}",
            ]
        )
    collections = [["collection", "kind", "group", "records", "chunks"]]
    collections += [
        [each["name"], each["kind"], each["group"], f"{each['records']:,}", f"{each['chunks']:,}"]
        for each in facts["collections"]
    ]
    sizes = [[section, size(size_bytes)] for section, size_bytes in facts["sizes"].items()]
    parts = [table(head), table(collections, frozenset({3, 4})), table(sizes, frozenset({1}))]
    if facts["warnings"]:
        parts.append(f"{count_of(len(facts['warnings']), 'warning')} at build time")
    return "\n\n".join(parts)


def render_diff(diff: Diff) -> str:
    """Added, removed and changed records by collection, then settings, encoder and sizes."""
    if diff.same:
        return f"{diff.old} and {diff.new}: no difference"
    lines = [f"{diff.old} -> {diff.new}"]
    for name, changes in diff.collections.items():
        for sign, ids in (("+", changes.added), ("-", changes.removed), ("~", changes.changed)):
            lines += [f"{sign} {name}/{id}" for id in ids[:SHOWN_IDS]]
            if len(ids) > SHOWN_IDS:
                lines.append(f"{sign} {name}: {len(ids) - SHOWN_IDS} more")
    for what, differences in (("setting", diff.settings), ("encoder", diff.encoder)):
        lines += [f"{what} {name}: {old} -> {new}" for name, (old, new) in differences.items()]
    lines += [
        f"size {section}: {size(old)} -> {size(new)}"
        for section, (old, new) in diff.sizes.items()
        if size(old) != size(new)
    ]
    if not (diff.collections or diff.settings or diff.encoder):
        lines.append(f"no record and no setting changed, only: {', '.join(diff.files)}")
    return "\n".join(lines)
