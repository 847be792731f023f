"""A server that wants signatures: which builds it takes, now and later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.store.signature import SIGNATURES, check_signature, read_public_key
from kbc.linking.linker import Published
from kbc.shipping.signing import generate, sign

Publish = Callable[..., Published]
Check = Callable[[str], None]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    generate(tmp_path / "key", None)
    return tmp_path / "key"


@pytest.fixture
def check(secret: Path) -> Check:
    key = read_public_key(f"{secret}.pub")
    return lambda folder: check_signature(folder, key)


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
