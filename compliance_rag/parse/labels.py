"""Number labels: the one module that reads and prints them.

A *label* is what stands printed at a clause (`(iii)`, `4.1.1(1)`, `ARTICLE VI`, `第一百二十条之一`); a *number* is the full
number as cited; a *path token* is one step of it. A label may have several *readings* (`(i)`: letter or Roman numeral), which
the outline tells apart by the sequence they stand in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from compliance_rag.parse.numerals import (
    ZH_NUMERAL,
    chinese_int,
    chinese_numeral,
    circled_int,
    letter_int,
    narrow,
    roman_int,
)

# Labels with more steps do not occur; the limit keeps reading linear on hostile text such as "1.1.1.1…".
MAX_TOKENS = 16
# No printed label is longer, words included ("8.3.6.Guidance on Politically Exposed Persons (PEPs) and corruption.1.").
MAX_LABEL = 120
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"
"""Characters that print nothing and may stand before a label."""

CONTAINERS = {
    "book": 5, "title": 8, "part": 10, "division": 12, "subpart": 14, "chapter": 20, "subchapter": 24, "section-group": 30,
    "schedule": 2, "annex": 2, "appendix": 2, "exhibit": 2, "attachment": 2,
}  # fmt: skip
"""Container kinds with their usual rank, outermost lowest."""
ANNEXES = frozenset({"schedule", "annex", "appendix", "exhibit", "attachment"})
_WORDS = {
    "book": "book", "title": "title", "part": "part", "division": "division", "subpart": "subpart", "chapter": "chapter",
    "subchapter": "subchapter", "schedule": "schedule", "annex": "annex", "annexure": "annex", "appendix": "appendix",
    "app": "appendix", "exhibit": "exhibit", "attachment": "attachment", "article": "article", "art": "article",
    "section": "section", "sec": "section", "rule": "rule", "clause": "clause", "§": "section", "§§": "section",
    "paragraph": "clause",
}  # fmt: skip
_ZH_KINDS = {
    "编": "part", "篇": "part", "分编": "subpart", "部分": "part", "章": "chapter", "节": "section-group", "条": "article",
    "款": "款", "项": "项", "目": "目",
}  # fmt: skip
_ZH_ANNEX = {"附录": "appendix", "附件": "annex", "附表": "schedule"}


@dataclass(frozen=True, slots=True)
class Token:
    """One step of a number. ``key`` is the path token, ``shown`` what a citation prints, ``joint`` how it joins the number
    before it (``.``, ``(``, ``zh`` or a space), ``value`` and ``suffix`` its place in running order."""

    key: str
    shown: str
    joint: str
    value: int
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """One reading of a label. ``style`` is equal for labels of one list; ``kind`` is a container kind, ``article``,
    ``section``, ``rule``, ``clause`` or ``item``; ``containers`` are the container steps printed in front (`Part 1.Chapter 2`);
    ``absolute``: the label prints its parents' numbers too; ``end`` is the offset after the label in the text read;
    ``bare``: digits without any mark, the weakest of labels; ``tight``: text follows without a space."""

    style: str
    kind: str
    tokens: tuple[Token, ...]
    end: int
    absolute: bool = False
    containers: tuple[tuple[str, Token], ...] = ()
    bare: bool = False
    tight: bool = False

    @property
    def container(self) -> bool:
        return self.kind in CONTAINERS


_NAMED = re.compile(
    r"(?P<word>books?|title|part|division|subpart|chapter|subchapter|schedule|annex(?:ure)?|appendix|app(?=\.? ?\d)|exhibit"
    r"|attachment|article|art(?=\. ?\d)|section|sec(?=\.)|rule|clause|paragraph|§§?)(?P<dot>\.?)(?P<gap>[ \t]*)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?P<pre>[A-Z]{1,2}(?=\d))?(?P<num>\d{1,4})(?P<suf>[A-Z]{1,2}(?![A-Za-z])|-\d{1,2}(?=[\s.(:]|\Z))?(?![\d,%])")
_LETTERS = re.compile(r"[A-Za-z]{1,5}(?![A-Za-z0-9'’])")
_BRACKET = re.compile(rf"[(\[]\s?(?:(?P<num>\d{{1,4}})(?P<suf>[A-Za-z]{{1,2}}|-\d{{1,2}})?|(?P<let>[A-Za-z]{{1,5}})|(?P<zh>[{ZH_NUMERAL}]{{1,7}}))\s?[)\]]")
_WORDSEG = re.compile(r"\.(?P<word>[A-Z][A-Za-z_][\w ()\-/,'’]{1,80}?) ?(?=(?:\.[A-Z]\w+)?\.(?:\d|\()|\t|\.\t)")
_WORDEND = re.compile(r"\.(?P<word>[A-Z][a-z_]{3,24})\s*\Z")
_ZH = re.compile(
    rf"第\s?(?P<num>[{ZH_NUMERAL}]{{1,9}}|\d{{1,4}})\s?(?P<unit>分编|部分|[编篇章节条款项目])(?:之(?P<zhi>[{ZH_NUMERAL}]{{1,3}}|\d{{1,2}})(?![{ZH_NUMERAL}年日]))?"
)
_ZH_ITEM = re.compile(rf"第?\(\s?(?P<num>[{ZH_NUMERAL}]{{1,5}}|\d{{1,3}})\s?\)(?P<unit>[项目])?")
_ZH_LIST = re.compile(rf"(?P<num>[{ZH_NUMERAL}]{{1,5}})(?P<mark>[、.]|,(?=\s))")
_ZH_ATTACH = re.compile(rf"(?P<word>附录|附件|附表)\s?(?P<num>[{ZH_NUMERAL}]{{1,4}}(?=[\s:.、]|\Z)|\d{{1,3}}|[A-Z](?![A-Za-z]))?(?=[\s:.、\u3000]|\Z|[^\x00-\x7f])")


def _number_token(num: str, suf: str | None, joint: str, prefix: str | None = None) -> Token:
    suffix = (suf or "").lstrip("-").upper() if suf else ""
    dash = "-" if suf and suf.startswith("-") else ""
    shown = f"{prefix or ''}{int(num)}{dash}{suffix if suf else ''}"
    return Token(shown.lower(), shown, joint, int(num), dash + suffix)


def _letter_tokens(word: str, joint: str) -> list[tuple[str, Token]]:
    """Readings of a letter label as (form, token); forms ``a`` ``A`` ``i`` ``I``."""
    upper = word.isupper()
    readings = []
    as_letter, as_roman = letter_int(word), roman_int(word)
    if as_letter is not None:
        readings.append(("A" if upper else "a", Token(word.lower(), word, joint, as_letter)))
    if as_roman is not None:
        readings.append(("I" if upper else "i", Token(word.lower(), word, joint, as_roman)))
    return readings


def _bracket_tokens(match: re.Match[str]) -> list[tuple[str, Token]]:
    if match["num"]:
        return [("1", _number_token(match["num"], match["suf"], "("))]
    if match["zh"]:
        value = chinese_int(match["zh"])
        return [] if value is None else [("一", Token(str(value), f"（{match['zh']}）", "zh", value))]
    return _letter_tokens(match["let"], "(")


def _named_value(text: str, pos: int) -> tuple[Token, int] | None:
    """The ordinal of a named label (Part IV, Schedule A, Rule 3) with the offset after it; Roman and digits are one value."""
    number = _ORDINAL.match(text, pos)
    if number:
        return _number_token(number["num"], number["suf"], " ", number["pre"]), number.end()
    letters = _LETTERS.match(text, pos)
    if letters and letters[0].isupper():
        word = letters[0]
        roman = roman_int(word)
        if roman is not None and not (len(word) == 1 and word in "CDLM"):
            return Token(str(roman), word, " ", roman), letters.end()
        letter = letter_int(word)
        if letter is not None and len(word) == 1:
            return Token(word.lower(), word, " ", letter), letters.end()
    return None


def _closed(text: str, pos: int) -> tuple[int, bool]:
    """Offset after closing marks (`.`, `:`, a dash is left alone), and whether white space or the end follows."""
    while pos < len(text) and text[pos] in ".:":
        pos += 1
    return pos, pos >= len(text) or text[pos].isspace()


def read_labels(text: str) -> tuple[Label, ...]:
    """All readings of the label at the very start of ``text`` (at most ``MAX_LABEL`` code points are looked at); empty when
    there is none. The likeliest reading by form alone comes first."""
    window = narrow(text[:MAX_LABEL].split("\n", 1)[0])
    if not window:
        return ()
    head = window[0]
    if head.isdecimal():
        return _read_decimal(window, text) + _read_zh_list(window)
    if head in "([":
        return _read_bracket(window)
    if head == "第" or head == "附":
        return _read_chinese(window)
    if head in ZH_NUMERAL:
        return _read_zh_list(window)
    if head.isascii() and (head.isalpha()):
        return _read_named(window) or _read_lettered(window)
    if head == "§":
        return _read_named(window)
    circled = circled_int(text[0])
    if circled is not None:
        style = "①" if ord(text[0]) < 0x2474 else "(1)" if ord(text[0]) < 0x2488 else "1." if ord(text[0]) < 0x3220 else "(一)"
        return (Label(style, "item", (Token(str(circled), text[0], "zh", circled),), 1),)
    return ()


def _segments(window: str, pos: int, tokens: list[list[Token]]) -> int:
    """Append further steps (`.2`, `(a)`, `.Guidance`) as alternatives per step; the offset after them."""
    while len(tokens) < MAX_TOKENS:
        bracket = _BRACKET.match(window, pos + (window[pos : pos + 1] == "."))
        if bracket and (bracket["num"] or bracket["let"]):
            found = [token for _, token in _bracket_tokens(bracket)]
            if found:
                tokens.append(found)
                pos = bracket.end()
                continue
        if window[pos : pos + 1] != ".":
            break
        number = _ORDINAL.match(window, pos + 1)
        if number and not number["pre"]:
            tokens.append([_number_token(number["num"], number["suf"], ".")])
            pos = number.end()
            continue
        word = _WORDSEG.match(window, pos) or (_WORDEND.match(window, pos) if len(tokens) > 1 else None)
        if word:
            name = " ".join(word["word"].replace("_", " ").split())
            tokens.append([Token("-".join(re.findall(r"\w+", name.lower())), name, ".", 0)])
            pos = word.end()
            continue
        letters = _LETTERS.match(window, pos + 1)
        if letters and len(letters[0]) <= 3 and window[letters.end() : letters.end() + 1] in (".", "\t"):
            found = [token for _, token in _letter_tokens(letters[0], ".")]
            if found:
                tokens.append(found)
                pos = letters.end()
                continue
        break
    return pos


def _variants(steps: list[list[Token]]) -> list[tuple[Token, ...]]:
    """The steps as printed, once for each reading of the last one (a letter or a Roman numeral)."""
    before = tuple(step[0] for step in steps[:-1])
    return [(*before, last) for last in steps[-1]] if steps else []


def _absolutes(kind: str, steps: list[list[Token]], end: int, **more: Any) -> tuple[Label, ...]:
    return tuple(Label("dec", kind, path, end, absolute=True, **more) for path in _variants(steps))


def _read_decimal(window: str, text: str) -> tuple[Label, ...]:
    number = _ORDINAL.match(window)
    if not number or number["pre"]:
        return ()
    tokens = [[_number_token(number["num"], number["suf"], ".")]]
    pos = _segments(window, number.end(), tokens)
    path = tuple(step[0] for step in tokens)
    follow = window[pos : pos + 1]
    if follow == ")" and len(path) == 1:
        return (Label("1)", "item", path, pos + 1),)
    if follow == "、" and len(path) == 1:
        return (Label("1、", "item", path, pos + 1),)
    end, open_end = _closed(window, pos)
    if end == pos and not open_end:
        wide = ord(window[pos]) > 0x2E7F and window[pos] not in ZH_NUMERAL + "年月日个元名人条款项倍％天周号家小时万亿级次"
        if not (wide and len(path) > 1):
            return ()
        return _absolutes("clause", tokens, pos, tight=True)
    if not open_end and (window[end].isdigit() or (window[end].isalpha() and window[end].islower())):
        return ()
    if len(path) == 1:
        return (Label("1.", "item", path, end, bare=end == pos, tight=not open_end),)
    return _absolutes("clause", tokens, end, tight=not open_end)


def _read_bracket(window: str) -> tuple[Label, ...]:
    match = _BRACKET.match(window)
    if not match:
        return ()
    end = match.end()
    end += window[end : end + 1] == "."
    tight = end < len(window) and not window[end].isspace()
    if tight and window[end] in "-–'’/,;)":
        return ()
    return tuple(Label(f"({form})", "item", (token,), end, tight=tight) for form, token in _bracket_tokens(match))


def _read_lettered(window: str) -> tuple[Label, ...]:
    """`A.` `b)` `iv.` and lettered absolutes `D.1.2`, `A9.2.1`."""
    coded = _ORDINAL.match(window)
    if coded and coded["pre"]:
        tokens = [[_number_token(coded["num"], coded["suf"], ".", coded["pre"])]]
        pos = _segments(window, coded.end(), tokens)
        end, open_end = _closed(window, pos)
        if open_end and len(tokens) > 1:
            return _absolutes("clause", tokens, end)
        return ()
    letters = _LETTERS.match(window)
    if not letters:
        return ()
    word, pos = letters[0], letters.end()
    readings = _letter_tokens(word, ".")
    if not readings or pos >= len(window):
        return ()
    if window[pos] == ")":
        return tuple(Label(f"{form})", "item", (Token(t.key, t.shown, "(", t.value),), pos + 1) for form, t in readings)
    steps: list[list[Token]] = [[readings[0][1]]]
    after = _segments(window, pos, steps)
    end, open_end = _closed(window, after)
    if len(steps) > 1:
        return _absolutes("clause", steps, end) if open_end else ()
    if window[pos] != "." or not open_end:
        return ()
    return tuple(Label(f"{form}.", "item", (t,), end) for form, t in readings)


def _read_named(window: str) -> tuple[Label, ...]:
    """`Section 7(b)(iii)`, `ARTICLE VI`, `Schedule 1.Part 2.Chapter 1.5.(1)`, `PART 2.3.1.1.(1)`, `Annex`."""
    containers: list[tuple[str, Token]] = []
    pos = 0
    while len(containers) < MAX_TOKENS:
        named = _NAMED.match(window, pos)
        if not named:
            break
        kind = _WORDS[named["word"].lower().removesuffix("s") if named["word"].lower() == "books" else named["word"].lower()]
        found = _named_value(window, named.end()) if named["gap"] or named["dot"] or window[named.end() : named.end() + 1].isdigit() else None
        if found is None:
            return _unnumbered_annex(window, named, kind) if not containers else ()
        token, pos = found
        containers.append((kind, token))
        step = re.match(r"\s?\.\s?", window[pos:])
        if step and _NAMED.match(window, pos + step.end()):
            pos += step.end()
            continue
        break
    if not containers:
        return ()
    steps: list[list[Token]] = []
    kind, token = containers[-1]
    gap = re.match(r" (?=\.)", window[pos:])
    pos = _segments(window, pos + (gap.end() if gap else 0), steps)
    coded = re.match(r"\.(?=[A-Z]{1,2}\d)", window[pos:]) if not steps else None
    if coded and (number := _ORDINAL.match(window, pos + 1)):
        steps.append([_number_token(number["num"], number["suf"], ".", number["pre"])])
        pos = _segments(window, number.end(), steps)
    elif not steps and (lettered := re.match(r"\.(?=[A-Z]\.)", window[pos:])):
        steps.append([_letter_tokens(window[pos + 1], ".")[0][1]])
        pos = _segments(window, pos + lettered.end() + 1, steps)
    end, open_end = _closed(window, pos)
    if not open_end and window[end] not in "—–-":
        return ()
    return _named_label(containers, kind, token, steps, end)


def _named_label(
    containers: list[tuple[str, Token]], kind: str, token: Token, steps: list[list[Token]], end: int
) -> tuple[Label, ...]:
    if kind not in CONTAINERS:
        first = Token(token.key, token.shown, " " if kind == "article" else ".", token.value, token.suffix)
        if steps:
            return _absolutes(kind, [[first], *steps], end, containers=tuple(containers[:-1]))
        return (Label(kind, kind, (first,), end, containers=tuple(containers[:-1])),)
    if steps:
        return _absolutes("clause", steps, end, containers=tuple(containers))
    word = Token(f"{kind}-{token.key}", f"{kind.capitalize()} {token.shown}", " ", token.value, token.suffix)
    return (Label(kind, kind, (word,), end, containers=tuple(containers[:-1])),)


def _unnumbered_annex(window: str, named: re.Match[str], kind: str) -> tuple[Label, ...]:
    word = named["word"]
    rest = window[named.end() :].strip(" .:")
    if kind not in ANNEXES or rest or not word[0].isupper():
        dotted = re.match(r"(?:ANNEX|Annex|SCHEDULE|Schedule|APPENDIX|Appendix)\.", window)
        if not (dotted and kind in ANNEXES):
            return ()
        steps: list[list[Token]] = []
        pos = _segments(window, dotted.end() - 1, steps)
        end, open_end = _closed(window, pos)
        bare = Token(kind, kind.capitalize(), " ", 0)
        if not steps or not open_end:
            return ()
        return _absolutes("clause", steps, end, containers=((kind, bare),))
    end = named.end() if not named["gap"] else named.end() - len(named["gap"])
    return (Label(kind, kind, (Token(kind, kind.capitalize(), " ", 0),), end),)


def _zh_token(match: re.Match[str]) -> Token | None:
    value = int(match["num"]) if match["num"].isdigit() else chinese_int(match["num"])
    if value is None:
        return None
    suffix = ""
    if "zhi" in match.re.groupindex and match["zhi"]:
        extra = int(match["zhi"]) if match["zhi"].isdigit() else chinese_int(match["zhi"])
        suffix = f"-{extra}"
    unit = match["unit"] or ""
    kind = _ZH_KINDS.get(unit, "")
    key = f"{value}{suffix}"
    if kind in CONTAINERS:
        key = f"{'section' if kind == 'section-group' else kind}-{key}"
    return Token(key, re.sub(r"\s", "", match[0]), "zh", value, suffix)


def _read_chinese(window: str) -> tuple[Label, ...]:
    attach = _ZH_ATTACH.match(window)
    if attach:
        kind = _ZH_ANNEX[attach["word"]]
        raw = attach["num"]
        value = 0 if not raw else int(raw) if raw.isdigit() else chinese_int(raw) or letter_int(raw) or 0
        key = kind if not raw else f"{kind}-{raw.lower() if raw.isalpha() and raw.isascii() else value}"
        end, open_end = _closed(window, attach.end())
        return (Label(kind, kind, (Token(key, re.sub(r"\s", "", attach[0]), "zh", value),), end, tight=not open_end),)
    match = _ZH.match(window)
    token = _zh_token(match) if match else None
    if match is None or token is None:
        return ()
    kind, end = _ZH_KINDS[match["unit"]], match.end()
    steps = [token]
    while kind in ("article", "款", "项") and len(steps) < 4:
        deeper = _ZH.match(window, end) or _ZH_ITEM.match(window, end)
        step = _zh_token(deeper) if deeper and deeper["unit"] in ("款", "项", "目") else None
        if deeper is None or step is None:
            break
        steps.append(step)
        end = deeper.end()
    if kind in ("款", "项", "目"):
        return ()
    tight = end < len(window) and not window[end].isspace() and window[end] not in ":【《(["
    style = "第条" if kind == "article" else kind
    return (Label(style, kind, tuple(steps), end, absolute=len(steps) > 1, tight=tight),)


def _read_zh_list(window: str) -> tuple[Label, ...]:
    match = _ZH_LIST.match(window)
    if not match:
        return ()
    value = chinese_int(match["num"])
    if value is None or value == 0:
        return ()
    return (Label("一、", "item", (Token(str(value), match["num"], "zh", value),), match.end()),)


def follows(before: Token, after: Token) -> bool:
    """True when ``after`` is the next number: 2→3, 28→28A, 28A→28AA, 28A→28B, 28AA→29, 120→120-1."""
    if after.value == before.value + 1:
        return after.suffix in ("", "A", "-1")
    return after.value == before.value and after.suffix != before.suffix and after.suffix != ""


def join_number(parent: str | None, token: Token, *, list_item: bool = False) -> str:
    """The full number as cited of a step under ``parent``; ``list_item``: a list number under a decimal clause whose own
    sub-clauses print all their steps, so that `2.1` with item `5.` is `2.1(5)`, never to be taken for a clause 2.1.5."""
    if not parent:
        return token.shown if token.joint != "(" else f"({token.shown})"
    if token.joint == "zh" and token.shown[:1] == "（" and parent[-1:] in "条款":
        return f"{parent}第{token.shown}项"
    if token.joint == "zh":
        return f"{parent}{token.shown}"
    if ord(parent[-1]) > 0x2E7F and token.joint == "." and parent[-1] not in "）":
        return f"{parent}、{token.shown}"
    if token.joint == "(" or list_item or token.shown.islower():
        return f"{parent}({token.shown})"
    return f"{parent}.{token.shown}" if parent[-1:].isalnum() or parent[-1:] == ")" else f"{parent}{token.shown}"


def chinese_ordinal(value: int) -> str:
    """The numeral of 第…款 and the like."""
    return chinese_numeral(value)


_CITED_SPLIT = re.compile(r"\s*[,、]\s*")


def read_number(number: str) -> tuple[str, ...]:
    """Path tokens of a number as cited: `4.1.1(1)` -> 4 1 1 1, `D.9` -> d 9, `Article 6(1)(a)` -> 6 1 a,
    `Schedule 1, 3(a)` -> schedule-1 3 a, 第十七条第二款第（三）项 -> 17 2 3. Empty when it is no number."""
    tokens: list[str] = []
    for piece in _CITED_SPLIT.split(number.strip()):
        text = piece.strip()
        while text:
            if text[0] == "." and len(text) > 1:
                text = text[1:]
            found = _read_cited(text)
            if found is None:
                return ()
            keys, length = found
            tokens.extend(keys)
            text = text[length:].strip()
    return tuple(tokens)


def _read_cited(text: str) -> tuple[list[str], int] | None:
    window = narrow(text)
    item = _ZH_ITEM.match(window) if "(" in window[:2] else None
    if item and (item["unit"] or not item["num"].isdigit()):
        token = _zh_token(item)
        return ([token.key], item.end()) if token else None
    plain = _ZH.match(window)
    if plain and plain["unit"] in ("款", "项", "目"):
        token = _zh_token(plain)
        return ([token.key], plain.end()) if token else None
    labels = read_labels(text) or read_labels(text + ".")
    if not labels:
        word = re.match(r"[A-Za-z][\w \-]*", text)
        return ([word[0].strip().lower().replace(" ", "-")], word.end()) if word else None
    label = labels[0]
    keys = [f"{kind}-{token.key}" if token.value or token.key != kind else kind for kind, token in label.containers if kind in CONTAINERS]
    keys += [token.key for token in label.tokens]
    return keys, min(label.end, len(text))
