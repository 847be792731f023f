"""Front end for API entries ("builtins").

A file without a front matter `name` holds many entries, each a level-2 heading; a file with one is
one entry. In both, the text up to an `Examples` heading is the description, and each fenced block
after it, up to the next heading of that level, is an example. The signature is the `Signature:` line
or the front matter's; categories come from the front matter, or from the signature's types.

`categories` in kb.toml maps a category to names: those entries get it as their first category.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated

from pydantic import Field

from kb_runtime.text.tables import count_of
from kbc.diagnostics import Diagnostics
from kbc.frontends.markdown_file import MarkdownFile, first_paragraph, read_markdown, split_lines
from kbc.frontends.metadata import Metadata, Required, Text, Texts
from kbc.languages import markdown
from kbc.languages.anchors import AnchorRules, rules_of, slug
from kbc.languages.markdown import Block
from kbc.project.loading import PROJECT_FILE
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import BuiltinRecord, CompiledRecord


class BuiltinMetadata(Metadata):
    """The front matter of a file that is one entry."""

    name: Annotated[Text, Required("Write the name that readers use.")] = Field(
        default="", description="what readers call it"
    )
    signature: Text = Field(default="", description="default: the `Signature:` line")
    category: Texts = Field(default=(), description="default: from the signature's types")
    categories: Texts = Field(default=(), description="further ones where a reader would look")
    aliases: Texts = Field(default=(), description="other names that find it")
    related: Texts = Field(default=(), description="names of other entries")
    url: Text = Field(default="", description="its public URL")


_SIGNATURE_LINE = re.compile(r"\s*(?:[-*]\s+)?(?:\*\*|__)?Signature:?(?:\*\*|__)?:?\s*(.*)")
_ALIAS_PHRASE = re.compile(
    r"\b(?:infix\s+(?:form|notation|operator)(?:\s+as)?|(?:can\s+be|is|also)\s+written(?:\s+as)?)"
    r"\s+(`[^`\n]+`(?:\s*(?:,|,?\s*or|,?\s*and)\s*`[^`\n]+`)*)",
    re.IGNORECASE,
)
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_SIGNATURE = re.compile(
    r"\s*(?P<qualifier>(?:pure\s+)?(?:def|val)|action|temporal|run|nondet|const|var)?\s*"
    r"(?P<name>[^\s:()]+(?:::[^\s:()]+)*)\s*:\s*(?P<type>.*)",
    re.DOTALL,
)
_OPENERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class OperatorSignature:
    """`qualifier name: (param, ...) => result`; a value has no parameters."""

    qualifier: str
    param_types: tuple[str, ...]
    return_type: str


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """The entries of all files, in file order."""
    curated = _curated_categories(collection)
    records: list[CompiledRecord] = []
    for file in files:
        page = read_markdown(file, diagnostics)
        if page is None:
            continue
        if "name" in page.document.data:
            record = _single_entry(collection, page, curated, diagnostics)
            records.extend([record] if record else [])
        else:
            records.extend(_entries(collection, page, curated, diagnostics))
    names = {record.id for record in records}
    for category, listed in collection.options.get("categories", {}).items():
        for name in listed:
            if name not in names:
                diagnostics.warning(
                    "builtin-unknown-name",
                    f"`categories` puts {name!r} under {category!r}, but there is no such entry",
                    PROJECT_FILE,
                    collection.line,
                    hint=f"Remove it, or correct the name; this was read: {count_of(len(names), 'entry')}.",
                )
    return records


def parse_signature(source: str) -> OperatorSignature:
    """Splits a signature; what does not read as one has no types."""
    match = _SIGNATURE.fullmatch(source.strip())
    if match is None:
        return OperatorSignature("", (), "")
    qualifier = " ".join((match["qualifier"] or "").split())
    parts = split_top_level(match["type"], "=>")
    if len(parts) == 1:
        return OperatorSignature(qualifier, (), parts[0])
    # An arrow is right-associative: what follows the first one is the result.
    params = parts[0][1:-1] if _is_wrapped(parts[0]) else parts[0]
    types = tuple(filter(None, split_top_level(params, ",")))
    return OperatorSignature(qualifier, types, " => ".join(parts[1:]))


def split_top_level(source: str, separator: str) -> list[str]:
    """`source` split at the separators that stand in no bracket, each part stripped."""
    parts: list[str] = []
    depth = start = index = 0
    while index < len(source):
        if source[index] in _OPENERS:
            depth += 1
        elif source[index] in _OPENERS.values():
            depth -= 1
        elif depth == 0 and source.startswith(separator, index):
            parts.append(source[start:index].strip())
            index += len(separator)
            start = index
            continue
        index += 1
    return [*parts, source[start:].strip()]


def derive_categories(name: str, signature: OperatorSignature) -> tuple[str, ...]:
    """Where a reader would look for the operator, the best first, from its signature alone.

    The mode decides for temporal operators and actions; a name with a namespace (`q::debug`) is a
    utility; otherwise the first parameter whose type is not a variable does, then the result.
    Collections that the result holds are further categories: `Set[a] -> map` is found under both.
    """
    found: list[str] = []
    if signature.qualifier == "temporal":
        found.append("temporal")
    elif signature.qualifier in ("action", "run"):
        found.append("action")
    elif "::" in name:
        found.append("utility")
    else:
        kinds = [_type_category(param) for param in signature.param_types]
        found.extend([kind for kind in kinds if kind][:1])
        if not signature.param_types:
            element = re.fullmatch(r"\w+\[(.*)\]", signature.return_type, re.DOTALL)
            found.append(_type_category(signature.return_type))
            found.append(_type_category(element[1]) if element else "")
        elif not found:
            found.append(_type_category(signature.return_type))
        found.extend(_collections_in(signature.return_type))
    return tuple(dict.fromkeys(category for category in found if category)) or ("utility",)


def _type_category(source: str) -> str:
    """The category of values of a type; "" for a type variable."""
    while _is_wrapped(source) and len(split_top_level(source[1:-1], ",")) == 1:
        source = source[1:-1].strip()
    if len(split_top_level(source, "=>")) > 1:
        return ""
    if len(split_top_level(source, "->")) > 1:
        return "map"
    word = re.match(r"\w*", source)
    categories = {"Set": "set", "List": "list", "Map": "map", "int": "integer", "bool": "logic"}
    if source.startswith("{"):
        return "record"
    if source.startswith("("):
        return "tuple"
    return categories.get(word[0] if word else "", "utility" if source == "str" else "")


def _collections_in(source: str) -> list[str]:
    """Categories of the collections that a result type is or holds."""
    marks = {"set": "Set[", "list": "List[", "map": "->"}
    places = {category: source.find(mark) for category, mark in marks.items()}
    return sorted((each for each in places if places[each] >= 0), key=places.__getitem__)


def _is_wrapped(source: str) -> bool:
    """Whether one pair of parentheses encloses all of `source`."""
    if not source.startswith("("):
        return False
    depth = 0
    for index, char in enumerate(source):
        depth += (char in _OPENERS) - (char in _OPENERS.values())
        if depth == 0:
            return index == len(source) - 1
    return False


def aliases_in(description: str, name: str) -> tuple[str, ...]:
    """Other spellings that the description states: "infix form as `==`", "can be written as `x'`"."""
    phrases = " ".join(_ALIAS_PHRASE.findall(description))
    found = dict.fromkeys(map(str.strip, _CODE_SPAN.findall(phrases)))
    return tuple(alias for alias in found if alias != name)


def _curated_categories(collection: Collection) -> Mapping[str, Sequence[str]]:
    """Entry name -> the categories that kb.toml gives it."""
    curated: dict[str, list[str]] = {}
    for category, names in collection.options.get("categories", {}).items():
        for name in names:
            curated.setdefault(name, []).append(category.lower())
    return curated


@dataclass(frozen=True, slots=True)
class _Body:
    description: str
    examples: tuple[str, ...]
    signature: str
    summary: str


def _body(
    page: MarkdownFile, lines: Sequence[str], blocks: Sequence[Block], first: int, last: int
) -> _Body:
    """Splits the entry on lines `first` to `last`; `blocks` are those on these lines."""
    headings = (b for b in blocks if b.kind == "heading")
    heading = next((b for b in headings if b.title.lower() in ("examples", "example")), None)
    end = heading.start_line - 1 if heading else last
    examples: list[str] = []
    for block in blocks:
        if heading is None or block.start_line <= heading.start_line:
            continue
        if block.kind == "heading" and block.level <= heading.level:
            break
        if block.kind == "fence" and block.content.strip():
            examples.append(block.content)
    signature, kept = _take_signature([line.rstrip("\r\n") for line in lines[first - 1 : end]])
    prose = [block for block in blocks if block.end_line <= end]
    if signature:
        prose = [block for block in prose if not _SIGNATURE_LINE.match(block.content)]
    summary = first_paragraph(prose, page.document.references)
    return _Body("\n".join(kept).strip(), tuple(examples), signature, summary)


def _take_signature(lines: Sequence[str]) -> tuple[str, list[str]]:
    """The signature and the other lines; a signature in backticks may span lines."""
    for index, line in enumerate(lines):
        match = _SIGNATURE_LINE.match(line)
        if match is None:
            continue
        parts = [match.group(1)]
        end = index + 1
        while " ".join(parts).count("`") % 2 and end < len(lines) and lines[end].strip():
            parts.append(lines[end])
            end += 1
        signature = " ".join(" ".join(parts).replace("`", "").split())
        return signature, [*lines[:index], *lines[end:]]
    return "", list(lines)


def _entries(
    collection: Collection,
    page: MarkdownFile,
    curated: Mapping[str, Sequence[str]],
    diagnostics: Diagnostics,
) -> Iterable[CompiledRecord]:
    """The entries of a file whose level-2 headings are entries."""
    path = page.file.path
    lines = split_lines(page.text)
    blocks = page.document.blocks
    own = markdown.sections(page.document, _rules(collection))
    anchors = {section.line: section.anchor for section in own}
    starts = [i for i, b in enumerate(blocks) if b.kind == "heading" and b.level <= 2]
    if not any(blocks[index].level == 2 for index in starts):
        message = "the file has neither a front matter `name` nor a level-2 heading"
        hint = "Write one entry a file with `name` and `signature`, or `## name` headings."
        diagnostics.error("builtins-no-entries", message, path, 1, hint=hint)
    for start, end in zip_longest(starts, starts[1:], fillvalue=len(blocks)):
        heading = blocks[start]
        if heading.level != 2:
            continue
        last = blocks[end].start_line - 1 if end < len(blocks) else len(lines)
        body = _body(page, lines, blocks[start + 1 : end], heading.end_line + 1, last)
        if not body.signature:
            message = f"the entry {heading.title!r} has no `Signature:` line"
            hint = f"Add a line such as: Signature: `pure def {heading.title}: (int) => int`"
            diagnostics.error("builtin-no-signature", message, path, heading.start_line, hint=hint)
            continue
        text = "".join(lines[heading.start_line - 1 : last])
        fields = BuiltinMetadata.model_construct(name=heading.title)
        anchor = anchors.get(heading.start_line, "")
        yield _record(collection, path, heading.start_line, text, body, fields, curated, anchor)


def _single_entry(
    collection: Collection,
    page: MarkdownFile,
    curated: Mapping[str, Sequence[str]],
    diagnostics: Diagnostics,
) -> CompiledRecord | None:
    """The entry of a file that has its name in the front matter."""
    path = page.file.path
    fields = page.metadata.read(BuiltinMetadata, diagnostics)
    name = fields.name
    front_matter = page.document.front_matter
    first = front_matter.last_line + 1 if front_matter else 1
    lines = split_lines(page.text)
    blocks = page.document.blocks
    # A level-1 heading only repeats the name.
    if blocks and blocks[0].kind == "heading" and blocks[0].level == 1:
        first = blocks[0].end_line + 1
        blocks = blocks[1:]
    body = _body(page, lines, blocks, first, len(lines))
    signature = fields.signature or body.signature
    if name and not signature and not isinstance(page.document.data.get("signature"), (list, dict)):
        message = f"the entry {name!r} has no `signature`"
        hint = f'Add a line such as: signature: "pure def {name}: (int) => int"'
        diagnostics.error(
            "builtin-no-signature", message, path, page.document.line_of("name"), hint=hint
        )
    if not name or not signature:
        return None
    anchor = slug(name, _rules(collection).style)
    return _record(collection, path, 1, page.text, body, fields, curated, anchor)


def _rules(collection: Collection) -> AnchorRules:
    return rules_of(collection.generator, collection.site.links)


def _record(
    collection: Collection,
    path: str,
    line: int,
    text: str,
    body: _Body,
    fields: BuiltinMetadata,
    curated: Mapping[str, Sequence[str]],
    anchor: str,
) -> BuiltinRecord:
    name, signature = fields.name, fields.signature or body.signature
    parsed = parse_signature(signature)
    stated = [category.lower() for category in (*fields.category, *fields.categories)]
    stated = stated or list(derive_categories(name, parsed))
    categories = tuple(dict.fromkeys([*curated.get(name, ()), *stated]))
    aliases = dict.fromkeys([*fields.aliases, *aliases_in(body.description, name)])
    aliases.pop(name, None)
    return BuiltinRecord(
        id=name,
        collection=collection.name,
        title=name,
        path=path,
        text=text,
        line=line,
        language="markdown",
        summary=body.summary,
        tags=categories,
        url=fields.url or collection.source_url(path, anchor),
        name=name,
        signature=signature,
        description=body.description,
        examples=body.examples,
        category=categories[0],
        categories=categories,
        aliases=tuple(aliases),
        related=fields.related,
        return_type=parsed.return_type,
        param_types=parsed.param_types,
    )
