"""What plugins of Ansible say about themselves, as pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.formats.package_samples import ANSIBLE, FRAGMENT
from tests.compiler.recognition.trees import read, recognised, write_tree

from kbc.formats import Converted, convert

GALAXY = "namespace: demo\nname: fly\nversion: 1.4.0\n"
FILES = {"galaxy.yml": GALAXY.encode(), "plugins/doc_fragments/wind.py": FRAGMENT}


def one(data: bytes, path: str = "plugins/modules/kite.py") -> Converted:
    (found,) = convert(path, data, FILES.get, format="ansible")
    return found


def test_a_module_is_a_page_with_options_examples_and_fragments() -> None:
    found = one(ANSIBLE)
    assert found.title == "demo.fly.kite – Fly a kite"
    assert found.index_names == ("demo.fly.kite", "kite")
    assert (
        found.text
        == """\
# demo.fly.kite – Fly a kite

*Added in version 1.2.0.*

Uses `line` and [winds](https://wind.example). See `line.length=3` and `demo.fly.gust#lookup`.

Not *indoors*.

## Requirements

- string >= 2

## Notes

- Mind the `WIND`.

## Parameters

- `line` (dict, required): The line.
  - `length` (int, default: `3`): In `m)`.
- `wind` (str, choices: `east`, `west`): The wind.

## See also

- `demo.fly.land`: Lands it.
- [Winds](https://wind.example)

## Examples

```yaml
- name: Fly
  demo.fly.kite:
    line:
      length: 3
```

## Return values

- `height` (int, returned: `success`): How high it is.
  Sample: `12`
"""
    )
    assert [(each.code, each.name) for each in found.problems] == [
        ("content-elsewhere", "extends_documentation_fragment")
    ]


def test_a_plugin_may_be_documented_in_yaml() -> None:
    data = (
        b"DOCUMENTATION:\n  name: gust\n  short_description: Blow\nEXAMPLES: |\n  {{ 1 | gust }}\n"
    )
    found = one(data, "plugins/filter/gust.yml")
    assert found.text == ("# demo.fly.gust – Blow\n\n## Examples\n\n```yaml\n{{ 1 | gust }}\n```\n")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'DOCUMENTATION = r"""\nmodule: a\nb: [}\n"""\n', 3),
        (b'DOCUMENTATION = r"""\nmodule: a\n"""\n\ndef (:\n', 5),
    ],
)
def test_a_broken_plugin_is_one_error_with_its_line(data: bytes, line: int) -> None:
    found = one(data)
    assert [(each.code, each.line) for each in found.problems] == [("ansible-invalid", line)]


def test_plugins_of_a_collection_are_pages_and_code(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "galaxy.yml": GALAXY,
            "README.md": "# Fly\n\nText.\n",
            "plugins/modules/kite.py": ANSIBLE.decode(),
            "plugins/doc_fragments/wind.py": FRAGMENT.decode(),
            "plugins/module_utils/line.py": "def pull():\n    pass\n",
        },
    )
    assert recognised(root).what == "Ansible collection demo.fly"
    inputs, _ = read(root)
    assert [each.title for each in inputs.records["plugins"]] == ["demo.fly.kite – Fly a kite"]
    assert {each.path for each in inputs.records["code"]} == {
        "galaxy.yml",
        "plugins/modules/kite.py",
        "plugins/doc_fragments/wind.py",
        "plugins/module_utils/line.py",
    }
    write_tree(root, {"_config.yml": "theme: slate\n"})
    records = read(root)[0].records  # of a site that has the whole tree, the plugins are read once
    assert [each.path for each in records["docs"]] == ["README.md"]
    assert [each.path for each in records["plugins"]] == ["plugins/modules/kite.py"]
