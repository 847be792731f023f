"""Diffs that patch programs take, and that change no more lines than they must."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.required import needs

from kbc.languages import diffs
from kbc.languages.diffs import unified_diff

TEXTS = st.one_of(
    st.none(),
    st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "e\u2028f"]), max_size=14).map("\n".join),
)


def changes(diff: str) -> tuple[int, int]:
    body = diff[diff.index("@@") :] if "@@" in diff else ""
    lines = body.split("\n")
    return (
        sum(line.startswith("-") for line in lines),
        sum(line.startswith("+") for line in lines),
    )


def common(old: list[str], new: list[str]) -> int:
    """The length of a longest common subsequence, the slow and sure way."""
    row = [0] * (len(new) + 1)
    for one in old:
        above = row
        row = [0]
        for at, other in enumerate(new):
            row.append(above[at] + 1 if one == other else max(row[-1], above[at + 1]))
    return row[-1]


def split(text: str | None) -> list[str]:
    lines = [line + "\n" for line in (text or "").split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


@given(TEXTS, TEXTS)
def test_no_line_changes_that_could_stay(old: str | None, new: str | None) -> None:
    before, after = split(old), split(new)
    kept = common(before, after)
    assert changes(unified_diff("f", old, new)) == (len(before) - kept, len(after) - kept)


@settings(max_examples=40)
@needs(shutil.which("git"), "compares with Git itself")
@given(old=TEXTS, new=TEXTS, context=st.integers(0, 4))
def test_git_applies_it(
    tmp_path_factory: pytest.TempPathFactory, old: str | None, new: str | None, context: int
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    file = folder / "sub" / "file.txt"
    file.parent.mkdir()
    if old is not None:
        file.write_bytes(old.encode())
    diff = unified_diff("sub/file.txt", old, new, context)
    assert bool(diff) == (old != new)
    if diff:
        apply(folder, diff, context)
    assert (file.read_bytes() if file.exists() else None) == (None if new is None else new.encode())


def apply(folder: Path, diff: str, context: int) -> None:
    options = ["--unidiff-zero"] if context == 0 else []
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", *options, "-"],
        cwd=folder,
        input=diff.encode(),
        capture_output=True,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(folder.parent)},
    )
    assert done.returncode == 0, (done.stderr, diff)


def test_the_form_of_a_diff() -> None:
    old = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten"
    new = old.replace("two", "2").replace("ten", "ten\n")
    assert unified_diff("src/a.ts", old, new, context=1) == (
        "diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n"
        "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
        "@@ -9,2 +9,2 @@\n nine\n-ten\n\\ No newline at end of file\n+ten\n"
    )


def test_an_empty_file_is_not_a_missing_one() -> None:
    assert unified_diff("a", None, "") == "diff --git a/a b/a\nnew file mode 100644\n"
    assert unified_diff("a", "", None) == "diff --git a/a b/a\ndeleted file mode 100644\n"
    assert unified_diff("a", "", "x\n").endswith("--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+x\n")
    assert "--- /dev/null\n+++ b/a\n" in unified_diff("a", None, "x\n")
    assert unified_diff("a", "same", "same") == unified_diff("a", None, None) == ""


def test_texts_with_little_in_common_are_compared_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(diffs, "MAX_EDITS", 3)
    diff = unified_diff("a", "".join(f"{n}\n" for n in range(20)), "5\nx\ny\n17\n")
    assert "\n 5\n" in diff
    assert "\n 17\n" in diff
