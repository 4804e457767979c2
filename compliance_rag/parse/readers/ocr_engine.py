"""The recogniser: rapidocr with the models in its wheel, one thread, nothing downloaded.

Detection and recognition are called apart: lines are found on a small picture of the page and read one at a time from a large
one, so that what a line says depends on its own pixels alone and not on which lines are read with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.canonical import sha256_hex
from schemas.errors import InputRejected

Picture = NDArray[np.uint8]
"""``(height, width)``, grey, 0 black."""
Quads = NDArray[np.float64]
"""``(n, 4, 2)``: the corners of each line found, x and y in pixels, from the upper left clockwise."""

# The models that rapidocr 3.10 carries; their hashes are part of the engine's identity.
DETECTOR, RECOGNISER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
# Characters of a model's hash that its identity names.
HASH_CHARS = 12


@dataclass(frozen=True, slots=True)
class Reading:
    """One line read: for each character how sure, and its place along the line as a share of the line's width."""

    text: str
    sure: tuple[float, ...]
    places: tuple[float, ...]


def _folder() -> Path:
    found = find_spec("rapidocr")
    if found is None or found.origin is None:
        raise InputRejected("no_ocr", "Scans cannot be read: the package rapidocr is not installed.", "rapidocr")
    return Path(found.origin).parent / "models"


@cache
def identity() -> str:
    """Engine and models, exactly: part of the parser's identity on every version that was read by it (law 10)."""
    models = ",".join(f"{name.removesuffix('.onnx')}:{_hash(name)}" for name in (DETECTOR, RECOGNISER))
    return f"rapidocr-{metadata.version('rapidocr')}/onnxruntime-{metadata.version('onnxruntime')}/{models}"


def _hash(name: str) -> str:
    try:
        return sha256_hex((_folder() / name).read_bytes())[:HASH_CHARS]
    except OSError as error:
        raise InputRejected("no_ocr", f"Scans cannot be read: the model {name} is missing from rapidocr.", name) from error


def prepare() -> None:
    """Import what reading needs; models are loaded by :class:`Engine`."""
    import cv2
    import rapidocr  # noqa: F401

    cv2.setNumThreads(1)


class Engine:
    """The two models, each in a session of one thread: the sums are then always made in the same order."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        prepare()
        folder = _folder()
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "error", "Global.use_cls": False, "Global.text_score": 0.0, "Global.max_side_len": 1 << 20,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1, "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.model_path": str(folder / DETECTOR), "Rec.model_path": str(folder / RECOGNISER),
            }
        )  # fmt: skip

    def find(self, picture: Picture) -> Quads:
        """The lines of a page, in no order."""
        found = self._engine(_colour(picture), use_det=True, use_cls=False, use_rec=False)
        boxes = getattr(found, "boxes", None)
        return np.zeros((0, 4, 2)) if boxes is None or not len(boxes) else np.asarray(boxes, np.float64).reshape(-1, 4, 2)

    def read(self, picture: Picture) -> Reading:
        """One line that runs to the right; empty when nothing is read."""
        found = self._engine(_colour(picture), use_det=False, use_cls=False, use_rec=True, return_word_box=True)
        text = found.txts[0] if found.txts else ""
        if not text.strip():
            return Reading("", (), ())
        words = found.word_results[0]
        columns = [column for word in words.word_cols for column in word]
        places: list[float] = []
        for char in text:
            # White space has no column: it stands where the character before it stands.
            at = columns.pop(0) + 0.5 if not char.isspace() else None
            places.append(at / words.line_txt_len if at is not None else places[-1] if places else 0.0)
        return Reading(text, tuple(round(float(sure), 4) for sure in words.confs), tuple(min(1.0, place) for place in places))


def _colour(picture: Picture) -> NDArray[np.uint8]:
    return np.ascontiguousarray(np.repeat(picture[:, :, None], 3, axis=2))
