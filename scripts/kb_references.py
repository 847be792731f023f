"""Names that entries, front matter and questions refer to, against the tool's table and the files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import make_test_catalogue
from quint_tool import Miss

from kbc.languages.front_matter import below_front_matter

STEP = re.compile(r"(\d+)\.(problem|solution)(?:\..+)?")


def expected_signature(name: str, type_: str, variadic: bool) -> str:
    if variadic:
        cut = type_.rindex(") =>")
        type_ = f"{type_[:cut]}, ...{type_[cut:]}"
    return f"{name}: {type_}"


def builtin_misses(kb: Path, table: dict[str, dict[str, Any]]) -> Iterator[Miss]:
    described = {}
    for path in sorted((kb / "builtins").glob("**/*.md")):
        page, _ = below_front_matter(path.read_text("utf-8"))
        described[page["name"]] = str(path.relative_to(kb))
        entry = table.get(page["name"])
        if entry is None:
            yield Miss(described[page["name"]], 2, f"the tool has no builtin {page['name']!r}")
            continue
        wanted = expected_signature(page["name"], entry["type"], entry["variadic"])
        qualified = re.match(
            r"(?:pure val|pure def|val|def|action|run|temporal) (.*)$", page["signature"]
        )
        if qualified is None or qualified[1] != wanted:
            yield Miss(described[page["name"]], 3, f"signature must be {wanted!r}")
        for other in page.get("related", []):
            if other not in table:
                yield Miss(described[page["name"]], 2, f"related builtin {other!r} does not exist")
    for name in sorted(table.keys() - described.keys()):
        yield Miss("builtins", 0, f"{name!r} has no page")


def reference_misses(kb: Path, table: dict[str, Any]) -> Iterator[Miss]:
    patterns = {}
    for path in sorted((kb / "patterns").glob("*.md")):
        page, _ = below_front_matter(path.read_text("utf-8"))
        where = str(path.relative_to(kb))
        patterns[page["id"]] = where
        for name in page.get("required_builtins", []):
            if name not in table:
                yield Miss(where, 1, f"required builtin {name!r} does not exist")
        for name in page.get("examples", []):
            if not (kb / "examples" / name).exists():
                yield Miss(where, 1, f"example {name!r} does not exist")
    templates = tomllib.loads((kb / "templates" / "templates.toml").read_text("utf-8"))["template"]
    for template in templates:
        if not (kb / "templates" / template["file"]).exists():
            yield Miss("templates/templates.toml", 1, f"file {template['file']!r} does not exist")
    for name in ("questions.toml", "held-out.toml"):
        if (kb / name).exists():
            yield from question_misses(kb, name, set(table), set(patterns), templates)


def question_misses(
    kb: Path,
    file: str,
    builtins: set[str],
    patterns: set[str],
    templates: Sequence[Mapping[str, Any]],
) -> Iterator[Miss]:
    """Records that a question expects and that do not exist."""
    places = {
        "doc": kb,
        "example": kb / "examples",
        "page": kb / "sources",
        "sources": kb / "sources",
        "test": kb,
        "code": kb / "code",
    }
    names = {
        "builtin": builtins,
        "pattern": patterns,
        "template": {t["id"] for t in templates},
        "workshop": workshop_ids(kb / "workshops"),
    }
    for question in tomllib.loads((kb / file).read_text("utf-8"))["question"]:
        for target in question["expect"]:
            kind, _, name = target.partition(":")
            if kind in names:
                known = name in names[kind]
            elif kind in places:
                known = (places[kind] / name.partition("#")[0]).is_file()  # of a test, its file
            else:
                yield Miss(file, 1, f"{question['query']!r} expects the unknown kind {kind!r}")
                continue
            if not known:
                yield Miss(
                    file, 1, f"{question['query']!r} expects {target!r}, which does not exist"
                )


def workshop_ids(workshops: Path) -> set[str]:
    """Workshops, and the texts and programs of their exercises and steps, as records are called."""
    ids = set()
    for workshop in workshops.glob("*/"):
        ids |= {workshop.name, *framing_ids(workshop / "exercises", f"{workshop.name}/workshop")}
        for exercise in workshop.glob("exercises/[0-9]*/"):
            place = f"{workshop.name}/{exercise.name.partition('.')[0]}"
            ids |= framing_ids(exercise, f"{place}/exercise")
            for step in exercise.glob("[0-9]*/"):
                if match := STEP.fullmatch(step.name):
                    own = f"{place}/{match[1]}/{match[2]}"
                    ids.add(f"{own}-instructions")
                    ids |= {f"{own}-code/{program.name}" for program in step.glob("*.qnt")}
    return ids


def framing_ids(folder: Path, place: str) -> set[str]:
    """The texts before and after the exercises of a workshop, or the steps of an exercise."""
    files = {"instructions": "README.mdx", "finished": "FINISHED.mdx"}
    return {f"{place}-{name}" for name, file in files.items() if (folder / file).is_file()}


def catalogue_misses(kb: Path) -> Iterator[Miss]:
    now, wanted = make_test_catalogue.render(kb)
    if now != wanted:
        yield Miss(
            make_test_catalogue.CATALOGUE.as_posix(),
            1,
            "is stale: run scripts/make_test_catalogue.py",
        )
