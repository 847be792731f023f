"""Which files only pass on what others define."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kbc.chunking import TokenBudget, chunk
from kbc.languages.exports import passes_on
from kbc.records import CompiledRecord

BARRELS = {
    "typescript": 'import * as z from "./external.js";\nexport * from "./a.js";\nexport {\n  b,\n'
    '  c,\n} from "./b.js";\nexport { z };\nexport default z;\n'
    + 'export * from "./more.js";\n'
    * 4,
    "python": '"""Everything."""\n\nfrom .parts import *\nfrom .more import (\n    One,\n    Two,\n)\n\n'
    '__version__ = "1"\n__all__ = [\n    "One",\n    "Two",\n]\n',
    "rust": "//! Routing.\n\nmod route;\npub mod method;\n\npub use self::{\n    method::Filter,\n"
    "    route::Route,\n};\n",
    "ruby": "# All parts.\nrequire 'parts/one'\nrequire_relative 'two'\nautoload :Three, 'three'\n",
    "swift": "@_exported import Core\n@_exported import Logging\n",
    "c": "/* All headers. */\n#include <one.h>\n#include <two.h>\n#include <three.h>\n",
}
PROGRAMS = {
    "typescript": 'import { a } from "./a.js";\nimport { b } from "./b.js";\n\nconst server = a(b);\n'
    "server.listen(80);\nserver.log();\n",
    "python": "import os\nimport sys\n\n\ndef main():\n    return os.getcwd()\n",
    "rust": "use std::fmt;\nuse std::io;\n\npub struct Held;\n",
    "ruby": "require 'one'\n\nclass Two\nend\n",
    "swift": "import Core\n\nfunc go() {}\n",
    "c": "#include <one.h>\n\nint answer(void) { return 42; }\n",
    "json": '{"import": ["a", "b"]}\n',
}


def kinds(text: str, language: str) -> list[str]:
    from kbc.languages import syntax

    return sorted({each.kind for each in syntax.walk(syntax.symbols(text, language=language))})


@pytest.mark.parametrize("language", BARRELS)
def test_a_file_of_re_exports_passes_on(language: str) -> None:
    text = BARRELS[language]
    assert passes_on(text, language=language, kinds=kinds(text, language))


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_file_that_does_something_does_not(language: str) -> None:
    text = PROGRAMS[language]
    assert not passes_on(text, language=language, kinds=kinds(text, language))


def test_a_language_without_a_grammar_has_none() -> None:
    assert not passes_on("import a.* from b\n", language="no-such-language", kinds=[])


def test_chunks_say_that_their_file_passes_on(
    code_budget: TokenBudget, source: Callable[..., CompiledRecord]
) -> None:
    chunks = chunk(source(BARRELS["typescript"], "src/index.ts"), code_budget)
    assert chunks
    assert all(each.passes_on for each in chunks)
    chunks = chunk(source(PROGRAMS["typescript"], "src/server.ts"), code_budget)
    assert not any(each.passes_on for each in chunks)
