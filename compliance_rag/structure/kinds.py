"""Clause kinds in both languages; several may hold. RFC 2119 words in capitals count as what they are there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compliance_rag.structure.tree import View
from schemas.clause import KINDS, Clause

_FLAGS = re.IGNORECASE


@dataclass(frozen=True, slots=True)
class _English:
    """A pattern tried only on clauses that hold one of its words."""

    kind: str
    words: frozenset[str]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Chinese:
    kind: str
    pattern: re.Pattern[str]


def _english(kind: str, words: str, pattern: str, *, exact_case: bool = False) -> _English:
    return _English(kind, frozenset(words.split()), re.compile(pattern, 0 if exact_case else _FLAGS))


_ENGLISH = (
    _english(
        "prohibition",
        "shall must may will should cannot",
        r"\b(?:shall|must|may|will|should)\s+(?:not|never)\b|\bcannot\b|\bmay\s+only\b|\bmust\s+in\s+no\b",
    ),
    _english(
        "prohibition",
        "prohibited forbidden not",
        r"\b(?:is|are|be)\s+(?:strictly\s+)?(?:prohibited|forbidden|not\s+(?:permitted|allowed|"
        r"authori[sz]ed|entitled))\b",
    ),
    _english(
        "prohibition",
        "no not",
        r"\bno\s+(?:person|party|one|employee|certificate|payment|member|CA)\b[^.;\n]{0,60}\b(?:shall|"
        r"may|must|will)\b|\bNOT RECOMMENDED\b",
    ),
    _english(
        "prohibition",
        "not",
        r"\b(?:agrees?|undertakes?|covenants?)\s+not\s+to\b|\b(?:do|does)\s+not\s+have\s+the\s+right\b",
    ),
    _english(
        "obligation",
        "shall must",
        r"\b(?:shall|must)\b(?!\s+(?:not|never)\b)",
    ),
    _english(
        "obligation",
        "required obliged obligated bound responsible has have",
        r"\b(?:is|are|be)\s+(?:required|obliged|obligated|bound|responsible)\s+(?:to|for)\b|\bha(?:s|"
        r"ve)\s+(?:a\s+duty|to)\s",
    ),
    _english(
        "obligation",
        "agree agrees undertake undertakes covenant covenants commit commits required should recommended",
        r"\b(?:agrees?|undertakes?|covenants?|commits?)\s+to\b|\bREQUIRED\b|\bSHOULD\b(?!\s+NOT)|"
        r"\bRECOMMENDED\b",
        exact_case=True,
    ),
    _english(
        "obligation",
        "will",
        r"\b(?:[A-Z][\w’']*|[Yy]ou|[Ww]e|part(?:y|ies))\s+will\b(?!\s+(?:not|never)\b)",
        exact_case=True,
    ),
    _english(
        "permission",
        "may",
        r"\bmay\b(?!\s+(?:not|only|never|\d))(?!\s+\d)",
        exact_case=True,
    ),
    _english(
        "permission",
        "may permitted allowed entitled authorised authorized free right optional reserves reserve",
        r"\b(?:is|are|be)\s+(?:permitted|allowed|entitled|authori[sz]ed|free)\s+to\b|\bha(?:s|"
        r"ve)\s+the\s+right\s+to\b|\bMAY\b(?!\s+NOT)|\bOPTIONAL\b|\breserves?\s+the\s+right\b",
        exact_case=True,
    ),
    _english(
        "exception",
        "except unless notwithstanding provided save apply exempt exempted exemption despite other",
        r"\bexcept\b|\bunless\b|\bnotwithstanding\b|\bprovided,?\s+(?:however,?\s+)?that\b|"
        r"\bsave\s+(?:as|for|that|where)\b|\bdo(?:es)?\s+not\s+apply\b|\bshall\s+not\s+apply\b|"
        r"\bexempt(?:ed|ion)?\b|\bdespite\b|\bother\s+than\b",
    ),
    _english(
        "condition",
        "if unless provided subject condition event where long upon extent",
        r"\b(?:if|unless|provided\s+that|subject\s+to|on\s+(?:the\s+)?condition|in\s+the\s+event|"
        r"where\s+(?:the|a|an|any)|as\s+long\s+as|upon\s+(?:the\s+)?(?:request|receipt|occurrence)|"
        r"to\s+the\s+extent)\b",
    ),
    _english(
        "termination",
        "terminate terminates terminated termination terminating cancellation cancelation expiry expiration "
        "rescind rescinds rescinded",
        r"\bterminat(?:e|es|ed|ion|ing)\b|\bcancell?ation\b|\bexpir(?:y|ation)\s+of\s+(?:this|the)\b|"
        r"\brescind",
    ),
    _english(
        "penalty",
        "penalty penalties fine fines damages imprisonment offence late service sanction sanctions",
        r"\bpenalt(?:y|ies)\b|\bfines?\b(?!\s+print)|\bliquidated\s+damages\b|\bimprisonment\b|"
        r"\bguilty\s+of\s+an\s+offence\b|\blate\s+(?:fee|charge)s?\b|\bservice\s+credits?\b|"
        r"\bsanctions?\b",
    ),
    _english(
        "scope",
        "apply applies scope cover covers extend extends",
        r"\b(?:this|these)\s+[\w ]{1,40}?\bappl(?:y|ies)\s+(?:to|in|only|where|when|if)\b|\b(?:does|"
        r"do)\s+not\s+apply\s+to\b|\bscope\s+of\b|\bcovers?\s+(?:the|all)\b|\bextends?\s+to\b",
    ),
    _english(
        "procedure",
        "apply application request notice notify submit file procedure procedures following process",
        r"\b(?:apply|application|request|notice|notify|submit|file)\b[^.;\n]{0,80}\b(?:within|"
        r"in\s+writing|form|by|to)\b|\bprocedures?\b|\bfollowing\s+steps\b|"
        r"\bin\s+accordance\s+with\s+the\s+process\b",
    ),
    _english(
        "commencement",
        "force effect operation commence commences takes take effective commencement",
        r"\b(?:comes?|came|enters?|shall\s+come|shall\s+enter)\s+into\s+(?:force|effect|operation)\b|"
        r"\b(?:act|law|regulations?|rules?|agreement|policy|section|part|order|article|"
        r"amendment)s?\b[^.;\n]{0,60}\b(?:commences?|takes?\s+effect|(?:is|are|becomes?)\s+effective)\b|"
        r"\beffective\s+date\b|\bcommencement\b",
    ),
    _english(
        "transitional",
        "transition transitional before continue continues grandfather grandfathered grandfathering",
        r"\btransition(?:al)?\b|\bbefore\s+(?:the\s+)?(?:commencement|effective\s+date|coming\s+into)\b|"
        r"\bcontinues?\s+to\s+apply\b|\bgrandfather",
    ),
    _english(
        "savings",
        "prejudice nothing affect saved savings saving survive survives survival",
        r"\bwithout\s+prejudice\b|\bnothing\s+in\s+(?:this|these)\b|\b(?:does|do|shall)\s+not\s+affect\b|"
        r"\bsav(?:ed|ing)s?\s+(?:clause|provision)|\bsurviv(?:e|es|al)\b",
    ),
    _english(
        "application",
        "apply applies",
        r"\bappl(?:y|ies)\s+(?:to|in\s+relation\s+to|in\s+respect\s+of)\s+(?:any|all|every|contracts?|"
        r"certificates?|things|acts|proceedings|matters|periods?|years?)\b",
    ),
    _english(
        "sunset",
        "ceases cease expire expires lapse lapses sunset",
        r"\bceases?\s+to\s+(?:have\s+effect|apply|be\s+in\s+force)\b|\b(?:section|part|act|rule|"
        r"regulation|policy|order)s?\b[^.;\n]{0,40}\b(?:expires?|lapses?)\b|\bsunset\b",
    ),
    _english(
        "repeal",
        "repealed revoked rescinded superseded supersede supersedes",
        r"\b(?:is|are|be|hereby)\s+(?:hereby\s+)?(?:repealed|revoked|rescinded|superseded)\b|"
        r"\breplaces?\s+and\s+supersedes?\b|\bsupersedes?\s+(?:all|any)\b",
    ),
    _english(
        "amendment",
        "amended deleted replaced substituted inserted amend amends amendment amendments",
        r"\b(?:is|are)\s+(?:hereby\s+)?amended\b|\b(?:deleted|replaced|substituted|"
        r"inserted)\b[^.;\n]{0,60}\b(?:following|with|by|after|before)\b|\bamend(?:ed|ment|"
        r"s)?\b[^.;\n]{0,40}\b(?:agreement|in\s+writing|section|signed)\b",
    ),
    _english(
        "interpretation",
        "construed interpreted read reference references headings singular",
        r"\b(?:shall|is\s+to|are\s+to|must|will)\s+be\s+(?:construed|interpreted|read)\b|"
        r"\breferences?\s+to\b[^.;\n]{0,60}\b(?:include|are|is|means?)\b|"
        r"\bheadings\b[^.;\n]{0,60}\b(?:convenience|reference)\b|\bthe\s+singular\s+includes\b",
    ),
)
_CHINESE = (
    _Chinese(
        "prohibition",
        re.compile(r"不得|禁止|严禁|不准|不可以|不应(?!当理解)|不能(?!清偿)|切勿"),
    ),
    _Chinese(
        "obligation",
        re.compile(
            r"应当|必须|须(?!知)|应(?=在|于|向|按|依|自|及时|将|对|提供|支付|保证|承担|负责|立即|由|以|为|符合|遵守|提前)|有义务|有责任|负责(?!人)"
        ),
    ),
    _Chinese(
        "permission",
        re.compile(r"(?<!不)可以|有权|(?<!不)(?<!未经)准予|(?<!不)允许|(?<!不)得以"),
    ),
    _Chinese(
        "exception",
        re.compile(
            r"除外|除[^。；\n]{1,60}(?:外|以外)|另有(?:规定|约定)|(?:^|[，。；\n])但(?:是)?(?!书)|不适用(?!于本)|例外|豁免|"
            r"不受[^。；\n]{1,20}限制"
        ),
    ),
    _Chinese(
        "condition",
        re.compile(
            r"如果|如(?=[^何下上此果])[^。，；\n]{1,30}[，,]|若|的，|情形之一|条件|经[^。，；\n]{1,20}(?:批准|同意|许可)|"
            r"在[^。，；\n]{1,30}(?:情况|前提|条件)下|只有|方可"
        ),
    ),
    _Chinese(
        "termination",
        re.compile(r"终止|解除(?=.{0,12}(?:合同|协议|劳动))|(?:合同|协议)[^。；\n]{0,10}解除|撤销合同"),
    ),
    _Chinese(
        "penalty",
        re.compile(r"罚款|罚金|违约金|处[^。；\n]{0,12}(?:以下|以上)|没收|吊销|警告|拘留|有期徒刑|滞纳金|处罚|责令(?:改正|停)"),
    ),
    _Chinese(
        "scope",
        re.compile(
            r"(?:本(?:法|条例|办法|规定|合同|协议|细则|制度)[^。；\n]{0,10}适用|适用本(?:法|条例|办法|规定)|适用范围|不适用本)"
        ),
    ),
    _Chinese(
        "procedure",
        re.compile(r"程序|申请|提交|备案|登记|报送|通知[^。；\n]{0,20}书面|书面[^。；\n]{0,10}通知|审批|受理"),
    ),
    _Chinese(
        "commencement",
        re.compile(r"(?:起|日)(?:开始)?(?:施行|生效|实施|执行)|施行日期|生效日期"),
    ),
    _Chinese(
        "transitional",
        re.compile(r"过渡|施行前|本(?:法|条例|办法|规定|解释)施行(?:之日)?(?:前|后)|继续(?:有效|适用)|尚未(?:审结|终审|办结)"),
    ),
    _Chinese(
        "savings",
        re.compile(r"不影响|不妨碍|仍然有效|依然有效"),
    ),
    _Chinese(
        "application",
        re.compile(r"适用(?:于)?(?:本|下列|前款|以下|[^。；\n]{1,20}规定)|参照适用|参照执行|依照适用"),
    ),
    _Chinese(
        "sunset",
        re.compile(r"失效|停止(?:执行|适用|施行)|有效期(?:至|为|届满)"),
    ),
    _Chinese(
        "repeal",
        re.compile(r"同时废止|予以废止|废止"),
    ),
    _Chinese(
        "amendment",
        re.compile(r"修改为|修订为|增加一[条款项]|删去|删除第|变更(?:为|本合同|合同)|修改(?:本|合同)"),
    ),
    _Chinese(
        "interpretation",
        re.compile(
            r"解释权|由[^。；\n]{1,20}(?:负责)?解释|应理解为|不应(?:当)?理解为|所称[^。；\n]{1,20}(?:包括|是指)|以上[^。；\n]{0,12}均?包括本数"
        ),
    ),
)
_HEADINGS: dict[str, re.Pattern[str]] = {
    "definition": re.compile(r"\bdefinitions?\b|\bdefined\s+terms\b|\bglossary\b|定义|释义|术语", _FLAGS),
    "scope": re.compile(r"\bscope\b|\bapplicability\b|适用范围", _FLAGS),
    "termination": re.compile(r"\btermination\b|\bcancellation\b|终止|解除", _FLAGS),
    "penalty": re.compile(r"\bpenalt(?:y|ies)\b|\boffences?\b|法律责任|罚则|违约责任", _FLAGS),
    "commencement": re.compile(r"\bcommencement\b|\bentry\s+into\s+force\b|\beffective\s+date\b|施行|生效", _FLAGS),
    "transitional": re.compile(r"\btransition(?:al)?\b|过渡", _FLAGS),
    "exception": re.compile(r"\bexceptions?\b|\bexemptions?\b|例外|豁免", _FLAGS),
    "procedure": re.compile(r"\bprocedures?\b|\bprocess\b|程序", _FLAGS),
    "interpretation": re.compile(r"\binterpretation\b|\bconstruction\b|解释", _FLAGS),
    "amendment": re.compile(r"\bamendments?\b|\bmodifications?\b|修改|变更", _FLAGS),
    "repeal": re.compile(r"\brepeals?\b|废止", _FLAGS),
    "savings": re.compile(r"\bsavings?\b|\bsurvival\b", _FLAGS),
}


def kinds_of(clause: Clause, view: View, *, defines: bool, excepts: bool) -> tuple[str, ...]:
    """The kinds that hold for the clause, in the order of ``KINDS``; ``defines``/``excepts``: it has such links."""
    found: set[str] = set()
    for rule in _ENGLISH:
        if rule.kind not in found and not rule.words.isdisjoint(view.words) and rule.pattern.search(clause.text):
            found.add(rule.kind)
    if view.han:
        found.update(rule.kind for rule in _CHINESE if rule.pattern.search(clause.text))
    if clause.text:
        found.update(kind for kind, pattern in _HEADINGS.items() if pattern.search(clause.heading[:200]))
    if defines:
        found.add("definition")
    if excepts:
        found.add("exception")
    return tuple(kind for kind in KINDS if kind in found)
