"""Inserts what a Markdown page includes, and labels what it wraps, so that its text is what readers see.

A directive is recognised by itself, whichever generator made it. In fenced code only
those of mdBook and of mkdocs snippets are, and only where the file exists: other code is an example.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import dedent

from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes import attributes, code_import, highlights, stated
from kbc.languages.includes.components import (
    SCRIPTS,
    mounted_names,
    with_stated_html,
    without_scripts,
    without_tags,
)
from kbc.languages.includes.containers import label_containers
from kbc.languages.includes.dialects import (
    definitions,
    docfx,
    doxygen,
    gitbook,
    mdbook,
    mdc,
    mkdocs,
    named_files,
    notes,
    paradox,
    tables,
    zola,
)
from kbc.languages.includes.dialects.shortcode_values import with_params, with_shown, with_values
from kbc.languages.includes.dialects.shortcodes import replace_shortcodes
from kbc.languages.includes.fenced import FENCE, SPAN, fenced_stretches, outside_fences
from kbc.languages.includes.files import (
    NOT_INCLUDED,
    Expansion,
    IncludingPage,
    Surroundings,
    excerpt,
    fence,
    indented,
    language_of,
    not_included,
)
from kbc.languages.includes.link_definitions import without_unused
from kbc.languages.includes.mounts import imported_texts, unwrapped, with_mounts
from kbc.languages.includes.myst.directives import replace_directives
from kbc.languages.includes.myst.docs_builder import Docset
from kbc.languages.includes.shown_files import replace_shown_files
from kbc.languages.includes.templates.liquid import Liquid, replace_liquid
from kbc.languages.includes.templates.values import Lookup, replace_values
from kbc.project.include_tree import Read

_TRIGGER = re.compile(
    r"-8<-|\{\{[#<%]|^[ \t>]*(?:(?:#+[ \t]+)?:{3,}|/{3,}|!!!|\?\?\?|===[!+]{0,2}[ \t]*\"|[!?]>[ \t])"
    r"|raw-loader|set:html=|__html:|<(?:[A-Z]|docs-code\b|/[A-Z])|^import\b"
    rf"|^[ \t]*\[\[?(?:autodoc|toc|TOC)\]|{docfx.TRIGGER}|{gitbook.TRIGGER}|{SCRIPTS}|{named_files.TRIGGER}"
    rf"|{mkdocs.TRIGGER}|{mdc.TRIGGER}|{doxygen.TRIGGER}|{zola.TRIGGER}|{paradox.TRIGGER}|{definitions.TRIGGER}|{code_import.TRIGGER}|{highlights.TRIGGER}",
    re.MULTILINE,
)
_FILLED = re.compile(code_import.TRIGGER, re.MULTILINE)
_GITBOOK = re.compile(gitbook.TRIGGER)
_HELPERS = re.compile(mdbook.TRIGGER)
_NOTES = re.compile(notes.TRIGGER)
_TABLES = re.compile(tables.TRIGGER)
_DOXYGEN = re.compile(doxygen.TRIGGER, re.MULTILINE)
_MYST = re.compile(r"(?:`{3}|:{3}|~{3})[ \t]*\{|\}`|\]\(#?[\w:-]+\)")
_LIQUID = re.compile(r"\{[%{]")
_EXAMPLES = frozenset(
    ["md", "markdown", "mdx", "hbs", "handlebars", "go-html-template", "html+handlebars", "jinja"]
)
"""Languages of fences that show directives."""

_MDBOOK = re.compile(
    r"(?<!\\)\{\{\s*#(?P<name>(?:rustdoc_|shift)?include|playground|playpen)\s+"
    r"(?P<shift>(?:auto|-?\d+):)?(?P<target>[^\s}:]+)(?P<part>(?::[^}\n]*)?)[^}]*\}\}"
)
_MDBOOK_TITLE = re.compile(r"\{\{(?<!\\\{\{)\s*#title\s[^}]*\}\}[ \t]*\n?")
_HELPER = re.compile(r"^[ \t]*\{\{%[ \t]*[\w-]+(?:[ \t]+[\w-]+)*[ \t]*\}\}[ \t]*$", re.MULTILINE)
"""What a preprocessor of a book's own fills in."""

_SNIPPET = re.compile(r"^(?P<indent>[ \t]*)-+8<-+[ \t]+[\"'](?P<target>[^\"'\n]+)[\"'][ \t]*$")
_SNIPPET_BLOCK = re.compile(r"^(?P<indent>[ \t]*)-+8<-+[ \t]*$")
_AT_INCLUDE = re.compile(r"^(?P<indent>)@include[ \t]+(?P<target>[\w./-]+\.\w+)[ \t]*$")
_DIALECTS: Sequence[tuple[Sequence[str], Callable[[str, IncludingPage], str]]] = (
    (("{%",), gitbook.replace),
    (("{%",), zola.replace),
    (("{%", "{!"), mkdocs.replace),
    (("[!", "](#tab/", ":::", "xref:", "@"), docfx.replace),
    (stated.TRIGGERS, stated.replace),
    (("@",), paradox.replace),
    ((")]]", "{", "@title", "](`"), definitions.replace),
    (("/>", "></"), replace_shown_files),
)
"""Dialects by what a text with directives of theirs holds, in the order in which they are read."""

_NOTICE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>[!?])>[ \t]+(?=\S)", re.MULTILINE)
"""Of Docsify."""

_MAX_NESTED_VALUES = 4
_Shown = Callable[[re.Match[str], IncludingPage], str]
_NOWHERE = Surroundings()
_SNIPPET_PART = re.compile(r"(?P<path>.+?)(?::(?P<part>(?:-?\d*:-?\d*|[\w-][\w() -]*)))?")


def may_include(text: str) -> bool:
    """Whether a page has what directives of any generator look like, but for those of templates and MyST."""
    return _TRIGGER.search(text) is not None


def expand(
    text: str,
    path: str,
    read: Read,
    around: Surroundings = _NOWHERE,
    *,
    is_marked: bool | None = None,
    liquid: Liquid | None = None,
    values: Lookup | None = None,
    filled: Lookup | None = None,
    docset: Docset | None = None,
) -> Expansion:
    """The page at `path` (below the root) as its generator shows it.

    `read` gives other files, `liquid` is what a site of Jekyll gives, `values` the parameter of a page of
    Hugo with a name, `filled` that of a `{{ name }}` in prose, `docset` what pages of docs-builder name. Text
    without directives is returned as it is; `is_marked` is what `may_include` says of it, where known.
    """
    is_myst = around.restructured is not None and _MYST.search(text) is not None
    if values is not None and "param" in text:
        text = with_params(text, values)
    is_template = liquid is not None and _LIQUID.search(text) is not None
    if not (
        is_myst
        or docset is not None
        or is_template
        or (filled is not None and "{{" in text)
        or (around.attributes and attributes.TRIGGER.search(text))
        or (around.notes is not None and _NOTES.search(text))
        or ("{{" in text and _TABLES.search(text))
        or (around.uids and "@" in text)
        or (around.has_helpers and _HELPERS.search(text))
        or (may_include(text) if is_marked is None else is_marked)
    ):
        return Expansion(text, {})
    page = IncludingPage(path, read, _expand_part, around, docset.prepared if docset else None)
    if around.templates and "{{" in text:
        text = with_values(text, page, values)
    expanded = _expand(text, page, liquid if is_template else None, filled)
    if values is not None:
        expanded = with_shown(expanded)
    if expanded != text:
        expanded = without_unused(expanded, text)
    return Expansion(expanded, dict(page.unresolved), dict(page.external))


def _expand_part(text: str, page: IncludingPage) -> str:
    """An included Markdown file, without its front matter."""
    return _expand(text[front_matter_end(text) :], page)


def _expand(
    text: str, page: IncludingPage, liquid: Liquid | None = None, filled: Lookup | None = None
) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    start = front_matter_end(text.replace("\r\n", "\n"))
    source = text.replace("\r\n", "\n")
    body = source[start:]
    if "{{" in body and _TABLES.search(body):
        body = tables.replace(body, page)
    if liquid is not None:
        body = replace_liquid(body, liquid, page)
    else:
        page.has_blocks = page.has_blocks or _GITBOOK.search(body) is not None
    if page.around.attributes:
        body = attributes.replace_attributes(body, page.around.attributes)
    page.has_commands = page.has_commands or (
        _DOXYGEN.search(body) is not None
        and any(
            doxygen.has_commands(each) for each, is_code in fenced_stretches(body) if not is_code
        )
    )
    if filled is not None and "{{" in body:
        body = replace_values(body, filled, page)
    if page.prepare is not None:
        body = page.prepare(body, page)
    body = replace_directives(body, page, source[:start])
    passes = _MAX_NESTED_VALUES if page.around.restructured else 0
    while passes and filled and (shown := replace_values(body, filled, page)) != body:
        # Values in what directives wrap, and in values.
        body = replace_directives(shown, page, source[:start])
        passes -= 1
    body = unwrapped(body)
    components = imported_texts(body, page)
    parts = [
        _code(stretch, page) if is_code else _prose(stretch, page, components)
        for stretch, is_code in fenced_stretches(body)
    ]
    shown = label_containers(mdc.label_components("\n".join(parts)), page)
    is_mdx = page.around.is_mdx or page.path.lower().endswith(".mdx")
    result = source[:start] + (shown if is_mdx else _plain(shown, body))
    return result.replace("\n", newline) if newline != "\n" else result


def _plain(text: str, body: str) -> str:
    """A page of Markdown without the tags of the components that its source, `body`, mounts."""
    names = mounted_names(body) if re.search(r"<[A-Z]", body) else frozenset()
    return outside_fences(text, lambda prose: without_tags(prose, names)) if names else text


def _code(stretch: str, page: IncludingPage) -> str:
    """A fenced block with includes in it replaced by files that exist."""
    stretch = doxygen.shown_block(stretch)
    language = _language(stretch)
    if language not in _EXAMPLES:
        stretch = highlights.without_marks(stretch)
    if language == "rust" and page.around.has_helpers:
        stretch = mdbook.without_hidden(stretch)
    if _FILLED.search(stretch) and (shown_file := code_import.filled(stretch, page)) != stretch:
        return shown_file
    has_files = "{!" in stretch
    if not has_files and "{{" not in stretch and "8<" not in stretch:
        return stretch
    lines = stretch.split("\n")
    if has_files and language not in _EXAMPLES:
        lines = mkdocs.with_files(stretch, page).split("\n")
    shown: list[str] = []
    for line in lines:
        snippet = _SNIPPET.match(line)
        match = _MDBOOK.search(line)
        # mdBook expands what an example names, too.
        if language in _EXAMPLES if snippet else match is None:
            shown.append(line)
            continue
        target = snippet["target"] if snippet else ""
        if match and not snippet:
            target = match["target"] + match["part"].rstrip()
        found = _part(target, page)
        if found is None and (language in _EXAMPLES or language in ("", "text", "txt", "html")):
            shown.append(line)  # as likely an example
            continue
        if found is None:
            name = f"{{{{#{match['name']}}}}}" if match and not snippet else "--8<--"
            page.missed(target, name)
        inserted = not_included(target) if found is None else found[1]
        if match and match["shift"]:
            inserted = dedent(inserted)
        if snippet:
            shown += [snippet["indent"] + each if each else "" for each in inserted.split("\n")]
        elif match:
            before = line[: match.start()]
            indent = before if not before.strip(" \t>") else ""
            inserted = inserted.replace("\n", f"\n{indent}") if indent else inserted
            shown.append(before + inserted + line[match.end() :])
    return "\n".join(shown)


def _language(stretch: str) -> str:
    opening = FENCE.match(stretch.split("\n", 1)[0])
    stated = (opening["info"] if opening else "").strip().lower()
    return re.split(r"[\s{,]", stated, maxsplit=1)[0]


def _part(target: str, page: IncludingPage) -> tuple[str, str] | None:
    """Path and text of `file`, `file:2:10` or `file:anchor`; None when file or part is missing."""
    match = _SNIPPET_PART.fullmatch(target.rstrip(":"))
    path, part = (match["path"], target[len(match["path"]) + 1 :]) if match else (target, "")
    found = page.find(path)
    chosen = excerpt(found[1], part) if found else None
    if found and chosen is None and " " in part:  # words behind a name may be flags
        chosen = excerpt(found[1], part.split(" ")[0])
    return (found[0], chosen) if found and chosen is not None else None


def _prose(
    stretch: str, page: IncludingPage, components: Mapping[str, tuple[str, str, bool]]
) -> str:
    if page.has_commands:
        stretch = doxygen.with_examples(stretch, page)
    with_files = named_files.replace(stretch, page)
    if with_files == stretch:
        return _beside_files(stretch, page, components)
    # Files of code among them are no prose. Directives that included text makes up are left.
    return outside_fences(with_files, lambda prose: _beside_files(prose, page, components))


def _beside_files(
    stretch: str, page: IncludingPage, components: Mapping[str, tuple[str, str, bool]]
) -> str:
    waiting = iter(stretch.split("\n"))
    text = "\n".join(each for line in waiting for each in _line(line, waiting, page))
    text = _MDBOOK_TITLE.sub("", text)
    if page.around.has_helpers:
        text = mdbook.replace(text, page)
    if "<s" in text:
        text = without_scripts(text)
    if "set:html" in text or "__html" in text:
        text = with_stated_html(text)
    if "[[" in text and page.around.notes:
        text = notes.replace(text, page)
    if page.has_commands or "](@" in text or "](\\ref" in text:
        text = doxygen.replace_commands(text, page.has_commands)
    if ">" in text:
        text = _NOTICE.sub(_notice, text)
    for marks, replace in _DIALECTS:
        if any(mark in text for mark in marks):
            text = replace(text, page)
    if "{{%" in text:
        text, count = _HELPER.subn("", text)
        page.external.update({"{{% }}": count} if count else {})
    if "{{<" in text or "{{%" in text:
        text = replace_shortcodes(text, page)
    return with_mounts(text, page, components) if components else text


def _notice(match: re.Match[str]) -> str:
    kind = "Important" if match["mark"] == "!" else "Tip"
    return f"\n{match['indent']}**{kind}**\n\n{match['indent']}"


def _line(line: str, following: Iterator[str], page: IncludingPage) -> Iterator[str]:
    """A line with the files that its directive names, which may be on the lines behind it."""
    if "8<" in line and (block := _SNIPPET_BLOCK.match(line)):
        for target in map(str.strip, following):
            if _SNIPPET_BLOCK.match(target):
                break
            if target and not target.startswith("; "):
                yield indented(block["indent"], _markdown(target, "--8<--", page))
        return
    for mark, pattern, shown in _LINES:
        if mark in line and (match := pattern.match(line)):
            yield indented(match["indent"], shown(match, page))
            return
    for mark, pattern, shown in _WITHIN_LINES:
        if mark in line and pattern.search(SPAN.sub(lambda span: " " * len(span[0]), line)):
            yield pattern.sub(_on(page, shown), line)
            return
    yield line


def _on(page: IncludingPage, shown: _Shown) -> Callable[[re.Match[str]], str]:
    return lambda found: shown(found, page)


def _whole_file(match: re.Match[str], page: IncludingPage) -> str:
    """Svelte's and Doxygen's `@include`: Markdown as text, other files as code."""
    target = match["target"]
    text = _markdown(target, "@include", page)
    language = language_of(target)
    if language in ("", "markdown", "mdx") or text.startswith(NOT_INCLUDED):
        return text
    return fence(text.rstrip("\n"), language)


def _markdown(target: str, directive: str, page: IncludingPage) -> str:
    """A file, or a part of it, as it is; a Markdown file with what it includes."""
    found = _part(target, page)
    if found is None:
        page.missed(target, directive)
        return not_included(target)
    path, text = found
    is_page = path.lower().endswith((".md", ".mdx", ".markdown", ".qmd", ".rmd"))
    return page.expanded(path, text) if is_page else text


def _mdbook(match: re.Match[str], page: IncludingPage) -> str:
    target = match["target"] + match["part"].rstrip()
    if match["name"] not in ("playground", "playpen"):
        return _markdown(target, f"{{{{#{match['name']}}}}}", page)
    found = page.load(match["target"], "{{#playground}}")
    return fence(excerpt(found[1], "") or "", "rust") if found else not_included(target)


_LINES: Sequence[tuple[str, re.Pattern[str], _Shown]] = (
    ("8<", _SNIPPET, lambda match, page: _markdown(match["target"], "--8<--", page)),
    ("@include", _AT_INCLUDE, _whole_file),
)
"""Directives that are a whole line, by what it holds."""

_WITHIN_LINES: Sequence[tuple[str, re.Pattern[str], _Shown]] = (
    ("{{", _MDBOOK, _mdbook),
    ("@include", named_files.COMMENT, named_files.included_by_comment),
)
"""Directives that stand in a line, outside of its code."""
