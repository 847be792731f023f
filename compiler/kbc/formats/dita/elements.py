"""What the elements of DITA are in HTML."""

from __future__ import annotations

from collections.abc import Mapping

TOPICS = frozenset([
    "topic", "concept", "task", "reference", "troubleshooting", "glossentry", "glossgroup",
    "learningBase", "learningOverview", "learningContent", "learningSummary", "learningAssessment",
    "learningPlan",
])  # fmt: skip

DROPPED = frozenset([
    "titlealts", "prolog", "related-links", "indexterm", "data", "data-about", "draft-comment",
    "required-cleanup", "foreign", "unknown", "object", "imagemap", "metadata", "colspec", "linktext",
    "index-base", "alt",
])  # fmt: skip
"""What readers are not shown, or not as text of the topic."""

TITLED = frozenset(["section", "example", "fig", "table", "refsyn", "condition", "cause", "remedy"])
"""Parts whose `title` stands above them."""

_SAME = ("p", "ul", "ol", "li", "b", "i", "u", "sub", "sup", "dl", "dt", "dd")
_DIVISIONS = (
    "abstract", "body", "conbody", "taskbody", "refbody", "glossBody", "troublebody", "bodydiv",
    "conbodydiv", "refbodydiv", "sectiondiv", "div", "info", "stepxmp", "stepresult", "tutorialinfo",
    "steptroubleshooting", "itemgroup", "context", "result", "section", "example", "fig", "figgroup",
    "refsyn", "troubleSolution", "condition", "cause", "remedy", "stepsection", "prereq", "postreq",
    "glossdef", "responsibleParty", "messagepanel",
)  # fmt: skip
_CODE = (
    "codeph", "filepath", "cmdname", "parmname", "option", "apiname", "varname", "systemoutput",
    "userinput", "msgph", "msgnum", "kwd", "tt", "markupname", "xmlpi", "numcharref", "synph", "oper",
    "delim", "sep", "repsep", "var",
)  # fmt: skip

TAGS: Mapping[str, str] = {
    **{name: name for name in _SAME},
    **dict.fromkeys(_DIVISIONS, "div"),
    **dict.fromkeys(_CODE, "code"),
    **dict.fromkeys(["shortdesc", "cmd", "typeofhazard", "consequence", "howtoavoid"], "p"),
    **dict.fromkeys(["sl", "choices", "steps-unordered"], "ul"),
    **dict.fromkeys(["steps", "substeps", "steps-informal"], "ol"),
    **dict.fromkeys(["sli", "choice", "step", "substep"], "li"),
    **dict.fromkeys(["parml"], "dl"),
    **dict.fromkeys(["pt", "dthd"], "dt"),
    **dict.fromkeys(["pd", "ddhd"], "dd"),
    **dict.fromkeys(["uicontrol", "wintitle"], "strong"),
    **dict.fromkeys(["cite", "term"], "em"),
    **dict.fromkeys(["lq"], "blockquote"),
    **dict.fromkeys(["simpletable", "properties", "choicetable", "tgroup"], "table"),
    **dict.fromkeys(["strow", "sthead", "property", "prophead", "chrow", "chhead", "row"], "tr"),
    **dict.fromkeys(["stentry", "proptype", "propvalue", "propdesc", "choption", "chdesc"], "td"),
    **dict.fromkeys(
        ["proptypehd", "propvaluehd", "propdeschd", "choptionhd", "chdeschd"], "th"
    ),
}  # fmt: skip
"""Elements by their names; what has none is read as text of what it stands in."""

CODE_BLOCKS = frozenset(["codeblock", "screen", "msgblock", "pre", "lines"])
MARKED_NAMES: Mapping[str, str] = {
    "xmlelement": "<{}>",
    "xmlatt": "@{}",
    "textentity": "&{};",
    "parameterentity": "%{};",
    "xmlnsname": "{}",
}
"""Names in markup, with the marks that the toolkit shows them in."""

LABELS: Mapping[str, str] = {
    "prereq": "Before you begin",
    "postreq": "What to do next",
    "glossdef": "",
}
"""Parts of a task that readers are shown under a label."""
