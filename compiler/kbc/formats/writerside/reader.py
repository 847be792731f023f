"""Reads a `.topic` file."""

from __future__ import annotations

from collections.abc import Mapping

from kbc.formats.document import Converted, FormatError, Read, decode
from kbc.formats.writerside.markdown import expand
from kbc.formats.writerside.page import TopicWriter
from kbc.formats.writerside.topic import Topic
from kbc.formats.writerside.xml import parsed


def convert(path: str, data: bytes, read: Read, named: Mapping[str, str] | None) -> Converted:
    """The document of a topic; none of a library, whose parts other topics include. Raises `FormatError`
    for what is no topic."""
    text = decode(data)
    root = parsed(text.encode())
    if root.tag != "topic":
        raise FormatError(
            f"the file is not a topic: it begins with <{root.tag}>",
            hint="Keep it out of the collection's paths, or give it an ending of its own.",
        )
    topic = Topic.of(path, read, named or {})
    topic.variables["topic"] = root.get("id", "")
    with topic.declaring(root):
        title = topic.title(root)
        written, anchors = TopicWriter(topic, expand).markdown(root, title)
        described = next(
            (
                " ".join(topic.filled("".join(found.itertext())).split())
                for name in ("link-summary", "web-summary", "card-summary", "description")
                if (found := root.find(name)) is not None
            ),
            "",
        )
    return Converted(
        text=written,
        format="writerside",
        title=title,
        summary=described,
        anchors=anchors,
        targets=tuple(dict.fromkeys(topic.targets)),
        problems=tuple(topic.problems),
    )
