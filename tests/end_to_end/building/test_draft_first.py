"""The keyword-only draft that a first build publishes before it embeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import SearchRequest
from kb_runtime.store.location import resolve
from kb_runtime.store.manifest import CURRENT, load
from kbc.pipeline import draft_first
from kbc.pipeline.build import BuildOptions, BuildReport, build
from kbc.pipeline.progress import Progress

PAGE = "# Lamps\n\nA lantern burns oil.\n\n## Wicks\n\nTrim the wick every evening.\n"


class Witness(Progress):
    """Notes which build is live when a phase begins, and what it answers."""

    def __init__(self, out: Path, phase: str) -> None:
        self.live: Path | None = None
        self.found: list[str] = []
        self._out = out
        self._phase = phase

    def begin(self, name: str, total: int, unit: str) -> None:
        if name != self._phase or not (self._out / CURRENT).exists():
            return
        self.live = Path(resolve(self._out))
        with Artifact.open(self.live) as artifact:
            hits = artifact.searcher.search(SearchRequest("trim the wick")).hits
            self.found = [artifact.catalog(hit.collection).id(hit.record) for hit in hits]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A knowledge base of one page."""
    (tmp_path / "kb/docs").mkdir(parents=True)
    (tmp_path / "kb/kb.toml").write_text('[kb]\nname = "demo"\n')
    # Named like the test, so that no test finds chunks of another in the cache.
    (tmp_path / "kb/docs/lamps.md").write_text(f"{PAGE}\n{tmp_path.name}\n")
    return tmp_path / "kb"


def compiled(root: Path, cache: Path, *, out: str = "out") -> tuple[BuildReport, Witness]:
    witness = Witness(root.parent / out / "demo", "embed")
    options = BuildOptions(out=root.parent / out, cache=cache, draft_first=True, jobs=2)
    return build(root, options, witness), witness


def test_draft_answers_while_the_vectors_are_computed_and_is_replaced(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_first, "LEAST_SECONDS", 0.0)
    report, witness = compiled(root, cache)
    assert witness.live is not None
    assert witness.live != report.path
    assert witness.found == ["docs/lamps.md"]
    assert load(report.path)["encoder"] is not None
    assert Path(resolve(root.parent / "out")) == report.path
    assert not witness.live.exists()
    assert "draft" in [phase.name for phase in report.phases]


def test_the_draft_of_a_build_that_was_interrupted_goes_with_the_next(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupt(Progress):
        def begin(self, name: str, total: int, unit: str) -> None:
            if name == "embed":
                raise KeyboardInterrupt

    monkeypatch.setattr(draft_first, "LEAST_SECONDS", 0.0)
    out = root.parent / "out"
    with pytest.raises(KeyboardInterrupt):
        build(root, BuildOptions(out=out, cache=cache, draft_first=True), Interrupt())
    draft = Path(resolve(out))
    report, _ = compiled(root, cache)
    assert report.path != draft
    assert not draft.exists()


def test_draft_never_replaces_the_first_version_of_another_build(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other: list[BuildReport] = []

    class Overtaking(Witness):
        def begin(self, name: str, total: int, unit: str) -> None:
            if name == "draft":  # this build has seen that nothing is live
                words = BuildOptions(out=root.parent / "out", cache=cache, embed=False)
                other.append(build(root, words))
            super().begin(name, total, unit)

    monkeypatch.setattr(draft_first, "LEAST_SECONDS", 0.0)
    witness = Overtaking(root.parent / "out/demo", "embed")
    build(root, BuildOptions(out=root.parent / "out", cache=cache, draft_first=True), witness)
    assert witness.live == other[0].path


def test_nothing_is_drafted_where_vectors_take_moments(root: Path, cache: Path) -> None:
    report, witness = compiled(root, cache)
    assert witness.live is None
    assert "draft" not in [phase.name for phase in report.phases]


@pytest.mark.slow
def test_draft_never_replaces_a_full_version(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, _ = compiled(root, cache)
    monkeypatch.setattr(draft_first, "LEAST_SECONDS", 0.0)
    (root / "docs/lamps.md").write_text(PAGE.replace("evening", "morning"))
    _, witness = compiled(root, cache)
    assert witness.live == full.path


@pytest.mark.slow
def test_nothing_is_drafted_where_the_cache_has_the_chunks(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_first, "LEAST_SECONDS", 0.0)
    compiled(root, cache)
    _, witness = compiled(root, cache, out="elsewhere")
    assert witness.live is None


@pytest.mark.slow
def test_draft_leaves_no_trace_in_the_full_version(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = build(root, BuildOptions(out=root.parent / "plain"))
    monkeypatch.setattr(draft_first, "LEAST_SECONDS", 0.0)
    drafted, _ = compiled(root, cache)
    assert drafted.build_id == plain.build_id
    assert (drafted.path / "manifest.json").read_bytes() == (
        plain.path / "manifest.json"
    ).read_bytes()


def test_a_slow_processor_gets_a_draft_of_a_smaller_knowledge_base(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "docs/lamps.md").write_text(f"# Lamps\n\n{'Trim the wick. ' * 200}\n{root}\n")
    monkeypatch.setattr(draft_first, "LEAST_SECONDS", 0.06)
    monkeypatch.setattr(draft_first, "processor", lambda: "x86_64 avx2 avx_vnni")
    report, _ = compiled(root, cache, out="fast")
    assert "draft" not in [phase.name for phase in report.phases]
    (root / "docs/lamps.md").write_text(f"# Lamps\n\n{'Fill the oil in. ' * 200}\n{root}\n")
    monkeypatch.setattr(draft_first, "processor", lambda: "x86_64 avx2")
    report, _ = compiled(root, cache, out="slow")
    assert "draft" in [phase.name for phase in report.phases]
