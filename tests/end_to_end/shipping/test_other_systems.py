"""What a system lacks that is not Linux: each missing part has another way, so that all works there.

The real systems are in the workflow of the public repository; here the parts are taken away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BARE = """
import os, select, signal, sys
for supported in (os.supports_dir_fd, os.supports_fd):
    supported.clear()
for module in ("resource", "pwd", "grp", "termios"):
    sys.modules[module] = None
import filelock  # the way of Windows; here it stands on fcntl itself
sys.modules["fcntl"] = None
for owner, names in (
    (os, "fork forkpty set_blocking killpg setsid O_NOFOLLOW O_NONBLOCK O_DIRECTORY getuid mkfifo"),
    (select, "poll epoll"),
    (signal, "SIGKILL SIGHUP pthread_sigmask SIGCHLD"),
):
    for name in names.split():
        if hasattr(owner, name):
            delattr(owner, name)

def forbidden(*_, **__):
    raise OSError(1314, "a required privilege is not held by the client")

os.symlink = forbidden
if "other-drive" in sys.argv:
    os.link = forbidden
    sys.argv.remove("other-drive")
really_rename = os.rename

def rename(source, target, **more):
    if str(target).endswith(".done"):
        raise PermissionError(13, "a file in the folder is open")
    really_rename(source, target, **more)

os.rename = rename
opening = open

def without_proc(file, *arguments, **more):
    if str(file).startswith("/proc/"):
        raise FileNotFoundError(2, "there is no /proc", str(file))
    return opening(file, *arguments, **more)

import builtins, io
builtins.open = io.open = without_proc
from kbc.__main__ import main
sys.exit(main())
"""
# As macOS and Windows have it: a name finds its file whatever the case of its letters.
FOLDING = """
import builtins, io, os
really = {name: getattr(os, name) for name in ("stat", "lstat", "access", "scandir", "listdir", "open")}

def on_disk(path):
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        return path
    try:
        really["lstat"](path)
    except OSError:
        head, tail = os.path.split(os.fspath(path))
        head = on_disk(head)
        try:
            names = really["listdir"](head or ".")
        except OSError:
            return path
        found = (name for name in names if name.casefold() == tail.casefold())
        return os.path.join(head, next(found, tail))
    return path

def folding(function):
    def found(path=".", *arguments, **more):
        in_folder = more.get("dir_fd") is not None
        return function(path if in_folder else on_disk(path), *arguments, **more)
    return found

for name, function in really.items():
    setattr(os, name, folding(function))
builtins.open = io.open = folding(open)
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def bare(
    *arguments: str, input: str = "", code: str = BARE, **options: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=input,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        **options,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bare")
    (folder / "docs").mkdir()
    # As a checkout on Windows has it.
    page = "# Pumps\r\n\r\nA pump moves water uphill.\r\n\r\n## Care\r\n\r\nOil it once a year.\r\n"
    (folder / "docs" / "pump.md").write_bytes(page.encode())
    (folder / "kb.toml").write_bytes(b'[kb]\r\nname = "farm"\r\n')
    run = bare("build", str(folder), "--out", str(folder / "out"), "--no-cache", "--offline")
    assert run.returncode == 0, run.stderr
    return folder / "out" / "farm"


@pytest.mark.parametrize("more", [(), ("other-drive",)])
def test_a_server_on_stdio_answers_until_its_client_leaves(
    built: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    messages = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
        {
            "id": 3,
            "method": "tools/call",
            "params": {"name": "farm_search", "arguments": {"query": "lift liquid"}},
        },
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = bare("serve", str(built), *more, input=lines, env=environment)
    assert run.returncode == 0, run.stderr
    answers = {each["id"]: each["result"] for each in map(json.loads, run.stdout.splitlines())}
    assert len(answers[2]["tools"]) == 5
    (hit, *_) = answers[3]["structuredContent"]["hits"]
    assert "A pump moves water uphill." in hit["snippet"]
    assert list(tmp_path.iterdir()) == []  # nothing is left behind


def test_lines_of_a_file_with_windows_line_ends_are_those_of_the_file(built: Path) -> None:
    run = bare("search", str(built), "oil it once a year", "--json")
    assert run.returncode == 0, run.stderr
    (hit, *_) = json.loads(run.stdout)["hits"]
    assert hit["lines"] in ([5, 7], [7, 7])


def test_verify_and_check_work(built: Path) -> None:
    assert bare("verify", str(built)).returncode == 0
    assert bare("check", str(built.parents[1])).returncode == 0


def test_workers_are_refused_in_one_sentence(built: Path) -> None:
    run = bare("serve", str(built), "--http", "--workers", "2")
    assert run.returncode == 2
    assert "fork" in run.stderr
    assert "Traceback" not in run.stderr


def test_names_in_another_case_find_their_files_where_case_is_ignored(tmp_path: Path) -> None:
    pages = {"Pump.md": '# Pump\n\n--8<-- "oil.MD"\n', "OIL.md": "Oil it once a year.\n"}
    (tmp_path / "Docs").mkdir()
    for name, text in pages.items():
        (tmp_path / "Docs" / name).write_text(text)
    (tmp_path / "kb.toml").write_text(
        '[kb]\nname = "farm"\n[[collection]]\nname = "docs"\nkind = "docs"\npaths = ["docs"]\n'
    )
    code, out = FOLDING + BARE, tmp_path / "out"
    options = ("--out", str(out), "--no-cache", "--lexical-only")
    run = bare("build", str(tmp_path), *options, code=code)
    assert run.returncode == 0, run.stderr
    run = bare("search", str(out / "FARM"), "oil once a year", "--json", code=code)
    assert run.returncode == 0, run.stderr
    hits = json.loads(run.stdout)["hits"]
    assert len(hits) == len({hit["address"].casefold() for hit in hits}) > 0
    assert bare("verify", str(out / "farm"), code=code).returncode == 0
