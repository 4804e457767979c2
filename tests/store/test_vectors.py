"""Vectors in Lance: insert-only, compared after every write, exact scores that do not hang on what else is held."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from compliance_rag.store import vectors as module
from compliance_rag.store.indexed import ALONE_LIMIT, CONTEXT_UNITS, HAN_UNITS, WINDOW_UNITS, text_key, windows
from compliance_rag.store.postings import Postings
from compliance_rag.store.vectors import DenseIndex, Vectors
from schemas.errors import IntegrityError
from tests.embedding import HashingEmbedder

SEED = 20261129
EMBEDDER = HashingEmbedder()


def _texts(count: int) -> dict[str, str]:
    rng = random.Random(SEED)
    made = [f"Title > Part\n{' '.join(rng.choices('abcdefghijklmnop', k=rng.randint(3, 30)))} n{i}" for i in range(count)]
    made[3] = "Title\n" + " ".join(f"long{i}" for i in range(1500))
    return {text_key(text): text for text in made}


def _open(folder: Path) -> Vectors:
    return Vectors.open(str(folder / "vectors"), EMBEDDER.identity)


def test_insert_only_and_read_back(tmp_path: Path) -> None:
    """Texts are embedded once; a second store reads the same rows; keys not held are reported as missing."""
    texts = _texts(40)
    store = _open(tmp_path)
    assert store.missing(list(texts)) == list(texts)
    assert store.add(dict(list(texts.items())[:25]), EMBEDDER.encode_passages) == 25
    assert store.add(texts, EMBEDDER.encode_passages) == 15
    assert store.add(texts, EMBEDDER.encode_passages) == 0
    again = _open(tmp_path)
    assert len(again) == len(store) > 40
    assert (again.rows.vectors == store.rows.vectors).all()
    assert again.missing([*texts, "0" * 64]) == ["0" * 64]


def test_models_never_mix(tmp_path: Path) -> None:
    """Another model or number type has its own table."""
    _open(tmp_path).add(_texts(5), EMBEDDER.encode_passages)
    other = Vectors.open(str(tmp_path / "vectors"), {**EMBEDDER.identity, "passages": "bf16"})
    assert len(other) == 0


def test_a_second_writer_is_found(tmp_path: Path) -> None:
    """Rows that came from elsewhere make the next write fail its comparison; they are never searched."""
    texts = _texts(30)
    one, two = _open(tmp_path), None
    one.add(dict(list(texts.items())[:10]), EMBEDDER.encode_passages)
    two = _open(tmp_path)
    one.add(dict(list(texts.items())[10:20]), EMBEDDER.encode_passages)
    with pytest.raises(IntegrityError) as error:
        two.add(dict(list(texts.items())[20:]), EMBEDDER.encode_passages)
    assert error.value.code == "vectors_damaged"
    with pytest.raises(IntegrityError):
        _open(tmp_path)


def test_a_flipped_bit_is_found(tmp_path: Path) -> None:
    """Bits flipped in the data files: refused with the code, or harmless because the rows read back the same."""
    store = _open(tmp_path)
    store.add(_texts(40), EMBEDDER.encode_passages)
    rng = random.Random(SEED)
    files = sorted(path for path in (tmp_path / "vectors").rglob("*.lance") if path.is_file())
    found = 0
    for _ in range(25):
        path = rng.choice(files)
        data = path.read_bytes()
        at = rng.randrange(len(data))
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :])
        try:
            assert (_open(tmp_path).rows.vectors == store.rows.vectors).all()
        except IntegrityError as error:
            found += error.code == "vectors_damaged"
        path.write_bytes(data)
    assert found > 15


def test_exact_scores_do_not_hang_on_the_rest(tmp_path: Path) -> None:
    """A text's score has the same bits in a small and in a large store, and a text counts by its best window."""
    texts = list(_texts(300).items())
    small, large = tmp_path / "small", tmp_path / "large"
    question = EMBEDDER.encode_query("a b c long1400")
    scores = []
    for folder, held in ((small, texts[:20]), (large, texts)):
        store, postings = _open(folder), Postings.open(folder / "postings")
        store.add(dict(held), EMBEDDER.encode_passages)
        postings.append(dict(held))
        index = DenseIndex(store, postings)
        scores.append(index.exact(question, postings.rows_of([key for key, _ in texts[:20]])))
    assert (scores[0] == scores[1]).all()
    parts = EMBEDDER.encode_passages(windows(texts[3][1]))
    assert len(parts) > 5
    assert abs(scores[0][3] - float((parts @ question).max())) < 1e-5


def test_likeness_is_the_cosine_of_two_texts(tmp_path: Path) -> None:
    """A text is like itself with cosine 1 and like another as their vectors are; one without vectors is like none."""
    texts = _texts(12)
    store = _open(tmp_path)
    store.add(texts, EMBEDDER.encode_passages)
    postings = Postings.open(tmp_path / "postings")
    postings.append({**texts, "0" * 64: "Title\nno vector"})
    index = DenseIndex(store, postings)
    keys = [key for key in texts if len(texts[key]) < 200]
    rows = postings.rows_of([*keys, "0" * 64])
    found = index.likeness(int(rows[0]), rows[:-1])
    vectors = EMBEDDER.encode_passages([windows(texts[key])[0] for key in keys])
    assert found == pytest.approx(vectors @ vectors[0], abs=1e-5)
    assert not index.likeness(int(rows[-1]), rows[:-1]).any()


@pytest.mark.parametrize("limit", [module.EXACT_LIMIT, 100])
def test_nearest_holds_the_best(tmp_path: Path, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The texts named nearest are in the set asked and hold its best exact scores, whichever method found them."""
    monkeypatch.setattr(module, "EXACT_LIMIT", limit)
    rng = np.random.default_rng(SEED)
    texts = {text_key(f"t\nn{i}"): f"t\nn{i}" for i in range(600)}
    matrix = rng.normal(size=(600, 384)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    store, postings = _open(tmp_path), Postings.open(tmp_path / "postings")
    store.add(texts, lambda pieces, progress: matrix[: len(pieces)])
    postings.append(texts)
    index = DenseIndex(store, postings)
    mask = rng.random(600) < 0.6
    (rows,), method = index.nearest(matrix[7] + matrix[11], [mask], 20)
    assert method == ("exact" if limit > 600 else "ivf_hnsw_sq")
    assert mask[rows].all()
    inside = np.flatnonzero(mask)
    best = inside[np.argsort(-index.exact(matrix[7] + matrix[11], inside), kind="stable")[:20]]
    assert len(set(best) & set(rows.tolist())) >= (20 if limit > 600 else 18)


def test_windows_stay_under_the_limit() -> None:
    """Every window is under the embedder's limit and no word is lost."""
    body = "".join(f"sentence {i} ends here. " for i in range(400)) + "违约责任。" * 300
    pieces = windows(f"Title > Part\n{body}")
    assert all(sum(HAN_UNITS if ord(c) > 0x2E80 else 1 for c in piece) <= WINDOW_UNITS for piece in pieces)
    assert all(f"sentence {i} ends here." in "".join(pieces) for i in range(400))


@pytest.mark.parametrize(("size", "led"), [(ALONE_LIMIT - 1, True), (ALONE_LIMIT, False)])
def test_short_texts_are_led_by_their_context(size: int, led: bool) -> None:
    """A text under the limit is embedded with its context, cut from the front; one at the limit stands alone."""
    (piece,) = windows("长标题" * 200 + "\n" + "x" * size)
    assert piece.endswith("x" * size)
    assert (len(piece) > size) == led
    assert (len(piece) - size) * HAN_UNITS <= CONTEXT_UNITS + HAN_UNITS


def test_chinese_texts_are_led_by_their_law() -> None:
    """Each piece of a Chinese text opens with the title of its law, without the state's name and without its chapters; English
    of that length stands alone."""
    body = "用人单位应当按照劳动合同约定和国家规定，向劳动者及时足额支付劳动报酬。" * 20
    pieces = windows(f"中华人民共和国劳动合同法 > 第三章 劳动合同的履行和变更\n{body}")
    assert len(pieces) > 1
    assert all(piece.startswith("劳动合同法\n") for piece in pieces)
    english = "The employer shall pay the employee in full and on time. " * 3
    assert windows(f"Labour Contract Law\n{english}") == [english]
