from __future__ import annotations

from kbc.chunking import TokenBudget
from kbc.chunking.header import header


def test_a_short_trail_and_details_stay_whole(words_budget: TokenBudget) -> None:
    found = header(["Guide", "Set up"], ["a  summary\nof it"], words_budget)
    assert found.text == "Guide › Set up\na summary of it"
    assert found.tokens == 8


def test_a_long_trail_loses_its_middle(words_budget: TokenBudget) -> None:
    trail = ["The guide", "a b c d e f g h", "i j k", "The section"]
    assert header(trail, [], words_budget).text == "The guide › … › i j k › The section"


def test_a_long_title_loses_its_end(words_budget: TokenBudget) -> None:
    found = header([" ".join("abcdefghijklmnopqrstuvwxyz")], [], words_budget)
    assert found.text == "a b c d e f g h i j k l m n …"
    assert found.tokens == words_budget.header_room


def test_a_detail_gets_the_room_that_is_left(words_budget: TokenBudget) -> None:
    found = header(["Guide"], [" ".join("abcdefghijklmnopqrstuvwxyz"), "more"], words_budget)
    assert found.text == "Guide\na b c d e f g h i j k l m …"


def test_no_title_makes_a_header_too_large(budget: TokenBudget) -> None:
    for part in ("x" * 100_000, "(" * 5_000, "中" * 5_000, "[CLS] " * 2_000, "\0\r\n\u2028"):
        for trail in ([part], [part, part], ["a", part, "b"], ["a"] * 3_000):
            found = header(trail, [part], budget)
            assert found.tokens == budget.tokens(found.text) <= budget.header_room
            assert len(found.text) < 2_000
