"""Pages that extensions of Sphinx write from Python source: sphinx-autoapi, autodoc2 and sphinx-gallery."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, read, recognised, write_tree

from kbc.diagnostics import Diagnostics
from kbc.languages.python_literals import literals
from kbc.pipeline.reading import read_inputs
from kbc.project.loading import load_project
from kbc.recognition.described import kb_toml
from kbc.records import DocRecord

pytest.importorskip("griffe")

_PUMP = (
    '"""Moves water."""\n\nclass Pump:\n    """A pump.\n\n    :param rate: litres a second\n    """\n\n'
    "    def __init__(self, rate: int = 3): ...\n\n"
    '    def start(self) -> None:\n        """Opens the valve."""\n\n'
    '    def _prime(self):\n        """Fills the pump."""\n'
)
_SOURCE = {
    "pyproject.toml": '[project]\nname = "weir"\nversion = "1.0"\n',
    "docs/index.rst": "Weir\n====\n\nWater, held back.\n",
    "src/weir/__init__.py": '"""Weirs and pumps."""\nfrom weir.pump import Pump\nfrom os import path\n',
    "src/weir/pump.py": _PUMP,
    "src/weir/_valves.py": "def turn(): ...\n",
    "src/weir/empty/__init__.py": "",
    "src/weir/legacy/old.py": '"""Former."""\n',
}


def _tree(root: Path, conf: str, **others: str) -> Path:
    stated = f"project = 'Weir'\nhtml_baseurl = 'https://weir.example/'\n{conf}"
    return write_tree(root, {**_SOURCE, **others, "docs/conf.py": stated})


def test_autoapi_has_a_page_for_each_module(tmp_path: Path) -> None:
    conf = (
        "import os\nextensions = ['sphinx.ext.napoleon']\nextensions.append('autoapi.extension')\n"
        "autoapi_dirs = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src')]\n"
        "autoapi_ignore = ['*/legacy/*']\n"
    )
    written = {"docs/autoapi/weir/index.rst": "weir\n====\n\n.. py:module:: weir\n"}
    root = _tree(tmp_path / "tree", conf, **written)
    inputs, diagnostics = read(root)
    assert addresses(inputs, "api") == {
        "weir/__init__.py": "https://weir.example/autoapi/weir/index.html",
        "weir/_valves.py": "https://weir.example/autoapi/weir/_valves/index.html",
        "weir/pump.py": "https://weir.example/autoapi/weir/pump/index.html",
    }
    assert addresses(inputs) == {"index.rst": "https://weir.example/index.html"}
    package, valves, pump = inputs.records["api"]
    assert isinstance(pump, DocRecord)
    assert pump.title == "weir.pump"
    assert pump.summary == "Moves water."
    assert valves.summary == "turn"
    assert "litres a second" in pump.text
    assert [each.anchor for each in pump.sections] == [
        "weir.pump",
        "weir.pump.Pump",
        "weir.pump.Pump.start",
        "weir.pump.Pump._prime",
    ]
    assert "- `Pump`: `weir.pump.Pump`" in package.text
    assert "path" not in package.text
    assert not [each for each in diagnostics if each.path.startswith("src/")]
    assert "src/weir/pump.py" in [each.path for each in inputs.records["code"]]


def test_autoapi_leaves_private_members_out_as_it_is_told(tmp_path: Path) -> None:
    conf = (
        "extensions = ['autoapi.extension']\nautoapi_root = 'reference/api'\n"
        "autoapi_dirs = ['../src/weir']\nautoapi_options = ['members']\n"
    )
    inputs, _ = read(_tree(tmp_path / "tree", conf))
    assert addresses(inputs, "api") == {
        "weir/__init__.py": "https://weir.example/reference/api/weir/index.html",
        "weir/legacy/old.py": "https://weir.example/reference/api/weir/legacy/old/index.html",
        "weir/pump.py": "https://weir.example/reference/api/weir/pump/index.html",
    }
    assert "_prime" not in inputs.records["api"][2].text


def test_autodoc2_has_pages_by_package(tmp_path: Path) -> None:
    conf = (
        "extensions = ['autodoc2']\nautodoc2_hidden_objects = ['private']\n"
        "autodoc2_packages = [{'path': '../src/weir', 'exclude_dirs': ['legacy']}, '../src/gauge.py']\n"
    )
    inputs, _ = read(_tree(tmp_path / "tree", conf, **{"src/gauge.py": "def level(): ...\n"}))
    assert addresses(inputs, "api") == {
        "weir/__init__.py": "https://weir.example/apidocs/weir/weir.html",
        "weir/pump.py": "https://weir.example/apidocs/weir/weir.pump.html",
    }
    assert addresses(inputs, "api-2") == {
        "gauge.py": "https://weir.example/apidocs/gauge/gauge.html"
    }


@pytest.mark.parametrize(
    "conf",
    [
        "extensions = []\nautoapi_dirs = ['../src']\n",
        "extensions = ['autoapi.extension']\nautoapi_dirs = ['../lib', '../../elsewhere']\n",
        "extensions = ['autoapi.extension']\nautoapi_dirs = ['../src']\nautoapi_generate_api_docs = False\n",
    ],
)
def test_without_pages_of_the_extension_there_is_no_reference(tmp_path: Path, conf: str) -> None:
    inputs, _ = read(_tree(tmp_path / "tree", conf))
    assert "api" not in inputs.records


def test_a_reference_is_written_into_kb_toml_and_read_from_it(tmp_path: Path) -> None:
    root = _tree(
        tmp_path / "tree", "extensions = ['autoapi.extension']\nautoapi_dirs = ['../src']\n"
    )
    expected = addresses(read(root)[0], "api")
    (root / "kb.toml").write_text(kb_toml(recognised(root)))
    diagnostics = Diagnostics()
    project = load_project(root, diagnostics)
    assert project is not None
    inputs = read_inputs(project, diagnostics)
    assert inputs is not None
    assert addresses(inputs, "api") == expected


def test_a_module_that_is_no_python_is_reported_with_its_line(tmp_path: Path) -> None:
    conf = "extensions = ['autoapi.extension']\nautoapi_dirs = ['../src']\n"
    _, diagnostics = read(
        _tree(tmp_path / "tree", conf, **{"src/weir/bad.py": "x = 1\nprint 'a'\n"})
    )
    (found,) = [each for each in diagnostics.warnings if each.code == "python-invalid"]
    assert (found.path, found.line) == ("src/weir/bad.py", 2)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("os.path.abspath('../src')", "../src"),
        ("os.path.abspath(os.path.join(__file__, '..', '..', 'src'))", "conf.py/../../src"),
        ("Path(__file__).parent.parent / 'src'", "./../src"),
        ("str(pathlib.Path('..').resolve() / 'src')", "../src"),
        ("os.path.dirname('a/b')", "a"),
        ("', '.join('ab')", None),
        ("compute('a')", None),
    ],
)
def test_paths_from_the_place_of_a_configuration_have_values(
    expression: str, value: str | None
) -> None:
    assert literals(f"found = {expression}").get("found") == value


@pytest.mark.parametrize(
    "source",
    [
        "a = 'xx'\n" + "a += a\n" * 40,
        "a = 'xx'\n" + "a = f'{a}{a}'\n" * 40,
        "a = ['xx']\n" + "a.extend(a)\n" * 40,
        "a = ['xx']\n" + "a = [a, a]\n" * 40 + "b = {a: f'{a}'}\n",
        f"a = {'-' * 200_000}1\n",
        f"a = {'1 + ' * 3_000}1\n",
    ],
)
def test_a_value_that_doubles_or_nests_without_end_has_a_bound(source: str) -> None:
    found = literals(source)
    assert len(found.get("a", "")) <= 100_000


def test_branches_of_a_configuration_give_values_to_names_without_one_and_extend_lists() -> None:
    source = (
        'project = "Heron"\nextensions = ["sphinx.ext.todo"]\nexclude_patterns = ["_build"]\n'
        'if "man" not in tags:\n    extensions.extend(("myst_parser", "sphinx_design"))\n'
        '    exclude_patterns += ["guides"]\n    project = "Herons"\n'
        "try:\n    import themed\nexcept ImportError:\n"
        '    html_theme = "plain"\nelse:\n    extensions += ["themed"]\n'
        'with open(path):\n    release = "1.2"\n'
    )
    assert literals(source) == {
        "project": "Heron",
        "extensions": ["sphinx.ext.todo", "myst_parser", "sphinx_design", "themed"],
        "exclude_patterns": ["_build"],
        "html_theme": "plain",
        "release": "1.2",
    }


def test_galleries_have_a_page_for_each_script(tmp_path: Path) -> None:
    conf = (
        "extensions = ['sphinx_gallery.gen_gallery']\nfrom sphinx_gallery.sorting import ByName\n"
        "sphinx_gallery_conf = {'examples_dirs': ['../examples', '../how to'], 'order': ByName(1),\n"
        "    'gallery_dirs': ['gallery', 'how']}\n"
    )
    script = '"""\nFill a pond\n===========\n\nWater gets in.\n"""\n\n# %%\n# Now.\nfill()\n'
    files = {
        "docs/gallery/plot_pond.rst": "Written\n=======\n\nBy the extension.\n",
        "examples/README.txt": "Examples\n========\n\nOf water.\n",
        "examples/deep/plot_pond.py": script.replace("Now", "See :ref:`dry`"),
        "examples/deep/__init__.py": '"""Not\n===\n\nan example."""\n',
        "examples/empty.py": script.replace("\nFill", "\n.. _dry:\n\nEmpty"),
        "how to/drain.py": script.replace("Fill", "Drain"),
        "how to/data.csv": "1,2\n",
    }
    inputs, diagnostics = read(_tree(tmp_path / "tree", conf, **files))
    assert addresses(inputs, "examples") == {
        "README.txt": "https://weir.example/gallery/index.html",
        "deep/plot_pond.py": "https://weir.example/gallery/deep/plot_pond.html",
        "empty.py": "https://weir.example/gallery/empty.html",
    }
    assert addresses(inputs, "examples-2") == {"drain.py": "https://weir.example/how/drain.html"}
    assert addresses(inputs) == {"index.rst": "https://weir.example/index.html"}
    pond = next(each for each in inputs.records["examples"] if each.id == "deep/plot_pond.py")
    assert isinstance(pond, DocRecord)
    assert "See [Empty a pond](../empty.py#empty-a-pond)." in pond.text
    drain = inputs.records["examples-2"][0]
    assert (drain.title, drain.summary) == ("Drain a pond", "Water gets in.")
    assert "examples/deep/plot_pond.py" in [each.path for each in inputs.records["code"]]
    assert not [each for each in diagnostics if each.path.startswith(("examples/", "how to/"))]


def test_pages_refer_to_examples_by_the_labels_of_the_gallery(tmp_path: Path) -> None:
    script = '"""\nFill a pond\n===========\n\nWater gets in: :ref:`flood`.\n"""\nfill()\n'
    files = {
        "docs/index.rst": (
            "Weir\n====\n\nSee :ref:`sphx_glr_auto_examples_deep_pond.py`, "
            ":ref:`all <sphx_glr_auto_examples>`\nand :ref:`dry`.\n\n"
            ".. _flood:\n\nFloods\n------\n\nWater got out.\n"
        ),
        "docs/use.md": "# Use\n\nSee {ref}`sphx_glr_auto_examples_deep_pond.py`.\n",
        "examples/README.txt": "Examples\n========\n\nOf water.\n\n.. _dry:\n\nDry\n---\n\nOther.\n",
        "examples/deep/pond.py": script,
    }
    conf = "extensions = ['sphinx_gallery.gen_gallery', 'myst_parser']\n"
    inputs, diagnostics = read(_tree(tmp_path / "tree", conf, **files))
    index, use = (each.text for each in inputs.records["docs"])
    assert (
        "See [Fill a pond](../examples/deep/pond.py), [all](../examples/README.txt)\n"
        "and [Dry](../examples/README.txt#dry)."
    ) in index
    assert "See [Fill a pond](../examples/deep/pond.py)." in use
    pond = next(each for each in inputs.records["examples"] if each.id == "deep/pond.py")
    assert "Water gets in: [Floods](../../docs/index.rst#floods)." in pond.text
    assert not [each for each in diagnostics if "link" in each.code]


def test_only_pages_in_files_refer_to_those_of_other_collections(tmp_path: Path) -> None:
    table = '[[collection]]\nname = "{0}"\nkind = "{1}"\npaths = ["{0}"]\ngenerator = "{2}"\n'
    kinds = (
        ("docs", "docs", "sphinx"),
        ("examples", "docs", "sphinx-gallery"),
        ("web", "pages", "sphinx"),
    )
    files = {
        "kb.toml": '[kb]\nname = "weir"\n' + "".join(table.format(*each) for each in kinds),
        "docs/index.rst": "Weir\n====\n\nWater.\n",
        "examples/README.rst": "Examples\n========\n\nOf water.\n",
        "web/a.jsonl": '{"url": "https://weir.example/a", "title": "A", "text": "Water."}\n',
    }
    diagnostics = Diagnostics()
    read_inputs(write_tree(tmp_path / "tree", files), diagnostics)
    assert not diagnostics.errors


def test_a_gallery_that_states_no_folders_has_the_usual_ones(tmp_path: Path) -> None:
    conf = "extensions = ['sphinx_gallery.gen_gallery']\nsphinx_gallery_conf = settings()\n"
    script = '"""\nFill a pond\n===========\n\nWater gets in.\n"""\nfill()\n'
    inputs, _ = read(_tree(tmp_path / "tree", conf, **{"examples/pond.py": script}))
    assert addresses(inputs, "examples") == {
        "pond.py": "https://weir.example/auto_examples/pond.html"
    }
