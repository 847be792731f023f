"""Whole builds: what goes live, what never does, and that the same input gives the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree

import pytest
from tests.end_to_end.knowledge import FILES, write_knowledge

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.search.request import SearchRequest
from kb_runtime.store.location import resolve
from kbc.diagnostics import BuildError
from kbc.encoding.errors import ModelError
from kbc.linking.errors import PublishError
from kbc.pipeline.build import BuildOptions, BuildReport, build, build_twice, differing_files
from kbc.project.kinds import KINDS


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests of the session: the encoder's graph is made once."""
    return tmp_path_factory.mktemp("cache")


Builder = Callable[..., BuildReport]


@pytest.fixture
def run(tmp_path: Path, cache: Path) -> Builder:
    """`run(root, **options)` builds into `tmp_path/out`."""

    def go(root: Path, **options: object) -> BuildReport:
        settings = {"out": tmp_path / "out", "cache": cache, **options}
        return build(root, BuildOptions(**settings))  # type: ignore[arg-type]

    return go


def error_codes(error: BuildError) -> list[str]:
    return [found.code for found in error.diagnostics if found.is_error]


@pytest.mark.slow
def test_every_kind_is_compiled_verified_and_found(tmp_path: Path, run: Builder) -> None:
    report = run(write_knowledge(tmp_path / "kb"))
    assert verify(report.path).ok
    assert not report.diagnostics
    with Artifact.open(tmp_path / "out") as artifact:
        kinds = {info.name: info.kind for info in artifact.collections}
        assert set(kinds.values()) == set(KINDS)
        for query, expected in {
            "asSet": "toSet",
            "how do I extinguish a flame": "docs/lanterns.md",
            "magnetic needle": "docs/compass.mdx",
            "broken rudder": "posts/voyage.md",
            "a program with a passenger": "harbour/ferry.qnt",
            "guard with one user": "one-at-a-time",
        }.items():
            (hit, *_) = artifact.searcher.search(SearchRequest(query)).hits
            assert artifact.catalog(hit.collection).id(hit.record) == expected, query


@pytest.mark.slow
@pytest.mark.parametrize("title", ["How to", "It", "T", "—", "🙂", "x" * 300])
def test_a_title_without_a_word_that_is_indexed_is_no_defect(
    tmp_path: Path, run: Builder, title: str
) -> None:
    root = tmp_path / "kb"
    (root / "docs").mkdir(parents=True)
    (root / "kb.toml").write_text('[kb]\nname = "demo"\n')
    (root / "docs/page.md").write_text(f"# {title}\n\nA lantern burns oil.\n")
    assert verify(run(root).path).ok


@pytest.mark.slow
def test_two_builds_in_two_folders_are_the_same_bytes(tmp_path: Path, cache: Path) -> None:
    root = write_knowledge(tmp_path / "kb")
    reports = [
        build(root, BuildOptions(out=tmp_path / name, jobs=jobs, cache=used))
        for name, jobs, used in (("one", 2, cache), ("two", 1, None))
    ]
    assert differing_files(*(report.path for report in reports)) == []
    assert [report.embedded > 0 for report in reports][1]


@pytest.mark.slow
def test_a_copy_of_the_tree_gives_the_same_bytes(tmp_path: Path, run: Builder) -> None:
    """Neither the times of files nor the folder's place are part of an artifact."""
    first = run(write_knowledge(tmp_path / "kb"), out=tmp_path / "one")
    copied = write_knowledge(tmp_path / "elsewhere" / "copy")
    for path in copied.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    second = run(copied, out=tmp_path / "two")
    assert second.build_id == first.build_id
    assert differing_files(first.path, second.path) == []


@pytest.mark.slow
def test_the_build_time_is_the_given_one_or_that_of_the_manifest(
    tmp_path: Path, run: Builder
) -> None:
    root = write_knowledge(tmp_path / "kb")
    with Artifact.open(run(root, source_date_epoch=0).path) as artifact:
        assert artifact.manifest["built_at"] == "1970-01-01T00:00:00Z"
        assert b"built 1970-01-01" in artifact.read("tools.json")
    timeless = run(root).path
    os.utime(timeless / "manifest.json", (86_400, 86_400))
    with Artifact.open(timeless) as artifact:
        assert artifact.manifest["built_at"] == "1970-01-02T00:00:00Z"
        assert b"built " not in artifact.read("tools.json")


@pytest.mark.slow
def test_check_reproducible_builds_twice(tmp_path: Path, cache: Path) -> None:
    root = write_knowledge(tmp_path / "kb")
    report = build_twice(root, BuildOptions(out=tmp_path / "out", cache=cache))
    assert not report.reused


@pytest.mark.slow
def test_a_rebuild_embeds_only_what_changed(tmp_path: Path, run: Builder) -> None:
    root = write_knowledge(tmp_path / "kb")
    first = run(root)
    again = run(root)
    assert again.reused
    assert again.path == first.path
    (root / "posts/voyage.md").write_text("# A voyage\n\nA single new sentence about whales.\n")
    changed = run(root)
    assert not changed.reused
    assert changed.embedded == 1
    assert changed.cached + changed.embedded == first.cached + first.embedded


def test_a_build_without_vectors_answers_by_words_alone(tmp_path: Path, run: Builder) -> None:
    root = write_knowledge(tmp_path / "kb")
    report = run(root, embed=False)
    assert verify(report.path).ok
    assert report.embedded == 0
    with Artifact.open(report.path) as artifact:
        assert artifact.manifest["encoder"] is None
        assert not artifact.manifest.section("vectors/")
        found = artifact.searcher.search(SearchRequest("extinguish the lantern"))
    assert found.mode == "lexical"
    assert found.hits
    with_vectors = run(root)
    assert with_vectors.build_id != report.build_id
    assert not with_vectors.reused


@pytest.mark.slow
def test_a_setting_makes_a_new_build(tmp_path: Path, run: Builder) -> None:
    root = write_knowledge(tmp_path / "kb")
    first = run(root)
    write_knowledge(root, **{"kb.toml": FILES["kb.toml"] + "[search]\nrrf_k = 30\n"})
    second = run(root)
    assert second.build_id != first.build_id
    with Artifact.open(second.path) as artifact:
        assert artifact.manifest["search"]["rrf_k"] == 30


@pytest.mark.slow
def test_old_versions_beyond_keep_are_removed(tmp_path: Path, run: Builder) -> None:
    root = write_knowledge(tmp_path / "kb")
    builds = []
    for version in ("1", "2", "3"):
        write_knowledge(root, **{"kb.toml": FILES["kb.toml"].replace("1.0", version)})
        builds.append(run(root, keep=2).path)
    assert [path.exists() for path in builds] == [False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"docs/a.md": "# A\n\n\0"}, ["file-binary"]),
        ({"templates/boat.qnt": ""}, ["template-file-missing"]),
        (
            {"patterns/copy.md": FILES["patterns/one-at-a-time.md"]},
            ["duplicate-id"],
        ),
        (
            {"docs/a.md": "# A\n\n\0", "docs/b.md": "---\n: [\n---\n\n# B\n"},
            ["file-binary", "front-matter-invalid"],
        ),
        (
            {"kb.toml": FILES["kb.toml"] + '[[tools.alias]]\nname = "x"\ntool = "demo_nothing"\n'},
            ["unknown-alias-target"],
        ),
    ],
)
def test_an_error_in_the_input_publishes_nothing(
    tmp_path: Path, run: Builder, changes: dict[str, str], codes: list[str]
) -> None:
    root = write_knowledge(tmp_path / "kb")
    live = run(root).path
    write_knowledge(root, **changes)
    if changes.get("templates/boat.qnt") == "":
        (root / "templates/boat.qnt").unlink()
    with pytest.raises(BuildError) as raised:
        run(root)
    assert error_codes(raised.value) == codes
    assert Path(resolve(tmp_path / "out")) == live.resolve()
    assert leftovers(tmp_path / "out" / "demo") == []


def leftovers(kb_folder: Path) -> list[str]:
    """What a build must not leave behind beside the versions."""
    known = {"CURRENT", ".lock"}
    return [
        path.name
        for path in kb_folder.iterdir()
        if path.name not in known and (path.name.startswith(".") or not path.is_dir())
    ]


def test_a_wrong_model_is_refused_with_both_hashes(
    tmp_path: Path, run: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbc.encoding.model.PINNED_WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(ModelError, match=r"53aa5117.* expected 0000"):
        run(write_knowledge(tmp_path / "kb"))
    with pytest.raises(ArtifactError):
        resolve(tmp_path / "out")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_output_folder_without_permission_is_refused(tmp_path: Path, run: Builder) -> None:
    out = tmp_path / "sealed"
    out.mkdir(mode=0o500)
    with pytest.raises(PublishError, match="cannot be written") as raised:
        run(write_knowledge(tmp_path / "kb"), out=out)
    assert raised.value.code == "unwritable"


def test_an_output_that_is_a_file_is_refused(tmp_path: Path, run: Builder) -> None:
    (tmp_path / "out").write_text("not a folder")
    with pytest.raises(PublishError, match="cannot be written") as raised:
        run(write_knowledge(tmp_path / "kb"))
    assert raised.value.code == "unwritable"


def test_a_knowledge_base_without_records_is_an_error(tmp_path: Path, run: Builder) -> None:
    root = tmp_path / "kb"
    (root / "docs").mkdir(parents=True)
    (root / "kb.toml").write_text('[kb]\nname = "demo"\n')
    with pytest.raises(BuildError) as raised:
        run(root)
    assert error_codes(raised.value) == ["no-records"]


def test_a_set_of_pages_without_any_page_is_an_error(tmp_path: Path, run: Builder) -> None:
    rows = tmp_path / "rows.ndjson"
    rows.write_text('{"text": "a line that has no address"}\n')
    with pytest.raises(BuildError) as raised:
        run(rows)
    assert error_codes(raised.value) == ["no-records"]
    (settings := tmp_path / "settings.toml").write_text("[[question]]\n")
    with pytest.raises(BuildError, match="nothing was published"):
        run(settings)


VICTIMS = """
import json, os, signal, sys, traceback
from pathlib import Path
from kbc.pipeline.build import BuildOptions; from kbc.pipeline.build import build
from kbc.pipeline.progress import Phase; from kbc.pipeline.progress import Progress

class Killer(Progress):
    def __init__(self, when, phase):
        self.when, self.phase = when, phase

    def begin(self, name, total, unit):
        if (self.when, self.phase) == ("in", name):
            os.kill(os.getpid(), signal.SIGKILL)

    def end(self, phase):
        if (self.when, self.phase) == ("after", phase.name):
            os.kill(os.getpid(), signal.SIGKILL)

for line in sys.stdin:
    root, out, cache, when, phase = json.loads(line)
    child = os.fork()
    if not child:
        try:
            build(Path(root), BuildOptions(out=Path(out), cache=Path(cache)), Killer(when, phase))
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""A process that has imported the compiler, and forks one that builds, and is killed, for each line."""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The output folder of a build of what `write_knowledge` writes; tests must not change it."""
    folder = tmp_path_factory.mktemp("published")
    build(write_knowledge(folder / "kb"), BuildOptions(out=folder / "out", cache=cache))
    return folder / "out"


@pytest.fixture(scope="module")
def victims() -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", VICTIMS], stdin=pipe, stdout=pipe, text=True
    ) as started:
        yield started
        started.communicate()


PHASES = (
    *(
        "read",
        "model",
        "chunk",
        "embed",
        "vectors",
        "catalog",
        "symbols",
        "lexical",
        "encoder",
        "bill",
    ),
    "publish",
)


def test_the_phases_are_the_ones_that_builds_are_killed_in(tmp_path: Path, run: Builder) -> None:
    phases = {phase.name for phase in run(write_knowledge(tmp_path / "kb")).phases}
    assert phases == set(PHASES)


@pytest.mark.slow
@pytest.mark.parametrize("when", ["in", "after"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_build_killed_in_any_phase_leaves_a_good_version_live_and_no_debris(
    tmp_path: Path,
    run: Builder,
    cache: Path,
    published: Path,
    victims: subprocess.Popen[str],
    phase: str,
    when: str,
) -> None:
    root = write_knowledge(tmp_path / "kb")
    before = Path(resolve(copytree(published, tmp_path / "out", symlinks=True)))
    (root / "posts/voyage.md").write_text("# A voyage\n\nThis build is killed.\n")
    assert victims.stdin is not None
    assert victims.stdout is not None
    folders = (str(root), str(tmp_path / "out"), str(cache))
    victims.stdin.write(json.dumps([*folders, when, phase]) + "\n")
    victims.stdin.flush()
    assert int(victims.stdout.readline()) == -signal.SIGKILL
    live = Path(resolve(tmp_path / "out"))
    assert verify(live).ok
    assert (live == before) == ((when, phase) != ("after", "publish"))
    assert verify(run(root).path).ok
    assert leftovers(tmp_path / "out" / "demo") == []


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path, run: Builder) -> None:
    """A limit on the size of files stands in for a full disk: writers get an error of the system, too."""
    root = write_knowledge(tmp_path / "kb")
    live = run(root).path
    (root / "posts/voyage.md").write_text("# A voyage\n\nThe disk is full.\n")
    script = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20));"
        "import sys; from kbc.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            script,
            "build",
            str(root),
            "--out",
            str(tmp_path / "out"),
            "--no-cache",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    assert "Traceback" not in done.stderr
    assert "the limit of file sizes is reached" in done.stderr
    assert "What was live still is." in done.stderr
    assert Path(resolve(tmp_path / "out")) == live.resolve()
    assert leftovers(tmp_path / "out" / "demo") == []


@pytest.mark.parametrize("is_of_process", [False, True])
def test_a_re_ranker_that_is_not_installed_here_keeps_nothing_from_going_live(
    is_of_process: bool, tmp_path: Path, run: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kb" / "docs").mkdir(parents=True)
    (tmp_path / "kb" / "docs" / "a.md").write_text("# Ovens\n\nOf bricks.\n")
    stated = "" if is_of_process else '[search]\nreranker = "absent"\n'
    (tmp_path / "kb" / "kb.toml").write_text(f'[kb]\nname = "ovens"\n{stated}')
    if is_of_process:
        monkeypatch.setenv("KBC_RERANK", "1")
    report = run(tmp_path / "kb")
    assert verify(report.path).ok
    with Artifact.open(report.path) as artifact:
        (warning,) = artifact.searcher.search(SearchRequest("ovens", ("docs",))).warnings
    assert "re-ranker is unavailable" in warning
