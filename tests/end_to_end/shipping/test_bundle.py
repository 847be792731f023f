"""`kbc bundle`: what the official tool says of the .mcpb file, and what the file starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from tests.end_to_end.installed import Environment, wheel_of
from tests.end_to_end.knowledge import write_knowledge
from tests.end_to_end.npm import MODULES
from tests.waiting import PATIENCE_S

from kb_runtime.errors import exit_codes
from kbc.cli.main import run
from kbc.pipeline.build import BuildOptions, build

MCPB = MODULES / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_knowledge(folder / "kb")
    return build(folder / "kb", BuildOptions(out=folder / "out")).path.parent


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory, artifact: Path) -> Path:
    out = tmp_path_factory.mktemp("dist")
    arguments = ["bundle", str(artifact), "--out", str(out), "--mcp-name", "org.example/demo"]
    assert run(arguments) == exit_codes.OK
    return out / "demo-kb-1.0"


@pytest.fixture
def unpacked(bundles: Path, tmp_path: Path) -> Path:
    with zipfile.ZipFile(bundles / "demo-kb.mcpb") as archive:
        archive.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.mark.slow  # npm fetches the tool
def test_the_official_tool_accepts_the_manifest(node: Path, unpacked: Path) -> None:
    done = subprocess.run(
        [node, MCPB, "validate", unpacked / "manifest.json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "validation passes" in done.stdout


@pytest.mark.slow  # npm fetches the tool
def test_the_official_tool_reads_the_archive(node: Path, bundles: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [node, MCPB, "unpack", bundles / "demo-kb.mcpb", tmp_path / "out"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["name"] == "demo-kb"


@pytest.mark.slow
@pytest.mark.parametrize("place", ["setting", "PATH", "home"])
def test_the_bundle_starts_the_command_that_the_wheel_installed(
    tmp_path: Path, artifact: Path, unpacked: Path, place: str
) -> None:
    environment = Environment(tmp_path / "venv")
    environment.install(wheel_of(artifact, tmp_path))
    command = environment.bin / "demo-kb"
    variables = {"HOME": str(tmp_path), "PATH": os.defpath}
    setting = "${user_config.command}"  # how clients leave a setting that has no value
    if place == "setting":
        setting = str(command)
    elif place == "PATH":
        variables["PATH"] = f"{environment.bin}{os.pathsep}{os.defpath}"
    else:
        (tmp_path / ".local" / "bin").mkdir(parents=True)
        (tmp_path / ".local" / "bin" / "demo-kb").symlink_to(command)
    starter = [str(unpacked / "server" / "main.py"), setting]

    async def converse() -> None:
        server = StdioServerParameters(command=sys.executable, args=starter, env=variables)
        async with Client(server) as client:
            found = await client.call_tool("demo_hybrid_search", {"query": "flame"})
            assert found.structured_content["mode"] == "hybrid"

    anyio.run(converse)


@pytest.mark.parametrize(
    ("setting", "where"),
    [
        ("", "the usual folders"),
        ("${user_config.command}", "the usual folders"),
        ("/no/such/command", "/no/such/command"),
    ],
)
def test_a_bundle_without_the_command_says_how_to_get_it(
    tmp_path: Path, unpacked: Path, setting: str, where: str
) -> None:
    done = subprocess.run(
        [sys.executable, unpacked / "server" / "main.py", setting],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env={"HOME": str(tmp_path), "PATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "`pip install demo-kb`" in done.stderr
    assert f"demo-kb was not found in {where}. " in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_the_bundle_says_without_being_started_is_what_the_server_says(
    unpacked: Path, artifact: Path
) -> None:
    manifest = json.loads((unpacked / "manifest.json").read_text())
    told = manifest["_meta"]["com.microsoft.windows"]["static_responses"]
    (tools_file,) = artifact.glob("*/tools.json")
    families = json.loads(tools_file.read_text())["families"]
    offered = {tool["name"] for family in families.values() for tool in family["tools"]}
    names = {tool["name"] for tool in told["tools/list"]["tools"]}
    assert names == offered - {tool["name"] for tool in families["compact"]["tools"]}
    assert told["initialize"]["serverInfo"]["name"] == "demo"
    assert {tool["name"] for tool in manifest["tools"]} == names


def test_the_pages_can_be_read_back_as_a_documentation_set(bundles: Path, tmp_path: Path) -> None:
    source = tmp_path / "kb" / "sources" / "demo"
    source.mkdir(parents=True)
    (tmp_path / "kb" / "kb.toml").write_text('[kb]\nname = "again"\n')
    (source / "llms-full.txt").write_bytes((bundles / "llms-full.txt").read_bytes())
    report = build(tmp_path / "kb", BuildOptions(out=tmp_path / "out"))
    listed = (bundles / "llms.txt").read_text().count("\n- [")
    assert listed == 5
    assert report.records == listed + 1  # the set itself is a record, too
