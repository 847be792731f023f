"""Tabs of HTML pages: every panel stays, with its label before it.

Labels and panels are two lists in the same order, found by ARIA roles (Docusaurus, Starlight, sphinx-tabs)
or by the classes of VitePress, mkdocs-material and sphinx-design.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bs4 import BeautifulSoup, Tag

from kbc.languages.html.tree import classes_of, elements, is_removed

_BY_CLASS = (
    ("vp-code-group", ".tabs label", ".blocks > *"),
    ("tabbed-set", ".tabbed-labels > label, .tabbed-labels > a", ".tabbed-content > .tabbed-block"),
    ("sd-tab-set", "label.sd-tab-label", ".sd-tab-content"),
    ("tab-set", "label.tab-label", ".tab-content"),
    ("tabset", ".nav-tabs > li", ".tab-content > .tab-pane"),
)
"""The class of a container, and the selectors of the labels and of the panels in it."""

_LEVELS_TO_PANELS = 4


def keep_tabs(soup: BeautifulSoup) -> None:
    """Shows hidden panels and puts each label, in bold, before its panel."""
    containers: list[list[Tag]] = [[] for _ in _BY_CLASS]
    by_role: dict[str, list[Tag]] = {"tablist": [], "tabpanel": []}
    for tag in elements(soup):  # once: a page has one of these in a hundred
        classes = classes_of(tag)
        for found, (container, _, _) in zip(containers, _BY_CLASS, strict=True):
            if container in classes:
                found.append(tag)
        if (role := tag.attrs.get("role")) in by_role:
            by_role[role].append(tag)
    for found, (_, labels, panels) in zip(containers, _BY_CLASS, strict=True):
        for tag in _present(found):
            _label(tag.select(labels), tag.select(panels))
    for tab_list in _present(by_role["tablist"]):
        labelled = tab_list.find_all(role="tab")
        ids = {str(tab.get("aria-controls") or "") for tab in labelled}
        panels_found = [
            panel
            for panel in _nearby_panels(tab_list)
            if not ids - {""} or not panel.get("id") or str(panel["id"]) in ids
        ]
        if labelled and _label(labelled, panels_found):
            tab_list.decompose()
    for panel in _present(by_role["tabpanel"]):
        _show(panel)


def _present(tags: Iterable[Tag]) -> Iterator[Tag]:
    """Those that were not removed meanwhile, with what they are in."""
    return (tag for tag in tags if not is_removed(tag))


def _nearby_panels(tab_list: Tag) -> Sequence[Tag]:
    """The panels in the nearest block around the labels that holds any."""
    for parent in list(tab_list.parents)[:_LEVELS_TO_PANELS]:
        found = parent.find_all(role="tabpanel")
        if found:
            outer = [each for each in found if each.find_parent(attrs={"role": "tabpanel"}) is None]
            return outer or found
    return ()


def _label(labels: Sequence[Tag], panels: Sequence[Tag]) -> bool:
    if not labels or len(labels) != len(panels):
        return False
    for label, panel in zip(labels, panels, strict=True):
        text = " ".join(label.get_text().split()) or str(label.get("data-title") or "")
        _show(panel)
        if text:
            title, strong = Tag(name="p"), Tag(name="strong")
            strong.append(text)
            title.append(strong)
            panel.insert_before(title)
    for label in labels:
        label.decompose()
    return True


def _show(panel: Tag) -> None:
    for attribute in ("hidden", "aria-hidden"):
        if panel.has_attr(attribute):
            del panel[attribute]
