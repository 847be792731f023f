"""One request for a page: which build it is about, the addresses of other pages, and the templates."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

import kb_runtime as kr
from kb_runtime.explorer.bases import Bases, OpenBuild

HERE = os.path.dirname(os.path.abspath(__file__))
THEMES = ("light", "dark")
VIEWS = (
    ("/", "Search"),
    ("/map", "Map"),
    ("/quality", "Quality"),
    ("/health", "Health"),
    ("/tools", "Tools"),
    ("/versions", "Versions"),
)
_MOST_DIGITS = 18
"""Of a number in an address: longer ones are more than any bound."""
PART = "x-part"
"""The header by which a script asks for a part of a page."""

Run = Mapping[str, Any]
"""What `kbc eval --json` prints."""


class Questions(Protocol):
    """Labelled questions, which the explorer can ask and add to."""

    @property
    def path(self) -> str: ...
    def measure(self, kb: kr.KnowledgeBase) -> Run: ...
    def label(self, query: str, name: str, scope: str) -> None:
        """Writes that the record `name` answers `query`."""


@dataclass(frozen=True)
class Explorer:
    """What is shown. `runs` are earlier evaluations by the name of their file, oldest first; `report` is
    what `kbc build --json` printed. `accepts` says whether a bearer token opens the pages; without it they
    are open to whoever reaches the server."""

    bases: Bases
    questions: Questions | None = None
    runs: Sequence[tuple[str, Run]] = ()
    report: Mapping[str, Any] | None = None
    accepts: Callable[[str], bool] | None = None


class Visit:
    """A request, and the build it is about."""

    def __init__(self, explorer: Explorer, request: Request, place: int, opened: OpenBuild) -> None:
        self.explorer = explorer
        self.request = request
        self.place = place
        self.opened = opened
        self.kb = opened.kb
        self.root: str = request.scope.get("root_path", "")

    @property
    def wants_part(self) -> bool:
        return PART in self.request.headers

    def text(self, name: str, default: str = "") -> str:
        return str(self.request.query_params.get(name, default))

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self.text(name)
        if not value.isdecimal():
            return default
        return min(most, max(least, int(value))) if len(value) <= _MOST_DIGITS else most

    def url(self, path: str, /, **params: object) -> str:
        """The address of a page about the same build, without what is empty."""
        given = {name: str(value) for name, value in params.items() if value not in ("", None)}
        if self.place:
            given.setdefault("kb", str(self.place + 1))
        if given.get("kb") == "1":
            del given["kb"]
        return f"{self.root}{path}" + (f"?{urlencode(given)}" if given else "")

    def record_url(self, address: str, **params: object) -> str:
        return self.url("/record", name=address, **params)

    @property
    def _path(self) -> str:
        """The path of this page, wherever the explorer is mounted."""
        return self.request.url.path.removeprefix(self.root) or "/"

    def here(self, **changes: object) -> str:
        """The address of this page with other parameters."""
        params: dict[str, object] = dict(self.request.query_params)
        return self.url(self._path, **{**params, **changes})

    def beside(self, number: int) -> str:
        """The address of this page about the base `number`, from 1: of a tool, what is called alike there. Of
        what that base does not have it is the page above."""
        path = self._path
        if path == "/record":
            return self.url("/", kb=number)
        if tool := self.request.path_params.get("name"):
            with self.explorer.bases.all[number - 1].use() as opened:
                known = {each["name"] for each in opened.kb.tool_definitions}
                bare = tool.removeprefix(f"{self.kb.manifest['prefix']}_")
                names = (tool, f"{opened.kb.manifest['prefix']}_{bare}")
            path = next((f"/tools/{each}" for each in names if each in known), "/tools")
        left_out = dict.fromkeys(("row", "name", "page"), "")
        return self.url(path, **{**self.request.query_params, **left_out, "kb": number})

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response:
        return HTMLResponse(self.html(template, **values), status)

    def html(self, template: str, **values: Any) -> str:
        theme = self.request.cookies.get("theme", "")
        bases = self.explorer.bases
        return (
            templates()
            .get_template(template)
            .render(
                visit=self,
                kb=self.kb,
                manifest=self.kb.manifest,
                bases=list(enumerate(bases.names(), 1)) if len(bases.all) > 1 else [],
                navigation=VIEWS,
                path=self.request.url.path.removeprefix(self.root),
                theme=theme if theme in THEMES else "",
                state=bases.state(),
                has_questions=self.explorer.questions is not None,
                **values,
            )
        )


@cache
def templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(os.path.join(HERE, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "size": size, "plural": plural, "percent": percent}
    return made


def number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def percent(value: float) -> Markup:
    """For an SVG attribute: a plain number with few digits."""
    return Markup(f"{value:.3f}")  # digits and a point


def size(size_bytes: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} GB"
