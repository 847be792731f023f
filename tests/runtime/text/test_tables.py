from __future__ import annotations

from kb_runtime.text.tables import count_of, counted, size, some_of


def test_some_items_are_named_and_the_others_counted() -> None:
    assert some_of([], 2) == ""
    assert some_of(["a", "b"], 2) == "a, b"
    assert some_of([*"abcd"], 2) == "a, b and 2 more"
    assert some_of(["a"] * 1201, 1) == "a and 1,200 more"


def test_counts_and_sizes_are_as_people_write_them() -> None:
    assert [count_of(1, "entry"), count_of(1200, "entry")] == ["1 entry", "1,200 entries"]
    assert [counted(1, "entries"), counted(1, "rows"), counted(2, "rows")] == [
        "1 entry",
        "1 row",
        "2 rows",
    ]
    assert [size(812), size(3_400_000), size(2_000_000_000)] == ["812 B", "3.4 MB", "2.0 GB"]
