"""Risk flags with levels: cheap rules in both languages that point a reviewer to a clause. They judge nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from compliance_rag.structure.tree import View
from schemas.clause import Risk

Level = Literal["low", "medium", "high"]
_ORDER: dict[Level, int] = {"low": 0, "medium": 1, "high": 2}


@dataclass(frozen=True, slots=True)
class _Rule:
    """The English pattern is tried only on clauses that hold one of ``words``, the Chinese one only where there is Chinese."""

    kind: str
    level: Level
    words: frozenset[str]
    english: re.Pattern[str]
    chinese: re.Pattern[str]

    def holds(self, view: View) -> bool:
        if not self.words.isdisjoint(view.words) and self.english.search(view.text):
            return True
        return view.han and self.chinese.search(view.text) is not None


def _rule(kind: str, level: Level, words: str, english: str, chinese: str) -> _Rule:
    return _Rule(kind, level, frozenset(words.split()), re.compile(english, re.IGNORECASE), re.compile(chinese))


_RULES = (
    _rule(
        "penalty",
        "high",
        "liquidated imprisonment fine fined",
        r"\bliquidated\s+damages\b|\bimprisonment\b|\bfined?\s+(?:not\s+exceeding|of\s+up\s+to|up\s+to)\b",
        r"违约金|有期徒刑|吊销[^。；\n]{0,10}(?:执照|许可证)|处[^。；\n]{0,20}罚款",
    ),
    _rule(
        "penalty",
        "medium",
        "penalty penalties fine fines late",
        r"\bpenalt(?:y|ies)\b|\bfines?\b(?!\s+print)|\blate\s+(?:payment\s+)?(?:fee|charge|interest)s?\b",
        r"罚款|罚金|滞纳金|没收|处罚",
    ),
    _rule(
        "liability",
        "high",
        "liability consequential indemnify indemnifies indemnification harmless event",
        r"\bunlimited\s+liability\b|\bconsequential\s+damages\b|\bindemnif(?:y|ies|ication)\b|"
        r"\bhold\s+harmless\b|\bin\s+no\s+event\b[^.;\n]{0,80}\bliab",
        r"无限(?:连带)?责任|连带责任|全部(?:赔偿)?责任|赔偿[^。；\n]{0,20}(?:全部|一切)损失|免责",
    ),
    _rule(
        "liability",
        "medium",
        "liable liability liabilities damages warranty warranties cap",
        r"\bliab(?:le|ility|ilities)\b|\bdamages\b|\bwarrant(?:y|ies)\b|\bcap\s+on\b",
        r"赔偿|承担[^。；\n]{0,20}责任|保证责任",
    ),
    _rule(
        "indemnity",
        "high",
        "indemnify indemnifies indemnified indemnification indemnity indemnities harmless",
        r"\bindemnif(?:y|ies|ied|ication)\b|\bindemnit(?:y|ies)\b|\bhold\s+harmless\b",
        r"使[^。；\n]{0,10}免受[^。；\n]{0,10}(?:损失|损害)",
    ),
    _rule(
        "jurisdiction",
        "medium",
        "governing governed jurisdiction arbitration arbitrator arbitrators arbitrated arbitrate venue",
        r"\bgoverning\s+law\b|\bgoverned\s+by\b[^.;\n]{0,60}\blaws?\b|"
        r"\b(?:exclusive\s+)?jurisdiction\s+of\b|\barbitrat(?:ion|or|ed)\b|\bvenue\b",
        r"管辖(?!区)|仲裁|适用[^。；\n]{0,16}法律|诉讼[^。；\n]{0,10}法院",
    ),
    _rule(
        "force_majeure",
        "low",
        "majeure god control",
        r"\bforce\s+majeure\b|\bacts?\s+of\s+god\b|\bbeyond\s+(?:its|the|"
        r"their)\s+(?:reasonable\s+)?control\b",
        r"不可抗力",
    ),
    _rule(
        "confidentiality",
        "medium",
        "confidential confidentiality nondisclosure disclosure secret secrets",
        r"\bconfidential(?:ity|\s+information)?\b|\bnon-?disclosure\b|\btrade\s+secrets?\b",
        r"保密|商业秘密|不得泄露",
    ),
    _rule(
        "non_compete",
        "high",
        "compete competes competing competition competitive noncompete noncompetition "
        "solicit solicitation nonsolicitation solicits",
        r"\bnon-?compet(?:e|ition)\b|\bcovenant\s+not\s+to\s+compete\b|\b(?:shall|will|"
        r"may)\s+not\b[^.;\n]{0,80}\bcompet(?:e|es|ing|itive)\b|\bnon-?solicit",
        r"竞业(?:限制|禁止)|同业竞争|不得[^。；\n]{0,20}(?:竞争|同类)",
    ),
    _rule(
        "exclusivity",
        "medium",
        "exclusive exclusivity",
        r"\bexclusive\s+(?:right|licen[cs]e|supplier|distributor|territory|dealing)|\bexclusivity\b|"
        r"\bsole\s+and\s+exclusive\b",
        r"独家|排他",
    ),
    _rule(
        "intellectual_property",
        "medium",
        "intellectual patent patents copyright copyrights trademark trademarks hire assign assigns",
        r"\bintellectual\s+property\b|\bpatents?\b|\bcopyrights?\b|\btrademarks?\b|"
        r"\bwork(?:s)?\s+(?:made\s+)?for\s+hire\b|\bassigns?\s+all\s+right",
        r"知识产权|专利(?:权)?|著作权|商标(?:权)?|版权",
    ),
    _rule(
        "unilateral_termination",
        "high",
        "terminate terminates terminated termination terminating",
        r"\bterminat(?:e|ion)\b[^.;\n]{0,80}\b(?:at\s+any\s+time|for\s+convenience|without\s+cause|"
        r"for\s+any\s+reason|in\s+its\s+sole\s+discretion|without\s+(?:prior\s+)?notice)\b|"
        r"\b(?:at\s+any\s+time|for\s+convenience|in\s+its\s+sole\s+discretion)\b[^.;\n]{0,60}\bterminat",
        r"(?:有权|可以?)(?:随时|单方(?:面)?|立即)[^。；\n]{0,12}(?:解除|终止)|单方(?:面)?(?:解除|终止)|随时(?:解除|终止)",
    ),
    _rule(
        "auto_renewal",
        "medium",
        "renew renews renewal renewed autorenew autorenewal autorenews autorenewed successive evergreen",
        r"\bauto(?:matic(?:ally)?)?[\s-]{0,2}renew(?:s|al|ed)?\b|\brenew(?:s|ed)?\s+automatically\b|"
        r"\bsuccessive\s+(?:renewal\s+)?(?:terms|periods)\b|\bevergreen\b",
        r"自动(?:续期|续约|续展|延期|延续|续订|顺延)",
    ),
    _rule(
        "unilateral_change",
        "high",
        "modify amend change revise",
        r"\b(?:may|reserves?\s+the\s+right\s+to)\b[^.;\n]{0,60}\b(?:modify|amend|change|"
        r"revise)\b[^.;\n]{0,60}\b(?:at\s+any\s+time|sole\s+discretion|without\s+notice|terms|"
        r"agreement)\b",
        r"有权(?:随时|单方(?:面)?)[^。；\n]{0,12}(?:修改|变更|调整)|保留[^。；\n]{0,10}修改",
    ),
    _rule(
        "payment",
        "low",
        "late overdue refundable nonrefundable price",
        r"\b(?:late|overdue|non-?refundable)\b[^.;\n]{0,40}\b(?:payment|fee|amount|invoice)s?\b|"
        r"\bprice\s+(?:increase|adjustment)s?\b|\bnon-?refundable\b",
        r"逾期(?:付款|支付)|不予退还|价格调整|调价",
    ),
    _rule(
        "assignment",
        "low",
        "assign assigns assigned assignment control",
        r"\bassign(?:ment|ed|s)?\b[^.;\n]{0,60}\b(?:consent|agreement|rights|obligations|successors?)\b|"
        r"\bchange\s+(?:of|in)\s+control\b",
        r"转让[^。；\n]{0,16}(?:权利|义务|合同|同意)|控制权变更",
    ),
    _rule(
        "personal_data",
        "medium",
        "personal data privacy",
        r"\bpersonal\s+(?:data|information)\b|\bdata\s+(?:subjects?|breach|protection)\b|\bprivacy\b",
        r"个人信息|隐私|个人资料|数据(?:泄露|出境|安全)",
    ),
    _rule(
        "audit_right",
        "low",
        "audit inspect",
        r"\bright\s+to\s+(?:audit|inspect)\b|\b(?:audit|inspect)\s+(?:the\s+)?(?:books|records|"
        r"premises)\b",
        r"(?:审计|检查)权|有权[^。；\n]{0,10}(?:审计|检查|查阅)",
    ),
    _rule(
        "most_favoured",
        "medium",
        "favoured favored",
        r"\bmost\s+favou?red\b",
        r"最惠|最优惠",
    ),
    _rule(
        "insurance",
        "low",
        "insurance",
        r"\bmaintain\b[^.;\n]{0,40}\binsurance\b|\binsurance\s+(?:coverage|polic(?:y|ies))\b",
        r"投保|保险责任",
    ),
)


def risks_of(view: View) -> tuple[Risk, ...]:
    """One risk a kind, at the highest level a rule gives, in the rules' order."""
    levels: dict[str, Level] = {}
    for rule in _RULES:
        known = levels.get(rule.kind)
        if (known is None or _ORDER[known] < _ORDER[rule.level]) and rule.holds(view):
            levels[rule.kind] = rule.level
    return tuple(Risk(kind, level) for kind, level in levels.items())
