"""Tables of docutils as pipe tables, or as lists where a cell holds more than text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    if not all(_is_simple(cell) for row in [*header, *rows] for cell in row):
        names = [" ".join(_text(cell, blocks).split()) for cell in header[-1]] if header else []
        cells = (
            [blocks(cell.children) if cell is not None else [] for cell in row] for row in rows
        )
        return commonmark.blocks([head, commonmark.listed_rows(names, cells)])
    texts = [[_text(cell, blocks) for cell in row] for row in [*header, *rows]]
    first = [" ".join(parts).strip() for parts in zip(*texts[: len(header)], strict=False)]
    return commonmark.blocks(
        [head, commonmark.table(first or [""] * columns, texts[len(header) :])]
    )


Cell = nodes.entry | None


def _rows(rows: Sequence[nodes.Node], columns: int) -> list[list[Cell]]:
    cells = (
        (
            (cell, int(cell.get("morecols", 0)) + 1, int(cell.get("morerows", 0)) + 1)
            for cell in each.children
            if isinstance(cell, nodes.entry)
        )
        for each in rows
    )
    return commonmark.placed(cells, columns, None)


def _is_simple(cell: Cell) -> bool:
    return cell is None or all(
        isinstance(child, _SIMPLE) or (isinstance(child, _LISTS) and _is_flat(child))
        for child in cell.children
    )


def _is_flat(items: nodes.Node) -> bool:
    return all(
        isinstance(child, nodes.paragraph) for item in items.children for child in item.children
    )


def _text(cell: Cell, blocks: Callable[[Sequence[nodes.Node]], Lines]) -> str:
    if cell is None:
        return ""
    parts = []
    for child in cell.children:
        lines = blocks([child])
        parts.append(
            "\n".join(lines) if isinstance(child, (*_LISTS, nodes.line_block)) else " ".join(lines)
        )
    return "\n".join(part.replace("\\\n", "\n") for part in parts if part)
