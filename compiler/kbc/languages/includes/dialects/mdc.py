"""Components of MDC, the Markdown of Nuxt Content: `::name{title="x"}` blocks and `:name[text]` in lines.

A block becomes its label and its content, a component in a line its text; code stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import CODE, fenced_lines
from kbc.languages.includes.files import link_target

TRIGGER = r"^[ \t]*(?:::[A-Za-z][\w-]*[ \t]*(?:[\[{]|$)|:[a-z][\w-]*[\[{])"
"""Only pages that have such a line are looked at: colons mean other things elsewhere."""


def _braces(group: str) -> str:
    return rf"\{{(?P<{group}>(?:{_VALUE}|[^{{}}\"'\n]){{0,800}})\}}"


_VALUE = r"\"[^\"\n]*\"|'[^'\n]*'"
_TEXT = r"\[(?P<text>[^\]\n]{0,400})\]"
_BEGINS = re.compile(TRIGGER, re.MULTILINE)
_OPENING = re.compile(
    rf"(?P<indent>[ \t]*)(?P<marks>:{{2,}})(?P<name>[A-Za-z][\w-]*)"
    rf"(?:{_TEXT})?(?:{_braces('attributes')})?[ \t]*"
)
_OTHER_OPENING = re.compile(r"[ \t]*(?P<marks>:{3,})[ \t]*[^\s:]")
_CLOSING = re.compile(r"[ \t]*(?P<marks>:{2,})[ \t]*")
_SLOT = re.compile(r"[ \t]*#[a-z][\w-]*(?:\{[^{}\n]*\})?[ \t]*")
_INLINE = re.compile(
    rf"{CODE}"
    r"|(?P<gap>[ \t]?)(?<![\w:\\/]):(?P<name>[a-z][\w-]*)"
    rf"(?:{_TEXT}(?:{_braces('attributes')})?|{_braces('alone')})"
)
_MAY_BE_INLINE = re.compile(r":[a-z][\w-]*[\[{]")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_ATTRIBUTE = re.compile(rf"(?:^|\s)(?P<key>[a-z][\w-]*)=(?P<value>{_VALUE}|[^\s\"']+)")
_FIELD = re.compile(r"(?P<key>[a-z][\w-]*):[ \t]+(?P<value>[^\s|>].*?)[ \t]*")
_MOST_PROPS = 200
_NOTICES = frozenset(
    ["note", "tip", "warning", "caution", "danger", "important", "info", "callout", "alert"]
)

_Line = tuple[str, bool]
"""A line, and whether it is fenced code."""


def label_components(text: str) -> str:
    """`text` with the labels, the text and the content of its components in their place."""
    if _BEGINS.search(text) is None:
        return text
    lines = list(fenced_lines(text))
    if not any(_BEGINS.match(line) for line, is_code in lines if not is_code):
        return text
    return "\n".join(_shown(lines))


def _shown(lines: Sequence[_Line]) -> Iterator[str]:
    closings = (i for i, (line, is_code) in enumerate(lines) if not is_code and _closing(line))
    last = max(closings, default=-1)
    blocks: list[int] = []  # that are open: their colons, negative for one of other generators
    in_item = False
    index = 0
    while index < len(lines):
        line, is_code = lines[index]
        index += 1
        if line.strip():
            in_item = bool(_ITEM.match(line)) or (in_item and line[0] in " \t")
        is_nested = in_item or bool(blocks)
        if is_code or (line.startswith(("    ", "\t")) and not is_nested):
            yield line
        elif (found := _OPENING.fullmatch(line)) and _is_block(found, has_end=index <= last):
            props, index = _props(lines, index)
            is_empty = index < len(lines) and bool(_closing(lines[index][0]))
            blocks.append(len(found["marks"]))
            props = {**_attributes(found["attributes"]), **props}
            shown = _label(found["name"], found["text"] or "", props, is_empty=is_empty)
            yield from ("", found["indent"] + shown, "") if shown else ("",)
        elif found := _OTHER_OPENING.match(line):
            blocks.append(-len(found["marks"]))
            yield line
        elif blocks and (found := _closing(line)):
            yield "" if _close(blocks, len(found["marks"])) > 0 else line
        elif blocks and index <= last and _SLOT.fullmatch(line):
            yield ""
        else:
            yield _without_components(line) if _MAY_BE_INLINE.search(line) else line


def _closing(line: str) -> re.Match[str] | None:
    return _CLOSING.fullmatch(line)


def _is_block(found: re.Match[str], *, has_end: bool) -> bool:
    """`::name` by itself is a block only where something ends it; `::before` is a selector of CSS."""
    return has_end or found["text"] is not None or found["attributes"] is not None


def _close(blocks: list[int], marks: int) -> int:
    """Takes off the innermost block with as many colons, or else the innermost, and those inside of it:
    some components stand alone and are never closed."""
    if marks in map(abs, blocks):
        while abs(blocks[-1]) != marks:
            blocks.pop()
    return blocks.pop()


def _props(lines: Sequence[_Line], index: int) -> tuple[dict[str, str], int]:
    """The properties between two `---` at the beginning of a block, and the index after them."""
    start, stop = index + 1, min(index + _MOST_PROPS, len(lines))
    if index >= len(lines) or lines[index][0].strip() != "---":
        return {}, index
    for end in range(start, stop):
        if lines[end][0].strip() == "---" and not lines[end][1]:
            margin = len(lines[index][0]) - len(lines[index][0].lstrip())
            fields = (_FIELD.fullmatch(line[margin:]) for line, _ in lines[start:end])
            return {found["key"]: _unquoted(found["value"]) for found in fields if found}, end + 1
    return {}, index


def _attributes(text: str | None) -> dict[str, str]:
    return {found["key"]: _unquoted(found["value"]) for found in _ATTRIBUTE.finditer(text or "")}


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]
    return value[1:-1].strip() if is_quoted else value.strip()


def _label(name: str, text: str, props: Mapping[str, str], *, is_empty: bool) -> str:
    kind = name.lower().removeprefix("prose-")
    title, target = text or _title(kind, props), _target(props)
    if kind in _NOTICES:
        shown = label(props.get("type", kind) if kind in ("callout", "alert") else kind, title)
    elif title:
        shown = label("", title)
    else:
        return _linked(_words(name), target) if target and is_empty else ""
    return f"**{_linked(shown.strip('*'), target)}**" if target and shown else shown


def _title(kind: str, props: Mapping[str, str]) -> str:
    named = props.get("name", "") if kind == "field" else ""
    return props.get("title", "") or props.get("label", "") or named


def _target(props: Mapping[str, str]) -> str:
    return props.get("to", "") or props.get("href", "")


def _words(name: str) -> str:
    words = name.replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _linked(shown: str, target: str) -> str:
    if not target or "[" in shown:
        return shown
    return f"[{shown}]({link_target(target)})"


def _without_components(line: str) -> str:
    """A line with the texts of its components; a heading, which they only decorate, without them."""
    if _HEADING.match(line):
        bare = _INLINE.sub(lambda found: found[0] if found["ticks"] else "", line)
        if bare.strip(" \t#"):
            return bare
    return _INLINE.sub(_text, line)


def _text(found: re.Match[str]) -> str:
    if found["ticks"]:
        return found[0]
    name, props = found["name"], _attributes(found["attributes"] or found["alone"])
    target = _target(props)
    text = found["text"] or _title(name, props) or (_words(name) if target else "")
    return found["gap"] + _linked(text, target) if text else ""
