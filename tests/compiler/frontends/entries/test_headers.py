"""API entries of public headers."""

from __future__ import annotations

import time
from pathlib import Path

from tests.compiler.frontends.entries.derived import entries_of

from kbc.chunking import TokenBudget, chunk
from kbc.frontends.entries.headers import entries_of_headers
from kbc.records import CodeRecord, Definition


def header(functions: int = 10, comment: str = "/// Fills part {} of the tank.\n") -> str:
    """A header with that many functions, each below a comment."""
    parts = [
        f"{comment.format(at)}TANK_API int tank_fill{at}(tank *t);\n" for at in range(functions)
    ]
    return "#pragma once\n#define TANK_API extern\n\n" + "\n".join(parts)


def test_documented_declarations_of_a_public_header_are_entries(tmp_path: Path) -> None:
    more = (
        "\n/**\n * @function tank_drain\n * @category valves\n * @brief Drains the tank.\n"
        " * @param rate  How fast.\n * @return The level.\n * @note Not when empty.\n"
        " * @related tank_fill\n */\n"
        "TANK_API int tank_drain(tank *t, double rate);\n"
        "\ntypedef struct tank { int level; } tank; // What is filled.\n"
        "\n#define TANK_MAX 9 /* The highest level. */\n"
        "\n// Rounds a level\n// to whole litres.\n#define TANK_ROUND(l) ((l) / 10)\n"
    )
    found = entries_of(tmp_path, {"include/tank.h": header() + more})
    drain = found["tank_drain"]
    assert (drain.name, drain.signature) == ("tank_drain", "int tank_drain(tank *t, double rate)")
    told = "Drains the tank.\n- `rate`: How fast.\nReturns: The level.\nNote: Not when empty."
    assert drain.description == told
    assert (drain.path, drain.line, drain.categories) == (
        "include/tank.h",
        34,
        ("valves", "function"),
    )
    assert drain.text.startswith("/**\n * @function")
    assert drain.text.endswith("double rate);\n")
    assert found["tank"].description == "What is filled."
    assert found["TANK_MAX"].signature == "#define TANK_MAX 9"
    assert found["TANK_ROUND"].description == "Rounds a level\nto whole litres."
    assert found["TANK_ROUND"].categories == ("tank", "macro")
    assert "TANK_API" not in found
    assert len(found) == 14


def test_an_entry_is_found_by_its_name_and_signature(tmp_path: Path) -> None:
    entry = entries_of(tmp_path, {"include/tank.h": header()})["tank_fill3"]
    [found] = chunk(entry, TokenBudget(count=lambda text: len(text.split()), max_tokens=256))
    assert found.identifiers[0] == "tank_fill3"
    assert (found.title, found.type) == ("tank_fill3", "api")
    assert found.signature == "int tank_fill3(tank *t)"
    assert found.embedded_summary == "tank function tank_fill3: Fills part 3 of the tank."
    assert (found.text, found.start_line) == (entry.text, entry.line)


def test_a_header_is_public_where_examples_or_pages_include_it(tmp_path: Path) -> None:
    assert entries_of(tmp_path / "a", {"src/tank.h": header()}) == {}
    program = '#include "tank.h"\nint main(void) { return 0; }\n'
    shown = {"src/tank.h": header(), "examples/fill.c": program}
    assert len(entries_of(tmp_path / "b", shown)) == 10
    page = {"src/tank.h": header(), "docs/use.md": "# Use\n\n```c\n#include <tank/tank.h>\n```\n"}
    assert len(entries_of(tmp_path / "c", page)) == 10


def test_a_header_of_the_system_shows_none_of_the_same_name(tmp_path: Path) -> None:
    for at, (place, count) in enumerate(
        (("<string.h>", 0), ('"string.h"', 10), ("<tank/string.h>", 10))
    ):
        files = {"src/string.h": header(), "docs/use.md": f"# Use\n\n```c\n#include {place}\n```\n"}
        assert len(entries_of(tmp_path / str(at), files)) == count


def test_what_only_the_header_itself_calls_is_no_part_of_its_api(tmp_path: Path) -> None:
    text = (
        "\n// Rounds it.\nstatic int tank_round(int n);\n"
        "\n// Rounds.\nstatic int tank_round(int n) { return n; }\n"
        "\n// Halves it.\nstatic inline int tank_half(int n) { return n / 2; }\n"
    )
    found = entries_of(tmp_path, {"include/tank.h": header() + text})
    assert "tank_half" in found
    assert "tank_round" not in found


def test_slashes_in_a_text_begin_no_comment(tmp_path: Path) -> None:
    text = '#define TANK_CDN "//tanks.test"\n#define TANK_SITE "//a\\"b" // Where tanks are.\n'
    found = entries_of(tmp_path, {"include/tank.h": f"{header()}\n{text}"})
    assert "TANK_CDN" not in found
    site = found["TANK_SITE"]
    assert (site.signature, site.description) == (
        '#define TANK_SITE "//a\\"b"',
        "Where tanks are.",
    )


def test_headers_of_others_and_of_parts_inside_have_no_entries(tmp_path: Path) -> None:
    for place in (
        "include/internal",
        "tests/include",
        "examples/include",
        "include/third_party/x",
        "a/b/c/include",
        "src_c/include",
    ):
        assert entries_of(tmp_path / place.replace("/", "-"), {f"{place}/tank.h": header()}) == {}


def test_a_header_that_says_little_of_its_functions_is_source(tmp_path: Path) -> None:
    bare = header(10) + "".join(f"int bare{at}(void);\n" for at in range(4))
    assert entries_of(tmp_path / "a", {"include/tank.h": bare}) == {}
    rules = header(12, "//----------------\n")
    assert entries_of(tmp_path / "b", {"include/tank.h": rules}) == {}
    assert entries_of(tmp_path / "c", {"include/tank.h": header(9)}) == {}
    hidden = header(12, "/// @private Part {}.\n")
    assert entries_of(tmp_path / "d", {"include/tank.h": hidden}) == {}


def test_headers_have_no_entries_where_functions_have_pages(tmp_path: Path) -> None:
    pages = {f"docs/tank_fill{at}.md": f"# Fill {at}\n\nFills it.\n" for at in range(5)}
    assert entries_of(tmp_path, {"include/tank.h": header(), **pages}) == {}


def test_a_comment_behind_a_declaration_comes_before_a_heading_above_it(tmp_path: Path) -> None:
    lines = [
        f"int level{at}(void);   // The level of part {at}, see http://x.test" for at in range(10)
    ]
    found = entries_of(tmp_path, {"include/tank.h": "// Levels\n" + "\n".join(lines) + "\n"})
    first = found["level0"]
    assert first.description == "The level of part 0, see http://x.test"
    assert (first.signature, first.line) == ("int level0(void)", 2)


def test_a_declaration_on_several_lines_has_its_whole_signature(tmp_path: Path) -> None:
    comment = "/* Function: tank_pump\n *\n * @enum\n * Pumps. */\n"
    text = f"{header()}\n{comment}int tank_pump(\n    tank *t, // to\n    int n);\n"
    found = entries_of(tmp_path, {"lib/include/tank.h": text})
    assert found["tank_pump"].signature == "int tank_pump( tank *t, int n)"
    assert found["tank_pump"].description == "Pumps."


def test_a_comment_without_a_beginning_is_none(tmp_path: Path) -> None:
    text = (
        header() + "\nint a; /* behind\n*/\nint lost(void);\n" + "*/\n" * 300 + "int end(void);\n"
    )
    found = entries_of(tmp_path, {"include/tank.h": text})
    assert not {"lost", "end"} & {*found}


def test_lines_made_by_a_program_are_no_reference() -> None:
    count = 5_000
    comment = f"/** {'Fills it. ' * count}{'@param[' * count} */"
    text = f"{comment}\n" + " ".join(f"int fill{at}(void);" for at in range(count)) + " // All.\n"
    found = [
        Definition(name=f"fill{at}", kind="function", line=2, end_line=2) for at in range(count)
    ]
    header = CodeRecord(
        id="a", collection="code", title="a", path="include/a.h", text=text, workspace="", sha256="",
        definitions=tuple(found),
    )  # fmt: skip
    started = time.process_time()
    assert list(entries_of_headers([header])) == []
    assert time.process_time() - started < 5


def test_data_and_functions_inside_of_a_header_are_no_entries(tmp_path: Path) -> None:
    inside = (
        "\n/// Picture of a tank.\nstatic const unsigned char tankPicture[3] = { 1, 2, 3 };\n"
        "\n/// Rounds a level.\nstatic int tank_round(int level) { return level; }\n"
        "\n/// Gives the level.\nstatic inline int tank_level(tank *t) { return t->level; }\n"
    )
    found = entries_of(tmp_path / "a", {"include/tank.h": header() + inside})
    assert "tank_level" in found
    assert len(found) == 11
    alone = header().replace("TANK_API int", "static int") + inside
    assert len(entries_of(tmp_path / "b", {"include/tank.h": alone})) == 12


def test_marks_of_sphinx_in_comments_are_read(tmp_path: Path) -> None:
    comment = (
        "/**\n * .. warning::\n *\n *   Old. Use :c:func:`tank_fill`.\n *\n * Fills part {}.\n */\n"
    )
    entry = entries_of(tmp_path, {"include/tank.h": header(comment=comment)})["tank_fill3"]
    assert entry.description == "Warning: Old. Use `tank_fill`.\n\nFills part 3."


def test_a_comment_that_is_only_the_name_says_nothing(tmp_path: Path) -> None:
    comment = "/* Function: tank_fill{} */\n"
    assert entries_of(tmp_path, {"include/tank.h": header(comment=comment)}) == {}
