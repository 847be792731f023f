"""Internet-Drafts and RFCs: the XML of RFC 7991 and RFC 7749 in `xml_reader` with its `elements`, the
Markdown of kramdown-rfc in `kramdown`, what both refer to in `references`, and their `plain_text`.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.document import Converted, Read
from kbc.formats.internet_drafts import kramdown, plain_text, xml_reader

__all__ = ["convert"]


def convert(path: str, data: bytes, read: Read) -> list[Converted]:
    """The document of a file; raises `FormatError` where it is none of them."""
    if path.lower().endswith(".xml"):
        return xml_reader.convert(path, data, read)
    if path.lower().endswith(".txt"):
        return plain_text.convert(path, data, read)
    return kramdown.convert(path, data, read)
