"""Number labels: the one module that reads and prints them.

A *label* is what stands printed at a clause (`(iii)`, `4.1.1(1)`, `ARTICLE VI`, `第一百二十条之一`); a *number* is the full
number as cited; a *path token* is one step of it. A label may have several *readings* (`(i)`: letter or Roman numeral), which
the outline tells apart by the sequence they stand in.
"""

from __future__ import annotations

import re
from typing import Any

from compliance_rag.parse.labels_zh import ZH_ITEM, ZH_STEP, read_chinese, read_zh_list, zh_token
from compliance_rag.parse.numerals import ZH_NUMERAL, chinese_int, circled_int, letter_int, narrow, roman_int
from compliance_rag.parse.tokens import (
    ANNEXES,
    CONTAINERS,
    INVISIBLE,
    MAX_LABEL,
    MAX_TOKENS,
    Label,
    Token,
    chinese_ordinal,
    closed,
    follows,
    join_number,
    letter_tokens,
    number_token,
)

__all__ = [
    "ANNEXES", "CONTAINERS", "INVISIBLE", "MAX_LABEL", "MAX_TOKENS", "Label", "Token", "chinese_ordinal", "follows",
    "join_number", "read_labels", "read_number",
]  # fmt: skip

_ORDINAL = re.compile(
    r"(?P<pre>[A-Z]{1,2}(?=\d))?(?P<num>\d{1,4})(?P<suf>[A-Z]{1,2}(?![A-Za-z])|-\d{1,2}(?=[\s.(:]|\Z))?(?![\d,%])"
)
# A named section takes its inserted letter in lower case too (`§ 12a`); a bare number does not (`5a` may be a size).
_INSERTED = re.compile(r"(?P<num>\d{1,4})(?P<suf>[a-z])(?=[\s.:(]|\Z)")
_SPELLED = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
    "twenty": 20,
}  # fmt: skip
_SPELLED_NUMBER = re.compile(r"(?:[A-Z]{3,9}|[A-Z][a-z]{2,8})(?=[\s.:—–-]|\Z)(?!-[A-Za-z])")
_WORDS = {
    "book": "book", "title": "title", "part": "part", "division": "division", "subpart": "subpart", "chapter": "chapter",
    "subchapter": "subchapter", "schedule": "schedule", "annex": "annex", "annexure": "annex", "appendix": "appendix",
    "app": "appendix", "exhibit": "exhibit", "attachment": "attachment", "article": "article", "art": "article",
    "section": "section", "sec": "section", "rule": "rule", "clause": "clause", "§": "section", "§§": "section",
    "paragraph": "clause",
}  # fmt: skip
_NAMED = re.compile(
    r"(?P<word>books?|title|part|division|subpart|chapter|subchapter|schedule|annex(?:ure)?|appendix|app(?=\.? ?\d)|exhibit"
    r"|attachment|article|art(?=\. ?\d)|section|sec(?=\.)|rule|clause|paragraph|§§?)(?P<dot>\.?)"
    r"(?P<gap>[ \t]*(?:[-–—][ \t]*(?=(?:\d{1,3}|[IVXL]{1,6})(?:[\s.:]|\Z)))?)",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(\d{1,3})(?:\.\d{1,3}){1,2}(?![\d.])")
# A section whose first subsection opens on its line, as statutes print it: "1.—(1) A person", "1 (1) A", "1(1) A".
_FIRST_INSIDE = re.compile(r"(?:\.?\s?[—–-]{1,2})?(?=\s?\(1\)\s{1,4}[A-Z“\"‘])")
_LETTERS = re.compile(r"[A-Za-z]{1,8}(?![A-Za-z0-9'’])")
_BRACKET = re.compile(
    rf"[(\[]\s?(?:(?P<num>\d{{1,4}})(?P<suf>[A-Za-z]{{1,2}}|-\d{{1,2}})?|(?P<let>[A-Za-z]{{1,8}})|(?P<zh>[{ZH_NUMERAL}]{{1,7}}))\s?[)\]]"
)
# A box with a cross in it is a choice that was made, not the twenty-fourth letter.
_TICKED = re.compile(r"\[\s?[xX]\s?\]|\(\s[xX]\s\)")
_WORDSEG = re.compile(r"\.(?P<word>[A-Z][A-Za-z_][\w ()\-/,'’]{1,80}?) ?(?=(?:\.[A-Z]\w+){0,3}\.(?:\d|\()|\t|\.\t)")
_WORDEND = re.compile(r"\.(?P<word>[A-Z][A-Za-z_]{3,60})\s*\Z")


def _bracket_tokens(match: re.Match[str]) -> list[tuple[str, Token]]:
    if match["num"]:
        return [("1", number_token(match["num"], match["suf"], "("))]
    if match["zh"]:
        value = chinese_int(match["zh"])
        return [] if value is None else [("一", Token(str(value), f"（{match['zh']}）", "zh", value))]
    return letter_tokens(match["let"], "(")


def _named_value(text: str, pos: int, kind: str) -> tuple[Token, int] | None:
    """The ordinal of a named label (Part IV, Schedule A, Rule 3) with the offset after it; Roman and digits are one value."""
    dotted = _DOTTED.match(text, pos) if kind == "exhibit" else None
    if dotted:
        return Token(dotted[0], dotted[0], " ", int(dotted[1])), dotted.end()
    inserted = _INSERTED.match(text, pos) if kind not in CONTAINERS else None
    if inserted:
        shown = inserted[0]
        return Token(shown, shown, " ", int(inserted["num"]), inserted["suf"].upper()), inserted.end()
    number = _ORDINAL.match(text, pos)
    if number:
        return number_token(number["num"], number["suf"], " ", number["pre"]), number.end()
    spelled = _SPELLED_NUMBER.match(text, pos)
    if spelled and (value := _SPELLED.get(spelled[0].lower())):
        return Token(str(value), spelled[0], " ", value), spelled.end()
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


def read_labels(text: str) -> tuple[Label, ...]:
    """All readings of the label at the very start of ``text`` (at most ``MAX_LABEL`` code points are looked at); empty when
    there is none. The likeliest reading by form alone comes first."""
    window = narrow(text[:MAX_LABEL].split("\n", 1)[0])
    if not window:
        return ()
    head = window[0]
    if head.isdecimal():
        return _read_decimal(window, text) + read_zh_list(window)
    if head in "([":
        return _read_bracket(window)
    if head == "第" or head == "附":
        return read_chinese(window)
    if head in ZH_NUMERAL:
        return read_zh_list(window)
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
            tokens.append([number_token(number["num"], number["suf"], ".")])
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
            found = [token for _, token in letter_tokens(letters[0], ".")]
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
    if opened := _FIRST_INSIDE.match(window, number.end()):
        return (Label("1.", "item", (number_token(number["num"], number["suf"], "."),), opened.end()),)
    tokens = [[number_token(number["num"], number["suf"], ".")]]
    pos = _segments(window, number.end(), tokens)
    path = tuple(step[0] for step in tokens)
    follow = window[pos : pos + 1]
    if follow == ")" and len(path) == 1:
        return (Label("1)", "item", path, pos + 1),)
    if follow == "、" and len(path) == 1:
        return (Label("1、", "item", path, pos + 1),)
    end, open_end = closed(window, pos)
    if end == pos and not open_end:
        wide = ord(window[pos]) > 0x2E7F
        # No quantity has three steps: 4.1.1一份 is a number before its words.
        counted = len(path) < 3 and window[pos] in ZH_NUMERAL + "年月日个元名人条款项倍％天周号家小时万亿级次"
        if not wide or counted or len(path) < 2:
            return ()
        return _absolutes("clause", tokens, pos, tight=True)
    if not open_end and (window[end].isdigit() or (window[end].isalpha() and window[end].islower())):
        return ()
    if len(path) == 1:
        return (Label("1.", "item", path, end, bare=end == pos, tight=not open_end),)
    return _absolutes("clause", tokens, end, tight=not open_end)


def _read_bracket(window: str) -> tuple[Label, ...]:
    match = _BRACKET.match(window)
    if not match or _TICKED.match(window):
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
        tokens = [[number_token(coded["num"], coded["suf"], ".", coded["pre"])]]
        pos = _segments(window, coded.end(), tokens)
        end, open_end = closed(window, pos)
        if open_end and len(tokens) > 1:
            return _absolutes("clause", tokens, end)
        return ()
    letters = _LETTERS.match(window)
    if not letters:
        return ()
    word, pos = letters[0], letters.end()
    readings = letter_tokens(word, ".")
    if not readings or pos >= len(window):
        return ()
    if window[pos] == ")":
        return tuple(Label(f"{form})", "item", (Token(t.key, t.shown, "(", t.value),), pos + 1) for form, t in readings)
    steps: list[list[Token]] = [[readings[0][1]]]
    after = _segments(window, pos, steps)
    end, open_end = closed(window, after)
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
        found = (
            _named_value(window, named.end(), kind)
            if named["gap"] or named["dot"] or window[named.end() : named.end() + 1].isdigit()
            else None
        )
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
        steps.append([number_token(number["num"], number["suf"], ".", number["pre"])])
        pos = _segments(window, number.end(), steps)
    elif not steps and (lettered := re.match(r"\.(?=[A-Z]\.)", window[pos:])):
        steps.append([letter_tokens(window[pos + 1], ".")[0][1]])
        pos = _segments(window, pos + lettered.end() + 1, steps)
    end, open_end = closed(window, pos)
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


def _titles_annex(word: str, after: str) -> bool:
    """True for "Schedule: Other materials" and "APPENDIX HOURLY RATES": a title follows the word, set off by a mark or by
    capitals, and no sentence."""
    set_off = re.match(r"\s?[:—–-]\s", after)
    title = after[set_off.end() if set_off else 0 :].strip()
    short = 0 < len(title) <= ANNEX_TITLE and title[0].isupper() and title[-1] not in ".;,:"
    return short and (set_off is not None or (word.isupper() and title.isupper() and title[0].isalpha()))


def _unnumbered_annex(window: str, named: re.Match[str], kind: str) -> tuple[Label, ...]:
    word = named["word"]
    rest = window[named.end() :].strip(" .:")
    if kind in ANNEXES and word[0].isupper() and _titles_annex(word, window[named.end("word") :]):
        end = named.end("word") + window.startswith(":", named.end("word"))
        return (Label(kind, kind, (Token(kind, kind.capitalize(), " ", 0),), end),)
    if kind not in ANNEXES or rest or not word[0].isupper():
        dotted = re.match(r"(?:ANNEX|Annex|SCHEDULE|Schedule|APPENDIX|Appendix)\.", window)
        if not (dotted and kind in ANNEXES):
            return ()
        steps: list[list[Token]] = []
        pos = _segments(window, dotted.end() - 1, steps)
        end, open_end = closed(window, pos)
        bare = Token(kind, kind.capitalize(), " ", 0)
        if not steps or not open_end:
            return ()
        return _absolutes("clause", steps, end, containers=((kind, bare),))
    end = named.end() if not named["gap"] else named.end() - len(named["gap"])
    return (Label(kind, kind, (Token(kind, kind.capitalize(), " ", 0),), end),)


# A line this long after "Schedule:" is text, not a title.
ANNEX_TITLE = 80
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
    item = ZH_ITEM.match(window) if "(" in window[:2] else None
    if item and (item["unit"] or not item["num"].isdigit()):
        token = zh_token(item)
        return ([token.key], item.end()) if token else None
    plain = ZH_STEP.match(window)
    if plain and plain["unit"] in ("款", "项", "目"):
        token = zh_token(plain)
        return ([token.key], plain.end()) if token else None
    labels = read_labels(text) or read_labels(text + ".")
    if not labels and (inserted := _INSERTED.match(window)):
        return [inserted[0]], inserted.end()
    if not labels:
        word = re.match(r"[A-Za-z][\w \-]*", text)
        return ([word[0].strip().lower().replace(" ", "-")], word.end()) if word else None
    label = labels[0]
    keys = [
        f"{kind}-{token.key}" if token.value or token.key != kind else kind
        for kind, token in label.containers
        if kind in CONTAINERS
    ]
    keys += [token.key for token in label.tokens]
    return keys, min(label.end, len(text))
