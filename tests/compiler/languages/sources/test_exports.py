"""Which names a file passes on."""

from __future__ import annotations

import pytest

from kbc.languages.exports import Export, exports

SAMPLES = {
    "rust": (
        "pub use core::extract::{FromRef, Request as Asked, rejection};\nuse std::fmt::Debug;\n"
        "pub mod prelude {\n    pub use self::parts::{self, *, inner::Deep};\n}\n",
        [("FromRef", 1), ("Asked", 1), ("rejection", 1), ("Deep", 4)],
    ),
    "typescript": (
        "import { hidden } from './x';\nexport {\n  A,\n  B as C,\n} from './x';\n"
        "export * from './y';\nexport type { T } from './z';\nexport { own };\n",
        [("A", 2), ("C", 2), ("T", 7)],
    ),
    "javascript": (
        "export { default as Button } from './button.js'\nexport * as parts from './parts.js'\n",
        [("Button", 1), ("parts", 2)],
    ),
    "python": (
        "from .parts import Request, hidden as other\nfrom .more import Same as Same\n"
        "__all__ = ['Request', \"send\"]\n__all__ += ['late']\nnames = ['no']\n"
        "try:\n    from .fast import (\n        Quick as Quick,\n    )\nexcept ImportError:\n    pass\n",
        [("Same", 2), ("Request", 3), ("send", 3), ("late", 4), ("Quick", 7)],
    ),
}


@pytest.mark.parametrize("language", SAMPLES)
def test_names_that_a_file_passes_on(language: str) -> None:
    text, expected = SAMPLES[language]
    assert exports(text, language=language) == [Export(name, line) for name, line in expected]


def test_a_file_that_passes_nothing_on() -> None:
    assert exports("use a::b;\npub fn used() {}\n", language="rust") == []
    assert exports("export { A } from 'x'", language="go") == []


def test_a_damaged_statement_is_left_out() -> None:
    assert exports("pub use a::{b,\nfn broken( {", language="rust") == []
