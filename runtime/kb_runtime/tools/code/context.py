"""`semantic_search` and `get_context_for_prompt`: what `codebase_retrieval` finds, as a short list and as
one text within a token budget."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.store.symbols import KEY
from kb_runtime.text.rendering import cut, fence
from kb_runtime.text.tables import count_of
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.code.index import KIND, code_tools, path_globs
from kb_runtime.tools.code.passages import MEANING_SHARE
from kb_runtime.tools.code.retrieval import MAX_QUERY_CHARS, MAX_TOP_K, WAS_CUT, retrieve
from kb_runtime.tools.code.symbols import PATHS, Found, SymbolIndex, top_k_argument
from kb_runtime.tools.declaration import Answer, Argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_runtime.tools.code.answers import (
        CodeResult,
        CodeResults,
        ContextFile,
        PromptContext,
        SemanticHit,
        SemanticSearch,
    )
    from kb_runtime.tools.session import Session

SNIPPET_CHARS = 1_200
MAX_SNIPPETS_CHARS = 24_000
CHARS_PER_TOKEN = 4
"""An estimate: code takes three to four characters a token in the vocabularies of current models."""

MAX_BUDGET = 20_000
MAX_FILES = 20
MAX_RELATED = 5
MAX_SIGNATURES = 5
MAX_SYMBOLS = 20


QUERY = parameter.required("query", "What you look for, in natural language.", MAX_QUERY_CHARS)
TOOLS = code_tools()


@TOOLS.tool(
    "A short list of passages of the source trees that fit a description, by meaning and"
    " by words. codebase_retrieval says more about each.",
    QUERY,
    top_k_argument("results", MAX_TOP_K),
    parameter.text(
        "mode",
        "deep looks at more candidates and shows whole definitions.",
        default="fast",
        choices=("fast", "deep"),
    ),
    parameter.text(
        "profile",
        "Effort as in codebase_retrieval; replaces mode.",
        choices=("fast", "balanced", "rich"),
    ),
    *PATHS,
)
def semantic_search(session: Session, arguments: dict[str, Any]) -> Answer[SemanticSearch]:
    profile = arguments["profile"] or ("rich" if arguments["mode"] == "deep" else "fast")
    found = _retrieved(session, arguments, arguments["top_k"], profile)
    hits: list[SemanticHit] = []
    chars = 0
    for result in found["results"]:
        content = result["content"]
        hit: SemanticHit = {
            "file": result["file"],
            "lines": result["lines"],
            "score": result["score"],
            "snippet": content[: cut(content, 0, SNIPPET_CHARS)].rstrip(),
        }
        hit |= present(address=result.get("address"), stale=result.get("stale"))
        chars += len(hit["snippet"])
        if chars > MAX_SNIPPETS_CHARS:
            break
        hits.append(hit)
    structured: SemanticSearch = {
        "query": arguments["query"],
        "mode": found["metadata"]["query_mode"],
        "results": hits,
        "metadata": found["metadata"],
    }
    warnings = list(found.get("warnings", ()))
    if len(hits) < len(found["results"]):
        warnings.append(
            f"the answer was cut after {count_of(len(hits), 'result')}: ask more narrowly"
        )
    structured |= present(warnings=warnings)
    parts = [f"# {count_of(len(hits), 'result')} for: {arguments['query']}"]
    parts += (
        f"## {_name(hit)}:{hit['lines']} ({hit['score']:.2f})\n{fence(hit['snippet'])}"
        for hit in hits
    )
    parts += (f"Note: {warning}" for warning in warnings)
    return Answer("\n\n".join(parts), structured)


def _retrieved(
    session: Session, arguments: dict[str, Any], top_k: int, profile: str
) -> CodeResults:
    asked = {
        "query": arguments["query"],
        "top_k": top_k,
        "include_paths": arguments["include_paths"],
        "exclude_paths": arguments["exclude_paths"],
        "profile": profile,
        "response_version": "v1",
        "compact": False,
    }
    return retrieve(session, asked)


class _Text:
    """A text within a budget of characters."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self.parts: list[str] = []
        self.is_cut = False

    def add(self, part: str) -> bool:
        """Whether the part fitted."""
        if len(part) + 2 > self.left:
            self.is_cut = True
            return False
        self.parts.append(part)
        self.left -= len(part) + 2
        return True


@TOOLS.tool(
    "One text with the code that a task needs, for a prompt: the best files with their"
    " passages, and the signatures of what these use of other files, within a token budget.",
    QUERY,
    parameter.integer(
        "max_files", "Number of files.", 1, MAX_FILES, default=5, out_of_range="reject"
    ),
    parameter.integer(
        "token_budget",
        "Tokens of the whole text, at four characters a token.",
        200,
        MAX_BUDGET,
        default=8_000,
        out_of_range="reject",
    ),
    parameter.flag("include_related", "Add what the passages use from other files.", True),
    Argument(
        "min_relevance",
        "number",
        "Minimum score of a passage.",
        default=0.3,
        minimum=0,
        maximum=1,
        out_of_range="reject",
    ),
    *PATHS,
)
def get_context_for_prompt(session: Session, arguments: dict[str, Any]) -> Answer[PromptContext]:
    found = _retrieved(session, arguments, MAX_TOP_K, "rich")
    # How much fits is a matter of `token_budget`, which `truncated` tells.
    warnings = [each for each in found.get("warnings", ()) if not each.startswith(WAS_CUT)]
    by_file: dict[str, list[CodeResult]] = {}
    least = arguments["min_relevance"]
    if found["metadata"]["query_mode"] == "keyword":  # scores then lack what meaning adds
        least *= 1 - MEANING_SHARE
    for result in found["results"]:
        if result["score"] >= least:
            by_file.setdefault(_name(result), []).append(result)
    if found["results"] and not by_file:
        best = found["results"][0]
        warnings.append(
            f"no passage reaches min_relevance {least:.2f}: the best is"
            f" {_name(best)} with {best['score']:.2f}"
        )
    budget: int = arguments["token_budget"]
    text = _Text(budget * CHARS_PER_TOKEN)
    text.add(f"# Context for: {arguments['query']}")
    shown: list[ContextFile] = []
    for results in list(by_file.values())[: arguments["max_files"]]:
        entry = _add_file(session, text, results)
        if entry is not None:
            shown.append(entry)
    if arguments["include_related"] and shown:
        _add_related(session, arguments, text, shown)
    context = "\n\n".join(text.parts)
    structured: PromptContext = {
        "query": arguments["query"],
        "context": context,
        "files": shown,
        "tokens": -(-len(context) // CHARS_PER_TOKEN),
        "token_budget": budget,
        "truncated": text.is_cut,
        "metadata": found["metadata"],
    }
    structured |= present(warnings=warnings)
    notes = [f"Note: {warning}" for warning in warnings]
    return Answer("\n\n".join([context, *notes]), structured)


def _name(result: CodeResult | SemanticHit | ContextFile) -> str:
    """What a file is called: its address where several knowledge bases are served, whose paths may be
    the same."""
    return result.get("address") or result["file"]


def _add_file(session: Session, text: _Text, results: Sequence[CodeResult]) -> ContextFile | None:
    """Adds the passages of a file, best first within the budget, shown in the order of the file."""
    best = results[0]
    record = lookup.find_path(session, KIND, best["file"], _name(best))
    defined = (record.get("definitions") or []) if record is not None else []
    outermost = (each for each in defined if not each["parent"] and each["kind"] != KEY)
    names = [each["name"] for each in outermost][:MAX_SYMBOLS]
    head = f"## {_name(best)}" + (f"\nDefines: {', '.join(names)}" if names else "")
    passages: list[CodeResult] = []
    room = text.left - len(head) - 4
    for result in results:
        rendered = len(_passage(result))
        if rendered > room:
            text.is_cut = True
            continue
        room -= rendered + 2
        passages.append(result)
    if not passages:
        return None
    passages.sort(key=lambda result: int(result["lines"].partition("-")[0]))
    text.add("\n\n".join([head, *map(_passage, passages)]))
    entry: ContextFile = {
        "file": best["file"],
        "score": best["score"],
        "reason": best["reason"],
        "symbols": names,
        "snippets": [result["lines"] for result in passages],
    }
    entry |= present(address=best.get("address"))
    return entry


def _passage(result: CodeResult) -> str:
    stale = " (the file has changed since it was indexed)" if result.get("stale") else ""
    return f"Lines {result['lines']}{stale}\n{fence(result['content'])}"


def _add_related(
    session: Session, arguments: dict[str, Any], text: _Text, shown: list[ContextFile]
) -> None:
    """Adds the signatures of what the passages use of other files, most used files first."""
    try:
        index = SymbolIndex(session, path_globs(arguments))
    except ToolError:  # no symbols yet
        return
    known = {_name(each) for each in shown}
    used: Counter[str] = Counter()
    related: dict[str, dict[str, None]] = {}
    for file in shown:
        for found in _targets(index, file):
            name = index.file_name(found.tree, found.record)
            if name in known:
                continue
            used[name] += 1
            place = index.place(found)
            signature = place.get("signature") or f"{place['kind']} {place['name']}"
            signatures = related.setdefault(name, {})
            signatures[f"- {place['lines']}: {signature}"] = None
    lines = [
        "\n".join([f"### {file}", *list(related[file])[:MAX_SIGNATURES]])
        for file, _ in used.most_common(MAX_RELATED)
    ]
    if lines:
        text.add("\n\n".join(["## Used from other files", *lines]))


def _targets(index: SymbolIndex, file: ContextFile) -> list[Found]:
    """The definitions that the passages of a file use, as far as they are known."""
    targets = []
    for tree in index.trees:
        number = tree.catalog.find(file["file"])
        if number is None or index.file_name(tree, number) != _name(file):
            continue
        own = next(
            (each for each in range(tree.symbols.files) if tree.catalog.place(each) == number), None
        )
        for lines in file["snippets"] if own is not None else ():
            first, _, last = lines.partition("-")
            for row in tree.symbols.uses_in(own or 0, int(first), int(last)):
                target = tree.symbols.use(row).target
                found = index.found(tree, target) if target >= 0 else None
                if found is not None:
                    targets.append(found)
    return targets
