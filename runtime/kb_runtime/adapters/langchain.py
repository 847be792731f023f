"""A LangChain retriever over compiled knowledge; needs the extra `kb-compiler[langchain]`."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from kb_runtime.api import KnowledgeBase
from kb_runtime.knowledge.reading.hits import Hit


class LangChainRetriever(BaseRetriever):
    """Gives the best passages for a question as `Document`s, best first.

    `options` are the keyword arguments of `KnowledgeBase.search`: `scopes`, `limit`, `mode`, `types`,
    `languages`, `per_record`. The knowledge base stays open; whoever opened it closes it.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    knowledge: KnowledgeBase
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [_document(hit) for hit in self.knowledge.search(query, **self.options)]


def _document(hit: Hit) -> Document:
    return Document(
        page_content=hit.passage,
        metadata={
            "source": hit.address,
            "title": hit.title,
            "collection": hit.collection,
            "lines": list(hit.passage_lines),
            "score": hit.score,
        },
    )
