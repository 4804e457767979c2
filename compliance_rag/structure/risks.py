"""Risk flags with levels: cheap rules in both languages that point a reviewer to a clause. They judge nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from schemas.clause import Clause, Risk

Level = Literal["low", "medium", "high"]
_ORDER: dict[Level, int] = {"low": 0, "medium": 1, "high": 2}


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    level: Level
    pattern: re.Pattern[str]


def _rule(kind: str, level: Level, english: str, chinese: str) -> _Rule:
    return _Rule(kind, level, re.compile(f"(?:{english})|(?:{chinese})", re.IGNORECASE))


_RULES = (
    _rule("penalty", "high", r"\bliquidated\s+damages\b|\bimprisonment\b|\bfined?\s+(?:not\s+exceeding|of\s+up\s+to|up\s+to)\b", r"违约金|有期徒刑|吊销[^。；\n]{0,10}(?:执照|许可证)|处[^。；\n]{0,20}罚款"),
    _rule("penalty", "medium", r"\bpenalt(?:y|ies)\b|\bfines?\b(?!\s+print)|\blate\s+(?:payment\s+)?(?:fee|charge|interest)s?\b", r"罚款|罚金|滞纳金|没收|处罚"),
    _rule("liability", "high", r"\bunlimited\s+liability\b|\bconsequential\s+damages\b|\bindemnif(?:y|ies|ication)\b|\bhold\s+harmless\b|\bin\s+no\s+event\b[^.;\n]{0,80}\bliab", r"无限(?:连带)?责任|连带责任|全部(?:赔偿)?责任|赔偿[^。；\n]{0,20}(?:全部|一切)损失|免责"),
    _rule("liability", "medium", r"\bliab(?:le|ility|ilities)\b|\bdamages\b|\bwarrant(?:y|ies)\b|\bcap\s+on\b", r"赔偿|承担[^。；\n]{0,20}责任|保证责任"),
    _rule("indemnity", "high", r"\bindemnif(?:y|ies|ied|ication)\b|\bindemnit(?:y|ies)\b|\bhold\s+harmless\b", r"使[^。；\n]{0,10}免受[^。；\n]{0,10}(?:损失|损害)"),
    _rule("jurisdiction", "medium", r"\bgoverning\s+law\b|\bgoverned\s+by\b[^.;\n]{0,60}\blaws?\b|\b(?:exclusive\s+)?jurisdiction\s+of\b|\barbitrat(?:ion|or|ed)\b|\bvenue\b", r"管辖(?!区)|仲裁|适用[^。；\n]{0,16}法律|诉讼[^。；\n]{0,10}法院"),
    _rule("force_majeure", "low", r"\bforce\s+majeure\b|\bacts?\s+of\s+god\b|\bbeyond\s+(?:its|the|their)\s+(?:reasonable\s+)?control\b", r"不可抗力"),
    _rule("confidentiality", "medium", r"\bconfidential(?:ity|\s+information)?\b|\bnon-?disclosure\b|\btrade\s+secrets?\b", r"保密|商业秘密|不得泄露"),
    _rule("non_compete", "high", r"\bnon-?compet(?:e|ition)\b|\bcovenant\s+not\s+to\s+compete\b|\b(?:shall|will|may)\s+not\b[^.;\n]{0,80}\bcompet(?:e|es|ing|itive)\b|\bnon-?solicit", r"竞业(?:限制|禁止)|同业竞争|不得[^。；\n]{0,20}(?:竞争|同类)"),
    _rule("exclusivity", "medium", r"\bexclusive\s+(?:right|licen[cs]e|supplier|distributor|territory|dealing)|\bexclusivity\b|\bsole\s+and\s+exclusive\b", r"独家|排他"),
    _rule("intellectual_property", "medium", r"\bintellectual\s+property\b|\bpatents?\b|\bcopyrights?\b|\btrademarks?\b|\bwork(?:s)?\s+(?:made\s+)?for\s+hire\b|\bassigns?\s+all\s+right", r"知识产权|专利(?:权)?|著作权|商标(?:权)?|版权"),
    _rule("unilateral_termination", "high", r"\bterminat(?:e|ion)\b[^.;\n]{0,80}\b(?:at\s+any\s+time|for\s+convenience|without\s+cause|for\s+any\s+reason|in\s+its\s+sole\s+discretion|without\s+(?:prior\s+)?notice)\b|\b(?:at\s+any\s+time|for\s+convenience|in\s+its\s+sole\s+discretion)\b[^.;\n]{0,60}\bterminat", r"(?:有权|可以?)(?:随时|单方(?:面)?|立即)[^。；\n]{0,12}(?:解除|终止)|单方(?:面)?(?:解除|终止)|随时(?:解除|终止)"),
    _rule("auto_renewal", "medium", r"\bauto(?:matic(?:ally)?)?[\s-]{0,2}renew(?:s|al|ed)?\b|\brenew(?:s|ed)?\s+automatically\b|\bsuccessive\s+(?:renewal\s+)?(?:terms|periods)\b|\bevergreen\b", r"自动(?:续期|续约|续展|延期|延续|续订|顺延)"),
    _rule("unilateral_change", "high", r"\b(?:may|reserves?\s+the\s+right\s+to)\b[^.;\n]{0,60}\b(?:modify|amend|change|revise)\b[^.;\n]{0,60}\b(?:at\s+any\s+time|sole\s+discretion|without\s+notice|terms|agreement)\b", r"有权(?:随时|单方(?:面)?)[^。；\n]{0,12}(?:修改|变更|调整)|保留[^。；\n]{0,10}修改"),
    _rule("payment", "low", r"\b(?:late|overdue|non-?refundable)\b[^.;\n]{0,40}\b(?:payment|fee|amount|invoice)s?\b|\bprice\s+(?:increase|adjustment)s?\b|\bnon-?refundable\b", r"逾期(?:付款|支付)|不予退还|价格调整|调价"),
    _rule("assignment", "low", r"\bassign(?:ment|ed|s)?\b[^.;\n]{0,60}\b(?:consent|agreement|rights|obligations|successors?)\b|\bchange\s+(?:of|in)\s+control\b", r"转让[^。；\n]{0,16}(?:权利|义务|合同|同意)|控制权变更"),
    _rule("personal_data", "medium", r"\bpersonal\s+(?:data|information)\b|\bdata\s+(?:subjects?|breach|protection)\b|\bprivacy\b", r"个人信息|隐私|个人资料|数据(?:泄露|出境|安全)"),
    _rule("audit_right", "low", r"\bright\s+to\s+(?:audit|inspect)\b|\b(?:audit|inspect)\s+(?:the\s+)?(?:books|records|premises)\b", r"(?:审计|检查)权|有权[^。；\n]{0,10}(?:审计|检查|查阅)"),
    _rule("most_favoured", "medium", r"\bmost\s+favou?red\b", r"最惠|最优惠"),
    _rule("insurance", "low", r"\bmaintain\b[^.;\n]{0,40}\binsurance\b|\binsurance\s+(?:coverage|polic(?:y|ies))\b", r"投保|保险责任"),
)  # fmt: skip


def risks_of(clause: Clause) -> tuple[Risk, ...]:
    """One risk a kind, at the highest level a rule gives, in the rules' order."""
    levels: dict[str, Level] = {}
    for rule in _RULES:
        known = levels.get(rule.kind)
        if (known is None or _ORDER[known] < _ORDER[rule.level]) and rule.pattern.search(clause.text):
            levels[rule.kind] = rule.level
    return tuple(Risk(kind, level) for kind, level in levels.items())
