"""Tables that pages of MkDocs read from files by its plugin table-reader: `{{ read_csv("rates.csv") }}`.

Arguments are literals of Python. A call whose file or arguments cannot be read stays as it is written.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import yaml

from kbc.languages.includes.fenced import Kept, outside_fences
from kbc.languages.includes.files import IncludingPage, indented
from kbc.project.well_formed import YamlLoader, parse_json

TRIGGER = r"\{\{-?[ \t]*(?:pd_)?read_(?:csv|table|json|yaml|raw)\("

_CALL = re.compile(
    r"(?P<indent>^[ \t]*)?\{\{-?[ \t]*(?P<call>(?:pd_)?read_(?P<form>csv|table|json|yaml|raw)\([^{}\n]*)\}\}",
    re.MULTILINE,
)
_FILTERS = frozenset(["add_indentation", "convert_to_md_table", "fix_links"])
"""What may stand behind a call, which a table has no use for here."""

MAX_ROWS = 500
MAX_COLUMNS = 60
MAX_CHARS = 60_000
"""Of a table in a page; what is behind these is counted."""

MAX_VALUES = 200
"""In a cell."""

_SEPARATORS = {"csv": ",", "table": "\t"}
_READ = frozenset(
    ["sep", "delimiter", "header", "names", "nrows", "skiprows", "usecols", "orient", "index_col"]
)
_SHOWN_ALIKE = frozenset([
    "engine", "encoding", "dtype", "keep_default_na", "na_values", "na_filter", "colalign", "tablefmt",
    "quotechar", "quoting", "skipinitialspace", "low_memory", "disable_numparse", "index", "floatfmt",
    "maxcolwidths", "thousands", "decimal", "comment", "parse_dates", "escapechar",
])  # fmt: skip
"""Arguments that change the looks of a table, or how programs of other languages wrote it."""


def replace(text: str, page: IncludingPage) -> str:
    """The body of a page with its tables in place of the calls that read them."""
    return outside_fences(text, lambda prose: _prose(prose, page))


def _prose(text: str, page: IncludingPage) -> str:
    if not _CALL.search(text):
        return text
    kept = Kept()
    hidden = kept.hide_spans(text)
    return kept.restored(_CALL.sub(lambda match: _shown(match, page, kept), hidden))


def _shown(match: re.Match[str], page: IncludingPage, kept: Kept) -> str:
    try:
        target, options = _arguments(kept.restored(match["call"]).rstrip(" \t-"))
        found = page.find(target)
        if found is None:
            return match[0]
        text = found[1]
        if match["form"] != "raw":
            text = _markdown(*_rows(match["form"], text, options))
    except (ValueError, SyntaxError, RecursionError, MemoryError, csv.Error, yaml.YAMLError):
        return match[0]
    return indented(match["indent"] or "", text.strip("\n"))


def _arguments(call: str) -> tuple[str, Mapping[str, Any]]:
    """The file that a call names and its other arguments; raises for what is no literal."""
    node = ast.parse(call, mode="eval").body
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        name = node.right.func if isinstance(node.right, ast.Call) else node.right
        if not isinstance(name, ast.Name) or name.id not in _FILTERS:
            raise ValueError
        node = node.left
    if not isinstance(node, ast.Call) or len(node.args) > 1:
        raise ValueError
    options = {each.arg or "": ast.literal_eval(each.value) for each in node.keywords}
    stated = [
        options.pop(name) for name in ("filepath_or_buffer", "path_or_buf") if name in options
    ]
    target = ast.literal_eval(node.args[0]) if node.args else next(iter(stated), None)
    if not isinstance(target, str) or not target.strip() or options.keys() - _READ - _SHOWN_ALIKE:
        raise ValueError
    return target.strip(), options


def _rows(
    form: str, text: str, options: Mapping[str, Any]
) -> tuple[list[str], list[Sequence[Any]]]:
    """The names of the columns, and the rows below them."""
    if form in _SEPARATORS:
        return _separated(text, options, _SEPARATORS[form])
    if options.keys() & {"usecols", "nrows", "skiprows", "header", "names", "sep", "delimiter"}:
        raise ValueError
    data = parse_json(text) if form == "json" else yaml.load(text, Loader=YamlLoader)
    orient = options.get("orient", "")
    if orient == "split" and isinstance(data, Mapping):
        return [str(each) for each in data["columns"]], _sequences(data.get("data"))
    if orient in ("", "columns") and form == "json" and isinstance(data, Mapping):
        data = _of_columns(data)
    elif orient == "index" and isinstance(data, Mapping):
        data = list(data.values())
    elif form == "yaml" and isinstance(data, Mapping):
        data = [data]
    elif orient not in ("", "records"):
        raise ValueError
    if not isinstance(data, list) or not all(isinstance(each, Mapping) for each in data):
        raise ValueError
    if form == "yaml":
        data = [_flat(each) for each in data[: MAX_ROWS + 1]] + data[MAX_ROWS + 1 :]
    columns = list(dict.fromkeys(str(name) for each in data[:MAX_ROWS] for name in each))
    by_name = ({str(name): value for name, value in each.items()} for each in data)
    return columns, [[each.get(name, "") for name in columns] for each in by_name]


def _sequences(data: Any) -> list[Sequence[Any]]:
    if not isinstance(data, list) or not all(isinstance(each, list) for each in data):
        raise ValueError
    return data


def _of_columns(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of what JSON holds by column: values in a list, or by the name of their row."""
    columns = {
        name: each if isinstance(each, Mapping) else dict(enumerate(each))
        for name, each in data.items()
        if isinstance(each, (Mapping, list))
    }
    if len(columns) < len(data):
        raise ValueError
    rows = dict.fromkeys(row for each in columns.values() for row in each)
    return [{name: each.get(row, "") for name, each in columns.items()} for row in rows]


def _flat(data: Mapping[str, Any], start: str = "", depth: int = 0) -> dict[str, Any]:
    """`{"a.b": 1}` of `{"a": {"b": 1}}`."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, Mapping) and value and depth < 8:
            found.update(_flat(value, f"{start}{name}.", depth + 1))
        else:
            found[f"{start}{name}"] = value
        if len(found) > MAX_COLUMNS:
            break
    return found


def _separated(
    text: str, options: Mapping[str, Any], separator: str
) -> tuple[list[str], list[Sequence[Any]]]:
    stated = options.get("sep", options.get("delimiter", separator))
    is_space = stated in (r"\s+", r"\s")
    if not isinstance(stated, str) or not (len(stated) == 1 or is_space):
        raise ValueError
    lines = [line for line in text.split("\n") if line.strip()]
    skipped = options.get("skiprows", 0)
    lines = lines[skipped if isinstance(skipped, int) and skipped > 0 else 0 :]
    if is_space:
        found: Iterable[Sequence[str]] = (line.split() for line in lines)
    else:
        found = csv.reader(io.StringIO("\n".join(lines)), delimiter=stated, skipinitialspace=True)
    rows = list(found)
    if not rows:
        raise ValueError
    names = options.get("names")
    if isinstance(names, (list, tuple)):
        columns = [str(each) for each in names]
        rows = rows[1:] if options.get("header") == 0 else rows
    elif "header" in options and options["header"] is None:
        columns = [str(number) for number in range(max(map(len, rows)))]
    else:
        columns, rows = list(rows[0]), rows[1:]
    wanted = options.get("usecols")
    if isinstance(wanted, (list, tuple)):
        named = {name: number for number, name in enumerate(columns)}
        stated_places = (each if isinstance(each, int) else named.get(each) for each in wanted)
        places = [each for each in stated_places if each is not None]
        columns = [columns[place] for place in places if place < len(columns)]
        rows = [[row[place] for place in places if place < len(row)] for row in rows]
    elif wanted is not None:
        raise ValueError
    count = options.get("nrows")
    return columns, rows[:count] if isinstance(count, int) else rows


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in Markdown, with a sentence about rows and columns that are left out of a large one."""
    width = min(len(columns), MAX_COLUMNS)
    if not width:
        raise ValueError
    lines = [_line(columns[:width]), "|" + " --- |" * width]
    chars = 0
    for row in islice(rows, MAX_ROWS):
        lines.append(_line([*row[:width], *[""] * (width - len(row))]))
        chars += len(lines[-1])
        if chars > MAX_CHARS:
            lines.pop()
            break
    shown = len(lines) - 2
    left_out = [f"{len(rows) - shown:,} more rows"] if shown < len(rows) else []
    left_out += [f"{len(columns) - width:,} more columns"] if width < len(columns) else []
    return "\n".join([*lines, *(["", f"({' and '.join(left_out)})"] if left_out else [])])


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(value: Any) -> str:
    if isinstance(value, (list, Mapping)):
        if not _is_small(value):
            raise ValueError
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = "" if value is None else str(value)
    return re.sub(r"\s*\n\s*", " ", text.strip()).replace("|", r"\|")


def _is_small(value: Any) -> bool:
    """Whether a value holds few others, with what the aliases of YAML repeat."""
    waiting = [value]
    for _ in range(MAX_VALUES):
        if not waiting:
            return True
        each = waiting.pop()
        if isinstance(each, (list, Mapping)):
            waiting += each.values() if isinstance(each, Mapping) else each
    return False
