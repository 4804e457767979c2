"""Limits of what a reader takes, each with its reason."""

from __future__ import annotations

# A source is held in memory whole, several times over while it is read: 200 MB keeps one ingest under about 2 GB.
MAX_FILE_BYTES = 200_000_000
# What a compressed page or document may unfold to: the same bound after unpacking, so that a bomb costs no more than a file.
MAX_DECODED_CHARS = 200_000_000
# Law is nested about ten deep; 64 leaves room for every real document and keeps a walk over containers a small constant.
MAX_DEPTH = 64
# The longest rules in print have under 3,000 pages.
MAX_PAGES = 5_000
# Fewer visible characters a page than this, on the average, is a scan with a stamp or a page number, not text.
MIN_CHARS_A_PAGE = 25
# Control characters per thousand above which "text" is a binary file that happened to decode.
MAX_CONTROL_PER_MILLE = 5
# CommonMark's bound on a link label; a longer one is prose in brackets.
MAX_LABEL_CHARS = 999
# A link title longer than this is prose; bounds the look-ahead at each bracket.
MAX_LINK_TITLE_CHARS = 400
# XML wraps each level of a law in two or three elements.
MAX_XML_DEPTH = 4 * MAX_DEPTH
# A Word file has some twenty parts and a picture each; an archive of more entries is made to cost time.
MAX_PACKAGE_PARTS = 20_000
# Parts of a Word file that are read (text, styles, numbering), unpacked and added up: the bound of a plain file.
MAX_UNPACKED_BYTES = MAX_FILE_BYTES
# Where the names of an archive's entries are looked for: the directory of twenty thousand parts takes about two megabytes.
MAX_DIRECTORY_BYTES = 4_000_000
