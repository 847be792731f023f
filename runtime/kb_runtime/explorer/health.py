"""The health of a build: what was read and left out, warnings, sizes, texts that need a look."""

from __future__ import annotations

import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

import kb_runtime as kr
from kb_runtime.explorer.links import Links, read_links
from kb_runtime.explorer.record import is_converted, links_of
from kb_runtime.explorer.visit import Visit

LISTED = 15
_COUNTED = 60
"""Of the longest texts by characters, so many are counted in tokens: these are among them."""
_LEAST_DUPLICATE_CHARS = 200
"""Shorter texts that are the same are rather headings and placeholders than copies."""

Report = Mapping[str, Any]


@dataclass(frozen=True)
class Warnings:
    code: str
    entries: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Texts:
    """Records to look at, by address: `longest` with their tokens, `duplicates` in groups that have one
    text, and `orphans` to which nothing links. `names` are ids of records within their collections."""

    longest: Sequence[tuple[str, int]]
    duplicates: Sequence[Sequence[str]]
    orphans: Sequence[str]
    orphan_count: int
    titles: Mapping[str, str]
    names: Mapping[str, str]


@dataclass(frozen=True)
class PhaseSpan:
    """A phase of the build: where it begins in the whole and how long it is, in percent."""

    name: str
    seconds: float
    x: float
    width: float
    count: str


def page(visit: Visit) -> Response:
    report = report_of(visit.kb, visit.explorer.report)
    return visit.render(
        "health.html",
        is_file=False,
        texts=None,
        links=None,
        warned_at=lambda warning: warned_at(visit, warning),
        **summary(visit.kb, report),
    )


def warned_at(visit: Visit, warning: Mapping[str, Any]) -> str:
    """The address of the stored text that a warning is about, at its line; empty where no record was made
    of the file. A text that was converted has other lines than its file: the line is then left out."""
    path, line = str(warning["path"]), warning.get("line")
    try:
        record = visit.kb.get(path)
    except kr.ToolError:
        return ""
    data: Mapping[str, Any] = record.data
    if not f"/{path}".endswith(f"/{data.get('path')}"):
        return ""  # a record whose name is only like that of the file
    first = int(data.get("line", 1))
    in_text = line is not None and first <= line < first + record.text.count("\n") + 1
    if not in_text or is_converted(visit, record):
        return visit.record_url(record.address, view="stored")
    return visit.record_url(record.address, view="stored", line=line) + f"#L{line}"


def texts_part(visit: Visit) -> Response:
    texts = visit.opened.remembered("texts", lambda: read_texts(visit.kb, links_of(visit)))
    return visit.render("texts.html", texts=texts, is_file=False)


def report_of(kb: kr.KnowledgeBase, report: Report | None) -> Report | None:
    """The report where it is of this build."""
    return report if report is not None and report.get("build_id") == kb.build_id else None


def summary(kb: kr.KnowledgeBase, report: Report | None) -> dict[str, Any]:
    """What the page shows at once; `texts` are read after it."""
    manifest = kb.manifest
    inputs: Sequence[Mapping[str, Any]] = kb.inputs
    endings: Counter[str] = Counter()
    for each in inputs:
        endings[os.path.splitext(each["path"])[1].lower() or "no ending"] += 1
    sizes: Counter[str] = Counter()
    for each in manifest.get("files", ()):
        sizes[each["path"].split("/")[0]] += each["bytes"]
    collections = [each for each in kb.collections if each.records]
    return {
        "report": report,
        "input_count": len(inputs),
        "input_bytes": sum(each["bytes"] for each in inputs),
        "endings": endings.most_common(12),
        "sizes": sizes.most_common(),
        "total_bytes": sum(sizes.values()),
        "collections": collections,
        "records": sum(each.records for each in collections),
        "chunks": sum(each.chunks for each in collections),
        "warnings": warnings_by_code(
            report["diagnostics"] if report else manifest.get("warnings", ())
        ),
        "spans": spans(report["phases"]) if report else [],
        "files": report.get("files") if report else None,
        "encoder": manifest.get("encoder"),
    }


def warnings_by_code(entries: Sequence[Mapping[str, Any]]) -> list[Warnings]:
    grouped: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for each in entries:
        grouped[str(each.get("code", ""))].append(each)
    return [
        Warnings(code, found)
        for code, found in sorted(grouped.items(), key=lambda one: -len(one[1]))
    ]


def spans(phases: Sequence[Mapping[str, Any]]) -> list[PhaseSpan]:
    """The phases, one after the other, on a line as long as the build."""
    total = sum(each["seconds"] for each in phases) or 1.0
    found = []
    start = 0.0
    for each in phases:
        width = each["seconds"] / total * 100
        counted = f"{each['count']:,} {each['unit']}" if each.get("count") else ""
        found.append(PhaseSpan(each["name"], each["seconds"], start, width, counted))
        start += width
    return found


def read_texts(kb: kr.KnowledgeBase, links: Links | None = None) -> Texts:
    """Reads every record."""
    links = links or read_links(kb)
    lengths: list[tuple[int, str]] = []
    same: defaultdict[bytes, list[str]] = defaultdict(list)
    for record in kb.records():
        text = record.text
        lengths.append((len(text), record.address))
        if len(text) >= _LEAST_DUPLICATE_CHARS:
            words = " ".join(text.split()).encode("utf-8", "replace")
            same[hashlib.blake2b(words, digest_size=16).digest()].append(record.address)
    lengths.sort(reverse=True)
    counted = [
        (address, kb.count_tokens(kb.get(address).text)) for _, address in lengths[:_COUNTED]
    ]
    counted.sort(key=lambda each: -each[1])
    copies = sorted((each for each in same.values() if len(each) > 1), key=len, reverse=True)
    orphans = links.orphans
    names = {address: name for name, address in links.by_name.items()}
    shown = {address: names.get(address, address) for address in links.titles}
    return Texts(
        counted[:LISTED], copies[:LISTED], orphans[:LISTED], len(orphans), links.titles, shown
    )
