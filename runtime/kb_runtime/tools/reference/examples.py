"""`get_example`, `list_examples` and `example_info`: the source files of the examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.cursors import bad_cursor
from kb_runtime.text.names import PATH_SUGGESTIONS, SUGGESTIONS, clean_path, quoted, suggest
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.budget import content_part
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.paging import LIST_ARGUMENTS, Pager
from kb_runtime.tools.reference import builtins
from kb_runtime.tools.refusal import not_found

if TYPE_CHECKING:
    from kb_runtime.records.entries import ExampleEntry
    from kb_runtime.tools.reference.answers import Example, ExampleInfo, ExampleList
    from kb_runtime.tools.session import Session

KIND: lookup.RecordKind[ExampleEntry] = lookup.RecordKind("examples")
_FIRST_EXAMPLES = 10
_NEXT_FILES = 3


_PATH = "Path below the examples folder."
TOOLS = Tools("{prefix}_", family="reference", needs=(KIND,))


@TOOLS.tool(
    "An example file in full; for a folder, the files at every depth below it.",
    parameter.required("path", _PATH, 1000),
    parameter.cursor("nextCursor"),
)
def get_example(session: Session, arguments: dict[str, Any]) -> Answer[Example]:
    path = clean_path(lookup.record_id(arguments["path"]), "path")
    record = _example(session, path, arguments["path"])
    if record is not None and record["id"].casefold() == path.casefold():
        return _file(session, record, arguments["cursor"])
    folder = _folder(session, path)
    if folder is not None:
        return _directory(session, *folder, arguments["cursor"])
    if record is not None:
        return _file(session, record, arguments["cursor"])
    raise _no_example(session, arguments["path"], path, SUGGESTIONS)


def _file(session: Session, record: ExampleEntry, cursor: str | None) -> Answer[Example]:
    structured: Example = {
        "path": record["id"],
        "type": "file",
        "category": category_of(record),
        "content": record.get("text", ""),
        "lines": record["lines"],
        "relativePath": record["id"],
    }
    own_name = lookup.tool_name(session, "get_example")
    part_of = {"path": record["id"]}
    return json_answer(content_part(session, structured, cursor, own_name, part_of))


def _directory(
    session: Session, name: str, files: Sequence[str], cursor: str | None
) -> Answer[Example]:
    """The paths of the files below a folder, in parts where they are many."""
    files = _told(session, files)
    suggestion = "Read one of its files: " + ", ".join(files[:_NEXT_FILES])
    own_name = lookup.tool_name(session, "get_example")
    pager = Pager(session.artifact.build_id, own_name, {"directory": name})
    page = pager.fitting(cursor, files, None, session.max_chars - len(name) - len(suggestion))
    structured: Example = {
        "path": name,
        "type": "directory",
        "files": list(files[page.start : page.stop]),
        "suggestion": suggestion,
    }
    structured |= present(nextCursor=page.next)
    return json_answer(structured)


def _told(session: Session, ids: Sequence[str]) -> list[str]:
    """What get_example takes for the examples of these ids: the addresses of those that several
    knowledge bases have."""
    if len(session.artifact.served) < 2:
        return list(ids)
    told: dict[str, list[str]] = {}
    for record in lookup.summaries(session, KIND):
        told.setdefault(record["id"], []).append(_name(session, record))
    return [name for id in ids for name in told[id]]


def _name(session: Session, record: ExampleEntry) -> str:
    return lookup.own_address(session, record) or record["id"]


def category_of(record: ExampleEntry) -> str:
    """The first folder of the example's path, empty for a file at the top."""
    return str(record.get("category", ""))


def _example(session: Session, path: str, given: str) -> ExampleEntry | None:
    """The example at `path`, which was taken from `given`; a path from the knowledge base's root
    (`examples/...`) works as well."""
    found = lookup.find_path(session, KIND, path, given) if path else None
    if found is not None:
        return found
    folded = path.casefold()
    with_path = lookup.matching(session, KIND, lambda each: each["path"].casefold() == folded)
    return next(with_path, None)


def _folder(session: Session, path: str) -> tuple[str, list[str]] | None:
    """The folder that `path` means, as it is written in the index, and all files below it, sorted.

    The collection's own folder may be named too, alone or in front; alone it is the name, which is `/`
    when the collection has no folder.
    """
    for base, start in [("/", path), *_below_base(session, path)]:
        files = [
            id
            for id in lookup.ids(session, KIND)
            if not start or id.casefold().startswith(start.casefold() + "/")
        ]
        if files:
            return files[0][: len(start)] or base, sorted(files)
    return None


def _below_base(session: Session, path: str) -> list[tuple[str, str]]:
    """The folders of example collections that `path` begins with, and what follows them."""
    bases = {
        record["path"].removesuffix(record["id"]).strip("/")
        for catalog in lookup.catalogs(session, KIND)
        if len(catalog)
        for record in [catalog.head(0)]
    }
    folded = path.casefold()
    return [
        (base, path[len(base) + 1 :])
        for base in sorted(bases)
        if base and (folded == base.casefold() or folded.startswith(base.casefold() + "/"))
    ]


def _no_example(session: Session, given: str, path: str, limit: int) -> ToolError:
    if several := lookup.several_endings(session, KIND, path, given, "example"):
        return several
    known = lookup.ids(session, KIND)
    categories = sorted({category_of(record) for record in lookup.summaries(session, KIND)})
    category = path.partition("/")[0].casefold()
    near = suggest(path, known, limit)
    near += [id for id in sorted(known) if id.casefold().startswith(category + "/")]
    if " " in given and "/" not in given:  # described instead of named
        near = [*lookup.searched(session, KIND, given, limit), *near]
    if not near:
        near = lookup.searched(session, KIND, given, limit)
    return not_found(
        f"no example matches {quoted(given)}. Available categories: {', '.join(categories)}",
        f"Call {lookup.tool_name(session, 'list_examples')} with a category,"
        f" or {lookup.tool_name(session, 'hybrid_search')} with scope examples and a phrase.",
        suggestions=list(dict.fromkeys(near))[:limit],
        details={"availableCategories": categories},
    )


@TOOLS.tool(
    "Examples by category, or all paths of one category; feature keeps those that use"
    " a builtin, keyword or module.",
    parameter.text("category", "Only this category.", 1000, choices_from="example_categories"),
    parameter.text("feature", "A builtin, keyword, module or name.", 200),
    *LIST_ARGUMENTS,
)
def list_examples(session: Session, arguments: dict[str, Any]) -> Answer[ExampleList]:
    feature: str | None = arguments["feature"]
    if feature is None:
        found = list(lookup.summaries(session, KIND))
    else:
        found = _with_feature(session, lookup.records(session, KIND), feature)
    warnings = []
    if feature is not None and not found:
        search = lookup.tool_name(session, "hybrid_search")
        warnings.append(
            f"no example has the feature {quoted(feature)}; try {search} with scope examples"
        )
    structured: ExampleList
    if arguments["category"] is not None:
        category, inside = _in_category(session, arguments["category"])
        within = set(inside)
        chosen = sorted(
            (record for record in found if record["id"] in within), key=lambda one: one["id"]
        )
        paths = [_name(session, record) for record in chosen]
        listing = lookup.tool_name(session, "list_examples")
        scope = {"category": category, "feature": feature}
        pager = Pager(session.artifact.build_id, listing, scope)
        page = pager.fitting(arguments["cursor"], paths, arguments["limit"], session.max_chars)
        structured = {
            "category": category,
            "total": len(paths),
            "examples": paths[page.start : page.stop],
        }
        structured |= present(nextCursor=page.next)
        if feature is not None and found and not paths:
            warnings.append(
                f"no example in {quoted(category)} has the feature {quoted(feature)},"
                f" but {len(found)} elsewhere have: leave category out"
            )
    else:
        if arguments["cursor"] is not None:
            raise bad_cursor("it belongs to a request with a category")
        if arguments["limit"] is not None:
            warnings.append("limit ignored: it needs a category")
        by_category: dict[str, list[str]] = {}
        for record in found:
            by_category.setdefault(category_of(record), []).append(_name(session, record))
        structured = {
            "total": len(found),
            "categories": {
                category: {
                    "count": len(paths),
                    "examples": sorted(paths)[:_FIRST_EXAMPLES],
                    "hasMore": len(paths) > _FIRST_EXAMPLES,
                }
                for category, paths in sorted(by_category.items())
            },
        }
    if feature is not None:
        structured["feature"] = feature
    structured |= present(warnings=warnings)
    return json_answer(structured)


def _in_category(session: Session, wanted: str) -> tuple[str, list[str]]:
    """A category, or a folder below one, and the paths in it, sorted. Raises NOT_FOUND."""
    folded = wanted.strip("/").casefold()
    named = [
        record
        for record in lookup.summaries(session, KIND)
        if category_of(record).casefold() == folded
    ]
    if named:
        return category_of(named[0]), sorted(record["id"] for record in named)
    folder = _folder(session, clean_path(wanted, "category"))
    if folder is not None:
        return folder
    categories = sorted({category_of(record) for record in lookup.summaries(session, KIND)})
    raise lookup.unknown_choice(session, "category", wanted, categories, "list_examples")


def _with_feature(
    session: Session, records: Iterable[ExampleEntry], feature: str
) -> list[ExampleEntry]:
    """The examples that use a builtin, or that have a keyword, module or definition of this name."""
    builtin = lookup.find(session, builtins.KIND, feature)
    names = {feature} if builtin is None else {builtin["name"], feature}
    uses = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names)))
    folded = feature.casefold()
    return [
        record
        for record in records
        if folded in _feature_names(record)
        or (
            builtin is not None and uses.search(_COMMENT_OR_STRING.sub(" ", record.get("text", "")))
        )
    ]


def _feature_names(record: ExampleEntry) -> set[str]:
    fields = ("keywords", "modules", "types", "constants", "functions", "actions", "tests", "tags")
    lists: Any = [record.get(field, ()) for field in fields]
    names = {name.casefold() for names in lists for name in names}
    return names | {each["module"].casefold() for each in record.get("imports", ())}


# A comment that nobody closes reaches to the end: else each of many would be looked for to there.
_COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"", re.DOTALL)


@TOOLS.tool(
    "What an example file defines, without its text: modules, imports, types,"
    " functions, actions, tests.",
    parameter.required("path", _PATH, 1000),
)
def example_info(session: Session, arguments: dict[str, Any]) -> Answer[ExampleInfo]:
    path = clean_path(lookup.record_id(arguments["path"]), "path")
    record = _example(session, path, arguments["path"])
    if record is None:
        raise _no_example(session, arguments["path"], path, PATH_SUGGESTIONS)
    tests = record.get("tests", [])
    structured: ExampleInfo = {
        "path": record["id"],
        "filename": record["filename"],
        "category": category_of(record),
        "modules": record.get("modules", []),
        "description": record.get("description", ""),
        "imports": [
            {"module": each["module"], "from": each["source"]} for each in record.get("imports", ())
        ],
        "types": record.get("types", []),
        "constants": record.get("constants", []),
        "functions": record.get("functions", []),
        "actions": record.get("actions", []),
        "keywords": record.get("keywords", []),
        "hasTests": bool(tests),
        "tests": sorted(tests, key=lambda name: not name.endswith("Test")),
        "size": record["size"],
    }
    if record.get("subcategory"):
        structured["subcategory"] = record["subcategory"]
    return json_answer(structured)
