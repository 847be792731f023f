from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.store import manifest as manifest_module
from kb_runtime.store.location import resolve
from kb_runtime.store.manifest import Manifest, load
from kb_runtime.store.proofs import read_proofs, write_proofs

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no proofs")
SECTION = "vectors/rows.f32"


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this user's notes go."""
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "verified"


@pytest.fixture
def build(quint_artifact: Path, tmp_path: Path, notes: Path) -> Path:
    """A build of this test's own, as `kbc verify` leaves it."""
    copied = tmp_path / "quint"
    shutil.copytree(quint_artifact, copied)
    assert verify(copied, prove=True).ok
    (note,) = notes.iterdir()
    assert note.stat().st_mode & 0o077 == 0
    return Path(resolve(copied))


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are hashed."""
    found: list[str] = []
    digest = manifest_module.file_digest

    def noticed(path: str, size: int) -> str:
        found.append(Path(path).name)
        return digest(path, size)

    monkeypatch.setattr(manifest_module, "file_digest", noticed)
    return found


def checked(build: Path) -> Manifest:
    manifest = load(build)
    manifest.check_files(manifest.files)
    return manifest


def test_what_was_verified_is_not_hashed_again(build: Path, hashed: list[str]) -> None:
    assert not load(build).files.keys() - read_proofs(str(build)).keys()
    checked(build)
    with Artifact.open(build) as artifact:
        artifact.prepare()
    assert hashed == []


def test_a_file_whose_content_changed_is_found_whatever_its_times_say(build: Path) -> None:
    path = build / SECTION
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(ArtifactError) as caught:
        checked(build)
    assert caught.value.code == "altered"


def test_a_file_in_the_place_of_another_is_hashed(build: Path, hashed: list[str]) -> None:
    path = build / SECTION
    other = path.with_name("other")
    shutil.copy2(path, other)
    other.replace(path)
    checked(build)
    assert hashed == [path.name]


def test_verification_and_a_key_hash_everything(build: Path, hashed: list[str]) -> None:
    assert verify(build).ok
    assert set(hashed) == {Path(path).name for path in load(build).files}
    hashed.clear()
    load(build, lambda *_: None).check_file(SECTION)
    assert hashed == [Path(SECTION).name]


def test_a_copied_build_has_no_proof(build: Path, tmp_path: Path, hashed: list[str]) -> None:
    copied = tmp_path / "copy" / build.name
    shutil.copytree(build, copied)
    load(copied).check_file(SECTION)
    assert hashed == [Path(SECTION).name]


@pytest.mark.parametrize("what", ["note", "folder"])
def test_a_note_that_others_could_write_does_not_count(
    build: Path, notes: Path, hashed: list[str], what: str
) -> None:
    (note,) = notes.iterdir()
    (note if what == "note" else notes).chmod(0o777)
    load(build).check_file(SECTION)
    assert hashed == [Path(SECTION).name]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"files": []}',
        '{"files": {}, "folder": 7}',
        "[" * 100_000,
        "null",
        '"\ud800',
    ],
)
def test_a_damaged_note_does_not_count(
    build: Path, notes: Path, hashed: list[str], text: str
) -> None:
    (note,) = notes.iterdir()
    note.write_bytes(text.encode("utf-8", "surrogatepass"))
    load(build).check_file(SECTION)
    assert hashed == [Path(SECTION).name]


def test_a_note_behind_a_link_or_of_another_folder_does_not_count(
    build: Path, notes: Path, hashed: list[str]
) -> None:
    (note,) = notes.iterdir()
    content = json.loads(note.read_text())
    note.rename(notes / "elsewhere")
    note.symlink_to(notes / "elsewhere")
    load(build).check_file(SECTION)
    note.unlink()
    note.write_text(json.dumps({**content, "folder": "/somewhere/else"}))
    load(build).check_file(SECTION)
    assert hashed == [Path(SECTION).name] * 2


def test_a_reader_writes_nothing(quint_artifact: Path, notes: Path, hashed: list[str]) -> None:
    assert verify(quint_artifact).ok
    with Artifact.open(quint_artifact) as artifact:
        artifact.prepare()
    assert hashed
    assert not notes.exists()


def test_times_in_whole_seconds_prove_nothing(tmp_path: Path, notes: Path) -> None:
    whole, fine = [1, 2, 3, 4, 5_000_000_000, "hash"], [1, 2, 3, 4, 5_000_000_001, "hash"]
    write_proofs(str(tmp_path), {"a": whole, "b": fine})
    assert read_proofs(str(tmp_path)) == {"b": fine}


def test_builds_that_are_gone_are_forgotten(build: Path, tmp_path: Path, notes: Path) -> None:
    (of_build,) = notes.iterdir()
    (notes / "damaged.json").write_text("{")
    shutil.rmtree(build)
    write_proofs(str(tmp_path), {})
    (left,) = notes.iterdir()
    assert left != of_build
    assert read_proofs(str(tmp_path)) == {}


def test_what_a_killed_writer_left_is_removed_with_the_next_note(
    build: Path, tmp_path: Path, notes: Path
) -> None:
    (of_build,) = notes.iterdir()
    (notes / f".{of_build.name}.4902-2b6240.new").write_text("{")
    write_proofs(str(tmp_path), {})
    assert of_build in notes.iterdir()
    assert not list(notes.glob(".*"))


def test_nothing_is_lost_where_notes_cannot_be_kept(
    quint_artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "file"))
    assert verify(quint_artifact, prove=True).ok
    assert read_proofs(resolve(quint_artifact)) == {}
