"""The symbols of all source trees that a call sees: definitions by name, and the uses of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from kb_runtime.errors import ToolError
from kb_runtime.search.ranking.paths import is_use
from kb_runtime.store.symbols import FAMILIES, MEMBER_HOLDERS
from kb_runtime.text.names import quoted, suggest
from kb_runtime.text.tables import count_of
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.code.freshness import changes, reachable_tree
from kb_runtime.tools.code.index import KIND, followed, path_globs
from kb_runtime.tools.declaration import Argument
from kb_runtime.tools.refusal import not_found

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.search.ports import Records
    from kb_runtime.store.symbols import DefinitionRow, Symbols, UseRow
    from kb_runtime.text.globs import PathGlobs
    from kb_runtime.tools.code.answers import SymbolPlace
    from kb_runtime.tools.session import Session

MAX_SYMBOL_CHARS = 300
MAX_ANSWER_CHARS = 25_000
"""Of the structure of an answer, about: what a model reads of one call."""

_QUALIFIERS = re.compile(r"::|\.|#|\\|->")
_AROUND_NAMES = re.compile(r"\([^()]*\)$|[()*&]")
"""What code has around names: `(*Pump).start(2)`."""


def segments(symbol: str) -> list[str]:
    """A name behind its qualifiers, the outermost first; a symbol that has none of both is one."""
    return [*filter(None, _QUALIFIERS.split(symbol))] or [symbol]


def without_signs(symbol: str) -> str:
    """A symbol without what code has around names, where anything is left."""
    return _AROUND_NAMES.sub("", symbol) or symbol


SYMBOL = parameter.required(
    "symbol",
    "A name, or with what it is a member of: `parse`, `Parser.parse`, `fmt::Display`.",
    MAX_SYMBOL_CHARS,
)
PATHS = (
    parameter.texts("include_paths", "Only files that match one of these globs."),
    parameter.texts("exclude_paths", "No files that match one of these globs."),
)
LANGUAGE = parameter.text("language_hint", "Only files of this language, such as `go`.", 40)


def top_k_argument(items: str, most: int) -> Argument:
    """How many `items` an answer has, from 1 to `most`."""
    return parameter.integer(
        "top_k", f"Number of {items}.", 1, most, default=10, out_of_range="reject"
    )


def notes(structured: Any) -> list[str]:
    """The last lines of an answer's text: its warnings, and how it goes on."""
    lines = [f"Note: {warning}" for warning in structured.get("warnings", ())]
    if "nextCursor" in structured:
        lines.append(f"More: repeat the call with cursor {structured['nextCursor']}")
    return lines


class Tree(NamedTuple):
    """The symbols of one collection."""

    info: CollectionInfo
    catalog: Records
    symbols: Symbols


class Found(NamedTuple):
    """A definition: its row in its tree, and its record's position in the catalog."""

    tree: Tree
    row: int
    definition: DefinitionRow
    record: int

    @property
    def file(self) -> str:
        return self.tree.catalog.id(self.record)


class FoundUse(NamedTuple):
    tree: Tree
    use: UseRow
    record: int

    @property
    def file(self) -> str:
        return self.tree.catalog.id(self.record)


class SymbolIndex:
    """What one call reads. `incomplete` says in a sentence which files have no symbols, "" for none; `notes`
    say what else was looked up than what was asked for."""

    def __init__(
        self, session: Session, globs: PathGlobs | None = None, language: str = ""
    ) -> None:
        """Only files that `globs` and `language` leave are seen. Raises UNAVAILABLE where no source
        tree has symbols."""
        self._session = session
        self._globs = globs
        self._language = _language(language)
        self.notes: list[str] = []
        self._entries: dict[tuple[str, int], dict[str, Any]] = {}
        self._lines: dict[tuple[str, int], list[str]] = {}
        self._places: dict[tuple[str, int], int | None] = {}
        self._states: dict[str, str] = {}
        self.trees: list[Tree] = []
        without = 0
        for info in lookup.collections(session, KIND):
            symbols = session.artifact.symbols(info.name)
            if symbols is None:
                without += info.records
            else:
                catalog = session.artifact.catalog(info.name)
                self.trees.append(Tree(info, catalog, symbols))
        self.incomplete = ""
        is_followed = followed(session) is not None
        if without or (is_followed and not self.trees):
            when = "build the knowledge base again with this kbc"
            if is_followed:
                when = "they are being parsed: ask again in a few seconds"
            have = "1 file has" if without == 1 else f"{without or 'all'} files have"
            self.incomplete = f"{have} no symbols yet; {when}"
        if not self.trees:
            raise ToolError(
                "UNAVAILABLE",
                f"the symbols of the source files are not compiled: {self.incomplete}",
                next_steps=["Use codebase_retrieval or grep meanwhile."],
            )

    @classmethod
    def of(
        cls, session: Session, arguments: Mapping[str, Any], *, everywhere: bool = False
    ) -> Self:
        """What the arguments `language_hint` and, unless `everywhere`, those for paths leave."""
        globs = None if everywhere else path_globs(arguments)
        return cls(session, globs, arguments["language_hint"] or "")

    def entry(self, tree: Tree, record: int) -> dict[str, Any]:
        """The record of a file, decoded once a call."""
        key = tree.info.name, record
        if key not in self._entries:
            self._entries[key] = tree.catalog[record]
        return self._entries[key]

    def record_of(self, tree: Tree, file: int) -> int | None:
        """Where a file's record is; None for one that is hidden or not asked for."""
        key = tree.info.name, file
        if key not in self._places:
            place = tree.catalog.place(file)
            if place is not None and self._globs and tree.catalog.id(place) not in self._globs:
                place = None
            if place is not None and self._language:
                language = self.entry(tree, place).get("language", "")
                place = place if language in self._language else None
            self._places[key] = place
        return self._places[key]

    def address(self, tree: Tree, record: int) -> str | None:
        """The address of a file, where several knowledge bases are served."""
        return lookup.told_address(self._session, tree.info.name, tree.catalog.id(record))

    def file_name(self, tree: Tree, record: int) -> str:
        """What answers call a file, where they name it beside a line."""
        return lookup.told_name(self._session, tree.info.name, tree.catalog.id(record))

    def found(self, tree: Tree, row: int) -> Found | None:
        """The definition of a row; None for one in a hidden file."""
        definition = tree.symbols.definition(row)
        record = self.record_of(tree, definition.file)
        return None if record is None else Found(tree, row, definition, record)

    def named(self, symbol: str) -> list[Found]:
        """The definitions that a name means, with its qualifier where one is given."""
        *qualifier, name = segments(symbol)
        found = [
            one
            for tree in self.trees
            if (number := tree.symbols.find(name)) is not None
            for row in tree.symbols.definitions_of(number)
            if (one := self.found(tree, row)) is not None
        ]
        if qualifier:
            found = [one for one in found if self._is_in(one, qualifier[-1])]
        return found

    def required(self, symbol: str) -> list[Found]:
        """As `named`, the best first; parentheses as in `(*Pump).start()` do not count. Where nothing has the
        name, what has it in another case, or without a qualifier that nothing is called, with a note. Raises
        NOT_FOUND."""
        bare = without_signs(symbol)
        if found := self.named(symbol) or self.named(bare) or self._nearly_named(bare):
            return sorted(found, key=self.order)
        name = segments(bare)[-1]
        names = {
            tree.symbols.name(number)
            for tree in self.trees
            for number, _ in tree.symbols.matching(re.compile(""))
            if any(
                tree.catalog.place(tree.symbols.definition(row).file) is not None
                for row in tree.symbols.definitions_of(number)
            )
        }
        raise not_found(
            f"there is no definition of {quoted(symbol)} in {self.seen}",
            *([f"Leave out {self.limits}."] if self.limits else []),
            "Call symbol_search with a part of the name, or codebase_retrieval.",
            suggestions=suggest(name, names),
        )

    def _nearly_named(self, symbol: str) -> list[Found]:
        """What a name means that is written otherwise than its definition; `notes` says so."""
        *qualifiers, name = segments(symbol)
        qualifier = qualifiers[-1] if qualifiers else ""
        same = re.compile(rf"\A{re.escape(name)}\Z", re.IGNORECASE)
        names = {
            tree.symbols.name(number)
            for tree in self.trees
            for number, _ in tree.symbols.matching(same)
        }
        found = [
            one
            for each in sorted(names - {name})
            for one in self.named(f"{qualifier}.{each}" if qualifier else each)
        ]
        if found:
            self.notes.append(
                f"nothing is called {quoted(symbol)}: this is the name in another case"
            )
        elif qualifier and not self.named(qualifier) and (found := self.named(name)):
            self.notes.append(
                f"nothing is called {quoted(qualifier)}: this is all that is called {name}"
            )
        return found

    @property
    def limits(self) -> str:
        """The arguments that leave some of the files only; "" for none."""
        paths = "the paths" if self._globs else ""
        language = "language_hint" if self._language else ""
        return " and ".join(filter(None, (paths, language)))

    @property
    def seen(self) -> str:
        """Where definitions and uses are looked for."""
        files = count_of(sum(len(tree.catalog) for tree in self.trees), "file")
        return f"the index of {files}" + (f" (limited by {self.limits})" if self.limits else "")

    def uses(self, found: Sequence[Found]) -> Iterator[tuple[FoundUse, Found | None]]:
        """The uses of definitions that have one name; with the definition where that is known. A use
        that means another definition of the name is left out."""
        if not found:
            return
        name = found[0].definition.name
        wanted = {self.key(one): one for one in found}
        families = {self._family(one.tree, one.record) for one in found}
        by_member = {self._is_member(one) for one in found}
        for tree in self.trees:
            number = tree.symbols.find(name)
            for use in () if number is None else tree.symbols.uses_of(number):
                record = self.record_of(tree, use.file)
                if record is None:
                    continue
                place = FoundUse(tree, use, record)
                if use.target >= 0:
                    target = tree.symbols.definition(use.target)
                    known = wanted.get(self._key(tree, target))
                    if known is not None:
                        yield place, known
                elif self._is_possible(tree, record, use, families, by_member):
                    yield place, None

    def _is_possible(
        self, tree: Tree, record: int, use: UseRow, families: set[str], by_member: set[bool]
    ) -> bool:
        """Whether a use of which only the name is known may mean one of the definitions."""
        family = self._family(tree, record)
        any_use = use.is_member in by_member or family in ("ruby", "java", "csharp", "c", "php")
        return family in families and any_use

    def key(self, found: Found) -> tuple[str, ...]:
        return self._key(found.tree, found.definition)

    def _key(self, tree: Tree, each: DefinitionRow) -> tuple[str, ...]:
        """What a definition is the same by in an index and in the overlay of edited files; in C a
        declaration and its definition are one."""
        owner = tree.symbols.definition(each.parent).name if each.parent >= 0 else ""
        file = tree.catalog.own_id(each.file)
        origin = self._origin(tree, each.file)
        language = self._family(tree, tree.catalog.place(each.file))
        if language == "c" and not owner:
            return origin, language, each.name
        return origin, file, owner, each.name

    def _origin(self, tree: Tree, file: int) -> str:
        """The knowledge base that a file is of; of a hidden file, the one that shows another in its
        place. "" where only one is served: then a path means one file."""
        artifact = self._session.artifact
        if len(artifact.served) < 2:
            return ""
        if tree.catalog.place(file) is None:
            id = tree.catalog.own_id(file)
            found = ((one, one.catalog.find(id)) for one in self.trees)
            showing = (one for one, at in found if at is not None and one.catalog.id(at) == id)
            tree = next(showing, tree)
        return artifact.origin(tree.info.name)

    def _family(self, tree: Tree, record: int | None) -> str:
        """The languages that one of a file has its names in common with; "" for a hidden file."""
        language = "" if record is None else self.entry(tree, record).get("language", "")
        return FAMILIES.get(language, "")

    def _is_member(self, found: Found) -> bool:
        parent = found.definition.parent
        if parent < 0:
            return found.definition.kind == "method"
        return found.tree.symbols.definition(parent).kind in MEMBER_HOLDERS

    def _is_in(self, found: Found, qualifier: str) -> bool:
        """Whether a definition is a member of what `qualifier` names: a class, a module, a file."""
        parent = found.definition.parent
        if parent >= 0 and found.tree.symbols.definition(parent).name == qualifier:
            return True
        stem = found.file.rpartition("/")[2].partition(".")[0]
        if stem == qualifier or found.file.rpartition("/")[0].rpartition("/")[2] == qualifier:
            return True
        record = self.entry(found.tree, found.record)
        each = record["definitions"][found.definition.ordinal]
        return qualifier in re.findall(r"\w+", f"{each['name']} {each.get('signature', '')[:80]}")

    def order(self, found: Found) -> tuple[object, ...]:
        """The best first: what has a body before what is declared only, sources before tests
        and examples."""
        each = found.definition
        file = found.file
        is_declaration = each.kind == "implementation" or file.endswith((".d.ts", ".pyi"))
        is_short = each.line == each.end_line
        return is_use(file), is_declaration, is_short, file.count("/"), file, each.line

    def place(self, found: Found) -> SymbolPlace:
        each = found.definition
        parent = found.tree.symbols.definition(each.parent).name if each.parent >= 0 else None
        entry = self.entry(found.tree, found.record)
        signature = entry["definitions"][each.ordinal].get("signature")
        out: SymbolPlace = {
            "name": each.name,
            "kind": each.kind,
            "file": found.file,
            "lines": f"{each.line}-{each.end_line}",
        }
        out |= present(
            address=self.address(found.tree, found.record),
            parent=parent,
            signature=signature,
            stale=self.is_stale(entry) or None,
        )
        return out

    def is_stale(self, entry: Mapping[str, Any]) -> bool:
        """Whether the file on disk is another one than when it was indexed, as far as that is known."""
        if (tree := reachable_tree(self._session)) is None:
            return False
        file = lookup.told_name(self._session, entry["collection"], entry["id"])
        if file not in self._states:
            self._states[file] = tree.state(entry)
        return self._states[file] != "current"

    def warnings(self) -> list[str]:
        """What a reader has to know of the answer: files without symbols, and those that changed."""
        sentences = [*self.notes, *([self.incomplete] if self.incomplete else [])]
        return sentences + changes(self._states)

    def line(self, tree: Tree, record: int, number: int) -> str:
        key = tree.info.name, record
        if key not in self._lines:
            self._lines[key] = self.entry(tree, record).get("text", "").split("\n")
        lines = self._lines[key]
        return lines[number - 1] if number <= len(lines) else ""


def _language(hint: str) -> frozenset[str]:
    """The names under which files of a language are known; empty for no hint."""
    names = {
        "js": "javascript",
        "ts": "typescript",
        "py": "python",
        "c#": "csharp",
        "cs": "csharp",
        "c++": "cpp",
        "golang": "go",
        "rs": "rust",
        "rb": "ruby",
    }
    name = names.get(hint.casefold(), hint.casefold())
    more = {"typescript": {"tsx"}, "c": {"cpp"}, "javascript": {"jsx"}}
    return frozenset({name, *more.get(name, ())}) if name else frozenset()
