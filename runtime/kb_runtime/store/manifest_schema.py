"""The types of a manifest's fields: what `verify` accepts and what a server opens are decided here alone.

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


def _text(value: Any) -> bool:
    return isinstance(value, str) and (value.isascii() or _is_unicode(value))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _name(value: Any) -> bool:
    return _text(value) and value != ""


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _switch(value: Any) -> bool:
    return isinstance(value, bool)


def _anything(value: Any) -> bool:
    del value
    return True


def _digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and not value.strip("0123456789abcdef")


def _or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _map(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _object(**fields: Check) -> Check:
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


_FILE = _object(path=_name, bytes=_count, sha256=_digest)
_FIELDS: dict[str, Check] = {
    "format": _count,
    "name": _name,
    "title?": _text,
    "version?": _text,
    "description?": _text,
    "license?": _text,
    "prefix?": _text,
    "build_id": _name,
    "built_at?": _text,
    "collections": _list(
        _object(
            name=_name,
            kind=_name,
            group_=_text,
            url_=_text,
            paths_=_list(_text),
            records=_count,
            chunks=_count,
            first_row=_count,
        )
    ),
    "scopes": _map(_list(_text)),
    "shards?": _list(
        _object(build_id=_name, records=_map(_count), chunks=_map(_count), languages=_map(_count))
    ),
    "encoder?": _or_null(
        _object(
            model=_text,
            dimensions=lambda value: _count(value) and 0 < value <= 65_536,
            max_tokens=lambda value: _count(value) and 0 < value <= 1 << 20,
            prompts_=_object(query_=_text, document_=_text),
            self_test=_object(min_cosine=_number, entries=_list(_object(text=_text, vector=_text))),
        )
    ),
    "reranker?": _or_null(
        _object(
            model=_text,
            max_tokens=lambda value: _count(value) and 0 < value <= 1 << 20,
            self_test=_object(
                max_difference=_number,
                entries=_list(_object(query=_text, text=_text, score=_number)),
            ),
        )
    ),
    "search?": _object(
        candidates_=lambda value: _count(value) and 0 < value <= 65_536,
        fusion_=_text,
        rrf_k_=_number,
        alpha_=_or_null(_number),
        boosts_=_map(_number),
        weights_=_map(_number),
        ranking_=_map(_switch),
        reranker_=_or_null(_text),
        rerank_=_switch,
        exact_rows_=_count,
        languages_=_list(_text),
    ),
    "tools?": _object(
        families_=_or_null(_list(_text)),
        offer_=_or_null(_text),
        prefix_=_switch,
        max_chars_=_or_null(_count),
        aliases_=_map(_text),
        context_chars_=_or_null(_count),
        max_context_chars_=_or_null(_count),
    ),
    "package?": _map(_anything),
    "inputs?": _anything,
    "libraries?": _map(_anything),
    "warnings?": _list(_anything),
    "files": _list(_FILE),
}
"""A field whose name ends with `?` may be missing."""
