"""What a page of MDX exports: data of components, and texts such as the title in Next.js' `metadata`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kbc.languages.mdx.syntax import code_spans, syntax_spans
from kbc.languages.spans import TextSpan

_CONSTANT = re.compile(
    r"export\s+const\s+(?P<name>[\w$]+)\b[^=\n]*=\s*(?P<literal>[\[{\"'`].*[\]}\"'`])\s*(?:as\s+const\s*)?;?\s*\Z",
    re.DOTALL,
)
_TEXT = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_WHOLE_TEXT = re.compile(_TEXT)
_MEMBER = re.compile(rf"(?P<name>[\w$]+)[\"']?\s*:\s*(?P<text>{_TEXT})")
_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_EXPORTED = re.compile(r"^export\s+const\s+([\w$]+)", re.MULTILINE)
_NAMED = re.compile(r"(?<![=$`{])\{[ \t]*(?P<name>[\w$]+(?:\.[\w$]+)?)[ \t]*\}")


def constants(text: str, removed: Sequence[TextSpan] | None = None) -> dict[str, str]:
    """Names that a page exports, and the literals (objects, lists, texts) that they stand for; `removed` is
    the page's syntax, where it is known."""
    spans = syntax_spans(text, code_spans(text)) if removed is None else removed
    statements = (_CONSTANT.match(text[span.start : span.end]) for span in spans)
    return {found["name"]: found["literal"] for found in statements if found}


def exported_texts(text: str) -> dict[str, str]:
    """The texts that a page exports, by `name` and `name.member`, without what only a program fills in."""
    found: dict[str, str] = {}
    for name, literal in constants(text).items() if _EXPORTED.search(text) else ():
        if _WHOLE_TEXT.fullmatch(literal):
            found[name] = _plain(literal)
        for member in _MEMBER.finditer(literal):
            found.setdefault(f"{name}.{member['name']}", _plain(member["text"]))
    return found


def with_exported_texts(text: str) -> str:
    """A page with its own exported texts where its prose names them: `# {metadata.title}`."""
    names = frozenset(_EXPORTED.findall(text))
    if not any(found["name"].partition(".")[0] in names for found in _NAMED.finditer(text)):
        return text  # most pages, of which nothing needs to be parsed
    texts = exported_texts(text)
    parts: list[str] = []
    position = 0
    for span in code_spans(text) if texts else ():
        parts += [_filled(text[position : span.start], texts), text[span.start : span.end]]
        position = span.end
    return "".join(parts) + _filled(text[position:], texts)


def _filled(prose: str, texts: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda found: texts.get(found["name"]) or found[0], prose)


def _plain(literal: str) -> str:
    return " ".join(_ESCAPE.sub(r"\1", _PLACEHOLDER.sub("", literal[1:-1])).split())
