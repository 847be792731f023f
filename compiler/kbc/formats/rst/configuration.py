"""What the conf.py around a page says that its directives need."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from kbc.formats.rst.context import Context
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
    r"\.add_(?P<how>crossref|object)_type\(\s*(?:directivename\s*=\s*)?[\"'](?P<name>[\w-]+)[\"']"
)


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


def declared_types(context: Context) -> Mapping[str, bool]:
    """The directives that conf.py, or an extension beside it, declares for objects of its own (`setting`,
    `signal`), and whether they describe these; others are only what references lead to."""
    if context.declared is None:
        context.declared = {
            each["name"].lower(): each["how"] == "object"
            for source in (configuration(context)[1], *_own_extensions(context))
            for each in _TYPES.finditer(source)
        }
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
