"""The commands of Texinfo that begin lines, by what becomes of them."""

from __future__ import annotations

LEVELS = {
    **dict.fromkeys(["chapter", "unnumbered", "appendix", "chapheading", "majorheading"], 2),
    **dict.fromkeys(["section", "unnumberedsec", "appendixsec", "heading"], 3),
    **dict.fromkeys(["subsection", "unnumberedsubsec", "appendixsubsec", "subheading"], 4),
    "subsubsection": 5, "unnumberedsubsubsec": 5, "appendixsubsubsec": 5, "subsubheading": 5,
}  # fmt: skip
"""Of headings; that of the manual is 1."""

CODE = frozenset([
    "example", "smallexample", "display", "smalldisplay", "format", "smallformat", "verbatim",
])  # fmt: skip
"""Blocks whose lines stay apart."""

LISP = frozenset(["lisp", "smalllisp"])

LEFT_OUT = frozenset([
    "copying", "detailmenu", "direntry", "docbook", "documentdescription", "html", "ifdocbook",
    "ifinfo", "iflatex", "ifnothtml", "ifplaintext", "iftex", "ifxml", "ignore", "latex", "macro",
    "menu", "rmacro", "tex", "titlepage", "xml",
])  # fmt: skip
"""Blocks for other formats and for navigation, and what says who published the manual."""

TRANSPARENT = frozenset([
    "cartouche", "flushleft", "flushright", "float", "group", "indentedblock", "raggedright",
    "smallindentedblock",
])  # fmt: skip
"""Blocks of which the content counts."""

LISTS = frozenset(["enumerate", "ftable", "itemize", "table", "vtable"])

QUOTES = frozenset(["quotation", "smallquotation"])

WITHIN_PARAGRAPHS = frozenset([
    "cindex", "findex", "indent", "kindex", "noindent", "pindex", "tindex", "vindex",
])  # fmt: skip
"""Those of the following that end no paragraph."""

NO_TEXT = WITHIN_PARAGRAPHS | frozenset([
    "author", "bye", "clear", "contents", "dircategory", "documentencoding", "include",
    "documentlanguage", "finalout", "headitem", "insertcopying", "need", "page", "printindex", "set",
    "setchapternewpage", "settitle", "setfilename", "shortcontents", "sp", "subtitle",
    "summarycontents", "synindex", "syncodeindex", "title", "vskip", "everyheading", "everyfooting",
    "defindex", "defcodeindex", "paragraphindent", "firstparagraphindent", "exampleindent",
    "raisesections", "lowersections", "headings", "footnotestyle", "kbdinputstyle",
    "xrefautomaticsectiontitle", "codequoteundirected", "codequotebacktick", "allowcodebreaks",
    "unmacro", "alias", "definfoenclose", "columnfractions",
])  # fmt: skip
"""Commands of a line that say nothing to readers."""

DEFINED = {
    "fn": "", "un": "Function", "mac": "Macro", "spec": "Special form", "vr": "", "var": "Variable",
    "opt": "User option", "tp": "", "typefn": "", "typefun": "Function", "typevr": "",
    "typevar": "Variable", "cv": "", "op": "", "ivar": "Instance variable", "method": "Method",
    "typecv": "", "typeop": "", "typeivar": "Instance variable", "typemethod": "Method",
}  # fmt: skip
"""`@defun` -> what it defines; "" where the line itself says so."""

OF_CLASSES = frozenset(["cv", "ivar", "method", "op", "typecv", "typeivar", "typemethod", "typeop"])
"""Those whose lines name a class, behind the kind where there is one."""
