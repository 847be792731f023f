"""Renders JSX expressions that are string literals: `<CodeBlock>{`npm i`}</CodeBlock>`, `{" "}`.

A component that is given a function, which only its program calls, shows the code that this holds:
``<Release render={(it) => (<CodeBlock>{`npm i`}</CodeBlock>)} />``.
"""

from __future__ import annotations

import re
from textwrap import dedent

from kbc.languages.includes.components import attributes, unescaped
from kbc.languages.includes.files import fence
from kbc.languages.mdx.syntax import code_spans, syntax_spans
from kbc.languages.spans import is_within

MAY_RENDER = re.compile(r"\{\s*[`\"']")

_CHILD = re.compile(
    r"(?P<indent>(?:(?<=\n)|\A)[ \t]*)?<(?P<name>[A-Za-z][\w.]{0,60})"
    r"(?P<stated>(?:[^<>{}`]|\{[^<>{}`]{0,200}\}){0,400})(?<!/)>"
    r"\s*\{\s*`(?P<text>(?:[^`\\]|\\.)*+)`\s*\}\s*</(?P=name)\s*>",
    re.DOTALL,
)
_LITERAL = re.compile(
    r"(?<![={$`(,:])\{[ \t]*(?:\"(?P<double>[^\"\n{}]*)\"|'(?P<single>[^'\n{}]*)')[ \t]*\}(?!\})"
)
_ESCAPE = re.compile(r"\\u(?!00[01]|[Dd][89A-Fa-f])([0-9A-Fa-f]{4})")
"""A character that can be shown, and is no half of a pair."""

_CODE = re.compile(r"pre|code|.*(?:Code|Snippet|Terminal|Highlight|Prism|Command).*", re.IGNORECASE)
_LANGUAGE = re.compile(r"\blanguage-([\w+#-]+)")
_FENCED = re.compile(r"[ \t]*`{3,}[^\n]*\n")
_NO_MORE = re.compile(r"[ \t]*(?:\n|\Z)")
_FUNCTION = re.compile(r"=\{\s*(?:\([^()]*\)|\w+)\s*=>")


def with_rendered_texts(text: str) -> str:
    """A page with the texts of its expressions, as code in elements that show code."""
    if not MAY_RENDER.search(text):
        return text
    if _CHILD.search(text) and (shown := _with_children(text)) != text:
        text = _with_code_of_functions(shown)
    return _with_literals(text) if _LITERAL.search(text) else text


def _with_children(text: str) -> str:
    code = code_spans(text)

    def shown(match: re.Match[str]) -> str:
        return match[0] if is_within(code, match.start("name")) else _child(match)

    return _CHILD.sub(shown, text)


def _child(match: re.Match[str]) -> str:
    text = unescaped(match["text"])
    is_block = "\n" in text.strip("\n")
    name = match["name"].rpartition(".")[2]
    is_code = _CODE.fullmatch(name) is not None
    indent = match["indent"] or ""
    is_alone = match["indent"] is not None and _NO_MORE.match(match.string, match.end())
    if is_code and (is_block or not (name == "code" or (name == "Code" and not is_alone))):
        stated = attributes(match["stated"])
        named = _LANGUAGE.search(stated.get("className", "") or stated.get("class", ""))
        language = stated.get("language") or stated.get("lang") or (named[1] if named else "")
        code = fence(dedent(text.strip("\n")), language, title=stated.get("title", ""))
        return f"\n\n{code}\n\n"
    if is_code:
        return f"{indent}`{text.strip()}`"
    return f"{indent}<{match['name']}{match['stated']}>{text}</{match['name']}>"


def _with_code_of_functions(text: str) -> str:
    """A text with the fenced code inside of empty tags in their place, if these are given a function; tables
    have such code among other values."""
    code = code_spans(text)
    fences = [span for span in code if _FENCED.match(text, span.start)]
    parts: list[str] = []
    position = 0
    index = 0
    for tag in syntax_spans(text, code):
        while index < len(fences) and fences[index].start < tag.start:
            index += 1
        inner = []
        while index < len(fences) and fences[index].end <= tag.end:
            inner.append(text[fences[index].start : fences[index].end].strip("\n"))
            index += 1
        is_empty = text[tag.start] == "<" and text.endswith("/>", tag.start, tag.end)
        if inner and is_empty and _FUNCTION.search(text, tag.start, tag.end):
            parts += [text[position : tag.start], "\n\n", "\n\n".join(inner), "\n\n"]
            position = tag.end
    return "".join([*parts, text[position:]])


def _with_literals(text: str) -> str:
    """The text with what `{"x"}` shows, outside of code and tags."""
    code = code_spans(text)
    kept = sorted([*code, *syntax_spans(text, code)])
    parts: list[str] = []
    position = 0
    for span in kept:
        if span.start >= position:
            parts += [
                _LITERAL.sub(_literal, text[position : span.start]),
                text[span.start : span.end],
            ]
            position = span.end
    return "".join([*parts, _LITERAL.sub(_literal, text[position:])])


def _literal(match: re.Match[str]) -> str:
    text = match["double"] or match["single"] or ""
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
