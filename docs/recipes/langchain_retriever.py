# needs: langchain-core
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document("text", metadata={"id": name}) for name in ("d1", "d1", "d3")]


retriever, relevant = Retriever(), {"how to": ["d1", "d2"]}

# recipe
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import ranking_scores

found = {
    query: list(
        dict.fromkeys(document.metadata["id"] for document in retriever.invoke(query))
    )
    for query in relevant  # chunks of one document count once
}
scores = ranking_scores(**from_item_lists(relevant, found), metrics=["ndcg@10", "recall@5"])
# end

assert round(scores["ndcg@10"], 4) == 0.6131
assert scores["recall@5"] == 0.5
