"""Samples of what packages of Perl, R, Swift and Ansible are documented in."""

from __future__ import annotations

POD = b"""=head1 NAME\n\nHeron::Nest - Builds nests\n
=head1 SYNOPSIS\n\n  my $nest = Heron::Nest->new;\n\n  $nest->build(eggs => 3);\n
=head2 Laying eggs\n
Call C<< $nest->lay >> or see L<Heron::Egg/"lay"> and L<the pond|https://pond.example/>.\n
=over 4\n\n=item *\n\nOne egg.\n\n=item B<twice>\n\nTwo eggs.\n\n=back\n\n=cut\n"""

RD = rb"""% Written by hand: 100\% of it
\name{build_nest}
\alias{build_nest}
\alias{heron-nests}
\title{Build a \emph{nest}}
\description{
Builds \code{\link[heron:nest]{nests}} -- see \href{https://pond.example/}{the pond}.

A second paragraph in \R.
}
\usage{
build_nest(eggs, ...)

\method{build_nest}{heron}(eggs, sep = "\%}", \dots)
}
\arguments{
\item{eggs, more}{How many; one of
\itemize{
\item one
\item \code{"two"}
}}
\item{\dots}{Not used.}
}
\value{
A list:
\item{size}{its size}
}
\section{Weather}{
\tabular{ll}{Wind \tab Height \cr \code{3|4} \tab \eqn{h^2}{h2} \cr}
\subsection{Storm}{\describe{\item{Rain}{wets it.}}
\preformatted{a  {b}
  100\% }
}
}
\seealso{\url{https://pond.example/heron}\if{html}{\out{<br>}}}
\examples{
x <- build_nest(3) # don't {worry}
\dontrun{
y <- "\\\\d\n"
}
\dontshow{hidden()}
}
\keyword{internal}
"""

TUTORIAL = b"""<!-- Written by hand -->
@Tutorial(time: 20, projectFiles: "nest.zip") {
  @XcodeRequirement(title: "Xcode 15", destination: "https://pond.example/xcode")

  @Intro(title: "Build a nest [now]") {
    Learn to *build*, with ``Nest``.

    @Image(source: "heron.png", alt: "A heron
      in the reeds")
  }

  @Section(title: "Find twigs") {
    @ContentAndMedia(layout: "horizontal") {
      Twigs lie about.
    }

    @Steps {
      First, the twigs.

      @Step {
        Make a file.

        @Code(name: "Nest.swift", file: nest-1.swift) {
          @Image(source: nest.png, alt: "An empty nest")
        }
      }
      Then the eggs.

      @Step {
        Lay `3` eggs:
        ```swift
        @Image(source: "in code")
        }
        ```
        @Code(name: "Nest.swift", file: "nest-2.swift", previousFile: nest-1.swift))
      }
    }
  }

  @Assessments {
    @MultipleChoice {
      How many eggs?

      @Choice(isCorrect: false) { One. }
      @Choice(isCorrect: true) {
        Three.

        @Justification(reaction: "Right!") { As above. }
      }
    }
  }
}
"""

TEXINFO = b"""\\input texinfo   @c -*-texinfo-*-
@setfilename heron.info
@settitle Heron @@ Home
@copying
Nobody's.
@end copying
@contents
@node Top
@top Heron

How to live as a heron.

@menu
* Nests::
@end menu

@node Nests, Index, Top, Top
@chapter Nests & eggs

@noindent
Call @code{lay} (@pxref{Laying eggs}) --- or do @emph{not}.

@node Laying eggs
@section Laying @emph{eggs}
@cindex eggs

@table @strong
@item one
@itemx two
Few eggs.
@end table

@itemize @bullet
@item @code{many}

@example
@group
lay @{x@} @@twice

  @r{done}
@end group
@end example
@end itemize

@defun hatch egg [speed]
@defunx hatch-all
Opens an @var{egg}.
@end defun

@node Index
@unnumbered Index
@printindex cp
@bye
"""

ANSIBLE = b'''\
from __future__ import annotations

DOCUMENTATION = r"""
module: kite
short_description: Fly a kite.
version_added: 1.2.0
description:
  - Uses C(line) and L(winds, https://wind.example). See O(line.length=3) and P(demo.fly.gust#lookup).
  - Not I(indoors).
extends_documentation_fragment:
  - demo.fly.wind
  - demo.fly.wind.extra
  - files
options:
  line:
    description: The line.
    type: dict
    required: true
    suboptions:
      length: {description: In V(m\\))., type: int, default: 3}
  wind: {type: str}
seealso:
  - module: demo.fly.land
    description: Lands it.
  - name: Winds
    link: https://wind.example
"""

EXAMPLES = r"""
- name: Fly
  demo.fly.kite:
    line:
      length: 3
"""

RETURN = r"""
height:
  description: How high it is.
  returned: success
  type: int
  sample: 12
"""


def main():
    pass
'''
FRAGMENT = b'''\
class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  wind: {description: The wind., type: int, choices: [east, west]}
notes: [Mind the E(WIND).]
"""
    EXTRA = r"""
requirements: [string >= 2]
"""
'''
