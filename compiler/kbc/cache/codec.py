"""Encodes dataclasses as bytes and back, for caches: their type hints are the schema."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

_encoder = msgspec.msgpack.Encoder()  # keeps the order of maps, which ends up in the artifact


class CodecError(ValueError):
    """A value has no form as bytes, or bytes are not of the type asked for."""


def pack(value: Any) -> bytes:
    """Dataclasses, tuples, lists, sets of numbers, maps, strings, numbers, bytes and None.

    Raises `CodecError` for what MessagePack does not know: numbers above 64 bits, lone surrogates,
    values nested some hundred levels deep.
    """
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CodecError(str(error)) from error


def unpack(hint: Any, data: bytes) -> Any:
    """The value of type `hint` that `pack` turned into `data`. Raises `CodecError`."""
    try:
        return _decoder(hint).decode(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(str(error)) from error


@cache
def _decoder(hint: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(hint)
