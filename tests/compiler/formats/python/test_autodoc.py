"""References from source that Sphinx's directives insert, and the types that a project declares."""

from __future__ import annotations

import sys

import pytest

from kbc.formats import convert


@pytest.mark.parametrize(
    "added",
    [
        'sys.path.insert(0, os.path.abspath("../../lib"))',
        "sys.path.append(\n    os.path.join(os.path.dirname(__file__), '..', '..', 'lib')\n)",
        'sys.path.insert(0, os.path.abspath("."))\nsys.path.insert(0, str(Path("../../lib").resolve()))',
        'sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "lib"))',
        'sys.path.append(str(Path(__file__).parents[2] / "lib"))',
        "autoapi_dirs = [\n    pathlib.Path('.').resolve().parent.parent / 'lib' / 'pond',\n]",
        'autoapi_dirs = ["../../lib"]',
        'autoapi_dirs = "../../lib/pond"',
        'autoapi_dirs = [os.path.join("..", "..", "lib"), "other"]',
    ],
)
def test_source_is_looked_for_where_conf_py_has_modules_from(added: str) -> None:
    tree = {
        "lib/pond/nest.py": b"def hatch():\n    'Hatches.'\n",
        "doc/build/conf.py": f"import os, sys\n\n{added}\n".encode(),
    }
    source = b"API\n===\n\n.. autofunction:: pond.nest.hatch\n"
    (found,) = convert("doc/build/api/all.rst", source, tree.get)
    assert found.text == "# API\n\n## `pond.nest.hatch()`\n\nHatches.\n"
    assert found.problems == ()


@pytest.mark.parametrize("folder", ["birds", "birds/src", "birds/python", "src"])
def test_source_is_in_the_usual_folders_above_a_documentation_that_is_not_at_the_top(
    folder: str,
) -> None:
    tree = {
        f"{folder}/pond/nest.py": b"def hatch():\n    'Hatches.'\n",
        "birds/docs/source/conf.py": b"project = 'Birds'\n",
    }
    source = b"API\n===\n\n.. autofunction:: pond.nest.hatch\n"
    (found,) = convert("birds/docs/source/api/all.rst", source, tree.get)
    assert found.text == "# API\n\n## `pond.nest.hatch()`\n\nHatches.\n"
    assert found.problems == ()


@pytest.mark.parametrize("folder", ["lib", "python", "pond/src", "pond"])
def test_source_is_in_the_usual_folders_and_behind_assignments(folder: str) -> None:
    tree = {
        f"{folder}/pond/__init__.py": b"",
        f"{folder}/pond/birds.py": b"from . import _birds\n\nHeron = _birds.Heron\n",
        f"{folder}/pond/_birds.py": b"class Heron:\n    def fly(self):\n        'Flies.'\n",
    }
    source = b"API\n===\n\n.. automethod:: pond.birds.Heron.fly\n"
    (found,) = convert("doc/api.rst", source, tree.get)
    assert found.text == "# API\n\n## `Heron.fly()`\n\nFlies.\n"


def test_a_package_may_have_all_names_of_one_that_has_all_of_others() -> None:
    tree = {
        "pond/__init__.py": b"from .birds import *\n",
        "pond/birds/__init__.py": b"from .heron import *\nfrom . import *\nfrom .gull import *\n",
        "pond/birds/heron.py": b"from .gull import *\n",
        "pond/birds/gull.py": b"from .heron import *\n\nclass Gull:\n    'Cries.'\n",
    }
    source = b"API\n===\n\n.. autoclass:: pond.Gull\n\n.. autoclass:: pond.Gannet\n"
    (found,) = convert("doc/api.rst", source, tree.get)
    assert found.text == "# API\n\n## `class pond.Gull()`\n\nCries.\n\n`pond.Gannet`\n"


def test_members_may_be_named_with_their_class_below_it() -> None:
    tree = {"pond/birds.py": b"class Heron:\n    def fly(self):\n        'Flies.'\n"}
    source = (
        b"API\n===\n\n.. currentmodule:: pond\n\n.. autoclass:: pond.birds.Heron\n\n"
        b"   .. automethod:: Heron.fly()\n"
    )
    (found,) = convert("doc/api.rst", source, tree.get)
    assert "### `Heron.fly()`\n\nFlies.\n" in found.text
    assert found.problems == ()


@pytest.mark.parametrize(
    ("directive", "options"),
    [
        ("autoapiclass", "   :members:\n"),
        ("autoclass", "   :members:\n"),
        ("autoenum", "   :members:\n"),
        ("autopondclass", "   :members:\n"),
        ("autopydantic_model", "   :model-show-json: False\n"),
    ],
)
def test_documenters_of_extensions_are_read_as_those_they_are_called_after(
    directive: str, options: str
) -> None:
    tree = {"pond.py": b"class Heron:\n    'A bird.'\n    def fly(self):\n        'Flies.'\n"}
    source = f"API\n===\n\n.. {directive}:: pond.Heron\n{options}".encode()
    (found,) = convert("api.rst", source, tree.get)
    assert (
        found.text == "# API\n\n## `class pond.Heron()`\n\nA bird.\n\n### `Heron.fly()`\n\nFlies.\n"
    )
    assert found.problems == ()


def test_a_package_may_have_stubs_alone() -> None:
    tree = {
        "lib/pond/__init__.pyi": b"from .birds import Heron as Heron\n",
        "lib/pond/birds.pyi": b"class Heron:\n    'A bird.'\n",
    }
    (found,) = convert("api.rst", b"API\n===\n\n.. autoclass:: pond.Heron\n", tree.get)
    assert found.text == "# API\n\n## `class pond.Heron()`\n\nA bird.\n"


def test_what_a_package_imports_counts_before_its_module_of_that_name() -> None:
    tree = {
        "pond/__init__.py": b"from .heron import *\nfrom . import nest\nfrom x import egg\n",
        "pond/egg.py": b"'Eggs.'\n",
        "pond/heron.py": b"'Herons.'\nclass heron:\n    'A bird.'\n    def fly(self):\n        'Flies.'\n",
        "pond/nest.py": b"'Nests.'\n",
    }
    source = (
        b"API\n===\n\n.. autoclass:: pond.heron\n\n.. automethod:: pond.heron.fly\n\n"
        b".. automodule:: pond.heron\n\n.. autosummary::\n\n   pond.heron\n   pond.nest\n   pond.egg\n"
    )
    (found,) = convert("api.rst", source, tree.get)
    assert found.text == (
        "# API\n\n## `class pond.heron()`\n\nA bird.\n\n## `heron.fly()`\n\nFlies.\n\n"
        "## `pond.heron`\n\nHerons.\n\n- `pond.heron`: A bird.\n- `pond.nest`: Nests.\n- `pond.egg`: Eggs.\n"
    )


def test_a_module_that_is_no_python_of_this_version_is_named() -> None:
    tree = {
        "pond/__init__.py": b"from .heron import Heron\n",
        "pond/heron.py": b"\nclass Heron[[:\n",
    }
    source = b"API\n===\n\n.. autoclass:: pond.Heron\n\n.. autoclass:: pond.Egg\n"
    (found,) = convert("api.rst", source, tree.get)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    messages = [each.message for each in found.problems]
    assert messages[0].startswith(
        f"'pond.Heron' has no reference: pond/heron.py:2: the module is not Python {version} source: "
    )
    assert messages[1:] == ["the source of 'pond.Egg' is not in the tree"]


def test_members_may_be_inherited() -> None:
    tree = {
        "pond/base.py": b"class Bird:\n    def fly(self):\n        'Flies.'\n",
        "pond/heron.py": (
            b"from typing import Generic, T\nfrom .base import Bird\n\n"
            b"class Wader(Generic[T], Bird):\n    pass\n\n"
            b"class Heron(Wader[int]):\n    pass\n\nclass Round(Round):\n    pass\n"
        ),
    }
    source = (
        b"API\n===\n\n.. currentmodule:: pond.heron\n\n.. automethod:: Heron.fly\n\n"
        b".. automethod:: Round.fly\n"
    )
    (found,) = convert("api.rst", source, tree.get)
    assert found.text.startswith("# API\n\n## `Heron.fly()`\n\nFlies.\n")
    assert [each.message for each in found.problems] == [
        "the source of 'Round.fly' is not in the tree"
    ]


def test_types_that_a_project_declares_are_no_missing_text() -> None:
    tree = {
        "docs/conf.py": (
            b'import sys\nextensions = ["sphinx.ext.todo", "pond_docs"]\n\n\ndef setup(app):\n'
            b'    app.add_crossref_type("fixture", "fixture")\n'
        ),
        "docs/_ext/pond_docs.py": (
            b"def setup(app):\n    app.add_object_type(\n        directivename='hook',\n"
            b"        rolename='hk',\n    )\n    app.add_directive('switch', Cmdoption)\n"
        ),
    }
    source = (
        b"Hooks\n=====\n\n.. hook:: on_land\n\n   Called late.\n\n.. fixture:: nest\n\n"
        b"See :hk:`on_land` or :fixture:`nest`.\n\n.. switch:: --calm\n\n   Waits.\n\n.. other:: x\n"
    )
    (found,) = convert("docs/hooks.rst", source, tree.get)
    assert found.text == (
        "# Hooks\n\n## `on_land`\n\nCalled late.\n\nSee `on_land` or `nest`.\n\n"
        "## `--calm`\n\nWaits.\n\n`x`\n"
    )
    assert found.anchors == ("hooks", "hook-on_land", "calm")
    assert [each.name for each in found.problems] == ["other"]


def test_summaries_have_a_sentence_of_each_object_or_its_reference() -> None:
    tree = {
        "pkg/__init__.py": '"""\nAll nests\n=========\n\nThe package.\n"""\n',
        "pkg/core.py": "class Nest:\n    'Holds eggs.'\n    def hatch(self):\n        'Opens all.'\n"
        "def fill():\n    'Puts *all* `eggs` into a :class:`~pkg.Nest`, see x_.'\n",
    }

    def find(path: str) -> bytes | None:
        return tree[path].encode() if path in tree else None

    names = "   pkg\n   ~pkg.core.Nest\n   pkg.gone\n"
    source = "API\n===\n\n.. autosummary::\n   pkg\n   pkg.core.fill\n"
    (marked,) = convert("docs/api.rst", source.encode(), find)
    assert (
        "- `pkg`: All nests\n- `pkg.core.fill`: Puts *all* `eggs` into a `Nest`, see x.\n"
        in marked.text
    )
    assert marked.problems == ()
    source = f"API\n===\n\n.. autosummary::\n   :nosignatures:\n\n{names}"
    (listed,) = convert("docs/api.rst", source.encode(), find)
    assert "- `pkg.core.Nest`: Holds eggs.\n- `pkg.gone`\n" in listed.text
    (whole,) = convert(
        "docs/api.rst", source.replace(":nos", ":toctree: gen\n   :nos").encode(), find
    )
    assert whole.anchors == ("api", "pkg", "pkg.core.Nest")
    assert "- `pkg.gone`\n\n## `pkg`\n\n**All nests**\n\nThe package.\n" in whole.text
    assert "## `class pkg.core.Nest()`\n\nHolds eggs.\n\n- `Nest.hatch`: Opens all.\n" in whole.text
    tree["docs/_templates/autosummary/class.rst"] = ".. autoclass:: {{ objname }}\n   :members:\n"
    described = source.replace("API\n===\n\n", "").replace(":nos", ":toctree: gen\n   :nos")
    (whole,) = convert("docs/api/all.rst", described.encode(), find)
    assert whole.anchors == ("pkg", "pkg.core.Nest", "pkg.core.Nest.hatch")
    assert "\n## `Nest.hatch()`\n\nOpens all.\n" in whole.text
    del tree["docs/_templates/autosummary/class.rst"]
    tree["docs/conf.py"] = "autodoc_default_options = {'members': True}\n"
    (whole,) = convert("docs/api/all.rst", described.encode(), find)
    assert whole.anchors == ("pkg", "pkg.core.Nest", "pkg.core.Nest.hatch")


def test_a_package_has_the_described_attributes_that_it_exports() -> None:
    tree = {
        "pkg/__init__.py": "from pkg.core import DEPTH, SPEED\n__all__ = ['DEPTH', 'SPEED']\n",
        "pkg/core.py": "DEPTH: int = 3\n'''How deep.'''\nSPEED = 4\n",
    }
    (found,) = convert(
        "api.rst",
        b"API\n===\n\n.. automodule:: pkg\n   :members:\n",
        lambda path: tree[path].encode() if path in tree else None,
    )
    assert "## `pkg.DEPTH: int = 3`\n\nHow deep.\n" in found.text
    assert "SPEED" not in found.text


def test_members_that_are_named_are_described_whatever_a_module_exports() -> None:
    tree = {
        "pkg.py": "__all__ = ['swim']\ndef swim(): 'Swims.'\ndef dive(): 'Dives.'\ndef _sink(): 'Sinks.'\n"
    }
    (found,) = convert(
        "api.rst",
        b"API\n===\n\n.. automodule:: pkg\n   :members: dive, _sink\n",
        lambda path: tree[path].encode() if path in tree else None,
    )
    assert found.anchors == ("api", "pkg", "pkg.dive", "pkg._sink")


def test_automodapi_has_what_a_module_imports_from_its_package() -> None:
    tree = {
        "pkg/__init__.py": "",
        "pkg/nests/__init__.py": '"""All nests."""\nimport pkg\nfrom os import path\n\n'
        "from pkg.nests.core import *\nfrom .eggs import Egg, _shell\n\n"
        "def build():\n    'Makes one.'\n",
        "pkg/nests/core.py": "class Nest:\n    'Holds eggs.'\n    def hatch(self):\n        'Opens all.'\n",
        "pkg/nests/eggs.py": "class Egg:\n    'Is round.'\ndef _shell(): ...\n",
    }
    source = (
        "API\n===\n\n.. automodapi:: pkg.nests\n   :no-heading:\n   :skip: a\n   :skip: b\n\n"
        ".. autoclass:: pkg.nests.core.Nest\n"
    )
    (found,) = convert(
        "docs/api.rst",
        source.encode(),
        lambda path: tree[path].encode() if path in tree else None,
    )
    assert found.problems == ()
    assert found.anchors == (
        *("api", "pkg.nests", "pkg.nests.build", "pkg.nests.Nest", "pkg.nests.Nest.hatch"),
        *("pkg.nests.Egg", "pkg.nests.core.Nest"),
    )
    assert "`class pkg.nests.core.Nest()`\n\nHolds eggs.\n" in found.text


def test_a_module_is_parsed_once_for_several_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    from kbc.formats.python import objects

    parsed: list[str] = []
    visited = objects.visited
    monkeypatch.setattr(
        objects,
        "visited",
        lambda name, *given, **how: parsed.append(name) or visited(name, *given, **how),
    )
    tree = {"pond/nest.py": b"def line():\n    'Lines.'\n\ndef leave():\n    'Leaves.'\n"}
    for name, said in [("line", "Lines."), ("leave", "Leaves.")]:
        source = f"API\n===\n\n.. autofunction:: pond.nest.{name}\n".encode()
        (found,) = convert(f"doc/{name}.rst", source, tree.get)
        assert found.text == f"# API\n\n## `pond.nest.{name}()`\n\n{said}\n"
    assert parsed == ["nest"]
    tree["pond/nest.py"] = b"def line():\n    'Is lined.'\n"
    source = b"API\n===\n\n.. autofunction:: pond.nest.line\n"
    (found,) = convert("doc/line.rst", source, tree.get)
    assert found.text == "# API\n\n## `pond.nest.line()`\n\nIs lined.\n"
