"""The labels of a reStructuredText file, `.. _name:` above a section or a table."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes

from kbc.formats.document import LabelTarget, label_name
from kbc.formats.rst.context import plain_title, title_at

_LABEL = re.compile(r"\.\. _(?P<name>`[^`\n]+`|(?![_ ])(?:\\.|[^:\\\n])+):[ \t]*\n")
_TABLE = re.compile(r"\.\. (?:table|list-table|csv-table)::[ \t]+(?P<title>\S[^\n]*)")
_BETWEEN = re.compile(
    r"(?:[ \t]*\n|\.\. (?:index|rst-class|meta)::[^\n]*\n(?:(?:[ \t]+\S[^\n]*)?\n)*)+"
)


def labels_of(path: str, text: str) -> Iterator[tuple[str, LabelTarget]]:
    """The labels of a file ("\\n" line ends) by their names in the form that references have."""
    if ".. _" not in text:
        return
    for match in re.finditer(r"^(?=\.\. _)", text, re.MULTILINE):
        label = _LABEL.match(text, match.start())
        if label is None:
            continue
        at = label.end()
        while following := _BETWEEN.match(text, at) or _LABEL.match(text, at):
            at = following.end()
        title = title_at(text, at)
        table = _TABLE.match(text, at)
        anchor = nodes.make_id(title)
        if table is not None:
            title, anchor = table["title"].strip(), nodes.make_id(label["name"])
        name = label_name(label["name"].strip("`").replace("\\", ""))
        yield name, LabelTarget(path, plain_title(title, text), anchor)
