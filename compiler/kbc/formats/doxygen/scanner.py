"""The entities of a header, as Doxygen finds them: declarations, each with the comment before or after it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from kbc.formats.doxygen import declarations
from kbc.formats.doxygen.comments import ENTITY_KINDS, plain, structure
from kbc.formats.doxygen.entities import CLASSES, Entity, HeaderFile
from kbc.formats.doxygen.tokens import CToken, joined, tokens

MAX_DEPTH = 200
MAX_PIECES = 500
"""Tokens of a declaration around a condition."""

_DEFINE = re.compile(
    r"[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?:\((?P<parameters>[^()]*)\))?[ \t]*(?P<value>.*)",
    re.DOTALL,
)
_CONDITION = re.compile(r"[ \t]*#[ \t]*(?P<name>ifdef|ifndef|if|elif|else|endif)\b")
_INCLUDE = re.compile(r"[ \t]*#[ \t]*(?:include|import)\b")
_ACCESS = {each: each for each in ("public", "protected", "private")}
_ACCESS |= {"signals": "public", "slots": "public"}  # of Qt
_TRAILING = ("/**<", "/*!<", "///<", "//!<")
_AFTER_BODY = frozenset(["class", "struct", "union", "enum"])
MAX_INITIALIZER = 200  # characters of a macro's value that are shown


@dataclass(slots=True)
class _Scope:
    """`kind` is that of an entity, `linkage`, or "" for code that is not read. With `goes_on`, what stands
    before the scope goes on after it. `start` is the number of entities before those in it."""

    kind: str
    name: str = ""
    access: str = "public"
    entity: Entity | None = None
    goes_on: bool = False
    start: int = 0


@lru_cache(maxsize=4096)
def read_header(source: str) -> HeaderFile:
    """The entities of a file; whatever is in it, nothing is raised."""
    return _HeaderScanner().read(source)


@dataclass(slots=True)
class _HeaderScanner:
    header: HeaderFile = field(default_factory=HeaderFile)
    scopes: list[_Scope] = field(default_factory=list)
    groups: list[tuple[str, int]] = field(default_factory=list)
    blocks: int = 0
    pieces: list[CToken] = field(default_factory=list)
    comment: str = ""
    notes: dict[str, str] = field(default_factory=dict)
    conditions: list[tuple[list[_Scope], list[CToken], int]] = field(default_factory=list)
    last: list[Entity] = field(default_factory=list)
    nested: int = 0
    braces: int = 0
    hidden: int = 0

    def read(self, source: str) -> HeaderFile:
        for token in tokens(source):
            if token.kind == "directive":
                self._directive(token)
            elif self.scopes and not self.scopes[-1].kind:
                self._skip(token)
            elif token.kind == "comment":
                self._comment(token)
            else:
                self._token(token)
        return self.header

    @property
    def _scope(self) -> _Scope:
        return self.scopes[-1] if self.scopes else _Scope("")

    def _skip(self, token: CToken) -> None:
        if token.text == "{":
            self._open(_Scope("", goes_on=True))
        elif token.text == "}":
            scope = self.scopes.pop()
            if not scope.goes_on:
                self._reset()

    def _open(self, scope: _Scope) -> None:
        if len(self.scopes) < MAX_DEPTH:
            self.scopes.append(scope)

    def _reset(self) -> None:
        self.pieces, self.comment, self.notes = [], "", {}
        self.nested = self.braces = 0

    def _directive(self, token: CToken) -> None:
        """Both sides of a condition are read, each as if the other were not there. Before `#include` a
        declaration has ended, and what is left is a macro."""
        if define := _DEFINE.match(token.text):
            stated = define["parameters"]
            names = None if stated is None else tuple(each.strip() for each in stated.split(","))
            value = " ".join(define["value"].split())
            shown = "" if stated is None else f"({stated})"
            short = f" {value}" if value and len(value) <= MAX_INITIALIZER else ""
            if not self.pieces:
                signature = f"#define {define['name']}{shown}{short}"
                entity = self._entity("define", define["name"], signature)
                entity.parameters = names
                self._add(entity)
                self.comment = ""
        elif _INCLUDE.match(token.text):
            self.pieces, self.nested = [], 0
        elif condition := _CONDITION.match(token.text):
            name = condition["name"]
            if name.startswith("if"):
                before = self.pieces[:MAX_PIECES]
                self.conditions.append((list(self.scopes), before, self.nested))
            elif name == "endif":
                del self.conditions[-1:]
            elif self.conditions:
                scopes, pieces, nested = self.conditions[-1]
                self.scopes, self.pieces, self.nested = list(scopes), list(pieces), nested

    def _comment(self, token: CToken) -> None:
        text = token.text
        if text.startswith(_TRAILING):
            self._trailing(plain(text))
            return
        if self.nested and self.pieces:
            return
        content = plain(text)
        found = structure(content)
        self.hidden = max(self.hidden + found.hidden, 0)
        if found.group:
            _, name, title = found.group
            if found.kind == "group":
                entity = Entity("group", name, title, content)
                entity.groups = tuple(found.groups)
                self.header.entities.append(entity)
            if found.opens:
                self.groups.append((name, 0))
        elif found.opens:
            self.blocks += 1
            self.groups.append(("", self.blocks))
        if found.closes:
            self.groups = self.groups[: -found.closes]
        if found.kind == "file":
            self.header.comment = self.header.comment or content
        elif found.kind in ENTITY_KINDS:
            self.header.elsewhere.append((found.kind, found.name, content))
        self.comment = "" if found.kind or not found.has_text else content

    def _trailing(self, content: str) -> None:
        """A comment after what it describes: a member, an enumerator, a parameter."""
        names = [each.text for each in self.pieces if each.kind == "word"]
        if self.nested and names:
            self.notes[names[-1]] = f"{self.notes.get(names[-1], '')} {content}".strip()
        elif self._scope.kind == "enum" and self.pieces:
            self.comment = f"{self.comment}\n{content}".strip()
        else:
            for each in self.last:
                each.comment = f"{each.comment}\n{content}".strip()

    def _token(self, token: CToken) -> None:
        text, scope = token.text, self._scope
        if self.nested and text == ";" and not self.braces:
            self.nested = 0  # the parentheses of a macro that are not closed
        if text in ("(", "["):
            self.nested += 1
        elif text in (")", "]"):
            self.nested = max(self.nested - 1, 0)
        elif self.nested and text in ("{", "}"):
            self.braces = max(self.braces + (1 if text == "{" else -1), 0)
        if self.nested or text in (")", "]"):
            self.pieces.append(token)
        elif scope.kind == "enum":
            self._in_enum(token)
        elif text == "{":
            self._begin()
        elif text == "}":
            self._end()
        elif text == ";":
            self._declare()
        elif text == ":" and self.pieces and self.pieces[0].text in _ACCESS:
            scope.access = _ACCESS[self.pieces[0].text]
            self._reset()
        else:
            self.pieces.append(token)

    def _in_enum(self, token: CToken) -> None:
        if token.text not in (",", "}"):
            self.pieces.append(token)
            return
        if self.pieces:
            owner = self._scope.entity
            around = owner.name if owner else self._qualified("")
            name = f"{around}::{self.pieces[0].text}".lstrip(":")
            entity = Entity("enumvalue", name, joined(self.pieces), self.comment)
            entity.groups = owner.groups if owner else ()
            self._add(entity)
        self._reset()
        if token.text == "}":
            self._end()

    def _qualified(self, name: str) -> str:
        around = [each.name for each in self.scopes if each.name and each.kind != "linkage"]
        return "::".join([*around[-1:], name]) if name else "".join(around[-1:])

    def _entity(self, kind: str, name: str, signature: str) -> Entity:
        stated = structure(self.comment)
        # What a class has is in the groups of the class, and in none itself.
        around = [] if self._scope.kind in CLASSES else [name for name, _ in self.groups if name]
        groups = dict.fromkeys([*stated.groups, *around])
        return Entity(
            kind,
            name,
            signature,
            self.comment,
            notes=self.notes,
            access=self._scope.access,
            groups=tuple(groups),
            block=self.groups[-1][1] if self.groups else 0,
        )

    def _add(self, *entities: Entity) -> None:
        if not self.hidden:
            self.header.entities.extend(entities)
        self.last = list(entities)

    def _begin(self) -> None:
        kind, name = declarations.opening(self.pieces)
        if kind in ("namespace", "linkage"):
            if kind == "namespace" and self.comment and name:
                self._add(self._entity("namespace", self._qualified(name), f"namespace {name}"))
            self._open(_Scope(kind, self._qualified(name)))
            told = "" if kind == "namespace" else self.comment  # of what is declared in the braces
            self._reset()
            self.comment = told
        elif kind:
            signature = declarations.class_signature(self.pieces)
            entity = self._entity(kind, self._qualified(name), signature)
            start = len(self.header.entities)
            if name:
                self._add(entity)
            access = "private" if kind == "class" else "public"
            if self._scope.access != "public":  # what a private class holds is not public, either
                access = self._scope.access if self._scope.kind in CLASSES else access
            is_typedef = any(each.text == "typedef" for each in self.pieces)
            start = start if is_typedef and not name else -1
            self._open(_Scope(kind, entity.name, access, entity, goes_on=is_typedef, start=start))
            self._reset()
        elif not self.pieces:
            self._open(_Scope(""))
        elif self._is_initializer():
            self._open(_Scope("", goes_on=True))
        else:
            self._declare()
            self._open(_Scope(""))

    def _is_initializer(self) -> bool:
        """Whether `{` begins the value of a variable or of a member in a constructor's list."""
        texts = [each.text for each in self.pieces]
        if texts[-1] == "=" or ")" not in texts:
            return True
        in_list = ":" in texts and texts.index(":") > texts.index(")")
        before = self.pieces[-1]
        return in_list and (before.kind == "word" or before.text == ">")

    def _end(self) -> None:
        scope = self.scopes.pop() if self.scopes else _Scope("")
        self._reset()
        if scope.kind in _AFTER_BODY:
            # What stands before the `;` names a typedef or variables of this type.
            self.last = [scope.entity] if scope.entity else []
            kind = "typedef" if scope.goes_on else "rest"
            around, access = self._qualified(""), self._scope.access
            self._open(_Scope(kind, around, access, scope.entity, start=scope.start))

    def _declare(self) -> None:
        if self._scope.kind in ("typedef", "rest"):
            scope = self.scopes.pop()
            names = [each.text for each in self.pieces if each.kind == "word"]
            if scope.kind == "typedef" and names and scope.entity is not None:
                self._named(scope.entity, names[-1], scope.start)
            self._reset()
            return
        entities = []
        for each in declarations.declared(self.pieces):
            if each.name:
                entity = self._entity(each.kind, self._qualified(each.name), each.signature)
                entity.parameters = each.parameters
                entities.append(entity)
        self._add(*entities)
        self._reset()

    def _named(self, entity: Entity, name: str, start: int) -> None:
        """A type without a name of its own gets that of its typedef, as those that it has since `start` do;
        another one is known by both."""
        full = self._qualified(name)
        if start >= 0:
            for each in self.header.entities[start:]:
                if each.owner == entity.name:
                    each.name = f"{full}::{each.short_name}"
            entity.name, entity.signature = full, f"{entity.signature} {name}"
            if not self.hidden:
                self.header.entities.insert(start, entity)
        elif full != entity.name:
            typedef = Entity("typedef", full, f"typedef {entity.signature} {name}")
            typedef.comment, typedef.groups = entity.comment, entity.groups
            self._add(typedef)
