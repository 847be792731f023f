"""Transcripts of pages: what is read from them, and what counts as a difference."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from tests.kb.scripts import load

PAGE = """# Errors

## No such file

```quint file=one.qnt
module one { pure val x = 1 }
```

```console tried
$ quint run missing.qnt
error: file missing.qnt does not exist
$ echo $?
1
```
"""


@pytest.fixture(scope="module")
def transcripts() -> ModuleType:
    return load("quint_transcripts")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """An installed tool that counts its calls, prints its arguments, and fails for `run`."""
    package = tmp_path / "node_modules" / "@informalsystems" / "quint"
    tool = package.parent.parent / ".bin" / "quint"
    tool.parent.mkdir(parents=True)
    tool.write_text(
        "#!/bin/sh\n"
        f"echo called >> {tmp_path}/calls\n"
        'echo "asked: $*"\n'
        "ls\n"
        'if [ "$1" = run ]; then echo "error: file $2 does not exist" >&2; exit 1; fi\n',
        encoding="utf-8",
    )
    tool.chmod(0o755)
    return package


def test_commands_come_with_their_lines_and_exit_codes(transcripts: ModuleType) -> None:
    (command,), wrong = transcripts.transcripts_of(PAGE)

    assert (command.line, command.words) == (10, ["run", "missing.qnt"])
    assert command.printed == ["error: file missing.qnt does not exist"]
    assert command.code == 1
    assert wrong == []


def test_blocks_without_the_mark_are_not_tried(transcripts: ModuleType) -> None:
    commands, wrong = transcripts.transcripts_of(PAGE.replace("console tried", "console"))

    assert commands == []
    assert wrong == []
    assert list(transcripts.sections_without(PAGE.replace("console tried", "console"))) == []


def test_other_commands_and_commands_without_an_answer_are_refused(
    transcripts: ModuleType,
) -> None:
    text = "```console tried\n$ rm -r x\n$ quint test a.qnt\n```\n"

    _, wrong = transcripts.transcripts_of(text)

    assert [line for line, _ in wrong] == [2, 3]


def test_every_section_of_a_page_with_transcripts_has_one(transcripts: ModuleType) -> None:
    text = PAGE + "\n## By hand\n\nText.\n"

    assert [line for line, _ in transcripts.sections_without(text)] == [16]


def test_a_transcript_that_is_true_is_no_miss_and_is_kept(
    transcripts: ModuleType, package: Path, tmp_path: Path
) -> None:
    for _ in range(2):
        assert transcripts.misses_of(PAGE, package, tmp_path / "cache") == ([], 1)

    assert (tmp_path / "calls").read_text() == "called\n"


def test_a_changed_file_is_tried_again(
    transcripts: ModuleType, package: Path, tmp_path: Path
) -> None:
    for text in (PAGE, PAGE.replace("x = 1", "x = 2")):
        transcripts.misses_of(text, package, tmp_path / "cache")

    assert (tmp_path / "calls").read_text() == "called\n" * 2


def test_another_message_or_exit_code_is_a_miss(
    transcripts: ModuleType, package: Path, tmp_path: Path
) -> None:
    text = PAGE.replace("does not exist", "is missing").replace("\n1\n", "\n0\n")

    found, _ = transcripts.misses_of(text, package, tmp_path / "cache")

    assert [line for line, _ in found] == [10, 10]
    assert "does not print 'error: file missing.qnt is missing'" in found[0][1]
    assert "ends with 1, not with 0" in found[1][1]


def test_three_dots_stand_for_any_text_and_lines_are_whole(
    transcripts: ModuleType, package: Path, tmp_path: Path
) -> None:
    def found(answer: str) -> int:
        text = f"```console tried\n$ quint run m.qnt\n{answer}\n```\n"
        return len(transcripts.misses_of(text, package, tmp_path / "cache")[0])

    assert found("error: ... exist") == 0
    assert found("error: file m.qnt") == 1
    assert found("error: ... exists") == 1


def test_the_files_of_the_page_lie_in_the_folder(
    transcripts: ModuleType, package: Path, tmp_path: Path
) -> None:
    text = PAGE.replace("error: file missing.qnt does not exist", "one.qnt")

    assert transcripts.misses_of(text, package, tmp_path / "cache")[0] == []
