"""The directives of Sphinx and its usual extensions as docutils nodes; unknown ones keep their text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from docutils import nodes, statemachine
from docutils.parsers.rst.states import SubstitutionDef

from kbc.formats.document import FormatError
from kbc.formats.loading import parse_python
from kbc.formats.rst.autodoc import (
    AutoDoc,
    AutoModApi,
    AutoSummary,
    directive_of_autodoc,
    plain_name,
)
from kbc.formats.rst.breathe import DIRECTIVES, BreatheDirective
from kbc.formats.rst.configuration import declared_types
from kbc.formats.rst.context import Context, is_style
from kbc.formats.rst.inclusion import CMakeModule, CsvTableFile, Include, LiteralInclude, Plot
from kbc.formats.rst.sphinx_directive import SphinxDirective, labelled
from kbc.formats.selection import dedented
from kbc.languages.includes.myst.directives import CARD_MARK, CARDS, EXECUTED, PROOFS


class entry(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes so
    """A described object: its `signatures`, `kind`, `module` and `program`, whether it is the `owner` of
    others in it, and the `prefix` of its anchor; its children describe it."""


class _Drop(SphinxDirective):
    """What no text is left of; as what a substitution stands for (`|br| raw:: html`), something empty."""

    def run(self) -> list[nodes.Node]:
        is_substituted = isinstance(self.state, SubstitutionDef)
        return [nodes.raw("", "", format="html")] if is_substituted else []


class _Meta(_Drop):
    """Fields, whose names may have several words (`:keywords lang=en:`)."""

    optional_arguments = 0
    option_spec = None


class _Tags(SphinxDirective):
    """The tags of a page, as `sphinx-tags` shows them."""

    def run(self) -> list[nodes.Node]:
        words = [*self.argument.split("\n"), *self.content]
        parts = (re.split(r",\s*|\s{2,}", each.strip()) for each in words)
        tags = ", ".join(tag for some in parts for tag in some if tag)
        return [nodes.paragraph("", f"Tags: {tags}")] if tags else []


class _Keep(SphinxDirective):
    """The content alone: containers and conditions, whatever their argument."""

    def run(self) -> list[nodes.Node]:
        return self.children()


class _Content(_Keep):
    """The content alone, of what takes no argument: text on the first line is part of it."""

    optional_arguments = 0


class _Code(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        language = self.argument.split()[0] if self.argument else self.options.get("language", "")
        if self.base_name in EXECUTED:
            language = EXECUTED[self.base_name]
        elif self.base_name in ("prompt", "console"):
            language = {"prompt": language.split(",")[0] or "bash"}.get(self.base_name, "console")
        elif self.base_name in ("math", "productionlist", "graphviz", "mermaid", "uml", "digraph"):
            language = self.base_name
            if self.arguments and self.base_name == "math":
                return self.code("\n".join([self.arguments[0], *self.content]), "math")
        lines = list(self.content)
        if "dedent" in self.options:
            lines = dedented(lines, str(self.options["dedent"]))
        if self.argument and self.base_name == "parsed-literal":
            lines.insert(0, self.argument)
        if not lines:
            if self.argument and self.base_name in ("code-block", "code", "sourcecode"):
                return self.code(self.argument, "")  # the code was written as the argument
            return []
        return self.code("\n".join(lines), language or self.context.language)


class _Highlight(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        name = self.argument.split()[0] if self.argument else ""
        self.context.language = "" if name in ("default", "none") else name
        return []


class _ModuleDirective(SphinxDirective):
    """`module` describes one; `currentmodule` names the module of what follows."""

    def run(self) -> list[nodes.Node]:
        self.context.module = "" if self.argument == "None" else self.argument
        found = self.children()
        if synopsis := self.options.get("synopsis"):
            found.insert(0, nodes.paragraph("", "", *self.inline(synopsis)))
        return found


class _Setting(SphinxDirective):
    """Says what `program` and `default-role` of what follows are."""

    def run(self) -> list[nodes.Node]:
        setattr(self.context, self.base_name.replace("-", "_"), self.argument)
        return []


class _Admonition(SphinxDirective):
    TITLES = {"seealso": "See also", "impl-detail": "Implementation detail"}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        title = self.TITLES.get(self.base_name) or self.base_name.replace("-", " ").capitalize()
        if self.base_name in ("admonition", "topic", "sidebar", "details", "collapse"):
            return [self.label(self.argument)]
        if self.arguments:  # the first line of the text stands behind the marker
            lines = [*self.arguments[0].split("\n"), "", *self.content]
            self.content = statemachine.StringList(lines, source=self.context.path)
        return [self.label(title)]


class _Statement(SphinxDirective):
    """A theorem of sphinx-proof or an exercise of sphinx-exercise. What stands between `exercise-start` and
    `exercise-end` is text of the page; a solution's argument is the label of its exercise."""

    def run(self) -> list[nodes.Node]:
        kind, _, gate = self.base_name.partition("-")
        if gate == "end":
            return []
        title = "" if kind == "solution" else self.argument
        name = kind.capitalize()
        return [self.label(f"{name}: {title}" if title else name, "plain")]


class _VersionDirective(SphinxDirective):
    TEXTS = {  # noqa: RUF012
        "versionadded": "Added in version {}",
        "versionchanged": "Changed in version {}",
        "versionremoved": "Removed in version {}",
        "deprecated": "Deprecated since version {}",
        "deprecated-removed": "Deprecated since version {}, removed in version {}",
        "soft-deprecated": "Soft deprecated since version {}",
    }

    def run(self) -> list[nodes.Node]:
        count = 2 if self.base_name == "deprecated-removed" else 1
        words = self.argument.split(None, count)
        versions = [*words[:count], *[""] * count][:count]
        label = self.TEXTS[self.base_name].format(*versions)
        rest = words[count] if len(words) > count else ""
        found = self.children()
        text = [nodes.emphasis("", f"{label}:" if rest or found else f"{label}.")]
        first = nodes.paragraph("", "", *text)
        if rest:
            first += [nodes.Text(" "), *self.inline(rest)]
        elif found and isinstance(found[0], nodes.paragraph):
            first += [nodes.Text(" "), *found.pop(0).children]
        return [first, *found]


class _Release(SphinxDirective):
    """A release in a log of changes of the extension `changelog`: its version and date, and the changes."""

    def run(self) -> list[nodes.Node]:
        stated = [self.options.get(name, "") for name in ("version", "released")]
        title = nodes.strong("", "", nodes.Text(" – ".join(filter(None, stated))))
        return [nodes.paragraph("", "", title), *self.children()]


class _Labelled(SphinxDirective):
    """A tab, a card, a drop-down: its label and its text."""

    def run(self) -> list[nodes.Node]:
        title = self.argument
        if self.base_name == "code-tab":
            words = title.split(None, 1)
            block = self.code("\n".join(self.content), words[0] if words else "")
            node = labelled("", style="plain")
            node += nodes.inline("", "", *self.inline(words[1] if len(words) > 1 else title))
            node.extend(block)
            return [node]
        if self.base_name in CARDS:
            lines = ["" if CARD_MARK.fullmatch(each) else each for each in self.content]
            self.content = statemachine.StringList(lines, items=self.content.items)
        node = self.label(title, "plain")
        target = self.options.get("link", "")
        if re.match(r"https?://", target):
            node += nodes.paragraph("", "", nodes.reference("", target, refuri=target))
        return [node]


class _Centered(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        strong = nodes.strong("", "", *self.inline(self.argument))
        return [nodes.paragraph("", "", strong), *self.children()]


class _Toctree(SphinxDirective):
    """Links to the documents it lists; patterns of `:glob:` name none."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        if "hidden" in self.options and "caption" not in self.options:
            return []
        items = []
        for line in self.content:
            match = re.fullmatch(r"\s*(.+?)\s*<([^<>]+)>\s*", line)
            title, target = (match[1], match[2]) if match else ("", line.strip())
            if not target or target == "self" or re.search(r"[*?]", target):
                continue
            path, found = ("", "") if "://" in target else self.context.document(target)
            uri = target if "://" in target else path
            shown = title or found or target
            item = nodes.reference("", shown, refuri=uri) if uri else nodes.Text(shown)
            items.append(nodes.list_item("", nodes.paragraph("", "", item)))
        caption = self.options.get("caption", "")
        head = [nodes.paragraph("", "", nodes.strong("", caption))] if caption else []
        return [*head, nodes.bullet_list("", *items)] if items else []


class _Glossary(SphinxDirective):
    """Definitions, each of which several terms may have."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        source = self.content.source(0) if self.content else None
        self.content = statemachine.StringList(_with_shared_definitions(self.content), source)
        return self.children()


def _with_shared_definitions(lines: Iterable[str]) -> list[str]:
    """The lines of a glossary, in which the terms of a definition, a line each, stand in one line."""
    found: list[str] = []
    terms: list[str] = []
    for line in lines:
        is_term = bool(line.strip()) and not line[:1].isspace() and not line.startswith("..")
        if is_term:
            terms.append(line.strip())
            continue
        if terms:
            found.append(", ".join(terms))
            terms = []
        found.append(line)
    return [*found, *([", ".join(terms)] if terms else [])]


_GENERIC = {
    "option": "cmdoption", "cmdoption": "cmdoption", "envvar": "envvar", "confval": "confval",
}  # fmt: skip
"""Of objects that are in no module, what their anchors begin with."""


class _ObjectDirective(SphinxDirective):
    """A described object: one signature a line, then its description."""

    @property
    def prefix(self) -> str:
        """What its anchor begins with."""
        return _GENERIC.get(self.base_name, "")

    def run(self) -> list[nodes.Node]:
        if self.name == "class" and is_style(self.argument):
            return self.children()
        if not self.argument and ":" in self.name:  # code of an extension, as it is written
            return self.code("\n".join(self.content), self.context.language)
        signatures = re.sub(r"\\\n\s*", "", self.argument).split("\n") if self.argument else []
        signatures = [" ".join(line.split()) for line in signatures if line.strip()]
        signatures = [line.replace("\\", "") if "\\*" in line else line for line in signatures]
        is_class = self.base_name in ("class", "exception")
        node = entry("", signatures=signatures, kind=self.base_name, owner=is_class)
        node["module"], node["program"] = self.context.module, self.context.program
        node["prefix"] = self.prefix
        around = self.context.owner
        if is_class:
            self.context.owner = plain_name(signatures[0]) if signatures else ""
        node.extend(self.children())
        self.context.owner = around
        return [node]


class _DeclaredObject(_ObjectDirective):
    @property
    def prefix(self) -> str:
        return self.base_name


class _Unknown(SphinxDirective):
    """Its content where it has any, which may be code; else its argument: the text is computed by an
    extension."""

    def run(self) -> list[nodes.Node]:
        if "\n" in self.argument or self.block_text.partition("\n")[0].rstrip().endswith("::"):
            # a text that begins on the first line, or on the one below the name, is no argument
            above = [*self.argument.split("\n"), ""] if self.argument else []
            lines = [*above, *self.content]
            self.content = statemachine.StringList(lines, source=self.context.path)
            self.arguments = []
        if self.content:
            found = self._text_or_code()
            if self.argument and len(self.argument) < 200 and "/" not in self.argument:
                strong = nodes.strong("", "", *self.inline(self.argument))
                found.insert(0, nodes.paragraph("", "", strong))
            return found
        message = f"the directive `{self.name}` belongs to an extension and has no text of its own"
        self.context.problems.elsewhere(self.name, message, self.lineno)
        if self.argument and re.fullmatch(r"[\w.:-]+", self.argument):
            return [nodes.paragraph("", "", nodes.literal("", self.argument))]
        return []

    def _text_or_code(self) -> list[nodes.Node]:
        text = "\n".join(self.content)
        if _is_python(text):
            return self.code(text, "python")
        found = self.children()
        messages = (node.astext() for node in found if isinstance(node, nodes.system_message))
        if any(_INDENTED_CODE.search(message) for message in messages):
            return self.code(text, self.context.language)
        return found


_INDENTED_CODE = re.compile("Unexpected indentation|Definition list ends without a blank line")
"""What docutils reports of code that it reads as text."""

_STATEMENTS = (
    ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef, ast.ClassDef, ast.With, ast.For,
)  # fmt: skip
"""What a text has no words like."""


def _is_python(text: str) -> bool:
    try:
        body = parse_python(text)
    except FormatError:
        return False
    return any(isinstance(node, _STATEMENTS) for node in body)


def _named(directive: type[SphinxDirective], names: str) -> dict[str, type[SphinxDirective]]:
    return dict.fromkeys(names.split(), directive)


_CLASSES: dict[str, type[SphinxDirective]] = {
    **_named(_Drop, """index contents sectnum title header footer tabularcolumns raw sectionauthor
        codeauthor moduleauthor rst-class cssclass setting target-notes
        testsetup testcleanup default-domain ansible-output-data ansible-output-meta changelog_imports"""),
    **_named(_Keep, "only ifconfig container grid button-ref button-link"),
    **_named(_Content, """compound highlights epigraph pull-quote hlist acks tabs tab-set grid-row
        card-carousel panels margin"""),
    **_named(_Code, """code-block code sourcecode doctest testcode testoutput prompt console ipython math
        productionlist graphviz mermaid uml digraph snippet code-cell
        jupyter-execute jupyter-input jupyter-output exec_code"""),
    **_named(_Admonition, """attention caution danger error hint important note tip warning admonition
        seealso todo availability impl-detail details collapse topic sidebar"""),
    **_named(_VersionDirective, """versionadded versionchanged versionremoved deprecated deprecated-removed
        soft-deprecated"""),
    **_named(_Statement, """exercise exercise-start exercise-end solution solution-start solution-end"""),
    **_named(_Labelled, "tab tab-item group-tab code-tab card grid-item grid-item-card dropdown tabbed"),
    **_named(_ObjectDirective, """function data class exception method classmethod staticmethod attribute
        property decorator decoratormethod describe object option cmdoption envvar confval member var
        macro type struct union enum enumerator concept alias directive get post put delete patch"""),
    **_named(AutoDoc, """automodule autoclass autoexception autofunction autodata automethod
        autoattribute autoproperty autodecorator autotype"""),
    **dict.fromkeys(DIRECTIVES, BreatheDirective),
    "meta": _Meta, "tags": _Tags, "autosummary": AutoSummary, "automodapi": AutoModApi,
    "module": _ModuleDirective, "currentmodule": _ModuleDirective, "program": _Setting,
    "changelog": _Release, "glossary": _Glossary, "highlight": _Highlight,
    "highlightlang": _Highlight, "default-role": _Setting,
    "centered": _Centered, "toctree": _Toctree, "include": Include, "literalinclude": LiteralInclude,
    "plot": Plot,
}  # fmt: skip
_PLAIN = (_Drop, _Keep, _Content, _Code)
_DOCUTILS = frozenset([
    "parsed-literal", "rubric", "line-block", "table", "list-table", "image", "figure", "replace",
    "unicode", "date"])  # fmt: skip
_DECLARED = {
    "": _Unknown, "object": _DeclaredObject, "crossref": _Drop, "directive": _ObjectDirective,
}  # fmt: skip
_NAMESPACES = frozenset(["namespace", "namespace-push", "namespace-pop"])
_OF_JAVA = {"java:import": _Drop, "java:package": _Content}
"""What javasphinx writes above a class: names that its references use, and the package that it is in."""


def directive_class(name: str, known: Any, context: Context) -> Any:
    """The class that docutils runs for the directive `name`; `known` is its own, None without one."""
    domain, _, base = name.rpartition(":")
    if name == "role" and known is not None:
        return _recording_role(known, context)
    if name in _DOCUTILS and known is not None:
        return known
    if name == "csv-table":
        return type("CsvTable", (CsvTableFile,), {"context": context})
    if domain and base in _NAMESPACES:
        found: type[SphinxDirective] = _Drop
    elif name in _OF_JAVA:
        found = _OF_JAVA[name]
    elif domain in PROOFS:
        found = _Statement
    else:
        found = _CLASSES.get(base, _ObjectDirective)
        if base not in _CLASSES and not domain:
            found = _DECLARED[declared_types(context).directives.get(base, "")]
            if found is _Unknown and directive_of_autodoc(base):
                found = AutoDoc
        if domain and found in _PLAIN:  # what a domain describes, whatever its name
            found = _ObjectDirective
    if name.endswith("-module") and base not in _CLASSES:  # may be of CMake's, under any name
        found = _module_class(found)
    return type(found.__name__, (found,), {"context": context})


def _module_class(known: type[SphinxDirective]) -> type[SphinxDirective]:
    class Module(CMakeModule, known):  # type: ignore[misc, valid-type]
        def run(self) -> list[nodes.Node]:
            shown = CMakeModule if self.argument.endswith(".cmake") else known
            return list(shown.run(self))

    return Module


def _recording_role(known: Any, context: Context) -> Any:
    class Role(known):  # type: ignore[misc]
        def run(self) -> list[nodes.Node]:
            if self.content:
                name = re.split(r"[\s(]", str(self.content[0]))[0].lower()
                context.local_roles.add(name)
            return list(super().run())

    return Role
