"""The tree against RFC 9162's own recursive definitions, written out here a second time."""

from __future__ import annotations

import hashlib
import random

import pytest

from audit import verifier
from audit.tree import EMPTY_ROOT, Frontier, Tree, leaf_hash, root_of, verify_consistency, verify_inclusion

EIGHT = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
RFC_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def h(data: bytes) -> bytes:
    """sha256."""
    return hashlib.sha256(data).digest()


def mth(leaves: list[bytes]) -> bytes:
    """RFC 9162 2.1.1."""
    if not leaves:
        return h(b"")
    if len(leaves) == 1:
        return h(b"\x00" + leaves[0])
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return h(b"\x01" + mth(leaves[:k]) + mth(leaves[k:]))


def path(m: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 9162 2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return [*path(m, leaves[:k]), mth(leaves[k:])] if m < k else [*path(m - k, leaves[k:]), mth(leaves[:k])]


def subproof(m: int, leaves: list[bytes], whole: bool) -> list[bytes]:
    """RFC 9162 2.1.4.1."""
    if m == len(leaves):
        return [] if whole else [mth(leaves)]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    if m <= k:
        return [*subproof(m, leaves[:k], whole), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), mth(leaves[:k])]


def _tree_of(leaves: list[bytes]) -> Tree:
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf_hash(leaf))
    return tree


def spoiled(proof: list[bytes], rng: random.Random) -> list[list[bytes]]:
    """The proof with one hash altered, dropped, added, swapped."""
    at = rng.randrange(len(proof)) if proof else 0
    result = [[*proof, bytes(32)], [bytes(32), *proof]]
    if proof:
        bit = 1 << rng.randrange(8)
        changed = bytes([proof[at][0] ^ bit]) + proof[at][1:]
        result += [[*proof[:at], changed, *proof[at + 1 :]], proof[:at] + proof[at + 1 :]]
    if len(proof) > 1:
        other = (at + 1) % len(proof)
        swapped = list(proof)
        swapped[at], swapped[other] = swapped[other], swapped[at]
        result.append(swapped)
    return result


@pytest.mark.parametrize("size", range(9))
def test_rfc_roots(size: int) -> None:
    """The eight standard leaves give the published roots, by both trees, the frontier and the verifier's tree."""
    leaves = [leaf_hash(leaf) for leaf in EIGHT[:size]]
    assert mth(EIGHT[:size]).hex() == RFC_ROOTS[size]
    assert root_of(leaves).hex() == RFC_ROOTS[size]
    assert _tree_of(EIGHT).root(size).hex() == RFC_ROOTS[size]
    assert verifier.tree_of(leaves).root(size) == RFC_ROOTS[size]


def _check_all_proofs(limit: int) -> None:
    rng = random.Random(9162)
    leaves = [b"%d" % n for n in range(limit)]
    tree = _tree_of(leaves)
    roots = [mth(leaves[:n]) for n in range(limit + 1)]
    for n in range(1, limit + 1):
        assert tree.root(n) == roots[n]
        for m in range(1, n + 1):
            leaf = leaf_hash(leaves[m - 1])
            proof = tree.inclusion(m - 1, n)
            assert proof == path(m - 1, leaves[:n])
            assert verify_inclusion(m - 1, n, leaf, proof, roots[n])
            assert verifier.proof_holds(m - 1, n, leaf, proof, roots[n])
            for bad in spoiled(proof, rng):
                assert not verify_inclusion(m - 1, n, leaf, bad, roots[n])
                assert not verifier.proof_holds(m - 1, n, leaf, bad, roots[n])
            proof = tree.consistency(m, n)
            assert proof == (subproof(m, leaves[:n], True) if m < n else [])
            assert verify_consistency(m, n, proof, roots[m], roots[n])
            assert verifier.consistent(m, n, proof, roots[m], roots[n])
            for bad in spoiled(proof, rng):
                assert not verify_consistency(m, n, bad, roots[m], roots[n])
                assert not verifier.consistent(m, n, bad, roots[m], roots[n])


def test_all_proofs_to_64() -> None:
    """Every inclusion and consistency proof for 1 <= m <= n <= 64 is the RFC's and accepted; spoiled ones are refused."""
    _check_all_proofs(64)


@pytest.mark.slow
def test_all_proofs_to_257() -> None:
    """The same for every pair up to 257."""
    _check_all_proofs(257)


def test_consistency_from_nothing() -> None:
    """A tree of 0 begins every tree, with no proof; a wrong empty root does not."""
    tree = _tree_of(EIGHT)
    for size in range(9):
        assert verify_consistency(0, size, tree.consistency(0, size), EMPTY_ROOT, tree.root(size))
        assert size == 0 or not verify_consistency(0, size, [], bytes(32), tree.root(size))
    assert not verify_consistency(3, 2, [], tree.root(3), tree.root(2))


def test_no_index_outside_the_tree() -> None:
    """A proof for a leaf at or past the size, or before 0, is refused, never an error."""
    tree = _tree_of(EIGHT)
    for index in (-1, 8, 9):
        assert not verify_inclusion(index, 8, leaf_hash(b""), tree.inclusion(0), tree.root())
        with pytest.raises(ValueError, match="not in a tree"):
            tree.inclusion(index)
    with pytest.raises(ValueError, match="leaves"):
        tree.root(9)


def test_frontier_is_the_tree() -> None:
    """A frontier restored from its peaks goes on to the same roots and is a tree's edge; a cut tree grows again to the same."""
    leaves = [b"%d" % n for n in range(70)]
    tree, frontier = _tree_of(leaves), Frontier()
    for n, leaf in enumerate(leaves, 1):
        frontier = Frontier(frontier.size, frontier.peaks)
        frontier.add(leaf_hash(leaf))
        assert frontier.root() == tree.root(n)
        edge = _tree_of(leaves[:n]).edge()
        assert (edge.size, edge.peaks) == (n, frontier.peaks)
    assert Tree().edge().root() == EMPTY_ROOT
    with pytest.raises(ValueError, match="peaks"):
        Frontier(3, [bytes(32)])
    tree.cut(33)
    assert tree.root() == mth(leaves[:33])
    for leaf in leaves[33:]:
        tree.add(leaf_hash(leaf))
    assert tree.root() == mth(leaves)
