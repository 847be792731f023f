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
    header = [_cells(row, columns) for part in table.findall(nodes.thead) for row in part]
    rows = [_cells(row, columns) for part in table.findall(nodes.tbody) for row in part]
    header, rows = _spread(header, columns), _spread(rows, columns)
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


def _cells(row: nodes.Node, columns: int) -> list[Cell]:
    cells: list[Cell] = []
    for cell in row.children:
        if isinstance(cell, nodes.entry):
            cells += [cell, *[None] * int(cell.get("morecols", 0))]
    return cells[: max(columns, 1)]


def _spread(rows: list[list[Cell]], columns: int) -> list[list[Cell]]:
    """Rows with an empty cell below each that covers further rows."""
    covered: dict[int, int] = {}
    found: list[list[Cell]] = []
    for row in rows:
        waiting = list(row)
        full: list[Cell] = []
        while len(full) < columns and (waiting or covered.get(len(full), 0)):
            index = len(full)
            if covered.get(index, 0):
                covered[index] -= 1
                full.append(None)
                continue
            cell = waiting.pop(0)
            full.append(cell)
            if cell is not None and cell.get("morerows"):
                for column in range(index, index + int(cell.get("morecols", 0)) + 1):
                    covered[column] = int(cell["morerows"])
        found.append(full)
    return found


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
