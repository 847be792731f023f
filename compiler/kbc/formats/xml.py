"""Parses XML whose entities are neither fetched nor expanded, and names its elements without namespaces."""

from __future__ import annotations

from lxml import etree

from kbc.formats.document import FormatError

OWN_ENTITIES = frozenset(["amp", "lt", "gt", "quot", "apos"])
"""Those that XML has without a declaration."""


def parsed(source: str | bytes, what: str) -> etree._Element:
    """The root element of `source`, which messages call `what`. Raises `FormatError` with the line."""
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True,
        remove_pis=True, strip_cdata=False,
    )  # fmt: skip
    try:
        root = etree.fromstring(source, parser)
    except etree.XMLSyntaxError as error:
        raise FormatError(f"{what} is no XML: {error.msg}", error.lineno or 0) from None
    except ValueError as error:
        raise FormatError(f"{what} is no XML: {error}") from None
    if root is None:
        raise FormatError(f"{what} is not XML: it has no element")
    return root


def plain_text(element: etree._Element | None) -> str:
    """The words in an element; "" without one."""
    texts = map(str, element.itertext()) if element is not None else ()
    return " ".join("".join(texts).split())


def local_name(element: etree._Element) -> str:
    """The name without its namespace; "" of what is no element."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""
