"""Encodes dataclasses as bytes and back, for caches: their type hints are the schema.

Fields are stored by position, so only the source that wrote the bytes can read them; whoever stores them
includes that source in the key.
"""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Callable
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgpack

_Reader = Callable[[Any], Any]


class CodecError(ValueError):
    """A value has no form as bytes, or bytes are not of the type asked for."""


def pack(value: Any) -> bytes:
    """Dataclasses, tuples, lists, sets of numbers, maps, strings, numbers, bytes and None.

    Raises `CodecError` for what msgpack does not know: numbers above 64 bits, lone surrogates, values
    nested some hundred levels deep.
    """
    try:
        return bytes(msgpack.packb(value, default=_plain))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CodecError(str(error)) from error


def unpack(hint: Any, data: bytes) -> Any:
    """The value of type `hint` that `pack` turned into `data`. Raises `CodecError`."""
    try:
        value = msgpack.unpackb(data, strict_map_key=False)
        reader = _reader(hint)
        return value if reader is None else reader(value)
    except (TypeError, ValueError, msgpack.UnpackException) as error:
        raise CodecError(str(error)) from error


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, name) for name in _names(type(value))]
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be stored")


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@cache
def _reader(hint: Any) -> _Reader | None:
    """What turns plain lists into `hint`; None where the plain value is the value."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _dataclass_reader(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint
    arguments = get_args(hint)
    origin = get_origin(hint)
    if origin is tuple and arguments[-1] is not ...:
        readers = [_reader(each) or _same for each in arguments]
        return lambda row: tuple([read(each) for read, each in zip(readers, row, strict=True)])
    if origin in (tuple, list, frozenset):
        item = _reader(arguments[0])
        if item is None:
            return None if origin is list else origin
        return lambda row: origin([item(each) for each in row])
    if origin in (Union, types.UnionType):
        readers = [read for each in arguments if (read := _reader(each)) is not None]
        if not readers:
            return None
        (read,) = readers  # of `X | None`; two kinds could not be told apart
        return lambda value: None if value is None else read(value)
    return None


def _dataclass_reader(kind: type) -> _Reader:
    names = _names(kind)

    @cache
    def readers() -> list[tuple[int, _Reader]]:  # at the first row: a kind may have its own inside
        hints = get_type_hints(kind)
        return [(at, read) for at, name in enumerate(names) if (read := _reader(hints[name]))]

    def read_row(row: list[Any]) -> Any:
        for at, read in readers():
            row[at] = read(row[at])
        return kind(**dict(zip(names, row, strict=True)))

    return read_row


def _same(value: Any) -> Any:
    return value
