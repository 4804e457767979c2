"""Which answers wait for a person: by their review reasons and by why they were refused. Settings may say otherwise of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping

# Said, and alone no reason for a person to look: most rules have no exception, and a rejected draft was replaced.
INFORMATIVE = frozenset(
    {"no_exception_in_scope", "model_rejected", "egress", "evidence_left_out", "unresolved_reference", "figure", "unread_ink"}
)
# Reasons for which an answer's status is ``needs_review``; the others are said beside it.
ROUTED = frozenset(
    {"low_answer_confidence", "low_retrieval_confidence", "weak_best_source", "held_page", "nothing_cited", "routed_kind"}
)
# Refusals that a person can put right: a damaged text, a version that waits, an answer that failed its own checks. Of the
# others (the documents do not say, nothing was in force, the day was unclear) the asker knows all that a reviewer would.
REFUSALS_LISTED = frozenset({"integrity", "held", "validation"})


def listed(codes: Collection[str], refused: str | None, route: Mapping[str, bool]) -> bool:
    """Whether the answer is in the review queue. ``codes``: its review reasons; ``refused``: its refusal reason, None when
    something was answered; ``route``: settings by either."""
    if refused is None:
        return any(route.get(code, code not in INFORMATIVE) for code in codes)
    if refused in route or refused in REFUSALS_LISTED:
        return route.get(refused, True)
    return any(route.get(code, False) for code in codes)


def waits(codes: Collection[str], route: Mapping[str, bool]) -> bool:
    """Whether the status of an answer that cites something is ``needs_review``."""
    return any(route.get(code, code in ROUTED) for code in codes)
