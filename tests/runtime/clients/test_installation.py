"""What becomes of a client's files: added, updated, kept, removed, refused; bytes come back."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.clients.config_texts import CONTAINER, NAME, json_files, toml_files

from kb_runtime.clients import installation
from kb_runtime.clients.errors import ConfigError
from kb_runtime.clients.installation import Change, InstallTarget
from kb_runtime.clients.machine import Machine
from kb_runtime.clients.server import Server
from kb_runtime.clients.table import CLIENTS, JsonText, Scope

SERVER = Server(
    "quint", "Quint", "All about it.", ("/opt/v/bin/kbc", "serve", "/data/ü"), ("/data/ü",)
)
MOVED = Server("quint", "Quint", "", ("/opt/w/bin/kbc", "serve", "/data/new"), ("/data/new",))


def place(folder: Path, scope: Scope = "user") -> InstallTarget:
    return InstallTarget(Machine("linux", str(folder / "home"), {}), scope, str(folder / "project"))


def files(folder: Path) -> dict[str, bytes]:
    """All files but the backups."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".bak-" not in path.name
    }


def add(name: str, where: InstallTarget, server: Server = SERVER, *, force: bool = False) -> Change:
    change = installation.add(CLIENTS[name], where, NAME, server, force=force)
    change.apply()
    return change


def remove(name: str, where: InstallTarget) -> Change:
    change = installation.remove(CLIENTS[name], where, NAME, force=False)
    change.apply()
    return change


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_gets_a_file_and_loses_it_again(
    tmp_path: Path, name: str, scope: Scope
) -> None:
    where = place(tmp_path, scope)
    if scope not in CLIENTS[name].scopes:
        with pytest.raises(ConfigError, match="has no configuration of a project"):
            add(name, where)
        return
    change = add(name, where)
    assert change.action == "add"
    path = Path(CLIENTS[name].path(where.machine, scope, where.project))
    assert CLIENTS[name].format.entries(path.read_text())[NAME] == CLIENTS[name].fields(SERVER.argv)
    assert add(name, where).action == "keep"
    assert remove(name, where).action == "remove"
    assert files(tmp_path) == {}
    assert remove(name, where).action == "absent"


@pytest.mark.slow
@given(json_files(), st.sampled_from([b"", b"\xef\xbb\xbf"]), st.booleans())
def test_uninstalling_gives_back_the_bytes_of_json(text: str, mark: bytes, moved: bool) -> None:
    assert_given_back("cursor", ".cursor/mcp.json", mark + text.encode(), moved)


@pytest.mark.slow
@given(json_files(comments=False), st.booleans())
def test_uninstalling_gives_back_the_bytes_of_strict_json(text: str, moved: bool) -> None:
    assert_given_back("claude-code", ".claude.json", text.encode(), moved)


@pytest.mark.slow
@given(toml_files(), st.sampled_from([b"", b"\xef\xbb\xbf"]), st.booleans())
def test_uninstalling_gives_back_the_bytes_of_toml(text: str, mark: bytes, moved: bool) -> None:
    assert_given_back("codex", ".codex/config.toml", mark + text.encode(), moved)


@pytest.mark.parametrize("data", [b"", b"\n", b"{}", b"{ }\n", b'{"mcpServers": {}}', b"\r\n"])
@pytest.mark.parametrize("moved", [False, True])
def test_uninstalling_gives_back_empty_configurations(data: bytes, moved: bool) -> None:
    assert_given_back("cursor", ".cursor/mcp.json", data, moved)


def assert_given_back(name: str, path: str, data: bytes, moved: bool) -> None:
    """Whatever the file was, also when the server was moved meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "home", path)
        file.parent.mkdir(parents=True)
        file.write_bytes(data)
        where = place(Path(folder))
        add(name, where)
        assert file.read_bytes() != data
        if moved:
            assert add(name, where, MOVED).action == "update"
        remove(name, where)
        assert file.read_bytes() == data


def test_without_backups_the_same_bytes_come_back_from_a_usual_file(tmp_path: Path) -> None:
    data = b'{\r\n\t"theme": "dark", // mine\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t},\r\n}\r\n'
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    add("cursor", place(tmp_path))
    file.with_name("mcp.json.bak-1").unlink()
    remove("cursor", place(tmp_path))
    assert file.read_bytes() == data


def test_what_came_after_installing_is_kept_by_uninstalling(tmp_path: Path) -> None:
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(b'{"mcpServers": {}}')
    add("cursor", place(tmp_path))
    text = file.read_text()
    file.write_text(text.replace('"/data/ü"]}', '"/data/ü"]}, "later": {"command": "x"}'))
    remove("cursor", place(tmp_path))
    assert json.loads(file.read_text()) == {"mcpServers": {"later": {"command": "x"}}}


def test_what_a_person_added_to_the_entry_is_kept_by_an_update(tmp_path: Path) -> None:
    where = place(tmp_path)
    add("cursor", where)
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.write_text(file.read_text().replace('"args"', '"disabled": true, // why\n"args"'))
    assert add("cursor", where, MOVED).action == "update"
    assert '"disabled": true, // why' in file.read_text()
    entry = JsonText(CONTAINER, comments=True).entries(file.read_text())[NAME]
    assert entry == {"command": "/opt/w/bin/kbc", "disabled": True, "args": list(MOVED.argv[1:])}


def test_another_server_of_the_name_is_refused_unless_forced(tmp_path: Path) -> None:
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    data = b'{"mcpServers": {"quint": {"command": "npx", "args": ["-y", "q"], "env": {"T": "1"}}}}'
    file.write_bytes(data)
    where = place(tmp_path)
    for change in (add, remove):
        with pytest.raises(ConfigError) as refused:
            change("cursor", where)
        assert refused.value.message == f"{file} has another server named 'quint': npx -y q."
        assert "--force" in refused.value.hint
    assert files(tmp_path) == {"home/.cursor/mcp.json": data}
    add("cursor", where, force=True)
    assert json.loads(file.read_text()) == {
        "mcpServers": {"quint": CLIENTS["cursor"].fields(SERVER.argv)}
    }


@pytest.mark.parametrize(
    ("name", "path", "data", "reason"),
    [
        ("cursor", ".cursor/mcp.json", b'{"a": }', "is not valid JSON: line 1, column 7: "),
        ("claude-code", ".claude.json", b"{} // c", "line 1, column 4: comments are not allowed"),
        ("codex", ".codex/config.toml", b"a = \n", "is not valid TOML: Invalid value (at line 1"),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": null}', "which is not an object"),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": {"q": 1, "q": 2}}', "has 'q' twice"),
        ("cursor", ".cursor/mcp.json", "{}".encode("utf-16"), "is not UTF-8"),
    ],
)
def test_a_configuration_with_mistakes_is_never_touched(
    tmp_path: Path, name: str, path: str, data: bytes, reason: str
) -> None:
    file = tmp_path / "home" / path
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    for change in (add, remove):
        with pytest.raises(ConfigError) as refused:
            change(name, place(tmp_path))
        assert refused.value.message.startswith(str(file))
        assert reason in refused.value.message
        assert "not changed" in refused.value.hint
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert file.read_bytes() == data


def test_a_path_that_is_no_unicode_is_refused(tmp_path: Path) -> None:
    server = Server("q", "Q", "", ("/v/bin/kbc", "serve", "/data/\udcff"), ("/data/\udcff",))
    for name in ("cursor", "codex"):
        with pytest.raises(ConfigError, match="it is not valid Unicode"):
            add(name, place(tmp_path), server)
    assert files(tmp_path) == {}


def test_instructions_are_added_and_removed(tmp_path: Path) -> None:
    where = place(tmp_path, "project")
    file = tmp_path / "project" / "AGENTS.md"
    file.parent.mkdir()
    file.write_bytes(b"# Mine")
    client = CLIENTS["codex"]
    for action in ("add", "keep"):
        change = installation.add_instructions(client, where, NAME, SERVER)
        assert change is not None
        assert change.action == action
        change.apply()
    assert "The MCP server `quint`" in file.read_text()
    change = installation.remove_instructions(client, where, NAME)
    assert change is not None
    change.apply()
    assert file.read_bytes() == b"# Mine"


def test_a_file_of_instructions_that_held_nothing_else_goes(tmp_path: Path) -> None:
    where = place(tmp_path)
    client = CLIENTS["gemini"]
    added = installation.add_instructions(client, where, NAME, SERVER)
    assert added is not None
    added.apply()
    removed = installation.remove_instructions(client, where, NAME)
    assert removed is not None
    removed.apply()
    assert files(tmp_path) == {}
    assert installation.add_instructions(CLIENTS["claude-desktop"], where, NAME, SERVER) is None


def test_a_change_shows_what_it_will_do_and_does_nothing_before(tmp_path: Path) -> None:
    change = installation.add(CLIENTS["codex"], place(tmp_path), NAME, SERVER, force=False)
    assert '+args = ["serve", "/data/ü"]\n' in change.diff()
    assert files(tmp_path) == {}
