"""The air gap's recipe, followed once a session: `make wheelhouse`, then an installation from it.

Test processes share both, in the folder of the session.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from shutil import copy2, copytree, ignore_patterns, which

import pytest
from tests.end_to_end.sealed import OFFLINE, where_possible
from tests.once import once
from tests.required import INDEX, give_up
from tests.waiting import FETCH_S

ROOT = Path(__file__).parents[2]
CHECKOUT = (
    *("Makefile", "pyproject.toml", "README.md", "LICENSE", "NOTICE"),
    *("compiler", "runtime", "requirements", "scripts", "kb"),
)
"""What `make wheelhouse` reads."""
NOT_FETCHED = "the wheels could not be fetched"


def without_outer_make() -> dict[str, str]:
    """The environment for a make of its own: under `make test` it would take over the options of the
    outer one and say which folder it enters."""
    outer = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    return {name: value for name, value in os.environ.items() if name not in outer}


@pytest.fixture(scope="session")
def wheelhouse(
    own_kb_artifact: Path,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Path:
    """The folder `dist/wheelhouse` that `make wheelhouse` leaves in a checkout. It needs an index.

    kb/ is compiled again, with what its first compilation left in the cache.
    """
    if which("make") is None:
        give_up("make is not installed")
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))

    def make(checkout: Path) -> None:
        checkout.mkdir()
        for name in CHECKOUT:
            if (ROOT / name).is_dir():
                copytree(ROOT / name, checkout / name, ignore=ignore_patterns("__pycache__"))
            else:
                copy2(ROOT / name, checkout)
        # `setup` has been done: the tests run in what it makes.
        done_already = (f"BIN={Path(sys.executable).parent}", "--old-file=.venv/ready")
        done = subprocess.run(
            ["make", "wheelhouse", *done_already],
            cwd=checkout,
            env={
                **without_outer_make(),
                "KBC_CACHE": str(cache),
                "SOURCE_DATE_EPOCH": "1700000000",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=FETCH_S,
        )
        if NOT_FETCHED in done.stderr:
            give_up(done.stderr[-500:], INDEX)
        assert done.returncode == 0, done.stderr[-3000:]

    return once(tmp_path_factory, "checkout", make) / "dist" / "wheelhouse"


@pytest.fixture(scope="session")
def offline(wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the commands of an environment that was empty, after the first of the two
    commands of the air gap, run without any network."""

    def make(folder: Path) -> None:
        venv.create(folder, with_pip=True, symlinks=True)
        pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        only = ["--no-index", "--find-links", wheelhouse, "--require-hashes"]
        command = [*pip, *only, "-r", wheelhouse / "requirements.txt"]
        done = subprocess.run(
            where_possible(OFFLINE, *command),
            env={"PATH": os.defpath, "HOME": str(folder)},
            capture_output=True,
            text=True,
            check=False,
            timeout=FETCH_S,
        )
        assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "offline", make) / "bin"
