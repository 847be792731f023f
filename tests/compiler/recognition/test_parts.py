"""Documentation in a part of a repository with code."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.recognition.trees import page, recognised, write_tree

CODE = {f"packages/pond/{name}.ts": "export const a = 1;\n" for name in "abcdefghij"}
PAGES = {f"docs/{number}.mdx": page(str(number)) for number in range(20)}


def test_pages_in_an_application_of_a_repository_are_documentation(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "pond"}',
        **CODE,
        **{f"apps/docs/content/{name}": text for name, text in PAGES.items()},
        **{f"apps/docs/app/{number}.tsx": "export default 1;\n" for number in range(30)},
        **{f"examples/one/content/{name}": text for name, text in PAGES.items()},
        "packages/pond/docs/a.md": page("Few"),
    }
    project = recognised(write_tree(tmp_path / "tree", files)).project
    docs = next(each for each in project.collections if each.name == "docs")
    assert (docs.paths, docs.strip) == (("apps/docs/content",), "apps/docs/content")


def test_what_is_left_of_a_gitbook_gives_way_to_the_site_of_another_generator(
    tmp_path: Path,
) -> None:
    files = {
        ".gitbook.yaml": "structure:\n  summary: docs/README.md\n",
        "package.json": '{"name": "pond"}',
        "src/a.js": "export const a = 1;\n",
        "docs/start.md": page("Start"),
    }
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).project.collections[0].generator == "gitbook"
    config = "export default {presets: [['classic', {docs: {path: '../docs'}}]]}"
    write_tree(root, {"website/docusaurus.config.js": config})
    places = {each.name: each.paths for each in recognised(root).project.collections}
    assert places == {"docs": ("docs",), "code": (".",)}
