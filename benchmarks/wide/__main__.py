"""Chooses by many collections: every system on every labelled set, with leave-one-set-out.

    python -m benchmarks.wide --corpora DIR --artifacts DIR [--sets NAME,...] [--exact] [--reuse]
        [--model DIR] [--rerank-model DIR] [--systems NAME,...] [--system "NAME: key=value ..."]
        [--dump FILE.npz] [--check]

Sets are compiled as a user would (front ends, chunker, build) and searched with the searcher of the
tools. README.md says what the sets are and where their files come from; one whose files are not there
is reported as absent. The scores of every question are kept in ARTIFACTS/results as JSON Lines.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.wide import report
from benchmarks.wide.dump import Writer
from benchmarks.wide.engine import BuildSettings, Opened, System, build_part
from benchmarks.wide.measures import MEASURES, means, measure
from benchmarks.wide.sets import Absent, Folders, LabelledSet, SetError, read_sets
from benchmarks.wide.systems import BASELINE, DEFAULT, SYSTEMS, UnknownSystemError, parse

DEPTH = 500
"""Candidates of each side in a dump."""
MIX = "minmax"
"""What the baseline is compared with, set by set."""
MARGIN = 0.005


class Asked(NamedTuple):
    """What a set gave: system -> the scores of its questions; questions and chunks; wrong labels."""

    scores: dict[str, list[dict[str, float]]]
    lines: list[str]
    questions: int
    chunks: int
    unknown: list[str]


def run_set(
    one: LabelledSet, systems: Mapping[str, System], build: BuildSettings, dump: Writer | None
) -> Asked:
    asked = Asked({name: [] for name in systems}, [], 0, 0, [])
    chunks = 0
    for part in one.parts:
        built = build_part(one, part, build)
        chunks += built.chunks
        with Opened.open(one, built) as artifact:
            for question in part.questions:
                if part.documents is None and (wrong := artifact.unknown(question)):
                    asked.unknown.append(f"{question.text!r} expects {', '.join(wrong)}")
                gains = [target.gain for target in question.targets]
                for name, system in systems.items():
                    hits = artifact.ask(question, system)
                    found = measure(
                        [(hit.record, hit.answers) for hit in hits], gains, one.protocol
                    )
                    asked.scores[name].append(found)
                    asked.lines.append(
                        json.dumps(
                            {
                                "set": one.name,
                                "part": part.name,
                                "query": question.text,
                                "system": name,
                                **{key: round(found[key], 6) for key in MEASURES},
                                "hits": [hit.name for hit in hits[:10]],
                                "expect": [target.name for target in question.targets][:10],
                            },
                            ensure_ascii=False,
                        )
                    )
                if dump is not None:
                    about: dict[str, Any] = {
                        "set": one.name,
                        "part": part.name,
                        "query": question.text,
                        "scope": question.scope,
                        "protocol": one.protocol,
                        "metric": one.metric,
                    }
                    candidates = artifact.candidates(question, DEPTH)
                    dump.add(about, artifact.collections, gains, candidates)
    questions = sum(len(part.questions) for part in one.parts)
    return asked._replace(questions=questions, chunks=chunks)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    folders = Folders(options.corpora, options.text, options.code_labels, options.own)
    try:
        sets = read_sets(folders, [name for name in options.sets.split(",") if name])
        systems = dict(map(parse, [*filter(None, options.systems.split(",")), *options.system]))
    except (SetError, UnknownSystemError) as error:
        print(error, file=sys.stderr)
        return 2
    systems = {BASELINE: SYSTEMS[BASELINE], **systems}
    build = BuildSettings(
        options.artifacts,
        options.exact,
        options.reuse,
        options.cache,
        options.model,
        options.rerank_model,
    )
    dump = Writer() if options.dump is not None else None
    results = options.artifacts / "results"
    results.mkdir(parents=True, exist_ok=True)
    present, found, counts, unknown = [], {name: {} for name in systems}, {}, []  # type: ignore[var-annotated]
    for one in sets:
        if isinstance(one, Absent):
            print(f"{one.name}: absent, there is no {one.missing}", file=sys.stderr)
            continue
        started = time.monotonic()
        asked = run_set(one, systems, build, dump)
        (results / f"{one.name}.jsonl").write_text("\n".join(asked.lines) + "\n", encoding="utf-8")
        present.append(one)
        counts[one.name] = asked.questions, asked.chunks
        unknown += [f"{one.name}: {each}" for each in asked.unknown]
        for name in systems:
            found[name][one.name] = means(asked.scores[name])
        seconds = time.monotonic() - started
        print(f"{one.name}: {asked.questions} questions, {seconds:.0f} s", file=sys.stderr)
    for each in unknown:
        print(f"no such record: {each}", file=sys.stderr)
    if dump is not None:
        dump.write(options.dump)
    if not present:
        print("no set is here", file=sys.stderr)
        return 2
    variant = "fp32 (--exact)" if options.exact else "the 8-bit graph"
    print(f"\nDocuments embedded with {variant}.")
    table = {
        name: {one.name: found[name][one.name][one.metric] for one in present} for name in systems
    }
    report.print_sets(present, found, counts, BASELINE)
    report.print_systems(present, table, list(systems), BASELINE)
    if len(present) > 1:
        report.print_choices(table, list(systems), BASELINE)
    if MIX in systems:
        report.print_losses(present, table, BASELINE, MIX, MARGIN)
    return int(bool(unknown))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.wide", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--corpora", type=Path, required=True, help="folder of fetched repositories"
    )
    parser.add_argument("--artifacts", type=Path, required=True, help="builds, cache and results")
    parser.add_argument("--text", type=Path, default=Path("../shared/bench/text"))
    parser.add_argument("--code-labels", type=Path, default=Path("../shared/bench/code-search"))
    parser.add_argument("--own", type=Path, default=Path("kb"))
    parser.add_argument("--sets", default="", help="only these, separated by commas")
    parser.add_argument("--systems", default=",".join(DEFAULT), help="separated by commas")
    parser.add_argument("--system", action="append", default=[], help="'NAME: key=value ...'")
    parser.add_argument("--exact", action="store_true", help="embed documents with full precision")
    parser.add_argument("--model", type=Path, help="of sentence-transformers, instead of MiniLM")
    parser.add_argument("--rerank-model", type=Path, help="a cross-encoder, for the system rerank")
    parser.add_argument("--reuse", action="store_true", help="take artifacts as they are")
    parser.add_argument("--cache", type=Path, help="of the compiler; default: below --artifacts")
    parser.add_argument("--dump", type=Path, help="write candidates for fitting fusion here (.npz)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
