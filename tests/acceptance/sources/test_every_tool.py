"""What all tools of documentation sets share: safe internal errors, correlation ids, repeatable answers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.acceptance.served import Server, explosion
from tests.acceptance.sources.library import INTERNAL

from kb_runtime.errors import ArtifactError, ProtocolError
from kb_runtime.knowledge.artifact import Artifact

CALLS = (
    {"name": "qurio_search", "arguments": {"query": "client"}},
    {"name": "qurio_list_sources"},
    {"name": "qurio_list_pages", "arguments": {"source_id": "client"}},
    {"name": "qurio_read_page", "arguments": {"url": "client/http.md"}},
)


@pytest.mark.parametrize("params", CALLS, ids=lambda params: params["name"])
@pytest.mark.parametrize(
    "error",
    [RuntimeError("secret of /etc/shadow"), ArtifactError("altered", "secret in /srv/kb")],
    ids=lambda error: type(error).__name__,
)
def test_a_defect_is_a_protocol_error_that_tells_nothing(
    library: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    params: dict[str, Any],
    error: Exception,
) -> None:
    monkeypatch.setattr(Artifact, "catalog", explosion(error))
    monkeypatch.setattr("kb_runtime.search.searcher.Searcher.search", explosion(error))
    with pytest.raises(ProtocolError) as caught:
        library.send({**params, "_meta": {"correlationId": "trace-1"}})
    assert caught.value.rpc_code == INTERNAL
    assert caught.value.data["correlationId"] == "trace-1"
    told = f"{caught.value.message} {caught.value.data}"
    for leak in ("secret", "/etc", "/srv", "RuntimeError"):
        assert leak not in told
    logged = capsys.readouterr().err
    assert "secret" in logged
    assert "trace-1" in logged


@pytest.mark.parametrize("params", CALLS, ids=lambda params: params["name"])
def test_every_answer_carries_a_correlation_id(library: Server, params: dict[str, Any]) -> None:
    given_id = {**params, "_meta": {"x-correlation-id": "trace-2"}}
    assert library.send(given_id)["_meta"]["correlationId"] == "trace-2"
    generated = [library.send(params)["_meta"]["correlationId"] for _ in range(2)]
    assert len(set(generated)) == 2


def test_two_calls_answer_alike(library: Server) -> None:
    for params in CALLS:
        assert (
            library.send(params)["structuredContent"] == library.send(params)["structuredContent"]
        )
