"""Cleans MDX: removes its syntax and renders what components show of their attributes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import chain
from urllib.parse import unquote_plus

from kbc.languages.includes.components import attributes, unescaped
from kbc.languages.includes.files import fence
from kbc.languages.mdx.exports import constants
from kbc.languages.mdx.syntax import ATTRIBUTE, TAG_OPENING, brace_ends, code_spans, syntax_spans
from kbc.languages.spans import TextSpan

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_LINKS = ("href", "link", "to", "url")
_NO_DATA = frozenset(["style", "className", "components", "sx"])
_CODE_ATTRIBUTES = frozenset(
    ["npm", "npx", "yarn", "pnpm", "bun", "deno", "cargo", "pip", "command", "code"]
)

_VALUE = re.compile(r":\s*(?:\"((?:[^\"\\\n]|\\.)+)\"|'((?:[^'\\\n]|\\.)+)')")
_TEXT = re.compile(r"`((?:[^`\\]|\\.)*+)`", re.DOTALL)


def clean(text: str) -> str:
    """`text` ("\\n" line ends, no front matter) without MDX syntax; inner text of tags stays, and so does
    what a component shows of its attributes: commands, code and data as code, cards as items of a list.

    Lines that held nothing else go, three or more line ends in a row become two, and the ends are
    trimmed, all outside code.
    """
    code = code_spans(text)
    removed = syntax_spans(text, code)
    exported = constants(text, removed)
    parts: list[str] = []
    prose: list[str] = []

    def flush() -> None:
        before = "\n" if parts and parts[-1].endswith("\n") else ""  # the line end of a code block
        parts.append(_BLANK_LINES.sub("\n\n", before + "".join(prose)).removeprefix(before))
        prose.clear()

    position = 0
    for span, is_code in _merge(code, removed):
        prose.append(text[position : span.start])
        if is_code:
            flush()
            parts.append(text[max(position, span.start) : span.end])
        elif shown := _shown(text[span.start : span.end], exported):
            flush()
            is_at_start = text[span.start - 1 : span.start] in ("", "\n")
            needs_end = text[span.end - 1] == "\n" or text[span.end : span.end + 1] != "\n"
            parts.append("\n" * (not is_at_start) + shown + "\n" * needs_end)
        position = max(position, span.end)
    prose.append(text[position:])
    flush()
    return "".join(parts).strip()


def _shown(tag: str, exported: Mapping[str, str]) -> str:
    """What a component shows that has it as attributes: commands and code (`<CommandTabs npm="npm i x" />`),
    the title and the address of a card, and data, in the text or one of `exported`; "" for other
    tags."""
    if not tag.lstrip().startswith("<"):
        return ""
    stated = {name: value for name, value in attributes(tag).items() if value}
    code = [value for name, value in stated.items() if name in _CODE_ATTRIBUTES]
    if any(" " in value or "\n" in value for value in code):  # else names of packages or files
        language = "sh" if "code" not in stated else stated.get("lang", stated.get("language", ""))
        return fence("\n".join(code), language)
    if not tag.rstrip("> \t\n").endswith("/") or not tag.lstrip()[1:2].isupper():
        return ""
    return "\n\n".join([*_card(stated), *_embedded(stated), *_data(tag.strip(), exported)])


def _embedded(stated: Mapping[str, str]) -> list[str]:
    """The code of several lines that the address of a playground holds (`url="https://run.example/?query=..."`)."""
    addresses = [stated[name] for name in (*_LINKS, "src") if "%0" in stated.get(name, "")]
    found = []
    for address in addresses:
        for part in re.split("[?&#]", address)[1:]:
            text = unquote_plus(part.partition("=")[2]).replace("\r\n", "\n").strip("\n")
            if "\n" in text and "\0" not in text:
                found.append(fence(text, stated.get("lang", stated.get("language", ""))))
    return found


def _card(stated: Mapping[str, str]) -> list[str]:
    """The title of a card with its address or description, as an item of a list; none without these."""
    target = next((stated[name] for name in _LINKS if name in stated), "")
    about = stated.get("description", "")
    if "title" not in stated or not (target or about):
        return []
    title = f"[{stated['title']}]({target})" if target else f"**{stated['title']}**"
    return [f"- {title}" + (f": {about}" if about else "")]


def _data(tag: str, exported: Mapping[str, str]) -> list[str]:
    """What a tag is given as code: objects, lists and texts of several lines, and the commands of an object
    of them (`command={{ npm: "npm i x" }}`)."""
    ends = brace_ends(tag)
    found = []
    opening = TAG_OPENING.match(tag)
    position = opening.end() if opening else len(tag)
    while (attribute := ATTRIBUTE.match(tag, position)) and not attribute["end"]:
        start = position = attribute.end()
        if attribute["value"] or attribute["spread"]:
            position = ends.get(start - 1, len(tag))
            value = tag[start : position - 1].strip()
            literal = exported.get(value, value)
            is_data = literal.startswith(("[", "{")) and "\n" in literal and ":" in literal
            name = attribute["name"]
            if name in _CODE_ATTRIBUTES and (commands := _VALUE.findall(literal)):
                found.append(fence("\n".join(filter(None, chain(*commands))), "sh"))
            elif attribute["value"] and is_data and name not in _NO_DATA:
                found.append(fence(literal, "js"))
            elif text := _TEXT.fullmatch(literal) if "\n" in literal else None:
                found.append(fence(unescaped(text[1]).strip("\n"), ""))
    return found


def _merge(code: list[TextSpan], removed: list[TextSpan]) -> list[tuple[TextSpan, bool]]:
    """Both lists in order, with whether a span is code. Code inside a removed span goes with it."""
    starts = [span.start for span in removed]

    def is_removed(span: TextSpan) -> bool:
        index = bisect_right(starts, span.start) - 1
        return index >= 0 and removed[index].end >= span.end

    kept = [(span, True) for span in code if not is_removed(span)]
    return sorted(kept + [(span, False) for span in removed], key=lambda item: item[0].start)
