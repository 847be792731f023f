"""`get_template` and `list_templates`: boilerplate files with instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_runtime.text.names import quoted, suggest
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.budget import content_part
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.refusal import not_found

if TYPE_CHECKING:
    from kb_runtime.records.entries import TemplateEntry
    from kb_runtime.tools.reference.answers import Template, TemplateList, TemplateSummary
    from kb_runtime.tools.session import Session

KIND: lookup.RecordKind[TemplateEntry] = lookup.RecordKind("templates")


TOOLS = Tools("{prefix}_", family="reference", needs=(KIND,))


@TOOLS.tool(
    "A template in full: what it is for, instructions, text.",
    parameter.required("templateId", "Id from {prefix}_list_templates.", 200),
    parameter.cursor("nextCursor"),
)
def get_template(session: Session, arguments: dict[str, Any]) -> Answer[Template]:
    wanted: str = arguments["templateId"]
    record = lookup.find(session, KIND, wanted)
    if record is None:
        known = lookup.ids(session, KIND)
        raise not_found(
            f"no template is called {quoted(wanted)}. Available templates: {', '.join(known)}",
            f"Call {lookup.tool_name(session, 'list_templates')} to compare them.",
            suggestions=suggest(wanted, known) or known[:10],
            details={"availableTemplates": known},
        )
    structured: Template = {
        "id": record["id"],
        "name": record["name"],
        "description": record.get("description", ""),
        "framework": record.get("framework", ""),
        "filename": record["filename"],
        "use_for": record.get("use_for", []),
        "includes": record.get("includes", []),
        "instructions": record.get("instructions", []),
        "content": record.get("text", ""),
        "lines": record["lines"],
    }
    structured |= present(workflow=record.get("workflow"), key_patterns=record.get("key_patterns"))
    own_name = lookup.tool_name(session, "get_template")
    part_of = {"id": record["id"]}
    return json_answer(content_part(session, structured, arguments["cursor"], own_name, part_of))


@TOOLS.tool(
    "All templates, or those of one framework.",
    parameter.text("framework", "Only this framework.", 200, choices_from="template_frameworks"),
)
def list_templates(session: Session, arguments: dict[str, Any]) -> Answer[TemplateList]:
    found = list(lookup.summaries(session, KIND))
    wanted: str | None = arguments["framework"]
    if wanted is None:
        return json_answer(
            {"total": len(found), "templates": [_entry(session, record) for record in found]}
        )
    frameworks = sorted({record.get("framework", "") for record in found} - {""})
    framework = lookup.choice(session, "framework", wanted, frameworks, "list_templates")
    chosen = [_entry(session, record) for record in found if record.get("framework") == framework]
    return json_answer({"framework": framework, "count": len(chosen), "templates": chosen})


def _entry(session: Session, record: TemplateEntry) -> TemplateSummary:
    entry: TemplateSummary = {
        "id": record["id"],
        "name": record["name"],
        "description": record.get("description", ""),
        "framework": record.get("framework", ""),
        "filename": record["filename"],
    }
    entry |= present(address=lookup.own_address(session, record))
    return entry
