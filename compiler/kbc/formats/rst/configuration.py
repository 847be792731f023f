"""What the conf.py around a page says that its directives need."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kbc.formats.rst.context import Context, DeclaredTypes
from kbc.project.include_tree import folders_above

CONFIGURATION = "conf.py"
MAX_EXTENSIONS = 50
"""Extensions of a project's own that are looked for."""

_OWN = "_ext"
"""The folder of a project's own extensions in Sphinx's tutorials."""

_SYS_PATH = re.compile(
    r"^[^\S\n]*sys\.path\.(?:insert|append)\s*\(((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\)",
    re.MULTILINE,
)
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


def configuration(context: Context) -> tuple[str, str]:
    """The folder of the conf.py around a page, and its text; empty without one."""
    for folder in folders_above(context.path):
        if data := context.read(posixpath.join(folder, CONFIGURATION)):
            return folder, data.decode("utf-8", "replace")
    return "", ""


def search_path(context: Context) -> list[str]:
    """The folders that conf.py adds to those in which modules are looked for:
    `sys.path.append(os.path.join(os.path.dirname(__file__), "..", "lib"))`."""
    folder, source = configuration(context)
    calls = (_TEXT.findall(each) for each in _SYS_PATH.findall(source))
    stated = [posixpath.join(*parts) for parts in calls if parts]
    paths = [posixpath.normpath(posixpath.join(folder, each)) for each in stated]
    return ["" if path == "." else path for path in paths if not path.startswith("/")]


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
