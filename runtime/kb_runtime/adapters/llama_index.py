"""A LlamaIndex retriever over compiled knowledge; needs the extra `kb-compiler[llama-index]`."""

from __future__ import annotations

from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from kb_runtime.api import KnowledgeBase
from kb_runtime.knowledge.reading.hits import Hit


class LlamaIndexRetriever(BaseRetriever):
    """Gives the best passages for a question as nodes with scores, best first.

    `options` are the keyword arguments of `KnowledgeBase.search`: `scopes`, `limit`, `mode`, `types`,
    `languages`, `per_record`. The knowledge base stays open; whoever opened it closes it.
    """

    def __init__(self, knowledge: KnowledgeBase, **options: Any) -> None:
        super().__init__()
        self._knowledge = knowledge
        self._options = options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            _node(hit) for hit in self._knowledge.search(query_bundle.query_str, **self._options)
        ]


def _node(hit: Hit) -> NodeWithScore:
    node = TextNode(
        id_=f"{hit.address}#L{hit.passage_lines[0]}",
        text=hit.passage,
        metadata={
            "source": hit.address,
            "title": hit.title,
            "collection": hit.collection,
            "lines": list(hit.passage_lines),
        },
    )
    return NodeWithScore(node=node, score=hit.score)
