"""Calls of tools by the fixture `call`: what is in their answers, and how they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.tools.declaration import Answer

Call = Callable[..., Answer]


def structured(answer: Answer) -> dict[str, Any]:
    assert answer.structured is not None
    return answer.structured


def refusal(call: Call, tool: str, **raw: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call(tool, **raw)
    return caught.value
