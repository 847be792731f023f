"""Reads a reStructuredText file: docutils parses it, with directives and roles of ours in its tables."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cache, partial
from typing import Any

import docutils.frontend
import docutils.io
import docutils.utils
from docutils import nodes, utils
from docutils.parsers.rst import Parser, directives, roles, states
from docutils.transforms import references

from kbc.diagnostics import OutOfTimeError
from kbc.formats import commonmark
from kbc.formats.document import Converted, DocumentProblem, FormatError, LabelTarget, Read, decode
from kbc.formats.doxygen import DoxygenProjects
from kbc.formats.rst.configuration import settings, with_definitions
from kbc.formats.rst.context import Context
from kbc.formats.rst.directives import directive_class
from kbc.formats.rst.machine import NestedMachine
from kbc.formats.rst.markdown_marks import without_markdown_marks
from kbc.formats.rst.pep import give_title, is_pep
from kbc.formats.rst.roles import role_function
from kbc.formats.rst.writer import RstWriter

MAX_EMBEDDED = 2  # docstrings in docstrings: one may show itself
MAX_INDENT = 400  # columns; docutils calls itself for each level of indentation

_ROLES: dict[str, Any] = vars(roles)["_roles"]  # those that a file defines itself
_LOCK = threading.Lock()
_DIRECTIVE = re.compile(r"\.\. [\w:-]+::")
_AT_TEXT = re.compile(rf"(?<=\S)\n(?={_DIRECTIVE.pattern})")
"""Between text and a directive that docutils takes for more of it, because no blank line is before it."""

_MARKDOWN_LINK = re.compile(r"\[([^\[\]]{1,200})\\\]\(<(https?://[^<>\s]+)>\)")
"""What a link of Markdown in a docstring becomes: docutils takes it for text and a bare address."""

_PLAIN = re.compile(r"[A-Z][a-z]+ (?:[^\W_]|_(?=\w)|[ ,;'\"()/.-]|\n(?=[A-Za-z]))*")
"""A paragraph without markup, as most descriptions of parameters are; docutils takes a millisecond for it."""

_ERROR_LEVEL = 3
_REFERENCES = ("Undefined substitution", "Unknown target", "Duplicate", "Too many")
"""How docutils' errors about references begin, which are no errors of markup."""

_SETTINGS: dict[str, Any] = {
    "_disable_config": True, "docinfo_xform": False, "doctitle_xform": False,
    "sectsubtitle_xform": False, "file_insertion_enabled": False, "raw_enabled": True,
    "report_level": 5, "halt_level": 5, "smart_quotes": False, "traceback": True,
    "warning_stream": False, "syntax_highlight": "none", "line_length_limit": 1_000_000,
    "embed_stylesheet": False,
}  # fmt: skip

_TRANSFORMS = (
    references.Substitutions, references.PropagateTargets, references.AnonymousHyperlinks,
    references.IndirectHyperlinks, references.Footnotes, references.ExternalTargets,
    references.InternalTargets,
)  # fmt: skip


def convert(
    path: str,
    data: bytes,
    read: Read,
    labels: Mapping[str, LabelTarget] | None = None,
    doxygen: DoxygenProjects | None = None,
    python_paths: Sequence[str] = (),
) -> Converted:
    """The document of a file; raises `FormatError` for what is no text or nests too deeply. `labels` are
    what other pages have, by name, `doxygen` the headers that directives of Breathe may name, and
    `python_paths` where packages may begin besides the folders around the project."""
    context = Context(path, read, labels=labels or {}, doxygen=doxygen, python_paths=python_paths)
    context.embedded = partial(embedded, around=context)
    stated = settings(context)
    context.language, context.default_role = stated.language, stated.default_role
    document = _doctree(without_markdown_marks(decode(data)), context)
    writer = RstWriter(context, document)
    text = writer.write()
    return Converted(
        text=text,
        format="rst",
        title=writer.title,
        author=writer.author,
        created_at=writer.created_at,
        anchors=tuple(writer.anchors),
        targets=_targets(document),
        problems=(*context.problems, *_errors(document)),
    )


def embedded(text: str, around: Context, module: str = "") -> list[str]:
    """The lines of a comment, or of a docstring in a `module`, that a page shows. Its headings are labels,
    because what it describes has a heading itself, and names between single backticks are code. What is
    wrong in it is not reported as the page's; a text that cannot be read is kept as it is."""
    if _PLAIN.fullmatch(text):
        return commonmark.paragraph(commonmark.escaped(text))
    context = Context(
        around.path,
        around.read,
        default_role="any",
        module=module,
        labels=around.labels,
        declared=around.declared,
        settings=around.settings,
        depth=around.depth + 1,
    )
    if context.depth < MAX_EMBEDDED:
        context.embedded = partial(embedded, around=context)
    try:
        document = _doctree(_AT_TEXT.sub("\n\n", text), context)
    except FormatError:
        return commonmark.fence(text)
    around.problems += [replace(each, line=0) for each in context.problems]
    lines = RstWriter(context, document, is_part=True).blocks(document.children)
    return _MARKDOWN_LINK.sub(r"[\1](\2)", "\n".join(lines)).split("\n") if lines else lines


def _targets(document: nodes.document) -> tuple[str, ...]:
    """The ids of what the file itself gives a name, and of sections whose name another has."""
    addresses = (node for node in document.findall(nodes.target) if "refuri" in node)
    links = {id for node in addresses for id in node["ids"]}
    named = (id for name, id in document.nameids.items() if id and document.nametypes.get(name))
    stated = (id for id in named if id not in links)
    sections = (id for node in document.findall(nodes.section) for id in node["ids"])
    return tuple(dict.fromkeys((*stated, *sections)))


def _doctree(text: str, context: Context) -> nodes.document:
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_INDENT and len(line) - len(line.lstrip(" ")) > MAX_INDENT:
            raise FormatError(f"the line is indented by more than {MAX_INDENT} columns", number)
    has_pep_header = is_pep(text)
    document = docutils.utils.new_document(context.path, copy(_settings()))
    try:
        with _LOCK, _tables(context):
            parser = Parser(rfc2822=has_pep_header, inliner=_inliner(context))
            parser.parse(with_definitions(text, context), document)
            _fill_in(document, settings(context).values)
            _apply_transforms(document)
            if has_pep_header:
                give_title(document)
    except RecursionError:
        raise FormatError("the file nests too deeply to be read") from None
    except OutOfTimeError:
        raise
    except Exception as error:  # docutils raises all kinds of errors on damaged input
        reason = f"{type(error).__name__} {' '.join(str(error).split())[:200]}"
        raise FormatError(f"docutils cannot read the file: {reason}") from None
    return document


@cache
def _settings() -> Any:
    """Docutils' settings, which take a millisecond to make."""
    settings = docutils.frontend.get_default_settings(Parser)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    return settings


def _fill_in(document: nodes.document, values: Mapping[str, str]) -> None:
    """Substitutes what Sphinx does by itself, if the text does not. A version that only a program tells is
    left out, and so is the blank before it."""
    own = {name.lower() for name in document.substitution_defs}
    for reference in list(document.findall(nodes.substitution_reference)):
        name = reference["refname"].lower()
        if name in own or name not in values:
            continue
        parent = reference.parent
        at = parent.index(reference)
        parent[at] = nodes.Text(values[name])
        before: Any = parent[at - 1] if at else None
        if not values[name] and isinstance(before, nodes.Text):
            parent[at - 1] = nodes.Text(before.rstrip(" "))


def _apply_transforms(document: nodes.document) -> None:
    """Docutils' own transforms that resolve references and substitutions."""
    known = {name.lower() for name in document.substitution_defs}
    for definition in document.substitution_defs.values():
        for reference in list(definition.findall(nodes.substitution_reference)):
            if reference["refname"].lower() not in known:  # docutils expects to find it
                reference.replace_self(nodes.Text(reference.astext()))
    for transform in _TRANSFORMS:
        # On damaged input docutils raises all kinds of errors; what refers to something stays text then.
        try:
            transform(document).apply()
        except (RecursionError, OutOfTimeError):
            raise
        except Exception as error:
            document += document.reporter.error(f"{transform.__name__}: {error}")


def _inliner(context: Context) -> states.Inliner:
    """Takes every role for one it knows. (Docutils looks up patterns in the class itself, so that a
    derived one has none.)"""
    inliner = states.Inliner()

    def interpreted(rawsource: str, text: str, role: str, lineno: int) -> Any:
        name = role or context.default_role
        local = _ROLES.get(name.lower()) if name.lower() in context.local_roles else None
        function = role_function(context) if local is None else local
        return function(name, rawsource, text, lineno, inliner)

    inliner.__dict__["interpreted"] = interpreted
    return inliner


@contextmanager
def _tables(context: Context) -> Iterator[None]:
    """While the body runs, docutils finds a class of ours for every directive, reads one where a literal
    block should begin, and reads nested text with our machine; of an option that is given twice the last
    counts. Its tables are global."""
    found, quoted = directives.directive, states.Text.quoted_literal_block
    nested, assembled = states.RSTState.nested_sm, utils.assemble_option_dict
    before = dict(_ROLES)

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        known, messages = found(name, language, document)
        return directive_class(name.lower(), known, context), [] if known is None else messages

    def quoted_block(self: states.Text) -> list[nodes.Node]:
        """Nothing where a directive follows `text::` at the same indentation: what docutils would quote is
        code to other builders."""
        machine: Any = self.state_machine
        following = (line for line in machine.input_lines[machine.line_offset :] if line.strip())
        is_directive = _DIRECTIVE.match(next(following, "")) is not None
        blocks: list[nodes.Node] = [] if is_directive else quoted(self)  # type: ignore[no-untyped-call]
        return blocks

    def options(stated: list[tuple[str, Any]], known: Any) -> dict[str, Any]:
        return assembled(list(dict(stated).items()), known)

    vars(utils)["assemble_option_dict"] = options
    vars(directives)["directive"] = directive
    states.Text.quoted_literal_block = quoted_block  # type: ignore[method-assign]
    states.RSTState.nested_sm = NestedMachine
    try:
        yield
    finally:
        vars(utils)["assemble_option_dict"] = assembled
        vars(directives)["directive"] = found
        states.Text.quoted_literal_block = quoted  # type: ignore[method-assign]
        states.RSTState.nested_sm = nested
        _ROLES.clear()
        _ROLES.update(before)


def _errors(document: nodes.document) -> list[DocumentProblem]:
    """What docutils could not read, as one problem."""
    messages = document.findall(nodes.system_message)
    errors = (each for each in messages if each.get("level", 0) >= _ERROR_LEVEL)
    serious = [each for each in errors if not each.astext().startswith(_REFERENCES)]
    if not serious:
        return []
    first = serious[0]
    text = " ".join((first[0].astext() if len(first) else "").split())
    others = f" (and {len(serious) - 1} more places)" if len(serious) > 1 else ""
    message = f"docutils reports {text[:200]!r}{others}"
    line = int(first.get("line", 0) or 0)
    hint = "Fix the markup; what could not be read is kept verbatim."
    return [DocumentProblem(code="rst-syntax", message=message, line=line, hint=hint)]
