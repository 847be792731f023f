"""Watched knowledge bases: what is published after a change, and what happens to everything else."""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.building.watched import live_text, write_kb
from tests.end_to_end.edits import Author, cache_with, clean_build, hurt

from kb_runtime.knowledge.artifact import Artifact
from kbc.diagnostics import BuildError
from kbc.following import watching
from kbc.following.watching import SameNameError, Watcher
from kbc.pipeline.build import BuildOptions, BuildReport, differing_files, warm_up
from kbc.pipeline.progress import Phase, Progress
from kbc.pipeline.resident import Resident

Step = Callable[[], object]


class Script:
    """Takes a step after each thing that the watcher tells, and ends it after the last.

    The kernel's word of one step may come in two parts, of which the second leads to a build of what is
    published already: that is told once.
    """

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.told: list[BuildReport | Exception] = []
        self.notes: list[str] = []
        self.builds = 0
        self.during: dict[int, Step] = {}

    def begins(self, root: Path) -> Progress:
        self.builds += 1
        return _During(self.during.pop(self.builds, None))

    def built(self, root: Path, report: BuildReport) -> None:
        self._next(report)

    def failed(self, root: Path, error: Exception) -> None:
        self._next(error)

    def noted(self, sentence: str) -> None:
        self.notes.append(sentence)

    def _next(self, what: BuildReport | Exception) -> None:
        if self.told and _outcome(what) == _outcome(self.told[-1]):
            return
        self.told.append(what)
        if not self._steps:
            raise KeyboardInterrupt
        self._steps.pop(0)()


def _outcome(what: BuildReport | Exception) -> str:
    return what.build_id if isinstance(what, BuildReport) else str(what)


class _During(Progress):
    """Takes a step when the files were read."""

    def __init__(self, step: Step | None) -> None:
        self._step = step

    def end(self, phase: Phase) -> None:
        if phase.name == "read" and self._step is not None:
            self._step()


def watch(script: Script, *roots: Path, out: Path, **options: Any) -> None:
    poll = options.pop("poll", False)
    chosen = BuildOptions(**{"out": out, "embed": False, **options})
    with pytest.raises(KeyboardInterrupt):
        Watcher(roots, chosen, script, poll=poll).run()


@pytest.mark.slow
def test_after_any_edits_a_watcher_publishes_the_bytes_of_a_clean_build(
    tmp_path: Path, graphs: Path
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    author, chance = Author(root, 11), random.Random(11)

    def edit() -> None:
        report = script.told[-1]
        assert isinstance(report, BuildReport)
        clean = clean_build(root, tmp_path / "clean", graphs)
        assert report.build_id == clean.build_id
        assert differing_files(report.path, clean.path) == []
        if len(script.told) % 3 == 2:
            hurt(cache, chance)
        for _ in range(chance.randint(1, 3)):
            author.edit()
        (root / "docs" / "always.md").write_text(f"# Always\n\n{chance.random()}\n")

    script = Script(*[edit] * 7)
    watch(script, root, out=tmp_path / "out", cache=cache, embed=True)
    assert len(script.told) == 8
    assert all(each.embedded < each.chunks for each in script.told[1:])  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("poll", [False, True])
def test_a_watcher_that_has_nothing_to_build_warms_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, poll: bool
) -> None:
    root, out, cache = write_kb(tmp_path / "kb"), tmp_path / "out", tmp_path / "cache"
    page = root / "docs" / "page.md"
    warmed: list[bool] = []

    def warmed_up(root: Path, options: BuildOptions, resident: Resident) -> None:
        warm_up(root, options, resident)
        warmed.append(resident.is_warm)
        page.write_text("# Page\n\nWritten when all was loaded.\n")

    monkeypatch.setattr(watching, "warm_up", warmed_up)
    watch(Script(), root, out=out, cache=cache)
    assert warmed == []
    script = Script(lambda: None, lambda: page.write_text("# Page\n\nThe last text.\n"))
    watch(script, root, out=out, cache=cache, poll=poll)
    assert [isinstance(each, BuildReport) and each.reused for each in script.told] == [
        True,
        False,
        False,
    ]
    assert warmed == [True]
    assert "The last text." in live_text(out)


@pytest.mark.slow
def test_after_a_warm_up_that_fails_edits_are_built_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, out, cache = write_kb(tmp_path / "kb"), tmp_path / "out", tmp_path / "cache"

    def failing(root: Path, options: BuildOptions, resident: Resident) -> None:
        (root / "docs" / "page.md").write_text("# Page\n\nWritten all the same.\n")
        raise OSError("nothing can be read")

    watch(Script(), root, out=out, cache=cache)
    monkeypatch.setattr(watching, "warm_up", failing)
    script = Script(lambda: None)
    watch(script, root, out=out, cache=cache)
    assert len(script.told) == 2
    assert "Written all the same." in live_text(out)


def test_a_change_during_a_build_leads_to_one_more(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb")
    page = root / "docs" / "page.md"
    script = Script(lambda: None)
    script.during[1] = lambda: page.write_text("# Page\n\nWritten behind its back.\n")
    watch(script, root, out=tmp_path / "out")
    assert script.builds == 2
    assert "behind its back" in live_text(tmp_path / "out")


@pytest.mark.slow
def test_an_error_is_told_and_the_last_good_version_stays(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb")
    good = (root / "kb.toml").read_text()

    def mend() -> None:
        assert "first text" in live_text(tmp_path / "out")
        (root / "kb.toml").write_text(good.replace("Demo", "Mended"))

    script = Script(lambda: (root / "kb.toml").write_text("[[kb"), mend)
    watch(script, root, out=tmp_path / "out")
    first, second, third = script.told
    assert isinstance(first, BuildReport)
    assert isinstance(second, BuildError)
    assert isinstance(third, BuildReport)
    with Artifact.open(tmp_path / "out" / "demo") as artifact:
        assert artifact.manifest["title"] == "Mended"


@pytest.mark.slow
def test_a_folder_that_goes_away_and_comes_back_is_followed(tmp_path: Path) -> None:
    root, aside = write_kb(tmp_path / "kb"), tmp_path / "aside"

    def back() -> None:
        write_kb(root)
        (root / "docs" / "page.md").write_text("# Page\n\nAnother folder.\n")

    def edit() -> None:
        assert "Another folder" in live_text(tmp_path / "out")
        (root / "docs" / "page.md").write_text("# Page\n\nEdited in the other folder.\n")

    script = Script(lambda: root.rename(aside), back, edit)
    watch(script, root, out=tmp_path / "out")
    assert isinstance(script.told[1], BuildError)
    assert "Edited in the other" in live_text(tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize(("watched", "written"), [("kb", "kb"), ("link", "kb"), ("kb", "link")])
def test_what_it_writes_itself_below_the_knowledge_base_starts_no_build(
    tmp_path: Path, watched: str, written: str
) -> None:
    root, below = write_kb(tmp_path / "kb"), tmp_path / written
    (tmp_path / "link").symlink_to(root)
    timer = threading.Timer(2.0, lambda: (root / "docs" / "new.md").write_text("# New\n\nText.\n"))
    script = Script(timer.start)
    watch(script, tmp_path / watched, out=below / "dist", cache=below / ".cache")
    assert script.builds == 2
    assert "Text." in live_text(root / "dist")


def test_the_output_folder_may_be_the_folder_of_the_knowledge_base(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb", '["*.md", "docs"]')
    script = Script(lambda: (root / "top.md").write_text("# Top\n\nAt the top.\n"))
    watch(script, root, out=root)
    assert "At the top." in live_text(root)


@pytest.mark.slow
def test_several_knowledge_bases_are_built_apart(tmp_path: Path) -> None:
    one, other = write_kb(tmp_path / "one", name="one"), write_kb(tmp_path / "two", name="two")
    script = Script(
        lambda: None, lambda: (other / "docs" / "page.md").write_text("# P\n\nOnly here.\n")
    )
    watch(script, one, other, out=tmp_path / "out")
    names = [each.name for each in script.told if isinstance(each, BuildReport)]
    assert names == ["one", "two", "two"]
    assert "Only here" in live_text(tmp_path / "out", "two")
    assert "first text" in live_text(tmp_path / "out", "one")


def test_knowledge_bases_of_one_name_are_refused(tmp_path: Path) -> None:
    one, other = write_kb(tmp_path / "one"), write_kb(tmp_path / "two")
    with pytest.raises(SameNameError, match="both called 'demo'"):
        Watcher([one, other], BuildOptions(out=tmp_path / "out"), Script()).run()
    assert not (tmp_path / "out").exists()


def test_recognised_folders_of_one_name_are_refused(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        (root / "docs").mkdir(parents=True)
        (root / "docs" / "index.md").write_text("# Index\n\nText.\n")
        (root / "mkdocs.yml").write_text("site_name: Same name\n")
    with pytest.raises(SameNameError, match="both called 'same-name'"):
        Watcher(roots, BuildOptions(out=tmp_path / "out", embed=False), Script()).run()
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("poll", [False, True])
def test_a_stop_is_heeded_where_its_exception_was_lost(tmp_path: Path, poll: bool) -> None:
    root = write_kb(tmp_path / "kb")
    script = Script(lambda: watcher.stop(), lambda: None)
    watcher = Watcher([root], BuildOptions(out=tmp_path / "out", embed=False), script, poll=poll)
    with pytest.raises(KeyboardInterrupt):
        watcher.run()
    assert script.builds == 1


@pytest.mark.slow
@pytest.mark.parametrize("poll", [False, True])
def test_files_outside_are_watched_where_they_may_be_read(tmp_path: Path, poll: bool) -> None:
    root = write_kb(tmp_path / "kb", '["docs", "../shared"]')
    shared, target = tmp_path / "shared", tmp_path / "elsewhere" / "target.md"
    shared.mkdir()
    (shared / "more.md").write_text("# More\n\nShared.\n")
    target.parent.mkdir()
    target.write_text("# Target\n\nLinked.\n")
    (root / "docs" / "link.md").symlink_to(target)

    def replace_target() -> None:
        assert "Shared again" in live_text(tmp_path / "out")
        new = target.with_suffix(".new")
        new.write_text("# Target\n\nReplaced.\n")
        new.replace(target)

    def change_target() -> None:
        assert "Replaced." in live_text(tmp_path / "out")
        target.write_text("# Target\n\nWritten in place.\n")

    script = Script(
        lambda: (shared / "more.md").write_text("# More\n\nShared again.\n"),
        replace_target,
        change_target,
    )
    watch(script, root, out=tmp_path / "out", allow_outside=True, poll=poll)
    assert "Written in place" in live_text(tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["", 'generator = "mkdocs"\nconfig = "mkdocs.yml"\n'])
def test_files_that_pages_include_from_elsewhere_in_the_checkout_are_watched(
    tmp_path: Path, settings: str
) -> None:
    repository, out = tmp_path / "checkout", tmp_path / "out"
    root, source = repository / "docs", repository / "src" / "shown.py"
    (repository / ".git").mkdir(parents=True)
    source.parent.mkdir()
    source.write_text("first = 1\n")
    root.mkdir()
    (root / "mkdocs.yml").write_text("site_name: demo\ndocs_dir: .\n")
    included = ["src/shown.py", "src/later/shown.py"]
    shown = "\n".join(f'```python\n--8<-- "../{path}"\n```\n' for path in included)
    (root / "index.md").write_text(f"# Demo\n\nAn example follows.\n\n{shown}")
    if settings:
        head = (
            '[kb]\nname = "demo"\n\n[[collection]]\nname = "pages"\nkind = "docs"\npaths = ["."]\n'
        )
        (root / "kb.toml").write_text(head + settings)

    def add_missing() -> None:
        assert "second = 2" in live_text(out)
        (repository / "new").mkdir()
        (repository / "new" / "shown.py").write_text("third = 3\n")
        (repository / "new").rename(source.parent / "later")

    def replace() -> None:
        assert "third = 3" in live_text(out)
        source.with_suffix(".new").write_text("fourth = 4\n")
        source.with_suffix(".new").replace(source)

    script = Script(lambda: None, add_missing, replace)
    script.during[1] = lambda: source.write_text("second = 2\n")
    watch(script, root, out=out, cache=tmp_path / "cache")
    assert "fourth = 4" in live_text(out)


@pytest.mark.slow
@pytest.mark.parametrize("poll", [False, True])
def test_an_edit_that_keeps_size_and_time_is_seen(tmp_path: Path, poll: bool) -> None:
    root = write_kb(tmp_path / "kb")
    page = root / "docs" / "page.md"

    def edit() -> None:
        info = page.stat()
        page.write_text("# Page\n\nThe other text.\n")
        os.utime(page, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert (page.stat().st_size, page.stat().st_mtime_ns) == (info.st_size, info.st_mtime_ns)

    script = Script(edit)
    watch(script, root, out=tmp_path / "out", cache=tmp_path / "cache", poll=poll)
    assert "other text" in live_text(tmp_path / "out")


def test_a_clock_that_goes_backwards_hides_no_edit(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb")
    page = root / "docs" / "page.md"

    def edit() -> None:
        page.write_text("# Page\n\nWritten in 1990.\n")
        os.utime(page, (631_152_000, 631_152_000))

    watch(Script(edit), root, out=tmp_path / "out", cache=tmp_path / "cache")
    assert "1990" in live_text(tmp_path / "out")


@pytest.mark.slow
def test_a_folder_replaced_by_a_file_and_back(tmp_path: Path) -> None:
    root = write_kb(tmp_path / "kb")
    docs = root / "docs"

    def to_file() -> None:
        shutil.rmtree(docs)
        docs.write_text("no folder any more")

    def to_folder() -> None:
        docs.unlink()
        docs.mkdir()
        (docs / "back.md").write_text("# Back\n\nA folder again.\n")

    def check_and_go_back() -> None:
        assert live_text(tmp_path / "out") == "no folder any more"
        to_folder()

    watch(Script(to_file, check_and_go_back), root, out=tmp_path / "out")
    assert "A folder again" in live_text(tmp_path / "out")
