"""Do the boxes show the clause? Clauses are drawn from PDFs, their boxes cut out of the rendered page and read by OCR.

The reading is compared with the clause's own characters (label, heading, text), white space aside and signs that OCR confuses
by their shape folded (quotes, dashes): the share of the clause's characters that were read, and the share of the characters
read that are not the clause's. The same is done with every page turned and cropped, which changes where everything is shown.
"""

from __future__ import annotations

import random
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.parse import parse_version
from eval.homes import Progress, no_progress
from schemas.clause import Box, Clause
from schemas.errors import InputRejected

SEED = 20261130
# Clauses drawn from the pages as they are, and for each way of turning or cropping them.
DRAWN = 300
DRAWN_TURNED = 40
VARIANTS: tuple[str, ...] = ("as is", "turned 90", "turned 180", "turned 270", "cropped", "cropped and turned 90")
# Points taken off the left, bottom, right and top of a cropped page.
CROP = (11.0, 17.0, 7.0, 5.0)
# Pixels a point: 10-point type is then 40 pixels high, what the recogniser is made for.
SCALE = 4.0
# White around a cut-out line, in pixels; and ink beside the box that is let in, in points, for what overhangs.
MARGIN, OVERHANG = 12, 0.6
# A line wider than this many of its heights is read in halves: the recogniser would shrink it.
MAX_RATIO = 30.0
# The worst of each file are printed.
WORST = 5

Picture = NDArray[np.uint8]
_FOLD = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "−": "-", "‐": "-", "…": "...", "•": "·"})


@dataclass(slots=True)
class Reading:
    """One clause as read back: its characters, those of them that were read, those read that are not its own."""

    file: str
    variant: str
    path: str
    wanted: str
    read: str
    matched: int
    boxes: list[Box] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of the clause's characters that were read."""
        return self.matched / max(1, len(self.wanted))

    @property
    def foreign(self) -> float:
        """The share of what was read that is not the clause's."""
        return (len(self.read) - self.matched) / max(1, len(self.read))


def positions(
    folder: Path, progress: Progress = no_progress, *, drawn: int = DRAWN, turned: int = DRAWN_TURNED
) -> dict[str, Any]:
    """Figures over all PDFs under ``folder``; those that hold no text are named."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".pdf")
    readings: list[Reading] = []
    refused: dict[str, str] = {}
    for number, variant in enumerate(VARIANTS):
        readings += _variant(files, variant, drawn if not number else turned, refused, progress)
    if not readings:
        raise InputRejected("missing_file", f"There is no PDF with text under {str(folder)!r}.", str(folder))
    return {
        "seed": SEED, "files": len(files) - len(refused), "refused": refused,
        "as_is": _figures([r for r in readings if r.variant == VARIANTS[0]]),
        "variants": {name: _figures([r for r in readings if r.variant == name]) for name in VARIANTS[1:]},
        "by_file": {name: _figures(items) for name, items in _grouped(readings).items()},
        "worst": [_shown(item) for item in sorted(readings, key=lambda r: (r.share - r.foreign, r.path))[: 3 * WORST]],
    }  # fmt: skip


def _grouped(readings: Iterable[Reading]) -> dict[str, list[Reading]]:
    out: dict[str, list[Reading]] = defaultdict(list)
    for item in readings:
        out[item.file].append(item)
    return out


def _figures(readings: list[Reading]) -> dict[str, Any]:
    wanted, read = sum(len(r.wanted) for r in readings), sum(len(r.read) for r in readings)
    matched = sum(r.matched for r in readings)
    return {
        "clauses": len(readings),
        "characters": round(matched / max(1, wanted), 4),
        "foreign": round((read - matched) / max(1, read), 4),
        "clauses_under_97": sum(r.share < 0.97 for r in readings),
        "clauses_over_5_foreign": sum(r.foreign > 0.05 for r in readings),
    }


def _shown(item: Reading) -> dict[str, Any]:
    return {
        "file": item.file, "variant": item.variant, "path": item.path, "characters": round(item.share, 3),
        "foreign": round(item.foreign, 3), "wanted": item.wanted[:120], "read": item.read[:120], "boxes": item.boxes[:2],
    }  # fmt: skip


def _variant(files: list[Path], variant: str, count: int, refused: dict[str, str], progress: Progress) -> list[Reading]:
    pool: list[tuple[str, bytes, Clause]] = []
    for path in files:
        try:
            data = changed(path.read_bytes(), variant)
            version = parse_version(data, path.name)
        except InputRejected as error:
            refused[path.name] = error.code
            continue
        pool += [(path.name, data, clause) for clause in version.clauses if clause.boxes]
    chosen = random.Random(SEED).sample(pool, min(count, len(pool)))
    reader = OcrReader(int(variant.split()[-1]) if "turned" in variant else 0)
    out = []
    for number, (name, data, clause) in enumerate(chosen):
        out.append(read_back(name, variant, data, clause, reader))
        progress(f"boxes {variant}", number + 1, len(chosen))
    return out


def changed(data: bytes, variant: str) -> bytes:
    """The same PDF with every page turned or cropped. Raises InputRejected as the reader does."""
    if variant == VARIANTS[0]:
        return data
    from compliance_rag.parse.readers.pdf import open_pdf

    document = open_pdf(data, "source")
    for page in document:
        if "cropped" in variant:
            left, bottom, right, top = page.get_mediabox()
            page.set_cropbox(left + CROP[0], bottom + CROP[1], right - CROP[2], top - CROP[3])
        if "turned" in variant:
            page.set_rotation((page.get_rotation() + int(variant.split()[-1])) % 360)
        page.close()
    out = BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def read_back(name: str, variant: str, data: bytes, clause: Clause, reader: OcrReader) -> Reading:
    """What the clause's boxes show, against its words."""
    wanted = _squeeze(clause.label + clause.heading + clause.text.replace(" | ", " ").replace("| ", " ").replace(" |", " "))
    read = _squeeze("".join(reader.lines(data, clause.boxes)))
    matcher = SequenceMatcher(None, wanted, read, autojunk=False)
    matched = sum(block.size for block in matcher.get_matching_blocks())
    return Reading(name, variant, "/".join(clause.path), wanted, read, matched, list(clause.boxes))


def _squeeze(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text.translate(_FOLD)).split())


class OcrReader:
    """Reads boxes of rendered pages; ``turned`` is by how much the page was turned clockwise."""

    def __init__(self, turned: int) -> None:
        from rapidocr import RapidOCR

        self.turned = turned
        options = {"Global.log_level": "error", "EngineConfig.onnxruntime.intra_op_num_threads": 1}
        self._engine = RapidOCR(params=options)
        self._pages: dict[tuple[int, int], Picture] = {}
        self._data: bytes = b""

    def lines(self, data: bytes, boxes: Iterable[Box]) -> list[str]:
        """The text of each box."""
        pictures = [piece for box in boxes for piece in self._cut(data, box)]
        return [self._read(picture) for picture in pictures]

    def _read(self, picture: Picture) -> str:
        found: Any = self._engine(picture, use_det=False, use_cls=False, use_rec=True)
        return "".join(found.txts or ())

    def _cut(self, data: bytes, box: Box) -> list[Picture]:
        page = self._page(data, box[0])
        high, wide = page.shape[:2]
        x0, y0 = (max(0, round((edge - OVERHANG) * SCALE)) for edge in box[1:3])
        x1, y1 = min(wide, round((box[3] + OVERHANG) * SCALE)), min(high, round((box[4] + OVERHANG) * SCALE))
        # A page turned clockwise is turned back before it is read.
        piece = np.rot90(page[y0:y1, x0:x1], self.turned // 90)
        parts = _halves(piece)
        frame = ((MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0))
        return [np.ascontiguousarray(np.pad(part, frame, constant_values=255)) for part in parts]

    def _page(self, data: bytes, number: int) -> Picture:
        import pypdfium2 as pdfium

        key = (hash(data), number)
        if key not in self._pages:
            document = pdfium.PdfDocument(data)
            self._pages = {key: np.asarray(document[number - 1].render(scale=SCALE).to_numpy()[:, :, :3], np.uint8)}
            document.close()
        return self._pages[key]


def _halves(piece: Picture) -> list[Picture]:
    """A line too wide for the recogniser, cut at the widest white near its middle."""
    high, wide = piece.shape[:2]
    if wide <= MAX_RATIO * high or not high:
        return [piece]
    blank = piece.min(axis=(0, 2)) > 200
    low, top = int(wide * 0.4), int(wide * 0.6)
    best, run = wide // 2, 0
    longest = 0
    for at in range(low, top):
        run = run + 1 if blank[at] else 0
        if run > longest:
            longest, best = run, at - run // 2
    return [*_halves(piece[:, :best]), *_halves(piece[:, best:])]
