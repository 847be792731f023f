"""Adds labels to a file of questions, as text: what an author wrote there stays as it is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from kb_runtime.store.atomic_files import replace_text
from kb_runtime.text.toml_statements import basic_string
from kbc.evaluation.questions import EvaluationError

_TABLE = re.compile(r"^\[\[question\]\]\s*(?:#.*)?$", re.MULTILINE)


def add_label(path: Path, query: str, name: str, scope: str = "") -> None:
    """Writes that the record `name` answers `query`: into the question that is there already, or as a
    new one at the end. Raises `EvaluationError` for a file that cannot be read or written."""
    try:
        text = path.read_text("utf-8-sig") if path.exists() else ""
        entries = tomllib.loads(text).get("question", [])
        same = [at for at, each in enumerate(entries) if _is_same(each, query, scope)]
        if same and name in entries[same[0]]["expect"]:
            return
        text = _extended(text, same[0], [*entries[same[0]]["expect"], name]) if same else text
        if not same:
            text = f"{text.rstrip()}\n\n" if text.strip() else ""
            text += _table(query, name, scope)
        if [each["query"] for each in tomllib.loads(text)["question"]].count(query) < 1:
            raise ValueError("the label could not be read back")
        replace_text(path, text)
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise EvaluationError(f"{path} cannot be labelled: {error}") from error


def _is_same(entry: object, query: str, scope: str) -> bool:
    return (
        isinstance(entry, dict)
        and entry.get("query") == query
        and entry.get("scope", "") == scope
        and isinstance(entry.get("expect"), list)
    )


def _table(query: str, name: str, scope: str) -> str:
    lines = ["[[question]]", f"query = {basic_string(query)}", f"expect = [{basic_string(name)}]"]
    if scope:
        lines.append(f"scope = {basic_string(scope)}")
    return "\n".join(lines) + "\n"


def _extended(text: str, number: int, expect: list[str]) -> str:
    """The text with another list `expect` in one of its tables."""
    starts = [found.start() for found in _TABLE.finditer(text)] + [len(text)]
    start, end = starts[number], starts[number + 1]
    table = text[start:end]
    names = ", ".join(map(basic_string, expect))
    changed, count = re.subn(
        r"^expect\s*=\s*\[[^\]]*\]",
        lambda _: f"expect = [{names}]",
        table,
        count=1,
        flags=re.MULTILINE,
    )
    if not count:
        raise ValueError(f"the list `expect` of question {number + 1} was not found")
    return text[:start] + changed + text[end:]
