"""A source tree that is searched by reading it, next to the draft that replaces it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.knowledge.unindexed import scanned_tree
from kb_runtime.knowledge.unindexed.scanned_tree import ScannedTree
from kb_runtime.live.workspace import Workspace
from kb_runtime.search.request import SearchRequest
from kb_runtime.store.manifest import LISTING
from kbc.following.source_files import SourceFiles
from kbc.following.source_index import SourceIndex

FILES = {
    "pay/retry.py": (
        "class RetryPolicy:\n"
        '    """Tries a payment again after a pause."""\n\n'
        "    def next_pause(self, attempts):\n        return 2**attempts\n"
    ),
    "pay/ledger.go": "package pay\n\n// BookEntry writes a booking to the ledger.\nfunc BookEntry() {}\n",
    "tests/test_retry.py": "def test_retries_payments():\n    assert RetryPolicy()\n",
    "web/größen.ts": "// Die Größe naïver Tabellen\nexport function tableSize() { return 3 }\n",
    "deploy/values.yaml": "replicas: 3\nretry: never\n",
    "tools/release": "#!/usr/bin/env python3\ndef tag_version(name):\n    return name\n",
    "long.py": "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(400)),
}


def write(root: Path) -> Path:
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def listed(tree: Path, folder: Path, prefix: str = "") -> str:
    files = SourceFiles(tree)
    files.scan()
    files.list_for(folder, prefix)
    return str(folder / LISTING)


def scan(listing: str) -> ScannedTree:
    return ScannedTree(listing, "code", "code_kb", {})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(tmp_path / "tree")


@pytest.fixture
def opened(tree: Path, tmp_path: Path) -> ScannedTree:
    return scan(listed(tree, tmp_path / "kb"))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[ScannedTree, Artifact]:
    """The files as they are, and a draft of them."""
    root = tmp_path_factory.mktemp("both")
    tree = write(root / "tree")
    workspace = Workspace.open(root / "ws")
    listing = listed(tree, root / "kb")
    report = SourceIndex(tree, workspace.code(str(tree)), Path(workspace.cache)).build(draft=True)
    return scan(listing), Artifact.open(report.path)


def found(knowledge: Artifact, query: str, **restricted: tuple[str, ...]) -> list[str]:
    hits = knowledge.searcher.search(SearchRequest(query, ("code",), **restricted)).hits  # type: ignore[arg-type]
    return [knowledge.catalog("code").id(hit.record) for hit in hits]


def test_records_and_chunks_are_those_of_a_draft(both: tuple[ScannedTree, Artifact]) -> None:
    scanned_tree, draft = both
    assert scanned_tree.scanned_files == len(FILES)
    assert draft.scanned_files == 0
    ours, theirs = scanned_tree.catalog("code"), draft.catalog("code")
    assert list(ours.ids()) == list(theirs.ids())
    for place in range(len(ours)):
        assert ours[place] == theirs[place]
    assert len(scanned_tree.chunks) == len(draft.chunks)
    for row in range(len(draft.chunks)):
        assert scanned_tree.chunks[row] == draft.chunks[row]
    for name in ("record", "start_line", "end_line"):
        assert list(scanned_tree.chunks.column(name)) == list(draft.chunks.column(name))


@pytest.mark.parametrize(
    "query",
    [
        "how often is a payment retried",
        "RetryPolicy",
        "next_pause",
        "booking entries of the ledger",
        "book entry",
        "size of tables",
        "die Größe naiver Tabellen",
        "replicas",
        "step 399",
        "pay/ledger.go",
        '"writes a booking"',
    ],
)
def test_the_first_file_is_that_of_a_draft(both: tuple[ScannedTree, Artifact], query: str) -> None:
    scanned_tree, draft = both
    assert found(draft, query)
    assert found(scanned_tree, query)[0] == found(draft, query)[0]
    assert set(found(scanned_tree, query)) == set(found(draft, query))


def test_names_in_other_words_are_found_once_there_is_an_index(
    both: tuple[ScannedTree, Artifact],
) -> None:
    scanned_tree, draft = both
    assert found(draft, "delay") == ["pay/retry.py"]
    assert found(scanned_tree, "delay") == []


def test_the_score_of_a_term_is_that_of_a_draft(both: tuple[ScannedTree, Artifact]) -> None:
    scanned_tree, draft = both
    for field, term in (
        ("body", "retri"),
        ("identifiers", "retrypolicy"),
        ("identifiers", "retry"),
        ("path", "ledger"),
        ("title", "retri"),
        ("body", "grosse"),
        ("body", "nowher"),
    ):
        assert scanned_tree.lexical.frequency(field, term) == draft.lexical.frequency(field, term)


def test_a_script_without_an_ending_has_the_language_of_its_interpreter(
    opened: ScannedTree,
) -> None:
    assert found(opened, "tag version", languages=("python",)) == ["tools/release"]


def test_several_trees_without_an_index_are_searched_together(
    opened: ScannedTree, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/refund.py").write_text("def refund_payment():\n    return 1\n")
    other = scan(listed(tmp_path / "other", tmp_path / "other-kb", "other"))
    with Federation([opened, other], ("code",), 1) as trees:
        hits = trees.searcher.search(SearchRequest("next_pause refund payment")).hits
        found = {trees.catalog(hit.collection).id(hit.record) for hit in hits}
        assert not trees.searcher.search(SearchRequest("delay")).hits, "a name in another word"
    assert {"pay/retry.py", "other/refund.py"} <= found


def test_results_keep_to_filters(opened: ScannedTree) -> None:
    assert found(opened, "retry", languages=("yaml",)) == ["deploy/values.yaml"]
    assert found(opened, "retry", types=("CONFIG",)) == ["deploy/values.yaml"]
    place = list(opened.catalog("code").ids()).index("pay/retry.py")
    rows = opened.chunks.rows_of(place, range(len(opened.chunks)))
    request = SearchRequest("retry", ("code",), rows=(rows,))
    hits = opened.searcher.search(request).hits
    assert {hit.row for hit in hits} == set(rows)


def test_a_file_that_is_not_as_it_was_listed_is_left_out(tree: Path, tmp_path: Path) -> None:
    listing = listed(tree, tmp_path / "kb", "shop")
    (tree / "pay" / "retry.py").write_text("password = 'secret'\n")
    (tree / "long.py").unlink()
    opened = scan(listing)
    assert "shop/pay/ledger.go" in opened.catalog("code").ids()
    assert found(opened, "password") == []
    assert len(opened.catalog("code")) == len(FILES) - 2 == opened.scanned_files - 2


def test_what_is_held_is_limited(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanned_tree, "MAX_TEXT_BYTES", 1_000)
    opened = scan(listed(tree, tmp_path / "kb"))
    assert "long.py" not in opened.catalog("code").ids()
    assert found(opened, "RetryPolicy")[0] == "pay/retry.py"


def test_a_listing_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / LISTING
    with pytest.raises(ArtifactError, match="cannot be read"):
        scan(str(path))
    for damaged in (b"", b"[]", b'{"format": 9}', b'{"format": 1, "tree": "/", "prefix": ""}'):
        path.write_bytes(damaged)
        with pytest.raises(ArtifactError, match="cannot be read"):
            scan(str(path))


def test_a_tree_with_a_version_is_not_listed(tree: Path, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    code = workspace.code(str(tree))
    kb_folder = Path(code.kb_folders[0])
    listing = Path(listed(tree, kb_folder))
    assert listing.exists()
    SourceIndex(tree, code, Path(workspace.cache)).build(draft=True)
    assert not listing.exists()
    listed(tree, kb_folder)
    assert not listing.exists()
