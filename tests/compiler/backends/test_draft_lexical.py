from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.knowledge.unindexed.lexical_scan import _WORD, words_in
from kb_runtime.search.analysis import name_parts
from kb_runtime.search.request import SearchRequest
from kbc.backends.draft_lexical import _Spelled
from kbc.following.source_index import read_tree
from kbc.pipeline.build import BuildOptions, BuildReport, build_from, differing_files

FILES = {
    "src/retry.py": (
        "def withRetries(action, attempts):\n"
        '    """Calls an action again after a pause when it is failing."""\n'
        "    return action()\n"
    ),
    "src/queue.rs": "/// Drops the oldest entries.\npub struct ring_buffer { size: u8 }\n",
    "deploy.yaml": "replicas: 3\nstrategy: rolling\n",
}


def draft(tree: Path, out: Path) -> BuildReport:
    return build_from(
        lambda found: read_tree(tree, found, with_definitions=False),
        BuildOptions(out=out, draft=True),
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


def test_a_draft_is_a_sound_artifact_without_vectors(tree: Path, tmp_path: Path) -> None:
    report = draft(tree, tmp_path / "out")
    assert verify(report.path).ok
    with Artifact.open(report.path) as artifact:
        assert artifact.manifest["encoder"] is None
        assert sorted(artifact.catalog("code").ids()) == sorted(FILES)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("call again when an action fails", "src/retry.py"),
        ("withRetries", "src/retry.py"),
        ("retries", "src/retry.py"),
        ("RingBuffer", "src/queue.rs"),
        ("droped oldest", "src/queue.rs"),
        ("rolling strategies", "deploy.yaml"),
        ("queue", "src/queue.rs"),
    ],
)
def test_words_parts_of_names_and_paths_find_a_file(
    tree: Path, tmp_path: Path, query: str, expected: str
) -> None:
    with Artifact.open(draft(tree, tmp_path / "out").path) as artifact:
        found = artifact.searcher.search(SearchRequest(query))
    assert found.mode == "lexical"
    assert found.hits[0].chunk["title"] == expected


def test_filters_of_language_and_type_hold(tree: Path, tmp_path: Path) -> None:
    with Artifact.open(draft(tree, tmp_path / "out").path) as artifact:
        everywhere = "action struct rolling"
        for request, expected in (
            (SearchRequest(everywhere, languages=("rust",)), {"src/queue.rs"}),
            (SearchRequest(everywhere, types=("config",)), {"deploy.yaml"}),
        ):
            found = artifact.searcher.search(request).hits
            assert {hit.chunk["title"] for hit in found} == expected


def test_two_drafts_of_a_tree_are_the_same_bytes(tree: Path, tmp_path: Path) -> None:
    one, other = draft(tree, tmp_path / "one"), draft(tree, tmp_path / "other")
    assert differing_files(one.path, other.path) == []


@given(st.text() | st.text(st.characters(codec="ascii")))
@example("snake_case\x1fHTTPServer\x00x1\x85")
def test_words_are_the_same_whichever_way_they_are_split(text: str) -> None:
    assert words_in(text) == _WORD.findall(text)


@given(st.from_regex(r"[a-z]{1,12}|\w{1,12}", fullmatch=True))
def test_a_word_is_spelled_as_its_whole_and_its_parts(word: str) -> None:
    parts, whole = name_parts(word)
    expected = [whole, *parts] if whole and len(parts) > 1 else parts
    assert _Spelled()[word] == " ".join(expected)
