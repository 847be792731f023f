"""A tree of timed steps as a flame graph: what lies under a step is a part of it, as wide as its share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

WIDTH = 960
ROW = 24
CHAR = 7.0
"""Pixels of a character at 12 px, about."""
COLOURS = ("#dbe4f0", "#b7cbe6", "#93b1db", "#7499cf")
"""By depth: dark text is readable on each."""


@dataclass(slots=True)
class Node:
    """A step: seconds of CPU, those of the steps inside included, and these steps by name."""

    seconds: float = 0.0
    inside: dict[str, Node] = field(default_factory=dict)


class Box(NamedTuple):
    """A step in the picture: where it begins and how wide it is in pixels, its row from the top."""

    name: str
    share: float
    left: float
    width: float
    row: int


def boxes(name: str, node: Node, left: float, total: float, row: int = 0) -> Iterator[Box]:
    """The step and all inside, the longest of each row first."""
    share = node.seconds / total
    yield Box(name, share, left, WIDTH * share, row)
    for inner, each in sorted(node.inside.items(), key=lambda item: -item[1].seconds):
        yield from boxes(inner, each, left, total, row + 1)
        left += WIDTH * each.seconds / total


def flame_graph(name: str, root: Node) -> str:
    """An SVG of `WIDTH` pixels. A step narrower than a pixel is left out; its name, where it does not
    fit, is the tooltip alone."""
    shown = [box for box in boxes(name, root, 0.0, root.seconds) if box.width >= 1]
    height = ROW * (max(box.row for box in shown) + 1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" font-family="system-ui, sans-serif" font-size="12" role="img">',
        f"<title>CPU time of {escape(name)}, by step</title>",
    ]
    for box in shown:
        label = f"{box.name} {box.share:.0%}"
        top = box.row * ROW
        colour = COLOURS[min(box.row, len(COLOURS) - 1)]
        lines.append(
            f'<g><title>{escape(label)}</title><rect x="{box.left:.1f}" y="{top}"'
            f' width="{box.width:.1f}" height="{ROW - 1}" fill="{colour}" stroke="#fff"/>'
        )
        if fitting := shortened(label, box.width):
            lines.append(
                f'<text x="{box.left + 4:.1f}" y="{top + 16}" fill="#1a2230">{escape(fitting)}</text>'
            )
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""])


def shortened(label: str, width: float) -> str:
    """What fits of a label; nothing where that is less than four characters."""
    room = int((width - 8) / CHAR)
    if len(label) <= room:
        return label
    return f"{label[: room - 1].rstrip()}…" if room >= 4 else ""
