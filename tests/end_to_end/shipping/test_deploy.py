"""The files in scripts/deploy: what they run, run here, as far as it goes without their managers."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from tests.end_to_end.serving.test_http import address_of
from tests.required import give_up, needs
from tests.waiting import PATIENCE_S

from kb_runtime.http.connections import RESERVED_DESCRIPTORS, ConnectionLimits
from kb_runtime.options.http import DEFAULT_PORT
from kb_runtime.options.serve import parse

DEPLOY = Path(__file__).parents[3] / "scripts" / "deploy"
CONTAINERFILE = DEPLOY / "Containerfile"
UNIT = DEPLOY / "kbc.service"
ROOT_UID = "0"

Start = Callable[..., "subprocess.Popen[bytes]"]


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile with what follows them."""
    lines = CONTAINERFILE.read_text().splitlines()
    found = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    return [(name, rest) for name, rest in found]


def of(name: str) -> list[str]:
    return [rest for each, rest in instructions() if each == name]


def command_of(unit: Path) -> list[str]:
    (line,) = re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)
    return shlex.split(line)


def test_an_image_runs_without_root_and_fetches_nothing() -> None:
    (user,) = of("USER")
    assert user.split(":")[0] not in ("root", ROOT_UID)
    assert all("--no-index" in run for run in of("RUN") if " pip " in run)
    assert of("ADD") == []


def test_commands_of_image_and_unit_are_such_that_the_server_takes_them() -> None:
    (entry,), (default,) = of("ENTRYPOINT"), of("CMD")
    image = json.loads(entry)[2:] + json.loads(default)
    unit = command_of(UNIT)[2:]
    for arguments in (image, unit):
        http = parse(["artifact", *arguments]).http
        assert http is not None
        assert http.port == DEFAULT_PORT
        assert http.workers == 2
        assert http.metrics
        assert http.token_file
    assert of("EXPOSE") == [str(DEFAULT_PORT)]


def test_the_health_check_tells_a_server_that_answers_from_none(
    quint_artifact: Path, start_server: Start
) -> None:
    (check,) = of("HEALTHCHECK")
    program = json.loads(check.split(" CMD ")[1])
    url = address_of(start_server(quint_artifact, "--http", "--port", "0"))
    port = re.findall(r":(\d+)/", url)[0]
    assert str(DEFAULT_PORT) in program[-1]

    def exit_code(at: str) -> int:
        code = program[-1].replace(str(DEFAULT_PORT), at)
        done = subprocess.run([sys.executable, *program[1:-1], code], capture_output=True)
        return done.returncode

    assert exit_code(port) == 0
    assert exit_code("1") != 0


@pytest.mark.slow
def test_the_steps_of_the_image_lead_to_a_server(wheelhouse: Path, tmp_path: Path) -> None:
    """The commands of the Containerfile with folders of the test in place of its own, as the user who
    runs the test, and from wheels alone."""
    home = tmp_path / "kb"
    programs = tmp_path / "programs"  # the image has `python`; a machine may have `python3` alone
    programs.mkdir()
    (programs / "python").symlink_to(getattr(sys, "_base_executable", sys.executable))
    path = os.pathsep.join((str(programs), os.environ["PATH"]))
    variables = {"PATH": path, "COMMAND": "quint-kb", "HOME": str(tmp_path)}
    for command in of("RUN"):
        here = command.replace("/opt/kb", str(home)).replace("/wheelhouse", str(wheelhouse))
        done = subprocess.run(
            ["sh", "-ec", here], env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    token = tmp_path / "token"
    token.write_text("secret\n")
    words = json.loads(of("ENTRYPOINT")[0]) + json.loads(of("CMD")[0])
    changed: dict[str, Any] = {
        "/opt/kb/bin/server": str(home / "bin" / "server"),
        "0.0.0.0": "127.0.0.1",
        str(DEFAULT_PORT): "0",
        "/run/token": str(token),
    }
    command = [changed.get(word, word) for word in words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env={"PATH": os.defpath}) as process:
        assert process.stderr is not None
        said = json.loads(process.stderr.readline())
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
    assert said["message"].startswith("listening on http://127.0.0.1:")
    assert process.returncode == 0


def test_a_server_may_open_more_files_than_it_takes_connections() -> None:
    limit = re.search(r"^LimitNOFILE=(\d+)$", UNIT.read_text(), re.MULTILINE)
    assert limit
    assert int(limit[1]) > ConnectionLimits().total + RESERVED_DESCRIPTORS


@needs(which("systemd-analyze"), "there is no systemd here")
def test_the_unit_is_valid_and_hardened(tmp_path: Path) -> None:
    """With a program that exists: the unit's own is where the unit is used."""
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace(command_of(UNIT)[0], "/bin/true"))
    analyze = ["systemd-analyze", "--no-pager"]
    verified = subprocess.run([*analyze, "verify", unit], capture_output=True, text=True)
    assert (verified.returncode, verified.stderr) == (0, "")
    rated = subprocess.run(
        [*analyze, "security", "--offline=yes", "--threshold=20", unit],
        capture_output=True,
        text=True,
    )
    if "unrecognized option" in rated.stderr:
        give_up("this systemd-analyze does not rate units")
    assert rated.returncode == 0, rated.stdout[-2000:]  # exposure of 2.0 of 10 and less


def documents(name: str) -> list[dict[str, Any]]:
    import yaml

    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def test_hadolint_has_no_warnings_about_the_image() -> None:
    hadolint = shutil.which(
        "hadolint", path=f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"
    )
    if hadolint is None:
        give_up("hadolint is not installed")
    run = subprocess.run(
        [hadolint, "--failure-threshold", "warning", str(CONTAINERFILE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("manifest", documents("kubernetes.yaml"), ids=lambda one: one["kind"])
def test_the_manifest_fits_the_schemas_of_kubernetes(manifest: dict[str, Any]) -> None:
    import kubernetes_validate

    newest = kubernetes_validate.latest_version()
    kubernetes_validate.validate(manifest, newest, strict=True)


def test_a_rollout_of_the_manifest_never_has_fewer_than_two_replicas_and_waits() -> None:
    deployment, service, _ = documents("kubernetes.yaml")
    spec = deployment["spec"]
    assert spec["replicas"] == 2
    assert spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/healthz"
    assert "sleep" in container["lifecycle"]["preStop"]["exec"]["command"][-1]
    assert service["spec"]["selector"] == spec["template"]["metadata"]["labels"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


def test_commands_of_manifest_and_compose_are_such_that_the_server_takes_them() -> None:
    (entry,) = of("ENTRYPOINT")
    start = json.loads(entry)[2:]
    (container,) = documents("kubernetes.yaml")[0]["spec"]["template"]["spec"]["containers"]
    (compose,) = documents("compose.yaml")
    for arguments in (container["args"], compose["services"]["kb"]["command"]):
        http = parse(["artifact", *start, *arguments]).http
        assert http is not None
        assert http.port == DEFAULT_PORT
        assert http.token_file
        assert http.workers == 2
    assert compose["services"]["kb"]["read_only"] is True
    assert compose["services"]["kb"]["cap_drop"] == ["ALL"]
