"""Clause kinds in both languages; several may hold. RFC 2119 words in capitals count as what they are there."""

from __future__ import annotations

import re
from collections.abc import Collection

from schemas.clause import KINDS, Clause

_FLAGS = re.IGNORECASE
_PATTERNS: dict[str, tuple[re.Pattern[str], ...]] = {
    "prohibition": (
        re.compile(r"\b(?:shall|must|may|will|should)\s+(?:not|never)\b|\bcannot\b|\bmay\s+only\b|\bmust\s+in\s+no\b", _FLAGS),
        re.compile(r"\b(?:is|are|be)\s+(?:strictly\s+)?(?:prohibited|forbidden|not\s+(?:permitted|allowed|authori[sz]ed|entitled))\b", _FLAGS),
        re.compile(r"\bno\s+(?:person|party|one|employee|certificate|payment|member|CA)\b[^.;\n]{0,60}\b(?:shall|may|must|will)\b|\bNOT RECOMMENDED\b", _FLAGS),
        re.compile(r"\b(?:agrees?|undertakes?|covenants?)\s+not\s+to\b|\b(?:do|does)\s+not\s+have\s+the\s+right\b", _FLAGS),
        re.compile(r"不得|禁止|严禁|不准|不可以|不应(?!当理解)|不能(?!清偿)|切勿"),
    ),
    "obligation": (
        re.compile(r"\b(?:shall|must)\b(?!\s+(?:not|never)\b)", _FLAGS),
        re.compile(r"\b(?:is|are|be)\s+(?:required|obliged|obligated|bound|responsible)\s+(?:to|for)\b|\bha(?:s|ve)\s+(?:a\s+duty|to)\s", _FLAGS),
        re.compile(r"\b(?:agrees?|undertakes?|covenants?|commits?)\s+to\b|\bREQUIRED\b|\bSHOULD\b(?!\s+NOT)|\bRECOMMENDED\b"),
        re.compile(r"\b(?:[A-Z][\w’']*|[Yy]ou|[Ww]e|part(?:y|ies))\s+will\b(?!\s+(?:not|never)\b)"),
        re.compile(r"应当|必须|须(?!知)|应(?=在|于|向|按|依|自|及时|将|对|提供|支付|保证|承担|负责|立即|由|以|为|符合|遵守|提前)|有义务|有责任|负责(?!人)"),
    ),
    "permission": (
        re.compile(r"\bmay\b(?!\s+(?:not|only|never|\d))(?!\s+\d)", 0),
        re.compile(r"\b(?:is|are|be)\s+(?:permitted|allowed|entitled|authori[sz]ed|free)\s+to\b|\bha(?:s|ve)\s+the\s+right\s+to\b|\bMAY\b(?!\s+NOT)|\bOPTIONAL\b|\breserves?\s+the\s+right\b"),
        re.compile(r"(?<!不)可以|有权|(?<!不)(?<!未经)准予|(?<!不)允许|(?<!不)得以"),
    ),
    "exception": (
        re.compile(r"\bexcept\b|\bunless\b|\bnotwithstanding\b|\bprovided,?\s+(?:however,?\s+)?that\b|\bsave\s+(?:as|for|that|where)\b|\bdo(?:es)?\s+not\s+apply\b|\bshall\s+not\s+apply\b|\bexempt(?:ed|ion)?\b|\bdespite\b|\bother\s+than\b", _FLAGS),
        re.compile(r"除外|除[^。；\n]{1,60}(?:外|以外)|另有(?:规定|约定)|(?:^|[，。；\n])但(?:是)?(?!书)|不适用(?!于本)|例外|豁免|不受[^。；\n]{1,20}限制"),
    ),
    "condition": (
        re.compile(r"\b(?:if|unless|provided\s+that|subject\s+to|on\s+(?:the\s+)?condition|in\s+the\s+event|where\s+(?:the|a|an|any)|as\s+long\s+as|upon\s+(?:the\s+)?(?:request|receipt|occurrence)|to\s+the\s+extent)\b", _FLAGS),
        re.compile(r"如果|如(?=[^何下上此果])[^。，；\n]{1,30}[，,]|若|的，|情形之一|条件|经[^。，；\n]{1,20}(?:批准|同意|许可)|在[^。，；\n]{1,30}(?:情况|前提|条件)下|只有|方可"),
    ),
    "termination": (
        re.compile(r"\bterminat(?:e|es|ed|ion|ing)\b|\bcancell?ation\b|\bexpir(?:y|ation)\s+of\s+(?:this|the)\b|\brescind", _FLAGS),
        re.compile(r"终止|解除(?=.{0,12}(?:合同|协议|劳动))|(?:合同|协议)[^。；\n]{0,10}解除|撤销合同"),
    ),
    "penalty": (
        re.compile(r"\bpenalt(?:y|ies)\b|\bfines?\b(?!\s+print)|\bliquidated\s+damages\b|\bimprisonment\b|\bguilty\s+of\s+an\s+offence\b|\blate\s+(?:fee|charge)s?\b|\bservice\s+credits?\b|\bsanctions?\b", _FLAGS),
        re.compile(r"罚款|罚金|违约金|处[^。；\n]{0,12}(?:以下|以上)|没收|吊销|警告|拘留|有期徒刑|滞纳金|处罚|责令(?:改正|停)"),
    ),
    "scope": (
        re.compile(r"\b(?:this|these)\s+[\w ]{1,40}?\bappl(?:y|ies)\s+(?:to|in|only|where|when|if)\b|\b(?:does|do)\s+not\s+apply\s+to\b|\bscope\s+of\b|\bcovers?\s+(?:the|all)\b|\bextends?\s+to\b", _FLAGS),
        re.compile(r"(?:本(?:法|条例|办法|规定|合同|协议|细则|制度)[^。；\n]{0,10}适用|适用本(?:法|条例|办法|规定)|适用范围|不适用本)"),
    ),
    "procedure": (
        re.compile(r"\b(?:apply|application|request|notice|notify|submit|file)\b[^.;\n]{0,80}\b(?:within|in\s+writing|form|by|to)\b|\bprocedures?\b|\bfollowing\s+steps\b|\bin\s+accordance\s+with\s+the\s+process\b", _FLAGS),
        re.compile(r"程序|申请|提交|备案|登记|报送|通知[^。；\n]{0,20}书面|书面[^。；\n]{0,10}通知|审批|受理"),
    ),
    "commencement": (
        re.compile(r"\b(?:comes?|came|enters?|shall\s+come|shall\s+enter)\s+into\s+(?:force|effect|operation)\b|\b(?:act|law|regulations?|rules?|agreement|policy|section|part|order|article|amendment)s?\b[^.;\n]{0,60}\b(?:commences?|takes?\s+effect|(?:is|are|becomes?)\s+effective)\b|\beffective\s+date\b|\bcommencement\b", _FLAGS),
        re.compile(r"(?:起|日)(?:开始)?(?:施行|生效|实施|执行)|施行日期|生效日期"),
    ),
    "transitional": (
        re.compile(r"\btransition(?:al)?\b|\bbefore\s+(?:the\s+)?(?:commencement|effective\s+date|coming\s+into)\b|\bcontinues?\s+to\s+apply\b|\bgrandfather", _FLAGS),
        re.compile(r"过渡|施行前|本(?:法|条例|办法|规定|解释)施行(?:之日)?(?:前|后)|继续(?:有效|适用)|尚未(?:审结|终审|办结)"),
    ),
    "savings": (
        re.compile(r"\bwithout\s+prejudice\b|\bnothing\s+in\s+(?:this|these)\b|\b(?:does|do|shall)\s+not\s+affect\b|\bsav(?:ed|ing)s?\s+(?:clause|provision)|\bsurviv(?:e|es|al)\b", _FLAGS),
        re.compile(r"不影响|不妨碍|仍然有效|依然有效"),
    ),
    "application": (
        re.compile(r"\bappl(?:y|ies)\s+(?:to|in\s+relation\s+to|in\s+respect\s+of)\s+(?:any|all|every|contracts?|certificates?|things|acts|proceedings|matters|periods?|years?)\b", _FLAGS),
        re.compile(r"适用(?:于)?(?:本|下列|前款|以下|[^。；\n]{1,20}规定)|参照适用|参照执行|依照适用"),
    ),
    "sunset": (
        re.compile(r"\bceases?\s+to\s+(?:have\s+effect|apply|be\s+in\s+force)\b|\b(?:section|part|act|rule|regulation|policy|order)s?\b[^.;\n]{0,40}\b(?:expires?|lapses?)\b|\bsunset\b", _FLAGS),
        re.compile(r"失效|停止(?:执行|适用|施行)|有效期(?:至|为|届满)"),
    ),
    "repeal": (
        re.compile(r"\b(?:is|are|be|hereby)\s+(?:hereby\s+)?(?:repealed|revoked|rescinded|superseded)\b|\breplaces?\s+and\s+supersedes?\b|\bsupersedes?\s+(?:all|any)\b", _FLAGS),
        re.compile(r"同时废止|予以废止|废止"),
    ),
    "amendment": (
        re.compile(r"\b(?:is|are)\s+(?:hereby\s+)?amended\b|\b(?:deleted|replaced|substituted|inserted)\b[^.;\n]{0,60}\b(?:following|with|by|after|before)\b|\bamend(?:ed|ment|s)?\b[^.;\n]{0,40}\b(?:agreement|in\s+writing|section|signed)\b", _FLAGS),
        re.compile(r"修改为|修订为|增加一[条款项]|删去|删除第|变更(?:为|本合同|合同)|修改(?:本|合同)"),
    ),
    "interpretation": (
        re.compile(r"\b(?:shall|is\s+to|are\s+to|must|will)\s+be\s+(?:construed|interpreted|read)\b|\breferences?\s+to\b[^.;\n]{0,60}\b(?:include|are|is|means?)\b|\bheadings\b[^.;\n]{0,60}\b(?:convenience|reference)\b|\bthe\s+singular\s+includes\b", _FLAGS),
        re.compile(r"解释权|由[^。；\n]{1,20}(?:负责)?解释|应理解为|不应(?:当)?理解为|所称[^。；\n]{1,20}(?:包括|是指)|以上[^。；\n]{0,12}均?包括本数"),
    ),
}  # fmt: skip
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


def kinds_of(clause: Clause, *, defines: bool, excepts: bool) -> tuple[str, ...]:
    """The kinds that hold for the clause, in the order of ``KINDS``; ``defines``/``excepts``: it has such links."""
    found: set[str] = {kind for kind, patterns in _PATTERNS.items() if _any(patterns, clause.text)}
    found |= {kind for kind, pattern in _HEADINGS.items() if clause.text and pattern.search(clause.heading[:200])}
    if defines:
        found.add("definition")
    elif "definition" in found and not clause.text:
        found.discard("definition")
    if excepts:
        found.add("exception")
    return tuple(kind for kind in KINDS if kind in found)


def _any(patterns: Collection[re.Pattern[str]], text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)
