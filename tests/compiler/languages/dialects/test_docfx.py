"""DocFX: included pages and code, tabs, pictures and columns."""

from __future__ import annotations

import re

import pytest

from kbc.languages.includes import expand

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
