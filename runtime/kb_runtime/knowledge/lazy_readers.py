"""Lazy readers: each is made once, on first use, whichever thread asks first."""

from __future__ import annotations

from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
    Method = TypeVar("Method", bound=Callable[..., Any])


class LazyReaders:
    """Readers by name. Safe to use from several threads until `close`."""

    def __init__(self) -> None:
        self._readers: dict[str, Any] = {}
        self._locks: dict[str, LockType] = {}

    def get(self, name: str, read: Callable[[], T]) -> T:
        """The reader of that name, made by `read` when there is none yet."""
        if name not in self._readers:
            with self._locks.setdefault(name, allocate_lock()):
                if name not in self._readers:
                    self._readers[name] = read()
        reader: T = self._readers[name]
        return reader

    def known(self, name: str) -> Any:
        """The reader of that name, None when nobody has asked for it."""
        return self._readers.get(name)

    def adopt(self, name: str, reader: Any) -> None:
        """Takes a reader that somebody else made, unless there is one already."""
        self._readers.setdefault(name, reader)

    def close(self) -> None:
        """Closes the readers that can be closed and forgets all."""
        readers, self._readers = self._readers, {}
        for reader in readers.values():
            if hasattr(reader, "close"):
                reader.close()


def opened_once(read: Method) -> Method:
    """A method whose result, for each name that it is given, stays in the `_readers` of its object."""
    method_name = read.__name__

    def opened(owner: Any, name: str = "") -> Any:
        key = f"{method_name}/{name}" if name else method_name
        readers: LazyReaders = owner._readers
        known = readers._readers  # without a call: searches come here many times
        if key in known:
            return known[key]
        return readers.get(key, lambda: read(owner, name) if name else read(owner))

    opened.__doc__ = read.__doc__
    method: Any = opened
    return method  # type: ignore[no-any-return]
