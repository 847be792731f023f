"""Files that an MDX page imports and mounts: Markdown as its text, raw files as code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import chain

from kbc.languages.includes.components import attributes, without_imports
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import FENCE, fenced_stretches, outside_fences
from kbc.languages.includes.files import (
    MAX_DEPTH,
    MAX_INCLUDED_CHARS,
    IncludingPage,
    fence,
    indented,
    language_of,
)

_IMPORT = re.compile(
    r"^import\s+(?:\{\s*Content\s+as\s+(?P<content>\w+)\s*\}|(?P<name>\w+))"
    r"\s+from\s+[\"'](?P<loaders>-?!{0,2}(?:[^\"'\n!]+!)+)?(?P<target>[^\"'\n!]+)[\"'];?[ \t]*$",
    re.MULTILINE,
)
"""An import, with webpack's loaders before the file (`!!raw-loader!other!./app.ts`)."""
_RAW = "?raw"  # of Vite, and so of Astro
_MDX_FENCE = "mdx-code-block"
_OPERAND = re.compile(r"props\.(\w+)|\"([^\"]*)\"|'([^']*)'")
_PROPS = re.compile(
    r"(?P<before>[=$])?\{\s*(?P<expression>props\.\w+"
    r"(?:\s*(?:\|\||\?\?)\s*(?:props\.\w+|\"[^\"\n]*\"|'[^'\n]*'))*)\s*\}"
)
_IN_TAG = re.compile(r"\"[^\"]*\"|'[^'\n]*'|`(?:[^`\\]|\\.)*`|[{}>]", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"\s*(?P<name>[A-Za-z_][\w-]*)(?:\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<open>\{)))?"
)
_LITERAL = re.compile(r"(?P<quoted>\"[^\"]*\"|'[^']*'|`[^`$]*`)|-?\d[\d.]*")
_CODE = r"(?P<marks>`{1,9})[^`\n]*+(?P=marks)"
_COMPONENT = re.compile(rf"{_CODE}|(?:^(?P<indent>[ \t]+))?<[A-Z][\w.]*", re.MULTILINE)
_VALUE = re.compile(
    r"(?<![\w.$])(?:(?P<label>\"[^\"\n]*\"|'[^'\n]*'|[\w$]++)\s*+:\s*+)?(?P<name>[A-Za-z_$][\w$]*+)(?!\s*[:(.=])"
    r"|\"[^\"]*\"|'[^'\n]*'|`[^`]*`"
)
"""A name in what a tag gives, with the key that it stands behind in an object; or a text."""

MAX_TAG_CHARS = 20_000
MAX_UNCLOSED = 100
"""Tags of a page that are never closed, behind which none is looked for."""


def unwrapped(body: str) -> str:
    """A page of Docusaurus with the MDX that stands in fences called `mdx-code-block`, which its site
    shows as any other."""
    if _MDX_FENCE not in body:
        return body
    return "\n".join(
        "\n".join(stretch.split("\n")[1:-1]) if is_code and _is_mdx(stretch) else stretch
        for stretch, is_code in fenced_stretches(body)
    )


def _is_mdx(stretch: str) -> bool:
    opening = FENCE.match(stretch.split("\n", 1)[0])
    return opening is not None and opening["info"].strip() == _MDX_FENCE


def imported_texts(body: str, page: IncludingPage) -> Mapping[str, tuple[str, str, bool]]:
    """MDX: name -> path, text, and whether it is shown as code, of imported files that are text."""
    found = {}
    prose = (stretch for stretch, is_code in fenced_stretches(body) if not is_code)
    for match in chain.from_iterable(map(_IMPORT.finditer, prose)):
        target = match["target"].removesuffix(_RAW)
        is_raw = "raw-loader" in (match["loaders"] or "") or target != match["target"]
        if is_raw or target.lower().endswith((".md", ".mdx")):
            loaded = page.load(target, "import of code" if is_raw else "import of Markdown")
            if loaded is not None:
                found[match["name"] or match["content"]] = (*loaded, is_raw)
    for name, target in page.around.mounted_anywhere.items():
        if name not in found and re.search(rf"<{name}\b", body):
            loaded = page.load(target, "import of Markdown")
            if loaded is not None:
                found[name] = (*loaded, False)
    return found


def with_mounts(
    text: str, page: IncludingPage, components: Mapping[str, tuple[str, str, bool]]
) -> str:
    """`<Name/>`, `<CodeBlock>{Name}</CodeBlock>` and `<Code code={Name} />`, also those of a site's own, with
    the file that `Name` was imported from."""
    for name, (path, source, is_raw) in components.items():
        if is_raw:
            used = re.compile(
                rf"<(?P<tag>[A-Z][\w.]*+)(?P<attributes>[^<>]*+)>\s*\{{\s*{name}\s*\}}\s*</(?P=tag)>"
                rf"|<[A-Z][\w.]*+(?=[^<>]*=\{{\s*{name}\s*\}})(?P<before>[^<>]*)/>"
            )
            text = used.sub(partial(_block, path=path, source=source), text)
    mounted = {name: each[:2] for name, each in components.items() if not each[2]}
    text = _mounted(text, page, mounted) if mounted else text
    return _with_given_files(text, page, components)


def _with_given_files(
    text: str, page: IncludingPage, components: Mapping[str, tuple[str, str, bool]]
) -> str:
    """The text with files in the place of components that are given them as values, in an object as well
    (`<Example code={{ html, "app.ts": typed }} />`), below their keys."""
    parts: list[str] = []
    position = unclosed = 0
    while unclosed < MAX_UNCLOSED and (match := _COMPONENT.search(text, position)):
        end = match.end() if match["marks"] else _tag_end(text, match.end())
        unclosed += end == match.end() and not match["marks"]
        shown: list[str] = []
        if text.endswith("/>", match.end(), end):
            values = _VALUE.finditer(text, match.end(), end)
            labels = {
                each["name"]: each["label"] or each["name"] for each in values if each["name"]
            }
            for name in filter(components.get, labels):
                path, source, is_raw = components[name]
                code = fence(source.rstrip("\n"), language_of(path)) if is_raw else None
                file = code or _with_file((path, source), {}, page)
                shown += ["", label("", labels[name].strip("\"'")), "", file, ""] if file else []
        file = indented(match["indent"] or "", "\n".join(shown))
        parts += [text[position : match.start()], file or text[match.start() : end]]
        position = end
    return "".join([*parts, text[position:]])


def _mounted(
    text: str, page: IncludingPage, components: Mapping[str, tuple[str, str]], depth: int = 0
) -> str:
    """The text with files in the place of the tags that mount them, those in attributes as well."""
    names = "|".join(map(re.escape, components))
    opening = re.compile(rf"{_CODE}|<(?P<name>{names})(?![\w.-])")
    parts: list[str] = []
    position = unclosed = 0
    while unclosed < MAX_UNCLOSED and (match := opening.search(text, position)):
        end = match.end() if match["marks"] else _tag_end(text, match.end())
        unclosed += end == match.end() and not match["marks"]
        parts.append(text[position : match.start()])
        shown = None
        if text.endswith("/>", match.end(), end):
            given = _given(text[match.end() : end - 2])
            for name, value in given.items() if depth < MAX_DEPTH else ():
                if value.startswith("<") and opening.match(value):
                    given[name] = _mounted(value, page, components, depth + 1)
            shown = _with_file(components[match["name"]], given, page)
        parts.append(text[match.start() : end] if shown is None else shown)
        position = end
    return "".join([*parts, text[position:]])


def _with_file(
    component: tuple[str, str], given: Mapping[str, str], page: IncludingPage
) -> str | None:
    """The text of a mounted file; None once a page has more than MAX_INCLUDED_CHARS of such."""
    path, source = component
    if page.chars > MAX_INCLUDED_CHARS:
        return None
    shown = page.expanded(path, _with_props(source, given))
    page.chars += len(shown)
    return outside_fences(shown, without_imports).strip("\n")


def _tag_end(text: str, position: int) -> int:
    """The place behind the `>` that closes a tag, outside of texts and braces; `position` for none within
    MAX_TAG_CHARS."""
    depth = 0
    for match in _IN_TAG.finditer(text, position, position + MAX_TAG_CHARS):
        mark = match[0]
        if mark in "{}":
            depth += 1 if mark == "{" else -1
        elif mark == ">" and not depth:
            return match.end()
    return position


def _given(stated: str) -> dict[str, str]:
    """What a tag gives by the names of its attributes: texts, numbers and elements."""
    found: dict[str, str] = {}
    position = 0
    while match := _ATTRIBUTE.match(stated, position):
        position = match.end()
        if match["open"]:
            start = position
            depth = 1
            for mark in _IN_TAG.finditer(stated, position):
                depth += {"{": 1, "}": -1}.get(mark[0], 0)
                position = mark.end()
                if not depth:
                    break
            value = stated[start : position - 1].strip()
            if literal := _LITERAL.fullmatch(value):
                found[match["name"]] = value.strip("\"'`") if literal["quoted"] else value
            elif value.startswith("<"):
                found[match["name"]] = value
        else:
            found[match["name"]] = match["double"] or match["single"] or ""
    return found


def _with_props(source: str, given: Mapping[str, str]) -> str:
    """A mounted file with what it is given (`lib="x"`) in the place of `{props.lib}`, as a text where that is
    an attribute."""

    def filled(used: re.Match[str]) -> str:
        for name, double, single in _OPERAND.findall(used["expression"]):
            value = given.get(name) if name else double or single
            if value:
                break
        else:
            return used[0]
        if used["before"] != "=":
            return value
        return f'="{value}"' if '"' not in value and "\n" not in value else f"={{`{value}`}}"

    if "props." not in source:
        return source
    return "\n".join(
        stretch if is_code and not _is_mdx(stretch) else _PROPS.sub(filled, stretch)
        for stretch, is_code in fenced_stretches(source)
    )


def _block(match: re.Match[str], path: str, source: str) -> str:
    stated = attributes(match["attributes"] or match["before"] or "")
    code = source.rstrip("\n")
    language = stated.get("language") or stated.get("lang") or language_of(path)
    return f"\n{fence(code, language, title=stated.get('title', ''))}\n"
