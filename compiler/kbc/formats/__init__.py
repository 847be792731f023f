"""Formats of documentation: the bytes of a file as Markdown.

One module or folder for each; `convert` picks it by the ending of the file's name. Libraries that are
large or rarely needed come with the extra `kb-compiler[formats]`.

Imports `languages`, `project` and `cache`.
"""

from kbc.formats.document import (
    ELSEWHERE,
    UNRESOLVED,
    Converted,
    DocumentProblem,
    FormatError,
    LabelTarget,
    Read,
)
from kbc.formats.registry import (
    BY_NAME,
    FORMATS,
    INSTALL_HINT,
    Format,
    convert,
    converters,
    format_of,
    reads_python,
)

__all__ = [
    "BY_NAME",
    "ELSEWHERE",
    "FORMATS",
    "INSTALL_HINT",
    "UNRESOLVED",
    "Converted",
    "DocumentProblem",
    "Format",
    "FormatError",
    "LabelTarget",
    "Read",
    "convert",
    "converters",
    "format_of",
    "reads_python",
]
