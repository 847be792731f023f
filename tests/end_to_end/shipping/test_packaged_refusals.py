"""Bad input to the command of an installed wheel: one sentence, a code of its own, nothing half-done.

Beside these, `tests.end_to_end.shipping.test_wheel` has a newer format, and altered content.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests.end_to_end.installed import Environment, wheel_of
from tests.end_to_end.knowledge import write_knowledge
from tests.end_to_end.serving.test_http import ACCEPT, PING, address_of
from tests.waiting import PATIENCE_S

from kb_runtime.errors import exit_codes
from kbc.pipeline.build import BuildOptions, build
from kbc.shipping.signing import generate

INSTALL = ("install", "--client", "cursor")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """demo-kb in an environment; words only, which is built in no time."""
    folder = tmp_path_factory.mktemp("packaged")
    write_knowledge(folder / "kb")
    artifact = build(folder / "kb", BuildOptions(out=folder / "out", embed=False)).path.parent
    environment = Environment(folder / "venv")
    environment.install(wheel_of(artifact, folder))
    return environment


@pytest.fixture
def home(installed: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own for the commands of the environment."""
    monkeypatch.setattr(installed, "folder", tmp_path)
    return tmp_path


def refusal(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The sentence of a command that was refused with this exit code."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" not in done.stdout
    return done.stderr


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write")
def test_a_configuration_that_cannot_be_written_is_named(
    installed: Environment, home: Path
) -> None:
    (home / ".cursor").symlink_to("/proc/self")
    told = refusal(installed.run("demo-kb", *INSTALL), exit_codes.OUTPUT)
    assert "/mcp.json cannot be written" in told


@pytest.mark.parametrize("text", ['{"mcpServers": {', '{"mcpServers": []}', "[1]", "hello"])
def test_a_configuration_that_is_not_json_is_never_overwritten(
    installed: Environment, home: Path, text: str
) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text)
    for options in ((), ("--force",), ("--uninstall",)):
        told = refusal(installed.run("demo-kb", *INSTALL, *options), exit_codes.OUTPUT)
        assert str(file) in told
        assert file.read_text() == text
    assert [path.name for path in file.parent.iterdir()] == ["mcp.json"]


def test_another_server_of_the_name_stays(installed: Environment, home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"demo": {"url": "https://example.org/mcp"}}}))
    before = file.read_bytes()
    told = refusal(installed.run("demo-kb", *INSTALL), exit_codes.OUTPUT)
    assert "another server named 'demo': https://example.org/mcp" in told
    assert file.read_bytes() == before
    installed.run("demo-kb", *INSTALL, "--name", "demo2")
    assert set(json.loads(file.read_bytes())["mcpServers"]) == {"demo", "demo2"}


@contextmanager
def serving(installed: Environment, *options: str) -> Iterator[str]:
    command = [installed.bin / "demo-kb", "serve", "--http", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env={}) as process:
        try:
            yield address_of(process)
        finally:
            process.terminate()
            process.communicate()


def test_a_wrong_token_is_refused_and_the_right_one_is_not(
    installed: Environment, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("right\n")
    with serving(installed, "--token-file", str(tmp_path / "token")) as url:
        for header, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": "Bearer right"}, 200),
        ):
            assert (
                httpx2.post(
                    url, json=PING, headers={**ACCEPT, **header}, timeout=PATIENCE_S
                ).status_code
                == status
            )


def test_an_unsigned_wheel_is_not_served_where_a_key_is_required(
    installed: Environment, tmp_path: Path
) -> None:
    generate(tmp_path / "key", None)
    key = ("--key", str(tmp_path / "key.pub"))
    for arguments in (("serve", *key), ("serve", "--http", "--port", "0", *key), ("verify", *key)):
        told = refusal(installed.run("demo-kb", *arguments), exit_codes.ARTIFACT)
        assert "is not signed by the key" in told
