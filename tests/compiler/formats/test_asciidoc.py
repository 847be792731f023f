"""AsciiDoc as Asciidoctor and Antora have it."""

from __future__ import annotations

import pytest
from tests.compiler.formats.samples import ASCIIDOC, read

from kbc.formats import ELSEWHERE, UNRESOLVED, Converted, convert


def one(source: str) -> Converted:
    (found,) = convert("docs/a.adoc", source.encode(), read)
    return found


def text(source: str) -> str:
    return one(source).text


def test_sample_keeps_title_author_and_every_text() -> None:
    found = one(ASCIIDOC.decode())
    assert (found.title, found.author, found.created_at) == (
        "Title with code",
        "Jane Doe",
        "2024-05-06",
    )
    assert found.anchors == ("_title_with_code", "deep")
    for part in (
        "Text about Widget with **strong**, *emphasis*, `mono`, [a link](https://example.org) and Deeper.",
        "```java\nclass A {\n    int x; // <1>\n}\n```\n\n1. A field.",
        "> **Note**\n>\n> Beware of this.",
        "## Deeper",
        "- one\n\n  - two\n\n    ```bash\n    ls -l\n    ```",
        "1. first\n2. second",
        "- **term**\n\n  its meaning",
        "- **Name**\n\n  first\n\n  **Code**\n\n  ```\n  x = 1\n  ```",
        "An example with [Other page](other.adoc#part).",
        "Tagged text.",
        "Shown.",
    ):
        assert part in found.text, part
    assert [each.name for each in found.problems] == ["include"]
    assert "not this" not in found.text


def test_antora_resources_are_found_by_family_and_module() -> None:
    files = {
        "docs/antora.yml": b"name: x\nasciidoc: {attributes: {who: World}}\n",
        "docs/modules/ROOT/examples/a.rb": b"puts 1\n",
        "docs/modules/api/partials/p.adoc": b"Hello {who}\n",
    }
    source = b"= T\n\n[source,ruby]\n----\ninclude::example$a.rb[]\n----\n\ninclude::api:partial$p.adoc[]\n"
    (found,) = convert("docs/modules/ROOT/pages/sub/page.adoc", source, files.get)
    assert found.problems == ()
    assert "```ruby\nputs 1\n```\n\nHello World\n" in found.text


def test_what_antora_sets_itself_has_values() -> None:
    files = {
        "docs/antora.yml": b"name: x\ntitle: The X\nversion: '2.1'\n",
        "docs/modules/ROOT/partials/shared/a.adoc": b"Part of {page-component-title}.\n",
        "docs/modules/ROOT/examples/a.rb": b"puts 1\n",
    }
    source = (
        b"= T {page-version}\n\ninclude::{partialsdir}/shared/a.adoc[]\n\n"
        b"----\ninclude::{examplesdir}/a.rb[]\n----\n"
    )
    (found,) = convert("docs/modules/ROOT/pages/page.adoc", source, files.get)
    assert found.problems == ()
    assert found.text == "# T 2.1\n\nPart of The X.\n\n```\nputs 1\n```\n"


def test_attributes_of_the_editors_configuration_are_defaults() -> None:
    files = {
        ".asciidoctorconfig": b":name: Outer\n:kind: book\n",
        "docs/.asciidoctorconfig.adoc": b"// hints\n:name: Heron \\\n  Server\n",
    }
    around = ["docs/.asciidoctorconfig.adoc", ".asciidoctorconfig"]
    source = b":kind: page\n\nThe {kind} of {name}.\n"
    (found,) = convert("docs/a.adoc", source, files.get, around=around)
    assert found.text == "The page of Heron Server.\n"
    (found,) = convert("docs/a.adoc", b"The {kind} of {name}.\n", files.get, around=around)
    assert found.text == "The book of Heron Server.\n"


MAVEN = b"""<!DOCTYPE project [<!ENTITY long "x">]>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.example</groupId><version>4.2</version></parent>
  <artifactId>heron</artifactId>
  <properties><code.dir>${project.basedir}/code</code.dir><loop>${loop}</loop></properties>
  <build><plugins>
    <plugin><artifactId>other</artifactId><configuration><attributes><foreign>b</foreign></attributes></configuration></plugin>
    <plugin>
      <artifactId>asciidoctor-maven-plugin</artifactId>
      <configuration><attributes>
        <!-- where the programs are -->
        <codeDir>${code.dir}</codeDir>
        <release>${project.artifactId} ${project.version}, ${kind}</release>
        <entity>&long;</entity><round>${loop}</round><later>${git.commit}</later>
      </attributes></configuration>
    </plugin>
  </plugins></build>
</project>
"""


def test_attributes_of_a_build_by_maven_are_defaults() -> None:
    above = b"<project><properties><kind>book</kind><code.dir>no</code.dir></properties></project>"
    files = {"docs/pom.xml": MAVEN, "pom.xml": above, "docs/code/A.java": b"class A {}\n"}
    source = b"= {release}\n\n----\ninclude::{codeDir}/A.java[]\n----\n\n{later} {foreign}\n"
    around = ["docs/pom.xml", "pom.xml"]
    (found,) = convert("docs/src/a.adoc", source, files.get, around=around)
    assert found.text == "# heron 4.2, book\n\n```\nclass A {}\n```\n\n{later} {foreign}\n"
    assert {each.name for each in found.problems} == {"{later}", "{foreign}"}
    (found,) = convert(
        "docs/src/a.adoc", b"= T\n\nText {round}{entity}.\n", files.get, around=around
    )
    assert found.text == "# T\n\nText {round}.\n"


def test_properties_of_a_build_that_multiply_end() -> None:
    properties = "".join(f"<p{n}>{f'${{p{n + 1}}}' * 9}</p{n}>" for n in range(9))
    plugin = "<artifactId>asciidoctor-maven-plugin</artifactId><attributes><bomb>${p0}</bomb>"
    text = f"<project><properties>{properties}<p9>x</p9></properties>"
    text += f"<plugin>{plugin}</attributes></plugin></project>"
    (found,) = convert(
        "a.adoc", b"= T\n\n{bomb}\n", {"pom.xml": text.encode()}.get, around=["pom.xml"]
    )
    assert found.text == "# T\n\n{bomb}\n"


def test_a_broken_build_file_gives_no_attributes() -> None:
    files = {"pom.xml": b"<project><build>", "docs/pom.xml": b"", "a/pom.xml": b"\xff"}
    (found,) = convert("a/b.adoc", b"= T\n\nText.\n", files.get, around=list(files))
    assert (found.title, found.problems) == ("T", ())


def test_a_folder_that_only_a_build_knows_is_one_around_the_file() -> None:
    files = {
        "src/shared/urls.adoc": b":guide: https://example.org/\n",
        "src/code/A.java": b"class A {}\n",
    }
    source = (
        b":shared: {root}/shared\n\ninclude::{shared}/urls.adoc[]\n\nSee {guide}[it].\n\n"
        b"----\ninclude::{code-root}/code/A.java[]\n----\n\ninclude::{where}/none/a.adoc[]\n"
    )
    (found,) = convert("src/docs/a.adoc", source, files.get)
    assert "[it](https://example.org/)" in found.text
    assert "```\nclass A {}\n```" in found.text
    assert [(each.code, each.name) for each in found.problems] == [(ELSEWHERE, "include")]


def test_values_that_only_a_build_knows_are_counted() -> None:
    found = one("Of {version}, not `{code}`, /users/{id} or {owner}/{name}.\n\n----\n{x-y}\n----\n")
    assert [(each.code, each.name, each.line) for each in found.problems] == [
        (ELSEWHERE, "{version}", 0)
    ]


def test_tags_lines_and_offsets_of_includes() -> None:
    files = {
        "p.adoc": b"== Part\n\n// tag::a[]\nin a\n// tag::b[]\nin b\n// end::b[]\n// end::a[]\nlast\n",
    }
    for attributes, expected in (
        ("tag=b", "in b\n"),
        ("tags=a;!b", "in a\n"),
        ("tags=**;!a", "## Part\n\nlast\n"),
        ("lines=1..2", "## Part\n"),
        ("lines=1;9,leveloffset=+1", "### Part\nlast\n".replace("\nlast", "\n\nlast")),
    ):
        (found,) = convert("a.adoc", f"include::p.adoc[{attributes}]\n".encode(), files.get)
        assert found.text == expected, attributes


def test_conditions_follow_attributes() -> None:
    source = (
        ":x: 1\nifdef::x[]\nyes\nendif::[]\nifndef::x[no]\nifeval::[{x} > 1]\nlarge\nendif::[]\n"
    )
    assert text(source) == "yes\n"


def test_directives_in_listings_are_escaped_with_a_backslash() -> None:
    assert text("----\n\\include::x[]\n:y: {z}\n----\n") == "```\ninclude::x[]\n:y: {z}\n```\n"


def test_a_cell_with_pictures_alone_names_them() -> None:
    cells = "|[align=left]*A* |icon:check-circle[role=x] |image:no_bird.png[] |image:x.png[] Y\n"
    assert "| **A** | check circle | no bird | Y |" in text(f"|===\n{cells}|===\n")


def test_tables_with_spans_repeats_and_csv() -> None:
    assert text('[%header,cols="1,1"]\n|===\n|a |b\n2+|wide\n.2+|tall |1\n|2\n2*|x\n|===\n') == (
        "| a | b |\n| --- | --- |\n| wide |  |\n| tall | 1 |\n|  | 2 |\n| x | x |\n"
    )
    assert text(",===\na,b\n\n1,2\n,===\n") == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_tabs_keep_their_labels() -> None:
    found = text("[tabs]\n======\nJava::\n+\n[source,java]\n----\nint x;\n----\n======\n")
    assert found == "- **Java**\n\n  ```java\n  int x;\n  ```\n"


def test_admonition_blocks_quotes_and_sidebars() -> None:
    assert (
        text("[WARNING]\n.Careful\n====\nHot.\n====\n")
        == "**Careful**\n\n> **Warning**\n>\n> Hot.\n"
    )
    assert text("[quote,Ada]\n____\nWords.\n____\n") == "> Words.\n>\n> — Ada\n"
    assert text("****\nAside.\n****\n") == "Aside.\n"


def test_passthrough_is_dropped_and_comments_too() -> None:
    assert text("++++\n<b>x</b>\n++++\n\n////\nno\n////\n\n// no\nyes\n") == "yes\n"


def test_unknown_block_macros_are_named() -> None:
    assert [each.name for each in one("swagger::api.json[]\n").problems] == ["swagger"]


def test_endless_attributes_and_includes_end() -> None:
    assert "x" in text(":a: {b}{b}\n:b: {a}{a}x\n\n{a}\n")
    assert len(text(":a: {a}{a}\n" * 12 + "\n{a}\n")) < 100_000
    itself = b"x\n\ninclude::a.adoc[]\n"
    (found,) = convert("a.adoc", itself, {"a.adoc": itself}.get)
    assert [each.name for each in found.problems] == ["include"]


def test_code_of_a_section_is_in_the_folder_that_the_parts_of_its_id_name() -> None:
    tree = {
        "docs/modules/ROOT/examples/java/core/water/gates/Lock.java": "class Lock {}\n",
    }
    source = (
        "= Water\n:include-java: example$java\n\n[[water.gates]]\n== Gates\n\ninclude-code::./Lock[]\n\n"
        "include-code::./Gone[]\n"
    )
    path = "docs/modules/ROOT/pages/core/water.adoc"

    def find(name: str) -> bytes | None:
        return tree[name].encode() if name in tree else None

    (found,) = convert(path, source.encode(), find)
    assert "**Java**\n\n```java\nclass Lock {}\n```" in found.text
    assert [(each.name, each.code) for each in found.problems] == [("include-code", UNRESOLVED)]


def test_what_another_repository_gives_a_component_is_elsewhere() -> None:
    path = "docs/modules/ROOT/pages/a.adoc"
    source = b"include::other:partial$x.adoc[]\n\ninclude::gone.adoc[]\n\nswagger_ui::api.json[]\n"
    (found,) = convert(path, source, lambda name: None)
    assert [(each.name, each.line, each.code) for each in found.problems] == [
        ("include", 1, ELSEWHERE),
        ("include", 3, UNRESOLVED),
        ("swagger_ui", 5, ELSEWHERE),
    ]


def test_blocks_of_a_list_item_follow_each_other() -> None:
    source = "* One\n+\nThe syntax:\n+\n[subs=normal]\n----\n_a_\n----\n+\nLast.\n"
    assert text(source) == "- One\n\n  The syntax:\n\n  ```\n  a\n  ```\n\n  Last.\n"


def test_marks_that_a_listing_replaces_are_no_part_of_its_code() -> None:
    source = "T\n\n:u: pass:a,q[&lt;egg&gt;]\n\n[subs='+quotes,macros,attributes']\n----\n"
    source += "$ *fly* __<nest>__ -*.x *.y\n{u}\n----\n\n`{u}/__<a>__/${B\\}`\n"
    assert text(source) == "T\n\n```\n$ fly <nest> -*.x *.y\n<egg>\n```\n\n`<egg>/<a>/${B}`\n"


def test_character_references_and_macros_within_words_and_values() -> None:
    source = (
        ":more: pass:q[(see xref:#b[the *end*]).]\n\nOne &#8212; two &amp; threexref:#b[1].\n\n"
        "{more}\n\n[#b]\n== B\n"
    )
    assert text(source).startswith("One — two & three1.\n\n(see the **end**).\n")


def test_underlined_titles_are_sections_and_other_underlines_delimit_listings() -> None:
    found = one(
        "probe(1)\n========\n\nNAME\n----\nprobe - looks at disks\n\n[[syntax]]\nSYNOPSIS\n--------\n"
        "`probe` [--all]\n\n----\ncode line\n----\n\nBelow\n~~~~~\nText.\n\nDeeper\n^^^^^^^\n\nLast\n+++\n"
        "Some words\n----\nanother listing\n----\n"
    )
    assert (found.title, found.anchors) == (
        "probe(1)",
        ("_probe1", "_name", "syntax", "_below", "_deeper", "_last"),
    )
    assert found.text == (
        "# probe(1)\n\n## NAME\n\nprobe - looks at disks\n\n## SYNOPSIS\n\n`probe` [--all]\n\n"
        "```\ncode line\n```\n\n### Below\n\nText.\n\n#### Deeper\n\n##### Last\n\nSome words\n\n"
        "```\nanother listing\n```\n"
    )


def test_containers_have_no_underlined_titles() -> None:
    assert text("====\nCode\n----\nx = 1\n----\n====\n") == "Code\n\n```\nx = 1\n```\n"
    assert text("====\n[discrete]\nCode\n----\n====\n") == "**Code**\n"


def test_classes_of_examples_are_shown_in_each_language() -> None:
    files = {
        "test-suite/src/test/java/a/b/Lock.java": b"// tag::x[]\n@Gate // <1>\nclass Lock {}\n// end::x[]\n",
        "test-suite-kotlin/src/test/kotlin/a/b/Lock.kt": b"// tag::x[]\nclass Lock\n// end::x[]\n",
        "doc-examples/app-groovy/src/main/groovy/a/b/Weir.groovy": b"class Weir {}\n",
    }
    source = (
        '= Water\n\nsnippet::a.b.Lock[tags="x", indent=0, title="A lock"]\n\n'
        "<1> An ann:x.Gate[] of pkg:a.b[].\n\n"
        'snippet::a.b.Weir[project-base="doc-examples/app", source="main"]\n\nsnippet::a.b.Gone[tags="x"]\n'
    )
    (found,) = convert("src/main/docs/guide/a.adoc", source.encode(), files.get)
    assert found.text == (
        "# Water\n\n**A lock**\n\n**Java**\n\n```java\n@Gate // <1>\nclass Lock {}\n```\n\n"
        "**Kotlin**\n\n```kotlin\nclass Lock\n```\n\n1. An `@Gate` of `a.b`.\n\n"
        "**Groovy**\n\n```groovy\nclass Weir {}\n```\n"
    )
    assert [(each.name, each.code) for each in found.problems] == [("snippet", ELSEWHERE)]


def test_what_a_build_depends_on_is_named() -> None:
    source = (
        'Add:\n\ndependency:gate-http[groupId="io.gate",scope="test"]\n\n'
        "dependency::io.gate:lock[version=1.2]\n\nIn a dependency:x[] of text.\n"
    )
    assert text(source) == (
        "Add:\n\n`io.gate:gate-http` (test)\n\n`io.gate:lock:1.2`\n\nIn a dependency:x[] of text.\n"
    )


def test_references_of_antora_may_have_an_empty_module() -> None:
    files = {"deep/b.adoc": b"= Deep\n"}
    (found,) = convert("a.adoc", b"See xref::deep/b.adoc#x[B] and ::a.\n", files.get)
    assert found.text == "See [B](deep/b.adoc#x) and ::a.\n"


def test_references_show_underlined_titles_of_other_pages() -> None:
    files = {"b.adoc": b"Add(1)\r\n======\r\n\r\nText.\r\n"}
    (found,) = convert("a.adoc", b"See xref:b.adoc[].\n", files.get)
    assert found.text == "See [Add(1)](b.adoc).\n"


def test_attributes_may_have_names_with_spaces() -> None:
    source = "= probe(8)\n:doctype: manpage\n:man manual: System\n:command: probe\n\n{command}, {manmanual}\n"
    assert text(source) == "# probe(8)\n\nprobe, System\n"


def test_included_files_are_relative_to_a_folder_around_the_file_too() -> None:
    files = {
        "foot.adoc": b"of the root\n",
        "docs/common/foot.adoc": b"include::part.adoc[]\n\ninclude::common/deep.adoc[]\n",
        "docs/common/part.adoc": b"The {command} command.\n",
        "common/deep.adoc": b"Deep.\n",
        "common/foot.adoc": b"not the nearest\n",
    }
    source = b"= Probe\n:command: probe\n\ninclude::common/foot.adoc[]\n\ninclude::foot.adoc[]\n"
    (found,) = convert("docs/cmds/probe.adoc", source, files.get)
    assert found.text == "# Probe\n\nThe probe command.\n\nDeep.\n\nof the root\n"
    assert found.problems == ()
    (found,) = convert("docs/a.adoc", b"include::docs/a.adoc[]\n", {"docs/a.adoc": b"endless"}.get)
    assert [(each.code, each.line) for each in found.problems] == [(UNRESOLVED, 1)]


def test_what_is_not_included_is_named_in_its_place() -> None:
    source = (
        "include::{gone}/a_b_.adoc[]\n= Title\nJane Doe\ninclude::c.adoc[]\n:x: 1\n\n"
        "Text {x}\ninclude::*d*.{y}[]\n\ninclude::e.adoc[opts=optional]\n"
        "* item\n+\n----\ninclude::https://example.org/_f_.adoc[]\n----\n"
    )
    found = one(source)
    assert found.author == "Jane Doe"
    assert {each.name for each in found.problems} == {"include"}
    assert found.text == (
        "# Title\n\n(not included: {gone}/a_b\\_.adoc)\n\n(not included: c.adoc)\n\n"
        "Text 1\n(not included: \\*d\\*.{y})\n\n"
        "- item\n\n  ```\n  (not included: https://example.org/_f_.adoc)\n  ```\n"
    )


def test_a_tag_may_be_empty_and_one_that_is_not_there_is_named() -> None:
    files = {
        "p.adoc": b"// tag::a[]\n// end::a[]\n// tag::b[]\nin b\n// end::b[]\n",
    }
    for attributes, expected, message in (
        ("tag=a", "", ""),
        ("tags=a;b", "in b\n", ""),
        ("tags=**;!gone", "in b\n", ""),
        ("tags=b;gone", "in b\n(not included: p.adoc#gone)\n", "'p.adoc' has no tag 'gone'"),
        ("tag=gone", "(not included: p.adoc#gone)\n", "'p.adoc' has no tag 'gone'"),
    ):
        (found,) = convert("a.adoc", f"include::p.adoc[{attributes}]\n".encode(), files.get)
        assert found.text == expected, attributes
        assert [each.message for each in found.problems] == [message] * bool(message), attributes


def test_labels_are_strong_as_a_whole_whatever_part_of_them_is_formatted() -> None:
    for term, expected in (
        ("*DEBUG*=all", "**DEBUG=all**"),
        ("`--a`=_x_", "**`--a`=*x***"),
        ("*-c*, *--cols* _list_", "**-c, --cols *list***"),
        ("*-c*", "**-c**"),
        ("_list_", "**list**"),
        ("kbd:[Ctrl] _x_ y", "**Ctrl *x* y**"),
        ("extensions.*", "**extensions.\\***"),
    ):
        assert text(f"{term}::\n  Text.\n") == f"- {expected}\n\n  Text.\n"
        assert text(f".{term}\nText.\n") == f"{expected}\n\nText.\n"
        assert text(f"====\n== {term}\n====\n") == f"{expected}\n"
        assert text(f"|===\n|{term}\n\na|\n* x\n|===\n") == f"- {expected}\n\n  - x\n"


def test_the_text_of_a_reference_may_hold_code_with_angle_brackets() -> None:
    assert text("See <<cond, `+Map<K, List<V>>+`>> and <<cond,the *C*>>.\n") == (
        "See `Map<K, List<V>>` and the **C**.\n"
    )


def test_a_paragraph_ends_at_the_attributes_of_the_next_block() -> None:
    source = "image:map.png[width=1]\n[gremlin-groovy,modern]\n----\ng.V()\n----\n"
    assert text(source) == "```\ng.V()\n```\n"
    assert text("Text\n[see below].\n") == "Text\n[see below].\n"


def test_macros_for_man_pages_name_them() -> None:
    assert text("See linkgit:git-add[1] and man:ls[].\n") == "See git-add(1) and ls.\n"


def test_a_document_with_nothing_around_it_reads_no_other_file() -> None:
    asked: list[str] = []
    convert("docs/a.adoc", b"= A\n\nText of {name}.\n", asked.append)
    assert asked == []  # else it would be converted again in each build


@pytest.mark.parametrize("language", ["c++", "c#", "yaml+jinja", "x.y", ""])
def test_a_fence_of_markdown_may_have_any_name_of_a_language(language: str) -> None:
    source = f"Before.\n\n```{language}\nint x;\n```\n\nThe *text* behind it.\n"
    (found,) = convert("docs/a.adoc", source.encode(), read)
    assert found.text == f"Before.\n\n```{language}\nint x;\n```\n\nThe **text** behind it.\n"


@pytest.mark.parametrize(
    ("target", "code"),
    [("2.0@lines:start:install.adoc", ELSEWHERE), ("gone@2.adoc", UNRESOLVED)],
)
def test_a_page_of_another_component_is_elsewhere(target: str, code: str) -> None:
    (found,) = convert("docs/a.adoc", f"= A\n\ninclude::{target}[]\n".encode(), read)
    assert [each.code for each in found.problems] == [code]


def test_text_between_double_dollars_is_as_it_is() -> None:
    assert text("See $$a_b_c$$ and xref:{here}-crate[$$Crate$$] for $$5.\n") == (
        "See a_b_c and Crate for $$5.\n"
    )
