from __future__ import annotations

from typing import Any

from kb_runtime.text.unshown import outside


class _Spans(list[tuple[int, int]]):
    """Counts the spans that are taken out of it."""

    taken = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.taken += len(found) if isinstance(at, slice) else 1
        return found


def test_work_grows_with_the_comments_of_a_text() -> None:
    def taken(count: int) -> int:
        text = "word\n<!-- -->\n" * count
        starts = range(0, len(text), 14)
        pieces = [piece for at in starts for piece in ((at, at + 5), (at + 5, at + 14))]
        hidden = _Spans((at + 5, at + 13) for at in starts)
        assert outside(text, pieces, hidden) == [(at, at + 5) for at in starts]
        return hidden.taken

    assert taken(200) < 3 * taken(100)
