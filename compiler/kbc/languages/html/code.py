"""Code blocks of HTML pages: their text as a reader sees it, their language, no line numbers.

Generators mark lines with spans, breaks or table rows, and put line numbers into a gutter, into cells of
their own, or before each line. The classes below are those of Docusaurus (Prism), Hugo (Chroma), Sphinx
(Pygments), Jekyll (Rouge), VitePress (Shiki), mdBook and rustdoc (highlight.js), pandoc and GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from bs4 import BeautifulSoup, Comment, Tag
from bs4.element import NavigableString

from kbc.languages.html.tree import bare_text, classes_of, elements, has, is_removed, named

_GUTTERS = frozenset([
    "lineno", "linenos", "linenodiv", "ln", "lnt", "rouge-gutter", "gutter", "blob-num",
    "line-number", "line-numbers", "line-numbers-wrapper", "line-numbers-rows", "hljs-ln-numbers",
    "lntd", "LineNr", "lines",
])  # fmt: skip
"""Classes of what holds line numbers, if its text is nothing but numbers."""

_NAMES_OF_LANGUAGE = frozenset({"lang", "code-lang"})
_LINE_CLASSES = frozenset({"line", "token-line", "code-line", "view-line", "hljs-ln-line"})
_BLOCKS = frozenset({"div", "p", "li", "tr", "table", "tbody", "ol", "ul"})

_LANGUAGE = re.compile(
    r"(?:language|lang|highlight-source|highlight-text|highlight|sourceCode|brush:?)-?([\w+#-]+)"
)
_BRUSH = re.compile(r"\bbrush:\s*([a-z][\w+#-]*)")
"""How exports of Confluence name the language."""

_NAMED_BESIDE = frozenset(
    {"hljs", "sourcecode", "prettyprint", "brush:", "highlight", "src", "makeup"}
)
"""Classes beside which another class is the language: `hljs rust`, `sourceCode rust`."""

_NOT_A_LANGUAGE = frozenset([
    "code", "default", "none", "text", "plaintext", "notranslate", "chroma", "highlighter", "rouge",
    "numberlines", "literal-block", "copyable", "undefined", "nohighlight", "linenums", "toolbar",
    "source", "example", "downlit",
])  # fmt: skip
_ALIASES = {"python3": "python", "py3": "python", "ipython3": "python", "pycon3": "pycon"}
_BARE = frozenset({"rust", "screen-bash"})  # rustdoc names the language alone
_SPACES = re.compile(r"[ \t\r\n]+")
_NEARBY = 4
"""Blocks around a `<pre>` whose classes can name its language."""


def prepare_code(soup: BeautifulSoup) -> None:
    """Takes line numbers and names of languages out, and code out of tables that only lay it out. Code of
    several lines that is all of its block is preformatted."""
    for tag in elements(soup):
        if "class" not in tag.attrs or is_removed(tag):
            continue
        classes = classes_of(tag)
        if not _GUTTERS.isdisjoint(classes):
            if re.fullmatch(r"[\d\s]*", tag.get_text()):
                tag.decompose()
        elif not _NAMES_OF_LANGUAGE.isdisjoint(classes) and tag.find_next_sibling("pre"):
            tag.decompose()
    for code in list(named(soup, "code")):
        if _has_lines(code):
            _preformat(code)
    for table in reversed(soup.find_all("table")):
        codes = table.find_all("pre")
        if len(codes) != 1 or table.find_parent("pre") is not None:
            continue
        if bare_text(table) == bare_text(codes[0]):
            if language := code_language(codes[0]):  # before the block leaves what names it
                codes[0]["class"] = f"language-{language}"
            table.replace_with(codes[0].extract())


def _has_lines(code: Tag) -> bool:
    """Whether code has breaks of lines and nothing beside it."""
    if code.find("br", recursive=False) is None or code.find_parent("pre") is not None:
        return False
    for beside in (code.previous_sibling, code.next_sibling):
        is_blank = isinstance(beside, NavigableString) and not beside.strip()
        if beside is not None and not is_blank and getattr(beside, "name", None) not in _BLOCKS:
            return False
    return True


def _preformat(code: Tag) -> None:
    """Makes a block of code whose blanks but for those that do not break mean nothing."""
    for text in list(code.find_all(string=True)):
        if isinstance(text, Comment):
            continue
        plain = _SPACES.sub(" ", text)
        if getattr(text.previous_sibling, "name", "br") == "br" and text.parent is code:
            plain = plain.removeprefix(" ")
        if getattr(text.next_sibling, "name", "br") == "br" and text.parent is code:
            plain = plain.removesuffix(" ")
        text.replace_with(NavigableString(plain))
    code.name = "pre"


def code_text(element: Tag) -> str:
    """The code with line ends where the page shows them, plain blanks, and no blank lines around it."""
    parts: list[str] = []
    for text in _texts(element):
        if text is not None:
            parts.append(text)
        elif parts and not parts[-1].endswith("\n"):
            parts.append("\n")
    return "".join(parts).replace("\r\n", "\n").replace("\xa0", " ").strip("\n")


def _texts(element: Tag) -> Iterator[str | None]:
    """The texts in order; None where a new line must have begun."""
    waiting: list[object] = [element]
    while waiting:
        node = waiting.pop()
        if node is None:
            yield None
        elif isinstance(node, Tag):
            if node.name == "br":
                yield "\n"
                continue
            if node.name in _BLOCKS or _follows_line(node):
                yield None
            if node.name in _BLOCKS:
                waiting.append(None)
            waiting.extend(reversed(node.contents))
        elif isinstance(node, NavigableString) and not isinstance(node, Comment):
            yield str(node)


def _follows_line(node: Tag) -> bool:
    """Whether `node` is a line directly after another one, with nothing between the two."""
    before = node.previous_sibling
    return isinstance(before, Tag) and _is_line(node) and _is_line(before)


def _is_line(tag: Tag) -> bool:
    return tag.has_attr("data-line") or not _LINE_CLASSES.isdisjoint(classes_of(tag))


def code_language(element: Tag) -> str:
    """The language of a `<pre>` by the classes of itself, its `<code>` or the blocks around; "" for none."""
    for tag in (element, *islice(named(element, "code"), 2), *_around(element)):
        if language := _language_of(tag):
            return _ALIASES.get(language, language)
    return ""


def _around(element: Tag) -> Iterator[Tag]:
    """The blocks around that hold no other code."""
    for parent in list(element.parents)[:_NEARBY]:
        if parent.name in ("body", "main", "article", "section", "[document]"):
            return
        # One after the other: `named` begins with a list of all that is directly in the block.
        others = (
            each for each in parent.descendants if isinstance(each, Tag) and each.name == "pre"
        )
        if len(list(islice(others, 3))) > 1 + has(element, "pre"):
            return
        yield parent


def _language_of(tag: Tag) -> str:
    classes = classes_of(tag)
    for name in classes:
        match = _LANGUAGE.fullmatch(name)
        if match and "-" in name and match[1].lower() not in _NOT_A_LANGUAGE:
            return match[1].lower()
    lowered = [name.lower().rstrip(";") for name in classes]
    for attribute in ("data-lang", "data-language"):
        named = str(tag.get(attribute) or "").strip().lower()
        if re.fullmatch(r"[\w+#-]+", named) and named not in _NOT_A_LANGUAGE:
            return named
    if brush := _BRUSH.search(str(tag.get("data-syntaxhighlighter-params") or "")):
        return "" if brush[1] in _NOT_A_LANGUAGE else brush[1]
    if tag.name in ("pre", "code"):
        beside = [each for each in lowered if each not in _NAMED_BESIDE | _NOT_A_LANGUAGE]
        if len(beside) < len(lowered) and beside and re.fullmatch(r"[a-z][\w+#]{0,19}", beside[0]):
            return beside[0]
        return next((name for name in lowered if name in _BARE), "")
    return ""
