"""Maps the collections, records and rows of a federation to those of its parts."""

from __future__ import annotations

from kb_runtime.knowledge.artifact import CollectionInfo
from kb_runtime.knowledge.part_rows import PartRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.knowledge.federated_chunks import HiddenRecords

    Shown = NDArray[np.bool_]


def collection_names(parts: Sequence[Artifact]) -> list[dict[str, str]]:
    """Part by part the names of collections here by their own: a name that two parts have gets the
    knowledge base before it."""
    counts: dict[str, int] = {}
    for part in parts:
        for info in part.collections:
            folded = info.name.casefold()
            counts[folded] = counts.get(folded, 0) + 1
    taken = {folded for folded, count in counts.items() if count == 1}
    out = []
    for part in parts:
        names = {}
        for info in part.collections:
            name = info.name
            if counts[name.casefold()] > 1:
                wanted = f"{part.manifest['name']}.{info.name}"
                name, number = wanted, 2
                while name.casefold() in taken:
                    name, number = f"{wanted}.{number}", number + 1
                taken.add(name.casefold())
            names[info.name] = name
        out.append(names)
    return out


class CollectionOrigin:
    """Where a collection comes from; `shown` says of each of its records whether it is, None: all."""

    def __init__(
        self, part: int, own_ordinal: int, own: CollectionInfo, ordinal: int, shown: Shown | None
    ) -> None:
        self.part = part
        self.own_ordinal = own_ordinal
        self.own = own
        self.ordinal = ordinal
        self.shown = shown


class FederatedLayout:
    """The collections of all parts in one list, and their rows in one count."""

    def __init__(
        self,
        parts: Sequence[Artifact],
        names: Sequence[Mapping[str, str]],
        shown: Mapping[tuple[int, str], Shown],
    ) -> None:
        self.collections: list[CollectionInfo] = []
        self.places: dict[str, CollectionOrigin] = {}
        self.rows: list[PartRows] = []
        first = 0
        for at, part in enumerate(parts):
            own_shown = {name: found for (number, name), found in shown.items() if number == at}
            kept = _kept_rows(part, own_shown) if own_shown else None
            own_rows = sum(info.chunks for info in part.collections)
            rows = PartRows(first, own_rows, kept)
            self.rows.append(rows)
            for own_ordinal, own in enumerate(part.collections):
                place = CollectionOrigin(
                    at, own_ordinal, own, len(self.collections), own_shown.get(own.name)
                )
                name = names[at][own.name]
                self.places[name] = place
                self.collections.append(_info(name, place, rows))
            first = rows.stop
        self.with_chunks = sorted(
            (info for info in self.collections if info.chunks), key=lambda info: info.first_row
        )
        self.first_rows = [info.first_row for info in self.with_chunks]

    def of_part(self, part: int) -> Iterator[tuple[CollectionInfo, CollectionOrigin]]:
        for place in self.places.values():
            if place.part == part:
                yield self.collections[place.ordinal], place

    def ordinals(self, part: int) -> dict[int, int]:
        """The part's numbers of its collections by those here; of collections that have a chunk."""
        return {
            place.ordinal: place.own_ordinal for info, place in self.of_part(part) if info.chunks
        }

    def hidden(self, part: int) -> list[HiddenRecords]:
        from kb_runtime.knowledge.federated_chunks import HiddenRecords

        return [
            HiddenRecords(place.own.rows, place.shown)
            for _, place in self.of_part(part)
            if place.shown is not None
        ]


def _info(name: str, place: CollectionOrigin, rows: PartRows) -> CollectionInfo:
    own = place.own
    records, chunks, first_row = own.records, own.chunks, rows.first + own.first_row
    if rows.kept is not None:
        before, behind = rows.kept.searchsorted([own.rows.start, own.rows.stop]).tolist()
        chunks, first_row = behind - before, rows.first + before
    if place.shown is not None:
        records = int(place.shown.sum())
    return CollectionInfo(name, own.kind, records, chunks, first_row, own.group, own.url)


def shown_records(
    parts: Sequence[Artifact], shadowing: Collection[str]
) -> dict[tuple[int, str], Shown]:
    """By part and collection, where records are hidden, which are shown."""
    masks: dict[tuple[int, str], Shown] = {}
    for later in range(1, len(parts)):
        for owner in parts[later].collections:
            if owner.kind not in shadowing:
                continue
            below = [
                (part, info)
                for part in range(later)
                for info in parts[part].collections
                if info.kind == owner.kind and info.records
            ]
            if not below:
                continue
            ids = parts[later].catalog(owner.name).ids()
            for part, info in below:
                _hide(parts[part], info, ids, masks, (part, info.name))
    return masks


def _hide(
    part: Artifact,
    info: CollectionInfo,
    ids: Sequence[str],
    masks: dict[tuple[int, str], Shown],
    key: tuple[int, str],
) -> None:
    """Hides the records of a collection that have one of the ids."""
    import numpy as np

    catalog = part.catalog(info.name)
    for id in ids:
        position = catalog.find(id)
        if position is not None and catalog.id(position) == id:
            if key not in masks:
                masks[key] = np.ones(info.records, dtype=np.bool_)
            masks[key][position] = False


def _kept_rows(part: Artifact, shown: Mapping[str, Shown]) -> NDArray[np.int64]:
    """The rows of a part whose records are shown, ascending."""
    import numpy as np

    kept = np.ones(sum(info.chunks for info in part.collections), dtype=np.bool_)
    records = np.frombuffer(part.chunks.column("record"), dtype="<u4")
    for name, mask in shown.items():
        rows = part.collection(name).rows
        kept[rows.start : rows.stop] = mask[records[rows.start : rows.stop]]
    return np.flatnonzero(kept)
