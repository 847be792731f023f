"""Former addresses of pages."""

from __future__ import annotations

import time

from kbc.project.model import Collection
from kbc.project.permalinks import aliases
from kbc.project.sites.redirects import Redirects
from kbc.project.sites.settings import SiteSettings


def test_a_page_has_the_redirects_to_its_file_and_to_its_address_in_their_order() -> None:
    stated = {
        "b": "guide/kite.md#wind",
        "a.html": "/guide/kite/",
        "c": "guide/other",
        "0": "guide/kite",
    }
    redirects = Redirects(stated)
    site = Collection(
        "docs", "docs", (".",), generator="mkdocs", site=SiteSettings(redirects=redirects)
    )
    assert aliases(site, "guide/kite.md", {"aliases": ["old"]}) == ("old", "b", "a.html", "0")
    assert aliases(site, "guide/wing.md", {}) == ()


def test_as_many_redirects_as_pages_take_linear_time() -> None:
    pages = [f"guide/{number}.md" for number in range(10_000)]
    redirects = Redirects({each.replace("guide", "old"): each for each in pages})
    site = Collection(
        "docs", "docs", (".",), generator="mkdocs", site=SiteSettings(redirects=redirects)
    )
    started = time.process_time()
    assert all(aliases(site, each, {}) for each in pages)
    assert time.process_time() - started < 20
