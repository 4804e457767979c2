"""The Merkle tree of RFC 9162: hashes, roots, proofs and their checks, one for all three trees (ledger, versions, corpus)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

DIGEST = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
# A tree of 2**63 leaves has 63 levels; a consistency proof may hold one hash more than the levels.
PROOF_LIMIT = 64


def leaf_hash(data: bytes) -> bytes:
    """``H(0x00 ‖ data)``."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """``H(0x01 ‖ left ‖ right)``."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaf_hashes: Iterable[bytes]) -> bytes:
    """The root over leaf hashes in order; the hash of nothing for none."""
    frontier = Frontier()
    for digest in leaf_hashes:
        frontier.add(digest)
    return frontier.root()


class Frontier:
    """The right edge of a growing tree: the roots of its complete subtrees, largest first. O(log n) memory and root."""

    __slots__ = ("peaks", "size")

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        if len(peaks) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} peaks, not {len(peaks)}")
        self.size = size
        self.peaks = list(peaks)

    def add(self, digest: bytes) -> None:
        """Append one leaf hash."""
        size = self.size
        while size & 1:
            digest = node_hash(self.peaks.pop(), digest)
            size >>= 1
        self.peaks.append(digest)
        self.size += 1

    def root(self) -> bytes:
        """The root of all leaves so far."""
        if not self.peaks:
            return EMPTY_ROOT
        digest = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            digest = node_hash(peak, digest)
        return digest

    def copy(self) -> Frontier:
        """An independent copy."""
        return Frontier(self.size, self.peaks)


class Tree:
    """All complete subtrees of a growing tree, so that any root or proof takes O(log² n). 64 bytes a leaf."""

    def __init__(self) -> None:
        self._levels: list[bytearray] = [bytearray()]

    @property
    def size(self) -> int:
        """Number of leaves."""
        return len(self._levels[0]) // DIGEST

    def add(self, digest: bytes) -> None:
        """Append one leaf hash."""
        level = 0
        while True:
            row = self._levels[level]
            row += digest
            count = len(row) // DIGEST
            if count & 1:
                return
            digest = node_hash(bytes(row[-2 * DIGEST : -DIGEST]), bytes(row[-DIGEST:]))
            level += 1
            if level == len(self._levels):
                self._levels.append(bytearray())

    def cut(self, size: int) -> None:
        """Forget every leaf from ``size`` on."""
        for level, row in enumerate(self._levels):
            del row[(size >> level) * DIGEST :]

    def edge(self) -> Frontier:
        """The right edge, to go on from without changing this tree."""
        size = self.size
        levels = [level for level in reversed(range(size.bit_length())) if size >> level & 1]
        return Frontier(size, [self._at(level, (size >> level) - 1) for level in levels])

    def leaf(self, index: int) -> bytes:
        """The hash of leaf ``index``."""
        return self._at(0, index)

    def leaves(self, start: int, end: int) -> bytes:
        """The hashes of leaves ``[start, end)``, joined."""
        return bytes(self._levels[0][start * DIGEST : end * DIGEST])

    def root(self, size: int | None = None) -> bytes:
        """The root of the first ``size`` leaves (all by default)."""
        size = self._checked(size)
        return self._range(0, size) if size else EMPTY_ROOT

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """The proof that leaf ``index`` is among the first ``size`` leaves, nearest sibling first (RFC 9162 2.1.3.1)."""
        size = self._checked(size)
        if not 0 <= index < size:
            raise ValueError(f"leaf {index} is not in a tree of {size}")
        proof: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                proof.append(self._range(middle, end))
                end = middle
            else:
                proof.append(self._range(start, middle))
                start = middle
        proof.reverse()
        return proof

    def consistency(self, old: int, size: int | None = None) -> list[bytes]:
        """The proof that the first ``old`` leaves begin the first ``size`` (RFC 9162 2.1.4.1); for 0 none is needed."""
        size = self._checked(size)
        if not 0 <= old <= size:
            raise ValueError(f"a tree of {old} is no beginning of one of {size}")
        if old in (0, size):
            return []
        proof: list[bytes] = []
        start, end, whole = 0, size, True
        while old != end:
            middle = start + _split(end - start)
            if old <= middle:
                proof.append(self._range(middle, end))
                end = middle
            else:
                proof.append(self._range(start, middle))
                start, whole = middle, False
        if not whole:
            proof.append(self._range(start, end))
        proof.reverse()
        return proof

    def _checked(self, size: int | None) -> int:
        if size is None:
            return self.size
        if not 0 <= size <= self.size:
            raise ValueError(f"the tree has {self.size} leaves, not {size}")
        return size

    def _at(self, level: int, index: int) -> bytes:
        return bytes(self._levels[level][index * DIGEST : (index + 1) * DIGEST])

    def _range(self, start: int, end: int) -> bytes:
        width = end - start
        if width & (width - 1) == 0 and start % width == 0:
            level = width.bit_length() - 1
            return self._at(level, start >> level)
        middle = start + _split(width)
        return node_hash(self._range(start, middle), self._range(middle, end))


def _split(width: int) -> int:
    """The largest power of two smaller than ``width``."""
    return 1 << ((width - 1).bit_length() - 1)


def verify_inclusion(index: int, size: int, digest: bytes, proof: Sequence[bytes], root: bytes) -> bool:
    """Proves that a leaf with hash ``digest`` stands at ``index`` in the tree ``(size, root)``; says nothing of its content
    beyond the hash (RFC 9162 2.1.3.2)."""
    if not 0 <= index < size or len(proof) > PROOF_LIMIT:
        return False
    first, second = index, size - 1
    for sibling in proof:
        if second == 0:
            return False
        if first & 1 or first == second:
            digest = node_hash(sibling, digest)
            while not first & 1 and first:
                first >>= 1
                second >>= 1
        else:
            digest = node_hash(digest, sibling)
        first >>= 1
        second >>= 1
    return second == 0 and digest == root


def verify_consistency(old: int, size: int, proof: Sequence[bytes], old_root: bytes, root: bytes) -> bool:
    """Proves that the tree ``(old, old_root)`` is the beginning of ``(size, root)``; does not prove that stored records still
    hash to either (RFC 9162 2.1.4.2)."""
    if not 0 <= old <= size or len(proof) > PROOF_LIMIT:
        return False
    if old == size:
        return not proof and old_root == root
    if old == 0:
        return not proof and old_root == EMPTY_ROOT
    path = list(proof)
    if old & (old - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    first, second = old - 1, size - 1
    while first & 1:
        first >>= 1
        second >>= 1
    before = after = path[0]
    for sibling in path[1:]:
        if second == 0:
            return False
        if first & 1 or first == second:
            before = node_hash(sibling, before)
            after = node_hash(sibling, after)
            while not first & 1 and first:
                first >>= 1
                second >>= 1
        else:
            after = node_hash(after, sibling)
        first >>= 1
        second >>= 1
    return second == 0 and before == old_root and after == root
