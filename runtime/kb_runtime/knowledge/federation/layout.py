"""The collections of all parts of a federation in one list, and their rows in one count."""

from __future__ import annotations

from kb_runtime.knowledge.artifact import CollectionInfo
from kb_runtime.knowledge.federation.shadowing import shown_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.knowledge.composition.numbering import Mask


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


class FederatedCollection(CollectionInfo):
    """A collection as it is here; in its `artifact` it is `own`. `shown` says of each of its records there
    whether it is, None: all."""

    def __init__(
        self, name: str, artifact: Artifact, own: CollectionInfo, shown: Mask | None, rows: range
    ) -> None:
        records = own.records if shown is None else int(shown.sum())
        super().__init__(name, own.kind, records, len(rows), rows.start, own.group, own.url)
        self.artifact = artifact
        self.own = own
        self.shown = shown


class FederatedPart:
    """An artifact with its `collections` and their numbers among those of all parts, `ordinals`. Its rows end
    before `stop`; `shown` says of each of its `own_rows` rows whether it is one, None: all are."""

    def __init__(
        self,
        artifact: Artifact,
        names: Mapping[str, str],
        shown: Mapping[str, Mask],
        before: FederatedPart | None,
    ) -> None:
        """`names` gives the names of collections here by their own, `shown` by their own names which records
        are shown, where some are not. The part `before` ends where this one begins."""
        first_ordinal, first_row = (before.ordinals.stop, before.stop) if before else (0, 0)
        self.artifact = artifact
        self.ordinals: range = range(first_ordinal, first_ordinal + len(artifact.collections))
        self.own_rows: int = sum(info.chunks for info in artifact.collections)
        self.shown = shown_rows(artifact, shown) if shown else None
        self.stop: int = first_row + self._shown_before(self.own_rows)
        self.collections = []
        for own in artifact.collections:
            ends = (first_row + self._shown_before(row) for row in (own.rows.start, own.rows.stop))
            self.collections.append(
                FederatedCollection(
                    names[own.name], artifact, own, shown.get(own.name), range(*ends)
                )
            )

    def _shown_before(self, row: int) -> int:
        """How many of its own rows before one are shown."""
        return row if self.shown is None else int(self.shown[:row].sum())


def laid_out(
    artifacts: Sequence[Artifact],
    names: Sequence[Mapping[str, str]],
    shown: Sequence[Mapping[str, Mask]],
) -> list[FederatedPart]:
    """The parts, one behind the other. `names` and `shown` are those of each: see `FederatedPart`."""
    parts: list[FederatedPart] = []
    for each in zip(artifacts, names, shown, strict=True):
        parts.append(FederatedPart(*each, parts[-1] if parts else None))
    return parts
