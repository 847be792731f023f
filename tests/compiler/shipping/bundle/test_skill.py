from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from tests.compiler.shipping.conftest import Ship

from kbc.shipping.bundle.skill import path, skill
from kbc.shipping.product import product


@pytest.mark.parametrize(
    "description", ["All about sets.", 'Colons: and "quotes" # too', "long " * 900, ""]
)
def test_the_front_matter_keeps_to_the_format(ship: Ship, description: str) -> None:
    facts = product(ship(description=description))
    _, head, body = skill(facts).decode().split("---\n", 2)
    fields = yaml.safe_load(head)
    assert set(fields) == {"name", "description"}
    assert path(facts) == f"{fields['name']}/SKILL.md"
    assert 0 < len(fields["description"]) <= 1024
    assert body.startswith("\n# Small\n")


def test_it_names_the_tools_that_a_server_offers_with_their_arguments(ship: Ship) -> None:
    text = skill(product(ship())).decode()
    assert "| `small_get` | name [collection]" in text
    assert "Search with small_search" in text
    assert "Search by words and meaning with small_hybrid_search." not in text
    assert "| `small_get_builtin` |" not in text
    others = text.partition("`--tools all` also offers: ")[2].partition(".\n")[0]
    assert "small_get_builtin, small_list_builtins" in others
    assert "small_search," not in others


def test_it_names_the_families_that_the_author_offers(ship: Ship) -> None:
    facts = product(ship())
    text = skill(replace(facts, families=("reference", "search"))).decode()
    assert "| `small_get_builtin` | name |" in text
    assert "| `small_list_builtins` | [category] [limit] [cursor] |" in text
    assert "pattern" not in text
    assert "Search by words and meaning with small_hybrid_search." in text
    assert "`--tools compact` offers five general tools instead" in text
