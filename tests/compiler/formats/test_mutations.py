"""Damaged files of every format: one problem at most, never an exception, bounded text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest
from benchmarks.mutations import mutated
from tests.compiler.formats.samples import INVENTORY, PYTHON, read, samples

from kbc.formats import ELSEWHERE, UNRESOLVED, FormatError, convert
from kbc.formats.inventory import read_inventory
from kbc.formats.python.module_pages import module_page
from kbc.formats.rst import Context, embedded

SEED = 20261122
PROGRAMS = frozenset(
    ["org", "man", "docbook", "mediawiki", "dokuwiki", "docx", "odt", "pptx", "epub", "pdf"]
)
"""Formats that are read by a program of its own, which takes some time to start."""


def damaged_copies(data: bytes, count: int) -> Iterator[bytes]:
    chance = random.Random(SEED)
    for _ in range(count):
        yield mutated(data, chance)


def check(name: str, path: str, data: bytes) -> None:
    found = convert(path, data, read, format=name)
    assert found
    problems = [
        each for one in found for each in one.problems if each.code not in (UNRESOLVED, ELSEWHERE)
    ]
    assert len(problems) <= 1, problems
    if not any(one.text for one in found) and problems:
        assert problems[0].message
        assert problems[0].line >= 0
    assert sum(len(one.text) for one in found) < 200 * len(data) + 2_000_000


@pytest.mark.slow
@pytest.mark.timeout(3600)  # hundreds of programs take their time on a busy machine
@pytest.mark.parametrize("name", sorted(samples()))
def test_damaged_files_are_one_problem_at_most(name: str) -> None:
    """`benchmarks.mutations` tries a thousand of each format, also of those that programs read."""
    path, data = samples()[name]
    for damaged in damaged_copies(data, 200 if name in PROGRAMS else 1000):
        check(name, path, damaged)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(samples()))
def test_what_nests_deeply_is_one_problem_at_most(name: str) -> None:
    path, data = samples()[name]
    openers = {
        "rst": "".join(f"{' ' * depth * 2}* x\n\n" for depth in range(400)),
        "asciidoc": "\n".join("=" * (4 + depth) for depth in range(500)),
        "notebook": '{"cells": ' + "[" * 100_000,
        "openapi": "openapi: " + "[" * 100_000,
        "org": "".join(f"{' ' * depth}- x\n" for depth in range(300)),
        "docbook": "<article>" + "<section>" * 3000,
        "mediawiki": "\n".join("*" * depth for depth in range(300)),
        "man": ".TH A 1\n" + ".RS\n" * 3000 + "x\n",
    }
    source = openers.get(name)
    check(name, path, source.encode() if source is not None else data[:100] * 1000)


@pytest.mark.slow
def test_damaged_modules_and_inventories_are_read_or_refused() -> None:
    for damaged in [*damaged_copies(PYTHON, 1000), b"x = " + b"(" * 5_000]:
        with suppress(FormatError):
            prose = partial(embedded, around=Context("pkg/a.py", {}.get))
            module_page("pkg.a", "pkg/a.py", damaged, prose, has_private=False)
    for damaged in damaged_copies(INVENTORY, 1000):
        with suppress(FormatError):
            read_inventory(damaged)
