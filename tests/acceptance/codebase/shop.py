"""The source tree of a shop, and searches in it."""

from __future__ import annotations

from typing import Any

from tests.acceptance.conftest import Client

LOGIN = '''\
"""Signing in."""

import hashlib


def authenticate_user(name: str, password: str) -> bool:
    """Checks a user's password against the stored hash."""
    stored = load_hash(name)
    return stored == hashlib.sha256(password.encode()).hexdigest()


class LoginForm:
    """The form on the sign-in page."""

    def validate(self, fields: dict) -> list:
        """Problems with what the visitor typed."""
        return [name for name, value in fields.items() if not value]
'''
LONG = "".join(
    f"def step_{number}(order):\n"
    f'    """Warehouse step {number}: picks, packs and ships parcel {number} of an order."""\n'
    f"    return order.advance(stage={number}, shelf='{chr(97 + number % 26)}')\n\n\n"
    for number in range(60)
)
WIDE = "def catalogue():\n" + "".join(
    f'    yield "item {number}", "a lamp of colour {number} with a shade and a switch"\n'
    for number in range(40)
)
HUGE = "".join(f"LINE_{number} = 'é{number}'\n" for number in range(4000))
FILES = {
    "kb.toml": '[kb]\nname = "shop"\ntitle = "Shop"\n',
    "code/shop/auth/login.py": LOGIN,
    "code/shop/db/connection.py": (
        "def connect_database(url):\n"
        '    """Opens the connection to the database and checks its version."""\n'
        "    return Connection(url)\n"
    ),
    "code/shop/tests/test_login.py": (
        "def test_a_wrong_password_is_refused():\n"
        "    assert not authenticate_user('ann', 'wrong')\n"
    ),
    "code/shop/warehouse.py": LONG,
    "code/shop/lamps.py": WIDE,
    "code/shop/huge.py": HUGE,
    "code/web/src/cart.ts": (
        "// The basket.\r\nexport class Cart {\r\n  items: string[] = []\r\n\r\n"
        "  addItem(item: string): void {\r\n    this.items.push(item)\r\n  }\r\n}\r\n"
    ),
    "code/web/src/money.go": (
        "package money\n\n// FormatPrice writes an amount with its currency.\n"
        "func FormatPrice(cents int) string {\n\treturn symbol + decimal(cents)\n}\n"
    ),
    "code/web/README.md": "# Shop\n\nHow the shop is deployed.\n",
    "code/web/gaps.js": "let first = 1\n\n\n\nlet second = 2\n\n\n",
    "code/{{name}}/setup.py": "def set_up():\n    pass\n" + WIDE,
    "code/web/.env": "SECRET_TOKEN=hunter2\n",
    "code/.gitignore": "ignored/\n",
    "code/ignored/x.py": "def hidden_function(): pass\n",
}
TIMING = "queryTimeMs"


def ask(client: Client, query: str, **arguments: Any) -> dict[str, Any]:
    reply = client.call("codebase_retrieval", query=query, **arguments)
    assert not reply.is_error, reply.text
    return reply.structured


def files(answer: dict[str, Any]) -> list[str]:
    return [result["file"] for result in answer["results"]]


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    metadata = {name: value for name, value in answer["metadata"].items() if name != TIMING}
    return {**answer, "metadata": metadata}
