"""What a build tells of its own work."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, recognised, write_tree

from kbc.pipeline import report
from kbc.pipeline.build import BuildOptions, build


@pytest.mark.parametrize("name", ["docs-egret", "docs"], ids=["beside", "own"])
def test_pages_beside_the_documentation_that_are_nearly_everything_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(report, "MANY_CHUNKS", 20)
    html = "<html><body><h1>{0}</h1><p>How egret {0} flies.</p></body></html>"
    files = {f"{name}/{number}.html": html.format(number) for number in range(30)}
    files |= {f"docs/use-{number}.html": html.format(f"use {number}") for number in range(3)}
    tree = {"package.json": '{"name": "heron"}', "index.ts": "export const a = 1;\n", **files}
    project = recognised(
        write_tree(tmp_path / "heron", {**tree, "README.md": page("Heron")})
    ).project
    found = build(project, BuildOptions(out=tmp_path / "out", draft=True))
    notes = [each.message for each in found.diagnostics if each.code == "large-collection"]
    expected = (
        "30 of 36 chunks are from docs-egret (collection 'pages-2'), which takes most of the time"
    )
    assert notes == ([expected] if name == "docs-egret" else [])
