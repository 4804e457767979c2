"""Measuring the outline: passages cut by people, articles of statutes, tiling, facts at their clauses.

Shapes of the folder as the contract fixes them: ``articles.json``, ``passages/<doc_id>.json``, ``manifest.json``,
``facts.json``, ``changes.json``; every key is measured when its file is there. Two
folders that come in their owners' own shapes are converted:
``source_txt`` with ``structured_documents`` (passages), and a tree of Markdown statutes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from compliance_rag.parse.labels import CONTAINERS, read_number
from compliance_rag.parse.numerals import chinese_int
from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.tiling import check_tiling
from eval.determinism import same_everywhere
from schemas.clause import Clause, ParsedVersion
from schemas.errors import ComplianceError

# Shorter passages (bare headings, "Omitted") say nothing about where a clause was cut.
MIN_PASSAGE = 20
# Misses kept in a report, enough to see the kinds.
MAX_MISSES = 60
_WHITE = re.compile(r"[\s\u200b-\u200f\ufeff]+")
_ARTICLE = re.compile(r"^第([零〇一二三四五六七八九十百千]+)条(?:之([一二三四五六七八九十]+))?[ \u3000]", re.MULTILINE)
_ADMISSIBLE = (".md", ".txt", ".html", ".htm", ".xml", ".json")


def measure(data_dir: Path) -> dict[str, Any]:
    """All figures that the files under ``data_dir`` allow, by name."""
    out: dict[str, Any] = {}
    if (data_dir / "articles.json").is_file():
        out["articles"] = articles(data_dir)
    if (data_dir / "passages").is_dir():
        out["passages"] = passages(_contract_passages(data_dir))
    if (data_dir / "structured_documents").is_dir():
        out["passages"] = passages(_paired_passages(data_dir))
    if (data_dir / "facts.json").is_file() or (data_dir / "changes.json").is_file():
        out["facts"] = facts(data_dir)
    statutes = [path for path in sorted(data_dir.rglob("*.md")) if _ARTICLE.search(_read(path))]
    if statutes:
        out["statutes"] = statute_articles(statutes)
    files = [path for path in sorted(data_dir.rglob("*")) if path.suffix in (".md", ".txt", ".html", ".htm", ".xml")]
    out["tiling"] = tiling(files)
    out["determinism"] = same_everywhere(files)
    return out


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _parse(path: Path) -> ParsedVersion:
    return parse_version(path.read_bytes(), path.name)


def squeeze(text: str) -> str:
    """Text without white space and invisible marks: what two cuts of one document must agree on."""
    return _WHITE.sub("", text)


# --- passages -------------------------------------------------------------------------------------------------------------


def _contract_passages(data_dir: Path) -> Iterator[tuple[Path, list[dict[str, str]]]]:
    """Each gold file with the version of its document that holds most of its passages; a manifest names the versions, else
    every readable file is a document of its own name."""
    for gold in sorted((data_dir / "passages").glob("*.json")):
        rows = json.loads(_read(gold))
        found = versions_of(data_dir, gold.stem)
        if found:
            texts = {path: squeeze(_parse(path).extracted) for path in found} if len(found) > 1 else {}
            yield max(found, key=lambda path: sum(squeeze(row["text"]) in texts.get(path, "") for row in rows)), rows


def versions_of(data_dir: Path, doc_id: str, version: str | None = None) -> list[Path]:
    """The files of a document, or of one version of it."""
    manifest = data_dir / "manifest.json"
    if manifest.is_file():
        entries = [entry for entry in json.loads(_read(manifest)) if entry["doc_id"] == doc_id]
        return [data_dir / entry["file"] for entry in entries if version in (None, entry["version"])]
    named = [path for path in sorted(data_dir.rglob("*")) if path.is_file() and path.name.split(".")[0] == doc_id]
    return [path for path in named if path.suffix in (*_ADMISSIBLE, ".pdf") and path.parent.name != "passages"]


def _paired_passages(data_dir: Path) -> Iterator[tuple[Path, list[dict[str, str]]]]:
    """A source file belongs to the structured file that holds most of its passages."""
    texts = {path: squeeze(_read(path)) for path in sorted((data_dir / "source_txt").glob("*.txt"))}
    for gold in sorted((data_dir / "structured_documents").glob("*.json"), key=lambda p: int(p.stem)):
        rows = [{"number": row["PassageID"], "text": row["Passage"]} for row in json.loads(_read(gold))]
        sample = [squeeze(row["text"]) for row in rows if len(row["text"]) >= MIN_PASSAGE][:: max(1, len(rows) // 60)]
        best = max(texts, key=lambda path: sum(text in texts[path] for text in sample))
        yield best, rows


def passages(pairs: Iterable[tuple[Path, list[dict[str, str]]]]) -> dict[str, Any]:
    """Share of passages found as one clause's heading, own text, both, or full text, and found so under their number."""
    totals: Counter[str] = Counter()
    misses: list[dict[str, str]] = []
    files: dict[str, dict[str, float]] = {}
    for path, rows in pairs:
        here: Counter[str] = Counter()
        index = passage_index(_parse(path))
        for row in rows:
            if len(row["text"]) < MIN_PASSAGE:
                continue
            found = index.get(squeeze(row["text"]), [])
            numbered = any(same_number(row["number"], clause) for clause in found)
            here.update(total=1, found=int(bool(found)), numbered=int(numbered))
            if not numbered:
                near = ", ".join("/".join(clause.path) for clause in found[:3])
                misses.append({"file": path.name, "number": row["number"], "text": row["text"][:160], "found_at": near})
        files[path.name] = {"passages": here["total"], "found": here["found"], "numbered": here["numbered"]}
        totals += here
    total = max(1, totals["total"])
    return {
        "passages": totals["total"], "found": round(totals["found"] / total, 4),
        "numbered": round(totals["numbered"] / total, 4), "files": files, "misses": misses,
    }  # fmt: skip


def passage_index(parsed: ParsedVersion) -> dict[str, list[Clause]]:
    """Clauses by the squeezed texts they may be found as."""
    index: dict[str, list[Clause]] = {}
    for clause in parsed.clauses:
        full_start = clause.label_span[1] if clause.label_span else clause.full_span[0]
        whole = parsed.extracted[full_start : clause.full_span[1]]
        both = f"{clause.heading} {clause.text}"
        for text in {squeeze(clause.heading), squeeze(clause.text), squeeze(both), squeeze(whole)}:
            if text:
                index.setdefault(text, []).append(clause)
    return index


def same_number(gold: str, clause: Clause) -> bool:
    """The same tokens at the end, at least as deep as the gold number without its containers."""
    wanted = [token for token in number_tokens(gold) if token]
    have = [token.split("~")[0] for token in clause.path]
    return (bool(wanted) and have[-len(wanted) :] == wanted) or (not wanted and bool(have))


_CONTAINER = re.compile(r"(?i)^(?:part|chapter|section|schedule|appendix|app|annex)\s*(?:[0-9ivxlc]+[a-z]?)?\s*(?:\.|$)\s*")


def number_tokens(gold: str) -> list[str]:
    """Tokens of a printed number without leading containers."""
    rest = gold.strip().rstrip(".")
    while True:
        cut = _CONTAINER.sub("", rest, count=1)
        if cut == rest:
            break
        rest = cut
    raw = [
        re.findall(r"[\w-]+", piece.replace("_", " ")) for piece in re.split(r"\.|(?=\()|(?<=\))", rest) if piece.strip(". ")
    ]
    return ["-".join(word.lower() for word in words) for words in raw if words]


# --- statutes -------------------------------------------------------------------------------------------------------------


def _wanted_articles(text: str) -> list[str]:
    out = []
    for match in _ARTICLE.finditer(text):
        extra = f"-{chinese_int(match[2])}" if match[2] else ""
        out.append(f"{chinese_int(match[1])}{extra}")
    return out


def _found_articles(parsed: ParsedVersion) -> list[str]:
    return [c.path[-1].split("~")[0] for c in parsed.clauses if re.match(r"第.{1,10}条(之.{1,3})?\Z", c.label)]


def statute_articles(paths: list[Path]) -> dict[str, Any]:
    """Files whose articles are all found once, in order, none invented."""
    wrong = []
    articles_total = 0
    for path in paths:
        wanted, found = _wanted_articles(_read(path)), _found_articles(_parse(path))
        articles_total += len(wanted)
        if wanted != found:
            at = next((i for i, (a, b) in enumerate(zip(wanted, found, strict=False)) if a != b), min(len(wanted), len(found)))
            wrong.append(
                {
                    "file": path.name,
                    "wanted": len(wanted),
                    "found": len(found),
                    "first": [*wanted[at : at + 2], "|", *found[at : at + 2]],
                }
            )
    return {"files": len(paths), "articles": articles_total, "equal": len(paths) - len(wrong), "wrong": wrong}


def articles(data_dir: Path) -> dict[str, Any]:
    """Parts, chapters, sections and the last article against ``articles.json``."""
    gold = json.loads(_read(data_dir / "articles.json"))
    wrong = []
    for name, want in gold.items():
        parsed = _parse(data_dir / name)
        kinds = Counter(kind for clause in parsed.clauses if (kind := _container_kind(clause)))
        have = {
            "last_article": max((int(re.match(r"\d+", a)[0]) for a in _found_articles(parsed)), default=0),  # type: ignore[index]
            "parts": kinds["part"], "chapters": kinds["chapter"], "sections": kinds["section"],
        }  # fmt: skip
        for key, value in have.items():
            if key in want and want[key] != value:
                wrong.append({"file": name, "what": key, "want": want[key], "have": value})
    return {"files": len(gold), "wrong": wrong}


def _container_kind(clause: Clause) -> str | None:
    match = re.match(r"第.{1,10}(编|章|节)\Z", clause.label.replace(" ", ""))
    if clause.container and match:
        return {"编": "part", "章": "chapter", "节": "section"}[match[1]]
    word = clause.path[-1].split("-")[0]
    return word if clause.container and word in CONTAINERS else None


# --- facts, changes, tiling -----------------------------------------------------------------------------------------------


def facts(data_dir: Path) -> dict[str, Any]:
    """Clauses that gold files name exist under exactly that number in the version named and hold the phrase, if given."""
    wanted = [*_wanted_facts(data_dir), *_wanted_changes(data_dir)]
    parsed = {path: _parse(path) for path in sorted({path for path, _, _ in wanted})}
    missing = [{"file": n.name, "clause": c, "phrase": p[:80]} for n, c, p in wanted if not _holds(parsed[n], c, p)]
    return {"wanted": len(wanted), "held": len(wanted) - len(missing), "missing": missing}


_Wanted = tuple[Path, str, str]
# Changes that leave a clause the number it had.
_SAME_NUMBER = ("modified", "removed")


def _file(data_dir: Path, row: dict[str, Any], key: str, version: str) -> list[Path]:
    """The file a row names itself, else the one of its document and version."""
    return [data_dir / row[key]] if row.get(key) else versions_of(data_dir, row["doc_id"], row.get(version))[:1]


def _wanted_facts(data_dir: Path) -> Iterator[_Wanted]:
    if not (data_dir / "facts.json").is_file():
        return
    for row in json.loads(_read(data_dir / "facts.json")):
        if row.get("clause"):
            for path in _file(data_dir, row, "file", "expected_version"):
                yield path, row["clause"], row.get("expected_phrase") or ""
        other = row.get("other") or {}
        if other.get("clause") and other.get("file"):
            yield data_dir / other["file"], other["clause"], other.get("phrase") or ""


def _wanted_changes(data_dir: Path) -> Iterator[_Wanted]:
    if not (data_dir / "changes.json").is_file():
        return
    for row in json.loads(_read(data_dir / "changes.json")):
        for change in row["changes"]:
            kind, number = change.get("type") or "modified", change.get("clause")
            earlier = change.get("before_clause") or (number if kind in _SAME_NUMBER else None)
            if earlier:
                for path in _file(data_dir, row, "from_file", "from_version"):
                    yield path, earlier, change.get("before") or ""
            if number and kind != "removed":
                for path in _file(data_dir, row, "to_file", "to_version"):
                    yield path, number, change.get("after") or ""


def _holds(parsed: ParsedVersion, number: str, phrase: str) -> bool:
    path = read_number(number)
    for clause in parsed.clauses:
        if clause.number == number or clause.path == path:
            whole = parsed.extracted[clause.full_span[0] : clause.full_span[1]]
            return squeeze(phrase) in squeeze(whole)
    return False


def tiling(paths: Iterable[Path]) -> dict[str, Any]:
    """Files whose clauses tile the extracted text (law 1); files that a reader refuses are named."""
    files = 0
    wrong: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    for path in paths:
        try:
            parsed = _parse(path)
        except ComplianceError as error:
            refused.append({"file": path.name, "code": error.code})
            continue
        files += 1
        problems = check_tiling(parsed)
        if problems:
            wrong.append({"file": path.name, "problems": problems[:3]})
    return {"files": files, "wrong": wrong, "refused": refused}
