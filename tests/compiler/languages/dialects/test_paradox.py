"""Directives of Paradox and of Play's documentation."""

from __future__ import annotations

from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion

FILES = {
    "repo/src/Boat.scala": (
        "package x\n// #build\n  val boat = Boat()\n  // #sail\n  boat.sail()\n  // #sail\n// #build\n"
        "// #sail-far\nfar()\n// #sail-far\n"
    ),
    "repo/docs/code/Boat.java": "//#row\n  boat.row();\n//#row\nint x;\n//#row\n  again();\n//#row\n",
    "repo/docs/part.md": "A part with @ref[links](x.md).\n",
}


def of(text: str, path: str = "repo/docs/page.md") -> Expansion:
    return expand(text, path, lambda name: FILES[name].encode() if name in FILES else None)


def test_snippets_are_code_between_their_labels() -> None:
    found = of(
        "Scala\n:   @@snip [Boat.scala](/src/Boat.scala) { #build }\n\nJava\n"
        ":   @@snip[Boat](code/Boat.java) { #row type=text }\n\n"
        "@@snip [x]($root$/src/Boat.scala) { #sail #sail-far }\n\n  @[row](code/Boat.java)\n"
    )
    assert "**Scala**\n\n```scala\nval boat = Boat()\nboat.sail()\n```" in found.text
    assert "**Java**\n\n```text\nboat.row();\nagain();\n```" in found.text
    assert "```scala\nboat.sail()\nfar()\n```" in found.text.replace("  boat.sail()", "boat.sail()")
    assert "  ```java\n  boat.row();\n  again();\n  ```" in found.text
    assert not found.unresolved


def test_what_is_not_there_is_counted_and_examples_stay() -> None:
    found = of(
        "@@snip [x](Gone.scala) { #a }\n\n@@snip [x](/src/Boat.scala) { #none }\n\n@@fiddle { a=1 }\n\n"
        "```\n@@snip [x](/src/Boat.scala)\n```\n\nMail a@b.example, `@ref[code](x)` and @Inject.\n"
    )
    assert "(not included: Gone.scala)" in found.text
    assert dict(found.unresolved) == {"@@snip": 2}
    assert dict(found.external) == {"@@fiddle": 1}
    assert "```\n@@snip [x](/src/Boat.scala)\n```" in found.text
    assert "Mail a@b.example, `@ref[code](x)` and @Inject." in found.text


def test_links_names_and_texts_for_a_language_are_shown() -> None:
    found = of(
        "See @ref:[the [old] guide](../a.md#b), @ref[here](c.md), @apidoc[akka.(javadsl|scaladsl).Source], "
        '@apidoc[a text](X) { scala="#a" }, @extref:[out](key:path) and @scaladoc[Flow](akka.Flow).\n'
        "With @java[Maven]@scala[sbt, see @ref:[it](d.md)] or @scala[only]; @ref[open\n\n"
        "@@include(part.md)\n"
    )
    assert (
        "See [the [old] guide](../a.md#b), [here](c.md), `Source`, a text, out and `Flow`.\n"
        "With Maven / sbt, see [it](d.md) or only; @ref[open\n\nA part with [links](x.md)."
    ) in found.text


def test_blocks_are_labelled_and_lists_of_pages_not_shown() -> None:
    found = of(
        '@@@ note { title="At sea" }\n\nCalm.\n\n@@@@ div { .callout }\nInner.\n@@@@\n\n@@@\n\n'
        "@@@warning\nWind.\n@@@\n\n@@toc { depth=2 }\n\n@@@ index\n* [A](a.md)\n@@@\n\nEnd.\n\n"
        "@@dependency[sbt,Maven] {\n  group=a.b\n  artifact=c_2.13\n  version=V\n  symbol1=V\n"
        '  value1="1.2"\n  group2=d artifact2=e version2=3\n}\n'
    )
    lines = [line for line in found.text.split("\n") if line]
    assert lines[:6] == ["**Note: At sea**", "Calm.", "Inner.", "**Warning**", "Wind.", "End."]
    assert lines[6:] == ["```", "a.b:c_2.13:1.2", "d:e:3", "```"]
    assert not found.external


def test_hostile_directives_come_to_an_end() -> None:
    assert of("@scala[" * 20_000).text
    assert of("@scala[@java[" * 300 + "x" + "]" * 600).text
    assert of("@@@ note\n" * 20_000).text
    assert of("@@snip [" * 20_000 + "\n" + "@@dependency{" * 20_000).text
