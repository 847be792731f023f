"""The Containerfile as a real image: built without network by buildah, run by runc as the image says.

The base is what KBC_BASE_IMAGE names in buildah's words, such as `oci-archive:/images/python.tar`, else the
one of the Containerfile. It must have the Python that runs the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from tests.end_to_end.knowledge import write_knowledge
from tests.end_to_end.shipping.test_deploy import CONTAINERFILE, of
from tests.required import IMAGES, INDEX, give_up
from tests.waiting import FETCH_S, PATIENCE_S

from kbc.pipeline.build import BuildOptions, build

WHEELHOUSE = Path(__file__).parents[3] / "scripts" / "wheelhouse.py"
TOKEN = "secret-of-this-test"
BASE = os.environ.get("KBC_BASE_IMAGE") or of("ARG")[0].partition("=")[2]
INSIDE = """
import json, os, sys
from http.client import HTTPConnection

def ask(**more):
    connection = HTTPConnection("127.0.0.1", 8765, timeout=60)
    call = {"name": "demo_hybrid_search", "arguments": {"query": "put out a flame"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    kind = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", body, {**kind, "MCP-Protocol-Version": "2025-11-25", **more})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()

def may_write(folder):
    try:
        open(folder + "/probe", "w").close()
    except OSError:
        return False
    return True

folders = [each for each in ("/", "/opt/kb", "/tmp", "/run", "/etc") if may_write(each)]
print(json.dumps([ask()[0], *ask(Authorization="Bearer " + sys.argv[1]), os.getuid(), folders]))
"""


@dataclass(frozen=True)
class Image:
    """An image whose files are at `root`, with its configuration."""

    root: Path
    config: dict[str, Any]

    def runtime_config(self, default: dict[str, Any], token: Path) -> dict[str, Any]:
        """What runc is told: that of `podman run` in the Containerfile's header, on a root of its own."""
        user, group = map(int, self.config["User"].split(":"))
        process = {
            **default["process"],
            "terminal": False,
            "user": {"uid": user, "gid": group},
            "args": [*self.config["Entrypoint"], *self.config["Cmd"]],
            "env": self.config["Env"],
            "capabilities": {},
            "noNewPrivileges": True,
            "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 4096, "soft": 4096}],
        }
        mounts = [each for each in default["mounts"] if each["type"] != "cgroup"]
        own = {"type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]}
        given = {"type": "bind", "source": str(token), "options": ["bind", "ro"]}
        mounts += [{"destination": "/tmp", **own}, {"destination": "/run/token", **given}]
        root = {"path": str(self.root), "readonly": True}
        return {**default, "process": process, "mounts": mounts, "root": root}


def run(*command: object, **options: Any) -> str:
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
    return done.stdout.strip()


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Image]:
    missing = [name for name in ("buildah", "runc", "unshare") if which(name) is None]
    if missing or os.geteuid() != 0:
        give_up(f"images need root, and {', '.join(missing) or 'have their tools'}", IMAGES)
    buildah = ["buildah", "--root", tmp_path / "images", "--runroot", tmp_path / "state"]
    buildah += ["--storage-driver", "vfs"]
    pulled = subprocess.run([*buildah, "pull", BASE], capture_output=True, text=True, check=False)
    if pulled.returncode != 0:
        give_up(f"{BASE}: {pulled.stderr[-500:]}", IMAGES)
    base = pulled.stdout.split()[-1]

    write_knowledge(tmp_path / "kb")
    built = build(tmp_path / "kb", BuildOptions(out=tmp_path / "out", cache=tmp_path / "cache"))
    context = tmp_path / "context"
    fetched = subprocess.run(
        [sys.executable, WHEELHOUSE, built.path.parent, "--out", context / "wheelhouse"],
        capture_output=True,
        text=True,
        check=False,
        timeout=FETCH_S,
    )
    if fetched.returncode != 0:
        give_up(fetched.stderr[-500:], INDEX)

    arguments = ["--build-arg", f"IMAGE={base}", "--build-arg", "COMMAND=demo-kb"]
    options = ["--isolation", "chroot", "--format", "docker", "--pull-never", *arguments]
    made = ["bud", *options, "--file", CONTAINERFILE, "--tag", "demo-kb", context]
    run("unshare", "--net", *buildah, *made)
    container = run(*buildah, "from", "--pull-never", "demo-kb")
    facts = json.loads(run(*buildah, "inspect", "--type", "image", "demo-kb"))
    try:
        root = Path(run(*buildah, "mount", container))
        yield Image(root, facts["Docker"]["config"])
    finally:
        run(*buildah, "umount", container)


@contextmanager
def started(image: Image, folder: Path) -> Iterator[tuple[list[str], subprocess.Popen[str]]]:
    """The container, which listens, and runc's words for commands about it."""
    token = folder / "token"
    token.write_text(f"{TOKEN}\n")
    token.chmod(0o644)
    bundle = folder / "bundle"
    bundle.mkdir()
    run("runc", "spec", cwd=bundle)
    config = bundle / "config.json"
    config.write_text(json.dumps(image.runtime_config(json.loads(config.read_text()), token)))
    (image.root / "run" / "token").touch()  # what it is mounted over
    runc = ["runc", "--root", str(folder / "running")]
    command = [*runc, "run", "--bundle", str(bundle), "demo"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            assert "listening on" in said, said + process.stderr.read()
            yield runc, process
        finally:
            subprocess.run([*runc, "delete", "--force", "demo"], check=False)


@pytest.mark.slow
@pytest.mark.timeout(0)  # it fetches packages
def test_the_image_serves_without_root_on_a_root_that_cannot_be_written(
    image: Image, tmp_path: Path
) -> None:
    with started(image, tmp_path) as (runc, process):
        kind, *check = image.config["Healthcheck"]["Test"]
        assert kind == "CMD"
        run(*runc, "exec", "demo", *check)
        python = [*runc, "exec", "demo", "/opt/kb/bin/python", "-I"]
        refused, status, answer, user, folders = json.loads(run(*python, "-c", INSIDE, TOKEN))
        assert (refused, status, user, folders) == (401, 200, 65532, ["/tmp"])
        assert "lanterns.md" in answer
        run(*runc, "kill", "demo", image.config["StopSignal"])
        _, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
