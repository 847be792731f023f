"""Whether a folder without a kb.toml gives as good answers as one with a kb.toml that somebody wrote.

    python -m benchmarks.reading.zero_config FOLDER [--only NAME,...] [--exact | --lexical-only] [--cache DIR]

FOLDER holds the checkouts that projects.toml names; nothing is fetched, and nothing is written into them:
what is built is a copy. Each is built twice, without and with the kb.toml of projects.toml, and asked the
same ten questions. Printed is for how many of them a right page is the first hit, and among the first
three; the bar is that the recognised one is right in the first three at least as often. Exits with 1 when
it is not.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

from kb_runtime.cli.lookup import search
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.text.tables import table
from kbc.pipeline.build import BuildOptions, build
from kbc.recognition.detection import recognise

PROJECTS = Path(__file__).with_name("projects.toml")
HITS = 3
"""A reader, or an agent, looks at so many hits before asking again."""

_MANY = 30
"""Hits that are looked through for the first `HITS` pages: several may be of one page."""


@dataclass(slots=True)
class Answered:
    """How many questions have a right page first, and among the first `HITS`; `wrong` are the others."""

    first: int = 0
    among: int = 0
    wrong: list[str] = field(default_factory=list)


def copied(checkout: Path, project: dict[str, Any], folder: Path) -> Path:
    """The files of a project below `folder`; gives the place that is built."""
    for pattern in project.get("take", ["**"]):
        for source in sorted(checkout.glob(f"{pattern}/*" if pattern.endswith("**") else pattern)):
            target = folder / source.relative_to(checkout)
            if source.is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    return folder / str(project["place"])


def asked(
    artifact: Path, questions: Sequence[Sequence[str]], mode: Literal["hybrid", "lexical"]
) -> Answered:
    found = Answered()
    with Artifact.open(artifact) as opened:
        for question, *right in questions:
            hits = search(opened, question, ["all"], _MANY, mode).answer.hits
            pages = list(dict.fromkeys(unquote(hit.address) for hit in hits))[:HITS]
            are_right = [any(f"/{page}".endswith(f"/{each}") for each in right) for page in pages]
            found.first += are_right[:1] == [True]
            found.among += any(are_right)
            if not any(are_right):
                found.wrong.append(f"{question}: {', '.join(pages)}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--exact", action="store_true", help="embed with full precision")
    parser.add_argument("--lexical-only", action="store_true", help="search by words alone")
    parser.add_argument("--cache", type=Path, help="folder of embeddings, kept between runs")
    arguments = parser.parse_args()
    projects = tomllib.loads(PROJECTS.read_text())["project"]
    only = arguments.only.split(",") if arguments.only else [each["name"] for each in projects]
    rows = [["project", "pages", "top 1", "top 3", "pages (kb.toml)", "top 1", "top 3"]]
    notes: list[str] = []
    is_missed = False
    for project in projects:
        if project["name"] not in only:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            place = copied(arguments.folder / project["name"], project, Path(scratch, "tree"))
            results = []
            for stated in (False, True):
                if stated:
                    (place / "kb.toml").write_text(project["kb"])
                options = BuildOptions(
                    out=Path(scratch, f"out-{stated}"),
                    cache=arguments.cache or Path(scratch, "cache"),
                    exact=arguments.exact,
                    embed=not arguments.lexical_only,
                )
                report = build(place if stated else recognise(place).project, options)
                mode: Literal["hybrid", "lexical"] = (
                    "lexical" if arguments.lexical_only else "hybrid"
                )
                results.append((report.records, asked(report.path, project["questions"], mode)))
            (recognised, found), (written, known) = results
            counts = (recognised, found.first, found.among, written, known.first, known.among)
            rows.append([project["name"], *(f"{count:,}" for count in counts)])
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
            is_missed |= found.among < known.among
            notes += [f"{project['name']}: {wrong}" for wrong in found.wrong]
    print(table(rows, frozenset(range(1, len(rows[0])))))
    print("\n".join(["", "no right page without a kb.toml:", *notes]))
    return is_missed


if __name__ == "__main__":
    sys.exit(main())
