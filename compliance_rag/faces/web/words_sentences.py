"""Sentences that the verifier, the ingest report and the record write in English, said in Chinese on the Chinese page. Each is
known by its shape; one that is not known is shown as it is, marked as English."""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

from compliance_rag.faces.web.words_codes import foreign

_OWN_KEY: Final = "签署密钥由账本自身指明：能够重写整个账本者也能指明另一密钥，请以 --key 给出所有者的公钥。"
# The verifier's, of a home (the page verifies no bundle, witness or receipt).
_VERDICT: Final = (
    (
        r'VALID: the whole log "(?P<a>.*)", (?P<b>\d+) records, is what was recorded, as far as the next sentences say\.',
        "有效：整个账本“{a}”共 {b} 条记录，与当时所记一致，但以下文所述为限。",
    ),
    (
        r"Signed up to record (?P<a>\d+) of (?P<b>\d+); no checkpoint vouches for the (?P<c>\d+) after them\. The key .*",
        "已签署至第 {a} 条记录（共 {b} 条），其后 {c} 条没有检查点担保。" + _OWN_KEY,
    ),
    (r"Signed up to record (?P<a>\d+) of (?P<b>\d+)\. The key is one .*", "已签署至第 {a} 条记录（共 {b} 条）。" + _OWN_KEY),
    (
        r"NO CHECKPOINT: nothing signed is in this home; .*",
        "没有检查点：此处没有任何签署内容，能够写入者可以全部重做。"
        "只有凭据（--receipt）或保存在别处的见证文件夹（--witness）能够揭示。",
    ),
    (
        r"(?P<a>\d+) records at the end were written and not yet acknowledged when the writer stopped\.",
        "末尾 {a} 条记录已写入，但写入中断时尚未确认。",
    ),
    (
        r"(?P<a>\d+) bytes at the end are a record that a writer left half written; they count for nothing\.",
        "末尾 {a} 个字节是未写完的记录，不计入。",
    ),
    (
        r"(?P<a>\d+) records are of types that this verifier does not know: only their hashes were checked\.",
        "{a} 条记录的类型未知，仅校验了哈希。",
    ),
    (
        r"The personal parts of (?P<a>\d+) records were erased, with a record of each erasure\.",
        "{a} 条记录中的个人内容已删除，每次删除均有记录。",
    ),
    (r"(?P<a>\d+) sealed parts have the recorded hash and were not opened: .*", "{a} 个密封部分的哈希与记录一致，但未打开。"),
    (
        r"The words of (?P<a>\d+) answers were not opened; the clauses they cite were checked\.",
        "{a} 个回答的文字未打开；所引条款已校验。",
    ),
    (r"An erasure was begun and nothing is erased yet: .*", "有一次删除已开始而尚未执行：任何命令都会完成或拒绝它。"),
    (
        r"That a clause supports what was said is recorded for (?P<a>\d+) citations, not checked again\.",
        "条款对所述内容的支持关系已为 {a} 处引用记录在案，此处未再校验。",
    ),
    (r"recorded, not re-checked", "已记录，未再校验"),
    (r"NOT VALID, at record (?P<a>\d+) \(step (?P<e_step>.*?)\): (?P<e>.*)\.", "无效：第 {a} 条记录，步骤 {e_step}：{e}。"),
    (r"NOT VALID \(step (?P<e_step>.*?)\): (?P<e>.*)\.", "无效：步骤 {e_step}：{e}。"),
    (
        r"CANNOT BE READ, so not valid(?:, at record \d+)? \(step (?P<e_step>.*?)\): (?P<e>.*)\.",
        "无法读取，故无效：步骤 {e_step}：{e}。",
    ),
)
# The ingest report's.
_REPORT: Final = (
    (r"(?P<q>.*) names no clause of this document\.", "{q} 在本文件中没有对应条款。"),
    (r"(?P<q>.*): read as (?P<a>.*); could also be (?P<b>.*)\.", "{q}：读作 {a}，也可能是 {b}。"),
    (r"(?P<q>.*) does not follow the number before it\.", "{q} 与前一编号不连续。"),
    (r"(?P<q>.*) stands more than once\.", "{q} 出现不止一次。"),
    (r"Page (?P<a>\d+): hidden text is in no clause: (?P<q>.*)\.", "第 {a} 页：隐藏文字未计入任何条款：{q}。"),
    (r"Hidden text is in no clause: (?P<q>.*)\.", "隐藏文字未计入任何条款：{q}。"),
    (r"(?P<a>\d+) more stretches of hidden text\.", "另有 {a} 处隐藏文字。"),
    (r"(?P<a>\d+) comments are in no clause; the first: (?P<q>.*)\.", "{a} 条批注未计入任何条款；第一条：{q}。"),
    (
        r"(?P<a>\d+) documents embedded in this one are not read; add them on their own\.",
        "{a} 个嵌入的文件未读取，请单独添加。",
    ),
    (r"Numbers in Word's format (?P<q>.*) are printed in decimals\.", "Word 编号格式 {q} 以十进制数字显示。"),
    (
        r"(?P<a>\d+) characters of the symbol font (?P<q>.*) have no Unicode name; kept as they are\.",
        "符号字体 {q} 中有 {a} 个字符没有 Unicode 名称，原样保留。",
    ),
    (r"The YAML front matter is metadata and is in no clause\.", "文首的 YAML 元数据未计入任何条款。"),
    (r"Page (?P<a>\d+) is a picture of a page; its words are not read as text\.", "第 {a} 页为图片，其文字未读取。"),
    (r"Page (?P<a>\d+) is held for a person to look at: (?P<e>.*)\.", "第 {a} 页待人工审核：{e}。"),
    (
        r"Page (?P<a>\d+) shows a figure without text at (?P<q>.*) \(points from the top left\)\.",
        "第 {a} 页 {q} 处有不含文字的图形（自左上角起，以点计）。",
    ),
    (
        r"Page (?P<a>\d+): words are struck out and were read all the same; the first: (?P<q>.*)\.",
        "第 {a} 页：有文字被划去，仍已读取；第一处：{q}。",
    ),
    (
        r"(?P<a>\d+) stretches of text are struck out and were read all the same; the first: (?P<q>.*)\.",
        "{a} 处文字被划去，仍已读取；第一处：{q}。",
    ),
    (
        r"(?P<a>\d+) marked changes; shown is the (?:final|original) wording; it answers once chosen\.",
        "{a} 处修订；请选择按最终文本或原始文本读取。",
    ),
    (r"A figure is not read; its description: (?P<q>.*)\.", "图形未读取；其说明：{q}。"),
    (r"The file is not UTF-8; it was read as (?P<q>.*)\.", "文件不是 UTF-8 编码，已按 {q} 读取。"),
    (r"(?P<a>\d+) NUL characters were left out\.", "已去除 {a} 个空字符。"),
    (
        r"(?P<a>\d+) characters that no reader sees are in the text \((?P<q>.*)\); they are kept\.",
        "文字中有 {a} 个不可见字符（{q}），予以保留。",
    ),
    (r"Text outside every block was kept as a paragraph: (?P<q>.*)\.", "不属于任何段落的文字已作为段落保留：{q}。"),
    (r"No page was read well enough; each waits for a person to look at it\.", "没有一页识别质量达标，均待人工审核。"),
    (r"A proposal of (?P<q>.*) for the layout was rejected: (?P<e>.*)\.", "{q} 提出的版面划分未采纳：{e}。"),
    (r"The version (?P<q>.*) waits for another person to publish it\.", "版本 {q} 等待另一人发布。"),
)
# Why a clause that was looked at is not cited, and why an answer cannot be derived again.
_WHY: Final = (
    (r"the documents were found not to say", "判定文件未作规定"),
    (r"not needed for the answer", "回答不需要"),
    (r"gives orders to a machine; shown as text only on request", "系对机器的指令，仅在要求时作为文字显示"),
    (r"says who the parties are; read to understand the question", "说明当事人身份，用于理解问题"),
    (
        r"scores (?P<a>[\d.]+) against (?P<b>[\d.]+) and adds (?P<c>\d+%) of the question's terms",
        "得分 {a}（最高 {b}），增补问题用语的 {c}",
    ),
    (r"is no rule on the term that the question describes", "不是关于问题所述用语的规则"),
    (r"defines a term and rules nothing", "仅作定义，未作规定"),
    (r"stands under words that speak of something else", "所属上文另有所指"),
    (r"says what the document is about", "说明文件内容"),
    (r"says the same as a clause cited", "与所引条款相同"),
    (r"speaks of another one than the question", "所指与问题不同"),
    (r"no (?P<e>.*) is given", "未给出 {e}"),
    (r"what is asked for is not spoken of", "未涉及所问内容"),
    (r"no (?P<e>.*) is spoken of", "未提及 {e}"),
    (r"The question was erased; nothing can be asked again\.", "问题已删除，无法再次提问。"),
)
_KNOWN: Final = tuple((re.compile(shape), said) for shape, said in (*_VERDICT, *_REPORT, *_WHY))
# What a line of the report puts before its sentence: the path of a clause, or a page.
_PLACE: Final = re.compile(r"(?:page (?P<page>\d+)|(?P<path>[^\s:]{1,80})): (?P<rest>.+)", re.DOTALL)


def say_sentence(language: str, text: str) -> Markup:
    """A sentence of ours in ``language``."""
    if language != "zh":
        return escape(text)
    placed = _PLACE.fullmatch(text)
    rest = None if placed is None else _said(placed["rest"])
    if placed is not None and rest is not None:
        return Markup("{}：{}").format(f"第 {placed['page']} 页" if placed["page"] else placed["path"], rest)
    said = _said(text)
    return foreign(text) if said is None else said


def _said(text: str) -> Markup | None:
    for shape, said in _KNOWN:
        found = shape.fullmatch(text)
        if found is not None:
            # What starts with `e` holds words for which there is no other sentence, `q` words of the document.
            parts = {name: foreign(value or "") if name[0] == "e" else value or "" for name, value in found.groupdict().items()}
            return Markup(said).format(**parts)
    return None
