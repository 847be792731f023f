"""The shapes of JSON, and that of a manifest: what `verify` accepts and what a server opens is decided here.

Nothing is imported: a client waits while a server reads its manifest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Check = Callable[[Any], bool]

MOST_ROWS = 1 << 31
"""Rows are numbered with 32 bits."""


def problem(fields: Any) -> str:
    """What is wrong with a manifest's fields, as the end of a sentence; empty when nothing is."""
    if not isinstance(fields, dict):
        return "it is not an object"
    for name, check in _FIELDS.items():
        optional = name.endswith("?")
        name = name.removesuffix("?")
        if name not in fields and not optional:
            return f"it has no {name!r}"
        if name in fields and not check(fields[name]):
            return f"its {name!r} is not what it should be"
    return _row_problem(fields["collections"]) or _scope_problem(fields)


def _row_problem(collections: list[dict[str, Any]]) -> str:
    row = 0
    for entry in collections:
        if entry["first_row"] != row:
            return (
                f"the collection {entry['name']!r} starts at row {entry['first_row']}, not at {row}"
            )
        row += entry["chunks"]
    if row > MOST_ROWS:
        return f"it has {row} rows, more than can be numbered"
    if len({entry["name"] for entry in collections}) < len(collections):
        return "two collections have one name"
    return ""


def _scope_problem(fields: dict[str, Any]) -> str:
    known = {entry["name"] for entry in fields["collections"]}
    for scope, names in fields["scopes"].items():
        for name in names:
            if name not in known:
                return f"the scope {scope!r} names {name!r}, which is not a collection"
    return ""


def is_text(value: Any) -> bool:
    """Whether a value is text that UTF-8 can carry."""
    return isinstance(value, str) and (value.isascii() or _is_unicode(value))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def is_name(value: Any) -> bool:
    return is_text(value) and value != ""


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _anything(value: Any) -> bool:
    del value
    return True


def is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and not value.strip("0123456789abcdef")


def or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def map_of(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def object_of(**fields: Check) -> Check:
    """An object that has at least these fields; a name that ends with `_` may be missing."""
    checks = [(name.removesuffix("_"), name.endswith("_"), check) for name, check in fields.items()]

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        for key, optional, check_field in checks:
            if key in value:
                if not check_field(value[key]):
                    return False
            elif not optional:
                return False
        return True

    return check


is_input_list = list_of(object_of(path=is_name, bytes=is_count, sha256=is_text))
_FIELDS: dict[str, Check] = {
    "format": is_count,
    "name": is_name,
    "title?": is_text,
    "version?": is_text,
    "description?": is_text,
    "license?": is_text,
    "prefix?": is_text,
    "build_id": is_name,
    "built_at?": is_text,
    "collections": list_of(
        object_of(
            name=is_name,
            kind=is_name,
            group_=is_text,
            url_=is_text,
            paths_=list_of(is_text),
            records=is_count,
            chunks=is_count,
            first_row=is_count,
        )
    ),
    "scopes": map_of(list_of(is_text)),
    "shards?": list_of(
        object_of(
            build_id=is_name,
            records=map_of(is_count),
            chunks=map_of(is_count),
            languages=map_of(is_count),
        )
    ),
    "encoder?": or_null(
        object_of(
            model=is_text,
            dimensions=lambda value: is_count(value) and 0 < value <= 65_536,
            max_tokens=lambda value: is_count(value) and 0 < value <= 1 << 20,
            prompts_=object_of(query_=is_text, document_=is_text),
            self_test=object_of(
                min_cosine=is_number, entries=list_of(object_of(text=is_text, vector=is_text))
            ),
        )
    ),
    "reranker?": or_null(
        object_of(
            model=is_text,
            max_tokens=lambda value: is_count(value) and 0 < value <= 1 << 20,
            self_test=object_of(
                max_difference=is_number,
                entries=list_of(object_of(query=is_text, text=is_text, score=is_number)),
            ),
        )
    ),
    "search?": object_of(
        candidates_=lambda value: is_count(value) and 0 < value <= 65_536,
        fusion_=is_text,
        rrf_k_=is_number,
        alpha_=or_null(is_number),
        boosts_=map_of(is_number),
        weights_=map_of(is_number),
        ranking_=map_of(is_switch),
        reranker_=or_null(is_text),
        rerank_=is_switch,
        exact_rows_=is_count,
        languages_=list_of(is_text),
    ),
    "tools?": object_of(
        families_=or_null(list_of(is_text)),
        offer_=or_null(is_text),
        prefix_=is_switch,
        max_chars_=or_null(is_count),
        aliases_=map_of(is_text),
        context_chars_=or_null(is_count),
        max_context_chars_=or_null(is_count),
    ),
    "package?": map_of(_anything),
    "inputs?": is_input_list,
    "libraries?": map_of(_anything),
    "warnings?": list_of(object_of(code=is_text, message=is_text, path_=is_text, line_=is_count)),
    "files": list_of(object_of(path=is_name, bytes=is_count, sha256=is_digest)),
}
"""A field whose name ends with `?` may be missing."""
