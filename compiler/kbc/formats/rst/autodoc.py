"""What Sphinx's autodoc inserts: the reference of a Python object, from source in the same tree."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from docutils import nodes

from kbc.formats.registry import reads_python
from kbc.formats.rst.configuration import configuration, search_path
from kbc.formats.rst.context import Context
from kbc.formats.rst.sphinx_directive import SphinxDirective
from kbc.project.include_tree import folders_above
from kbc.project.well_formed import comma_separated

_DEFAULTS = re.compile(r"^autodoc_default_(?:options|flags)\s*=\s*([\[{][^\]}]*)", re.MULTILINE)
_MEMBERS = re.compile(r"[\"']members[\"'](?!\s*:\s*(?:False|0)\b)")
"""Where conf.py has members described by default."""

CLASSES = frozenset(["autoclass", "autoexception"])
"""Directives whose content describes members of what they name."""

_OF_EXTENSION = re.compile(
    r"auto\w+?(module|class|exception|function|data|method|attribute|property|decorator|type)"
)
"""A documenter of an extension gives its name to a directive: `autoapiclass` of sphinx-autoapi."""

_PYDANTIC = "autopydantic_"
_RELATED = {
    "autoenum": "autoclass", "autonamedtuple": "autoclass", "autoprotocol": "autoclass",
    "autotypeddict": "autoclass", f"{_PYDANTIC}config": "autoclass",
    f"{_PYDANTIC}field": "autoattribute", f"{_PYDANTIC}model": "autoclass",
    f"{_PYDANTIC}settings": "autoclass", f"{_PYDANTIC}validator": "automethod",
}  # fmt: skip
"""Documenters of autodoc_pydantic, enum-tools and sphinx-toolbox, which are not called so."""


class described(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes so
    """An object in `found`, a `Reference`, and which of its `members` are described."""


class beside(nodes.General, nodes.Element):  # noqa: N801
    """What a page says itself of the members of the class `owner`, below its heading if it `has_heading`."""


def own_text(
    directive: str, name: str, children: Sequence[nodes.Node], *, has_heading: bool
) -> Sequence[nodes.Node]:
    """What stands in a directive of autodoc for the object `name`, after its reference."""
    if not children or directive not in CLASSES:
        return children
    node = beside("", owner=plain_name(name), has_heading=has_heading)
    node.extend(children)
    return [node]


def directive_of_autodoc(name: str) -> str:
    """What autodoc calls the directive of an extension's documenter; "" where `name` is not one's."""
    found = _OF_EXTENSION.fullmatch(name)
    return _RELATED.get(name) or (f"auto{found[1]}" if found else "")


def plain_name(argument: str) -> str:
    """The name in a directive's argument, without a signature."""
    return argument.partition("(")[0].replace("::", ".").strip()


def reference(
    context: Context,
    name: str,
    options: Mapping[str, str],
    *,
    imported: bool = False,
    is_module: bool = False,
) -> described | None:
    """The reference of `name`, looked up in the class around it, its module and the current module first,
    unless it begins with the package of that; None where its source is not in the tree. Without the option
    `members`, members are not described; `imported` and `is_module` are as for `PythonObjects.reference`."""
    if not reads_python():
        return None
    from kbc.formats.python.objects import PythonObjects, folders_around

    if context.objects is None:
        around = folders_around(configuration(context)[0])
        folders = [*search_path(context), *around, *context.python_paths]
        context.objects = PythonObjects(folders)
    context.objects.problem = ""
    look_up = context.objects.reference
    stated = options.get("members")
    names = comma_separated(stated or "")
    plain = plain_name(name)
    around = [context.owner, context.owner.rpartition(".")[0]] if context.owner else []
    owned = [f"{each}.{plain}" for each in around if each]
    modules = [f"{context.module}.{each}" for each in (*owned, plain)] if context.module else []
    names_around = (*modules[:-1], *owned, *modules[-1:], plain)
    is_full = bool(context.module) and plain.startswith(f"{context.module.partition('.')[0]}.")
    for full in (plain, *names_around) if is_full else names_around:
        if found := look_up(full, context.read, imported=imported, is_module=is_module):
            prose = partial(context.embedded, module=found.found.module.path)
            members = names or stated is not None
            return described("", found=replace(found, prose=prose), members=members)
    return None


def _describes_members(context: Context) -> bool:
    """Whether conf.py has members described without the option."""
    stated = _DEFAULTS.search(configuration(context)[1])
    return stated is not None and _MEMBERS.search(stated[1]) is not None


class AutoDoc(SphinxDirective):
    imported = False

    @property
    def base_name(self) -> str:
        name = super().base_name
        return directive_of_autodoc(name) or name

    def run(self) -> list[nodes.Node]:
        is_module = self.base_name in ("automodule", "automodapi")
        if is_module:
            self.context.module = self.argument
        options = {**self.options, "members": ""} if self._describes_all else self.options
        found = reference(
            self.context, self.argument, options, imported=self.imported, is_module=is_module
        )
        has_heading = found is not None
        around = self.context.owner
        if self.base_name in CLASSES:
            self.context.owner = plain_name(self.argument)
        own = own_text(self.base_name, self.argument, self.children(), has_heading=has_heading)
        self.context.owner = around
        if found is None:
            message = f"the source of {self.argument!r} is not in the tree"
            if self.context.objects is not None and self.context.objects.problem:
                message = f"{self.argument!r} has no reference: {self.context.objects.problem}"
            elif not reads_python():
                message = f"the reference of {self.argument!r} is not read from its source"
            self.context.problems.elsewhere(self.name, message, self.lineno)
            return [nodes.paragraph("", "", nodes.literal("", self.argument)), *own]
        return [found, *own]

    @property
    def _describes_all(self) -> bool:
        """Whether all members are described without the option `members`: for those that a class inherits,
        of a model of pydantic, or because conf.py says so."""
        known = {"members", "no-members", "nomembers"} & self.options.keys()
        if known or self.base_name not in (*CLASSES, "automodule"):
            return False
        has_all = "inherited-members" in self.options or self.name.lower().startswith(_PYDANTIC)
        return has_all or _describes_members(self.context)


class AutoModApi(AutoDoc):
    """The module with all that it has, as sphinx-automodapi writes pages of it. An option may be there twice,
    as docutils forbids: none of them is read."""

    imported = True
    option_spec = None

    @property
    def argument(self) -> str:
        return super().argument.partition("\n")[0]

    @property
    def _describes_all(self) -> bool:
        return True


class AutoSummary(SphinxDirective):
    """Objects with the first paragraph of each; where Sphinx writes a page for each (`toctree`), its
    reference. That of a class lists its methods, unless its template or conf.py has them described."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        listed: list[tuple[str, str]] = []
        has_pages = "toctree" in self.options
        lists_methods = has_pages and not self._describes_members
        for line in self.content:
            name = line.split()[0].lstrip("~!") if line.strip() else ""
            if not name or name.startswith((":", "..")):
                continue
            item = reference(self.context, name, {"members": ""})
            if item is not None and has_pages:
                methods = item["found"].methods() if lists_methods else []
                item["members"] = not methods
                found += [item, *self._listed(methods)]
                continue
            listed.append((name, item["found"].summary if item is not None else ""))
        return [*self._listed(listed), *found]

    @property
    def _describes_members(self) -> bool:
        """Whether the template of classes, one of the project's own or Sphinx's, has their members."""
        name = self.options.get("template") or "autosummary/class.rst"
        for folder in folders_above(self.context.path):
            if data := self.context.read(posixpath.join(folder, "_templates", name)):
                return b":members:" in data or _describes_members(self.context)
        return _describes_members(self.context)

    def _listed(self, summaries: Sequence[tuple[str, str]]) -> list[nodes.Node]:
        found = nodes.bullet_list()
        around = self.context.default_role
        self.context.default_role = "any"  # as in other text of docstrings
        for name, summary in summaries:
            text = nodes.paragraph("", "", nodes.literal("", name))
            text += [nodes.Text(": "), *self.inline(summary)] if summary else []
            found += nodes.list_item("", text)
        self.context.default_role = around
        return [found] if summaries else []
