"""Chunks test cases: one part for what a test is about, and one for each of its steps.

A step says little without its test, so the title stands above it. The vector of the first part should
find the whole test, so the embedded text continues with the steps as far as the budget goes; each step
also has a vector of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from kbc.chunking.assembly import Draft, assemble
from kbc.chunking.budget import TokenBudget
from kbc.chunking.header import SEPARATOR, header
from kbc.chunking.lines import TextLines
from kbc.chunking.packing import PackedPassage, pack_lines
from kbc.chunking.plain import prose_cuts
from kbc.records import CompiledChunk, TestRecord

HEAD = "test"
STEP = "step"


def chunk_test_case(record: TestRecord, budget: TokenBudget) -> list[CompiledChunk]:
    """The chunks of a test: those of type `test`, then for each step those of type `step`, whose
    anchor is `step-` and its index."""
    lines = TextLines(record.text, budget, first_number=record.line)
    title = header([record.title], [], budget)
    keys = tuple(dict.fromkeys(filter(None, (record.uid, record.jira_key, record.test_case_id))))
    cuts = prose_cuts(lines, 0, len(lines))
    room = budget.room - title.tokens
    end = len(record.text) - sum(record.step_chars)
    chunk = partial(CompiledChunk, language=record.language)
    head = partial(
        chunk, type=HEAD, title=record.title, breadcrumb=(record.title,), identifiers=keys
    )
    drafts = [
        Draft(passage.start, passage.end, title.text if passage.start else "", head)
        for passage in _passages(lines, 0, end, cuts, room)
    ]
    for step, chars in zip(record.steps, record.step_chars, strict=True):
        start, end = end, end + chars
        part = partial(
            chunk,
            type=STEP,
            title=f"{record.title}{SEPARATOR}Step {step.index}",
            breadcrumb=(record.title, f"Step {step.index}"),
            anchor=f"step-{step.index}",
        )
        drafts += [
            Draft(passage.start, passage.end, title.text, part)
            for passage in _passages(lines, start, end, cuts, room)
        ]
    chunks = assemble(record, lines, drafts)
    heads = [chunk for chunk in chunks if chunk.type == HEAD]
    if len(heads) == 1:
        chunks[0] = _with_steps(chunks[0], chunks[1:], budget)
    return chunks


def _passages(
    lines: TextLines, start: int, end: int, cuts: Sequence[int], room: int
) -> list[PackedPassage]:
    """Characters [start, end), which are whole lines, packed."""
    return pack_lines(lines, *lines.holding(start, end), cuts, room)


def _with_steps(
    head: CompiledChunk, steps: Sequence[CompiledChunk], budget: TokenBudget
) -> CompiledChunk:
    """The first part with as many of the steps in what is embedded as fit."""
    room = budget.room - budget.tokens(head.embedded_text)
    parts = [head.embedded_text]
    for step in steps:
        text = step.text.strip()
        room -= budget.tokens(text)
        if room < 0:
            break
        parts.append(text)
    embedded_text = "\n".join(parts)
    return replace(head, embedded_text=embedded_text) if budget.fits(embedded_text) else head
