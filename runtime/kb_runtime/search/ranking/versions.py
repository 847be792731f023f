"""Which candidates are of a version that a later one among them supersedes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_runtime.search.ranking.facts import Facts
    from kb_runtime.search.ranking.pool import Pool


def superseded(pool: Pool, facts: Facts) -> set[int]:
    """The records of which a later version is among the candidates: the same path in a later folder or,
    of what is in `v1`, in the one around it; or something called alike. None if the query names a
    version.
    """
    versions = {at: one.version for at, one in enumerate(pool.facts) if one.version}
    if not versions or any(f"v{one.number}" in pool.words for one in versions.values()):
        return set()
    paths_of = zip(pool.records, pool.facts, strict=True)
    plain = {(at, one.path) for (at, _), one in paths_of if not one.version}
    numbers: dict[tuple[int, str], set[int]] = {}
    for at, found in versions.items():
        numbers.setdefault((pool.records[at][0], found.folder), set()).add(found.number)
    keys: list[tuple[int, list[tuple[int, str, str]]]] = []
    latest: dict[tuple[int, str, str], int] = {}
    for at, record in enumerate(pool.record_of.tolist()):
        version = versions.get(record)
        if version is None:
            continue
        folder = (pool.records[record][0], version.folder)
        if len(numbers[folder]) > 1:
            subject = facts.names(pool.rows[at]).subject
            own = [(*folder, key) for key in (version.rest, subject) if key]
            keys.append((record, own))
            for key in own:
                latest[key] = max(latest.get(key, 0), version.number)
    moved = {
        at
        for at, one in versions.items()
        if one.number < 2
        and (pool.records[at][0], (one.folder + one.rest).removeprefix("/")) in plain
    }
    return moved | {
        record for record, own in keys if any(latest[key] > versions[record].number for key in own)
    }
