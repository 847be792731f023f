"""`get_template` and `list_templates`: boilerplate files with instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.names import quoted, suggest
from kb_runtime.tools import library
from kb_runtime.tools.answers import json_answer
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.schemas import INTEGER, STRING, STRINGS, array, row, structure

if TYPE_CHECKING:
    from kb_runtime.tools.session import Session

KIND = "templates"


def get_template(session: Session, arguments: dict[str, Any]) -> Answer:
    wanted: str = arguments["templateId"]
    record = library.find(session, KIND, wanted)
    if record is None:
        known = library.ids(session, KIND)
        raise ToolError(
            "NOT_FOUND",
            f"no template is called {quoted(wanted)}. Available templates: {', '.join(known)}",
            suggestions=suggest(wanted, known) or known[:10],
            next_steps=[f"Call {library.tool_name(session, 'list_templates')} to compare them."],
            details={"availableTemplates": known},
        )
    structured = {
        **_entry(record),
        "use_for": record.get("use_for", []),
        "includes": record.get("includes", []),
        "instructions": record.get("instructions", []),
        "content": record.get("text", ""),
        "lines": record.get("lines", 0),
    }
    for field in ("workflow", "key_patterns"):
        if record.get(field):
            structured[field] = record[field]
    return json_answer(structured)


def list_templates(session: Session, arguments: dict[str, Any]) -> Answer:
    found = list(library.records(session, KIND))
    wanted: str | None = arguments["framework"]
    if wanted is None:
        return json_answer({"total": len(found), "templates": [_entry(record) for record in found]})
    frameworks = sorted({record.get("framework", "") for record in found} - {""})
    framework = next((each for each in frameworks if each.casefold() == wanted.casefold()), None)
    if framework is None:
        raise ToolError(
            "NOT_FOUND",
            f"there is no framework {quoted(wanted)}. Available frameworks: {', '.join(frameworks)}",
            suggestions=suggest(wanted, frameworks) or frameworks,
            next_steps=[
                f"Call {library.tool_name(session, 'list_templates')} with one of them, or without."
            ],
            details={"availableFrameworks": frameworks},
        )
    chosen = [_entry(record) for record in found if record.get("framework") == framework]
    return json_answer({"framework": framework, "count": len(chosen), "templates": chosen})


def _entry(record: library.Record) -> dict[str, Any]:
    return {
        "id": record["id"],
        "name": record["name"],
        "description": record.get("description", ""),
        "framework": record.get("framework", ""),
        "filename": record["filename"],
    }


_ENTRY = {
    "id": STRING,
    "name": STRING,
    "description": STRING,
    "framework": STRING,
    "filename": STRING,
}

TOOLS = (
    Tool(
        name="{prefix}_get_template",
        family="reference",
        description="A template in full, with what it is for and step-by-step instructions.",
        run=get_template,
        arguments=(
            Argument(
                "templateId",
                "string",
                "Id from {prefix}_list_templates.",
                required=True,
                max_length=200,
            ),
        ),
        output=structure(
            {
                **_ENTRY,
                "use_for": STRINGS,
                "includes": STRINGS,
                "instructions": STRINGS,
                "content": STRING,
                "lines": INTEGER,
            },
            {"workflow": STRINGS, "key_patterns": STRINGS},
        ),
        needs=(KIND,),
    ),
    Tool(
        name="{prefix}_list_templates",
        family="reference",
        description="All templates, or those of one framework.",
        run=list_templates,
        arguments=(
            Argument(
                "framework",
                "string",
                "Only this framework.",
                max_length=200,
                choices_from="template_frameworks",
            ),
        ),
        output=structure(
            {"templates": array(row(_ENTRY))},
            {"total": INTEGER, "framework": STRING, "count": INTEGER},
        ),
        needs=(KIND,),
    ),
)
