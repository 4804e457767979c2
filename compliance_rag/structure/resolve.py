"""From what a citation says to the clause it names: exactly that clause or none, never the nearest parent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from compliance_rag.structure.cites import Cite
from compliance_rag.structure.numerals import numeral_keys
from compliance_rag.structure.tree import (
    ANNEX_UNITS,
    COMMENTARY_TOKENS,
    CONTAINER_UNITS,
    Tree,
    is_annex,
    is_article_level,
    is_item,
    is_paragraph_label,
    unit_of,
)
from schemas.clause import Clause, Path

_JOINED = re.compile(r"(\d{1,3})([a-z])")
RANGE_LIMIT = 200  # members of one range; a longer one is linked at its two ends only
_RELATIVE = frozenset({"paragraph", "subsection", "subclause", "subparagraph", "item", "point", "subpoint"})
_BODY_UNITS = frozenset({"section", "article", "rule", "regulation"})


class Resolver:
    """Resolves citations within one version."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._article_level = [clause for clause in tree.clauses if is_article_level(clause)]

    def targets(self, cite: Cite, source: Clause) -> list[Path | None]:
        """One path for each clause cited, in order; None where nothing stands at a cited number."""
        if cite.base == "previous":
            return self._previous(cite, source)
        first = self._one(cite, cite.tokens, source)
        if cite.end is None:
            return [first] if first is not None else list(self._members(cite)) or [None]
        last = replace(cite, levels=cite.end_levels) if cite.levels else cite
        return self._range(first, self._one(last, cite.end, source), cite)

    def _members(self, cite: Cite) -> list[Path]:
        """A number that is printed only with its sub-numbers (19.20.1.(1), 19.20.1.(2), …) names them all."""
        if cite.levels or cite.bracketed or cite.base not in {"none", "own"} or len(cite.tokens) < 2:
            return []
        found = [path for path in self._tree.unheld.get(cite.tokens, []) if not self._in_annex(path)]
        return found if len(found) <= RANGE_LIMIT else []

    def _one(self, cite: Cite, tokens: Path, source: Clause) -> Path | None:
        if cite.base == "cite" and cite.outer is not None:
            outer = self._one(cite.outer, cite.outer.tokens, source)
            return None if outer is None else self._under(outer, tokens, cite)
        if cite.unit in ANNEX_UNITS | CONTAINER_UNITS:
            return self._container(cite.unit, tokens, source)
        if cite.levels:
            return self._chinese(cite, tokens, source)
        if cite.base == "this":
            return self._this(cite, tokens, source)
        if cite.bracketed:
            return self._items(tokens, source)
        if cite.unit in _RELATIVE and len(tokens) >= 1 and cite.base == "none":
            near = self._items(tokens, source)
            return near if near is not None else self._absolute(cite.unit, tokens, source)
        return self._absolute(cite.unit, tokens, source)

    def _absolute(self, unit: str, tokens: Path, source: Clause) -> Path | None:
        """In the part whose numbering the source shares, then in the body, then wherever the number occurs once."""
        if (
            tokens and not tokens[0].isdigit() and len(numeral_keys(tokens[0])) > 1
        ):  # "Section II": the unit labelled so comes first
            labelled = self._by_label(unit, tokens)
            if labelled is not None:
                return labelled
        own = self._tree.restart_of(source)
        annex = self._tree.annex_of(source)
        body_first = annex is not None and unit in _BODY_UNITS
        bases: list[Path] = [(), own] if body_first else [own, ()]
        for base in bases:
            found = self._at(base, tokens, by_value=True)
            if found is not None and (base or not self._in_annex(found)):
                return self._tree.twin(found, source)
        found = self._by_label(unit, tokens) or self._restarted(tokens) or self._tree.by_alias.get(".".join(tokens))
        if found is not None or not tokens:
            return found
        joined = _JOINED.fullmatch(tokens[0])  # "Section 3B" where no 3B was inserted: paragraph B of section 3
        return self._absolute(unit, (joined[1], joined[2], *tokens[1:]), source) if joined else None

    def _in_annex(self, path: Path) -> bool:
        return is_annex(self._tree.by_path[path])

    def _at(self, base: Path, tokens: Path, *, by_value: bool = False) -> Path | None:
        """The clause at base + tokens, leading zeros dropped; ``by_value``: a roman or word numeral is its value too."""
        for form in _forms(tokens, by_value=by_value):
            clause = self._tree.by_path.get(base + form)
            if clause is not None and (not clause.container or unit_of(clause) not in CONTAINER_UNITS):
                return clause.path
        return self._through_group(base + tokens)

    def _through_group(self, path: Path) -> Path | None:
        """The clause one unnumbered group deeper (2.4.4, "Individuals", (b)), if only one group holds that number."""
        if len(path) < 2 or path[:-1] not in self._tree.by_path:
            return None
        groups = [c for c in self._tree.children.get(path[:-1], []) if not c.label.strip() and c.path[:-1] == path[:-1]]
        found = [inner for c in groups if (inner := (*c.path, path[-1])) in self._tree.by_path]
        return found[0] if len(found) == 1 else None

    def _by_label(self, unit: str, tokens: Path) -> Path | None:
        """By the printed label: "Article VI" whose path does not open with its number."""
        for key in numeral_keys(tokens[0]) if tokens else ():
            found = self._tree.by_unit.get((unit, key), [])
            if len(found) == 1:
                return found[0].path if len(tokens) == 1 else self._at(found[0].path, tokens[1:])
        return None

    def _restarted(self, tokens: Path) -> Path | None:
        """A number that restarts under containers, where it occurs once; lettered numbers (B.1.1) also inside annexes."""
        lettered = bool(tokens) and tokens[0].isalpha() and len(tokens) > 1
        found = [
            p for p in self._tree.by_suffix.get(tokens, []) if lettered or self._tree.annex_of(self._tree.by_path[p]) is None
        ]
        return found[0] if len(found) == 1 else None

    def _container(self, unit: str, tokens: Path, source: Clause) -> Path | None:
        for kind in (unit, *(_ALIKE.get(unit, ()))):
            for key in _keys(tokens):
                found = self._tree.by_unit.get((kind, key), [])
                if len(found) == 1:
                    return found[0].path
                near = [clause for clause in found if clause.parent is None or self._tree.inside(source, clause.parent)]
                if near and (len(near) == 1 or unit in CONTAINER_UNITS):
                    return near[-1].path if len(near) == 1 else self._deepest(near)
        if len(tokens) > 1 and unit in ANNEX_UNITS:  # "Appendix A.1.1": a clause of that annex
            outer = self._container(unit, tokens[:1], source)
            return None if outer is None else self._at(outer, tokens) or self._at(outer, tokens[1:])
        direct = self._tree.by_path.get(("-".join((unit, *tokens)),))
        if direct is None and unit == "chapter" and not self._tree.has_unit("chapter"):
            direct = self._tree.by_path.get(tokens)  # chapters numbered "14" without the word
        return None if direct is None else direct.path

    def numbered_so(self, cite: Cite) -> bool:
        """True when a bare number goes on from a clause of this document (5.2.4 where there is a 5.2): it can only name one."""
        return not cite.bracketed and len(cite.tokens) > 2 and cite.tokens[:2] in self._tree.by_path

    def foreign(self, cite: Cite) -> bool:
        """True for an unresolved citation of a unit this document has none of: it is another document's."""
        if cite.unit in CONTAINER_UNITS:
            annexed = cite.base == "cite" and cite.outer is not None and cite.outer.unit in ANNEX_UNITS
            return not self._tree.has_unit(cite.unit) and not (annexed and cite.outer and self._tree.has_unit(cite.outer.unit))
        return cite.unit in {"rule", "regulation"} and len(cite.tokens) >= 1 and cite.base == "none" and not self._dotted(cite)

    def _dotted(self, cite: Cite) -> bool:
        return len(cite.tokens) > 1 and cite.tokens[1].isdigit()

    @staticmethod
    def _deepest(near: Iterable[Clause]) -> Path | None:
        ranked = sorted(near, key=lambda clause: -clause.depth)
        return ranked[0].path if len(ranked) == 1 or ranked[0].depth > ranked[1].depth else None

    def _under(self, outer: Path, tokens: Path, cite: Cite) -> Path | None:
        if cite.levels:
            count = sum(1 for level in cite.levels if level == "article")
            head = (
                (self._inner_container(outer, "article", tokens[:count]) or self._at(outer, tokens[:count])) if count else outer
            )
            if head is not None:
                return self._descend(head, tokens[count:], cite.levels[count : len(tokens)])
        if cite.unit in CONTAINER_UNITS:  # "Part 2 of Schedule 1" is a Part, never paragraph 2
            inner = self._inner_container(outer, cite.unit, tokens)
            direct = self._tree.by_path.get((*outer, "-".join((cite.unit, *tokens))))
            return inner if inner is not None or direct is None else direct.path
        found = self._at(outer, tokens)
        if found is not None:
            return found
        clause = self._tree.by_path[outer]
        if clause.container or is_annex(clause):  # numbering may run on through the container
            body = self._at((), tokens)
            if body is not None and self._tree.inside(self._tree.by_path[body], outer):
                return body
        return None

    def _inner_container(self, outer: Path, unit: str, tokens: Path) -> Path | None:
        for key in _keys(tokens):
            found = [c for c in self._tree.by_unit.get((unit, key), []) if self._tree.inside(c, outer)]
            if len(found) == 1:
                return found[0].path
        return None

    def _this(self, cite: Cite, tokens: Path, source: Clause) -> Path | None:
        """``paragraph (b)(2) of this section``: below the enclosing unit, and nowhere else."""
        unit = cite.base_unit
        if unit in COMMENTARY_TOKENS:
            return self._in_commentary(cite, tokens, source)
        if unit in CONTAINER_UNITS | ANNEX_UNITS:
            outer = self._tree.enclosing(source, {unit})
            return None if outer is None else self._under(outer.path, tokens, cite)
        if unit in {"paragraph", "subsection", "subclause", "subparagraph"}:
            return self._items(tokens, source)
        section = self._tree.section_of(source)
        if section is None:
            return self._items(tokens, source)
        for up in self._tree.ancestors(section):
            if is_article_level(up):
                found = self._at(up.path, tokens)
                if found is not None:
                    return found
        return None

    def _in_commentary(self, cite: Cite, tokens: Path, source: Clause) -> Path | None:
        """ "paragraph 2 of this Guidance": of the guidance the source stands in, or of the document where that is its name."""
        for up in self._tree.ancestors(source):
            if up.path[-1] in COMMENTARY_TOKENS:
                return self._at(up.path, tokens)
        held = next((at for at, token in enumerate(source.path) if token in COMMENTARY_TOKENS), None)
        return self._at(source.path[: held + 1], tokens) if held is not None else self._absolute(cite.unit, tokens, source)

    def _items(self, tokens: Path, source: Clause) -> Path | None:
        """A bracketed item counts from the source's own level outward, up to the section it stands in."""
        section = self._tree.section_of(source)
        stop = None if section is None else section.path
        for up in self._tree.ancestors(source):
            if up.container or is_annex(up):
                break
            found = self._at(up.path, tokens)
            if found is not None:
                return found
            if up.path == stop:
                return None
        if stop is not None and section is not None and not self._tree.inside(source, section.path):
            return self._at(section.path, tokens)
        return self._at(self._tree.restart_of(source), tokens) if section is None else None

    def _chinese(self, cite: Cite, tokens: Path, source: Clause) -> Path | None:
        levels = cite.levels[: len(tokens)]
        if levels[0] == "article":
            count = sum(1 for level in levels if level == "article")
            article = self._absolute("article", tokens[:count], source)
            return None if article is None else self._descend(article, tokens[count:], levels[count:])
        own = self._own_article(source)
        if own is None:
            return None
        if levels[0] in {"zh-item", "zh-point"}:
            for up in self._tree.ancestors(source):
                found = self._descend(up.path, tokens, levels) if self._tree.inside(up, own.path) else None
                if found is not None:
                    return found
            return None
        return self._descend(own.path, tokens, levels)

    def _own_article(self, source: Clause) -> Clause | None:
        return self._tree.section_of(source)

    def _descend(self, article: Path, tokens: Path, levels: Path) -> Path | None:
        """款 are children without labels, 项 children with; the one paragraph of an article is the article itself."""
        at = article
        for token, level in zip(tokens, levels, strict=True):
            children = self._tree.children.get(at, [])
            plain = [child for child in children if is_paragraph_label(child.label)]
            if level == "zh-paragraph":
                if not plain and token == "1":
                    continue
                child = self._tree.by_path.get((*at, token))
                if child is None or not is_paragraph_label(child.label):
                    return None
                at = child.path
                continue
            labelled = self._labelled(at, token)
            holders = [found for child in plain if (found := self._labelled(child.path, token)) is not None]
            if labelled is None and len(holders) != 1:
                return None
            at = labelled if labelled is not None else holders[0]
        return at

    def _labelled(self, at: Path, token: str) -> Path | None:
        child = self._tree.by_path.get((*at, token))
        return child.path if child is not None and not is_paragraph_label(child.label) else None

    def _previous(self, cite: Cite, source: Clause) -> list[Path | None]:
        """前款, 前条, 前两款: the units of that rank just before the source's own, in document order."""
        if cite.base_unit == "article":
            own = self._own_article(source)
            return self._before(self._articles(own), own, cite.back)
        if cite.base_unit == "zh-item":
            item = next((up for up in self._tree.ancestors(source) if not is_paragraph_label(up.label)), None)
            return self._before([] if item is None else self._tree.siblings(item), item, cite.back)
        if cite.base_unit != "zh-paragraph":
            return self._beside(cite, source)
        own = self._own_article(source)
        paragraph = next((up for up in self._tree.ancestors(source) if is_paragraph_label(up.label)), None)
        if own is None or paragraph is None or paragraph.parent != own.path:
            return [None]
        return self._before([c for c in self._tree.siblings(paragraph) if is_paragraph_label(c.label)], paragraph, cite.back)

    def _beside(self, cite: Cite, source: Clause) -> list[Path | None]:
        """ "The preceding clause", "the next paragraph": the neighbour of the same rank as the unit named."""
        item = next((up for up in self._tree.ancestors(source) if is_item(up) and up.label.strip()), None)
        if cite.base_unit in _RELATIVE and item is not None:
            return self._before(self._tree.siblings(item), item, cite.back)
        own = self._own_article(source)
        if cite.base_unit.startswith("sub"):
            return [None]
        nested = own is not None and any(is_article_level(up) for up in self._tree.ancestors(own) if up is not own)
        if nested and cite.base_unit in _BODY_UNITS:
            return [None]  # "the next section" in 3.1 may be 3.2 or 4
        return self._before(self._articles(own), own, cite.back)

    def _articles(self, own: Clause | None) -> list[Clause]:
        if own is None:
            return []
        return [c for c in self._article_level if len(c.path) == len(own.path)]

    @staticmethod
    def _before(peers: list[Clause], own: Clause | None, back: int) -> list[Path | None]:
        at = next((i for i, peer in enumerate(peers) if own is not None and peer.path == own.path), -1)
        if back < 0:
            return [peers[at + 1].path] if 0 <= at < len(peers) - 1 else [None]
        if at < back:
            return [None]
        return [peer.path for peer in peers[at - back : at]]

    def _range(self, first: Path | None, last: Path | None, cite: Cite) -> list[Path | None]:
        """Every sibling from the first to the last, in document order, inserted numbers included."""
        if first is None or last is None:
            return [first, last]
        start, end = self._tree.by_path[first], self._tree.by_path[last]
        peers = self._tree.siblings(start)
        if start.parent != end.parent:
            low, high = self._tree.order[first], self._tree.order[last]
            peers = [
                c
                for c in self._tree.clauses[low : high + 1]
                if (
                    len(c.path) == len(first)
                    and bool(c.label.strip()) == bool(start.label.strip())
                    and last[: len(c.path)] != c.path
                )
                or c.path == last
            ]
        low, high = self._tree.order[first], self._tree.order[last]
        members: list[Path | None] = [
            c.path for c in peers if (low <= self._tree.order[c.path] <= high and not c.container) or c.path in (first, last)
        ]
        return members if low < high and len(members) <= RANGE_LIMIT else [first, last]


_ALIKE = {
    "schedule": ("annex", "appendix"),
    "annex": ("appendix", "schedule"),
    "appendix": ("annex", "schedule"),
}


def _keys(tokens: Path) -> tuple[str, ...]:
    if not tokens:
        return ()
    joined = ".".join(tokens)
    return (joined,) if len(tokens) > 1 else numeral_keys(tokens[0])


def _forms(tokens: Path, *, by_value: bool) -> list[Path]:
    """The tokens as printed, then with the first numeral by value, then without leading zeros."""
    forms = [tokens]
    if tokens and by_value:
        forms.extend((key, *tokens[1:]) for key in numeral_keys(tokens[0])[1:])
    stripped = tuple(token.lstrip("0") or "0" if token.isdecimal() else token for token in tokens)
    if stripped != tokens:
        forms.append(stripped)
    return forms
