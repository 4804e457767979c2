"""What error codes and codes of ingest mean, in Chinese; in English the error's own sentence says it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from markupsafe import Markup, escape

from compliance_rag.faces.web.words_codes import foreign
from schemas.errors import ComplianceError, IntegrityError

# Why a file was not taken or a version waits, said in Chinese by its code; the record's own sentence, in English, names places.
_CODES_ZH: Final[Mapping[str, str]] = {
    "bad_doc_id": "文件标识只能使用小写字母、数字、“-”和“.”。",
    "bad_label": "版本标签无法使用，请缩短或改写。",
    "bad_manifest": "所填信息有误，请按提示更正。",
    "damaged_file": "文件已损坏或与扩展名不符，请重新获取后再添加。",
    "dtd_refused": "XML 含有 DTD，不予读取；请去除后再添加。",
    "empty_file": "文件为空，请提供含有正文的文件。",
    "empty_interval": "失效日期须晚于生效日期。",
    "encrypted_docx": "文件有密码保护，请在 Word 中取消密码后再添加。",
    "encrypted_pdf": "PDF 有密码保护，请取消密码后再添加。",
    "equal_effective_dates": "同一文件的两个版本生效日期相同，请更正其一。",
    "external_content": "文件引用外部内容，不予读取；请将内容存入文件后再添加。",
    "file_too_large": "文件过大，请拆分后再添加。",
    "label_taken": "该版本标签已用于其他内容或日期；如为更正，请勾选“更正”。",
    "macros_refused": "文件含有宏，请另存为 .docx 后再添加。",
    "missing_file": "未收到该文件，请一并提交。",
    "no_clauses": "文件有文字但未读出条款：全部像是页眉、页脚或目录；请提供其他格式的文件。",
    "no_ocr": "无法识别扫描页，请提供含文字的文件。",
    "no_text": "文件中没有文字。",
    "ocr_quality": "没有一页识别质量达标，请在“审核”中处理各页。",
    "overlapping_intervals": "同一文件的两个版本有效期重叠，请更正其一。",
    "parser_fault": "解析出错，请报告该问题。",
    "reader_failed": "读取该文件时出错，其他文件不受影响。",
    "reader_memory": "读取该文件所需内存过大，请拆分后再添加。",
    "reader_timeout": "读取该文件超时，请拆分后再添加。",
    "second_person": "等待另一人发布。",
    "too_deep": "文件层级过深，不予读取。",
    "too_many_pages": "页数过多，请拆分后再添加。",
    "tracked_changes": "文件带有修订痕迹，请选择按最终文本或原始文本读取后重新添加。",
    "unknown_jurisdiction": "法域代码无效，请使用 ISO 3166 代码、EU 或 INT。",
    "unknown_language": "语言代码无效，请使用 en、zh 等代码。",
    "unknown_type": "不支持该类型的文件，请另存为 .docx、PDF 或文本后再添加。",
    "unpacks_too_large": "文件解压后过大，不予读取。",
    "unreadable_date": "日期无效，请使用 YYYY-MM-DD。",
    "unreadable_text": "文字编码无法识别，请存为 UTF-8 后再添加。",
    # What is refused anywhere on the page.
    "no_permission": "您的密钥无权执行此操作。",
    "sign_in": "请先登录。",
    "cross_site": "该表单来自其他网站，未予接收。",
    "bad_text": "文字不是有效的 Unicode 或含有空字符，请更正后重试。",
    "bad_request": "请求有误，请按提示更正。",
    "bad_form": "表单无法读取，请用 UTF-8 重新提交。",
    "body_too_large": "提交的内容过大。",
    "no_route": "没有此页面。",
    "wrong_method": "此页面不支持该操作。",
    "question_empty": "问题为空，请输入问题。",
    "question_too_long": "问题过长，请缩短后重试。",
    "request_id_taken": "该请求编号已用于另一问题。",
    "unknown_document": "没有此文件。",
    "unknown_version": "没有此版本。",
    "unknown_clause": "没有此条款。",
    "unknown_clause_number": "没有此编号的条款。",
    "ambiguous_clause": "该编号对应多个条款，请写得更具体。",
    "unknown_page": "没有此页。",
    "unknown_answer": "没有此回答，或您无权查阅。",
    "unknown_item": "该回答并未过时。",
    "unknown_record": "没有此记录。",
    "unknown_batch": "没有此批文件，可能已结束并清除。",
    "not_in_force": "该日没有有效版本。",
    "held": "该版本正在等待人工审核。",
    "no_owner": "请填写负责人。",
    "no_note": "请填写理由，将与决定一同记入账本。",
    "note_too_long": "理由过长，请缩短。",
    "text_too_long": "文字过长，请缩短。",
    "amend_needs_text": "修改须填写修改后的文字。",
    "text_not_taken": "只有“修改”可填写文字。",
    "answer_erased": "该回答已删除，无法作出决定。",
    "erased": "该内容已删除。",
    "same_person": "提交该版本的人不能发布，须由另一人发布。",
    "page_replaced": "该页所属版本已重新解析，请处理新的版本。",
    "no_file": "未选择文件，请至少选择一个。",
    "too_many_files": "一次提交的文件过多，请分批提交。",
    "bad_file_name": "文件名无法使用，请改名。",
    "file_twice": "有两个文件同名，请改名后重新提交。",
    "batch_under_way": "该批文件正在处理，请等待完成。",
    "too_many_batches": "排队的批次过多，请稍后再试。",
    "ingest_ended": "处理中途终止；已记录的内容见“文件”，文件仍保留，可重新提交。",
    "settings_changed": "服务启动后设置已更改，请重启服务后重新提交。",
    "unknown_time_zone": "时区设置无效。",
    "source_missing": "原文件缺失，无法显示。",
    "source_damaged": "原文件已损坏，无法显示。",
    "extracted_missing": "提取的文本缺失，无法显示。",
    "extracted_damaged": "提取的文本已损坏，无法显示。",
    "part_damaged": "该记录的内容已损坏。",
    "held_page": "该页识别质量不足，待人工审核。",
    "integrity": "存储内容与账本不一致，已停止处理，请联系管理员。",
    "no_reason": "请填写理由，将记入账本。",
    "reason_too_long": "理由过长，请缩短。",
    "legal_hold": "该记录处于法律保全之下，请先解除。",
    "nothing_to_erase": "该记录不含可删除的内容。",
    "no_checkpoint_key": "设置中未指定签署密钥（[ledger] checkpoint_key）。",
    "checkpoint_failed": "签署检查点的命令未能完成，请手动运行。",
    "unknown_parameter": "没有此参数。",
    "repeated_parameter": "参数重复。",
    "repeated_field": "字段重复。",
    "bad_body": "请求内容无法读取。",
    "bad_clause_id": "条款编号的写法有误。",
    "bad_settings": "设置有误。",
    "unreadable_file": "文件无法读取。",
    "no_key": "请先登录。",
    "unknown_key": "该密钥无效，可能已被撤销或已过期。",
    "unknown_host": "本服务只接受以其自身地址发来的请求。",
    "internal": "服务出错，详见日志。",
    "worker_ended": "处理该请求的进程已终止，请重新提问。",
    "no_worker": "目前没有可处理提问的进程，详见服务日志，请稍后再试。",
}


_OTHER_ZH: Final = "无法完成，说明见括号"


def say_code(language: str, code: str, text: str) -> Markup:
    """What a code means in ``language``, before the record's own sentence where that is in another."""
    if language != "zh":
        return escape(text)
    return Markup("{}（{}）").format(_CODES_ZH.get(code, _OTHER_ZH), foreign(text))


# Fields that have a name of their own on the page.
_NAMED: Final = re.compile(r"^(known_at|as_of|due|from|to|question)(?=: )")


def say_error(t: Callable[..., str], language: str, error: ComplianceError) -> Markup:
    """An error's sentence in ``language``, its field under the name that the page gives it."""
    code = "integrity" if isinstance(error, IntegrityError) and error.code not in _CODES_ZH else error.code
    return say_code(language, code, _NAMED.sub(lambda found: t(found[1]), error.message))
