"""Who may ask: token files, and JWTs against a key set in a file or at an address."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from kb_runtime.errors import UsageError
from kb_runtime.http import tokens
from kb_runtime.http.tokens import TOKEN_VARIABLE, Access, OAuth, access_of
from kb_runtime.options.http import HttpSettings

ISSUER = "https://login.example"
RESOURCE = "https://kb.example/mcp"
RSA = rsa.generate_private_key(65537, 2048)
OTHER = rsa.generate_private_key(65537, 2048)
CURVE = ec.generate_private_key(ec.SECP256R1())


def key_set(**changes: Any) -> str:
    first = {**json.loads(RSAAlgorithm.to_jwk(RSA.public_key())), "kid": "first", **changes}
    second = {**json.loads(ECAlgorithm.to_jwk(CURVE.public_key())), "kid": "second"}
    return json.dumps({"keys": [first, second]})


def token(key: Any = RSA, algorithm: str = "RS256", kid: str = "first", **changes: Any) -> str:
    claims = {
        "iss": ISSUER,
        "aud": RESOURCE,
        "exp": int(time.time()) + 600,
        "client_id": "agent-7",
        "scope": "kb:read other",
        **changes,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, key, algorithm, headers={"kid": kid})


def access(keys: Path | str) -> Access:
    return Access([], OAuth(ISSUER, RESOURCE, str(keys), ("kb:read",)))


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.json"
    path.write_text(key_set())
    return path


def test_a_jwt_of_a_known_key_is_accepted(keys: Path) -> None:
    found = access(keys).caller(token())
    assert found is not None
    assert (found.name, found.scopes) == ("agent-7", ("kb:read", "other"))
    assert access(keys).caller(token(CURVE, "ES256", "second")) is not None


def test_a_jwt_without_the_scope_opens_nothing(keys: Path) -> None:
    oauth = OAuth(ISSUER, RESOURCE, str(keys), ("kb:read",))
    asked = Access([("script", "aaa-1")], oauth)
    assert asked.accepts(token())
    assert asked.accepts("aaa-1")
    assert not asked.accepts(token(scope="other"))
    assert not asked.accepts(token(scope=None))


def test_names_and_scopes_as_other_servers_write_them(keys: Path) -> None:
    made = token(client_id=None, sub="user-1", scope=None, scp=["kb:read"])
    found = access(keys).caller(made)
    assert found is not None
    assert (found.name, found.scopes) == ("user-1", ("kb:read",))
    assert access(keys).caller(token(aud=[RESOURCE + "/", "https://more.example"])) is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"key": OTHER},
        {"kid": "unknown"},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "https://kb.example/other"},
        {"aud": None},
        {"exp": -600},
        {"exp": None},
        {"nbf": 600},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_every_other_jwt_is_refused(keys: Path, changes: dict[str, Any]) -> None:
    times = {name: time.time() + value for name, value in changes.items() if type(value) is int}
    assert access(keys).caller(token(**changes | times)) is None


def test_tokens_that_anyone_can_make_are_refused(keys: Path) -> None:
    claims = {"iss": ISSUER, "aud": RESOURCE, "exp": int(time.time()) + 600}
    unsigned = jwt.encode(claims, None, "none", headers={"kid": "first"})
    # The published key as if it were a shared secret.
    shared = jwt.encode(claims, "x" * 64, "HS256", headers={"kid": "first"})
    for made in (unsigned, shared, "", "a.b.c", "ä", "x" * 100_000):
        assert access(keys).caller(made) is None


def test_a_key_for_encryption_verifies_nothing(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text(key_set(use="enc"))
    assert access(tmp_path / "keys.json").caller(token()) is None


def test_a_new_key_is_found_without_a_restart_but_not_at_any_rate(
    keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    monkeypatch.setattr(tokens.time, "monotonic", lambda: now)
    asked = access(keys)
    keys.write_text(key_set(kid="third"))
    assert asked.caller(token(kid="third")) is None  # too soon after the last reading
    now += tokens.FEWEST_S_BETWEEN_READS + 1
    assert asked.caller(token(kid="third")) is not None
    assert asked.caller(token(kid="first")) is None  # revoked


def test_the_keys_stay_while_the_issuer_cannot_be_reached(
    keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = time.monotonic()
    monkeypatch.setattr(tokens.time, "monotonic", lambda: now)
    asked = access(keys)
    keys.unlink()
    now += tokens.KEYS_LAST_S + 1
    assert asked.caller(token()) is not None
    assert "the key set was not read again" in capsys.readouterr().err


class _Issuer(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []
    answer: ClassVar[Callable[[], bytes]]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.wfile.write(_Issuer.answer())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def issuer(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(_Issuer, "asked", [])
    monkeypatch.setattr(
        _Issuer, "answer", lambda: b"HTTP/1.0 200 OK\r\n\r\n" + key_set().encode(), raising=False
    )
    server = HTTPServer(("127.0.0.1", 0), _Issuer)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/jwks"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_key_set_is_fetched_once(issuer: str) -> None:
    asked = access(issuer)
    for _ in range(3):
        assert asked.caller(token()) is not None
        assert asked.caller(token(kid="unknown")) is None
    assert _Issuer.asked == ["/jwks"]


def test_nobody_whose_key_is_known_waits_for_an_issuer_that_is_slow(
    issuer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "LONGEST_WAIT_S", 0.01)
    asked = access(issuer)
    now = time.monotonic()
    monkeypatch.setattr(tokens.time, "monotonic", lambda: now + tokens.KEYS_LAST_S + 1)
    is_asked, may_answer = threading.Event(), threading.Event()

    def answer() -> bytes:
        is_asked.set()
        may_answer.wait(10)
        return b"HTTP/1.0 200 OK\r\n\r\n" + key_set(kid="new").encode()

    monkeypatch.setattr(_Issuer, "answer", answer)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(asked.caller, token(kid="new"))
        assert is_asked.wait(10)
        assert asked.caller(token()) is not None
        assert asked.caller(token(kid="new")) is None
        monkeypatch.setattr(tokens, "LONGEST_WAIT_S", 10)
        second = pool.submit(asked.caller, token(kid="new"))
        assert not first.done()
        may_answer.set()
        assert first.result() is not None
        assert second.result() is not None
    assert asked.caller(token(kid="new")) is not None
    assert len(_Issuer.asked) == 2


def test_an_issuer_that_answers_nonsense_is_asked_once_a_minute(
    issuer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = access(issuer)
    now = time.monotonic() + tokens.KEYS_LAST_S + 1
    monkeypatch.setattr(tokens.time, "monotonic", lambda: now)
    monkeypatch.setattr(_Issuer, "answer", lambda: b"no such service\r\n")
    for _ in range(2):
        assert asked.caller(token()) is not None
    assert capsys.readouterr().err.count("cannot be used: no such service.") == 1
    now += tokens.FEWEST_S_BETWEEN_READS + 1
    asked.caller(token())
    assert len(_Issuer.asked) == 3


def test_a_key_whose_name_is_no_text_does_not_hide_the_others(keys: Path) -> None:
    keys.write_text(key_set(kid=["first"]))
    assert access(keys).caller(token()) is None
    assert access(keys).caller(token(CURVE, "ES256", "second")) is not None


def test_a_key_set_without_a_bottom_is_refused_in_one_sentence(keys: Path) -> None:
    keys.write_text("[" * 100_000)
    with pytest.raises(UsageError, match=r"--oauth-keys .* cannot be used"):
        access(keys)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"keys": []}', '{"keys": [{"kty": "x"}]}', key_set(alg=["RS256"])],
)
def test_a_key_set_without_keys_is_refused_at_the_start(tmp_path: Path, content: str) -> None:
    (tmp_path / "keys.json").write_text(content)
    with pytest.raises(UsageError, match=r"--oauth-keys .* cannot be used"):
        access(tmp_path / "keys.json")


def test_options_of_oauth_belong_together() -> None:
    settings = HttpSettings()
    settings.oauth_issuer = ISSUER
    with pytest.raises(UsageError, match="--oauth-keys and --oauth-resource missing"):
        access_of(settings)
    settings.oauth_keys, settings.oauth_resource = "keys.json", "kb.example"
    with pytest.raises(UsageError, match="--oauth-resource must be an https:// address"):
        access_of(settings)


def test_a_file_of_names_and_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = HttpSettings()
    settings.token_file = str(tmp_path / "tokens")
    (tmp_path / "tokens").write_text("# who has which\n\nalice  aaa-1\nbob\tbbb-2\r\n")
    found = access_of(settings)
    assert [found.caller(each) for each in ("aaa-1", "bbb-2", "ccc-3", "alice", "")] == [
        ("alice", (), None),
        ("bob", (), None),
        None,
        None,
        None,
    ]
    monkeypatch.setenv(TOKEN_VARIABLE, "from-environment")
    assert found.caller("from-environment") is None
    settings.token_file = ""
    assert access_of(settings).caller("from-environment") == ("kb", (), None)
    monkeypatch.delenv(TOKEN_VARIABLE)
    assert access_of(settings).is_open


@pytest.mark.parametrize("text", [None, b"\xff", b"", b"a b c", b"a b\na c"])
def test_a_file_of_tokens_that_cannot_be_used_is_named(tmp_path: Path, text: bytes | None) -> None:
    settings = HttpSettings()
    settings.token_file = str(tmp_path / "tokens")
    if text is not None:
        (tmp_path / "tokens").write_bytes(text)
    with pytest.raises(UsageError, match=re.escape(f"--token-file {settings.token_file!r}")):
        access_of(settings)
