"""What preprocessors of mdBook fill in."""

from __future__ import annotations

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion, Surroundings

FILES = {
    "src/run.rs": b"mod a {\n    // ANCHOR: b\n    fn b() {\n    }\n    // ANCHOR_END: b\n}\n",
    "src/parts.md": b"# Parts\n\n[]:#(ANCHOR: gate)\n\nA gate.\n\n[]:#(ANCHOR_END: gate)\n\nA lock.\n",
    "src/hello.md": b"Hello [[#name]], it is [[#day Monday]]. {{#ref x}}\n",
}
REF = {"{{#ref}}": 1}


def expanded(text: str, *, is_book: bool = True) -> Expansion:
    return expand(text, "src/a.md", FILES.get, Surroundings(has_helpers=is_book))


@pytest.mark.parametrize(
    ("source", "shown", "counted"),
    [
        (
            '{{#tabs global="os"}}\n{{#tab name="Linux"}}\nA\n{{#endtab}}\n{{#endtabs}}\nB\n',
            "\n\n**Linux**\n\nA\n\n\nB\n",
            {},
        ),
        ("> {{#template hello.md name=\"You all\"}}\n", "> Hello You all, it is Monday. x\n", REF),
        ("See {{#ref gate}}{{#label gate}} and `{{#ref x}}`.\n", "See gate and `{{#ref x}}`.\n", REF),
        ("{{#quiz ../quiz.toml}}\n\nB\n", "\n\nB\n", {"{{#quiz}}": 1}),
        ("A{{footnote: Or *b*.}} {{i:gate}} {{ii:lock}}{{hi:weir}}.\n", "A (Or *b*.) gate *lock*.\n", {}),
        ("\\{{#ref x}}\n", "\\{{#ref x}}\n", {}),
    ],
)  # fmt: skip
def test_helpers_show_what_they_fill_in(source: str, shown: str, counted: dict[str, int]) -> None:
    found = expanded(source)
    assert (found.text, found.external, found.unresolved) == (shown, counted, {})


@pytest.mark.parametrize("shift", ["auto:", "-4:"])
def test_code_that_is_shifted_has_no_margin(shift: str) -> None:
    text = f"```rust\n{{{{#shiftinclude {shift}run.rs:b}}}}\n```\n"
    assert expanded(text, is_book=False).text == "```rust\nfn b() {\n}\n```\n"


def test_parts_are_marked_by_words_anywhere_in_a_line() -> None:
    assert expanded("{{#include parts.md:gate}}\n\nB\n", is_book=False).text == "\nA gate.\n\n\nB\n"
    assert expanded("{{#include parts.md:gat}}\n").unresolved == {"{{#include}}": 1}


def test_templates_that_are_not_there_are_counted() -> None:
    found = expanded("{{#template gone.md a=1}}\n")
    assert (found.text, found.unresolved) == ("(not included: gone.md)\n", {"{{#template}}": 1})


def test_helpers_of_other_programs_stay() -> None:
    text = "{{#if x}} {{#ref y}}\n"
    assert expanded(text, is_book=False) == Expansion(text, {})


def test_lines_of_rust_that_mdbook_hides_are_no_code() -> None:
    code = "```rust,editable\n# use a::Egg;\n#\n#[derive(Debug)]\nstruct Egg;\n    # let x;\n## shown\n```\n"
    shown = "```rust,editable\n#[derive(Debug)]\nstruct Egg;\n# shown\n```\n"
    shell = "```sh\n# a comment\nls\n```\n"
    assert expanded(f"# Eggs\n\n{code}\n{shell}").text == f"# Eggs\n\n{shown}\n{shell}"
    assert expanded(code, is_book=False).text == code
