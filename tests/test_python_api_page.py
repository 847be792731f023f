"""`docs/python-api.md`: its blocks run, from top to bottom, and it lists what the packages export."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import re
from pathlib import Path
from typing import Any

import pytest
from tests.fresh_python import printed_by

import kb_runtime
import kbc

PAGE = (Path(__file__).parents[1] / "docs" / "python-api.md").read_text()
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
SCORE = re.compile(r"\d\.\d{4}")


def test_every_block_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == PAGE.count("```python\n") > 10
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, code, "exec"), names)
        # The last digits of a score are those of the CPU that embedded the page.
        assert SCORE.sub("0.0", printed.getvalue()) == SCORE.sub("0.0", expected), code
    names["kb"].close()


@pytest.mark.parametrize("package", [kb_runtime, kbc])
def test_the_page_lists_what_a_package_exports(package: Any) -> None:
    listed = re.search(rf"^`{package.__name__}`: (.+?)\n\n", PAGE, re.DOTALL | re.MULTILINE)
    assert listed is not None
    assert re.findall(r"`(\w+)`", listed[1]) == package.__all__
    assert package.__all__ == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="has no attribute 'opne'"):
        _ = package.opne


def test_the_page_names_every_public_member() -> None:
    members = {
        name
        for each in (kb_runtime.KnowledgeBase, kb_runtime.Record, kb_runtime.Hit)
        for name in dir(each)
        if not name.startswith("_") and name not in ("as_dict", "ranked")
    }
    members |= {field.name for field in dataclasses.fields(kbc.BuildOptions)}
    members |= set(inspect.signature(kb_runtime.KnowledgeBase.search).parameters) - {
        "self",
        "query",
    }
    assert {name for name in members if not re.search(rf"\b{name}\b", PAGE)} == set()


def test_the_options_and_defaults_are_those_of_the_class() -> None:
    for field in dataclasses.fields(kbc.BuildOptions):
        shown = repr(field.default).replace("'", '"')
        assert f"| `{field.name}` | `{shown}` |" in PAGE


def test_importing_the_runtime_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import kb_runtime;"
        "print(*sorted(set(sys.modules) - before))"
    )
    assert set(printed_by(code).split()) - {"__future__"} == {"kb_runtime"}
