"""Locks of files, between two descriptors as between two processes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbc.linking.locks import acquired, acquired_within


def test_a_lock_has_one_holder_until_that_closes_its_file(tmp_path: Path) -> None:
    one, other = (os.open(tmp_path / ".lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert acquired(one)
    assert not acquired(other)
    assert not acquired_within(other, 0)
    os.close(one)
    assert acquired_within(other, 0)
    os.close(other)


def test_what_cannot_be_locked_is_an_error(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / ".lock", os.O_RDWR | os.O_CREAT)
    os.close(descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        acquired_within(descriptor, 0)
