"""The settings of `--http` and its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

DEFAULT_PORT = 8765
MAX_BODY_BYTES = 4 * 1024 * 1024


class RateLimit(NamedTuple):
    """So many requests in so many seconds."""

    requests: int
    seconds: int


class HttpSettings:
    """Where and how a server listens; the defaults are those of the command line."""

    def __init__(self) -> None:
        self.host = "127.0.0.1"
        self.port = DEFAULT_PORT
        self.token_file = ""
        self.oauth_issuer = ""
        self.oauth_keys = ""
        self.oauth_resource = ""
        self.oauth_scopes: list[str] = []
        self.rate_limit: RateLimit | None = None
        self.allowed_hosts: list[str] = []
        self.allowed_origins: list[str] = []
        self.max_body = MAX_BODY_BYTES
        self.workers = 1
        self.metrics = False
        self.json_log = False
        self.explorer = False
        self.runs = ""
        self.report = ""
        self.mounts: dict[str, Callable[[Callable[[str], bool] | None], ASGIApp]] = {}
        """Further applications by their paths; each is made with what says whether a bearer token is
        accepted (None: nobody needs one), and must ask it."""
