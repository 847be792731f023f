"""Lists of AsciiDoc in lists: which of them an item, and a block behind a `+`, belongs to; tables; the lines
around the title of a document."""

import time

import pytest

from kbc.formats import Converted, convert


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("* One\n+\n. a\n. b\n* Two\n", "- One\n  1. a\n  2. b\n- Two\n"),
        (
            "nest::: A field.\n\n`eggs`:::: Their number.\n+\nAt most four.\n`age`::::\nIn days.\n",
            "- **nest**\n\n  A field.\n\n  - **`eggs`**\n\n    Their number.\n\n    At most four.\n\n"
            "  - **`age`**\n\n    In days.\n",
        ),
        ("* One\n+\nText\n* Two\n", "- One\n\n  Text\n\n- Two\n"),
        ("* One\n. a\n. b\n\n+\nOf one.\n* Two\n", "- One\n\n  1. a\n  2. b\n\n  Of one.\n\n- Two\n"),
        ("* One\n** a\n... x\n\n\n+\nOf one.\n", "- One\n\n  - a\n    1. x\n\n  Of one.\n"),
        ("name::\n+\n. a\n. b\n\n+\n`X`:::\nText.\n",
         "- **name**\n\n  1. a\n  2. b\n\n  - **`X`**\n\n    Text.\n"),
        ("* One\n\n+\nOf one.\n", "- One\n\n  Of one.\n"),
        ("* One\n+\n====\nText\n* inner\n====\n* Two\n",
         "- One\n\n  Text\n  \\* inner\n\n- Two\n"),
        ("Text\n* no item\n", "Text\n\\* no item\n"),
    ],
)  # fmt: skip
def test_items_and_blocks_belong_to_the_list_that_they_name(source: str, shown: str) -> None:
    (found,) = convert("a.adoc", source.encode(), lambda path: None)
    assert found.text == shown


def test_cells_with_both_spans_and_the_default_style() -> None:
    source = b'[%header,cols="1m,1"]\n|===\n|a |b\n1.1+|x |y\n2+d|wide\n|===\n'
    (found,) = convert("a.adoc", source, lambda path: None)
    assert found.text == "| a | b |\n| --- | --- |\n| `x` | y |\n| wide |  |\n"


def test_rows_that_have_no_cell_of_their_own_are_none() -> None:
    cells = "2.900+|wide\n|a\n.900+|b\n|c\n"
    (found,) = convert("a.adoc", f"[cols=2]\n|===\n{cells}|===\n".encode(), {}.get)
    assert found.text == "|  |  |\n| --- | --- |\n| wide |  |\n| a | b |\n| c |  |\n"
    (found,) = convert("a.adoc", b"|===\n" + b".900+|x\n" * 2_000 + b"|===\n", {}.get)
    assert found.text.count("\n") == 2_002


def test_links_in_monospaced_cells_stay_links() -> None:
    files = {"b.adoc": b"= Other\n\nText.\n"}
    cells = "|xref:b.adoc[GO [x\\]] / {v}\n|`{v}` and https://x.example[Y]\n|xref:b.adoc[]\n"
    (found,) = convert("a.adoc", f":v: 2\n\n[cols=1m]\n|===\n{cells}|===\n".encode(), files.get)
    assert found.text == (
        "|  |\n| --- |\n| [`GO [x]`](b.adoc) `/ 2` |\n| `2 and` [`Y`](https://x.example) |\n"
        "| [Other](b.adoc) |\n"
    )


def test_links_to_a_site_whose_address_the_tree_does_not_tell_are_their_text() -> None:
    source = (
        "See {heron-api-url}a/B.html#c()[`B`^], {dam-docs}[the *docs*] and `{dam-docs}[x]`,"
        " or /birds/{bird-url}[1]; `ls {dam-url}/a[0]`, +ls {dam-url}/a[0]+.\n"
    )
    (found,) = convert("docs/a.adoc", source.encode(), {}.get)
    assert found.text == (
        "See `B`, the **docs** and `{dam-docs}[x]`, or /birds/{bird-url}[1];"
        " `ls {dam-url}/a[0]`, ls {dam-url}/a[0].\n"
    )
    assert {each.name for each in found.problems} == {"{heron-api-url}", "{dam-docs}"}


@pytest.mark.parametrize("address", ["{a-url}", "link:", "xref:a", "https://a.example"])
def test_brackets_that_are_never_closed_take_linear_time(address: str) -> None:
    def seconds(count: int) -> float:
        source = f"{address}[\\]".encode() * count
        started = time.process_time()
        convert("a.adoc", source, {}.get)
        return time.process_time() - started

    seconds(10)
    assert seconds(20_000) < 5


def one(source: str) -> Converted:
    (found,) = convert("a.adoc", source.encode(), {}.get)
    return found


@pytest.mark.parametrize("mark", ["////", "//////////"])
def test_a_block_of_comments_above_the_title_is_no_end_of_the_header(mark: str) -> None:
    source = f"{mark}\nCopyright.\n\n:no: entry\n{mark}\n\n= Heron\nAnn Heron\n:nest: reeds\n\nIn {{nest}}.\n"
    found = one(source)
    assert (found.title, found.author) == ("Heron", "Ann Heron")
    assert found.text == "# Heron\n\nIn reeds.\n"


def test_a_block_of_comments_between_attributes_and_their_block_is_left_out() -> None:
    assert (
        one("[source,c]\n////\nnot shown\n////\n----\nint x;\n----\n").text == "```c\nint x;\n```\n"
    )


@pytest.mark.parametrize(
    ("header", "author"),
    [
        (
            ":mark: (R)\nThe Heron{mark} Text Working Group\n:icons: font",
            "The Heron(R) Text Working Group",
        ),
        ("Herons of the River, and Friends\nv1.0, 2024-05-06", "Herons of the River, and Friends"),
    ],
)
def test_a_line_above_more_of_the_header_names_its_authors(header: str, author: str) -> None:
    found = one(f"= Heron\n{header}\n\nText.\n")
    assert (found.author, found.text) == (author, "# Heron\n\nText.\n")


def test_text_directly_below_the_title_is_kept() -> None:
    text = "Herons live at rivers, at lakes, and in marshes."
    assert one(f"= Heron\n{text}\nThey wade.\n").text == f"# Heron\n\n{text}\nThey wade.\n"
