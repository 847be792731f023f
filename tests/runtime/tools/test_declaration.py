"""Declaring tools on their functions."""

from typing import Any

from kb_runtime.tools import parameter
from kb_runtime.tools.declaration import Answer, Tools


def test_a_declared_function_stays_callable_and_joins_the_tools_of_its_module() -> None:
    tools = Tools("{prefix}_", family="reference", needs=("docs",))

    @tools.tool("Greets.", parameter.required("name", "Whom.", 20), parameter.flag("loud", "How."))
    def greet(_: Any, arguments: dict[str, Any]) -> Answer[None]:
        return Answer(f"Hello {arguments['name']}", None)

    (tool,) = tools
    assert tool.run is greet
    assert greet(None, {"name": "Ann"}).text == "Hello Ann"
    assert (tool.name, tool.family, tool.needs) == ("{prefix}_greet", "reference", ("docs",))
    assert [(each.name, each.required) for each in tool.arguments] == [
        ("name", True),
        ("loud", False),
    ]


def test_what_a_tool_says_itself_goes_before_what_its_module_shares() -> None:
    tools = Tools(titled=True, family="workshops", idempotent=True)

    @tools.tool("Draws.", name="draw_one", idempotent=False)
    def draw(_: Any, __: dict[str, Any]) -> Answer[None]:
        return Answer("", None)

    assert (tools[0].name, tools[0].title, tools[0].idempotent) == ("draw_one", "Draw One", False)
