from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.matching import Matcher
from kb_runtime.search.query import analyse
from kb_runtime.search.snippets import PassageReader, Snippet, snippet, widened
from kb_runtime.text.graphemes import is_boundary
from kb_runtime.text.unshown import repeats, unshown

ANALYZER = Analyzer()


def matcher(query: str, **corrections: tuple[str, ...]) -> Matcher:
    return Matcher(analyse(query, ANALYZER), ANALYZER, corrections)


def cut(text: str, query: str, budget: int = 240, first_line: int = 1) -> Snippet:
    return snippet(text, first_line, matcher(query).find(text), budget)


def words(text: str, query: str, **corrections: tuple[str, ...]) -> list[str]:
    return [text[start:end] for start, end, _ in matcher(query, **corrections).find(text)]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Maps and a map; remap not.", "map", ["Maps", "map"]),
        ("an HTTPServer here", "server", ["HTTPServer"]),
        ("setToMap, mapBy", "settomap", ["setToMap"]),
        ("happiness is happy", "happy", ["happiness", "happy"]),
        ("naïve and naive", "naive", ["naïve", "naive"]),
        ("“naive” → Ｎａｉｖｅ", "naive", ["naive", "Ｎａｉｖｅ"]),
        ("‘Straße’ ✅", "strasse", []),  # one letter became two: found, but not marked
        ("a => b", "=>", ["=>"]),
        ("全文検索の日本語", "日本語", ["日本", "本語"]),
        ("İİİ map", "map", ["map"]),
        ("nothing", "map", []),
    ],
)
def test_words_of_the_query_are_found_in_every_form(
    text: str, query: str, expected: list[str]
) -> None:
    assert words(text, query) == expected


def test_corrections_are_found_in_place_of_the_unknown_word() -> None:
    assert words("temporal logic", "temporl", temporl=("temporal",)) == ["temporal"]


@pytest.mark.parametrize(
    ("language", "query", "text", "expected"),
    [
        ("en", "the neighbours of a node", "Each neighbor.", "neighbor"),
        ("en", "how do I log in", "The login page.", "login"),
        ("de", "Wie richte ich das Ruder ein?", "Am Heck einrichten.", "einrichten"),
    ],
)
def test_words_are_found_in_other_spellings_and_in_one_part(
    language: str, query: str, text: str, expected: str
) -> None:
    analyzer = Analyzer([language])
    found = Matcher(analyse(query, analyzer), analyzer, {}).find(text)
    assert [text[start:end] for start, end, _ in found] == [expected]


def matched(query: str, text: str, **corrections: tuple[str, ...]) -> tuple[str, ...]:
    one = matcher(query, **corrections)
    return one.matched(text, one.find(text))


def test_matched_words_are_as_typed_where_a_text_has_them() -> None:
    assert matched("Create MAP set", "maps of a map\nsets") == ("MAP", "set")


def test_matched_words_are_otherwise_as_the_text_spells_them() -> None:
    assert matched("temporl maps", "temporal map", temporl=("temporal",)) == ("temporal", "map")


def test_the_lines_with_most_different_words_are_shown() -> None:
    text = "map map map\n" + "filler line\n" * 30 + "map of a set\nthat is all\n" + "end\n" * 40
    found = cut(text, "map set", budget=40)
    assert found.text.startswith("map of a set\nthat is all")
    assert (found.start_line, text.split("\n")[found.start_line - 1]) == (32, "map of a set")
    assert found.end_line == found.start_line + found.text.count("\n")


def test_lines_are_lines_of_the_file() -> None:
    assert cut("one\ntwo\nmap here\n", "map", budget=8, first_line=41)[1:] == (43, 43)


def test_without_a_match_it_is_the_beginning() -> None:
    assert cut("\n\n  First words.\nMore.\n", "zebra") == Snippet("  First words.\nMore.", 3, 4)


FILLER = "Filler of some words.\n" * 12


@pytest.mark.parametrize("mark", ["```", "~~~~"])
def test_a_match_inside_a_code_block_shows_the_block_from_its_fence(mark: str) -> None:
    block = f"{mark}quint\nval a = 1\nval b = map\n{mark}"
    found = cut(f"{FILLER}{block}\n{FILLER}", "map", budget=len(block))
    assert found == Snippet(block, 13, 16)


def test_a_code_block_that_does_not_fit_behind_the_match_is_left_out() -> None:
    text = f"{FILLER}The map.\nMore of it.\n```quint\nval a = 1\nval b = 2\n```\n"
    assert cut(text, "map", budget=45) == Snippet("The map.\nMore of it.", 13, 14)
    assert cut(text, "map", budget=60).text.endswith("val b = 2\n```")


def test_a_code_block_in_a_list_or_with_shorter_fences_inside_is_one_block() -> None:
    listed = "- ```sh\n  map 1\n  map 2\n  ```"
    assert cut(f"{FILLER}{listed}\nThe end.\n", "map 2", budget=len(listed)).text == listed
    nested = "````md\n```sh\nmap 1\n```\nmap 2\n````"
    assert cut(f"{FILLER}{nested}\nThe end.\n", "map 2", budget=len(nested)).text == nested


def test_a_code_block_beyond_the_budget_is_cut_between_lines() -> None:
    rows = [f"val row{at} = {at}" for at in range(40)]
    text = "\n".join(["Text.", "```quint", *rows, "val last = 0", "```", "Behind it.", ""])
    near = cut(text, "row2", budget=60)
    assert near.text == "```quint\nval row0 = 0\nval row1 = 1\nval row2 = 2\n```"
    assert (near.start_line, near.end_line) == (2, 5)  # the closing fence is not of the file
    tight = cut(text, "row2", budget=50)
    assert tight.text == "```quint\nval row0 = 0\nval row1 = 1\n```"
    far = cut(text, "last", budget=60)
    assert far == Snippet("val last = 0", 43, 43)  # neither the fence alone nor what follows it


def test_a_code_block_in_a_list_is_closed_as_it_was_opened() -> None:
    rows = "".join(f"  map {at}\n" for at in range(40))
    found = cut(f"Text.\n- ~~~~sh\n{rows}  ~~~~\n", "map 0", budget=40)
    assert found == Snippet("- ~~~~sh\n  map 0\n  map 1\n  map 2\n  ~~~~", 2, 5)


def test_a_code_block_that_the_chunk_does_not_end_is_closed() -> None:
    for end in ("", "\n"):
        found = cut(f"Text.\n```sh\nmap\nset{end}", "map")
        assert found == Snippet("```sh\nmap\nset\n```", 2, 4)


def test_code_without_room_for_its_fences_has_none() -> None:
    text = "```quint\nval map_of_all = 1\nval set_of_all = 2\n```\n"
    assert cut(text, "map", budget=30) == Snippet("val map_of_all = 1", 2, 2)


def test_a_mark_without_its_letter_does_not_begin_a_passage() -> None:
    assert cut("aaaaaaaa \u0301x", "x", budget=10).text == "x"


def test_a_passage_does_not_end_with_a_fence_that_only_opens() -> None:
    text = "The map.\n```quint\n" + "val row = 1\n" * 40 + "```\n"
    assert cut(text, "map", budget=20).text == "The map."


def test_a_chunk_that_begins_inside_a_code_block_does_not_turn_text_into_code() -> None:
    text = "val a = map\n}\n```\n\nThe set.\n\n```sh\nls\n```\n"
    assert cut(text, "map") == Snippet("val a = map\n}", 1, 2)
    assert cut(text, "set") == Snippet("The set.\n\n```sh\nls\n```", 5, 9)
    assert cut("```\nThe set.\n", "zebra") == Snippet("The set.", 2, 2)


def test_a_passage_of_code_begins_with_the_definition_where_it_fits() -> None:
    text = "module m {\n  val x = 1\n  action step = any {\n    a,\n    map,\n  }\n}\n"
    assert cut(text, "map", budget=60).text == "  action step = any {\n    a,\n    map,\n  }\n}"
    assert cut(text, "map", budget=20).start_line == 5
    assert cut(text, "module", budget=20).start_line == 1


def test_the_definition_is_not_shown_in_place_of_a_word_of_the_query() -> None:
    text = "def first():\n    map\n    call()\n    set\n"
    assert cut(text, "map set", budget=30) == Snippet("    map\n    call()\n    set", 2, 4)


@given(
    st.lists(
        st.sampled_from(["```", "```sh", "map one", "  map = set", "", "val x =", "text. More."]),
        max_size=30,
    ),
    st.integers(12, 120),
)
def test_code_blocks_that_fit_are_whole_wherever_fences_stand(
    lines: list[str], budget: int
) -> None:
    text = "\n".join(lines)
    found = cut(text, "map set", budget)
    stored = found.text
    there = "\n".join(lines[found.start_line - 1 : found.end_line])
    if stored not in there:  # its last line closes a block that goes on
        stored, _, mark = stored.rpartition("\n")
        assert mark == "```"
        assert "```" in stored
    assert stored in there
    assert len(found.text) <= budget
    wrapped = cut(f"Text.\n~~~~\n{text}\n~~~~\n", "map set", len(text) + 20).text
    assert "map" not in text or wrapped.startswith(("Text.\n~~~~", "~~~~"))
    assert "map" not in text or wrapped.endswith("\n~~~~")


def test_crlf_text_has_the_same_lines() -> None:
    found = cut("one\r\ntwo\r\nmap here\r\n", "map", budget=9)
    assert found == Snippet("map here", 3, 3)


def test_a_long_line_is_cut_between_sentences() -> None:
    text = "Something else goes first. " * 20 + "The map answers. Another sentence follows it here."
    found = cut(text, "map", budget=60)
    assert found.text.startswith("The map answers.")


def test_a_sentence_beyond_the_budget_is_cut_between_words_around_the_match() -> None:
    text = "word " * 200 + "target " + "word " * 200
    found = cut(text, "target", budget=50)
    assert "target" in found.text
    assert set(found.text.split()) == {"word", "target"}
    assert len(found.text) <= 50


def test_a_first_line_that_repeats_the_heading_is_left_out() -> None:
    text = "## The map\n\nBuilds one.\n"
    assert snippet(text, 1, matcher("map").find(text), heading="The map").text == "Builds one."
    assert snippet(text, 1, [], heading="Another").text == text.rstrip()
    underlined = "The map\n-------\n\nBuilds one.\n"
    assert snippet(underlined, 1, [], heading="The map").text == "Builds one."
    assert snippet("The map\n=======\n", 1, [], heading="The map").text == "The map\n======="
    assert snippet("## The map\n", 1, [], heading="The map").text == "## The map"


@pytest.mark.parametrize(
    "border", ["<p>\n", "/**\n *\n", "(*****)\n", "#######\n", '"""\n', "  //-----\n"]
)
def test_a_passage_does_not_begin_with_a_tag_or_the_border_of_a_comment(border: str) -> None:
    text = f"{border}Herons nest.\n"
    assert snippet(text, 1, [], budget=12) == Snippet(
        "Herons nest.", text.count("\n"), text.count("\n")
    )
    assert snippet(border, 1, []).text.strip() == border.strip()


def test_what_is_hidden_is_not_shown_and_its_words_do_not_draw_the_passage() -> None:
    text = "---\ntags: [map, map]\n---\n# Maps\n\nOne map.\n"
    found = snippet(text, 1, matcher("map").find(text), heading="Maps", hidden=[(0, unshown(text))])
    assert found == Snippet("One map.", 6, 6)
    assert snippet("---\na: 1\n---\n", 1, [], hidden=[(0, 13)]).text == ""


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("---\na: 1\n---\n# A\n", "---\na: 1\n---\n"),
        ("---\r\na: 1\r\n\r\n--- \r\nA\r\n", "---\r\na: 1\r\n\r\n--- \r\n"),
        ("---\n---", "---\n---"),
        ("---\na: 1\nb: 2\n", "---\na: 1\nb: 2\n"),  # the rest is in the next chunk
        ("---\n\nA rule, then text.\n", ""),
        ("----\na: 1\n----\n", ""),
        ("# A\n---\na: 1\n---\n", ""),
        (
            "---\na: 1\n---\n\n<!-- Licence\n-->\n<!-- b -->\n\nA",
            "---\na: 1\n---\n\n<!-- Licence\n-->\n<!-- b -->\n\n",
        ),
        ("<!-- Licence -->\n# A\n<!-- b -->", "<!-- Licence -->\n"),
        ("<!-- it goes on\n", ""),
        ("", ""),
    ],
)
def test_front_matter_and_the_comments_behind_it_are_not_shown(text: str, hidden: str) -> None:
    assert text[: unshown(text)] == hidden


def test_comments_are_neither_shown_nor_searched() -> None:
    text = "One map.\n\n<!-- map\n```\nmap map -->\n  <!-- map --> Set and bag.\n\nLast set.\n"
    spans = []
    for part in ("<!-- map\n```\nmap map -->\n", "  <!-- map -->"):
        spans.append((text.index(part), text.index(part) + len(part)))
    chunk = {"text": text, "start_line": 7, "comments": spans}
    reader = PassageReader(lambda: matcher("map set bag"), 240)
    found = reader.find(chunk)
    assert [text[start:end] for start, end, _ in found.occurrences] == ["map", "Set", "bag", "set"]
    assert reader.passage(chunk, found) == Snippet("Set and bag.\n\nLast set.", 12, 14)
    first = PassageReader(lambda: matcher("map"), 240)
    shown = first.passage(chunk, first.find(chunk))
    assert shown == Snippet("One map.", 7, 7)
    assert widened(shown, chunk, 100, 200) == shown


def test_a_passage_shows_a_compound_rather_than_its_parts() -> None:
    lines = ["`--lamp` lamp, oil lamp", "`--oil` of a lamp", "`--lamp-oil` fills it"]
    chunk = {"text": "\n".join(lines), "start_line": 1, "title": "lamp-oil"}
    reader = PassageReader(lambda: matcher("--lamp-oil"), 30)
    assert reader.passage(chunk, reader.find(chunk)).text == lines[2]
    only_parts = {**chunk, "text": "\n".join(lines[:2])}
    assert reader.passage(only_parts, reader.find(only_parts)).text == lines[0]


def test_a_code_block_does_not_begin_or_end_behind_a_comment() -> None:
    comment = "<!-- a -->"
    for before, after in (
        (f"One.\n\n{comment}", "```\nmap\n```\n"),
        (f"```\nmap\n```\n\n{comment}", "```\nset\n```\n"),
    ):
        hidden = [(before.index(comment), len(before))]
        found = snippet(before + after, 1, matcher("map").find(before + after), hidden=hidden)
        assert "map" in found.text
        assert comment not in found.text


def test_a_passage_that_its_chunk_has_before_is_widened_where_it_is() -> None:
    comment = "<!-- The map. -->"
    text = f"{comment}\n\nThe map.\n\nThe set.\n"
    chunk = {"text": text, "start_line": 5, "comments": [(0, len(comment))]}
    assert widened(Snippet("The map.", 7, 7), chunk, 15, 40) == Snippet(
        "The map.\n\nThe set.", 7, 9
    )
    chunk = {"text": f"{comment} The map.\n\nThe set.\n", "comments": [(0, len(comment))]}
    assert widened(Snippet("The map.", 1, 1), chunk, 5, 9) == Snippet("The map.", 1, 1)


@pytest.mark.parametrize(
    ("line", "heading", "expected"),
    [
        ("## Sets", "Sets", True),
        ("Sets", "Sets", True),
        ("### `Gate.open(speed)` {#weir.Gate.open}", "Gate.open(speed)", True),
        ("## **Sets** and maps {: .wide }", "Sets and maps", True),
        ("Sets hold values.", "Sets", False),
        ("`Sets`", "Sets", False),  # a line of its own, not a heading
        ("## Maps", "Sets", False),
        ("##", "", False),
        ("", "", False),
    ],
)
def test_a_line_repeats_a_heading_whatever_its_mark_up(
    line: str, heading: str, expected: bool
) -> None:
    assert repeats(line, heading) is expected


def test_a_passage_is_not_widened_by_the_heading_that_its_title_has() -> None:
    text = "## Sets {#sets}\n\nSets hold values.\n\n```\nSet(1)\n```\n"
    chunk = {"text": text, "start_line": 5, "title": "Manual › Sets"}
    shown = Snippet("Sets hold values.", 7, 7)
    assert widened(shown, chunk, 30, 40) == shown
    assert widened(shown, {**chunk, "title": "Manual"}, 30, 40).start_line == 5


def test_occurrences_behind_the_text_do_not_matter() -> None:
    text, more = "one\ntwo sets\n", "map map map"
    found = snippet(text, 1, matcher("map set").find(text + more), budget=9)
    assert found == Snippet("two sets", 2, 2)


def test_blank_space_without_end_is_no_trap() -> None:
    found = cut(" " * 200_000 + "\n" + "\t" * 200_000 + "x map\n", "map", budget=40)
    assert found.text.strip() == "x map"
    assert found.start_line == 2


def test_an_empty_text_has_an_empty_snippet() -> None:
    assert cut("", "map", first_line=7) == Snippet("", 7, 7)
    assert cut(" \n\n", "map", first_line=7).text == ""


ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
UNITS = (
    "e\u0301",
    "👨\u200d👩\u200d👧",
    "👍🏽",
    "🇩🇪",
    ENGLAND,
    "❤\ufe0f",
    "नि",
    "\u1112\u1161\u11ab",
)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("budget", range(20, 28))
def test_characters_of_several_code_points_are_not_torn(unit: str, budget: int) -> None:
    found = cut(unit * 100, "zebra", budget=budget)
    assert found.text == unit * (len(found.text) // len(unit))
    assert 0 < len(found.text) <= budget


@given(
    st.lists(st.sampled_from([*UNITS, "map ", "set. ", "。", " ", "\r\n", "x"]), max_size=60),
    st.integers(20, 60),
)
def test_a_snippet_begins_and_ends_between_characters(parts: list[str], budget: int) -> None:
    text = "".join(parts)
    found = cut(text, "map set", budget).text
    places = [at for at in range(len(text) + 1) if text.startswith(found, at)]
    assert any(is_boundary(text, at) and is_boundary(text, at + len(found)) for at in places)


@given(
    st.text(st.sampled_from("map set. \n\r\te\u0301日👍x"), max_size=400),
    st.integers(10, 120),
    st.integers(1, 9),
)
def test_a_snippet_is_a_part_of_the_text_at_its_lines(text: str, budget: int, first: int) -> None:
    found = cut(text, "map set 日x", budget, first)
    assert found.text in text
    assert len(found.text) <= budget
    assert first <= found.start_line <= found.end_line <= first + text.count("\n")
    if found.text:
        lines = text.split("\n")[found.start_line - first : found.end_line - first + 1]
        assert found.text in "\n".join(lines)
        torn = unicodedata.combining(found.text[0]) > 0
        assert not torn or any(end + found.text in "\n" + text for end in "\r\n")


@given(st.text(st.characters(), max_size=120), st.text(st.characters(), max_size=40))
def test_no_text_and_no_query_is_an_error(text: str, query: str) -> None:
    one = matcher(query)
    for start, end, term in one.find(text):
        assert 0 <= start < end <= len(text)
        assert 0 <= term < len(one.terms)
    assert len(cut(text, query, 30).text) <= 30


def test_a_large_text_without_spaces_is_no_trap() -> None:
    assert words("map" * 30_000, "map") == []
