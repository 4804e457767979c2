"""Where a definition holds: the whole document, or the parts it names ("for the purposes of this section and section 9")."""

from __future__ import annotations

import re

from compliance_rag.structure.english import read_english
from compliance_rag.structure.resolve import Resolver
from compliance_rag.structure.tree import CONTAINER_UNITS, Tree, is_annex
from schemas.clause import Clause

SCOPE_WINDOW = 240  # characters before a term in which its scope is said
_UNITS = r"(?:(?:sub-?)?(?:sections?|clauses?|paragraphs?)|articles?|parts?|chapters?|schedules?|rules?)\b"
_PURPOSES = re.compile(
    rf"(?:\b(?:for\s+(?:the\s+)?purposes?\s+of|(?:as|when)\s+used\s+in)\s+(?=(?:this|these|"
    rf"the\s+following)\b|{_UNITS})|^\s*in\s+(?=this\b|these\b|{_UNITS}\s*[\d(]))"
    r"(?P<what>(?:[^.;:“\"\n]|\.(?=\d)){1,140}?)(?=,(?!\s(?:\d|\(|and\b|or\b))|:|—|–|\s[“\"]|\s(?:the\s+(?:term|expression|following)|a\s+reference)|$)",
    re.IGNORECASE,
)
_THIS_UNIT = re.compile(
    r"\bthis\s+(sub-?section|section|sub-?part|part|chapter|title|division|article|rule|clause|"
    r"sub-?paragraph|paragraph|schedule|annex|appendix|exhibit)\b(?!\s+\d)",
    re.IGNORECASE,
)
# The scope said after the term: "Levy" means, for the purposes of clauses 2 and 3, …
_AFTER_TERM = re.compile(
    r"[“\"][^”\"\n]{1,100}[”\"]\s*(?:(?:shall\s+|will\s+)?(?:means?|includes?|refers?\s+to)\s*)?,\s*", re.IGNORECASE
)
_ZH_SCOPE = re.compile(r"本(编|章|节|条|款)(?:中)?所?称")
_ZH_UNIT = {"编": "part", "章": "chapter", "节": "section-group"}


def scopes_of(tree: Tree, clause: Clause, text: str, at: int) -> tuple[str, ...]:
    """The scopes of a definition that stands at ``text[at]`` of ``clause``: ``document`` or paths joined by ``/``."""
    zh = next(iter(_ZH_SCOPE.finditer(text[max(0, at - 4) : at + 40])), None)
    if zh is not None:
        return (_this(tree, clause, _ZH_UNIT.get(zh[1], "section" if zh[1] == "条" else "subsection")),)
    start = max(text.rfind("\n", 0, at), text.rfind(". ", 0, at), 0, at - SCOPE_WINDOW)
    found = _last(text[start:at].lstrip(". \n"))
    behind = _AFTER_TERM.match(text, at)
    if found is None and behind is not None:
        found = _PURPOSES.match(text[behind.end() : behind.end() + SCOPE_WINDOW])
    if found is None and clause.parent is not None and at < SCOPE_WINDOW:
        parent = tree.by_path.get(clause.parent)
        lead = "" if parent is None else parent.text[-SCOPE_WINDOW:]
        found = _last(lead)
    return ("document",) if found is None else _named(tree, clause, found["what"])


def _last(lead: str) -> re.Match[str] | None:
    """The scope phrase nearest before the term."""
    return max(_PURPOSES.finditer(lead), key=lambda match: match.start(), default=None)


def _named(tree: Tree, clause: Clause, what: str) -> tuple[str, ...]:
    scopes = [_this(tree, clause, match[1].lower().replace("-", "")) for match in _THIS_UNIT.finditer(what)]
    resolver = Resolver(tree)
    for cite in read_english(what):
        if cite.base in {"none", "own"}:
            scopes += ["/".join(cite.tokens if path is None else path) for path in resolver.targets(cite, clause)]
    return tuple(dict.fromkeys(scopes)) or ("document",)


def _this(tree: Tree, clause: Clause, unit: str) -> str:
    """The path of "this section", "this Part" … around ``clause``; ``document`` when nothing narrower encloses it."""
    if unit in CONTAINER_UNITS:
        outer = tree.enclosing(clause, {unit})
        return "document" if outer is None else "/".join(outer.path)
    if unit in {"schedule", "annex", "appendix", "exhibit"}:
        annex = next((up for up in tree.ancestors(clause) if is_annex(up)), None)
        return "document" if annex is None else "/".join(annex.path)
    if unit in {"paragraph", "subparagraph", "subsection"} and clause.parent is not None:
        return "/".join(clause.path)
    section = tree.section_of(clause)
    if section is not None:
        return "/".join(section.path)
    outermost = [up for up in tree.ancestors(clause) if not up.container][-1:]
    return "/".join((outermost[0] if outermost else clause).path)
