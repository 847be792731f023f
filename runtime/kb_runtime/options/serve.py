"""The options of `kbc serve`, each declared once: parser, help and the checks of `install` read the table.

A client waits while a server starts, so the parser is short and imports nothing.
"""

from __future__ import annotations

from kb_runtime.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from kb_runtime.options.http import HttpSettings, RateLimit

MAX_WORKERS = 256
_MOST_DIGITS = 18
"""Of a number: longer ones are more than any bound, and Python reads only so many digits at all."""


class Options:
    """The parsed command line. `http` holds what only matters with `--http`; None without it."""

    def __init__(self) -> None:
        self.artifacts: list[str] = []
        self.tools = ""
        self.data = ""
        self.code: list[str] = []
        self.workspace = ""
        self.model = ""
        self.read_only = False
        self.key = ""
        self.allow_rollback = False
        self.json_log = False
        self.http: HttpSettings | None = None

    @property
    def is_observed(self) -> bool:
        """Whether each request is logged or counted."""
        return self.json_log or (self.http is not None and self.http.metrics)


class Option:
    """One option: a switch where `metavar` is empty. `convert` gives the value or raises UsageError;
    a `repeatable` one appends to a list."""

    def __init__(
        self,
        flag: str,
        metavar: str,
        help: str,
        attribute: str = "",
        convert: Callable[[str], Any] = str,
        *,
        repeatable: bool = False,
    ) -> None:
        self.flag = flag
        self.metavar = metavar
        self.help = help
        self.attribute = attribute or flag[2:].replace("-", "_")
        self.convert = convert
        self.repeatable = repeatable

    @property
    def is_path(self) -> bool:
        return self.metavar in ("DIR", "FILE")

    def set(self, target: Options | HttpSettings, value: Any) -> None:
        if self.repeatable:
            if value:  # an empty one is an option that was not given
                getattr(target, self.attribute).append(value)
        else:
            setattr(target, self.attribute, value)


def _whole(text: str, least: int, most: int) -> int | None:
    """The whole number that ASCII digits say, where it is within its bounds."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        return None
    return number if least <= (number := int(text)) <= most else None


def _number(flag: str, most: int, least: int = 0) -> Callable[[str], int]:
    def convert(value: str) -> int:
        number = _whole(value, least, most)
        if number is None:
            wanted = f"from {least} to {most}" if least else f"up to {most}"
            raise UsageError(f"{flag} must be a whole number {wanted}, not {value!r}.")
        return number

    return convert


def _rate_limit(value: str) -> RateLimit:
    from kb_runtime.options.http import RateLimit

    count, _, unit = value.partition("/")
    seconds = {"s": 1, "min": 60, "h": 3600}.get(unit)
    requests = _whole(count, 1, 1_000_000)
    if seconds is None or requests is None:
        raise UsageError(f"--rate-limit must be like 5/s, 60/min or 1000/h, not {value!r}.")
    return RateLimit(requests, seconds)


def _log_format(value: str) -> bool:
    if value != "json":
        raise UsageError(f"--log must be json, not {value!r}.")
    return True


STDIO_OPTIONS = (
    Option(
        "--tools",
        "all|FAMILY,...",
        "which tools to offer: all, or families; default: what the knowledge base says, else the five"
        " tools of the family compact",
    ),
    Option("--data", "DIR", "the folder with test exports that `ingest_tests` may read (data)"),
    Option(
        "--code",
        "DIR",
        "without ARTIFACT or with --workspace: a source tree to index and follow, repeatable (`.` is the"
        " project around the current folder); else the folder where the indexed files are edited:"
        " results are compared with it, and stale ones are flagged or left out",
        repeatable=True,
    ),
    Option(
        "--workspace",
        "DIR",
        "a writable folder for content that is not in the artifact: `ingest_tests` adds to it, and the"
        " folders of --code are indexed and followed; without ARTIFACT it is in the user's cache",
    ),
    Option(
        "--model",
        "DIR",
        "the folder of the model that ARTIFACT was built with, if not the default one; the workspace's"
        " content is embedded with it",
    ),
    Option("--read-only", "", "disable `ingest_tests`: it reads no file and says what to run"),
    Option(
        "--key",
        "FILE",
        "a public key (PEM): refuse versions that are not signed by it, at the start and later",
    ),
    Option(
        "--allow-rollback",
        "",
        "with --key: also serve a version that was signed earlier than one already served",
    ),
    Option(
        "--log",
        "json",
        "write one JSON object per line to stderr, with a line for each request",
        "json_log",
        _log_format,
    ),
)
HTTP = Option("--http", "", "serve streamable HTTP at http://HOST:PORT/mcp, with /healthz")
HTTP_OPTIONS = (
    Option("--host", "HOST", "the address to listen on (127.0.0.1)"),
    Option(
        "--port",
        "PORT",
        "the port to listen on ({port}; 0 for a free one)",
        convert=_number("--port", 65_535),
    ),
    Option(
        "--token-file",
        "FILE",
        "a file with the bearer token that clients must send, or with `NAME TOKEN` on each line;"
        " default: $KBC_HTTP_TOKEN, if set",
    ),
    Option(
        "--oauth-issuer",
        "URL",
        "accept JWTs of this authorization server, which clients discover by RFC 9728",
    ),
    Option(
        "--oauth-keys",
        "FILE|URL",
        "the key set (JWKS) of the authorization server; a URL is the only thing that a server fetches",
    ),
    Option(
        "--oauth-resource",
        "URL",
        "the URL of this server as clients know it, which tokens must be issued for",
    ),
    Option(
        "--oauth-scope",
        "SCOPE",
        "a scope that JWTs must have, repeatable",
        "oauth_scopes",
        repeatable=True,
    ),
    Option(
        "--rate-limit",
        "N/UNIT",
        "the requests that a client may send: 5/s, 60/min, 1000/h; counted by the name of its token, or"
        " by IP address, in each worker",
        convert=_rate_limit,
    ),
    Option(
        "--allow-host",
        "HOST",
        "a Host header to accept besides the loopback names, repeatable",
        "allowed_hosts",
        repeatable=True,
    ),
    Option(
        "--allow-origin",
        "ORIGIN",
        "an Origin header to accept besides the loopback ones, repeatable",
        "allowed_origins",
        repeatable=True,
    ),
    Option(
        "--max-body",
        "BYTES",
        "the largest request in bytes ({max_body})",
        convert=_number("--max-body", 1 << 30),
    ),
    Option(
        "--workers",
        "N",
        "the number of processes (1); they share the artifact's memory",
        convert=_number("--workers", MAX_WORKERS, 1),
    ),
    Option("--metrics", "", "metrics for Prometheus at /metrics"),
    Option("--explorer", "", "the pages of `kbc explore` at /explorer, behind the same token"),
    Option(
        "--runs",
        "FOLDER",
        "a folder of `kbc eval --json` outputs, for the explorer's quality page",
    ),
    Option("--report", "FILE", "output of `kbc build --json`, for the explorer's health page"),
)
"""The attributes of `HttpSettings`."""
OPTIONS = (*STDIO_OPTIONS, HTTP, *HTTP_OPTIONS)
BY_FLAG = {option.flag: option for option in OPTIONS}


def wants_help(arguments: Sequence[str]) -> bool:
    return "--help" in arguments or "-h" in arguments


def parse(arguments: Sequence[str]) -> Options:
    """Raises UsageError."""
    options = Options()
    http: HttpSettings | None = None
    http_only = ""
    remaining = list(arguments)
    while remaining:
        argument = remaining.pop(0)
        name, equals, value = argument.partition("=")
        if not argument.startswith("-"):
            options.artifacts.append(argument)
            continue
        option = BY_FLAG.get(name)
        if option is None or (equals and not option.metavar):
            raise UsageError(f"unknown option {name}.")
        if not equals and option.metavar:
            if not remaining:
                raise UsageError(f"{name} needs a value.")
            value = remaining.pop(0)
        if option is HTTP or option in HTTP_OPTIONS:
            http = http or _http_settings()
        converted = option.convert(value) if option.metavar else True
        if option is HTTP:
            options.http = http
        elif http is not None and option in HTTP_OPTIONS:
            option.set(http, converted)
            http_only = name
        else:
            option.set(options, converted)
    _check(options, http_only)
    return options


def _http_settings() -> HttpSettings:
    from kb_runtime.options.http import HttpSettings  # a server on stdio does not need it

    return HttpSettings()


def _check(options: Options, http_only: str) -> None:
    """Options that need each other, or cannot be combined. Raises UsageError."""
    if not options.artifacts:
        _check_without_artifact(options)
    elif options.model and not options.workspace:
        raise UsageError("--model needs --workspace: only content of a workspace is embedded.")
    elif len(options.code) > 1 and not options.workspace:
        raise UsageError(
            "several --code need --workspace: without it one folder is compared with the index."
        )
    if options.http is None:
        if http_only:
            raise UsageError(f"{http_only} needs --http.")
    elif (options.http.runs or options.http.report) and not options.http.explorer:
        raise UsageError("--runs and --report need --explorer.")
    elif options.http.workers > 1 and options.workspace:
        raise UsageError("--workspace needs a single process: leave out --workers.")
    elif options.http.workers > 1 and not options.artifacts:
        raise UsageError("--code without ARTIFACT needs a single process: leave out --workers.")


def _check_without_artifact(options: Options) -> None:
    """Raises UsageError."""
    if not options.code:
        raise UsageError("the ARTIFACT to serve is missing; --code DIR serves a source tree alone.")
    for flag, is_given, why in (
        ("--data", options.data, "there are no tests"),
        ("--read-only", options.read_only, "there is no `ingest_tests`"),
        ("--key", options.key, "the index of a source tree is not signed"),
        ("--explorer", options.http and options.http.explorer, "it shows artifacts"),
    ):
        if is_given:
            raise UsageError(f"{flag} has no effect without ARTIFACT: {why}.")


def usage() -> str:
    """What `kbc serve --help` prints."""
    import textwrap

    http = _http_settings()

    def synopsis(start: str, options: Sequence[Option]) -> str:
        parts = [
            f"[{option.flag}{' ' + option.metavar if option.metavar else ''}]"
            + ("..." if option.repeatable else "")
            for option in options
        ]
        return textwrap.fill(
            " ".join(part.replace(" ", "\0") for part in parts),
            width=86,
            initial_indent=start,
            subsequent_indent=" " * len("Usage: kbc serve ARTIFACT... "),
            break_long_words=False,
            break_on_hyphens=False,
        ).replace("\0", " ")

    def row(name: str, text: str) -> str:
        return textwrap.fill(
            text, width=84, initial_indent=f"  {name:<17}", subsequent_indent=" " * 19
        )

    artifact = (
        "a folder that `kbc build` wrote; several are searched as one, and tools get an argument `kb`"
        " that restricts a call to one of them"
    )
    return "\n".join(
        [
            synopsis("Usage: kbc serve ARTIFACT... ", STDIO_OPTIONS),
            synopsis("       kbc serve ARTIFACT... --http ", HTTP_OPTIONS),
            "",
            "Serves compiled knowledge bases to an MCP client, over stdin and stdout or over HTTP.",
            "",
            row("ARTIFACT", artifact),
            *(
                row(option.flag, option.help.format(port=http.port, max_body=http.max_body))
                for option in OPTIONS
            ),
            "",
        ]
    )
