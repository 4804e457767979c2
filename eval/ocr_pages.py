"""Pages of known text as a scanner gives them: shaded, noised, laid askew, turned, blurred; the same from the same seed."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from eval.suites import own_corpus
from schemas.errors import InputRejected

# Where common systems keep a font with Chinese characters; a Latin one is in the library that draws.
CHINESE_FONTS = (
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "/usr/share/fonts/opentype/noto/NotoSerifCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc", "/System/Library/Fonts/PingFang.ttc",
)  # fmt: skip
LATIN_FONTS = (
    "/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf",
)  # fmt: skip
# A4 in points, its margin, and steps between lines in type sizes.
WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 72.0
STEP = {"en": 1.35, "zh": 1.6}


@dataclass(frozen=True, slots=True)
class Look:
    """How a page was scanned: dots an inch, degrees askew, quarter turn, noise (standard deviation of 255, share of specks),
    blur in sizes of the type (standard deviation)."""

    language: str
    dots: int
    size: float = 11.0
    skew: float = 0.0
    turn: int = 0
    noise: float = 0.0
    specks: float = 0.0
    blur: float = 0.0
    shade: float = 0.0


@dataclass(frozen=True, slots=True)
class Scan:
    """A page: the words on it and its picture as the page of a PDF."""

    look: Look
    text: str
    data: bytes


def chinese_font() -> str | None:
    """A font file with Chinese characters, None on a machine without one."""
    return next((path for path in CHINESE_FONTS if Path(path).exists()), None)


def _font(language: str, size: float) -> Any:
    from PIL import ImageFont

    if language == "zh":
        path = chinese_font()
        if path is None:
            raise InputRejected("no_font", "No font with Chinese characters is installed; install fonts-wqy-microhei.", "zh")
        return ImageFont.truetype(path, size)
    found = next((path for path in LATIN_FONTS if Path(path).exists()), None)
    return ImageFont.truetype(found, size) if found else ImageFont.load_default(size)


def _words(language: str) -> str:
    """Text of the sample corpus without its markup."""
    root = own_corpus()
    names = (
        ("halvorsen-retention/v3.0.md", "outsourcing/2026-revision.md", "northgate-msa/master.txt")
        if language == "en"
        else ("yunhe/2024.md", "yunhe/2026-rev1.md")
    )
    text = "\n".join((root / name).read_text("utf-8") for name in names)
    text = re.sub(r"[#*_`|<>\[\]{}\\]+", " ", text)
    return " ".join(text.split()) if language == "en" else "".join(text.split())


def page_lines(language: str, start: int, size: float, rows: int | None = None) -> list[str]:
    """Lines of the corpus from ``start`` (words in English, characters in Chinese), as many as a page holds."""
    from PIL import ImageFont

    room = WIDTH - 2 * MARGIN
    count = rows or int((HEIGHT - 2 * MARGIN) / (size * STEP[language]))
    text = _words(language)
    if language == "zh":
        width = int(room / size)
        text = text[start:] + text[:start]
        return [text[at * width : (at + 1) * width] for at in range(count) if text[at * width :]]
    font: ImageFont.FreeTypeFont = _font("en", 10 * size)
    words = text.split()
    words = words[start:] + words[:start]
    out, line = [], ""
    for word in words:
        if font.getlength(f"{line} {word}") > 10 * room:
            out.append(line)
            line = word
            if len(out) == count:
                return out
        else:
            line = f"{line} {word}".strip()
    return [*out, line]


def scan(look: Look, seed: int, rows: int | None = None) -> Scan:
    """One page. Raises InputRejected ``no_font``."""
    from PIL import Image, ImageDraw, ImageFilter

    rng = random.Random(seed)
    noise = np.random.default_rng(seed)
    lines = page_lines(look.language, rng.randrange(600), look.size, rows)
    pixels = look.dots / 72
    image = Image.new("L", (round(WIDTH * pixels), round(HEIGHT * pixels)), 252)
    pen = ImageDraw.Draw(image)
    font = _font(look.language, look.size * pixels)
    for row, line in enumerate(lines):
        pen.text((MARGIN * pixels, (MARGIN + row * look.size * STEP[look.language]) * pixels), line, font=font, fill=20)
    if look.blur:
        image = image.filter(ImageFilter.GaussianBlur(look.blur * look.size * pixels))
    if look.skew:
        image = image.rotate(look.skew, Image.Resampling.BICUBIC, fillcolor=252)
    values = np.asarray(image, np.float64)
    values = values - look.shade * np.linspace(0, 1, values.shape[1])[None, :]
    values = values + noise.normal(0, look.noise, values.shape) if look.noise else values
    if look.specks:
        where = noise.random(values.shape) < look.specks
        values = np.where(where, noise.choice((0.0, 255.0), values.shape), values)
    image = Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))
    image = image.rotate(look.turn, expand=True)
    out = BytesIO()
    image.save(out, "PDF", resolution=look.dots, quality=80)
    return Scan(look, "\n".join(lines), out.getvalue())


GOOD: tuple[Look, ...] = (
    Look("en", 200), Look("zh", 200, 12), Look("en", 200, skew=1.5, noise=12), Look("zh", 200, 12, skew=-1.5, noise=12),
    Look("en", 300, turn=90, noise=20), Look("zh", 300, 10.5, turn=90, noise=20),
    Look("en", 150, turn=180, specks=0.004), Look("zh", 150, 14, turn=180, specks=0.004),
    Look("en", 200, skew=3.0, turn=270, noise=8, shade=40), Look("zh", 200, 12, skew=3.0, turn=270, noise=8, shade=40),
    Look("en", 200, 9, skew=-0.7, noise=16, specks=0.002), Look("zh", 200, 10.5, skew=0.7, noise=16, specks=0.002),
)  # fmt: skip
"""Twelve pages that are read: noise, specks, shade, askew by up to three degrees, every quarter turn, both languages."""

BAD: tuple[Look, ...] = (
    Look("en", 200, blur=0.13), Look("zh", 200, 12, blur=0.13), Look("en", 200, blur=0.18), Look("zh", 200, 12, blur=0.18),
    Look("en", 90), Look("zh", 90, 12), Look("en", 90, blur=0.08), Look("zh", 90, 12, blur=0.08),
    Look("en", 90, 10, noise=25), Look("zh", 90, 10.5, noise=25),
    Look("en", 90, blur=0.14, skew=1.0), Look("zh", 90, 12, blur=0.14),
)  # fmt: skip
"""Twelve pages that must be held: blurred, at 90 dots an inch, or both."""
