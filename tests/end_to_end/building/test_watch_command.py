"""`kbc watch` as a command: signals, its events, commands that it runs, and what people are told."""

from __future__ import annotations

import shlex
import signal
from pathlib import Path

import pytest
from tests.end_to_end.building.watched import command, event, live_text, write_kb
from tests.few_watches import with_few_watches
from tests.waiting import PATIENCE_S


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_leaves_nothing_unfinished(
    tmp_path: Path, environment: dict[str, str], stop: signal.Signals
) -> None:
    root, out = write_kb(tmp_path / "kb"), tmp_path / "out"
    with command(environment, root, "--out", out, "--no-cache", "--json") as process:
        built = event(process)
        process.send_signal(stop)
        assert event(process) == {"event": "stopped"}
        assert process.wait(timeout=PATIENCE_S) == 0
    assert built["event"] == "built"
    assert sorted(path.name for path in (out / "demo").iterdir()) == sorted(
        [".lock", "CURRENT", built["build_id"]]
    )


@pytest.mark.slow
def test_a_command_runs_after_each_new_version_and_knows_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root, out, log = write_kb(tmp_path / "kb"), tmp_path / "out", tmp_path / "a log"
    told = f'echo "$KBC_NAME $KBC_BUILD_ID $KBC_ARTIFACT" >> {shlex.quote(str(log))}; exit 3'
    with command(
        environment, root, "--out", out, "--no-cache", "--json", "--exec", told
    ) as process:
        first, failed = event(process), event(process)
        (root / "docs" / "page.md").touch()  # no new version
        (root / "docs" / "page.md").write_text("# Page\n\nSecond.\n")
        second = event(process)
        event(process)
    assert failed == {
        "event": "note",
        "message": f"the command of --exec failed with exit code 3: {told}",
    }
    assert log.read_text().splitlines() == [
        f"demo {each['build_id']} {out}/demo/{each['build_id']}" for each in (first, second)
    ]


@pytest.mark.slow
def test_the_command_does_not_run_for_what_is_live_at_the_start(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root, out, log = write_kb(tmp_path / "kb"), tmp_path / "out", tmp_path / "log"
    told = f'echo "$KBC_BUILD_ID" >> {shlex.quote(str(log))}; exit 3'
    arguments = (root, "--out", out, "--no-cache", "--json", "--exec", told)
    page = root / "docs" / "page.md"
    before = page.read_text()
    with command(environment, *arguments) as process:
        first = event(process)
        assert event(process)["event"] == "note"  # it ran
    with command(environment, *arguments) as process:
        again = event(process)
        assert (again["build_id"], again["was_live"]) == (first["build_id"], True)
        page.write_text("# Page\n\nSecond.\n")
        second = event(process)  # the next event: nothing was told of a command before it
        assert second["event"] == "built"
        assert event(process)["event"] == "note"
        page.write_text(before)
        third = event(process)  # an older version that goes live once more
        assert (third["build_id"], third["reused"]) == (first["build_id"], True)
        assert event(process)["event"] == "note"
    ran = [first["build_id"], second["build_id"], first["build_id"]]
    assert log.read_text().split() == ran


@pytest.mark.slow
def test_errors_are_told_as_json_and_mended_without_a_change_is_said(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = write_kb(tmp_path / "kb")
    text = (root / "kb.toml").read_text()
    arguments = (root, "--out", tmp_path / "out", "--no-cache", "--json")
    with command(environment, *arguments) as process:
        first = event(process)
        (root / "kb.toml").write_text(text + "[[collection]\n")
        failed = event(process)
        (root / "kb.toml").write_text(text)
        again = event(process)
    assert failed["diagnostics"][0]["path"] == "kb.toml"
    assert "nothing was published" in failed["error"]["message"]
    assert (again["build_id"], again["reused"]) == (first["build_id"], True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "limit",
    ["2 > /proc/sys/user/max_inotify_watches", "0 > /proc/sys/user/max_inotify_instances"],
)
def test_without_notifications_the_files_are_polled(
    tmp_path: Path, environment: dict[str, str], limit: str
) -> None:
    root = write_kb(tmp_path / "kb")
    (root / "docs" / "more" / "folders").mkdir(parents=True)
    arguments = (root, "--out", tmp_path / "out", "--no-cache", "--json")
    with command(environment, *arguments, before=with_few_watches(limit)) as process:
        note = event(process)
        event(process)
        (root / "docs" / "more" / "page.md").write_text("# More\n\nPolled.\n")
        event(process)
    assert note["message"].startswith("the kernel cannot watch the files: the limit")
    assert "checked once a second" in note["message"]
    assert "Polled." in live_text(tmp_path / "out")


@pytest.mark.slow
def test_folders_that_come_later_may_be_too_many_for_the_kernel(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = write_kb(tmp_path / "kb")
    before = with_few_watches("4 > /proc/sys/user/max_inotify_watches")
    arguments = (root, "--out", tmp_path / "out", "--no-cache", "--json")
    with command(environment, *arguments, before=before) as process:
        event(process)
        for name in "abcdef":
            (root / "docs" / name).mkdir()
        told = event(process)
        (root / "docs" / "f" / "page.md").write_text("# F\n\nIn the last folder.\n")
        event(process)
    assert "limit" in told["message"]
    assert "In the last folder" in live_text(tmp_path / "out")


@pytest.mark.slow
def test_people_are_told_of_a_knowledge_base_by_the_path_from_where_they_are(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_kb(tmp_path / "kb")
    (root / "kb.toml").write_text("schema =")
    monkeypatch.chdir(tmp_path)
    with command(environment, "kb", "--out", tmp_path / "out", "--no-cache") as process:
        assert process.stderr is not None
        told = ""
        while "nothing was published" not in told:
            told = process.stderr.readline()
            assert told
    assert told.startswith("kbc: kb: 1 error")
