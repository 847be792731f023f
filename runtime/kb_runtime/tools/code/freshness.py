"""Compares results with the files on disk: which have changed since they were indexed, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_runtime.text.rendering import shorten

if TYPE_CHECKING:
    from kb_runtime.records.entries import CodeEntry
    from kb_runtime.tools.code.answers import CodeMetadata, CodeResult
    from kb_runtime.tools.session import Session


class Freshness:
    """Compares results with the files on disk, where the server knows where these are."""

    def __init__(self, session: Session) -> None:
        tree = session.working_tree
        self._tree = tree if tree is not None and tree.is_reachable else None
        self._is_followed = session.workspace is not None
        self._stale: dict[str, str] = {}  # file -> what happened to it
        self.warnings: list[str] = []

    def checked(self, record: CodeEntry, result: CodeResult) -> CodeResult | None:
        """The result as it can be shown: flagged, with the lines where its text stands now, when the
        file has changed; None when the text is gone."""
        state = "current" if self._tree is None else self._tree.state(record)
        if self._tree is None or state == "current":
            return result
        self._stale[record["id"]] = state
        text = self._tree.text(record) if state == "changed" else None
        first = int(result["lines"].partition("-")[0])
        place = None if text is None else _nearest(text, result["content"], first)
        if place is None:
            gone = "no longer exists" if state == "missing" else "has changed"
            self.warnings.append(
                f"a result was left out: lines {result['lines']} of {record['id']}, which {gone}"
            )
            return None
        last = place + result["content"].count("\n")
        result["lines"], result["stale"] = f"{place}-{last}", True
        return result

    def add_to(self, metadata: CodeMetadata) -> None:
        """Says in the answer whether files were compared, and which of them have changed."""
        status = metadata["indexStatus"]
        if self._tree is not None:
            status |= {"comparedWithDisk": True, "isStale": bool(self._stale)}
        if not self._stale:
            return
        files = ", ".join(sorted(self._stale))
        advice = "Read these files from disk, and run `kbc build` to bring the index up to date."
        if self._is_followed:
            advice = "Read these files from disk; the index is being brought up to date."
        metadata["freshnessWarning"] = (
            f"changed since the index was built: {shorten(files, 400)}. {advice}"
        )


def _nearest(text: str, content: str, line: int) -> int | None:
    """The line where `content` stands in `text`, of several places the one nearest to `line`."""
    places = []
    at = text.find(content)
    while at >= 0 and content:
        if at == 0 or text[at - 1] == "\n":
            places.append(text.count("\n", 0, at) + 1)
        at = text.find(content, at + 1)
    return min(places, key=lambda place: (abs(place - line), place), default=None)
