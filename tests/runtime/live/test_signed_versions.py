"""A server that wants signatures: which builds it takes, now and later."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.small_artifact import publish_small

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.store.manifest import Manifest, seal
from kb_runtime.store.signature import SIGNATURES, read_public_key
from kb_runtime.store.trust import TrustedKey
from kbc.linking.linker import Published
from kbc.shipping.signing import generate, sign

Publish = Callable[..., Published]
Check = Callable[[Manifest, bytes], None]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    generate(tmp_path / "key", None)
    return tmp_path / "key"


@pytest.fixture
def check(secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return TrustedKey(read_public_key(f"{secret}.pub")).check


def entries(text: str) -> dict[str, list[dict[str, str]]]:
    return {"docs": [{"id": "page", "text": text}]}


def text_of(live: LiveArtifact) -> str:
    with live.lease() as artifact:
        return str(artifact.catalog("docs")[0]["text"])


def test_an_unsigned_build_is_not_opened(publish: Publish, check: Check) -> None:
    kb = publish(entries("one")).path.parent
    with pytest.raises(ArtifactError) as refused:
        LiveArtifact(kb, check=check)
    assert refused.value.code == "unsigned"


def test_a_manifest_that_was_changed_after_signing_is_not_opened(
    publish: Publish, check: Check, secret: Path
) -> None:
    first = publish(entries("one"))
    sign(first.path, secret, None)
    signatures = (first.path / SIGNATURES).read_bytes()
    second = publish(entries("two"))
    (second.path / SIGNATURES).write_bytes(signatures)
    with pytest.raises(ArtifactError) as refused:
        LiveArtifact(second.path.parent, check=check)
    assert refused.value.code == "bad-signature"


def test_an_unsigned_version_is_refused_once_and_taken_when_it_is_signed(
    publish: Publish, check: Check, secret: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = publish(entries("one")).path.parent
    sign(kb, secret, None)
    live = LiveArtifact(kb, check=check)
    publish(entries("two"))
    for _ in range(3):
        assert text_of(live) == "one"
    told = capsys.readouterr().err
    assert "still serving build" in told
    assert "is not signed by the key" in told
    assert told.count("\n") == 1
    sign(kb, secret, None)
    assert text_of(live) == "two"
    assert capsys.readouterr().err == ""
    live.close()


def test_a_signature_by_another_key_changes_nothing(
    publish: Publish, check: Check, secret: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = publish(entries("one")).path.parent
    sign(kb, secret, None)
    live = LiveArtifact(kb, check=check)
    publish(entries("two"))
    generate(tmp_path / "other", None)
    sign(kb, tmp_path / "other", None)
    for _ in range(3):
        assert text_of(live) == "one"
    told = capsys.readouterr().err
    assert "it is signed by" in told
    assert told.count("\n") == 1
    live.close()


def test_an_older_build_and_another_knowledge_base_are_refused_after_a_restart(
    publish: Publish, check: Check, secret: Path, tmp_path: Path
) -> None:
    old = publish(entries("one"))
    kb = old.path.parent
    sign(kb, secret, None)
    new = publish(entries("two"), keep=2)
    sign(kb, secret, None)
    LiveArtifact(kb, check=check).close()
    (kb / "CURRENT").write_text(f"{old.build_id}\n")
    trusted = read_public_key(f"{secret}.pub")
    with pytest.raises(ArtifactError) as refused:
        LiveArtifact(kb, check=TrustedKey(trusted).check)
    assert refused.value.code == "rollback"
    LiveArtifact(kb, check=TrustedKey(trusted, allow_rollback=True).check).close()
    other = publish_small(tmp_path / "other", entries("three"), name="other")
    sign(other.path, secret, None)
    shutil.rmtree(kb)
    other.path.parent.rename(kb)
    with pytest.raises(ArtifactError) as refused:
        LiveArtifact(kb, check=TrustedKey(trusted).check)
    assert refused.value.code == "other-artifact"
    assert new.build_id != old.build_id


def test_an_older_build_is_refused_where_nothing_can_be_remembered_on_disk(
    publish: Publish, check: Check, secret: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_text("no folder")
    old = publish(entries("one"))
    kb = old.path.parent
    sign(kb, secret, None)
    publish(entries("two"), keep=2)
    sign(kb, secret, None)
    LiveArtifact(kb, check=check).close()
    (kb / "CURRENT").write_text(f"{old.build_id}\n")
    with pytest.raises(ArtifactError) as refused:
        LiveArtifact(kb, check=check)
    assert refused.value.code == "rollback"
    assert capsys.readouterr().err.count("cannot be written") == 1


def test_a_manifest_that_alternates_is_never_served_forged(
    publish: Publish, check: Check, secret: Path
) -> None:
    """Another process puts a forged manifest and the signed one into the place in turns."""
    build = publish(entries("one")).path
    sign(build, secret, None)
    path = build / "manifest.json"
    good = path.read_bytes()
    fields = json.loads(good)
    forged = seal({**fields, "version": "9.9"})
    stop = threading.Event()

    def alternate() -> None:
        for turn in itertools.cycle((forged, good)):
            (build / "next").write_bytes(turn)
            (build / "next").replace(path)
            if stop.is_set() and turn is good:
                return

    thread = threading.Thread(target=alternate)
    thread.start()
    served, refused = [], 0
    try:
        for _ in range(300):
            try:
                with Artifact.open(build, check) as artifact:
                    served.append(artifact.manifest["version"])
            except ArtifactError:
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert "9.9" not in served
    assert served
    assert refused


def test_servers_that_start_together_remember_each_what_it_has_accepted(
    publish: Publish, check: Check, secret: Path, tmp_path: Path
) -> None:
    kb = publish(entries("one")).path.parent
    sign(kb, secret, None)
    places = [Path(shutil.copytree(kb, tmp_path / f"copy {number}")) for number in range(8)]
    ready = threading.Barrier(len(places))

    def start(place: Path) -> None:
        ready.wait()
        LiveArtifact(place, check=check).close()

    threads = [threading.Thread(target=start, args=(place,)) for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = json.loads((tmp_path / "state" / "kbc" / "accepted.json").read_text())
    assert sorted(key.split(" ", 1)[1] for key in accepted) == sorted(map(str, places))
