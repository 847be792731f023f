"""Look-ups of documentation sets and their pages.

In a collection of pages each source is followed by its pages and contains a list of them, so that lists
and filters need not read the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import quoted, suggest
from kb_runtime.text.urls import page_key, page_segments, split_fragment
from kb_runtime.tools import lookup
from kb_runtime.tools.refusal import bad_input

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.records.entries import ListedPage, PageEntry, SourceEntry
    from kb_runtime.tools.session import Session

KIND = "pages"
_PAGES: lookup.RecordKind[PageEntry] = lookup.RecordKind(KIND)


class DocumentationSet(NamedTuple):
    """A source and its place: its pages are the records after `position`."""

    info: CollectionInfo
    position: int
    record: SourceEntry

    @property
    def id(self) -> str:
        return self.record["id"]

    @property
    def name(self) -> str:
        return self.record["name"]

    @property
    def pages(self) -> list[ListedPage]:
        return self.record.get("pages", [])

    def rows(self, session: Session, first: int, end: int) -> range:
        """The chunks of the pages [first, end) of the listing."""
        chunks = session.artifact.chunks
        if first >= end:
            return range(0)
        rows = self.info.rows
        start = chunks.rows_of(self.position + 1 + first, rows).start
        return range(start, chunks.rows_of(self.position + end, rows).stop)


def sources(session: Session) -> list[DocumentationSet]:
    """Every source, by name and then by id."""
    found = (DocumentationSet(*head) for head in lookup.heads(session, KIND, "pages"))
    return sorted(found, key=lambda each: (each.name.casefold(), each.id))


def find_source(session: Session, given: str) -> DocumentationSet:
    """The source with this id, or else with this id or name in another case, or with this address.
    Raises BAD_INPUT."""
    everywhere = sources(session)
    known, id = lookup.addressed(session, given, everywhere, lambda each: each.info.name)
    folded = id.casefold()
    for matches in (
        lambda source: source.id == id,
        lambda source: folded in (source.id.casefold(), source.name.casefold()),
    ):
        found = [source for source in known if matches(source)]
        if found:
            lookup.note_duplicates(session, id, [(source.info.name, source.id) for source in found])
            return found[0]
    ids = [source.id for source in everywhere]
    raise bad_input(
        f"source_id {quoted(given)} is not a source. Known sources: {', '.join(ids)}",
        "Call qurio_list_sources for the ids.",
        suggestions=suggest(id, ids) or ids[:10],
        details={"knownSources": ids},
    )


def matching_rows(
    session: Session,
    among: Iterable[DocumentationSet],
    accepts: Callable[[ListedPage], bool],
) -> tuple[range, ...]:
    """The chunks of the pages that `accepts` takes, as few ranges as possible, in row order."""

    def ranges() -> Iterator[range]:
        for source in sorted(among, key=lambda each: (each.info.first_row, each.position)):
            first = 0
            for is_accepted, run in groupby(source.pages, accepts):
                end = first + len(list(run))
                if is_accepted:
                    yield source.rows(session, first, end)
                first = end

    return lookup.joined(ranges())


def find_pages(session: Session, url: str) -> list[PageEntry]:
    """The pages with this address, in the order of the sources; the exact address, with its fragment or
    without, wins over one that only means the same page (see `urls.page_key`), and that over one with another
    ending, such as `.html`. A page's id counts as its address, and so does its `kb://` address."""
    page = split_fragment(url)[0]
    if parse_address(url):
        addressed = lookup.find(session, _PAGES, url) or lookup.find(session, _PAGES, page)
        return [addressed] if addressed is not None and "source" in addressed else []
    order = {source.id: number for number, source in enumerate(sources(session))}
    catalogs = lookup.catalogs(session, KIND)
    for key in chain((url, page, page_key(url)), _with_other_ending(session, url)):
        records: list[Any] = [
            catalog[position] for catalog in catalogs for position in catalog.find_all(key)
        ]
        found: list[PageEntry] = [record for record in records if "source" in record]
        if found:
            for exact in (url, page):
                found = [record for record in found if record["url"] == exact] or found
            return sorted(found, key=lambda record: order[record["source"]])
    return []


def _with_other_ending(session: Session, url: str) -> Iterator[str]:
    """The address of the only page that has the host and the path of `url` but for the ending."""
    wanted = page_segments(url)
    if len(wanted) < 2 or "?" in url:
        return
    urls = (page["url"] for source in sources(session) for page in source.pages)
    # Nearly all have another name, or one that is written with a percent sign.
    near = (each for each in urls if wanted[-1] in each.casefold() or "%" in each)
    found = {each for each in near if "?" not in each and page_segments(each) == wanted}
    if len(found) == 1:
        yield from found
