"""MyST: what Sphinx's directives and roles become in Markdown pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Surroundings

FILES = {
    "docs/part.md": "A part with {term}`sluice <water>`.\n",
    "code/run.py": "import gate\n\ngate.open()\n",
}


def restructured(source: str) -> tuple[str, Sequence[str]]:
    """What a page hands to the reader of reStructuredText, and a heading."""
    return f"# Object\n\n```rst\n{source.rstrip()}\n```\n", ["pkg.object"]


def expanded(text: str) -> str:
    found = expand(
        text,
        "docs/page.md",
        lambda name: FILES[name].encode() if name in FILES else None,
        Surroundings(restructured=restructured),
    )
    assert found.unresolved == {}
    return re.sub(r"\n{3,}", "\n\n", found.text.strip())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("See {func}`~pkg.run` and {ref}`the gates <gates>`.", "See `pkg.run` and the gates."),
        ("See {term}`the big\n  gates <gates>` or {func}`x`.", "See the big\n  gates or `x`."),
        ("See {func}`~pkg.run\n\nAnd `code`.", "See {func}`~pkg.run\n\nAnd `code`."),
        ("```{code-block} python\n:caption: x\na = {}\n```", "```python\na = {}\n```"),
        (
            "```{code-cell} python\n:load: ../code/run.py\n:tags: [x]\n\n```",
            "```python\nimport gate\n\ngate.open()\n```",
        ),
        (
            "```{code-cell}\n---\nload: ../code/run.py\n---\n```\nB",
            "```\nimport gate\n\ngate.open()\n```\n\nB",
        ),
        ("```{code-cell} ipython3\nrun()\n```", "```python\nrun()\n```"),
        (
            "---\nkernelspec:\n  name: julia-1.9\n---\n\n```{code-cell}\nrun()\n```",
            "---\nkernelspec:\n  name: julia-1.9\n---\n\n```julia\nrun()\n```",
        ),
        (
            "---\nkernelspec:\n  name: env\n  display_name: Python 3\n---\n\n```{code-cell}\nrun()\n```",
            "---\nkernelspec:\n  name: env\n  display_name: Python 3\n---\n\n```python\nrun()\n```",
        ),
        ("```{note}\nBe {term}`careful`.\n```", "**Note**\n\nBe careful."),
        ("H{sub}`2`O, {abbr}`KB (knowledge base)`", "H2O, KB (knowledge base)"),
        ("See {pep}`526`.", "See [PEP 526](https://peps.python.org/pep-0526/)."),
        ("{rfc}`the RFC <2822>`", "[the RFC](https://datatracker.ietf.org/doc/html/rfc2822)"),
        ("Use `` {sub}`2` `` for {sub}`2`.", "Use `` {sub}`2` `` for 2."),
        ("```{myst}\nIn {sc}`caps`.\n```", "```myst\nIn {sc}`caps`.\n```"),
        (":::{seealso}\nThe gates.\n:::", "**See also**\n\nThe gates."),
        (":::{deprecated}\nUse gates.\n:::", "**Deprecated**\n\nUse gates."),
        (
            ":::{versionchanged} 3.1 It opens.\nAnd shuts.\n:::",
            "**Changed in 3.1**\n\nIt opens.\n\nAnd shuts.",
        ),
        ("````{tab-item} pip\n```sh\npip\n```\n````", "**pip**\n\n```sh\npip\n```"),
        ("```{toctree}\na\nb\n```\n\nText.", "Text."),
        ("```{include} part.md\n```", "A part with sluice."),
        ("``` {include} part.md\n```", "A part with sluice."),
        ("~~~ {include} part.md\n~~~", "A part with sluice."),
        ("```{math}\nx = 1\n```", "```math\nx = 1\n```"),
        ("```{testsetup} *\nimport gate\n```\nText.", "Text."),
        ("```{testcleanup}\ngate.shut()\n```", ""),
        ("```{testcode} gates\nopen_()\n```", "```python\nopen_()\n```"),
        ("```{testoutput}\n:hide:\n*ajar*\n```", "```text\n*ajar*\n```"),
        ("```{doctest}\n>>> 1\n```", "```pycon\n>>> 1\n```"),
        ("```python\n{func}`x`\n```", "```python\n{func}`x`\n```"),
        (
            "````{note}\n* - ````md\n    {func}`x`\n    ````\n````\nB",
            "**Note**\n\n* - ````md\n    {func}`x`\n    ````\n\nB",
        ),
        (":::{note}\n:name: care\nBe careful.\n:::", "(care)=\n\n**Note**\n\nBe careful."),
        ("::::{tab-set}\n:::{tab-item} pip\nA\n:::\n::::\nB", "**pip**\n\nA\n\nB"),
        (
            "::::{grid-item}\n:::{card} Gate {octicon}`link-external;1em`\nShut.\n:::\n::::",
            "**Gate**\n\nShut.",
        ),
        (":::{card}\nA {fas}`door` {bdg}`new` one.\n:::", "A  `new` one."),
        (
            ":::{grid-item-card} Gate\nHead\n^^^\nShut.\n+++\nFoot\n:::",
            "**Gate**\n\nHead\n\nShut.\n\nFoot",
        ),
        ("```{figure-md} gate\n![Gate](a.png)\n\nShut.\n```", "(gate)=\n\n![Gate](a.png)\n\nShut."),
        ("```{math}\n:label: m\nx\n```", "(m)=\n\n```math\nx\n```"),
        (
            "```{list-table} Gates\n:header-rows: 1\n* - Name\n  - Use\n* - `a`\n  - Shuts\n    off\n```",
            "**Gates**\n\n| Name | Use |\n| --- | --- |\n| `a` | Shuts off |",
        ),
        (
            "````{list-table}\n* - A\n  - ```sh\n    x\n    ```\n````",
            "* - A\n  - ```sh\n    x\n    ```",
        ),
        (
            "```{prf:theorem} Of tides\n:label: tide\n\nThey *turn*:\n\n- twice\n```",
            "(tide)=\n\n**Theorem: Of tides**\n\nThey *turn*:\n\n- twice",
        ),
        ("```{exercise} Count\n:label: c\n\nAll.\n```", "(c)=\n\n**Exercise: Count**\n\nAll."),
        ("```{exercise-start}\n```\nCount.\n```{exercise-end}\n```", "**Exercise**\n\nCount."),
        ("```{solution-start} c\n```\nTwo.\n```{solution-end}\n```", "**Solution**\n\nTwo."),
        ("```{solution} c\nTwo.\n```", "**Solution**\n\nTwo."),
    ],
)
def test_directives_and_roles_become_their_text(source: str, expected: str) -> None:
    assert expanded(source) == expected


def test_what_sphinx_reads_goes_to_its_reader_with_module_and_level() -> None:
    found = expanded(
        "```{currentmodule} pkg\n```\n\n## Part\n\n```{autofunction} run\n:members:\n```"
    )
    assert found == (
        "## Part\n\n### Object {#pkg.object}\n\n"
        "```rst\n.. currentmodule:: pkg\n\n.. autofunction:: run\n   :members:\n```"
    )


def test_pages_of_other_generators_keep_such_text() -> None:
    source = "```{note}\nText with {func}`x`.\n```"
    assert expand(source, "a.md", lambda name: None).text == source


def test_code_that_a_cell_loads_and_that_is_not_there_is_counted() -> None:
    around = Surroundings(restructured=restructured)
    found = expand("```{code-cell}\n:load: none.py\n```\n", "a.md", lambda _: None, around)
    assert "(not included: none.py)" in found.text
    assert found.unresolved == {":load:": 1}
