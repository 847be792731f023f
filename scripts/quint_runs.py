"""The runs of a Quint source and the comments above its definitions, read as text.

Every bracket, string and comment counts, types do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<name>[A-Za-z_][\w:]*[\w]|[A-Za-z_])
      | (?P<number>\d[\d_]*)
      | (?P<sign>==|!=|<=|>=|=>|->|\.\.\.|[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
DECLARATIONS = frozenset(
    (
        *("const", "var", "type", "val", "def", "pure", "action", "run", "temporal", "nondet"),
        *("import", "export", "assume", "module"),
    )
)
_SIMULATED = re.compile(r"^//\s+quint run\s.*?--invariants?[= ](?P<names>.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    module: str
    name: str
    line: int
    comment: str
    body: Sequence[Token]


@dataclass(frozen=True, slots=True)
class Source:
    """A .qnt file; `path` is below the knowledge base. `comments` are those above definitions, by
    the definition's name; `invariants` are the names that its `quint run` commands check."""

    path: str
    text: str
    summary: str
    comments: Mapping[str, str]
    invariants: frozenset[str]
    runs: Sequence[Run]


def read_source(path: str, text: str) -> Source:
    """The tests of one file, in its order."""
    tokens = [Token(m.lastgroup or "", m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]
    code = [token for token in tokens if token.kind != "comment"]
    notes = _notes(text, [token for token in tokens if token.kind == "comment"])
    comments: dict[str, str] = {}
    runs: list[Run] = []
    module, depth = "", 0
    for index, token in enumerate(code[:-1]):
        name = code[index + 1]
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if token.kind != "name" or name.kind != "name":
            continue
        if token.text == "module":
            module = name.text
        elif token.text in ("run", "action", "def", "val") and depth == 1:
            line = text.count("\n", 0, token.start) + 1
            comment = notes.get(line - 1, "")
            comments.setdefault(name.text, comment)
            if token.text == "run" and name.text.endswith("Test"):
                body = _body(code, index + 2)
                runs.append(Run(module, name.text, line, comment, body))
    simulated = [match["names"].partition("--")[0] for match in _SIMULATED.finditer(text)]
    invariants = frozenset(re.findall(r"(?<![\w.-])[a-z]\w+(?![\w.-])", " ".join(simulated)))
    paragraphs = list(notes.values())[:2] if text.startswith("//") else []
    summary = " ".join(filter(None, map(sentence_of, paragraphs)))
    return Source(path, text, summary, comments, invariants, runs)


def _notes(text: str, comments: Sequence[Token]) -> dict[int, str]:
    """Last line -> text, of the blocks of line comments that stand alone; paragraphs apart."""
    blocks: dict[int, str] = {}
    for token in comments:
        line = text.count("\n", 0, token.start) + 1
        alone = not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip()
        words = token.text.removeprefix("//")
        if not alone or not token.text.startswith("//") or re.fullmatch(r"[\s=-]*", words):
            continue
        before = blocks.pop(line - 1, "") if not words.startswith("  ") else ""
        blocks[line] = f"{before} {words.strip()}".strip()
    return {line: re.sub(r"^\d+\. ", "", block) for line, block in blocks.items()}


def _body(code: Sequence[Token], start: int) -> Sequence[Token]:
    """The tokens of a definition's right side; `start` is after its name."""
    while code[start].text != "=":
        start += 1
    depth = 0
    for index in range(start + 1, len(code)):
        text = code[index].text
        depth += (text in OPENING) - (text in CLOSING)
        if depth < 0 or (depth == 0 and code[index].kind == "name" and text in DECLARATIONS):
            return code[start + 1 : index]
    return code[start + 1 :]


def sentence_of(comment: str) -> str:
    """The first sentence, when it is one; headings and code are not."""
    match = re.match(r"[A-Z0-9].{10,240}?[.!:](?=\s|\Z)", comment)
    return match[0].rstrip(":.") + "." if match else ""
