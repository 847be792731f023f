"""The map: every chunk by its meaning in two dimensions, with a query drawn in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from starlette.responses import JSONResponse, Response

import kb_runtime as kr
from kb_runtime.explorer import markup
from kb_runtime.explorer.visit import Visit

if TYPE_CHECKING:
    from kb_runtime.explorer.projection import Projection

COLOURS = 12
HITS = 10
LISTED = 12
_SAMPLED = 40
"""Chunks of a cluster whose words name it."""
_SAMPLED_CHARS = 1_500
_NAMING_WORDS = 3
_WORD = re.compile(r"[^\W\d_]{3,30}")
_NEAR, _ISOLATED = 1, 2
_LAST_OWNER = 255
_IN_GROUP = 2
"""Of a group of near duplicates, so many are named."""


@dataclass(frozen=True)
class Cluster:
    name: str
    count: int
    x: float
    y: float


def page(visit: Visit) -> Response:
    shown = [info for info in visit.kb.collections if info.chunks]
    return visit.render(
        "map.html",
        has_vectors=bool(visit.kb.manifest.get("encoder")),
        chunks=sum(info.chunks for info in shown),
        legend=[
            (info.name, info.chunks, min(at, _LAST_OWNER), at % COLOURS)
            for at, info in enumerate(shown)
        ],
        query=visit.text("q"),
    )


def projection_of(visit: Visit) -> Projection | None:
    from kb_runtime.explorer.projection import project

    return visit.opened.remembered("projection", lambda: project(visit.kb.vectors()))


def points(visit: Visit) -> Response:
    """All points: int16 x [n], int16 y [n], uint8 collection [n] (its place in the legend; the last one
    for all beyond 255), uint8 marks [n] (1: there is nearly the same elsewhere, 2: isolated),
    little-endian."""
    import numpy as np

    found = projection_of(visit)
    if found is None:
        return Response(b"", media_type="application/octet-stream")
    places = np.round(found.places * 32767).astype("<i2")
    owners = np.zeros(len(places), dtype=np.uint8)
    for at, info in enumerate(each for each in visit.kb.collections if each.chunks):
        owners[info.first_row : info.first_row + info.chunks] = min(at, _LAST_OWNER)
    marks = np.zeros(len(places), dtype=np.uint8)
    for a, b, _ in found.pairs:
        marks[a] |= _NEAR
        marks[b] |= _NEAR
    marks[found.isolated()] |= _ISOLATED
    data = places[:, 0].tobytes() + places[:, 1].tobytes() + owners.tobytes() + marks.tobytes()
    return Response(data, media_type="application/octet-stream")


def query(visit: Visit) -> Response:
    text = visit.text("q").strip()
    found = projection_of(visit)
    vector = visit.kb.encode(text) if text and found is not None else None
    if found is None or vector is None:
        return JSONResponse({"place": None, "hits": []})
    hits = visit.kb.search(text, limit=HITS)
    return JSONResponse(
        {
            "place": found.place(vector),
            "hits": [
                {
                    "row": hit.row,
                    "title": markup.visible(hit.title),
                    "url": visit.record_url(hit.address, row=hit.row),
                }
                for hit in hits
            ],
        }
    )


def point(visit: Visit) -> Response:
    chunk = visit.kb.chunk(visit.number("row", 0, 0, 1 << 31))
    return JSONResponse(
        {
            "title": markup.visible(chunk.title),
            "collection": chunk.collection,
            "text": markup.visible(chunk.text[:240]),
            "url": visit.record_url(chunk.address, row=chunk.row),
        }
    )


def facts_part(visit: Visit) -> Response:
    found = projection_of(visit)
    if found is None:
        return visit.render("map_facts.html", clusters=[], groups=[], isolated=[], copies=0)

    def shown(row: int) -> dict[str, Any]:
        chunk = visit.kb.chunk(row)
        return {
            "row": row,
            "title": chunk.title or chunk.address,
            "place": f"{unquote(chunk.address.split('/', 4)[-1])}:{chunk.lines[0]}",
            "url": visit.record_url(chunk.address, row=row),
        }

    clusters = visit.opened.remembered("clusters", lambda: clusters_of(visit.kb, found))
    copies = visit.opened.remembered("copies", found.copies)
    return visit.render(
        "map_facts.html",
        clusters=clusters,
        groups=[(len(rows), [shown(row) for row in rows[:_IN_GROUP]]) for rows in copies[:LISTED]],
        isolated=[(shown(row), float(found.nearest[row])) for row in found.isolated()[:LISTED]],
        copies=len(copies),
    )


def clusters_of(kb: kr.KnowledgeBase, found: Projection) -> list[Cluster]:
    """The clusters, largest first, each with the words that say most about a sample of it."""
    import numpy as np

    clusters = []
    for each in np.unique(found.clusters):
        rows = np.flatnonzero(found.clusters == each)
        step = max(1, len(rows) // _SAMPLED)
        texts = [kb.chunk(int(row)).text[:_SAMPLED_CHARS] for row in rows[::step][:_SAMPLED]]
        x, y = np.median(found.places[rows], axis=0)
        clusters.append(Cluster(name_of(kb, texts), len(rows), float(x), float(y)))
    return sorted(clusters, key=lambda one: -one.count)


def name_of(kb: kr.KnowledgeBase, texts: Sequence[str]) -> str:
    """Three words that many of the texts have and few others: terms are stems, which are shown as
    the word that is most often theirs."""
    spelled: dict[str, Counter[str]] = {}
    having: Counter[str] = Counter()
    information: dict[str, float] = {}
    for text in texts:
        words = _WORD.findall(text)
        for term in kb.terms(" ".join(dict.fromkeys(word.lower() for word in words))):
            having[term.term] += 1
            information[term.term] = term.information
        for word in words:
            spelled.setdefault(word.lower(), Counter())[word] += 1
    chosen: list[str] = []
    for stem in sorted(having, key=lambda each: (-having[each] * information[each], each)):
        beginning = stem[: max(3, len(stem) - 1)]
        forms = [word for word in spelled if word.startswith(beginning)]
        if forms:
            best = max(forms, key=lambda word: (spelled[word].total(), word))
            if best not in chosen:
                chosen.append(best)
        if len(chosen) == _NAMING_WORDS:
            break
    return markup.visible(", ".join(chosen)) or "unnamed"
