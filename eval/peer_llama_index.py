"""LlamaIndex as its documentation builds it, run by the Python of its own environment: sentence splitter, vector index, top 5.

Arguments: the file that ``eval.peers`` wrote, and where to write what was shown (text number, start, end in code points). The
embedder is the same graph and tokenizer that embed our questions.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

MAX_TOKENS = 512


def embed_class() -> Any:
    """An embedding class of LlamaIndex over an exported model folder; made here, since only the peer's environment has it."""
    import onnxruntime
    from llama_index.core.embeddings import BaseEmbedding
    from pydantic import PrivateAttr
    from tokenizers import Tokenizer

    class Exported(BaseEmbedding):  # type: ignore[misc]  # known to the peer's environment alone
        _session: Any = PrivateAttr()
        _tokenizer: Any = PrivateAttr()

        def __init__(self, folder: str, **other: Any) -> None:
            super().__init__(**other)
            self._session = onnxruntime.InferenceSession(f"{folder}/question.onnx", providers=["CPUExecutionProvider"])
            self._tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
            self._tokenizer.enable_truncation(MAX_TOKENS)

        def _embed(self, text: str) -> list[float]:
            encoding = self._tokenizer.encode(text)
            feed = {"input_ids": np.asarray([encoding.ids]), "attention_mask": np.asarray([encoding.attention_mask])}
            row = self._session.run(None, feed)[0][0].mean(axis=0)
            vector: list[float] = (row / np.linalg.norm(row)).tolist()
            return vector

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._embed(f"passage: {text}")

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._embed(f"query: {query}")

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return Exported


def main(source: Path, target: Path) -> None:
    """Index the texts, ask the questions, write what was shown."""
    import llama_index.core
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters

    body = json.loads(source.read_text(encoding="utf-8"))
    documents = [
        Document(
            text=item["text"], metadata={"number": number, "doc": item["doc"]},
            excluded_embed_metadata_keys=["number", "doc"], excluded_llm_metadata_keys=["number", "doc"],
        )
        for number, item in enumerate(body["texts"])
    ]  # fmt: skip
    nodes = SentenceSplitter(chunk_size=body["chunk_tokens"]).get_nodes_from_documents(documents)
    index = VectorStoreIndex(nodes, embed_model=embed_class()(body["model"]))
    shown = []
    for question in body["questions"]:
        docs = [question["doc"]] if isinstance(question["doc"], str) else question["doc"]
        only = MetadataFilter(key="doc", value=docs, operator=FilterOperator.IN) if docs else None
        filters = MetadataFilters(filters=[only]) if only is not None else None
        found = index.as_retriever(similarity_top_k=body["shown"], filters=filters).retrieve(question["question"])
        cuts = [(hit.node.metadata["number"], hit.node.start_char_idx, hit.node.end_char_idx) for hit in found]
        shown.append(cuts)
    result = {"version": llama_index.core.__version__, "chunks": len(nodes), "shown": shown}
    target.write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
