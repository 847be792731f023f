"""Searches without an encoder, without the lexical side, and without both."""

from __future__ import annotations

from typing import Any

import pytest
from tests.runtime.search.searcher.toy_index import Built, altered

from kb_runtime.errors import ArtifactError, ToolError
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.request import (
    SearchRequest,
)
from kb_runtime.search.searcher import Searcher


class Broken:
    """A section that cannot be used."""

    analyzer = Analyzer()

    def search(self, *_: object) -> None:
        raise RuntimeError("the disk is on fire")

    def encode(self, _: str) -> None:
        raise RuntimeError("the disk is on fire")


@pytest.mark.parametrize("encoder", [None, Broken()])
@pytest.mark.parametrize("options", [{}, {"mode": "semantic"}, {"alpha": 0.5}, {"alpha": 1.0}])
def test_without_an_encoder_words_answer_and_the_result_says_so(
    small: Built, encoder: Any, options: dict[str, Any]
) -> None:
    result = Searcher(altered(small, encoder=encoder)).search(SearchRequest("voting", **options))
    assert result.hits[0].row == 5
    assert result.mode == "lexical"
    assert len(result.warnings) == 1
    assert "keyword search only" in result.warnings[0]


def test_without_an_encoder_a_lexical_search_has_nothing_to_warn_of(small: Built) -> None:
    result = Searcher(altered(small, encoder=None)).search(SearchRequest("voting", mode="lexical"))
    assert result.warnings == ()


def test_without_the_lexical_side_meaning_answers_and_the_result_says_so(small: Built) -> None:
    result = Searcher(altered(small, lexical=Broken())).search(SearchRequest("voting leaders"))
    assert result.hits[0].row == 5
    assert result.mode == "semantic"
    assert "vector search only" in result.warnings[0]


class Altered:
    """A section whose file is not what was built."""

    analyzer = Analyzer()

    def search(self, *_: object) -> None:
        raise ArtifactError("altered", "/home/me/kb/lexical/x.idx was altered.")


@pytest.mark.parametrize(("section", "expected"), [(Broken(), "failed"), (Altered(), "altered")])
@pytest.mark.parametrize("also_vectors", [False, True])
def test_why_a_side_does_not_answer_is_said_without_paths_and_raw_exceptions(
    small: Built, section: Any, expected: str, also_vectors: bool
) -> None:
    changes = {"lexical": section, **({"vectors": section} if also_vectors else {})}
    searcher = Searcher(altered(small, **changes))
    if also_vectors:
        with pytest.raises(ToolError) as caught:
            searcher.search(SearchRequest("voting"))
        text = caught.value.message
    else:
        (text,) = searcher.search(SearchRequest("voting")).warnings
    assert expected in text
    assert "disk" not in text
    assert "/home" not in text


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
def test_without_both_sides_search_is_unavailable(small: Built, mode: Any) -> None:
    searcher = Searcher(altered(small, lexical=Broken(), vectors=Broken()))
    with pytest.raises(ToolError) as caught:
        searcher.search(SearchRequest("voting", mode=mode))
    assert caught.value.kind == "UNAVAILABLE"


def test_without_an_encoder_it_is_the_keyword_search_that_failed(small: Built) -> None:
    searcher = Searcher(altered(small, lexical=Altered(), encoder=None))
    with pytest.raises(ToolError, match="its files are altered"):
        searcher.search(SearchRequest("voting"))
