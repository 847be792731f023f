"""Chunks of a tree: how large they are and how fast they are made.

    python -m benchmarks.reading.chunking [TREE ...]

Prints, for each tree and sort of file, the distribution of tokens per embedded text (with the special
tokens; the budget is 256), and chunks, kilobytes and tokens per second of one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from kbc.chunking import TokenBudget, chunk
from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter
from kbc.languages.suffixes import MARKDOWN_ENDINGS, ending, language_of
from kbc.records import CompiledChunk, CompiledRecord, DocRecord

LARGEST_FILE_BYTES = 1_000_000
SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--files", type=int, default=2_000, help="at most so many of each tree")
    options = parser.parse_args(arguments)
    corpus = Path("../shared/corpora/quint-docs")
    trees = options.trees or [corpus if corpus.is_dir() else Path()]
    counter = TokenCounter(resolve_model())
    budget = TokenBudget(count=counter.count)
    print(
        "| tree | sort | files | chunks | min | 10 % | 50 % | 90 % | max | < 30 | 120 to 220 "
        "| chunks/s | kB/s | tokens/s |"
    )
    print("| --- | --- " + "| ---: " * 12 + "|")
    for tree in trees:
        found = list(records(tree))[: options.files]
        for sort in sorted({sort for sort, _ in found}):
            report(tree.name, sort, [record for kind, record in found if kind == sort], budget)
    return 0


def records(tree: Path) -> Iterator[tuple[str, CompiledRecord]]:
    """The text files below `tree` in order, each with its sort: markdown, source or text."""
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        is_markdown = ending(name) in MARKDOWN_ENDINGS
        known = is_markdown or ending(name) == "txt" or language_of(name)
        if not known or not path.is_file() or path.stat().st_size > LARGEST_FILE_BYTES:
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if not text.strip():
            continue
        if is_markdown:
            yield "markdown", page(name, text)
        else:
            sort = "source" if language_of(name) else "text"
            yield sort, CompiledRecord(id=name, collection="code", title=name, path=name, text=text)


def page(name: str, text: str) -> DocRecord:
    return DocRecord(
        id=name,
        collection="docs",
        title=name,
        path=name,
        text=text,
        group="core",
        format="mdx" if name.endswith(".mdx") else "markdown",
        content=text,
    )


def report(tree: str, sort: str, found: Sequence[CompiledRecord], budget: TokenBudget) -> None:
    started = time.perf_counter()
    chunks: list[CompiledChunk] = []
    for record in found:
        chunks += chunk(record, budget)
    seconds = time.perf_counter() - started
    sizes = sorted(budget.count(each.embedded_text) for each in chunks)
    points = [sizes[min(int(share * len(sizes)), len(sizes) - 1)] for share in SHARES]
    small = sum(size < 30 for size in sizes) / len(sizes)
    aimed = sum(120 <= size <= 220 for size in sizes) / len(sizes)
    kilobytes = sum(len(record.text) for record in found) / 1000
    print(
        f"| {tree} | {sort} | {len(found)} | {len(chunks):,} | "
        + " | ".join(map(str, points))
        + f" | {small:.1%} | {aimed:.0%} | {len(chunks) / seconds:,.0f} "
        f"| {kilobytes / seconds:,.0f} | {sum(sizes) / seconds:,.0f} |"
    )


if __name__ == "__main__":
    raise SystemExit(main())
