"""Requests that no browser sends, without a browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.explorer.app import build_app
from kb_runtime.explorer.bases import Bases
from kb_runtime.explorer.visit import Explorer


def posted(tmp_path: Path, *messages: dict[str, Any], **headers: str) -> int:
    """The status of the answer to a form for `/login` that arrives in `messages`."""
    app = build_app(Explorer(Bases([tmp_path]), accepts=lambda token: token == "right"))
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/login",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:80")]
        + [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    waiting, answers = list(messages), []

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    async def send(message: dict[str, Any]) -> None:
        answers.append(message)

    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return int(answers[0]["status"])


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:80", 303),
        ("http://127.0.0.1:81", 403),
        ("http://[", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_only_a_page_of_this_server_may_post(tmp_path: Path, origin: str, status: int) -> None:
    form = {"type": "http.request", "body": b"token=right"}
    assert posted(tmp_path, form, origin=origin) == status


def test_a_client_that_leaves_in_the_middle_of_a_form_is_no_defect(tmp_path: Path) -> None:
    half = {"type": "http.request", "body": b"token=right", "more_body": True}
    assert posted(tmp_path, half, {"type": "http.disconnect"}) == 401
