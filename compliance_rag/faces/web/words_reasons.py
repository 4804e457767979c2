"""Why a person should look at an answer, in the words of the page."""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

from compliance_rag.faces.web.words_codes import say_name

# Review reasons are worded in English on the record; their codes are said in Chinese here.
_REASONS_ZH: Final[dict[str, str]] = {
    "nothing_cited": "没有引用任何条款。",
    "weak_best_source": "最佳来源的得分偏低。",
    "low_retrieval_confidence": "检索置信度偏低。",
    "low_answer_confidence": "回答置信度偏低。",
    "no_exception_in_scope": "在检索范围内未发现所引规则的例外。",
    "dates_unconfirmed": "所引条款正文中的日期尚未确认。",
    "pending_amendment": "有涉及所引条款的修改尚未并入。",
    "hidden_text": "所引文件含有读者看不到的文字。",
    "struck_text": "所引条款含有被划去的文字，是否有效须由人工判断。",
    "held_page": "所引文件有一页识别质量不足，待人工审核。",
    "broken_font_map": "所引条款所在页的字体编码与印出的字符不符。",
    "figure": "所引条款所在页有未识别为文字的图形。",
    "unread_ink": "所引条款所在页有未识别为文字的印章、签名或手写内容。",
    "tracked_changes": "所引文件带有修订痕迹。",
    "ambiguous_structure": "所引条款附近的编号可作两种理解。",
    "unresolved_reference": "所引条款引用的内容未能找到。",
    "model_rejected": "模型撰写的回答未通过校验，现显示逐字摘录的回答。",
    "egress": "依据中的某份文件不得发送给模型端点。",
    "exceptions_not_quoted": "范围内有例外条款未在回答中引用。",
    "routed_kind": "按设置，引用此类条款的回答须由人工审核。",
    "evidence_left_out": "部分依据因篇幅限制未采用。",
}


# What a recorded sentence names beside its code: clauses by their ids, a figure, kinds of clauses.
_CLAUSE: Final = re.compile(r"\S+@\S+?#\S+?(?=[,.]?(?:\s|$))")
_FIGURE: Final = re.compile(r"(?<=\s)\d\.\d\d(?=\.?$)")
_KINDS: Final = re.compile(r"answers about: ([a-z_, ]+)\.$")


def say_reason(language: str, code: str, text: str) -> Markup:
    """A review reason in ``language``, with the clauses, the figure or the kinds that it names; as recorded where it has no
    other words."""
    said = _REASONS_ZH.get(code)
    if language != "zh" or said is None:
        return escape(text)
    named = [Markup("<code>{}</code>").format(one) for one in _CLAUSE.findall(text)]
    named += [escape(one) for one in _FIGURE.findall(text)]
    kinds = _KINDS.search(text)
    if kinds is not None:
        named += [say_name(language, "kind", one) for one in kinds[1].split(", ")]
    if not named:
        return escape(said)
    return escape(said.removesuffix("。")) + "：" + Markup("、").join(named) + "。"
