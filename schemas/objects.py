"""The JSON that leaves the house: clause objects, search, ask, changes, docs, add. Shapes are fixed by the outside contract."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Out(BaseModel):
    """Base of what is printed."""

    model_config = ConfigDict(extra="forbid")


class RiskObject(Out):
    """A risk and its level."""

    kind: str
    level: str


class ClauseObject(Out):
    """A clause as every read shows it; ``None`` for an absent value."""

    clause_id: str
    doc_id: str
    version: str
    version_id: str
    number: str | None
    label: str
    aliases: list[str]
    heading: str
    heading_path: list[str]
    depth: int
    parent: str | None
    kinds: list[str]
    text: str
    sha256: str
    spans: list[tuple[int, int]]
    page: int | None
    boxes: list[tuple[int, float, float, float, float]]
    box_ranges: list[tuple[int, int]] = Field(default=[], exclude_if=lambda value: not value)
    effective_from: str | None
    effective_to: str | None
    lineage_id: str
    source_id: str | None
    risks: list[RiskObject]
    flags: list[str]


class ReferenceObject(Out):
    """A cross-reference found in a clause; ``target`` is a clause id or None when unresolved."""

    text: str
    span: tuple[int, int]
    mode: Literal["dynamic", "static"]
    target: str | None


class FullClauseObject(ClauseObject):
    """A clause with its links, as ``clause`` and ``outline`` show it."""

    references: list[ReferenceObject] = []
    definitions: list[dict[str, str]] = []
    terms_used: list[dict[str, str]] = []
    exceptions: list[str] = []
    excepts: list[str] = []
    full_text: str | None = None


class Hit(ClauseObject):
    """A search hit."""

    rank: int
    score: float
    sources: dict[str, int | None]
    why: str


class SearchResult(Out):
    """``search``."""

    as_of: str
    known_at: str
    corpus_root: str
    hits: list[Hit]


Role = Literal["primary", "definition", "exception", "reference", "lead_in", "amendment", "transitional", "locator"]


class Checks(Out):
    """Law 5, part by part; all True on anything shown."""

    exists: bool
    in_force: bool
    hash: bool
    quote: bool
    supports: bool


class Citation(ClauseObject):
    """A validated citation; ``quote_span`` counts in ``text`` (in ``heading`` for a locator)."""

    n: int
    role: Role
    quote: str
    quote_span: tuple[int, int]
    checks: Checks


class Statement(Out):
    """One sentence of the answer with the numbers of its citations."""

    text: str
    citations: list[int]


class Evidence(Out):
    """A clause that was put before the answerer, with its role and the reason it is there."""

    clause_id: str
    role: Role
    why: str
    score: float


class Considered(Out):
    """A candidate that was not used, and why not."""

    clause_id: str
    rank: int
    why_not: str


class Reason(Out):
    """A review reason with its stable code."""

    code: str
    text: str


class Review(Out):
    """Whether a person should look, and why."""

    recommended: bool
    reasons: list[Reason]


class Receipt(Out):
    """The ledger's receipt of this answer: leaf index, leaf hash, tree size, root, inclusion proof (hex)."""

    index: int
    leaf_hash: str
    size: int
    root: str
    proof: list[str]


class Incorporated(Out):
    """A text that a cited clause incorporates as it stood, whatever is in force on the day asked about: ``reference`` as
    printed in ``cited_by``, the ``edition`` it names (a day or a label) and the version that is. Evidence, never a citation.
    ``clause`` and ``why`` None: unresolved, the edition (``version_id`` None) or its clause is not held."""

    cited_by: str
    reference: str
    edition: str
    version_id: str | None
    clause: ClauseObject | None
    why: str | None


class Earlier(Out):
    """What the clause ``cited`` said in an earlier version, for a question that asks what changed. Evidence, never a citation.
    ``version`` None: none is held; ``clause`` None: that version has no such clause; ``redline`` empty: the
    words are the same."""

    cited: str
    version: str | None
    version_id: str | None
    effective_from: str | None
    effective_to: str | None
    clause: ClauseObject | None
    redline: list[tuple[Literal["=", "-", "+"], str]]


class Follows(Out):
    """How a follow-up was read: the answer it follows, the words it was searched and answered as, and what was taken over from
    there: the day, documents, jurisdictions, and the clauses whose subject stands beside its words. ``same``: it names a day
    and nothing else, so that these clauses, as they stand on that day, are the answer."""

    answer_id: str
    read_as: str
    as_of: str | None
    docs: list[str]
    jurisdictions: list[str]
    clauses: list[str]
    same: bool = Field(default=False, exclude_if=lambda value: not value)


Status = Literal["answered", "refused", "needs_review"]
RefusalReason = Literal[
    "silent", "not_in_force", "not_yet_in_force", "expired", "repealed", "withdrawn", "gap", "held", "ambiguous_date",
    "ambiguous_jurisdiction", "integrity", "no_permission", "validation",
]  # fmt: skip


class Answer(Out):
    """``ask``. ``ledger`` is None only inside the record itself, which is hashed before the receipt exists."""

    answer_id: str
    request_id: str
    status: Status
    question: str
    as_of: str
    as_of_from: Literal["option", "question", "today"]
    known_at: str
    known_basis: Literal["recorded", "published"]
    corpus_root: str
    answer: str
    statements: list[Statement]
    citations: list[Citation]
    evidence: list[Evidence]
    considered: list[Considered]
    retrieval_confidence: float
    answer_confidence: float
    review: Review
    gaps: list[str]
    conflicts: list[dict[str, Any]]
    upcoming_changes: list[dict[str, Any]]
    refusal_reason: RefusalReason | None
    clarify: list[str]
    nearest: list[ClauseObject]
    scope: dict[str, int]
    model: dict[str, Any] | None
    incorporated: list[Incorporated] = Field(default=[], exclude_if=lambda value: not value)
    earlier: list[Earlier] = Field(default=[], exclude_if=lambda value: not value)
    follows: Follows | None = Field(default=None, exclude_if=lambda value: value is None)
    ledger: Receipt | None = None


ChangeKind = Literal["added", "removed", "modified", "renumbered", "moved", "split", "merged"]
RippleLink = Literal["definition", "reference", "left_behind", "exception", "rule", "lead_in"]


class RippleStep(Out):
    """One step of a path: this clause is reached because it uses the term ``name``, cites the clause before as ``name``, still
    cites it so though it no longer bears that number (``left_behind``), is its exception, is the rule that it excepts, or
    stands under its lead-in; ``name`` is empty where nothing is named."""

    clause_id: str
    number: str | None
    link: RippleLink
    name: str


class RippleObject(Out):
    """A clause of the version after that a change touches. ``origin``: the changed clause that the path starts from (of the
    version before where it is gone), and what became of it; ``path`` leads from there, its last step is the clause itself.
    ``text_equal``: its own words, number and place aside, are the same in both versions. ``edited``, printed where they are
    not and no rule of its own changed: its references follow renumbered clauses (``repointed``), or its words were put right
    (``editorial``)."""

    clause_id: str
    number: str | None
    heading: str
    text_equal: bool
    edited: Literal["repointed", "editorial"] | None = Field(default=None, exclude_if=lambda value: value is None)
    origin: str
    origin_number: str | None
    origin_kind: ChangeKind
    path: list[RippleStep]


class Change(Out):
    """One change between two versions. ``ripples`` runs beside ``affects``: how each of those clauses is reached; printed where
    there are any."""

    kind: ChangeKind
    lineage_id: str
    before: ClauseObject | list[ClauseObject] | None
    after: ClauseObject | list[ClauseObject] | None
    redline: list[tuple[Literal["=", "-", "+"], str]]
    weight: Literal["substantive", "editorial"]
    signals: list[str]
    affects: list[str]
    ripples: list[RippleObject] = Field(default=[], exclude_if=lambda value: not value)


class VersionObject(Out):
    """A version as ``docs`` shows it. ``corrected_by``: the version id of the correction that stands in its place; printed only
    of a version that was corrected. ``in_force_until``: where a successor cuts the version's own end (``effective_to``) short,
    the day it stops governing. ``void``: it never was valid. Each printed only where it is so."""

    version: str
    version_id: str
    effective_from: str
    effective_to: str | None
    published_on: str | None
    recorded_at: str
    state: Literal["in_force", "future", "superseded", "expired", "repealed", "withdrawn", "held", "staged", "draft"]
    clauses: int
    flags: dict[str, int]
    corrected_by: str | None = Field(default=None, exclude_if=lambda value: value is None)
    in_force_until: str | None = Field(default=None, exclude_if=lambda value: value is None)
    void: bool = Field(default=False, exclude_if=lambda value: not value)


class DocumentObject(Out):
    """A document as ``docs`` shows it."""

    doc_id: str
    title: str
    jurisdiction: str | None
    language: str
    versions: list[VersionObject]


class Changes(Out):
    """``changes``."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    doc_id: str
    from_: VersionObject = Field(alias="from")
    to: VersionObject
    changes: list[Change]


class ReviewDecision(Out):
    """What a person decided about an answer: ledger record ``record``. ``note`` and ``text`` (the amended words) are None when
    erased; ``text`` also unless the decision is ``amend``."""

    record: int
    decision: Literal["approve", "amend", "reject"]
    note: str | None
    text: str | None
    actor: str
    actor_auth: str
    recorded_at: str


class ReviewItem(Out):
    """``review list``: an answer that a person should look at. ``question`` None: erased. ``decision`` None: waiting."""

    answer_id: str
    status: Status
    question: str | None
    asked_at: str
    asked_by: str
    as_of: str
    reasons: list[Reason]
    decision: ReviewDecision | None


class ReviewShown(Out):
    """``review show`` and ``review decide``: the answer as it was given (None: erased), every decision about it in the order
    recorded, and the one that holds."""

    answer_id: str
    answer: Answer | None
    decisions: list[ReviewDecision]
    decision: ReviewDecision | None
