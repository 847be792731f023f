from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.end_to_end.sealed import namespaces

from kb_runtime.live.workspace import Workspace
from kbc.following.status import StatusFile

FULL = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=32k none "$0" && exec "$@"')
"""Runs what comes after a folder's path with 32 kB of space in that folder."""
FILLING = """
import sys
from pathlib import Path
from kb_runtime.live.workspace import CodeFolder
from kbc.following.status import StatusFile

folder, written_before = Path(sys.argv[1]), sys.argv[2] == "True"
code = CodeFolder(str(folder))
status = StatusFile(code.status_path)
if written_before:
    status.say({"state": "ready", "longer": "x" * 100})
fill = (folder / "fill").open("wb", buffering=0)
try:
    while True:
        fill.write(b"x" * 4096)
except OSError:
    pass
for _ in range(2):
    status.say({"state": "failed", "problem": "full"})
print(code.status())
(folder / "fill").unlink()
fill.close()
status.say({"state": "ready"})
print(code.status())
assert sorted(path.name for path in folder.iterdir()) == ["status.json"]
"""


@namespaces
@pytest.mark.parametrize("written_before", [True, False])
def test_a_full_disk_is_said_in_the_file_that_is_there_else_on_stderr(
    tmp_path: Path, written_before: bool
) -> None:
    run = subprocess.run(
        [*FULL, str(tmp_path), sys.executable, "-c", FILLING, str(tmp_path), str(written_before)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    full = {"state": "failed", "problem": "full"}
    in_file, at_last = run.stdout.splitlines()
    assert in_file == str(full if written_before else {})
    assert at_last == str({"state": "ready"})
    told = [json.loads(line) for line in run.stderr.splitlines()]
    assert told == ([] if written_before else [full, {}])


def test_what_is_written_once_is_not_written_again(tmp_path: Path) -> None:
    code = Workspace.open(tmp_path / "ws").code(str(tmp_path))
    Path(code.folder).mkdir(parents=True)
    status = StatusFile(code.status_path)
    status.say({"state": "ready"})
    Path(code.status_path).unlink()
    status.say({"state": "ready"})
    assert code.status() == {}
    status.say({"state": "failed"})
    assert code.status() == {"state": "failed"}
