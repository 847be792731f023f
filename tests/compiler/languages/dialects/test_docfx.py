"""DocFX: included pages and code, tabs, pictures and columns."""

from __future__ import annotations

import re

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import NamedPage, Surroundings

FILES = {
    "docs/includes/note.md": "---\nms.author: x\n---\nA note.\n",
    "code/Gate.cs": "class Gate\n{\n    // <open>\n    void Open() {}\n    // </open>\n}\n",
}


def expanded(text: str) -> str:
    found = expand(
        text,
        "docs/guide/page.md",
        lambda path: FILES[path].encode() if path in FILES else None,
    )
    assert found.unresolved == {}
    return re.sub(r"\n{3,}", "\n\n", found.text.strip())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[!INCLUDE [note](../includes/note.md)]", "A note."),
        ("[!include[](../includes/note.md)]", "A note."),
        ('> [!div class="nextstepaction"]\n> [Next](next.md)', "> [Next](next.md)"),
        ("See > [!VIDEO https://v.example/1]", "See > [Video](<https://v.example/1>)"),
        ("[!code-csharp[](../../code/Gate.cs?range=1-2)]", "```csharp\nclass Gate\n{\n```"),
        ("[!code-csharp[Gate](../../code/Gate.cs#L1)]", "```csharp\nclass Gate\n```"),
        (
            ':::code language="csharp" source="~/code/Gate.cs" id="open":::',
            "```csharp\nvoid Open() {}\n```",
        ),
        (
            "# [Windows](#tab/windows)\n\nA\n\n# [Linux](#tab/linux)\n\nB\n\n---",
            "**Windows**\n\nA\n\n**Linux**\n\nB\n\n---",
        ),
        (
            ':::row:::\n:::column:::\n:::image type="content" source="a.png" alt-text="Gate":::\n'
            ":::column-end:::\n:::row-end:::",
            "![Gate](a.png)",
        ),
        ("```md\n[!INCLUDE [a](b.md)]\n```", "```md\n[!INCLUDE [a](b.md)]\n```"),
    ],
)
def test_directives_become_their_text(source: str, expected: str) -> None:
    assert expanded(source) == expected


def test_a_file_that_is_not_there_is_counted() -> None:
    found = expand("[!INCLUDE [a](b.md)]", "docs/page.md", lambda path: None)
    assert found.text == "(not included: b.md)"
    assert found.unresolved == {"[!INCLUDE]": 1}


def test_code_of_another_repository_is_no_missing_file() -> None:
    found = expand("[!code[](~/../samples/Gate.cs)]", "docs/page.md", lambda path: None)
    assert (found.unresolved, found.external) == ({}, {"code of DocFX": 1})


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("See <xref:nests?displayProperty=fullName>.", "See [Big nests](../nests.md)."),
        ("See [them](xref:nests#eggs \"Nests\").", "See [them](../nests.md)."),
        ("Call <xref:Heron.Nest`1.Open*> or <xref:Heron.Fly%2A>.", "Call `Heron.Nest.Open` or `Heron.Fly`."),
        ("Call [it](xref:Heron.Fly(System.Int32)).", "Call [it](xref:Heron.Fly(System.Int32))."),
        ("Write `<xref:nests>`.", "Write `<xref:nests>`."),
    ],
)  # fmt: skip
def test_references_by_uid_lead_to_the_page_that_states_it(source: str, shown: str) -> None:
    around = Surroundings(uids={"nests": NamedPage("docs/nests.md", "Big nests")})
    assert expand(source, "docs/guide/page.md", {}.get, around).text == shown
