"""A small file of each format, with most of its constructs; also what the tests mutate."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
import zlib
from collections.abc import Sequence
from functools import cache

from tests.compiler.formats.draft_samples import TEXTS
from tests.compiler.formats.package_samples import ANSIBLE, POD, RD, TEXINFO, TUTORIAL

RST = b"""\
.. _start:

Title with ``code``
===================

:Author: Jane

Text with *emphasis*, **strong**, `a link <https://example.org/a_(b)>`_, :ref:`start`, :py:meth:`~a.B.run`,
|name| and a footnote [1]_.

.. |name| replace:: substituted

.. code-block:: python
   :caption: run.py

   def f():
       return "```"

Literal::

    a  b
      c

.. note:: Beware
   of this.

   .. code:: sh

      ls -l

.. versionadded:: 3.2 More of it.

.. py:class:: Cache(size=10)

   .. py:method:: get(key, *rest)

      :param key: what to look for
      :returns: the value

.. tabs::

   .. tab:: Linux

      Use apt.

   .. code-tab:: bash Mac

      brew install it

.. list-table::
   :header-rows: 1

   * - Name
     - Code
   * - first
     - ::

         x = 1

==== ====
a    b
==== ====
1    2|3
==== ====

term
   its meaning

>>> 1 + 1
2

.. literalinclude:: code.py
   :lines: 2-3
   :dedent:

.. include:: part.txt

.. mystery:: argument

   kept text

.. autoclass:: pkg.Thing

.. [1] A note.
"""

TOPIC = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topic SYSTEM "https://resources.example/html-entities.dtd">
<topic title="Kites of %product%" id="a" help-id="kites">
    <var name="product" value="Kite"/>
    <show-structure for="chapter" depth="2"/>
    <link-summary>How kites fly.</link-summary>
    <tldr><p><b>Since</b>: <code>2.1</code></p></tldr>
    <p>Open <ui-path>File | Kite</ui-path>&nbsp;and read <a href="b.topic" anchor="wind"/>.</p>
    <chapter title="Build" id="build" collapsible="true">
        <procedure title="To build" id="steps">
            <step><p>Write <path>Kite.kt</path>.</p>
                <code-block lang="kotlin" src="src/Kite.kt" include-lines="1-3,6"/></step>
            <step>Fly.</step>
        </procedure>
        <tabs group="build"><tab title="Gradle" id="gradle">
            <code-block lang="kotlin"><![CDATA[
                implementation("kite:%product%") // <here>
            ]]></code-block></tab></tabs>
        <table style="both"><tr><td colspan="2">Wind</td></tr><tr><td>3</td><td>%line%</td></tr></table>
        <deflist><def title="Bridle" id="bridle">Holds <emphasis>it</emphasis>.</def></deflist>
        <list type="decimal" start="3"><li>Land.<list><li>Softly.</li></list></li></list>
        <compare><code-block>a()</code-block><code-block>b()</code-block></compare>
    </chapter>
    <snippet id="part">
        <include from="a.topic" element-id="build"><var name="line" value="x"/></include>
    </snippet>
    <if instance="!web"><warning>Not below 3 knots.</warning></if>
    <seealso><category ref="x"><a href="https://example.org">More</a></category></seealso>
</topic>
"""
ASCIIDOC = b"""\
= Title with `code`
Jane Doe <jane@example.org>
v1.0, 2024-05-06
:product: Widget

Text about {product} with *strong*, _emphasis_, `mono`, https://example.org[a link] and <<deep>>.

[source,java,indent=0]
----
    class A {
        int x; // <1>
    }
----
<1> A field.

NOTE: Beware of this.

[[deep]]
== Deeper

* one
** two
+
[source,bash]
----
ls -l
----

Steps:

. first
. second

Terms:

term:: its meaning

|===
|Name |Code

|first
a|
----
x = 1
----
|===

====
An example with xref:other.adoc#part[].
====

include::part.adoc[tag=here]

include::gone.adoc[]

ifdef::product[]
Shown.
endif::[]
"""

NOTEBOOK = json.dumps(
    {
        "cells": [
            {
                "cell_type": "markdown",
                "source": ["# Title\n", "\n", "Text ![x](attachment:a.png)\n"],
            },
            {
                "cell_type": "code",
                "source": ["x = 1\n", "print(x)"],
                "outputs": [
                    {"output_type": "stream", "text": ["1\n"]},
                    {
                        "output_type": "display_data",
                        "data": {"image/png": "AAAA", "text/plain": "<Figure>"},
                    },
                ],
            },
            {"cell_type": "markdown", "source": "```\nleft open"},
            {"cell_type": "code", "source": "%%bash\nls", "outputs": []},
        ],
        "metadata": {"kernelspec": {"language": "python"}, "authors": [{"name": "Jane"}]},
        "nbformat": 4,
    },
    indent=1,
).encode()

OPENAPI = b"""\
openapi: 3.1.0
info: {title: Pets, version: "2", description: "Keeps pets.\\n\\n# Use\\n\\nText."}
servers: [{url: "https://pets.example.org"}]
security: [{key: []}]
paths:
  /pets/{id}:
    parameters:
      - $ref: "#/components/parameters/Id"
    get:
      operationId: getPet
      summary: Get a pet
      responses:
        "200":
          description: The pet
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Pet"}
              example: {name: Rex}
        "404": {$ref: "#/components/responses/Missing"}
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "parts.yaml#/Body"}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  parameters:
    Id: {name: id, in: path, required: true, schema: {type: integer, minimum: 1}, description: Its number}
  responses: {Missing: {description: No such pet}}
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: {type: string, description: What it is called}
        kind: {type: string, enum: [cat, dog]}
        parent: {$ref: "#/components/schemas/Pet"}
"""

ORG = b"""\
#+TITLE: The title
#+AUTHOR: Jane
#+DATE: 2024-05-06
* Head
Text with /emphasis/ and {{{kbd(C-c \\)}}}.
#+begin_src python
def f():
	return 1
#+end_src
| a | b |
|---+---|
| 1 | 2 |
- M-x {{{kbd(C-x \\)}}} ::

  #+kindex: C-x
  Its meaning.
"""

MAN = b""".TH THING 1 2024-05-06
.SH NAME
thing \\- does it
.SH OPTIONS
.TP
.B \\-v
Say more.
.nf
thing \\-v file
.fi
"""

DOCBOOK = b"""<?xml version="1.0"?>
<article xmlns="http://docbook.org/ns/docbook"><title>The title</title>
<section xml:id="one"><title>One</title><para>Text.</para>
<programlisting language="c">int main() {
  return 0;
}</programlisting><note><para>Beware.</para></note></section></article>
"""

MEDIAWIKI = b"""== One ==
Text with '''strong''' and [https://example.org a link].
<syntaxhighlight lang="python">
def f():
    return 1
</syntaxhighlight>
{| class="wikitable"
! a !! b
|-
| 1 || 2
|}
"""

PYTHON = b'''"""A module.

More text.
"""


class Cache(dict):
    """Keeps values.

    Args:
        size: how many
    """

    def __init__(self, size: int = 10) -> None: ...

    def get(self, key: str, /, *, default: bytes = b"") -> bytes:
        """The value of a key.

        >>> Cache().get("a")
        b''
        """


async def fetch(*urls: str) -> list[str]:
    """Fetches."""


def _hidden(): ...
'''

INVENTORY = (
    b"# Sphinx inventory version 2\n# Project: Thing\n# Version: 1.2\n"
    b"# The remainder of this file is compressed using zlib.\n"
    + zlib.compress(
        b"json.dumps py:function 1 library/json.html#$ -\nthe title std:label -1 a.html#x The Title\n"
    )
)


@cache
def pandoc_file(format: str) -> bytes:
    """A DOCX, ODT, PPTX or EPUB, written by pandoc."""
    from kbc.formats.pandoc.reader import program

    source = (
        "---\ntitle: The title\nauthor: Jane\n---\n\n# One\n\nText with *emphasis*.\n\n"
        "```python\ndef f():\n    return 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    command = [str(program()), "-f", "markdown", "-t", format, "-o", "-"]
    done = subprocess.run(command, input=source.encode(), capture_output=True, check=True)
    assert zipfile.is_zipfile(io.BytesIO(done.stdout))
    return done.stdout


PDF_PAGES = (
    b"BT /F1 20 Tf 72 720 Td (Heading one) Tj /F1 10 Tf 0 -40 Td (Some plain text here) Tj"
    b" 0 -12 Td (and its second line.) Tj 0 -40 Td (Another paragraph.) Tj ET",
    b"BT /F1 10 Tf 72 720 Td (Text of the second page, long enough to be the body.) Tj ET",
)
"""A large line, then lines of text."""


def pdf_file(contents: Sequence[bytes] = PDF_PAGES, title: bytes = b"The title") -> bytes:
    """Pages with these instructions; the font F1 is Helvetica, F2 Courier."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(len(contents))), len(contents)),
        b"<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
        b" /F2 << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >>",
    ]
    for index, content in enumerate(contents):
        page = 4 + index * 2
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font 3 0 R >>"
            b" /Contents %d 0 R >>" % (page + 1)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    objects.append(b"<< /Title (%s) /Author (Jane) /CreationDate (D:20240506120000) >>" % title)
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(out + trailer % (len(objects) + 1, len(objects), start))


TREE = {
    "docs/code.py": b"import os\ndef f():\n    return 1\n",
    "docs/part.txt": b"Included *text*.\n",
    "docs/part.adoc": b"not this\n// tag::here[]\nTagged text.\n// end::here[]\n",
    "docs/other.adoc": b"= Other page\n\ntext\n",
    "docs/parts.yaml": b"Body:\n  type: object\n  properties:\n    size: {type: integer}\n",
}


def read(path: str) -> bytes | None:
    """The other files of the tree that the samples are in."""
    return TREE.get(path)


@cache
def samples() -> dict[str, tuple[str, bytes]]:
    """Format -> the path and bytes of its sample."""
    return {
        "rst": ("docs/a.rst", RST),
        "asciidoc": ("docs/a.adoc", ASCIIDOC),
        "notebook": ("docs/a.ipynb", NOTEBOOK),
        "openapi": ("docs/openapi.yaml", OPENAPI),
        "pod": ("docs/a.pod", POD),
        "odoc": ("docs/a.mld", b"{0 Nests}\n\nThey {b hold} [egg]s.\n\n{[let egg = 1]}\n"),
        "texinfo": ("docs/b.texi", TEXINFO),
        "doxygen": ("docs/a.dox", b"/** \\page nests Nests\n\n \\section a A\n Text. */\n"),
        "rd": ("man/a.Rd", RD),
        "docc": ("Nest.docc/a.tutorial", TUTORIAL),
        "org": ("docs/a.org", ORG),
        "man": ("docs/a.1", MAN),
        "docbook": ("docs/a.docbook", DOCBOOK),
        "mediawiki": ("docs/a.wiki", MEDIAWIKI),
        "docx": ("docs/a.docx", pandoc_file("docx")),
        "odt": ("docs/a.odt", pandoc_file("odt")),
        "pptx": ("docs/a.pptx", pandoc_file("pptx")),
        "epub": ("docs/a.epub", pandoc_file("epub")),
        "pdf": ("docs/a.pdf", pdf_file()),
        "writerside": ("docs/a.topic", TOPIC),
        **TEXTS,
        "ansible": ("plugins/modules/kite.py", ANSIBLE),
    }
