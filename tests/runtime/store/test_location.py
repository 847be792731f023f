"""The build that a path stands for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.store.location import locate, resolve
from kbc.linking.linker import Published

Publish = Callable[..., Published]

BUILD = "0123456789abcdef"


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(ArtifactError) as caught:
        call()
    return caught.value.code


def test_a_knowledge_base_a_build_and_its_parent_resolve_alike(publish: Publish) -> None:
    build = publish().path
    for path in (build, build.parent, build.parent.parent, f"{build}/"):
        assert resolve(path) == str(build)


def test_nothing_there_is_missing(tmp_path: Path) -> None:
    assert code_of(lambda: resolve(tmp_path / "nothing")) == "missing"
    assert code_of(lambda: resolve("bad\0path")) == "missing"


def test_a_file_or_an_empty_folder_is_not_an_artifact(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert code_of(lambda: resolve(file)) == "not-an-artifact"
    assert code_of(lambda: resolve(tmp_path)) == "not-an-artifact"


def test_several_knowledge_bases_are_named(tmp_path: Path) -> None:
    for name in ("beta", "alpha"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "CURRENT").write_text(f"{BUILD}\n")
    with pytest.raises(ArtifactError, match="alpha, beta") as caught:
        resolve(tmp_path)
    assert caught.value.code == "not-an-artifact"


@pytest.mark.parametrize(
    "content", ["", "../../etc", "/etc", ".", BUILD.upper(), BUILD + "x", BUILD + "\n\n", "é" * 16]
)
def test_a_malformed_current_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "CURRENT").write_text(content, encoding="utf-8")
    assert code_of(lambda: resolve(tmp_path)) == "altered"


def test_a_current_that_names_no_build_is_refused(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_text(f"{BUILD}\n")
    assert code_of(lambda: resolve(tmp_path)) == "missing"
    (tmp_path / ("f" * 16)).mkdir()
    with pytest.raises(ArtifactError) as caught:
        resolve(tmp_path)
    assert "f" * 16 in caught.value.hint


def test_current_is_read_anew_each_time(tmp_path: Path) -> None:
    for build in (BUILD, "f" * 16):
        (tmp_path / build).mkdir()
        (tmp_path / build / "manifest.json").write_text("")
    (tmp_path / "CURRENT").write_text("")
    location = locate(tmp_path)
    for build in ("f" * 16, BUILD):
        (tmp_path / "CURRENT").write_text(f"{build}\n")
        assert location.build_folder() == str(tmp_path / build)
