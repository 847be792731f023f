"""Authenticates requests: named bearer tokens from a file, and OAuth JWTs of an authorization server.

A token file has one token a line, with a name before it if there are several; `#` begins a comment. A JWT
must be signed by a key of the given set, issued by the given issuer for this server, and not expired.
"""

from __future__ import annotations

import hmac
import json
import os
import time
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kb_runtime.options.http import HttpSettings

TOKEN_VARIABLE = "KBC_HTTP_TOKEN"
DEFAULT_NAME = "kb"
"""What a token without a name is called in the log."""

ALGORITHMS = (
    *("RS256", "RS384", "RS512"),
    *("PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512"),
    "EdDSA",
)
"""Signatures whose keys can be published. With HMAC everybody who verifies a token could make one."""

LEEWAY_S = 30
"""Clocks of two machines differ by so much."""

KEYS_LAST_S = 3600
"""How long a key set is used before it is read again; a key that was revoked is accepted no longer."""

FEWEST_S_BETWEEN_READS = 60
"""Neither tokens of unknown keys, which anyone can make, nor an issuer that fails cause more reading."""

LONGEST_WAIT_S = 2.0
"""How long a token of an unknown key waits for another thread that reads the set: requests share threads."""

_FETCH_TIMEOUT_S = 10
_MAX_KEYS_BYTES = 1 << 20
_NO_KEY_SET = (ValueError, TypeError, RecursionError)
"""What `json` and `jwt` raise for other content, beside `jwt.PyJWTError`."""


class Caller(NamedTuple):
    """Who sent a request, and what the authorization server lets it do."""

    name: str
    scopes: tuple[str, ...] = ()
    expires_at: int | None = None


class OAuth(NamedTuple):
    """`issuer` is the authorization server, `resource` the address of this server as clients know it,
    `keys` the file or address of the issuer's key set, and `scopes` what a token must have."""

    issuer: str
    resource: str
    keys: str
    scopes: tuple[str, ...]


class Access:
    """Finds out who sent a token. Nobody can be told apart where `is_open`."""

    def __init__(self, tokens: Sequence[tuple[str, str]], oauth: OAuth | None = None) -> None:
        """`tokens` are names and tokens. Raises UsageError for a key set that cannot be read."""
        self._tokens = [(name, token.encode()) for name, token in tokens]
        self.oauth = oauth
        self._verifier = _JwtVerifier(oauth) if oauth else None

    @property
    def is_open(self) -> bool:
        return not (self._tokens or self.oauth)

    def accepts(self, token: str) -> bool:
        """Whether the token is accepted and has every scope that one must have."""
        caller = self.caller(token)
        needed = self.oauth.scopes if self.oauth else ()
        return caller is not None and set(needed) <= set(caller.scopes)

    def caller(self, token: str) -> Caller | None:
        """None for a token that is not accepted. May fetch the key set."""
        given = token.encode("utf-8", "replace")
        # All are compared, whichever fits: the time that this takes says nothing.
        found = [name for name, known in self._tokens if hmac.compare_digest(given, known)]
        if found:
            return Caller(found[0], self.oauth.scopes if self.oauth else ())
        return self._verifier.caller(token) if self._verifier else None


def access_of(settings: HttpSettings) -> Access:
    """Who may ask, by the options and the environment. Raises UsageError."""
    if settings.token_file:
        tokens = list(_named_tokens(settings.token_file))
    else:
        token = os.environ.get(TOKEN_VARIABLE)
        tokens = [(DEFAULT_NAME, token)] if token else []
    return Access(tokens, _oauth(settings))


def _named_tokens(path: str) -> Iterator[tuple[str, str]]:
    option = f"--token-file {path!r}"
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{option} cannot be read: {reason}.") from None
    entries = [
        (number, line.split())
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    seen: dict[str, int] = {}
    for number, fields in entries:
        if len(fields) > 2 or (len(fields) == 1 and len(entries) > 1):
            raise UsageError(
                f"{option}, line {number}: write `NAME TOKEN`, or one token and nothing else."
            )
        name, token = fields if len(fields) == 2 else (DEFAULT_NAME, fields[0])
        if not token.isascii():
            raise UsageError(f"{option}, line {number}: a token has ASCII characters only.")
        for what in (f"the name {name!r}", token):
            if what in seen:
                shown = what if what != token else "this token"
                raise UsageError(
                    f"{option}, line {number}: {shown} is already on line {seen[what]}."
                )
            seen[what] = number
        yield name, token
    if not entries:
        raise UsageError(f"{option} has no token: write one, or `NAME TOKEN` on each line.")


def _oauth(settings: HttpSettings) -> OAuth | None:
    given = {
        "--oauth-issuer": settings.oauth_issuer,
        "--oauth-keys": settings.oauth_keys,
        "--oauth-resource": settings.oauth_resource,
    }
    if not any(given.values()) and not settings.oauth_scopes:
        return None
    if missing := [flag for flag, value in given.items() if not value]:
        raise UsageError(f"{' and '.join(missing)} missing: OAuth needs {', '.join(given)}.")
    for flag in ("--oauth-issuer", "--oauth-resource"):
        if not given[flag].startswith(("https://", "http://")):
            raise UsageError(f"{flag} must be an https:// address, not {given[flag]!r}.")
    return OAuth(
        settings.oauth_issuer,
        settings.oauth_resource,
        settings.oauth_keys,
        tuple(settings.oauth_scopes),
    )


class _JwtVerifier:
    def __init__(self, oauth: OAuth) -> None:
        self._oauth = oauth
        self._keys = _KeySet(oauth.keys)
        self._keys.read()

    def caller(self, token: str) -> Caller | None:
        import jwt

        try:
            key = self._keys.key(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                return None
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=[self._oauth.resource.rstrip("/"), self._oauth.resource.rstrip("/") + "/"],
                issuer=self._oauth.issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError:
            return None
        names = (claims.get(each) for each in ("client_id", "azp", "sub"))
        name = next((each for each in names if isinstance(each, str) and each), "jwt")
        return Caller(name, _scopes(claims), int(claims["exp"]) + LEEWAY_S)


def _scopes(claims: dict[str, Any]) -> tuple[str, ...]:
    """RFC 9068 has a string; some servers write a list, or call it `scp`."""
    stated = claims.get("scope", claims.get("scp", ()))
    if isinstance(stated, str):
        return tuple(stated.split())
    return (
        tuple(each for each in stated if isinstance(each, str)) if isinstance(stated, list) else ()
    )


class _KeySet:
    """The public keys of an issuer (RFC 7517), read again when they are old or a key is unknown."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._keys: dict[str | None, Any] = {}
        self._read_at = self._tried_at = 0.0
        self._reading = Lock()

    def key(self, identity: object) -> Any:
        """The key called `identity`, or the only key for a token that names none; None without it. One
        thread reads the set when that is due; meanwhile tokens of the keys that there are do not wait."""
        found = self._find(identity)
        wait = LONGEST_WAIT_S if found is None else 0
        if self._is_due(found) and self._reading.acquire(timeout=wait):
            try:
                if self._is_due(self._find(identity)):
                    self._read_again()
            finally:
                self._reading.release()
        return self._find(identity)

    def _is_due(self, found: Any) -> bool:
        now = time.monotonic()
        is_old = found is None or now - self._read_at > KEYS_LAST_S
        return is_old and now - self._tried_at > FEWEST_S_BETWEEN_READS

    def _find(self, identity: object) -> Any:
        if identity is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(identity) if isinstance(identity, str) else None

    def _read_again(self) -> None:
        """The keys there were stay in use while the issuer cannot be reached."""
        from kb_runtime import log

        try:
            self.read()
        except UsageError as error:
            log.say(f"the key set was not read again: {error}", program="kbc serve")

    def read(self) -> None:
        """Raises UsageError."""
        from http.client import HTTPException

        import jwt

        try:
            stated = json.loads(self._content())
            if not isinstance(stated, dict):
                raise ValueError("the content is no JSON object")
            keys = jwt.PyJWKSet.from_dict(stated).keys
        except (OSError, HTTPException, *_NO_KEY_SET, jwt.PyJWTError) as error:
            reason = str(error).strip()
            raise UsageError(f"--oauth-keys {self._place!r} cannot be used: {reason}.") from None
        finally:
            self._tried_at = time.monotonic()
        # A key for encryption does not verify signatures, and no token can name one whose name is no text.
        self._keys = {
            each.key_id: each
            for each in keys
            if each.public_key_use != "enc" and isinstance(each.key_id, str | None)
        }
        self._read_at = time.monotonic()

    def _content(self) -> bytes:
        if not self._place.startswith(("https://", "http://")):
            with open(self._place, "rb") as file:
                return file.read(_MAX_KEYS_BYTES)
        from urllib.request import Request, urlopen

        request = Request(self._place, headers={"Accept": "application/json"})
        with urlopen(request, timeout=_FETCH_TIMEOUT_S) as answer:
            content: bytes = answer.read(_MAX_KEYS_BYTES)
            return content
