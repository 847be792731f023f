"""`kbc install` and `kbc doctor`, and what they need."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.required import needs

from kb_runtime.clients.machine import Machine
from kb_runtime.clients.table import CLIENTS
from kb_runtime.errors import exit_codes
from kbc.cli.main import run

KBC = Path(sys.executable).with_name("kbc.exe" if os.name == "nt" else "kbc")
NEEDED = [
    needs(KBC.exists(), "kbc is not installed next to this Python"),
    pytest.mark.skipif(os.name == "nt", reason="the home folder is not $HOME"),
]
DETECTED = ("claude-code", "claude-desktop", "cursor", "codex", "opencode", "zed")


def ask(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(each) for each in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def problems(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    """What `kbc doctor` finds wrong; it fails when that is something."""
    code, out, _ = ask(capsys, "doctor", *arguments, "--json")
    told = json.loads(out)
    found = [each["message"] for each in told["findings"] if each["level"] == "problem"]
    assert code == (exit_codes.BROKEN if found else exit_codes.OK)
    assert told["ok"] is not found or not found
    return found


def warnings(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    told = json.loads(ask(capsys, "doctor", *arguments, "--json")[1])
    return [each["message"] for each in told["findings"] if each["level"] == "warning"]


def install(capsys: pytest.CaptureFixture[str], artifact: Path, client: str = "cursor") -> Path:
    code, _, _ = ask(capsys, "install", artifact, "--client", client)
    assert code == exit_codes.OK
    return Path(CLIENTS[client].path(Machine.this(), "user", ""))
