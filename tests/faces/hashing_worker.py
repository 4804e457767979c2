"""The worker of the service with the tests' embedder, which loads no model."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import numpy.typing as npt

from compliance_rag.faces.workers.child import run
from compliance_rag.faces.workers.lines import Start
from tests.embedding import HashingEmbedder

# Questions on which this worker fails, or dies, as no question should make one.
FAULT, DEATH = "What makes a worker fail?", "What makes a worker die?"


class _Odd(HashingEmbedder):
    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector, or the end."""
        if text == DEATH:
            os._exit(1)
        if text == FAULT:
            raise ZeroDivisionError
        return super().encode_query(text)


if __name__ == "__main__":
    run(Start(**json.load(sys.stdin)), _Odd())
