"""A compiled catalogue of tests, and servers over it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.catalogue.cases import CASES, Call, client, compiled


@pytest.fixture(scope="session")
def artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return compiled(tmp_path_factory.mktemp("catalogue"), CASES, cache)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's data folder, with an export of each shape that matters here."""
    folder = tmp_path_factory.mktemp("data")
    raw = {"testSuite": {"testCases": [{"title": "Ping", "testCaseId": "API-1", "tags": ["a"]}]}}
    files = {
        "normalized.json": json.dumps(CASES),
        "api.json": json.dumps(raw),
        "broken.json": '[{"uid": 1,]',
        "empty.json": "[]",
        "digits.json": '[{"uid": "x", "testId": ' + "9" * 5000 + "}]",
        "nameless.json": '[{"title": "No identifier"}]',
        "notes.txt": "[]",
        "sub/inner.json": json.dumps({"rows": [{"uid": "x"}, 5, {"uid": "x", "title": "again"}]}),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "link.json").symlink_to(folder / "normalized.json")
    (folder / "folder.json").mkdir()
    return folder


@pytest.fixture(scope="session")
def call(artifact: Path, data: Path) -> Call:
    ask = client(artifact, data)
    ask("search_tests", query="loads the encoder, which another fixture takes away from others")
    return ask


@pytest.fixture
def call_without_encoder(
    call: Call, artifact: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> Call:
    """The same server when its encoder cannot be loaded."""
    del call  # has loaded its own by now

    def unloadable(*_: Any) -> None:
        raise OSError("no such library: /opt/secret/libonnx.so")

    monkeypatch.setattr("kb_runtime.search.encoder.QueryEncoder.__init__", unloadable)
    return client(artifact, data)
