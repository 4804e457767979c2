"""Exact BM25 from postings: the oracle, growth, damage."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from compliance_rag.store.indexed import text_key
from compliance_rag.store.postings import EPOCHS_KEPT, FOLD_RATIO, K1, LIST_NAME, B, Postings
from compliance_rag.store.tokens import terms
from schemas.errors import IntegrityError

WORDS = [*"abcdefghijkl", "shall", "not", "unless", "罚款", "合同", "解除", "应当", "4.2.1", "28a", "record", "fee"]
# The seed of every random text here; each test adds its own number.
SEED = 20261129


def _texts(count: int, seed: int) -> dict[str, str]:
    rng = random.Random(seed)
    made = [
        " ".join(rng.choices(WORDS, weights=range(len(WORDS), 0, -1), k=rng.randint(1, 60))) + f" n{i}" for i in range(count)
    ]
    return {text_key(text): text for text in made}


def _oracle(texts: list[str]):
    """``rank_bm25`` with Lucene's idf in place of its own, which floors common words."""
    from rank_bm25 import BM25Okapi

    class Lucene(BM25Okapi):
        def _calc_idf(self, nd: dict[str, int]) -> None:
            for word, frequency in nd.items():
                self.idf[word] = math.log(1 + (self.corpus_size - frequency + 0.5) / (frequency + 0.5))

    return Lucene([terms(text) for text in texts], k1=K1, b=B)


def test_scores_equal_rank_bm25_on_slices(tmp_path: Path) -> None:
    """On any slice, scores equal rank_bm25 with Lucene's idf over that slice to 1e-9, cached words included."""
    texts = _texts(400, SEED)
    postings = Postings.open(tmp_path)
    postings.append(texts)
    rng = random.Random(SEED)
    everything = list(texts.values())
    for _ in range(6):
        mask = np.array([rng.random() < 0.6 for _ in everything])
        inside = np.flatnonzero(mask)
        oracle = _oracle([everything[row] for row in inside])
        for _ in range(4):
            question = terms(" ".join(rng.choices(WORDS, k=8)))
            ours = postings.score(question, mask)
            assert np.abs(ours[inside] - oracle.get_scores(question)).max() < 1e-9
            assert not ours[~mask].any()


def test_growth_keeps_rows_and_scores(tmp_path: Path) -> None:
    """Texts added in small steps get the same rows and, for an old set, the same bits as before, over few files."""
    texts = list(_texts(300, SEED + 1).items())
    postings = Postings.open(tmp_path)
    postings.append(dict(texts[:100]))
    mask = np.ones(100, bool)
    question = terms("record shall not 合同解除 28a")
    before = postings.score(question, mask)
    for at in range(100, 300, 3):
        postings.append(dict(texts[at : at + 3]))
    again = Postings.open(tmp_path)
    assert len(again) == 300
    assert list(again.rows_of([key for key, _ in texts])) == list(range(300))
    old = np.zeros(300, bool)
    old[:100] = True
    assert (again.score(question, old)[:100] == before).all()
    assert (postings.score(question, old) == again.score(question, old)).all()
    assert len(again.segment_names) <= math.log(300, FOLD_RATIO) + 1


def test_insert_only(tmp_path: Path) -> None:
    """A key already held is left as it is and not counted again."""
    texts = _texts(20, SEED + 2)
    postings = Postings.open(tmp_path)
    assert postings.append(texts) == 20
    names = postings.segment_names
    assert postings.append(texts) == 0
    assert postings.segment_names == names
    assert postings.row_of("0" * 64) == -1
    assert postings.missing([*texts, "0" * 64, "0" * 64]) == ["0" * 64]


def test_epochs_are_few(tmp_path: Path) -> None:
    """Statistics are kept for the few sets asked last, and a set is known by its content, not by its array."""
    postings = Postings.open(tmp_path)
    postings.append(_texts(30, SEED + 3))
    mask = np.ones(30, bool)
    first = postings.epoch(mask)
    assert postings.epoch(mask.copy()) is first
    for row in range(EPOCHS_KEPT):
        other = mask.copy()
        other[row] = False
        postings.epoch(other)
    assert postings.epoch(mask) is not first


@pytest.mark.parametrize("place", [0, 0.3, 0.6, 0.999])
def test_a_flipped_bit_is_found(tmp_path: Path, place: float) -> None:
    """One bit flipped anywhere in a segment file: refused at open with its code."""
    postings = Postings.open(tmp_path)
    postings.append(_texts(50, SEED + 4))
    path = tmp_path / postings.segment_names[0]
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1
    path.write_bytes(data)
    with pytest.raises(IntegrityError) as error:
        Postings.open(tmp_path)
    assert error.value.code == "postings_damaged"


@pytest.mark.parametrize("harm", ["cut", "empty", "segment", "list", "list_bit"])
def test_loss_is_found(tmp_path: Path, harm: str) -> None:
    """A cut, emptied or missing file, or a damaged list, is refused at open, never read as fewer texts."""
    postings = Postings.open(tmp_path)
    postings.append(_texts(50, SEED + 5))
    segment, names = tmp_path / postings.segment_names[0], tmp_path / LIST_NAME
    if harm == "cut":
        segment.write_bytes(segment.read_bytes()[:-1])
    elif harm == "empty":
        segment.write_bytes(b"")
    elif harm == "segment":
        segment.unlink()
    elif harm == "list":
        names.unlink()
    else:
        data = bytearray(names.read_bytes())
        data[len(data) // 2] ^= 4
        names.write_bytes(data)
    with pytest.raises(IntegrityError) as error:
        Postings.open(tmp_path)
    assert error.value.code == "postings_damaged"


def test_an_unheld_text_is_an_error(tmp_path: Path) -> None:
    """A set that names a text without postings is refused: it would be silently unfindable."""
    postings = Postings.open(tmp_path)
    postings.append(_texts(5, SEED + 6))
    with pytest.raises(IntegrityError):
        postings.mask_of(["0" * 64])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Records shall NOT be kept", "record shall record_shall not shall_not be kept"),  # stop words carry the law
        ("the data protection, policy", "the data protect data_protect polici"),  # a phrase ends at a stop
        ("Article 4.2.1(a), s. 28A", "articl 4.2.1 articl_4.2.1 a s 28a"),  # labels whole
        ("USD 1,000,000.50 or 3,5", "usd 1000000.50 usd_1000000.50 or 3 5"),  # digit groups joined, lists not
        ("the client's ‘Rule \u200e11.1’", "the client rule 11.1 rule_11.1"),  # possessive, direction mark
        ("违约金", "违约金 违 约 金 违约 约金"),  # word over two characters, characters, bigrams
        ("ＡＢＣ１２", "abc12"),  # full width
        ("第12条Client应当", "第 12 条 client 应 当 应当"),  # scripts part words
        ("Sec. 5 paragraph 60 days", "sec 5 paragraph 5_paragraph 60 paragraph_60 day 60_day"),  # unit after number
        ("anti-money laundering", "anti monei anti_monei launder monei_launder"),  # hyphens part words, join phrases
    ],
)
def test_terms(text: str, expected: str) -> None:
    """The terms of a text, by table."""
    assert terms(text) == expected.split()
