"""The settings of `--http` and its options."""

from __future__ import annotations

DEFAULT_PORT = 8765
MAX_BODY_BYTES = 4 * 1024 * 1024


class HttpSettings:
    """Where and how a server listens; the defaults are those of the command line."""

    def __init__(self) -> None:
        self.host = "127.0.0.1"
        self.port = DEFAULT_PORT
        self.token_file = ""
        self.allowed_hosts: list[str] = []
        self.allowed_origins: list[str] = []
        self.max_body = MAX_BODY_BYTES
        self.workers = 1
        self.metrics = False
        self.json_log = False
