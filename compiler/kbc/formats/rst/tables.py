"""Tables of docutils as pipe tables, or as lists where a cell holds more than text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from docutils import nodes

from kbc.formats import commonmark

Lines = list[str]
_SIMPLE = (nodes.paragraph, nodes.line_block, nodes.image, nodes.comment, nodes.target)
_LISTS = (nodes.bullet_list, nodes.enumerated_list)


def write(
    table: nodes.table,
    blocks: Callable[[Sequence[nodes.Node]], Lines],
    inline: Callable[[nodes.Element], str],
) -> Lines:
    """`blocks` writes the nodes of a cell, `inline` a title."""
    title = next((child for child in table if isinstance(child, nodes.title)), None)
    head = [f"**{inline(title)}**"] if title is not None else []
    columns = sum(1 for _ in table.findall(nodes.colspec))
    header, rows = (
        _rows([row for part in table.findall(kind) for row in part], columns)
        for kind in (nodes.thead, nodes.tbody)
    )
    texts = [[_text(cell, blocks) for cell in row] for row in header]
    if all(_is_simple(cell) for row in [*header, *rows] for cell in row):
        first = [" ".join(parts).strip() for parts in zip(*texts, strict=False)]
        cells = [[_text(cell, blocks) for cell in row] for row in rows]
        shown = commonmark.table(first or [""] * columns, cells)
    else:
        names = [" ".join(text.split()) for text in texts[-1]] if texts else []
        inner = ([blocks(each.children) for each in row] for row in rows)
        shown = commonmark.listed_rows(names, inner)
    return commonmark.blocks([head, shown])


def _rows(rows: Sequence[nodes.Node], columns: int) -> list[list[nodes.Element]]:
    """The cells in full rows, with empty ones for what others reach over."""

    def sizes(row: nodes.Node) -> Iterator[tuple[nodes.Element, int, int]]:
        for each in row.children:
            if isinstance(each, nodes.entry):
                yield each, int(each.get("morecols", 0)) + 1, int(each.get("morerows", 0)) + 1

    return commonmark.placed(map(sizes, rows), columns, nodes.entry())


def _is_simple(cell: nodes.Element) -> bool:
    return all(
        isinstance(child, _SIMPLE) or (isinstance(child, _LISTS) and _is_flat(child))
        for child in cell.children
    )


def _is_flat(items: nodes.Node) -> bool:
    inner = (child for item in items.children for child in item.children)
    return all(isinstance(child, nodes.paragraph) for child in inner)


def _text(cell: nodes.Element, blocks: Callable[[Sequence[nodes.Node]], Lines]) -> str:
    parts = []
    for child in cell.children:
        is_apart = isinstance(child, (*_LISTS, nodes.line_block))
        parts.append(("\n" if is_apart else " ").join(blocks([child])))
    return "\n".join(part.replace("\\\n", "\n") for part in parts if part)
