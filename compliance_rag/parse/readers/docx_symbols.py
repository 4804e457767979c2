"""Characters of Word's symbol fonts as Unicode; their code points name places in a font, not characters."""

from __future__ import annotations

_SYMBOL_FIRST = 0x20
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)  # fmt: skip
_SYMBOL_HIGH_FIRST = 0xA1
_SYMBOL_HIGH = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
_WINGDINGS = {
    0x28: "☎", 0x2A: "✉", 0x31: "🗎", 0x34: "🗐", 0x3F: "✍", 0x46: "☞", 0x4A: "☺", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□",
    0x70: "❐", 0x71: "❑", 0x72: "❒", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x81: "①", 0x82: "②", 0x83: "③", 0x84: "④", 0x85: "⑤",
    0x86: "⑥", 0x87: "⑦", 0x88: "⑧", 0x89: "⑨", 0x8A: "⑩", 0x9F: "•", 0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "□", 0x97: "●"}
# The bullets of Symbol and Wingdings at their private places: no other font has anything there.
BULLETS = {0xF0B7: "•", 0xF0A7: "•"}
# Symbol fonts live at F000 to F0FF of the private use area, or at 00 to FF.
_PRIVATE = 0xF000


def symbol(font: str, code: str) -> tuple[str, bool]:
    """The character of ``w:sym``: its text and whether it is known. An unknown one keeps its code point."""
    try:
        number = int(code[:6], 16)
    except ValueError:
        return "\ufffd", False
    return of_font(font, chr(number) if 0 < number < 0xD800 or 0xE000 <= number <= 0x10FFFF else "\ufffd")


def of_font(font: str, char: str) -> tuple[str, bool]:
    """A character set in ``font`` as Unicode, and whether it is known."""
    place = ord(char)
    place = place - _PRIVATE if _PRIVATE <= place <= _PRIVATE + 0xFF else place
    family = font.lower()
    found: str | None = None
    if family == "symbol":
        if _SYMBOL_FIRST <= place < _SYMBOL_FIRST + len(_SYMBOL):
            found = _SYMBOL[place - _SYMBOL_FIRST]
        elif _SYMBOL_HIGH_FIRST <= place < _SYMBOL_HIGH_FIRST + len(_SYMBOL_HIGH):
            found = _SYMBOL_HIGH[place - _SYMBOL_HIGH_FIRST]
    elif family == "wingdings":
        found = _WINGDINGS.get(place)
    elif family == "wingdings 2":
        found = _WINGDINGS_2.get(place)
    elif not _PRIVATE <= ord(char) <= _PRIVATE + 0xFF:
        found = char
    return (found, True) if found is not None else (char, False)
