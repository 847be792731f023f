"""Roles of Sphinx whose text does not depend on the page: what MyST and reStructuredText show of them."""

from __future__ import annotations

import re

ICON_ROLE = re.compile(r"octicon|material-\w+|fa|fa[bdlrs]|fa-(?:brands|light|regular|solid)")
"""Roles of sphinx-design that show a picture."""

TEXT_ROLES = frozenset([
    "sub", "subscript", "sup", "superscript", "abbr", "abbreviation", "term", "dfn", "index",
    "guilabel", "menuselection", "u", "underline", "del", "strike", "sc", "smallcaps",
])  # fmt: skip
"""Roles that change how words look, or say what they are: the words are text of their sentence."""

_NUMBERED = {
    "pep": ("PEP", "https://peps.python.org/pep-{:0>4}/"),
    "rfc": ("RFC", "https://datatracker.ietf.org/doc/html/rfc{}"),
}
_IDENTIFIED = {
    "cve": "https://www.cve.org/CVERecord?id=CVE-{}",
    "cwe": "https://cwe.mitre.org/data/definitions/{}.html",
}


def document_of(role: str, target: str) -> tuple[str, str] | None:
    """(name, address) of what `pep`, `rfc`, `cve` and `cwe` refer to: `PEP 8` for `8`; the address of what is
    no number is "". None for other roles."""
    if role in _IDENTIFIED:
        return f"{role.upper()}-{target}", _IDENTIFIED[role].format(target)
    if role not in _NUMBERED:
        return None
    label, address = _NUMBERED[role]
    number, _, anchor = target.partition("#")
    if not number.strip().isdigit():
        return f"{label} {target}", ""
    uri = address.format(number.strip()) + (f"#{anchor}" if anchor else "")
    section = f" section {anchor}" if anchor and label == "RFC" else ""
    return f"{label} {int(number)}{section}", uri
