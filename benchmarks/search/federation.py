"""How near the ranking over a split knowledge base is to that of the whole, by words alone.

    python -m benchmarks.search.federation FOLDER [--queries 300] [--topic REGEX]

The Markdown pages below FOLDER are compiled as one knowledge base and, without vectors, as two: once
split at random, once by whether a page's path matches `--topic`. Queries are sentences of pages, drawn
with a fixed seed. `shared` is the federation, which counts words over both parts; `separate` merges what
each part answers by itself.

    same       share of the whole's ten best pages that are among the ten best here
    first      how often the best page is the same
    MRR@10     of the page that a query was taken from
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.knowledge.interface import Knowledge
from kb_runtime.search.request import SearchRequest
from kbc.pipeline.build import BuildOptions, build

LIMIT = 10
_RANDOM_PART = 8  # one page in so many is in the small part of a random split
_SENTENCE = re.compile(r"[A-Z][^.\n`]{40,120}\.")

Rank = Callable[[str], list[str]]


def compiled(name: str, pages: Sequence[Path], source: Path, scratch: Path) -> Artifact:
    root = scratch / name
    (root / "docs").mkdir(parents=True)
    (root / "kb.toml").write_text(f'[kb]\nname = "{name}"\ntitle = "{name}"\nversion = "1"\n')
    for page in pages:
        copy = root / "docs" / page.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, copy)
    return Artifact.open(build(root, BuildOptions(out=scratch / "out", embed=False)).path)


def scored(knowledge: Knowledge, query: str) -> list[tuple[float, str]]:
    request = SearchRequest(query, limit=LIMIT, mode="lexical", per_record=1, names=False)
    return [
        (-hit.score, knowledge.catalog(hit.collection).id(hit.record))
        for hit in knowledge.searcher.search(request).hits
    ]


def ranked(knowledge: Knowledge) -> Rank:
    return lambda query: [page for _, page in scored(knowledge, query)]


def separate(parts: Sequence[Artifact]) -> Rank:
    def rank(query: str) -> list[str]:
        found = sorted(one for part in parts for one in scored(part, query))
        return [page for _, page in found[:LIMIT]]

    return rank


def sampled(pages: Sequence[Path], source: Path, count: int) -> list[tuple[str, str]]:
    """Sentences and the ids of the pages that they are from."""
    chosen = random.Random(3)
    queries = []
    for page in pages:
        sentences = _SENTENCE.findall(page.read_text(encoding="utf-8", errors="replace"))
        if sentences:
            queries.append((chosen.choice(sentences), f"docs/{page.relative_to(source)}"))
    chosen.shuffle(queries)
    return queries[:count]


def show(name: str, rank: Rank, whole: Rank, queries: Sequence[tuple[str, str]]) -> None:
    same = first = reciprocal = 0.0
    for query, page in queries:
        here, expected = rank(query), whole(query)
        same += len({*here} & {*expected}) / max(1, len(expected))
        first += here[:1] == expected[:1]
        reciprocal += 1 / (here.index(page) + 1) if page in here else 0.0
    count = len(queries)
    print(f"{name:<20} {same / count:6.3f} {first / count:6.3f} {reciprocal / count:7.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--topic", default="cargo|crate|registry|edition|release")
    options = parser.parse_args()
    source: Path = options.folder
    pages = sorted(source.rglob("*.md"))
    small = {*random.Random(3).sample(pages, len(pages) // _RANDOM_PART)}
    topic = re.compile(options.topic)
    splits = {
        "random": small,
        "topic": {page for page in pages if topic.search(str(page.relative_to(source)))},
    }
    queries = sampled(pages, source, options.queries)
    with tempfile.TemporaryDirectory(prefix="kbc-federation-") as name, ExitStack() as opened:
        scratch = Path(name)
        whole = opened.enter_context(compiled("whole", pages, source, scratch))
        print(f"{len(pages)} pages, {len(queries)} queries\n{'':<20}   same  first  MRR@10")
        show("whole", ranked(whole), ranked(whole), queries)
        for kind, chosen in splits.items():
            others = [page for page in pages if page not in chosen]
            parts = [
                opened.enter_context(compiled(f"{kind}-{at}", each, source, scratch))
                for at, each in enumerate((sorted(chosen), others))
            ]
            both = opened.enter_context(Federation(parts))
            print(f"{kind}: {len(chosen)} and {len(others)} pages")
            show("  shared", ranked(both), ranked(whole), queries)
            show("  separate", separate(parts), ranked(whole), queries)
    return 0


if __name__ == "__main__":
    sys.exit(main())
