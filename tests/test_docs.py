"""Documentation is held to the code: generated pages are current, and nothing is left out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from kb_runtime.tools.declaration import Tool
from kb_runtime.tools.fields import answer_type, field_rows
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.search.compact import TOOLS as COMPACT_TOOLS
from kbc.frontends.metadata import Metadata
from kbc.project import kinds, settings
from kbc.project.sites.generators import GENERATORS

ROOT = Path(__file__).parents[1]
EXTENDING = ROOT / "docs" / "extending.md"
AUTHORING = (ROOT / "docs" / "kb-authoring.md").read_text()
SOURCES = [
    path
    for path in (ROOT / "compiler" / "kbc").rglob("*.py")
    if path.name not in ("linker.py", "cli.py") and "encoding" not in path.parts
]


def test_generated_pages_are_current() -> None:
    script = ROOT / "scripts" / "generate_docs.py"
    run = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("tool", [*TOOLS, *COMPACT_TOOLS], ids=lambda tool: tool.name)
def test_every_field_of_an_answer_has_a_meaning(tool: Tool) -> None:
    answer = answer_type(tool)
    assert (answer is None) == (tool.name == "{prefix}_get"), "only `get` answers with text alone"
    assert [row.path for row in field_rows(answer) if not row.meaning] == [] if answer else True


def test_every_diagnostic_code_is_documented() -> None:
    call = re.compile(
        r'\.(?:error|warning|note)\(\s*"([a-z0-9-]+)"|_(?:error|problem)\(\s*"([a-z0-9-]+)"'
    )
    codes = {
        first or second for path in SOURCES for first, second in call.findall(path.read_text())
    }
    assert len(codes) > 40
    assert {code for code in codes if f"`{code}`" not in AUTHORING} == set()


def test_every_kind_and_option_is_documented() -> None:
    for kind in kinds.KINDS.values():
        assert f"### {kind.name}" in AUTHORING
        for folder in kind.folders:
            assert folder in AUTHORING
        for option in kind.options:
            assert re.search(rf"\b{option}\b", AUTHORING), option
    for boost in settings.BOOST_FIELDS:
        assert boost in AUTHORING


def test_every_generator_of_kb_toml_is_documented() -> None:
    page = (ROOT / "docs" / "site-generators.md").read_text()
    assert {name for name in GENERATORS if f"`{name}`" not in page} == set()


@pytest.mark.parametrize(
    "model",
    [
        *(settings.KbTable, settings.SearchSettings, settings.ToolSettings),
        *(settings.Alias, settings.PackageSettings, kinds.CollectionTable),
        *(kind.table for kind in kinds.KINDS.values() if kind.options),
        *Metadata.__subclasses__(),
    ],
    ids=lambda model: model.__name__,
)
def test_every_declared_key_says_what_it_is_for_and_is_documented(model: type[BaseModel]) -> None:
    for name, field in model.model_fields.items():
        assert field.description, name
        assert re.search(rf"\b{name}\b", AUTHORING), name


def test_files_that_pages_name_exist() -> None:
    """`NAME` and `FAMILY` stand for what somebody adds: the folder around them exists."""
    place = re.compile(
        r"`((?:benchmarks|compiler|docs|requirements|runtime|scripts|tests)/[^`*\s]+)`"
    )
    missing = {
        f"{page.name}: {path}"
        for page in (EXTENDING, ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md")
        for path in place.findall(page.read_text())
        if not (ROOT / re.sub(r"[^/]*(?:NAME|FAMILY).*", "", path)).exists()
    }
    assert missing == set()


def test_files_contain_what_the_page_on_changes_says_to_begin_with() -> None:
    row = re.compile(r"^\| [^|]+ \| ([^|]*`[^|]+) \| ([^|]*`[^|]+) \|$", re.MULTILINE)
    rows = row.findall(EXTENDING.read_text())
    assert len(rows) > 50
    missing = []
    for paths, names in rows:
        files = [ROOT / path for path in re.findall(r"`([^`]+)`", paths)]
        texts = [file.read_text() for file in files if file.is_file()]
        for name in re.findall(r"`([^`]+)`", names):
            outer, _, inner = name.partition(".")
            defined = rf"^(?:class |def |async def )?{outer}\b" + (
                rf"(?:.*\n)+?    def {inner}\b" if inner else ""
            )
            if not any(re.search(defined, text, re.MULTILINE) for text in texts):
                missing.append(f"{paths}: {name}")
    assert missing == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
