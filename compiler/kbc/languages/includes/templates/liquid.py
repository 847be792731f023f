"""Liquid in Jekyll's pages, and its relatives in other sites: code, included files and values as their text.

What a program of the site computes (loops, variables, tags of plugins) has no text in the tree: its tags go,
and the page counts them. A plugin's tag that is given a text and an address is a link, whatever its name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from textwrap import dedent
from typing import Any

from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes.attributes import NOTICES
from kbc.languages.includes.components import attributes
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import SPAN, Kept, fenced_stretches, without_marks
from kbc.languages.includes.files import (
    MAX_DEPTH,
    MAX_INCLUDED_CHARS,
    IncludingPage,
    fence,
    not_included,
)
from kbc.languages.includes.templates.values import first_value, value_at
from kbc.project.source_file import relative_path
from kbc.project.well_formed import json_value, mapping, yaml_table

_TAG = re.compile(
    r"\{%-?[ \t\n]*(?P<name>\w+)(?P<rest>(?>\"[^\"\n]*\"|'[^'\n]*'|(?!%\}).)*?)-?%\}"
    r"|\{\{-?(?P<output>(?>\"[^\"\n]*\"|'[^'\n]*'|(?!\}\}).)*?)-?\}\}",
    re.DOTALL,
)
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}(?P<inner>.*?)\{%-?\s*endraw\s*-?%\}", re.DOTALL)
_VALUE_IN_CODE = re.compile(r"\{\{-?\s*(?P<table>site|page)\.(?P<path>[\w.-]+?)\s*-?\}\}")
_RAW_TAG = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_REMARK = re.compile(r"\{#(?![\w-]+\}).*?#\}", re.DOTALL)
_LITERAL = re.compile(r"\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')\s*(?:\||\Z)")
_VARIABLE = re.compile(r"\s*(?P<path>(?:site|page|include)(?:\.[\w-]+)+)\s*(?:\||\Z)")
_BARE = re.compile(r"\s*(?P<path>[A-Za-z_]\w*(?:\.[\w-]+)*)\s*(?:\||\Z)")

_CODE_NAME = re.compile(r"code|snippet|example", re.IGNORECASE)

_CODE = frozenset({"code", "codeblock", "highlight"})
_OPTION = re.compile(r"\w+:\S+")
_QUOTES = frozenset({"blockquote", "pullquote", "quote"})
_PICTURES = frozenset({"asset_img", "img"})
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_WORDS = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"']+")
_ADDRESS = re.compile(r"\A[\"']?(.*?)[\"']?\s+(\S+://\S+).*\Z", re.DOTALL)
_TWO_QUOTED = re.compile(r"(?:\"([^\"]*)\"|'([^']*)')\s*,?\s*(?:\"([^\"]*)\"|'([^']*)')")
_PLACE = re.compile(r"(?:https?://|[#/]|\.{1,2}/)\S*|[\w.-]+(?:/[\w.-]+)+/?(?:#\S*)?")
_PICTURE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)\Z", re.IGNORECASE)

_MAX_DATA_BYTES = 500_000
"""Of a file of data whose values pages show one by one; larger ones are tables of many."""

_SKIPPED = frozenset({"comment", "for", "macro", "tablerow"})
"""Blocks whose content is no text of the page as it stands."""

_NAME = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\|.*)?", re.DOTALL)
_ASSIGNED = re.compile(r"(?P<name>[\w-]+)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')")
_GIVEN = re.compile(r"(?<![\w-])([\w-]+)\s*=\s*([A-Za-z][\w-]*)")


@dataclass(frozen=True, slots=True)
class Liquid:
    """What a site gives to its pages: `includes` is the folder of included files, `data` that of `site.data`
    and `folder` that of the pages, all below the root; `values` are those of the configuration, `page` those
    of the front matter. With `is_bare` both are named without `site` and `page`, as Jinja and Nunjucks have
    them."""

    folder: str = ""
    includes: str = ""
    data: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    page: Mapping[str, Any] = field(default_factory=dict)
    is_bare: bool = False


@lru_cache(64)
def _table(data: bytes, ending: str) -> Mapping[Any, Any]:
    text = data.decode("utf-8-sig", "replace")
    return mapping(json_value(text)) if ending == ".json" else yaml_table(text)


def replace_liquid(text: str, liquid: Liquid, page: IncludingPage) -> str:
    """The text of a page, without front matter, as Liquid leaves it."""
    if "{%" not in text and "{{" not in text:
        return text
    kept = Kept()
    return kept.restored(_Template(liquid, page, kept).expanded(text, {}, 0))


class _Template:
    """A page with the files that it includes; `kept` has their text that must stay as it is."""

    def __init__(self, liquid: Liquid, page: IncludingPage, kept: Kept) -> None:
        self._liquid = liquid
        self._page = page
        self._kept = kept
        self._captured: dict[str, str] = {}

    def expanded(self, text: str, parameters: Mapping[str, str], depth: int) -> str:
        text = self._fenced(without_marks(text))
        text = _RAW.sub(lambda match: self._kept.keep(match["inner"]), text)
        if self._liquid.is_bare:
            text = _REMARK.sub("", SPAN.sub(lambda match: self._kept.keep(match[0]), text))
        return self._filled(text, parameters, depth)

    def _filled(self, text: str, parameters: Mapping[str, str], depth: int) -> str:
        """A text whose code is kept already, with what its tags show."""
        parts: list[str] = []
        position = 0
        while match := _TAG.search(text, position):
            parts.append(text[position : match.start()])
            position = match.end()
            if match["output"] is not None:
                parts.append(self._value(match["output"], parameters))
                continue
            name, rest = match["name"], match["rest"].strip()
            if name == "include" and rest.startswith("-markdown"):  # a plugin of MkDocs
                parts.append(self._kept.keep(match[0]))
            elif name == "capture":
                inner, position = _block(text, position, name)
                shown = self._filled(inner, parameters, depth)
                self._captured[rest.strip("\"' ")] = self._kept.restored(shown)
            elif name == "set" and self._liquid.is_bare and "=" not in rest:
                inner, position = _block(text, position, name)
                # What is captured raw is shown as code, by another template.
                plain = inner.strip()
                is_raw = plain.startswith("\x02") and plain.endswith("\x03")
                is_code = is_raw or _CODE_NAME.search(rest) is not None
                shown = self._kept.restored(inner).strip("\n")
                parts.append(
                    self._kept.keep(f"\n{fence(shown, '')}\n")
                    if is_code
                    else self._filled(inner, parameters, depth)
                )
            elif name in _CODE or name in _QUOTES or name in _SKIPPED:
                inner, position = _block(text, position, name)
                if name in _CODE:
                    title, language = _of_code(name, rest)
                    shown = fence(dedent(self._kept.restored(inner)).strip("\n"), language)
                    shown = f"{label('', title)}\n\n{shown}" if title else shown
                    parts.append(self._kept.keep(shown.replace("\n", f"\n{_indent(parts)}")))
                elif name in _QUOTES:
                    shown = self._kept.restored(self._filled(inner, parameters, depth)).strip()
                    lines = [*shown.split("\n"), *(["", f"— {rest}"] if rest else [])]
                    parts.append(self._kept.keep("\n".join(f"> {line}".rstrip() for line in lines)))
                elif name != "comment":
                    self._page.external[f"{{% {name} %}}"] += 1
            else:
                parts.append(self._tag(name, rest, parameters, depth))
        return "".join([*parts, text[position:]])

    def _fenced(self, text: str) -> str:
        """Fenced code as it is, but for the tags that only keep Liquid out of it, and values of Jekyll's
        site and page, which are filled in before Markdown is read."""
        parts: list[str] = []
        is_raw = False
        for stretch, is_code in fenced_stretches(text):
            if is_code:
                shown, is_raw = self._code(stretch, is_raw)
                parts.append(self._kept.keep(shown))
            else:
                for tag in _RAW_TAG.findall(stretch):
                    is_raw = "end" not in tag
                parts.append(stretch)
        return "\n".join(parts)

    def _code(self, text: str, is_raw: bool) -> tuple[str, bool]:
        """A block of code with its values, and whether what follows it is kept from Liquid."""
        parts: list[str] = []
        position = 0
        for tag in _RAW_TAG.finditer(text):
            part = text[position : tag.start()]
            parts.append(part if is_raw else self._with_values(part))
            is_raw = "end" not in tag[0]
            position = tag.end()
        rest = text[position:]
        return "".join([*parts, rest if is_raw else self._with_values(rest)]), is_raw

    def _with_values(self, code: str) -> str:
        if "{{" not in code or self._liquid.is_bare or not self._liquid.values:
            return code

        def shown(match: re.Match[str]) -> str:
            found = self._known(match["table"], match["path"])
            return match[0] if found is None else found

        return _VALUE_IN_CODE.sub(shown, code)

    def _known(self, table: str, path: str) -> str | None:
        """A value of `site` or `page`."""
        if table == "page":
            return value_at(self._liquid.page, path)
        name, _, rest = path.partition(".")
        if name == "data" and self._liquid.data:
            return self._in_data(rest.split("."))
        return value_at(self._liquid.values, path)

    def _in_data(self, names: Sequence[str]) -> str | None:
        """A value of a file of data, which the first of `names` lead to."""
        for count in range(1, len(names)):
            place = posixpath.join(self._liquid.data, *names[:count])
            for ending in (".yml", ".yaml", ".json"):
                data = self._page.read(place + ending)
                if data is not None and len(data) <= _MAX_DATA_BYTES:
                    return value_at(_table(data, ending), ".".join(names[count:]))
        return None

    def _value(self, expression: str, parameters: Mapping[str, str]) -> str:
        if literal := _LITERAL.match(expression):
            return self._kept.keep(literal["double"] or literal["single"] or "")
        named = _NAME.fullmatch(expression)
        if named and (text := self._captured.get(named["name"])) is not None:
            self._page.chars += len(text)
            if self._page.chars <= MAX_INCLUDED_CHARS:
                return self._kept.keep(text)
        if self._liquid.is_bare:
            return self._kept.keep(self._bare_value(expression))
        if found := _VARIABLE.match(expression):
            kind, _, rest = found["path"].partition(".")
            is_given = kind == "include"
            value = value_at(parameters, rest) if is_given else self._known(kind, rest)
            if value is not None:
                return self._kept.keep(value)
            if rest in ("baseurl", "url"):
                return ""
        self._page.external["{{ }}"] += 1
        return ""

    def _bare_value(self, expression: str) -> str:
        """What Jinja or Nunjucks shows of a variable; the expression itself where only a program knows."""
        found = _BARE.match(expression)
        path = found["path"] if found else ""
        tables = (self._liquid.values, self._liquid.page, {"page": {"meta": self._liquid.page}})
        shown = first_value(tables, path)
        if shown is None:
            self._page.external["{{ }}"] += 1
            return f"`{' '.join(expression.split())}`" if expression.strip() else ""
        return shown

    def _tag(self, name: str, rest: str, parameters: Mapping[str, str], depth: int) -> str:
        rest = self._with_values(rest)
        if name in ("include", "include_relative", "include_cached", "render"):
            return self._included(name, rest, depth)
        if name in NOTICES:
            kind, _, title = rest.partition(" ")
            is_kind = kind.lower() in NOTICES
            return label(kind if is_kind else name, (title if is_kind else rest).strip("\"'"))
        if name == "tab":
            # Of jekyll-tabs: the title is behind the name of the group, unless it is quoted or alone.
            stated = attributes(rest)
            words = [word for word in _WORDS.findall(rest) if "=" not in word or word[0] in "\"'"]
            is_whole = not words or words[0][0] in "\"'" or len(words) == 1
            named = words[0] if words and is_whole else " ".join(words[1:])
            shown = label("", (stated.get("title") or stated.get("label") or named).strip("\"' "))
            return f"\n{shown}\n" if shown else ""
        if name == "post_link":
            slug, _, title = rest.partition(" ")
            shown = title.strip().removesuffix("false").removesuffix("true").strip(" \"'") or slug
            is_there = self._page.read(posixpath.join(self._liquid.folder, f"_posts/{slug}.md"))
            target = self._tag("post_url", slug, parameters, depth)
            return f"[{shown}]({target})" if is_there else shown
        if name == "link" and "://" in rest:
            return _ADDRESS.sub(r"[\1](\2)", rest)
        if name in _PICTURES:
            return next((each[1] or each[2] for each in _QUOTED.finditer(rest)), "")
        if name in ("link", "post_url"):
            target = rest if name == "link" else f"_posts/{rest}.md"
            path = posixpath.join(self._liquid.folder, target.strip("\"' /"))
            return relative_path(path, self._page.path)
        if name in ("assign", "set") and (assigned := _ASSIGNED.fullmatch(rest)):
            self._captured[assigned["name"]] = assigned["double"] or assigned["single"] or ""
        if name not in _CONTROL and (shown := _linked(rest)):
            return shown
        if name not in _CONTROL and not name.startswith("end"):
            self._page.external[f"{{% {name} %}}"] += 1
        return ""

    def _included(self, name: str, rest: str, depth: int) -> str:
        target = rest.split()[0].strip("\"'") if rest else ""
        target = target.rstrip(",").strip("\"'") if self._liquid.is_bare else target
        is_program = self._liquid.is_bare and not target.endswith((".md", ".markdown", ".txt"))
        if not target or "{" in target or depth >= MAX_DEPTH or is_program:
            self._page.external[f"{{% {name} %}}"] += 1
            return ""
        relative = name == "include_relative"
        folder = posixpath.dirname(self._page.path) if relative else self._liquid.includes
        path = posixpath.normpath(posixpath.join(folder, target))
        if self._page.read(path) is None:  # of the theme, or missing
            self._page.external[f"{{% {name} {target} %}}"] += 1
            return ""
        text = self._page.text_at(path)
        if text is None:
            self._page.unresolved[f"{{% {name} %}}"] += 1
            return not_included(target)
        text = text[front_matter_end(text) :]
        given = {each: self._captured.get(value, "") for each, value in _GIVEN.findall(rest)}
        stated = {**{each: text for each, text in given.items() if text}, **attributes(rest)}
        return self.expanded(text, stated, depth + 1)


_CONTROL = frozenset([
    "if", "unless", "else", "elsif", "case", "when", "assign", "break", "continue", "increment", "decrement",
    "cycle", "toc", "seo", "feed_meta", "raw", "elif", "set", "block", "import", "from", "with", "filter",
    "call", "tabs",
])  # fmt: skip
"""Tags without text of their own; the text between them is kept."""


def _linked(rest: str) -> str:
    """The link that a plugin's tag makes of a text and an address, in either order, the text alone of a
    picture; "" for other tags."""
    found = _TWO_QUOTED.match(rest)
    if found is None:
        return ""
    first, second = found[1] or found[2] or "", found[3] or found[4] or ""
    text, place = (second, first) if _PLACE.fullmatch(first) else (first, second)
    if not text or not _PLACE.fullmatch(place) or _PLACE.fullmatch(text):
        return ""
    return text if _PICTURE.search(place) else f"[{text}]({place})"


def _block(text: str, position: int, name: str) -> tuple[str, int]:
    """The content of a block that `name` has opened, and where it ends; blocks of one name nest."""
    mark = re.compile(rf"\{{%-?\s*(?P<end>end)?{name}\b.*?-?%\}}", re.DOTALL)
    depth = 1
    start = position
    while match := mark.search(text, position):
        depth += -1 if match["end"] else 1
        position = match.end()
        if not depth:
            return text[start : match.start()], position
    return "", start


def _indent(parts: Sequence[str]) -> str:
    """The white space that the current line consists of so far."""
    line = "".join(parts[-1:]).rpartition("\n")[2]
    return line if line.isspace() else ""


def _of_code(name: str, rest: str) -> tuple[str, str]:
    """The title and the language of a block of code: Jekyll's names the language first, Hexo's a title, an
    address with its text, and options."""
    if name == "highlight":
        return "", rest.split()[0].strip("\"',") if rest else ""
    options = {each[0].partition(":")[0]: each[0] for each in _OPTION.finditer(rest)}
    title = _OPTION.split(rest)[0].strip(" \"'")
    return title, options.get("lang", "").partition(":")[2]
