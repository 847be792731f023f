"""Clients that never pause while what they ask is published again and again.

    python -m benchmarks.swaps [--swaps 200] [--clients 20] [--transport http,stdio,alone] [--kbs 1]

A small knowledge base, of which every page carries the number of its version, is built and published
`--swaps` times while one server answers `--clients` clients, over HTTP or over as many conversations of
the stdio front end. With `--kbs 2` another knowledge base, which stays as it is, is served with it.

    errors       answers that are errors, of the protocol or of a tool
    mixed        answers with the numbers of two versions
    backwards    answers older than one that the same client had before
    late         answers to calls made after a publication returned that still show the version before;
                 the first call after it opens the new version, and others go on with the old one
                 meanwhile, so there may be some, for the time that opening takes (`latest` in ms)

`alone` is one process that swaps between three versions five times as often, calls every tool after each
swap and collects garbage before it looks at its memory: what it still grows by is a leak.

Memory (private: USS), descriptors, maps and threads of the server are taken after each swap, but for the
first tenth, in which it warms up; the median of the last third is compared with that of the first, because a
version that is being opened or closed at the moment is no growth. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.swaps.clients import CALLS, REVISION
from benchmarks.swaps.outcome import Outcome, state_of
from benchmarks.swaps.servers import serve, server
from benchmarks.swaps.traffic import NUMBER, Author, Traffic
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.store.manifest import CURRENT
from kbc.pipeline.build import BuildOptions, build

_SHARED = ("docs", "notes")


def run(
    transport: str, *, swaps: int, clients: int, scratch: Path, embed: bool = True, kbs: int = 1
) -> Outcome:
    """One run; `scratch` is an empty folder."""
    author = Author(scratch / "swaps", embed=embed)
    folders = [author.publish()]
    if kbs > 1:
        folders.append(_other(scratch / "other", embed))
    outcome = Outcome(swaps)
    with server(transport, folders, scratch) as (process, connect):
        watched = psutil.Process(process.pid)
        traffic = Traffic([connect() for _ in range(clients)], author, outcome)
        try:
            for number in range(1, swaps + 1):
                author.publish()
                if number > swaps // 10:
                    outcome.states.append(state_of(watched))
        finally:
            traffic.stop()
    return outcome


def run_alone(swaps: int, scratch: Path) -> Outcome:
    """Swaps in this process, which nothing else disturbs; see the module's text."""
    author = Author(scratch / "swaps", embed=True)
    folder = author.publish()
    versions = [(folder / CURRENT).read_text()]
    for _ in range(2):
        author.publish()
        versions.append((folder / CURRENT).read_text())
    del author  # and the engines of its builds
    live = LiveArtifact(folder)
    dispatcher = Dispatcher(live)
    outcome = Outcome(5 * swaps)
    for number in range(1, outcome.swaps + 1):
        (scratch / "next").write_text(versions[number % 3])
        (scratch / "next").replace(folder / CURRENT)
        for method, params in CALLS:
            answer = {"result": dispatcher.handle(method, params, REVISION)}
            outcome.calls += 1
            seen = {int(each) for each in NUMBER.findall(json.dumps(answer))}
            outcome.versions_seen |= seen
            if len(seen) > 1:
                outcome.mixed.append(f"{method} {params}: {sorted(seen)}")
        if number in (outcome.swaps // 10, outcome.swaps):
            time.sleep(1)  # the engine's threads of the last versions need a moment to end
            gc.collect()
            outcome.states.append(state_of(psutil.Process()))
    live.close()
    return outcome


def _other(folder: Path, embed: bool) -> Path:
    """A knowledge base that stays as it is."""
    (folder / "kb" / "docs").mkdir(parents=True)
    (folder / "kb" / "kb.toml").write_text('[kb]\nname = "other"\ntitle = "Other"\nversion = "1"\n')
    for name in _SHARED:
        text = f"# {name}\n\nA lamp needs oil, and a match.\n"
        (folder / "kb" / "docs" / f"{name}.md").write_text(text)
    return build(folder / "kb", BuildOptions(out=folder / "out", embed=embed)).path.parent


def report(transport: str, outcome: Outcome) -> None:
    early, final = outcome.early, outcome.final
    print(f"{transport}: {outcome.swaps} swaps, {outcome.calls} calls")
    print(f"  versions seen   {len(outcome.versions_seen)}")
    print(f"  errors          {len(outcome.errors)}")
    print(f"  mixed           {len(outcome.mixed)}")
    print(f"  backwards       {outcome.backwards}")
    print(f"  late            {outcome.late} (latest {outcome.latest_ms:.0f} ms)")
    print(f"  notifications   {outcome.told}")
    print(f"  memory          {early.memory_mb:.1f} -> {final.memory_mb:.1f} MB")
    for name in ("descriptors", "maps", "threads"):
        print(f"  {name:<15} {getattr(early, name):g} -> {getattr(final, name):g}")
    for example in (outcome.errors + outcome.mixed)[:3]:
        print(f"  {example}")
    print(f"  missed          {', '.join(outcome.missed) or 'nothing'}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--swaps", type=int, default=200)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--transport", default="http,stdio,alone")
    parser.add_argument("--kbs", type=int, default=1)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("folders", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.folders)
        return 0
    missed = False
    for transport in options.transport.split(","):
        with tempfile.TemporaryDirectory(prefix="kbc-swaps-") as name:
            if transport == "alone":
                outcome = run_alone(options.swaps, Path(name))
            else:
                outcome = run(
                    transport,
                    swaps=options.swaps,
                    clients=options.clients,
                    scratch=Path(name),
                    kbs=options.kbs,
                )
        report(transport, outcome)
        missed = missed or bool(outcome.missed)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
