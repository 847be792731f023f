from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.waiting import PATIENCE_S

from kb_runtime.errors import ArtifactError
from kb_runtime.store import manifest as manifest_module
from kb_runtime.store.manifest import INPUTS, load, seal
from kb_runtime.version import FORMAT_VERSION, UNSHARDED_FORMAT_VERSION
from kbc.linking.linker import Published

Publish = Callable[..., Published]

BUILD = "0123456789abcdef"


HASH = "0" * 64
ROWS = {"name": "a", "kind": "docs", "records": 1, "chunks": 2, "first_row": 0}


def write(folder: Path, **fields: Any) -> Path:
    """A sealed manifest without files in `folder`, named after the build."""
    build = folder / BUILD
    build.mkdir(parents=True, exist_ok=True)
    given = {
        "format": FORMAT_VERSION,
        "name": "small",
        "build_id": BUILD,
        "collections": [],
        "scopes": {},
        "files": [],
    }
    (build / "manifest.json").write_bytes(seal({**given, **fields}))
    return build


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(ArtifactError) as caught:
        call()
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message
    return caught.value.code


def test_the_seal_is_the_hash_of_the_file_with_the_seal_zeroed(tmp_path: Path) -> None:
    data = (write(tmp_path) / "manifest.json").read_bytes()
    digits = json.loads(data)["seal"]
    assert hashlib.sha256(data.replace(digits.encode(), b"0" * 64)).hexdigest() == digits


@pytest.mark.slow
@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_sealing_keeps_every_field(fields: dict[str, Any]) -> None:
    read = json.loads(seal(fields))
    assert {name: value for name, value in read.items() if name != "seal"} == {
        name: value for name, value in fields.items() if name != "seal"
    }


def test_a_loaded_manifest_reads_like_a_mapping(tmp_path: Path) -> None:
    manifest = load(write(tmp_path, title="Title"))
    assert manifest["title"] == "Title"
    assert manifest.get("nothing", 1) == 1
    assert "title" in manifest
    assert manifest.build_id == BUILD


def test_every_flipped_bit_of_a_manifest_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path) / "manifest.json"
    good = path.read_bytes()
    for position in range(len(good)):
        for bit in range(8):
            path.write_bytes(
                good[:position] + bytes([good[position] ^ 1 << bit]) + good[position + 1 :]
            )
            assert code_of(lambda: load(path.parent)) in {
                "altered",
                "truncated",
                "not-an-artifact",
            }


def test_every_truncation_of_a_manifest_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path) / "manifest.json"
    good = path.read_bytes()
    for size in range(len(good)):
        path.write_bytes(good[:size])
        assert code_of(lambda: load(path.parent)) in {"truncated", "not-an-artifact"}


def test_a_newer_format_asks_for_an_upgrade(tmp_path: Path) -> None:
    build = write(tmp_path, format=FORMAT_VERSION + 1)
    with pytest.raises(ArtifactError) as caught:
        load(build)
    assert caught.value.code == "newer-format"
    assert "Upgrade kbc" in caught.value.hint


def test_an_older_format_asks_for_a_build(tmp_path: Path) -> None:
    build = write(tmp_path, format=UNSHARDED_FORMAT_VERSION - 1)
    with pytest.raises(ArtifactError) as caught:
        load(build)
    assert caught.value.code == "older-format"
    assert "Build" in caught.value.hint


@pytest.mark.parametrize(
    "fields",
    [
        {"format": "1"},
        {"build_id": 5},
        {"files": [{"path": "a"}]},
        {"files": 3},
        {"collections": {}},
        {"name": ""},
        {"scopes": {"all": ["nowhere"]}},
        {"collections": [{**ROWS, "chunks": True}]},
        {"collections": [{**ROWS, "first_row": 1}]},
        {"collections": [ROWS, ROWS]},
        {"collections": [ROWS, {**ROWS, "name": "b", "first_row": 1}]},
        {"warnings": ["dead-link"]},
        {"warnings": [{"code": "dead-link", "message": None}]},
        {"search": {"exact_rows": -1}},
        {"search": {"candidates": 2**32 - 1}},
        {"encoder": {"model": "m", "dimensions": 0}},
        {"files": [{"path": "../outside", "bytes": 1, "sha256": HASH}]},
        {"files": [{"path": "/etc/passwd", "bytes": 1, "sha256": HASH}]},
        {"files": [{"path": "a\\..\\b", "bytes": 1, "sha256": HASH}]},
    ],
)
def test_a_sealed_file_of_another_shape_is_not_an_artifact(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    build = write(tmp_path, **fields)
    assert code_of(lambda: load(build)) == "not-an-artifact"


def test_foreign_json_is_not_an_artifact(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "a web app"}')
    assert code_of(lambda: load(tmp_path)) == "not-an-artifact"


def test_a_renamed_build_is_refused(tmp_path: Path) -> None:
    other = write(tmp_path).rename(tmp_path / "fedcba9876543210")
    assert code_of(lambda: load(other)) == "altered"


def test_a_pipe_in_place_of_the_manifest_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    assert code_of(lambda: load(tmp_path)) == "altered"


def test_a_device_or_a_link_in_place_of_a_file_is_not_read(publish: Publish) -> None:
    build = publish().path
    for name in ("tools.json", "manifest.json"):
        (build / name).rename(build / "aside")
        for target in ("/dev/zero", build / "aside"):
            (build / name).symlink_to(target)
            assert code_of(lambda: load(build).check_file("tools.json")) == "altered"
            (build / name).unlink()
        (build / "aside").rename(build / name)
    load(build).check_file("tools.json")


def test_sizes_are_checked(publish: Publish) -> None:
    build = publish().path
    manifest = load(build)
    manifest.check_sizes()
    path = build / "tools.json"
    path.write_bytes(path.read_bytes()[:-1])
    assert code_of(manifest.check_sizes) == "truncated"
    path.write_bytes(b"x" * 99)
    assert code_of(manifest.check_sizes) == "altered"
    path.unlink()
    assert code_of(manifest.check_sizes) == "truncated"
    path.mkdir()
    assert code_of(manifest.check_sizes) == "altered"


def test_an_altered_file_is_refused_also_when_it_passed_before(publish: Publish) -> None:
    build = publish().path
    manifest = load(build)
    manifest.check_file("tools.json")
    for name in ("tools.json", "catalog/docs.bin"):
        (build / name).write_bytes(bytes(reversed((build / name).read_bytes())))
    assert code_of(lambda: manifest.check_file("tools.json")) == "altered"
    assert code_of(lambda: manifest.check_file("catalog/docs.bin")) == "altered"
    assert code_of(lambda: manifest.check_file("no/such/file")) == "truncated"


@pytest.mark.parametrize("is_put_back", [False, True])
def test_a_file_that_is_replaced_between_its_hash_and_its_reader_is_refused(
    publish: Publish, is_put_back: bool
) -> None:
    build = publish().path
    path, aside, forged = build / "tools.json", build / "aside", build / "forged"
    forged.write_bytes(bytes(reversed(path.read_bytes())))
    read = []

    def exchange() -> None:
        path.rename(aside)
        forged.rename(path)
        read.append(path.read_bytes())
        if is_put_back:
            path.rename(forged)
            aside.rename(path)

    manifest = load(build)
    assert manifest.open_checked(["tools.json"], lambda: path.read_bytes()) == b"{}\n"
    assert code_of(lambda: manifest.open_checked(["tools.json"], exchange)) == "altered"
    assert {*read} == {b"\n}{"}


def test_a_file_that_only_has_a_name_more_or_less_while_it_is_read_is_read_again(
    publish: Publish,
) -> None:
    """As where a build is removed that shares the file."""
    build = publish().path
    path, shared = build / "tools.json", build.parent / "shared.json"
    os.link(path, shared)
    read = []

    def content() -> bytes:
        read.append(path.read_bytes())
        shared.unlink(missing_ok=True)
        return read[-1]

    assert load(build).open_checked(["tools.json"], content) == b"{}\n"
    assert len(read) == 2


def test_what_a_reader_raises_of_files_that_did_not_change_is_passed_on(publish: Publish) -> None:
    def fail() -> None:
        raise ValueError("not mine")

    with pytest.raises(ValueError, match="not mine"):
        load(publish().path).open_checked(["tools.json"], fail)


def test_a_file_that_is_written_into_between_its_hash_and_its_reader_is_refused(
    publish: Publish,
) -> None:
    build = publish().path
    path = build / "tools.json"
    before = path.stat()

    def write() -> None:
        path.write_bytes(b"[]\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert code_of(lambda: load(build).open_checked(["tools.json"], write)) == "altered"


def test_a_file_may_be_checked_by_many_threads_at_once(tmp_path: Path) -> None:
    content = os.urandom(1 << 20)  # above the size from which OpenSSL hashes
    files = [
        {
            "path": "big",
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    ]
    build = write(tmp_path, files=files)
    (build / "big").write_bytes(content)
    manifest = load(build)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            manifest.check_file("big")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_large_files_are_hashed_once_in_several_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = {f"{name}.bin": os.urandom(1 << 20) for name in "abcdef"}
    build = write(
        tmp_path,
        files=[
            {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for path, data in content.items()
        ],
    )
    for path, data in content.items():
        (build / path).write_bytes(data)
    monkeypatch.setattr(manifest_module, "_THREADED_BYTES", 3 << 20)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    hashed: list[tuple[str, int]] = []
    digest = manifest_module.file_digest
    meeting = threading.Barrier(2, timeout=PATIENCE_S)
    waits = iter((True, True))

    def noted(path: str, size: int) -> str:
        hashed.append((Path(path).name, threading.get_ident()))
        if next(waits, False):  # or one thread may have hashed all before the other begins
            meeting.wait()
        return digest(path, size)

    monkeypatch.setattr(manifest_module, "file_digest", noted)
    manifest = load(build)
    manifest.check_files(content)
    assert sorted(name for name, _ in hashed) == sorted(content)
    assert len({thread for _, thread in hashed}) == 2
    for path in ("e.bin", "b.bin"):
        (build / path).write_bytes(bytes(1 << 20))
    again = load(build)
    with pytest.raises(ArtifactError, match=r"b\.bin was altered"):  # the first in order
        again.check_files(content)


def test_read_gives_checked_content(publish: Publish) -> None:
    build = publish().path
    manifest = load(build)
    assert manifest.read("tools.json") == b"{}\n"
    (build / "tools.json").write_bytes(b"[]\n")
    assert code_of(lambda: load(build).read("tools.json")) == "altered"


@pytest.mark.parametrize("content", [b"[" * 100_000, b"{}", b"[7]", b'[{"path": "a"}]'])
def test_inputs_of_another_shape_are_refused(tmp_path: Path, content: bytes) -> None:
    listed = {
        "path": INPUTS,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    build = write(tmp_path, files=[listed])
    (build / INPUTS).write_bytes(content)
    manifest = load(build)
    assert code_of(manifest.inputs) == "altered"


def test_loading_a_manifest_imports_neither_openssl_nor_numpy(publish: Publish) -> None:
    build = publish().path
    code = (
        "import sys; from kb_runtime.live.versions import LiveArtifact; LiveArtifact(sys.argv[1]).lease();"
        "print(*sorted({'_hashlib','numpy','typing','threading','dataclasses'} & set(sys.modules)))"
    )
    root = Path(manifest_module.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, build],
        env={"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
