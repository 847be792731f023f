"""Reference pages of R packages as Markdown."""

from __future__ import annotations

import pytest
from tests.compiler.formats.samples import read, samples

from kbc.formats import convert
from kbc.formats.document import Converted


def _converted(text: str | bytes) -> Converted:
    data = text if isinstance(text, bytes) else text.encode()
    (document,) = convert("man/heron.Rd", data, lambda path: None)
    return document


def _details(text: str) -> str:
    """What a page says whose details are `text`."""
    document = _converted(f"\\name{{a}}\n\\title{{A}}\n\\details{{{text}}}\n")
    assert document.problems == ()
    return document.text.removeprefix("# A\n").removeprefix("\n## Details\n\n").removesuffix("\n")


def test_sample_keeps_title_summary_and_every_text() -> None:
    path, data = samples()["rd"]
    (document,) = convert(path, data, read)
    assert document.title == "Build a nest"
    assert document.summary == "Builds nests – see the pond."
    assert document.problems == ()
    assert document.index_names == ("build_nest", "heron-nests")
    assert document.text == (
        "# Build a *nest*\n\nBuilds `nests` – see [the pond](https://pond.example/).\n\n"
        "A second paragraph in R.\n\n"
        "## Usage\n\n```r\nbuild_nest(eggs, ...)\n\n## S3 method for class 'heron'\n"
        'build_nest(eggs, sep = "%}", ...)\n```\n\n'
        "## Arguments\n\n- `eggs`, `more`: How many; one of\n\n"
        '  - one\n  - `"two"`\n\n- `...`: Not used.\n\n'
        "## Value\n\nA list:\n\n- `size`: its size\n\n"
        "## Weather\n\n| Wind | Height |\n| --- | --- |\n| `3\\|4` | `h2` |\n\n"
        "### Storm\n\n- **Rain**: wets it.\n\n```\na  {b}\n  100%\n```\n\n"
        "## See also\n\n<https://pond.example/heron>\n\n"
        "## Examples\n\n```r\nx <- build_nest(3) # don't {worry}\n"
        'y <- "\\\\d\\n"\n```\n'
    )


@pytest.mark.parametrize(
    ("rd", "shown"),
    [
        (r"\strong{a} \bold{b} \emph{c} \var{d}", "**a** **b** *c* *d*"),
        (r"\code{f(\dots, \link{x})} \verb{a{b}} \file{c/d}", "`f(..., x)` `a{b}` `c/d`"),
        (r"\link{x} \link[=y]{the y} \link[pkg:z]{z()} \pkg{heron}", "x the y z() heron"),
        (r"\href{https://a.example/x\%20y}{a}", "[a](https://a.example/x%20y)"),
        (r"1\dots5, \ldots{} \LaTeX and \R", "1...5, ... LaTeX and R"),
        (r"50\% \{a\} a\\b", "50% {a} a\\b"),
        (r"``a'' \dQuote{b} \sQuote{c} a---b", '"a" "b" \'c\' a—b'),
        (r"\eqn{x^2} \eqn{\alpha}{alpha}", "`x^2` `alpha`"),
        (r"\enc{Möwe}{Moewe} \email{a@b.example}", "Möwe a@b.example"),
        (r'a \Sexpr[results=rd]{f("}")}b \figure{a.png}{options: width=3}c', "a b c"),
        (r"\if{html}{no}\ifelse{html}{\figure{a.svg}}{\strong{[Old]}}", "**[Old]**"),
        (r"\heronspeak{a {b}} {c}", "a b c"),
        ("a *star* and <tag> # b", "a \\*star\\* and \\<tag> # b"),
        ("a\n% not this\nb % nor this\n", "a\nb"),
        ("a\n#ifdef windows\nno\n#endif\n#ifdef unix\nb\n#endif\n", "a\nb"),
        (r"\deqn{a = b}{c}", "```\nc\n```"),
        ("\\enumerate{\n\\item a\n\\item b\n\n  c\n}", "1. a\n\n2. b\n\n   c"),
        (r"\describe{\item{\code{k}}{v} \item{w}{}}", "- `k`: v\n- **w**"),
    ],
)
def test_macros(rd: str, shown: str) -> None:
    assert _details(rd) == shown


def test_sections_come_in_the_order_of_r_and_only_with_text() -> None:
    document = _converted(
        "\\name{a}\\title{A}\\examples{f()}\\note{N}\\value{V}\\references{ }\\details{D}\n"
        "\\section{Own \\code{x}}{O}\\concept{c}\\description{S\\subsection{T}{U}}\\keyword{internal}\n"
    )
    assert document.text == (
        "# A\n\nS\n\n## T\n\nU\n\n## Details\n\nD\n\n## Value\n\nV\n\n## Own `x`\n\nO\n\n"
        "## Note\n\nN\n\n## Examples\n\n```r\nf()\n```\n"
    )
    assert document.summary == "S"


def test_methods_say_whose_they_are() -> None:
    usage = "\\method{[}{heron}(x, i)\n\\S3method{fly}{default}(x)\n\\S4method{fly}{Heron,ANY}(x)\n"
    document = _converted(f"\\name{{a}}\\title{{A}}\\usage{{\n{usage}x \\%in\\% y\n}}")
    assert document.text == (
        "# A\n\n## Usage\n\n```r\n## S3 method for class 'heron'\n`[`(x, i)\n## Default S3 method:\nfly(x)\n"
        "## S4 method for signature 'Heron,ANY'\nfly(x)\nx %in% y\n```\n"
    )


def test_code_is_kept_as_it_is_written() -> None:
    code = "\n\n  if (x)\n\n\n\t  fly() \n    y\n\n"
    text = _converted(f"\\name{{a}}\\title{{A}}\\examples{{{code}}}").text
    assert text == "# A\n\n## Examples\n\n```r\n  if (x)\n\n\n\t  fly() \n    y\n```\n"


def test_quotes_hide_braces_in_code_but_not_in_its_comments() -> None:
    code = 'f("{", \'}\', `a}`) # it\'s\nif (x) {\n  "\\\\n"\n}\n'
    document = _converted(f"\\name{{a}}\\title{{A}}\\examples{{{code}}}\\note{{N}}")
    assert document.problems == ()
    assert 'f("{", \'}\', `a}`) # it\'s\nif (x) {\n  "\\n"\n}\n```' in document.text


def test_a_brace_that_is_never_closed_hides_no_other_section() -> None:
    document = _converted("\\name{a}\n\\title{A}\n% c\n\\details{\\code{x}\n\\note{N}\n")
    (problem,) = document.problems
    assert (problem.code, problem.line, problem.is_error) == ("rd-invalid", 4, False)
    assert document.text == "# A\n\n## Details\n\n`x`\n\n## Note\n\nN\n"
    (problem,) = _converted("\\name{a}\n\\title{A}}\n\\note{N}\n").problems
    assert problem.line == 2


def test_an_older_encoding_is_read_and_a_file_that_is_no_page_is_one_problem() -> None:
    older = _converted("\\encoding{latin1}\n\\title{Möwe}\n".encode("latin-1"))
    assert older.title == "Möwe"
    (problem,) = _converted("no macro\n").problems
    assert problem.is_error
    assert problem.code == "rd-invalid"


def test_a_file_of_macros_is_no_page_and_no_problem() -> None:
    document = _converted("\\newcommand{\\heron}{\\pkg{heron}}\n")
    assert (document.text, document.problems) == ("", ())


@pytest.mark.parametrize("opener", ["\\emph{", "{", "\\itemize{\\item ", "\\code{"])
def test_macros_that_nest_without_end_are_one_problem(opener: str) -> None:
    (problem,) = _converted("\\name{a}\n\\details{" + opener * 5_000).problems
    assert problem.is_error
    assert problem.line == 2


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "part", ["'", "{", "\\", "%", "\\item", "\\code{'", "'\\", "\n#ifdef x\n", "\\link["]
)
def test_what_repeats_is_read_in_bounded_time(part: str) -> None:
    document = _converted("\\name{a}\n\\examples{" + part * 100_000)
    assert len(document.problems) <= 1
