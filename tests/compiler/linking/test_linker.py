from __future__ import annotations

import errno
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.waiting import PATIENCE_S, until

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.store import manifest as manifest_module
from kb_runtime.store.locks import try_share
from kb_runtime.store.manifest import load
from kbc.linking import linker, retention
from kbc.linking.errors import PublishError
from kbc.linking.linker import MANIFEST_FIELDS, Published, Staging, build_id

Publish = Callable[..., Published]

ID = "00112233445566aa"


def entries(text: str) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return {"docs": [{"id": "page", "text": text}]}


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def builds(kb: Path) -> list[str]:
    return sorted(path.name for path in kb.iterdir() if path.is_dir())


def test_a_published_build_is_live_and_verifies(publish: Publish) -> None:
    published = publish()
    kb = published.path.parent
    assert (kb / "CURRENT").read_text() == f"{published.build_id}\n"
    assert published.path.name == published.build_id
    assert not published.reused
    assert verify(kb).ok
    assert sorted(path.name for path in kb.iterdir()) == [".lock", published.build_id, "CURRENT"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no proofs")
def test_what_a_build_hashed_is_proved_where_it_was_published(
    publish: Publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "cache"))
    published = publish()
    manifest = load(published.path)
    monkeypatch.setattr(manifest_module, "file_digest", lambda *_: "nothing is hashed")
    manifest.check_files(manifest.files)
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "nothing"))
    with pytest.raises(ArtifactError, match="was altered"):
        load(published.path).check_files(manifest.files)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no proofs")
def test_a_build_that_was_killed_before_its_note_is_proved_by_the_next(
    publish: Publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "cache"))
    publish()
    (note,) = (tmp_path / "cache/verified").iterdir()
    note.rename(note.with_name(f".{note.name}.1-abc.new"))
    assert publish().reused
    assert [*note.parent.iterdir()] == [note]
    written = note.stat().st_ino
    assert publish().reused
    assert note.stat().st_ino == written


def test_the_manifest_has_its_fields_in_order(publish: Publish) -> None:
    with Artifact.open(publish().path) as artifact:
        names = list(artifact.manifest)
    assert names[0] == "format"
    assert names[-2:] == ["files", "seal"]
    assert [name for name in names if name in MANIFEST_FIELDS] == list(MANIFEST_FIELDS)


def test_the_same_build_in_two_folders_gives_the_same_bytes(
    tmp_path: Path, publish: Publish
) -> None:
    first = publish().path.parent
    first.rename(tmp_path / "elsewhere")
    second = publish().path.parent
    assert tree(tmp_path / "elsewhere") == tree(second)


def test_manifest_fields_must_be_complete(tmp_path: Path) -> None:
    with Staging(tmp_path, "kb", ID) as staging, pytest.raises(ValueError, match="title"):
        staging.publish({"name": "kb"})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(json_values, json_values)
def test_a_build_id_depends_on_every_input_and_on_no_order(one: Any, two: Any) -> None:
    assert re.fullmatch("[0-9a-f]{16}", build_id(one, {}, {}))
    assert build_id({"a": one, "b": two}, 1, 2) == build_id({"b": two, "a": one}, 1, 2)
    assert len({build_id(one, [], 7), build_id([], one, 7), build_id([], 7, one)}) == 3 or one in (
        [],
        7,
    )


def test_publishing_again_reuses_the_build(publish: Publish) -> None:
    first = publish(entries("one"))
    stamp = (first.path / "manifest.json").stat().st_mtime_ns
    publish(entries("two"))
    again = publish(entries("one"))
    assert again.reused
    assert again.path == first.path
    assert (first.path / "manifest.json").stat().st_mtime_ns == stamp
    assert (first.path.parent / "CURRENT").read_text() == f"{first.build_id}\n"


def test_a_damaged_build_of_the_same_id_is_replaced(publish: Publish) -> None:
    first = publish()
    os.truncate(first.path / "catalog/docs.bin", 1)
    again = publish()
    assert not again.reused
    assert again.path == first.path
    assert verify(again.path).ok
    assert builds(first.path.parent) == [first.build_id]


def test_an_existing_build_can_be_asked_for_before_it_is_built(publish: Publish) -> None:
    first = publish(entries("one"))
    publish(entries("two"))
    kb = first.path.parent
    with Staging(kb.parent, kb.name, first.build_id) as staging:
        reused = staging.reuse()
    assert reused is not None
    assert reused.reused
    assert (kb / "CURRENT").read_text() == f"{first.build_id}\n"
    with Staging(kb.parent, kb.name, ID) as staging:
        assert staging.reuse() is None


def test_a_failing_self_check_publishes_nothing(publish: Publish) -> None:
    first = publish(entries("one"))

    def refuse(_: Artifact) -> None:
        raise ArtifactError("altered", "The answer to the self-query is wrong.")

    with pytest.raises(PublishError, match="The answer to the self-query is wrong") as caught:
        publish(entries("two"), self_check=refuse)
    assert caught.value.code == "self-check"
    assert builds(first.path.parent) == [first.build_id]
    assert (first.path.parent / "CURRENT").read_text() == f"{first.build_id}\n"


def test_the_self_check_gets_the_finished_artifact(publish: Publish) -> None:
    asked: list[str] = []
    publish(entries("one"), self_check=lambda artifact: asked.append(artifact.chunks[0]["text"]))
    assert asked == ["one"]


def test_leaving_without_publishing_leaves_nothing(tmp_path: Path) -> None:
    with Staging(tmp_path, "kb", ID) as staging:
        (staging.folder / "half").write_text("written")
    assert [path.name for path in (tmp_path / "kb").iterdir()] == [".lock"]


def test_leaving_removes_debris_and_the_lock_where_memory_is_short_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.listdir

    def short(path: str) -> list[str]:
        monkeypatch.setattr(os, "listdir", listed)
        raise MemoryError

    with Staging(tmp_path, "kb", ID) as staging:
        (staging.folder / "a").write_text("x")
        monkeypatch.setattr(os, "listdir", short)
    assert [path.name for path in (tmp_path / "kb").iterdir()] == [".lock"]
    with Staging(tmp_path, "kb", ID, wait_s=0):
        pass


def test_debris_of_a_killed_build_is_removed(publish: Publish) -> None:
    kb = publish(entries("one")).path.parent
    (kb / f".tmp-{ID}-1-abc/{ID}/catalog").mkdir(parents=True)
    (kb / ".tmp-CURRENT-1-abc").write_text("x")
    publish(entries("two"))
    assert not [path.name for path in kb.iterdir() if path.name.startswith(".tmp-")]


def test_an_older_build_whose_removal_was_interrupted_is_gone_when_the_builder_ends(
    publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = publish(entries("one")).path.parent
    interrupts = iter([True])

    def interrupted(path: Path) -> None:
        if next(interrupts, False):
            raise KeyboardInterrupt
        delete(path)

    delete = retention.delete
    monkeypatch.setattr(retention, "delete", interrupted)
    with pytest.raises(KeyboardInterrupt):
        publish(entries("two"), keep=1)
    assert builds(kb) == [(kb / "CURRENT").read_text().strip()]


def test_a_second_builder_waits_for_the_first(tmp_path: Path) -> None:
    entered = threading.Event()

    def second() -> None:
        with Staging(tmp_path, "kb", ID, wait_s=PATIENCE_S):
            entered.set()

    with Staging(tmp_path, "kb", ID):
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.wait(0.2)
    thread.join()
    assert entered.is_set()


def test_a_second_builder_gives_up_with_one_sentence(tmp_path: Path) -> None:
    with (
        Staging(tmp_path, "kb", ID) as staging,
        pytest.raises(PublishError, match="Another build is writing to") as caught,
        Staging(tmp_path, "kb", ID, wait_s=0),
    ):
        pass
    assert caught.value.code == "locked"
    assert not staging.folder.exists()


def test_old_builds_are_removed_beyond_the_number_to_keep(publish: Publish) -> None:
    made = [publish(entries(f"{n}")).build_id for n in range(4)]
    published = publish(entries("4"), keep=3)
    assert published.removed == (made[0], made[1])
    assert builds(published.path.parent) == sorted([*made[2:], published.build_id])


def test_the_current_build_stays_however_old(publish: Publish) -> None:
    first = publish(entries("one"))
    for text in ("two", "three"):
        publish(entries(text))
    again = publish(entries("one"), keep=1)
    assert again.reused
    assert builds(first.path.parent) == [first.build_id]


def test_a_build_that_is_live_again_is_as_new_as_any(publish: Publish) -> None:
    first, second, third = (publish(entries(text)) for text in ("one", "two", "three"))
    assert publish(entries("one")).reused
    fourth = publish(entries("four"), keep=2)
    assert fourth.removed == (second.build_id, third.build_id)
    assert builds(first.path.parent) == sorted([first.build_id, fourth.build_id])


def test_a_build_that_a_reader_has_open_stays(publish: Publish) -> None:
    first = publish(entries("one"))
    with Artifact.open(first.path) as reader:
        second = publish(entries("two"), keep=1)
        assert second.removed == ()
        assert reader.catalog("docs")[0]["text"] == "one"
    third = publish(entries("three"), keep=1)
    assert set(third.removed) == {first.build_id, second.build_id}


def test_a_build_without_a_manifest_counts_as_the_oldest(publish: Publish, tmp_path: Path) -> None:
    first = publish(entries("one"))
    (first.path.parent / ID).mkdir()
    assert publish(entries("two"), keep=2).removed == (ID,)


def test_removal_that_meets_a_reader_says_so(publish: Publish) -> None:
    build = publish().path
    with (build / "manifest.json").open() as reader:
        assert try_share(reader.fileno())
        assert not retention.remove_build(build)
    assert retention.remove_build(build)
    assert not build.exists()


def test_a_file_in_place_of_the_output_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(PublishError) as caught, Staging(tmp_path / "out", "kb", ID):
        pass
    assert caught.value.code == "unwritable"
    assert "\n" not in caught.value.message
    (tmp_path / "kb").write_text("")
    with pytest.raises(PublishError, match="cannot be written"), Staging(tmp_path, "kb", ID):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_folder_without_permission_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PublishError) as caught, Staging(tmp_path, "kb", ID):
            pass
        assert caught.value.code == "unwritable"
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
        ValueError('IoError(Os { code: 28, message: "No space left on device" })'),
    ],
)
def test_a_full_disk_met_by_any_writer_is_one_sentence(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(PublishError, match="no space left") as caught, Staging(tmp_path, "kb", ID):
        raise error
    assert caught.value.code == "no-space"
    assert [path.name for path in (tmp_path / "kb").iterdir()] == [".lock"]


def test_a_disk_that_was_full_before_says_nothing_of_what_a_build_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=9, used=9, free=0))
    with pytest.raises(PublishError) as caught, Staging(tmp_path, "kb", ID):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.message == f"There is no space left for {tmp_path / 'kb'}."


def test_an_error_about_the_input_is_passed_on(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), Staging(tmp_path / "out", "kb", ID):
        (tmp_path / "input.md").read_text()


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Makes writes beyond `size` bytes of a file fail, as on a full disk (EFBIG, though)."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("size", [0, 10, 40, 200, 1000, 2000])
def test_running_out_of_space_anywhere_keeps_what_was_live(publish: Publish, size: int) -> None:
    first = publish(entries("one"))
    before = tree(first.path.parent)
    with files_limited_to(size), pytest.raises(PublishError) as caught:
        publish(entries("two" * 3000))
    assert caught.value.code == "no-space"
    assert "the limit of file sizes is reached" in caught.value.message
    assert tree(first.path.parent) == before
    assert publish(entries("two" * 3000)).reused is False


@pytest.mark.parametrize("step", ["fsync", "rename", "replace"])
def test_a_failing_system_call_keeps_what_was_live(
    publish: Publish, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    first = publish(entries("one"))
    kb = first.path.parent

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os if step == "fsync" else linker.Path, step, fail)
        with pytest.raises(PublishError) as caught:
            publish(entries("two"))
    assert caught.value.code == "io"
    assert (kb / "CURRENT").read_text() == f"{first.build_id}\n"
    assert not [path for path in kb.iterdir() if path.name.startswith(".tmp-")]


PUBLISHER = """
import itertools, pathlib, runpy, sys
publish = runpy.run_path(sys.argv[1])["publish_small"]
print("ready", flush=True)
for number in itertools.count(int(sys.argv[3])):
    publish(pathlib.Path(sys.argv[2]), {"docs": [{"id": "a", "text": str(number) * 500}]}, keep=2)
"""


@pytest.mark.slow
def test_a_builder_killed_at_any_instant_leaves_a_good_version(publish: Publish) -> None:
    """Every other kill comes while something is staged, the rest after a pause of random length."""
    first = publish(entries("one"))
    kb = first.path.parent
    writer = Path(__file__).parents[2] / "small_artifact.py"
    paths = [
        str(Path(module.__file__ or "").parents[1])
        for module in (linker, sys.modules["kb_runtime"])
    ]
    chance = random.Random(7)
    interrupted = 0
    for attempt in range(25):
        process = subprocess.Popen(
            [sys.executable, "-c", PUBLISHER, writer, kb.parent, str(attempt * 1000)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        if attempt % 2:
            until(lambda: any(kb.glob(".tmp-*")), "a build in progress")
        else:
            time.sleep(chance.random() * 0.12)
        process.kill()
        process.wait()
        process.stdout.close()
        interrupted += any(path.name.startswith(".tmp-") for path in kb.iterdir())
        assert verify(kb).ok
    assert interrupted
    last = publish(entries("last"), keep=1)
    assert {path.name for path in kb.iterdir()} == {".lock", last.build_id, "CURRENT"}
