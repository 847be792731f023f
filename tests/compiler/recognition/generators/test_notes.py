"""Vaults of notes: as Quartz publishes them, as plain folders, and in MkDocs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

CONFIG = (
    'import { QuartzConfig } from "./quartz/cfg"\nconst config: QuartzConfig = {\n'
    '  configuration: { pageTitle: "Kites", baseUrl: "me.example/kites", locale: "en-US",\n'
    '    ignorePatterns: ["private", ".obsidian"] },\n  plugins: {},\n}\nexport default config\n'
)


def test_quartz_takes_notes_from_content_with_its_addresses(tmp_path: Path) -> None:
    files = {
        "package.json": "{}",
        "quartz.config.ts": CONFIG,
        "quartz/cfg.ts": "export type QuartzConfig = {};\n",
        "docs/index.md": page("The program"),
        "content/index.md": page("Kites"),
        "content/Q & A/Why fly?.md": "Because ![[wind]].\n",
        "content/Q & A/index.md": page("Questions"),
        "content/wind.md": "![[Why fly?]]\n",
        "content/private/diary.md": page("Diary"),
        "content/.obsidian/x.json": "{}",
    }
    root = write_tree(tmp_path / "tree", files)
    assert "Quartz site 'Kites' (quartz.config.ts)" in recognised(root).what
    inputs, _ = read(root)
    base = "https://me.example/kites"
    assert addresses(inputs) == {
        "index.md": f"{base}/",
        "Q & A/index.md": f"{base}/Q--and--A/",
        "Q & A/Why fly?.md": f"{base}/Q--and--A/Why-fly",
        "wind.md": f"{base}/wind",
    }
    texts = {record.id: record.text for record in inputs.records["docs"]}
    assert texts["Q & A/Why fly?.md"] == "Because [wind](../wind.md).\n"
    assert texts["wind.md"] == "Because [wind](wind.md).\n"


def test_the_program_itself_has_its_notes_in_docs(tmp_path: Path) -> None:
    files = {"quartz.config.ts": CONFIG, "docs/index.md": page("The program")}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(addresses(inputs)) == ["index.md"]


@pytest.mark.parametrize("config", ["site_name: Kites\nplugins: [roamlinks]\n", ""])
def test_notes_are_embedded_in_folders_and_in_mkdocs(tmp_path: Path, config: str) -> None:
    files = {
        "docs/index.md": "# Kites\n\n![[tail#Bow]]\n\n![[gone]]\n",
        "docs/parts/Tail.md": "# Tail\n\n## Bow\n\nTied.\n",
        **({"mkdocs.yml": config} if config else {}),
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert inputs.records["docs"][0].text.startswith("# Kites\n\n## Bow\n\nTied.\n")
    (warning,) = [each for each in diagnostics if each.code == "include-unresolved"]
    assert "![[ ]] (1)" in warning.message
