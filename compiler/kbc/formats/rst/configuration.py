"""What the conf.py around a page says that its text, directives and roles need."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from textwrap import dedent
from typing import Any

from kbc.formats.document import label_name
from kbc.formats.rst.context import Context, DeclaredTypes, SphinxSettings
from kbc.languages.python_literals import literals
from kbc.project.include_tree import folders_above
from kbc.project.well_formed import mapping, sequence

CONFIGURATION = "conf.py"
MAX_EXTENSIONS = 50
"""Extensions of a project's own that are looked for."""

_OWN = "_ext"
"""The folder of a project's own extensions in Sphinx's tutorials."""

_SYS_PATH = re.compile(
    r"^[^\S\n]*sys\.path\.(?:insert|append)\s*\(((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\)",
    re.MULTILINE,
)
_AUTOAPI = re.compile(r"^autoapi_dirs\s*=\s*(\[[^\]]*\]|[^\[\n]+)", re.MULTILINE)
_ENTRY = re.compile(r"(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+")
_UP = re.compile(r"\.parent\b|\.parents\[(\d)\]|\bdirname\b|\bpardir\b")
"""What leads to the folder above in an expression."""
_TEXT = re.compile(r"""(?<!\w)["']([^"'\n]*)["']""")
_EXTENSIONS = re.compile(r"\b(?:\w+_)?extensions\s*\+?=\s*[\[(]([^\])]*)")
_TYPES = re.compile(
    r"\.add_(?P<how>crossref|object|directive)"
    r"(?:_type\(\s*(?:directivename\s*=\s*)?[\"'](?P<name>[\w-]+)[\"']"
    r"(?:\s*,\s*(?:rolename\s*=\s*)?[\"'](?P<role>[\w-]+)[\"'])?"
    r"|(?:_to_domain\(\s*[\"']\w+[\"']\s*,|\()\s*[\"'](?P<directive>[\w-]+)[\"']\s*,"
    r"\s*(?:\w+\.)*(?:\w*(?:Function|Method)|Cmdoption)\b)"
)
"""A type of objects with its directive and role; a directive whose class is called as one of Sphinx's."""

_DEFINITION = re.compile(
    r"\.\. (?:\|(?P<value>[^|\n]+)\||_(?P<target>`[^`\n]+`|(?:\\.|[^:\\\n])+):|include::)"
)
_INCLUDE = ".. include::"


def configuration(context: Context) -> tuple[str, str]:
    """The folder of the conf.py around a page, and its text; empty without one."""
    for folder in folders_above(context.path):
        if data := context.read(posixpath.join(folder, CONFIGURATION)):
            return folder, data.decode("utf-8", "replace")
    return "", ""


def settings(context: Context) -> SphinxSettings:
    """The settings of the project that a page belongs to."""
    if context.settings is None:
        context.settings = _settings_in(configuration(context)[1])
    return context.settings


@lru_cache(maxsize=8)
def _settings_in(source: str) -> SphinxSettings:
    data = literals(source)
    version, release = _text(data, "version"), _text(data, "release")
    around = (_text(data, name) for name in ("rst_prolog", "rst_epilog"))
    blocks = [block for text in around for block in _blocks(dedent(text))]
    found = [(_DEFINITION.match(block), block) for block in blocks]
    language = _text(data, "highlight_language")
    return SphinxSettings(
        {_name(match): block for match, block in found if match and not block.startswith(_INCLUDE)},
        "\n\n".join(block for block in blocks if block.startswith(_INCLUDE)),
        {"version": version or release, "release": release or version, "today": ""},
        {
            str(name).lower(): (address, str(caption or ""))
            for name, value in mapping(data.get("extlinks")).items()
            for address, caption, *_ in [(*sequence(value), "", "")]
            if isinstance(address, str) and address  # else a program computes it
        },
        "" if language in ("default", "none") else language,
        _text(data, "default_role"),
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return str(value) if isinstance(value, (str, int, float)) else ""


def _blocks(text: str) -> Iterator[str]:
    """The lines of explicit markup in a text, each with what is indented below it."""
    block: list[str] = []
    for line in [*text.split("\n"), ".."]:
        if line[:1].isspace() or not line:
            block.append(line)
            continue
        if block and _DEFINITION.match(block[0]):
            yield "\n".join(block).rstrip()
        block = [line]


def _name(definition: re.Match[str]) -> str:
    """The name that a text refers to, in lower case: `|name|` of a substitution, `name` of a link target."""
    if definition["value"]:
        return f"|{definition['value'].lower()}|"
    return label_name(definition["target"].strip("`").replace("\\", ""))


def _named_in(plain: str, names: Iterable[str]) -> list[str]:
    """Those of the names that a text in the form of names refers to."""
    forms = {name: (name,) if name[0] == "|" else (f"{name}_", f"{name}`_") for name in names}
    return [name for name, own in forms.items() if any(form in plain for form in own)]


def with_definitions(text: str, context: Context) -> str:
    """A text, and below it the definitions of the project that it may refer to and does not have itself."""
    stated = settings(context)
    if not (stated.definitions or stated.included):
        return text
    plain = label_name(text)
    waiting = {
        name: block
        for name, block in stated.definitions.items()
        if not any(f".. {form}" in plain for form in (name, f"_{name}:", f"_`{name}`:"))
    }
    # What is included may refer to any.
    names = waiting if stated.included or _INCLUDE in text else _named_in(plain, waiting)
    chosen: list[str] = []
    while names := list(names):
        found = [waiting.pop(name) for name in names]
        chosen += found
        names = _named_in(label_name("\n".join(found)), waiting)
    return "\n\n".join([text, *chosen, stated.included])


def search_path(context: Context) -> list[str]:
    """The folders that conf.py adds to those in which modules are looked for
    (`sys.path.append(os.path.join(os.path.dirname(__file__), "..", "lib"))`), and those of packages that
    sphinx-autoapi reads."""
    folder, source = configuration(context)
    stated = [_place(each) for each in _SYS_PATH.findall(source)]
    for listed in _AUTOAPI.findall(source):
        packages = [_place(each) for each in _ENTRY.findall(listed.strip("[]"))]
        stated += [posixpath.join(each, "..") for each in packages if each] + packages
    paths = [posixpath.normpath(posixpath.join(folder, each)) for each in stated if each]
    return ["" if path == "." else path for path in paths if not path.startswith("/")]


def _place(expression: str) -> str:
    """The folder that an expression of conf.py leads to, from its own (`Path(__file__).parent / "lib"`); ""
    where it names none."""
    parts = _TEXT.findall(expression)
    if not parts:
        return ""
    ups = sum(int(each[1] or 0) + 1 for each in _UP.finditer(expression))
    return posixpath.join(*[".."] * (ups - ("__file__" in expression)), *parts)


def declared_types(context: Context) -> DeclaredTypes:
    """What conf.py, or an extension beside it, declares."""
    if context.declared is None:
        sources = (configuration(context)[1], *_own_extensions(context))
        found = [each for source in sources for each in _TYPES.finditer(source)]
        context.declared = DeclaredTypes(
            {(each["name"] or each["directive"]).lower(): each["how"] for each in found},
            frozenset(each["role"] or each["name"] for each in found if each["name"]),
        )
    return context.declared


def _own_extensions(context: Context) -> Iterator[str]:
    """The source of the project's extensions, which conf.py names among others."""
    folder, source = configuration(context)
    listed = [name for each in _EXTENSIONS.findall(source) for name in _TEXT.findall(each)]
    own = [name for name in listed if name.partition(".")[0] not in ("sphinx", "myst_parser")]
    places = (posixpath.join(folder, _OWN), folder, *search_path(context))
    for name in own[:MAX_EXTENSIONS]:
        for place in places:
            path = posixpath.join(place, *name.split("."))
            if data := context.read(f"{path}.py") or context.read(f"{path}/__init__.py"):
                yield data.decode("utf-8", "replace")
                break
