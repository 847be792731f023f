"""The front matter of Markdown pages, as far as the knowledge base uses it."""

from __future__ import annotations

import json
import re
from typing import Any


def front_matter(text: str) -> dict[str, Any]:
    """The flat keys of a page's front matter: strings, numbers and one-line lists."""
    match = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    values: dict[str, Any] = {}
    key = ""
    for line in match[1].split("\n") if match else ():
        if item := re.match(r"\s+- (.*)$", line):
            values[key] = [*(values[key] or []), scalar(item[1])]
        elif pair := re.match(r"([\w-]+):\s*(.*)$", line):
            key, value = pair[1], pair[2].strip()
            if value.startswith("["):
                values[key] = [
                    scalar(v) for v in re.findall(r'"(?:[^"\\]|\\.)*"|[^\[\],\s][^,\]]*', value)
                ]
            else:
                values[key] = scalar(value)
    return values


def scalar(text: str) -> str:
    text = text.strip()
    return str(json.loads(text)) if text.startswith('"') else text
