"""Eleventy, and sites of Liquid in Markdown that are laid out like it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

from kbc.records import DocRecord


def test_eleventy_takes_its_folders_and_shows_what_its_templates_hold(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "package.json": "{}",
            "eleventy.config.js": (
                "export default function (config) {\n  config.addShortcode('x', () => '');\n"
                "  return {dir: {input: 'site', includes: '_parts'}};\n}\n"
            ),
            ".eleventyignore": "# no\nsite/notes/\nnotes/\n",
            "site/_data/site.json": '{"title": "Quay", "url": "https://quay.example"}',
            "site/_parts/tide.md": "The tide **turns**.\n",
            "site/_parts/shell.njk": "<b>{{ content }}</b>\n",
            "site/index.md": "---\ntideTitle: Tides\nharbour: Leith\n---\n"
            '{# a remark #}At {{ harbour }}. {% include "tide.md" %}\n\n'
            "{% set codeContent %}\n<i>{{ x }}</i>\n{% endset %}\n"
            '{% include "shell.njk" %}\n\n{% raw %}{{ shown }}{% endraw %} and `{% kept %}`.\n',
            "site/guide/2024-05-01-boats.md": page("Boats"),
            "site/notes/x.md": page("X"),
        },
    )
    assert recognised(root).what == "Eleventy site 'Quay' (eleventy.config.js)"
    inputs, diagnostics = read(root)
    assert addresses(inputs) == {
        "guide/2024-05-01-boats.md": "https://quay.example/guide/boats/",
        "index.md": "https://quay.example/",
    }
    index = inputs.records["docs"][1]
    assert isinstance(index, DocRecord)
    assert index.title == "Tides"
    assert "At Leith. The tide **turns**." in index.content
    assert "```\n<i>{{ x }}</i>\n```" in index.content
    assert "{{ shown }} and `{% kept %}`." in index.content
    assert "remark" not in index.content
    assert "content-elsewhere" in [each.code for each in diagnostics]


def test_a_site_of_liquid_whose_program_is_its_own_is_known_by_its_folders(tmp_path: Path) -> None:
    files = {
        "README.md": page("Tools"),
        "site/pubspec.yaml": "name: quay\n",
        "src/_includes/tide.md": "The tide **turns** at {{site.harbour}}.\n",
        "src/_includes/parts/rope.md": "Splice it.\n",
        "src/data/site.yaml": "title: Quay\nurl: https://quay.example\nrepo:\n  boats: https://b.example\n"
        "harbour: Leith\n",
        "src/data/boats.yml": "fast: {name: Clipper}\n",
        "src/content/index.md": page("Quay"),
        "src/content/guide/tides.md": "---\ntitle: Tides\n---\n"
        "{% render 'tide.md', site: site %}\n\n"
        "See [boats]({{site.repo.boats}}/list), a {{boats.fast.name}}.\n\n"
        "## Ropes {:#rope-work}\n\n{% render 'parts/rope.md' %} {% raw %}{{ kept }}{% endraw %}\n",
    }
    root = write_tree(tmp_path / "tree", files)
    assert "site of templates 'Quay' (src/data/site.yaml)" in recognised(root).what
    inputs, diagnostics = read(root)
    assert addresses(inputs)["guide/tides.md"] == "https://quay.example/guide/tides/"
    (tides,) = (each for each in inputs.records["docs"] if each.id == "guide/tides.md")
    assert isinstance(tides, DocRecord)
    assert "The tide **turns** at Leith." in tides.content
    assert "[boats](https://b.example/list), a Clipper." in tides.content
    assert "Splice it." in tides.content
    assert "{{ kept }}" in tides.content
    assert [each.anchor for each in tides.sections][-1] == "rope-work"
    assert "content-elsewhere" not in [each.code for each in diagnostics]


@pytest.mark.parametrize(
    "missing", ["src/_includes/", "src/data/site.yaml", "src/content/index.md"]
)
def test_a_folder_that_lacks_one_of_these_is_no_site_of_templates(
    tmp_path: Path, missing: str
) -> None:
    files = {
        "src/_includes/tide.md": "The tide.\n",
        "src/data/site.yaml": "title: Quay\n",
        "src/content/index.md": page("Quay"),
        "src/content/other.txt": "x\n",
        "src/data/other.csv": "x\n",
    }
    assert "templates" in recognised(write_tree(tmp_path / "whole", files)).what
    left = {path: text for path, text in files.items() if not path.startswith(missing)}
    assert "templates" not in recognised(write_tree(tmp_path / "tree", left)).what
