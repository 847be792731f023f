"""From an artifact to a wheel, an installation, and answers of its command."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from tests.end_to_end.installed import ROOT, Environment, wheel_of
from tests.end_to_end.knowledge import write_knowledge
from tests.end_to_end.serving.test_http import address_of
from tests.end_to_end.serving.test_stdio import HELLO, ask, call
from tests.waiting import PATIENCE_S

from kb_runtime.errors import exit_codes
from kb_runtime.store.manifest import seal
from kbc.cli.main import run
from kbc.pipeline.build import BuildOptions, build
from kbc.shipping.signing import generate, sign

MAX_WHEEL_BYTES = 40_000_000
"""Of kb/: what a package index takes without asking is 100 MB, what people put up with is less."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_knowledge(folder / "kb")
    return build(folder / "kb", BuildOptions(out=folder / "out", cache=cache)).path.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, artifact: Path) -> Path:
    return wheel_of(artifact, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Environment:
    environment = Environment(tmp_path_factory.mktemp("venv"))
    environment.install(wheel)
    return environment


@pytest.fixture
def own_copy(tmp_path: Path, wheel: Path) -> Environment:
    """An installation that a test may damage."""
    environment = Environment(tmp_path / "venv")
    environment.install(wheel)
    return environment


def start(environment: Environment, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [environment.bin / "demo-kb", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"HOME": str(environment.folder)},
        cwd=environment.folder,
    )


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("arguments", [[], ["serve"], ["--tools", "all"]])
def test_the_sdk_client_is_served_by_the_console_script(
    installed: Environment, mode: Any, arguments: list[str]
) -> None:
    async def converse() -> None:
        command = str(installed.bin / "demo-kb")
        server = StdioServerParameters(command=command, args=arguments, env={})
        async with Client(server, mode=mode) as client:
            found = await client.call_tool("demo_hybrid_search", {"query": "put out a flame"})
            assert found.structured_content["mode"] == "hybrid"
            assert "Lanterns" in found.structured_content["results"][0]["title"]

    anyio.run(converse)


@pytest.fixture
def served(installed: Environment) -> Iterator[str]:
    """The address at which the console script serves over HTTP; it ends when it is asked to."""
    with start(installed, "serve", "--http", "--port", "0") as process:
        yield address_of(process)
        process.terminate()
        process.communicate()
        assert process.returncode == exit_codes.OK


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_client_is_served_over_http_by_the_console_script(served: str, mode: Any) -> None:
    async def converse() -> None:
        async with Client(served, mode=mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "demo_hybrid_search" in names
            found = await client.call_tool("demo_hybrid_search", {"query": "put out a flame"})
            assert found.structured_content["mode"] == "hybrid"
            assert "Lanterns" in found.structured_content["results"][0]["title"]

    anyio.run(converse)


def test_questions_are_answered_in_a_terminal(installed: Environment) -> None:
    found = installed.run("demo-kb", "search", "put out a flame", "--limit", "1", "--json")
    (hit,) = json.loads(found.stdout)["hits"]
    assert hit["address"] == "kb://demo/docs/docs/lanterns.md"
    assert "# toSet" in installed.run("demo-kb", "get", "asSet").stdout
    verified = installed.run("demo-kb", "verify", "--json")
    assert json.loads(verified.stdout)["ok"] is True
    assert "Demo knowledge" in installed.run("demo-kb", "info").stdout
    assert installed.run("demo-kb", "get", "nothing").returncode == exit_codes.NOT_FOUND


def test_the_package_is_a_module_that_runs(installed: Environment) -> None:
    done = installed.run(installed.python.name, "-m", "demo_kb", "search", "compass")
    assert "docs/compass.mdx" in done.stdout
    assert (
        "demo-kb 1.0" in installed.run(installed.python.name, "-m", "demo_kb", "--version").stdout
    )


@pytest.mark.skipif(sys.platform != "linux", reason="maps of a process are in /proc")
def test_a_server_maps_the_files_where_they_were_installed(installed: Environment) -> None:
    with start(installed) as process:
        ask(process, HELLO)
        ask(process, call("demo_hybrid_search", query="flame"))
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        process.communicate()
    folder = installed.site.resolve() / "demo_kb" / "artifact"
    for name in ("encoder/model.bin", "vectors/rows.f32", "catalog/chunks.bin"):
        assert any(str(folder) in line and name in line for line in maps.splitlines()), name


def test_the_way_to_the_first_answer_imports_no_engine(installed: Environment) -> None:
    """The console script's entry without site-packages: whatever it imports is the standard library's."""
    program = f"""
import sys
sys.path[:0] = [{str(ROOT / "runtime")!r}, {str(installed.site)!r}]
from kb_runtime.start import main as server
import kb_runtime.mcp.stdio as stdio
def look(_):
    heavy = {{"numpy", "onnxruntime", "tantivy", "usearch", "mcp", "click", "msgpack", "dataclasses",
              "typing", "pathlib", "argparse", "asyncio", "logging", "threading", "hashlib"}}
    sys.stderr.write(" ".join(sorted(heavy & set(sys.modules))))
Server = stdio.StdioServer
stdio.StdioServer = lambda connection, _: Server(connection, lambda: look(0))
sys.argv = ["demo-kb"]
from demo_kb.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=json.dumps(HELLO).encode() + b"\n",
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "demo"
    assert done.stderr.decode() == ""


def test_nothing_is_written_into_the_installation(installed: Environment) -> None:
    def listing() -> set[tuple[str, int]]:
        package = installed.site / "demo_kb"
        files = (path for path in package.rglob("*") if path.is_file())
        return {(str(path), path.stat().st_mtime_ns) for path in files if path.suffix != ".pyc"}

    before = listing()
    assert installed.run("demo-kb", "search", "flame").returncode == 0
    with start(installed) as process:
        ask(process, HELLO)
        ask(process, call("demo_hybrid_search", query="flame"))
        process.communicate()
    assert listing() == before


@pytest.mark.parametrize("name", ["vectors/rows.f32", "encoder/model.bin", "catalog/docs.bin"])
def test_a_file_altered_after_the_installation_is_refused(own_copy: Environment, name: str) -> None:
    (path,) = own_copy.site.glob(f"demo_kb/artifact/*/{name}")
    flip(path)
    verified = own_copy.run("demo-kb", "verify")
    assert verified.returncode == exit_codes.ARTIFACT
    assert name in verified.stderr
    with start(own_copy) as process:
        ask(process, HELLO)
        answer = ask(process, call("demo_hybrid_search", query="flame"))["result"]
        process.communicate()
    content = answer["structuredContent"]
    if name == "catalog/docs.bin":
        assert answer["isError"]
        assert content["error"]["kind"] == "UNAVAILABLE"
    else:  # the words still answer, and say that the meaning does not
        assert content["mode"] == "lexical"
        assert "its files are altered" in content["warnings"][0]


@pytest.mark.slow
def test_a_module_altered_after_the_installation_is_named(
    own_copy: Environment, wheel: Path
) -> None:
    sound = own_copy.run("demo-kb", "verify")
    assert (sound.returncode, sound.stderr) == (exit_codes.OK, "")
    assert sound.stdout.strip().endswith(", package")
    with (own_copy.site / "demo_kb" / "__init__.py").open("a") as module:
        module.write("# one more line\n")
    verified = own_copy.run("demo-kb", "verify")
    assert verified.returncode == exit_codes.ARTIFACT
    assert verified.stderr == (
        "demo_kb/__init__.py: its SHA-256 differs from the one in RECORD."
        " Install the package again. [altered]\n"
    )
    assert "damaged: 1 problem" in verified.stdout
    own_copy.install(wheel, "--force-reinstall")
    assert own_copy.run("demo-kb", "verify").returncode == exit_codes.OK


@pytest.mark.slow
def test_a_signature_goes_along_and_is_checked_where_it_is_installed(
    tmp_path: Path, artifact: Path
) -> None:
    signed = copytree(artifact, tmp_path / artifact.name)
    keys = [tmp_path / "ours.pem", tmp_path / "theirs.pem"]
    for key in keys:
        generate(key, None)
    sign(signed, keys[0], None)
    environment = Environment(tmp_path / "venv")
    environment.install(wheel_of(signed, tmp_path))
    ours, theirs = (f"{key}.pub" for key in keys)
    assert environment.run("demo-kb", "verify", "--key", ours).returncode == exit_codes.OK
    assert environment.run("demo-kb", "verify", "--key", theirs).returncode == exit_codes.ARTIFACT


def test_a_newer_artifact_beside_an_older_runtime_says_what_to_install(
    own_copy: Environment,
) -> None:
    (path,) = own_copy.site.glob("demo_kb/artifact/*/manifest.json")
    path.write_bytes(seal({**json.loads(path.read_bytes()), "format": 99}))
    for arguments in ((), ("search", "flame"), ("verify",)):
        done = own_copy.run("demo-kb", *arguments)
        assert done.returncode == exit_codes.ARTIFACT
        assert "has format 99; this kbc reads formats 1 to 2" in done.stderr
        assert 'pip install "kb-compiler>=' in done.stderr
        assert "Traceback" not in done.stderr


def test_without_the_runtime_the_command_says_what_to_install(own_copy: Environment) -> None:
    (own_copy.site / "checkout.pth").unlink()
    done = own_copy.run("demo-kb")
    assert done.returncode == exit_codes.EXTRA
    assert 'pip install "kb-compiler>=' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_upgrade_reaches_a_server_that_runs(
    tmp_path: Path, own_copy: Environment, artifact: Path, cache: Path
) -> None:
    edited = write_knowledge(tmp_path / "kb", **{"docs/sextant.md": "# Sextant\n\nIt measures.\n"})
    newer = build(edited, BuildOptions(out=tmp_path / "out", cache=cache)).path.parent
    page = call("demo_get_doc", filename="docs/sextant.md")
    with start(own_copy) as process:
        ask(process, HELLO)
        assert ask(process, page)["result"]["isError"]
        own_copy.install(wheel_of(newer, tmp_path / "dist", version="1.1"), "--upgrade")
        assert not ask(process, page)["result"].get("isError")
        process.communicate()


def test_the_command_line_writes_the_same_wheel_twice(
    tmp_path: Path, artifact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copytree(artifact, tmp_path / "elsewhere" / artifact.name, symlinks=True)
    wheels = []
    for number, source in enumerate((artifact, tmp_path / "elsewhere" / artifact.name)):
        out = tmp_path / str(number)
        assert run(["wheel", str(source), "--out", str(out), "--json"]) == exit_codes.OK
        report = json.loads(capsys.readouterr().out)
        assert report["size"] == Path(report["path"]).stat().st_size
        wheels.append(Path(report["path"]))
    assert wheels[0].name == "demo_kb-1.0-py3-none-any.whl"
    assert wheels[0].read_bytes() == wheels[1].read_bytes()


def test_a_package_without_a_stated_version_is_told(
    tmp_path: Path, artifact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for version in ("0", "2"):
        options = ("--out", str(tmp_path), "--version", version)
        assert run(["wheel", str(artifact), *options]) == exit_codes.OK
        told.append("give --version" in capsys.readouterr().err)
    assert told == [True, False]


def test_source_date_epoch_is_the_time_of_every_entry(
    tmp_path: Path, artifact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = set()
    for moment in ("1700000000", "1700000002", "1700000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", moment)
        assert run(["wheel", str(artifact), "--out", str(tmp_path)]) == exit_codes.OK
        contents.add((tmp_path / "demo_kb-1.0-py3-none-any.whl").read_bytes())
    assert len(contents) == 2


def test_a_time_that_no_archive_can_name_is_one_sentence(
    tmp_path: Path,
    artifact: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for moment in ("4354819200", "9" * 14, "9" * 5000):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", moment)
        for command in ("wheel", "build"):
            arguments = [command, str(artifact), "--out", str(tmp_path)]
            assert run(arguments) == exit_codes.USAGE
            assert "at most 4354819198 (the end of 2107)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_packed_is_one_sentence(
    tmp_path: Path, artifact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, code, sentence in (
        (["--version", "one"], exit_codes.USAGE, "'one' cannot be the version of a package"),
        (["--name", "x y"], exit_codes.USAGE, "'x y' cannot be the name of a package"),
        (["--mcp-name", "demo"], exit_codes.USAGE, "'demo' cannot be a name in the MCP registry"),
        (["--out", f"{artifact}/CURRENT/x"], exit_codes.OUTPUT, "Not a directory"),
    ):
        assert run(["wheel", str(artifact), "--out", str(tmp_path), *options]) == code
        told = capsys.readouterr().err
        assert sentence in told
        assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_wheel_of_the_knowledge_base_that_ships_is_not_too_large(
    own_kb_artifact: Path, tmp_path: Path
) -> None:
    assert wheel_of(own_kb_artifact, tmp_path).stat().st_size <= MAX_WHEEL_BYTES
