"""Samples of RDoc, scdoc, help of Vim, DokuWiki, DITA and Internet-Drafts."""

from __future__ import annotations

RDOC = b"""= Heron

Counts *birds* and +eggs+, see <tt>Heron.fly</tt>,
{the pond}[https://pond.example/] and other[rdoc-ref:other.rdoc].

--
Not this.
++

== How to <b>count them</b>

  Heron.count do |bird|
    bird.fly
  end

* One
* Two, which
  goes on

    deep = true

1. First
2. Second

[+:fast+] Flies fast.
slow::
  Walks, by \\+foot+.

---
Ends with _care_.
"""

RFCXML = b"""<?xml version="1.0"?>
<!DOCTYPE rfc [
  <!ENTITY MUST "<bcp14>MUST</bcp14>">
  <!ENTITY RFC9110 SYSTEM "https://bib.example/bibxml/reference.RFC.9110.xml">
]>
<rfc docName="draft-heron-nests-01" ipr="trust200902" category="std">
  <front>
    <title>Nests over HTTP</title>
    <author fullname="Ada Heron"/>
    <abstract><t>How nests are fetched.</t></abstract>
  </front>
  <middle>
    <section anchor="fetching" title="Fetching Nests">
      <t>A client &MUST; wait (<xref target="RFC9110" section="9.2" sectionFormat="comma"/>), see
        <xref target="codes"/> and <xref target="ORNITHO"/>.</t>
      <figure title="A request"><sourcecode type="http-message"><![CDATA[
GET /nest HTTP/1.1
]]></sourcecode></figure>
      <section><name>Old Lists</name>
        <t>Kinds:<list style="hanging"><t hangText="twig">A small one, <spanx style="verb">t=1</spanx>.</t>
        </list></t>
        <dl><dt>moss</dt><dd>Soft.</dd></dl>
        <ol><li>Land.</li><li>Sit &amp; wait.</li></ol>
      </section>
    </section>
    <section anchor="codes"><name>Status Codes</name>
      <texttable><ttcol>Code</ttcol><ttcol>Means</ttcol><c>200</c><c>full</c></texttable>
      <table><name>Eggs</name><thead><tr><th>Egg</th></tr></thead><tbody><tr><td>blue</td></tr></tbody></table>
    </section>
  </middle>
  <back>
    <references title="Normative References">
      &RFC9110;
      <reference anchor="ORNITHO" target="https://birds.example/"><front><title>On Birds</title>
        <author><organization>Pond</organization></author><date year="2020"/></front></reference>
    </references>
  </back>
</rfc>
"""

KRAMDOWN_RFC = b"""---
title: Nests over HTTP
docname: draft-heron-nests-02
category: std
author:
  - name: Ada Heron
normative:
  HTTP: RFC9110
  RFC9112:
  H3:
    =: RFC9114
    display: HTTP/3
informative:
  ORNITHO:
    title: On Birds
    target: https://birds.example/

--- abstract

How nests are fetched.

--- note_To_Readers

Write to the pond.

--- middle

# Fetching Nests {#fetching}

{::boilerplate bcp14-tagged}

A client waits ({{HTTP, Section 9.2}}), see {{codes}}, {{!MOSS=RFC8259}} and {{Appendix A of ORNITHO}}.

~~~ http-message
GET /{{nest}} HTTP/1.1
~~~
{: #request title="A request"}

Code such as `{{template}}` stays; {{{Ada Heron}}} wrote {{request}}.

## Status Codes {#codes numbered="false"}

| Code | Means |
| 200 | full |
{: title="Codes"}

*[HTTP]: a protocol

--- back

# Thanks
{:numbered="false"}

To all.
"""

RFC_TEXT = b"""

Network Working Group                                          A. Heron
Request for Comments: 9901                                   Pond, Inc.
Category: Informational                                    January 2024

                            Nests in Trees
                          draft-heron-nests

Table of Contents

   1. Fetching Nests ..................................................1

Heron                        Informational                      [Page 1]
\x0c
RFC 9901                     Nests in Trees                 January 2024


1.  Fetching Nests

   A client MUST wait, and the nest is not
   empty when

Heron                        Informational                      [Page 2]

RFC 9901                     Nests in Trees                 January 2024

   it returns <1>.

1.1  Kinds of Nests, with a Title
     of Two Lines

   o  twig, which is a small one and
      weak

      1.  land

      nest = 1*twig
      twig = "t"

    +-----+
    | egg |

   +-----+

Author's Address

   A. Heron
"""

SCDOC = b"""\
heron(1) "Heron 2.0" "Birds"

# NAME

heron - count birds \\*at\\* the pond

; a remark
# OPTIONS

*-f, --fast* <file>
\tFly at once, see *pond*(5) and _WINGS_LONG_ or
\tsnake_case_name.

\tSecond paragraph:

\t```
\theron --fast\t<x>
\t```

*-h*
\tHelp.

Values:

- one,
  which goes on
- two
. first

## EXAMPLES

Line++
other line++

[- *NAME*
:- Meaning
|  nest
:  Where it
   lives
"""

DOKUWIKI = b"""\
====== Nests ======

Where **herons** //nest//, see [[pond:start#Reeds|the pond]].

===== Count =====

  - First
    * Inner

<code python>
count = 1
</code>

^ Bird ^ Eggs ^
| heron | 3 |
"""

DITA = b"""\
<task id="nest"><title>Building a <ph>nest</ph></title><shortdesc>Of reeds.</shortdesc><taskbody>
<steps><step><cmd>Cut <codeph>reeds</codeph>.</cmd><stepxmp><codeblock outputclass="language-sh">cut reeds
  --dry</codeblock></stepxmp></step></steps>
<example id="eggs"><title>Eggs</title><p conref="#nest/eggs"/><note type="tip">Warm them.</note>
<table><tgroup cols="1"><tbody><row><entry>3</entry></row></tbody></tgroup></table></example>
</taskbody></task>
"""

VIM_HELP = b"""
*heron.txt*  Count birds at the pond   *heron*

==============================================================================
1. Options                                                     *heron-options*

Set these in |vimrc|. For example: >vim

  let g:heron_fast = 1

  " More
<
Then `:Heron` is fast:
- at once, and
  always
- with 2_eggs

                                                          *g:heron_fast*
                                                          *b:heron_fast*
g:heron_fast
  Type: |Number| <n>

*heron-note*
This is only text that goes on,
below a tag.

Usage: ~
  count   of birds
  size    of eggs

------------------------------------------------------------------------------
heron#count({pond})                                          *heron#count()*
    Counts.

 vim:tw=78:ft=help:norl:
"""[1:]

XDOC = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- Pages of a site -->
<!DOCTYPE document [<!ENTITY project SYSTEM "project.xml">]>
<document url="gates.html">
&project;
<properties><title>Sluices &amp; gates</title><author email="a@pond.example">A. Heron</author></properties>
<body>
<section name="Opening a gate">
<toc/>
<macro name="toc"><param name="a" value="b"/></macro>
<p>Turn the <em>wheel</em> &ndash; see <a href="levels.html#Low">levels</a>.</p>
<source><![CDATA[gate.open(&nbsp;);
  <gate name="a"/>]]></source>
<subsection name="Slowly" id="slow">
<table><tr><th>Gate</th><th>Time</th></tr><tr><td>east</td><td>5</td></tr></table>
<attribute name="maxWidth" required="true"><p>In metres.</p></attribute>
<macro name="snippet"><param name="id" value="x"/></macro>
</subsection>
</section>
</body>
</document>
"""

LEKTOR = b"""_model: page
---
title: Weirs & locks
---
author: A. Heron
---
pub_date: 2026-04-01
---
summary: How water is held.
---
body:

A *weir* holds water:

```
----
```

## Locks

They lift boats.
---
more:

#### gate ####
title: Gates
----
text:

Two of them.

#### gate ####
count: 2
----
text:

One is open.
"""

TEXTS = {
    "dita": ("docs/nest.dita", DITA),
    "lektor": ("content/locks/contents.lr", LEKTOR),
    "xdoc": ("src/site/xdoc/gates.xml", XDOC),
    "rfcxml": ("docs/draft-heron.xml", RFCXML),
    "rfc-text": ("docs/rfc9901.txt", RFC_TEXT),
    "kramdown-rfc": ("docs/draft-heron.md", KRAMDOWN_RFC),
    "rdoc": ("docs/a.rdoc", RDOC),
    "dokuwiki": ("pages/nest.txt", DOKUWIKI),
    "scdoc": ("docs/heron.1.scd", SCDOC),
    "vim-help": ("doc/heron.txt", VIM_HELP),
}
