"""The log as C2SP tlog-tiles: static files any tile-based client reads. Entries are the header lines; parts stay at home."""

from __future__ import annotations

from pathlib import Path

from audit.checkpoint import last_note
from audit.durable import replace
from audit.ledger import Ledger
from audit.tree import node_hash
from schemas.errors import InputRejected

TILE_WIDTH = 256
_HEIGHT = 8


def tile_path(number: int) -> str:
    """A tile's index in groups of three digits, all but the last marked ``x``: 1234067 -> ``x001/x234/067``."""
    groups = [f"{number % 1000:03d}"]
    while number := number // 1000:
        groups.insert(0, f"x{number % 1000:03d}")
    return "/".join(groups)


def export_tiles(ledger: Ledger, out: Path) -> int:
    """Write ``checkpoint``, ``tile/<level>/…`` and ``tile/entries/…`` of the newest checkpoint under ``out``; the tree's size.

    Raises InputRejected ``no_checkpoint`` when none was ever signed.
    """
    note = last_note(ledger.folder / "checkpoints")
    if note is None or note.size > ledger.size:
        raise InputRejected("no_checkpoint", "Tiles lead to a signed checkpoint and there is none; run audit checkpoint first.")
    hashes = [ledger.tree.leaf(index) for index in range(note.size)]
    for start in range(0, note.size, TILE_WIDTH):
        lines = [ledger.line(index) for index in range(start, min(start + TILE_WIDTH, note.size))]
        entries = b"".join(len(line).to_bytes(2, "big") + line for line in lines)
        _write(out / "tile" / "entries", start // TILE_WIDTH, len(lines), entries)
    level = 0
    while hashes:
        for start in range(0, len(hashes), TILE_WIDTH):
            row = hashes[start : start + TILE_WIDTH]
            _write(out / "tile" / str(level), start // TILE_WIDTH, len(row), b"".join(row))
        hashes = _full_tiles(hashes)
        level += 1
    replace(out / "checkpoint", (ledger.folder / "checkpoints" / f"{note.size:020d}.note").read_bytes())
    return note.size


def _full_tiles(hashes: list[bytes]) -> list[bytes]:
    """The roots of the complete tiles of one level: the hashes of the next."""
    row = hashes[: len(hashes) - len(hashes) % TILE_WIDTH]
    for _ in range(_HEIGHT):
        row = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=True)]
    return row


def _write(folder: Path, number: int, width: int, data: bytes) -> None:
    name = tile_path(number)
    path = folder / name if width == TILE_WIDTH else folder / f"{name}.p" / str(width)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, data)
