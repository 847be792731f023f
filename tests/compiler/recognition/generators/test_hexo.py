"""Sites of Hexo: what of them is read, under which addresses, and what their tags show."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.records import DocRecord

CONFIG = "title: Heron\nurl: https://heron.example/birds\nroot: /birds/\nnew_post_name: :title.md\n"


def _text(tmp_path: Path, text: str) -> tuple[str, list[str]]:
    files = {"_config.yml": CONFIG, "source/a.md": f"---\ntitle: A\n---\n\n{text}"}
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    return record.text, [each.code for each in diagnostics]


def test_a_site_of_hexo_is_none_of_jekyll(tmp_path: Path) -> None:
    files = {
        "_config.yml": CONFIG,
        "package.json": '{"name": "site"}',
        "README.md": page("How to build this site"),
        "scaffolds/post.md": "---\ntitle: {{ title }}\n---\n",
        "themes/pond/README.md": page("The theme"),
        "source/_drafts/later.md": page("Later"),
        "source/_data/notes.md": page("Notes"),
        "source/_posts/first.md": "---\ntitle: First\ndate: 2024-03-02 10:00:00\n---\n\nText.\n",
        "source/docs/index.md": page("Start"),
        "source/docs/eggs.md": page("Eggs"),
        "source/docs/nests.md": "---\ntitle: Nests\npermalink: building/\n---\n\nText.\n",
        "source/de/docs/eggs.md": page("Eier"),
        "source/fr/docs/eggs.md": page("Oeufs"),
    }
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).what == "Hexo site 'Heron' (_config.yml)"
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "_posts/first.md": "https://heron.example/birds/2024/03/02/first/",
        "docs/eggs.md": "https://heron.example/birds/docs/eggs.html",
        "docs/index.md": "https://heron.example/birds/docs/",
        "docs/nests.md": "https://heron.example/birds/building/",
    }
    (root / "_config.yml").write_text(
        CONFIG + "permalink: news/:category/:title/\npretty_urls: {trailing_html: false}\n"
    )
    shown = addresses(read(root)[0])
    assert shown["_posts/first.md"].endswith("/birds/news/uncategorized/first/")
    assert shown["docs/eggs.md"].endswith("/birds/docs/eggs")


def test_a_site_of_jekyll_stays_one(tmp_path: Path) -> None:
    files = {"_config.yml": "title: Heron\ntheme: pond\n", "source/a.md": page("A")}
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).what == "Jekyll site 'Heron' (_config.yml)"
    assert titles(read(root)[0].records["docs"]) == {"source/a.md": "A"}


def test_anchors_of_hexo_keep_the_case(tmp_path: Path) -> None:
    _, codes = _text(tmp_path, "[to it](#What-is-an-Egg)\n\n## What is an “Egg”?\n\nText.\n")
    assert codes == ["dead-anchor"]
    _, codes = _text(tmp_path, "[to it](#What-is-an-Egg)\n\n## What is: an Egg?\n\nText.\n")
    assert codes == []
    files = {"a.md": "# A\n\n## An Egg\n\nText.\n", "b.md": "# B\n\n[to it](a.md#An-Egg)\n"}
    book = write_tree(tmp_path / "book", {**files, ".gitbook.yaml": "root: ./\n"})
    assert "dead-anchor" in [each.code for each in read(book)[1]]


def test_tags_of_hexo_become_what_they_show(tmp_path: Path) -> None:
    text, codes = _text(
        tmp_path,
        "{% note warn Old nests %}\nLeave *them*.\n{% endnote %}\n\n"
        "{% codeblock Count eggs lang:js https://a.example Source %}\n"
        "let *eggs* = {{ 2 }};\n{% endcodeblock %}\n\n"
        "1. Install it:\n\n    {% code %}\n    {\n      heron: 1\n    }\n    {% endcode %}\n\n2. Go.\n\n"
        "{% blockquote A. Bird, On Nests %}\nHigh *up*.\n{% endblockquote %}\n\n"
        "{% link The pond https://pond.example %} and {% post_link gone 'The first egg' %}\n",
    )
    assert "**Warn: Old nests**\nLeave *them*.\n" in text
    assert "**Count eggs**\n\n```js\nlet *eggs* = {{ 2 }};\n```" in text
    assert "    ```\n    {\n      heron: 1\n    }\n    ```\n" in text
    assert "> High *up*.\n>\n> — A. Bird, On Nests\n" in text
    assert "[The pond](https://pond.example) and The first egg" in text
    assert codes == []


def test_front_matter_of_hexo_needs_no_opening_mark(tmp_path: Path) -> None:
    files = {
        "_config.yml": CONFIG,
        "source/a.md": "title: Nests\nurl: x\n\n---\n\n## Up\n\nThere.\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert (record.title, record.sections[0].title, [*diagnostics]) == ("Nests", "Up", [])
