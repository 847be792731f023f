"""Documentation of Ansible's plugins: the YAML that a module states in DOCUMENTATION, EXAMPLES and RETURN.

A plugin is a Python file with these as strings, or one in YAML beside it. Fragments that it extends are taken
from `plugins/doc_fragments` of the same collection; those of others are counted as text from elsewhere.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError, Problems, Read, decode
from kbc.formats.loading import parse, parse_python
from kbc.formats.openapi.references import string
from kbc.formats.openapi.schemas import json_block, plain
from kbc.project.well_formed import mapping, sequence, yaml_table

FORMAT = "ansible"
_PARTS = ("DOCUMENTATION", "EXAMPLES", "RETURN")
_FRAGMENTS = "plugins/doc_fragments"
_EXTENDS = "extends_documentation_fragment"
_MAX_DEPTH = 12
_MAX_CHARS = 1_000_000
"""Of options in options, and of a list of them: what YAML's aliases repeat can be without end."""

_MARKUP = re.compile(
    r"(?<!\w)(?P<kind>RV|[BCEILMOPRUV])\((?P<text>(?:\\.|[^\\)]){0,500})\)"
    r"|(?P<rule>\bHORIZONTALLINE\b)"
)
"""Marks of Ansible in prose: C(code), O(option=value), L(text, address) and others."""

_REFERENCE = re.compile(r"[\w.]+#\w+:(?:[\w-]+:)?")
"""What stands before the name of an option of another plugin."""


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The page of one plugin. Raises `FormatError` for what is no Python or no YAML."""
    found = _stated(decode(data), path)
    facts = mapping(found.get("DOCUMENTATION"))
    root = path.rpartition("plugins/")[0]
    problems = Problems()
    facts = _with_fragments(facts, root, read, problems)
    own = string(facts.get("module") or facts.get("plugin") or facts.get("name"))
    name = own or posixpath.splitext(posixpath.basename(path))[0]
    full = _full_name(name, root, read)
    summary = " ".join(string(facts.get("short_description")).split())
    title = f"{full} – {summary.rstrip('.')}" if summary else full
    parts = [commonmark.heading(1, commonmark.escaped(title)), *_blocks(facts)]
    examples = found.get("EXAMPLES")
    if isinstance(examples, str) and examples.strip():
        parts += [commonmark.heading(2, "Examples"), commonmark.fence(examples.strip("\n"), "yaml")]
    if returned := mapping(found.get("RETURN")):
        parts += [commonmark.heading(2, "Return values"), _options(returned, "contains")]
    return Converted(
        text="\n".join(commonmark.blocks(parts)) + "\n",
        format=FORMAT,
        title=title,
        summary=summary,
        index_names=tuple(dict.fromkeys([full, name])),
        problems=tuple(problems),
    )


def _stated(text: str, path: str) -> Mapping[str, Any]:
    """The parts by name: maps, and of examples the text."""
    if not path.lower().endswith(".py"):
        return mapping(parse(text, path))
    return {
        name: value if name == "EXAMPLES" else _value(value, line, path)
        for name, value, line in _strings(parse_python(text))
        if name in _PARTS
    }


def _strings(body: list[ast.stmt]) -> Iterator[tuple[str, str, int]]:
    """(name, text, line) of the strings that are assigned to names."""
    for statement in body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
            continue
        if isinstance(value := statement.value.value, str):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, value, statement.lineno


def _value(text: str, line: int, path: str) -> Any:
    """The YAML of a string that begins in `line`."""
    try:
        return parse(text, f"{path}.yml")
    except FormatError as error:
        raise FormatError(error.message, line + max(error.line - 1, 0)) from None


def _full_name(name: str, root: str, read: Read) -> str:
    """The name with that of the collection, which galaxy.yml states."""
    data = read(f"{root}galaxy.yml")
    if data is None or "." in name:
        return name
    galaxy = yaml_table(data)
    place = (string(galaxy.get(key)) for key in ("namespace", "name"))
    return ".".join(each for each in (*place, name) if each)


def _with_fragments(
    facts: Mapping[str, Any], root: str, read: Read, problems: Problems
) -> Mapping[str, Any]:
    """The facts with those of the fragments that they extend (`namespace.collection.fragment.variable`);
    their own count first."""
    merged = dict(facts)
    named = facts.get(_EXTENDS)
    for name in map(string, named if isinstance(named, list) else [named] if named else []):
        *_, fragment, variable = name.split(".") if name.count(".") > 2 else [*name.split("."), ""]
        data = read(f"{root}{_FRAGMENTS}/{fragment}.py")
        found = _fragment(data, fragment, variable) if data else None
        if found is None:
            report = problems.unresolved if data else problems.elsewhere
            report(_EXTENDS, f"the fragment {name!r} is not in the collection")
            continue
        for key, value in found.items():
            own = merged.get(key)
            if isinstance(value, dict):
                stated = mapping(own)
                merged[key] = {**stated}
                for each, said in value.items():
                    merged[key][each] = {**mapping(said), **mapping(stated.get(each))}
            elif isinstance(value, list):
                merged[key] = [*sequence(own), *value]
            elif own is None:
                merged[key] = value
    return merged


def _fragment(data: bytes, fragment: str, variable: str) -> Mapping[str, Any] | None:
    """What a variable of a fragment says, DOCUMENTATION by default."""
    for each in parse_python(decode(data)):
        if isinstance(each, ast.ClassDef):
            for stated, text, line in _strings(each.body):
                if stated == (variable.upper() or _PARTS[0]):
                    return mapping(_value(text, line, fragment))
    return None


def _blocks(facts: Mapping[str, Any]) -> Iterator[list[str]]:
    if added := string(facts.get("version_added")):
        yield [f"*Added in version {commonmark.escaped(added)}.*"]
    for text in _texts(facts.get("description")):
        yield commonmark.paragraph(text)
    if deprecated := mapping(facts.get("deprecated")):
        yield ["**Deprecated**"]
        yield _items([f"{_marked(string(k))}: {_marked(string(v))}" for k, v in deprecated.items()])
    for heading, key in (("Requirements", "requirements"), ("Notes", "notes")):
        if texts := _texts(facts.get(key)):
            yield commonmark.heading(2, heading)
            yield _items(texts)
    if options := mapping(facts.get("options")):
        yield commonmark.heading(2, "Parameters")
        yield _options(options, "suboptions")
    if attributes := mapping(facts.get("attributes")):
        yield commonmark.heading(2, "Attributes")
        yield _options(attributes, "")
    if related := [_related(mapping(each)) for each in sequence(facts.get("seealso"))]:
        yield commonmark.heading(2, "See also")
        yield _items(related)


def _options(options: Mapping[str, Any], inner: str) -> list[str]:
    """A list of options, return values or attributes, with those that they have under `inner` indented."""
    return [*_listed(options, inner, [_MAX_CHARS])]


def _listed(
    options: Mapping[str, Any], inner: str, room: list[int], depth: int = 0
) -> Iterator[str]:
    for name, value in options.items() if depth < _MAX_DEPTH else ():
        if room[0] < 0:
            return
        option = mapping(value)
        facts = [string(option.get("type")), "required" if option.get("required") is True else ""]
        for key in ("default", "choices", "aliases", "support", "returned", "version_added"):
            stated = option.get(key)
            if stated not in (None, [], {}, ""):
                facts.append(f"{key.replace('_', ' ')}: {_literal(stated)}")
        shown = ", ".join(filter(None, facts))
        text = " ".join([*_texts(option.get("description")), *_texts(option.get("details"))])
        head = f"{commonmark.code_span(string(name))}{f' ({shown})' if shown else ''}"
        lines = [f"{head}: {text}" if text else head]
        sample = option.get("sample", option.get("example")) if inner else None
        if isinstance(sample, (dict, list)):
            lines += ["", *json_block(sample)]
        elif sample is not None:
            lines.append(f"Sample: {_literal(sample)}")
        room[0] -= sum(map(len, lines))
        lines += _listed(mapping(option.get(inner)), inner, room, depth + 1)
        yield from commonmark.indented(lines, "- ")


def _literal(value: Any) -> str:
    """Values as code; of a map, which choices may be, the keys."""
    values = value if isinstance(value, (list, dict)) else [value]
    return ", ".join(commonmark.code_span(plain(each)) for each in values)


def _items(texts: list[str]) -> list[str]:
    return [f"- {text}" for text in texts if text]


def _related(facts: Mapping[str, Any]) -> str:
    """An entry of `seealso`: a module, a plugin, or a page with a link."""
    name = string(facts.get("module") or facts.get("plugin") or facts.get("ref"))
    link, title = string(facts.get("link")), string(facts.get("name"))
    shown = commonmark.link(commonmark.escaped(title), link) if link else commonmark.code_span(name)
    return ": ".join(filter(None, (shown, " ".join(_texts(facts.get("description"))))))


def _texts(value: Any) -> list[str]:
    """A text, or a list of them, each on a line, as Markdown."""
    values = value if isinstance(value, list) else [value]
    return [_marked(" ".join(text.split())) for each in values if (text := string(each)).strip()]


def _marked(text: str) -> str:
    return commonmark.escaped_around(text, _MARKUP, _shown)


def _shown(match: re.Match[str]) -> str:
    if match["rule"]:
        return "—"
    kind, text = match["kind"], match["text"]
    if kind in ("B", "I"):
        return commonmark.marked(commonmark.escaped(text), "**" if kind == "B" else "*")
    if kind == "U":
        return commonmark.link("", text)
    if kind in ("L", "R"):
        label, _, target = text.rpartition(",")
        shown = commonmark.escaped(label.strip())
        return commonmark.link(shown, target) if kind == "L" else shown
    plain = re.sub(r"\\(.)", r"\1", text)
    return commonmark.code_span(_REFERENCE.sub("", plain) if kind in ("O", "RV") else plain)
