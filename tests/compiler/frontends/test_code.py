"""The code front end: ids, languages, definitions; and what chunking makes of its records."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from kbc.cache.phases import PhaseCache, remembering
from kbc.chunking import TokenBudget, chunk
from kbc.diagnostics import Diagnostics, Severity
from kbc.frontends.code import MAX_DEFINITIONS, read
from kbc.languages import grammars
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CodeRecord

BUDGET = TokenBudget(count=lambda text: len(text.split()) + 2, max_tokens=256)


def record(path: str, text: str, paths: Sequence[str] = ("code",)) -> CodeRecord:
    diagnostics = Diagnostics()
    collection = Collection("repos", "code", tuple(paths), url="https://example.org/{path}")
    file = SourceFile(f"{paths[0]}/{path}", text.encode(), paths[0])
    (found,) = read(collection, [file], diagnostics)
    assert not len(diagnostics)
    assert isinstance(found, CodeRecord)
    return found


def test_a_record_knows_its_place_and_its_bytes() -> None:
    found = record("web/app.py", "﻿x = 1\r\ny = 2\r\n")
    assert (found.id, found.path, found.title) == ("web/app.py",) * 3
    assert (found.workspace, found.language, found.lines) == ("code", "python", 2)
    data = "﻿x = 1\r\ny = 2\r\n".encode()
    assert (found.size, found.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert found.text == "x = 1\r\ny = 2\r\n"
    assert found.url == "https://example.org/web/app.py"


def test_several_trees_keep_their_names_in_the_id() -> None:
    assert record("a.py", "x = 1\n", ["repos/one", "repos/two"]).id == "one/a.py"
    assert record("a.py", "x = 1\n", ["repos/one"]).id == "a.py"


def test_without_the_language_pack_a_file_is_text_and_a_note_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    grammars.grammar.cache_clear()
    texts = {
        "a.hs": "f x = x\n",
        "b.hs": "g x = x\n",
        "c.py": "def h(): pass\n",
        "d.qnt": "val x = 1\n",
    }
    files = [SourceFile(f"code/{path}", text.encode(), "code") for path, text in texts.items()]
    diagnostics = Diagnostics()
    found = read(Collection("repos", "code", ("code",)), files, diagnostics)
    assert [record.path for record in found if isinstance(record, CodeRecord)] == [*texts]
    assert [bool(getattr(record, "definitions", ())) for record in found] == [
        False,
        False,
        True,
        False,
    ]
    assert [chunk(record, BUDGET)[0].text for record in found] == [*texts.values()]
    (note,) = diagnostics
    assert (note.severity, note.code) == (Severity.NOTE, "grammar-missing")
    assert "haskell: 2 files of collection 'repos'" in note.message
    assert 'pip install "kb-compiler[languages]"' in note.hint


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("run", "#!/usr/bin/env python3\nprint()\n", "python"),
        ("run", "#!/bin/sh\ntrue\n", "bash"),
        ("run", "#!/usr/bin/env node\n", "javascript"),
        ("run", "no shebang\n", ""),
        ("README.md", "# Read me\n", "markdown"),
        ("Dockerfile", "FROM scratch\n", "dockerfile"),
    ],
)
def test_language_by_name_or_first_line(path: str, text: str, language: str) -> None:
    assert record(path, text).language == language


def test_definitions_with_what_they_are_part_of() -> None:
    text = "class Store:\n    def load(self):\n        pass\n\ndef main():\n    pass\n"
    found = [
        (d.name, d.kind, d.line, d.end_line, d.parent) for d in record("a.py", text).definitions
    ]
    assert found == [
        ("Store", "class", 1, 3, ""),
        ("load", "method", 2, 3, "Store"),
        ("main", "function", 5, 6, ""),
    ]


def test_endless_definitions_are_cut() -> None:
    text = "".join(f"def f{number}(): pass\n" for number in range(MAX_DEFINITIONS + 10))
    assert len(record("a.py", text).definitions) == MAX_DEFINITIONS


SAMPLES = {
    "a.c": ("int add(int a, int b) {\n  return a + b;\n}\n", "add"),
    "a.cpp": ("class Store {\n public:\n  int size();\n};\n", "Store"),
    "a.cs": ("class Store {\n  int Size() { return 1; }\n}\n", "Store"),
    "a.dart": ("int add(int a, int b) {\n  return a + b;\n}\n", "add"),
    "a.ex": ("defmodule Store do\n  def size, do: 1\nend\n", "Store"),
    "a.go": ("package a\n\nfunc Add(a int) int {\n\treturn a\n}\n", "Add"),
    "a.hs": ("add :: Int -> Int\nadd x = x + 1\n", "add"),
    "a.java": ("class Store {\n  int size() { return 1; }\n}\n", "Store"),
    "a.jl": ("function add(a, b)\n  a + b\nend\n", "add"),
    "a.js": ("function add(a, b) {\n  return a + b\n}\n", "add"),
    "a.kt": ("fun add(a: Int): Int {\n  return a\n}\n", "add"),
    "a.lua": ("function add(a)\n  return a\nend\n", "add"),
    "a.ml": ("let add a b = a + b\n", "add"),
    "a.php": ("<?php\nfunction add($a) {\n  return $a;\n}\n", "add"),
    "a.pl": ("sub add {\n  return 1;\n}\n", "add"),
    "a.py": ("def add(a):\n    return a\n", "add"),
    "a.rb": ("def add(a)\n  a\nend\n", "add"),
    "a.rs": ("fn add(a: i32) -> i32 {\n    a\n}\n", "add"),
    "a.scala": ("object Store {\n  def size = 1\n}\n", "Store"),
    "a.sh": ("add() {\n  echo 1\n}\n", "add"),
    "a.swift": ("func add(a: Int) -> Int {\n  return a\n}\n", "add"),
    "a.ts": ("export interface Store {\n  size: number\n}\n", "Store"),
    "a.zig": ("fn add(a: i32) i32 {\n    return a;\n}\n", "add"),
}


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_chunks_name_the_definition_in_more_than_twenty_languages(path: str) -> None:
    text, name = SAMPLES[path]
    found = record(path, text)
    assert name in [definition.name for definition in found.definitions]
    chunks = chunk(found, BUDGET)
    assert "".join(each.text for each in chunks) == text
    assert name in [each.symbol for each in chunks]
    assert all(each.symbol_kind for each in chunks if each.symbol)
    assert {each.language for each in chunks} == {found.language}


def test_a_text_without_a_grammar_is_chunked_all_the_same() -> None:
    text = "rule one\n\nrule two\n" * 200
    chunks = chunk(record("notes.unknown", text), BUDGET)
    assert len(chunks) > 1
    assert "".join(each.text for each in chunks) == text


def test_the_parent_of_a_method_is_in_its_breadcrumb() -> None:
    body = "".join(f"        value_{number} = {number}\n" for number in range(200))
    text = f"class Store:\n    def load(self):\n{body}\n    def save(self):\n{body}"
    trails = {each.breadcrumb for each in chunk(record("a.py", text), BUDGET)}
    assert {("a.py", "Store", "load"), ("a.py", "Store", "save")} <= trails


def test_a_file_is_parsed_once_for_its_definitions_and_its_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts: list[bytes] = []
    real = grammars.parser

    class Counting:
        def __init__(self, language: Any) -> None:
            self._parser = real(language)

        def parse(self, source: bytes) -> Any:
            texts.append(source)
            return self._parser.parse(source)

    monkeypatch.setattr(grammars, "parser", Counting)
    text = "class Store:\n    def load(self):\n        pass\n"
    with remembering(PhaseCache(None)):
        found = record("store.py", text)
        chunks = chunk(found, BUDGET)
    assert texts == [text.encode()]
    assert [definition.name for definition in found.definitions] == ["Store", "load"]
    assert chunks[0].symbol == "Store"
