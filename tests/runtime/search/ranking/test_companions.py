"""Which files of a source tree are about others, by their names."""

from __future__ import annotations

import pytest

from kb_runtime.search.ranking import paths
from kb_runtime.search.ranking.companions import companions, subject_of


def pairs(*files: str) -> dict[str, str]:
    subjects = [subject_of(path, is_test=paths.TEST in paths.place_kinds(path)) for path in files]
    return {files[at]: files[about] for at, about in companions(subjects)}


@pytest.mark.parametrize(
    ("companion", "file"),
    [
        ("shed_test.go", "shed.go"),
        ("tests/test_tool_shed.py", "src/tool_shed.py"),
        ("src/test/java/ShedTest.java", "src/main/java/Shed.java"),
        ("src/shed.spec.tsx", "src/shed.ts"),
        ("test/tools/shed_test.exs", "lib/tools/shed.ex"),
        ("test/shed.ts", "source/shed.ts"),
        ("Open-Shed.Tests.ps1", "Open-Shed.ps1"),
        ("Shed_Test.cs", "Shed.cs"),
        ("include/tools/shed.h", "src/shed.cc"),
        ("shed_test.cc", "shed.h"),
        ("src/test/scala/ShedSuite.scala", "src/main/scala/Shed.scala"),
        ("src/test/java/TestShed.java", "src/main/java/Shed.java"),
        ("checks/shed.bats", "bin/shed.sh"),
    ],
)
def test_tests_and_headers_are_about_the_file_that_is_called_so(companion: str, file: str) -> None:
    assert pairs("other/place.c", companion, file)[companion] == file


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("shed.go", "tools/shed.go"),
        ("shed_test.go", "tool_shed.go"),
        ("tests/test_shed.py", "docs/shed.md"),
        ("latest.ts", "la.ts"),
        ("shed.h", "shed.go"),
    ],
)
def test_other_files_are_about_themselves(one: str, other: str) -> None:
    assert pairs(one, other) == {}


def test_of_several_the_one_in_the_same_folders_is_meant() -> None:
    files = (
        "lib/shed/schema.ex",
        "lib/schema.ex",
        "test/schema_test.exs",
        "test/shed/schema_test.exs",
    )
    assert pairs(*files) == {files[2]: files[1], files[3]: files[0]}


def test_a_test_is_about_the_source_and_not_about_its_header() -> None:
    assert pairs("shed.h", "shed.cc", "shed_test.cc") == {
        "shed.h": "shed.cc",
        "shed_test.cc": "shed.cc",
    }
