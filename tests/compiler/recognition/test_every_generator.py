"""What has to know every generator knows it: recognition, kb.toml, messages and the rules of addresses."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from kbc.project.routes import ROUTES
from kbc.project.sites.generators import GALLERY, GENERATORS
from kbc.recognition import built_site, generators, repository
from kbc.recognition.generators.react import docusaurus, fumadocs

WITHOUT_ADDRESSES = {"docsify", "grails-guide", "killercoda"}
"""Their configuration does not say where the pages are published."""


def recognised_by() -> dict[str, str]:
    """The name of each generator with the module that recognises it."""
    found = {built_site.GENERATOR: built_site.__name__}
    for info in pkgutil.walk_packages(generators.__path__, f"{generators.__name__}."):
        name = getattr(import_module(info.name), "GENERATOR", None)
        if name is not None and not info.ispkg:
            found[name] = info.name
    return found


def test_every_generator_is_a_value_of_kb_toml_with_a_name_in_messages() -> None:
    of_modules = {name for name, each in GENERATORS.items() if each.publishes_modules}
    assert {*recognised_by(), *of_modules, GALLERY} == set(GENERATORS)


def test_every_generator_is_tried() -> None:
    tried = {each.GENERATOR for each in (*repository._GENERATORS, docusaurus, fumadocs)}
    assert tried == set(recognised_by()) - {built_site.GENERATOR}


def test_every_generator_with_addresses_has_a_rule_for_them() -> None:
    assert set(ROUTES) == set(GENERATORS) - WITHOUT_ADDRESSES


def test_every_generator_whose_labels_another_refers_to_is_known() -> None:
    assert {name for each in GENERATORS.values() for name in each.refers_to} <= set(GENERATORS)
