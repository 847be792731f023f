from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from tests.compiler.shipping.conftest import Ship

from kb_runtime.version import __version__
from kbc.shipping.errors import ShippingError
from kbc.shipping.product import product, runtime_requirement
from kbc.shipping.timestamp import timestamp_of


def test_names_follow_from_the_knowledge_base(ship: Ship) -> None:
    facts = product(ship(name="small", version="2026.01.0"))
    assert (facts.distribution, facts.module, facts.version) == ("small-kb", "small_kb", "2026.1.0")
    assert product(ship(name="my-kb")).distribution == "my-kb"


def test_names_can_be_given(ship: Ship) -> None:
    facts = product(ship(), name="Our_small--kb", version="3rc1", mcp_name="org.example/small")
    assert (facts.distribution, facts.version) == ("our-small-kb", "3rc1")
    assert facts.mcp_name == "org.example/small"


@pytest.mark.parametrize("name", ["small", "9-kb", "smäll-kb", "-kb", "a b-kb", "../x-kb"])
def test_a_name_that_no_package_can_have_is_refused(ship: Ship, name: str) -> None:
    with pytest.raises(ShippingError) as raised:
        product(ship(), name=name)
    assert repr(name) in raised.value.message
    assert "--name" in raised.value.hint


def test_a_version_that_no_package_can_have_is_refused(ship: Ship) -> None:
    with pytest.raises(ShippingError) as raised:
        product(ship(version="winter edition"))
    assert "'winter edition'" in raised.value.message
    assert "--version" in raised.value.hint


def test_a_licence_is_named_where_it_is_an_spdx_expression(ship: Ship) -> None:
    assert product(ship(license="mit")).license == "MIT"
    assert product(ship(license="ask Bob")).license == ""


def test_a_registry_name_without_an_owner_is_refused(ship: Ship) -> None:
    with pytest.raises(ShippingError, match="'quint'"):
        product(ship(), mcp_name="quint")


def test_tools_are_those_of_the_server(ship: Ship) -> None:
    tools = {tool.name: tool for tool in product(ship()).tools}
    assert tools["small_get_builtin"].required == ("name",)
    assert (
        tools["small_list_docs"].summary
        == "All documentation pages by group, with path, title and size"
    )


def test_the_requirement_admits_this_runtime_and_not_the_next_that_may_change_the_format() -> None:
    requirement = Requirement(runtime_requirement())
    assert requirement.name == "kb-compiler"
    assert __version__ in requirement.specifier
    ours = Version(__version__)
    beyond = f"0.{ours.minor + 1}.0" if ours.major == 0 else f"{ours.major + 1}.0.0"
    assert beyond not in requirement.specifier


def test_the_time_of_an_archive_is_never_the_clock_s(ship: Ship) -> None:
    told = product(ship(built_at="2026-01-01T00:00:00Z"))
    assert timestamp_of(told, None) == 1_767_225_600
    assert timestamp_of(told, 7) == 7
    assert timestamp_of(product(ship(built_at="")), None) == 315_532_800
