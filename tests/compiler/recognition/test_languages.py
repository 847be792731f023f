"""Which of several languages is read where no configuration says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.project.include_tree import IncludeTree
from kbc.recognition.translations import translated_folders


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("en/a.md", "fr/a.md", "ja/a.md"), {"en/a.md"}),
        (("m/English/a.md", "m/Russian/a.md", "m/simplified_chinese/a.md"), {"m/English/a.md"}),
        (("m/English/a.md", "m/Traditional Chinese/a.md"), {"m/English/a.md"}),
        (
            ("m/a/a.md", "m/polish/a.md", "m/thai/a.md"),
            {"m/a/a.md", "m/polish/a.md", "m/thai/a.md"},
        ),
        (
            ("p/a/a.md", "p/en/a.md", "p/tw-glass/a.md"),
            {"p/a/a.md", "p/en/a.md", "p/tw-glass/a.md"},
        ),
        (("p/en/a.md", "p/zh_Hans-CN/a.md", "p/zh-CHT/a.md"), {"p/en/a.md"}),
        (("README.md", "tales/en/a.md", "tales/pt-br/a.md"), {"README.md", "tales/en/a.md"}),
        (("guide/a.md", "fr/a.md", "ja/a.md"), {"guide/a.md"}),
        (("_guide/a.md", "_fr/a.md", "_zh-cn/a.md"), {"_guide/a.md"}),
        (("README.md", "de/a.md", "fr/a.md"), {"README.md", "de/a.md", "fr/a.md"}),
        (("a.md", "words/de/a.md", "words/fr/a.md"), {"a.md", "words/de/a.md", "words/fr/a.md"}),
        (("b/c/a.md", "b/languages/he/c/a.md"), {"b/c/a.md"}),
        (("b/README.md", "b/languages/cs/README.md"), {"b/README.md", "b/languages/cs/README.md"}),
        (
            ("b/a.md", "b/languages/cs/a.md", "b/languages/cs/b.md"),
            {"b/a.md", "b/languages/cs/a.md", "b/languages/cs/b.md"},
        ),
    ],
)
def test_translations_are_left_out_beside_their_original(
    tmp_path: Path, names: tuple[str, ...], expected: set[str]
) -> None:
    root = write_tree(tmp_path / "tree", {name: page(name) for name in names})
    inputs, _ = read(root)
    assert {record.path for record in inputs.records["docs"]} == expected
    assert bool(recognised(root).notes) == (len(expected) < len(names))


BIRDS = ("heron", "crane", "nested/stork")


@pytest.mark.parametrize(
    ("folder", "names", "is_translation"),
    [
        ("docs/ja", BIRDS, True),
        ("docs/guide/zh-CN", (*BIRDS, "more"), True),
        ("docs/id", ("README", "heron", "other", "third"), False),
        ("docs/en", BIRDS, False),
        ("docs/old", BIRDS, False),
    ],
)
def test_a_single_translation_has_the_pages_beside_it(
    tmp_path: Path, folder: str, names: tuple[str, ...], is_translation: bool
) -> None:
    parent = folder.rpartition("/")[0]
    files = {f"{parent}/{name}.md": page(name) for name in (*BIRDS, "README")}
    files |= {f"{folder}/{name}.md": page(name) for name in names}
    root = write_tree(tmp_path / "tree", {"package.json": "{}", **files})
    found = {record.path for record in read(root)[0].records["docs"]}
    assert any(path.startswith(f"{folder}/") for path in found) != is_translation
    assert f"{parent}/heron.md" in found


def test_a_short_name_beside_translations_of_the_same_pages_is_one(tmp_path: Path) -> None:
    names = [f"{folder}{name}" for folder in ("", "de/", "fr/", "it/", "pcm/") for name in BIRDS]
    files = {f"docs/{name}.md": page(name) for name in names} | {"docs/faq/heron.md": page("Q")}
    files |= {"docs/api/a.md": page("A"), "package.json": "{}"}
    found = {
        record.path for record in read(write_tree(tmp_path / "tree", files))[0].records["docs"]
    }
    own = {f"docs/{name}.md" for name in BIRDS}
    assert found == own | {"docs/faq/heron.md", "docs/api/a.md"}


def test_the_folder_c_is_the_original_of_translations(tmp_path: Path) -> None:
    files = {f"{place}/{name}.md": page(name) for place in ("C", "de", "fr") for name in BIRDS}
    root = write_tree(tmp_path / "tree", files | {"CMakeLists.txt": "", "main.c": "int x;"})
    paths = {each.path for each in read(root)[0].records["docs"]}
    assert paths == {f"C/{name}.md" for name in BIRDS}


def test_folders_of_programming_languages_are_no_translations_of_c(tmp_path: Path) -> None:
    languages = ("C", "cs", "go", "java", "pl")
    files = [f"docs/{place}/{name}.md" for place in languages for name in BIRDS]
    assert translated_folders(files, IncludeTree(tmp_path, tmp_path)) == []


PROSE = (
    "This is what you have to do with the {} if it is not there for the rest of it and all of us. "
)
CODE = "```python\nfor it in this:\n    if it is not that and all of it: with as\n```\n"


@pytest.mark.parametrize(
    ("own", "is_read"),
    [
        (PROSE, True),
        ("Ce que vous avez dans le {} est pour tous, et ce n'est pas la fin de notre vie. ", False),
        ("これは{}の説明です。" + CODE * 9, False),
        ("", False),  # too little to tell
    ],
)
def test_folders_and_files_in_english_are_about_programming_languages(
    tmp_path: Path, own: str, is_read: bool
) -> None:
    files = {"index.md": page("Birds")}
    for name in BIRDS:
        files |= {f"{place}/{name}.md": PROSE.format(name) * 3 for place in ("go", "ts")}
        files |= {f"{place}/{name}.md": own.format(name) * 3 + place for place in ("cs", "ml")}
        files |= {f"all/{name}.md": PROSE.format("all"), f"all/{name}.cs.md": own.format(name) * 3}
    paths = {each.path for each in read(write_tree(tmp_path / "tree", files))[0].records["docs"]}
    assert {f"{place}/{name}.md" for place in ("go", "ts") for name in BIRDS} <= paths
    others = {f"{place}/{name}.md" for place in ("cs", "ml") for name in BIRDS}
    others |= {f"all/{name}.cs.md" for name in BIRDS}
    assert others <= paths if is_read else not others & paths


def test_copies_that_wait_for_their_translation_are_left_out(tmp_path: Path) -> None:
    files = {f"{name}.md": PROSE.format(name) + "\n\nMore.\n" for name in BIRDS}
    files |= {f"{place}/{name}": text for name, text in [*files.items()] for place in ("de", "fr")}
    paths = {each.path for each in read(write_tree(tmp_path / "tree", files))[0].records["docs"]}
    assert paths == {f"{name}.md" for name in BIRDS}


def test_folders_beside_one_of_english_with_the_same_pages_wait_for_their_translation(
    tmp_path: Path,
) -> None:
    """What they were copied from has changed since."""
    files = {f"en-US/{name}.md": f"# {name}\n\nAll of this is new.\n" for name in BIRDS}
    files |= {
        f"{place}/{name}.md": PROSE.format(name) * 9 for place in ("ko", "de") for name in BIRDS
    }
    paths = {each.path for each in read(write_tree(tmp_path / "tree", files))[0].records["docs"]}
    assert paths == {f"en-US/{name}.md" for name in BIRDS}


@pytest.mark.parametrize(
    ("folder", "original", "is_translation"),
    [
        ("pages.ar", "pages", True),
        ("docs-zh-CN", "docs", True),
        ("docs/guide_ja", "docs/guide", True),
        ("docs/plain-no", "docs/guide", False),
    ],
)
def test_a_folder_with_a_language_at_its_end_holds_the_pages_of_the_one_without(
    tmp_path: Path, folder: str, original: str, is_translation: bool
) -> None:
    pages = (*BIRDS, *map(str, range(20)))
    files = {f"{place}/{name}.md": page(name) for name in pages for place in (folder, original)}
    root = write_tree(tmp_path / "tree", {"package.json": "{}", "main.c": "int x;", **files})
    inputs, _ = read(root)
    found = {each.path for records in inputs.records.values() for each in records}
    assert any(path.startswith(f"{folder}/") for path in found) != is_translation
    assert f"{original}/heron.md" in found
    notes = (f"translations are left out: {folder}",) if is_translation else ()
    assert recognised(root).notes == notes


def test_files_called_after_another_one_and_a_language_are_left_out(tmp_path: Path) -> None:
    several = [f"docs/{name}{suffix}" for name in BIRDS for suffix in ("", "-ko")]
    single = ["docs/what", "docs/what-is", "docs/plan", "docs/plan.it", "docs/alone.de"]
    about = ["README", "README.fr", "README_CN", "README-pt-BR", "docs/README_ja"]
    several += ["PLAN", "PLAN_CN", "ROUTE", "ROUTE_CN"]
    files = {f"{name}.md": page(name) for name in (*several, *single, *about)}
    root = write_tree(tmp_path / "tree", {"go.mod": "module m", "main.go": "package m", **files})
    inputs, _ = read(root)
    found = {each.path for records in inputs.records.values() for each in records}
    left_out = {f"docs/{name}-ko.md" for name in BIRDS} | {"docs/plan.it.md", "docs/README_ja.md"}
    left_out |= {"PLAN_CN.md", "ROUTE_CN.md"}  # with README_CN.md
    assert {*files} - found == left_out | {
        f"README{suffix}.md" for suffix in (".fr", "-pt-BR", "_CN")
    }
    assert len(recognised(root).notes) == 2
    assert all(note.startswith("translations are left out: ") for note in recognised(root).notes)


def test_files_beside_one_that_is_called_after_english_are_translations(tmp_path: Path) -> None:
    names = ["docs/start", "docs/use", "birds/heron/index"]
    endings = (".en-US.md", ".zh-CN.md")
    files = {f"{name}{ending}": page(name) for name in names for ending in endings}
    files |= {"package.json": '{"name": "heron"}', "birds/heron/index.ts": "export const a = 1;\n"}
    root = write_tree(tmp_path / "tree", files)
    found = {each.path for records in read(root)[0].records.values() for each in records}
    assert {*files} - found == {f"{name}.zh-CN.md" for name in names}


def test_a_page_in_several_languages_is_read_in_one(tmp_path: Path) -> None:
    site = {"mkdocs.yml": "site_name: S\nnav: [Start.md, Start-it.md, Start-fr.md, Start-tr.md]\n"}
    french = "# Départ\n\nOn y va, et les oiseaux sont là avec nous pour le début de la journée.\n"
    names = ("Start-fr", "Start-it", "Start-tr")
    words = {f"docs/{name}.md": page(name) for name in ("Start", "log", "log-in", "log-is")}
    files = {**site, **words, **{f"docs/{name}.md": french for name in names}}
    root = write_tree(tmp_path / "tree", files)
    paths = {each.path for each in read(root)[0].records["docs"]}
    assert paths == {*words}
    assert any("translations are left out" in note for note in recognised(root).notes)


def test_translated_files_of_docsify_are_left_out(tmp_path: Path) -> None:
    site = {"docs/index.html": "<div id=app></div><script>window.$docsify = {}</script>"}
    files = {f"docs/{name}.md": page(name) for name in ("README", "home", "README_KO", "home.fr")}
    root = write_tree(tmp_path / "tree", {"package.json": '{"name": "heron"}', **site, **files})
    paths = {each.path for each in read(root)[0].records["docs"]}
    assert paths == {"docs/README.md", "docs/home.md"}


def test_translations_are_left_out_of_each_folder_of_pages(tmp_path: Path) -> None:
    languages = ("en", "fr", "ko")
    files = {f"apps/site/pages/{each}/{n}.mdx": page(each) for each in languages for n in range(20)}
    files |= {"package.json": '{"name": "heron"}', "docs/work.md": page("Work")}
    root = write_tree(tmp_path / "tree", files)
    paths = {each.path for each in read(root)[0].records["docs"]}
    assert paths == {"docs/work.md"} | {f"apps/site/pages/en/{number}.mdx" for number in range(20)}


def test_pages_in_english_are_no_translations_whatever_they_are_called(tmp_path: Path) -> None:
    names = [f"docs/{name}_{unit}.md" for name in BIRDS for unit in ("TIME", "TIME_MS")]
    text = (
        "This is the time that it has for the way to the nest, and what is left of it when it is there. "
        * 3
    )
    files = {
        "go.mod": "module m",
        "main.go": "package m",
        **dict.fromkeys(names, f"# Time\n\n{text}\n"),
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root)
    assert {each.path for records in inputs.records.values() for each in records} >= {*names}
    assert recognised(root).notes == ()


def test_sites_in_other_languages_are_read_where_none_is_in_english(tmp_path: Path) -> None:
    files = {
        f"docs/{language}/{name}": text
        for language in ("de", "fr")
        for name, text in {"mkdocs.yml": "site_name: S\n", "docs/a.md": page(language)}.items()
    }
    root = write_tree(tmp_path / "tree", {"setup.py": "", **files})
    places = {each.name: each.paths for each in recognised(root).project.collections}
    assert places["docs"] == ("docs/de/docs",)
    assert places["docs-2"] == ("docs/fr/docs",)


def test_folders_called_as_translations_beside_them_are_some_with_few_pages(tmp_path: Path) -> None:
    names = ("guide", "guide-fr", "guide-it")
    files = {f"docs/{folder}/{name}.md": page(name) for folder in names for name in BIRDS}
    few = {"docs/guide-de/README.md": page("de"), "docs/notes/a.md": page("a")}
    few |= {"docs/notes-it/a.md": page("Note"), "docs/plan/a.md": page("Plan")}
    root = write_tree(tmp_path / "tree", {"setup.py": "", **files, **few})
    inputs, _ = read(root)
    folders = {each.path.split("/")[1] for each in inputs.records["docs"]}
    assert folders == {"guide", "notes", "notes-it", "plan"}
    write_tree(root, {f"docs/notes-fr/{name}.md": page(name) for name in BIRDS})
    write_tree(root, {f"docs/notes/{name}.md": page(name) for name in BIRDS})
    write_tree(root, {f"docs/plan-it/{name}.md": page(name) for name in BIRDS})
    write_tree(root, {f"docs/plan/{name}.md": page(name) for name in BIRDS})
    folders = {each.path.split("/")[1] for each in read(root)[0].records["docs"]}
    assert folders == {"guide", "notes", "plan"}


def test_folders_that_wait_for_their_translation_are_left_out_with_several_others(
    tmp_path: Path,
) -> None:
    english = "# {0}\n\nThe {0} is one of the birds that {1} when it is by the water of the lake.\n"
    german = (
        "# {0}\n\nDer {0} ist einer der Vögel, die {1}, wenn sie an dem Wasser des Sees sind.\n"
    )
    root = tmp_path / "tree"
    for place, text, does in [
        ("guide", english, "we have seen"),
        ("fr/guide", english, "you can see"),
        ("de/guide", german, "wir sehen"),
        ("lb/guide", german, "man sieht"),
    ]:
        write_tree(root, {f"{place}/{name}.md": text.format(name, does) for name in BIRDS})
        is_read = {each.path.split("/")[0] for each in read(root)[0].records["docs"]}
        assert is_read == ({"guide", "fr"} if place.startswith(("fr", "de")) else {"guide"})


def test_files_that_wait_for_their_translation_are_left_out_with_several_others(
    tmp_path: Path,
) -> None:
    english = (
        "# {0}\n\n" + "It is one of the birds that we have seen by the water of the lake.\n" * 3
    )
    french = (
        "# {0}\n\nLe {0} est un des oiseaux que nous avons vus, quand il est au bord de l'eau.\n"
    )
    files = {f"docs/{name}.md": english.format(name) for name in BIRDS}
    files |= {f"docs/{name}.fr.md": french.format(name) for name in BIRDS[:2]}
    files |= {f"docs/{name}.es.md": english.format(name) for name in BIRDS[2:]}
    root = write_tree(
        tmp_path / "tree", files | {"docs/nested/stork.fr.md": english.format("stork")}
    )
    assert {each.path for each in read(root)[0].records["docs"]} == {
        *(f"docs/{name}.md" for name in BIRDS),
        "docs/nested/stork.es.md",
    }


def test_links_to_files_that_were_left_out_are_dead_only_where_an_author_chose_the_files(
    tmp_path: Path,
) -> None:
    links = "[ja](README.ja.md), [template](.github/HELP.md), [gone](gone.md)"
    files = {
        "README.md": f"# Heron\n\n{links}\n",
        "README.ja.md": page("Heron in Japanese"),
        ".github/HELP.md": page("Help"),
        "guide.md": page("Guide"),
    }
    _, diagnostics = read(root := write_tree(tmp_path / "tree", files))
    dead = [each.message for each in diagnostics if each.code == "dead-link"]
    assert dead == ["the link 'gone.md' leads to gone.md, which is not in the knowledge base"]
    (root / "kb.toml").write_text(
        '[kb]\nname = "x"\n[[collection]]\nname = "docs"\nkind = "docs"\npaths = ["README.md", "guide.md"]\n'
    )
    found = Diagnostics()
    read_inputs(root, found)
    assert sum(each.code == "dead-link" for each in found) == 3


def test_readmes_of_each_folder_in_other_languages_are_left_out_of_the_code(tmp_path: Path) -> None:
    folders = ["circle", "square", "nest", "heron"]
    files = {f"{each}/README.md": page(each) for each in folders}
    files |= {
        f"{each}/src/A{number}.java": "class A {}\n" for each in folders for number in range(4)
    }
    files |= {f"localization/fr/{each}/README.md": page(each) for each in folders[:3]}
    files |= {f"localization/ja/{each}/README.md": page(each) for each in folders}
    files |= {
        "localization/el/nest/README.md": page("nest"),
        "localization/go/Main.java": "class A {}\n",
    }
    root = write_tree(
        tmp_path / "tree", {**files, "pom.xml": "<project/>", "README.md": page("All")}
    )
    found = recognised(root)
    (note,) = (each for each in found.notes if "translations" in each)
    assert note == "translations are left out: localization/el, localization/fr, localization/ja"
    read_files = {each.path for each in read(root)[0].records["code"]}
    assert "nest/README.md" in read_files
    assert not any(each.startswith(("localization/ja", "localization/el")) for each in read_files)


ENGLISH = "The {0} is one of the birds that we have seen by the water of the lake.\n" * 3
OTHERS = {
    "cs": "{0} je jeden z ptáků, které jsme viděli u vody toho jezera, když jsme tam byli.\n",
    "de": "{0} ist einer der Vögel, die wir an dem Wasser des Sees gesehen haben.\n",
    "pt_BR": "{0} é uma das aves que nós vimos na beira da água daquele lago.\n",
}


@pytest.mark.parametrize("place", ["po/{0}/docs/nest", "i18n/{0}"])
def test_pages_in_folders_of_many_languages_are_left_out_whatever_their_names(
    tmp_path: Path, place: str
) -> None:
    files = {
        f"{place.format(code)}/{name}.md": text.format(name) * 3
        for code, text in OTHERS.items()
        for name in BIRDS
    }
    own = {f"doc/{name}-guide.md": ENGLISH.format(name) for name in BIRDS}
    root = write_tree(tmp_path / "tree", {"pom.xml": "<project/>", **own, **files})
    top = place.partition("/")[0]
    expected = f"translations are left out: {top}/cs, {top}/de, {top}/pt_BR"
    assert recognised(root).notes == (expected,)
    records = read(root)[0].records
    assert {each.path for found in records.values() for each in found} == {*own, "pom.xml"}


def test_folders_of_programming_languages_are_no_translations(tmp_path: Path) -> None:
    names = ("cs", "ml", "pl")
    files = {f"lang/{code}/{name}.md": ENGLISH.format(name) for code in names for name in BIRDS}
    own = {f"doc/{name}-guide.md": ENGLISH.format(name) for name in BIRDS}
    root = write_tree(tmp_path / "tree", {"pom.xml": "<project/>", **own, **files})
    assert recognised(root).notes == ()


def test_copies_under_any_short_name_are_left_out_with_other_languages(tmp_path: Path) -> None:
    own = {f"pages/{name}.md": page(name) for name in (*BIRDS, "ibis")}
    files = {f"lang/{code}/{name}": page(code) for code in ("jp", "kor") for name in own}
    root = write_tree(tmp_path / "tree", {"pom.xml": "<project/>", **own, **files})
    assert recognised(root).notes == ("translations are left out: lang/jp, lang/kor",)


def test_man_pages_in_other_languages_are_left_out(tmp_path: Path) -> None:
    man = ".TH {0} 8\n.SH NAME\n{0} \\- probe\n.SH DESCRIPTION\n{1}"
    own = {
        f"man/{name}.8": man.format(name, ENGLISH.format(name))
        for name in ("heron", "crane", "ibis")
    }
    files = {
        f"man/{code}/man8/{name}.8": man.format(name, text.format(name) * 3)
        for code, text in OTHERS.items()
        for name in ("heron", "crane")
    }
    root = write_tree(tmp_path / "tree", {"configure.ac": "", "a.c": "int a;\n", **own, **files})
    assert {each.path for each in read(root)[0].records["docs"]} == {*own}
    (note,) = recognised(root).notes
    assert note == "translations are left out: man/cs, man/de, man/pt_BR"


@pytest.mark.parametrize("name", ["kor", "ckb-IR", "sr@latin", "languages/pcm", "languages/en"])
def test_copies_under_any_name_of_a_language_are_left_out_beside_many_translations(
    tmp_path: Path, name: str
) -> None:
    parent = f"{name.rpartition('/')[0]}/".lstrip("/")
    folders = ("", *(f"{parent}{code}/" for code in ("de-DE", "fr-FR", "it-IT")), f"{name}/")
    files = {f"docs/{to}{each}.md": ENGLISH.format(each) for to in folders for each in BIRDS}
    files |= {
        "package.json": "{}",
        "docs/.vitepress/config.ts": "export default { title: 'Birds' }\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert {each.path for each in inputs.records["docs"]} == {f"docs/{each}.md" for each in BIRDS}


def test_pages_of_hugo_in_other_languages_are_no_source(tmp_path: Path) -> None:
    config = "baseURL = 'https://s.example/'\n[languages.en]\ncontentDir = 'content'\n"
    files = {
        "docs/config.toml": f"{config}[languages.zh]\ncontentDir = 'content.zh'\n",
        "docs/content/_index.md": page("Start"),
        "docs/content.zh/_index.md": page("开始"),
        "docs/layouts/index.html": "<p>{{ .Content }}</p>\n",
        "pom.xml": "<project/>",
        "src/Heron.java": "class Heron {}\n",
    }
    root = write_tree(tmp_path / "heron", files)
    assert recognised(root).notes == ("translations are left out: docs/content.zh",)
    inputs, _ = read(root)
    assert "docs/content.zh/_index.md" not in {each.path for each in inputs.records["code"]}
