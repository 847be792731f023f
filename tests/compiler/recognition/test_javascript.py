"""Configurations that are programs: what they state, and what they import from files beside them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, product
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, titles, write_tree

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_script
from kbc.recognition.javascript.exports import exported
from kbc.recognition.javascript.globs import as_ignored


def of_files(files: Mapping[str, str], path: str = "site/config.ts") -> Mapping[str, object]:
    return exported(files[path], path, files.get)


@pytest.mark.parametrize(
    ("statement", "module", "source"),
    [
        ("import found from './part'", "part.ts", "export default {a: [1]}"),
        ("import {found} from './part.js'", "part.ts", "export const found = {a: [1]}"),
        (
            "import {other as found} from './part'",
            "part.mjs",
            "const x = {a: [1]}\nexport {x as other}",
        ),
        (
            "import * as all from './part'; const found = all.x",
            "part.js",
            "export const x = {a: [1]}",
        ),
        ("import {found} from './part'", "part/index.ts", "export {x as found} from './deep'"),
        ("import {found} from './part'", "part/index.js", "export * from './deep'"),
        ("const {found} = require('./part')", "part.cjs", "module.exports = {found: {a: [1]}}"),
        ("const {x: found} = require('./part')", "part.js", "exports.x = {a: [1]}"),
        ("const found = require('./part').x", "part.js", "module.exports.x = {a: [1]}"),
        ("const found = require('./part')", "part.js", "const x = {a: [1]}; module.exports = x"),
        (
            "import part from './part.json' with {type: 'json'}; const found = part.x",
            "part.json",
            '{"x": {"a": [1]}}',
        ),
        ("import {x as found} from './part.json'", "part.json", '{"x": {"a": [1]}}'),
        (
            "import {make} from './part'; const found = make()",
            "part.ts",
            "export function make() { return {a: [1]} }",
        ),
        (
            "import make from './part'; const found = make({b: 2})",
            "part.ts",
            "export default () => ({a: [1]})",
        ),
        (
            "import make from './part'; const found = make()",
            "part.ts",
            "export default function m() { const a = [1]; return {a} }",
        ),
        ("const found = make('x'); function make(base) { return {a: [1]} }", "part.ts", ""),
        ("const all = {'x-y': {a: [1]}}; const found = all['x-y']", "part.ts", ""),
    ],
)
def test_what_is_imported_or_returned_has_its_value(
    statement: str, module: str, source: str
) -> None:
    files = {
        "site/config.ts": f"{statement}\nexport default defineConfig({{theme: {{found}}}})\n",
        f"site/{module}": source,
        "site/part/deep.ts": "const a = [1]\nexport const x = {a}, found = x\n",
    }
    assert of_files(files) == {"theme": {"found": {"a": [1]}}}


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("const f = (a, b = 2) => ({a, b}); const found = [f(1), f(3, 4)]", [(1, 2), (3, 4)]),
        ("const f = ({x: a, b = a}) => ({a, b}); const found = [f({x: 1})]", [(1, 1)]),
        (
            "function f(a, ...b) { const c = `${a}!`; return {a: c, b: 0} }\nconst found = [f('x')]",
            [("x!", 0)],
        ),
        ("const found = [1, 2].map((a, b) => ({a, b}))", [(1, 0), (2, 1)]),
        (
            "const more = [{a: 1}], found = [...more, {b: 2}, false].filter(Boolean)",
            [(1, None), (None, 2)],
        ),
        ("const found = [{a: 1}].concat([{a: 2}], {a: 3})", [(1, None), (2, None), (3, None)]),
        (
            "const found = [[1], [2, 3]].flatMap((a) => a).map((a) => ({a}))",
            [(1, None), (2, None), (3, None)],
        ),
        (
            "const a = 5; const g = () => a; const f = (a) => ({a, b: g()}); const found = [f(1)]",
            [(1, 5)],
        ),
        (
            "const f = (a) => { const g = () => a; const h = (a) => ({a: g()}); return h(9) }\n"
            "const found = [f(1)]",
            [(1, None)],
        ),
    ],
)
def test_functions_have_their_arguments_and_lists_are_joined(
    program: str, value: list[tuple[object, object]]
) -> None:
    found = exported(f"{program}\nexport default {{found}}")["found"]
    assert isinstance(found, list)
    assert [(each.get("a"), each.get("b")) for each in found] == value


def test_what_is_not_there_or_of_a_package_has_no_value() -> None:
    files = {
        "site/config.ts": (
            "import a from './none'\nimport {b} from 'package'\nimport {c} from './part'\n"
            "import d from './broken.json'\nconst e = require('fs')\n"
            "export default {a, b, c, d, e, f: c(), g: wrap({h: 1}), title: 'T'}\n"
        ),
        "site/part.ts": "export const other = 1\n",
        "site/broken.json": "{",
    }
    nothing = dict.fromkeys("abcdef")
    assert of_files(files) == {**nothing, "g": {"h": 1}, "title": "T"}


def test_modules_that_import_each_other_end() -> None:
    files = {
        "site/config.ts": "import {a} from './a'\nexport default {a, title: 'T'}\n",
        "site/a.ts": "import {b} from './b'\nexport const a = {b}\nexport * from './b'\n",
        "site/b.ts": "import {a} from './a'\nexport const b = {a, x: 1}\nexport * from './a'\n",
    }
    found = of_files(files)
    assert found["title"] == "T"


def test_a_few_names_that_stand_for_very_much_come_to_an_end() -> None:
    doubled = "\n".join(f"const a{n} = [f{n + 1}(), f{n + 1}()]" for n in range(40))
    functions = "\n".join(
        f"function f{n}() {{ return [f{n + 1}(), f{n + 1}()] }}" for n in range(40)
    )
    assert "a" in exported(f"{doubled}\n{functions}\nexport default {{a: a0, title: 'T'}}\n")
    many = {
        f"site/m{n}.ts": f"export * from './m{n + 1}'\nexport * from './m{n + 2}'"
        for n in range(300)
    }
    config = "import {x} from './m0'\nexport default {x}\n"
    assert of_files({"site/config.ts": config, **many}) == {"x": None}


def test_nothing_outside_of_the_tree_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"x": "secret"}')
    root = write_tree(
        tmp_path / "tree",
        {"config.ts": "import s from '../secret.json'\nexport default {s, title: 'T'}\n"},
    )
    assert read_script(IncludeTree(root), "config.ts") == {"s": None, "title": "T"}


def test_sidebars_and_values_may_be_in_files_of_their_own(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "versions.json": '{"latest": "4.2", "all": ["4.2", "4.1"]}',
            "docs/.vuepress/config.js": (
                "const {latest} = require('../../versions')\nconst sidebar = require('./sidebar')\n"
                "module.exports = {title: 'Lock', themeConfig: {sidebar, latest}}\n"
            ),
            "docs/.vuepress/sidebar.js": "module.exports = [{text: 'Gates', link: '/gates.md'}, '/']\n",
            "docs/README.md": "# Lock\n\nVersion {{ $site.themeConfig.latest }}.\n\n"
            "<pre><code>fill --version {{ $themeConfig.latest }} {{ unknown }}</code></pre>\n",
            "docs/gates.md": "How gates open.\n",
        },
    )
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {"gates.md": "Gates", "README.md": "Lock"}
    lock = inputs.records["docs"][1]
    assert "Version 4.2." in lock.text
    assert "fill --version 4.2 {{ unknown }}" in lock.text


def test_a_configuration_beside_the_pages_adds_to_that_of_vitepress(tmp_path: Path) -> None:
    sidebar = (
        "function parts() { return [{text: 'Mast', link: 'mast'},\n"
        "  {text: 'Sails', base: '/ship/sail-', items: [{text: 'Jib', link: 'jib'}]}] }\n"
    )
    root = write_tree(
        tmp_path / "tree",
        {
            "docs/.vitepress/config.ts": (
                "export default {title: 'Sloop', rewrites: {'en/:rest*': ':rest*'}}\n"
            ),
            "docs/config.ts": "import {defineAdditionalConfig} from 'vitepress'\n"
            "export default defineAdditionalConfig({themeConfig: {sidebar: {\n"
            f"  '/ship/': {{base: '/ship/', items: parts()}}}}}}}})\n{sidebar}",
            "docs/en/ship/sail-jib.md": "It is small.\n",
            "docs/en/ship/mast.md": "It is tall.\n",
            "docs/en/index.md": "# Sloop\n",
        },
    )
    inputs, _ = read(root)
    assert list(titles(inputs.records["docs"]).items()) == [
        ("en/ship/mast.md", "Mast"),
        ("en/ship/sail-jib.md", "Jib"),
        ("en/index.md", "Sloop"),
    ]


@pytest.mark.parametrize("doubled", ["a{0} + a{0}", "[...a{0}, ...a{0}]", "[a{0}, a{0}]"])
def test_values_that_double_have_a_bound(doubled: str) -> None:
    first = "'xx'" if "+" in doubled else "['xx']"
    names = "".join(f"const a{at + 1} = {doubled.format(at)};\n" for at in range(60))
    shown = ", ".join(f"b{at}: a{at}" for at in range(60))
    found = exported(f"const a0 = {first};\n{names}export default {{{shown}}}\n")
    assert len(str(found)) < 100_000_000


@pytest.mark.parametrize(
    ("globs", "patterns"),
    [
        (["*.md", "./a.md", "/b.md"], ["/*.md", "/a.md", "/b.md"]),
        (["**/draft.md", "api/**"], ["**/draft.md", "/api/**"]),
        (["!(docs|more)/**/*.md"], ["/*/**/*.md", "!/docs/**/*.md", "!/more/**/*.md"]),
        (["a.{md,mdx}", "!a.md"], ["/a.md", "/a.mdx", "!/a.md"]),
        (["{a,b}" * 40], [f"/{''.join(each)}" for each in islice(product("ab", repeat=40), 200)]),
        (["{a}" * 1_200], [f"/{'a' * 1_200}"]),
    ],
)
def test_globs_of_javascripts_tools_become_patterns_of_an_ignore_file(
    globs: list[str], patterns: list[str]
) -> None:
    assert as_ignored(globs) == patterns
