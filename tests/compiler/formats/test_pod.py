"""POD as Markdown."""

from __future__ import annotations

import pytest
from tests.compiler.formats.samples import read, samples

from kbc.formats import convert
from kbc.formats.document import Converted


def _converted(text: str | bytes, path: str = "lib/Heron.pod") -> Converted:
    data = text if isinstance(text, bytes) else text.encode()
    (document,) = convert(path, data, lambda path: None, format="pod")
    return document


def test_sample_keeps_title_summary_and_every_text() -> None:
    path, data = samples()["pod"]
    (document,) = convert(path, data, read)
    assert (document.title, document.summary) == ("Heron::Nest - Builds nests", "Builds nests")
    assert document.problems == ()
    assert document.text == (
        "# Heron::Nest - Builds nests\n\n## SYNOPSIS\n\n"
        "```\nmy $nest = Heron::Nest->new;\n\n$nest->build(eggs => 3);\n```\n\n"
        "### Laying eggs\n\n"
        'Call `$nest->lay` or see "lay" in Heron::Egg and [the pond](https://pond.example/).\n\n'
        "- One egg.\n\n- **twice**\n\n  Two eggs.\n"
    )


@pytest.mark.parametrize(
    ("pod", "shown"),
    [
        ("B<bold> I<slanted> F<a/file>", "**bold** *slanted* `a/file`"),
        ("C<$a E<lt> $b> and C<<< a >> b >>>", "`$a < $b` and `a >> b`"),
        ("E<eacute> E<0x2014> E<233>", "é — é"),
        ('L<Heron> L</"Nests"> L<text|Heron/Nests> L<C<fly>|Heron>', "Heron Nests text `fly`"),
        ("L<https://a.example/>X<hidden>Z<>", "<https://a.example/>"),
        ("a *star* and <tag> > 1", "a \\*star\\* and \\<tag> > 1"),
        ("C<never closed", "`never closed`"),
    ],
)
def test_codes_in_lines(pod: str, shown: str) -> None:
    assert _converted(f"=pod\n\n{pod}\n").text == f"{shown}\n"


def test_perl_around_it_and_blocks_for_other_formats_are_left_out() -> None:
    document = _converted(
        "package Heron;\n\n=head1 Birds\n\nText.\n\n=begin html\n\n<p>No.</p>\n\n=end html\n\n"
        "=for comment Not this.\n\n=cut\n\nsub fly { 1 }\n\n=head1 More\n\n1. It flies.\n"
    )
    assert document.text == "# Birds\n\nText.\n\n# More\n\n1\\. It flies.\n"
    assert document.title == ""


def test_commands_that_show_nothing_may_stand_before_the_name() -> None:
    before = "=encoding utf8\n\n=for comment Made.\n\n=pod\n\n"
    document = _converted(f"{before}=head1 NAME\n\nHeron - Flies\n\n=head1 USE\n\nIt.\n")
    assert (document.title, document.summary) == ("Heron - Flies", "Flies")
    assert document.text == "# Heron - Flies\n\n## USE\n\nIt.\n"


def test_a_module_without_a_name_is_called_after_its_package() -> None:
    """Pod::Weaver writes the section NAME, and headings of its own commands, when it is released."""
    module = (
        "package Heron::Nest 1.02;\n# ABSTRACT: Builds C<nests>\n\n{}\n\n=cut\n\nsub lay {{ 1 }}\n"
    )
    document = _converted(module.format("=head1 USE\n\n=method lay\n\nLays."), "lib/Nest.pm")
    assert (document.title, document.summary) == ("Heron::Nest - Builds nests", "Builds nests")
    assert document.text == "# Heron::Nest - Builds nests\n\n## USE\n\n## lay\n\nLays.\n"
    page = "{} {{ }}\n\n=head1 USE\n\npackage managers build it.\n"
    assert _converted(page.format("package Heron"), "Heron.pm").title == "Heron"
    assert _converted(page.format("class Heron"), "Heron.pm").title == ""
    guide = "# PODNAME: Heron::Guide\n# ABSTRACT: Flies\n\n=pod\n\n=head1 Wings\n\nTwo.\n"
    assert _converted(guide).title == "Heron::Guide - Flies"


def test_lists_nest_and_number() -> None:
    document = _converted(
        "=over\n\n=item 1.\n\nFirst\n\n  code\n\n=over\n\n=item * Inner\n\n=back\n\n=item 2. Second\n\n"
        "=back\n\n=over\n\nA quotation.\n\n=back\n"
    )
    assert document.text == (
        "1. First\n\n   ```\n   code\n   ```\n\n   - Inner\n\n2. Second\n\n> A quotation.\n"
    )


def test_an_older_encoding_is_read_and_a_file_without_pod_is_one_problem() -> None:
    older = _converted("=encoding latin1\n\n=head1 NAME\n\nMöwe\n".encode("latin-1"))
    assert (older.title, older.text) == ("Möwe", "# Möwe\n")
    (problem,) = _converted("no command\n").problems
    assert problem.is_error
    assert problem.code == "pod-invalid"


def test_codes_that_nest_without_end_are_read() -> None:
    assert "x" in _converted("=pod\n\n" + "B<" * 5_000 + "x\n").text
    assert "x" in _converted("=over\n\n=item *\n\n" * 500 + "x\n").text
