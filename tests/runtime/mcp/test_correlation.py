"""The id that a client gives to a call comes back with the answer, and stands in the log."""

from __future__ import annotations

from typing import Any

import pytest

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.mcp import correlation, revisions

CALL = {"name": "small_get_builtin", "arguments": {"name": "op3"}}


def call(dispatcher: Any, **meta: Any) -> dict[str, Any]:
    answer: dict[str, Any] = dispatcher.handle(
        "tools/call", {**CALL, "_meta": meta}, revisions.NEWEST_HANDSHAKE
    )
    return answer


@pytest.mark.parametrize("key", ["correlationId", "x-correlation-id"])
def test_a_given_id_comes_back(dispatcher: Any, key: str) -> None:
    assert call(dispatcher, **{key: "trace-7"})["_meta"] == {"correlationId": "trace-7"}


def test_the_message_counts_more_than_the_header() -> None:
    meta = {"x-correlation-id": "header", "correlationId": "message"}
    assert correlation.given_id({"_meta": meta}) == "message"


@pytest.mark.parametrize("bad", [7, "", "two\nlines", "x" * 201, None, ["a"]])
def test_what_is_no_id_is_not_taken_over(dispatcher: Any, bad: Any) -> None:
    assert "_meta" not in call(dispatcher, correlationId=bad)


def test_the_log_of_a_defect_names_the_call(
    dispatcher: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(*_: Any) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(Artifact, "catalog", explode)
    answer = call(dispatcher, correlationId="trace-8")
    assert answer["isError"]
    assert answer["_meta"] == {"correlationId": "trace-8"}
    assert "[correlation id trace-8]" in capsys.readouterr().err
