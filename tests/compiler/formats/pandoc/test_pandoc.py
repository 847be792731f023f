"""What the formats that pandoc reads have of their own: Org, MediaWiki and DocBook."""

from __future__ import annotations

from tests.compiler.formats.samples import read

from kbc.formats import Converted, convert
from kbc.formats.pandoc import org as org_files
from kbc.formats.pandoc.docbook_pages import with_sections
from kbc.formats.pandoc.writer import PandocWriter


def one(path: str, source: str) -> Converted:
    (found,) = convert(path, source.encode(), read)
    return found


def test_headings_of_org_lie_below_its_title_without_their_tags() -> None:
    found = one("a.org", "#+title: The guide\n\n* One :unfold:a_b:\ntext\n** Two\ntext\n* Three\n")
    assert found.title == "The guide"
    assert found.text == "# The guide\n\n## One\n\ntext\n\n### Two\n\ntext\n\n## Three\n"
    assert found.anchors == ("", "one", "two", "three")


def test_org_without_a_title_begins_with_its_first_heading() -> None:
    found = one("a.org", "* One :tag:\ntext\n** Two\n")
    assert (found.title, found.text) == ("One", "# One\n\ntext\n\n## Two\n")


def test_a_reference_over_several_lines_in_a_list_of_mediawiki_is_a_note() -> None:
    found = one(
        "a.wiki",
        '= One =\n\n* Item<ref name"x">first\n* second</ref> and<ref>\nthird</ref> end.\n'
        "* Other<ref name=a/>\n\nText<ref>one\n\ntwo</ref>\n<pre>\n* <ref>a\nb</ref>\n</pre>\n",
    )
    assert found.problems == ()
    assert found.text.startswith(
        "# One\n\n- Item\\[1\\] and\\[2\\] end.\n- Other\\[3\\]\n\nText\\[4\\]"
    )
    assert "```\n* <ref>a\nb</ref>\n```" in found.text
    assert "\\[1\\] first \\* second\n\n\\[2\\] third\n\n" in found.text
    assert found.text.endswith("\\[4\\] one\n\ntwo\n")


def test_a_page_of_mediawiki_that_pandoc_cannot_read_keeps_its_text() -> None:
    found = one(
        "a.wiki",
        "= One =\nText of <it>.\n\n* Item<ref><pre>a\nb</pre></ref> ends.\n\n== Two ==\n\nMore.\n",
    )
    (problem,) = found.problems
    assert (problem.code, problem.line, problem.is_error) == ("mediawiki-invalid", 5, False)
    assert found.text == (
        "# One\n\nText of \\<it>.\n\n\\* Item\\<ref>\\<pre>a\nb\\</pre>\\</ref> ends.\n\n## Two\n\nMore.\n"
    )


def test_an_image_of_mediawiki_in_html_is_its_alternative_text() -> None:
    found = one("a.wiki", '<img src=x.png></img>\n\nSee <img src="y" alt="A heron" />.\n')
    assert found.text == "See A heron.\n"


CHAPTER = """\
<?xml version="1.0"?>
<!DOCTYPE chapter [
  <!-- it's -->
  <!ENTITY prod "Heron">
  <!ENTITY full "&prod; <literal>2]</literal>">
  <!ENTITY next SYSTEM "next.xml">
  <!ENTITY % others SYSTEM "../own.ent">
  %others;
]>
<chapter><title>About &prod;</title>
<para>Use &full;, &own; and &alpha; in &php.ini; <ulink url="&url.x;">here</ulink>.</para>
&next;
<screen><![CDATA[&prod;]]></screen></chapter>
"""


def test_entities_of_docbook_are_their_values_or_names() -> None:
    files = {
        "own.ent": b"<!ENTITY own '<literal>mine</literal>'>",
        "docs/a.ent": b'<!ENTITY prod "Not this"><!ENTITY url.x "http://x.org/?a=1&amp;b">',
    }
    (found,) = convert("docs/a.docbook", CHAPTER.encode(), files.get, around=["docs/a.ent"])
    assert found.problems == ()
    assert found.text == (
        "# About Heron\n\nUse Heron `2]`, `mine` and α in php.ini [here](http://x.org/?a=1&b).\n\n"
        "```\n&prod;\n```\n"
    )


def test_entities_of_docbook_that_are_not_well_formed_are_their_names() -> None:
    source = "<!DOCTYPE article [<!ENTITY a '<para>'>]><article><para>Of &a;.</para></article>"
    assert one("a.docbook", source).text == "Of a.\n"


def test_references_of_docbook_to_other_files_have_the_name_of_their_target() -> None:
    source = (
        '<article><section id="own"><title>Own</title><para>See <xref linkend="own"/>, <xref\n linkend='
        "'gates'></xref> and <link linkend='b'>these</link>.</para></section></article>"
    )
    assert one("a.docbook", source).text == "# Own\n\nSee Own, gates and these.\n"


PAGE = """\
<!DOCTYPE refentry PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd">
<refentry id="fly"><refentryinfo><title>fly</title><productname>heron</productname></refentryinfo>
<refmeta><refentrytitle>fly</refentrytitle><manvolnum>1</manvolnum></refmeta>
<refnamediv><refname>fly</refname><refname>soar</refname><refpurpose>Leaves &amp; returns</refpurpose>
</refnamediv>
<refsynopsisdiv><cmdsynopsis><command>fly</command><arg choice="opt" rep="repeat">OPTIONS</arg>
<group choice="req"><arg choice="plain">-x</arg><arg choice="plain">--to=<replaceable>N</replaceable></arg>
</group><sbr/><arg>FILE</arg></cmdsynopsis>
<funcsynopsis><funcsynopsisinfo>#include &lt;fly.h&gt;</funcsynopsisinfo><funcprototype>
<funcdef>int <function>fly</function></funcdef><paramdef>char *<parameter>to</parameter></paramdef><varargs/>
</funcprototype><funcprototype><funcdef>int <function>land</function></funcdef><void/></funcprototype>
</funcsynopsis></refsynopsisdiv>
<refsect1><title>Description</title><para>It flies.</para>
<refsect2><title>Height</title><para>Any.</para></refsect2></refsect1>
</refentry>
"""


def test_abstracts_of_docbook_are_the_first_text_of_their_sections() -> None:
    (found,) = convert(
        "a.docbook",
        b"<book><bookinfo><title>Herons</title><abstract><para>All of them.</para></abstract></bookinfo>"
        b"<chapter><chapterinfo><abstract><title>In short</title><para>They wade.</para></abstract>"
        b"</chapterinfo><title>Wading</title><para>Long legs.</para><programlisting><![CDATA["
        b"<info><abstract>x</abstract>y</info>]]></programlisting></chapter></book>",
        read,
    )
    assert found.summary == "All of them."
    code = "```\n<info><abstract>x</abstract>y</info>\n```"
    assert (
        found.text
        == f"# Herons\n\n## Wading\n\n**In short**\n\nThey wade.\n\nLong legs.\n\n{code}\n"
    )


def test_a_reference_page_of_docbook_has_its_name_and_its_synopses() -> None:
    found = one("fly.xml", PAGE)
    assert found.title == "fly(1)"
    assert found.text == (
        "# fly(1)\n\nfly, soar — Leaves & returns\n\n## Synopsis\n\n"
        "```\nfly [OPTIONS]... {-x | --to=N}\n[FILE]\n```\n\n"
        "```\n#include <fly.h>\nint fly(char *to, ...);\nint land(void);\n```\n\n"
        "## Description\n\nIt flies.\n\n### Height\n\nAny.\n"
    )


def test_a_synopsis_of_docbook_is_code_and_terms_of_the_index_are_no_text() -> None:
    term = "<indexterm><primary>flight</primary></indexterm>"
    source = (
        f"<chapter>{term}<title>Fly{term}</title><synopsis>y <command>fly</command> x{term}[, <arg>n</arg>]\n"
        f"y <command>fly</command></synopsis>{term}<para>It flies.</para></chapter>"
    )
    assert one("a.docbook", source).text == "# Fly\n\n```\ny fly x[, n]\ny fly\n```\n\nIt flies.\n"


def test_reference_pages_in_a_book_of_docbook_are_its_sections() -> None:
    method = (
        "<methodsynopsis><modifier>public</modifier><type>list</type><methodname>map</methodname>"
        "<methodparam><type class='union'><type>int</type><type>null</type></type><parameter>n</parameter>"
        "<initializer>null</initializer></methodparam><methodparam choice='opt' rep='repeat'>"
        "<type>list</type><parameter>more</parameter></methodparam></methodsynopsis>"
    )
    pages = "".join(
        f"<refentry xml:id='{name}'><refnamediv><refname>{name}</refname><refpurpose>Maps</refpurpose>"
        f"</refnamediv><refsect1>{method}</refsect1></refentry>"
        for name in ("map", "each")
    )
    found = one(
        "a.docbook",
        f"<book><title>API</title><reference><title>Calls</title>{pages}</reference></book>",
    )
    code = "```\npublic list map(int|null n = null, [list ...more])\n```"
    assert found.text == (
        "# API\n\n## Calls\n\n"
        f"### map\n\nmap — Maps\n\n{code}\n\n### each\n\neach — Maps\n\n{code}\n"
    )


def test_all_alternatives_of_a_synopsis_of_docbook_are_shown_once() -> None:
    group = (
        "<group choice='req'><option>-a</option><group><arg choice='plain'>-b</arg></group></group>"
    )
    source = f"<cmdsynopsis><command>fly</command>{group}</cmdsynopsis>"
    assert with_sections(source) == "<programlisting>fly {-a | [-b]}</programlisting>"
    nested = f"<cmdsynopsis>{'<group><arg>' * 24}x{'</arg></group>' * 24}</cmdsynopsis>"
    assert with_sections(nested) == f"<programlisting>{'[' * 48}x{']' * 48}</programlisting>"


def test_the_volume_of_a_reference_page_of_docbook_is_not_that_of_another() -> None:
    pages = (
        "<refentry><refmeta><manvolnum>2</manvolnum></refmeta><refnamediv><refname>a</refname></refnamediv>"
        "</refentry><refentry><refnamediv><refname>b</refname></refnamediv></refentry>"
    )
    assert "<title>a(2)</title>" in (shown := with_sections(f"<reference>{pages}</reference>"))
    assert "<title>b</title>" in shown


def test_broken_reference_pages_of_docbook_are_kept_and_read_in_bounded_time() -> None:
    long = "a" * 200_000
    for rest in (
        *("<refnamediv>" * 50_000, "<cmdsynopsis><arg " * 50_000, "</refnamediv>"),
        *(f"<{long}", f"<refnamediv {long}>"),
    ):
        assert with_sections(f"<refentry>{rest}") == f"<chapter>{rest}"
    for depth in (90, 50_000):
        source = f"<cmdsynopsis>{'<arg>' * depth}x{'</arg>' * depth}</cmdsynopsis>"
        shown = with_sections(source)
        assert shown.startswith("<programlisting>[[")
        assert shown.count("[") == shown.count("]") < 90
        assert shown.count("x") == 1


def test_entities_of_docbook_do_not_grow_without_bound() -> None:
    values = "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12))
    source = f"<!DOCTYPE article [<!ENTITY a0 'laugh'>{values}<!ENTITY b '&b;'>]>"
    found = one("a.docbook", f"{source}<article><para>Of &a11; and &b;.</para></article>")
    assert found.problems == ()
    assert "Of " in found.text
    assert found.text.endswith(" and b.\n")
    assert len(found.text) < 200_000


def test_chapters_of_a_document_lie_below_its_title_unless_the_first_one_repeats_it() -> None:
    def written(title: str) -> tuple[str, str]:
        inlines = [{"t": "Str", "c": title}]
        headings = [
            {"t": "Header", "c": [1, ["", [], []], [{"t": "Str", "c": text}]]} for text in "AB"
        ]
        tree = {
            "meta": {"title": {"t": "MetaInlines", "c": inlines}},
            "blocks": [{"t": "Div", "c": [["", [], []], headings]}],
        }
        writer = PandocWriter(tree, is_titled=True)
        return writer.write(), writer.title

    assert written("Kites") == ("# Kites\n\n## A\n\n## B\n", "Kites")
    assert written("A") == ("# A\n\n# B\n", "A")


def test_links_of_org_to_headings_may_go_over_lines() -> None:
    org = "* Birds\nSee [[*Big\n  herons]], [[*Big herons]] and [[*Big\nherons][them]].\n** Big herons\nx\n"
    assert "See *Big herons*, *Big herons* and *them*." in one("a.org", org).text
    assert one("a.org", "x [[open\n\ny\n").text == "x [[open\n\ny\n"
    assert one("a.org", "x [[open").text == "x [[open\n"
    example = "[[open\n#+begin_example\n[[a\nb]]\n#+end_example\n"
    assert one("a.org", example).text == "[[open\n\n```\n[[a\nb]]\n```\n"


def test_an_open_link_of_org_ends_with_its_paragraph() -> None:
    org = "* Birds\nText [[ here\n** Herons\n- a [[x\n- b \\ c [[y\n\nEnd.\n"
    text = one("a.org", org).text
    assert "Text [[ here\n\n## Herons\n" in text
    assert "\n- b \\\\ c " in text


def test_open_links_of_org_are_read_in_bounded_time() -> None:
    assert org_files.prepared("[[a\n" + "b\n" * 50_000).startswith("[[a\nb\n")
    assert org_files.prepared("[[a\n]] " * 20_000).startswith("[[a ]] [[a ")


def test_subscripts_stay_apart_from_the_word_before_them() -> None:
    org = "Use ada_language_server, foo_bar.baz and a_{b c}.\n"
    assert one("a.org", org).text == "Use ada_language_server, foo_bar.baz and a_(b c).\n"
    wiki = "H<sub>2</sub>O, k<sub>i</sub> and ''k''<sub>i+1</sub> <sub>x</sub>.\n"
    assert one("a.wiki", wiki).text == "H2O, k_i and *k*\\_(i+1) \\_x.\n"


def test_code_of_org_has_the_language_that_is_written() -> None:
    source = "#+begin_src emacs-lisp :tangle no\n(setq a t)\n#+end_src\n"
    assert one("a.org", source).text == "```emacs-lisp\n(setq a t)\n```\n"


def test_badges_of_org_are_no_text() -> None:
    source = (
        "* Heron\n\n[[https://ci.example/heron][file:https://ci.example/badge.svg?branch=main]] "
        "[[https://a.example][https://a.example/badge.svg]] [[licence][file:https://b.example/x.png]]\n\n"
        "See https://pond.example/map.png of [[https://lake.example][the lake]].\n"
    )
    address = "https://pond.example/map.png"
    assert one("README.org", source).text == (
        f"# Heron\n\nSee [{address}]({address}) of [the lake](https://lake.example).\n"
    )


def test_docbook_that_is_not_well_formed_is_reported_with_its_line_and_elements() -> None:
    found = one("a.docbook", "<article>\n<section>\n<para>Open\n</section>\n</article>\n")
    (problem,) = found.problems
    assert problem.line == 4
    assert problem.message.endswith("for: para, but received: EventEndElement (section)")


def test_macros_of_org_say_what_they_are_defined_as() -> None:
    source = (
        b"#+MACRO: man-page *$1* ($2)\n#+macro: long {{{man-page($1,8)}}} and {{{key(x)}}}\n"
        b"#+macro: now (eval (current-time))\n"
        b"Of {{{man-page(heron\\,x,1)}}}, {{{long(a)}}}, {{{man-page(b)}}} at {{{now}}} {{{key(C-c)}}}.\n"
    )
    (page,) = convert("a.org", source, {}.get)
    assert page.text.endswith("Of **heron,x** (1), a,8 and x, **b** () at C-c.\n")
