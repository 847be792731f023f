"""Shortcodes of Hugo whose templates are only a text."""

import pytest

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Surroundings

FILES = {
    "layouts/shortcodes/version.html": b"1.4.2\n",
    "layouts/shortcodes/heron/latestTag.html": (
        b'v2.0\n{{- "" -}}\n{{/* Without a blank behind it. */}}\n{{- "" -}}\n'
    ),
    "layouts/shortcodes/site.html": b"{{- .Site.Params.nest.height -}}",
    "layouts/shortcodes/beta.html": b'{{- $_hugo_config := `{ "version": 1 }` -}}\n<p>A beta.</p>\n',
    "layouts/shortcodes/get.html": b"{{ .Get 0 }}",
}


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("```sh\nget heron@{{< version >}}\n```\n", "```sh\nget heron@1.4.2\n```\n"),
        ("Run `get v{{% version %}}` or {{<version>}}.\n", "Run `get v1.4.2` or 1.4.2.\n"),
        ("    get {{% heron/latestTag %}}-x\n", "    get v2.0-x\n"),
        ("High: {{< site >}}.\n", "High: 9.\n"),
        ("A\n\n{{< beta >}}\n", "A\n\n<p>A beta.</p>\n"),
        ("```\n{{</* version */>}}\n```\n", "```\n{{< version >}}\n```\n"),
        ("Write `{{%/* version x=1 */%}}`.\n", "Write `{{% version x=1 %}}`.\n"),
        ("```\n{{</* get\n  x\n*/>}}\n```\n", "```\n{{< get\n  x\n>}}\n```\n"),
        ("```\n{{< get >}} {{< other >}}\n```\n", "```\n{{< get >}} {{< other >}}\n```\n"),
    ],
)
def test_a_text_stands_in_its_place_also_in_code(source: str, shown: str) -> None:
    around = Surroundings(templates=("layouts/shortcodes",))
    values = {"nest.height": "9"}.get
    assert expand(source, "content/a.md", FILES.get, around, values=values).text == shown
