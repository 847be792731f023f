from __future__ import annotations

import tomllib

import pytest

from kbc.evaluation.kb_toml import difference, search_settings, with_search
from kbc.evaluation.questions import EvaluationError

KB = '[kb]\nname = "a"  # of all\n'


def test_a_table_is_added_where_there_is_none() -> None:
    assert with_search(KB, {"fusion": "rrf"}) == f'{KB}\n[search]\nfusion = "rrf"\n'


def test_only_what_changes_is_written() -> None:
    text = f"[search]  # ours\n# why\nboosts = {{ title = 2 }}\nalpha = 0.5\n\n{KB}"
    after = with_search(text, {"boosts": {"title": 2, "my-field": 0.5}, "without": ["demotion"]})
    assert after == (
        "[search]  # ours\n# why\nboosts = { title = 2, my-field = 0.5 }\n"
        f'without = ["demotion"]\n\n{KB}'
    )
    assert difference(text, after).count("\n-") == 2  # and the name of the file


def test_an_empty_table_at_the_end_is_filled() -> None:
    assert tomllib.loads(with_search("[search]", {"alpha": 0.3})) == {"search": {"alpha": 0.3}}


def test_the_comments_of_changed_settings_stay() -> None:
    text = (
        "[search]\n# why\nalpha = 0.5  # of '#1'\nboosts = { 'a#b' = 2 } # titles\n"
        "without = [\n  'demotion', # never\n] # steps\n# end\n\n[kb]\n"
    )
    after = with_search(text, {"alpha": 0.3, "boosts": {"a#b": 3}, "rrf_k": 1})
    assert after == (
        "[search]\n# why\nalpha = 0.3  # of '#1'\nboosts = { \"a#b\" = 3 } # titles\n"
        "rrf_k = 1\n# end\n\n[kb]\n"
    )
    again = with_search(text, search_settings(text) | {"without": []})
    assert "without = [] # steps\n" in again


@pytest.mark.parametrize(
    "text", ["[search.boosts]\ntitle = 2\n", "[search]\nboosts.title = 2\n", "search.alpha = 1\n"]
)
def test_what_cannot_be_changed_line_by_line_is_left_to_the_author(text: str) -> None:
    with pytest.raises(EvaluationError, match=r"by hand boosts = \{ title = 3 \}"):
        with_search(text, {"boosts": {"title": 3}})


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(EvaluationError, match=r"kb\.toml cannot be read"):
        search_settings("[search")
