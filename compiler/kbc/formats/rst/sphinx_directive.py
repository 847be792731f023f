"""The directive that all of Sphinx's are made from."""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive

from kbc.formats.rst.context import Context


class labelled(nodes.General, nodes.Element):  # noqa: N801
    """Blocks below a label: a tab, a card, an admonition of an extension; `style` is quote or plain."""


class _AnyOption(dict[str, Any]):
    """An option table in which every option is text."""

    def __missing__(self, name: str) -> Any:
        return lambda value: "" if value is None else str(value)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, name: object) -> bool:
        return True


class SphinxDirective(Directive):
    """Takes any argument, option and content."""

    context: Context
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any] | None] = _AnyOption()

    @property
    def argument(self) -> str:
        return self.arguments[0].strip() if self.arguments else ""

    @property
    def base_name(self) -> str:
        return self.name.lower().rsplit(":", 1)[-1]

    def children(self) -> list[nodes.Node]:
        """The nodes of the content, whose titles have styles of their own."""
        holder = nodes.Element()
        memo = self.state.memo
        around = memo.title_styles, memo.section_level
        memo.title_styles, memo.section_level = [], 0
        try:
            self.state.nested_parse(self.content, self.content_offset, holder, match_titles=True)
        finally:
            memo.title_styles, memo.section_level = around
        return list(holder.children)

    def inline(self, text: str) -> list[nodes.Node]:
        found, _ = self.state.inline_text(text, self.lineno)
        return list(found)

    def label(self, text: str, style: str = "quote") -> labelled:
        node = labelled("", style=style)
        node += nodes.inline("", "", *self.inline(text))
        node.extend(self.children())
        return node

    def code(self, text: str, language: str) -> list[nodes.Node]:
        block = nodes.literal_block(text, text, language=language)
        caption = self.options.get("caption", "")
        return [nodes.paragraph("", "", *self.inline(caption)), block] if caption else [block]
