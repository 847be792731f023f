"""Internet-Drafts and RFCs: the XML of RFC 7991 and RFC 7749 in `xml_reader` with its `elements`, the
Markdown of kramdown-rfc in `kramdown`, what both refer to in `references`, and their `plain_text`.

Imports the rest of `formats`, `languages` and `project`.
"""
