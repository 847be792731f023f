"""SHA-256, of small inputs without OpenSSL, whose import costs a server 3 ms before its first answer."""

from __future__ import annotations

import sys

try:
    from _sha256 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha2 import sha256 as _sha256  # type: ignore[import-not-found, no-redef, unused-ignore]
    except ImportError:
        from hashlib import sha256 as _sha256

_WORTH_AN_IMPORT = 1 << 20
_WORTH_A_CALL = 1 << 11


def takes_openssl(size: int) -> bool:
    """Whether OpenSSL, which is 4 to 25 times faster, is used for so many bytes: for fewer than a megabyte
    only where it has been imported already."""
    return size >= _WORTH_AN_IMPORT or (size >= _WORTH_A_CALL and "hashlib" in sys.modules)


def sha256(data: bytes) -> bytes:
    """The 32 bytes of the SHA-256 of `data`."""
    if takes_openssl(len(data)):
        import hashlib

        return hashlib.sha256(data).digest()
    digest: bytes = _sha256(data).digest()
    return digest
