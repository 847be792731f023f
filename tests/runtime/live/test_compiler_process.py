"""The compiler as a child: what it says, what ends it, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.changing_folders import found_below
from tests.end_to_end.processes import with_argument
from tests.waiting import PATIENCE_S, until

from kb_runtime.live import memory_limit
from kb_runtime.live.compiler_process import (
    EXIT_WITH_PARENT,
    CompilerError,
    CompilerMissingError,
    CompilerProcess,
    compile_with,
)

TESTS = [{"uid": "T-1", "title": "Log in", "tags": ["a"], "steps": ["Enter a password"]}]


def ingest(workspace: Path) -> list[str]:
    return ["workspace", "ingest", str(workspace), "-", EXIT_WITH_PARENT, "--json"]


def line(tests: object = TESTS) -> bytes:
    return json.dumps(tests).encode()


def has_ended(pid: int) -> bool:
    """Whether the process is gone, or a zombie that only its parent's table still has."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[CompilerProcess]:
    """A compiler that waits for a line that nobody sends."""
    with CompilerProcess(ingest(tmp_path / "ws")) as process:
        yield process


@pytest.mark.slow
def test_the_report_of_a_compiler_that_succeeds(tmp_path: Path) -> None:
    report = compile_with(ingest(tmp_path / "ws"), line(), timeout_s=PATIENCE_S)
    assert report["tests"] == report["added"] == 1
    assert Path(report["path"]).is_dir()


@pytest.mark.slow
def test_what_the_compiler_refuses_is_its_sentence_and_hint(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "workspace.json").write_text('{"format": 7}')
    with pytest.raises(CompilerError, match=r"has format 7; this kbc uses format 1\.$") as caught:
        compile_with(ingest(tmp_path / "ws"), line(), timeout_s=PATIENCE_S)
    assert caught.value.hint


@pytest.mark.slow
def test_the_diagnostics_of_a_failed_build_are_lines(tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text('[kb]\nname = "Nope"\n')
    with pytest.raises(CompilerError) as caught:
        compile_with(["build", str(tmp_path), "--json"], b"", timeout_s=PATIENCE_S)
    assert any(found.startswith("kb.toml:2: ") for found in caught.value.diagnostics)


def test_a_compiler_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    endless = [
        "workspace",
        "follow",
        str(tmp_path / "ws"),
        "--code",
        str(tmp_path),
        EXIT_WITH_PARENT,
    ]
    with pytest.raises(CompilerError, match=r"stopped after 0\.5 seconds"):
        compile_with(endless, b"", timeout_s=0.5)


def test_a_compiler_that_dies_is_told_with_its_signal(hanging: CompilerProcess) -> None:
    compiler, *_ = until(
        lambda: with_argument("kbc", below=os.getpid()), "the compiler has started"
    )
    os.kill(compiler, signal.SIGSEGV)
    assert hanging.wait(PATIENCE_S)
    with pytest.raises(CompilerError, match="ended by SIGSEGV"):
        hanging.report()


def test_leaving_ends_the_process(tmp_path: Path) -> None:
    with CompilerProcess(ingest(tmp_path / "ws")) as process:
        assert not process.has_ended
    assert process.has_ended


def test_too_little_memory_is_an_error_and_no_version(tmp_path: Path) -> None:
    with CompilerProcess(ingest(tmp_path / "ws"), memory_bytes=48 << 20) as process:
        process.send(line())
        assert process.wait(PATIENCE_S)
        with pytest.raises(CompilerError):
            process.report()
    assert not list(tmp_path.rglob("CURRENT"))


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [96, 128, 132, 144])
def test_a_native_library_that_panics_for_memory_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, megabytes: int
) -> None:
    monkeypatch.setenv("RUST_BACKTRACE", "1")
    with CompilerProcess(ingest(tmp_path / "ws"), memory_bytes=megabytes << 20) as process:
        process.send(line())
        assert process.wait(PATIENCE_S)
        if megabytes == 96:
            with pytest.raises(CompilerError):
                process.report()


@pytest.mark.skipif(sys.platform != "linux", reason="limits no memory elsewhere")
def test_what_the_system_allows_is_not_raised(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert memory_limit.MemoryLimit(process.pid, 1 << 30).limit_bytes == 1 << 30
        assert memory_limit.MemoryLimit(process.pid, 2 << 30).limit_bytes == 1 << 30


@pytest.mark.skipif(sys.platform != "linux", reason="limits no memory elsewhere")
def test_a_compiler_that_is_stuck_for_want_of_memory_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kbc.py").write_text(
        "import signal\n"
        "taken = []\n"
        "while True:\n"
        "    try:\n"
        "        taken.append(bytearray(1 << 16))\n"
        "    except MemoryError:\n"
        "        signal.pause()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(memory_limit, "_STUCK_S", 0.5)
    with CompilerProcess([], memory_bytes=64 << 20) as process:
        assert process.wait(PATIENCE_S)
        with pytest.raises(CompilerError, match=r"needs more than the 64 MB of memory"):
            process.report()


def test_without_the_extra_the_hint_is_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "modules"
    broken.mkdir()
    (broken / "markdown_it.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'markdown_it'\", name='markdown_it')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(broken))
    with pytest.raises(CompilerMissingError) as caught:
        compile_with(ingest(tmp_path / "ws"), line(), timeout_s=PATIENCE_S)
    assert caught.value.hint == 'pip install "kb-compiler[compiler]"'


@pytest.mark.parametrize(
    ("printed", "diagnostics"),
    [
        ("[" * 100_000, None),
        ("7", None),
        ('{"error": 7}', None),
        (
            '{"error": {"message": "No"}, "diagnostics": [7, {"message": 7}, {"line": 2}]}',
            ("7", "2: "),
        ),
        ('{"error": {"message": "No"}, "diagnostics": {"severity": "error"}}', ()),
    ],
)
def test_what_is_no_report_is_an_error_all_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    printed: str,
    diagnostics: tuple[str, ...] | None,
) -> None:
    (tmp_path / "kbc.py").write_text(
        "import sys\n"
        "print('{\"state\": \"ready\"}', '[' * 9_000, 'x', sep='\\n', file=sys.stderr)\n"
        f"print({printed!r})\n"
        "sys.exit(3)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with CompilerProcess([]) as process:
        assert process.wait(PATIENCE_S)
        with pytest.raises(CompilerError) as caught:
            process.report()
        assert process.last_status() == {"state": "ready"}
    assert caught.value.message == (
        "The compiler ended with exit code 3: x" if diagnostics is None else "No."
    )
    assert caught.value.diagnostics == (diagnostics or ())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_server_takes_its_compiler_with_it(tmp_path: Path) -> None:
    # Once before the compiler reads stdin, once while it embeds.
    many = [{"uid": f"T-{n}", "title": f"Test {n}", "steps": [f"Step {n}"]} for n in range(3000)]
    for sent in (b"", line(many)):
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVER, *ingest(tmp_path / "ws")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(sent + b"\n")
        server.stdin.flush()
        pid = int(server.stdout.readline())
        if sent:
            until(lambda: found_below(tmp_path, ".tmp-*"), "the compiler has begun to build")
        server.kill()
        server.wait()
        until(lambda pid=pid: has_ended(pid), "the compiler ends with its server")
        server.stdin.close()
        server.stdout.close()
    assert compile_with(ingest(tmp_path / "ws"), line(), timeout_s=PATIENCE_S)["tests"] == 1
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith((".tmp-", "pending"))]


_SERVER = """\
import psutil, sys, time
from kb_runtime.live.compiler_process import CompilerProcess
sent = sys.stdin.buffer.readline().strip()
process = CompilerProcess(sys.argv[1:])
if sent:
    process.send(sent)
print(*(child.pid for child in psutil.Process().children()), flush=True)
time.sleep(600)
"""
