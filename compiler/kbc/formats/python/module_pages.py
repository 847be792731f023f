"""Pages of a reference with one for each Python module, as sphinx-autoapi and autodoc2 write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kb_runtime.text.tables import some_of
from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError
from kbc.formats.python.api import MAX_BYTES, ApiWriter, Prose, first_paragraph, with_names
from kbc.formats.python.objects import module_of

_MAX_NAMES = 12
"""Of members, in the summary of a module without a docstring."""


def module_page(
    name: str, path: str, data: bytes, prose: Prose, *, has_private: bool
) -> Converted | None:
    """The page of the module called `name`, of which `path` is the file: its docstring, members, and of a
    package what it imports from its own modules; None of one that has nothing of these. `prose` reads
    docstrings. Raises `FormatError`
    with the line of a syntax error."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"the module has {len(data):,} bytes, more than {MAX_BYTES:,}")
    parts = name.split(".")
    module = module_of(parts, path, data)
    writer = ApiWriter(prose, has_private=has_private)
    lines = writer.module(module)
    imported = list(_imported(module, parts))
    if imported:
        lines = commonmark.blocks([lines, ["**Imported**"], imported])
    if not imported and len([each for each in lines if each]) < 2:
        return None
    names = [each.rpartition(".")[2] for each in writer.anchors[1:]]
    names += [each.split("`")[1] for each in imported]
    return Converted(
        text=commonmark.document(lines),
        format="python",
        title=name,
        summary=with_names(first_paragraph(module)) or some_of(names, _MAX_NAMES),
        anchors=tuple(writer.anchors),
        index_names=(name,),
    )


def _imported(module: Any, parts: Sequence[str]) -> Iterator[str]:
    """The names that `__init__.py` of a package has from modules in it or beside it, each with its own."""
    if not module.is_init_module:
        return
    exported = {str(each) for each in module.exports or ()}
    for name, member in module.members.items():
        is_own = member.is_alias and member.target_path.startswith(f"{parts[0]}.")
        is_shown = name in exported if exported else not name.startswith("_")
        if is_own and is_shown and not name.endswith("/*"):
            own, target = (commonmark.code_span(each) for each in (name, member.target_path))
            yield f"- {own}: {target}"
