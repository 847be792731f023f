"""Compares results with the files on disk: which have changed since they were indexed, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb_runtime.text.rendering import shorten
from kb_runtime.tools import lookup

if TYPE_CHECKING:
    from kb_runtime.live.working_tree import WorkingTree, WorkingTrees
    from kb_runtime.records.entries import CodeEntry
    from kb_runtime.tools.code.answers import CodeMetadata, CodeResult
    from kb_runtime.tools.session import Session


def reachable_tree(session: Session) -> WorkingTree | WorkingTrees | None:
    """Where the files are edited, if the server knows and can read it."""
    tree = session.working_tree
    return tree if tree is not None and tree.is_reachable else None


def since_indexed(session: Session, record: CodeEntry) -> str:
    """What has become of a file since it was indexed, in a few words; "" for nothing that is known."""
    tree = reachable_tree(session)
    state = "current" if tree is None else tree.state(record)
    return "" if state == "current" else f"{_HAPPENED[state]} since it was indexed"


_HAPPENED = {"changed": "changed", "missing": "deleted"}
"""By what `WorkingTree.state` says."""


class Freshness:
    """Compares results with the files on disk, where the server knows where these are."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tree = reachable_tree(session)
        self._is_followed = session.workspace is not None
        self._stale: dict[str, str] = {}  # file -> what happened to it
        self._left_out: list[str] = []  # deleted files that had results
        self._moved: list[str] = []
        self.warnings: list[str] = []

    def checked(self, record: CodeEntry, result: CodeResult) -> CodeResult | None:
        """The result as it can be shown: flagged, with the lines where its text stands now, when the
        file has changed; None when the text is gone."""
        state = "current" if self._tree is None else self._tree.state(record)
        if self._tree is None or state == "current":
            return result
        file = lookup.told_name(self._session, record["collection"], record["id"])
        self._stale[file] = state
        text = self._tree.text(record) if state == "changed" else None
        first = int(result["lines"].partition("-")[0])
        place = None if text is None else _nearest(text, result["content"], first)
        if place is None:
            if state == "missing":
                self._left_out.append(file)
            else:
                self.warnings.append(
                    f"lines {result['lines']} of {file} were left out: their text has changed"
                    " since it was indexed"
                )
            return None
        last = place + result["content"].count("\n")
        if place != first:
            self._moved.append(f"{file} from line {first} to {place}")
        result["lines"], result["stale"] = f"{place}-{last}", True
        return result

    def add_to(self, metadata: CodeMetadata) -> None:
        """Says in the answer whether files were compared, and which of them have changed."""
        status = metadata["indexStatus"]
        if self._tree is not None:
            status |= {"comparedWithDisk": True, "isStale": bool(self._stale)}
        if not self._stale:
            return
        if self._left_out:
            files = ", ".join(dict.fromkeys(self._left_out))
            self.warnings.append(f"left out, deleted since it was indexed: {shorten(files, 400)}")
        if self._moved:
            moved = "; ".join(self._moved)
            self.warnings.append(f"moved since it was indexed: {shorten(moved, 400)}")
        advice = "Run `kbc build` to bring the index up to date."
        if self._is_followed:
            advice = "The index is being brought up to date."
        if "changed" in self._stale.values():
            advice = f"Read changed files from disk. {advice}"
        metadata["freshnessWarning"] = f"{'; '.join(changes(self._stale))}. {advice}"


def changes(states: Mapping[str, str]) -> list[str]:
    """Sentences on the files that are not as they were indexed, by their states."""
    sentences = []
    for state, what in _HAPPENED.items():
        if files := sorted(file for file, found in states.items() if found == state):
            sentences.append(f"{what} since it was indexed: {shorten(', '.join(files), 400)}")
    return sentences


def _nearest(text: str, content: str, line: int) -> int | None:
    """The line where `content` stands in `text`, of several places the one nearest to `line`."""
    places = []
    number, counted = 1, 0
    at = text.find(content)
    while at >= 0 and content:
        if at == 0 or text[at - 1] == "\n":
            number += text.count("\n", counted, at)
            counted = at
            places.append(number)
        at = text.find(content, at + 1)
    return min(places, key=lambda place: (abs(place - line), place), default=None)
