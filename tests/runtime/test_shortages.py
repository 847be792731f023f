"""What a machine is short of is named, with the file, and is never a defect of kbc."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import click
import pytest
from benchmarks.resealed import small_artifact
from tests.small_artifact import publish_small

from kb_runtime.cli import runner
from kb_runtime.errors import ArtifactError, KbcError, exit_codes
from kb_runtime.errors.shortages import (
    ShortageError,
    require_address_space,
    shortage,
    threads_that_fit,
    with_space,
)
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.mcp import failures
from kb_runtime.search.tokenizer import QueryTokenizer
from kb_runtime.start import main
from kbc.diagnostics import Diagnostics, guarded

SHORT = {
    errno.EMFILE: "this process has no file descriptor left",
    errno.ENFILE: "the machine has no file descriptor left",
    errno.ENOMEM: "there is not enough memory",
    errno.ENOSPC: "there is no space left",
    errno.EDQUOT: "there is no space left",
    errno.EFBIG: "the limit of file sizes is reached",
    errno.EROFS: "the file system is read-only",
}


def test_no_command_starts_threads_of_the_algebra_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where memory is short it cannot start them, and sends the process an interrupt."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "")  # is put back as it was before
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")

    @click.command()
    def command() -> None:
        click.echo(os.environ["OPENBLAS_NUM_THREADS"])

    assert runner.run(command, [], "kbc") == exit_codes.OK
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


@pytest.mark.parametrize(("needed", "said"), [(1, ""), (9_000, ": 9,000 bytes are needed")])
def test_a_full_disk_says_what_a_file_needs_where_that_is_known(needed: int, said: str) -> None:
    error = with_space(OSError(errno.EDQUOT, "Disk quota exceeded"), "/data/x", needed)
    assert error.strerror == f"there is no space left{said}"


@pytest.mark.parametrize("number", SHORT)
def test_numbers_of_the_system_are_named_with_the_file(number: int) -> None:
    found = shortage(OSError(number, os.strerror(number), "/data/x"))
    assert found is not None
    assert (found.message, found.kind) == (f"/data/x: {SHORT[number]}", SHORT[number])
    of_a_disk = number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
    assert found.exit_code == (exit_codes.OUTPUT if of_a_disk else exit_codes.SHORTAGE)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("std::bad_alloc"),
        RuntimeError("can't start new thread"),
        ValueError('Os { code: 24, message: "Too many open files" }'),
        ValueError("System error.'Failed to spawn segment updater thread'"),
        ValueError("An IO error occurred: 'Resource temporarily unavailable (os error 11)'"),
    ],
)
def test_what_libraries_say_in_words_is_understood(error: Exception) -> None:
    assert shortage(error) is not None


def test_an_error_that_a_shortage_caused_is_one() -> None:
    caused = ValueError("the encoder cannot be loaded: ")
    caused.__cause__ = MemoryError()
    found = shortage(caused)
    assert found is not None
    assert found.kind == "there is not enough memory"


@pytest.mark.parametrize(
    "error",
    [
        BlockingIOError(errno.EAGAIN, "no"),
        OSError(errno.EACCES, "no"),
        ValueError("x"),
        KeyError("y"),
    ],
)
def test_other_errors_are_no_shortage(error: Exception) -> None:
    assert shortage(error) is None


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.EMFILE, "Too many open files")])
def test_a_command_ends_with_one_sentence(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def fails() -> None:
        raise error

    assert runner.run(fails, [], "kbc") == exit_codes.SHORTAGE
    assert "internal error" not in capsys.readouterr().err


def test_want_of_memory_is_said_where_there_is_none_to_say_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    @click.command()
    def fails() -> None:
        raise MemoryError

    def explain(error: BaseException) -> KbcError | None:
        raise MemoryError from error

    assert runner.run(fails, [], "kbc", explain) == exit_codes.SHORTAGE
    assert capfd.readouterr().err.startswith("there is not enough memory;")


def test_an_encoder_without_memory_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = small_artifact(tmp_path)

    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(QueryTokenizer, "__init__", fails)
    with pytest.raises(ShortageError, match="there is not enough memory"):
        verify(made)


def test_a_reader_of_sources_blames_no_file_for_want_of_descriptors() -> None:
    diagnostics = Diagnostics()
    with pytest.raises(Exception, match="no file descriptor left"), guarded(diagnostics):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), "a.md")
    assert not list(diagnostics)


def test_a_log_of_a_shortage_or_of_damage_has_no_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert failures.report("x failed", MemoryError()) == "there is not enough memory"
    assert capsys.readouterr().err.count("\n") == 1
    damage = ArtifactError("altered", "a.bin was altered.", "Install it again.")
    assert failures.report("x failed", damage) == ""
    assert capsys.readouterr().err == "kbc: x failed: a.bin was altered. Install it again.\n"
    assert failures.report("x failed", KeyError("y")) == ""
    assert "KeyError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "there is not enough memory."),
        (RuntimeError("can't start new thread"), "no more threads can be started."),
        (ImportError("x.so: failed to map segment"), "there is not enough memory."),
        (OSError(errno.EMFILE, "", "a.py"), "a.py: this process has no file descriptor left."),
    ],
)
def test_a_server_that_cannot_start_for_a_shortage_ends_with_one_sentence(
    error: Exception,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(main, "_serve", Mock(side_effect=error))
    assert main.main(["out"]) == exit_codes.SHORTAGE
    told = capsys.readouterr().err
    assert told.startswith(f"kbc serve: {said} ")
    assert told.count("\n") == 1


def limited(kind: int, limit: int, *command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kbc", *map(str, command)],
        preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_limit_of_file_sizes_says_which_file_and_how_much(tmp_path: Path) -> None:
    done = limited(resource.RLIMIT_FSIZE, 50, "keygen", tmp_path / "key")
    assert done.returncode == exit_codes.OUTPUT, done.stderr
    assert (
        f"{tmp_path / 'key'}: the limit of file sizes is reached: 119 bytes are needed"
        in done.stderr
    )
    assert "`ulimit -f`" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much is used")
@pytest.mark.parametrize(("megabytes", "needed"), [(400, 250), (600, 420)])
def test_a_build_with_too_few_addresses_says_so(
    tmp_path: Path, megabytes: int, needed: int
) -> None:
    """Native libraries would end the process instead (at 600 MB), or a file be blamed (at 400 MB)."""
    (tmp_path / "a.md").write_text("# Kites\n\nA kite flies in the wind.\n")
    command = ("build", tmp_path, "--lexical-only", "--no-cache", "--out", tmp_path / "out")
    done = limited(resource.RLIMIT_AS, megabytes << 20, *command)
    assert done.returncode == exit_codes.SHORTAGE, done.stderr
    assert f"there is not enough memory: a build needs at least {needed} MB" in done.stderr
    assert not list(tmp_path.glob("out/*/CURRENT"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much is used")
def test_a_build_whose_version_is_there_needs_few_addresses(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Kites\n\nA kite flies in the wind.\n")
    command = ("build", tmp_path / "a.md", "--lexical-only", "--cache", tmp_path / "cache")
    command = (*command, "--out", tmp_path / "out", "--json")
    first = limited(resource.RLIMIT_AS, resource.RLIM_INFINITY, *command)
    assert first.returncode == exit_codes.OK, first.stderr
    again = limited(resource.RLIMIT_AS, 460 << 20, *command)
    assert again.returncode == exit_codes.OK, again.stderr
    assert json.loads(again.stdout)["build_id"] == json.loads(first.stdout)["build_id"]


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
@pytest.mark.parametrize(
    ("error", "said", "hint"),
    [
        (MemoryError(), "there is not enough memory with 700 MB of address space", "`ulimit -v`"),
        (
            RuntimeError("can't start new thread"),
            "no more threads can be started with 700 MB of address space",
            "`ulimit -u`",
        ),
        (
            OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
            "this process has no file descriptor left",
            "`ulimit -n`",
        ),
    ],
)
def test_a_limit_of_addresses_is_named(
    monkeypatch: pytest.MonkeyPatch, error: Exception, said: str, hint: str
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (700 << 20, 700 << 20))
    found = shortage(error)
    assert found is not None
    assert (found.message, hint in found.hint) == (said, True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much is used")
def test_addresses_count_only_where_they_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda _: endless)
    require_address_space(1 << 60, "this")
    assert threads_that_fit(8) == 8
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 50, 1 << 50))
    require_address_space(1 << 40, "this")
    assert threads_that_fit(8) == 8
    with pytest.raises(ShortageError, match="this needs at least"):
        require_address_space(1 << 51, "this")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    assert threads_that_fit(8) == 1


FEW = """
import os, resource, sys
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.errors import KbcError
build = sys.argv[1]
assert verify(build).ok  # everything is imported
used = len(os.listdir("/proc/self/fd")) - 1
for more in range(64):  # an artifact keeps some thirty files open
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + more, 9999))
    try:
        print("ok" if verify(build).ok else "damaged")
    except KbcError as error:
        print(error.code, "Too many open files" in error.message)
"""


def test_few_descriptors_are_named_wherever_they_end(tmp_path: Path) -> None:
    build = publish_small(tmp_path).path
    command = [sys.executable, "-c", FEW, str(build)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    said = done.stdout.splitlines()
    assert {*said} == {"ok", "shortage True"}
    assert said[0] != "ok" == said[-1]
