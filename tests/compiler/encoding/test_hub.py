"""The model from its hub: downloaded once, verified, continued, never by a server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_runtime.errors import exit_codes
from kbc.encoding.model import pinned_package
from kbc.encoding.pinned import FILES, stored_folder, wrong_files

from .hub_server import Hub, serving

ROOT = Path(__file__).parents[3]
WEIGHTS = "model.safetensors"
WITHOUT_PACKAGE = (
    "import sys, kbc.encoding.model as model; model.PACKAGES = ();"
    "from kbc.cli.main import run; sys.exit(run(sys.argv[1:]))"
)


@pytest.fixture
def hub() -> Iterator[Hub]:
    package = pinned_package()
    assert package is not None
    with serving(Hub(package[1])) as hub:
        yield hub


class Machine:
    """A machine without the model: an empty home folder, and a hub."""

    def __init__(self, home: Path, hub: Hub) -> None:
        self.home = home
        self.models = home / "cache" / "models"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "KBC_CACHE": str(home / "cache"),
            "HF_ENDPOINT": hub.url,
            "HF_HUB_ETAG_TIMEOUT": "60",
            "HF_HUB_DOWNLOAD_TIMEOUT": "60",
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "compiler", ROOT / "runtime"))),
        }

    def kbc(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WITHOUT_PACKAGE, *arguments],
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path, hub: Hub) -> Machine:
    home = tmp_path / "home"
    (home / "kb" / "docs").mkdir(parents=True)
    (home / "kb" / "docs" / "pump.md").write_text("# Pumps\n\nA pump moves water uphill.\n")
    return Machine(home, hub)


@pytest.mark.slow
def test_a_build_downloads_the_model_once_and_finds_by_meaning(machine: Machine, hub: Hub) -> None:
    built = machine.kbc("build", "kb", "--out", "out")
    assert built.returncode == 0, built.stderr
    assert wrong_files(stored_folder(machine.models)) == []
    asked = len(hub.requests)
    assert asked >= len(FILES)
    assert "Apache License" in (stored_folder(machine.models) / "NOTICE").read_text()
    again = machine.kbc("build", "kb", "--out", "again")
    assert again.returncode == 0, again.stderr
    assert len(hub.requests) == asked
    found = machine.kbc("search", "out/kb", "device that lifts liquid", "--mode", "semantic")
    assert "A pump moves water uphill." in found.stdout


def test_offline_nothing_is_asked_and_the_message_says_what_to_do(
    machine: Machine, hub: Hub
) -> None:
    built = machine.kbc("build", "kb", "--out", "out", "--offline")
    assert built.returncode == exit_codes.MODEL
    assert "kbc model fetch" in built.stderr
    assert "--model DIR" in built.stderr
    assert "--lexical-only" in built.stderr
    assert hub.requests == []
    assert not (machine.home / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["config.json", WEIGHTS])
def test_an_altered_file_is_refused_and_fetched_again(
    machine: Machine, hub: Hub, name: str
) -> None:
    hub.altered.add(name)
    fetched = machine.kbc("model", "fetch")
    assert fetched.returncode == exit_codes.MODEL
    assert f"{name} as downloaded has SHA-256" in fetched.stderr
    assert not stored_folder(machine.models).exists()
    hub.altered.clear()
    assert machine.kbc("model", "fetch").returncode == 0
    assert wrong_files(stored_folder(machine.models)) == []


@pytest.mark.slow
def test_a_download_that_breaks_is_continued_where_it_ended(machine: Machine, hub: Hub) -> None:
    hub.cut[WEIGHTS] = 2
    fetched = machine.kbc("model", "fetch")
    attempts = 1
    while fetched.returncode != 0 and attempts < 4:
        assert fetched.returncode == exit_codes.MODEL
        assert "run the command again" in fetched.stderr
        assert not stored_folder(machine.models).exists()
        fetched = machine.kbc("model", "fetch")
        attempts += 1
    assert fetched.returncode == 0, fetched.stderr
    assert wrong_files(stored_folder(machine.models)) == []
    assert hub.cut[WEIGHTS] == 0
    assert all(asked.startswith("bytes=") for asked in hub.ranges)
    assert len(hub.ranges) >= 1


@pytest.mark.slow
def test_a_hub_that_always_truncates_is_an_error_in_one_sentence(
    machine: Machine, hub: Hub
) -> None:
    hub.cut["tokenizer.json"] = 1_000
    fetched = machine.kbc("model", "fetch")
    assert fetched.returncode == exit_codes.MODEL
    assert "Traceback" not in fetched.stderr
    assert "Retrying" not in fetched.stderr
    assert "tokenizer.json of the encoder model" in fetched.stderr
    assert not stored_folder(machine.models).exists()


@pytest.mark.slow
def test_a_machine_without_network_says_so(machine: Machine) -> None:
    machine.environment["HF_ENDPOINT"] = "http://127.0.0.1:9"
    built = machine.kbc("build", "kb", "--out", "out")
    assert built.returncode == exit_codes.MODEL
    assert "is not on this machine, and http://127.0.0.1:9 cannot be reached" in built.stderr
    assert "docs/encoder.md" in built.stderr
    assert "--lexical-only" in built.stderr


@pytest.mark.slow
def test_a_proxy_that_is_not_there_is_named_at_once(machine: Machine, hub: Hub) -> None:
    machine.environment["https_proxy"] = "http://heron:secret@127.0.0.1:9"
    machine.environment["HF_ENDPOINT"] = "https://hub.invalid"
    built = machine.kbc("build", "kb", "--out", "out")
    assert built.returncode == exit_codes.MODEL
    assert "the proxy 127.0.0.1 cannot be reached" in built.stderr
    assert "--model DIR" in built.stderr
    assert "secret" not in built.stderr
    machine.environment |= {"HF_ENDPOINT": hub.url, "http_proxy": "http://127.0.0.1:9"}
    machine.environment["no_proxy"] = "127.0.0.1"
    assert machine.kbc("model", "fetch").returncode == 0


@pytest.mark.slow
def test_the_library_of_the_hub_reports_no_tries(tmp_path: Path) -> None:
    program = f"""
import logging, pathlib
from kbc.encoding import hub
hub.PINNED_NAME = "//"  # refused before anything is sent
try:
    hub._download("config.json", pathlib.Path({str(tmp_path)!r}), True)
except hub.ModelError:
    print(logging.getLogger("huggingface_hub.file_download").getEffectiveLevel() >= logging.ERROR)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "True\n"


@pytest.mark.slow
def test_a_hub_is_reached_through_a_proxy(machine: Machine, hub: Hub) -> None:
    machine.environment |= {"HF_ENDPOINT": "http://hub.invalid", "http_proxy": hub.url}
    fetched = machine.kbc("model", "fetch")
    assert fetched.returncode == 0, fetched.stderr
    assert any("http://hub.invalid/" in asked for asked in hub.requests)


@pytest.mark.slow
def test_a_model_crosses_the_air_gap(machine: Machine, hub: Hub) -> None:
    assert machine.kbc("model", "export", "carried").returncode == exit_codes.MODEL  # not there yet
    assert machine.kbc("model", "fetch").returncode == 0
    exported = machine.kbc("model", "export", "carried")
    assert exported.returncode == 0, exported.stderr
    verified = machine.kbc("model", "verify", "carried")
    assert verified.stdout.startswith("ok")
    asked = len(hub.requests)
    built = machine.kbc("build", "kb", "--out", "out", "--offline", "--model", "carried")
    assert built.returncode == 0, built.stderr
    assert len(hub.requests) == asked
    weights = machine.home / "carried" / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    assert machine.kbc("model", "verify", "carried").returncode == exit_codes.MODEL


@pytest.mark.slow
def test_the_list_says_where_the_model_is(machine: Machine) -> None:
    assert "not downloaded" in machine.kbc("model", "list").stdout
    assert machine.kbc("model", "fetch").returncode == 0
    assert "verified" in machine.kbc("model", "list").stdout
    (stored_folder(machine.models) / "config.json").write_text("{}")
    assert "damaged" in machine.kbc("model", "list").stdout


@pytest.mark.slow
def test_what_a_server_starts_downloads_nothing(machine: Machine, hub: Hub) -> None:
    cases = '{"tests": [{"uid": "a", "title": "Log in", "steps": [{"action": "Log in"}]}]}'
    (machine.home / "cases.json").write_text(cases)
    added = machine.kbc("workspace", "ingest", "own", "cases.json")
    assert added.returncode == exit_codes.MODEL
    assert hub.requests == []
