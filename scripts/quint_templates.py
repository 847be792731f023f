"""Performs the substitutions that the templates of the knowledge base document.

The instructions of a template name them as prose that a program can follow: "Replace `state_machine`
by the name of your module, such as `lending_desk`, and `Item` by ..., such as `Title`." All of them are
performed at once, each on whole words; the file gets the name that replaces its own. What comes out
must compile like any other source, which check_kb.py tries.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

METADATA = "templates/templates.toml"
SUBSTITUTION = re.compile(r"`([^`]+)` by [^`]+?, such as `([^`]+)`")
UNFINISHED = "TODO"

Found = tuple[str, int, str]  # file below the knowledge base, line, what is wrong


@dataclass(frozen=True, slots=True)
class Filled:
    """A template after its substitutions; `template` is its path below the knowledge base."""

    template: str
    name: str
    source: str


def substitutions(instructions: Iterable[str]) -> dict[str, str]:
    """What is to be replaced by what, from the instructions of one template."""
    return {old: new for text in instructions for old, new in SUBSTITUTION.findall(text)}


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with all substitutions at once, longer ones first; words are replaced whole."""
    if not values:
        return text
    longest_first = sorted(values, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    return pattern.sub(lambda match: values[match[0]], text)


def filled_templates(kb: Path) -> tuple[list[Filled], list[Found]]:
    """All templates after their substitutions, and the substitutions that cannot be performed."""
    templates = tomllib.loads((kb / METADATA).read_text("utf-8"))["template"]
    done: list[Filled] = []
    wrong: list[Found] = []
    for template in templates:
        where = f"templates/{template['file']}"
        if not (kb / where).is_file():
            continue  # the references are checked elsewhere
        source = (kb / where).read_text("utf-8")
        values = substitutions(template["instructions"])
        result = Filled(where, values.get(template["file"], ""), filled(source, values))
        found = list(misses(where, source, values, result))
        wrong += found
        if result.name:
            done.append(result)
    return done, wrong


def misses(where: str, source: str, values: Mapping[str, str], result: Filled) -> Iterator[Found]:
    if not result.name:
        yield (
            METADATA,
            1,
            f"the instructions for {where} do not say which name replaces the file's: write "
            f'"Replace `{where.rpartition("/")[2]}` by ..., such as `NAME.qnt`"',
        )
    for module in re.findall(r"^module\s+(\w+)", source, re.MULTILINE):
        if module not in values:
            yield METADATA, 1, f"the instructions for {where} do not replace the module {module!r}"
    for old in values:
        if filled(source, {old: ""}) == source:
            yield METADATA, 1, f"{old!r} is to be replaced in {where}, but does not occur there"
    for number, line in enumerate(result.source.split("\n"), 1):
        if UNFINISHED in line:
            yield where, number, f"{UNFINISHED} is left after the documented substitutions"
