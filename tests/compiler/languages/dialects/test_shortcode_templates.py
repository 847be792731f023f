"""Shortcodes of Hugo whose templates are text with values and conditions."""

import time

import pytest

from kbc.languages.includes.dialects.shortcode_templates import shown_by
from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Surroundings

SINCE = """{{- $tag := .Get 0 -}}
{{- $isNew := strings.HasSuffix $tag "-new" -}}
{{ if $isNew }}{{- $tag = strings.TrimSuffix "-new" $tag -}}{{ end }}
<div class="a"><svg><path d="M1"/></svg>
  {{ partial "icon.html" (dict "name" "x") }}
  {{- if $isNew -}} Coming in <b>{{ $tag }}</b>.
  {{- else -}} Since <a class="x" href="/news/{{ $tag }}/"> {{ $tag | safeHTML }} </a>.{{ end }}
</div>"""


@pytest.mark.parametrize(
    ("template", "plain", "named", "shown"),
    [
        (SINCE, ["v2"], {}, '\n\nSince <a href="/news/v2/">v2</a>.\n\n'),
        (SINCE, ["v3-new"], {}, "\n\nComing in <b>v3</b>.\n\n"),
        ('<li>{{ .Get "a" }}{{ with .Get "at" }} at {{ . }}{{ end }}</li>', [], {"a": "Nest"}, "\n- Nest"),
        ('<b>{{ $.Get "name" | default "Heron" }}</b>', [], {}, "<b>Heron</b>"),
        ('{{ partial "badge.html" (dict "color" "red" "content" (printf "Since %s" (.Get 0))) }}',
         ["2"], {}, "Since 2"),
        ('{{ if and (.Get 0) (eq (len (split (.Get 0) ".")) 2) }}two{{ else if .Get 0 }}a{{ end }}',
         ["1.2"], {}, "two"),
        ("{{ if not (.Get 0) }}none{{ else if eq (.Get 0) 1 }}a{{ else }}b{{ end }}", ["1"], {}, "b"),
        ("<i>{{ .Get 0 }}</i>", [], {}, ""),
        ("<p>{{ range .Site.Pages }}{{ .Title }}{{ end }}</p>", [], {}, ""),
        ("<p>By {{ .Page.Author }}.</p>", [], {}, ""),
        ("<p>{{ if .Page.Draft }}A draft.{{ end }}</p>", [], {}, ""),
        ("<script>let heron;</script>", [], {}, ""),
        ("<p>{{ if .Get 0 }}never closed</p>", ["a"], {}, ""),
        ('{{ printf "%9999999s" "a" }}b', [], {}, ""),
    ],
)  # fmt: skip
def test_the_text_of_a_template_with_what_the_shortcode_states(
    template: str, plain: list[str], named: dict[str, str], shown: str
) -> None:
    assert shown_by(template, plain, named) == shown


def test_own_shortcodes_show_their_text_and_others_are_counted() -> None:
    files = {
        "layouts/shortcodes/since.html": SINCE.encode(),
        "layouts/shortcodes/authors.html": b"{{ range .Site.Authors }}{{ . }}{{ end }}",
    }
    around = Surroundings(templates=("layouts/shortcodes",))
    source = '{{< since "v2" >}}\n\n| A {{< since "v4-new" >}} | B |\n\n{{< authors >}}\n'
    found = expand(source, "content/a.md", files.get, around)
    assert 'Since <a href="/news/v2/">v2</a>.' in found.text
    assert "| A Coming in <b>v4</b>. | B |" in found.text
    assert dict(found.external) == {"{{< authors >}}": 1}


@pytest.mark.parametrize(
    "template",
    [
        '{{ $a := "aaaaaaaaaa" }}' + '{{ $a = printf "%s%s" $a $a }}' * 500 + "{{ $a }}",
        "{{ " * 6_000,
        '{{ "' + '\\"' * 900 + " }}" + "{{ (" * 3_000,
        "<a>" * 199 + "a" * 19_000,
        "{{ if 1 }}" * 1_900,
        "{{ " + "(" * 1_900 + " }}",
        "<a>" + " " * 2_000 + "b",
        '{{ "a"' + "|or" * 600 + " }}",
    ],
)
def test_templates_made_to_harm_end(template: str) -> None:
    started = time.process_time()
    for _ in range(20):
        shown_by(template, [], {})
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "template", ["word " * 3_900, "<p>" + "word " * 3_900 + "{{ .Get 0 }}</p>"]
)
def test_a_page_shows_no_more_by_shortcodes_than_it_may_include(template: str) -> None:
    files = {"layouts/shortcodes/since.html": template.encode()}
    around = Surroundings(templates=("layouts/shortcodes",))
    found = expand('{{< since "v2" >}}\n\n' * 200, "content/a.md", files.get, around)
    assert 1_900_000 < len(found.text) < 2_100_000
