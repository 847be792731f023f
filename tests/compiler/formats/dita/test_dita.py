"""DITA: topics, keys of the maps around them, and parts that they reuse."""

from __future__ import annotations

from kbc.formats import Converted, convert

TASK = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd">
<task id="open" xml:lang="en">
  <title>Opening the <keyword keyref="gate"/></title>
  <shortdesc>Lets <b>water</b> out.</shortdesc>
  <prolog><metadata><keywords><indexterm>gates</indexterm></keywords></metadata></prolog>
  <taskbody>
    <prereq><p>Read <xref keyref="rules"/> and <xref href="https://dam.example/">the site</xref>.</p></prereq>
    <steps>
      <step><cmd>Choose <menucascade><uicontrol>Gate</uicontrol>
        <uicontrol>Open</uicontrol></menucascade>.</cmd>
        <stepxmp><codeblock outputclass="language-sh">weir open <varname>name</varname>
  --of <keyword keyref="gate"/></codeblock></stepxmp></step>
      <step><cmd>Read <xmlelement>gate</xmlelement> and <xmlatt>level</xmlatt>.</cmd></step>
    </steps>
    <result conref="shared.dita#shared/done"/>
    <example id="more"><title>Many</title>
      <p conkeyref="reuse/many"/>
      <codeblock><coderef href="../samples/all.sh"/></codeblock></example>
  </taskbody>
</task>
"""
SHARED = """\
<topic id="shared"><title>Shared</title><body>
<p id="done">Water flows, see <xref href="#shared/tide"/>.</p><p id="many">Open all.</p>
<section id="tide"><title>Tides</title><p>They turn.</p></section></body></topic>
"""
REFERENCE = """\
<reference id="rules"><title>Rules</title><refbody>
<section><title>Marks</title>
<parml><plentry><pt><parmname>--of</parmname></pt><pd>The gate.</pd></plentry></parml>
<note type="tip">Be quick.</note>
<table><title>Levels</title><tgroup cols="2"><thead><row><entry>Level</entry><entry>Use</entry></row></thead>
<tbody><row><entry>1</entry><entry><codeph>low</codeph></entry></row></tbody></tgroup></table>
<simpletable><sthead><stentry>A</stentry></sthead><strow><stentry>b</stentry></strow></simpletable>
</section></refbody></reference>
"""
FILES = {
    "top.ditamap": '<map><title>Weir</title><mapref href="maps/keys.ditamap"/></map>',
    "maps/keys.ditamap": (
        '<map><keydef keys="gate sluice"><topicmeta><keywords><keyword>main gate</keyword></keywords>'
        '</topicmeta></keydef><keydef keys="gate"><topicmeta><linktext>other</linktext></topicmeta></keydef>'
        '<keydef keys="rules" href="../topics/rules.dita"/>'
        '<keydef keys="reuse" href="../topics/shared.dita"/></map>'
    ),
    "topics/open.dita": TASK,
    "topics/shared.dita": SHARED,
    "topics/rules.dita": REFERENCE,
    "samples/all.sh": "weir open --all\n",
}


def read(path: str) -> bytes | None:
    return FILES[path].encode() if path in FILES else None


def one(path: str, source: str = "") -> Converted:
    data = (source or FILES[path]).encode()
    (found,) = convert(path, data, read, around=["top.ditamap"])
    return found


def test_a_task_has_the_values_of_keys_and_what_it_reuses() -> None:
    found = one("topics/open.dita")
    assert found.problems == ()
    assert (found.title, found.summary, found.spoken) == (
        "Opening the main gate",
        "Lets water out.",
        "en",
    )
    assert found.anchors == ("open", "open__more")
    assert found.text == (
        "# Opening the main gate\n\nLets **water** out.\n\n**Before you begin**\n\n"
        "Read [Rules](rules.dita) and [the site](https://dam.example/).\n\n"
        "1. Choose **Gate › Open**.\n\n   ```sh\n   weir open name\n     --of main gate\n   ```\n"
        "2. Read `<gate>` and `@level`.\n\n"
        "Water flows, see [Tides](shared.dita#shared__tide).\n\n## Many\n\nOpen all.\n\n"
        "```\nweir open --all\n```\n"
    )


def test_a_reference_has_its_terms_notices_and_tables() -> None:
    text = one("topics/rules.dita").text
    assert "## Marks\n\n`--of`\n\nThe gate.\n\n**Tip**\n\nBe quick.\n" in text
    assert "**Levels**\n\n| Level | Use |\n| --- | --- |\n| 1 | `low` |\n" in text
    assert "| A |\n| --- |\n| b |" in text


def test_what_a_topic_names_and_nobody_defines_is_reported() -> None:
    source = (
        '<concept id="a"><title>A</title><conbody><p conref="none.dita#a/b">Own.</p>'
        '<p>By <keyword keyref="nobody"/>.</p><codeblock><coderef href="none.sh"/></codeblock>'
        "</conbody></concept>"
    )
    found = one("topics/a.dita", source)
    assert found.text == "# A\n\nOwn.\n\nBy nobody.\n\n```\n(not included: topics/none.sh)\n```\n"
    assert [each.name for each in found.problems] == ["conref", "keyref", "coderef"]


def test_topics_that_reuse_themselves_without_end_are_refused_or_cut_short() -> None:
    loop = '<p id="b"><ph conref="#a/b"/><ph conref="#a/b"/><ph conref="#a/b"/></p>'
    found = one("topics/a.dita", f'<topic id="a"><title>A</title><body>{loop}</body></topic>')
    assert {each.name for each in found.problems} == {"conref"}
    text = "x" * 1_000_000
    many = f'<p id="b">{text}</p>' + '<p conref="#a/b"/>' * 100
    found = one("topics/a.dita", f'<topic id="a"><title>A</title><body>{many}</body></topic>')
    (problem,) = found.problems
    assert problem.is_error
    assert "more than 20,000,000 characters" in problem.message


def test_parts_that_take_in_others_many_times_are_refused() -> None:
    lists = (f'<ul id="l{at}">' + f'<li conref="#a/l{at + 1}"/>' * 20 + "</ul>" for at in range(9))
    source = f'<topic id="a"><title>A</title><body>{"".join(lists)}</body></topic>'
    (problem,) = one("topics/a.dita", source).problems
    assert "takes in more than 100,000 elements" in problem.message


def test_words_of_parts_side_by_side_stay_apart() -> None:
    source = (
        '<reference id="a"><title>A</title><shortdesc><keyword keyref="nobody"/></shortdesc><refbody>'
        '<section id="s"><title>S</title><fig><title>F</title><desc>Of the weir.</desc></fig>'
        "<dl><dlhead><dthd>Gate</dthd><ddhd>Use</ddhd></dlhead></dl><hazardstatement type='danger'>"
        "<messagepanel><typeofhazard>Flood</typeofhazard><howtoavoid>Run.</howtoavoid></messagepanel>"
        '</hazardstatement><p><xref href="#./s"><desc>Hover</desc></xref></p></section>'
        "</refbody></reference>"
    )
    found = one("topics/a.dita", source)
    assert found.text == (
        "# A\n\nnobody\n\n## S\n\n**F**\n\nOf the weir.\n\nGate\n\nUse\n\n**Danger**\n\nFlood\n\nRun.\n\n"
        "[S](#a__s)\n"
    )
    assert [each.name for each in found.problems] == [
        "keyref"
    ]  # once, also of what the summary has


def test_other_xml_is_no_topic() -> None:
    (problem,) = one("topics/a.dita", "<html/>").problems
    assert (problem.code, problem.is_error) == ("dita-invalid", True)
