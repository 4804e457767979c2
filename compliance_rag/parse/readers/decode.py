"""Bytes to text: the encoding by checks, BOM, NUL and CR handling, and the way back to byte offsets."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from compliance_rag.parse.readers.limits import MAX_CONTROL_PER_MILLE
from schemas.clause import Flag
from schemas.errors import InputRejected

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DROPPED = re.compile("\r\n?|\x00")
_CONTROL = re.compile("[\x01-\x08\x0e-\x1a\x7f]")
_CJK = re.compile("[\u3400-\u9fff]")
_COMMON_CJK = re.compile(
    "[的一是不了在人有我他这个中大来上国和地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运]"
)
# Tag characters mirror ASCII and nothing draws them; behind a black flag they are a country's flag. Four and more zero-width
# characters in a row, or two variation selectors, have no use in any script: they carry a message.
_MESSAGE = re.compile(
    "(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]+|[\u200b-\u200d\u2060-\u2064\ufeff]{4,}"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)
_DROPPED_TOO = re.compile(f"{_DROPPED.pattern}|{_MESSAGE.pattern}")
_TAGS_FROM = 0xE0000
# Of a hidden message so much is told.
_SHOWN = 80
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


@dataclass(slots=True)
class Source:
    """Decoded text. ``text`` has no NUL, no CR (CRLF and lone CR are LF) and no BOM; ``breaks`` are sorted pairs
    ``(offset in text, offset in raw)``, each holding until the next; ``prefix`` counts the bytes of the BOM."""

    text: str
    raw: str
    encoding: str
    prefix: int
    breaks: list[tuple[int, int]]
    flags: list[Flag] = field(default_factory=list)

    def byte_pairs(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Turn sorted ``(extracted, offset in text)`` pairs into ``(extracted, byte offset)`` pairs."""
        if self.raw.isascii() and self.encoding == "utf-8":
            return [(e, raw + self.prefix) for e, raw in self._raw_pairs(pairs)]
        out: list[tuple[int, int]] = []
        done, size = 0, self.prefix
        for extracted, raw in self._raw_pairs(pairs):
            size += len(self.raw[done:raw].encode(self.encoding))
            done = raw
            out.append((extracted, size))
        return out

    def _raw_pairs(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Compose the reader's map with the map over what decoding dropped; both are sorted, one walk."""
        if len(self.breaks) < 2:
            shift = self.breaks[0][1] if self.breaks else 0
            return [(e, s + shift) for e, s in pairs]
        out: list[tuple[int, int]] = []
        at, count = 0, len(self.breaks)
        for index, (extracted, start) in enumerate(pairs):
            end = pairs[index + 1][1] if index + 1 < len(pairs) else len(self.text)
            room = pairs[index + 1][0] - extracted if index + 1 < len(pairs) else end - start
            while at + 1 < count and self.breaks[at + 1][0] <= start:
                at += 1
            out.append((extracted, start - self.breaks[at][0] + self.breaks[at][1]))
            while at + 1 < count and self.breaks[at + 1][0] < min(end, start + room):
                at += 1
                out.append((extracted + self.breaks[at][0] - start, self.breaks[at][1]))
        return out


def decode(data: bytes, name: str, declared: str | None = None) -> Source:
    """Decode ``data`` by BOM, else as ``declared`` in the markup when that fits the bytes, else UTF-8, else UTF-16 by its zero
    bytes, else GB18030 when it reads as Chinese, else cp1252.

    Raises InputRejected ``unreadable_text`` when nothing reads, or what reads is mostly control characters; ``empty_file`` when
    there is nothing to see.
    """
    encoding, prefix = _encoding(data, declared)
    try:
        raw = data[prefix:].decode(encoding)
    except (UnicodeDecodeError, LookupError):
        raise _unreadable(name) from None
    text, breaks = _clean(raw)
    if len(_CONTROL.findall(text)) * 1000 > MAX_CONTROL_PER_MILLE * max(len(text), 200):
        raise _unreadable(name)
    if not text.strip():
        raise InputRejected(
            "empty_file", f"{name}: the file holds no visible character; give the file that holds the text.", name
        )
    source = Source(text, raw, encoding, prefix, breaks)
    if not raw.isascii():
        source.flags += message_flags(_MESSAGE.findall(raw))
    if encoding in ("gb18030", "cp1252"):
        source.flags.append(Flag("encoding_guessed", f"The file is not UTF-8; it was read as {encoding}."))
    if "\x00" in raw:
        source.flags.append(Flag("nul_dropped", f"{raw.count(chr(0))} NUL characters were left out."))
    return source


def _unreadable(name: str) -> InputRejected:
    return InputRejected(
        "unreadable_text",
        f"{name}: the bytes are not readable text in UTF-8, UTF-16, GB18030 or Windows-1252; save it as UTF-8.",
        name,
    )


# Encodings a page or an XML file may declare, and what is meant by them: every GB name means its superset GB18030, and Latin-1
# means Windows-1252 on every page in the wild.
_DECLARABLE = {
    "utf-8": "utf-8", "ascii": "utf-8", "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "iso8859-1": "cp1252",
    "cp1252": "cp1252", "big5": "big5hkscs", "big5hkscs": "big5hkscs", "shift_jis": "cp932", "cp932": "cp932",
    "euc_jp": "euc_jp", "euc_kr": "cp949", "cp949": "cp949", "iso8859-15": "iso8859-15", "iso8859-2": "iso8859-2",
    "cp1250": "cp1250", "cp1251": "cp1251",
}  # fmt: skip
_XML_DECLARED = re.compile(rb"^\s{0,9}<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9._\-]{1,40})[\"']")
_HTML_DECLARED = re.compile(rb"<meta[^>]{0,400}charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9._\-]{1,40})", re.IGNORECASE)


def declared_xml(data: bytes) -> str | None:
    """The encoding an XML declaration names."""
    match = _XML_DECLARED.match(data[:400])
    return match.group(1).decode("ascii") if match else None


def declared_html(data: bytes) -> str | None:
    """The encoding a page's ``meta`` or XML declaration names; looked for in the first kilobytes, as browsers do."""
    match = _HTML_DECLARED.search(data[:4096])
    return match.group(1).decode("ascii") if match else declared_xml(data)


def _declared(data: bytes, name: str) -> str | None:
    try:
        encoding = _DECLARABLE.get(codecs.lookup(name).name)
        if encoding:
            data.decode(encoding)
    except (UnicodeError, LookupError):
        return None
    return encoding


def _encoding(data: bytes, declared: str | None) -> tuple[str, int]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding, len(bom)
    fits = _declared(data, declared) if declared else None
    if fits:
        return fits, 0
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return (_utf16(data) or "utf-8"), 0
    wide = _utf16(data)
    if wide:
        return wide, 0
    return _eight_bit(data), 0


def _utf16(data: bytes) -> str | None:
    """UTF-16 without a BOM: one half of the bytes is mostly zero (Latin text), never both."""
    head = data[:4096]
    if len(head) < 4 or len(data) % 2:
        return None
    half = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _eight_bit(data: bytes) -> str:
    """GB18030 when the high bytes decode to everyday Chinese, else cp1252: a Western file seldom pairs its high bytes, and
    where it does by accident the characters are rare ones."""
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return "cp1252"
    wide = _CJK.findall(text)
    common = _COMMON_CJK.findall(text)
    return "gb18030" if wide and len(common) * 5 >= len(wide) else "cp1252"


def _clean(raw: str) -> tuple[str, list[tuple[int, int]]]:
    dropped = _DROPPED if raw.isascii() or not _MESSAGE.search(raw) else _DROPPED_TOO
    if dropped is _DROPPED and "\r" not in raw and "\x00" not in raw:
        return raw, [(0, 0)]
    parts: list[str] = []
    breaks = [(0, 0)]
    done = length = 0
    for match in dropped.finditer(raw):
        start, end = match.span()
        parts.append(raw[done:start])
        length += start - done
        if raw[start] == "\r":
            parts.append("\n")
            length += 1
        if end - start != (raw[start] == "\r"):
            if breaks[-1][0] == length:
                breaks.pop()
            breaks.append((length, end))
        done = end
    parts.append(raw[done:])
    return "".join(parts), breaks


def without_messages(text: str) -> tuple[str, list[str]]:
    """``text`` without runs of characters that nothing draws, and the runs."""
    if text.isascii():
        return text, []
    found = _MESSAGE.findall(text)
    return (_MESSAGE.sub("", text), found) if found else (text, [])


def message_flags(runs: Sequence[str]) -> list[Flag]:
    """A flag for what was written in characters that nothing draws: the words where they mirror ASCII, else how many there
    were."""
    if not runs:
        return []
    words = "".join(chr(ord(c) - _TAGS_FROM) for run in runs for c in run if " " <= chr(max(0, ord(c) - _TAGS_FROM)) <= "~")
    told = repr(words[:_SHOWN]) if words else f"{sum(map(len, runs))} characters that nothing draws"
    return [Flag("hidden_text", f"Hidden text is in no clause: {told}.")]


def odd_characters(text: str) -> list[Flag]:
    """A flag when the text holds characters no reader sees (zero-width, direction overrides, tags); they are kept."""
    if text.isascii():
        return []
    found = _ZERO_WIDTH.findall(text)
    if not found:
        return []
    names = ", ".join(sorted({f"U+{ord(char):04X}" for char in found}))
    return [Flag("zero_width", f"{len(found)} characters that no reader sees are in the text ({names}); they are kept.")]
