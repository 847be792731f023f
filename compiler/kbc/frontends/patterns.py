"""Front end for patterns: Markdown with front matter, one pattern per file.

Front matter: `id` (default: the file's name), `name`, `category`, `when_to_use`, `related`,
`required_builtins`, `examples`, `description` (default: the first paragraph), `tags`. Level-2 sections
that are understood: Template (its code), Key Principles (its list), Anti-patterns and Rules (pairs of
wrong and right code). Every other section stays in the text.

A pair is introduced by a level-3 heading or by a bold label. Both forms are read:

    ### DON'T: assign in a loop          ### 1. One assignment a step
    (code block)                         **Wrong:**
    **Why?** The reason.                 (code block)
    ### DO:                              **Correct:**
    (code block)                         (code block)
                                         The explanation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from kbc.diagnostics import Diagnostics
from kbc.frontends.markdown_file import MarkdownFile, level_two_sections, read_markdown, shorten
from kbc.frontends.metadata import Metadata, Required, Text, Texts
from kbc.languages import markdown
from kbc.languages.markdown import Block
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CompiledRecord, PatternRecord


class PatternMetadata(Metadata):
    """The front matter of a pattern."""

    id: Text = Field(default="", description="what `get` asks for; default: the file's name")
    name: Text = Field(default="", description="its title; default: the level-1 heading")
    category: Annotated[Text, Required("Write the group it is listed under.")] = Field(
        default="", description="the group it is listed under"
    )
    when_to_use: Texts = Field(default=(), description="situations it is for")
    related: Texts = Field(default=(), description="ids of other patterns")
    required_builtins: Texts = Field(default=(), description="names of entries it needs")
    examples: Texts = Field(default=(), description="ids of examples that use it")
    description: Text = Field(default="", description="default: the first paragraph")
    tags: Texts = Field(default=(), description="words to filter by")


_LABELS: Mapping[str, str] = {
    "don't": "wrong", "dont": "wrong", "do not": "wrong", "avoid": "wrong", "bad": "wrong",
    "wrong": "wrong", "do": "right", "instead": "right", "good": "right", "right": "right",
    "correct": "right", "why": "reason", "reason": "reason", "because": "reason",
    "explanation": "reason",
}  # fmt: skip
_LABEL = re.compile(
    rf"\W*({'|'.join(sorted(map(re.escape, _LABELS), key=len, reverse=True))})\s*(?:[:?.]+\s*|$)(.*)",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(r"^\d+[.)]\s*")


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """A record for each pattern."""
    records: list[CompiledRecord] = []
    for file in files:
        page = read_markdown(file, diagnostics)
        if page is None:
            continue
        if page.document.front_matter is None:
            message = "the file does not begin with front matter"
            hint = "Begin with `---`, `id: ...`, `name: ...`, `category: ...`, `---`."
            diagnostics.error("pattern-no-front-matter", message, file.path, 1, hint=hint)
            continue
        record = _pattern(collection, page, diagnostics)
        records.extend([record] if record else [])
    return records


def _pattern(
    collection: Collection, page: MarkdownFile, diagnostics: Diagnostics
) -> PatternRecord | None:
    path = page.file.path
    fields = page.metadata.read(PatternMetadata, diagnostics)
    category = fields.category.lower()
    sections = {
        re.sub(r"[^a-z]", "", heading.title.lower()): below
        for heading, below in level_two_sections(page.document.blocks)
    }
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    name = fields.name or page.document.title or stem
    description = fields.description or _introduction(page)
    template = sections.get("template", ())
    anti_patterns = _pairs(sections.get("antipatterns", ()))
    rules = _pairs(sections.get("rules", ()))
    for pair in (*anti_patterns, *rules):
        pair.report(path, diagnostics)
    record = PatternRecord(
        id=fields.id or stem,
        collection=collection.name,
        title=name,
        path=path,
        text=page.text,
        language=page.format,
        summary=shorten(description),
        tags=fields.tags,
        url=collection.source_url(path),
        name=name,
        category=category,
        description=description,
        when_to_use=fields.when_to_use,
        template="\n\n".join(each.content for each in template if each.kind == "fence"),
        key_principles=_items(sections.get("keyprinciples", sections.get("principles", ()))),
        required_builtins=fields.required_builtins,
        examples=fields.examples,
        related_patterns=fields.related,
        anti_patterns=tuple(pair.as_anti_pattern() for pair in anti_patterns),
        rules=tuple(pair.as_rule() for pair in rules),
    )
    return record if category else None


def _introduction(page: MarkdownFile) -> str:
    """The first paragraph before the first level-2 heading, whole."""
    for block in page.document.blocks:
        if block.kind == "heading" and block.level > 1:
            break
        if block.kind == "paragraph":
            return markdown.plain_text(block.content, page.document.references)
    return ""


def _items(blocks: Sequence[Block]) -> tuple[str, ...]:
    """The items of a section's lists; its paragraphs when it has none."""
    items = tuple(item for block in blocks for item in block.items)
    paragraphs = (block.content for block in blocks if block.kind == "paragraph")
    return items or tuple(map(markdown.plain_text, paragraphs))


@dataclass(slots=True)
class _Pair:
    """Wrong and right code, why, and the title above them."""

    line: int
    title: str = ""
    code: dict[str, list[str]] = field(default_factory=lambda: {"wrong": [], "right": []})
    said: dict[str, list[str]] = field(default_factory=lambda: {"wrong": [], "right": []})
    reason: list[str] = field(default_factory=list)

    def part(self, name: str) -> str:
        """The code of `wrong` or `right`; what was said about it when there is no code."""
        return "\n\n".join(self.code[name]) or " ".join(self.said[name])

    @property
    def explanation(self) -> str:
        return " ".join(self.reason)

    def as_anti_pattern(self) -> dict[str, str]:
        reason = self.explanation or self.title
        return _stated(dont=self.part("wrong"), reason=reason, do=self.part("right"))

    def as_rule(self) -> dict[str, str]:
        wrong, right, explanation = self.part("wrong"), self.part("right"), self.explanation
        rule = self.title or explanation or wrong
        return _stated(rule=rule, wrong=wrong, correct=right, explanation=explanation)

    def report(self, path: str, diagnostics: Diagnostics) -> None:
        for name in ("wrong", "right"):
            if not self.part(name):
                diagnostics.warning(
                    "pattern-incomplete-pair",
                    f"the pair has no {name} side",
                    path,
                    self.line,
                    hint="Write both, as `### DON'T:` and `### DO:` or `**Wrong:**` and"
                    " `**Correct:**`, each with a code block.",
                )


def _stated(**fields: str) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}


def _pairs(blocks: Sequence[Block]) -> list[_Pair]:
    """The pairs of an Anti-patterns or Rules section."""
    pairs: list[_Pair] = []
    target = ""  # the part that code goes to

    def begin(line: int, title: str = "") -> _Pair:
        pairs.append(_Pair(line, title))
        return pairs[-1]

    for block in blocks:
        pair = pairs[-1] if pairs else None
        label, rest = _label(block)
        if block.kind == "heading" and not label:
            begin(block.start_line, _NUMBER.sub("", block.title))
            target = ""
        elif label in ("wrong", "right"):
            is_next = label == "wrong" and pair and (pair.part("wrong") or pair.part("right"))
            pair = begin(block.start_line) if pair is None or is_next else pair
            target = label
            pair.said[label].extend([rest] if rest else [])
        elif block.kind == "fence":
            pair = pair or begin(block.start_line)
            pair.code[target or "wrong"].append(block.content)
            target = target or "right"
        elif pair is not None and block.kind in ("paragraph", "list", "quote"):
            text = rest if label else markdown.plain_text(block.content) or " ".join(block.items)
            if target and not label and not pair.part(target):
                pair.said[target].append(text)
            elif text:
                pair.reason.append(text)
    return pairs


def _label(block: Block) -> tuple[str, str]:
    """`wrong`, `right` or `reason` when the block is such a label, and the text after it."""
    if block.kind == "heading":
        text = block.title
    elif block.kind == "paragraph" and re.match(r"\s*(\*\*|__)|\W*\w+:", block.content):
        text = markdown.plain_text(block.content)
    else:
        return "", ""
    match = _LABEL.match(text.replace("\u2019", "'"))
    if match is None:
        return "", ""
    return _LABELS[match[1].lower()], match[2].strip()
