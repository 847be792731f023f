"""What goes to stderr, for people and for machines."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from importlib import reload
from typing import Any

import pytest

from kb_runtime import log


@pytest.fixture
def as_json() -> Iterator[None]:
    before = logging.root.handlers[:], logging.root.level
    log.use_json()
    yield
    logging.root.handlers[:], logging.root.level = before
    reload(log)  # says sentences again


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_sentence_is_a_line_that_names_who_speaks(capsys: pytest.CaptureFixture[str]) -> None:
    log.say("no problems found", program="quint-kb", address="unseen")
    assert capsys.readouterr().err == "quint-kb: no problems found\n"


@pytest.mark.usefixtures("as_json")
def test_a_sentence_for_machines_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    log.say("two\nlines", level="info", address="here")
    (said,) = lines(capsys)
    assert said.pop("time").endswith("Z")
    assert said.pop("pid")
    assert said == {"level": "info", "message": "two\nlines", "address": "here"}


@pytest.mark.usefixtures("as_json")
def test_a_defect_keeps_its_id_and_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    log.failure("it failed", ValueError("why"), "id-1")
    (said,) = lines(capsys)
    assert (said["level"], said["message"], said["correlation_id"]) == (
        "error",
        "it failed",
        "id-1",
    )
    assert "ValueError: why" in said["traceback"]


@pytest.mark.usefixtures("as_json")
def test_what_libraries_log_joins_the_log_from_warnings_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log.take_over_logging()
    logging.getLogger("some.library").info("chatter")
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("some.library").exception("oh %s", "no")
    (said,) = lines(capsys)
    assert (said["level"], said["message"], said["logger"]) == ("error", "oh no", "some.library")
    assert "ValueError: why" in said["traceback"]


def test_a_closed_stderr_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    log.say("into the void")
