"""Small PDFs written by hand, for tests."""

from __future__ import annotations


def pdf(
    pages: list[str], *, media: str = "0 0 600 800", page_keys: str = "", trailer: str = "", extra: list[str] | None = None,
    tree_keys: str = "", resources: str = "", catalog_keys: str = "",
) -> bytes:  # fmt: skip
    """A PDF whose pages hold these content streams, in Helvetica as /F1 and Helvetica-Bold as /F2. ``tree_keys`` stand in the
    root of the page tree, ``catalog_keys`` in the catalog, ``resources`` beside the fonts; the first of the ``extra`` objects
    has number 5 + twice the pages."""
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog_keys} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} {tree_keys} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ]
    for index, content in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{media}] /Contents {6 + 2 * index} 0 R {page_keys} "
            f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> {resources} >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects += extra or []
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    return out + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()


def line(text: str, x: float, y: float, *, size: float = 12, font: str = "F1", colour: str = "0 g") -> str:
    """One line of text at ``x, y`` from the bottom left."""
    return f"BT {colour} /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n"
