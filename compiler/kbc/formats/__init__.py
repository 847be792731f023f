"""Formats of documentation: the bytes of a file as Markdown.

One module or folder for each; `convert` picks it by the ending of the file's name. Libraries that are
large or rarely needed come with the extra `kb-compiler[formats]`.

Imports `languages`, `project`, `processor_time` and `cache`.
"""

from kbc.formats.conversion import ConversionRequest, convert, convert_each
from kbc.formats.document import (
    ELSEWHERE,
    FIGURE,
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
    converters,
    format_of,
    reads_python,
)
from kbc.formats.tracing import ProjectLabels

__all__ = [
    "BY_NAME", "ELSEWHERE", "FIGURE", "FORMATS", "INSTALL_HINT", "UNRESOLVED", "ConversionRequest",
    "Converted", "DocumentProblem", "Format", "FormatError", "LabelTarget", "ProjectLabels", "Read",
    "convert", "convert_each", "converters", "format_of", "reads_python",
]  # fmt: skip
