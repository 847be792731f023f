"""Keys, signatures, and what verification makes of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import kbc
from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.store.manifest import MANIFEST, load, seal
from kb_runtime.store.signature import (
    SIGNATURES,
    KeyFileError,
    read_public_key,
    read_signatures,
)
from kbc.cli.main import run
from kbc.linking.linker import Published
from kbc.shipping import signing
from kbc.shipping.signing import generate, sign

Publish = Callable[..., Published]


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    private = tmp_path / "release.pem"
    generate(private, None)
    return private, tmp_path / "release.pem.pub"


def refused(build: Path, public: Path) -> str:
    with pytest.raises(ArtifactError) as caught:
        verify(build, [public])
    return caught.value.code


def test_a_signed_artifact_verifies_with_the_public_key(
    publish: Publish, keys: tuple[Path, Path]
) -> None:
    private, public = keys
    build = publish().path
    sign(build.parent, private, None)
    report = verify(build, [public])
    assert report.ok
    assert report.checks[0] == "signature"
    assert verify(build).ok, "a signature is no extra file"


def test_a_build_with_a_damaged_file_is_not_signed(
    publish: Publish, keys: tuple[Path, Path]
) -> None:
    build = publish().path
    file = build / "catalog" / "chunks.off"
    file.write_bytes(bytes(len(file.read_bytes())))
    with pytest.raises(ArtifactError, match=r"chunks\.off was altered"):
        sign(build, keys[0], None)
    assert not (build / SIGNATURES).exists()


def test_an_unsigned_artifact_is_refused_where_a_key_is_asked_for(
    publish: Publish, keys: tuple[Path, Path]
) -> None:
    assert refused(publish().path, keys[1]) == "unsigned"


def test_a_signature_by_another_key_does_not_count(
    publish: Publish, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    build = publish().path
    other = generate(tmp_path / "other", None)
    sign(build, tmp_path / "other", None)
    with pytest.raises(ArtifactError, match=other) as caught:
        verify(build, [keys[1]])
    assert caught.value.code == "unsigned"
    sign(build, keys[0], None)
    assert verify(build, [keys[1], tmp_path / "other.pub"]).ok, "signatures add up"


def test_signatures_that_are_added_at_the_same_time_all_stay(
    publish: Publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = publish().path
    together = threading.Barrier(2)

    def read_together(folder: str) -> Any:
        found = read_signatures(folder)
        with suppress(threading.BrokenBarrierError):
            together.wait(timeout=0.5)
        return found

    monkeypatch.setattr(signing, "read_signatures", read_together)
    names = [generate(tmp_path / name, None) for name in ("one", "other")]
    with ThreadPoolExecutor(2) as threads:
        for done in [
            threads.submit(sign, build, tmp_path / name, None) for name in ("one", "other")
        ]:
            done.result()
    assert sorted(read_signatures(str(build))) == sorted(names)


def test_a_build_is_signed_after_those_beside_it_whatever_the_clock_says(
    publish: Publish, keys: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def serial(second: int, text: str) -> int:
        monkeypatch.setattr(signing.time, "time_ns", lambda: second * 10**9)
        build = publish({"docs": [{"id": "a.md", "title": "A", "text": text}]}).path
        name, path = sign(build, keys[0], None)
        found = read_signatures(str(build))[name].serial
        if text == "forged":  # whoever can write there makes the numbers no larger
            path.write_text(path.read_text().replace(str(found), str(found + 10**9)))
        return found

    first = serial(2_000_000_000, "first")
    second = serial(1_000_000_000, "second")
    assert second > first
    assert second < serial(1_000_000_000, "forged") < first + 10
    assert second < serial(1_000_000_000, "last") < first + 10


def test_a_manifest_changed_and_sealed_again_is_refused(
    publish: Publish, keys: tuple[Path, Path]
) -> None:
    build = publish().path
    sign(build, keys[0], None)
    fields = json.loads((build / MANIFEST).read_bytes())
    fields["title"] = "Another"
    (build / MANIFEST).write_bytes(seal(fields))
    load(str(build))  # its own seal holds
    assert refused(build, keys[1]) == "bad-signature"


ENDLESS = b'{"key": "x", "serial": 1e400, "algorithm": "ed25519", "signature": ""}'


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'{"signatures": [{"key": "x"}]}',
        b'{"signatures": [' + ENDLESS + b"]}",
        b"\xff\x00",
    ],
)
def test_a_damaged_file_of_signatures_is_refused(
    publish: Publish, keys: tuple[Path, Path], content: bytes
) -> None:
    build = publish().path
    (build / SIGNATURES).write_bytes(content)
    assert refused(build, keys[1]) == "altered"


def test_keys_are_never_replaced_and_the_private_one_is_for_its_owner(
    keys: tuple[Path, Path],
) -> None:
    private, public = keys
    assert private.stat().st_mode & 0o777 == 0o600
    before = private.read_bytes(), public.read_bytes()
    with pytest.raises(KeyFileError, match="already exists"):
        generate(private, None)
    assert (private.read_bytes(), public.read_bytes()) == before


def test_an_encrypted_key_needs_its_passphrase(publish: Publish, tmp_path: Path) -> None:
    build = publish().path
    generate(tmp_path / "key", b"secret")
    with pytest.raises(KeyFileError, match="is encrypted") as caught:
        sign(build, tmp_path / "key", None)
    assert caught.value.hint == "Set KBC_SIGNING_PASSPHRASE to its passphrase."
    with pytest.raises(KeyFileError, match="passphrase") as caught:
        sign(build, tmp_path / "key", b"guess")
    assert caught.value.hint == "Set KBC_SIGNING_PASSPHRASE to its passphrase."
    with pytest.raises(KeyFileError, match="holds a public key"):
        sign(build, tmp_path / "key.pub", None)
    assert not (build / SIGNATURES).exists()
    sign(build, tmp_path / "key", b"secret")
    assert verify(build, [tmp_path / "key.pub"]).ok
    generate(tmp_path / "open", None)
    with pytest.raises(KeyFileError, match="is not encrypted") as caught:
        sign(build, tmp_path / "open", b"secret")
    assert caught.value.hint == "Unset KBC_SIGNING_PASSPHRASE."


def test_a_private_key_in_place_of_the_public_one_is_pointed_out(keys: tuple[Path, Path]) -> None:
    with pytest.raises(KeyFileError, match="private key"):
        read_public_key(keys[0])
    keys[1].write_text("no key\n")
    with pytest.raises(KeyFileError, match="does not hold an Ed25519 public key"):
        read_public_key(keys[1])


def test_the_command_line_signs_and_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kb" / "docs").mkdir(parents=True)
    (tmp_path / "kb" / "docs" / "kite.md").write_text("# Kites\n\nA kite flies in the wind.\n")
    options = kbc.BuildOptions(out=tmp_path / "out", embed=False)
    build = str(kbc.build(tmp_path / "kb", options).path)
    key = str(tmp_path / "key")
    assert run(["keygen", key, "--json"]) == 0
    name = json.loads(capsys.readouterr().out)["key"]
    assert run(["verify", build, "--key", f"{key}.pub"]) == 4
    assert "is not signed" in capsys.readouterr().err
    assert run(["sign", build, "--key", key]) == 0
    assert name in capsys.readouterr().out
    assert run(["verify", build, "--key", f"{key}.pub"]) == 0
    assert run(["verify", build, "--key", f"{key}.missing"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_killed_signer_leaves_an_artifact_that_verifies_and_can_be_signed(
    publish: Publish, keys: tuple[Path, Path]
) -> None:
    private, public = keys
    build = publish().path
    (build / f".{SIGNATURES}.7-a.new").write_bytes(b"{")
    assert verify(build).ok
    sign(build, private, None)
    assert verify(build, [public]).ok
    assert not list(build.glob(".*"))
