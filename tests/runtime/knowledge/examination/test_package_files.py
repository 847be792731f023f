"""Installed files compared with RECORD, in folders like those that installers leave."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from kb_runtime.knowledge.examination.package_files import with_package
from kb_runtime.knowledge.examination.verification import VerificationReport

SOUND = VerificationReport("artifact", "build", 1, 1, ("hashes",), ())
INFO = "small_kb-1.0.dist-info"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """small-kb, with what pip adds to the files of its wheel."""
    write(tmp_path, "small_kb/__init__.py", "small_kb/__main__.py")
    write(tmp_path, "small_kb/artifact/CURRENT", "small_kb/artifact/1/rows.bin")
    write(tmp_path, f"{INFO}/METADATA", f"{INFO}/INSTALLER", "bin/small-kb")
    recorded = [line(tmp_path, path) for path in files(tmp_path)]
    byte_code = "small_kb/__pycache__/__init__.cpython-311.pyc"
    write(tmp_path, byte_code)
    (tmp_path / INFO / "METADATA").write_text("Name: small-kb\nVersion: 1.0\n")
    recorded = [each for each in recorded if not each.startswith(f"{INFO}/METADATA")]
    recorded += [line(tmp_path, f"{INFO}/METADATA"), f"{byte_code},,", f"{INFO}/RECORD,,"]
    (tmp_path / INFO / "RECORD").write_text("\n".join(recorded) + "\n")
    return tmp_path


def write(site: Path, *paths: str) -> None:
    for path in paths:
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(f"# {path}\n")


def files(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())


def line(site: Path, path: str) -> str:
    data = (site / path).read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}"


def check(site: Path) -> VerificationReport:
    package = site / "small_kb"
    return with_package(SOUND, str(package), "small-kb", str(package / "artifact"))


def found(site: Path) -> list[tuple[str, str]]:
    report = check(site)
    assert not report.notes
    assert ("package" in report.checks) == report.ok
    return [(problem.code, problem.path) for problem in report.problems]


def test_what_was_installed_is_sound(site: Path) -> None:
    assert found(site) == []
    assert check(site).checks == ("hashes", "package")


@pytest.mark.parametrize(
    "path",
    [
        "small_kb/__init__.py",
        "small_kb/__main__.py",
        "small_kb/artifact/CURRENT",
        f"{INFO}/METADATA",
    ],
)
def test_a_file_that_differs_or_is_gone_is_named(site: Path, path: str) -> None:
    with (site / path).open("a") as file:
        file.write("Summary: one more line\n")
    assert found(site) == [("altered", path)]
    if not path.endswith("METADATA"):  # without it there is no distribution
        (site / path).unlink()
        assert found(site) == [("truncated", path)]


def test_what_installers_add_and_change_does_not_count(site: Path) -> None:
    write(site, f"{INFO}/REQUESTED", f"{INFO}/direct_url.json")
    write(site, "small_kb/__pycache__/__main__.cpython-314.pyc")
    (site / INFO / "INSTALLER").write_text("uv")
    (site / "bin" / "small-kb").write_text("#!/another/python\n")
    assert found(site) == []


def test_a_module_that_was_not_installed_is_named(site: Path) -> None:
    write(
        site, "small_kb/__main__/__init__.py", "small_kb/artifact/1/manifest.sig", "small_kb/note"
    )
    assert found(site) == [("extra", "small_kb/__main__/__init__.py")]


def test_problems_of_the_artifact_stay(site: Path) -> None:
    write(site, "small_kb/extra.py")
    first = check(site)
    package = str(site / "small_kb")
    both = with_package(first, package, "small-kb", f"{package}/artifact")
    assert both.problems == first.problems * 2


@pytest.mark.parametrize("recorded", [None, "", "small_kb/__init__.py,,\n", b"\xff\x00"])
def test_without_a_record_there_is_a_note_and_no_failure(
    site: Path, recorded: str | bytes | None
) -> None:
    record = site / INFO / "RECORD"
    if recorded is None:
        record.unlink()
    else:
        record.write_bytes(recorded.encode() if isinstance(recorded, str) else recorded)
    report = check(site)
    assert report.ok
    assert report.checks == SOUND.checks
    (note,) = report.notes
    assert note.startswith(f"{site / 'small_kb'} has no RECORD with hashes beside it")


def test_another_installation_of_the_same_name_does_not_count(site: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "unpacked"
    write(elsewhere, "small_kb/__init__.py")
    assert check(elsewhere).notes
