"""Which records of a federation are hidden by those of the same id in a later part."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
    from kb_runtime.knowledge.composition.numbering import Mask


def shown_records(parts: Sequence[Artifact], shadowing: Collection[str]) -> list[dict[str, Mask]]:
    """Part by part which records are shown, bool [records], by collection where some are hidden: those with
    the id of a record in a later part, of one of the kinds `shadowing`."""
    masks: list[dict[str, Mask]] = [{} for _ in parts]
    for later, part in enumerate(parts):
        for owner in part.collections:
            if owner.kind not in shadowing:
                continue
            for below in range(later):
                for info in parts[below].collections:
                    if info.kind == owner.kind and info.records:
                        ids = part.catalog(owner.name).ids()
                        _hide(parts[below], info, ids, masks[below])
    return masks


def _hide(part: Artifact, info: CollectionInfo, ids: Sequence[str], masks: dict[str, Mask]) -> None:
    """Hides the records of a collection that have one of the ids."""
    import numpy as np

    catalog = part.catalog(info.name)
    for id in ids:
        position = catalog.find(id)
        if position is not None and catalog.id(position) == id:
            if info.name not in masks:
                masks[info.name] = np.ones(info.records, dtype=np.bool_)
            masks[info.name][position] = False


def shown_rows(part: Artifact, shown: Mapping[str, Mask]) -> Mask:
    """Of which rows of a part the records are shown: bool [rows]."""
    import numpy as np

    found = np.ones(sum(info.chunks for info in part.collections), dtype=np.bool_)
    records = np.frombuffer(part.chunks.column("record"), dtype="<u4")
    for name, mask in shown.items():
        rows = part.collection(name).rows
        found[rows.start : rows.stop] = mask[records[rows.start : rows.stop]]
    return found
