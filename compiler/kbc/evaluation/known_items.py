"""Known-item questions, made from a knowledge base itself: from titles, names and the texts of links.

They are easy, because the answer has their words: they show what is broken, not what is good.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb_runtime.knowledge.artifact import Artifact
from kbc.evaluation.questions import Question, records

MOST = 200
LEAST_WORDS = 2
_LINK = re.compile(r"\[([^\]\[`]{8,80})\]\(([^)\s#]+)")


def known_item_questions(artifact: Artifact) -> list[Question]:
    """Up to `MOST` questions, evenly spread over the records; each text is asked once."""
    found: dict[str, str] = {}
    doubtful: set[str] = set()
    for query, name in _pairs(artifact):
        key = " ".join(query.split())
        if found.setdefault(key, name) != name:
            doubtful.add(key)
    kept = [(query, name) for query, name in found.items() if query not in doubtful]
    step = max(1.0, len(kept) / MOST)
    chosen = (kept[int(at * step)] for at in range(min(MOST, len(kept))))
    return [Question(query, {name: 1.0}) for query, name in chosen]


def _pairs(artifact: Artifact) -> Iterator[tuple[str, str]]:
    """Texts, each with the record that it is about."""
    named = records(artifact)
    searched = set(artifact.manifest["scopes"]["all"])
    by_id = {name.partition(":")[2]: name for name in named.values()}
    for (collection, position), name in named.items():
        if collection not in searched:
            continue
        record = artifact.catalog(collection).head(position)
        title, id = str(record.get("title", "")), name.partition(":")[2]
        if len(title.split()) >= LEAST_WORDS:
            yield title, name
        if "/" not in id:
            yield id, name
    for row in range(len(artifact.chunks)):
        for text, target in _LINK.findall(artifact.chunks[row].get("text", "")):
            place = target.removeprefix("./").lstrip("/")
            if len(text.split()) >= LEAST_WORDS and place in by_id:
                yield text, by_id[place]
