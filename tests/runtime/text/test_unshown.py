from __future__ import annotations

from typing import Any

from kb_runtime.text.unshown import last_line, outside, shown_text


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


def test_a_passage_ends_where_what_is_shown_ends() -> None:
    shown = "# A <!-- b -->\n\nText."
    text = f"{shown}\n\n[a]: b\n\n<!-- c -->\n"
    comments = [
        (4, 14),
        (text.index("[a]"), text.index("<!-- c")),
        (text.index("<!-- c"), len(text)),
    ]
    chunk = {"text": text, "start_line": 7, "comments": comments}
    assert (shown_text(chunk), last_line(chunk)) == (shown, 9)
    followed = {**chunk, "text": f"{text}more\n\n"}
    assert (shown_text(followed), last_line(followed)) == (followed["text"], 15)
    only = {"text": "[a]: b\n", "start_line": 1, "comments": [(0, 7)]}
    assert shown_text(only) == "[a]: b\n"
