"""Tokens are counted by the artifact's own tokenizer, which is verified before it is read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import kb_runtime
from kb_runtime.errors import ArtifactError


def test_an_altered_tokenizer_counts_nothing(quint_artifact: Path, tmp_path: Path) -> None:
    with kb_runtime.open(quint_artifact) as kb:
        assert kb.count_tokens("create a map") == 3
        folder = tmp_path / Path(kb.path).name
        shutil.copytree(Path(kb.path), folder)
    file = folder / "encoder" / "tokenizer.json"
    data = file.read_bytes()
    assert b'"map"' in data
    file.write_bytes(data.replace(b'"map"', b'"mop"', 1))
    with kb_runtime.open(folder) as altered, pytest.raises(ArtifactError) as caught:
        altered.count_tokens("create a map")
    assert caught.value.code == "altered"
