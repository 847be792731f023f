"""Formats counts, sizes, times, enumerations and tables as people read them."""

from __future__ import annotations

import time
from collections.abc import Sequence


def count_of(count: int, noun: str) -> str:
    """`1 error`, `2 errors`, `1,200 entries`."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def counted(count: int, nouns: str) -> str:
    """As `count_of`, of a noun in the plural."""
    noun = f"{nouns[:-3]}y" if nouns.endswith("ies") else nouns[:-1]
    return f"{count:,} {noun if count == 1 else nouns}"


def plural(noun: str) -> str:
    """`errors`, `entries`."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def size(size_bytes: float) -> str:
    """A size in the unit that people read: `812 B`, `3.4 MB`."""
    for unit in ("B", "kB", "MB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} GB"


def utc_time(seconds: float) -> str:
    """Seconds since 1970 in ISO 8601, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def first_of(items: Sequence[str], most: int) -> str:
    """The first `most` items, and whether there are more: `a, b, ...`."""
    return ", ".join(items[:most]) + ", ..." * (len(items) > most)


def some_of(items: Sequence[str], most: int) -> str:
    """The first `most` items, and how many more there are: `a, b and 1,200 more`."""
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more:,} more" if more > 0 else "")


def table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Columns padded to one width each; the columns in `right` are aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
