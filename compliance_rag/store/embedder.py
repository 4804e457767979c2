"""Texts to unit vectors: sentence-transformers for passages, an onnxruntime session of the same weights for questions.

Importing torch and sentence-transformers takes seconds; a question needs neither once the packaged model has been exported
(`prepare`), and its vector differs from theirs by under 1e-6. A model named in settings is loaded by sentence-transformers
for both.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from compliance_rag.store.e5_folder import MAX_TOKENS, MODEL_NAME, SOURCE, packaged_folder
from compliance_rag.store.indexed import CUT
from schemas.canonical import sha256_hex, sha256_text
from schemas.errors import InputRejected
from schemas.settings import EmbedderSettings

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]

DIMENSION = 384
# Measured on two AVX-512 cores: 64 keeps padding waste low once texts are sorted by length.
BATCH = 64
# More than two threads spin against each other on small questions.
QUERY_THREADS = 2
# Questions whose vectors are kept: people ask the same again, of another day, of another document.
QUESTIONS_KEPT = 1_000
ONNX_FILE = "question.onnx"
# Beside the graph lie its tensors of more bytes than this (the table of words, 384 MB): onnxruntime maps that file, so that
# processes share it and hold only the words they meet, where a graph that holds it is copied by each.
TENSORS_FILE = "question.tensors"
TENSORS_BESIDE = 5_000_000
ONNX_OPSET = 17


class Embedder:
    """One model, loaded lazily: asking loads the light session, ingest the full model."""

    def __init__(self, folder: Path, identity: dict[str, str], *, packaged: bool, threads: int = QUERY_THREADS) -> None:
        self._folder = folder
        self._threads = threads
        self._packaged = packaged
        self._model: SentenceTransformer | None = None
        self._session: Any = None
        self._tokenizer: Any = None
        self._cutter: Any = None
        self._asked: OrderedDict[str, Vectors] = OrderedDict()
        self._guard = threading.Lock()
        self._questions_kept = QUESTIONS_KEPT
        self.identity = identity

    @classmethod
    def load(cls, settings: EmbedderSettings, cache: Path | None = None, *, threads: int = QUERY_THREADS) -> Embedder:
        """The embedder of ``settings``; the packaged one is unpacked into ``cache`` (default: the user's cache) once.
        ``threads`` work out the packaged one's vector of a question.

        Raises InputRejected ``unknown_embedder`` when a model is named that is not packaged and no folder is given.
        """
        if settings.path is not None:
            return cls._from_folder(Path(settings.path), settings.name)
        if settings.name != MODEL_NAME:
            raise InputRejected(
                "unknown_embedder",
                f"settings [embedder] name {settings.name!r} is not packaged; give its folder as path.",
                "settings.toml",
            )
        folder, digest = packaged_folder(cache or default_cache())
        number = "bf16" if _has_bf16() else "fp32"
        identity = {"name": MODEL_NAME, "source": SOURCE, "sha256": digest, "passages": number, "questions": "fp32", "cut": CUT}
        return cls(folder, identity, packaged=True, threads=threads)

    @classmethod
    def _from_folder(cls, folder: Path, name: str) -> Embedder:
        weights = folder / "model.safetensors"
        if not weights.is_file():
            raise InputRejected(
                "unknown_embedder", f"{folder.name}: the embedder's folder holds no model.safetensors.", folder.name
            )
        digest = sha256_hex(weights.read_bytes())
        identity = {"name": name, "source": "folder", "sha256": digest, "passages": "fp32", "questions": "fp32", "cut": CUT}
        return cls(folder, identity, packaged=False)

    @property
    def folder(self) -> Path:
        """Where the model lies: weights, tokenizer and, once prepared, the exported graph."""
        return self._folder

    def prepare(self) -> None:
        """Unpack and export what asking needs, so that no question pays for it. Idempotent, no network."""
        if self._packaged and not (self._folder / ONNX_FILE).is_file():
            _export(self._folder)

    def encode_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Unit vectors, shape ``(len(texts), DIMENSION)``, float32, in the order of ``texts``."""
        out = np.zeros((len(texts), DIMENSION), np.float32)
        if not texts:
            return out
        model = self._full_model()
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), i))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            batch = model.encode_document(
                [texts[i] for i in rows], batch_size=BATCH, show_progress_bar=False, convert_to_tensor=True
            )
            out[rows] = batch.float().cpu().numpy()
            if progress is not None:
                progress(min(start + BATCH, len(order)), len(order))
        return _unit(out)

    def encode_query(self, text: str) -> Vectors:
        """The question's unit vector, shape ``(DIMENSION,)``, float32; of one of the last
        ``QUESTIONS_KEPT`` the same again."""
        key = sha256_text(text)  # the words themselves are not kept
        with self._guard:
            if key in self._asked:
                self._asked.move_to_end(key)
                return self._asked[key]
        vector = self._query_vector(text)
        vector.flags.writeable = False
        with self._guard:
            self._asked[key] = vector
            self._trim()
        return vector

    def keep(self, questions: int) -> None:
        """Keep the vectors of so many questions from now on."""
        with self._guard:
            self._questions_kept = questions
            self._trim()

    def _trim(self) -> None:
        while len(self._asked) > self._questions_kept:
            self._asked.popitem(last=False)

    def _query_vector(self, text: str) -> Vectors:
        if not self._packaged:
            vector = np.asarray(self._full_model().encode_query(text, show_progress_bar=False), np.float32)
            return _unit_row(vector)
        self.prepare()
        session, tokenizer = self._light_model()
        encoding = tokenizer.encode(f"query: {text}")
        feed = {
            "input_ids": np.asarray([encoding.ids], np.int64),
            "attention_mask": np.asarray([encoding.attention_mask], np.int64),
        }
        hidden = session.run(None, feed)[0][0]
        return _unit_row(hidden.mean(axis=0, dtype=np.float32))

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Where each of the model's tokens lies in ``text``, all of it, without the marks of beginning and end."""
        from tokenizers import Tokenizer

        if self._cutter is None:
            self._cutter = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            self._cutter.no_truncation()
        return list(self._cutter.encode(text, add_special_tokens=False).offsets)

    def _light_model(self) -> tuple[Any, Any]:
        if self._session is None:
            import onnxruntime
            from tokenizers import Tokenizer

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(
                str(self._folder / ONNX_FILE), options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            self._tokenizer.enable_truncation(MAX_TOKENS)
        return self._session, self._tokenizer

    def _full_model(self) -> SentenceTransformer:
        if self._model is None:
            self._model = _load_sentence_transformer(self._folder, bf16=self.identity["passages"] == "bf16")
        return self._model


def default_cache() -> Path:
    """Where models are unpacked: the user's cache folder."""
    import platformdirs

    return Path(platformdirs.user_cache_path("compliance-rag"))


def _load_sentence_transformer(folder: Path, *, bf16: bool) -> SentenceTransformer:
    # Idle OpenMP threads spin and cost up to a hundredfold on a busy machine; must be set before torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer

    quiet: Any = transformers.logging
    quiet.set_verbosity_error()
    quiet.disable_progress_bar()
    dtype = torch.bfloat16 if bf16 else torch.float32
    model = SentenceTransformer(
        str(folder), device="cpu", local_files_only=True, model_kwargs={"add_pooling_layer": False, "dtype": dtype}
    )
    model.eval()
    return model


def _export(folder: Path) -> None:
    """Write the token-embedding graph as ONNX beside the weights; mean pooling and length are ours, in float32."""
    import logging
    import warnings

    import onnx

    model = _load_sentence_transformer(folder, bf16=False)
    import torch

    class Hidden(torch.nn.Module):
        def __init__(self, bert: Any) -> None:
            super().__init__()
            self.bert = bert

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            hidden: torch.Tensor = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            return hidden

    graph = Hidden(cast("Any", model[0]).auto_model).eval().requires_grad_(False)

    sample = torch.ones((1, 8), dtype=torch.int64)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        whole = f"{scratch}/whole.onnx"
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                graph,
                (sample, sample),
                whole,
                input_names=["input_ids", "attention_mask"],
                output_names=["hidden"],
                dynamic_axes={key: {0: "batch", 1: "tokens"} for key in ("input_ids", "attention_mask", "hidden")},
                opset_version=ONNX_OPSET,
                dynamo=False,
            )
        onnx.save_model(
            onnx.load(whole),
            f"{scratch}/{ONNX_FILE}",
            save_as_external_data=True,
            location=TENSORS_FILE,
            size_threshold=TENSORS_BESIDE,
        )
        # The tensors first: a graph that stands there has them.
        for name in (TENSORS_FILE, ONNX_FILE):
            os.replace(f"{scratch}/{name}", folder / name)


def _has_bf16() -> bool:
    """Whether the processor multiplies bf16 natively; elsewhere fp32 is faster."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


def _unit(vectors: Vectors) -> Vectors:
    """Rows divided by their length in float32: bf16 rows are off unit length by up to 0.3 %."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, np.float32(1e-12))).astype(np.float32)
    return unit


def _unit_row(vector: Vectors) -> Vectors:
    row: Vectors = _unit(vector[None, :])[0]
    return row
