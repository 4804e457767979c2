"""The clause tree as the link finders walk it: look-ups by path, by unit and number, and scopes such as "this section"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from compliance_rag.parse.labels import ANNEXES, CONTAINERS, Label, read_labels
from schemas.clause import Clause, Path, Span

TWINS_LIMIT = 40  # clauses of one number that are told apart; a text that repeats a number more often is a list of lists
ANNEX_UNITS = ANNEXES
CONTAINER_UNITS = frozenset(CONTAINERS) - ANNEXES
_BRACKETED = re.compile(
    r"[(（\[〔]?\s*[0-9A-Za-z一二三四五六七八九十百]{1,6}\s*[)）\]〕][.．、]?\Z|[a-z]{1,4}[.．]\Z|[①-⑳]\Z|[-*•·–—]\Z"
)
_WORD = re.compile("[a-z]+")
_HAN = re.compile("[\u3400-\u9fff]")
_PARAGRAPH_LABEL = re.compile(r"第[一二三四五六七八九十百]{1,5}款\Z")
_COMMENTARY = re.compile(
    r"commentary|official comment|\bcomments?\b|guidance|interpretation|explanatory|\bnotes?\b", re.IGNORECASE
)
_ON_SECTION = re.compile(
    r"(?:§|\bsections?|\barticles?|\brules?|\bclauses?)\s{0,3}(\d{1,4}[A-Z]{0,2}(?:\.\d{1,4})*)", re.IGNORECASE
)
COMMENTARY_TOKENS = frozenset({"guidance", "commentary", "comment", "note", "notes"})


class View:
    """A clause's text with its place in the extracted text: ``spans[k]`` is piece ``k`` of the text, pieces joined by LF."""

    def __init__(self, clause: Clause) -> None:
        self.text = clause.text
        self.words = frozenset(_WORD.findall(clause.text.lower()))
        self.han = bool(_HAN.search(clause.text))
        self._spans = clause.spans
        starts, at = [], 0
        for start, end in clause.spans:
            starts.append(at)
            at += end - start + 1
        self._starts = starts

    def span(self, start: int, end: int) -> Span:
        """The extracted span of ``text[start:end)``; one that crosses pieces runs from the first to the last."""
        return self._offset(start), self._offset(end - 1) + 1 if end > start else self._offset(start)

    def _offset(self, at: int) -> int:
        if not self._spans:
            return 0
        piece = max(0, bisect_right(self._starts, at) - 1)
        start, end = self._spans[piece]
        return min(start + at - self._starts[piece], end)


class Tree:
    """Look-ups over the clauses of one version, all built in one pass."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = tuple(clauses)
        self.by_path: dict[Path, Clause] = {clause.path: clause for clause in clauses}
        self.order = {clause.path: at for at, clause in enumerate(clauses)}
        self.children: dict[Path | None, list[Clause]] = {}
        self._place: dict[Path, int] = {}
        self.by_unit: dict[tuple[str, str], list[Clause]] = {}
        self.by_alias: dict[str, Path] = {}
        self.by_suffix: dict[Path, list[Path]] = {}
        for clause in clauses:
            peers = self.children.setdefault(clause.parent, [])
            self._place[clause.path] = len(peers)
            peers.append(clause)
            self._index_unit(clause)
            for alias in clause.aliases:
                self.by_alias.setdefault(_squeeze(alias), clause.path)
        self._index_restarts()
        self.unheld: dict[Path, list[Path]] = {}
        for clause in clauses:
            above = clause.path[:-1]
            if above and above not in self.by_path:
                self.unheld.setdefault(above, []).append(clause.path)
        self._units = frozenset(unit for unit, _ in self.by_unit)
        self.twins: dict[Path, list[Path]] = {}
        for clause in clauses:
            if any("~" in token[1:] for token in clause.path):
                plain = _plain(clause.path)
                self.twins.setdefault(plain, [plain] if plain in self.by_path else []).append(clause.path)

    def _index_unit(self, clause: Clause) -> None:
        label = _label(clause)
        if label is not None and label.kind != "item" and len(label.tokens) == 1:
            key = label.tokens[0].key.removeprefix(f"{'section' if label.kind == 'section-group' else label.kind}-")
            self.by_unit.setdefault((label.kind, key), []).append(clause)

    def _index_restarts(self) -> None:
        """Numbers that lie under a container in the path (numbering restarts there), without that container."""
        for clause in self.clauses:
            outer = self.restart_of(clause)
            if outer and len(clause.path) > len(outer):
                self.by_suffix.setdefault(clause.path[len(outer) :], []).append(clause.path)

    def has_unit(self, unit: str) -> bool:
        """True when some clause's label names this unit."""
        return unit in self._units

    def ancestors(self, clause: Clause) -> Iterator[Clause]:
        """The clause itself, its parent, and so on to the top."""
        seen: set[Path] = set()
        at: Clause | None = clause
        while at is not None and at.path not in seen:
            seen.add(at.path)
            yield at
            at = None if at.parent is None else self.by_path.get(at.parent)

    def inside(self, clause: Clause, scope: Path) -> bool:
        """True when ``clause`` is the clause at ``scope`` or lies under it."""
        return any(up.path == scope for up in self.ancestors(clause))

    def restart_of(self, clause: Clause) -> Path:
        """The path of the nearest container or annex whose tokens open this clause's path, or the empty path."""
        for up in self.ancestors(clause):
            if up is not clause and (up.container or is_annex(up)) and clause.path[: len(up.path)] == up.path:
                return up.path
        return ()

    def annex_of(self, clause: Clause) -> Clause | None:
        """The schedule, annex or exhibit the clause lies in."""
        return next((up for up in self.ancestors(clause) if is_annex(up)), None)

    def section_of(self, clause: Clause) -> Clause | None:
        """What "this section" means here: the nearest clause upward whose label is a number of its own, not a bracketed item.

        A commentary on a section stands for that section. None where every ancestor is an item or a container.
        """
        for up in self.ancestors(clause):
            if COMMENTARY_TOKENS.intersection(up.path):
                on = self.by_path.get(_before_commentary(up.path))
                if on is not None:
                    return self.section_of(on) if on.path != clause.path else on
            about = self._commented(up)
            if about is not None:
                return about
            if is_article_level(up):
                return up
        return None

    def _commented(self, clause: Clause) -> Clause | None:
        title = f"{clause.label} {clause.heading}"
        if len(title) > 200 or not _COMMENTARY.search(title):  # a heading that long is a sentence, not a title
            return None
        on = _ON_SECTION.search(title)
        return self.by_path.get(tuple(on[1].lower().split("."))) if on else None

    def enclosing(self, clause: Clause, units: frozenset[str] | set[str]) -> Clause | None:
        """The nearest ancestor whose label names one of ``units``."""
        for up in self.ancestors(clause):
            found = unit_of(up)
            if found in units:
                return up
        return None

    def twin(self, path: Path, source: Clause) -> Path:
        """Of the clauses that bear the number at ``path``, the one in the list that ``source`` stands in: under the same
        heading, else the same repetition (1 … 9 of a contents page, 1 … 9 again); ``path`` itself where nothing tells."""
        twins = self.twins.get(_plain(path))
        if not twins or not 1 < len(twins) <= TWINS_LIMIT:
            return path
        above = {up.path for up in self.ancestors(source)}
        shared = [sum(up.path in above for up in self.ancestors(self.by_path[twin])) for twin in twins]
        best = [twin for twin, count in zip(twins, shared, strict=True) if count == max(shared)]
        repeat = _repeat(source.path)
        return next((twin for twin in best if _repeat(twin) == repeat), best[0] if path not in best else path)

    def before(self, clause: Clause) -> list[Clause]:
        """The siblings before the clause, in document order."""
        return self.siblings(clause)[: self._place[clause.path]]

    def siblings(self, clause: Clause) -> list[Clause]:
        """The clause's parent's children, itself included, in document order."""
        return self.children.get(clause.parent, [])


@lru_cache(maxsize=8192)
def _read(printed: str) -> Label | None:
    labels = read_labels(printed)
    return labels[0] if labels else None


def _label(clause: Clause) -> Label | None:
    return _read(clause.label or clause.number or "")


def unit_of(clause: Clause) -> str | None:
    """The unit a clause's label names: ``part``, ``chapter``, ``section``, ``article``, ``annex`` …; None for items."""
    label = _label(clause)
    return None if label is None or label.kind == "item" else label.kind


def is_annex(clause: Clause) -> bool:
    """True for schedules, annexes, appendices, exhibits."""
    return unit_of(clause) in ANNEX_UNITS


def is_item(clause: Clause) -> bool:
    """True for bracketed, lettered or unlabelled clauses: those cited relative to a section."""
    return _bracketed(clause.label)


@lru_cache(maxsize=8192)
def _bracketed(label: str) -> bool:
    printed = label.strip()
    return not printed or bool(_BRACKETED.match(printed)) or is_paragraph_label(printed)


def is_paragraph_label(label: str) -> bool:
    """True for the label of a 款, printed nowhere or given by the outline (第二款)."""
    return not label.strip() or bool(_PARAGRAPH_LABEL.match(label.strip()))


def is_article_level(clause: Clause) -> bool:
    """True for a section, article, rule or clause with a number of its own."""
    return (
        not clause.container
        and not is_item(clause)
        and not is_annex(clause)
        and not COMMENTARY_TOKENS.intersection(clause.path)
    )


def _plain(path: Path) -> Path:
    """The path without the marks of repetition."""
    return tuple(token if token[:1] == "~" else token.split("~")[0] for token in path)


def _repeat(path: Path) -> str:
    """Which repetition of its number the outermost repeated step of a path is."""
    return next((token.split("~")[1] for token in path if "~" in token[1:]), "1")


def _before_commentary(path: Path) -> Path:
    at = next(i for i, token in enumerate(path) if token in COMMENTARY_TOKENS)
    return path[:at]


def _squeeze(number: str) -> str:
    return re.sub(r"[\s\u200e\u200f]+", "", number).lower()
