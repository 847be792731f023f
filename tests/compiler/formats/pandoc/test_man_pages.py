"""Man pages, as pandoc reads them."""

from __future__ import annotations

import gzip

import pytest
from tests.compiler.formats.samples import read

from kbc.formats import Converted, convert
from kbc.formats.pandoc.man import prepared


def one(path: str, source: str) -> Converted:
    (found,) = convert(path, source.encode(), read)
    return found


def test_the_title_of_a_man_page_is_its_name_and_section() -> None:
    page = '.TH XTFREE 3 2021-03-22 "X" "Manual"\n.SH NAME\nXtFree \\- free\n'
    found = one("man3/XtFree.3", page)
    assert (found.title, found.created_at) == ("XtFree(3)", "2021-03-22")
    assert found.text == "# XtFree(3)\n\n## NAME\n\nXtFree - free\n"
    assert one("other.3", page).title == "xtfree(3)"
    bsd = ".Dd May 1, 2020\n.Dt ACCEPT 2\n.Os heron 1.2.3\n.Sh NAME\n.Nm accept\n.Nd take\n"
    assert one("a.2", bsd).title == "accept(2)"


def test_a_man_page_about_a_part_of_a_program_is_called_as_its_file() -> None:
    page = ".TH {} 8\n.SH NAME\nload \\- take goods\n"
    for header in ("WHARF", "LOAD", "wharf_load", '"Loading goods with wharf"'):
        assert one("man8/wharf-load.8", page.format(header)).title == "wharf-load(8)"
    template = one("man8/wharf-load.8.in", page.format("WHARF") + ".SH FILES\n@STATE@/list\n")
    assert template.title == "wharf-load(8)"
    assert "@STATE@/list" in template.text


def test_a_man_page_as_systems_install_it_is_compressed() -> None:
    page = ".TH WHARF 8\n.SH NAME\nload \\- take goods\n"
    packed = gzip.compress(page.encode())
    (found,) = convert("man8/wharf-load.8.gz", packed, read)
    assert (found.title, found.problems) == ("wharf-load(8)", ())
    assert found.text.endswith("## NAME\n\nload - take goods\n")
    for damaged in (packed[:-20], packed[:12]):
        (problem,) = convert("man8/wharf-load.8.gz", damaged, read)[0].problems
        assert "damaged" in problem.message
    for source in (
        b'.\\" A name.\n.so man8/wharf-load.8\n',
        b'.so man8/wharf-load.8\n.\\" Both names\n.\\" are one program.\n',
        b'.so man8/wharf-load.8\n\n.\\" One program.',
    ):
        assert convert("man8/dock.8", source, read) == []


EXAMPLES = """\
.TH LOAD 8
.SH OPTIONS
.TP
\\fB\\-n\\fR
Names a crane, such as
   \\fBload \\-n east \\\\
     \\-\\-all\\fR

   .hidden
.TP
.B \\-q
  A paragraph
goes on.
.SH FILES
.nf
  kept
.fi
    ~/.loadrc
"""


def test_lines_of_man_pages_that_begin_with_blanks_are_code_as_roff_does_not_join_them() -> None:
    text = one("load.8", EXAMPLES).text
    assert "such as\n\n```\nload -n east \\\n  --all\n\n.hidden\n```\n" in text
    assert "  A paragraph goes on.\n" in text
    assert text.endswith("```\n  kept\n```\n\n```\n~/.loadrc\n```\n")


COMMANDS = """\
.TH LOAD 8
.SH "SYNOPSIS"
load [\\fB\\-a\\fR]
     [\\fB\\-n\\fR \\fIcrane\\fR]
.SH EXAMPLES
Load all:
.br
   crane = east
.br
     dock = 1
 gate = 2
.br
This is a list.
.PP
Or:
$ load \\fB\\-a\\fR \\e
    \\-n cranes/\\e
east
.PP
 . not an example
.  nf
  kept
.  fi
"""


def test_examples_in_man_pages_have_their_first_and_last_lines_and_no_breaks() -> None:
    text = one("load.8", COMMANDS).text
    assert "## SYNOPSIS\n\n```\nload [-a]\n     [-n crane]\n```\n" in text
    assert (
        "Load all:\n\n```\n  crane = east\n    dock = 1\ngate = 2\n```\n\nThis is a list.\n" in text
    )
    assert "Or:\n\n```\n$ load -a \\\n    -n cranes/\\\neast\n```\n" in text
    assert text.endswith("```\n  kept\n```\n")


TABLE = """\
.TH ASC 7
.SH TABLES
.TS
l l | l l.
Oct	Dec	Oct	Dec
_
000	0	100	64
.TE
.TS
box, tab(:);
c s
lfCW lp-1w(2.5i).
.\\" a comment
Device flags
=
IFF_UP:T{
Interface is
running.
T}
.T&
l l l.
a:b:c
.TE
"""


def test_tables_of_man_pages_keep_their_cells_whatever_their_format() -> None:
    first = "| Oct | Dec | Oct | Dec |\n| --- | --- | --- | --- |\n| 000 | 0 | 100 | 64 |"
    assert one("asc.7", TABLE).text.startswith(f"# asc(7)\n\n## TABLES\n\n{first}\n\n")
    assert "| Device flags |  |  |" in one("asc.7", TABLE).text
    assert one("asc.7", TABLE).text.endswith(
        "| IFF_UP | Interface is running. |  |\n| a | b | c |\n"
    )


MDOC = """.Dd May 1, 2026
.Dt HERON 1
.Os
.Sh NAME
.Nm heron
.Nd count birds
.Sh DESCRIPTION
Given twice
.Xo ( Fl CC ) Xc
it is quiet, or
.Eo ...;
.Ec
.Ic loud .
.Bl -tag -width Ds
.It Xo Ic add
.Op Fl n Ar name
.Xc
Add a bird.
.El
"""


def test_extended_arguments_of_mdoc_begin_lines_of_text_too() -> None:
    found = one("heron.1", MDOC)
    assert found.problems == ()
    assert "Given twice (`-CC`) it is quiet, or ...; `loud`." in found.text.replace("( ", "(")
    assert "Add a bird." in found.text


def test_a_man_page_that_pandoc_cannot_read_keeps_its_text() -> None:
    found = one("heron.1", f"{MDOC}.It Fl x Ar egg\nLay it.\n.Oo Fl y\n.Ss Eggs\nBreak them.\n")
    (problem,) = found.problems
    assert (problem.code, problem.is_error) == ("man-invalid", False)
    assert "; its text is kept as it is written" in problem.message
    assert "## NAME\nheron\ncount birds\n" in found.text
    assert found.text.endswith("- -x egg\nLay it.\n-y\n\n### Eggs\nBreak them.\n")


def test_tables_continued_lines_and_empty_enclosures_of_mdoc_are_read() -> None:
    source = (
        ".Dd May 1, 2024\n.Dt HERON 8\n.Os\n.Sh NAME\n.Nm heron\n.Nd fly\n.Sh OPTIONS\n"
        ".Bl -tag -width Ds\n.It Fl j Oo Ns Fl -flat Oc \\\nOo Ns Fl -int Oc\nJSON.\n"
        ".It Xo\n.Xc\n.Nm systemctl\n.Cm enable\nStart it.\n.El\n"
        ".TS\nbox;\nl l .\nEggs\tDays\n_\n4\t26\n.TE\n"
    )
    (found,) = convert("heron.8", source.encode(), lambda path: None)
    assert found.problems == ()
    assert "```\nEggs\tDays\n4\t26\n```" in found.text
    assert "--flat" in found.text
    assert "--int" in found.text
    assert "`enable` Start it." in found.text


def test_text_that_roff_ignores_is_left_out() -> None:
    mdoc = ".Dd May 1, 2020\n.Dt ACCEPT 2\n.Os\n.Sh NAME\n.Nm accept\n.Nd take\n"
    licence = '.ig \\" a licence\n.Copyright\n  All of it.\n..\n'
    named = ".ig end\nNone of it.\n..\n.end\n"
    for page in (licence + mdoc, named + mdoc, mdoc + licence, mdoc + named + ".Sh BUGS\nNone.\n"):
        found = one("a.2", page)
        assert found.problems == ()
        assert found.title == "accept(2)"
        assert "of it" not in found.text
        assert "`accept` — take" in found.text


@pytest.mark.timeout(60)
def test_text_to_ignore_that_never_ends_takes_time_for_its_length() -> None:
    source = ".ig\n.ig end\n" * 100_000
    assert prepared(f"{source}..\nText\n").endswith(".\n.\nText\n")
    assert prepared(source) == source
