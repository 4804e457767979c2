"""Defined terms with scope, aliases and exclusions, in both languages, and the clauses that use them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from compliance_rag.structure.lower_case import is_verb, plain_form, used_plain
from compliance_rag.structure.phrases import PHRASE_LIMIT, Phrases
from compliance_rag.structure.scopes import scopes_of
from compliance_rag.structure.tables import table_terms
from compliance_rag.structure.tree import Tree, View, is_item
from schemas.clause import Clause, Definition, Path, TermUse

DEFINITIONS_LIMIT = 16  # definitions of one term in one scope that are all linked; the fullest real text has five
_OPEN, _CLOSE = '“"‘「『«', '”"’」』»'
_Q = rf"[{_OPEN}](?P<{{name}}>[^{_OPEN}{_CLOSE}\n]{{{{1,100}}}})[{_CLOSE}]"
_QUOTED = re.compile(rf"[{_OPEN}]([^{_OPEN}{_CLOSE}\n]{{1,100}}?)[,;.]?[{_CLOSE}]")
_ALSO = re.compile(rf"\s{{0,3}}(?:,|or|and|/|\()\s{{0,3}}(?:the\s)?(?=[{_OPEN}])")
_ASIDE = (
    r"(?:\s{0,3}[,)]|\s{0,3}\([^()\n]{0,120}\)|"
    r"\s{0,3}\b(?:in relation to|in respect of|as used|when used|used|of|for|"
    r"with respect to)\b[^.;:“”\"\n]{0,160}?(?=,|\s)){0,3}"
)
_MEANS = re.compile(
    _ASIDE + r"\s{0,3}(?:(?P<not>(?:does|do|shall|will)\s+not\s+(?:include|mean)|excludes?\b)|"
    r"(?:shall\s+|will\s+)?(?:means?\b(?!\s+(?:of|to)\b)|refers?\s+to\b|represents?\b|includes?\b|ha(?:ve|"
    r"s)\s+the\s+(?:same\s+)?meanings?\b|"
    r"be\s+(?:defined|construed)\s+as|bears?\s+the\s+meaning|(?:is|are)\s+defined|denotes?\b))",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?:^|(?<=\n))[\s•*–—-]{0,6}(?:\(?[a-z0-9]{1,4}[.)]\s{1,3})?(?:The\s+term\s+|An?\s+|The\s+)?"
    r"(?P<term>[A-Z][\w’'/&()-]*(?:\s(?:[A-Z0-9(][\w’'/&()-]*|of|and|or|the|for|in|to|on|an?|by)){0,9}),?\s{1,3}"
    r"(?=(?:shall\s+|will\s+)?(?:means?\s(?!of\b|to\b)|refers\s+to\s|has\s+the\s+meaning|"
    r"have\s+the\s+meaning|is\s+defined\s+as|does\s+not\s+include\s))"
)
_LIST_ENTRY = re.compile(
    r"(?:^|(?<=\n))[\s•*–—-]{0,6}(?P<term>[A-Z][\w’'/&(),. -]{0,78}?[\w)])\s{0,3}(?::|：|\s[–—]\s|"
    r"\s?[|\t]\s?)\s{0,3}(?=\S)(?!\s*[|\n])"
)
_GLOSSARY = re.compile(
    r"\bdefin(?:itions?|ed)\b|\binterpretation\b|\bglossary\b|\bacronyms?\b|\babbreviations\b|\bmeanings?\b|定义|术语|释义|用语|含义",
    re.IGNORECASE,
)
_PAREN = re.compile(r"[(（](?P<body>[^()（）\n]{2,240})[)）]")
_PAREN_WORDS = re.compile(
    r"(?:\s|,|;|and|or|the|a|an|each|any|all|collectively|together|together with|individually|hereinafter|"
    r"hereafter|herein|called|referred to|referred|as|"
    r"such|this|these|also|known|jointly|severally|in this agreement|being|to|with|"
    r"for purposes of this \w+|respectively|sometimes)*\Z",
    re.IGNORECASE,
)
_ACRONYM = re.compile(
    r"(?P<long>(?:[A-Z][\w-]*\s(?:of\s|and\s|for\s|the\s|in\s|"
    r"&\s)?){1,7})\((?:the\s)?[“\"]?(?P<short>[A-Z][A-Za-z]{0,2}[A-Z]{1,6})s?[”\"]?\)"
)
_HEAD_MEANS = re.compile(
    r"\s{0,3}(?:,?\s{0,3}(?:in relation to|"
    r"in respect of)[^.;\n]{0,120},)?\s{0,3}(?:shall\s+)?(?:means?\b(?!\s+of\b)|refers?\s+to\b|"
    r"has\s+the\s+meaning)",
    re.IGNORECASE,
)
_ZH_SHORT = re.compile(
    r"(?:以下|下文|下称|下同|本\w{1,3}中)?(?:统称|简称|合称|称)(?:为|作)?\s?[“\"「『](?P<quoted>[^”\"」』\n]{1,40})[”\"」』]"
    r"|以下(?:均|并|分别|合并)?(?:简称|统称|合称|称)(?:为)?[:：]?\s?(?P<plain>[^（）()，。；、：“”\"\s]{2,30})(?=[）)，。；])"
)
_ZH_QUOTED = re.compile(
    r"[“\"「『](?P<term>[^”\"」』\n]{1,40})[”\"」』]\s?[，,:：]?\s?(?:一词|术语)?(?:(?P<not>不包括|不包含|不含)|(?:系|是|均|"
    r"即)?(?:指(?!定|导|示|派|挥)|意指|指的是)|包括(?!但)|的含义(?:是|为))"
)
_ZH_SO_CALLED = re.compile(
    r"(?:本(?:法|条例|规定|办法|解释|细则|规则|章程|合同|协议|公约|标准|指引|编|章|节|条|款)|前款|前条|第[^，。；\s]{1,14}[条款项])(?:中)?所?称(?:的)?\s?[“\"「]?"
    r"(?P<term>[^，。；：“”\"「」\s、]{1,30}?)[”\"」]?\s?[，,:：]?\s?(?:(?P<not>不包括|不包含|不含)|(?:是|系|均|即)?指(?!定|导|示|派|挥)|包括(?!但)|为)"
)
_ZH_ENTRY = re.compile(
    r"(?:^|(?<=[\n。；;]))\s{0,4}(?:[（(]?[一二三四五六七八九十\d]{1,3}[)）、.．]\s?)?[“\"]?(?P<term>[^\s，,。；;：:“”\"（）()、的]{2,25})[”\"]?\s?[，,：:]?\s?(?:是指|系指|指的是|(?<=[，,])指)"
)


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    terms: tuple[str, ...]
    exclusion: bool = False


def find_definitions(tree: Tree, views: Mapping[Path, View]) -> tuple[Definition, ...]:
    """Every definition, in document order; a term defined for several scopes gives one definition for each."""
    definitions: list[Definition] = []
    for clause in tree.clauses:
        text = views[clause.path].text
        seen: set[tuple[str, bool]] = set()
        for found in sorted(_in_clause(tree, clause, views[clause.path]), key=lambda item: item.start):
            term = found.terms[0]
            if (term, found.exclusion) in seen:
                continue
            seen.add((term, found.exclusion))
            seen.update((alias, found.exclusion) for alias in found.terms[1:])
            for scope in scopes_of(tree, clause, text, found.start):
                definitions.append(Definition(term, clause.path, scope, found.terms[1:], found.exclusion))
    return _without_stray_exclusions(definitions)


def _without_stray_exclusions(definitions: list[Definition]) -> tuple[Definition, ...]:
    """ "X does not include" excludes from a term only where X is defined; elsewhere it is an ordinary sentence."""
    defined = {_fold(name) for item in definitions if not item.exclusion for name in (item.term, *item.aliases)}
    return tuple(item for item in definitions if not item.exclusion or _fold(item.term) in defined)


def _fold(term: str) -> str:
    low = term.lower()
    return low.removesuffix("s") if len(low) > 3 else low


def _in_clause(tree: Tree, clause: Clause, view: View) -> Iterator[_Found]:
    text = view.text
    glossary = _is_glossary(tree, clause)
    yield from _quoted(text)
    yield from _parenthetical(text)
    for at, term in table_terms(text):
        yield _Found(at, _split_alias(term))
    if view.han:
        yield from _chinese(text)
    for match in _PLAIN.finditer(text):
        if _is_term(match["term"]):
            excl = text.startswith("does", match.end())
            yield _Found(match.start("term"), _split_alias(match["term"]), excl)
    if glossary:
        entries = [m for m in _LIST_ENTRY.finditer(text) if _is_term(m["term"]) and len(m["term"].split()) <= 9]
        if len(entries) > 1 or is_item(clause):  # one line with a colon is a sentence, a list of them is a glossary
            for match in entries:
                yield _Found(match.start("term"), _split_alias(match["term"]))
    heading = clause.heading.strip(" .:：“”\"'*")
    if heading and _HEAD_MEANS.match(text) and len(heading) <= 80:
        yield _Found(0, _split_alias(heading))
    for match in _ACRONYM.finditer(text):
        long = _initials_match(match["long"].strip(), match["short"])
        if long:
            yield _Found(match.start(), (long, match["short"]))


def _is_glossary(tree: Tree, clause: Clause) -> bool:
    """True under a heading such as "Definitions", the nearest heading upward deciding."""
    nearest = next((up.heading for up in tree.ancestors(clause) if up.heading), "")
    return len(nearest) <= 80 and bool(_GLOSSARY.search(nearest))


def _quoted(text: str) -> Iterator[_Found]:
    """“X”, or “Y” … means; the quoted run before the verb gives term and aliases."""
    at = 0
    while (first := _QUOTED.search(text, at)) is not None:
        terms, end = [first[1]], first.end()
        while (also := _ALSO.match(text, end)) is not None and (nxt := _QUOTED.match(text, also.end())) is not None:
            terms.append(nxt[1])
            end = nxt.end()
        zh = _ZH_QUOTED.match(text, first.start())
        verb = None
        if zh is None:
            verb = _MEANS.match(text, end)
        if verb is not None:
            names = _names(terms)
            if names:
                yield _Found(first.start(), names, verb["not"] is not None)
        at = end


def _parenthetical(text: str) -> Iterator[_Found]:
    """(the “Policy”), (“Provider” or “We”), (collectively, the "Parties")."""
    for match in _PAREN.finditer(text):
        body = match["body"]
        first = _QUOTED.search(body)
        if first is None or not _PAREN_WORDS.match(body[: first.start()]):
            continue
        terms = [item[1] for item in _QUOTED.finditer(body)]
        names = _names(terms)
        if names:
            yield _Found(match.start(), names)


def _chinese(text: str) -> Iterator[_Found]:
    for match in _ZH_SHORT.finditer(text):
        yield _Found(match.start(), (match["quoted"] or match["plain"],))
    for pattern in (_ZH_QUOTED, _ZH_SO_CALLED, _ZH_ENTRY):
        for match in pattern.finditer(text):
            term = match["term"].strip('“”"「」的 ')
            if len(term) >= 2 and not term.startswith(("本", "第", "前")):
                yield _Found(match.start(), (term,), "not" in pattern.groupindex and match["not"] is not None)


def _names(terms: Iterable[str]) -> tuple[str, ...]:
    cleaned = [" ".join(term.split()).strip(" ,.;:*_") for term in terms]
    return tuple(
        dict.fromkeys(term for term in cleaned if term and len(term.split()) <= 12 and any(char.isalpha() for char in term))
    )


def _split_alias(term: str) -> tuple[str, ...]:
    """``Certification Authority (CA)`` is a term with an alias."""
    match = re.match(r"(.{2,90}?)\s?\(([A-Za-z][\w ./-]{0,30})\)$", term)
    return _names((match[1], match[2]) if match else (term,))


_NO_TERM = frozenset(
    [
        "this",
        "that",
        "these",
        "those",
        "it",
        "which",
        "who",
        "what",
        "there",
        "he",
        "she",
        "they",
        "nothing",
        "such",
        "and",
        "if",
        "where",
        "when",
        "the",
        "for",
        "in",
        "as",
        "any",
        "each",
        "no",
        "all",
    ]
)


_VERB = re.compile(r"\b(?:shall|must|may|will|should|is|are|was|were|has|have|does|do)\b")


def _is_term(term: str) -> bool:
    words = term.split()
    if _VERB.search(term):
        return False
    return bool(words) and words[0].lower() not in _NO_TERM and len(term) > 1 and words[-1].lower() not in _NO_TERM


def _initials_match(long: str, short: str) -> str | None:
    """The words of ``long`` whose initials spell ``short``, counted back from the bracket."""
    words = long.split()
    letters = short.lower()
    for start in range(len(words)):
        tail = words[start:]
        big = [word for word in tail if word[0].isupper()]
        pieces = [piece for word in big for piece in word.split("-") if piece]
        for parts in (big, pieces):
            if "".join(part[0].lower() for part in parts) == letters and len(parts) > 1:
                return " ".join(tail)
    return None


def find_term_uses(tree: Tree, views: Mapping[Path, View], definitions: Iterable[Definition]) -> tuple[TermUse, ...]:
    """Each clause with each term it uses and the clauses that define it there; never a definition's own clause. A term defined
    with a capital is used in lower case too where the document writes it so."""
    by_name: dict[str, list[Definition]] = {}
    for item in definitions:
        by_name.setdefault(item.term, []).append(item)
    joined = _join_exclusions(by_name)
    plain = _plain_surfaces(tree, views, joined)
    phrases = Phrases(_surfaces(joined) | plain)
    scoped = {name: _by_scope(tree, items) for name, items in joined.items()}
    uses: list[TermUse] = []
    for clause in tree.clauses:
        text = views[clause.path].text
        found = (name for start, end, name in phrases.find(text) if text[start:end] not in plain or not is_verb(text, start))
        names = list(dict.fromkeys(found))
        for name in names:
            for item in _holding(tree, clause, scoped[name]):
                if item.path != clause.path:
                    uses.append(TermUse(clause.path, name, item.path))
    return tuple(dict.fromkeys(uses))


def _join_exclusions(by_name: dict[str, list[Definition]]) -> dict[str, list[Definition]]:
    """Definitions and exclusions of one term together, under the defining spelling."""
    folded: dict[str, str] = {}
    for name, items in by_name.items():
        if any(not item.exclusion for item in items):
            folded.setdefault(_fold(name), name)
    joined: dict[str, list[Definition]] = {}
    for name, items in by_name.items():
        only_exclusion = all(item.exclusion for item in items)
        joined.setdefault(folded.get(_fold(name), name) if only_exclusion else name, []).extend(items)
    return joined


def _surfaces(by_name: Mapping[str, list[Definition]]) -> dict[str, str]:
    """Every spelling a term is used in → the term; spellings as defined win over derived ones."""
    exact = {name: name for name in by_name if len(name) <= PHRASE_LIMIT}
    for name, items in by_name.items():
        for item in items:
            for alias in item.aliases:
                exact.setdefault(alias, name)
    derived: dict[str, str] = {}
    for spelling, name in exact.items():
        for form in _inflected(spelling):
            derived.setdefault(form, name)
    return derived | exact


def _plain_surfaces(tree: Tree, views: Mapping[Path, View], by_name: Mapping[str, list[Definition]]) -> dict[str, str]:
    """The lower-case spellings of the terms that the document uses in lower case → the term."""
    capital = _surfaces(by_name)
    plain: dict[str, str] = {}
    for name, items in by_name.items():
        for spelling in dict.fromkeys((name, *(alias for item in items for alias in item.aliases))):
            lowered = plain_form(spelling)
            for form in () if lowered is None else (lowered, *_inflected(lowered)):
                if form not in capital and len(form) <= PHRASE_LIMIT:
                    plain.setdefault(form, name)
    defined: dict[Path, set[str]] = {}
    for name, items in by_name.items():
        for item in items:
            defined.setdefault(item.path, set()).add(name)
    own = {path: frozenset(names) for path, names in defined.items()}
    texts = ((views[clause.path].text, own.get(clause.path, frozenset())) for clause in tree.clauses)
    terms = used_plain(capital, plain, texts)
    return {form: name for form, name in plain.items() if name in terms}


def _inflected(term: str) -> Iterator[str]:
    if not term.isascii() and not any(char.isascii() and char.isalpha() for char in term):
        return
    yield term + "s"
    if term.endswith(("s", "x", "ch", "sh")):
        yield term + "es"
    if term.endswith("y") and len(term) > 2 and term[-2] not in "aeiou":
        yield term[:-1] + "ies"
    if term.endswith("s") and not term.endswith("ss") and len(term) > 4:
        yield term[:-1]
    if term[0].islower():
        yield term[0].upper() + term[1:]
        yield term[0].upper() + term[1:] + "s"
    elif len(term) > 3:
        yield term.upper()


def _by_scope(tree: Tree, items: Iterable[Definition]) -> dict[str, list[Definition]]:
    """Definitions of one term by scope, each list in document order."""
    inner: dict[str, list[Definition]] = {}
    for item in sorted(items, key=lambda item: tree.order[item.path]):
        inner.setdefault(item.scope, []).append(item)
    return inner


def _holding(tree: Tree, clause: Clause, inner: Mapping[str, list[Definition]]) -> list[Definition]:
    """The definitions that hold at ``clause``: those of its narrowest scope, the document's otherwise."""
    whole = inner.get("document", [])
    for up in tree.ancestors(clause):
        found = inner.get("/".join(up.path))
        if found:
            return _nearest(tree, clause, found) + [item for item in _nearest(tree, clause, whole) if item.exclusion]
    return _nearest(tree, clause, whole)


def _nearest(tree: Tree, clause: Clause, items: list[Definition]) -> list[Definition]:
    """All of a few definitions; of more than a document has any use for (agreements bound in one file), the last before the
    clause: linking each use with each definition would cost quadratic time and say nothing."""
    if len(items) <= DEFINITIONS_LIMIT:
        return items
    at = bisect_right(items, tree.order[clause.path], key=lambda item: tree.order[item.path])
    return items[max(0, at - 1) : max(1, at)]
