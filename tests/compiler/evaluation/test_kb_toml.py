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
    ("text", "expected"),
    [
        (
            "[search.boosts]\ntitle = 2 # ours\n\n[kb]\n",
            "[search.boosts]\ntitle = 3 # ours\nbody = 1\n\n[kb]\n",
        ),
        (
            "[search]\nboosts.title = 2\n# end\n",
            "[search]\nboosts.title = 3\nboosts.body = 1\n# end\n",
        ),
        (
            "search.boosts.title = 2\n[kb]\n",
            "search.boosts.title = 3\nsearch.boosts.body = 1\n[kb]\n",
        ),
    ],
)
def test_members_with_lines_of_their_own_are_changed_there(text: str, expected: str) -> None:
    assert with_search(text, {"boosts": {"title": 3, "body": 1}}) == expected


def test_a_setting_is_not_written_into_the_table_of_another() -> None:
    text = f"[search]\nalpha = 0.5\n\n[search.boosts]\ntitle = 2\n\n{KB}"
    after = with_search(text, {"boosts": {"title": 2}, "fusion": "rrf"})
    assert after == f'[search]\nfusion = "rrf"\n\n[search.boosts]\ntitle = 2\n\n{KB}'
    without_header = f"[search.boosts]\ntitle = 2\n\n{KB}"
    after = with_search(without_header, {"boosts": {"title": 2}, "fusion": "rrf"})
    assert after == f'{without_header}\n[search]\nfusion = "rrf"\n'


def test_what_cannot_be_changed_line_by_line_is_left_to_the_author() -> None:
    with pytest.raises(EvaluationError, match=r"by hand: boosts = \{ title = 3 \}; no alpha"):
        with_search("search = { alpha = 1 }\n", {"boosts": {"title": 3}})


def test_a_byte_order_mark_stays_where_it_is() -> None:
    assert search_settings(f"\ufeff[search]\nalpha = 0.5\n\n{KB}") == {"alpha": 0.5}
    after = with_search(f"\ufeff{KB}", {"fusion": "rrf"})
    assert after == f'\ufeff{KB}\n[search]\nfusion = "rrf"\n'


def test_the_difference_says_where_a_file_ends_without_a_line_end() -> None:
    text = KB.removesuffix("\n")
    shown = difference(text, with_search(text, {"fusion": "rrf"}))
    assert shown.splitlines()[3:7] == [
        " [kb]",
        '-name = "a"  # of all',
        "\\ No newline at end of file",
        '+name = "a"  # of all',
    ]


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(EvaluationError, match=r"kb\.toml cannot be read"):
        search_settings("[search")
