"""Write the sample corpus's PDF, byte for byte the same on every machine.

The file needs real text objects, page headers and footers, and clauses that run over a page, and nothing else, so it is
written by hand: no dependency, no date, no random identifier. Run it without arguments to write the checked-in file again.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

OUT = Path(__file__).resolve().parent / "corpus" / "procedure" / "incident-response-issue-4.pdf"

TITLE = "Halvorsen Bank plc: Incident Response Procedure"
HEADER = "Halvorsen Bank plc - Incident Response Procedure - Issue 4"

# A line that starts with "# " is a heading; every other line begins a paragraph, unless it is indented.
BODY = """\
# 1 Purpose and scope
1.1 This Procedure tells the Incident Desk what to do, and in which order, from the first report of an Incident to
  the closing of its file.
1.2 It is to be read with the Records Retention and Incident Notification Policy, whose definitions apply here.
  Where this Procedure and that Policy differ, the Policy prevails.
1.3 It applies to the head office and to every branch of the Bank in the United Kingdom. Branches elsewhere follow
  the procedure of their own country.
# 2 Roles
2.1 The Duty Manager leads the response outside office hours. During office hours the Head of the Incident Desk does
  so.
2.2 The Scribe keeps a written log of every decision, with the time at which it was taken and the name of the person
  who took it.
2.3 The Communications Lead alone speaks to the press.
2.4 No person may hold two of the roles in this section in the same Incident, except that the Duty Manager may act
  as Scribe during the first hour.
# 3 Classification
3.1 The Duty Manager classifies each reported Incident within one hour as minor, serious or material.
3.2 An Incident that meets any of the tests for a Material Incident in the Policy is classified as material.
3.3 A classification may be raised at any time. It may be lowered only with the agreement of the Chief Risk Officer,
  recorded in the log.
3.4 Where the facts are not yet clear, the higher of the two possible classifications is chosen.
# 4 Notification
4.1 The Duty Manager notifies the supervisory authority of an Incident classified as material within seventy-two
  (72) hours after its classification, on the form in the Desk's folder.
4.2 The Duty Manager tells the Chief Executive of an Incident classified as material within thirty minutes after its
  classification.
4.3 Customers are told in the manner and within the time laid down by the Policy. The text is approved by the
  General Counsel.
4.4 The insurer is told of an Incident that may give rise to a claim of more than two hundred and fifty thousand
  pounds within five days.
4.5 Clause 4.4 does not apply to an Incident at a Service Provider that carries the loss under its contract.
# 5 Containment and recovery
5.1 A system that is suspected of being under the control of an intruder is disconnected from the network at once.
  The Duty Manager needs no further authority to do so.
5.2 A payment system is an exception to clause 5.1: it is disconnected only on the order of the Chief Operating
  Officer or, if that person cannot be reached within ten minutes, of the Chief Risk Officer.
5.3 Before a system is rebuilt, an image of its memory and disks is taken and sealed.
5.4 Passwords and keys that may have been seen by an intruder are replaced within four hours after the intrusion is
  confirmed.
5.5 No ransom is paid, and nobody negotiates with an extortionist, without a resolution of the Board.
# 6 Evidence and records
6.1 Sealed images are kept in the evidence store for three years after the file is closed.
6.2 The log and every notice given are kept on the incident file for eight years after the file is closed.
6.3 The evidence store is opened only in the presence of two persons, one of them from Internal Audit.
# 7 Closing and learning
7.1 The file is closed when the Head of the Incident Desk and the owner of the affected system agree in writing that
  normal service has been restored.
7.2 A review is held within fifteen Business Days after the file is closed. Its report names causes and not
  culprits.
7.3 Actions arising from a review are followed up monthly until they are done.
# 8 Exercises
8.1 The Incident Desk rehearses this Procedure twice a year, at least once without warning.
8.2 A real Incident classified as material counts as one rehearsal in the year in which it occurs.
8.3 This issue is in force from 1 June 2023.
"""

WIDTH, HEIGHT = 595, 842
LEFT, TOP, BOTTOM = 64, 770, 116
SIZE, LEADING, COLUMNS = 10, 14, 92

Line = tuple[str, int, int, int, str]  # font, size, x, y, text


def pages() -> list[list[Line]]:
    """Lay the text out: one entry per page, one line per text object."""
    done: list[list[Line]] = []
    page: list[Line] = [("F2", 14, LEFT, TOP, TITLE), ("F1", SIZE, LEFT, TOP - 20, "Issue 4")]
    y = TOP - 48
    for paragraph in BODY.replace("\n  ", " ").splitlines():
        heading = paragraph.startswith("# ")
        text = paragraph[2:] if heading else paragraph
        if heading:
            y -= 6
        if heading and y < BOTTOM + 3 * LEADING:
            done.append(page)
            page, y = [], TOP
        for piece in textwrap.wrap(text, COLUMNS):
            if y < BOTTOM:
                done.append(page)
                page, y = [], TOP
            page.append(("F2" if heading else "F1", SIZE + heading, LEFT, y, piece))
            y -= LEADING
        y -= 5
    done.append(page)
    return done


def escaped(text: str) -> bytes:
    """The inside of a PDF string."""
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")


def content(lines: list[Line], number: int, count: int) -> bytes:
    """One page's content stream: header, lines, footer."""
    furniture: list[Line] = [("F1", 8, LEFT, 806, HEADER), ("F1", 8, LEFT, 40, f"Page {number} of {count}")]
    parts = [
        b"BT /%s %d Tf %d %d Td (%s) Tj ET\n" % (font.encode("ascii"), size, x, y, escaped(text))
        for font, size, x, y, text in furniture[:1] + lines + furniture[1:]
    ]
    return b"".join(parts)


def build() -> bytes:
    """The whole file."""
    laid_out = pages()
    return document([content(lines, number, len(laid_out)) for number, lines in enumerate(laid_out, 1)], TITLE)


def document(streams: list[bytes], title: str) -> bytes:
    """A PDF whose pages have these content streams, in Helvetica as /F1 and Helvetica-Bold as /F2."""
    count = len(streams)
    kids = b" ".join(b"%d 0 R" % (6 + 2 * i) for i in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (count, kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        b"<< /Title (%s) >>" % escaped(title),
    ]
    for i, stream in enumerate(streams):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>" % (WIDTH, HEIGHT, 7 + 2 * i)
        )
        objects.append(b"<< /Length %d >>\nstream\n%sendstream" % (len(stream), stream))
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def main(arguments: list[str]) -> None:
    """Write the file to the path given, or where the corpus has it."""
    target = Path(arguments[0]) if arguments else OUT
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(build())


if __name__ == "__main__":
    main(sys.argv[1:])
