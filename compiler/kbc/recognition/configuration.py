"""Reads configuration files of generators as plain values: YAML with foreign tags, TOML, JSON.

What cannot be read gives an empty mapping: a recognised site is better than none, and the generator itself
tells its users what is wrong with its configuration.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import yaml

from kbc.formats import inventory
from kbc.formats.document import FormatError
from kbc.formats.inventory import Inventory
from kbc.languages.front_matter import below_front_matter
from kbc.limits import toml_excess
from kbc.project.include_tree import IncludeTree
from kbc.project.well_formed import YamlLoader, is_bounded, json_value
from kbc.recognition.javascript.exports import exported, exported_value
from kbc.recognition.site import MAX_NESTING, joined, mapping, text

READER = "the generator's configuration"
"""Who includes a configuration file, in the account of files."""

MAX_DEPTH = 8
"""Of `INHERIT` in MkDocs and the like."""
MAX_PAGES = 20_000

_STRING = r'(?:\\.|"(?:[^"\\\n]|\\.)*")'
"""Or what a backslash outside of strings keeps: many quotes behind one would each begin an endless string."""
_COMMENT = re.compile(rf"(?P<kept>{_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TOML_PART = re.compile(
    r"\"\"\"(?:\\.|[^\\])*?\"\"\"|\'\'\'.*?\'\'\'|'[^'\n]*'|"
    rf"{_STRING}|(?P<space>\#[^\n]*|\r?\n)|[{{}}\[\],]",
    re.DOTALL,
)
_FILLED_IN = re.compile(r"[ \t]*(?:@\w+@|\$\{\w+\})")
"""What a build puts its own values in place of, in a template such as `conf.py.in`."""

_ENVIRONMENT = re.compile(r"^ENV$|apply:os\.(?:getenv|environ\.get)$")
_LAST_COMMA = re.compile(rf"(?P<kept>{_STRING})|,\s*(?P<end>[\]}}])")


class _Loader(YamlLoader):
    """YAML whose unknown tags give what they hold: `!ENV [NAME, default]` and calls of `os.getenv` their
    default, others None. Keys are texts, as they are in JSON: `yes`, `404`."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                key.tag = "tag:yaml.org,2002:str"


def _foreign(loader: _Loader, suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return suffix if ":" in suffix else node.value or suffix
    if isinstance(node, yaml.SequenceNode):
        items = loader.construct_sequence(node, deep=True)
        return items[-1] if _ENVIRONMENT.search(suffix) and len(items) > 1 else None
    if isinstance(node, yaml.MappingNode):
        return {"tag": suffix, **loader.construct_mapping(node, deep=True)}
    return None


_Loader.add_multi_constructor("!", _foreign)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _foreign)


def read_text(tree: IncludeTree, path: str) -> str:
    """The text of a file; "" where there is none."""
    return text_of(tree, path) or ""


def text_of(tree: IncludeTree, path: str) -> str | None:
    """The text of a file, of a template without what a build fills in; None where there is none."""
    data = tree.read(path, READER)
    text = None if data is None else data.decode("utf-8-sig", "replace")
    return _FILLED_IN.sub("", text) if text and path.endswith(".in") else text


def peek_front_matter(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    """What stands above the page at `path`, which counts as read by its own collection only."""
    return below_front_matter((tree.peek(path) or b"").decode("utf-8-sig", "replace"))[0]


def read_yaml(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    return parse_yaml(read_text(tree, path))


def parse_yaml(text: str) -> Mapping[str, Any]:
    return mapping(parse_yaml_value(text))


def parse_yaml_value(text: str) -> Any:
    """What a text in YAML holds, of any type; None where it cannot be read or is endless or very large."""
    try:
        value = yaml.load(text, Loader=_Loader)  # a safe loader
        return value if is_bounded(value) else None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return None


def syntax_problem(path: str, data: bytes) -> tuple[str, int] | None:
    """Why a file in YAML or TOML cannot be read, with the line (0: not known); None of one that can be, or of
    another format."""
    source = data.decode("utf-8-sig", "replace")
    try:
        if path.endswith((".yml", ".yaml")):
            yaml.load(source, Loader=_Loader)  # a safe loader
        elif path.endswith(".toml"):
            if excess := toml_excess(source):
                return excess
            _toml(source)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return str(error.problem or error.context), mark.line + 1 if mark else 0
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        return str(error) or "it nests too deeply", 0
    return None


def read_toml(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    source = read_text(tree, path)
    try:
        return _toml(source) if toml_excess(source) is None else {}
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


def _toml(source: str) -> Mapping[str, Any]:
    """What a text in TOML 1.0 holds, or in 1.1, where a table between braces may have line breaks, comments
    and a comma behind its last value."""
    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError:
        on_one_line = _with_tables_on_one_line(source)
        with suppress(tomllib.TOMLDecodeError):
            if toml_excess(on_one_line) is None:  # of parts of a key on lines of their own
                return tomllib.loads(on_one_line)
        raise


def _with_tables_on_one_line(source: str) -> str:
    written: list[str] = []
    open_marks: list[str] = []
    position = 0
    for part in _TOML_PART.finditer(source):
        written.append(source[position : part.start()])
        position = part.end()
        if part["space"]:
            written.append(" " if open_marks[-1:] == ["{"] else part[0])
            continue
        if part[0] in ("{", "["):
            open_marks.append(part[0])
        elif part[0] in ("}", "]"):
            del open_marks[-1:]
            while part[0] == "}" and written and not written[-1].strip(" \t,"):
                written.pop()
        written.append(part[0])
    return "".join([*written, source[position:]])


def read_json(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    return mapping(json_value(read_text(tree, path)))


def ignored_paths(tree: IncludeTree, path: str) -> list[str]:
    """The patterns of a file that is written as .gitignore is; none without one."""
    lines = read_text(tree, path).splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def read_json_with_comments(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    """JSON with comments and commas behind the last entry, as programs of Microsoft's read it."""
    plain = _COMMENT.sub(lambda match: match["kept"] or "", read_text(tree, path))
    return mapping(json_value(_LAST_COMMA.sub(r"\g<kept>\g<end>", plain)))


def script_configs(folder: str) -> tuple[str, ...]:
    """Where a generator's configuration may be as a program in `folder`, in the order in which it looks."""
    return tuple(
        f"{folder}/{name}.{ending}"
        for name in ("config", "config/index")
        for ending in ("ts", "mts", "js", "mjs", "cjs")
    )


def read_script(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    """The object that a program exports, with what it imports from files beside it."""
    return exported(read_text(tree, path), path, partial(text_of, tree))


def read_script_value(tree: IncludeTree, path: str) -> Any:
    """What a program or a file of JSON exports, of any type, with what it imports from files beside it."""
    if path.endswith(".json"):
        return json_value(read_text(tree, path))
    return exported_value(read_text(tree, path), path=path, read=partial(text_of, tree))


def read_any(tree: IncludeTree, path: str) -> Mapping[str, Any]:
    """A configuration file, by its ending."""
    if path.endswith(".toml"):
        return read_toml(tree, path)
    return (read_json if path.endswith(".json") else read_yaml)(tree, path)


def read_inventory(tree: IncludeTree, path: str) -> Inventory | None:
    """The inventory of Sphinx at `path`; None where there is none that can be read."""
    data = tree.read(path, READER) if path else None
    try:
        return inventory.read_inventory(data) if data else None
    except FormatError:
        return None


def entries_in(value: Any, *keys: str) -> Iterator[Mapping[str, Any]]:
    """The tables of a navigation: those in lists, and below each what it has under `keys`, in order."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, Mapping):
            yield item
            waiting += [item.get(key) for key in reversed(keys)]


def first_name(tree: IncludeTree, folder: str, names: Iterable[str]) -> str:
    """The first of `names` that is a file in `folder`; "" when none is."""
    return next((name for name in names if tree.exists(joined(folder, name))), "")


def first_existing(tree: IncludeTree, folder: str, names: tuple[str, ...]) -> str:
    """The path of the first of `names` that is a file in `folder`; "" when none is."""
    name = first_name(tree, folder, names)
    return joined(folder, name) if name else ""


def pages_below(
    tree: IncludeTree,
    folder: str,
    is_page: Callable[[str], bool],
    is_folder: Callable[[str], bool],
    start: str = "",
) -> Iterator[str]:
    """The paths, below `folder`, of the pages in `start` and in the folders in it, up to MAX_PAGES; both
    functions take such a path."""
    waiting, count = [start], 0
    while waiting and count < MAX_PAGES:
        place = waiting.pop()
        for name in tree.names(joined(folder, place)):
            path = joined(place, name)
            if is_page(path):
                count += 1
                yield path
            elif is_folder(path):
                waiting.append(path)


def files_below(
    tree: IncludeTree, folder: str, is_wanted: Callable[[str], bool], depth: int = MAX_NESTING
) -> Iterator[str]:
    """The paths of the files in `folder` whose names are wanted, and of those in folders up to `depth` levels
    below it, in the order of their names; a name with a dot is no folder's."""
    for name in tree.names(folder):
        if is_wanted(name):
            yield joined(folder, name)
        elif depth and "." not in name:
            yield from files_below(tree, joined(folder, name), is_wanted, depth - 1)


def import_paths(tree: IncludeTree, folder: str) -> Mapping[str, str]:
    """What the names that imports begin with stand for: `@parts/` -> `site/src/parts/`."""
    stated = read_json_with_comments(tree, joined(folder, "tsconfig.json"))
    options = mapping(stated.get("compilerOptions"))
    found = {}
    for name, targets in mapping(options.get("paths")).items():
        first = targets[0] if isinstance(targets, list) and targets else ""
        if name.endswith("/*") and isinstance(first, str) and first.endswith("/*"):
            found[name[:-1]] = joined(folder, text(options, "baseUrl"), first[:-2]) + "/"
    return found
