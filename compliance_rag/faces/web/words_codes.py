"""Names that the record and the API say in English codes (flags, kinds, risks, parts, layers), as the page says them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup, escape

_FLAGS: Final[Mapping[str, str]] = {
    "ambiguous_date": "日期有歧义",
    "ambiguous_marker": "编号有歧义",
    "amendment_not_applied": "修改未并入",
    "annotation": "批注",
    "broken_font_map": "字体编码有误",
    "comments": "批注",
    "conflicting_dates": "日期冲突",
    "dangling_reference": "引用未找到",
    "date_disagreement": "日期不一致",
    "dates_unconfirmed": "日期未确认",
    "deep_nesting": "层级过深",
    "duplicate_label": "编号重复",
    "encoding_guessed": "推定编码",
    "equal_effective_dates": "生效日期相同",
    "figure": "图形未识别",
    "form_field": "表单字段",
    "front_matter": "文首元数据",
    "held_page": "页面待核",
    "hidden_text": "隐藏文字",
    "impossible_date": "日期不存在",
    "label_order": "版本次序不符",
    "layout_model": "模型划分版面",
    "layout_rejected": "版面建议未采纳",
    "no_clauses": "没有条款",
    "nul_dropped": "空字符已去除",
    "number_format": "编号格式",
    "numbering_gap": "编号不连续",
    "ocr_quality": "识别质量不足",
    "page_without_text": "页面无文字",
    "pending_amendment": "修改待并入",
    "scan": "扫描页",
    "struck_text": "文字被划去",
    "tracked_changes": "修订痕迹",
    "unknown_markup": "标记不明",
    "unknown_symbol": "符号不明",
    "unplaced_text": "文字未归位",
    "unread_ink": "墨迹未识别",
    "unread_part": "部分未读取",
    "unreadable_date": "日期无法读取",
    "unresolved_reference": "引用未找到",
    "zero_width": "零宽字符",
}
_KINDS: Final[Mapping[str, str]] = {
    "definition": "定义",
    "obligation": "义务",
    "prohibition": "禁止",
    "permission": "许可",
    "exception": "例外",
    "condition": "条件",
    "termination": "终止",
    "penalty": "罚则",
    "scope": "范围",
    "procedure": "程序",
    "commencement": "施行",
    "transitional": "过渡",
    "savings": "保留",
    "application": "适用",
    "sunset": "失效",
    "repeal": "废止",
    "amendment": "修改",
    "interpretation": "解释",
}
_RISKS: Final[Mapping[str, str]] = {
    "penalty": "罚则",
    "liability": "责任",
    "indemnity": "赔偿",
    "jurisdiction": "管辖",
    "force_majeure": "不可抗力",
    "confidentiality": "保密",
    "non_compete": "竞业限制",
    "exclusivity": "排他",
    "intellectual_property": "知识产权",
    "unilateral_termination": "单方终止",
    "auto_renewal": "自动续期",
    "unilateral_change": "单方变更",
    "payment": "付款",
    "assignment": "转让",
    "personal_data": "个人信息",
    "audit_right": "审计权",
    "most_favoured": "最惠待遇",
    "insurance": "保险",
}
_LEVELS: Final[Mapping[str, str]] = {"low": "低", "medium": "中", "high": "高"}
# What a record tells of itself in one word: how an answer was read, how an actor was known, what was done.
_DEEDS: Final[Mapping[str, str]] = {
    "answer": "回答",
    "record": "记录",
    "reconstruct": "重新推导",
    "review": "审核",
    "export": "导出",
    "asserted": "自述",
    "os": "系统账户",
    "key": "密钥",
    "oidc": "单点登录",
    "grant": "授予",
    "revoke": "撤销",
    "add": "启用",
    "rotate": "更换",
    "assign": "分派",
    "close": "结案",
    "approve": "批准",
    "amend": "修改",
    "reject": "驳回",
    "no_impact": "无影响",
    "updated": "已更新",
    "withdrawn": "已撤回",
}
_PARTS: Final[Mapping[str, str]] = {
    "question": "问题",
    "settings": "设置",
    "versions": "版本",
    "candidates": "候选条款",
    "validation": "校验",
    "clauses": "条款",
    "permitted": "检索范围",
    "vector": "问题向量",
    "answer": "回答",
    "messages": "发给模型的内容",
    "reply": "模型的回复",
    "structure": "结构",
    "note": "理由",
    "text": "文字",
    "reason": "理由",
    "expansion": "扩展",
    "evidence": "依据",
}
_LAYERS: Final[Mapping[str, str]] = {
    "corpus": "语料",
    "parser": "解析",
    "embedder": "向量模型",
    "ranking": "排序",
    "expansion": "扩展",
    "answer": "回答",
    "settings": "设置",
}
_CHECKED: Final[Mapping[str, str]] = {
    "records": "记录",
    "beyond_head": "超出头部的记录",
    "torn_bytes": "残缺字节",
    "unknown_types": "类型不明的记录",
    "checkpoints": "检查点",
    "signed_size": "已签署至",
    "pinned_size": "以所给密钥签署至",
    "receipts": "凭据",
    "receipts_text_not_compared": "未比对文字的凭据",
    "parts": "组成部分",
    "part_bytes": "组成部分字节数",
    "sealed_opened": "已打开的密封部分",
    "sealed_unopened": "未打开的密封部分",
    "erased": "已删除",
    "publications": "发布",
    "clauses": "条款",
    "answers": "回答",
    "answers_unopened": "未打开的回答",
    "citations": "引用",
    "supports_recorded": "已记录的支持关系",
    "corpus_roots_unchecked": "未校验的语料根",
    "pages": "页面",
    "supports": "支持关系",
}
_TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "flag": _FLAGS,
    "kind": _KINDS,
    "risk": _RISKS,
    "level": _LEVELS,
    "deed": _DEEDS,
    "part": _PARTS,
    "layer": _LAYERS,
    "checked": _CHECKED,
}


# Two words of English in a row: a sentence, whatever names it holds.
_SENTENCE: Final = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


def say_name(language: str, table: str, code: str) -> Markup:
    """A code of ``table`` (:data:`_TABLES`) in ``language``; one that has no Chinese is marked as the English that it is."""
    plain = code.replace("_", " ")
    if language != "zh":
        return escape(plain)
    found = _TABLES[table].get(code)
    return foreign(plain) if found is None else escape(found)


def foreign(text: str) -> Markup:
    """Words in English on a page in Chinese, marked so that they are read out as what they are; other text as it is."""
    if not text or not (text.isascii() or _SENTENCE.search(text)):
        return escape(text)
    return Markup('<span lang="en">{}</span>').format(text)
