"""How Word writes the number of a list level: the formats of ``w:numFmt`` (ISO/IEC 29500-1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable

from compliance_rag.parse.numerals import chinese_numeral
from compliance_rag.parse.readers.counters import roman

# Word prints no numeral of a list beyond this; it also keeps a hostile start value from printing megabytes of letters.
MAX_COUNT = 32_767
_ONE_NAMES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen"
)
_TEN_NAMES = "_ _ twenty thirty forty fifty sixty seventy eighty ninety"
_ONES, _TENS = _ONE_NAMES.split(), _TEN_NAMES.split()
_ORDINAL_WORDS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_CHICAGO = "*†‡§"


def _letter(alphabet: str) -> Callable[[int], str]:
    """a … z, aa, bb … zz, aaa …: the letter repeated, as Word does it."""

    def write(value: int) -> str:
        return alphabet[(value - 1) % len(alphabet)] * ((value - 1) // len(alphabet) + 1) if value > 0 else ""

    return write


def _run(characters: str) -> Callable[[int], str]:
    """One sign each as far as they go, then decimals."""
    return lambda value: characters[value - 1] if 1 <= value <= len(characters) else str(value)


def _digits(signs: str) -> Callable[[int], str]:
    """Positional with these ten signs."""
    return lambda value: "".join(signs[int(digit)] for digit in str(max(value, 0)))


def cardinal(value: int) -> str:
    """An integer below a million in English words."""
    if value < 20:
        return _ONES[max(value, 0)]
    if value < 100:
        return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if value >= size:
            return f"{cardinal(value // size)} {name}" + (f" {cardinal(value % size)}" if value % size else "")
    return str(value)


def _ordinal_text(value: int) -> str:
    words = cardinal(value)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    ended = _ORDINAL_WORDS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return words[:cut] + ended


def _ordinal(value: int) -> str:
    tail = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{tail}"


def _counting(value: int) -> str:
    """十一, 二十, 九十九; positional with ○ from a hundred on."""
    return chinese_numeral(value) if 0 < value < 100 else _digits("○一二三四五六七八九")(value)


def _thousands(value: int) -> str:
    return chinese_numeral(value) if 0 < value < 10_000 else _digits("○一二三四五六七八九")(value)


def _formal(digits: str, units: str) -> Callable[[int], str]:
    """The numerals of cheques and deeds: 壹拾贰, 壹佰零叁."""

    def write(value: int) -> str:
        if not 0 < value < 10_000:
            return str(value)
        plain = chinese_numeral(value)
        plain = "一" + plain if plain.startswith("十") else plain
        return plain.translate(str.maketrans("零一二三四五六七八九十百千", digits + units))

    return write


def _japanese(value: int) -> str:
    """十, 百, 千 without a one before them and without zeros."""
    plain = _thousands(value).replace("零", "")
    return plain.replace("一百", "百").replace("一千", "千") if value < 10_000 else plain


def _zodiac(value: int) -> str:
    return _STEMS[(value - 1) % 10] + _BRANCHES[(value - 1) % 12] if value > 0 else str(value)


def _chicago(value: int) -> str:
    return _CHICAGO[(value - 1) % 4] * ((value - 1) // 4 + 1) if value > 0 else ""


def _wide(value: int) -> str:
    return _digits("０１２３４５６７８９")(value)


def _signs(first: int, count: int) -> str:
    return "".join(chr(first + index) for index in range(count))


_CIRCLED = _signs(0x2460, 20) + _signs(0x3251, 15) + _signs(0x32B1, 15)
_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalHalfWidth": str,
    "decimalZero": lambda value: f"{value:02d}",
    "upperRoman": lambda value: roman(value).upper(),
    "lowerRoman": roman,
    "upperLetter": _letter("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "lowerLetter": _letter("abcdefghijklmnopqrstuvwxyz"),
    "ordinal": _ordinal,
    "cardinalText": lambda value: cardinal(value).capitalize(),
    "ordinalText": lambda value: _ordinal_text(value).capitalize(),
    "hex": lambda value: f"{value:X}",
    "chicago": _chicago,
    "none": lambda value: "",
    "numberInDash": lambda value: f"- {value} -",
    "decimalFullWidth": _wide,
    "decimalFullWidth2": _wide,
    "decimalEnclosedCircle": _run(_CIRCLED),
    "decimalEnclosedCircleChinese": _run(_CIRCLED),
    "decimalEnclosedFullstop": _run(_signs(0x2488, 20)),
    "decimalEnclosedParen": _run(_signs(0x2474, 20)),
    "ideographEnclosedCircle": _run(_signs(0x3280, 10)),
    "ideographDigital": _digits("○一二三四五六七八九"),
    "japaneseDigitalTenThousand": _digits("〇一二三四五六七八九"),
    "taiwaneseDigital": _digits("○一二三四五六七八九"),
    "koreanDigital2": _digits("零一二三四五六七八九"),
    "chineseCounting": _counting,
    "taiwaneseCounting": _counting,
    "chineseCountingThousand": _thousands,
    "taiwaneseCountingThousand": _thousands,
    "japaneseCounting": _japanese,
    "chineseLegalSimplified": _formal("零壹贰叁肆伍陆柒捌玖", "拾佰仟"),
    "ideographLegalTraditional": _formal("零壹貳參肆伍陸柒捌玖", "拾佰仟"),
    "ideographTraditional": _run(_STEMS),
    "ideographZodiac": _run(_BRANCHES),
    "ideographZodiacTraditional": _zodiac,
    "russianLower": _letter("абвгдежзиклмнопрстуфхцчшщыэюя"),
    "russianUpper": _letter("АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ"),
    "ganada": _run("가나다라마바사아자차카타파하"),
    "chosung": _run("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
    "aiueoFullWidth": _letter("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"),
    "irohaFullWidth": _letter(
        "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
    ),
}


def known_format(name: str) -> bool:
    """True when :func:`format_number` writes this format itself and not as a decimal."""
    return name in _FORMATS or name == "custom"


def format_number(value: int, name: str, pattern: str = "") -> str:
    """``value`` as the format ``name`` writes it; an unknown format gives decimals (see :func:`known_format`). ``pattern``: the
    sample of a custom format (``001, 002, 003, ...``), of which the width counts."""
    value = max(-MAX_COUNT, min(MAX_COUNT, value))
    if name == "custom":
        first = pattern.split(",", 1)[0].strip()
        return f"{value:0{len(first)}d}" if first.isascii() and first.isdigit() and len(first) <= 9 else str(value)
    return _FORMATS.get(name, str)(value)
