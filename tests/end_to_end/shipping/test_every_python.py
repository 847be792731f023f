"""Two commands from the wheel of this checkout to an answer, with the Python of the tests.

Where KBC_REQUIRE_PYTHONS is set, with every supported Python: each takes a minute or two, mostly for pip.

The environments are new and have wheels only. The commands find an empty home folder and no program on
the PATH, so neither Git nor a compiler; the model comes from a hub on this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.compiler.encoding.hub_server import Hub, serving
from tests.end_to_end.serving.test_stdio import HELLO, ask, call
from tests.kb.scripts import load
from tests.once import once
from tests.required import INDEX, PYTHONS, give_up
from tests.waiting import FETCH_S, PATIENCE_S

from kbc.encoding.model import pinned_package

ROOT = Path(__file__).parents[3]
SUPPORTED = tuple(
    line.rpartition(" ")[2]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    if line.startswith("Programming Language :: Python :: 3.")
)
RUNNING = "{}.{}".format(*sys.version_info)
PAGES = {
    "pump.md": "# Pumps\n\nA pump moves water uphill.\n\n## Care\n\nOil it once a year.\n",
    "lantern.md": "# Lanterns\n\nTurn the knob to put out the flame.\n",
    "signal.py": '"""Signals."""\n\n\ndef wave(flag: str) -> int:\n    """Wave a flag."""\n    return 1\n',
}


def interpreter(version: str) -> Path | None:
    """The Python of that version on the PATH or in pyenv; None if there is none that starts."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    named = which(f"python{version}")
    found = [Path(named)] if named else []
    found += sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in found:
        done = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return path
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        folder.mkdir()
        load("wheelhouse").wheel_of_checkout(folder / "sources", folder)

    (wheel,) = once(tmp_path_factory, "checkout-wheel", make).glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    package = pinned_package()
    assert package is not None
    with serving(Hub(package[1])) as hub:
        yield hub


def installed(python: Path, wheel: Path, folder: Path) -> Path:
    """The folder of the commands of a new environment with the wheel and its libraries."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", commands / "python", "install", "--quiet"]
    done = subprocess.run(
        [*pip, "--only-binary", ":all:", f"kb-compiler[compiler] @ {wheel.as_uri()}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=FETCH_S,
    )
    if done.returncode != 0:
        give_up(done.stderr[-1000:], INDEX)
    return commands


@pytest.mark.slow
@pytest.mark.timeout(0)  # it fetches packages
@pytest.mark.parametrize("version", SUPPORTED if os.environ.get(PYTHONS) else (RUNNING,))
def test_two_commands_lead_from_the_wheel_to_an_answer(
    version: str, wheel: Path, hub: Hub, tmp_path: Path
) -> None:
    python = interpreter(version)
    if python is None:
        give_up(f"there is no Python {version} on the PATH or in pyenv", PYTHONS)
    commands = installed(python, wheel, tmp_path / "environment")
    home, nothing = tmp_path / "home", tmp_path / "no-programs"
    (home / "docs").mkdir(parents=True)
    nothing.mkdir()
    for name, text in PAGES.items():
        (home / "docs" / name).write_text(text)
    environment = {"HOME": str(home), "PATH": str(nothing), "HF_ENDPOINT": hub.url}

    def kbc(*arguments: str) -> str:
        done = subprocess.run(
            [commands / "kbc", *arguments],
            env=environment,
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        assert "Warning" not in done.stderr
        return done.stdout

    kbc("build", "docs", "--out", "out")
    found = json.loads(kbc("search", "out/docs", "extinguish the light", "--json"))
    assert found["mode"] == "hybrid"
    assert "lantern.md" in found["hits"][0]["address"]
    kbc("verify", "out/docs")

    serve = [commands / "kbc", "serve", "out/docs"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(serve, env=environment, cwd=home, **pipes) as process:
        ask(process, HELLO)
        answer = ask(process, call("docs_search", query="extinguish the light"))["result"]
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert "lantern.md" in json.dumps(answer["structuredContent"])
    assert (process.returncode, errors) == (0, b"")
