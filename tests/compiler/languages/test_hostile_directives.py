"""Directives that never end are read in bounded time."""

from __future__ import annotations

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Surroundings
from kbc.languages.includes.templates.liquid import Liquid

QUOTED = '"x" ' * 60


@pytest.mark.parametrize(
    "text",
    [
        f"{{% x {QUOTED}\n",
        f"{{{{ x {QUOTED}\n",
        f'{{% hint style="a" {QUOTED}\n',
        f'{{% include "a" {QUOTED}\n',
        "<b v-pre>" * 3_000 + "{{ x }}\n",
        "<!-- " * 3_000 + "{{ x }}\n",
    ],
)
@pytest.mark.parametrize("liquid", [None, Liquid(), Liquid(is_bare=True)])
def test_what_is_never_closed_stays_text(text: str, liquid: Liquid | None) -> None:
    found = expand(text, "a.md", lambda _: None, liquid=liquid, filled=lambda _: None)
    assert found.text.strip()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("opened", ["{{" * 20_000, "<code>" * 20_000, "`" * 20_000 + "a" * 20_000])
def test_what_keeps_values_is_looked_for_in_bounded_time(opened: str) -> None:
    assert (
        expand(f"{{{{ x }}}} {opened}\n", "a.md", lambda _: None, filled=lambda _: "y").text[:2]
        == "y "
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "opened",
    [
        "](xref:" + "a" * 100_000,
        "<xref:" + "a" * 100_000,
        "](xref:a" * 20_000,
        "{{< a/b" * 20_000,
        "{::comment}" * 20_000,
        "{{ site.a" * 20_000,
    ],
)
def test_references_shortcodes_and_extensions_are_looked_for_in_bounded_time(opened: str) -> None:
    around = Surroundings(attributes="kramdown", templates=("layouts/shortcodes",))
    text = f"{{: .x }}\n{opened}\n"
    liquid = Liquid(values={"a": "b"})
    assert expand(text, "a.md", lambda _: None, around).text.strip()
    assert expand(f"```\n{opened}\n```\n", "a.md", lambda _: None, around, liquid=liquid).text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("include", ["{% include [a](FILE) %}", '{% include "FILE" %}'])
def test_files_that_include_each_other_many_times_end_soon(include: str) -> None:
    def text(name: int) -> str:
        others = (include.replace("FILE", f"{(name + step) % 12}.md") for step in (1, 2, 3))
        return "\n\n".join([*others, "word", '{% hint style="info" %}', "{% endhint %}"])

    files = {f"{name}.md": text(name).encode() for name in range(12)}
    found = expand(text(0), "0.md", files.get)
    assert 100 < found.text.count("word") < 2_000


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["hint", "include", "note"])
def test_the_ends_of_tags_are_looked_for_in_bounded_time(name: str) -> None:
    text = "{% endhint %}\n" + f"{{% {name} " * 30_000
    assert expand(text, "a.md", lambda _: None).text.strip().startswith(f"{{% {name}")
