"""Word (.docx): the words in one view of the tracked changes, with the numbers Word computes for them.

What a reader sees is text: label, words, notes, text boxes, tables. Headers, footers and tables of contents are furniture.
Comments and hidden words are in no clause and are flagged.
"""

from __future__ import annotations

from lxml import etree

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.readers.compose import tile
from compliance_rag.parse.readers.decode import odd_characters
from compliance_rag.parse.readers.docx_body import Body
from compliance_rag.parse.readers.docx_emit import STRUCK, Emitter
from compliance_rag.parse.readers.docx_levels import heading_levels, heading_rungs, mark_contents
from compliance_rag.parse.readers.docx_numbering import Numbering
from compliance_rag.parse.readers.docx_package import Package, R, W, flag_of, integer, value_of
from compliance_rag.parse.readers.docx_rows import Leaf
from compliance_rag.parse.readers.docx_runs import Notes, RunReader
from compliance_rag.parse.readers.docx_styles import Styles
from schemas.clause import Flag
from schemas.errors import InputRejected

_SHOWN = 80
# A flag for each hidden stretch up to this many; the rest are counted in one.
MAX_HIDDEN_FLAGS = 20


def read_docx(data: bytes, name: str, *, original: bool = False) -> Extracted:
    """Extracted text of a Word file. ``original``: the wording before the tracked changes, else after them.

    Raises InputRejected: ``empty_file`` and what :class:`Package` raises.
    """
    package = Package(data, name)
    document = package.tree(package.main)
    content = document.find(f"{W}body") if document is not None else None
    if document is None or content is None:
        raise InputRejected("damaged_file", f"{name}: it holds no Word document; save it anew in Word and add that.", name)
    settings = package.tree(package.related("settings"))
    styles = Styles.of(package.tree(package.related("styles")))
    notes = {
        kind: _notes(package.tree(package.related(f"{kind}s")), settings, kind, default)
        for kind, default in (("footnote", "decimal"), ("endnote", "lowerRoman"))
    }
    runs = RunReader(styles, notes, original=original)
    body = Body(styles, Numbering(package.tree(package.related("numbering")), styles.links), runs)
    leaves = body.story(content)
    headers, footers = _frame(package, document, settings, body)
    mark_contents(leaves)
    heading_levels(leaves)
    heading_rungs(leaves)
    emitter = Emitter()
    emitter.furniture(headers)
    emitter.write(leaves)
    emitter.furniture(footers)
    text = "".join(emitter.parts)
    if not text.strip():
        raise InputRejected("empty_file", f"{name}: the document shows no text; give the file that holds the text.", name)
    blocks, flags = tile(text, emitter.blocks)
    comments = _comments(package)
    flags = [*runs.flags, *_flags(body, runs, comments, original), *_struck(text, emitter), *flags, *odd_characters(text)]
    remainder = [("hidden_text", words) for words in body.hidden] + [("comments", words) for words in comments]
    return Extracted(
        text, blocks, "docx", flags=flags, title=_title(leaves), inserted=emitter.inserted, remainder=remainder,
        marked=sorted(emitter.marked),
    )  # fmt: skip


def _title(leaves: list[Leaf]) -> str | None:
    titled = next((leaf for leaf in leaves if leaf.outline == -1 and leaf.text), None)
    return " ".join(titled.text.split()) if titled is not None else None


def _struck(text: str, emitter: Emitter) -> list[Flag]:
    """Words with a line through them: they are read, and whether they are law a person must say."""
    spans = [span for span, code in emitter.marked if code == STRUCK]
    if not spans:
        return []
    first = text[slice(*spans[0])][:_SHOWN]
    return [Flag(STRUCK, f"{len(spans)} stretches of text are struck out and were read all the same; the first: {first!r}.")]


def _notes(root: etree._Element | None, settings: etree._Element | None, kind: str, default: str) -> Notes:
    """The notes of a file; separators and the like are no notes."""
    properties = settings.find(f"{W}{kind}Pr") if settings is not None else None
    notes = Notes(format=value_of(properties, "numFmt") or default, start=integer(value_of(properties, "numStart"), 1))
    for element in root.iterfind(f"{W}{kind}") if root is not None else ():
        if element.get(f"{W}type") in (None, "normal"):
            notes.bodies[element.get(f"{W}id") or ""] = element
    return notes


def _comments(package: Package) -> list[str]:
    root = package.tree(package.related("comments"))
    found = [] if root is None else ["".join(t.text or "" for t in comment.iter(f"{W}t")) for comment in root]
    return [text for text in found if text.strip()]


def _frame(
    package: Package, document: etree._Element, settings: etree._Element | None, body: Body
) -> tuple[list[Leaf], list[Leaf]]:
    """Headers and footers that some page shows, each once: of a first page only where it differs, of even pages likewise."""
    even = flag_of(settings, "evenAndOddHeaders") is True
    current: dict[tuple[str, str], str] = {}
    shown: dict[str, list[str]] = {"header": [], "footer": []}
    for section in document.iter(f"{W}sectPr"):
        if section.getparent() is not None and section.getparent().tag == f"{W}sectPrChange":
            continue
        first = flag_of(section, "titlePg") is True
        for kind in shown:
            for reference in section.iterfind(f"{W}{kind}Reference"):
                part = package.relations.get(reference.get(f"{R}id") or "", ("", ""))[1]
                current[kind, reference.get(f"{W}type") or "default"] = part
            for which, on in (("default", True), ("first", first), ("even", even)):
                part = current.get((kind, which), "")
                if on and part and part not in shown[kind]:
                    shown[kind].append(part)
    out: dict[str, list[Leaf]] = {"header": [], "footer": []}
    for kind, parts in shown.items():
        for part in parts:
            root = package.tree(part)
            out[kind] += body.story(root) if root is not None else []
    return out["header"], out["footer"]


def _flags(body: Body, runs: RunReader, comments: list[str], original: bool) -> list[Flag]:
    flags: list[Flag] = []
    if runs.tracked:
        view = "original" if original else "final"
        flags.append(
            Flag(
                "tracked_changes",
                f"{runs.tracked} tracked changes; shown is the {view} wording; it answers once chosen.",
            )
        )
    for words in body.hidden[:MAX_HIDDEN_FLAGS]:
        flags.append(Flag("hidden_text", f"Hidden text is in no clause: {words[:_SHOWN]!r}."))
    if len(body.hidden) > MAX_HIDDEN_FLAGS:
        flags.append(Flag("hidden_text", f"{len(body.hidden) - MAX_HIDDEN_FLAGS} more stretches of hidden text."))
    if comments:
        flags.append(Flag("comments", f"{len(comments)} comments are in no clause; the first: {comments[0][:_SHOWN]!r}."))
    if body.unread:
        flags.append(Flag("unread_part", f"{body.unread} documents embedded in this one are not read; add them on their own."))
    for form in sorted(body.plain_formats):
        flags.append(Flag("number_format", f"Numbers in Word's format {form!r} are printed in decimals."))
    for font, count in sorted(runs.unknown.items()):
        flags.append(
            Flag("unknown_symbol", f"{count} characters of the symbol font {font!r} have no Unicode name; kept as they are.")
        )
    return flags
