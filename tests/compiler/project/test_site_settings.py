"""What the configuration of a site says, as part of a collection."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from kbc.cache.phases import digest
from kbc.project.model import Collection
from kbc.project.sites.redirects import Redirects
from kbc.project.sites.settings import NOTHING_STATED, SiteSettings

SAMPLES: dict[str, Any] = {
    "bool": True,
    "bool | None": False,
    "str": "reed",
    "tuple[str, ...]": ("reed",),
    "tuple[tuple[str, str], ...]": (("reed", "marsh"),),
    "Mapping[str, str]": {"reed": "marsh"},
    "Mapping[str, str] | None": {},
    "Mapping[str, int]": {"reed.md": 0},
    "Mapping[str, Any]": {"depth": 2.5},
    "Mapping[str, list[str]]": {"reed": ["marsh"]},
    "Redirects": Redirects({"old": "new"}),
}
"""A value for each type of a field that is not its default."""


def variants(settings: Any = NOTHING_STATED) -> Iterator[tuple[str, Any]]:
    """The settings with another value in one field, for each of them, with its name."""
    for each in dataclasses.fields(settings):
        own = getattr(settings, each.name)
        if dataclasses.is_dataclass(own):
            for name, inner in variants(own):
                yield f"{each.name}.{name}", dataclasses.replace(settings, **{each.name: inner})
        else:
            value = "" if own == SAMPLES[str(each.type)] else SAMPLES[str(each.type)]
            yield each.name, dataclasses.replace(settings, **{each.name: value})


def hash_with(settings: SiteSettings) -> bytes:
    return digest(Collection("docs", "docs", ("docs",), site=settings).settings())


@pytest.mark.parametrize(("name", "settings"), list(variants()))
def test_results_are_kept_for_each_value_by_itself(name: str, settings: SiteSettings) -> None:
    assert hash_with(settings) != hash_with(NOTHING_STATED)
    assert hash_with(settings) == hash_with(dataclasses.replace(settings))


@pytest.mark.parametrize(("name", "settings"), list(variants()))
def test_settings_go_to_other_processes(name: str, settings: SiteSettings) -> None:
    assert pickle.loads(pickle.dumps(settings)) == settings
