"""What was worked out once, for who asks again."""

from __future__ import annotations

from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Remembered(dict[Key, Value]):
    """At most `most` values by their keys. With one more it begins anew: to know which of them was used last
    would cost more than to work some out again. Threads may share it."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, key: Key, value: Value) -> Value:
        if len(self) >= self._most:
            self.clear()
        self[key] = value
        return value
