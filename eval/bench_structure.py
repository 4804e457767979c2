"""How fast bytes become an outline, per core, and that the cost stays linear: `python -m eval.bench_structure [DATA]`.

Figures of the outline, and of its links beside them: characters a second on real texts (where ``data`` holds any), seconds for
a Chinese contract of 50,000 characters, and time(2n)/time(n) up to 5 MB on ordinary texts and twelve hostile alphabets. Times
are processor seconds of one core, the best of several runs, so that a busy machine does not change them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from compliance_rag.parse.parse import parse_version
from compliance_rag.structure.analyse import analyse

# The floors of the issue, per core.
FLOOR_CHARS_A_SECOND = 500_000
CONTRACT_CHARS = 50_000
CONTRACT_SECONDS = 0.1
MAX_RATIO = 2.3
# Sizes at which the growth is measured; the last is the 5 MB.
SIZES = (1_250_000, 2_500_000, 5_000_000)
HOSTILE_SIZES = (100_000, 200_000, 400_000)
RUNS = 2
# A shorter time is below what the clock tells apart.
SHORTEST = 0.02
# Real texts measured; more say nothing new.
REAL_CHARS = 2_000_000

_EN = (
    "{n}. Duties of the parties\n{n}.1 The supplier shall keep the records described in clause {n}.2 for seven years, subject"
    " to section 4.\n{n}.2 Each record shall state:\n(a) the day of the delivery;\n(b) the goods; and\n(c) who took them.\n"
    '{n}.3 "Record {n}" means any note of a delivery, except as provided in clause {n}.1.\n'
)
_ZH = (
    "第{z}条 甲方应当在收到货物之日起三十日内支付价款，但依照第四条规定可以顺延的除外；逾期支付的，每逾期一日应当按照"
    "未付款项的万分之五向乙方支付违约金，违约金不足以弥补乙方损失的，甲方还应当赔偿其差额部分。\n"
    "有下列情形之一的，乙方可以书面通知甲方解除合同，并有权要求甲方承担因此发生的全部费用：\n"
    "（一）甲方逾期付款超过六十日，经乙方书面催告后仍未在合理期限内支付的；\n"
    "（二）甲方违反前款规定，擅自将货物转让、出租、抵押或者以其他方式处分的；\n"
    "（三）法律、行政法规另有规定，或者双方在补充协议中另有约定的其他情形。\n"
)
_PART_EN = "PART {n}\nSUPPLY OF GOODS\n"
_PART_ZH = "第{z}编　货物买卖\n"
ALPHABETS: dict[str, str] = {
    "digits": "1234567890", "dots": "1.1.1.1.", "spaces": "      ", "brackets": "((((", "closing": "))(a)(",
    "list": "(a)\n(i)\n1.\n",
    "numbers": "1. ", "cites": "section 1, 2 and 3(a) to ", "capitals": "AAAA BBBB\n", "chinese": "第一条第二款",
    "quotes": '"A" means "',
    "nested": "1. (a) (i) (A) ",
}  # fmt: skip
"""Twelve alphabets that drive a careless pattern or search to quadratic time."""


# Numbers restart in each part, as in any code of law: no rule is numbered past four digits.
CLAUSES_A_PART = 1_000


def text_of(template: str, size: int) -> str:
    """``size`` characters of numbered clauses, in parts."""
    parts: list[str] = []
    length = number = 0
    heading = _PART_ZH if template is _ZH else _PART_EN
    while length < size:
        part, within = divmod(number, CLAUSES_A_PART)
        number += 1
        if not within:
            parts.append(heading.format(n=part + 1, z=_numeral(part + 1)))
        parts.append(template.format(n=within + 1, z=_numeral(within + 1)))
        length += len(parts[-1])
    return "".join(parts)[:size]


def hostile(name: str, size: int) -> str:
    """``size`` characters of a hostile alphabet, after a word: a text of white space alone is refused."""
    unit = ALPHABETS[name]
    return ("Terms " + unit * (size // len(unit) + 1))[:size]


def _numeral(number: int) -> str:
    from compliance_rag.parse.numerals import chinese_numeral

    return chinese_numeral(number)


def seconds(text: str, name: str = "a.txt") -> tuple[float, float]:
    """The shortest of several runs from bytes to the outline, and from there to its links."""
    data = text.encode()
    outline, links = [], []
    for _ in range(RUNS):
        start = time.process_time()
        parsed = parse_version(data, name)
        read = time.process_time()
        analyse(parsed, doc_id="d", title=None)
        outline.append(read - start)
        links.append(time.process_time() - read)
    return min(outline), min(links)


def growth(make: Callable[[int], str], sizes: tuple[int, ...]) -> dict[str, Any]:
    """Seconds at each size and the largest time(2n)/time(n), of the outline and of its links."""
    times = [seconds(make(size)) for size in sizes]
    return {
        "seconds": [round(outline, 3) for outline, _ in times],
        "links_seconds": [round(links, 3) for _, links in times],
        "ratio": round(max(_ratios([outline for outline, _ in times])), 2),
        "links_ratio": round(max(_ratios([links for _, links in times])), 2),
        "chars_a_second": round(sizes[-1] / times[-1][0]),
    }


def _ratios(times: list[float]) -> list[float]:
    return [after / max(before, SHORTEST) for before, after in pairwise(times)]


def real(data: Path) -> dict[str, Any]:
    """Characters a second on real texts, by suffix."""
    out: dict[str, Any] = {}
    for suffix in (".txt", ".md", ".xml"):
        chars, taken, links = 0, 0.0, 0.0
        for path in sorted(data.rglob(f"*{suffix}")):
            if chars > REAL_CHARS:
                break
            text = path.read_bytes().decode("utf-8", "replace")
            chars += len(text)
            start = time.process_time()
            parsed = parse_version(path.read_bytes(), path.name)
            taken += time.process_time() - start
            start = time.process_time()
            analyse(parsed, doc_id="d", title=None)
            links += time.process_time() - start
        if chars:
            rates = {"chars_a_second": round(chars / taken), "with_links": round(chars / (taken + links))}
            out[suffix] = {"chars": chars, **rates}
    return out


def measure(data: Path | None = None) -> dict[str, Any]:
    """All figures, and ``failing``: those under their floor."""
    report: dict[str, Any] = {
        "contract_s": round(seconds(text_of(_ZH, CONTRACT_CHARS))[0], 3),
        "english": growth(lambda size: text_of(_EN, size), SIZES),
        "chinese": growth(lambda size: text_of(_ZH, size), SIZES),
        "hostile": {name: growth(partial(hostile, name), HOSTILE_SIZES) for name in ALPHABETS},
    }
    if data is not None:
        report["real"] = real(data)
    rates = {name: report[name]["chars_a_second"] for name in ("english", "chinese")}
    rates |= {name: item["chars_a_second"] for name, item in report.get("real", {}).items()}
    ratios = {name: report[name]["ratio"] for name in ("english", "chinese")}
    ratios |= {f"{name} links": report[name]["links_ratio"] for name in ("english", "chinese")}
    for name, item in report["hostile"].items():
        ratios |= {f"hostile {name}": item["ratio"], f"hostile {name} links": item["links_ratio"]}
    report["failing"] = {
        **{f"{name} chars/s": rate for name, rate in rates.items() if rate < FLOOR_CHARS_A_SECOND},
        **{f"{name} ratio": ratio for name, ratio in ratios.items() if ratio > MAX_RATIO},
        **({"contract_s": report["contract_s"]} if report["contract_s"] > CONTRACT_SECONDS else {}),
    }
    return report


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(Path(sys.argv[1]) if len(sys.argv) > 1 else None), indent=1) + "\n")
