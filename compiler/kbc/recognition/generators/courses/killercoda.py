"""Scenarios of Killercoda, and of Katacoda before: an index.json that lists steps with their titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import read_json
from kbc.recognition.site import Site, joined, mapping, text

GENERATOR = "killercoda"
CONFIGS: tuple[str, ...] = ()
"""None: a course has its scenarios in folders of their own."""

_SCENARIO = "index.json"


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The scenario whose index.json is in `folder`, or those in the folders directly below it and one level
    deeper, as courses have them; None without any."""
    places = [folder]
    if not (own := _scenario(tree, folder)):
        below = [joined(folder, name) for name in tree.names(folder) if "." not in name]
        scenarios = [each for each in below if tree.exists(joined(each, _SCENARIO))]
        if not any(_scenario(tree, each) for each in scenarios):
            return None
        places = [
            place
            for each in below
            for place in (
                each,
                *(joined(each, name) for name in tree.names(each) if "." not in name),
            )
        ]
    titles: dict[str, str] = {}
    files = []
    for place in places:
        if data := _scenario(tree, place):
            files.append(joined(place, _SCENARIO))
            inner = place.removeprefix(folder).strip("/")
            titles |= {joined(inner, path): title for path, title in _pages(data)}
    return Site(
        config=files[0],
        folder=folder,
        title=text(own, "title"),
        description=text(own, "description"),
        titles=titles,
        files=tuple(files[1:]),
    )


def _scenario(tree: IncludeTree, folder: str) -> Mapping[str, Any]:
    """The settings of the scenario in `folder`, empty where there is none."""
    path = joined(folder, _SCENARIO)
    data = read_json(tree, path)
    return data if sequence(mapping(data.get("details")).get("steps")) else {}


def _pages(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The pages of a scenario with their titles, behind its own, which the introduction has alone."""
    details = mapping(data["details"])
    steps = enumerate(sequence(details.get("steps")), 1)
    parts = [(details.get("intro"), ""), *((each, f"step {number}") for number, each in steps)]
    for part, name in (*parts, (details.get("finish"), "finish")):
        if path := text(mapping(part), "text"):
            title = text(mapping(part), "title") or name
            yield joined(path), ": ".join(filter(None, (text(data, "title"), title)))
