"""`scripts/release.py`: everything or nothing, and the same bytes twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from tests.end_to_end.bills import assert_traces_the_model
from tests.end_to_end.wheelhouse import without_outer_make
from tests.required import needs
from tests.waiting import PATIENCE_S

from kb_runtime.errors import exit_codes
from kb_runtime.knowledge.examination.verification import verify
from kbc.project.starter import write_starter
from kbc.shipping.signing import generate

SCRIPT = Path(__file__).parents[3] / "scripts" / "release.py"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "kb"
    write_starter(folder, "docs")
    (folder / "docs" / "zebras.md").write_text(
        "---\nsummary: Zebras of the savanna.\n---\n# Zebras\n\nZebras graze on the savanna.\n"
    )
    return folder


def release(kb: Path, out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(kb), "--out", str(out), *options],
        env={
            **os.environ,
            "SOURCE_DATE_EPOCH": "1700000000",
            "KBC_CACHE": str(out.parent / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def questions(folder: Path, expect: str, query: str = "getting started") -> Path:
    path = folder / "questions.toml"
    path.write_text(f'[[question]]\nquery = "{query}"\nexpect = ["{expect}"]\n')
    return path


def a_page(kb: Path) -> str:
    return next(path.relative_to(kb).as_posix() for path in sorted(kb.glob("docs/*.md")))


@pytest.mark.slow
def test_a_release_is_signed_complete_and_the_same_twice(kb: Path, tmp_path: Path) -> None:
    generate(tmp_path / "key", None)
    asked = questions(tmp_path, f"doc:{a_page(kb)}")
    options = (
        "--key",
        str(tmp_path / "key"),
        "--questions",
        str(asked),
        "--fail-under",
        "success@10=1",
    )
    first = release(kb, tmp_path / "one", *options)
    assert first.returncode == 0, first.stderr
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert {"artifact", "RELEASE_NOTES.md", "SHA256SUMS"} < names
    assert any(name.endswith(".whl") for name in names)
    assert verify(tmp_path / "one" / "artifact", [tmp_path / "key.pub"]).ok
    sums = (tmp_path / "one" / "SHA256SUMS").read_text()
    assert sums.count("\n") == sum(path.is_file() for path in (tmp_path / "one").rglob("*")) - 1
    second = release(kb, tmp_path / "two", *options)
    assert second.returncode == 0, second.stderr
    assert (tmp_path / "two" / "SHA256SUMS").read_text() == sums


@pytest.mark.slow
def test_the_bill_of_a_released_wheel_traces_the_model_to_an_archive(
    kb: Path, tmp_path: Path
) -> None:
    assert release(kb, tmp_path / "out").returncode == 0
    (wheel,) = (tmp_path / "out").glob("*.whl")
    assert_traces_the_model(wheel)


@pytest.mark.slow
def test_the_notes_tell_what_changed(kb: Path, tmp_path: Path) -> None:
    assert release(kb, tmp_path / "one").returncode == 0
    assert "The first release." in (tmp_path / "one" / "RELEASE_NOTES.md").read_text()
    page = kb / a_page(kb)
    before = page.read_text()
    page.write_text(f"{before}\nOne more sentence.\n")
    try:
        later = release(kb, tmp_path / "two", "--previous", str(tmp_path / "one" / "artifact"))
    finally:
        page.write_text(before)
    assert later.returncode == 0, later.stderr
    assert f"- changed: `{a_page(kb)}`" in (tmp_path / "two" / "RELEASE_NOTES.md").read_text()


@pytest.mark.slow
def test_nothing_appears_when_a_bound_is_missed_or_the_folder_exists(
    kb: Path, tmp_path: Path
) -> None:
    asked = questions(tmp_path, f"doc:{a_page(kb)}", "zebras of the savanna")
    missed = release(kb, tmp_path / "out", "--questions", str(asked), "--fail-under", "success@1=1")
    assert missed.returncode == 9
    assert "success@1 is 0" in missed.stderr
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".release-*"))
    (tmp_path / "out").mkdir()
    refused = release(kb, tmp_path / "out")
    assert refused.returncode == 5
    assert "exists already" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--fail-under", "success@3=0.95"), exit_codes.USAGE, "--fail-under needs --questions"),
        (("--key", "key.pub"), exit_codes.USAGE, "key.pub holds a public key"),
        (("--key", "none"), exit_codes.USAGE, "'none' does not exist"),
        (("--previous", "empty"), exit_codes.ARTIFACT, "empty is not a compiled knowledge base"),
        (("--questions", "key.pub"), exit_codes.USAGE, "key.pub cannot be read"),
        (
            ("--questions", "questions.toml", "--fail-under", "success@3=2"),
            exit_codes.USAGE,
            "'success@3=2' is not a limit",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_built(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    code: int,
    sentence: str,
) -> None:
    """The knowledge base cannot be built: a release that began with that would say so."""
    monkeypatch.chdir(tmp_path)
    Path("kb").mkdir()
    Path("kb", "kb.toml").write_text("[")
    Path("empty").mkdir()
    generate(Path("key"), None)
    questions(Path(), "doc:any.md")
    refused = release(Path("kb"), tmp_path / "made" / "out", *options)
    assert refused.returncode == code, refused.stderr
    assert sentence in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not Path("made").exists()


@needs(which("make"), "make is not installed")
@pytest.mark.slow
def test_make_release_releases_the_knowledge_base_that_ships(
    own_kb_artifact: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """The recipe's own command, with another Python and another folder; `own_kb_artifact` warms the cache."""
    generate(tmp_path / "key", None)
    root = SCRIPT.parents[1]
    names = (f"BIN={Path(sys.executable).parent}", f"KEY={tmp_path / 'key'}")
    shown = subprocess.run(
        [
            "make",
            "--dry-run",
            "--no-print-directory",
            "--old-file=.venv/ready",
            "release",
            *names,
            f"PREVIOUS={own_kb_artifact}",
        ],
        cwd=root,
        env=without_outer_make(),
        capture_output=True,
        text=True,
        check=True,
    )
    recipe = shown.stdout.replace("\\\n", " ")
    assert recipe.count("--out dist/release ") == 1
    assert pytestconfig.cache is not None
    done = subprocess.run(
        ["sh", "-ec", recipe.replace("--out dist/release ", f"--out {tmp_path / 'release'} ")],
        cwd=root,
        env={
            **without_outer_make(),
            "KBC_CACHE": str(pytestconfig.cache.mkdir("kbc")),
            "SOURCE_DATE_EPOCH": "1700000000",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert verify(tmp_path / "release" / "artifact", [tmp_path / "key.pub"]).ok
    notes = (tmp_path / "release" / "RELEASE_NOTES.md").read_text()
    assert "questions.toml" in notes
    assert "held-out.toml" in notes
