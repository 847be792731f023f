"""SHA-256, of small inputs without OpenSSL, whose import costs a server 5 ms before its first answer."""

from __future__ import annotations

try:
    from _sha256 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha2 import sha256 as _sha256  # type: ignore[import-not-found, no-redef, unused-ignore]
    except ImportError:
        from hashlib import sha256 as _sha256

OPENSSL_FROM = 1 << 18
"""Bytes from which OpenSSL, which is 4 to 25 times faster, is worth its import."""


def sha256(data: bytes) -> bytes:
    """The 32 bytes of the SHA-256 of `data`."""
    if len(data) >= OPENSSL_FROM:
        import hashlib

        return hashlib.sha256(data).digest()
    digest: bytes = _sha256(data).digest()
    return digest
